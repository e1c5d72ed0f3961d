//! The tables of a grid: each option by itself, and two together.

use super::gridded::Grid;
use super::sheet::{Cell, Emphasis, SheetColumn, SheetTable};
use super::table::ONE;
use crate::analysis::pairing::ratio::Judged;
use crate::analysis::questions::effects::Interaction;

/// Ratio, interval, p and pairs.
fn judged(judged: &Judged) -> [Cell; 4] {
    let ratio = judged.ratio;
    let why = match ratio.pairs {
        0 if ratio.mean.is_nan() => "no search beside it that is alike in all else",
        0 => "what the others are held against",
        _ => ONE,
    };
    let pairs = if ratio.pairs > 0 { ratio.pairs as f64 } else { f64::NAN };
    [
        Cell::decimal(ratio.mean, 3).marked(Emphasis::of(judged.marked, ratio.mean < 1.0)).or(why),
        Cell::range(ratio.low, ratio.high).or(why),
        Cell::p(judged.p).or(why),
        Cell::count(pairs).or(why),
    ]
}

/// The columns of [`judged`].
fn judgement(ratio: &str, corrected: &str) -> [SheetColumn; 4] {
    [
        SheetColumn::numbers("ratio", "ratio", ratio),
        SheetColumn::numbers("interval", "95 %", "").drop_order(1),
        SheetColumn::numbers("p", "p", corrected).drop_order(2),
        SheetColumn::numbers("pairs", "pairs", "").drop_order(3),
    ]
}

/// What each level of each axis does.
pub(super) fn effects(grid: &Grid) -> SheetTable {
    let rows = grid.effects.iter().map(|effect| {
        let axis = &grid.axes[effect.axis];
        let reference = effect.level == grid.references[effect.axis];
        let label = Cell::text(&axis.levels[effect.level].label).signed('*', reference);
        let option = Cell { place: Some(effect.axis), ..Cell::text(axis.name.clone()) };
        [&[option, Cell { place: Some(effect.level), ..label }], &judged(&effect.judged)[..]].concat()
    });
    let heads = [
        SheetColumn::words("option", "option", ""),
        SheetColumn::words("value", "value", "* is what the others are held against"),
    ];
    let ratio = judgement("paired by position and by every other option", "corrected for all of these by joint flips");
    SheetTable::new("effects", "Each option by itself", [&heads, &ratio[..]].concat(), rows)
        .noted("Each value against the one marked *, at the same position and the same value of every other option.")
}

/// Interactions shown; those that are clear come first.
const SHOWN: usize = 12;

