//! Failures of an engine, together with the engine's last output.

use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineFault {
    /// The program could not be started. Contains the reason.
    #[error("the engine cannot be started: {0}")]
    StartFailed(String),
    /// A file of the engine, its hash when it was found, and that of the file that is there now.
    #[error("{} was replaced during the run: its SHA-256 was {:.12}, and is now {:.12}; start a new run", .0[0], .0[1], .0[2])]
    Replaced(Box<[String; 3]>),
    /// The process ended by itself. Contains its exit code or signal.
    #[error("the engine exited unexpectedly ({0})")]
    Exited(String),
    #[error("the engine did not answer within {:.1} s", .0.as_secs_f64())]
    NoAnswer(Duration),
    /// The engine did not send `uciok` or `readyok` within the given time.
    #[error("the engine was not ready within {:.0} s (raise subject.timeout to wait longer)", .0.as_secs_f64())]
    NotReady(Duration),
    #[error(
        "the engine searched for {:.1} s and ended only on \"stop\": it ignores this limit, or subject.timeout is too short",
        .0.as_secs_f64()
    )]
    LimitIgnored(Duration),
    #[error("the engine wrote more than {0} lines")]
    TooManyLines(usize),
    #[error("the engine's answer is invalid: `{0}`")]
    InvalidAnswer(String),
    #[error("the engine's move {0} is illegal")]
    IllegalMove(String),
    #[error("the engine returned no move although there is a legal one")]
    NoMove,
    #[error("the engine refused an option: `{0}`")]
    OptionRefused(String),
    #[error("the engine's line `info string ttlab` has an unknown counter or no number: `{0}`")]
    UnknownCounter(String),
}

/// A fault, the request during which it happened, and the engine's last lines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault} at `{request}`{table}{}", last_lines(tail))]
pub struct Failure {
    pub fault: EngineFault,
    pub request: String,
    /// The size of a large table, and which sizes the engine declares; else empty.
    pub table: String,
    /// The last lines of the engine's output, the oldest line first.
    pub tail: Vec<String>,
}

fn last_lines(tail: &[String]) -> String {
    if tail.is_empty() { String::new() } else { format!("; its last lines: {}", tail.join(" | ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of each fault, with the request and the last output.
    #[test]
    fn failure_states_fault_request_and_last_lines() {
        let (text, waited) = ("x y".to_owned(), Duration::from_millis(2040));
        for (fault, message) in [
            (EngineFault::StartFailed(text.clone()), "the engine cannot be started: x y"),
            (
                EngineFault::Replaced(Box::new([&*text, "0123456789abcdef", "fedcba9876543210"].map(str::to_owned))),
                "x y was replaced during the run: its SHA-256 was 0123456789ab, and is now fedcba987654; start a new run",
            ),
            (EngineFault::Exited(text.clone()), "the engine exited unexpectedly (x y)"),
            (EngineFault::NoAnswer(waited), "the engine did not answer within 2.0 s"),
            (
                EngineFault::NotReady(waited),
                "the engine was not ready within 2 s (raise subject.timeout to wait longer)",
            ),
            (
                EngineFault::LimitIgnored(waited),
                "the engine searched for 2.0 s and ended only on \"stop\": it ignores this limit, or subject.timeout is too short",
            ),
            (EngineFault::TooManyLines(7), "the engine wrote more than 7 lines"),
            (EngineFault::InvalidAnswer(text.clone()), "the engine's answer is invalid: `x y`"),
            (EngineFault::IllegalMove(text.clone()), "the engine's move x y is illegal"),
            (EngineFault::NoMove, "the engine returned no move although there is a legal one"),
            (EngineFault::OptionRefused(text.clone()), "the engine refused an option: `x y`"),
            (
                EngineFault::UnknownCounter(text.clone()),
                "the engine's line `info string ttlab` has an unknown counter or no number: `x y`",
            ),
        ] {
            let mut failure = Failure { fault, request: "go".to_owned(), table: String::new(), tail: Vec::new() };
            assert_eq!(failure.to_string(), format!("{message} at `go`"));
            failure.tail = vec!["first".to_owned(), "last".to_owned()];
            assert_eq!(failure.to_string(), format!("{message} at `go`; its last lines: first | last"));
        }
    }
}
