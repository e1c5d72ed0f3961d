//! The tables of a grid, which show the effect of each option and the interactions of two options.

use super::grid_figures::Grid;
use super::sheet::{Cell, Emphasis, Entries, SheetTable};
use super::table::TOO_FEW_POSITIONS;
use crate::analysis::questions::effects::{Effect, Interaction};
use crate::analysis::rows::metric::Better;
use crate::stats::ratio::{JudgedRatio, Ratio};

/// Adds the columns of a paired comparison, which are ratio, interval, p and pairs. `result_of`
/// returns the result of the comparison for a line.
fn result_columns<'a, L: 'a>(
    entries: Entries<'a, L>,
    [ratio_meaning, p_correction]: [&str; 2],
    better: Better,
    result_of: fn(&L) -> &JudgedRatio,
) -> Entries<'a, L> {
    let why_empty = move |line: &L| match result_of(line).ratio {
        Ratio { pairs: 0, mean, .. } if mean.is_nan() => "no two searches that differ in this option alone",
        Ratio { pairs: 0, .. } => "the value that the others are compared with",
        _ => TOO_FEW_POSITIONS,
    };
    entries
        .number("ratio", "ratio", ratio_meaning, move |line| {
            let JudgedRatio { ratio, significant, .. } = result_of(line);
            let emphasis = Emphasis::for_change(*significant, ratio.mean < 1.0, better);
            Cell::decimal(ratio.mean, 3).with_emphasis(emphasis).with_reason(why_empty(line))
        })
        .number("interval", "95 %", "", move |line| {
            let ratio = result_of(line).ratio;
            Cell::range(ratio.low, ratio.high).with_reason(why_empty(line))
        })
        .drop_order(1)
        .number("p", "p", p_correction, move |line| Cell::p(result_of(line).p).with_reason(why_empty(line)))
        .drop_order(2)
        .number("pairs", "pairs", "", move |line| match result_of(line).ratio.pairs {
            0 => Cell::empty(why_empty(line)),
            pairs => Cell::count(pairs as f64),
        })
        .drop_order(3)
}

/// Returns a table of the effect of each level of each axis.
pub(super) fn effects_table(grid: &Grid) -> SheetTable {
    let entries = Entries::<Effect>::default()
        .text("option", "option", "", |effect| Cell {
            sort_rank: Some(effect.axis),
            ..Cell::text(&grid.axes[effect.axis].name)
        })
        .text("value", "value", "* is the value that the others are compared with", |effect| {
            let label = Cell::text(&grid.axes[effect.axis].levels[effect.level].label);
            let label = label.with_sign('*', effect.level == grid.references[effect.axis]);
            Cell { sort_rank: Some(effect.level), ..label }
        });
    let meanings = [
        "at the same position, with equal other options",
        "corrected for the number of values: all signs are flipped together",
    ];
    let entries = result_columns(entries, meanings, grid.better, |effect| &effect.judged);
    entries.table("effects", "Each option by itself", &grid.effects).with_note(
        "Each value is compared with the value marked *, at the same position and equal values of all other options.",
    )
}

/// The maximum number of interactions to show.
const MAX_SHOWN: usize = 12;