/// Where two options do together what neither does alone.
pub(super) fn interactions(grid: &Grid) -> Option<SheetTable> {
    let mut all: Vec<_> = grid.interactions.iter().collect();
    let size = |one: &Interaction| one.judged.ratio.mean.ln().abs();
    all.sort_by(|a, b| (!a.judged.marked).cmp(&!b.judged.marked).then(size(b).total_cmp(&size(a))));
    let rows = all.iter().take(SHOWN).map(|of| {
        let options = [of.first, of.second].map(|(axis, level)| Cell::text(grid.axes[axis].named(level)));
        [&options, &judged(&of.judged)[..]].concat()
    });
    let number = all.iter().filter(|interaction| interaction.judged.marked).count();
    let heads = [SheetColumn::words("first", "one", ""), SheetColumn::words("second", "other", "")];
    let ratio = judgement("1 where the two effects simply multiply", "corrected for all pairs by joint flips");
    let more = if all.len() > SHOWN { format!("; the {SHOWN} largest are shown") } else { String::new() };
    let note = format!(
        "By what factor two values together differ from the product of each alone. {number} of {} pairs are clear of 1{more}.",
        all.len()
    );
    SheetTable::new("interactions", "Options together", [&heads, &ratio[..]].concat(), rows).noted(note).unless_empty()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::analysis::Ratio;
    use crate::analysis::questions::effects::Effect;
    use crate::analysis::rows::axes::{Axis, Level};

    fn axis(name: &str, labels: &[&str]) -> Axis {
        let level = |label: &&str| Level { values: Vec::new(), label: (*label).to_owned(), number: None };
        let levels = labels.iter().map(level).collect();
        Axis { columns: Vec::new(), path: name.to_owned(), name: name.to_owned(), levels }
    }

    fn judged(mean: f64, marked: bool) -> Judged {
        let ratio = Ratio { mean, low: mean / 2.0, high: mean * 2.0, pairs: 8, ..Ratio::default() };
        Judged { ratio, p: 0.25, marked, ..Judged::default() }
    }

    fn grid() -> Grid<'static> {
        Grid { axes: vec![axis("size", &["a", "b", "c"]), axis("slots", &["1", "2", "4"])], ..Grid::default() }
    }

    /// The star stands at each axis's own reference, marks at what is told from 1, dashes with their reasons.
    #[test]
    fn each_effect_stands_under_its_option() {
        let few = Judged {
            ratio: Ratio { mean: 0.5, low: f64::NAN, pairs: 1, ..Ratio::default() },
            p: f64::NAN,
            ..judged(1.0, false)
        };
        let itself = Judged { ratio: Ratio { pairs: 0, ..Ratio::itself(0) }, p: f64::NAN, ..Judged::default() };
        let effect = |axis: usize, level: usize, judged: Judged| Effect { axis, level, judged };
        let grid = Grid {
            references: vec![1, 0],
            effects: vec![
                effect(0, 0, judged(0.5, true)),
                effect(0, 1, itself),
                effect(0, 2, judged(2.0, true)),
                effect(1, 0, itself),
                effect(1, 1, few),
                effect(1, 2, Judged { ratio: Ratio { mean: f64::NAN, ..itself.ratio }, ..itself }),
            ],
            ..grid()
        };
        let table = effects(&grid);
        crate::report::sheet::each_goes_in_its_turn(&table);
        let shown: Vec<_> = table
            .rows
            .iter()
            .map(|row| {
                (row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(" | "), row[2].mark, row[3].note)
            })
            .collect();
        let against = "what the others are held against";
        let shown: Vec<(&str, Emphasis, &str)> =
            shown.iter().map(|(text, mark, note)| (text.as_str(), *mark, *note)).collect();
        assert_eq!(
            shown,
            [
                ("size | a | 0.500 | 0.250-1.000 | 0.250 | 8", Emphasis::Less, ""),
                ("size | b * | 1.000 | - | - | -", Emphasis::None, against),
                ("size | c | 2.000 | 1.000-4.000 | 0.250 | 8", Emphasis::More, ""),
                ("slots | 1 * | 1.000 | - | - | -", Emphasis::None, against),
                ("slots | 2 | 0.500 | - | - | 1", Emphasis::None, ONE),
                ("slots | 4 | - | - | - | -", Emphasis::None, "no search beside it that is alike in all else"),
            ]
        );
        assert_eq!(
            [1, 2].map(|row| [table.rows[row][0].place, table.rows[row][1].place]),
            [[Some(0), Some(1)], [Some(0), Some(2)]]
        );
    }

    /// Those that are clear first, however small, then the largest, up or down; twelve at most, and all are counted.
    #[test]
    fn clear_interactions_come_first() {
        let of = |interactions: &[(f64, bool)]| {
            let one = |&(mean, marked): &(f64, bool)| Interaction {
                first: (0, 2),
                second: (1, 1),
                judged: judged(mean, marked),
            };
            super::interactions(&Grid { interactions: interactions.iter().map(one).collect(), ..grid() })
        };
        let table = of(&[(1.5, false), (0.25, false), (0.9, true), (1.2, true), (3.0, false)]).unwrap();
        let means: Vec<&str> = table.rows.iter().map(|row| row[2].text.as_str()).collect();
        assert_eq!(means, ["1.200", "0.900", "0.250", "3.000", "1.500"]);
        assert_eq!([&table.rows[0][0].text, &table.rows[0][1].text], ["size=c", "slots=2"]);
        assert!(table.note.ends_with(" 2 of 5 pairs are clear of 1."), "{}", table.note);
        for (number, shown, end) in [
            (12, 12, "12 of 12 pairs are clear of 1."),
            (13, 12, "13 of 13 pairs are clear of 1; the 12 largest are shown."),
        ] {
            let table = of(&vec![(1.5, true); number]).unwrap();
            assert!(table.rows.len() == shown && table.note.ends_with(end), "{}", table.note);
        }
        assert_eq!(of(&[]), None);
    }
}
