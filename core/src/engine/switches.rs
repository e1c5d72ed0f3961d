//! The options that are used at nodes. They are resolved into plain numbers and flags once before a
//! search.

use super::options::{
    BoundsRule, DepthRule, EngineOptions, Fail, FiftyMoves, Leaf, MateDistance, PieceSquares, Returns, Use, Where,
};
use super::ordering::{Ranks, STAGED_DEPTH};
use crate::chess::{Bound, Score, order::GenerationOrder};
use crate::table::options::{Prefetch, Size};
use crate::table::{Entry, TableKind, TableOptions};

/// A number above every score. The bounds of a full window are -`INFINITE` and `INFINITE`.
pub const INFINITE: Score = 32_001;

/// The resolved options. Each has the meaning that is described in [`EngineOptions`].
#[derive(Debug, Clone, Copy)]
pub struct Switches {
    pub is_fail_hard: bool,
    /// Whether the score of a table cutoff is clamped to the window.
    pub clamp_hits: bool,
    pub pvs: bool,
    pub draws: bool,
    /// Whether scores that the fifty-move rule could change are neither used nor stored.
    pub guards_clock: bool,
    /// Whether the halfmove clock is part of the table's key.
    pub keys_clock: bool,
    pub leaf_mates: bool,
    pub quiescence: bool,
    pub delta: Score,
    pub mate_value: Score,
    pub mate_distance: MateDistance,
    /// Scores above this number, or below its negative, are mates.
    pub mate_threshold: Score,
    /// Minimum remaining depth at which the table is probed. It is -1 if quiescence nodes probe
    /// too.
    pub probe_depth: i32,
    /// Minimum remaining depth at which results are stored. It is -1 if quiescence nodes store too.
    pub store_depth: i32,
    /// Minimum remaining depth at which a node stores its static evaluation without a score after a
    /// miss.
    pub evaluations_depth: i32,
    pub static_evaluation: bool,
    /// Minimum remaining depth at which a score that raises alpha is stored at once.
    pub rises_depth: i32,
    pub upper_move: bool,
    pub stores_window_bounds: bool,
    pub terminals: bool,
    pub bounds: BoundsRule,
    pub depth: DepthRule,
    pub allows_cutoffs: bool,
    pub uses_stored_moves: bool,
    /// Minimum remaining depth of a node at which an entry loses depth if its bound does not settle
    /// the node.
    pub demotes_depth: i32,
    pub start_value: bool,
    /// A node of more depth prefetches the buckets of its children.
    pub prefetch_depth: i32,
    pub iid_depth: i32,
    /// Minimum remaining depth at which reductions or extensions use what the table knows about a
    /// node.
    pub terms_depth: i32,
    /// Whether this knowledge comes from the entries that were offered to the table.
    pub uses_offered_facts: bool,
    pub iir_depth: i32,
    pub lmr_depth: i32,
    pub lmr_full_moves: usize,
    pub lmr_reduction: i32,
    pub null_depth: i32,
    pub null_reduction: i32,
    pub singular_depth: i32,
    pub singular_double: Score,
    pub etc_depth: i32,
    pub generation: GenerationOrder,
    pub sorts_generated_moves: bool,
    /// Maximum remaining depth at which moves are generated in stages. It is -1 if they never are.
    pub staged_depth: i32,
    /// Whether nodes above bare leaves do no more than try their moves in generation order.
    pub has_frontier_nodes: bool,
    /// Whether quiet moves leave the incremental evaluation unchanged.
    pub quiets_score_equally: bool,
    /// Whether a leaf needs only its incremental evaluation. Leaves are then neither probed nor
    /// stored, they are not checked for mates or draws, and no move to a leaf is searched again.
    pub bare_leaves: bool,
    /// Whether any of the rarely used options is on. The search is compiled once with these options
    /// and once without, so that most searches do not check them at each node.
    pub extras: bool,
}

/// A minimum remaining depth that no node reaches.
const NEVER: i32 = i32::MAX;

/// Converts the value of an option that gives a minimum depth and is off at 0.
fn from_depth(depth: u8) -> i32 {
    if depth == 0 { NEVER } else { i32::from(depth) }
}

