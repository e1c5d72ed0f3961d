//! What the types of the options cannot say: ranges, and which options go together.

use super::options::{Algorithm, Diagnostics, EngineOptions, Leaf, Ordering, Shape, Where};
use crate::table::options::Clear;
use crate::table::{self, Size, TableKind, shadow};

/// An option out of its range, or at odds with another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct OptionError {
    /// The option's dotted path.
    pub path: &'static str,
    /// What is wrong and what is expected.
    pub problem: String,
}

/// Fails with a message unless the value lies in the range.
fn within(path: &'static str, value: i32, range: std::ops::RangeInclusive<i32>) -> Result<(), OptionError> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(OptionError {
        path,
        problem: format!("{value} is out of range: expected {} to {}", range.start(), range.end()),
    })
}

/// Fails with a message if the condition holds.
fn refuse(path: &'static str, at_odds: bool, problem: &str) -> Result<(), OptionError> {
    if at_odds { Err(OptionError { path, problem: problem.to_owned() }) } else { Ok(()) }
}

impl EngineOptions {
    /// Bytes that the table takes, and what full diagnostics know about its slots; none where that is not known before the search.
    #[must_use]
    pub fn memory_bytes(&self) -> Option<u64> {
        let followed = match self.diagnostics {
            Diagnostics::Full => table::entries(&self.table, None).unwrap_or(0).saturating_mul(shadow::SLOT_BYTES),
            Diagnostics::Off => 0,
        };
        Some(table::bytes(&self.table, None)?.saturating_add(followed))
    }

    /// Whether it takes more memory as it searches, nobody knows how much.
    #[must_use]
    pub fn grows(&self) -> bool {
        let by_table = match self.table.kind {
            TableKind::None => false,
            TableKind::Unbounded => true,
            TableKind::Bounded => matches!(self.table.size, Size::Share(_)),
        };
        by_table || self.diagnostics == Diagnostics::Full || self.ordering.contains(&Ordering::Foreseen)
    }

    /// Checks ranges and combinations.
    ///
    /// # Errors
    /// The first option that is wrong, by its path.
    pub fn check(&self) -> Result<(), OptionError> {
        within("aspiration", self.aspiration, 0..=32_000)?;
        within("deepening.start", i32::from(self.deepening.start), 1..=255)?;
        within("quiescence.delta", self.quiescence.delta, 0..=32_000)?;
        within("mate.value", self.mate.value, 1_000..=31_700)?;
        within("eval.mobility", self.eval.mobility, -100..=100)?;
        within("eval.centre", self.eval.centre, -100..=100)?;
        within("eval.space", self.eval.space, -100..=100)?;
        within("eval.random", self.eval.random, 0..=30_000)?;
        for (place, rule) in self.ordering.iter().enumerate() {
            refuse("ordering", self.ordering[..place].contains(rule), "names a rule twice")?;
        }
        refuse(
            "ordering",
            self.ordering.iter().skip(1).any(|&rule| rule == Ordering::Foreseen),
            "\"foreseen\" must stand first",
        )?;
        refuse(
            "ordering",
            self.ordering.contains(&Ordering::See) && self.ordering.contains(&Ordering::MvvLva),
            "\"mvv-lva\" and \"see\" both claim all captures: name one of them",
        )?;
        let asks_quiet = self.probe.at == Where::Quiescence || self.store.at == Where::Quiescence;
        let table = self.table.kind != TableKind::None;
        refuse(
            "quiescence.max_plies",
            table && asks_quiet && self.leaf == Leaf::Quiescence && self.quiescence.max_plies != 0,
            "a cap on the plies of captures makes a stored score depend on where it was found: it needs probe.at and \
             store.at above \"quiescence\"",
        )?;
        refuse(
            "algorithm",
            self.algorithm == Algorithm::Mtdf && !table,
            "\"mtdf\" re-searches the same tree many times and needs a table",
        )?;
        refuse(
            "iid.min_depth",
            self.iid.min_depth == 1,
            "1 leaves nothing to search first: expected 0 (off) or at least 2",
        )?;
        within("iir.reduction", i32::from(self.iir.reduction), 1..=255)?;
        refuse(
            "iir.min_depth",
            self.iir.min_depth == 1,
            "1 leaves nothing to take off: expected 0 (off) or at least 2",
        )?;
        within("singular.margin", self.singular.margin, 0..=100)?;
        within("singular.divisor", i32::from(self.singular.divisor), 1..=255)?;
        within("singular.double", self.singular.double, 0..=32_000)?;
        refuse(
            "shape",
            self.shape == Shape::Neutral && !table,
            "\"neutral\" asks what the search offered to its table, and without one nothing is \
             offered: a table that answers nothing is table.forget = 1",
        )?;
        refuse(
            "singular.min_depth",
            matches!(self.singular.min_depth, 1 | 2),
            "leaves no depth for the search of the other moves: expected 0 (off) or at least 3",
        )?;
        refuse(
            "history_clear",
            self.history_clear == Clear::Iteration && self.deepening.step == 0,
            "\"iteration\" needs deepening",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends of each range are allowed; one beyond either is told with the range.
    #[test]
    fn ranges_hold_their_ends() {
        type Set = fn(&mut EngineOptions, i32);
        let ranges: [(&str, i32, i32, Set); 7] = [
            ("aspiration", 0, 32_000, |options, value| options.aspiration = value),
            ("quiescence.delta", 0, 32_000, |options, value| options.quiescence.delta = value),
            ("mate.value", 1_000, 31_700, |options, value| options.mate.value = value),
            ("eval.mobility", -100, 100, |options, value| options.eval.mobility = value),
            ("eval.centre", -100, 100, |options, value| options.eval.centre = value),
            ("eval.space", -100, 100, |options, value| options.eval.space = value),
            ("eval.random", 0, 30_000, |options, value| options.eval.random = value),
        ];
        for (path, least, most, set) in ranges {
            let message = |value: i32| {
                let mut options = EngineOptions::default();
                set(&mut options, value);
                options.check().err().filter(|error| error.path == path).map(|error| error.problem)
            };
            let beyond = |value: i32| Some(format!("{value} is out of range: expected {least} to {most}"));
            assert_eq!((message(least), message(most)), (None, None), "{path}");
            assert_eq!((message(least - 1), message(most + 1)), (beyond(least - 1), beyond(most + 1)), "{path}");
        }
        // A cap on captures does not go with a table that quiescence asks, nor with one that it fills.
        let capped = |probe: Where, store: Where, plies: u8| {
            let mut options = EngineOptions { leaf: Leaf::Quiescence, ..EngineOptions::default() };
            (options.probe.at, options.store.at, options.quiescence.max_plies) = (probe, store, plies);
            options.check().is_err_and(|error| error.path == "quiescence.max_plies")
        };
        let (above, within) = (Where::default(), Where::Quiescence);
        assert_ne!(above, within);
        assert_eq!(
            [(above, above), (above, within), (within, above), (within, within)]
                .map(|(probe, store)| capped(probe, store, 2)),
            [false, true, true, true]
        );
        assert!(!capped(within, within, 0));
        let start = |ply: u8| {
            let mut options = EngineOptions::default();
            options.deepening.start = ply;
            options.check().err().map(|error| error.path)
        };
        assert_eq!((start(0), start(1), start(255)), (Some("deepening.start"), None, None));
    }
}
