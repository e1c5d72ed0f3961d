//! Tests of the messages and of the arguments of a replay.

use super::*;

/// Up to 20 s there is no message; times are rounded up, in seconds up to 90 s, then in minutes.
#[test]
fn duration_message_appears_for_long_replays() {
    let expected_time = |events: u64, read_seconds: f64, tables: usize| {
        let message = duration_message(events, read_seconds, tables)?;
        Some(message.split("about ").nth(1)?.split(" (reading").next()?.to_owned())
    };
    let some_text = |text: &str| Some(text.to_owned());
    assert_eq!(expected_time(0, 20.0, 1), None);
    assert_eq!(expected_time(0, 20.5, 1), some_text("21 s"));
    assert_eq!(expected_time(0, 89.8, 1), some_text("90 s"));
    assert_eq!(expected_time(0, 90.0, 1), some_text("2 min"));
    assert_eq!(
        expected_time(1_000_000_000, 10.0, 2),
        some_text("4 min"),
        "190 s to make and show events, 10 to read them"
    );
}

#[test]
fn policies_refuse_duplicates_in_other_spellings() {
    let list_names = |requested: &[&str]| {
        let requested: Vec<String> = requested.iter().map(|&text| text.to_owned()).collect();
        match list_policies(&requested, &[], &TableOptions::default()) {
            Ok(policies) => policies.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(", "),
            Err(failure) => format!("{failure:?}"),
        }
    };
    let (two, four) = ("{ kind = 'depth-age', factor = 2 }", "{ kind = 'depth-age', factor = 4 }");
    assert_eq!(list_names(&["always", two, four]), format!("always, {two}, {four}"));
    let message = list_names(&["always", "{ kind = 'always' }"]);
    assert!(message.contains("--policy { kind = 'always' }: duplicate of always"), "{message}");
    assert!(list_names(&[]).starts_with("always, "), "all that the slots allow");
}

#[test]
fn options_that_replay_ignores_are_refused() {
    let refusal = |set: &str| base_table(&[set.to_owned()]).err().map(|failure| failure.message);
    for blank in ["", " "] {
        for path in ["table.policy", "table.policy.kind"] {
            let expected = format!("--set {path}: set policies with --policy");
            assert_eq!(refusal(&format!("{blank}{path}{blank}='never'")), Some(expected));
        }
        assert_eq!(refusal(&format!("{blank}table.slots{blank}=2")), None);
        let not_searched = "--set draws: a replay does not search: only options of the table (table.*) have an effect";
        assert_eq!(refusal(&format!("{blank}draws{blank}=true")), Some(not_searched.to_owned()));
        let message = refusal(&format!("{blank}table{blank}='unbounded'")).unwrap();
        assert!(message.starts_with("table.kind: a replay needs a bounded table"), "{message}");
    }
}
