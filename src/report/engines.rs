//! The table of external engines, with what the probe before the run found, and the table of the
//! quality of moves.

use super::contents::Page;
use super::sheet::{Cell, Entries, SheetTable};
use super::table::{BASELINE, TOO_FEW_POSITIONS};
use crate::analysis::questions::quality::Quality;
use crate::record::manifest::EngineInfo;

pub(super) fn engines_table(page: &Page) -> Option<SheetTable> {
    type Engine<'a> = (&'a String, &'a EngineInfo);
    let subjects = &page.manifest.run.subjects;
    let engines: Vec<Engine<'_>> =
        page.manifest.planned.variants.iter().filter_map(|variant| subjects.get_key_value(variant)).collect();
    let settings_cell = |(_, engine): &Engine<'_>| {
        let setting_text = |name: &&str| Some(format!("{name} {}", engine.options.get(*name)?));
        Cell::text(["Threads", "Hash"].iter().filter_map(setting_text).collect::<Vec<_>>().join(", "))
    };
    let counts_cell = |(_, engine): &Engine<'_>| {
        let trusted = if engine.trusted.is_empty() { "" } else { ", trusted" };
        Cell::text(format!("{}{trusted}", engine.repeats))
    };
    let counts_meaning = "whether the same search gave the same nodes and answers before the run; trusted: the file accepts the problems found";
    let build_meaning = "the first digits of the SHA-256 of the engine's program";
    let limit_meaning = "whether the engine respects this limit";
    let entries = Entries::<Engine<'_>>::default()
        .text("variant", "variant", "", |(variant, _)| Cell::text(*variant))
        .text("engine", "engine", "the name that it reports", |(_, engine)| Cell::text(&engine.name))
        .text("set", "set", "threads and memory; the manifest has all options", settings_cell)
        .text("counts", "counts", counts_meaning, counts_cell)
        .text("go_depth", "go depth", limit_meaning, |(_, engine)| Cell::text(&engine.go_depth))
        .drop_order(2)
        .text("go_nodes", "go nodes", limit_meaning, |(_, engine)| Cell::text(&engine.go_nodes))
        .drop_order(1)
        .text("build", "build", build_meaning, |(_, engine)| Cell::text(engine.sha256.get(..12).unwrap_or_default()))
        .drop_order(3);
    entries
        .table("engines", "Engines", &engines)
        .with_note(
            "A node is not the same work in every engine: compare an engine with itself, or the quality of moves.",
        )
        .non_empty()
}

