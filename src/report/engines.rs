//! What a page says of engines that are not ours: who they are, what the trial before the run showed, and how good their moves are.

use super::page::Page;
use super::sheet::{Cell, SheetColumn, SheetTable};
use super::table::{BASELINE, ONE};
use crate::analysis::questions::quality::Quality;

/// The engines; none where all are ours.
pub(super) fn engines(page: &Page) -> Option<SheetTable> {
    let subjects = &page.manifest.subjects;
    let ordered = page.manifest.variants.iter().filter_map(|variant| subjects.get_key_value(variant));
    let rows = ordered.map(|(variant, engine)| {
        let options: Vec<String> = ["Threads", "Hash"]
            .iter()
            .filter_map(|name| Some(format!("{name} {}", engine.options.get(*name)?)))
            .collect();
        let build = engine.sha256.get(..12).unwrap_or_default();
        let trusted = if engine.trusted.is_empty() { "" } else { ", trusted" };
        let counts = format!("{}{trusted}", engine.repeats);
        [variant, &engine.name, &options.join(", "), &counts, &engine.go_depth, &engine.go_nodes, build].map(Cell::text)
    });
    let columns = [
        SheetColumn::words("variant", "variant", ""),
        SheetColumn::words("engine", "engine", "what it calls itself"),
        SheetColumn::words("set", "set", "its threads and memory; the manifest has all its options"),
        SheetColumn::words(
            "counts",
            "counts",
            "whether the same search gave the same nodes and answers before the run; trusted: the file accepts what was found against it",
        ),
        SheetColumn::words("go_depth", "go depth", "whether it heeds that limit").drop_order(2),
        SheetColumn::words("go_nodes", "go nodes", "whether it heeds that limit").drop_order(1),
        SheetColumn::words("build", "build", "the first digits of the SHA-256 of its program").drop_order(3),
    ];
    SheetTable::new("engines", "Engines", columns, rows)
        .noted(
            "Nodes of different engines are not the same work: compare an engine with itself, or the quality of moves.",
        )
        .unless_empty()
}

/// The quality of the moves; none where nothing was judged.
pub(super) fn quality(lines: &[Quality]) -> Option<SheetTable> {
    let share = |part: usize, whole: usize| match whole {
        0 => Cell::none("the suite names no best moves"),
        _ => Cell::number(part as f64 / whole as f64, format!("{part} of {whole}")),
    };
    let rows = lines.iter().map(|line| {
        let [mean, interval] = match line.against {
            Some((mean, low, high)) if mean.is_finite() => {
                [Cell::number(mean, format!("{mean:+.1}")), Cell::difference(low, high).or(ONE)]
            }
            Some(_) => [Cell::none("no position that both searched"), Cell::none("")],
            None => [Cell::none(BASELINE), Cell::none("")],
        };
        [
            Cell::text(&line.variant).signed('*', line.against.is_none()),
            Cell::count(line.searches as f64),
            Cell::number(line.loss, format!("{:.1}", line.loss)),
            mean,
            interval,
            share(line.same, line.searches),
            share(line.solved.0, line.solved.1),
        ]
    });
    let columns = [
        SheetColumn::words("variant", "variant", "* is the baseline"),
        SheetColumn::numbers("searches", "searches", "searches that the reference judged"),
        SheetColumn::numbers("loss", "loss", "mean loss in the reference's centipawns"),
        SheetColumn::numbers("against", "less base", "mean difference to the baseline on the same positions"),
        SheetColumn::numbers("interval", "95 %", "its interval"),
        SheetColumn::numbers("same", "same move", "searches whose move is the reference's"),
        SheetColumn::numbers("solved", "solved", "searches whose move the suite calls best"),
    ];
    let note = "The loss of a move: what the reference gives its own move less what it gives this one, both searched to the same limit, \
                scores cut at 1000 (reference.csv). Of several key seeds a position's loss is the mean.";
    SheetTable::new("quality", "Quality of the moves", columns, rows).noted(note).unless_empty()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::record::manifest::{EngineInfo, Manifest};
    use crate::report::sheet::Datum;

    fn shown(table: &SheetTable) -> Vec<String> {
        let line = |row: &Vec<Cell>| row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(" | ");
        table.rows.iter().map(line).collect()
    }

    /// Engines in the order of the variants, ours left out; of their options the two that matter, where they have them.
    #[test]
    fn engines_stand_in_the_order_of_the_variants() {
        let engine = |name: &str, options: &[(&str, &str)]| EngineInfo {
            name: format!("{name} 1.0"),
            sha256: format!("{name}123456789abcdef"),
            options: options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            repeats: "exact".to_owned(),
            go_depth: "heeded".to_owned(),
            go_nodes: "not heeded".to_owned(),
            ..EngineInfo::default()
        };
        let manifest = Manifest {
            variants: ["z", "ours", "a"].map(str::to_owned).to_vec(),
            subjects: [
                ("a".to_owned(), engine("a", &[("Hash", "8"), ("Ponder", "false"), ("Threads", "1")])),
                ("z".to_owned(), engine("z", &[("Hash", "16")])),
            ]
            .into(),
            ..Manifest::default()
        };
        let page = Page { manifest, ..Page::default() };
        assert_eq!(
            shown(&engines(&page).unwrap()),
            [
                "z | z 1.0 | Hash 16 | exact | heeded | not heeded | z123456789ab",
                "a | a 1.0 | Threads 1, Hash 8 | exact | heeded | not heeded | a123456789ab",
            ]
        );
        crate::report::sheet::each_goes_in_its_turn(&engines(&page).unwrap());
        assert_eq!(engines(&Page::default()), None);
    }

    /// The baseline has its star and no difference; an interval wants both ends; each count is of its own whole.
    #[test]
    fn the_quality_of_each_line() {
        let line = |variant: &str, against: Option<(f64, f64, f64)>, solved: (usize, usize)| Quality {
            variant: variant.to_owned(),
            searches: 8,
            loss: 12.34,
            against,
            same: 5,
            solved,
        };
        let nan = f64::NAN;
        let table = quality(&[
            line("base", None, (2, 4)),
            line("worse", Some((7.0, 1.5, 12.5)), (0, 4)),
            line("better", Some((-7.0, -12.5, -1.5)), (4, 4)),
            line("open", Some((3.0, -1.0, f64::INFINITY)), (0, 0)),
            line("few", Some((3.0, nan, nan)), (0, 0)),
            line("apart", Some((nan, nan, nan)), (0, 0)),
        ])
        .unwrap();
        assert_eq!(
            shown(&table),
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
        let why: Vec<&str> = table.rows.iter().map(|row| row[3].note).collect();
        assert_eq!(
            why,
            ["the baseline, which is held against itself", "", "", "", "", "no position that both searched"]
        );
        assert_eq!(table.rows[4][4].note, "too few positions for an interval");
        assert_eq!(quality(&[]), None);
    }
}
