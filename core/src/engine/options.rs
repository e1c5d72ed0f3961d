//! The engine's options. The same definitions give the search's input, the vocabulary of experiment
//! files, the option columns of the CSV and the text of `ttlab options`. Each option's meaning is
//! written here and nowhere else.

pub use super::table_use::{BoundsRule, DepthRule, Known, Probe, Returns, Store, Use, Where};
pub use super::threads::{Helpers, Schedule, ThreadKind, Threads};
use crate::chess::Score;
use crate::chess::keys::KeyOptions;
use crate::chess::order::GenerationOrder;
use crate::table::{TableKind, TableOptions};
use serde::{Deserialize, Deserializer, Serialize, de::IntoDeserializer};

/// A configurable game-tree engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EngineOptions {
    /// The algorithm that searches the tree.
    pub algorithm: Algorithm,
    /// The score that a node returns if it fails high or low.
    pub fail: Fail,
    /// Which depths are searched before the last one.
    pub deepening: Deepening,
    /// Half-width of the root window around the score of the last iteration, in centipawns,
    /// 0..=32000; 0: the full window. If the score falls outside the window, the search is repeated
    /// with the failed side of the window fully open.
    #[cfg_attr(test, schemars(range(min = 0, max = 32_000)))]
    pub aspiration: i32,
    /// What happens when the remaining depth is 0.
    pub leaf: Leaf,
    /// Whether a static leaf is first checked for a legal move, so that leaves too can score as
    /// mate or stalemate.
    pub leaf_mates: bool,
    /// The captures-only search behind `leaf = "quiescence"`.
    pub quiescence: Quiescence,
    /// Whether a node scores 0 if its position has occurred before (in the game or on the path) or
    /// if the fifty-move rule applies. If off, every score depends on the position alone, so that
    /// searches with and without a table can be compared exactly.
    pub draws: bool,
    /// How the table respects the fifty-move rule, if `draws` is on: a score found at one halfmove
    /// clock may be wrong at another.
    pub fifty_moves: FiftyMoves,
    /// How being mated scores.
    pub mate: Mate,
    /// The terms of the static evaluation.
    pub eval: Eval,
    /// The rules that order the moves. Moves that an earlier rule claims are tried earlier; moves
    /// that no rule claims follow in the generation order. If several rules know a move, the order
    /// of the list does not decide which of them claims it: the table's move is claimed by
    /// `table-move`, a capture by `mvv-lva` or `see`, and a quiet move by `killers`, else by
    /// `countermove`, else by `history`.
    pub ordering: Vec<Ordering>,
    /// How captures are scored by `mvv-lva`.
    pub mvv_lva: MvvLva,
    /// The order in which moves are generated: the tie-break of every ordering.
    pub generation: GenerationOrder,
    /// Internal iterative deepening: a node with an open window and no table move is first searched
    /// to a smaller depth, to find a move to try first. Source: "Writing a Chess Engine: Move
    /// Selection".
    pub iid: Iid,
    /// Internal iterative reduction: nodes without a table move are searched less deep.
    pub iir: Iir,
    /// Late move reduction: late quiet moves are searched less deep.
    pub lmr: Lmr,
    /// Null-move pruning. A table can then change the value of a search, because entries of reduced
    /// searches are used again.
    pub null_move: NullMove,
    /// Singular extension: a move without an alternative is searched deeper.
    pub singular: Singular,
    /// Which table `iir` and `singular` consult, and thus what shapes the tree.
    pub shape: Shape,
    /// Enhanced transposition cutoffs: at this remaining depth and above, each child is looked up
    /// before the first is searched, and a bound that already refutes the node ends it; 0: off.
    /// Source: Schaeffer and Plaat, 1996.
    pub etc_depth: u8,
    /// Which nodes probe the table, and what a hit may be used for.
    pub probe: Probe,
    /// Which nodes store their result, and what they store.
    pub store: Store,
    /// The transposition table: size, policy, and how it is used.
    #[serde(deserialize_with = "deserialize_table")]
    pub table: TableOptions,
    /// Several searchers that share the table.
    pub threads: Threads,
    /// The keys that identify positions.
    pub keys: KeyOptions,
    /// When killers and history are forgotten.
    pub history_clear: crate::table::options::Clear,
    /// How much is recorded about each probe and store. Changes time, never counts.
    pub diagnostics: Diagnostics,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::default(),
            fail: Fail::default(),
            deepening: Deepening::default(),
            aspiration: 0,
            leaf: Leaf::default(),
            leaf_mates: true,
            quiescence: Quiescence::default(),
            draws: false,
            fifty_moves: FiftyMoves::default(),
            mate: Mate::default(),
            eval: Eval::default(),
            ordering: vec![Ordering::TableMove, Ordering::MvvLva, Ordering::Killers, Ordering::History],
            mvv_lva: MvvLva::default(),
            generation: GenerationOrder::default(),
            iid: Iid::default(),
            iir: Iir::default(),
            lmr: Lmr::default(),
            null_move: NullMove::default(),
            singular: Singular::default(),
            shape: Shape::default(),
            etc_depth: 0,
            probe: Probe::default(),
            store: Store::default(),
            table: TableOptions::default(),
            threads: Threads::default(),
            keys: KeyOptions::default(),
            history_clear: crate::table::options::Clear::default(),
            diagnostics: Diagnostics::default(),
        }
    }
}

