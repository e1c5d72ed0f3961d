//! The options `probe.*` and `store.*`: which nodes probe the table, how a hit is used, and which
//! results are stored.

use serde::{Deserialize, Serialize};

/// Which nodes probe the table, and what a hit may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Probe {
    /// Which nodes probe the table.
    pub at: Where,
    /// The least remaining depth at which the nodes that `at` names probe the table.
    pub min_depth: u8,
    /// Whether a hit's bound is respected.
    pub bounds: BoundsRule,
    /// Which depth an entry must have to end a node.
    pub depth: DepthRule,
    /// What a hit that ends its node returns.
    pub returns: Returns,
    /// What a hit may be used for.
    #[serde(rename = "use")]
    pub uses: Use,
    /// Whether a lower bound of enough depth that does not end the node raises alpha and the best
    /// value to start from, and an upper bound lowers beta. Source: "better starting values", the
    /// `ViperMate` journal.
    pub start_value: bool,
}

/// Which nodes use the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Where {
    /// Interior nodes only (remaining depth >= 1): the table is used after the leaf test.
    #[default]
    AfterLeaf,
    /// Nodes of remaining depth 0 too: the table is used before the leaf test.
    BeforeLeaf,
    /// Nodes of remaining depth 0 and quiescence nodes too.
    Quiescence,
}

/// Which nodes store their result, and what they store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Store {
    /// Which nodes store their result.
    pub at: Where,
    /// The least remaining depth at which the nodes that `at` names store their result. It also
    /// applies to nodes that a child's entry ended (`etc_depth`).
    pub min_depth: u8,
    /// Whether a node that failed low stores its best-scoring move (fail-soft) rather than none.
    pub upper_move: bool,
    /// Whether mates and stalemates are stored too (a node without a legal move is recognized once
    /// its moves are generated; storing it saves the generation next time).
    pub terminals: bool,
    /// The bound with which a score is stored that needed no search: an evaluation, a mate or a
    /// stalemate.
    pub known: Known,
    /// Whether a node that finds nothing in the table first stores its static evaluation alone,
    /// unless it is in check: depth 0, no move, no score. It ends no node, but takes a slot: see
    /// `table.evaluations`. With `table.static_evaluation` it saves the next visit the evaluation.
    /// Source: most engines of today.
    pub evaluations: bool,
    /// Whether a move that raises alpha without ending its node is stored at once, as a lower bound
    /// of the node: its subtree may then find it.
    pub rises: bool,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            at: Where::default(),
            min_depth: 0,
            upper_move: false,
            terminals: true,
            known: Known::default(),
            evaluations: false,
            rises: false,
        }
    }
}

/// The bound of a score that needed no search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Known {
    /// The score is stored as exact, which it is.
    #[default]
    Exact,
    /// The window decides, as for every other score: exact inside the window, a bound outside.
    /// Source: the engine `purple`.
    Window,
}

/// Whether a hit's bound is respected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BoundsRule {
    /// A lower bound ends the node only when it is >= beta, an upper bound only when it is <=
    /// alpha.
    #[default]
    Checked,
    /// Every score is used as if it were exact: a fault, kept to show what it costs. Source: the
    /// listing of the article "Writing a Chess Engine: Move Selection".
    Ignored,
}

/// Which depth an entry must have to end a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DepthRule {
    /// The same as the remaining depth, or deeper.
    #[default]
    AtLeast,
    /// Exactly the remaining depth: then every score equals that of a search without a table.
    Equal,
    /// Any depth: a fault, kept to show what it costs.
    Ignored,
}

/// What a hit may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Use {
    /// Cutoffs, and the stored move where `ordering` lists `table-move`.
    #[default]
    Both,
    /// Cutoffs only: the stored move is ignored.
    Cutoffs,
    /// The move only: no entry ends a node.
    Moves,
}

/// What a hit that ends its node returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Returns {
    /// The stored score (cut to the window under `fail = "hard"`).
    #[default]
    Stored,
    /// The window's own bound where the stored score lies beyond it, whatever `fail` says: the
    /// classic probe function that returns alpha or beta. Source: the engines `purple` and
    /// `webster`.
    Window,
}
