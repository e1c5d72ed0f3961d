//! Creates tables from options.

use super::entry::{Bytes10, Bytes12, Bytes16, Bytes24, KeysFirst, Packing};
use super::error::{check_range, refuse};
use super::evaluated16::Evaluated16;
use super::forgetful::Forgetful;
use super::layout::{LEAST_BITS, bucket_bytes, memory_bytes, memory_layout};
use super::memory::{Memory, check_free};
use super::options::{Index, Layout, Size, TableKind, TableOptions, Victim};
use super::packed::Packed;
use super::policy::{Replacement, Visitor};
use super::shape::Fields;
use super::size::MAX_BYTES;
use super::unbounded::Unbounded;
use super::{Bounded, OptionError, Table, TableError};

/// The size may be given as a share of `working_set`, the number of entries that an unbounded table
/// stores in the same search.
fn bucket_count(options: &TableOptions, working_set: Option<u64>) -> Option<u64> {
    let slots = u64::from(options.slots.max(1));
    let buckets = match options.size {
        Size::Bytes(bytes) => bytes / bucket_bytes(options).max(1),
        Size::Entries(entries) => entries / slots,
        Size::Share(share) => ((working_set? as f64 * share) as u64 / slots).max(1),
    };
    // The index `mask` needs a power of two.
    Some(if options.index == Index::Mask && buckets > 0 { 1 << buckets.ilog2() } else { buckets })
}

pub(crate) fn require_buckets(options: &TableOptions, working_set: Option<u64>) -> Result<u64, OptionError> {
    bucket_count(options, working_set).ok_or_else(|| {
        let problem = "is a share of the working set, which is unknown here: expected bytes or entries";
        OptionError::new("table.size", problem).with_word(options.size)
    })
}

pub fn bytes(options: &TableOptions, working_set: Option<u64>) -> Option<u64> {
    match options.kind {
        TableKind::None => Some(0),
        TableKind::Unbounded => None,
        TableKind::Bounded => bucket_count(options, working_set)?.checked_mul(memory_bytes(options)),
    }
}

/// Checks that there is enough memory for a table with the options `options` after an existing
/// table with the options `old_options` is dropped. Nothing is allocated.
///
/// # Errors
/// When there is not enough memory.
pub fn check_memory(options: &TableOptions, old_options: &TableOptions) -> Result<(), TableError> {
    let [new_bytes, freed_bytes] = [options, old_options].map(|options| bytes(options, None).unwrap_or(0));
    check_free(new_bytes.saturating_sub(freed_bytes)).map(drop).map_err(|error| match error {
        TableError::Memory { available, .. } => {
            TableError::Memory { bytes: new_bytes, available: available.map(|free| free + freed_bytes) }
        }
        other => other,
    })
}

pub fn slot_count(options: &TableOptions, working_set: Option<u64>) -> Option<u64> {
    if options.kind != TableKind::Bounded {
        return None;
    }
    bucket_count(options, working_set)?.checked_mul(u64::from(options.slots))
}

impl TableOptions {
    /// Checks that a layout with these fields has room for everything that the policy and the other
    /// options store in a bucket: node counts and marks of used entries.
    fn check_fields(&self, fields: &Fields) -> Result<(), OptionError> {
        let marks_entries = self.policy.marks_entries() || self.demotion.once || self.guard.best_move;
        let no_room = |need: &str| {
            format!(
                "{need}, for which table.layout has no room: expected another policy, a larger entry, or \"bytes16\""
            )
        };
        refuse! {
            "table.policy"[self.policy.name()] if self.policy.reads_nodes() && fields.nodes.bits == 0 =>
                no_room("reads the nodes of a subtree");
            "table.policy"[self.policy.name()] if marks_entries && fields.used.bits == 0 =>
                no_room("marks entries as used");
        }
        Ok(())
    }

