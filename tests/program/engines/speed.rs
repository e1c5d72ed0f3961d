//! Tests of `ttlab speed`, which compares two builds of an engine.

use super::{Trial, all_gone, scripted};

/// Runs `ttlab speed` on the scripted engine and on itself with this fault, which must end with
/// `code`; returns what standard error says.
fn speed(fault: &str, more: &[&str], code: i32) -> String {
    let trial = Trial::new("");
    let (base, new) = (scripted().display().to_string(), format!("{} {fault}", scripted().display()));
    let words = ["speed", &base, &new, "--suite", "suite.epd", "--time", "1", "--depth", "3"];
    let output = trial.call(&[&words, more].concat()).expect(code);
    assert_eq!((all_gone(&trial.token), output.out.as_str()), (Vec::<String>::new(), ""));
    output.err
}

#[test]
fn speed_compares_equal_trees_of_engines_that_work() {
    for (fault, code, message) in [
        (
            "keeps",
            4,
            "scripted.sh keeps: 3026 nodes to depth 3 of A, but 3016 before: speeds are compared on equal trees only",
        ),
        ("crash", 3, "scripted.sh crash: the engine exited unexpectedly"),
        ("unnamed", 3, "scripted.sh unnamed: it reports no nodes"),
        ("dead", 2, "the engine exited unexpectedly"),
        ("", 3, "0 positions took long enough to be timed"),
    ] {
        let text = speed(fault, &[], code);
        assert!(text.contains(message), "{fault}: {text}");
        assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    }
    assert!(speed("", &["--option", "Hsah=4"], 2).contains("--option Hsah: "));
    let missing = Trial::new("").call(&["speed", "./missing", "./missing"]).expect(2);
    assert!(missing.err.contains("no such file: ./missing"), "{}", missing.err);
}
