//! An experiment with several suites, from the file to the page.

use crate::common::{run, scratch};
use std::path::Path;

const MIDDLE: &str = "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPPQ1PPP/R3K2R w KQkq - id \"a\";\n\
                      r1bqk2r/ppp2ppp/2n2n2/2bpp3/4P3/2NP1N2/PPP1BPPP/R1BQK2R w KQkq - id \"b\";\n";
const END: &str = "8/5k2/3p4/1p1P4/1P2K3/8/6P1/8 w - - id \"a\";\n8/8/1p3k2/p7/P1P5/1P2K3/8/8 w - - id \"c\";\n\
                   8/3k4/8/2p1p3/2P1P3/3K4/8/8 w - - id \"d\";\n";

/// Writes the suites and the experiment file, ending with the given text, and returns the file's
/// path.
fn write(folder: &Path, more: &str) -> String {
    std::fs::write(folder.join("m.epd"), MIDDLE).unwrap();
    std::fs::write(folder.join("e.epd"), END).unwrap();
    let text = format!(
        "suites = {{ middle = {{ file = 'm.epd', depth = 3 }}, end = {{ file = 'e.epd', depth = 4 }} }}\n\
         [[variant]]\nname = 'always'\n'table.size' = 64\n[[variant]]\nname = 'big'\n'table.size' = 65536\n{more}"
    );
    let file = folder.join("x.toml");
    std::fs::write(&file, text).unwrap();
    file.display().to_string()
}

/// The values of a column in the order of the rows.
fn column(folder: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_path(Path::new(folder).join("results.csv")).unwrap();
    let at = reader.headers().unwrap().iter().position(|column| column == name).unwrap();
    reader.records().map(|row| row.unwrap()[at].to_owned()).collect()
}

#[test]
fn several_suites_make_one_page_with_a_section_each() {
    let folder = scratch();
    let [out, merged] = ["out", "merged"].map(|name| folder.path().join(name).display().to_string());
    let expects = "[[expect]]\nclaim = 'nodes(big) <= nodes(always)'\nverdict = 'either'\n\
                   [[expect]]\nwhere = { suite = 'end', variant = 'big' }\nnodes = { min = 0, max = 10 }\nverdict = 'either'\n";
    let file = write(folder.path(), expects);
    let (plan, _, code) = run(&["plan", &file]);
    assert_eq!(code, 0);
    assert!(
        plan.contains("suite       middle: m.epd (2 items), depth 3\nsuite       end: e.epd (3 items), depth 4\n"),
        "{plan}"
    );
    let (screen, _, code) = run(&["run", &file, "--out", &out]);
    assert_eq!(code, 0, "{screen}");
    let head = screen.lines().find(|line| line.starts_with("variant")).unwrap();
    assert_eq!(head.split_whitespace().collect::<Vec<_>>(), ["variant", "middle", "end"]);

    // Each row names its suite, and has the depth of that suite.
    let read = |name: &str| column(&out, name);
    for ((suite, position), (depth, limit)) in
        read("suite").iter().zip(read("position")).zip(read("depth").iter().zip(read("limit")))
    {
        assert!(position.starts_with(&format!("{suite}/")), "{suite} {position}");
        let deepest = if suite == "end" { 4 } else { 3 };
        assert!(depth.parse::<u32>().unwrap() <= deepest, "{suite} {depth} {limit}");
        assert!(limit == format!("depth {deepest}"), "{suite} {depth} {limit}");
    }

    // Each suite has a section with verdicts on the expectations for all suites and for that suite.
    let page = std::fs::read_to_string(Path::new(&out).join("report.md")).unwrap();
    let (before, end) = page.split_once("## Suite end: e.epd, 3 items, depth 4").unwrap();
    let (across, middle) = before.split_once("## Suite middle: m.epd, 2 items, depth 3").unwrap();
    assert!(across.contains("## nodes, across suites"), "{across}");
    assert!(!across.contains("## Verdicts"), "{across}");
    let verdicts = |section: &str| section.lines().filter(|line| line.starts_with("| suite ")).count();
    assert_eq!([across, middle, end].map(verdicts), [0, 1, 2]);
    assert!(middle.contains("## Details, middle"));
    assert!(end.contains("(end-ratio.svg)"));
    assert!(Path::new(&out).join("end-ratio.svg").exists());

    // A single suite gets an ordinary page, and so does grouping by suite.
    let (alone, _, code) = run(&["report", &out, "--where", "suite=end"]);
    assert_eq!(code, 0, "{alone}");
    assert!(alone.contains("nodes / baseline"), "{alone}");
    assert!(!alone.contains("across suites"), "{alone}");
    let (by, _, code) = run(&["report", &out, "--by", "suite,variant"]);
    assert_eq!(code, 0, "{by}");
    assert!(by.lines().filter(|line| line.starts_with("middle ") || line.starts_with("middle *")).count() == 2, "{by}");
    let (_, wrong, code) = run(&["report", &out, "--where", "suite=ende"]);
    assert_eq!(code, 2, "{wrong}");
    assert!(wrong.contains("`suite` has no value `ende`; its values are `middle`, `end`"), "{wrong}");

    // Shards produce the same rows. When the result is compared with itself, the variants of each
    // suite are compared separately.
    let plan = folder.path().join("plan.json").display().to_string();
    assert_eq!(run(&["plan", &file, "--shards", "2", "-o", &plan]).2, 0);
    for shard in ["0", "1"] {
        assert_eq!(run(&["run", "--plan", &plan, "--shard", shard, "--out", &merged]).2, 0);
    }
    assert_eq!(run(&["merge", &plan, "--out", &merged]).2, 0);
    for name in ["id", "suite", "position", "search.nodes", "check"] {
        assert_eq!(column(&merged, name), read(name), "{name}");
    }
    let (same, _, code) = run(&["compare", &out, &merged]);
    let lines = ["middle, always", "middle, big", "end, always", "end, big"];
    assert_eq!(code, 0, "{same}");
    assert!(lines.iter().all(|line| same.contains(line)), "{same}");
    let (verified, _, code) = run(&["verify", &out]);
    assert_eq!(code, 0, "{verified}");
    assert!(verified.contains("all 10 jobs are done"), "{verified}");
}

#[test]
fn verdict_of_one_suite_alone_decides_a_check() {
    let folder = scratch();
    for (suite, ends) in [("middle", 1), ("end", 0)] {
        let file = write(
            folder.path(),
            &format!("[[expect]]\nwhere = {{ suite = '{suite}' }}\ndepth = {{ of = 'max', exact = 4 }}\n"),
        );
        let out = folder.path().join(suite).display().to_string();
        let (screen, _, code) = run(&["run", &file, "--out", &out, "--check"]);
        assert_eq!(code, ends, "{screen}");
    }
}
