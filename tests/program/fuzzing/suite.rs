//! Fuzz target: any bytes are read as EPD or PGN, or refused. Ids are unique, and games can be
//! replayed.

use std::collections::HashSet;
use ttlab::internals::chess::fault::OnError;
use ttlab::internals::chess::fen::Strictness;
use ttlab::internals::chess::suite::{Suite, SuiteKind, SuiteOptions};
use ttlab::internals::chess::{Increments, MoveList, movegen};

/// Tests one input.
pub fn run(data: &[u8]) {
    let Some((&first, bytes)) = data.split_first() else { return };
    let kind = if first & 1 == 0 { SuiteKind::Positions } else { SuiteKind::Games };
    let strictness = if first & 2 == 0 { Strictness::Strict } else { Strictness::Lenient };
    let on_error = if first & 4 == 0 { OnError::Stop } else { OnError::Skip };
    let suite = match Suite::read("fuzz", "fuzz.file", kind, bytes, SuiteOptions { strictness, on_error, first: None })
    {
        Ok(suite) => suite,
        Err(faults) => {
            let _ = faults.to_string();
            return;
        }
    };
    let ids: HashSet<&str> = suite.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids.len(), suite.items.len());
    for item in &suite.items {
        let mut board = item.board;
        for &mv in item.moves() {
            let mut moves = MoveList::new();
            movegen::legal(&board, &mut moves);
            assert!(moves.contains(&mv));
            board.play(mv, Increments::none());
        }
        for &mv in item.best_moves().iter().chain(item.avoided_moves()) {
            let _ = item.is_solved_by(mv);
        }
    }
}