/// `at` and `min_depth` are the options `probe.at` and `probe.min_depth`, or `store.at` and
/// `store.min_depth`. Leaves have depth 0 and quiescence nodes have depth -1.
fn lowest_depth(at: Where, min_depth: u8) -> i32 {
    match at {
        // Only interior nodes use the table.
        Where::AfterLeaf => i32::from(min_depth.max(1)),
        Where::Quiescence if min_depth == 0 => -1,
        // Leaves use the table too.
        Where::BeforeLeaf | Where::Quiescence => i32::from(min_depth),
    }
}

impl Switches {
    pub fn new(options: &EngineOptions) -> Self {
        let (table, probe) = (&options.table, &options.probe);
        let no_table = table.kind == TableKind::None;
        let store_depth = if no_table { NEVER } else { lowest_depth(options.store.at, options.store.min_depth) };
        let mut switches = Self {
            is_fail_hard: options.fail == Fail::Hard,
            clamp_hits: options.fail == Fail::Hard || probe.returns == Returns::Window,
            pvs: options.algorithm == super::options::Algorithm::Pvs,
            draws: options.draws,
            guards_clock: options.draws && options.fifty_moves == FiftyMoves::Guarded,
            keys_clock: options.draws && options.fifty_moves == FiftyMoves::InKey,
            leaf_mates: options.leaf_mates,
            quiescence: options.leaf == Leaf::Quiescence,
            delta: options.quiescence.delta,
            mate_value: options.mate.value,
            mate_distance: options.mate.distance,
            mate_threshold: options.mate.value - 256,
            probe_depth: if no_table { NEVER } else { lowest_depth(options.probe.at, options.probe.min_depth) },
            store_depth,
            evaluations_depth: if options.store.evaluations { store_depth } else { NEVER },
            static_evaluation: table.static_evaluation,
            rises_depth: if options.store.rises { store_depth } else { NEVER },
            upper_move: options.store.upper_move,
            terminals: options.store.terminals,
            stores_window_bounds: options.store.known == super::options::Known::Window,
            bounds: probe.bounds,
            depth: probe.depth,
            allows_cutoffs: probe.uses != Use::Moves,
            uses_stored_moves: probe.uses != Use::Cutoffs,
            demotes_depth: match (table.demotion.missed, table.demotion.missed_depth) {
                (0, _) => NEVER,
                (_, depth) => lowest_depth(Where::Quiescence, depth),
            },
            start_value: probe.start_value,
            prefetch_depth: NEVER,
            iid_depth: from_depth(options.iid.min_depth),
            terms_depth: from_depth(options.iir.min_depth).min(from_depth(options.singular.min_depth)),
            uses_offered_facts: options.records_offers(),
            iir_depth: from_depth(options.iir.min_depth),
            lmr_depth: from_depth(options.lmr.min_depth),
            lmr_full_moves: usize::from(options.lmr.full_moves),
            lmr_reduction: i32::from(options.lmr.reduction),
            null_depth: from_depth(options.null_move.min_depth),
            null_reduction: i32::from(options.null_move.reduction),
            singular_depth: from_depth(options.singular.min_depth),
            singular_double: options.singular.double,
            etc_depth: if no_table { NEVER } else { from_depth(options.etc_depth) },
            generation: options.generation,
            sorts_generated_moves: options.generation != GenerationOrder::Purple,
            staged_depth: -1,
            has_frontier_nodes: false,
            quiets_score_equally: options.eval.squares == PieceSquares::None,
            bare_leaves: false,
            extras: false,
        };
        if prefetches(table) {
            switches.prefetch_depth = switches.probe_depth;
        }
        let depths = [switches.terms_depth, switches.rises_depth, switches.demotes_depth, switches.evaluations_depth];
        switches.extras =
            depths.into_iter().any(|depth| depth != NEVER) || switches.static_evaluation || switches.guards_clock;
        switches.bare_leaves = options.leaf == Leaf::Static
            && !options.eval.has_leaf_terms()
            && !(switches.leaf_mates || switches.draws || switches.pvs)
            && switches.probe_depth > 0
            && switches.store_depth > 0
            && switches.lmr_depth > 1;
        let ranks = Ranks::new(options);
        switches.has_frontier_nodes = switches.bare_leaves
            && ranks.is_empty
            && !switches.sorts_generated_moves
            && switches.etc_depth > 1
            && switches.null_depth > 1
            && switches.iid_depth > 1
            && switches.rises_depth > 1;
        if ranks.come_in_stages() {
            // A node that probes all its children before it searches the first needs all moves.
            switches.staged_depth = STAGED_DEPTH.min(switches.etc_depth - 1);
        }
        switches
    }

