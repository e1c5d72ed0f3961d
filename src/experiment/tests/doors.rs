//! One option through every door: `[engine]`, `[subject]`, an axis, a variant and `--set`. However
//! it is written, the last door counts, or the file is refused.

use super::read;
use crate::experiment::variant::option_columns;

const SEARCH: &str = "suite = { startpos = true }\nlimit = { depth = 2 }\n";

/// The values of a column in all variants, or the error.
fn values(column: &str, lines: &str, sets: &[&str]) -> String {
    let experiment = match read(&format!("{SEARCH}{lines}\n"), sets) {
        Ok(experiment) => experiment,
        Err(problem) => return problem.message,
    };
    let value = |variant| option_columns(variant).into_iter().find(|(name, _)| name == column).map(|(_, value)| value);
    experiment.variants.iter().map(|variant| value(variant).unwrap_or("-".to_owned())).collect::<Vec<_>>().join(", ")
}

/// Each case: the column, the lines of the file, the settings, and the values of the variants or a
/// part of the error.
#[track_caller]
fn check_doors(cases: &[(&str, &str, &[&str], &str)]) {
    for (column, lines, sets, expected) in cases {
        let actual = values(column, lines, sets);
        let holds = if expected.contains(' ') && !expected.contains(", ") {
            actual.contains(expected)
        } else {
            actual == *expected
        };
        assert!(holds, "{lines}\n{sets:?}\nexpected {expected}\nfound    {actual}");
    }
}

/// The case of a UCI option's name is none of its own.
#[test]
fn engine_option_is_the_same_in_every_case() {
    const HASH: &str = "[subject]\nuci = 'e'\noptions = { hash = 16 }\n";
    const PLAIN: &str = "[subject]\nuci = 'e'\n";
    let file = |start: &str, more: &str| format!("{start}{more}");
    let twice = "sets uci.hash a second time";
    let x = "[[variant]]\nname = 'x'\n";
    check_doors(&[
        ("uci.Hash", &file(HASH, "[grid]\n'uci.Hash' = [1, 64]"), &[], "1, 64"),
        ("uci.Hash", &file(HASH, &file(x, "'uci.Hash' = 64")), &[], "64"),
        ("uci.Hash", &file(HASH, &file(x, "'subject.options' = { Hash = 64 }")), &[], "64"),
        ("uci.Hash", HASH, &["uci.Hash=64"], "64"),
        ("uci.HASH", HASH, &["uci.HASH=64"], "64"),
        ("uci.Hash", HASH, &["uci.hash=4", "uci.Hash=2"], "2"),
        ("uci.hash", HASH, &["subject.options={ Clear = 2 }"], "16"),
        ("uci.hash", &file(PLAIN, "[grid]\n'uci.hash' = [1, 2, 4]\n[[exclude]]\n'uci.Hash' = 2"), &[], "1, 4"),
        ("", &file(PLAIN, "options = { Hash = 1, hash = 2 }"), &[], "sets uci.hash a second time: set"),
        ("", &file(PLAIN, "[grid]\n'uci.hash' = [1, 64]\n'uci.Hash' = [2, 4]"), &[], twice),
        ("", &file(PLAIN, "[[zip]]\n'uci.hash' = [1, 64]\n'uci.Hash' = [2, 4]"), &[], twice),
        ("", &file(PLAIN, &file(x, "'uci.hash' = 1\n'uci.Hash' = 2")), &[], twice),
        ("", &file(PLAIN, &file(x, "'uci.hash' = 1\n'subject.options' = { Hash = 2 }")), &[], twice),
        ("", &file(PLAIN, "[grid]\n'uci.material' = [1, 64]"), &["uci.Material=3"], "are the same variant"),
    ]);
    let file = format!("baseline = {{ 'uci.Hash' = 2 }}\n{PLAIN}[grid]\n'uci.hash' = [1, 2, 4]");
    assert_eq!(read(&format!("{SEARCH}{file}"), &[]).unwrap().baseline, 1);
}

