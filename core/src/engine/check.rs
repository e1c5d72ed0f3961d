//! Checks of ranges and combinations of options, which the types of the options cannot express.

use super::crew::HELPER_BYTES;
use super::options::{Algorithm, BoundsRule, Diagnostics, EngineOptions, Ordering, Shape};
use crate::table::error::check_range;
use crate::table::options::{Clear, Victim};
use crate::table::{self, OptionError, Size, TableKind, shadow};

fn refuse(path: &'static str, conflicts: bool, problem: &str) -> Result<(), OptionError> {
    if conflicts { Err(OptionError { path, problem: problem.to_owned() }) } else { Ok(()) }
}

impl EngineOptions {
    /// Under full diagnostics, this includes the shadow, which records an additional key for each
    /// slot of the table.
    #[must_use]
    pub fn memory_bytes(&self) -> Option<u64> {
        let shadow_bytes = match self.diagnostics {
            Diagnostics::Full => table::slot_count(&self.table, None).unwrap_or(0).saturating_mul(shadow::SLOT_BYTES),
            Diagnostics::Off => 0,
        };
        let helper_bytes = u64::from(self.threads.count.saturating_sub(1)) * HELPER_BYTES;
        Some(table::bytes(&self.table, None)?.saturating_add(shadow_bytes).saturating_add(helper_bytes))
    }

    /// Whether the use of memory grows by an unknown amount during the search.
    #[must_use]
    pub fn memory_grows(&self) -> bool {
        let table_grows = match self.table.kind {
            TableKind::None => false,
            TableKind::Unbounded => true,
            // The size of the table is unknown if it is a share of the working set.
            TableKind::Bounded => matches!(self.table.size, Size::Share(_)),
        };
        table_grows || self.diagnostics == Diagnostics::Full || self.ordering.contains(&Ordering::Oracle)
    }

    /// Checks that table entries have room for what the options store in them. Full diagnostics
    /// need a free bit to mark used entries. If the layout of an entry is given by the options, the
    /// field of the score needs enough bits for mate scores.
    fn check_entries(&self) -> Result<(), OptionError> {
        let (once, best_move) = (self.table.demotion.once, self.table.guard.best_move);
        for (path, takes_free_bit) in [("table.demotion.once", once), ("table.guard.best_move", best_move)] {
            refuse(
                path,
                takes_free_bit && self.diagnostics == Diagnostics::Full,
                "true and diagnostics = \"full\" need the same bit of an entry: expected false, or \
                 diagnostics = \"off\"",
            )?;
        }
        if self.table.kind != TableKind::Bounded {
            return Ok(());
        }
        let Some(shape) = self.table.shape() else { return Ok(()) };
        let (fields, mate) = (shape.fields(), self.mate.value);
        refuse(
            "table.layout",
            self.diagnostics == Diagnostics::Full && fields.used.bits == 0,
            "has no free bit, but diagnostics = \"full\" needs one to mark used entries: expected a larger entry, or \
             diagnostics = \"off\"",
        )?;
        let max_score = (1 << (fields.score.bits.min(16) - 1)) - 1;
        let problem = format!(
            "stores scores in {} bits, which are too few: expected a mate.value of at most {max_score}, found {mate}",
            fields.score.bits
        );
        refuse("table.layout", mate > max_score, &problem)
    }

