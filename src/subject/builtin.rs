//! The built-in engine as a subject.

use super::{Failure, Position, SearchEnd, SearchEvent, Subject};
use crate::chess::Move;
use crate::engine::{Engine, Limit, SearchProgress};
use std::sync::atomic::AtomicBool;

impl Subject for Engine {
    fn start(&mut self) -> Result<(), Failure> {
        self.reset();
        Ok(())
    }

    fn new_game(&mut self) -> Result<(), Failure> {
        Self::new_game(self);
        Ok(())
    }

    fn search(
        &mut self,
        position: Position<'_>,
        limit: Limit,
        stop: &AtomicBool,
        on_event: &mut dyn FnMut(SearchEvent<'_>),
    ) -> Result<SearchEnd, Failure> {
        let outcome = Self::search(self, position.board, position.past, limit, stop, &mut |progress| match progress {
            SearchProgress::Begin { .. } => on_event(SearchEvent::Begin),
            SearchProgress::End => on_event(SearchEvent::End),
            SearchProgress::Iteration(iteration) => on_event(SearchEvent::Iteration(iteration)),
        });
        match outcome.stopped {
            true => Ok(SearchEnd::Stopped),
            false => Ok(SearchEnd::Best(outcome.iterations.last().map_or(Move::NONE, |last| last.best))),
        }
    }

    fn quit(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Board;
    use crate::engine::EngineOptions;

    /// A table that is kept within a game is cleared by a new game. A table that is never cleared
    /// is cleared only by a fresh start. Node counts show this, because entries of earlier searches
    /// save nodes.
    #[test]
    fn new_game_and_start_clear_their_documented_state() {
        for (clear, game_forgets) in [("game", true), ("never", false)] {
            let text = format!("{{ \"table\": {{ \"clear\": \"{clear}\" }}, \"history_clear\": \"search\" }}");
            let options: EngineOptions = serde_json::from_str(&text).unwrap();
            let mut engine = Engine::new(&options, None).unwrap();
            let subject: &mut dyn Subject = &mut engine;
            let (board, never_stopped) = (Board::startpos(), AtomicBool::new(false));
            let search = |subject: &mut dyn Subject| {
                let (mut nodes, limit) = (0, Limit { depth: Some(4), nodes: None });
                let result = subject.search(Position::from_board(&board), limit, &never_stopped, &mut |event| {
                    nodes += if let SearchEvent::Iteration(iteration) = event { iteration.search.nodes } else { 0 };
                });
                assert!(matches!(result, Ok(SearchEnd::Best(best)) if board.is_legal(best)));
                nodes
            };
            let first = search(subject);
            assert!(search(subject) < first, "{clear}");
            subject.new_game().unwrap();
            assert_eq!(search(subject) == first, game_forgets, "{clear}");
            subject.start().unwrap();
            assert_eq!(search(subject), first, "{clear}");
        }
    }

    /// If the king moves back, the start position is repeated, which is a draw. Only the history
    /// shows this.
    #[test]
    fn search_respects_the_game_history() {
        let options: EngineOptions = serde_json::from_str(r#"{ "draws": true }"#).unwrap();
        let start = Board::from_fen("3qk3/8/8/8/8/8/8/4K3 b - - 0 1").unwrap();
        let (mut board, mut past, mut moves) = (start, Vec::new(), Vec::new());
        for word in ["d8d7", "e1f1", "d7d8"] {
            let mv = crate::chess::parse_move(&board, word).unwrap();
            past.push(board);
            moves.push(mv);
            board.play(mv, crate::chess::Increments::none());
        }
        let score = |position: Position<'_>| {
            let (mut engine, mut score) = (Engine::new(&options, None).unwrap(), None);
            let (never_stopped, limit) = (AtomicBool::new(false), Limit { depth: Some(1), nodes: None });
            let result = Subject::search(&mut engine, position, limit, &never_stopped, &mut |event| {
                if let SearchEvent::Iteration(iteration) = event {
                    score = Some(iteration.score);
                }
            });
            assert!(result.is_ok());
            score.unwrap()
        };
        assert_eq!(score(Position { start: &start, moves: &moves, past: &past, board: &board }), 0);
        assert!(score(Position::from_board(&board)) < -500);
    }

    #[test]
    fn stopped_search_returns_no_move() {
        let mut engine = Engine::new(&EngineOptions::default(), None).unwrap();
        let (board, limit) = (Board::startpos(), Limit { depth: Some(30), nodes: None });
        let stop = AtomicBool::new(true);
        let result = Subject::search(&mut engine, Position::from_board(&board), limit, &stop, &mut |_| {});
        assert!(matches!(result, Ok(SearchEnd::Stopped)));
    }

    /// After a new game every design counts as a new engine: also those that weigh empty slots, of
    /// the time 0, against entries.
    #[test]
    fn new_game_is_like_a_new_engine_for_every_design() {
        for design in crate::table::Design::ALL {
            let mut options: EngineOptions = toml::from_str(&format!("[table]\n{}", design.toml())).unwrap();
            options.table.size = crate::table::Size::Bytes(4096);
            let search = |engine: &mut Engine| {
                let mut nodes = 0;
                let limit = Limit { depth: Some(4), nodes: None };
                Engine::search(engine, &Board::startpos(), &[], limit, &AtomicBool::new(false), &mut |progress| {
                    nodes += if let SearchProgress::Iteration(it) = progress { it.search.nodes } else { 0 };
                });
                nodes
            };
            let mut engine = Engine::new(&options, None).unwrap();
            let first = search(&mut engine);
            Engine::new_game(&mut engine);
            assert_eq!(search(&mut engine), first, "{}", design.name());
        }
    }
}