impl EngineOptions {
    /// Whether the search records the entries that it offers to the table. If the option `shape` is
    /// `neutral`, `iir` and `singular` read this record instead of the table. An unbounded table
    /// that forgets nothing needs no record, because it still contains every entry.
    #[must_use]
    pub fn records_offers(&self) -> bool {
        let consults_entries = self.iir.min_depth > 0 || self.singular.min_depth > 0;
        let forgets = self.table.kind != TableKind::Unbounded || self.table.forget > 0.0;
        self.shape == Shape::Neutral && consults_entries && forgets
    }
}

/// Reads the options of the table. They are given as one of the words `"none"`, `"unbounded"` and
/// `"bounded"`, or as a TOML table of options.
fn deserialize_table<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TableOptions, D::Error> {
    struct Visitor;
    impl<'de> serde::de::Visitor<'de> for Visitor {
        type Value = TableOptions;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("\"none\", \"bounded\", \"unbounded\" or a table of options")
        }
        fn visit_str<E: serde::de::Error>(self, kind: &str) -> Result<TableOptions, E> {
            let kind = Deserialize::deserialize(kind.into_deserializer())?;
            Ok(TableOptions { kind, ..TableOptions::default() })
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<TableOptions, A::Error> {
            TableOptions::deserialize(serde::de::value::MapAccessDeserializer::new(map))
        }
    }
    deserializer.deserialize_any(Visitor)
}

/// Which algorithm searches the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Every node to the full depth; a table returns equal positions.
    Minimax,
    /// Alpha-beta: cut on score >= beta, alpha raised on score > alpha.
    #[default]
    AlphaBeta,
    /// Principal variation search: later moves with a zero window first. Source: Marsland 1983;
    /// Reinefeld 1983.
    Pvs,
    /// MTD(f): zero-window searches from a first guess, which depend on the table to be cheap.
    /// Source: Plaat et al. 1996.
    Mtdf,
}

/// The score that a node returns if it fails high or low.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Fail {
    /// The best score found, inside the window or not. Source: Fishburn 1983.
    #[default]
    Soft,
    /// The bound that it failed against.
    Hard,
}

/// Iterative deepening: search to `start`, then `step` deeper each time, up to the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Deepening {
    /// Depth of the first iteration, in plies, 1..=255.
    #[cfg_attr(test, schemars(range(min = 1, max = 255)))]
    pub start: u8,
    /// Plies added by each iteration; 0: no deepening, straight to the depth limit.
    pub step: u8,
}

impl Default for Deepening {
    fn default() -> Self {
        Self { start: 1, step: 1 }
    }
}

/// What happens when the remaining depth is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Leaf {
    /// The static evaluation.
    Static,
    /// A search of captures until the position is quiet.
    #[default]
    Quiescence,
}

/// The captures-only search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Quiescence {
    /// A capture is skipped when the evaluation plus the captured piece plus this many centipawns
    /// does not reach alpha; 0: none is skipped.
    #[cfg_attr(test, schemars(range(min = 0, max = 32_000)))]
    pub delta: i32,
}

