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

/// Counts of a table.
fn counts([known, hits, cuts, kept, worth, worth_kept]: [u64; 6]) -> ReplayCounters {
    let (probes, deep, stores, evictions, rejections) = (1000, hits / 2, 60, 50, 40);
    ReplayCounters { probes, known, hits, deep, cuts, kept, worth, worth_kept, stores, evictions, rejections }
}

fn page(csv: bool, worth: bool) -> ReplayPage {
    let always = counts([800, 200, 400, 100, 10_000, 1000]);
    let best = counts([800, 600, 400, 200, 10_000, 5000]);
    ReplayPage { always, best, csv, worth }
}

/// Shares are relative to a table that forgets nothing, gaps to the way from `always` to the bound.
#[test]
fn line_shows_share_and_gap_of_each_column() {
    let mine = counts([800, 300, 400, 175, 10_000, 4000]);
    let words = |line: String| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let output = page(false, true);
    assert_eq!(
        words(output.line("mine", &mine, true)),
        "300 37.5 % 25.0 % 175 43.8 % 75.0 % 4000 40.0 % 75.0 % 50 40 mine"
    );
    let bound = output.line("bound", &output.best, false);
    assert_eq!(words(bound), "600 75.0 % 100.0 % 200 50.0 % 100.0 % 5000 50.0 % 100.0 % bound");
    assert_eq!(
        words(output.line("all", &output.never_forgetting(), false)),
        "800 100.0 % 150.0 % 400 100.0 % 300.0 % 10000 100.0 % 225.0 % all"
    );
    // Without windows cuts and worth are unknown.
    assert_eq!(words(page(false, false).line("mine", &mine, true)), "300 37.5 % 25.0 % - - - - - - 50 40 mine");
    // There is no gap if the bound is no better than `always`.
    let none = ReplayPage { best: output.always, ..page(false, true) };
    assert_eq!(words(none.line("mine", &mine, true)), "300 37.5 % - 175 43.8 % - 4000 40.0 % - 50 40 mine");
}

#[test]
fn csv_fields_follow_the_header() {
    let mine = counts([800, 300, 400, 175, 10_000, 4000]);
    let output = page(true, true);
    assert_eq!(
        output.line("a \"b\"", &mine, true),
        "\"a \"\"b\"\"\",1000,800,300,0.250000,150,400,175,0.750000,10000,4000,0.750000,60,50,40"
    );
    let bound = output.line("bound", &output.best, false);
    assert_eq!(bound, "\"bound\",1000,800,600,1.000000,,400,200,1.000000,10000,5000,1.000000,,,");
    assert_eq!(page(true, false).line("x", &mine, true), "\"x\",1000,800,300,0.250000,150,,,,,,,60,50,40");
}

/// 64 buckets of four slots are 256 entries, 12.8 % of 2,000 positions. Every column ends below the
/// end of its name.
#[test]
fn head_describes_trace_and_table() {
    let info = Info { events: 9000, probes: 5000, stores: 3000, positions: 2000, ..Info::default() };
    let base = TableOptions { slots: 4, ..TableOptions::default() };
    let first =
        "9000 events, 5000 probes, 3000 stores of 2000 positions; a table of 256 entries: 12.8 % of the positions";
    let open = "open loop: in a search, a table's answers would change later probes";
    let nothing = "the trace records no windows, and no probe ended its node: cuts and worth are unknown";
    for (tells, lines) in [(true, vec![first, open]), (false, vec![first, nothing, open])] {
        let output = page(false, tells);
        let head = output.head(&info, &base, 64);
        let (words, names) = head.split_once("\n\n").unwrap();
        assert_eq!(words.lines().collect::<Vec<_>>(), lines);
        let line: Vec<char> = output.line("x", &output.always, true).chars().collect();
        let mut end = 0;
        for name in "hits,known,gap,cuts kept,of all,gap,worth kept,of all,gap,evictions,refused".split(',') {
            end += names[end..].find(name).unwrap() + name.len();
            assert!(line[end - 1] != ' ', "{name}\n{names}\n{}", line.iter().collect::<String>());
            assert!(line[end] == ' ', "{name}\n{names}\n{}", line.iter().collect::<String>());
        }
        assert_eq!((&names[end..], &line[end..]), ("  policy", &[' ', ' ', 'x'][..]));
    }
    let shared = TableOptions { size: Size::Share(0.05), ..base };
    assert!(
        page(false, true).head(&info, &shared, 64).contains("a table of 256 entries (5 %): 12.8 % of the positions\n")
    );
    assert!(
        page(false, true).head(&Info::default(), &shared, 64).contains("256 entries (5 %): 0.0 % of the positions\n")
    );
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

#[test]
fn each_pass_begins_with_empty_tables() {
    use crate::traces::replay::StepMaker;
    use crate::traces::{Event, flags};
    let base = TableOptions::default();
    let named = [("always".to_owned(), Policy::default())];
    let mut replayers = Replayers::new(&base, &named, 10).unwrap();
    let mut maker = StepMaker::new(2);
    let events = [
        Event::probe(5, 2, 0, flags::WINDOW, 1),
        Event::store(5, 2, 0, 0b1100, 3),
        Event::probe(5, 2, 0, flags::WINDOW, 4),
    ];
    let steps: Vec<Step> = events.iter().map(|event| maker.make_step(event).unwrap()).collect();
    let mut found = Vec::new();
    for _ in 0..3 {
        replayers.begin_pass(0..buckets(&base, Some(10)).unwrap()).unwrap();
        replayers.push(&steps);
        replayers.end_pass();
        let lines = replayers.tables.iter().map(|(_, table)| (table.result().probes, table.result().hits));
        found.push((lines.collect::<Vec<_>>(), replayers.bounds[0].total()));
    }
    // A probe before the store finds nothing, one after it the entry.
    assert_eq!(found, [(vec![(2, 1); 2], 1), (vec![(4, 2); 2], 2), (vec![(6, 3); 2], 3)]);
    assert_eq!((replayers.steps, replayers.done), (3 * steps.len(), 3));
}