/// A parameter waits for the kind of its policy, wherever both are written. A later policy of
/// another kind does not drop it in silence.
#[test]
fn parameter_of_a_policy_is_searched_or_refused() {
    const FACTOR: &str = "table.policy.factor";
    let five = "[engine]\ntable.policy.factor = 5\n";
    let aged = "[engine]\ntable.policy = { kind = 'aged-depth', factor = 5 }\n";
    let dropped = "table.policy.factor = 5 has no effect: a later setting";
    let engine = |lines: &str, more: &str| format!("{lines}{more}");
    let kinds = "['aged-depth', 'depth-age']";
    check_doors(&[
        (FACTOR, &engine(five, &format!("[grid]\n'table.policy.kind' = {kinds}")), &[], "5, 5"),
        (FACTOR, &engine(five, &format!("[grid]\n'table.policy' = {kinds}")), &[], "5, 5"),
        (FACTOR, &engine(five, "[[variant]]\nname = 'a'\ntable = { slots = 4, policy = 'aged-depth' }"), &[], "5"),
        (FACTOR, &format!("[[zip]]\n'table.policy.factor' = [3, 7]\n'table.policy' = {kinds}"), &[], "3, 7"),
        (
            FACTOR,
            "[[zip]]\n'table.policy.factor' = [3, 7]\n'table.policy.kind' = ['aged-depth', 'aged-depth']",
            &[],
            "3, 7",
        ),
        (FACTOR, &format!("[grid]\n'table.policy.factor' = [3, 7]\n'table.policy.kind' = {kinds}"), &[], "3, 3, 7, 7"),
        (FACTOR, "[[variant]]\nname = 'a'\n'table.policy.factor' = 3\n'table.policy' = 'aged-depth'", &[], "3"),
        (FACTOR, "[[variant]]\nname = 'a'\n'table.policy' = 'aged-depth'\n'table.policy.factor' = 3", &[], "3"),
        (FACTOR, "", &["table.policy.factor=3", "table.policy=aged-depth"], "3"),
        (FACTOR, "", &["table.policy=aged-depth", "table.policy.factor=3", "table.policy=aged-depth"], "3"),
        (
            FACTOR,
            "[engine]\ntable.policy = { kind = 'aged-depth', factor = 5 }\n[grid]\n'table.policy' = ['aged-depth']",
            &[],
            "5",
        ),
        (FACTOR, "[engine]\npreset = 'vipermate'\ntable.policy = 'aged-depth'", &[], "4"),
        // `[engine]` gives the parameter of a policy that one of the variants has.
        (FACTOR, &format!("{aged}[grid]\n'table.policy' = {kinds}"), &[], "5, 8"),
        (FACTOR, &format!("{aged}[grid]\n'table.policy.kind' = {kinds}"), &[], "5, 8"),
        (
            "",
            &format!("[engine]\npreset = 'vipermate'\ntable.policy.factor = 5\n[grid]\n'table.policy' = {kinds}"),
            &[],
            "table.policy.factor = 5 has no effect: a later setting",
        ),
        (
            "",
            "[engine]\ntable.policy = 'aged-depth'\n[grid]\n'table.policy.factor' = [5, 7]",
            &["table.policy=depth-age"],
            dropped,
        ),
        ("", "", &["table.policy=aged-depth", "table.policy.factor=5", "table.policy.kind=always"], dropped),
        ("", five, &["table.policy=always"], "unknown key `factor`"),
    ]);
}

/// A table of options changes what it names. Only a table of another kind is a new one.
#[test]
fn table_with_the_same_kind_keeps_the_other_options() {
    let engine =
        "[engine]\ntable = { size = 4096, slots = 4 }\nthreads = { count = 4, quantum = 7 }\n[[variant]]\nname = 'a'\n";
    for (column, line, expected) in [
        ("threads.count", "threads = { kind = 'virtual' }", "4"),
        ("threads.quantum", "threads = { schedule = 'random' }", "7"),
        ("table.size", "table = { kind = 'bounded', slots = 2 }", "4096"),
        ("table.size", "table = { slots = 2 }", "4096"),
        ("table.slots", "table = 'bounded'", "4"),
        ("table.slots", "table = { kind = 'unbounded' }", "1"),
    ] {
        assert_eq!(values(column, &format!("{engine}{line}"), &[]), expected, "{line}");
    }
}

#[test]
fn option_is_set_once_and_has_an_effect() {
    let none = "[engine]\ntable = 'none'\n";
    let engine = |more: &str| format!("{none}{more}");
    let twice = " a second time";
    check_doors(&[
        (
            "",
            "[[variant]]\nname = 'a'\n'limit.depth' = 1\nlimit = { depth = 3 }",
            &[],
            "sets limit.depth a second time: set",
        ),
        ("", "[[variant]]\nname = 'a'\n'table.policy' = 'always'\n'table.policy.kind' = 'never'", &[], twice),
        ("", "[[variant]]\nname = 'a'\n'table.size' = 64\ntable = { size = 128 }", &[], twice),
        ("", "[[variant]]\nname = 'a'\nsubject = ['x']\n'subject.uci' = ['y']", &[], twice),
        ("", "[grid]\n'table.policy' = ['always']\n'table.policy.kind' = ['never', 'always']", &[], twice),
        // Settings of the command line follow one another.
        ("table.policy.kind", "", &["table.policy=always", "table.policy.kind=never"], "never"),
        ("", &engine("[grid]\n'table.size' = [64, 128]"), &[], "table.size = 64 has no effect"),
        (
            "",
            "[[zip]]\n'table.kind' = ['none', 'none']\n'table.size' = [64, 128]",
            &[],
            "table.size = 64 has no effect",
        ),
        (
            "",
            &engine("[[variant]]\nname = 'a'\n'table.size' = 64\n[[variant]]\nname = 'b'\ntable = 'bounded'"),
            &[],
            "table.size = 64 has no effect",
        ),
        ("", "[[variant]]\nname = 'a'\ntable = { kind = 'none', size = 64 }", &[], "table.size = 64 has no effect"),
        (
            "",
            "[[zip]]\n'table.kind' = ['none', 'bounded']\n'table.size' = [64, 64]",
            &[],
            "table.size = 64 has no effect",
        ),
        ("", "", &["limit.nodes=1e6"], "limit.nodes: expected a whole number above 0, found 1000000.0"),
        ("", "", &["limit.depth=\"2\""], "limit.depth: expected a whole number from 1 to 255, found \"2\""),
        ("", "[grid]\n'limit.nodes' = [1e3, 2e3]", &[], "limit.nodes: expected a whole number above 0, found 1000.0"),
    ]);
}
