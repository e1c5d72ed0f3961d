//! Checks every cell of a page's tables against values computed by hand. All counters in the rows
//! are different, so a column that shows the figure of another column or another variant is
//! detected. Also checks the same page in each output format.

use crate::common::{run, scratch};
use serde_json::{Value, json};
use statrs::distribution::{ContinuousCDF, StudentsT};
use std::fmt::Write;

/// Counters of one search of `base`. They are all different, and the sums obey the table's
/// conservation laws.
const COUNTS: [(&str, u32); 14] = [
    ("search.nodes", 6400),
    ("search.evals", 2500),
    ("search.usable", 210),
    ("search.move_only", 90),
    ("search.cuts", 1300),
    ("search.first_cuts", 1040),
    ("table.probes", 1000),
    ("table.hits", 420),
    ("table.misses_empty", 330),
    ("table.misses_other", 250),
    ("table.stores", 800),
    ("table.fills", 240),
    ("table.evictions", 160),
    ("table.rejections", 40),
];

/// Node ratios to `base` for each position, as powers of 2. `other`: seven times 2^-1 and once
/// 2^-3. `more`: seven times 2^1 and once 2^0.
const OTHER: [i32; 8] = [-1, -1, -1, -1, -1, -1, -1, -3];
const MORE: [i32; 8] = [1, 1, 1, 1, 1, 1, 1, 0];

fn rows() -> String {
    let head: Vec<&str> = COUNTS.iter().map(|count| count.0).collect();
    let mut text = format!(
        "variant,position,table.slots,eval.centre,repeat,depth,score,solved,finished,{},slots,entries,seconds,error\n",
        head.join(",")
    );
    for (position, (less, more)) in OTHER.into_iter().zip(MORE).enumerate() {
        for (variant, name) in ["base", "other", "more", "bare"].into_iter().enumerate() {
            let power = match variant {
                1 => less,
                2 => more,
                _ => 0,
            };
            // Scores differ where `other` searched the fewest nodes. `more` solves one of the three
            // positions, `other` solves all three.
            let score = if variant == 1 && power == -3 { 7 } else { 5 };
            let solved =
                if position < 3 { (variant == 1 || variant == 2 && position == 0).to_string() } else { String::new() };
            let (slots, centre) = (variant % 2 + 1, variant / 2 * 5);
            write!(text, "{name},p{position},{slots},{centre},0,5,{score},{solved},true").unwrap();
            for (column, count) in COUNTS {
                let count = match column {
                    "search.nodes" => f64::from(count) * f64::from(power).exp2(),
                    // `bare` has no table.
                    _ if variant == 3 && (column.starts_with("table") || column == "search.usable") => 0.0,
                    "search.move_only" if variant == 3 => 0.0,
                    // All other counters are two or three times those of `base`.
                    _ => f64::from(count * (variant as u32 + 1)),
                };
                write!(text, ",{count}").unwrap();
            }
            let slots = if variant == 3 { ",".to_owned() } else { format!("{},{}", 400, 100 * (variant + 1)) };
            writeln!(text, ",{slots},{:.2},", 0.25 * (variant + 1) as f64).unwrap();
        }
    }
    text
}

fn near(found: &Value, expected: f64) -> bool {
    found.as_f64().is_some_and(|found| (found - expected).abs() < 1e-9)
}

/// Compares a row of a table with the expected cells, and checks that it has no other cells.
#[track_caller]
fn holds(table: &Value, row: usize, expected: &[(&str, Value)]) {
    let row = table["rows"][row].as_object().unwrap();
    let keys: Vec<&str> = row.keys().map(String::as_str).filter(|key| *key != "signs").collect();
    assert_eq!(keys, expected.iter().map(|(key, _)| *key).collect::<Vec<_>>());
    for (key, expected) in expected {
        let found = &row[*key];
        let same = match expected.as_f64() {
            Some(expected) => near(found, expected),
            None => found == expected,
        };
        assert!(same, "{key}: {found}, wanted {expected}: {row:?}");
    }
}

