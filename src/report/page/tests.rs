//! Pages made from small results by hand.

use super::*;
use crate::decode::from_toml;
use crate::record::manifest::{Build, Machine};
use crate::record::reference::Judgement;

#[test]
fn left_out_items_are_named_up_to_three() {
    let list = |number: usize| (1..=number).map(|at| format!("left out: s.epd:{at}")).collect::<Vec<_>>();
    let message = |number: usize| {
        describe_skipped("s", &list(number)).map(|text| text.rsplit("left out: ").next().map(str::to_owned))
    };
    let some = |text: &str| Some(Some(text.to_owned()));
    assert_eq!(message(0), None);
    assert_eq!(message(1), some("s.epd:1"));
    assert_eq!(message(3), some("s.epd:1; s.epd:2; s.epd:3"));
    assert_eq!(message(4), some("s.epd:1; s.epd:2; s.epd:3; and 1 more (manifest.json)"));
    let whole = describe_skipped("s", &list(4)).unwrap_or_default();
    assert!(
        describe_skipped("s", &list(1)).is_some_and(|text| text.starts_with("s: 1 item of the suite was left out: "))
    );
    assert!(whole.starts_with("s: 4 items of the suite were left out: "), "{whole}");
}

#[test]
fn provenance_describes_each_result() {
    let manifest = |huge_pages: Option<bool>, sequence: bool| Manifest {
        suite: "s.epd".to_owned(),
        items: 7,
        sequence,
        repeats: 3,
        variants: ["a", "b"].map(str::to_owned).to_vec(),
        plan: "0123".to_owned(),
        jobs: 2,
        huge_pages,
        build: Build {
            version: "9".to_owned(),
            commit: "c0".to_owned(),
            profile: "release".to_owned(),
            ..Build::default()
        },
        machine: Machine { cpu: "CPU".to_owned(), cores: 4, memory_bytes: 5 << 29, os: "linux".to_owned() },
        ..Manifest::default()
    };
    let lines = |sources: Vec<(&str, Option<Manifest>)>| {
        let sources = sources.into_iter().map(|(label, manifest)| (label.to_owned(), manifest)).collect();
        Page { sources, memory: Some("memory".to_owned()), ..Page::default() }.provenance()
    };
    let own = "ttlab 9 (c0, release) on CPU, 4 cores, 2.5 GiB, linux; 2 jobs at a time; huge pages";
    assert_eq!(
        lines(vec![("x", Some(manifest(Some(true), false)))]),
        [
            "suite s.epd, 7 positions; 2 variants; repeats 3; plan 0123".to_owned(),
            format!("{own} in use"),
            "memory".to_owned()
        ]
    );
    let named = lines(vec![("x", Some(manifest(None, true))), ("z", None)]);
    assert!(named[0].starts_with("x: suite s.epd, "), "{named:?}");
    assert!(named[2] == "z: no manifest", "{named:?}");
    let two = lines(vec![("x", Some(manifest(Some(false), true))), ("y", Some(manifest(None, false))), ("z", None)]);
    assert_eq!(two[0], "x: suite s.epd, 7 items, searched in sequence; 2 variants; repeats 3; plan 0123");
    assert_eq!(two[1], format!("x: {own} requested but not available"));
    assert!(two[3] == format!("y: {own} not requested or unknown"), "{two:?}");
    assert!(two[4] == "z: no manifest", "{two:?}");
}

#[test]
fn timing_is_given_in_percent() {
    let output = |noise: f64, drift: f64| {
        let summary = Summary { repeats: 3, ..Summary::default() };
        Page { timing: Some(Timing { noise, drift }), summary, ..Page::default() }.provenance().pop()
    };
    let text = |noise: &str, drift: &str| {
        Some(format!("times: median of 3 repeats; noise between repeats {noise}, drift {drift} %"))
    };
    assert_eq!(output(0.0125, 0.5), text("1.2 %", "+50.0"));
    assert_eq!(output(f64::NAN, -0.03), text("-", "-3.0"));
}

/// A result with these rows and no manifest.
fn source(label: &str, rows: &str) -> Source {
    let frame = Frame::parse(rows.as_bytes(), label).unwrap_or_else(|error| panic!("{error}"));
    let (label, path) = (label.to_owned(), std::path::PathBuf::from(label));
    Source { label, path, manifest: None, file: None, frame, missing: None, text: None, judgements: Vec::new() }
}

