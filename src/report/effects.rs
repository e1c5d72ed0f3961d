//! The table of a grid, which shows the effect of each option.

use super::grid_figures::Grid;
use super::sheet::{Cell, Emphasis, Entries, SheetTable};
use super::table::TOO_FEW_POSITIONS;
use crate::analysis::questions::effects::Effect;
use crate::stats::ratio::{JudgedRatio, Ratio};

pub(super) fn effects_table(grid: &Grid) -> SheetTable {
    let why_empty = |effect: &Effect| match effect.judged.ratio {
        Ratio { pairs: 0, mean, .. } if mean.is_nan() => "no two searches that differ in this option alone",
        Ratio { pairs: 0, .. } => "the value that the others are compared with",
        _ => TOO_FEW_POSITIONS,
    };
    let p_correction = "corrected for the number of values: all signs are flipped together";
    let entries = Entries::<Effect>::default()
        .text("option", "option", "", |effect| Cell {
            sort_rank: Some(effect.axis),
            ..Cell::text(&grid.axes[effect.axis].name)
        })
        .text("value", "value", "* is the value that the others are compared with", |effect| {
            let label = Cell::text(&grid.axes[effect.axis].levels[effect.level].label);
            let label = label.with_sign('*', effect.level == grid.references[effect.axis]);
            Cell { sort_rank: Some(effect.level), ..label }
        })
        .number("ratio", "ratio", "at the same position, with equal other options", |effect| {
            let JudgedRatio { ratio, significant, .. } = &effect.judged;
            let emphasis = Emphasis::for_change(*significant, ratio.mean < 1.0, grid.better);
            Cell::decimal(ratio.mean, 3).with_emphasis(emphasis).with_reason(why_empty(effect))
        })
        .number("interval", "95 %", "", |effect| {
            let ratio = effect.judged.ratio;
            Cell::range(ratio.low, ratio.high).with_reason(why_empty(effect))
        })
        .drop_order(1)
        .number("p", "p", p_correction, |effect| Cell::p(effect.judged.p).with_reason(why_empty(effect)))
        .drop_order(2)
        .number("pairs", "pairs", "", |effect| match effect.judged.ratio.pairs {
            0 => Cell::empty(why_empty(effect)),
            pairs => Cell::count(pairs as f64),
        })
        .drop_order(3);
    entries.table("effects", "Each option by itself", &grid.effects).with_note(
        "Each value is compared with the value marked *, at the same position and equal values of all other options.",
    )
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
}
