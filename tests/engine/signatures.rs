//! The signatures file: one exact node count for the defaults, each preset and each policy. A change of search behaviour moves
//! it on purpose (`cargo run --release -- bench --all > tests/signatures.txt`, and `Counts: moved` in the commit) or not at all.

use ttlab::signature;

#[test]
fn policies_that_are_said_to_be_equal_are() {
    let count = |name: &str| {
        let line =
            include_str!("../signatures.txt").lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap().to_owned()
    };
    // The documentation of `scored` says so.
    assert_eq!(count("policy:scored"), count("policy:depth-age"));
}

#[test]
fn counts_have_not_moved() {
    let held: Vec<&str> = include_str!("../signatures.txt").lines().filter(|line| !line.starts_with('#')).collect();
    let now: Vec<String> = signature::all()
        .iter()
        .map(|(name, options)| format!("{name} {}", signature::nodes(options).unwrap()))
        .collect();
    for (held, now) in held.iter().zip(&now) {
        assert_eq!(*held, now);
    }
    assert_eq!(held.len(), now.len(), "a preset or policy was added or removed");
}