/// Returns a table of the interactions, or `None` if there are none. An interaction is the factor
/// by which the effect of two levels together differs from the product of their effects.
/// Significant interactions come first.
pub(super) fn interactions_table(grid: &Grid) -> Option<SheetTable> {
    let mut interactions: Vec<_> = grid.interactions.iter().collect();
    let effect_size = |interaction: &Interaction| interaction.judged.ratio.mean.ln().abs();
    interactions.sort_by(|a, b| {
        b.judged.significant.cmp(&a.judged.significant).then(effect_size(b).total_cmp(&effect_size(a)))
    });
    let option_cell = |(axis, level): (usize, usize)| Cell::text(grid.axes[axis].level_label(level));
    let entries = Entries::<Interaction>::default()
        .text("first", "one", "", |interaction| option_cell(interaction.first))
        .text("second", "other", "", |interaction| option_cell(interaction.second));
    let meanings =
        ["1 if the two effects only multiply", "corrected for the number of pairs: all signs are flipped together"];
    let entries = result_columns(entries, meanings, grid.better, |interaction| &interaction.judged);
    let significant_count = interactions.iter().filter(|interaction| interaction.judged.significant).count();
    let limit_note =
        if interactions.len() > MAX_SHOWN { format!("; the {MAX_SHOWN} largest are shown") } else { String::new() };
    let note = format!(
        "The factor by which the effect of two values together differs from the product of their effects alone. \
         {significant_count} of {} pairs differ significantly from 1{limit_note}.",
        interactions.len()
    );
    let shown_interactions = interactions.into_iter().take(MAX_SHOWN);
    entries.table("interactions", "Options together", shown_interactions).with_note(note).non_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::questions::effects::Effect;
    use crate::analysis::rows::axes::{Axis, Level};
    use crate::stats::ratio::Ratio;

    fn axis(name: &str, labels: &[&str]) -> Axis {
        let make_level = |label: &&str| Level { values: Vec::new(), label: (*label).to_owned(), number: None };
        let levels = labels.iter().map(make_level).collect();
        Axis { columns: Vec::new(), path: name.to_owned(), name: name.to_owned(), levels }
    }

    fn judged(mean: f64, marked: bool) -> JudgedRatio {
        let ratio = Ratio { mean, low: mean / 2.0, high: mean * 2.0, pairs: 8, ..Ratio::default() };
        JudgedRatio { ratio, p: 0.25, significant: marked, ..JudgedRatio::default() }
    }

    fn grid() -> Grid<'static> {
        Grid { axes: vec![axis("size", &["a", "b", "c"]), axis("slots", &["1", "2", "4"])], ..Grid::default() }
    }

    /// On each axis, the star is at the axis's own reference level.
    #[test]
    fn effect_has_the_cells_of_its_level() {
        let single_pair = JudgedRatio {
            ratio: Ratio { mean: 0.5, low: f64::NAN, pairs: 1, ..Ratio::default() },
            p: f64::NAN,
            ..judged(1.0, false)
        };
        let reference_result =
            JudgedRatio { ratio: Ratio { pairs: 0, ..Ratio::identity(0) }, p: f64::NAN, ..JudgedRatio::default() };
        let make_effect = |axis: usize, level: usize, judged: JudgedRatio| Effect { axis, level, judged };
        let grid = Grid {
            references: vec![1, 0],
            effects: vec![
                make_effect(0, 0, judged(0.5, true)),
                make_effect(0, 1, reference_result),
                make_effect(0, 2, judged(2.0, true)),
                make_effect(1, 0, reference_result),
                make_effect(1, 1, single_pair),
                make_effect(
                    1,
                    2,
                    JudgedRatio { ratio: Ratio { mean: f64::NAN, ..reference_result.ratio }, ..reference_result },
                ),
            ],
            ..grid()
        };
        let table = effects_table(&grid);
        crate::report::sheet::assert_drop_orders_distinct(&table);
        let cells: Vec<_> = table
            .rows
            .iter()
            .map(|row| {
                (
                    row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(" | "),
                    row[2].emphasis,
                    row[3].note,
                )
            })
            .collect();
        let reference_note = "the value that the others are compared with";
        let cells: Vec<(&str, Emphasis, &str)> =
            cells.iter().map(|(text, emphasis, note)| (text.as_str(), *emphasis, *note)).collect();
        assert_eq!(
            cells,
            [
                ("size | a | 0.500 | 0.250-1.000 | 0.250 | 8", Emphasis::Better, ""),
                ("size | b * | 1.000 | - | - | -", Emphasis::None, reference_note),
                ("size | c | 2.000 | 1.000-4.000 | 0.250 | 8", Emphasis::Worse, ""),
                ("slots | 1 * | 1.000 | - | - | -", Emphasis::None, reference_note),
                ("slots | 2 | 0.500 | - | - | 1", Emphasis::None, TOO_FEW_POSITIONS),
                ("slots | 4 | - | - | - | -", Emphasis::None, "no two searches that differ in this option alone"),
            ]
        );
        assert_eq!(
            [1, 2].map(|row| [table.rows[row][0].sort_rank, table.rows[row][1].sort_rank]),
            [[Some(0), Some(1)], [Some(0), Some(2)]]
        );
    }

    /// Significant interactions come first, then the largest. At most twelve are shown, but all are
    /// counted.
    #[test]
    fn significant_interactions_come_first() {
        let make_table = |interactions: &[(f64, bool)]| {
            let make_interaction = |&(mean, significant): &(f64, bool)| Interaction {
                first: (0, 2),
                second: (1, 1),
                judged: judged(mean, significant),
            };
            interactions_table(&Grid { interactions: interactions.iter().map(make_interaction).collect(), ..grid() })
        };
        let table = make_table(&[(1.5, false), (0.25, false), (0.9, true), (1.2, true), (3.0, false)]).unwrap();
        let means: Vec<&str> = table.rows.iter().map(|row| row[2].text.as_str()).collect();
        assert_eq!(means, ["1.200", "0.900", "0.250", "3.000", "1.500"]);
        assert_eq!([&table.rows[0][0].text, &table.rows[0][1].text], ["size=c", "slots=2"]);
        assert!(table.note.ends_with(" 2 of 5 pairs differ significantly from 1."), "{}", table.note);
        for (number, listed, end) in [
            (12, 12, "12 of 12 pairs differ significantly from 1."),
            (13, 12, "13 of 13 pairs differ significantly from 1; the 12 largest are shown."),
        ] {
            let table = make_table(&vec![(1.5, true); number]).unwrap();
            assert!(table.rows.len() == listed, "{}", table.note);
            assert!(table.note.ends_with(end), "{}", table.note);
        }
        assert_eq!(make_table(&[]), None);
    }
}