    /// Checks the ranges and combinations of all options.
    ///
    /// # Errors
    /// If an option is wrong. The error names the first wrong option by its path.
    pub fn check(&self) -> Result<(), OptionError> {
        check_range("aspiration", self.aspiration, 0..=32_000)?;
        check_range("deepening.start", i32::from(self.deepening.start), 1..=255)?;
        let threads = &self.threads;
        check_range("threads.count", i32::try_from(threads.count).unwrap_or(i32::MAX), 1..=256)?;
        refuse("threads.quantum", threads.quantum == 0, "0 is too small: expected at least 1 node")?;
        let several = threads.count > 1;
        self.check_entries()?;
        refuse(
            "threads.count",
            several && self.diagnostics == Diagnostics::Full,
            "diagnostics = \"full\" can follow only one searcher: expected 1, or diagnostics = \"off\"",
        )?;
        refuse(
            "threads.count",
            several && self.ordering.contains(&Ordering::Oracle),
            "the ordering \"oracle\" can follow only one searcher: expected 1, or an ordering without it",
        )?;
        refuse(
            "threads.count",
            several && self.table.victim == Victim::Probe,
            "table.victim = \"probe\" can follow only one searcher: expected 1, or table.victim = \"store\"",
        )?;
        check_range("quiescence.delta", self.quiescence.delta, 0..=32_000)?;
        check_range("mate.value", self.mate.value, 1_000..=31_700)?;
        check_range("eval.work", self.eval.work, 0..=100_000)?;
        check_range("eval.mobility", self.eval.mobility, -100..=100)?;
        check_range("eval.centre", self.eval.centre, -100..=100)?;
        check_range("eval.space", self.eval.space, -100..=100)?;
        for (index, rule) in self.ordering.iter().enumerate() {
            refuse("ordering", self.ordering[..index].contains(rule), "has a duplicate rule: name each rule once")?;
        }
        refuse(
            "ordering",
            self.ordering.iter().skip(1).any(|&rule| rule == Ordering::Oracle),
            "\"oracle\" must be the first rule",
        )?;
        refuse(
            "ordering",
            self.ordering.contains(&Ordering::See) && self.ordering.contains(&Ordering::MvvLva),
            "\"mvv-lva\" and \"see\" are mutually exclusive: use one of them",
        )?;
        let has_table = self.table.kind != TableKind::None;
        refuse(
            "algorithm",
            self.algorithm == Algorithm::Mtdf && !has_table,
            "\"mtdf\" needs a table: it searches the same tree many times",
        )?;
        refuse(
            "store.evaluations",
            self.store.evaluations && self.probe.bounds == BoundsRule::Ignored,
            "true needs probe.bounds = \"checked\": an entry with only an evaluation has no score, and must not \
             count as exact",
        )?;
        refuse(
            "iid.min_depth",
            self.iid.min_depth == 1,
            "1 leaves no depth for a shallower search: expected 0 (off) or at least 2",
        )?;
        refuse(
            "iir.min_depth",
            self.iir.min_depth == 1,
            "a depth of 1 cannot be reduced: expected 0 (off) or at least 2",
        )?;
        check_range("singular.double", self.singular.double, 0..=32_000)?;
        refuse(
            "shape",
            self.shape == Shape::Neutral && !has_table,
            "\"neutral\" needs a table, because it records what the search offers to the table: to search without \
             hits, use table.forget = 1",
        )?;
        refuse(
            "singular.min_depth",
            matches!(self.singular.min_depth, 1 | 2),
            "1 and 2 leave no depth to search the other moves: expected 0 (off) or at least 3",
        )?;
        refuse(
            "history_clear",
            self.history_clear == Clear::Iteration && self.deepening.step == 0,
            "\"iteration\" needs deepening.step above 0",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ends of each range are allowed; a value one beyond either end is refused with the
    /// range.
    #[test]
    fn option_out_of_range_is_refused() {
        type Set = fn(&mut EngineOptions, i32);
        let ranges: [(&str, i32, i32, Set); 7] = [
            ("aspiration", 0, 32_000, |options, value| options.aspiration = value),
            ("quiescence.delta", 0, 32_000, |options, value| options.quiescence.delta = value),
            ("mate.value", 1_000, 31_700, |options, value| options.mate.value = value),
            ("eval.work", 0, 100_000, |options, value| options.eval.work = value),
            ("eval.mobility", -100, 100, |options, value| options.eval.mobility = value),
            ("eval.centre", -100, 100, |options, value| options.eval.centre = value),
            ("eval.space", -100, 100, |options, value| options.eval.space = value),
        ];
        for (path, least, most, set) in ranges {
            let message = |value: i32| {
                let mut options = EngineOptions::default();
                set(&mut options, value);
                options.check().err().filter(|error| error.path == path).map(|error| error.problem)
            };
            let refusal = |value: i32| Some(format!("{value} is out of range: expected {least} to {most}"));
            assert_eq!((message(least), message(most)), (None, None), "{path}");
            assert_eq!((message(least - 1), message(most + 1)), (refusal(least - 1), refusal(most + 1)), "{path}");
        }
        let refused_option = |start: u8| {
            let mut options = EngineOptions::default();
            options.deepening.start = start;
            options.check().err().map(|error| error.path)
        };
        assert_eq!([0, 1, 255].map(refused_option), [Some("deepening.start"), None, None]);
    }
}
