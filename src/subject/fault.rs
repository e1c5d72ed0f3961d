//! What an engine did instead of what it should, and its last words.

use std::fmt;
use std::time::Duration;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
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
    pub fault: Fault,
    /// What was asked of it.
    pub during: String,
    /// The last lines that it wrote, the oldest first.
    pub tail: Vec<String>,
}

impl fmt::Display for Fault {
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
