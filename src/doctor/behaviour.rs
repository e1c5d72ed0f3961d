//! Checks of what every UCI client relies on: legal moves, mate scores, `stop` and `quit`, and no
//! processes left behind.

use super::positions::{MATES, NO_LEGAL_MOVES, TRICKY_POSITIONS};
use super::{Examiner, Interrupt, QUICK_SEARCH_TIMEOUT};
use crate::chess::{Board, Score};
use crate::engine::Limit;
use crate::record::diagnosis::CheckResult::{self, Fault, Good, Note};
use crate::subject::{EngineFault, Launch, Position, QuitReport, Subject, Uci, UciReport};
use std::time::Duration;

/// The result of a check, and the finding as text.
type CheckOutcome = Result<(CheckResult, String), Interrupt>;

/// A limit that any engine reaches at once.
pub const fn quick_limit() -> Limit {
    Limit { depth: Some(3), nodes: None }
}

/// How long `go infinite` runs before `stop` is sent.
const ENDLESS_SEARCH: Duration = Duration::from_millis(300);

/// Small node limits. An engine that searches more than twice as many nodes gets a note.
const SMALL_LIMITS: [u64; 2] = [10_000, 1_000];

/// The position of a built-in FEN. All of them are valid, as the tests of `positions` check.
fn parse_board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|_| Board::startpos())
}

impl Examiner<'_> {
    /// Starts a process whose searches must finish within [`QUICK_SEARCH_TIMEOUT`].
    fn quick_engine(&self) -> Result<Uci, Interrupt> {
        let mut engine = self.start_engine(self.launch.clone())?;
        engine.set_timeout(QUICK_SEARCH_TIMEOUT);
        Ok(engine)
    }

    /// Searches a position as a new game.
    fn search_board(&self, engine: &mut Uci, board: &Board, limit: Limit) -> Result<UciReport, Interrupt> {
        self.search_position(engine, Position::from_board(board), limit, true)
    }
}

/// Checks by how much the engine exceeds small node limits.
pub fn check_small_limits(examiner: &Examiner<'_>) -> CheckOutcome {
    let (mut engine, mut counts) = (examiner.quick_engine()?, Vec::new());
    for nodes in SMALL_LIMITS {
        let limit = Limit { depth: None, nodes: Some(nodes) };
        let report = examiner.search_board(&mut engine, &Board::startpos(), limit)?;
        counts.push((nodes, report.nodes.unwrap_or(0)));
    }
    engine.quit();
    Ok(judge_overshoot(&counts))
}

/// Says how many nodes were searched under each node limit. The result is a note if any limit was
/// exceeded more than twofold.
fn judge_overshoot(counts: &[(u64, u64)]) -> (CheckResult, String) {
    let parts: Vec<String> =
        counts.iter().map(|(limit, nodes)| format!("{nodes} nodes when asked for {limit}")).collect();
    let result = if counts.iter().all(|(limit, nodes)| *nodes <= 2 * limit) { Good } else { Note };
    (result, parts.join(", "))
}

/// Checks that `stop` ends an endless search within a second.
pub fn check_stop(examiner: &Examiner<'_>) -> CheckOutcome {
    let mut engine = examiner.start_engine(examiner.launch.clone())?;
    engine.set_timeout(ENDLESS_SEARCH);
    match examiner.search_board(&mut engine, &Board::startpos(), Limit::default()) {
        Ok(_) => Ok((Note, "`go infinite` ended before `stop`".to_owned())),
        // The search has no limit, so the timeout always ends it with a fault: `LimitIgnored` means
        // that the engine answered when it was told to stop.
        Err(Interrupt::Failed(failure)) => match failure.fault {
            EngineFault::LimitIgnored(_) => Ok((Good, "obeyed within a second".to_owned())),
            EngineFault::NoAnswer(_) => Ok((Fault, "not obeyed within a second".to_owned())),
            _ => Err(Interrupt::Failed(failure)),
        },
        Err(interrupt) => Err(interrupt),
    }
}

