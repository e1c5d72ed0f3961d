//! What any client relies on: legal moves, scores of mates, an end at `stop` and at `quit`, and nothing left behind.

use super::positions::{ENDED, MATES, RULES};
use super::{Bench, Halt, PATIENCE};
use crate::chess::{Board, Score};
use crate::engine::Limit;
use crate::record::diagnosis::CheckResult::{self, Fault, Good, Note};
use crate::subject::{Departure, EngineFault, Launch, Position, Subject, Uci};
use std::time::Duration;

type Finding = Result<(CheckResult, String), Halt>;

/// A quick search.
pub const fn quick() -> Limit {
    Limit { depth: Some(3), nodes: None }
}

/// How long an endless search runs before it is told to stop.
const ENDLESS: Duration = Duration::from_millis(300);

/// Limits of few nodes, and how many more are as good as none.
const FEW: [u64; 2] = [1_000, 10_000];

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|_| Board::startpos())
}

impl Bench<'_> {
    /// A process whose searches should take a moment.
    fn brief(&self) -> Result<Uci, Halt> {
        let mut engine = self.engine(self.launch.clone())?;
        engine.allow(PATIENCE);
        Ok(engine)
    }
}

/// How far it goes beyond a limit of nodes.
pub fn small_limits(bench: &Bench<'_>) -> Finding {
    let (mut engine, start, mut text) = (bench.brief()?, Board::startpos(), Vec::new());
    for nodes in FEW.into_iter().rev() {
        let limit = Limit { depth: None, nodes: Some(nodes) };
        let found = bench.ask(&mut engine, Position::alone(&start), limit, true)?;
        text.push((nodes, found.nodes.unwrap_or(0)));
    }
    engine.end();
    Ok(overshoot(&text))
}

/// In words, limits and what was made of them.
fn overshoot(text: &[(u64, u64)]) -> (CheckResult, String) {
    let parts: Vec<String> = text.iter().map(|(asked, made)| format!("{made} nodes when asked for {asked}")).collect();
    let result = if text.iter().all(|(asked, made)| *made <= 2 * asked) { Good } else { Note };
    (result, parts.join(", "))
}

/// Whether an endless search ends when it is told to.
pub fn stops(bench: &Bench<'_>) -> Finding {
    let mut engine = bench.engine(bench.launch.clone())?;
    engine.allow(ENDLESS);
    let start = Board::startpos();
    match bench.ask(&mut engine, Position::alone(&start), Limit::default(), true) {
        Ok(_) => Ok((Note, "`go infinite` ended before `stop`".to_owned())),
        Err(Halt::Failed(failure)) => match failure.fault {
            EngineFault::Unheeded(_) => Ok((Good, "obeyed within a second".to_owned())),
            EngineFault::Silent(_) => Ok((Fault, "not obeyed within a second".to_owned())),
            _ => Err(Halt::Failed(failure)),
        },
        Err(halt) => Err(halt),
    }
}

/// Whether its moves are legal where rules are hard.
pub fn moves(bench: &Bench<'_>, limit: Limit) -> Finding {
    let (mut engine, mut wrong) = (bench.brief()?, Vec::new());
    for fen in RULES {
        let board = board(fen);
        match bench.ask(&mut engine, Position::alone(&board), limit, true) {
            Ok(_) => {}
            Err(Halt::Failed(failure)) => {
                wrong.push(placed(&failure.fault, fen));
                engine = bench.brief()?;
            }
            Err(halt) => return Err(halt),
        }
    }
    engine.end();
    Ok(match wrong.first() {
        None => (Good, format!("legal in {} positions", RULES.len())),
        Some(first) => (Fault, format!("wrong in {} of {} positions; first: {first}", wrong.len(), RULES.len())),
    })
}

/// A fault with the position, which some name themselves.
fn placed(fault: &EngineFault, fen: &str) -> String {
    match fault {
        EngineFault::Illegal(_) => fault.to_string(),
        _ => format!("{fault} in {fen}"),
    }
}

/// What it does where there is no move: no client need ask.
pub fn ended(bench: &Bench<'_>, limit: Limit) -> Finding {
    let mut engine = bench.brief()?;
    for fen in ENDED {
        let board = board(fen);
        match bench.ask(&mut engine, Position::alone(&board), limit, true) {
            Ok(_) => {}
            Err(Halt::Failed(failure)) => return Ok((Note, placed(&failure.fault, fen))),
            Err(halt) => return Err(halt),
        }
    }
    engine.end();
    Ok((Good, "it names no move where there is none".to_owned()))
}

/// Whether mates are scores of mates, in the right number of moves and of the right side.
pub fn mates(bench: &Bench<'_>) -> Finding {
    let (mut engine, mut found) = (bench.brief()?, Vec::new());
    for &(fen, moves) in MATES {
        let board = board(fen);
        let limit = Limit { depth: Some((2 * moves.unsigned_abs() + 4) as u8), nodes: None };
        let answer = bench.ask(&mut engine, Position::alone(&board), limit, true)?;
        found.push((fen, moves, answer.score));
    }
    engine.end();
    Ok(tell_mates(&found))
}

/// A score that is a mate in so many moves of the side to move.
fn mate_in(score: Score) -> Option<i32> {
    const MATE: Score = 32_000;
    const FARTHEST: Score = 1_000;
    let plies = MATE - score.abs();
    (plies < FARTHEST).then_some((plies + 1) / 2 * score.signum())
}