/// How the table respects the fifty-move rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FiftyMoves {
    /// Not at all: a score is valid at any clock.
    #[default]
    Ignored,
    /// A score neither ends a node nor narrows its window if its depth reaches the hundredth
    /// halfmove, or if its mate comes after it. A node whose remaining depth reaches the hundredth
    /// halfmove stores no score. Stored moves are still tried.
    Guarded,
    /// The clock is part of the key: all clocks below 36 halfmoves count as one, higher ones in
    /// steps of eight. Within a step scores are used as under `ignored`.
    InKey,
}

/// How being mated scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Mate {
    /// The base of a mate score, in centipawns, 1000..=31700.
    #[cfg_attr(test, schemars(range(min = 1000, max = 31_700)))]
    pub value: i32,
    /// How the distance to the mate enters its score.
    pub distance: MateDistance,
}

impl Default for Mate {
    fn default() -> Self {
        Self { value: 31_000, distance: MateDistance::default() }
    }
}

impl Mate {
    /// The number is negative if the side to move is mated.
    pub fn moves_to_mate(&self, score: Score) -> Option<i32> {
        let plies = self.value - score.abs();
        let moves = (plies + 1) / 2;
        // Scores within 256 of `value` are mates.
        let is_mate = self.distance == MateDistance::Ply && (0..=256).contains(&plies);
        is_mate.then_some(if score > 0 { moves } else { -moves })
    }
}

/// How the distance to a mate enters its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MateDistance {
    /// -(value - ply from the root); a stored score is counted from its own node.
    #[default]
    Ply,
    /// -(value + remaining depth): a score of the node alone. Source: the engine `purple`.
    Depth,
    /// -value at any distance.
    None,
}

/// The static evaluation: a sum of terms, in centipawns, from the side to move's view, clipped to
/// +-30,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Eval {
    /// The values of the pieces.
    pub values: PieceValues,
    /// The piece-square tables.
    pub squares: PieceSquares,
    /// Centipawns for each pseudo-legal move of the knights, bishops, rooks and queens.
    #[cfg_attr(test, schemars(range(min = -100, max = 100)))]
    pub mobility: i32,
    /// Centipawns for each piece on, and each attack on, the four squares d4, e4, d5 and e5.
    #[cfg_attr(test, schemars(range(min = -100, max = 100)))]
    pub centre: i32,
    /// Centipawns for each square that a knight or bishop can go to and no enemy pawn attacks.
    #[cfg_attr(test, schemars(range(min = -100, max = 100)))]
    pub space: i32,
    /// Rounds of idle arithmetic in each static evaluation that is made, 0..=100000, about a
    /// nanosecond each: the time that a network takes. An evaluation found in the table
    /// (`table.static_evaluation`) then saves it. Changes time, never counts.
    #[cfg_attr(test, schemars(range(min = 0, max = 100_000)))]
    pub work: i32,
}

/// A set of piece values, in centipawns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PieceValues {
    /// P 100, N 300, B 300, R 500, Q 900.
    #[default]
    Classic,
    /// P 100, N 300, B 300, R 500, Q 800: what the counts of the engine `purple` need (its article
    /// says 9 points).
    Purple,
    /// P 100, N 320, B 330, R 500, Q 900. Source: Michniewski's Simplified Evaluation Function.
    Simplified,
    /// All pieces are worth 0.
    None,
}

impl PieceValues {
    /// The value of the king is 0.
    #[must_use]
    pub const fn values(self) -> [i32; 6] {
        match self {
            Self::Classic => [100, 300, 300, 500, 900, 0],
            Self::Purple => [100, 300, 300, 500, 800, 0],
            Self::Simplified => [100, 320, 330, 500, 900, 0],
            Self::None => [0; 6],
        }
    }
}

/// A set of piece-square tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PieceSquares {
    /// Michniewski's Simplified Evaluation Function, the middle-game king throughout.
    #[default]
    Simplified,
    /// No piece-square values: only material counts.
    None,
}