/// Checks that the engine plays legal moves in positions with unusual rules.
pub fn check_moves(examiner: &Examiner<'_>, limit: Limit) -> CheckOutcome {
    let (mut engine, mut faults) = (examiner.quick_engine()?, Vec::new());
    for fen in TRICKY_POSITIONS {
        match examiner.search_board(&mut engine, &parse_board(fen), limit) {
            Ok(_) => {}
            Err(Interrupt::Failed(failure)) => {
                faults.push(describe_fault(&failure.fault, fen));
                // The process that failed was killed.
                engine = examiner.quick_engine()?;
            }
            Err(interrupt) => return Err(interrupt),
        }
    }
    engine.quit();
    Ok(match faults.first() {
        None => (Good, format!("legal in {} positions", TRICKY_POSITIONS.len())),
        Some(first) => {
            (Fault, format!("wrong in {} of {} positions; first: {first}", faults.len(), TRICKY_POSITIONS.len()))
        }
    })
}

/// Describes a fault together with its position, which some faults do not name themselves.
fn describe_fault(fault: &EngineFault, fen: &str) -> String {
    match fault {
        EngineFault::IllegalMove(_) => fault.to_string(),
        _ => format!("{fault} in {fen}"),
    }
}

/// Checks what the engine answers in positions without a legal move. A client need not ask for a
/// move there, so a wrong answer is only a note.
pub fn check_ended_games(examiner: &Examiner<'_>, limit: Limit) -> CheckOutcome {
    let mut engine = examiner.quick_engine()?;
    for fen in NO_LEGAL_MOVES {
        match examiner.search_board(&mut engine, &parse_board(fen), limit) {
            Ok(_) => {}
            Err(Interrupt::Failed(failure)) => return Ok((Note, describe_fault(&failure.fault, fen))),
            Err(interrupt) => return Err(interrupt),
        }
    }
    engine.quit();
    Ok((Good, "it returns no move where there is no legal one".to_owned()))
}

/// Checks that mates are reported as mates, in the right number of moves and for the right side.
pub fn check_mates(examiner: &Examiner<'_>) -> CheckOutcome {
    let (mut engine, mut results) = (examiner.quick_engine()?, Vec::new());
    for &(fen, moves) in MATES {
        // A few plies more than the mate needs.
        let limit = Limit { depth: Some((2 * moves.unsigned_abs() + 4) as u8), nodes: None };
        let report = examiner.search_board(&mut engine, &parse_board(fen), limit)?;
        results.push((fen, moves, report.score));
    }
    engine.quit();
    Ok(judge_mates(&results))
}

/// The number of moves to mate that a score expresses, negative if the side to move is mated;
/// `None` if it is not a mate score.
fn mate_in(score: Score) -> Option<i32> {
    const MATE_SCORE: Score = 32_000;
    const MAX_PLIES: Score = 1_000;
    let plies = MATE_SCORE - score.abs();
    (plies < MAX_PLIES).then_some((plies + 1) / 2 * score.signum())
}

/// Judges the scores of positions; each comes with its FEN and its true number of moves to mate.
fn judge_mates(results: &[(&str, i32, Option<Score>)]) -> (CheckResult, String) {
    let correct_count = results.iter().filter(|(_, moves, score)| score.and_then(mate_in) == Some(*moves)).count();
    let summary = format!("{correct_count} of {} correct", results.len());
    let describe_result = |&(fen, moves, score): &(&str, i32, Option<Score>)| {
        let score_text = match (score, score.and_then(mate_in)) {
            (_, Some(mate)) => format!("mate {mate}"),
            (Some(score), None) => format!("cp {score}"),
            (None, None) => "no score".to_owned(),
        };
        format!("{summary}; {score_text} instead of mate {moves} in {fen}")
    };
    // A selective search may miss a mate or find a longer one; a shorter one, or one for the other
    // side, is wrong.
    let is_wrong = |moves: i32, score: Option<Score>| {
        score.and_then(mate_in).is_some_and(|mate| mate.signum() != moves.signum() || mate.abs() < moves.abs())
    };
    let first_wrong = results.iter().find(|(_, moves, score)| is_wrong(*moves, *score));
    let first_missed = results.iter().find(|(_, moves, score)| score.and_then(mate_in) != Some(*moves));
    if let Some(result) = first_wrong {
        (Fault, describe_result(result))
    } else if let Some(result) = first_missed {
        (Note, describe_result(result))
    } else {
        (Good, summary)
    }
}