/// Further key seeds count as their variant; of more than twenty the first are named. With chosen
/// rows or other groups, nothing is listed.
#[test]
fn variants_without_rows_are_listed_as_not_run() {
    let not_run = |planned: &[String], choices: &Choices| {
        let manifest = Manifest { variants: planned.to_vec(), ..Manifest::default() };
        let rows = "variant,position,depth,search.nodes\na,p,1,9\nb,p,1,9\n";
        let page = page(&[Source { manifest: Some(manifest), ..source("x", rows) }], choices);
        let lists = page.sheet.parts.iter().filter_map(|part| match part {
            Part::List(title, names) if title == not_run::NOT_RUN => Some(names.clone()),
            _ => None,
        });
        lists.collect::<Vec<_>>().concat()
    };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let default_choices = Choices::default();
    assert_eq!(not_run(&names(&["a", "b", "b, key seed 2"]), &default_choices), names(&[]));
    let planned = names(&["c", "a", "b", "d", "c, key seed 2"]);
    assert_eq!(not_run(&planned, &default_choices), names(&["c", "d"]));
    assert_eq!(not_run(&planned, &choices(None, &["variant=a"], false)), names(&[]));
    let many: Vec<String> = (0..21).map(|at| format!("v{at:02}")).collect();
    assert_eq!(not_run(&many[..20], &default_choices), many[..20]);
    let truncated = [&many[..20], &names(&["and 1 more (manifest.json names all variants)"])].concat();
    assert_eq!(not_run(&many, &default_choices), truncated);
}

#[test]
fn key_seeds_and_missing_rows_are_mentioned() {
    let page_of = |seeds: &[u32]| {
        let mut rows = "variant,position,depth,search.nodes,keys.seed\n".to_owned();
        for (at, seed) in seeds.iter().enumerate() {
            let name = if at == 0 { "a".to_owned() } else { format!("\"a, key seed {seed}\"") };
            rows += &format!("{name},p,1,{},{seed}\n", 10 + at);
        }
        page(&[source("x", &rows)], &Choices::default())
    };
    let message =
        |page: &Page| page.findings.iter().filter(|text| text.contains("key seeds")).cloned().collect::<Vec<_>>();
    assert_eq!(message(&page_of(&[1])), Vec::<String>::new());
    let output = "Every variant was searched under 2 key seeds. Ratios with an interval are means over them; counts, shares and single searches \
                are those under the first.";
    assert_eq!(message(&page_of(&[1, 2])), [output]);
    let rows = "variant,position,depth,search.nodes\na,p,1,9\n";
    let lacking = Source { missing: Some("3 rows are missing".to_owned()), ..source("y", rows) };
    let page = page(&[source("x", rows), lacking], &Choices::default());
    assert!(page.warnings.contains(&"y: 3 rows are missing: every figure here covers only what is present".to_owned()));
    assert!(!page.warnings.iter().any(|text| text.starts_with("x: ")), "{:?}", page.warnings);
}

/// The keys of all tables and figures and the titles of all lists. Asserts that rows match their
/// columns and that keys are unique.
fn keys(parts: &[Part]) -> Vec<String> {
    let are_distinct = |keys: Vec<&String>| keys.len() == keys.iter().collect::<std::collections::BTreeSet<_>>().len();
    let key = |part: &Part| match part {
        Part::Table(table) => {
            assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", table.key);
            assert!(are_distinct(table.columns.iter().map(|column| &column.key).collect()), "{}", table.key);
            vec![table.key.clone()]
        }
        Part::Figure(figure) => vec![figure.file.clone()],
        Part::Explorer(_) => vec!["searches".to_owned()],
        Part::List(title, _) => vec![title.clone()],
        Part::Folded(_, parts) => keys(parts),
        _ => Vec::new(),
    };
    let keys: Vec<String> = parts.iter().flat_map(key).collect();
    assert!(are_distinct(keys.iter().collect()), "{keys:?}");
    keys
}

