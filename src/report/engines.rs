//! What a page says of engines that are not ours: who they are, what the trial before the run showed, and how good their moves are.

use super::page::Page;
use super::sheet::{Cell, Column, Table, Value};
use crate::analysis::questions::quality::Quality;

/// The engines; none where all are ours.
#[must_use]
pub fn engines(page: &Page) -> Option<Table> {
    let subjects = &page.manifest.subjects;
    if subjects.is_empty() {
        return None;
    }
    let ordered = page.manifest.variants.iter().filter_map(|variant| subjects.get_key_value(variant));
    let rows = ordered.map(|(variant, engine)| {
        let options: Vec<String> = ["Threads", "Hash"]
            .iter()
            .filter_map(|name| Some(format!("{name} {}", engine.options.get(*name)?)))
            .collect();
        let build = engine.sha256.get(..12).unwrap_or_default();
        [variant, &engine.name, &options.join(", "), &engine.repeats, &engine.go_depth, &engine.go_nodes, build]
            .map(Cell::text)
            .to_vec()
    });
    Some(Table {
        key: "engines".to_owned(),
        title: "Engines".to_owned(),
        columns: vec![
            Column::words("variant", "variant", ""),
            Column::words("engine", "engine", "what it calls itself"),
            Column::words("set", "set", "its threads and memory; the manifest has all its options"),
            Column::words("counts", "counts", "whether the same search gave the same nodes before the run"),
            Column::words("go_depth", "go depth", "whether it heeds that limit").spare(2),
            Column::words("go_nodes", "go nodes", "whether it heeds that limit").spare(1),
            Column::words("build", "build", "the first digits of the SHA-256 of its program").spare(3),
        ],
        rows: rows.collect(),
        note:
            "Nodes of different engines are not the same work: compare an engine with itself, or the quality of moves."
                .to_owned(),
    })
}

/// The quality of the moves; none where nothing was judged.
#[must_use]
pub fn quality(lines: &[Quality]) -> Option<Table> {
    if lines.is_empty() {
        return None;
    }
    let share = |part: usize, whole: usize| match whole {
        0 => Cell::none("the suite names no best moves"),
        _ => Cell::number(part as f64 / whole as f64, format!("{part} of {whole}")),
    };
    let rows = lines.iter().map(|line| {
        let [mean, interval] = match line.against {
            Some((mean, low, high)) if mean.is_finite() => {
                let interval = match low.is_finite() && high.is_finite() {
                    true => Cell { value: Value::Range(low, high), ..Cell::text(format!("{low:+.1} to {high:+.1}")) },
                    false => Cell::none("too few positions for an interval"),
                };
                [Cell::number(mean, format!("{mean:+.1}")), interval]
            }
            Some(_) => [Cell::none("no position that both searched"), Cell::none("")],
            None => [Cell::none("the baseline, which is held against itself"), Cell::none("")],
        };
        let star = if line.against.is_none() { " *" } else { "" };
        vec![
            Cell::text(format!("{}{star}", line.variant)),
            Cell::count(line.searches as f64),
            Cell::number(line.loss, format!("{:.1}", line.loss)),
            mean,
            interval,
            share(line.same, line.searches),
            share(line.solved.0, line.solved.1),
        ]
    });
    Some(Table {
        key: "quality".to_owned(),
        title: "Quality of the moves".to_owned(),
        columns: vec![
            Column::words("variant", "variant", "* is the baseline"),
            Column::numbers("searches", "searches", "searches that the reference judged"),
            Column::numbers("loss", "loss", "mean loss in the reference's centipawns"),
            Column::numbers("against", "less base", "mean difference to the baseline on the same positions"),
            Column::numbers("interval", "95 %", "its interval"),
            Column::numbers("same", "same move", "searches whose move is the reference's"),
            Column::numbers("solved", "solved", "searches whose move the suite calls best"),
        ],
        rows: rows.collect(),
        note: "The loss of a move: what the reference gives its own move less what it gives this one, both searched to the same limit, \
               scores cut at 1000 (reference.csv)."
            .to_owned(),
    })
}
