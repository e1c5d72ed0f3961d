//! FEN: writing.

use super::board::Board;
use super::keys::EpRule;
use super::types::{Color, Square};
use std::fmt;

impl Board {
    /// The FEN of the position, with the en passant square if `rule` counts it.
    pub fn fen(&self, rule: EpRule) -> String {
        let mut ranks = Vec::with_capacity(8);
        for rank in (0..8).rev() {
            let mut text = String::new();
            let mut empty = 0;
            for file in 0..8 {
                let square = Square::from_file_rank(file, rank);
                let letter = self.piece_on(square).map(|piece| match self.color_on(square) {
                    Some(Color::White) => piece.letter().to_ascii_uppercase(),
                    _ => piece.letter(),
                });
                if letter.is_some() && empty > 0 {
                    text += &empty.to_string();
                    empty = 0;
                }
                match letter {
                    Some(letter) => text.push(letter),
                    None => empty += 1,
                }
            }
            if empty > 0 {
                text += &empty.to_string();
            }
            ranks.push(text);
        }
        let turn = if self.turn() == Color::White { 'w' } else { 'b' };
        let castling: String = ['K', 'Q', 'k', 'q']
            .into_iter()
            .enumerate()
            .filter(|(bit, _)| self.castling() >> bit & 1 != 0)
            .map(|(_, letter)| letter)
            .collect();
        let castling = if castling.is_empty() { "-" } else { &castling };
        let ep = match self.en_passant() {
            Some(square) if self.has_en_passant(rule) => square.to_string(),
            _ => "-".to_owned(),
        };
        let number = self.game_ply() / 2 + 1;
        format!("{} {turn} {castling} {ep} {} {number}", ranks.join("/"), self.halfmove_clock())
    }
}

impl fmt::Display for Board {
    /// Writes the FEN, with the en passant square after every double push.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen(EpRule::Always))
    }
}
