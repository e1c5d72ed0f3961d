//! Pages that are made from small results, which are written by hand:
//! `tests/golden/pages/pages.txt` has what each page says and which parts it has.

use super::*;
use crate::decode::from_toml;
use crate::golden::assert_golden;
use crate::record::manifest::{Build, Host, Machine, Planned, RunRecord};
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
        planned: Planned {
            suite: "s.epd".to_owned(),
            items: 7,
            sequence,
            repeats: 3,
            variants: ["a", "b"].map(str::to_owned).to_vec(),
            plan: "0123".to_owned(),
            ..Planned::default()
        },
        run: RunRecord { jobs: 2, ..RunRecord::default() },
        host: Host {
            huge_pages,
            build: Build {
                version: "9".to_owned(),
                commit: "c0".to_owned(),
                profile: "release".to_owned(),
                ..Build::default()
            },
            machine: Machine { cpu: "CPU".to_owned(), cores: 4, memory_bytes: 5 << 29, os: "linux".to_owned() },
        },
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

/// Rows with the columns variant, position, depth and nodes.
fn rows(text: &str) -> String {
    text.split_whitespace().fold("variant,position,depth,search.nodes\n".to_owned(), |rows, row| rows + row + "\n")
}

const SEEDS: &str = "variant,position,depth,search.nodes,keys.seed\na,p,1,9,1\n\"a, key seed 2\",p,1,8,2\nb,p,1,7,1\n\"b, key seed 2\",p,1,6,2\n";

fn result(rows: &str, manifest: Manifest) -> Source {
    Source { manifest: Some(manifest), ..source("x", rows) }
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|&name| name.to_owned()).collect()
}

/// A grid of two sizes and two numbers of slots on three positions.
fn grid() -> Source {
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
    let options = [("v".to_owned(), serde_json::json!({ "table": { "policy": "always" } }))].into_iter().collect();
    let expect = "[[expect]]\nwhere = { position = \"p0\", depth = 2, slots = 1, size = \"64 KiB\" }\nnodes = 200\n";
    Source { file: file(expect), ..result(&rows, Manifest::from(Planned { options, ..Planned::default() })) }
}

/// Four slots need half of the nodes at 64 KiB and the same nodes at 16 MiB.
fn two_baselines() -> Source {
    let mut rows = "variant,position,depth,search.nodes,table.size,table.slots\n".to_owned();
    for (size, gain) in [("64 KiB", 2), ("16 MiB", 1)] {
        for (slots, position) in [1, 4].into_iter().flat_map(|slots| (0..8).map(move |position| (slots, position))) {
            let nodes = 1000 * (position + 1) / if slots == 4 { gain } else { 1 };
            rows += &format!("{size} {slots},p{position},3,{nodes},{size},{slots}\n");
        }
    }
    Source { file: file("baseline = { \"table.slots\" = 1 }\n"), ..source("x", &rows) }
}

/// A result whose moves are judged, with these judgements: position, move, best move.
fn judged(file: &str, judgements: &[[&str; 3]]) -> Source {
    let text = "suite = 'p.epd'\nlimit = { nodes = 9 }\n[reference]\nuci = 'builtin'\nlimit = { depth = 2 }\n";
    let make_judgement = |[position, mv, best]: &[&str; 3]| Judgement {
        reference: "r-1".to_owned(),
        position: (*position).to_owned(),
        mv: (*mv).to_owned(),
        best: (*best).to_owned(),
        score: 5,
        nodes: None,
    };
    let rows = "variant,position,repeat,depth,search.nodes,best\na,p,0,1,9,e2e4\na,q,0,1,9,d2d4\n";
    Source {
        file: Some(from_toml(&format!("{file}{text}")).unwrap_or_else(|error| panic!("{error}"))),
        judgements: judgements.iter().map(make_judgement).collect(),
        ..result(rows, Manifest::default())
    }
}

