//! Staged move generation. The groups of moves are the first move, captures and promotions, quiet
//! moves, and losing captures. Each group is generated and scored when the group before it is
//! exhausted. The resulting order is the same as if all moves were scored at once.
//!
//! All moves of a node must be scored by what the search knew at the start of the node. Below a
//! node of remaining depth 2 the search learns nothing that changes the order of the node's moves:
//! history would learn from the same side two plies below, killers belong to another ply, and
//! countermoves belong to the other side. Deeper nodes, which are few, score all moves at once.

use super::stack::{NodeMoves, Stack, Stage, StageContext};
use crate::chess::{Move, MoveList};

/// The maximum remaining depth at which moves are generated in stages.
pub const STAGED_DEPTH: i32 = 2;

impl Stack {
    /// Generates no moves.
    #[inline]
    pub fn next_ready(&mut self, frame: &mut NodeMoves) -> Option<Move> {
        match frame.stage {
            Stage::First => {
                frame.stage = Stage::FirstDone;
                if frame.first_move.is_none() { None } else { Some(frame.first_move) }
            }
            Stage::FirstDone => None,
            Stage::Noisy | Stage::Quiet | Stage::All => self.next(frame),
        }
    }

    /// Generates the moves of the next stage. Returns false if there is no further stage. `scratch`
    /// is a list for temporary use.
    #[inline(never)]
    pub fn generate_next_stage(
        &mut self,
        frame: &mut NodeMoves,
        scratch: &mut MoveList,
        context: StageContext,
    ) -> bool {
        match frame.stage {
            Stage::First | Stage::FirstDone => self.push_noisy(frame, context, scratch),
            Stage::Noisy => self.push_quiets(frame, context, scratch),
            Stage::Quiet | Stage::All => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Heuristics, Hint, Ranks};
    use super::*;
    use crate::chess::{Board, GenerationOrder};
    use crate::chess::{Increments, Piece, legal};
    use crate::engine::EngineOptions;
    use crate::engine::options::{MvvLva, Ordering};

    /// The order in which rules claim a move.
    const RULES: [Ordering; 5] =
        [Ordering::MvvLva, Ordering::See, Ordering::Killers, Ordering::Countermove, Ordering::History];

    const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 20_000];

