//! Checks of ranges and combinations of options, which the types of the options cannot express.

use super::crew::HELPER_BYTES;
use super::options::{Algorithm, BoundsRule, Diagnostics, EngineOptions, Ordering, Shape};
use crate::table::error::{check_range, refuse};
use crate::table::options::{Clear, Victim};
use crate::table::{self, OptionError, Size, TableKind, shadow};

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
        let is_full = self.diagnostics == Diagnostics::Full;
        let same_bit = "true and diagnostics = \"full\" need the same bit of an entry: expected false, or \
                        diagnostics = \"off\"";
        refuse! {
            "table.demotion.once" if is_full && self.table.demotion.once => same_bit;
            "table.guard.best_move" if is_full && self.table.guard.best_move => same_bit;
        }
        let shape = self.table.shape().filter(|_| self.table.kind == TableKind::Bounded);
        let Some(fields) = shape.map(|shape| shape.fields()) else { return Ok(()) };
        let (mate, bits) = (self.mate.value, fields.score.bits);
        let most = (1 << (bits.min(16) - 1)) - 1;
        refuse! {
            "table.layout" if is_full && fields.used.bits == 0 =>
                "has no free bit, but diagnostics = \"full\" needs one to mark used entries: expected a larger entry, \
                 or diagnostics = \"off\"";
            "table.layout" if mate > most => format!(
                "stores scores in {bits} bits, which are too few: expected a mate.value of at most {most}, found {mate}"
            );
        }
        Ok(())
    }

    /// Checks the ranges and combinations of all options.
    ///
    /// # Errors
    /// If an option is wrong. The error names the first wrong option by its path.
    pub fn check(&self) -> Result<(), OptionError> {
        for (path, value, range) in [
            ("aspiration", self.aspiration, 0..=32_000),
            ("deepening.start", self.deepening.start.into(), 1..=255),
            ("threads.count", i32::try_from(self.threads.count).unwrap_or(i32::MAX), 1..=256),
            ("quiescence.delta", self.quiescence.delta, 0..=32_000),
            ("mate.value", self.mate.value, 1_000..=31_700),
            ("eval.work", self.eval.work, 0..=100_000),
            ("eval.mobility", self.eval.mobility, -100..=100),
            ("eval.centre", self.eval.centre, -100..=100),
            ("eval.space", self.eval.space, -100..=100),
            ("singular.double", self.singular.double, 0..=32_000),
        ] {
            check_range(path, value, range)?;
        }
        self.check_entries()?;
        let several = self.threads.count > 1;
        let has_table = self.table.kind != TableKind::None;
        let orders_by = |rule: Ordering| self.ordering.contains(&rule);
        let has_duplicate =
            (1..self.ordering.len()).any(|index| self.ordering[..index].contains(&self.ordering[index]));
        refuse! {
            "threads.quantum" if self.threads.quantum == 0 => "0 is too small: expected at least 1 node";
            "threads.count" if several && self.diagnostics == Diagnostics::Full =>
                "diagnostics = \"full\" can follow only one searcher: expected 1, or diagnostics = \"off\"";
            "threads.count" if several && orders_by(Ordering::Oracle) =>
                "the ordering \"oracle\" can follow only one searcher: expected 1, or an ordering without it";
            "threads.count" if several && self.table.victim == Victim::Probe =>
                "table.victim = \"probe\" can follow only one searcher: expected 1, or table.victim = \"store\"";
            "ordering" if has_duplicate => "has a duplicate rule: name each rule once";
            "ordering"["oracle"] if self.ordering.iter().skip(1).any(|&rule| rule == Ordering::Oracle) =>
                "must be the first rule";
            "ordering"["mvv-lva"] if orders_by(Ordering::See) && orders_by(Ordering::MvvLva) =>
                "and \"see\" are mutually exclusive: use one of them";
            "algorithm"["mtdf"] if self.algorithm == Algorithm::Mtdf && !has_table =>
                "needs a table: it searches the same tree many times";
            "store.evaluations" if self.store.evaluations && self.probe.bounds == BoundsRule::Ignored =>
                "true needs probe.bounds = \"checked\": an entry with only an evaluation has no score, and must not \
                 count as exact";
            "iid.min_depth" if self.iid.min_depth == 1 =>
                "1 leaves no depth for a shallower search: expected 0 (off) or at least 2";
            "iir.min_depth" if self.iir.min_depth == 1 =>
                "a depth of 1 cannot be reduced: expected 0 (off) or at least 2";
            "shape"["neutral"] if self.shape == Shape::Neutral && !has_table =>
                "needs a table, because it records what the search offers to the table: to search without hits, use \
                 table.forget = 1";
            "singular.min_depth" if matches!(self.singular.min_depth, 1 | 2) =>
                "1 and 2 leave no depth to search the other moves: expected 0 (off) or at least 3";
            "history_clear"["iteration"] if self.history_clear == Clear::Iteration && self.deepening.step == 0 =>
                "needs deepening.step above 0";
        }
        Ok(())
    }
}
