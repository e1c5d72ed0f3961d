//! Fuzz target: any text is refused, or describes a table that keeps what an engine stores.

use ttlab::internals::chess::{Bound, Move};
use ttlab::internals::settings::table_options;
use ttlab::internals::table::{Entry, build, bytes};

/// Tests one input.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut options = match table_options(text) {
        Ok(options) => options,
        Err(fault) => return assert!(!fault.to_string().is_empty()),
    };
    if options.keep_opaque_moves().is_err() || bytes(&options, None).is_some_and(|bytes| bytes > 1 << 22) {
        return;
    }
    let Ok(Some(mut table)) = build(&options, None, false) else { return };
    let entry = Entry { mv: Move::opaque(0xabcd), score: 17, bound: Bound::Exact, ..Entry::evaluation(5, true) };
    let key = 0x9e37_79b9_7f4a_7c15;
    if !table.store_at(key, table.probed_slot(), entry).refused
        && options.forget == 0.0
        && let Some(hit) = table.probe(key, 0)
    {
        assert_eq!(hit.entry.mv, entry.mv, "{text}");
    }
}
