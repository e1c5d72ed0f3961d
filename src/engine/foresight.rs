//! Foresight: the best or refuting move of each node, learned by a search that is not counted, so that the counted search is the
//! minimal one. Without a table its nodes are near those of Knuth and Moore's minimal tree, with an unbounded table those of the left-first
//! minimal graph: the least that better ordering could leave.
//!
//! Sources: D. Knuth and R. Moore, "An analysis of alpha-beta pruning", 1975; A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin,
//! "Exploiting graph properties of game trees", 1996.

use super::options::{Diagnostics, EngineOptions, Ordering};
use super::search::Search;
use super::{Engine, EngineError};
use crate::chess::{Board, Move};
use crate::table::TableKind;
use crate::table::by_key::ByKey;
use crate::table::options::Clear;

/// A move for each position and remaining depth.
#[derive(Debug, Default)]
pub struct Notes(ByKey<(u64, u8), Move>);

/// What a search does with notes.
pub enum Foresight<'a> {
    /// It writes them.
    Learns(&'a mut Notes),
    /// It goes by them.
    Knows(&'a Notes),
}

/// The engine that learns: the same search, with a table without a bound and the table's move first.
///
/// # Errors
/// When the options do not go together with a table.
pub fn scout(options: &EngineOptions) -> Result<Engine, EngineError> {
    let mut options = options.clone();
    options.ordering.retain(|rule| !matches!(rule, Ordering::Foreseen | Ordering::TableMove));
    options.ordering.insert(0, Ordering::TableMove);
    options.table.kind = TableKind::Unbounded;
    options.table.clear = Clear::Never;
    options.deepening.step = 0;
    options.diagnostics = Diagnostics::Off;
    let mut scout = Engine::new(&options, None)?;
    scout.notes = Some(Notes::default());
    Ok(scout)
}

impl Notes {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl Search<'_> {
    /// Notes the move that was best at a node or ended it.
    #[inline]
    pub(super) fn note(&mut self, board: &Board, depth: i32, mv: Move) {
        if let Some(Foresight::Learns(notes)) = self.foresight.as_mut() {
            notes.0.insert((board.key(), depth as u8), mv);
        }
    }

    /// Notes the move of a table's answer, unless the node itself was searched.
    #[inline]
    pub(super) fn note_answer(&mut self, board: &Board, depth: i32, mv: Move) {
        if let Some(Foresight::Learns(notes)) = self.foresight.as_mut()
            && !mv.is_none()
        {
            notes.0.entry((board.key(), depth as u8)).or_insert(mv);
        }
    }

    /// The move to try first: the one foreseen, or else the table's if the ordering asks for it.
    #[inline]
    pub(super) fn first_move(&self, board: &Board, depth: i32, table_move: Move) -> Move {
        let Some(Foresight::Knows(notes)) = self.foresight.as_ref() else { return table_move };
        let foreseen = notes.0.get(&(board.key(), depth as u8));
        foreseen.copied().unwrap_or(if self.ranks.uses_table_move() { table_move } else { Move::NONE })
    }
}
