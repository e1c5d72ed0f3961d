//! How a search is told to end.

use std::sync::atomic::{AtomicBool, Ordering};

/// What a search looks at now and then to see whether it must end: a flag that another thread sets, and, where it is given, a question that whoever
/// began the search answers. The engine has no clock; who has one answers the question by it, in the searching thread: on a busy machine a thread that
/// sets a flag may come to run too late.
#[derive(Clone, Copy)]
pub struct Stop<'a> {
    flag: &'a AtomicBool,
    late: Option<&'a (dyn Fn() -> bool + Sync)>,
}

impl<'a> Stop<'a> {
    /// A flag, which is set too when the question is answered with yes.
    #[must_use]
    pub fn asking(flag: &'a AtomicBool, late: &'a (dyn Fn() -> bool + Sync)) -> Self {
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

    /// The question is asked while the flag is down, and its yes is everybody's: whoever looks at the flag alone sees it.
    #[test]
    fn a_question_answered_with_yes_raises_the_flag() {
        let (flag, late, asked) = (AtomicBool::new(false), AtomicBool::new(false), AtomicBool::new(false));
        let question = || {
            asked.store(true, Ordering::Relaxed);
            late.load(Ordering::Relaxed)
        };
        let was_asked = || asked.swap(false, Ordering::Relaxed);
        let (asking, plain) = (Stop::asking(&flag, &question), Stop::from(&flag));
        assert!(!asking.is_set() && was_asked() && !plain.is_set());
        late.store(true, Ordering::Relaxed);
        assert!(!plain.is_set() && !was_asked(), "a flag alone asks nothing");
        assert!(asking.is_set() && was_asked());
        assert!(flag.load(Ordering::Relaxed) && plain.is_set());
        assert!(asking.is_set() && !was_asked(), "what is known is not asked again");
    }
}
