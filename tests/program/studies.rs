//! Checks what the studies state against the rows in the repository: every figure with an interval
//! in the README and the handbook follows from the rows of the report that its sentence links to,
//! and the large effects appear again when the study's own file is run at a small fraction of its
//! size.

use crate::common::{has_reports, run, scratch};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use ttlab::internals::decode::from_toml;
use ttlab::internals::record::is_packed;
use ttlab::internals::report::data;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The page made from a folder's rows, as JSON; `None` if the folder has no rows. It is computed
/// once per folder.
fn page(folder: &Path) -> Option<Arc<Value>> {
    type Pages = Mutex<BTreeMap<PathBuf, Arc<OnceLock<Arc<Value>>>>>;
    static PAGES: LazyLock<Pages> = LazyLock::new(Mutex::default);
    if !is_packed(folder) {
        return None;
    }
    let place = PAGES.lock().unwrap().entry(folder.to_owned()).or_default().clone();
    Some(place.get_or_init(|| Arc::new(make_page(folder))).clone())
}

fn make_page(folder: &Path) -> Value {
    let page = ttlab::internals::report::Page::read(folder).unwrap();
    serde_json::from_str(&data::json(&page.sheet)).unwrap()
}

/// The figures with an interval that follow from a report's rows, or that its page shows if it has
/// no rows.
fn known_figures(folder: &Path) -> Vec<[f64; 3]> {
    let mut known = Vec::new();
    if let Some(page) = page(folder) {
        ratios(&page, &mut known);
        return known;
    }
    known.extend(shown_figures(&fs::read_to_string(folder.join("report.md")).unwrap()));
    known
}

/// The figures in the tables of a page, as `| **1.377** | 1.319-1.440! |`, and in its claims.
fn shown_figures(page: &str) -> Vec<[f64; 3]> {
    let number = |text: &str| text.trim_matches(|c: char| !c.is_ascii_digit() && c != '-').parse::<f64>().ok();
    let mut found = Vec::new();
    for line in page.replace('\u{a0}', " ").lines() {
        ratios(&Value::String(line.to_owned()), &mut found);
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        for pair in cells.windows(2) {
            // The first character of an interval may be a minus.
            let hyphen = pair[1].get(1..).and_then(|text| text.find('-')).map(|at| pair[1].split_at(at + 1));
            let ends = pair[1].split_once(" to ").or(hyphen.map(|(low, high)| (low, &high[1..])));
            if let Some((low, high)) = ends
                && let (Some(mean), Some(low), Some(high)) = (number(pair[0]), number(low), number(high))
            {
                found.push([mean, low, high]);
            }
        }
    }
    found
}

/// The folder of a study's report.
fn kept(study: &str) -> PathBuf {
    root().join("reports/studies").join(study)
}

/// The numbers of figures such as `0.826 [0.741, 0.885]` or `-60.3 [-85.5, -35.8]` in a text, as
/// written.
fn figures(text: &str) -> Vec<[String; 3]> {
    let number = |word: &str| word.contains('.') && word.parse::<f64>().is_ok();
    let mut found = Vec::new();
    for (at, _) in text.match_indices(" [") {
        let mean = text[..at].rsplit(|c: char| !c.is_ascii_digit() && !"-.".contains(c)).next().unwrap_or_default();
        let inside = text[at + 2..].split(']').next().unwrap_or_default();
        if let Some((low, high)) = inside.split_once(", ")
            && [mean, low, high].into_iter().all(number)
        {
            found.push([mean, low, high].map(str::to_owned));
        }
    }
    found
}

/// The folders of the reports that a text links to.
fn linked(document: &Path, text: &str) -> Vec<PathBuf> {
    let folder = document.parent().unwrap();
    let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    links
        .filter(|link| link.ends_with("/report.md"))
        .filter_map(|link| Some(folder.join(link).parent()?.to_owned()))
        .collect()
}

/// Every ratio, Elo difference and move-loss difference with its interval that a report contains,
/// in its tables and in its verdicts.
fn ratios(value: &Value, into: &mut Vec<[f64; 3]>) {
    match value {
        Value::Object(fields) => {
            let interval =
                fields.get("interval").and_then(Value::as_array).map(|ends| ends.iter().filter_map(Value::as_f64));
            let mean = ["ratio", "elo", "against"].iter().find_map(|key| fields.get(*key)).and_then(Value::as_f64);
            if let (Some(mean), Some(mut ends)) = (mean, interval)
                && let (Some(low), Some(high)) = (ends.next(), ends.next())
            {
                into.push([mean, low, high]);
            }
            fields.values().for_each(|field| ratios(field, into));
        }
        Value::Array(values) => values.iter().for_each(|value| ratios(value, into)),
        Value::String(text) => {
            // The text of a verdict: "ratio 0.826, 95 % 0.741 to 0.885, p 0.002".
            let answer = text.split_once("ratio ").and_then(|(_, rest)| {
                let (mean, rest) = rest.split_once(", 95 % ")?;
                let (low, rest) = rest.split_once(" to ")?;
                Some([mean, low, rest.split([',', ';']).next()?].map(|word| word.parse().unwrap_or(f64::NAN)))
            });
            into.extend(answer);
        }
        _ => {}
    }
}