/// Four variants of a grid on three positions, with an expectation.
#[test]
fn page_has_every_part_that_rows_allow() {
    let mut rows = "variant,position,depth,finished,solved,table.size,table.slots,search.nodes,search.usable,search.move_only,table.probes,\
                    table.hits,table.misses_empty,table.misses_other,table.stores,table.evictions,table.rejections\n"
        .to_owned();
    for (at, (size, slots)) in [("64 KiB", 1), ("64 KiB", 4), ("1 MiB", 1), ("1 MiB", 4)].into_iter().enumerate() {
        for (position, depth) in (0..3).flat_map(|position| [1, 2].map(|depth| (position, depth))) {
            let nodes = 100 * depth + 7 * position + 13 * at * at;
            rows += &format!(
                "\"size={size}, slots={slots}\",p{position},{depth},true,true,{size},{slots},{nodes},4,2,20,9,6,5,12,3,1\n"
            );
        }
    }
    let manifest = Manifest {
        options: [("v".to_owned(), serde_json::json!({ "table": { "policy": "always" } }))].into_iter().collect(),
        ..Manifest::default()
    };
    let result = Source {
        manifest: Some(manifest),
        file: file("[[expect]]\nwhere = { position = \"p0\", depth = 2, slots = 1, size = \"64 KiB\" }\nnodes = 200\n"),
        ..source("x", &rows)
    };
    let shown = page(&[result], &choices(None, &[], true));
    assert_eq!(
        keys(&shown.sheet.parts).join(" "),
        "size-ratio summary ratio nodes-by-depth ratio-by-depth effects size-usable map interactions traffic rates anatomy details positions \
         finished solved searches pairs verdicts How it was made common_options"
    );
    assert_eq!((keys(&shown.terminal_sheet().parts).join(" "), shown.count_failed()), ("summary pairs".to_owned(), 0));
}

/// A column to group by may have the name of a total: programs need both keys.
#[test]
fn group_column_and_total_have_different_keys() {
    let rows = "variant,position,depth,limit,search.nodes,solved\na,p,1,nodes 20,9,true\na,q,1,nodes 20,8,true\n\
                a,p,2,nodes 40,17,false\na,q,2,nodes 40,16,false\n";
    for (by, table, key, totals) in [
        ("limit.nodes", "summary", "nodes", [("20 *", 17.into()), ("40", 33.into())]),
        ("solved", "details", "solved", [("true *", 2.into()), ("false", 0.into())]),
    ] {
        let page = page(&[source("x", rows)], &choices(Some(by), &[], false));
        keys(&page.sheet.parts);
        let data: serde_json::Value = serde_json::from_str(&crate::report::data::json(&page.sheet)).unwrap_or_default();
        let parts = data["parts"].as_array().cloned().unwrap_or_default();
        let rows = parts.iter().find(|part| part["key"] == table).map(|part| part["rows"].clone()).unwrap_or_default();
        for (at, (group, total)) in totals.into_iter().enumerate() {
            let total: serde_json::Value = total;
            let row = &rows[at];
            assert_eq!(row[&format!("by_{key}")], group, "{row}");
            assert_eq!(row[key].as_f64(), total.as_f64(), "{row}");
        }
    }
}

#[test]
fn joined_page_is_named_after_the_first_result() {
    let result = |name: &str, variants: [&str; 2]| {
        let rows = variants.map(|variant| format!("{variant},p,1,9\n")).concat();
        let manifest =
            Manifest { name: name.to_owned(), baseline: variants[1].to_owned(), ended: Some(1), ..Manifest::default() };
        let words = format!("analysis = 'words of {name}'\n");
        let source = source(name, &format!("variant,position,depth,search.nodes\n{rows}"));
        Source { manifest: Some(manifest), file: file(&words), ..source }
    };
    let page = page(&[result("one", ["a", "b"]), result("two", ["c", "d"])], &Choices::default());
    let baseline = page.summary.baseline().map(|line| line.name.as_str());
    assert_eq!((page.sheet.name.as_str(), page.analysis.as_str(), baseline), ("one", "words of one", Some("b")));
}