/// Checks that the engine ends on `quit` and leaves no process behind. The engine is started
/// without a guard, so that processes that it leaves become children of this process.
pub fn check_quit(examiner: &Examiner<'_>) -> CheckOutcome {
    let mut engine = examiner.start_engine(Launch { guard: None, ..examiner.launch.clone() })?;
    engine.set_timeout(QUICK_SEARCH_TIMEOUT);
    examiner.search_board(&mut engine, &Board::startpos(), quick_limit())?;
    let Some(report) = engine.quit_and_inspect() else { return Ok((Fault, "it had ended before".to_owned())) };
    Ok(judge_exit(&report))
}

/// Judges how an engine ended after `quit`.
fn judge_exit(report: &QuitReport) -> (CheckResult, String) {
    let processes = report.leftovers.join(", ");
    let seconds = report.elapsed.as_secs_f64();
    match &report.exit {
        None => (Fault, format!("does not end within {seconds:.1} s")),
        Some(_) if !processes.is_empty() => (Fault, format!("ends, and leaves processes behind: {processes}")),
        Some(exit) => {
            let result = match exit.as_str() {
                "exit code 0" => Good,
                exit if exit.starts_with("signal") => Fault,
                _ => Note,
            };
            (result, format!("ends within {seconds:.2} s ({exit}), and leaves nothing behind"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mate_scores_give_moves_to_mate() {
        for (score, moves) in [
            (31_999, Some(1)),
            (31_997, Some(2)),
            (-31_998, Some(-1)),
            (-31_994, Some(-3)),
            (31_001, Some(500)),
            (31_000, None),
            (900, None),
            (-32_000, Some(0)),
        ] {
            assert_eq!(mate_in(score), moves, "{score}");
        }
    }

    #[test]
    fn missed_mate_is_a_note_and_wrong_mate_a_fault() {
        let judge = |scores: [Option<Score>; 2]| judge_mates(&[("a", 2, scores[0]), ("b", -1, scores[1])]);
        let correct = [Some(31_997), Some(-31_998)];
        assert_eq!(judge(correct), (Good, "2 of 2 correct".to_owned()));
        for (index, score, result, message) in [
            (0, Some(31_995), Note, "1 of 2 correct; mate 3 instead of mate 2 in a"),
            (0, Some(700), Note, "1 of 2 correct; cp 700 instead of mate 2 in a"),
            (0, None, Note, "1 of 2 correct; no score instead of mate 2 in a"),
            (0, Some(31_999), Fault, "1 of 2 correct; mate 1 instead of mate 2 in a"),
            (1, Some(31_999), Fault, "1 of 2 correct; mate 1 instead of mate -1 in b"),
        ] {
            let mut scores = correct;
            scores[index] = score;
            assert_eq!(judge(scores), (result, message.to_owned()));
        }
        // A wrong mate is reported before a missed one.
        assert!(judge([Some(700), Some(31_999)]).1.contains("mate -1 in b"));
    }

    #[test]
    fn overshoot_of_more_than_the_limit_is_a_note() {
        assert_eq!(
            judge_overshoot(&[(1000, 1000), (100, 200)]),
            (Good, "1000 nodes when asked for 1000, 200 nodes when asked for 100".to_owned())
        );
        assert_eq!(judge_overshoot(&[(100, 201)]).0, Note);
    }

    #[test]
    fn exit_is_judged_by_code_and_processes_left() {
        let judge = |exit: Option<&str>, leftovers: &[&str]| {
            let leftovers = leftovers.iter().map(|name| (*name).to_owned()).collect();
            judge_exit(&QuitReport { exit: exit.map(str::to_owned), elapsed: Duration::from_millis(1510), leftovers })
        };
        for (outcome, result, message) in [
            (judge(Some("exit code 0"), &[]), Good, "ends within 1.51 s (exit code 0), and leaves nothing behind"),
            (judge(Some("exit code 3"), &[]), Note, "ends within 1.51 s (exit code 3), and leaves nothing behind"),
            (judge(Some("signal 11"), &[]), Fault, "ends within 1.51 s (signal 11), and leaves nothing behind"),
            (judge(Some("exit code 0"), &["sleep", "sh"]), Fault, "ends, and leaves processes behind: sleep, sh"),
            (judge(None, &[]), Fault, "does not end within 1.5 s"),
        ] {
            assert_eq!(outcome, (result, message.to_owned()));
        }
    }
}
