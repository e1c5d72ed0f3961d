//! Stopping a search from outside.

use std::sync::atomic::{AtomicBool, Ordering};

/// A stop signal that a search polls. It has a flag, which another thread may set, and optionally a
/// callback. The engine has no clock. A caller that has a clock can read it in the callback, which
/// is called on the searching thread.
#[derive(Clone, Copy)]
pub struct Stop<'a> {
    flag: &'a AtomicBool,
    callback: Option<&'a (dyn Fn() -> bool + Sync)>,
}

impl<'a> Stop<'a> {
    /// Creates a stop signal with a callback. When the callback returns true, the flag is set.
    #[must_use]
    pub fn with_callback(flag: &'a AtomicBool, callback: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { flag, callback: Some(callback) }
    }

    /// Whether the search must end.
    #[must_use]
    pub fn is_set(&self) -> bool {
        if self.flag.load(Ordering::Relaxed) {
            return true;
        }
        let must_end = self.callback.is_some_and(|callback| callback());
        if must_end {
            self.flag.store(true, Ordering::Relaxed);
        }
        must_end
    }
}

impl<'a> From<&'a AtomicBool> for Stop<'a> {
    fn from(flag: &'a AtomicBool) -> Self {
        Self { flag, callback: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The callback is called while the flag is unset, and its result sets the flag for everyone.
    #[test]
    fn callback_sets_the_flag() {
        let (flag, out_of_time, called) = (AtomicBool::new(false), AtomicBool::new(false), AtomicBool::new(false));
        let check_clock = || {
            called.store(true, Ordering::Relaxed);
            out_of_time.load(Ordering::Relaxed)
        };
        let was_called = || called.swap(false, Ordering::Relaxed);
        let (with_callback, plain) = (Stop::with_callback(&flag, &check_clock), Stop::from(&flag));
        assert!(!with_callback.is_set());
        assert!(was_called());
        assert!(!plain.is_set());
        out_of_time.store(true, Ordering::Relaxed);
        assert!(!plain.is_set(), "a flag alone has no callback");
        assert!(!was_called(), "a flag alone has no callback");
        assert!(with_callback.is_set());
        assert!(was_called());
        assert!(flag.load(Ordering::Relaxed));
        assert!(plain.is_set());
        assert!(with_callback.is_set(), "the callback is not called again");
        assert!(!was_called(), "the callback is not called again");
    }
}
