//! Move notation: standard algebraic notation (SAN) and the coordinates of UCI.
//!
//! Both modes read SAN and UCI (`e7e8q`), with or without the signs for capture, check and mate,
//! and with more of the origin than is needed (`Rac1`, `Ra1c1`). Lenient mode also accepts `!`
//! and `?`, `0-0`, `e8Q`, `e8(Q)`, `e8/Q`, `ep` and `e.p.`, `:` and `-` between squares, `Pe4` and
//! a lower-case promotion piece. Source: S. Edwards, "Portable Game Notation Specification and
//! Implementation Guide", 1994, section 8.2.3.

use super::board::Board;
use super::fen::{Strictness, quote_start};
use super::increments::Increments;
use super::movegen;
use super::moves::{Move, MoveList};
use super::types::{Piece, Square};

/// Why a text does not name a legal move.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SanError {
    #[error("expected a move, found {}", quote_start(.0))]
    Unreadable(String),
    #[error("no legal move {}", quote_start(.0))]
    Illegal(String),
    #[error("{} is ambiguous: {}", quote_start(.0), .1.join(" or "))]
    Ambiguous(String, Vec<String>),
}

/// The parts of a move's text. A part is `None` if the text does not contain it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Description {
    piece: Option<Piece>,
    from_file: Option<u8>,
    from_rank: Option<u8>,
    to: Option<Square>,
    promotion: Option<Piece>,
}

/// Reads the legal move that a text names.
///
/// # Errors
/// Returns an error if the text does not have the form of a move, if no legal move fits the text,
/// or if several legal moves fit the text.
pub fn read(board: &Board, text: &str, strictness: Strictness) -> Result<Move, SanError> {
    let description = describe(board, text, strictness).ok_or_else(|| SanError::Unreadable(text.to_owned()))?;
    let mut list = MoveList::new();
    movegen::legal(board, &mut list);
    let fits = |mv: &&Move| {
        board.piece_on(mv.from()) == description.piece
            && Some(mv.to()) == description.to
            && mv.promotion() == description.promotion
            && description.from_file.is_none_or(|file| file == mv.from().file())
            && description.from_rank.is_none_or(|rank| rank == mv.from().rank())
    };
    let fitting_moves: Vec<Move> = list.iter().filter(fits).copied().collect();
    match *fitting_moves {
        [mv] => Ok(mv),
        [] => Err(SanError::Illegal(text.to_owned())),
        _ => Err(SanError::Ambiguous(text.to_owned(), fitting_moves.iter().map(|&mv| write(board, mv)).collect())),
    }
}

/// Reads a move as [`read`] does. Also returns why strict mode would refuse the text, if it would.
pub(super) fn read_noting(board: &Board, text: &str, mode: Strictness) -> Result<(Move, Option<SanError>), SanError> {
    match read(board, text, Strictness::Strict) {
        Ok(mv) => Ok((mv, None)),
        Err(flaw) => read(board, text, mode).map(|mv| (mv, Some(flaw))),
    }
}

/// Parses a move's text without checking whether the move is legal. Returns `None` if the text does
/// not have the form of a move.
fn describe(board: &Board, text: &str, strictness: Strictness) -> Option<Description> {
    if let Some(description) = describe_uci(board, text) {
        return Some(description);
    }
    let is_lenient = strictness == Strictness::Lenient;
    let mut rest = text;
    if is_lenient {
        rest = rest.trim_end_matches(['!', '?']);
        for suffix in ["e.p.", "ep"] {
            rest = rest.strip_suffix(suffix).unwrap_or(rest);
        }
    }
    rest = rest.strip_suffix("++").or_else(|| rest.strip_suffix(['+', '#'])).unwrap_or(rest);
    let describe_castling = |to_file| {
        let king = board.king(board.turn());
        Description {
            piece: Some(Piece::King),
            from_file: Some(4),
            to: Some(Square::from_file_rank(to_file, king.rank())),
            ..Default::default()
        }
    };
    match rest {
        "O-O" => return Some(describe_castling(6)),
        "O-O-O" => return Some(describe_castling(2)),
        "0-0" | "o-o" if is_lenient => return Some(describe_castling(6)),
        "0-0-0" | "o-o-o" if is_lenient => return Some(describe_castling(2)),
        _ => {}
    }
    let (rest, promotion) = split_promotion(rest, is_lenient);
    let mut description = Description { piece: Some(Piece::Pawn), promotion, ..Default::default() };
    let mut rest = rest;
    if let Some(letter) = rest.chars().next().filter(char::is_ascii_uppercase) {
        description.piece = Some(Piece::from_letter(letter).filter(|&piece| is_lenient || piece != Piece::Pawn)?);
        rest = &rest[1..];
    }
    let split = rest.len().checked_sub(2).filter(|&index| rest.is_char_boundary(index))?;
    let (origin, to) = rest.split_at(split);
    description.to = Some(Square::parse(to)?);
    let origin =
        origin.strip_suffix('x').or_else(|| origin.strip_suffix([':', '-']).filter(|_| is_lenient)).unwrap_or(origin);
    match *origin.as_bytes() {
        [] => {}
        [file @ b'a'..=b'h'] => description.from_file = Some(file - b'a'),
        [rank @ b'1'..=b'8'] => description.from_rank = Some(rank - b'1'),
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
            (description.from_file, description.from_rank) = (Some(file - b'a'), Some(rank - b'1'));
        }
        _ => return None,
    }
    // A pawn's capture always names the pawn's file. A text such as `e4` is therefore a push, which
    // stays on the file.
    if description.piece == Some(Piece::Pawn) && description.from_file.is_none() {
        description.from_file = description.to.map(Square::file);
    }
    Some(description)
}