/// Sentences that belong together: a paragraph, a list item, or a table row.
fn passages(text: &str) -> Vec<String> {
    let mut passages = vec![String::new()];
    for line in text.lines() {
        if line.trim().is_empty() || line.trim_start().starts_with(['-', '|', '#']) {
            passages.push(String::new());
        }
        let passage = passages.last_mut().unwrap();
        passage.push_str(line);
        passage.push('\n');
    }
    passages
}

/// The figures of a document that no linked report contains, and the number of all its figures.
fn unfounded(document: &Path, text: &str) -> (Vec<String>, usize) {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for passage in passages(text) {
        let figures = figures(&passage);
        if figures.is_empty() {
            continue;
        }
        let known: Vec<[f64; 3]> = linked(document, &passage).iter().flat_map(|folder| known_figures(folder)).collect();
        seen += figures.len();
        wrong.extend(
            figures
                .iter()
                .filter(|figure| !known.iter().any(|ratio| page_shows(figure, ratio)))
                .map(|[mean, low, high]| format!("{mean} [{low}, {high}] in: {passage}")),
        );
    }
    (wrong, seen)
}

/// Whether a figure equals a ratio when rounded to the figure's digits.
fn page_shows(figure: &[String; 3], ratio: &[f64; 3]) -> bool {
    figure.iter().zip(ratio).all(|(answer, known)| {
        let digits = answer.split_once('.').map_or(0, |(_, digits)| digits.len());
        *answer == format!("{known:.digits$}")
    })
}

#[test]
fn figures_in_documents_are_in_the_linked_report() {
    if !has_reports() {
        return;
    }
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for name in ["README.md", "docs/handbook.md"] {
        let path = root().join(name);
        let found = unfounded(&path, &fs::read_to_string(&path).unwrap());
        wrong.extend(found.0);
        seen += found.1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen >= 10, "{seen} figures were read");
}

#[test]
fn figure_without_a_report_is_detected() {
    if !has_reports() {
        return;
    }
    let document = root().join("README.md");
    let link = "[report](reports/published/ancient/report.md)";
    assert_eq!(unfounded(&document, &format!("- The flag needs 0.826 [0.741, 0.885] ({link}).")), (vec![], 1));
    for wrong in [
        format!("- The flag needs 0.827 [0.741, 0.885] ({link})."),
        "- The flag needs 0.826 [0.741, 0.885].".to_owned(),
        format!("- The flag needs 0.826 [0.741, 0.885].\n- It is in ({link})."),
    ] {
        assert_eq!(unfounded(&document, &wrong).0.len(), 1, "{wrong}");
    }
}