    /// A pseudo-random number generator.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % end
        }
    }

    /// A plain reimplementation of the order. The table's move is claimed by its own rule, any
    /// other move by the first of captures, killers, countermove and history that is in the list
    /// and knows it. Moves of the same rule are ordered by score; losing captures come last; equal
    /// moves stay in generation order.
    fn plain_order(options: &EngineOptions, board: &Board, hint: &Hint, heuristics: &Heuristics) -> Vec<Move> {
        let mut list = MoveList::new();
        legal(board, &mut list);
        options.generation.sort(board, &mut list);
        // The score of a move within a rule, if the rule knows the move.
        let score_in_rule = |rule: Ordering, mv: Move| -> Option<i32> {
            let quiet = board.is_quiet(mv);
            match rule {
                Ordering::Oracle | Ordering::TableMove => (mv == hint.table_move).then_some(0),
                Ordering::MvvLva => super::super::mvv_lva::score(options.mvv_lva, board, mv),
                Ordering::See => (!quiet).then(|| board.see(mv, &VALUES)),
                Ordering::Killers => {
                    let pair = heuristics.killers.pair(hint.ply);
                    pair.iter().position(|&killer| quiet && killer == mv).map(|place| -(place as i32))
                }
                Ordering::History => {
                    let score = super::super::history::score(heuristics.history.side_scores(board.turn()), mv);
                    (quiet && score > 0).then_some(score)
                }
                Ordering::Countermove => {
                    (quiet && mv == heuristics.countermoves.reply(board, hint.previous)).then_some(0)
                }
            }
        };
        // Moves that no rule claims come after all rules, and losing captures after them.
        const UNCLAIMED: i32 = 100;
        const LOSING: i32 = 1000;
        let is_first_move_rule = |rule: &Ordering| matches!(rule, Ordering::Oracle | Ordering::TableMove);
        let first_move_rule = options.ordering.iter().position(is_first_move_rule);
        // The index of the rule that claims the move, then the negated score.
        let sort_key = |mv: &Move| -> (i32, i32) {
            if *mv == hint.table_move
                && let Some(index) = first_move_rule
            {
                return (index as i32, 0);
            }
            let claim = RULES.into_iter().find_map(|rule| {
                let index = options.ordering.iter().position(|&listed| listed == rule)?;
                let score = score_in_rule(rule, *mv)?;
                let is_losing = rule == Ordering::See && score < 0;
                Some((if is_losing { LOSING } else { index as i32 }, -score))
            });
            claim.unwrap_or((UNCLAIMED, 0))
        };
        let mut moves: Vec<Move> = list.iter().copied().collect();
        moves.sort_by_cached_key(sort_key);
        moves
    }

    /// The order of the moves if all of them are generated at once.
    fn order_all_at_once(options: &EngineOptions, board: &Board, hint: &Hint, heuristics: &Heuristics) -> Vec<Move> {
        let (mut list, mut stack) = (MoveList::new(), Stack::default());
        legal(board, &mut list);
        options.generation.sort(board, &mut list);
        let mut frame = stack.push(&Ranks::new(options), board, &list, hint, heuristics);
        std::iter::from_fn(|| stack.next(&mut frame)).collect()
    }

    /// The order of the moves if they are generated in stages; `None` if the options do not allow
    /// stages.
    fn staged_order(options: &EngineOptions, board: &Board, hint: &Hint, heuristics: &Heuristics) -> Option<Vec<Move>> {
        let ranks = Ranks::new(options);
        let (mut scratch, mut stack) = (MoveList::new(), Stack::default());
        let context = StageContext { ranks: &ranks, generation: options.generation, board, hint, heuristics };
        let has_first_move = ranks.has_first_move() && board.is_legal(hint.table_move);
        let mut frame = stack.begin_staged(if has_first_move { hint.table_move } else { Move::NONE });
        let next = || loop {
            if let Some(mv) = stack.next_ready(&mut frame) {
                return Some(mv);
            }
            if !stack.generate_next_stage(&mut frame, &mut scratch, context) {
                return None;
            }
        };
        ranks.come_in_stages().then(|| std::iter::from_fn(next).collect())
    }

    /// 300 nodes of 218 moves need more than twice the initial stack: each keeps its moves in
    /// order.
    #[test]
    fn growing_stack_keeps_its_moves() {
        let board = Board::from_fen("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1").unwrap();
        let (mut list, mut stack) = (MoveList::new(), Stack::default());
        legal(&board, &mut list);
        assert_eq!(list.len(), 218);
        let mut frames: Vec<NodeMoves> = (0..300).map(|_| stack.push_in_order(&list)).collect();
        let expected: Vec<Move> = list.iter().copied().collect();
        while let Some(mut frame) = frames.pop() {
            assert_eq!(std::iter::from_fn(|| stack.next(&mut frame)).collect::<Vec<_>>(), expected, "{}", frames.len());
            stack.pop(frame.base);
        }
    }

    /// All lists of up to five different rules, except those that `check` refuses, and a list with
    /// the oracle.
    fn rule_lists() -> Vec<Vec<Ordering>> {
        let rules = [
            Ordering::TableMove,
            Ordering::MvvLva,
            Ordering::See,
            Ordering::Killers,
            Ordering::History,
            Ordering::Countermove,
        ];
        let mut lists: Vec<Vec<Ordering>> = vec![vec![]];
        let mut index = 0;
        while index < lists.len() {
            for rule in rules.into_iter().filter(|rule| !lists[index].contains(rule)).collect::<Vec<_>>() {
                let mut longer = lists[index].clone();
                longer.push(rule);
                let is_refused = longer.contains(&Ordering::See) && longer.contains(&Ordering::MvvLva);
                if !is_refused {
                    lists.push(longer);
                }
            }
            index += 1;
        }
        lists.push(vec![Ordering::Oracle, Ordering::TableMove, Ordering::MvvLva, Ordering::History]);
        lists
    }

    /// In random positions, with random heuristics and rules: both orders, all at once and in
    /// stages, equal the plain reimplementation.
    #[test]
    fn staged_order_equals_the_plain_order() {
        let start_fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        ];
        let (lists, mut random, mut staged_count) = (rule_lists(), Random(3), 0);
        let comes_in_stages = |list: &&Vec<Ordering>| {
            let options = EngineOptions { ordering: (*list).clone(), ..EngineOptions::default() };
            Ranks::new(&options).come_in_stages()
        };
        let staged_lists: Vec<Vec<Ordering>> = lists.iter().filter(comes_in_stages).cloned().collect();
        for round in 0..4000 {
            let mut board = Board::from_fen(start_fens[round % start_fens.len()]).unwrap();
            let mut previous = Move::NONE;
            for _ in 0..random.below(40) {
                let mut list = MoveList::new();
                legal(&board, &mut list);
                if list.is_empty() {
                    break;
                }
                previous = list[random.below(list.len())];
                board.play(previous, Increments::none());
            }
            let mut moves = MoveList::new();
            legal(&board, &mut moves);
            let pick_move = |random: &mut Random| {
                if moves.is_empty() || random.below(4) == 0 {
                    Move::from_bits(random.below(0x5000) as u16)
                } else {
                    moves[random.below(moves.len())]
                }
            };
            let mut heuristics = Heuristics::default();
            let ply = random.below(4);
            for _ in 0..random.below(30) {
                let mv = pick_move(&mut random);
                if !mv.is_none() && board.is_quiet(mv) {
                    heuristics.killers.learn(ply, mv);
                    heuristics.history.learn(board.turn(), mv, 1 + random.below(3) as i32);
                    if board.piece_on(previous.to()).is_some_and(|piece| piece != Piece::King) {
                        heuristics.countermoves.learn(&board, previous, mv);
                    }
                }
            }
            let table_move = if random.below(3) == 0 { Move::NONE } else { pick_move(&mut random) };
            let hint = Hint { table_move, previous, ply };
            let candidates = if round % 2 == 0 { &lists } else { &staged_lists };
            let options = EngineOptions {
                ordering: candidates[round * 7 % candidates.len()].clone(),
                mvv_lva: [MvvLva::PieceOrder, MvvLva::Otter, MvvLva::Webster][random.below(3)],
                generation: [
                    GenerationOrder::Purple,
                    GenerationOrder::Otter,
                    GenerationOrder::Webster,
                    GenerationOrder::BySquare,
                    GenerationOrder::Shuffle,
                ][random.below(5)],
                ..EngineOptions::default()
            };
            let required = plain_order(&options, &board, &hint, &heuristics);
            let message = format!("{:?} {:?} {board:?} {hint:?}", options.ordering, options.generation);
            assert_eq!(order_all_at_once(&options, &board, &hint, &heuristics), required, "{message}");
            if let Some(actual) = staged_order(&options, &board, &hint, &heuristics) {
                assert_eq!(actual, required, "in stages: {message}");
                staged_count += 1;
            }
        }
        assert!(staged_count > 500, "only {staged_count} orders came in stages");
    }

    /// By hand: the knight wins a pawn, the even pawn exchange precedes all quiet moves, the losing
    /// queen capture comes last.
    #[test]
    fn even_capture_comes_before_quiet_moves() {
        let board = Board::from_fen("k7/8/2p5/1p1p2p1/4P3/5N2/8/KQ6 w - - 0 1").unwrap();
        let options = EngineOptions { ordering: vec![Ordering::See], ..EngineOptions::default() };
        let hint = Hint { table_move: Move::NONE, previous: Move::NONE, ply: 0 };
        let heuristics = Heuristics::default();
        let orders = [
            staged_order(&options, &board, &hint, &heuristics).unwrap(),
            order_all_at_once(&options, &board, &hint, &heuristics),
        ];
        let mut legal_moves = MoveList::new();
        legal(&board, &mut legal_moves);
        for order in orders {
            let uci_moves: Vec<String> = order.iter().map(ToString::to_string).collect();
            assert_eq!((uci_moves[..2].join(" "), uci_moves.len()), ("f3g5 e4d5".to_owned(), legal_moves.len()));
            assert_eq!(uci_moves.last().map(String::as_str), Some("b1b5"));
        }
    }
}