fn tell_mates(found: &[(&str, i32, Option<Score>)]) -> (CheckResult, String) {
    let shown = |fen: &str, moves: i32, score: Option<Score>| {
        let score = match score.map(|score| (score, mate_in(score))) {
            None => "no score".to_owned(),
            Some((_, Some(mate))) => format!("mate {mate}"),
            Some((score, None)) => format!("cp {score}"),
        };
        format!("{score} where it is mate {moves} in {fen}")
    };
    let right = found.iter().filter(|(_, moves, score)| score.and_then(mate_in) == Some(*moves)).count();
    // A mate that is missed or longer may be a selective search's; one that is shorter, or the other side's, is wrong.
    let is_wrong = |moves: i32, score: Option<Score>| {
        score.and_then(mate_in).is_some_and(|mate| mate.signum() != moves.signum() || mate.abs() < moves.abs())
    };
    let wrong = found.iter().find(|(_, moves, score)| is_wrong(*moves, *score));
    let missed = found.iter().find(|(_, moves, score)| score.and_then(mate_in) != Some(*moves));
    let all = found.len();
    match (wrong, missed) {
        (Some(&(fen, moves, score)), _) => {
            (Fault, format!("{right} of {all} as they are; {}", shown(fen, moves, score)))
        }
        (None, Some(&(fen, moves, score))) => {
            (Note, format!("{right} of {all} as they are; {}", shown(fen, moves, score)))
        }
        (None, None) => (Good, format!("{right} of {all} as they are")),
    }
}

/// Whether it ends at `quit`, and leaves nothing behind. No guard is between: what the engine started becomes a child of this process.
pub fn quits(bench: &Bench<'_>) -> Finding {
    let mut engine = bench.engine(Launch { guard: None, ..bench.launch.clone() })?;
    engine.allow(PATIENCE);
    let start = Board::startpos();
    bench.ask(&mut engine, Position::alone(&start), quick(), true)?;
    let Some(departure) = engine.depart() else { return Ok((Fault, "it had ended before".to_owned())) };
    Ok(tell_departure(&departure))
}

fn tell_departure(departure: &Departure) -> (CheckResult, String) {
    let left = departure.left.join(", ");
    let seconds = departure.within.as_secs_f64();
    match &departure.ended {
        None => (Fault, format!("does not end within {seconds:.1} s")),
        Some(_) if !left.is_empty() => (Fault, format!("ends, and leaves processes behind: {left}")),
        Some(how) => {
            let result = match how.as_str() {
                "exit code 0" => Good,
                how if how.starts_with("signal") => Fault,
                _ => Note,
            };
            (result, format!("ends within {seconds:.2} s ({how}), and leaves nothing behind"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_read_from_scores() {
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

    /// Missed is to be known, wrong is a fault.
    #[test]
    fn mates_that_are_wrong_are_told_from_those_that_are_missed() {
        let of = |scores: [Option<Score>; 2]| tell_mates(&[("a", 2, scores[0]), ("b", -1, scores[1])]);
        let right = [Some(31_997), Some(-31_998)];
        assert_eq!(of(right), (Good, "2 of 2 as they are".to_owned()));
        for (at, score, result, message) in [
            (0, Some(31_995), Note, "1 of 2 as they are; mate 3 where it is mate 2 in a"),
            (0, Some(700), Note, "1 of 2 as they are; cp 700 where it is mate 2 in a"),
            (0, None, Note, "1 of 2 as they are; no score where it is mate 2 in a"),
            (0, Some(31_999), Fault, "1 of 2 as they are; mate 1 where it is mate 2 in a"),
            (1, Some(31_999), Fault, "1 of 2 as they are; mate 1 where it is mate -1 in b"),
        ] {
            let mut scores = right;
            scores[at] = score;
            assert_eq!(of(scores), (result, message.to_owned()));
        }
        // What is wrong goes before what is missed.
        assert!(of([Some(700), Some(31_999)]).1.contains("mate -1 in b"));
    }

    #[test]
    fn a_limit_of_nodes_is_overrun_by_so_much() {
        assert_eq!(
            overshoot(&[(1000, 1000), (100, 200)]),
            (Good, "1000 nodes when asked for 1000, 200 nodes when asked for 100".to_owned())
        );
        assert_eq!(overshoot(&[(100, 201)]).0, Note);
    }

    /// Who is told to quit ends with 0 and alone.
    #[test]
    fn an_end_is_told_by_how_it_came() {
        let of = |ended: Option<&str>, left: &[&str]| {
            let left = left.iter().map(|name| (*name).to_owned()).collect();
            tell_departure(&Departure { ended: ended.map(str::to_owned), within: Duration::from_millis(1510), left })
        };
        for (found, result, message) in [
            (of(Some("exit code 0"), &[]), Good, "ends within 1.51 s (exit code 0), and leaves nothing behind"),
            (of(Some("exit code 3"), &[]), Note, "ends within 1.51 s (exit code 3), and leaves nothing behind"),
            (of(Some("signal 11"), &[]), Fault, "ends within 1.51 s (signal 11), and leaves nothing behind"),
            (of(Some("exit code 0"), &["sleep", "sh"]), Fault, "ends, and leaves processes behind: sleep, sh"),
            (of(None, &[]), Fault, "does not end within 1.5 s"),
        ] {
            assert_eq!(found, (result, message.to_owned()));
        }
    }
}