/// Every figure in a study's analysis is in its own report, in the output of a script on its rows
/// (`predictors.md` in the same folder), or in the report of another study that it names.
#[test]
fn figures_in_studies_are_in_a_report() {
    if !has_reports() {
        return;
    }
    let read = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
    let folders: Vec<PathBuf> =
        fs::read_dir(root().join("reports/studies")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let name = |folder: &Path| folder.file_name().unwrap().to_str().unwrap().to_owned();
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for folder in &folders {
        let stem = name(folder).replace("worth-replay", "worth").replace("claims-depth-8", "claims");
        let kinds = ["studies", "engines", "matches", "traces"].map(|kind| format!("experiments/{kind}/{stem}.toml"));
        let path = kinds.iter().map(|path| root().join(path)).find(|path| path.exists()).unwrap();
        let file: toml::Table = from_toml(&read(path)).unwrap();
        let analysis = file.get("analysis").and_then(toml::Value::as_str).unwrap_or_default();
        if figures(analysis).is_empty() {
            continue;
        }
        let mut known = Vec::new();
        for other in folders.iter().filter(|other| *other == folder || analysis.contains(&name(other))) {
            known.extend(known_figures(other));
        }
        let beside = figures(&read(folder.join("predictors.md")));
        known.extend(beside.iter().map(|figure| figure.each_ref().map(|word| word.parse::<f64>().unwrap())));
        for figure in figures(analysis) {
            seen += 1;
            if !known.iter().any(|ratio| page_shows(&figure, ratio)) {
                wrong.push(format!("{}: {} [{}, {}]", name(folder), figure[0], figure[1], figure[2]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen >= 40, "{seen} figures were read");
}

/// The Elo figures in whole numbers that the price-of-a-node study quotes equal those of its table
/// of encounters, with the same intervals.
#[test]
fn elo_in_the_node_study_equals_that_of_its_encounters() {
    if !has_reports() {
        return;
    }
    let text = fs::read_to_string(root().join("experiments/matches/price-of-a-node.toml")).unwrap();
    let known: Vec<[i32; 3]> =
        known_figures(&kept("price-of-a-node")).iter().map(|figure| figure.map(|value| value.round() as i32)).collect();
    // The page has a decimal, so that a half may be rounded twice.
    let is_near = |known: &[i32; 3], elo: &[i32; 3]| known.iter().zip(elo).all(|(known, elo)| (known - elo).abs() <= 1);
    let message: Vec<[i32; 3]> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" | ").nth(1)?.strip_suffix(']'))
        .map(|elo| {
            let numbers: Vec<i32> = elo.split([' ', '[', ',']).filter_map(|word| word.parse().ok()).collect();
            numbers.try_into().unwrap()
        })
        .collect();
    assert!(
        message.len() == 17 && message.iter().all(|elo| known.iter().any(|known| is_near(known, elo))),
        "{message:?} in {known:?}"
    );
}

/// Runs a study's file with a change (of several suites, only the one given as `study/suite`) and
/// returns the sum of a column for each variant.
fn rerun(study: &str, column: &str, change: impl FnOnce(&mut toml::Table)) -> BTreeMap<String, f64> {
    let folder = scratch();
    let (study, suite) = study.split_once('/').map_or((study, None), |(study, suite)| (study, Some(suite)));
    let text = fs::read_to_string(root().join(format!("experiments/studies/{study}.toml"))).unwrap();
    let mut file: toml::Table = from_toml(&text).unwrap();
    if let Some(suite) = suite {
        let own = file.remove("suites").unwrap()[suite].clone();
        file.insert("suite".to_owned(), own["file"].clone());
    }
    for key in ["expect", "variant", "baseline", "exclude", "seeds", "reference", "zip"] {
        file.remove(key);
    }
    let suite = Path::new(file["suite"].as_str().unwrap()).file_name().unwrap().to_owned();
    file.insert("suite".to_owned(), root().join("data").join(suite).to_str().unwrap().into());
    change(&mut file);
    let path = folder.path().join("small.toml");
    fs::write(&path, toml::to_string(&file).unwrap()).unwrap();
    let out = folder.path().join("out");
    let (_, error, code) = run(&["run", path.to_str().unwrap(), "-q", "--jobs", "1", "-o", out.to_str().unwrap()]);
    assert_eq!(code, 0, "{error}");
    let mut rows = csv::Reader::from_path(out.join("results.csv")).unwrap();
    let header = rows.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let (variant, column) = (at("variant"), at(column));
    let mut sums = BTreeMap::new();
    for row in rows.records().map(Result::unwrap) {
        *sums.entry(row[variant].to_owned()).or_insert(0.0) += row[column].parse::<f64>().unwrap();
    }
    sums
}

fn set(file: &mut toml::Table, key: &str, value: &str) {
    let value: toml::Table = from_toml(&format!("value = {value}")).unwrap();
    file.insert(key.to_owned(), value["value"].clone());
}

/// The sum of the only variant whose name contains all these words.
#[track_caller]
fn of(sums: &BTreeMap<String, f64>, words: &[&str]) -> f64 {
    let fits = |name: &str| words.iter().all(|word| name.split(", ").any(|part| part.contains(word)));
    let found: Vec<_> = sums.iter().filter(|(name, _)| fits(name)).collect();
    let [(_, sum)] = found[..] else { panic!("{} variants fit {words:?} in {:?}", found.len(), sums.keys()) };
    *sum
}

#[track_caller]
fn more(sums: &BTreeMap<String, f64>, more: &[&str], less: &[&str]) {
    let (most, least) = (of(sums, more), of(sums, less));
    assert!(most > 1.02 * least, "{more:?}: {most}, {less:?}: {least}");
}

#[test]
fn depth_beats_always_and_a_rule_beats_random_under_pressure() {
    let nodes = rerun("replacement/found", "search.nodes", |file| {
        set(file, "first", "3");
        set(file, "limit", "{ depth = 5 }");
        set(
            file,
            "grid",
            r#"{ "table.size" = [512], "table.policy" = ["always", "depth-preferred"], "table.slots" = [1, 4] }"#,
        );
        set(
            file,
            "variant",
            r#"[{ name = "policy=random, slots=4", "table.size" = 512, "table.policy" = "random", "table.slots" = 4 }]"#,
        );
    });
    more(&nodes, &["policy=always", "slots=1"], &["policy=depth-preferred", "slots=1"]);
    more(&nodes, &["policy=random", "slots=4"], &["policy=depth-preferred", "slots=4"]);
}

#[test]
fn depth_without_ageing_keeps_old_entries_along_a_game() {
    let nodes = rerun("ageing/people-found", "search.nodes", |file| {
        set(file, "first", "1");
        set(file, "limit", "{ depth = 4 }");
        set(
            file,
            "grid",
            r#"{ "table.size" = [256], "table.policy" = [{ kind = "aged-depth", factor = 0, on = "store" }, { kind = "aged-depth", factor = 2, on = "store" }] }"#,
        );
    });
    more(&nodes, &["factor=0"], &["factor=2"]);
}

#[test]
fn quiescence_entries_cost_nodes_under_always_and_save_them_under_depth() {
    let nodes = rerun("placement/found", "search.nodes", |file| {
        set(file, "first", "2");
        set(file, "limit", "{ depth = 5 }");
        set(file, "grid", r#"{ "table.size" = [2048], "table.policy" = ["always", "scored"] }"#);
        set(
            file,
            "zip",
            r#"[{ "probe.at" = ["after-leaf", "quiescence"], "store.at" = ["after-leaf", "quiescence"] }]"#,
        );
    });
    more(&nodes, &["policy=always", "probe.at=quiescence"], &["policy=always", "probe.at=after-leaf"]);
    more(&nodes, &["policy=scored", "probe.at=after-leaf"], &["policy=scored", "probe.at=quiescence"]);
}

#[test]
fn false_matches_occur_at_the_expected_rate() {
    let hits = rerun("key-width/found", "anatomy.false_hits", |file| {
        set(file, "first", "4");
        set(file, "limit", "{ depth = 4 }");
        set(file, "grid", r#"{ "table.key_bits" = [6, 8], "table.slots" = [1, 4], "table.size" = [512] }"#);
        // In alpha-beta a false answer changes little of what is searched.
        set(file, "engine", r#"{ diagnostics = "full", probe = { depth = "equal" } }"#);
    });
    let of = |bits: &str, slots: &str| of(&hits, &[&format!("key_bits={bits}"), &format!("slots={slots}")]);
    // Two more bits leave a quarter of the false hits; four slots give about four times as many.
    // The tolerance is a factor of two, because the hits are few.
    for slots in ["1", "4"] {
        let (six, eight) = (of("6", slots), of("8", slots));
        assert!((2.0..8.0).contains(&(six / eight)), "{six} and {eight} at {slots} slots");
    }
    let (one, four) = (of("6", "1"), of("6", "4"));
    assert!((2.0..8.0).contains(&(four / one)), "{one} and {four}");
}

/// Studies whose large effects show in a handful of small searches: the file, the settings that
/// make it smaller, and pairs of variants of which the first needs more nodes.
type Small = (&'static str, &'static [(&'static str, &'static str)], &'static [[&'static [&'static str]; 2]]);

const ALWAYS: &[&str] = &["policy=always", "slots=1"];
const DEPTH: &[&str] = &["policy=depth-preferred", "slots=1"];
const RULES: &str = r#"{ "table.size" = [512], "table.policy" = ["always", "depth-preferred"], "table.slots" = [1] }"#;

const SMALL: [Small; 6] = [
    (
        "replacement-kinds/endgames-found",
        &[("first", "5"), ("limit", "{ depth = 6 }"), ("grid", RULES)],
        &[[ALWAYS, DEPTH]],
    ),
    (
        "replacement-kinds/tactical-found",
        &[("first", "4"), ("limit", "{ depth = 5 }"), ("grid", RULES)],
        &[[ALWAYS, DEPTH]],
    ),
    (
        "fine-70",
        &[
            ("limit", "{ depth = 16 }"),
            ("grid", r#"{ "table.size" = [512, 65536], "keys.seed" = [1] }"#),
            ("zip", r#"[{ "table.policy" = ["always", "depth-preferred"], "table.slots" = [1, 4] }]"#),
        ],
        &[
            [&["size=512", "policy=always"], &["size=512", "policy=depth-preferred"]],
            [&["size=512", "policy=always"], &["size=65536", "policy=always"]],
        ],
    ),
    (
        "ordering",
        &[
            ("first", "4"),
            ("limit", "{ depth = 5 }"),
            (
                "variant",
                r#"[{ name = "no table", table.kind = "none" }, { name = "always", table.size = "8 KiB" }, { name = "unbounded", table.kind = "unbounded" }]"#,
            ),
        ],
        &[[&["no table"], &["always"]], [&["always"], &["unbounded"]]],
    ),
    (
        "ordering",
        &[
            ("first", "4"),
            ("limit", "{ depth = 5 }"),
            (
                "variant",
                r#"[{ name = "captures", ordering = ["mvv-lva"] }, { name = "killers", ordering = ["table-move", "mvv-lva", "killers", "history"] }]"#,
            ),
        ],
        &[[&["captures"], &["killers"]]],
    ),
    (
        "ageing/engine-found",
        &[
            ("first", "2"),
            ("limit", "{ depth = 4 }"),
            (
                "variant",
                r#"[{ name = "by depth and age", "table.size" = "4 KiB", "table.slots" = 4, "table.policy" = { kind = "scored", depth = 1, age = 8, nodes = 0 } }, { name = "random", "table.size" = "4 KiB", "table.slots" = 4, "table.policy" = "random" }]"#,
            ),
        ],
        &[[&["random"], &["by depth and age"]]],
    ),
];

#[test]
fn large_effects_are_significant_in_few_searches() {
    for (study, changes, pairs) in SMALL {
        let nodes = rerun(study, "search.nodes", |file| {
            changes.iter().for_each(|(key, value)| set(file, key, value));
        });
        for [most, least] in pairs {
            more(&nodes, most, least);
        }
    }
}

/// The facts that a warning or note may state, each with words of the sentences that state it.
const FACTS: &[&[&str]] = &[
    &["no pressure", "full"],
    &["aging is invisible", "grows old"],
    &["too few", "are few", "do not generalise"],
    &["and also in"],
    &["are the same search"],
    &["set repeats"],
    &["jobs at a time"],
    &["failed"],
    &["reached the depths"],
    &["different numbers of searches"],
    &["without rows", "not finished"],
    &["same as an earlier search"],
    &["nothing is cleared"],
    &["have 0 where"],
    &["different engines"],
    &["may mislead"],
];

/// What `ttlab check` says before a run of the main studies, the page does not say again, and each
/// says it once. The studies are run at a small fraction of their size, so that many warnings
/// apply.
#[test]
fn no_fact_is_warned_of_twice() {
    for study in ["replacement", "ageing", "placement", "primary-claims", "ordering"] {
        let folder = scratch();
        let text = fs::read_to_string(root().join(format!("experiments/studies/{study}.toml"))).unwrap();
        let text = text.replace("../../data/", &format!("{}/data/", root().display()));
        let mut file: toml::Table = from_toml(&text).unwrap();
        for key in ["expect", "seeds"] {
            file.remove(key);
        }
        set(&mut file, "first", "2");
        set(&mut file, "limit", "{ depth = 2 }");
        for suite in
            file.get_mut("suites").and_then(toml::Value::as_table_mut).into_iter().flat_map(|suites| suites.iter_mut())
        {
            suite.1.as_table_mut().unwrap().remove("depth");
        }
        let path = folder.path().join("small.toml");
        fs::write(&path, toml::to_string(&file).unwrap()).unwrap();
        let (path, out) = (path.to_str().unwrap(), folder.path().join("out"));
        let (_, checked, code) = run(&["check", path]);
        assert_eq!(code, 0, "{checked}");
        let (_, error, code) = run(&["run", path, "-q", "--jobs", "1", "-o", out.to_str().unwrap()]);
        assert_eq!(code, 0, "{error}");
        let page = ttlab::internals::report::Page::read(&out).unwrap();
        let before = checked.lines().filter(|line| line.contains(": warning: ")).map(str::to_owned);
        let said: Vec<String> = before.chain([page.blockers, page.warnings, page.notes].concat()).collect();
        for sentence in &said {
            assert!(FACTS.iter().any(|words| words.iter().any(|word| sentence.contains(word))), "{study}: {sentence}");
        }
        for words in FACTS {
            let says = |sentence: &&String| words.iter().any(|word| sentence.contains(word));
            let said: Vec<&String> = said.iter().filter(says).collect();
            assert!(said.len() <= 1, "{study}: {said:#?}");
        }
        assert!(said.iter().any(|sentence| sentence.contains("too few")), "{study}: {said:#?}");
    }
}