/// The error names the values that exist; an empty result is not the fault of a choice.
#[test]
fn condition_without_rows_is_refused_with_the_values() {
    let header = "variant,position,depth,search.nodes\n";
    let refused = |rows: &str, filters: &[&str]| {
        let refused = Page::new(&[source("x", &format!("{header}{rows}"))], &choices(None, filters, false));
        refused.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let rows = "a,p,1,9\nb,q,1,8\n";
    let none = "--where: no row meets the condition(s)";
    for (filters, why) in [
        (&["variant=a", "position=q"][..], ""),
        (&["variant!=a", "variant!=b"], ""),
        (&["variant=z"], ": `variant` has no `z`; there are `a`, `b`"),
        (&["variant=a", "position=r"], ": `position` has no `r`; there are `p`, `q`"),
        (
            &["variant=z", "position=r"],
            ": `variant` has no `z`; there are `a`, `b`; `position` has no `r`; there are `p`, `q`",
        ),
    ] {
        assert_eq!(refused(rows, filters), format!("{none}{why}"), "{filters:?}");
    }
    assert_eq!(refused("", &[]), "x: there are no rows yet");
    let by = Page::new(&[source("x", &format!("{header}{rows}"))], &choices(Some(" , "), &[], false));
    assert_eq!(by.err().map(|error| error.to_string()).as_deref(), Some("--by: names no column"));
}

#[test]
fn terminal_verdicts_are_a_sentence_or_a_table() {
    use crate::analysis::questions::claims::Ruling::{Differs, Holds};
    use crate::experiment::expect::ExpectedVerdict;
    let kinds = |rulings: &[claims::Ruling]| {
        let verdict = |&ruling: &claims::Ruling| verdicts::tests::verdict("x", ExpectedVerdict::Holds, ruling);
        let page = Page { verdicts: rulings.iter().map(verdict).collect(), ..Page::default() };
        page.verdict_part().map(|part| match part {
            Part::Table(table) => table.rows.len().to_string(),
            Part::Findings(list) => list.concat(),
            _ => "?".to_owned(),
        })
    };
    let tally = "Verdicts: 2 hold, 0 differ, 0 undecided; no expected outcome missed.";
    assert_eq!(kinds(&[]), None);
    assert_eq!(kinds(&[Holds, Holds]).as_deref(), Some(tally));
    assert_eq!(kinds(&[Holds, Differs]).as_deref(), Some("1"));
}

fn page(sources: &[Source], choices: &Choices) -> Page {
    Page::new(sources, choices).unwrap_or_else(|error| panic!("{error:#}"))
}

/// Choices as given on the command line.
fn choices(by: Option<&str>, filters: &[&str], pairs: bool) -> Choices {
    let filters = filters.iter().map(|&text| text.to_owned()).collect();
    Choices { by: by.map(str::to_owned), filters, pairs, ..Choices::default() }
}

/// An experiment's file with this text appended.
fn file(text: &str) -> Option<crate::experiment::File> {
    let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\n{text}");
    Some(from_toml(&text).unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn expectations_are_checked_only_on_all_rows_of_one_result() {
    let rows = "variant,position,depth,search.nodes\na,p,1,9\na,q,1,8\n";
    let with = || Source { file: file("[[expect]]\nwhere = { position = \"q\" }\nnodes = 8\n"), ..source("x", rows) };
    let verdicts = |sources: &[Source], choices: &Choices| {
        page(sources, choices).verdicts.iter().map(|verdict| verdict.passes()).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&[with()], &Choices::default()), [true]);
    assert_eq!(verdicts(&[with()], &Choices { metrics: vec!["nodes".to_owned()], ..Choices::default() }), [true]);
    let none: [bool; 0] = [];
    assert_eq!(verdicts(&[with()], &choices(None, &["position=p"], false)), none);
    assert_eq!(verdicts(&[with()], &choices(Some("position"), &[], false)), none);
    assert_eq!(verdicts(&[with(), source("y", rows)], &Choices::default()), none);
}

/// A difference of 3 % matters if 1 % does, and not if the smallest effect is 10 %.
#[test]
fn claims_are_judged_by_the_smallest_effect() {
    use crate::analysis::questions::claims::Ruling;
    let mut rows = "variant,position,depth,search.nodes\n".to_owned();
    for position in 0..12 {
        rows += &format!("a,p{position},1,{}\nb,p{position},1,1000\n", 1090 + position % 3);
    }
    let ruling = |effect: &str| {
        let text = format!("smallest_effect = {effect}\n[[expect]]\nclaim = \"nodes(a) > nodes(b)\"\n");
        page(&[Source { file: file(&text), ..source("x", &rows) }], &Choices::default()).verdicts[0].ruling
    };
    assert_eq!(ruling("0.01"), Ruling::Holds);
    assert_ne!(ruling("0.1"), Ruling::Holds);
}

#[test]
fn warnings_belong_to_their_result() {
    use crate::record::manifest::ShardRun;
    let rows = "variant,position,depth,search.nodes\na,p,1,9\na,q,1,8\nb,p,1,5\nb,q,1,4\n";
    let result = |manifest: Manifest| Source { manifest: Some(manifest), ..source("x", rows) };
    let aging = || Manifest { varying: vec!["table.clock".to_owned()], jobs: 2, ..Manifest::default() };
    let message =
        |page: &Page, words: &str| page.blockers.iter().chain(&page.warnings).any(|text| text.contains(words));
    let own = page(&[result(aging())], &Choices::default());
    let keeping = |items| Manifest { never_cleared: vec!["b".to_owned()], items, ..Manifest::default() };
    assert!(message(
        &page(&[result(keeping(2))], &Choices::default()),
        "nothing is cleared between positions for \"b\":"
    ));
    assert!(!message(&page(&[result(keeping(1))], &Choices::default()), "nothing is cleared"));
    let variant = |policy: &str, size: u32| {
        format!("[[variant]]\nname = \"{policy}\"\n\"table.policy\" = \"{policy}\"\n\"table.size\" = {size}\n")
    };
    let text = format!("suite = \"s.epd\"\nlimit = {{ depth = 2 }}\n{}{}", variant("always", 64), variant("big1", 128));
    let unlike = Source { text: Some(text), ..result(aging()) };
    assert!(message(&page(std::slice::from_ref(&unlike), &Choices::default()), "differ in table.policy and also in"));
    assert!(!message(&page(&[unlike, source("y", rows)], &Choices::default()), "differ in table.policy and also in"));
    assert!(!own.undetectable.is_empty(), "{:?}", own.warnings);
    assert!(
        own.undetectable.iter().all(|text| own.blockers.contains(text) || own.warnings.contains(text)),
        "{:?}",
        own.warnings
    );
    // Times warn where they were asked for.
    let timed = page(&[Source { file: file("times = true\n"), ..result(aging()) }], &Choices::default());
    let timings = "timings are of 2 jobs at a time";
    assert!(message(&timed, timings), "{:?}", timed.warnings);
    assert!(!message(&own, timings), "{:?}", timed.warnings);
    assert!(message(&own, "the run is not finished"), "{:?}", own.warnings);
    let ended = Manifest { ended: Some(1), ..aging() };
    assert!(!message(&page(&[result(ended)], &Choices::default()), "the run is not finished"));
    let finished =
        |label: &str| Source { label: label.to_owned(), ..result(Manifest { ended: Some(1), ..Manifest::default() }) };
    let warns = |sources: Vec<Source>| message(&page(&sources, &Choices::default()), "the run is not finished");
    assert!(warns(vec![finished("o"), result(aging())]), "one of two is not");
    assert!(warns(vec![result(aging()), finished("o")]), "one of two is not");
    assert!(!warns(vec![finished("n"), source("y", rows), finished("o")]));
    for (sources, choices) in [
        (vec![result(aging())], choices(Some("position"), &[], false)),
        (vec![result(aging()), source("y", rows)], Choices::default()),
        (vec![source("y", rows)], Choices::default()),
    ] {
        let page = page(&sources, &choices);
        assert!(page.undetectable.is_empty(), "{:?}", page.warnings);
        assert!(!message(&page, "timings are of"), "{:?}", page.warnings);
    }
    let run =
        |cpu: &str| ShardRun { machine: Machine { cpu: cpu.to_owned(), ..Machine::default() }, ..Default::default() };
    let merged =
        |cpus: &[&str]| result(Manifest { shards: cpus.iter().map(|cpu| run(cpu)).collect(), ..Manifest::default() });
    let doubts = |sources: &[Source]| {
        let doubts = |source: &Source| {
            source
                .manifest
                .as_ref()
                .and_then(crate::analysis::caveats::warnings::shard_warning)
                .map(|doubt| doubt.to_string())
        };
        let expected: Vec<String> = sources.iter().filter_map(doubts).collect();
        let page = page(sources, &Choices::default());
        (expected.len(), expected.iter().filter(|text| page.notes.contains(text)).count())
    };
    let other = Source { label: "y".to_owned(), ..merged(&["1", "2"]) };
    assert_eq!(doubts(&[merged(&["1", "1"]), other]), (1, 1));
    assert_eq!(doubts(&[merged(&["1", "2"])]), (1, 1));
    assert_eq!(doubts(&[merged(&["1", "1"])]), (0, 0));
    // With two positions, nothing can be shown in three comparisons.
    let three = source("z", &format!("{rows}c,p,1,3\nc,q,1,2\n"));
    let pairs = page(std::slice::from_ref(&three), &choices(None, &[], true));
    assert!(message(&pairs, "2 positions are too few for 3 comparisons"), "{:?}", pairs.warnings);
    assert!(!message(&page(&[three], &Choices::default()), "are too few"));
}

/// Repeats are not duplicates.
#[test]
fn duplicate_rows_are_refused() {
    let doubled = source("x", "variant,position,depth,search.nodes\na,p,1,9\na,q,1,8\na,q,1,7\n");
    let error = Page::new(std::slice::from_ref(&doubled), &Choices::default()).err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("x: variant \"a\", q, depth 1 has two rows: it would be counted twice"));
    let repeated = source("x", "variant,position,depth,repeat,search.nodes\na,p,1,0,9\na,p,1,1,9\na,p,2,0,20\n");
    page(&[repeated], &Choices::default());
}

#[test]
fn warnings_are_on_the_page_and_on_the_terminal() {
    let shown = |sheet: &Sheet| {
        let warning = |part: &Part| match part {
            Part::Warning(text) => Some(text.clone()),
            _ => None,
        };
        sheet.parts.iter().filter_map(warning).collect::<Vec<_>>()
    };
    let games = "variant,position,depth,search.nodes,match.opponent,match.colour,match.points,match.end,match.plies,match.depths,match.blind,\
                 match.opponent_nodes,match.moves,error\n\
                 A,o1,0,100,base,white,1,mate,20,50,0,200,e2e4,\nA,o1,0,100,base,black,1,mate,20,50,0,200,d2d4,\n";
    for rows in ["variant,position,depth,search.nodes\na,p,1,9\na,q,1,8\n", games] {
        let manifest = Manifest { left_out: vec!["left out: s.epd:7".to_owned()], ..Manifest::default() };
        let result =
            Source { manifest: Some(manifest), missing: Some("5 rows are missing".to_owned()), ..source("x", rows) };
        let page = page(&[result], &Choices::default());
        for (words, list) in [("s.epd:7", &page.notes), ("5 rows are missing", &page.warnings)] {
            assert_eq!(list.iter().filter(|text| text.contains(words)).count(), 1, "{words}: {list:?}");
        }
        assert_eq!((shown(&page.sheet), shown(&page.terminal_sheet())), (page.warnings.clone(), page.warnings.clone()));
        assert_eq!(page.games.is_some(), rows == games);
        if rows == games {
            assert_eq!(keys(&page.sheet.parts), ["encounters", "elo", "pairs", "ends", "How it was made"]);
            assert_eq!(keys(&page.terminal_sheet().parts), ["encounters"]);
        }
    }
}

#[test]
fn lines_are_in_the_order_of_the_file() {
    let rows = "variant,position,depth,search.nodes,keys.seed\na,p,1,9,1\n\"a, key seed 2\",p,1,8,2\nb,p,1,7,1\n\"b, key seed 2\",p,1,6,2\n";
    let names = |by: Option<&str>| {
        let variants = ["b", "a"].map(str::to_owned).to_vec();
        let manifest = Manifest { variants, ..Manifest::default() };
        let page = page(&[Source { manifest: Some(manifest), ..source("x", rows) }], &choices(by, &[], false));
        page.summary.lines.iter().map(|line| (line.values[0].clone(), line.sum(columns::NODES))).collect::<Vec<_>>()
    };
    let lines = |list: [(&str, f64); 2]| list.map(|(name, nodes)| (name.to_owned(), nodes)).to_vec();
    assert_eq!(names(None), lines([("b", 7.0), ("a", 9.0)]));
    assert_eq!(names(Some("keys.seed")), lines([("1", 16.0), ("2", 14.0)]));
}

#[test]
fn conditions_apply_to_variants_with_their_seeds() {
    let rows = "variant,position,depth,search.nodes,keys.seed\na,p,1,9,1\n\"a, key seed 2\",p,1,8,2\nb,p,1,7,1\n\"b, key seed 2\",p,1,6,2\n";
    let message = |filter: &str| {
        let page = page(&[source("x", rows)], &choices(None, &[filter], false));
        let seeds = page.findings.iter().any(|text| text.contains("under 2 key seeds"));
        (page.summary.lines.iter().map(|line| line.name.clone()).collect::<Vec<_>>().join("; "), seeds)
    };
    assert_eq!(message("variant=a"), ("a".to_owned(), true));
    assert_eq!(message("variant!=a"), ("b".to_owned(), true));
    assert_eq!(message("keys.seed=2"), ("a, key seed 2; b, key seed 2".to_owned(), false));
}

#[test]
fn joined_times_need_repeats_and_one_job() {
    let rows = "variant,position,repeat,depth,search.nodes,seconds\na,p,0,1,9,1.0\na,p,1,1,9,1.0\nb,p,0,1,7,2.0\nb,p,1,1,7,2.0\n";
    let timed = |all: &[(u32, usize)]| {
        let result = |(at, &(repeats, jobs)): (usize, &(u32, usize))| {
            let manifest = Manifest { repeats: repeats as _, jobs: jobs as _, ..Manifest::default() };
            Source { manifest: Some(manifest), ..source(["x", "y"][at], rows) }
        };
        let sources: Vec<Source> = all.iter().enumerate().map(result).collect();
        page(&sources, &choices(Some("source"), &[], false)).summary.metrics.len() == 2
    };
    assert_eq!([timed(&[(2, 1), (2, 1)]), timed(&[(2, 1), (1, 1)]), timed(&[(2, 2), (2, 1)])], [true, false, false]);
}

#[test]
fn baseline_without_rows_falls_back_to_the_first() {
    let rows =
        |names: [&str; 2]| format!("variant,position,depth,search.nodes\n{},p,1,9\n{},p,1,8\n", names[0], names[1]);
    let baseline = |page: &Page| page.summary.baseline().map(|line| line.name.clone());
    let two = [source("x", &rows(["a", "b"])), source("y", &rows(["c", "d"]))];
    assert_eq!(baseline(&page(&two, &Choices::default())).as_deref(), Some("a"));
    let manifest = Manifest { baseline: "a".to_owned(), ..Manifest::default() };
    let result = Source { manifest: Some(manifest), ..source("x", &rows(["b", "a"])) };
    assert_eq!(baseline(&page(std::slice::from_ref(&result), &Choices::default())).as_deref(), Some("a"));
    assert_eq!(baseline(&page(&[result], &choices(None, &["variant!=a"], false))).as_deref(), Some("b"));
}

/// With a single variant nothing is compared, so there is no warning.
#[test]
fn kept_tables_are_warned_of_if_variants_are_compared() {
    let message = |variants: &[&str]| {
        let rows: String = variants.iter().map(|name| format!("{name},p,1,9\n{name},q,1,9\n")).collect();
        let kept = variants.iter().map(|&name| name.to_owned()).collect();
        let manifest = Manifest { never_cleared: kept, items: 2, ended: Some(9), ..Manifest::default() };
        let rows = format!("variant,position,depth,search.nodes\n{rows}");
        let page = page(&[Source { manifest: Some(manifest), ..source("x", &rows) }], &Choices::default());
        let caveat = crate::analysis::caveats::sensitivity::uncleared_tables(variants, 2);
        assert!(caveat.is_some());
        caveat.is_some_and(|caveat| page.warnings.contains(&caveat))
    };
    assert_eq!([message(&["a"]), message(&["a", "b"])], [false, true]);
    // The same holds for variants that play their own moves.
    let parted = |rows: &str| {
        let file = file("sequence = { self_play = 4 }\n");
        let rows = format!("variant,position,depth,search.nodes\n{rows}");
        let own = Source { manifest: Some(Manifest::default()), file, ..source("x", &rows) };
        let warnings = page(&[own], &Choices::default()).warnings;
        warnings.iter().filter(|text| text.starts_with("sequence.self_play: each variant plays its own moves")).count()
    };
    assert_eq!([parted("a,p,1,9\n"), parted("a,p,1,9\nb,p,1,9\n")], [0, 1]);
}

#[test]
fn unjudged_moves_are_warned_of() {
    let rows = "variant,position,repeat,depth,search.nodes,best\na,p,0,1,9,e2e4\na,q,0,1,9,d2d4\n";
    let mut source = Source { manifest: Some(Manifest::default()), ..source("x", rows) };
    let message = |source: &Source| {
        let notes = page(std::slice::from_ref(source), &Choices::default()).notes;
        notes.into_iter().filter(|text| text.contains("judged")).collect::<Vec<_>>()
    };
    assert_eq!(message(&source), Vec::<String>::new(), "no reference was given");
    let text = "suite = 'p.epd'\nlimit = { nodes = 9 }\n[reference]\nuci = 'builtin'\nlimit = { depth = 2 }\n";
    source.file = Some(from_toml(text).unwrap_or_else(|error| panic!("{error}")));
    assert_eq!(
        message(&source),
        [
            "2 of 2 searches are not judged by the reference: there is no reference.csv, and so no table of the moves' quality; \
          the same run again judges them"
        ]
    );
    let judged = |position: &str, mv: &str, best: &str| Judgement {
        reference: "r-1".to_owned(),
        position: position.to_owned(),
        mv: mv.to_owned(),
        best: best.to_owned(),
        score: 5,
        nodes: None,
    };
    source.judgements = vec![judged("p", "", "e2e4"), judged("p", "e2e4", "")];
    let some =
        "1 of 2 searches are not judged by the reference: losses cover the others; the same run again judges them";
    assert_eq!(message(&source), [some]);
    source.judgements.extend([judged("q", "", "e2e4"), judged("q", "d2d4", "")]);
    assert_eq!(message(&source), Vec::<String>::new());
    // No run judges moves of self-play.
    let own = from_toml(&format!("sequence = {{ self_play = 4 }}\n{text}"));
    let own = Source { file: Some(own.unwrap_or_else(|error| panic!("{error}"))), judgements: Vec::new(), ..source };
    assert_eq!(
        message(&own),
        ["moves along an engine's own play are not judged: this file's [reference] has no effect"]
    );
}

/// Four slots take half of the nodes at 64 KiB and the same at 16 MiB.
#[test]
fn condition_on_options_gives_every_group_its_baseline() {
    let mut rows = "variant,position,depth,search.nodes,table.size,table.slots\n".to_owned();
    for (size, gain) in [("64 KiB", 2), ("16 MiB", 1)] {
        for slots in [1, 4] {
            for position in 0..8 {
                let nodes = 1000 * (position + 1) / if slots == 4 { gain } else { 1 };
                rows += &format!("{size} {slots},p{position},3,{nodes},{size},{slots}\n");
            }
        }
    }
    let result = Source { file: file("baseline = { \"table.slots\" = 1 }\n"), ..source("x", &rows) };
    let shown = |choices: &Choices| {
        let page = page(std::slice::from_ref(&result), choices);
        let bases: Vec<String> =
            page.summary.lines.iter().filter(|line| line.is_baseline).map(|line| line.name.clone()).collect();
        (bases.join("; "), page.findings[..2.min(page.findings.len())].join(" "))
    };
    let (bases, findings) = shown(&Choices::default());
    assert_eq!(bases, "64 KiB 1; 16 MiB 1");
    assert!(
        findings.starts_with("At 64 KiB: 50.0 % fewer nodes [50.0, 50.0]. At 16 MiB: the same nodes"),
        "{findings}"
    );
    assert_eq!(shown(&choices(None, &["table.size=16 MiB"], false)).0, "16 MiB 1");
    let (bases, findings) = shown(&choices(None, &["table.slots=4"], false));
    assert_eq!(bases, "64 KiB 4");
    assert!(findings.starts_with("The file's baseline is not among these rows: the baseline is now \"64 KiB 4\"."));
    assert_eq!(
        shown(&choices(Some("table.size,table.slots"), &[], false)).0,
        "size=64 KiB, slots=1; size=16 MiB, slots=1"
    );
}
