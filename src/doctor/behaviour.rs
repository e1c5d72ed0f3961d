//! Checks of what every UCI client relies on: legal moves, mate scores, `stop` and `quit`, and no
//! processes left behind.

use super::positions::{MATES, NO_LEGAL_MOVES, TRICKY_POSITIONS};
use super::{Examiner, Interrupt, QUICK_SEARCH_TIMEOUT};
use crate::chess::{Board, Score};
use crate::engine::Limit;
use crate::record::diagnosis::CheckResult::{self, DoesNotHold, Holds, Note};
use crate::subject::{EngineFault, Failure, Launch, Position, QuitReport, Subject, Uci, UciReport, descendants};
use std::time::Duration;

type CheckOutcome = Result<(CheckResult, String), Interrupt>;

pub const fn quick_limit() -> Limit {
    Limit { depth: Some(3), nodes: None }
}

/// How long `go infinite` runs before `stop` is sent.
const ENDLESS_SEARCH_TIME: Duration = Duration::from_millis(300);

/// Parses a built-in FEN. The tests of `positions` check that all built-in FENs are valid.
fn parse_board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|_| Board::startpos())
}

impl Examiner<'_> {
    /// Starts an engine process that must finish each search within [`QUICK_SEARCH_TIMEOUT`].
    fn start_with_timeout(&self) -> Result<Uci, Interrupt> {
        let mut engine = self.start_engine(self.launch.clone())?;
        engine.set_timeout(QUICK_SEARCH_TIMEOUT);
        Ok(engine)
    }

    /// Searches a position at the start of a new game.
    fn search_board(&self, engine: &mut Uci, board: &Board, limit: Limit) -> Result<UciReport, Interrupt> {
        self.search(engine, Position::from_board(board), limit, true)
    }
}

/// Checks that the command `stop` ends an endless search within a second.
pub fn check_stop(examiner: &Examiner<'_>) -> CheckOutcome {
    let mut engine = examiner.start_engine(examiner.launch.clone())?;
    engine.set_timeout(ENDLESS_SEARCH_TIME);
    match examiner.search_board(&mut engine, &Board::startpos(), Limit::default()) {
        Ok(_) => Ok((Note, "`go infinite` ended before `stop`".to_owned())),
        // The search has no limit, so it always ends with a fault after the timeout. The fault is
        // `LimitIgnored` if the engine answered the command `stop`.
        Err(Interrupt::Failed(failure)) => match failure.fault {
            EngineFault::LimitIgnored(_) => Ok((Holds, "obeyed within a second".to_owned())),
            EngineFault::NoAnswer(_) => Ok((DoesNotHold, "not obeyed within a second".to_owned())),
            _ => Err(Interrupt::Failed(failure)),
        },
        Err(interrupt) => Err(interrupt),
    }
}

/// Checks that the engine returns a legal move in each of the [`TRICKY_POSITIONS`].
pub fn check_moves(examiner: &Examiner<'_>, limit: Limit) -> CheckOutcome {
    let (mut engine, mut faults) = (examiner.start_with_timeout()?, Vec::new());
    for fen in TRICKY_POSITIONS {
        match examiner.search_board(&mut engine, &parse_board(fen), limit) {
            Ok(_) => {}
            Err(Interrupt::Failed(failure)) => {
                // A failed search ends the process of the engine, and the next game starts another.
                faults.push(describe_fault(&failure.fault, fen));
            }
            Err(interrupt) => return Err(interrupt),
        }
    }
    engine.quit();
    let position_count = TRICKY_POSITIONS.len();
    Ok(match faults.first() {
        None => (Holds, format!("legal moves in all {position_count} positions")),
        Some(first_fault) => (
            DoesNotHold,
            format!("failed in {} of {position_count} positions; first failure: {first_fault}", faults.len()),
        ),
    })
}

/// Describes a fault and the position in which it occurred. The message of
/// [`EngineFault::IllegalMove`] already contains the position.
fn describe_fault(fault: &EngineFault, fen: &str) -> String {
    match fault {
        EngineFault::IllegalMove(_) => fault.to_string(),
        _ => format!("{fault} in {fen}"),
    }
}

/// What the engine answers in positions without a legal move, which are not sent in a run.
pub fn check_ended_games(examiner: &Examiner<'_>) -> CheckOutcome {
    let (mut engine, mut answers) = (examiner.start_with_timeout()?, Vec::new());
    for fen in NO_LEGAL_MOVES {
        engine.new_game()?;
        let board = parse_board(fen);
        let answer = match engine.ask(Position::from_board(&board), "go depth 3", quick_limit(), examiner.stop) {
            Ok(_) => "no move".to_owned(),
            Err(Failure { fault: EngineFault::IllegalMove(text), .. }) => {
                text.chars().take_while(|it| *it != ' ').collect()
            }
            Err(failure) => failure.fault.to_string(),
        };
        answers.push(answer);
    }
    engine.quit();
    Ok((Note, format!("mated: {}, stalemated: {}", answers[0], answers[1])))
}

/// Checks that the engine reports each mate in [`MATES`] with the correct number of moves, and for
/// the correct side.
pub fn check_mates(examiner: &Examiner<'_>) -> CheckOutcome {
    let (mut engine, mut scores) = (examiner.start_with_timeout()?, Vec::new());
    for &(fen, moves) in MATES {
        // This depth is greater than the number of plies to the mate.
        let limit = Limit { depth: Some((2 * moves.unsigned_abs() + 4) as u8), nodes: None };
        let report = examiner.search_board(&mut engine, &parse_board(fen), limit)?;
        scores.push((fen, moves, report.score));
    }
    engine.quit();
    Ok(judge_mates(&scores))
}

