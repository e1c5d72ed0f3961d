//! Fuzz target: any text is read as FEN or refused. A position that was read can be written, read
//! again, and have its moves generated.

use ttlab::internals::chess::MoveList;
use ttlab::internals::chess::fen::{self, Strictness};
use ttlab::internals::chess::keys::EpRule;

/// Tests one input.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let strict = fen::read(text, Strictness::Strict);
    let lenient = fen::read(text, Strictness::Lenient);
    if let Ok(strict) = &strict {
        let lenient = lenient.as_ref().expect("what is strictly right is right");
        assert_eq!(strict.board.fen(EpRule::Always), lenient.board.fen(EpRule::Always));
        assert!(lenient.repairs.is_empty(), "{:?}", lenient.repairs);
    }
    for (reading, strictness) in [(strict, Strictness::Strict), (lenient, Strictness::Lenient)] {
        let Ok(reading) = reading else { continue };
        let written = reading.board.fen(EpRule::Always);
        let again = fen::read(&written, strictness).expect("what was written can be read");
        assert_eq!(again.board.fen(EpRule::Always), written);
        let mut moves = MoveList::new();
        ttlab::internals::chess::movegen::legal(&reading.board, &mut moves);
        assert_eq!(ttlab::internals::chess::movegen::count_legal(&reading.board), moves.len() as u64);
    }
}