pub(super) fn quality_table(rows: &[Quality]) -> Option<SheetTable> {
    let share_cell = |part: usize, whole: usize| match whole {
        0 => Cell::empty("the suite names no best moves"),
        _ => Cell::number(part as f64 / whole as f64, format!("{part} of {whole}")),
    };
    // `make_cell` gets the mean difference from the baseline and the ends of its interval.
    let difference_cell = |row: &Quality, make_cell: fn((f64, f64, f64)) -> Cell| match row.against {
        Some((mean, low, high)) if mean.is_finite() => make_cell((mean, low, high)),
        Some(_) => Cell::empty("no position that both searched"),
        None => Cell::empty(BASELINE),
    };
    let entries = Entries::<Quality>::default()
        .text("variant", "variant", "* is the baseline", |row| {
            Cell::text(&row.variant).with_sign('*', row.against.is_none())
        })
        .number("searches", "searches", "searches that the reference judged", |row| Cell::count(row.searches as f64))
        .number("loss", "loss", "mean loss in the reference's centipawns", |row| {
            Cell::number(row.loss, format!("{:.1}", row.loss))
        })
        .number("against", "less base", "mean difference from the baseline on the same positions", |row| {
            difference_cell(row, |(mean, ..)| Cell::number(mean, format!("{mean:+.1}")))
        })
        .number("interval", "95 %", "of the difference", |row| {
            difference_cell(row, |(_, low, high)| Cell::difference(low, high).with_reason(TOO_FEW_POSITIONS))
        })
        .number("same", "same move", "searches whose move is the reference's", |row| share_cell(row.same, row.searches))
        .number("solved", "solved", "searches whose move the suite calls best", |row| {
            let (solved, solvable) = row.solved;
            share_cell(solved, solvable)
        });
    let note = "The loss of a move is the reference's score of the move that it prefers minus its score of this move, both \
        searched to the same limit, with scores capped at 1000 (reference.csv). With several key seeds, a \
        position's loss is the mean.";
    entries.table("quality", "Quality of the moves", rows).with_note(note).non_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::manifest::{Manifest, Planned, RunRecord};
    use crate::report::sheet::Datum;

    fn row_texts(table: &SheetTable) -> Vec<String> {
        let row_text = |row: &Vec<Cell>| row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(" | ");
        table.rows.iter().map(row_text).collect()
    }

    #[test]
    fn engines_are_listed_in_the_order_of_variants() {
        let engine = |name: &str, options: &[(&str, &str)]| EngineInfo {
            name: format!("{name} 1.0"),
            sha256: format!("{name}123456789abcdef"),
            options: options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            repeats: "exact".to_owned(),
            go_depth: "respected".to_owned(),
            go_nodes: "not respected".to_owned(),
            ..EngineInfo::default()
        };
        let manifest = Manifest {
            planned: Planned { variants: ["z", "ours", "a"].map(str::to_owned).to_vec(), ..Planned::default() },
            run: RunRecord {
                subjects: [
                    ("a".to_owned(), engine("a", &[("Hash", "8"), ("Ponder", "false"), ("Threads", "1")])),
                    ("z".to_owned(), engine("z", &[("Hash", "16")])),
                ]
                .into(),
                ..RunRecord::default()
            },
            ..Manifest::default()
        };
        let page = Page { manifest, ..Page::default() };
        assert_eq!(
            row_texts(&engines_table(&page).unwrap()),
            [
                "z | z 1.0 | Hash 16 | exact | respected | not respected | z123456789ab",
                "a | a 1.0 | Threads 1, Hash 8 | exact | respected | not respected | a123456789ab",
            ]
        );
        crate::report::sheet::assert_drop_orders_distinct(&engines_table(&page).unwrap());
        assert_eq!(engines_table(&Page::default()), None);
    }

    #[test]
    fn quality_table_has_a_row_for_each_line() {
        let line = |variant: &str, against: Option<(f64, f64, f64)>, solved: (usize, usize)| Quality {
            variant: variant.to_owned(),
            searches: 8,
            loss: 12.34,
            against,
            same: 5,
            solved,
        };
        let nan = f64::NAN;
        let table = quality_table(&[
            line("base", None, (2, 4)),
            line("worse", Some((7.0, 1.5, 12.5)), (0, 4)),
            line("better", Some((-7.0, -12.5, -1.5)), (4, 4)),
            line("open", Some((3.0, -1.0, f64::INFINITY)), (0, 0)),
            line("few", Some((3.0, nan, nan)), (0, 0)),
            line("apart", Some((nan, nan, nan)), (0, 0)),
        ])
        .unwrap();
        assert_eq!(
            row_texts(&table),
            [
                "base * | 8 | 12.3 | - | - | 5 of 8 | 2 of 4",
                "worse | 8 | 12.3 | +7.0 | +1.5 to +12.5 | 5 of 8 | 0 of 4",
                "better | 8 | 12.3 | -7.0 | -12.5 to -1.5 | 5 of 8 | 4 of 4",
                "open | 8 | 12.3 | +3.0 | - | 5 of 8 | -",
                "few | 8 | 12.3 | +3.0 | - | 5 of 8 | -",
                "apart | 8 | 12.3 | - | - | 5 of 8 | -",
            ]
        );
        assert_eq!((table.rows[0][5].value, table.rows[1][4].value), (Datum::Number(0.625), Datum::Range(1.5, 12.5)));
        let reasons: Vec<&str> = table.rows.iter().map(|row| row[3].note).collect();
        assert_eq!(reasons, ["the baseline (compared with itself)", "", "", "", "", "no position that both searched"]);
        assert_eq!(table.rows[4][4].note, "too few positions for an interval");
        assert_eq!(quality_table(&[]), None);
    }
}