    /// Checks the ranges and the combinations of the options, but not whether there is enough
    /// memory.
    ///
    /// # Errors
    /// The path of the first wrong option, and what is wrong.
    pub fn check(&self) -> Result<(), OptionError> {
        check_range("table.slots", self.slots, 1..=8)?;
        check_range("table.key_bits", self.key_bits, 0..=64)?;
        check_range("table.age_bits", self.age_bits, 1..=10)?;
        refuse! {
            "table.slots" if self.layout == Layout::Bytes10 && self.slots != 3 =>
                format!("the layout \"bytes10\" needs 3 slots, found {}", self.slots);
        }
        if let Some(shape) = self.shape() {
            shape.check().map_err(|problem| OptionError::new("table.layout", problem))?;
            self.check_fields(&shape.fields())?;
        }
        let (slots, key_bits) = (u32::from(self.slots), u32::from(self.key_bits));
        let data_bits = LEAST_BITS + if self.static_evaluation { 16 } else { 0 };
        let least = slots * (key_bits + data_bits);
        let has_shape = matches!(self.layout, Layout::Shape(_));
        let bits = if has_shape { 0 } else { 8 * u32::from(self.bucket_bytes) };
        refuse! {
            "table.bucket_bytes" if bits != 0 && !(least..=8 * 512).contains(&bits) => format!(
                "{slots} slots with {key_bits} key bits and at least {data_bits} bits of data each need {least} bits, \
                 found {bits}: expected {} to 512 bytes, or a smaller table.slots or table.key_bits",
                least.div_ceil(8)
            );
        }
        check_range("table.forget", self.forget, 0.0..=1.0)?;
        if self.kind != TableKind::Bounded {
            return Ok(());
        }
        check_range("table.guard.margin", self.guard.margin, -255..=255)?;
        check_range("table.guard.pv", self.guard.pv, -255..=255)?;
        self.policy.check(self.slots).map_err(|problem| OptionError::new("table.policy", problem))?;
        let policy = self.policy.name();
        let (once, best_move, marks) = (self.demotion.once, self.guard.best_move, self.policy.marks_entries());
        let takes_mark = || {
            format!(
                "true takes the bit with which the policy \"{policy}\" marks used entries: expected false, or another \
                 policy"
            )
        };
        let buckets = bucket_count(self, None);
        let fits = |buckets: u64| buckets.checked_mul(memory_bytes(self)).is_some_and(|bytes| bytes <= MAX_BYTES);
        refuse! {
            "table.demotion.once" if once && marks => takes_mark();
            "table.guard.best_move" if best_move && marks => takes_mark();
            "table.guard.best_move" if once && best_move =>
                "true takes the bit with which table.demotion.once marks used entries: expected only one of the two";
            "table.victim"["probe"] if self.victim == Victim::Probe && !self.policy.ignores_newcomer() => format!(
                "chooses the slot before the new result is known, so the policy must not depend on it, found \
                 \"{policy}\": expected \"depth-age\" or \"scored\", without a condition to refuse stores"
            );
            "table.size"[self.size] if buckets == Some(0) =>
                format!("is too small for one bucket of {} bytes", bucket_bytes(self));
            "table.size"[self.size] if !buckets.is_none_or(fits) =>
                format!("is too large: expected at most {} GiB", MAX_BYTES >> 30);
        }
        Ok(())
    }
}

/// Creates the table that the options describe. Returns `None` if `kind` is `none`.
///
/// The size of the table may be given as a share of `working_set`, the number of entries that an
/// unbounded table stores in the same search. If `by_depth` is true, an entry answers only at its
/// own depth, so an unbounded table keeps one entry per key and depth.
///
/// # Errors
/// When an option is out of range, or there is not enough memory.
pub fn build(
    options: &TableOptions,
    working_set: Option<u64>,
    by_depth: bool,
) -> Result<Option<Box<dyn Table>>, TableError> {
    options.check()?;
    let table = match options.kind {
        TableKind::None => None,
        TableKind::Unbounded => Some(Box::new(Unbounded::new(options, by_depth)) as Box<dyn Table>),
        TableKind::Bounded => {
            let buckets = require_buckets(options, working_set)?;
            Some(build_bounded(options, buckets, Boxed)?)
        }
    };
    if options.forget > 0.0 {
        return Ok(table.map(|table| Box::new(Forgetful::new(table, options)) as Box<dyn Table>));
    }
    Ok(table)
}

/// Whether the kernel gives huge pages to a table of this size, for which it maps as much memory.
/// Returns `None` if the system does not say.
pub fn gets_huge_pages(options: &TableOptions) -> Option<bool> {
    let words = usize::try_from(bytes(options, None)? / 8).ok()?;
    Memory::new(words, options.huge_pages).ok()?.huge_pages()
}

/// Generic code that receives a table as its concrete type.
pub(crate) trait Taker {
    type Output;
    fn take<P: Replacement, L: Packing, const SLOTS: usize>(self, table: Bounded<P, L, SLOTS>) -> Self::Output;
}

/// Creates a bounded table and passes it to `taker`. The type of the table includes its policy, its
/// layout and, in the common cases, the slots per bucket. The compiler can therefore unroll loops
/// over slots and omit unused fields.
pub(crate) fn build_bounded<T: Taker>(options: &TableOptions, buckets: u64, taker: T) -> Result<T::Output, TableError> {
    options.policy.dispatch(BoundedMaker { options, buckets, taker })
}

