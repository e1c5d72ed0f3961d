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

/// At least twenty buckets, one for each class.
#[test]
fn check_sample_refuses_too_few_buckets() {
    assert_eq!([check_sample(2, 40), check_sample(51, 1024), check_sample(1000, 20_000)], [Ok(()), Ok(()), Ok(())]);
    let output = |one_in, buckets| check_sample(one_in, buckets).err().unwrap_or_default();
    assert_eq!(
        output(52, 1024),
        "--sample 52: the sample of 1024 buckets is too small for an interval: use at most 51"
    );
    assert_eq!(output(2, 39), "--sample 2: a table of 39 buckets is too small for a sample: replay all of it");
    assert!(output(2, 1).contains("a table of 1 bucket is"));
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

/// The counts of one class of buckets.
fn counts([known, hits, cuts, kept, worth, worth_kept]: [u64; 6]) -> ReplayCounters {
    let (probes, deep, stores, evictions, rejections) = (1000, hits / 2, 60, 50, 40);
    ReplayCounters { probes, known, hits, deep, cuts, kept, worth, worth_kept, stores, evictions, rejections }
}

fn page(csv: bool, worth: bool) -> ReplayPage {
    let always = vec![counts([800, 200, 400, 100, 10_000, 1000])];
    let best = vec![counts([800, 600, 400, 200, 10_000, 5000])];
    ReplayPage { always, best, sample: None, csv, worth }
}

/// Shares are relative to a table that forgets nothing, gaps to the way from `always` to the bound.
#[test]
fn line_shows_share_and_gap_of_each_column() {
    let mine = [counts([800, 300, 400, 175, 10_000, 4000])];
    let words = |line: String| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let output = page(false, true);
    assert_eq!(
        words(output.line("mine", &mine, true)),
        "300 37.5 % 25.0 % 175 43.8 % 75.0 % 4000 40.0 % 75.0 % 50 40 mine"
    );
    let bound = output.line("bound", &output.best, false);
    assert_eq!(words(bound), "600 75.0 % 100.0 % 200 50.0 % 100.0 % 5000 50.0 % 100.0 % bound");
    assert_eq!(
        words(output.line("all", &output.all(), false)),
        "800 100.0 % 150.0 % 400 100.0 % 300.0 % 10000 100.0 % 225.0 % all"
    );
    // Without windows cuts and worth are unknown.
    assert_eq!(words(page(false, false).line("mine", &mine, true)), "300 37.5 % 25.0 % - - - - - - 50 40 mine");
    // There is no gap if the bound is no better than `always`.
    let none = ReplayPage { best: output.always.clone(), ..page(false, true) };
    assert_eq!(words(none.line("mine", &mine, true)), "300 37.5 % - 175 43.8 % - 4000 40.0 % - 50 40 mine");
}

#[test]
fn csv_fields_follow_the_header() {
    let mine = [counts([800, 300, 400, 175, 10_000, 4000])];
    let output = page(true, true);
    assert_eq!(
        output.line("a \"b\"", &mine, true),
        "\"a \"\"b\"\"\",1000,800,300,0.250000,150,400,175,0.750000,10000,4000,0.750000,60,50,40"
    );
    let bound = output.line("bound", &output.best, false);
    assert_eq!(bound, "\"bound\",1000,800,600,1.000000,,400,200,1.000000,10000,5000,1.000000,,,");
    assert_eq!(page(true, false).line("x", &mine, true), "\"x\",1000,800,300,0.250000,150,,,,,,,60,50,40");
}

/// A sample of one bucket in four: 7 in the buckets that are always replayed, then twenty classes
/// with 1 and 3 in turn.
fn sampled() -> Vec<ReplayCounters> {
    (0..CLASSES as u64).map(|at| counts([if at == 0 { 7 } else { 1 + 2 * (at % 2) }; 6])).collect()
}

/// 64 buckets of four slots are 256 entries, 12.8 % of 2,000 positions. Every column ends below the
/// end of its name.
#[test]
fn head_describes_trace_table_and_sample() {
    let info = Info { events: 9000, probes: 5000, stores: 3000, positions: 2000, ..Info::default() };
    let base = TableOptions { slots: 4, ..TableOptions::default() };
    let first = "9000 events, 5000 probes, 3000 stores of 2000 positions; a table of 256 entries: 12.8 % of them";
    let open = "open loop: in a search, a table's answers would change later probes";
    let nothing = "the trace records no windows, and no probe ended its node: cuts and worth are unknown";
    let worth = "worth is not estimated: most of it is in few deep entries, which --deep includes in the sample";
    let estimated = "estimated from one bucket in 4, with 95 % intervals";
    let deep = "estimated from one bucket in 4 and all with deep entries, with 95 % intervals";
    let plain = || Some(Sample::new(4));
    let trace = crate::table::trace::Writer::new(Vec::new()).finish().unwrap().1;
    let kept = || Sample::new(4).with_deep(&trace[..], 1, 64, |key| key).ok();
    for (sample, tells, lines) in [
        (None, true, vec![first, open]),
        (None, false, vec![first, nothing, open]),
        (plain(), true, vec![first, estimated, worth, open]),
        (plain(), false, vec![first, estimated, nothing, open]),
        (kept(), true, vec![first, deep, open]),
    ] {
        let always = if sample.is_some() { sampled() } else { page(false, true).always };
        let output = ReplayPage { always, sample, ..page(false, tells) };
        let head = output.head(&info, &base, 64);
        let (words, names) = head.split_once("\n\n").unwrap();
        assert_eq!(words.lines().collect::<Vec<_>>(), lines);
        let line: Vec<char> = output.line("x", &output.always, true).chars().collect();
        let mut end = 0;
        for name in "hits,known,gap,cuts kept,of all,gap,worth kept,of all,gap,evictions,refused".split(',') {
            end += names[end..].find(name).unwrap() + name.len();
            assert!(line[end - 1] != ' ' && line[end] == ' ', "{name}\n{names}\n{}", line.iter().collect::<String>());
        }
        assert_eq!((&names[end..], &line[end..]), ("  policy", &[' ', ' ', 'x'][..]));
    }
    let shared = TableOptions { size: Size::Share(0.05), ..base };
    assert!(page(false, true).head(&info, &shared, 64).contains("a table of 256 entries (5 %): 12.8 % of them\n"));
    assert!(page(false, true).head(&Info::default(), &shared, 64).contains("256 entries (5 %): 0.0 % of them\n"));
}

/// The estimate is 7 + 4 x 20 x 2 = 167. 20/19 is the variance of a class, of which three quarters
/// count (`table/replay/sample.rs`): 2.093 x sqrt(20 x 20/19 x 3/4) x 4 = 33.27.
#[test]
fn estimates_show_half_the_interval_width() {
    let of = |csv: bool, worth: bool| {
        let output =
            ReplayPage { always: sampled(), best: sampled(), sample: Some(Sample::new(4)), ..page(csv, worth) };
        (output.line("x", &output.best, true), output.head(&Info::default(), &TableOptions::default(), 1))
    };
    let (line, _) = of(false, true);
    let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.starts_with("167 ± 33 100.0 % - 167 ± 33 100.0 % - - - - "), "{words}");
    for (worth, widths) in [(true, ",33.3,33.3,"), (false, ",33.3,,")] {
        let (line, head) = of(true, worth);
        assert!(line.ends_with(widths), "{line}");
        assert_eq!(line.split(',').count(), head.split(',').count());
        assert!(head.ends_with(",refused,hits_half_width,cuts_half_width,worth_half_width"), "{head}");
    }
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
    use crate::table::replay::StepMaker;
    use crate::table::trace::{Event, flags};
    let base = TableOptions::default();
    let named = [("always".to_owned(), Policy::default())];
    let mut replayers = Replayers::new(&base, &named, 10, 1).unwrap();
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
        replayers.push(0, &steps);
        replayers.end_pass();
        let lines = replayers.lines.iter().map(|line| (line.found[0].probes, line.found[0].hits));
        found.push((lines.collect::<Vec<_>>(), replayers.bounds[0].totals()[0]));
    }
    // A probe before the store finds nothing, one after it the entry.
    assert_eq!(found, [(vec![(2, 1); 2], 1), (vec![(4, 2); 2], 2), (vec![(6, 3); 2], 3)]);
    assert_eq!((replayers.steps, replayers.done), (3 * steps.len(), 3));
}
