use super::{CommandFailure, Exit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that Ctrl-C, SIGTERM and SIGHUP set. A second signal does not wait for the rows in flight. A SIGHUP that was ignored at the
/// start (`nohup`) stays ignored; a SIGINT is not, since shells have every job ignore it that a script puts into the background, and
/// whoever sends it there means it.
pub(super) fn stop_flag() -> Result<Arc<AtomicBool>, CommandFailure> {
    let stop = Arc::new(AtomicBool::new(false));
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let hangup = (!is_ignored(&status, SIGHUP)).then_some(SIGHUP);
    for signal in [SIGINT, SIGTERM].into_iter().chain(hangup) {
        flag::register_conditional_shutdown(signal, Exit::Interrupted as i32, Arc::clone(&stop))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .map_err(CommandFailure::io)?;
    }
    Ok(stop)
}

/// Has a write beyond the limit on the size of files (`ulimit -f`) fail with an error, which is told as any other, instead of ending the
/// program. A signal that is ignored would stay so in the engines that are started.
pub(super) fn let_full_files_be_errors() {
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Whether a signal was ignored when the program began, by what the system says of the process; not known everywhere.
fn is_ignored(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signal n is bit n - 1 of the mask of those that are ignored (proc(5)), which is none of the other masks: SIGHUP is 1, SIGINT 2, SIGTERM 15.
    #[test]
    fn ignored_signals_are_bits_of_their_mask() {
        let ignored = |mask: &str| {
            let status =
                format!("Name:\tttlab\nSigBlk:\tffffffffffffffff\nSigIgn:\t{mask}\nSigCgt:\tffffffffffffffff\n");
            [SIGHUP, SIGINT, SIGTERM].map(|signal| is_ignored(&status, signal))
        };
        assert_eq!(ignored("0000000000000001"), [true, false, false]);
        assert_eq!(ignored("0000000000000002"), [false, true, false]);
        assert_eq!(ignored("0000000000004000"), [false, false, true]);
        assert_eq!(ignored("0000000000001004"), [false; 3]);
        assert_eq!(ignored("fffffffffffffffe"), [false, true, true]);
        assert!(!is_ignored("", SIGHUP) && !is_ignored("SigIgn:\tmany\n", SIGHUP), "what is not known is not ignored");
    }
}
