//! The sentences of a page that stand by themselves, by hand.

use super::*;
use crate::record::manifest::{Build, Machine};

#[test]
fn three_of_what_was_left_out_are_named() {
    let list = |number: usize| (1..=number).map(|at| format!("left out: s.epd:{at}")).collect::<Vec<_>>();
    let told =
        |number: usize| left_out("s", &list(number)).map(|text| text.rsplit("left out: ").next().map(str::to_owned));
    let some = |text: &str| Some(Some(text.to_owned()));
    assert_eq!(told(0), None);
    assert_eq!(told(1), some("s.epd:1"));
    assert_eq!(told(3), some("s.epd:1; s.epd:2; s.epd:3"));
    assert_eq!(told(4), some("s.epd:1; s.epd:2; s.epd:3; and 1 more (manifest.json)"));
    let whole = left_out("s", &list(4)).unwrap_or_default();
    assert!(whole.starts_with("s: 4 item(s) of the suite could not be read and were left out: "), "{whole}");
}

/// Where the figures come from: each result, by its name where there are several; what its pages were; memory in GiB.
#[test]
fn origins_tell_each_result() {
    let manifest = |huge_pages: Option<bool>, sequence: bool| Manifest {
        suite: "s.epd".to_owned(),
        items: 7,
        sequence,
        repeats: 3,
        variants: ["a", "b"].map(str::to_owned).to_vec(),
        plan: "0123".to_owned(),
        jobs: 2,
        huge_pages,
        build: Build { version: "9".to_owned(), commit: "c0".to_owned(), profile: "release".to_owned() },
        machine: Machine { cpu: "CPU".to_owned(), cores: 4, memory_bytes: 5 << 29, os: "linux".to_owned() },
        ..Manifest::default()
    };
    let lines = |sources: Vec<(&str, Option<Manifest>)>| {
        let sources = sources.into_iter().map(|(label, manifest)| (label.to_owned(), manifest)).collect();
        Page { sources, memory: Some("memory".to_owned()), ..Page::default() }.origins()
    };
    let own = "ttlab 9 (c0, release) on CPU, 4 cores, 2.5 GiB, linux; 2 job(s) at a time; huge pages";
    assert_eq!(
        lines(vec![("x", Some(manifest(Some(true), false)))]),
        [
            "suite s.epd, 7 positions; 2 variants; repeats 3; plan 0123".to_owned(),
            format!("{own} got"),
            "memory".to_owned()
        ]
    );
    let named = lines(vec![("x", Some(manifest(None, true))), ("z", None)]);
    assert!(named[0].starts_with("x: suite s.epd, ") && named[2] == "z: no manifest", "{named:?}");
    let two = lines(vec![("x", Some(manifest(Some(false), true))), ("y", Some(manifest(None, false))), ("z", None)]);
    assert_eq!(two[0], "x: suite s.epd, 7 items, searched in sequence; 2 variants; repeats 3; plan 0123");
    assert_eq!(two[1], format!("x: {own} asked for, not got"));
    assert!(two[3] == format!("y: {own} not asked for or unknown") && two[4] == "z: no manifest", "{two:?}");
}

/// Times: their noise where it is known, their drift with its sign, both in percent.
#[test]
fn times_are_told_in_percent() {
    let said = |noise: f64, drift: f64| {
        let summary = Summary { repeats: 3, ..Summary::default() };
        Page { timing: Some(Timing { noise, drift }), summary, ..Page::default() }.origins().pop()
    };
    let text = |noise: &str, drift: &str| {
        Some(format!("times: median of 3 repeats; noise between repeats {noise}, drift {drift} %"))
    };
    assert_eq!(said(0.0125, 0.5), text("1.2 %", "+50.0"));
    assert_eq!(said(f64::NAN, -0.03), text("-", "-3.0"));
}

/// A result of these rows, without a manifest.
fn source(label: &str, rows: &str) -> Source {
    let frame = Frame::parse(rows.as_bytes(), label).unwrap_or_else(|error| panic!("{error}"));
    let (label, path) = (label.to_owned(), std::path::PathBuf::from(label));
    Source { label, path, manifest: None, file: None, frame, missing: None, before: Vec::new(), judged: Vec::new() }
}

/// Two seeds are told, one is not; what is missing is told with its result.
#[test]
fn seeds_and_missing_rows_are_told() {
    let of = |seeds: &[u32]| {
        let mut rows = "variant,position,depth,search.nodes,keys.seed\n".to_owned();
        for (at, seed) in seeds.iter().enumerate() {
            let name = if at == 0 { "a".to_owned() } else { format!("\"a, key seed {seed}\"") };
            rows += &format!("{name},p,1,{},{seed}\n", 10 + at);
        }
        Page::new(&[source("x", &rows)], &Choices::default()).unwrap_or_else(|error| panic!("{error:#}"))
    };
    let told =
        |page: &Page| page.findings.iter().filter(|text| text.contains("key seeds")).cloned().collect::<Vec<_>>();
    assert_eq!(told(&of(&[1])), Vec::<String>::new());
    let said = "Every variant was searched under 2 key seeds: ratios are means over them, totals are of the first.";
    assert_eq!(told(&of(&[1, 2])), [said]);
    let rows = "variant,position,depth,search.nodes\na,p,1,9\n";
    let lacking = Source { missing: Some("3 rows are missing".to_owned()), ..source("y", rows) };
    let page =
        Page::new(&[source("x", rows), lacking], &Choices::default()).unwrap_or_else(|error| panic!("{error:#}"));
    assert!(page.warnings.contains(&"y: 3 rows are missing: every figure here is of what is there".to_owned()));
    assert!(!page.warnings.iter().any(|text| text.starts_with("x: ")), "{:?}", page.warnings);
}

/// On one screen: a sentence where all verdicts are as wanted, a table where one is not, nothing where there are none.
#[test]
fn verdicts_on_one_screen() {
    use crate::analysis::questions::claims::Ruling::{Differs, Holds};
    use crate::experiment::expect::WantedVerdict;
    let kinds = |rulings: &[claims::Ruling]| {
        let verdict = |&ruling: &claims::Ruling| verdicts::tests::verdict("x", WantedVerdict::Holds, ruling);
        let page = Page { verdicts: rulings.iter().map(verdict).collect(), ..Page::default() };
        page.judged().map(|part| match part {
            Part::Table(table) => table.rows.len().to_string(),
            Part::Findings(list) => list.concat(),
            _ => "?".to_owned(),
        })
    };
    let tally = "Verdicts: 2 hold, 0 differ, 0 cannot be told; none is against what was wanted.";
    assert_eq!(kinds(&[]), None);
    assert_eq!(kinds(&[Holds, Holds]).as_deref(), Some(tally));
    assert_eq!(kinds(&[Holds, Differs]).as_deref(), Some("1"));
}
