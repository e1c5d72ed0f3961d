//! FEN: writing.

use super::board::Board;
use super::keys::EpRule;
use super::types::{Color, Square};
use std::fmt;

impl Board {
    /// `rule` decides whether the FEN contains the en passant square.
    pub fn fen(&self, rule: EpRule) -> String {
        let mut ranks = Vec::with_capacity(8);
        for rank in (0..8).rev() {
            let mut rank_text = String::new();
            let mut empty_count = 0;
            for file in 0..8 {
                let square = Square::from_file_rank(file, rank);
                let letter = self.piece_on(square).map(|piece| match self.color_on(square) {
                    Some(Color::White) => piece.letter().to_ascii_uppercase(),
                    _ => piece.letter(),
                });
                if letter.is_some() && empty_count > 0 {
                    rank_text += &empty_count.to_string();
                    empty_count = 0;
                }
                match letter {
                    Some(letter) => rank_text.push(letter),
                    None => empty_count += 1,
                }
            }
            if empty_count > 0 {
                rank_text += &empty_count.to_string();
            }
            ranks.push(rank_text);
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
        let move_number = self.game_ply() / 2 + 1;
        format!("{} {turn} {castling} {ep} {} {move_number}", ranks.join("/"), self.halfmove_clock())
    }
}

impl fmt::Display for Board {
    /// Writes the FEN, with the en passant square after every double push.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen(EpRule::Always))
    }
}
