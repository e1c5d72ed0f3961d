use super::{CommandFailure, Exit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that is set by Ctrl-C, SIGTERM and SIGHUP. A second signal ends the program at once.
///
/// If SIGHUP was ignored when the program started (`nohup`), it stays ignored. SIGINT does not:
/// shells ignore it for background jobs of scripts, but whoever sends it to such a job wants to
/// stop it.
pub(super) fn stop_flag() -> Result<Arc<AtomicBool>, CommandFailure> {
    let stop = Arc::new(AtomicBool::new(false));
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let hangup = (!is_ignored(&status, SIGHUP)).then_some(SIGHUP);
    // The shutdown is registered first, so that it sees only the flag of an earlier signal.
    for signal in [SIGINT, SIGTERM].into_iter().chain(hangup) {
        flag::register_conditional_shutdown(signal, Exit::Interrupted as i32, Arc::clone(&stop))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .map_err(CommandFailure::io)?;
    }
    Ok(stop)
}

/// Makes writes beyond the file size limit (`ulimit -f`) fail with an error, instead of ending the
/// program. The signal gets a handler and is not ignored, because engines would inherit that.
pub(super) fn report_full_files_as_errors() {
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Whether a signal was ignored when the program started, according to the process status in
/// `/proc`; false if unknown.
fn is_ignored(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signal n is bit n - 1 of the mask (proc(5)): SIGHUP is 1, SIGINT 2, SIGTERM 15.
    #[test]
    fn is_ignored_reads_the_signal_mask() {
        let ignored_signals = |mask: &str| {
            let status =
                format!("Name:\tttlab\nSigBlk:\tffffffffffffffff\nSigIgn:\t{mask}\nSigCgt:\tffffffffffffffff\n");
            [SIGHUP, SIGINT, SIGTERM].map(|signal| is_ignored(&status, signal))
        };
        assert_eq!(ignored_signals("0000000000000001"), [true, false, false]);
        assert_eq!(ignored_signals("0000000000000002"), [false, true, false]);
        assert_eq!(ignored_signals("0000000000004000"), [false, false, true]);
        assert_eq!(ignored_signals("0000000000001004"), [false; 3]);
        assert_eq!(ignored_signals("fffffffffffffffe"), [false, true, true]);
        assert!(!is_ignored("", SIGHUP), "an unknown signal is not ignored");
        assert!(!is_ignored("SigIgn:\tmany\n", SIGHUP), "an unknown signal is not ignored");
    }
}
