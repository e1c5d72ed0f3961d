//! Counts the distinct positions after a number of plies: a lower bound for any transposition
//! table.

use std::collections::HashSet;
use ttlab::internals::chess::{Board, EpRule, Increments, KeyOptions, Keys, MoveList, movegen};

/// The counts for one number of plies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlyLevel {
    /// Distinct positions.
    pub unique: u64,
    /// Moves that lead to them from the distinct positions one ply before. The excess over `unique`
    /// is what an exhaustive search with a perfect table finds again.
    pub visited: u64,
}

/// Counts the distinct positions after 0, 1, ... `plies` plies. Two positions are the same if their
/// pieces, side to move and castling rights are equal, and also their e.p. squares if `rule` counts
/// them. Positions are compared in full, not by their keys: each is stored in 40 bytes, so 10
/// million take about 1 GB. Source: F. Labelle, "Statistics on chess positions"; OEIS A083276.
#[must_use]
pub fn unique(board: &Board, rule: EpRule, plies: u32) -> Vec<PlyLevel> {
    let inc = Increments::of_keys(Keys::new(&KeyOptions { ep: rule, ..KeyOptions::default() }));
    let mut root = *board;
    root.rekey(&inc);
    let mut levels = vec![PlyLevel { unique: 1, visited: 1 }];
    let mut positions = vec![root];
    for _ in 0..plies {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        let mut visited = 0;
        for position in &positions {
            let mut moves = MoveList::new();
            movegen::legal(position, &mut moves);
            visited += moves.len() as u64;
            for &mv in moves.iter() {
                let mut child = *position;
                child.play(mv, &inc);
                if seen.insert(child.identity()) {
                    next.push(child);
                }
            }
        }
        levels.push(PlyLevel { unique: next.len() as u64, visited });
        positions = next;
    }
    levels
}