/// The significance level of a single comparison that gives 5 % over all three. The statistic of a
/// comparison is the absolute sum of its values divided by the square root of their sum of squares.
/// We take the maximum over the comparisons for each of the 128 sign flips of the eight positions
/// that aren't mirror images of each other, find the value that at most 5 % of the flips reach, and
/// convert it to a t statistic with seven degrees of freedom.
fn level_of_all() -> f64 {
    let mut largest: Vec<f64> = (0..128_u32)
        .map(|signs| {
            let sum = |line: &[i32; 8]| {
                let signed = |(at, value): (usize, &i32)| f64::from(if signs >> at & 1 == 1 { -value } else { *value });
                let squares: i32 = line.iter().map(|value| value * value).sum();
                line.iter().enumerate().map(signed).sum::<f64>().abs() / f64::from(squares).sqrt()
            };
            sum(&OTHER).max(sum(&MORE))
        })
        .collect();
    largest.sort_by(f64::total_cmp);
    // Six of 128 are 4.7 %: this is the smallest value that no more than six flips reach.
    let allowed = &largest[122..];
    let reach = *allowed.iter().find(|value| **value > largest[121] + 1e-6).unwrap();
    let t = reach * (7.0 / (8.0 - reach * reach)).sqrt();
    2.0 * StudentsT::new(0.0, 1.0, 7.0).unwrap().cdf(-t)
}

