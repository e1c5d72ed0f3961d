//! Stopping a search from outside.

use std::sync::atomic::{AtomicBool, Ordering};

/// A stop signal that a search polls: a flag set by another thread and, optionally, a callback. The
/// engine has no clock; a caller with one checks it in the callback, on the searching thread, since
/// on a busy machine another thread may wake too late.
#[derive(Clone, Copy)]
pub struct Stop<'a> {
    flag: &'a AtomicBool,
    late: Option<&'a (dyn Fn() -> bool + Sync)>,
}

impl<'a> Stop<'a> {
    /// A flag that is also set when the callback returns true.
    #[must_use]
    pub fn with_callback(flag: &'a AtomicBool, late: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { flag, late: Some(late) }
    }

    /// Whether the search must end.
    #[must_use]
    pub fn is_set(&self) -> bool {
        if self.flag.load(Ordering::Relaxed) {
            return true;
        }
        let late = self.late.is_some_and(|late| late());
        if late {
            self.flag.store(true, Ordering::Relaxed);
        }
        late
    }
}

impl<'a> From<&'a AtomicBool> for Stop<'a> {
    fn from(flag: &'a AtomicBool) -> Self {
        Self { flag, late: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The callback is called while the flag is unset, and its result sets the flag for everyone.
    #[test]
    fn callback_sets_the_flag() {
        let (flag, late, asked) = (AtomicBool::new(false), AtomicBool::new(false), AtomicBool::new(false));
        let question = || {
            asked.store(true, Ordering::Relaxed);
            late.load(Ordering::Relaxed)
        };
        let was_asked = || asked.swap(false, Ordering::Relaxed);
        let (asking, plain) = (Stop::with_callback(&flag, &question), Stop::from(&flag));
        assert!(!asking.is_set());
        assert!(was_asked());
        assert!(!plain.is_set());
        late.store(true, Ordering::Relaxed);
        assert!(!plain.is_set(), "a flag alone has no callback");
        assert!(!was_asked(), "a flag alone has no callback");
        assert!(asking.is_set());
        assert!(was_asked());
        assert!(flag.load(Ordering::Relaxed));
        assert!(plain.is_set());
        assert!(asking.is_set(), "the callback is not called again");
        assert!(!was_asked(), "the callback is not called again");
    }
}
