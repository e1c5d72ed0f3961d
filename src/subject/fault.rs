//! What an engine did instead of what it should, and its last words.

use std::time::Duration;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineFault {
    /// The program could not be started.
    #[error("the engine cannot be started: {0}")]
    Start(String),
    /// It ended by itself: how.
    #[error("the engine ended by itself ({0})")]
    SearchEnd(String),
    /// It did not answer in time.
    #[error("the engine gave no answer within {:.1} s", .0.as_secs_f64())]
    Silent(Duration),
    /// It was not ready in time, or did not say who it is.
    #[error("the engine was not ready within {:.0} s (a longer subject.timeout gives it more)", .0.as_secs_f64())]
    Unready(Duration),
    /// It searched on beyond its limit and its watchdog, and ended when it was told to stop.
    #[error(
        "the engine searched on for {:.1} s and ended only when told to stop: it does not heed this limit, or needs a longer \
         subject.timeout",
        .0.as_secs_f64()
    )]
    Unheeded(Duration),
    /// It wrote more lines than a search can have.
    #[error("the engine wrote more than {0} lines")]
    Flood(usize),
    /// It wrote what is no answer.
    #[error("the engine's answer is none: `{0}`")]
    Garbage(String),
    /// Its move is not legal there.
    #[error("the engine's move {0} is illegal")]
    Illegal(String),
    /// It has a legal move and named none.
    #[error("the engine named no move where there is a legal one")]
    NoMove,
    /// It did not take an option.
    #[error("the engine refused an option: `{0}`")]
    Refused(String),
}

/// A fault, when it happened, and the engine's last lines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault} at `{during}`{}", last_lines(tail))]
pub struct Failure {
    /// What went wrong.
    pub fault: EngineFault,
    /// What was asked of it.
    pub during: String,
    /// The last lines that it wrote, the oldest first.
    pub tail: Vec<String>,
}

fn last_lines(tail: &[String]) -> String {
    if tail.is_empty() { String::new() } else { format!("; its last lines: {}", tail.join(" | ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each fault in its words, with what it was asked and said last.
    #[test]
    fn each_fault_has_its_words() {
        let (text, waited) = ("x y".to_owned(), Duration::from_millis(2040));
        for (fault, words) in [
            (EngineFault::Start(text.clone()), "the engine cannot be started: x y"),
            (EngineFault::SearchEnd(text.clone()), "the engine ended by itself (x y)"),
            (EngineFault::Silent(waited), "the engine gave no answer within 2.0 s"),
            (
                EngineFault::Unready(waited),
                "the engine was not ready within 2 s (a longer subject.timeout gives it more)",
            ),
            (
                EngineFault::Unheeded(waited),
                "the engine searched on for 2.0 s and ended only when told to stop: it does not heed this limit, or needs a longer subject.timeout",
            ),
            (EngineFault::Flood(7), "the engine wrote more than 7 lines"),
            (EngineFault::Garbage(text.clone()), "the engine's answer is none: `x y`"),
            (EngineFault::Illegal(text.clone()), "the engine's move x y is illegal"),
            (EngineFault::NoMove, "the engine named no move where there is a legal one"),
            (EngineFault::Refused(text.clone()), "the engine refused an option: `x y`"),
        ] {
            let mut failure = Failure { fault, during: "go".to_owned(), tail: Vec::new() };
            assert_eq!(failure.to_string(), format!("{words} at `go`"));
            failure.tail = vec!["first".to_owned(), "last".to_owned()];
            assert_eq!(failure.to_string(), format!("{words} at `go`; its last lines: first | last"));
        }
    }
}