/// The number is negative if the side to move is mated.
fn mate_in(score: Score) -> Option<i32> {
    const MATE_SCORE: Score = 32_000;
    const MAX_PLIES: Score = 1_000;
    let plies = MATE_SCORE - score.abs();
    (plies < MAX_PLIES).then_some((plies + 1) / 2 * score.signum())
}

/// Judges the scores that the engine reported for mates. Each element of `scores` is the FEN of a
/// position, its true number of moves to mate, and the reported score.
fn judge_mates(scores: &[(&str, i32, Option<Score>)]) -> (CheckResult, String) {
    let correct_count = scores.iter().filter(|(_, moves, score)| score.and_then(mate_in) == Some(*moves)).count();
    let summary = format!("{correct_count} of {} correct", scores.len());
    let describe_error = |&(fen, moves, score): &(&str, i32, Option<Score>)| {
        let score_text = match (score, score.and_then(mate_in)) {
            (_, Some(mate)) => format!("mate {mate}"),
            (Some(score), None) => format!("cp {score}"),
            (None, None) => "no score".to_owned(),
        };
        format!("{summary}; {score_text} instead of mate {moves} in {fen}")
    };
    // A selective search may miss a mate or find a longer mate. A shorter mate or a mate for the
    // other side is wrong.
    let is_wrong = |moves: i32, score: Option<Score>| {
        score.and_then(mate_in).is_some_and(|mate| mate.signum() != moves.signum() || mate.abs() < moves.abs())
    };
    let first_wrong = scores.iter().find(|(_, moves, score)| is_wrong(*moves, *score));
    let first_missed = scores.iter().find(|(_, moves, score)| score.and_then(mate_in) != Some(*moves));
    if let Some(wrong_score) = first_wrong {
        (DoesNotHold, describe_error(wrong_score))
    } else if let Some(missed_mate) = first_missed {
        (Note, describe_error(missed_mate))
    } else {
        (Holds, summary)
    }
}

/// Checks that the engine exits after the command `quit` and leaves no process behind. The engine
/// is started without a guard process, which would kill the processes that the engine leaves
/// behind.
pub fn check_quit(examiner: &Examiner<'_>) -> CheckOutcome {
    descendants::adopt_orphans(true);
    let mut engine = examiner.start_engine(Launch { guard: None, ..examiner.launch.clone() })?;
    engine.set_timeout(QUICK_SEARCH_TIMEOUT);
    examiner.search_board(&mut engine, &Board::startpos(), quick_limit())?;
    let Some(report) = engine.quit_and_inspect() else {
        return Ok((DoesNotHold, "the engine had already exited".to_owned()));
    };
    Ok(judge_exit(&report))
}

fn judge_exit(report: &QuitReport) -> (CheckResult, String) {
    let leftovers = report.leftovers.join(", ");
    let seconds = report.elapsed.as_secs_f64();
    match &report.exit {
        None => (DoesNotHold, format!("does not end within {seconds:.1} s")),
        Some(_) if !leftovers.is_empty() => (DoesNotHold, format!("ends, and leaves processes behind: {leftovers}")),
        Some(exit) => {
            let result = match exit.as_str() {
                "exit code 0" => Holds,
                exit if exit.starts_with("signal") => DoesNotHold,
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
        assert_eq!(judge(correct), (Holds, "2 of 2 correct".to_owned()));
        for (index, score, result, message) in [
            (0, Some(31_995), Note, "1 of 2 correct; mate 3 instead of mate 2 in a"),
            (0, Some(700), Note, "1 of 2 correct; cp 700 instead of mate 2 in a"),
            (0, None, Note, "1 of 2 correct; no score instead of mate 2 in a"),
            (0, Some(31_999), DoesNotHold, "1 of 2 correct; mate 1 instead of mate 2 in a"),
            (1, Some(31_999), DoesNotHold, "1 of 2 correct; mate 1 instead of mate -1 in b"),
        ] {
            let mut scores = correct;
            scores[index] = score;
            assert_eq!(judge(scores), (result, message.to_owned()));
        }
        // A wrong mate is reported before a missed one.
        assert!(judge([Some(700), Some(31_999)]).1.contains("mate -1 in b"));
    }

    #[test]
    fn exit_is_judged_by_code_and_processes_left() {
        let judge = |exit: Option<&str>, leftovers: &[&str]| {
            let leftovers = leftovers.iter().map(|name| (*name).to_owned()).collect();
            judge_exit(&QuitReport { exit: exit.map(str::to_owned), elapsed: Duration::from_millis(1510), leftovers })
        };
        for (outcome, result, message) in [
            (judge(Some("exit code 0"), &[]), Holds, "ends within 1.51 s (exit code 0), and leaves nothing behind"),
            (judge(Some("exit code 3"), &[]), Note, "ends within 1.51 s (exit code 3), and leaves nothing behind"),
            (judge(Some("signal 11"), &[]), DoesNotHold, "ends within 1.51 s (signal 11), and leaves nothing behind"),
            (judge(Some("exit code 0"), &["sleep", "sh"]), DoesNotHold, "ends, and leaves processes behind: sleep, sh"),
            (judge(None, &[]), DoesNotHold, "does not end within 1.5 s"),
        ] {
            assert_eq!(outcome, (result, message.to_owned()));
        }
    }
}