#[test]
fn page_cells_equal_figures_computed_by_hand() {
    let folder = scratch();
    let file = folder.path().join("results.csv");
    std::fs::write(&file, rows()).unwrap();
    let read = |args: &[&str]| {
        let (stdout, stderr, code) = run(&[&["report", file.to_str().unwrap()][..], args].concat());
        assert_eq!(code, 0, "{stderr}");
        stdout
    };
    let page: Value = serde_json::from_str(&read(&["--format", "json", "--pairs"])).unwrap();
    let parts = page["parts"].as_array().unwrap();
    let table = |key: &str| {
        parts.iter().find(|part| part["part"] == "table" && part["key"] == key).unwrap_or_else(|| panic!("no {key}"))
    };

    // The means of the logarithms are -10/8 and 7/8, as powers of 2.
    let (other, more) = ((-1.25_f64).exp2(), 0.875_f64.exp2());
    let summary = table("summary");
    let ends = |row: usize, key: &str| [0, 1].map(|at| summary["rows"][row][key][at].as_f64().unwrap());
    let (of_other, of_more) = (ends(1, "interval"), ends(2, "interval"));
    assert!(of_other[0] < other, "{of_other:?}");
    assert!(other < of_other[1], "{of_other:?}");
    assert!(of_other[1] < 1.0, "{of_other:?}");
    assert!(of_more[0] < more, "{of_more:?}");
    assert!(more < of_more[1], "{of_more:?}");
    assert!(of_more[0] > 1.0, "{of_more:?}");
    let line = |name: &str, verdict: &str, nodes: f64, ratio: Value, interval: Value, times: f64| {
        let share = |part: f64, whole: f64| json!(part / whole);
        let with = |value: Value| if times > 3.0 { Value::Null } else { value };
        vec![
            ("variant", json!(name)),
            ("verdict", if verdict == "-" { Value::Null } else { json!(verdict) }),
            ("nodes", json!(nodes)),
            ("ratio", ratio),
            ("interval", interval),
            ("usable", with(share(210.0, 1000.0))),
            ("move_only", with(share(90.0, 1000.0))),
            ("full", with(json!(times * 0.25))),
            ("pressure", with(json!(times * 2.0))),
            ("seconds", json!(times * 2.0)),
            ("nps", json!(nodes / (times * 2.0))),
        ]
    };
    // `base` needs 6400 nodes on each of eight positions; `other` a half or an eighth of that;
    // `more` twice as many on seven of them.
    holds(summary, 0, &line("base *", "-", 51_200.0, json!(1.0), Value::Null, 1.0));
    holds(summary, 1, &line("other", "better", 23_200.0, json!(other), json!(of_other), 2.0));
    holds(summary, 2, &line("more", "unclear", 96_000.0, json!(more), json!(of_more), 3.0));
    holds(summary, 3, &line("bare", "same", 51_200.0, json!(1.0), json!([1.0, 1.0]), 4.0));

    let traffic = table("traffic");
    for (row, (name, times)) in [("base *", 1.0), ("other", 2.0), ("more", 3.0)].into_iter().enumerate() {
        let expected = [
            ("variant", json!(name)),
            ("probes", json!(8000.0 * times)),
            ("hits", json!(0.42)),
            ("misses_empty", json!(0.33)),
            ("misses_other", json!(0.25)),
            ("stores", json!(6400.0 * times)),
            ("evictions", json!(0.2)),
            ("rejections", json!(0.05)),
        ];
        holds(traffic, row, &expected);
    }
    assert_eq!(traffic["rows"].as_array().unwrap().len(), 3, "what has no table is not here");

    // `other`: all eight positions are below 1, and 2 of 256 sign patterns are as extreme. `more`:
    // all seven unequal positions are above 1 (the equal one doesn't count), so 4 of 256 patterns
    // are as extreme. Three comparisons share their sign flips, and the largest statistic is rarely
    // another comparison's, so the corrected p is at most three times as large.
    let details = table("details");
    let detail = |row: usize, key: &str| details["rows"][row][key].clone();
    for (row, least) in [(1, 2.0 / 256.0), (2, 4.0 / 256.0)] {
        let p = detail(row, "p").as_f64().unwrap();
        assert!(p >= least - 1e-12 && p <= 3.0 * least, "{p}");
    }
    let keys = ["searches", "evals", "other_scores", "solved", "median", "below", "without"];
    let expected: [[Value; 7]; 4] = [
        [json!(8.0), json!(20_000.0), Value::Null, json!(0.0), json!(1.0), Value::Null, Value::Null],
        [json!(8.0), json!(40_000.0), json!(1.0), json!(3.0), json!(0.5), json!(8.0), json!(0.5)],
        [json!(8.0), json!(60_000.0), json!(0.0), json!(1.0), json!(2.0), json!(0.0), json!(2.0)],
        [json!(8.0), json!(80_000.0), json!(0.0), json!(0.0), json!(1.0), json!(0.0), json!(1.0)],
    ];
    for (row, expected) in expected.iter().enumerate() {
        for (key, expected) in keys.iter().zip(expected) {
            let found = detail(row, key);
            assert!(
                found == *expected || expected.as_f64().is_some_and(|expected| near(&found, expected)),
                "{row} {key}: {found}, {expected}"
            );
        }
    }
    // Deviations of `other` from its mean, as powers of 2: seven of 1/4 and one of 7/4, which gives
    // a standard error of 1/4. The difference that is detectable with 80 % power is this many
    // standard errors away from 1: Student's quantile for the level that is left after correcting
    // for all comparisons, or the end of the confidence interval (97.5 %, times 1 + 48/64 with
    // eight positions) if that is larger, plus the quantile for 80 %.
    let seen = detail(1, "detectable").as_f64().unwrap().ln_1p() / std::f64::consts::LN_2;
    let student = StudentsT::new(0.0, 1.0, 7.0).unwrap();
    let end = 1.75 * student.inverse_cdf(0.975);
    let reach = student.inverse_cdf(1.0 - level_of_all() / 2.0).max(end) + student.inverse_cdf(0.8);
    assert!((seen - 0.25 * reach).abs() < 1e-6, "{seen}, {}", 0.25 * reach);
    assert!((1.0..2.5).contains(&seen), "{seen}, {}", 0.25 * reach);
    let needed = detail(1, "needed").as_f64().unwrap();
    let plain = ((1.96 + 0.84) * 0.25 * 8.0_f64.sqrt() * std::f64::consts::LN_2 / 1.01_f64.ln()).powi(2);
    assert!(needed > plain && needed < 3.0 * plain, "{needed}, {plain}");

    // Pairwise comparisons: the best variant comes first, compared with all others.
    let pairs = table("pairs");
    assert_eq!(pairs["rows"].as_array().unwrap().len(), 6);
    for row in pairs["rows"].as_array().unwrap() {
        let power = |name: &Value| match name.as_str().unwrap() {
            "other" => -1.25,
            "more" => 0.875,
            _ => 0.0_f64,
        };
        assert!(near(&row["ratio"], (power(&row["line"]) - power(&row["against"])).exp2()), "{row}");
        assert!(row["interval"][0].as_f64() <= row["ratio"].as_f64());
        assert!(row["p"].as_f64().is_some());
    }
    assert!(pairs["rows"].as_array().unwrap()[..3].iter().all(|row| row["line"] == "other"));

    // Main effects on the grid: two slots compared with one, for either value of `centre`. As
    // powers of 2: -1.25 and -0.875; 0.875 and 1.25.
    let keys = |table: &Value| -> Vec<String> {
        let columns = table["columns"].as_array().unwrap().iter();
        columns
            .map(|column| format!("{}: {}", column["key"].as_str().unwrap(), column["name"].as_str().unwrap()))
            .collect()
    };
    let judged = ["ratio: ratio", "interval: 95 %", "p: p", "pairs: pairs"];
    let effects = table("effects");
    assert_eq!(keys(effects), [&["option: option", "value: value"], &judged[..]].concat());
    let expected = [
        ("slots", "1 *", 0.0_f64, None),
        ("slots", "2", -1.0625, Some(16)),
        ("centre", "0 *", 0.0, None),
        ("centre", "5", 1.0625, Some(16)),
    ];
    for (row, (option, value, power, pairs)) in effects["rows"].as_array().unwrap().iter().zip(expected) {
        assert_eq!((&row["option"], &row["value"]), (&json!(option), &json!(value)));
        assert_eq!(row["pairs"].as_f64(), pairs.map(f64::from), "{row}");
        if pairs.is_some() {
            assert!(near(&row["ratio"], power.exp2()), "{row}");
            let [low, high] = [0, 1].map(|at| row["interval"][at].as_f64().unwrap());
            assert!(low < power.exp2(), "{row}");
            assert!(power.exp2() < high, "{row}");
            assert!(row["p"].as_f64().unwrap() < 0.05, "{row}");
        }
    }
    assert!(
        effects["note"].as_str().unwrap().ends_with("-: the value that the others are compared with."),
        "{effects}"
    );
    let map = parts.iter().find(|part| part["key"] == "map").unwrap()["plot"]["heat"].clone();
    assert_eq!((&map["first"], &map["second"]), (&json!(["slots", ["1", "2"]]), &json!(["centre", ["0", "5"]])));
    for (found, power) in [([0, 0], 0.0_f64), ([0, 1], 0.875), ([1, 0], -1.25), ([1, 1], 0.0)] {
        assert!(near(&map["cells"][found[0]][found[1]], power.exp2()), "{map}");
    }

    // The parts of a bar are shares of the probes; hits that are neither usable nor move-only have
    // a part of their own.
    let figure =
        |key: &str| parts.iter().find(|part| part["part"] == "figure" && part["key"] == key).unwrap()["plot"].clone();
    let anatomy = figure("anatomy");
    let names: Vec<&str> =
        anatomy["stacked"]["parts"].as_array().unwrap().iter().map(|part| part[0].as_str().unwrap()).collect();
    assert_eq!(names, ["usable hit", "move-only hit", "other hit", "miss, free slot", "miss, other keys"]);
    let bars = [("base", 1.0), ("other", 2.0), ("more", 3.0)].map(|(name, times)| {
        let sizes = [1680.0, 720.0, 960.0, 2640.0, 2000.0].map(|size| size * times);
        json!([name, sizes])
    });
    assert_eq!(anatomy["stacked"]["bars"], json!(bars));
    let positions = figure("positions");
    for (series, (name, powers)) in positions["scatter"]["series"].as_array().unwrap().iter().zip([
        ("other", OTHER),
        ("more", MORE),
        ("bare", [0; 8]),
    ]) {
        assert_eq!(series["name"], name);
        for (at, (point, power)) in series["points"].as_array().unwrap().iter().zip(powers).enumerate() {
            assert_eq!((&point["x"], &point["label"]), (&json!(6400.0), &json!(format!("p{at}"))));
            assert!(near(&point["y"], f64::from(power).exp2()), "{point}");
        }
    }
    let forest = figure("ratio");
    let colours: Vec<(&str, bool)> = forest["forest"]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["name"].as_str().unwrap(), row["clear"].as_bool().unwrap()))
        .collect();
    assert_eq!(colours, [("other", true), ("more", false), ("bare", false)]);
    assert!(near(&forest["forest"]["rows"][0]["mean"], other));
    assert!(near(&forest["forest"]["rows"][0]["high"], of_other[1]));

    // The printed report, with its marks, dashes and stars.
    let shown = read(&[]);
    let row = |name: &str| shown.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{shown}"));
    assert!(row("base *").contains("51,200"), "{shown}");
    assert!(row("base *").contains("21.0 %"), "{shown}");
    assert!(row("base *").contains("25 %"), "{shown}");
    assert!(row("other").contains("0.420"), "{shown}");
    assert!(row("other").contains('!'), "{shown}");
    assert!(row("other").contains("50 %"), "{shown}");
    assert!(!row("bare").contains('!'), "{shown}");
    assert!(row("bare").contains('-'), "{shown}");
    let html = read(&["--format", "html"]);
    let cells_of = |table: &str, name: &str| -> Vec<String> {
        let body = html.split(&format!("<table id=\"{table}\">")).nth(1).unwrap().split("</table>").next().unwrap();
        let row = body.split("<tr>").find(|row| row.contains(&format!(">{name}</td>"))).unwrap();
        row.split("<td").skip(1).map(str::to_owned).collect()
    };
    let cells = |name: &str| cells_of("summary", name);
    // Option values are coloured like variants: a clear decrease or increase has a colour, the
    // baseline doesn't.
    assert!(cells_of("effects", "2")[2].contains(" better"), "{html}");
    assert!(cells_of("effects", "5")[2].contains(" worse"), "{html}");
    assert!(!cells_of("effects", "1 *")[2].contains("better"));
    assert!(cells("other")[3].contains(" better"));
    assert!(!cells("more")[3].contains(" worse"));
    assert!(!cells("bare")[3].contains("better"));
    assert!(!cells("bare")[3].contains("worse"));
    assert!(cells("other")[2].contains("data-v=\"23200\""));
    assert!(cells("other")[2].contains(">23,200<"));
    let csv = read(&["--format", "csv"]);
    for (key, value) in [("nodes", "23200"), ("full", "0.5"), ("pressure", "4"), ("seconds", "4"), ("usable", "0.21")] {
        assert!(
            csv.lines().any(|line| line.starts_with(&format!("table,summary,2,other,{key},{value},,,"))),
            "{key}: {csv}"
        );
    }
    assert!(csv.contains(",seconds,4,,,4.00\n"), "{csv}");
    // Any metric can be selected by name: here a rate over all searches, a sum, and another
    // baseline.
    let rates: Value = serde_json::from_str(&read(&[
        "--format",
        "json",
        "--baseline",
        "other",
        "--metric",
        "first_cut_rate",
        "--metric",
        "evals",
        "--metric",
        "eviction_rate",
    ]))
    .unwrap();
    let summary = rates["parts"].as_array().unwrap().iter().find(|part| part["key"] == "summary").unwrap();
    let row = &summary["rows"][2];
    assert_eq!(row["variant"], "more");
    assert!(near(&row["first_cut_rate"], 0.8), "{row}");
    assert!(near(&row["evals"], 60_000.0), "{row}");
    assert!(near(&row["eviction_rate"], 0.2), "{row}");
    assert!(near(&row["ratio"], 1.0), "{row}");
    assert!(near(&row["evals_ratio"], 1.5), "{row}");
    let forest = rates["parts"].as_array().unwrap().iter().find(|part| part["key"] == "ratio").unwrap();
    assert_eq!(forest["plot"]["forest"]["x"], "first_cut_rate, as a ratio to the baseline's");
    assert_eq!(forest["title"], "First_cut_rate against the baseline");
}
