//! Any bytes: read as a trace or refused; what is read is shown to tables, and foresight does no worse than any.

use ttlab::table::TableOptions;
use ttlab::table::options::Size;
use ttlab::table::policy::Policy;
use ttlab::table::replay::{Goal, clairvoyant, replay};
use ttlab::table::trace::read;

/// One input.
pub fn run(data: &[u8]) {
    // The head of a whole file, so that events are reached without guessing their number.
    let mut file = b"ttlabtr1".to_vec();
    let bytes = match data.split_first() {
        Some((0, bytes)) => {
            file.extend((bytes.len() as u64 / 16).to_le_bytes());
            file.extend(&bytes[..bytes.len() / 16 * 16]);
            &file[..]
        }
        Some((_, bytes)) => bytes,
        None => return,
    };
    let trace = match read(bytes) {
        Ok(trace) => trace,
        Err(error) => {
            let _ = error.to_string();
            return;
        }
    };
    for name in ["always", "depth-preferred", "ancient", "depth-age"] {
        let Some(policy) = Policy::named(name) else { continue };
        let options = TableOptions { policy, size: Size::Entries(8), slots: 2, ..TableOptions::default() };
        if options.check().is_ok() {
            let _ = replay(&trace, &options, false).map(|found| found.values());
            let _ = clairvoyant(&trace, &options, Goal::Hits);
        }
    }
}