    #[inline]
    pub fn mated(&self, ply: usize, depth: i32) -> Score {
        match self.mate_distance {
            MateDistance::Ply => ply as Score - self.mate_value,
            MateDistance::Depth => -(self.mate_value + depth),
            MateDistance::None => -self.mate_value,
        }
    }

    /// How the score of an entry is used. This is the bound of the entry, or an exact score if the
    /// options say that bounds are ignored.
    #[inline]
    pub fn bound(&self, entry: &Entry) -> Bound {
        let is_ignored = self.bounds == BoundsRule::Ignored && entry.bound != Bound::None;
        if is_ignored { Bound::Exact } else { entry.bound }
    }

    /// Converts a score of the node at `ply` for storing. The distance of a mate is then counted
    /// from this node instead of the root.
    #[inline]
    pub fn score_to_store(&self, score: Score, ply: usize) -> i16 {
        let score = self.shift_mate(score, ply as Score);
        debug_assert!(i16::try_from(score).is_ok(), "a score of more than 16 bits: {score}");
        score as i16
    }

    /// Converts a stored score for the node at `ply`. The distance of a mate is then counted from
    /// the root.
    #[inline]
    pub fn score_from_store(&self, score: i16, ply: usize) -> Score {
        self.shift_mate(Score::from(score), -(ply as Score))
    }

    /// Adds `plies` to the magnitude of a mate score. Other scores stay the same. Nothing is added
    /// if mate scores do not count plies from the root.
    #[inline]
    fn shift_mate(&self, score: Score, plies: Score) -> Score {
        if self.mate_distance != MateDistance::Ply {
            score
        } else if score > self.mate_threshold {
            score + plies
        } else if score < -self.mate_threshold {
            score - plies
        } else {
            score
        }
    }
}

/// The rule `auto` prefetches only if the table does not fit into the processor's caches, which
/// are assumed to have 2 MiB. A size in entries is assumed to be of entries of 16 bytes.
fn prefetches(table: &TableOptions) -> bool {
    let bytes = match table.size {
        Size::Bytes(bytes) => bytes,
        Size::Entries(entries) => entries.saturating_mul(16),
        Size::Share(_) => 0,
    };
    let is_large = bytes >= 2 << 20;
    table.kind == TableKind::Bounded
        && (table.prefetch == Prefetch::Child || table.prefetch == Prefetch::Auto && is_large)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Board;
    use crate::engine::options::Eval;
    use crate::engine::{Engine, Limit};
    use std::sync::atomic::AtomicBool;

    /// With leaf terms a leaf is worth more than its incremental sum: the score must equal that of
    /// a search that checks leaves for mates, of which there are none here.
    #[test]
    fn leaf_terms_are_part_of_the_evaluation() {
        let plain = Eval::default();
        let board = Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap();
        let mut scores = Vec::new();
        for eval in [
            plain,
            Eval { mobility: 7, ..plain },
            Eval { centre: 7, ..plain },
            Eval { space: 7, ..plain },
            Eval { work: 1, ..plain },
        ] {
            let lines = [false, true].map(|leaf_mates| {
                let options =
                    EngineOptions { leaf: Leaf::Static, leaf_mates, draws: false, eval, ..EngineOptions::default() };
                assert_eq!(Switches::new(&options).bare_leaves, !leaf_mates && eval == plain, "{eval:?}");
                let mut engine = Engine::new(&options, None).unwrap();
                let limit = Limit { depth: Some(2), nodes: None };
                let outcome = engine.search(&board, &[], limit, &AtomicBool::new(false), &mut |_| {});
                let score_and_pv =
                    |index: usize| (outcome.iterations[index].score, outcome.iterations[index].pv.clone());
                [score_and_pv(0), score_and_pv(1)]
            });
            assert_eq!(lines[0], lines[1], "{eval:?}");
            scores.push(lines[0].each_ref().map(|(score, _)| *score));
        }
        assert!((1..4).all(|index| scores[index] != scores[0]), "each term changes the score: {scores:?}");
    }
}
