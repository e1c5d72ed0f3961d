//! Tests pages that are made from small results, which are written by hand.

use super::*;
use crate::decode::from_toml;
use crate::record::manifest::{Build, Machine};
use crate::record::reference::Judgement;

#[test]
fn left_out_items_are_named_up_to_three() {
    let make_list = |number: usize| (1..=number).map(|number| format!("left out: s.epd:{number}")).collect::<Vec<_>>();
    let last_part = |number: usize| {
        describe_left_out("s", &make_list(number)).map(|text| text.rsplit("left out: ").next().map(str::to_owned))
    };
    let some_text = |text: &str| Some(Some(text.to_owned()));
    assert_eq!(last_part(0), None);
    assert_eq!(last_part(1), some_text("s.epd:1"));
    assert_eq!(last_part(3), some_text("s.epd:1; s.epd:2; s.epd:3"));
    assert_eq!(last_part(4), some_text("s.epd:1; s.epd:2; s.epd:3; and 1 more (manifest.json)"));
    let text = describe_left_out("s", &make_list(4)).unwrap_or_default();
    assert!(
        describe_left_out("s", &make_list(1))
            .is_some_and(|text| text.starts_with("s: 1 item of the suite was left out: "))
    );
    assert!(text.starts_with("s: 4 items of the suite were left out: "), "{text}");
}

