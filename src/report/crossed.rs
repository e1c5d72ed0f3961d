//! The tables of a grid: each option by itself, and two together.

use super::page::Grid;
use super::sheet::{Cell, Column, Mark, Table};
use super::table::ONE;
use crate::analysis::pairing::ratio::Judged;
use crate::analysis::questions::effects::Interaction;

/// Ratio, interval, p and pairs.
fn judged(judged: &Judged) -> [Cell; 4] {
    let (ratio, p_value) = (judged.ratio, judged.p);
    let mark = match judged.marked {
        true if ratio.mean < 1.0 => Mark::Less,
        true => Mark::More,
        false => Mark::None,
    };
    let why = if ratio.pairs > 0 { ONE } else { "what the others are held against" };
    let pairs = if ratio.pairs > 0 { ratio.pairs as f64 } else { f64::NAN };
    [
        Cell::decimal(ratio.mean, 3).marked(mark).or(why),
        Cell::range(ratio.low, ratio.high).or(why),
        Cell::p(p_value).or(why),
        Cell::count(pairs).or(why),
    ]
}

/// The columns of [`judged`].
fn judgement(ratio: &str, corrected: &str) -> [Column; 4] {
    [
        Column::numbers("ratio", "ratio", ratio),
        Column::numbers("interval", "95 %", "").spare(1),
        Column::numbers("p", "p", corrected).spare(2),
        Column::numbers("pairs", "pairs", "").spare(3),
    ]
}

/// What each level of each axis does.
#[must_use]
pub fn effects(grid: &Grid) -> Table {
    let rows = grid.effects.iter().map(|effect| {
        let axis = &grid.axes[effect.axis];
        let reference = effect.level == grid.references[effect.axis];
        let label = format!("{}{}", axis.levels[effect.level].label, if reference { " *" } else { "" });
        let mut cells = vec![
            Cell { place: Some(effect.axis), ..Cell::text(axis.name.clone()) },
            Cell { place: Some(effect.level), ..Cell::text(label) },
        ];
        cells.extend(judged(&effect.judged));
        cells
    });
    let heads = [
        Column::words("option", "option", ""),
        Column::words("value", "value", "* is what the others are held against"),
    ];
    let ratio = judgement("paired by position and by every other option", "corrected for all of these by joint flips");
    Table {
        key: "effects".to_owned(),
        title: "Each option by itself".to_owned(),
        rows: rows.collect(),
        columns: heads.into_iter().chain(ratio).collect(),
        note: "Each value against the one marked *, at the same position and the same value of every other option."
            .to_owned(),
    }
}

/// Interactions shown; those that are clear come first.
const SHOWN: usize = 12;

/// Where two options do together what neither does alone.
#[must_use]
pub fn interactions(grid: &Grid) -> Option<Table> {
    let mut all: Vec<_> = grid.interactions.iter().collect();
    let size = |one: &Interaction| one.judged.ratio.mean.ln().abs();
    all.sort_by(|a, b| (!a.judged.marked).cmp(&!b.judged.marked).then(size(b).total_cmp(&size(a))));
    let rows: Vec<Vec<Cell>> = all
        .iter()
        .take(SHOWN)
        .map(|interaction| {
            let label = |(axis, level): (usize, usize)| {
                format!("{}={}", grid.axes[axis].name, grid.axes[axis].levels[level].label)
            };
            let mut cells = vec![Cell::text(label(interaction.first)), Cell::text(label(interaction.second))];
            cells.extend(judged(&interaction.judged));
            cells
        })
        .collect();
    let number = all.iter().filter(|interaction| interaction.judged.marked).count();
    let heads = [Column::words("first", "one", ""), Column::words("second", "other", "")];
    let ratio = judgement("1 where the two effects simply multiply", "corrected for all pairs by joint flips");
    (!rows.is_empty()).then(|| Table {
        key: "interactions".to_owned(),
        title: "Options together".to_owned(),
        columns: heads.into_iter().chain(ratio).collect(),
        note: format!(
            "By what factor two values together differ from the product of each alone. {number} of {} pairs are clear of 1{}.",
            all.len(),
            if all.len() > SHOWN { format!("; the {SHOWN} largest are shown") } else { String::new() }
        ),
        rows,
    })
}