/// Results and choices by the name of what their page shows.
fn cases() -> Vec<(String, Vec<Source>, Choices)> {
    let plain = rows("a,p,1,9 a,q,1,8 b,p,1,5 b,q,1,4");
    let (of_a_and_b, default) = (rows("a,p,1,9 b,p,1,9"), Choices::default);
    let ageing = || Manifest {
        planned: Planned { varying: names(&["table.clock"]), ..Planned::default() },
        run: RunRecord { jobs: 2, ..RunRecord::default() },
        ..Manifest::default()
    };
    let ended = || Manifest::from(RunRecord { ended: Some(1), ..RunRecord::default() });
    let planned = |variants: &[&str]| Manifest::from(Planned { variants: names(variants), ..Planned::default() });
    let many: Vec<String> = (0..21).map(|index| format!("v{index:02}")).collect();
    let labelled = |label: &str, source: Source| Source { label: label.to_owned(), ..source };
    let only = |filters: &[&str]| choices(None, filters, false);
    let by = |by: &str| choices(Some(by), &[], false);
    let kept = |variants: &[&str], items: usize| {
        let text: Vec<String> = variants.iter().map(|name| format!("{name},p,1,9 {name},q,1,9")).collect();
        result(
            &rows(&text.join(" ")),
            Manifest { planned: Planned { never_cleared: names(variants), items, ..ended().planned }, ..ended() },
        )
    };
    let with_baseline = |list: &str, baseline: &str| {
        result(&rows(list), Manifest::from(Planned { baseline: baseline.to_owned(), ..Planned::default() }))
    };
    let expecting = || Source {
        file: file("[[expect]]\nwhere = { position = \"q\" }\nnodes = 8\n"),
        ..source("x", &rows("a,p,1,9 a,q,1,8"))
    };
    let self_played =
        |list: &str| Source { file: file("sequence = { self_play = 4 }\n"), ..result(&rows(list), ended()) };
    let named = |name: &str, list: &str, baseline: &str| Source {
        file: file(&format!("analysis = 'words of {name}'\n")),
        ..labelled(
            name,
            result(
                &rows(list),
                Manifest {
                    planned: Planned { name: name.to_owned(), baseline: baseline.to_owned(), ..ended().planned },
                    ..ended()
                },
            ),
        )
    };
    let shards = |label: &str, cpus: &[&str]| {
        let make_run = |cpu: &&str| crate::record::manifest::ShardRun {
            machine: Machine { cpu: (*cpu).to_owned(), ..Machine::default() },
            ..Default::default()
        };
        labelled(
            label,
            result(
                &plain,
                Manifest { run: RunRecord { shards: cpus.iter().map(make_run).collect(), ..ended().run }, ..ended() },
            ),
        )
    };
    let timed = |label: &str, repeats: u32, jobs: usize| {
        let rows = "variant,position,repeat,depth,search.nodes,seconds\na,p,0,1,9,1.0\na,p,1,1,9,1.0\nb,p,0,1,7,2.0\nb,p,1,1,7,2.0\n";
        labelled(
            label,
            result(
                rows,
                Manifest {
                    planned: Planned { repeats: repeats as _, ..ended().planned },
                    run: RunRecord { jobs: jobs as _, ..ended().run },
                    ..ended()
                },
            ),
        )
    };
    let games = "variant,position,depth,search.nodes,match.opponent,match.colour,match.points,match.end,match.plies,match.depths,match.blind,\
                 match.opponent_nodes,match.moves,error\n\
                 A,o1,0,100,base,white,1,mate,20,50,0,200,e2e4,\nA,o1,0,100,base,black,1,mate,20,50,0,200,d2d4,\n";
    let lacking = |rows: &str| Source {
        missing: Some("5 rows are missing".to_owned()),
        ..result(
            rows,
            Manifest { planned: Planned { left_out: names(&["left out: s.epd:7"]), ..ended().planned }, ..ended() },
        )
    };
    let three = || source("z", &rows("a,p,1,9 a,q,1,8 b,p,1,5 b,q,1,4 c,p,1,3 c,q,1,2"));
    let repeated = "variant,position,depth,repeat,search.nodes\na,p,1,0,9\na,p,1,1,9\na,p,2,0,20\n";
    let cases = vec![
        ("every part that rows allow", vec![grid()], choices(None, &[], true)),
        ("all planned variants have rows", vec![result(SEEDS, planned(&["a", "b", "b, key seed 2"]))], default()),
        (
            "two variants were not run",
            vec![result(&of_a_and_b, planned(&["c", "a", "b", "d", "c, key seed 2"]))],
            default(),
        ),
        (
            "nothing is listed under a condition",
            vec![result(&of_a_and_b, planned(&["c", "a", "b"]))],
            only(&["variant=a"]),
        ),
        (
            "twenty variants were not run",
            vec![result(
                &of_a_and_b,
                Manifest { planned: Planned { variants: many[..20].to_vec(), ..ended().planned }, ..ended() },
            )],
            default(),
        ),
        (
            "21 variants were not run",
            vec![result(&of_a_and_b, Manifest { planned: Planned { variants: many, ..ended().planned }, ..ended() })],
            default(),
        ),
        ("one key seed", vec![source("x", "variant,position,depth,search.nodes,keys.seed\na,p,1,10,1\n")], default()),
        ("lines stand in the order of the file", vec![result(SEEDS, planned(&["b", "a"]))], default()),
        ("lines by the key seed", vec![result(SEEDS, planned(&["b", "a"]))], by("keys.seed")),
        ("a condition takes a variant's seeds with it", vec![source("x", SEEDS)], only(&["variant=a"])),
        ("a condition leaves out a variant's seeds", vec![source("x", SEEDS)], only(&["variant!=a"])),
        ("a condition on the seed", vec![source("x", SEEDS)], only(&["keys.seed=2"])),
        (
            "two conditions without a common row",
            vec![source("x", &rows("a,p,1,9 b,q,1,8"))],
            only(&["variant=a", "position=q"]),
        ),
        ("no variant is left", vec![source("x", &of_a_and_b)], only(&["variant!=a", "variant!=b"])),
        ("a value that is not there", vec![source("x", &of_a_and_b)], only(&["variant=z"])),
        ("one of two values is not there", vec![source("x", &of_a_and_b)], only(&["variant=a", "position=r"])),
        ("two values that are not there", vec![source("x", &of_a_and_b)], only(&["variant=z", "position=r"])),
        ("no rows yet", vec![source("x", &rows(""))], default()),
        ("no column to group by", vec![source("x", &of_a_and_b)], by(" , ")),
        ("two rows of one search", vec![source("x", &rows("a,p,1,9 a,q,1,8 a,q,1,7"))], default()),
        ("repeats are not two rows of one search", vec![source("x", repeated)], default()),
        (
            "a joined page is named after its first result",
            vec![named("one", "a,p,1,9 b,p,1,9", "b"), named("two", "c,p,1,9 d,p,1,9", "d")],
            default(),
        ),
        ("missing rows and positions", vec![lacking(&plain)], default()),
        ("missing rows of a match", vec![lacking(games)], default()),
        ("an expectation", vec![expecting()], default()),
        ("an expectation, and a metric", vec![expecting()], Choices { metrics: names(&["nodes"]), ..default() }),
        ("an expectation, and a condition", vec![expecting()], only(&["position=p"])),
        ("an expectation, and groups", vec![expecting()], by("position")),
        ("an expectation, and another result", vec![expecting(), labelled("y", expecting())], default()),
        ("ageing that has no effect", vec![result(&plain, ageing())], default()),
        ("ageing in groups", vec![result(&plain, ageing())], by("position")),
        ("ageing in one of two results", vec![result(&plain, ageing()), source("y", &plain)], default()),
        ("rows alone", vec![source("y", &plain)], default()),
        (
            "times of two jobs that the file asks for",
            vec![Source { file: file("times = true\n"), ..result(&plain, ageing()) }],
            default(),
        ),
        ("a finished run", vec![result(&plain, ended())], default()),
        (
            "a finished run and one that is not",
            vec![labelled("o", result(&plain, ended())), result(&plain, ageing())],
            default(),
        ),
        ("finished runs, and rows alone", vec![labelled("n", result(&plain, ended())), source("y", &plain)], default()),
        ("shards of one machine, and of two", vec![shards("x", &["1", "1"]), shards("y", &["1", "2"])], default()),
        ("shards of two machines", vec![shards("x", &["1", "2"])], default()),
        ("shards of one machine", vec![shards("x", &["1", "1"])], default()),
        ("three pairs of variants on two positions", vec![three()], choices(None, &[], true)),
        ("three variants on two positions", vec![three()], default()),
        ("one variant keeps its table", vec![kept(&["a"], 2)], default()),
        ("two variants keep their tables", vec![kept(&["a", "b"], 2)], default()),
        ("two variants keep their tables on one position", vec![kept(&["a", "b"], 1)], default()),
        ("one variant plays by itself", vec![self_played("a,p,1,9")], default()),
        ("two variants play by themselves", vec![self_played("a,p,1,9 b,p,1,9")], default()),
        ("joined times of repeats", vec![timed("x", 2, 1), timed("y", 2, 1)], by("source")),
        ("joined times of which one has no repeats", vec![timed("x", 2, 1), timed("y", 1, 1)], by("source")),
        ("joined times of which one ran two jobs", vec![timed("x", 2, 2), timed("y", 2, 1)], by("source")),
        (
            "no baseline in two results",
            vec![source("x", &rows("a,p,1,9 b,p,1,8")), source("y", &rows("c,p,1,9 d,p,1,8"))],
            default(),
        ),
        ("the second variant is the baseline", vec![with_baseline("b,p,1,9 a,p,1,8", "a")], default()),
        ("the baseline is left out", vec![with_baseline("b,p,1,9 a,p,1,8", "a")], only(&["variant!=a"])),
        ("a baseline at each size", vec![two_baselines()], default()),
        ("a baseline at one size", vec![two_baselines()], only(&["table.size=16 MiB"])),
        ("baselines that are left out", vec![two_baselines()], only(&["table.slots=4"])),
        ("a baseline at each size, in groups", vec![two_baselines()], by("table.size,table.slots")),
        ("no move is judged", vec![judged("", &[])], default()),
        ("one of two searches is judged", vec![judged("", &[["p", "", "e2e4"], ["p", "e2e4", ""]])], default()),
        (
            "all moves are judged",
            vec![judged("", &[["p", "", "e2e4"], ["p", "e2e4", ""], ["q", "", "e2e4"], ["q", "d2d4", ""]])],
            default(),
        ),
        ("moves of self-play are not judged", vec![judged("sequence = { self_play = 4 }\n", &[])], default()),
    ];
    cases.into_iter().map(|(name, sources, choices)| (name.to_owned(), sources, choices)).collect()
}

