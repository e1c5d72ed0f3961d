use super::{CommandFailure, Exit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Returns a flag that is set when the program receives SIGINT (Ctrl-C), SIGTERM or SIGHUP. A
/// second signal ends the program at once.
///
/// If SIGHUP was ignored when the program started, as with `nohup`, it is still ignored. SIGINT is
/// never ignored. Shells make the background jobs of scripts ignore SIGINT, but a user who sends
/// SIGINT to such a job wants to stop it.
pub(super) fn stop_flag() -> Result<Arc<AtomicBool>, CommandFailure> {
    let stop = Arc::new(AtomicBool::new(false));
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let unignored_hangup = (!is_ignored(&status, SIGHUP)).then_some(SIGHUP);
    // The shutdown is registered first and therefore runs before the flag is set, so that the first
    // signal does not shut the program down.
    for signal in [SIGINT, SIGTERM].into_iter().chain(unignored_hangup) {
        flag::register_conditional_shutdown(signal, Exit::Interrupted as i32, Arc::clone(&stop))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .map_err(CommandFailure::io)?;
    }
    Ok(stop)
}

/// Makes writes beyond the limit on file sizes (`ulimit -f`) fail with an error. Otherwise the
/// signal SIGXFSZ would end the program. The signal is not ignored but gets a handler, because
/// engines would inherit that the signal is ignored.
pub(super) fn report_file_size_limit_as_error() {
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Whether a signal was ignored when the program started. `status` is the text of
/// `/proc/self/status`. Returns false if the text does not say which signals were ignored.
fn is_ignored(status: &str, signal: i32) -> bool {
    let ignored_mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored_mask
        .and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok())
        .is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
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