#[test]
fn provenance_describes_each_result() {
    let make_manifest = |huge_pages: Option<bool>, sequence: bool| Manifest {
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
    let provenance_lines = |sources: Vec<(&str, Option<Manifest>)>| {
        let sources = sources.into_iter().map(|(label, manifest)| (label.to_owned(), manifest)).collect();
        Page { sources, memory: Some("memory".to_owned()), ..Page::default() }.provenance()
    };
    let machine_line = "ttlab 9 (c0, release) on CPU, 4 cores, 2.5 GiB, linux; 2 jobs at a time; huge pages";
    assert_eq!(
        provenance_lines(vec![("x", Some(make_manifest(Some(true), false)))]),
        [
            "suite s.epd, 7 positions; 2 variants; repeats 3; plan 0123".to_owned(),
            format!("{machine_line} in use"),
            "memory".to_owned()
        ]
    );
    let lines = provenance_lines(vec![("x", Some(make_manifest(None, true))), ("z", None)]);
    assert!(lines[0].starts_with("x: suite s.epd, "), "{lines:?}");
    assert!(lines[2] == "z: no manifest", "{lines:?}");
    let lines = provenance_lines(vec![
        ("x", Some(make_manifest(Some(false), true))),
        ("y", Some(make_manifest(None, false))),
        ("z", None),
    ]);
    assert_eq!(lines[0], "x: suite s.epd, 7 items, searched in sequence; 2 variants; repeats 3; plan 0123");
    assert_eq!(lines[1], format!("x: {machine_line} requested but not available"));
    assert!(lines[3] == format!("y: {machine_line} not requested or unknown"), "{lines:?}");
    assert!(lines[4] == "z: no manifest", "{lines:?}");
}

#[test]
fn timing_is_given_in_percent() {
    let times_line = |noise: f64, drift: f64| {
        let summary = Summary { repeats: 3, ..Summary::default() };
        Page { timing: Some(Timing { noise, drift }), summary, ..Page::default() }.provenance().pop()
    };
    let expected_line = |noise: &str, drift: &str| {
        Some(format!("times: median of 3 repeats; noise between repeats {noise}, drift {drift} %"))
    };
    assert_eq!(times_line(0.0125, 0.5), expected_line("1.2 %", "+50.0"));
    assert_eq!(times_line(f64::NAN, -0.03), expected_line("-", "-3.0"));
}

fn source(label: &str, rows: &str) -> Source {
    let frame = Frame::parse(rows.as_bytes(), label).unwrap_or_else(|error| panic!("{error}"));
    let (label, path) = (label.to_owned(), std::path::PathBuf::from(label));
    Source {
        label,
        path,
        manifest: None,
        file: None,
        frame,
        missing: None,
        judgements: Vec::new(),
        confirming_games: Vec::new(),
    }
}

/// Rows of further key seeds count as rows of their variant. If more than twenty variants have no
/// rows, only the first are named. If rows are filtered or grouped by another column, nothing is
/// listed.
#[test]
fn variants_without_rows_are_listed_as_not_run() {
    let list_not_run = |planned: &[String], choices: &Choices| {
        let manifest = Manifest { variants: planned.to_vec(), ..Manifest::default() };
        let rows = "variant,position,depth,search.nodes\na,p,1,9\nb,p,1,9\n";
        let page = page(&[Source { manifest: Some(manifest), ..source("x", rows) }], choices);
        let lists = page.sheet.parts.iter().filter_map(|part| match part {
            Part::List(title, names) if title == not_run::NOT_RUN => Some(names.clone()),
            _ => None,
        });
        lists.collect::<Vec<_>>().concat()
    };
    let to_names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let default_choices = Choices::default();
    assert_eq!(list_not_run(&to_names(&["a", "b", "b, key seed 2"]), &default_choices), to_names(&[]));
    let planned = to_names(&["c", "a", "b", "d", "c, key seed 2"]);
    assert_eq!(list_not_run(&planned, &default_choices), to_names(&["c", "d"]));
    assert_eq!(list_not_run(&planned, &choices(None, &["variant=a"], false)), to_names(&[]));
    let variants: Vec<String> = (0..21).map(|index| format!("v{index:02}")).collect();
    assert_eq!(list_not_run(&variants[..20], &default_choices), variants[..20]);
    let truncated = [&variants[..20], &to_names(&["and 1 more (manifest.json names all variants)"])].concat();
    assert_eq!(list_not_run(&variants, &default_choices), truncated);
}

#[test]
fn key_seeds_and_missing_rows_are_mentioned() {
    let page_with_seeds = |seeds: &[u32]| {
        let mut rows = "variant,position,depth,search.nodes,keys.seed\n".to_owned();
        for (index, seed) in seeds.iter().enumerate() {
            let name = if index == 0 { "a".to_owned() } else { format!("\"a, key seed {seed}\"") };
            rows += &format!("{name},p,1,{},{seed}\n", 10 + index);
        }
        page(&[source("x", &rows)], &Choices::default())
    };
    let seed_findings =
        |page: &Page| page.findings.iter().filter(|text| text.contains("key seeds")).cloned().collect::<Vec<_>>();
    assert_eq!(seed_findings(&page_with_seeds(&[1])), Vec::<String>::new());
    let sentence = "Every variant was searched under 2 key seeds. Ratios with an interval are means over them; counts, shares and single searches \
                are those under the first.";
    assert_eq!(seed_findings(&page_with_seeds(&[1, 2])), [sentence]);
    let rows = "variant,position,depth,search.nodes\na,p,1,9\n";
    let incomplete = Source { missing: Some("3 rows are missing".to_owned()), ..source("y", rows) };
    let page = page(&[source("x", rows), incomplete], &Choices::default());
    assert!(page.warnings.contains(&"y: 3 rows are missing. The figures cover only the existing rows".to_owned()));
    assert!(!page.warnings.iter().any(|text| text.starts_with("x: ")), "{:?}", page.warnings);
}

/// Lists the keys of all tables and figures and the titles of all lists. Asserts that rows have as
/// many cells as columns, and that keys are unique.
fn keys(parts: &[Part]) -> Vec<String> {
    let are_distinct = |keys: Vec<&String>| keys.len() == keys.iter().collect::<std::collections::BTreeSet<_>>().len();
    let part_keys = |part: &Part| match part {
        Part::Table(table) => {
            assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", table.key);
            assert!(are_distinct(table.columns.iter().map(|column| &column.key).collect()), "{}", table.key);
            vec![table.key.clone()]
        }
        Part::Figure(figure) => vec![figure.file.clone()],
        Part::List(title, _) => vec![title.clone()],
        Part::Folded(_, parts) => keys(parts),
        _ => Vec::new(),
    };
    let keys: Vec<String> = parts.iter().flat_map(part_keys).collect();
    assert!(are_distinct(keys.iter().collect()), "{keys:?}");
    keys
}

#[test]
fn page_has_every_part_that_rows_allow() {
    let mut rows = "variant,position,depth,finished,solved,table.size,table.slots,search.nodes,search.usable,search.move_only,table.probes,\
                    table.hits,table.misses_empty,table.misses_other,table.stores,table.evictions,table.rejections\n"
        .to_owned();
    for (index, (size, slots)) in [("64 KiB", 1), ("64 KiB", 4), ("1 MiB", 1), ("1 MiB", 4)].into_iter().enumerate() {
        for (position, depth) in (0..3).flat_map(|position| [1, 2].map(|depth| (position, depth))) {
            let nodes = 100 * depth + 7 * position + 13 * index * index;
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
    let page = page(&[result], &choices(None, &[], true));
    assert_eq!(
        keys(&page.sheet.parts).join(" "),
        "size-ratio summary ratio nodes-by-depth ratio-by-depth effects size-usable map traffic rates anatomy details positions \
         pairs verdicts How it was made common_options"
    );
    assert_eq!((keys(&page.terminal_sheet().parts).join(" "), page.count_failed()), ("summary pairs".to_owned(), 0));
}

/// A column to group by may have the same name as a total. Both need a key, so that programs can
/// tell them apart.
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
        for (index, (group, total)) in totals.into_iter().enumerate() {
            let total: serde_json::Value = total;
            let row = &rows[index];
            assert_eq!(row[&format!("by_{key}")], group, "{row}");
            assert_eq!(row[key].as_f64(), total.as_f64(), "{row}");
        }
    }
}

#[test]
fn joined_page_is_named_after_the_first_result() {
    let make_result = |name: &str, variants: [&str; 2]| {
        let rows = variants.map(|variant| format!("{variant},p,1,9\n")).concat();
        let manifest =
            Manifest { name: name.to_owned(), baseline: variants[1].to_owned(), ended: Some(1), ..Manifest::default() };
        let analysis = format!("analysis = 'words of {name}'\n");
        let source = source(name, &format!("variant,position,depth,search.nodes\n{rows}"));
        Source { manifest: Some(manifest), file: file(&analysis), ..source }
    };
    let page = page(&[make_result("one", ["a", "b"]), make_result("two", ["c", "d"])], &Choices::default());
    let baseline = page.summary.baseline().map(|line| line.name.as_str());
    assert_eq!((page.sheet.name.as_str(), page.analysis.as_str(), baseline), ("one", "words of one", Some("b")));
}

/// The error names the values that exist. If a result has no rows at all, the error does not blame
/// the condition.
#[test]
fn condition_without_rows_is_refused_with_the_values() {
    let header = "variant,position,depth,search.nodes\n";
    let refusal = |rows: &str, filters: &[&str]| {
        let page = Page::new(&[source("x", &format!("{header}{rows}"))], &choices(None, filters, false));
        page.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let rows = "a,p,1,9\nb,q,1,8\n";
    let no_rows = "--where: no row matches";
    for (filters, reason) in [
        (&["variant=a", "position=q"][..], ""),
        (&["variant!=a", "variant!=b"], ""),
        (&["variant=z"], ": `variant` has no value `z`; its values are `a`, `b`"),
        (&["variant=a", "position=r"], ": `position` has no value `r`; its values are `p`, `q`"),
        (
            &["variant=z", "position=r"],
            ": `variant` has no value `z`; its values are `a`, `b`; `position` has no value `r`; its values are \
             `p`, `q`",
        ),
    ] {
        assert_eq!(refusal(rows, filters), format!("{no_rows}{reason}"), "{filters:?}");
    }
    assert_eq!(refusal("", &[]), "x: there are no rows yet");
    let page = Page::new(&[source("x", &format!("{header}{rows}"))], &choices(Some(" , "), &[], false));
    assert_eq!(page.err().map(|error| error.to_string()).as_deref(), Some("--by: names no column"));
}

#[test]
fn terminal_verdicts_are_a_sentence_or_a_table() {
    use crate::analysis::questions::verdict::Ruling::{self, Differs, Holds};
    use crate::experiment::expect::ExpectedVerdict;
    let verdict_part = |rulings: &[Ruling]| {
        let make_verdict = |&ruling: &Ruling| verdicts::tests::verdict("x", ExpectedVerdict::Holds, ruling);
        let page = Page { verdicts: rulings.iter().map(make_verdict).collect(), ..Page::default() };
        page.verdict_part().map(|part| match part {
            Part::Table(table) => table.rows.len().to_string(),
            Part::Findings(list) => list.concat(),
            _ => "?".to_owned(),
        })
    };
    let tally = "Verdicts: 2 hold, 0 differ, 0 undecided; all expected outcomes met.";
    assert_eq!(verdict_part(&[]), None);
    assert_eq!(verdict_part(&[Holds, Holds]).as_deref(), Some(tally));
    assert_eq!(verdict_part(&[Holds, Differs]).as_deref(), Some("1"));
}

fn page(sources: &[Source], choices: &Choices) -> Page {
    Page::new(sources, choices).unwrap_or_else(|error| panic!("{error:#}"))
}

fn choices(by: Option<&str>, filters: &[&str], pairs: bool) -> Choices {
    let filters = filters.iter().map(|&text| text.to_owned()).collect();
    Choices { by: by.map(str::to_owned), filters, pairs, ..Choices::default() }
}

fn file(text: &str) -> Option<crate::experiment::File> {
    let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\n{text}");
    Some(from_toml(&text).unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn expectations_are_checked_only_on_all_rows_of_one_result() {
    let rows = "variant,position,depth,search.nodes\na,p,1,9\na,q,1,8\n";
    let with_expectation =
        || Source { file: file("[[expect]]\nwhere = { position = \"q\" }\nnodes = 8\n"), ..source("x", rows) };
    let list_passes = |sources: &[Source], choices: &Choices| {
        page(sources, choices).verdicts.iter().map(|verdict| verdict.passes()).collect::<Vec<_>>()
    };
    assert_eq!(list_passes(&[with_expectation()], &Choices::default()), [true]);
    assert_eq!(
        list_passes(&[with_expectation()], &Choices { metrics: vec!["nodes".to_owned()], ..Choices::default() }),
        [true]
    );
    let no_verdicts: [bool; 0] = [];
    assert_eq!(list_passes(&[with_expectation()], &choices(None, &["position=p"], false)), no_verdicts);
    assert_eq!(list_passes(&[with_expectation()], &choices(Some("position"), &[], false)), no_verdicts);
    assert_eq!(list_passes(&[with_expectation(), source("y", rows)], &Choices::default()), no_verdicts);
}

/// A difference of 9 % matters if the smallest effect is 1 %, but not if it is 10 %.
#[test]
fn claims_are_judged_by_the_smallest_effect() {
    use crate::analysis::questions::verdict::Ruling;
    let mut rows = "variant,position,depth,search.nodes\n".to_owned();
    for position in 0..12 {
        rows += &format!("a,p{position},1,{}\nb,p{position},1,1000\n", 1090 + position % 3);
    }
    let judge_claim = |effect: &str| {
        let text = format!("smallest_effect = {effect}\n[[expect]]\nclaim = \"nodes(a) > nodes(b)\"\n");
        page(&[Source { file: file(&text), ..source("x", &rows) }], &Choices::default()).verdicts[0].ruling
    };
    assert_eq!(judge_claim("0.01"), Ruling::Holds);
    assert_ne!(judge_claim("0.1"), Ruling::Holds);
}

#[test]
fn warnings_belong_to_their_result() {
    use crate::record::manifest::ShardRun;
    let rows = "variant,position,depth,search.nodes\na,p,1,9\na,q,1,8\nb,p,1,5\nb,q,1,4\n";
    let make_result = |manifest: Manifest| Source { manifest: Some(manifest), ..source("x", rows) };
    let aging_manifest = || Manifest { varying: vec!["table.clock".to_owned()], jobs: 2, ..Manifest::default() };
    let has_warning = |page: &Page, fragment: &str| {
        page.blockers.iter().chain(&page.warnings).any(|warning| warning.contains(fragment))
    };
    let own_page = page(&[make_result(aging_manifest())], &Choices::default());
    let keeping_manifest = |items| Manifest { never_cleared: vec!["b".to_owned()], items, ..Manifest::default() };
    assert!(has_warning(
        &page(&[make_result(keeping_manifest(2))], &Choices::default()),
        "nothing is cleared between positions for \"b\":"
    ));
    assert!(!has_warning(&page(&[make_result(keeping_manifest(1))], &Choices::default()), "nothing is cleared"));
    // Warnings about times are given only if the file asks for times.
    let timed_page =
        page(&[Source { file: file("times = true\n"), ..make_result(aging_manifest()) }], &Choices::default());
    let timings = "times were measured with 2 jobs at a time";
    assert!(has_warning(&timed_page, timings), "{:?}", timed_page.warnings);
    assert!(!has_warning(&own_page, timings), "{:?}", timed_page.warnings);
    for (sources, choices) in [
        (vec![make_result(aging_manifest())], choices(Some("position"), &[], false)),
        (vec![make_result(aging_manifest()), source("y", rows)], Choices::default()),
        (vec![source("y", rows)], Choices::default()),
    ] {
        let page = page(&sources, &choices);
        assert!(!has_warning(&page, "to compare times"), "{:?}", page.warnings);
    }
    let make_run =
        |cpu: &str| ShardRun { machine: Machine { cpu: cpu.to_owned(), ..Machine::default() }, ..Default::default() };
    let merged_result = |cpus: &[&str]| {
        make_result(Manifest { shards: cpus.iter().map(|cpu| make_run(cpu)).collect(), ..Manifest::default() })
    };
    let count_warnings = |sources: &[Source]| {
        let shard_warning_text = |source: &Source| {
            source
                .manifest
                .as_ref()
                .and_then(crate::analysis::caveats::warnings::shard_warning)
                .map(|warning| warning.to_string())
        };
        let expected: Vec<String> = sources.iter().filter_map(shard_warning_text).collect();
        let page = page(sources, &Choices::default());
        (expected.len(), expected.iter().filter(|text| page.notes.contains(text)).count())
    };
    let two_machines = Source { label: "y".to_owned(), ..merged_result(&["1", "2"]) };
    assert_eq!(count_warnings(&[merged_result(&["1", "1"]), two_machines]), (1, 1));
    assert_eq!(count_warnings(&[merged_result(&["1", "2"])]), (1, 1));
    assert_eq!(count_warnings(&[merged_result(&["1", "1"])]), (0, 0));
}

/// Two rows of the same search are refused; repeats are not duplicates.
#[test]
fn duplicate_rows_are_refused() {
    let duplicated = source("x", "variant,position,depth,search.nodes\na,p,1,9\na,q,1,8\na,q,1,7\n");
    let error = Page::new(std::slice::from_ref(&duplicated), &Choices::default()).err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("x: variant \"a\", q, depth 1 has two rows: it would be counted twice"));
    let repeated = source("x", "variant,position,depth,repeat,search.nodes\na,p,1,0,9\na,p,1,1,9\na,p,2,0,20\n");
    page(&[repeated], &Choices::default());
}

#[test]
fn warnings_are_on_the_page_and_on_the_terminal() {
    let list_warnings = |sheet: &Sheet| {
        let warning_text = |part: &Part| match part {
            Part::Warning(text) => Some(text.clone()),
            _ => None,
        };
        sheet.parts.iter().filter_map(warning_text).collect::<Vec<_>>()
    };
    let games = "variant,position,depth,search.nodes,match.opponent,match.colour,match.points,match.end,match.plies,match.depths,match.blind,\
                 match.opponent_nodes,match.moves,error\n\
                 A,o1,0,100,base,white,1,mate,20,50,0,200,e2e4,\nA,o1,0,100,base,black,1,mate,20,50,0,200,d2d4,\n";
    for rows in ["variant,position,depth,search.nodes\na,p,1,9\na,q,1,8\n", games] {
        let manifest = Manifest { left_out: vec!["left out: s.epd:7".to_owned()], ..Manifest::default() };
        let result =
            Source { manifest: Some(manifest), missing: Some("5 rows are missing".to_owned()), ..source("x", rows) };
        let page = page(&[result], &Choices::default());
        for (fragment, list) in [("s.epd:7", &page.notes), ("5 rows are missing", &page.warnings)] {
            assert_eq!(list.iter().filter(|text| text.contains(fragment)).count(), 1, "{fragment}: {list:?}");
        }
        assert_eq!(
            (list_warnings(&page.sheet), list_warnings(&page.terminal_sheet())),
            (page.warnings.clone(), page.warnings.clone())
        );
        assert_eq!(page.games.is_some(), rows == games);
        if rows == games {
            assert_eq!(keys(&page.sheet.parts), ["encounters", "elo", "pairs", "How it was made"]);
            assert_eq!(keys(&page.terminal_sheet().parts), ["encounters"]);
        }
    }
}

#[test]
fn lines_are_in_the_order_of_the_file() {
    let rows = "variant,position,depth,search.nodes,keys.seed\na,p,1,9,1\n\"a, key seed 2\",p,1,8,2\nb,p,1,7,1\n\"b, key seed 2\",p,1,6,2\n";
    let line_nodes = |by: Option<&str>| {
        let variants = ["b", "a"].map(str::to_owned).to_vec();
        let manifest = Manifest { variants, ..Manifest::default() };
        let page = page(&[Source { manifest: Some(manifest), ..source("x", rows) }], &choices(by, &[], false));
        page.summary.lines.iter().map(|line| (line.values[0].clone(), line.sum(columns::NODES))).collect::<Vec<_>>()
    };
    let expected = |list: [(&str, f64); 2]| list.map(|(name, nodes)| (name.to_owned(), nodes)).to_vec();
    assert_eq!(line_nodes(None), expected([("b", 7.0), ("a", 9.0)]));
    assert_eq!(line_nodes(Some("keys.seed")), expected([("1", 16.0), ("2", 14.0)]));
}

#[test]
fn conditions_apply_to_variants_with_their_seeds() {
    let rows = "variant,position,depth,search.nodes,keys.seed\na,p,1,9,1\n\"a, key seed 2\",p,1,8,2\nb,p,1,7,1\n\"b, key seed 2\",p,1,6,2\n";
    let list_lines = |filter: &str| {
        let page = page(&[source("x", rows)], &choices(None, &[filter], false));
        let seeds = page.findings.iter().any(|text| text.contains("under 2 key seeds"));
        (page.summary.lines.iter().map(|line| line.name.clone()).collect::<Vec<_>>().join("; "), seeds)
    };
    assert_eq!(list_lines("variant=a"), ("a".to_owned(), true));
    assert_eq!(list_lines("variant!=a"), ("b".to_owned(), true));
    assert_eq!(list_lines("keys.seed=2"), ("a, key seed 2; b, key seed 2".to_owned(), false));
}

#[test]
fn joined_times_need_repeats_and_one_job() {
    let rows = "variant,position,repeat,depth,search.nodes,seconds\na,p,0,1,9,1.0\na,p,1,1,9,1.0\nb,p,0,1,7,2.0\nb,p,1,1,7,2.0\n";
    let has_times = |results: &[(u32, usize)]| {
        let make_result = |(index, &(repeats, jobs)): (usize, &(u32, usize))| {
            let manifest = Manifest { repeats: repeats as _, jobs: jobs as _, ..Manifest::default() };
            Source { manifest: Some(manifest), ..source(["x", "y"][index], rows) }
        };
        let sources: Vec<Source> = results.iter().enumerate().map(make_result).collect();
        page(&sources, &choices(Some("source"), &[], false)).summary.metrics.len() == 2
    };
    assert_eq!(
        [has_times(&[(2, 1), (2, 1)]), has_times(&[(2, 1), (1, 1)]), has_times(&[(2, 2), (2, 1)])],
        [true, false, false]
    );
}

#[test]
fn baseline_without_rows_falls_back_to_the_first() {
    let make_rows =
        |names: [&str; 2]| format!("variant,position,depth,search.nodes\n{},p,1,9\n{},p,1,8\n", names[0], names[1]);
    let baseline_name = |page: &Page| page.summary.baseline().map(|line| line.name.clone());
    let results = [source("x", &make_rows(["a", "b"])), source("y", &make_rows(["c", "d"]))];
    assert_eq!(baseline_name(&page(&results, &Choices::default())).as_deref(), Some("a"));
    let manifest = Manifest { baseline: "a".to_owned(), ..Manifest::default() };
    let result = Source { manifest: Some(manifest), ..source("x", &make_rows(["b", "a"])) };
    assert_eq!(baseline_name(&page(std::slice::from_ref(&result), &Choices::default())).as_deref(), Some("a"));
    assert_eq!(baseline_name(&page(&[result], &choices(None, &["variant!=a"], false))).as_deref(), Some("b"));
}

#[test]
fn kept_tables_are_warned_of_if_variants_are_compared() {
    let is_warned = |variants: &[&str]| {
        let rows: String = variants.iter().map(|name| format!("{name},p,1,9\n{name},q,1,9\n")).collect();
        let never_cleared = variants.iter().map(|&name| name.to_owned()).collect();
        let manifest = Manifest { never_cleared, items: 2, ended: Some(9), ..Manifest::default() };
        let rows = format!("variant,position,depth,search.nodes\n{rows}");
        let page = page(&[Source { manifest: Some(manifest), ..source("x", &rows) }], &Choices::default());
        page.warnings.iter().any(|text| text.starts_with("nothing is cleared between positions for \"a\""))
    };
    assert_eq!([is_warned(&["a"]), is_warned(&["a", "b"])], [false, true]);
}

#[test]
fn unjudged_moves_are_warned_of() {
    let rows = "variant,position,repeat,depth,search.nodes,best\na,p,0,1,9,e2e4\na,q,0,1,9,d2d4\n";
    let mut source = Source { manifest: Some(Manifest::default()), ..source("x", rows) };
    let judgement_notes = |source: &Source| {
        let notes = page(std::slice::from_ref(source), &Choices::default()).notes;
        notes.into_iter().filter(|text| text.contains("judged")).collect::<Vec<_>>()
    };
    assert_eq!(judgement_notes(&source), Vec::<String>::new(), "no reference was given");
    let text = "suite = 'p.epd'\nlimit = { nodes = 9 }\n[reference]\nuci = 'builtin'\nlimit = { depth = 2 }\n";
    source.file = Some(from_toml(text).unwrap_or_else(|error| panic!("{error}")));
    assert_eq!(
        judgement_notes(&source),
        ["2 of 2 searches are not judged by the reference: without reference.csv, there is no table of the \
             quality of the moves; run the same command again to judge them"]
    );
    let make_judgement = |position: &str, mv: &str, best: &str| Judgement {
        reference: "r-1".to_owned(),
        position: position.to_owned(),
        mv: mv.to_owned(),
        best: best.to_owned(),
        score: 5,
        nodes: None,
    };
    source.judgements = vec![make_judgement("p", "", "e2e4"), make_judgement("p", "e2e4", "")];
    let one_unjudged = "1 of 2 searches are not judged by the reference: the losses cover only the judged searches; run the same \
         command again to judge them";
    assert_eq!(judgement_notes(&source), [one_unjudged]);
    source.judgements.extend([make_judgement("q", "", "e2e4"), make_judgement("q", "d2d4", "")]);
    assert_eq!(judgement_notes(&source), Vec::<String>::new());
    let self_play = from_toml(&format!("sequence = {{ self_play = 4 }}\n{text}"));
    let self_play =
        Source { file: Some(self_play.unwrap_or_else(|error| panic!("{error}"))), judgements: Vec::new(), ..source };
    assert_eq!(
        judgement_notes(&self_play),
        ["moves along an engine's own play are not judged: this file's [reference] has no effect"]
    );
}

/// Four slots need half of the nodes at 64 KiB and the same nodes at 16 MiB.
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
    let bases_and_findings = |choices: &Choices| {
        let page = page(std::slice::from_ref(&result), choices);
        let bases: Vec<String> =
            page.summary.lines.iter().filter(|line| line.is_baseline).map(|line| line.name.clone()).collect();
        (bases.join("; "), page.findings[..2.min(page.findings.len())].join(" "))
    };
    let (bases, findings) = bases_and_findings(&Choices::default());
    assert_eq!(bases, "64 KiB 1; 16 MiB 1");
    assert!(
        findings.starts_with("At 64 KiB: 50.0 % fewer nodes [50.0, 50.0]. At 16 MiB: the same nodes"),
        "{findings}"
    );
    assert_eq!(bases_and_findings(&choices(None, &["table.size=16 MiB"], false)).0, "16 MiB 1");
    let (bases, findings) = bases_and_findings(&choices(None, &["table.slots=4"], false));
    assert_eq!(bases, "64 KiB 4");
    assert!(findings.starts_with("The file's baseline is not among these rows: the baseline is now \"64 KiB 4\"."));
    assert_eq!(
        bases_and_findings(&choices(Some("table.size,table.slots"), &[], false)).0,
        "size=64 KiB, slots=1; size=16 MiB, slots=1"
    );
}
