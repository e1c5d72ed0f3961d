//! Judges the iterations of a search for a mate that the suite knows (`dm 4`, `bm #4`).

use crate::chess::suite::Item;
use crate::chess::{Board, Increments, Move, Score};
use crate::engine::Limit;
use crate::engine::options::Mate;
use crate::record::MateRow;

/// The score, the line and the nodes of an iteration. `None`: the engine reported no score.
pub type Finished<'a> = (Option<Score>, &'a [Move], u64);

/// Judges the iterations of one search, in the order of their depths. `moves` are the moves until
/// the side to move mates, negative if it is mated. A search that does not find the mate counts
/// with the nodes of its limit, even if it ended a little before.
pub fn judge(iterations: &[Finished<'_>], item: &Item, moves: i16, scale: Mate, limit: Limit) -> Vec<MateRow> {
    let judge = |&(score, line, nodes): &Finished<'_>| {
        let score = score.and_then(|score| scale.moves_to_mate(score));
        MateRow { nodes, ..judge_row(item, i32::from(moves), score, line) }
    };
    let mut rows: Vec<MateRow> = iterations.iter().map(judge).collect();
    // A mate that a later depth loses again was not kept.
    match rows.iter().rposition(|row| !row.found).map_or(0, |last_without| last_without + 1) {
        kept_from if kept_from < rows.len() => rows[kept_from + 1..].iter_mut().for_each(|row| row.nodes = 0),
        _ => {
            let searched: u64 = rows.iter().map(|row| row.nodes).sum();
            let limit = limit.nodes.unwrap_or(0);
            rows.last_mut().into_iter().for_each(|last| last.nodes += limit.saturating_sub(searched));
        }
    }
    rows
}

fn judge_row(item: &Item, moves: i32, score: Option<i32>, line: &[Move]) -> MateRow {
    let Some(score) = score.filter(|score| *score != 0) else { return MateRow::default() };
    if score.signum() != moves.signum() {
        return MateRow { wrong: true, ..MateRow::default() };
    }
    let is_mate = ends_in_mate(&item.board, line, moves > 0);
    let (in_time, shorter) = (score.abs() <= moves.abs(), is_mate && score.abs() < moves.abs());
    // Where no mate is shorter, the score, the line or the suite is wrong.
    let (unproved, wrong) = (!is_mate, shorter && item.is_minimal);
    let found = is_mate && !wrong;
    MateRow { found, best: found && in_time, shorter, unproved, wrong, ..MateRow::default() }
}

/// Whether the moves are legal and the last one mates; `by_mover`: mates the side not to move.
fn ends_in_mate(board: &Board, line: &[Move], by_mover: bool) -> bool {
    let mut board = *board;
    for &mv in line {
        if !board.is_legal(mv) {
            return false;
        }
        board.play(mv, Increments::none());
    }
    let is_mate = !board.has_legal_move() && !board.checkers().is_empty();
    is_mate && (line.len() % 2 == 1) == by_mover
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::suite::Content;
    use crate::chess::{Board, Square};
    use crate::subject::UCI_MATE;

    /// Judges depths of these scores and lines, of 10, 20, 30 ... nodes.
    fn judged(fen: &str, moves: i16, is_minimal: bool, limit: Option<u64>, depths: &[(Score, &str)]) -> Vec<MateRow> {
        let square = |text: &str| Square::parse(text).unwrap();
        let to_move = |word: &str| Move::new(square(&word[..2]), square(&word[2..]));
        let lines: Vec<Vec<Move>> =
            depths.iter().map(|(_, line)| line.split_whitespace().map(to_move).collect()).collect();
        let scores = depths.iter().map(|(score, _)| Some(*score));
        let iterations: Vec<Finished<'_>> = scores
            .zip(&lines)
            .zip((10..).step_by(10))
            .map(|((score, line), nodes)| (score, &line[..], nodes))
            .collect();
        let board = Board::from_fen(fen).unwrap();
        let item = Item { id: String::new(), line: 1, board, content: Content::Position(Vec::new()), is_minimal };
        judge(&iterations, &item, moves, UCI_MATE, Limit { depth: None, nodes: limit })
    }

    const BACK_RANK: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";

    /// A mate counts if its line shows it. Flags: found, best, shorter, unproved, wrong.
    #[test]
    fn score_without_a_line_that_mates_is_not_found() {
        let cornered = "k7/8/1K6/8/8/8/8/7R b - - 0 1";
        for (fen, moves, score, line, expected) in [
            (BACK_RANK, 1, 31_999, "a1a8", "11000"),
            (BACK_RANK, 3, 31_999, "a1a8", "11100"),
            (BACK_RANK, 1, 31_997, "a1a8", "10000"),
            (BACK_RANK, 1, 31_999, "", "00010"),
            (BACK_RANK, 1, 31_999, "a1a7", "00010"),
            (BACK_RANK, 1, 31_999, "a1b8", "00010"),
            (BACK_RANK, 1, -31_998, "a1a8", "00001"),
            (BACK_RANK, 1, 900, "a1a8", "00000"),
            (cornered, -1, -31_998, "a8b8 h1h8", "11000"),
            (cornered, -1, -31_998, "a8b8", "00010"),
            (cornered, -1, 31_999, "a8b8 h1h8", "00001"),
        ] {
            let flags = |is_minimal| {
                let mate = judged(fen, moves, is_minimal, None, &[(score, line)])[0];
                let flags = [mate.found, mate.best, mate.shorter, mate.unproved, mate.wrong];
                flags.iter().map(|flag| if *flag { '1' } else { '0' }).collect::<String>()
            };
            assert_eq!(flags(false), expected, "{score} {line} in {fen}");
            // In a minimal suite a shorter mate alone is judged otherwise.
            assert_eq!(flags(true), expected.replace("11100", "00101"), "{score} {line} in {fen}");
        }
    }

    /// Nodes count up to the depth from which the mate is found in every depth.
    #[test]
    fn lost_mate_is_found_when_it_is_found_again() {
        let (mate, other) = ((31_999, "a1a8"), (50, "a1a8"));
        for (depths, nodes) in [
            ([mate, mate, mate], 10),
            ([other, mate, mate], 10 + 20),
            ([mate, other, mate], 10 + 20 + 30),
            ([mate, mate, other], 100),
            ([other, other, other], 100),
        ] {
            let rows = judged(BACK_RANK, 1, false, Some(100), &depths);
            assert_eq!(rows.iter().map(|mate| mate.nodes).sum::<u64>(), nodes, "{depths:?}");
        }
    }
}
