//! Whole pages of two results that were made by hand, and what must hold for each of their cells.
//!
//! `tests/golden/pages/NAME.csv` has the rows. All counters of `cells` are different, so a column
//! that shows another column or another variant is detected; the sums obey the table's laws.
//! `hand` has two axes, three repeats, a failed job, a variant searched to a lower depth, a game,
//! and a variant without a table. `NAME.page.csv` has every cell and every point of the page, and
//! `NAME.md` and `NAME.txt` its text. `TTLAB_BLESS=1` rewrites them: review the difference.

use crate::common::run;
use crate::golden::{assert_golden, is_same};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const PAGES: [(&str, &[&str]); 2] = [
    ("cells", &["--pairs"]),
    (
        "hand",
        &["--baseline", "variant=s1", "--pairs", "--metric", "nodes", "--metric", "seconds", "--metric", "hit_rate"],
    ),
];

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/pages").join(name)
}

fn page(name: &str, flags: &[&str], format: &str) -> String {
    let file = golden(&format!("{name}.csv"));
    let (stdout, stderr, code) = run(&[&["report", file.to_str().unwrap(), "--format", format], flags].concat());
    assert_eq!(code, 0, "{stderr}");
    stdout.replace(file.parent().unwrap().to_str().unwrap(), "DIR")
}

#[test]
fn pages_equal_their_golden_files() {
    for (name, flags) in PAGES {
        for (format, ending) in [("csv", "page.csv"), ("md", "md"), ("text", "txt")] {
            assert_golden(&format!("pages/{name}.{ending}"), &page(name, flags, format));
        }
    }
}

/// Each total and share of the page is computed anew from the rows: sums of a column, or quotients
/// of two sums.
#[test]
fn cells_equal_their_columns_of_the_rows() {
    let mut reader = csv::Reader::from_path(golden("cells.csv")).unwrap();
    let mut sums: BTreeMap<(String, String), f64> = BTreeMap::new();
    for row in reader.deserialize::<BTreeMap<String, String>>().map(Result::unwrap) {
        for (column, value) in row.iter().filter_map(|(column, value)| Some((column, value.parse::<f64>().ok()?))) {
            *sums.entry((row["variant"].clone(), column.clone())).or_default() += value;
        }
    }
    let text = page("cells", &[], "csv");
    let cells: BTreeMap<(String, String, String), String> = csv::Reader::from_reader(text.as_bytes())
        .records()
        .map(Result::unwrap)
        .map(|row| {
            ((row[1].to_owned(), row[3].trim_end_matches(" *").to_owned(), row[4].to_owned()), row[5].to_owned())
        })
        .collect();
    let mut compared = 0;
    for name in ["base", "other", "more", "bare"] {
        let sum = |column: &str| sums[&(name.to_owned(), column.to_owned())];
        for (table, column, part, whole) in [
            ("summary", "nodes", "search.nodes", ""),
            ("summary", "usable", "search.usable", "table.probes"),
            ("summary", "move_only", "search.move_only", "table.probes"),
            ("summary", "full", "entries", "slots"),
            ("summary", "pressure", "table.stores", "slots"),
            ("summary", "seconds", "seconds", ""),
            ("summary", "nps", "search.nodes", "seconds"),
            ("traffic", "probes", "table.probes", ""),
            ("traffic", "hits", "table.hits", "table.probes"),
            ("traffic", "misses_empty", "table.misses_empty", "table.probes"),
            ("traffic", "misses_other", "table.misses_other", "table.probes"),
            ("traffic", "stores", "table.stores", ""),
            ("traffic", "evictions", "table.evictions", "table.stores"),
            ("traffic", "rejections", "table.rejections", "table.stores"),
            ("details", "evals", "search.evals", ""),
        ] {
            let found = cells.get(&(table.to_owned(), name.to_owned(), column.to_owned()));
            if name == "bare" && (part.starts_with("table") || whole.contains("table") || whole == "slots") {
                // What has no table has a dash, or is not in the table of its traffic.
                assert_eq!(found.map_or("", String::as_str), "", "{table} {column}");
                continue;
            }
            let expected = sum(part) / if whole.is_empty() { 1.0 } else { sum(whole) };
            assert!(
                is_same(&found.unwrap().to_string(), &expected.to_string()),
                "{name} {table} {column}: {found:?}, {expected}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 3 * 15 + 4);
}