/// One rule of move ordering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Ordering {
    /// The best or refuting move of the node, found by the same search with an unbounded table,
    /// which runs before each iteration and is not counted; where it found none, the table's move
    /// if `table-move` is in the list. Must stand first. With `table.kind = "none"` the nodes are
    /// near those of the minimal tree (Knuth and Moore 1975; the first refutation found need not be
    /// the cheapest), with `"unbounded"` those of the left-first minimal graph (Plaat et al. 1996):
    /// the limits with which to compare any other result.
    #[serde(rename = "oracle")]
    Oracle,
    /// The move of a table hit.
    TableMove,
    /// Captures, most valuable victim first, then least valuable attacker.
    MvvLva,
    /// Captures by static exchange evaluation: gains first, losing captures last of all.
    See,
    /// The last two quiet moves that caused a cutoff at this ply.
    Killers,
    /// Quiet moves by how often they caused a cutoff anywhere, weighted by depth squared. Source:
    /// Schaeffer 1983.
    History,
    /// The quiet move that last refuted the opponent's move. Source: Uiterwijk 1992.
    Countermove,
}

/// How captures are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MvvLva {
    /// Victim's rank x 8 - attacker's rank; a promotion counts as a victim of its rank.
    #[default]
    #[serde(rename = "ranks")]
    PieceOrder,
    /// 5 x victim's value - attacker's value (the king as attacker: 0), plus the promoted piece's
    /// value; a promotion without capture counts too. Source: the engine `otter`.
    Otter,
    /// Victim (100..600) + 6 - attacker / 100, en passant 105; captures only. Source: the engine
    /// `webster`.
    Webster,
}

/// Internal iterative deepening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Iid {
    /// The least remaining depth at which a node with an open window and no table move is first
    /// searched to half its depth, to find a move to try first; 0: off.
    pub min_depth: u8,
}

/// Internal iterative reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Iir {
    /// Internal iterative reduction: the least remaining depth at which a node below the root for
    /// which the table has no move is searched, and stored, less deeply; 0: off. A table that
    /// forgets then makes the tree smaller. Source: E. Schröder, Rebel, 2020; Stockfish 12.
    pub min_depth: u8,
}

/// Late move reduction: quiet moves late in the order are searched less deeply first, and again in
/// full if they raise alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Lmr {
    /// The least remaining depth at which moves are reduced; 0: off.
    pub min_depth: u8,
    /// Moves searched in full before the first reduced one.
    pub full_moves: u8,
    /// The plies by which a late move is searched less deep.
    pub reduction: u8,
}

impl Default for Lmr {
    fn default() -> Self {
        Self { min_depth: 0, full_moves: 4, reduction: 1 }
    }
}

/// Null-move pruning: a node is cut off if it fails high even after its side to move has passed.
/// Source: Donninger 1993.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NullMove {
    /// The least remaining depth at which a null move is tried; 0: off.
    pub min_depth: u8,
    /// Plies by which the search after a null move is reduced, besides the ply of the null move
    /// itself.
    pub reduction: u8,
}

impl Default for NullMove {
    fn default() -> Self {
        Self { min_depth: 0, reduction: 2 }
    }
}

/// Singular extension: the search of a node without the move of its table entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Singular {
    /// Singular extension: the least remaining depth, 3..=255, at which the other moves of a node
    /// with a deep entry are searched less deeply, against a target below the entry's score; if all
    /// fail low, the entry's move is searched a ply deeper. 0: off. Never at the root, nor at plies
    /// of twice the iteration's depth and more. Source: Anantharaman, Campbell and Hsu, 1988; by
    /// the table's entry: Stockfish.
    pub min_depth: u8,
    /// Centipawns, 0..=32000: if the other moves stay below the target by more than this, the move
    /// of a node with a closed window is searched two plies deeper; 0: never.
    #[cfg_attr(test, schemars(range(min = 0, max = 32_000)))]
    pub double: i32,
}

/// Which table the terms that shape the tree consult.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// The table itself, as in play: if it forgets entries, the tree has another shape.
    #[default]
    Table,
    /// A table that never forgets. It receives every entry that the search offers to the table,
    /// even an entry that the table refuses. It is emptied whenever the table is emptied, and obeys
    /// `table.same_key` (`policy` as `replace`), `table.keep_move` and `probe`. Cutoffs and
    /// ordering still come from the table. The number of nodes to a depth then shows what lost
    /// answers and lost ordering cost, without a change of shape.
    Neutral,
}

/// How much is recorded about each probe and store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Diagnostics {
    /// Only the ordinary counters of each iteration.
    #[default]
    Off,
    /// The anatomy of each hit and miss: independent keys, ghosts of what was lost. Slower.
    Full,
}
