//! The layout of a bucket in memory, its size in memory, and its size as reported.

use super::entry::{Bytes10, Bytes16, Bytes24, Packing};
use super::error::{OptionError, refuse};
use super::options::{Index, Layout, TableKind, TableOptions, TickSource};
use super::shape::KeyEnd;

/// A layout with a shape uses a fixed packing if one can be used for the shape. If entries keep a
/// static evaluation, each fixed layout is replaced by `bytes24`, which is the only fixed layout
/// that has room for the evaluation.
pub fn memory_layout(options: &TableOptions) -> Layout {
    match options.shape() {
        Some(shape) => match (shape.fixed_entry_bytes(), shape.slots) {
            (Some(10), 3) => Layout::Bytes10,
            (Some(16), _) => Layout::Bytes16,
            _ => Layout::Shape(shape),
        },
        None if options.static_evaluation => Layout::Bytes24,
        None => options.layout,
    }
}

fn bytes_in(layout: Layout, options: &TableOptions) -> u64 {
    let slots = usize::from(options.slots);
    let words = match layout {
        Layout::Bytes16 => Bytes16::new(None).words(slots),
        Layout::Bytes24 => Bytes24::new(None).words(slots),
        Layout::Bytes10 => Bytes10::new(None).words(slots),
        Layout::Shape(shape) => return shape.bucket.into(),
    };
    8 * words as u64
}

pub fn memory_bytes(options: &TableOptions) -> u64 {
    bytes_in(memory_layout(options), options)
}

/// The fewest bits of an entry besides its key: move 15, score 16, depth 8, bound 2.
pub const LEAST_BITS: u32 = 41;

/// Reports show this size, and `table.size` refers to it. The size in memory may differ (see
/// [`memory_bytes`]).
pub fn bucket_bytes(options: &TableOptions) -> u64 {
    match options.bucket_bytes {
        0 => bytes_in(options.layout, options),
        bytes => bytes.into(),
    }
}

/// Whether the high bits of a key are compared, rather than the low bits. The shape of the layout
/// may say which bits are compared. Otherwise they are the bits that the index does not use.
pub fn compares_high_bits(options: &TableOptions) -> bool {
    let end = options.shape().and_then(|shape| shape.key_end);
    end.map_or(options.index != Index::Multiply, |end| end == KeyEnd::High)
}

impl TableOptions {
    /// Makes room for the sixteen bits of another engine's own moves (`Move::opaque`) in each
    /// entry, and refuses what such an engine does not give the table.
    ///
    /// # Errors
    /// If the layout has no room, if the policy reads the nodes of subtrees, or if the clock counts
    /// iterations.
    pub fn keep_opaque_moves(&mut self) -> Result<(), OptionError> {
        match &mut self.layout {
            _ if self.kind != TableKind::Bounded => {}
            Layout::Shape(shape) => {
                shape.mv = shape.mv.max(16);
                let is_too_wide = self.shape().is_some_and(|shape| shape.check().is_err());
                // Engines whose entries are that narrow do not keep the mark of an open window.
                if is_too_wide && let Layout::Shape(shape) = &mut self.layout {
                    shape.pv = 0;
                }
            }
            _ => {
                let layout = serde_json::to_value(self.layout).unwrap_or_default();
                let problem = "has moves of 15 bits, and an engine's own have 16: expected the bucket of an engine, \
                               as \"2x16\"";
                return Err(OptionError::new("table.layout", problem).with_word(layout.as_str().unwrap_or_default()));
            }
        }
        refuse! {
            "table.policy"[self.policy.name()] if self.policy.reads_nodes() =>
                "reads the nodes of a subtree, which the entries of an engine do not have: expected another policy";
            "table.clock"["iteration"] if self.clock == TickSource::Iteration =>
                "counts iterations, of which an engine does not tell the table: expected \"search\" or \"game-ply\"";
        }
        self.check()
    }
}