/// Parses a move in UCI notation. Returns `None` if the text has another form.
fn describe_uci(board: &Board, text: &str) -> Option<Description> {
    let from = Square::parse(text.get(..2)?)?;
    let to = Square::parse(text.get(2..4)?)?;
    let promotion = match text.get(4..)? {
        "" => None,
        "n" => Some(Piece::Knight),
        "b" => Some(Piece::Bishop),
        "r" => Some(Piece::Rook),
        "q" => Some(Piece::Queen),
        _ => return None,
    };
    // If the origin is empty, `piece` is `None`, and no legal move fits.
    Some(Description {
        piece: board.piece_on(from),
        from_file: Some(from.file()),
        from_rank: Some(from.rank()),
        to: Some(to),
        promotion,
    })
}

/// Splits the promotion piece from the end of a move's text. Returns the text unchanged, and no
/// piece, if the text does not end with a promotion piece.
fn split_promotion(text: &str, is_lenient: bool) -> (&str, Option<Piece>) {
    let unbracketed = if is_lenient { text.strip_suffix(')').unwrap_or(text) } else { text };
    let Some(letter) = unbracketed.chars().next_back() else { return (text, None) };
    let piece = if is_lenient || letter.is_ascii_uppercase() { Piece::from_letter(letter) } else { None };
    let rest = &unbracketed[..unbracketed.len() - letter.len_utf8()];
    let promotion_signs: &[char] = if is_lenient { &['=', '(', '/'] } else { &['='] };
    match piece {
        None | Some(Piece::Pawn | Piece::King) => (text, None),
        Some(piece) => match rest.strip_suffix(promotion_signs) {
            Some(rest) => (rest, Some(piece)),
            // Without a sign, as in `e8Q`, a promotion piece must follow a last rank. Otherwise the
            // `b` of `Nb` would be read as a bishop.
            None if is_lenient && rest.ends_with(['1', '8']) => (rest, Some(piece)),
            None => (text, None),
        },
    }
}

/// A legal move in SAN. The text ends with `#` at checkmate and with `+` at other checks.
pub fn write(board: &Board, mv: Move) -> String {
    let (from, to) = (mv.from(), mv.to());
    let piece = board.piece_on(from).unwrap_or(Piece::Pawn);
    let mut text = String::new();
    if piece == Piece::King && from.index().abs_diff(to.index()) == 2 {
        text += if to.file() == 6 { "O-O" } else { "O-O-O" };
    } else {
        let is_capture = board.captured(mv).is_some();
        if piece == Piece::Pawn {
            if is_capture {
                text.push((b'a' + from.file()) as char);
            }
        } else {
            text.push(piece.letter().to_ascii_uppercase());
            text += &disambiguation(board, mv, piece);
        }
        if is_capture {
            text.push('x');
        }
        text += &to.to_string();
        if let Some(promotion) = mv.promotion() {
            text.push('=');
            text.push(promotion.letter().to_ascii_uppercase());
        }
    }
    let mut after = *board;
    after.play(mv, Increments::none());
    if after.in_check() {
        text.push(if after.has_legal_move() { '+' } else { '#' });
    }
    text
}

/// If there are no such moves, the text is empty. Otherwise, it is the file or the rank if one of
/// them is enough, with preference for the file, or else the whole square.
fn disambiguation(board: &Board, mv: Move, piece: Piece) -> String {
    let mut list = MoveList::new();
    movegen::legal(board, &mut list);
    let is_rival = |other: &&Move| {
        other.to() == mv.to() && other.from() != mv.from() && board.piece_on(other.from()) == Some(piece)
    };
    let rivals: Vec<Square> = list.iter().filter(is_rival).map(|other| other.from()).collect();
    let from = mv.from();
    let from_name = from.to_string();
    if rivals.is_empty() {
        String::new()
    } else if rivals.iter().all(|rival| rival.file() != from.file()) {
        from_name[..1].to_owned()
    } else if rivals.iter().all(|rival| rival.rank() != from.rank()) {
        from_name[1..].to_owned()
    } else {
        from_name
    }
}
