//! What an engine did instead of what it should, and its last words.

use std::fmt;
use std::time::Duration;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineFault {
    /// The program could not be started.
    Start(String),
    /// It ended by itself: how.
    Ended(String),
    /// It did not answer in time.
    Silent(Duration),
    /// It searched on beyond its limit and its watchdog, and ended when it was told to stop.
    Unheeded(Duration),
    /// It wrote more lines than a search can have.
    Flood(usize),
    /// It wrote what is no answer.
    Garbage(String),
    /// Its move is not legal there.
    Illegal(String),
    /// It has a legal move and named none.
    NoMove,
    /// It did not take an option.
    Refused(String),
    /// It was asked for what it cannot do.
    Unable(String),
}

/// A fault, when it happened, and the engine's last lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub fault: EngineFault,
    /// What was asked of it.
    pub during: String,
    /// The last lines that it wrote, the oldest first.
    pub tail: Vec<String>,
}

impl fmt::Display for EngineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(why) => write!(f, "the engine cannot be started: {why}"),
            Self::Ended(how) => write!(f, "the engine ended by itself ({how})"),
            Self::Silent(waited) => write!(f, "the engine gave no answer within {:.1} s", waited.as_secs_f64()),
            Self::Unheeded(waited) => write!(
                f,
                "the engine searched on for {:.1} s and ended only when told to stop: it does not heed this limit, or needs a \
                 longer subject.timeout",
                waited.as_secs_f64()
            ),
            Self::Flood(lines) => write!(f, "the engine wrote more than {lines} lines"),
            Self::Garbage(line) => write!(f, "the engine's answer is none: `{line}`"),
            Self::Illegal(text) => write!(f, "the engine's move {text} is illegal"),
            Self::NoMove => write!(f, "the engine named no move where there is a legal one"),
            Self::Refused(line) => write!(f, "the engine refused an option: `{line}`"),
            Self::Unable(what) => f.write_str(what),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at `{}`", self.fault, self.during)?;
        if !self.tail.is_empty() {
            write!(f, "; its last lines: {}", self.tail.join(" | "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each fault in its words, with what it was asked and said last.
    #[test]
    fn each_fault_has_its_words() {
        let (text, waited) = ("x y".to_owned(), Duration::from_millis(2040));
        for (fault, words) in [
            (EngineFault::Start(text.clone()), "the engine cannot be started: x y"),
            (EngineFault::Ended(text.clone()), "the engine ended by itself (x y)"),
            (EngineFault::Silent(waited), "the engine gave no answer within 2.0 s"),
            (
                EngineFault::Unheeded(waited),
                "the engine searched on for 2.0 s and ended only when told to stop: it does not heed this limit, or needs a longer subject.timeout",
            ),
            (EngineFault::Flood(7), "the engine wrote more than 7 lines"),
            (EngineFault::Garbage(text.clone()), "the engine's answer is none: `x y`"),
            (EngineFault::Illegal(text.clone()), "the engine's move x y is illegal"),
            (EngineFault::NoMove, "the engine named no move where there is a legal one"),
            (EngineFault::Refused(text.clone()), "the engine refused an option: `x y`"),
            (EngineFault::Unable(text.clone()), "x y"),
        ] {
            let mut failure = Failure { fault, during: "go".to_owned(), tail: Vec::new() };
            assert_eq!(failure.to_string(), format!("{words} at `go`"));
            failure.tail = vec!["first".to_owned(), "last".to_owned()];
            assert_eq!(failure.to_string(), format!("{words} at `go`; its last lines: first | last"));
        }
    }
}