#[test]
fn pages_equal_their_golden_file() {
    let mut text = String::new();
    for (name, sources, choices) in cases() {
        text += &format!("=== {name}\n");
        let page = match Page::new(&sources, &choices) {
            Ok(page) => page,
            Err(error) => {
                text += &format!("error: {error}\n");
                continue;
            }
        };
        let line = |line: &crate::analysis::Line| {
            format!("{}{} {}", line.name, if line.is_baseline { " *" } else { "" }, line.sum(columns::NODES))
        };
        let lines: Vec<String> = page.summary.lines.iter().map(line).collect();
        let metrics: Vec<&str> = page.summary.metrics.iter().map(|metric| metric.name.as_str()).collect();
        text += &format!("{}: {} ({})\n", page.sheet.name, lines.join("; "), metrics.join(", "));
        if !page.analysis.is_empty() {
            text += &format!("analysis: {}\n", page.analysis);
        }
        for (mark, list) in [
            ("finding", &page.findings),
            ("blocker", &page.blockers),
            ("warning", &page.warnings),
            ("note", &page.notes),
        ] {
            list.iter().for_each(|sentence| text += &format!("{mark}: {sentence}\n"));
        }
        for verdict in &page.verdicts {
            text += &format!("verdict: {:?}, {}\n", verdict.ruling, if verdict.passes() { "passes" } else { "fails" });
        }
        text += &format!("parts: {}\n", keys(&page.sheet.parts).join(" "));
        text += &format!("terminal: {}\n", keys(&page.terminal_sheet().parts).join(" "));
        for part in &page.sheet.parts {
            if let Part::List(title, list) = part
                && title == not_run::NOT_RUN
            {
                text += &format!("not run: {}\n", list.join(", "));
            }
        }
        // Warnings are on the page and on the terminal.
        for sheet in [&page.sheet, &page.terminal_sheet()] {
            let is_shown = |warning: &String| sheet.parts.contains(&Part::Warning(warning.clone()));
            assert!(page.warnings.iter().all(is_shown), "{name}");
        }
    }
    assert_golden("pages/pages.txt", &text);
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
fn terminal_verdicts_are_a_sentence_or_a_table() {
    use crate::analysis::questions::verdict::Ruling::{Differs, Holds};
    use crate::experiment::expect::ExpectedVerdict;
    let verdict_part = |rulings: &[crate::analysis::questions::verdict::Ruling]| {
        let make_verdict = |&ruling: &crate::analysis::questions::verdict::Ruling| {
            verdicts::tests::verdict("x", ExpectedVerdict::Holds, ruling)
        };
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