struct BoundedMaker<'a, T> {
    options: &'a TableOptions,
    buckets: u64,
    taker: T,
}

impl<T: Taker> BoundedMaker<'_, T> {
    fn make<P: Replacement, L: Packing, const SLOTS: usize>(self, policy: P) -> Result<T::Output, TableError> {
        Ok(self.taker.take(Bounded::<P, L, SLOTS>::new(self.options, policy, self.buckets)?))
    }
}

/// Whether a policy supports buckets of `slots` slots. No code is compiled for a number of slots
/// that the policy does not support.
const fn supports_slots<P: Replacement>(slots: u8) -> bool {
    *P::SLOTS.start() <= slots && slots <= *P::SLOTS.end()
}

impl<T: Taker> Visitor for BoundedMaker<'_, T> {
    type Output = Result<T::Output, TableError>;

    fn visit<P: Replacement>(self, policy: P) -> Self::Output {
        match (memory_layout(self.options), self.options.slots) {
            (Layout::Bytes16, 1) if const { supports_slots::<P>(1) } => self.make::<P, Bytes16, 1>(policy),
            (Layout::Bytes16, 4) if const { supports_slots::<P>(4) } => self.make::<P, Bytes16, 4>(policy),
            (Layout::Bytes16, _) => self.make::<P, Bytes16, 0>(policy),
            (Layout::Bytes24, _) => self.make::<P, Bytes24, 0>(policy),
            (Layout::Bytes10, _) => self.make::<P, Bytes10, 3>(policy),
            (Layout::Shape(shape), slots) => match (shape.fixed_entry_bytes(), slots) {
                (Some(12), 5) => self.make::<P, Bytes12, 5>(policy),
                (Some(10), 1) if const { supports_slots::<P>(1) } => self.make::<P, KeysFirst<1>, 1>(policy),
                (Some(12), 1) if const { supports_slots::<P>(1) } => self.make::<P, KeysFirst<2>, 1>(policy),
                (_, 2) if const { supports_slots::<P>(2) } && shape.fits_evaluated16() => {
                    self.make::<P, Evaluated16, 2>(policy)
                }
                _ => self.make::<P, Packed, 0>(policy),
            },
        }
    }
}

struct Boxed;

impl Taker for Boxed {
    type Output = Box<dyn Table>;

    fn take<P: Replacement, L: Packing, const SLOTS: usize>(self, table: Bounded<P, L, SLOTS>) -> Self::Output {
        Box::new(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only one of a policy, `demotion.once` and `guard.best_move` can have the bit that marks used
    /// entries.
    #[test]
    fn option_that_takes_the_mark_of_use_is_refused_beside_another_user() {
        for (option, path) in [("demotion.once", "table.demotion.once"), ("guard.best_move", "table.guard.best_move")] {
            for (policy, refused) in [("depth-age", None), ("ancient", Some(path))] {
                let text = format!("policy = '{policy}'\n{option} = true");
                let options: TableOptions = crate::decode::from_toml(&text).unwrap();
                let error = options.check().err().map(|error| error.to_string());
                assert_eq!(error.as_deref().and_then(|error| error.split_once(':')).map(|parts| parts.0), refused);
            }
        }
        let both: TableOptions = crate::decode::from_toml("demotion.once = true\nguard.best_move = true").unwrap();
        assert!(both.check().unwrap_err().to_string().contains("table.demotion.once marks used entries"));
    }

    /// A masked table has the largest power of two of buckets that fits; any other index uses all
    /// of the size.
    #[test]
    fn table_size_is_rounded_down_to_whole_buckets() {
        for (size, slots, [all, masked]) in [
            (Size::Entries(600), 1, [600, 512]),
            (Size::Entries(512), 1, [512, 512]),
            (Size::Entries(600), 4, [600, 512]),
            (Size::Bytes(16 * 1000), 4, [1000, 512]),
            (Size::Entries(1), 1, [1, 1]),
        ] {
            for (index, expected) in [(Index::Multiply, all), (Index::Mask, masked)] {
                let options = TableOptions { size, slots, index, ..TableOptions::default() };
                assert_eq!(slot_count(&options, None), Some(expected), "{size} {slots} {index:?}");
                assert_eq!(bytes(&options, None), Some(16 * expected), "{size} {slots} {index:?}");
            }
        }
    }
}
