//! The output of a replay, for given counts.

use super::*;

/// One pass of up to 20 s has no message; times are rounded up, in seconds up to 90 s, then in
/// minutes.
#[test]
fn pass_message_appears_for_long_replays() {
    let output = |events: u64, turns: u64, reading: f64, tables: usize| {
        let output = pass_message(events, turns, reading, tables)?;
        Some(output.split("about ").nth(1)?.split(" in all").next()?.to_owned())
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(output(0, 1, 20.0, 1), None);
    assert_eq!(output(0, 1, 20.5, 1), some("21 s"));
    assert_eq!(output(0, 2, 1.0, 1), some("2 s"));
    assert_eq!(output(0, 2, 44.9, 1), some("90 s"));
    assert_eq!(output(0, 2, 45.0, 1), some("2 min"));
    assert_eq!(output(1_000_000_000, 1, 10.0, 2), some("4 min"), "190 s to make and show events, 10 to read them");
}

#[test]
fn policies_refuse_duplicates_in_other_spellings() {
    let named = |asked: &[&str]| {
        let asked: Vec<String> = asked.iter().map(|&text| text.to_owned()).collect();
        match policies(&asked, &[], &TableOptions::default()) {
            Ok(found) => found.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(", "),
            Err(failure) => format!("{failure:?}"),
        }
    };
    let (two, four) = ("{ kind = 'depth-age', factor = 2 }", "{ kind = 'depth-age', factor = 4 }");
    assert_eq!(named(&["always", two, four]), format!("always, {two}, {four}"));
    let output = named(&["always", "{ kind = 'always' }"]);
    assert!(output.contains("--policy { kind = 'always' }: duplicate of always"), "{output}");
    assert!(named(&[]).starts_with("always, "), "all that the slots allow");
}

#[test]
fn options_that_replay_ignores_are_refused() {
    let output = |set: &str| base(&[set.to_owned()]).err().map(|failure| failure.message);
    for blank in ["", " "] {
        for path in ["table.policy", "table.policy.kind"] {
            let expected = format!("--set {path}: set policies with --policy");
            assert_eq!(output(&format!("{blank}{path}{blank}='never'")), Some(expected));
        }
        assert_eq!(output(&format!("{blank}table.slots{blank}=2")), None);
        let searched = "--set draws: a replay does not search: only options of the table (table.*) have an effect";
        assert_eq!(output(&format!("{blank}draws{blank}=true")), Some(searched.to_owned()));
        let kind = output(&format!("{blank}table{blank}='unbounded'")).unwrap();
        assert!(kind.starts_with("table.kind: a replay needs a bounded table"), "{kind}");
    }
}
