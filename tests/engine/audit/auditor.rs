//! The node audit. It compares every table answer that a search may use with a search without a
//! table, of the same node and to the same depth. Comparing only root scores would miss most
//! faults.
//!
//! Values can be compared if they depend only on position and depth. The options of
//! [`comparable_options`] ensure this. With draws, values also depend on the path, so a score that
//! was stored on one path may be wrong on another path. This is not a fault of the table. An audit
//! with the options of [`with_draws`] counts how often it happens.

use super::reference::ReferenceSearch;
use std::cmp::Ordering;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use ttlab::internals::chess::{Board, Bound, EpRule, Increments, Keys, Move, Score};
use ttlab::internals::engine::eval::{Evaluator, piece_square_values};
use ttlab::internals::engine::observer::ProbeEvent;
use ttlab::internals::engine::options::DepthRule;
use ttlab::internals::engine::switches::{INFINITE, Switches};
use ttlab::internals::engine::{Engine, EngineOptions, Iteration, Limit};
use ttlab::internals::table::{Hit, TableKind};

/// Maximum number of wrong answers kept in full.
const MAX_WRONG: usize = 20;

/// What an audit checked and found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AuditCounters {
    /// Answers of sufficient depth: their bound must hold.
    pub answers: u64,
    /// Of those, answers that cut off their node: their score must be right for its window.
    pub cutoffs: u64,
    /// Stored moves: they must be legal.
    pub moves: u64,
    /// Root scores of finished iterations.
    pub roots: u64,
    /// Wrong answers, moves and root scores.
    pub wrong: u64,
    /// Of those, moves that are not legal.
    pub illegal: u64,
}

/// A claim that the audit checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditedClaim {
    /// The stored score and bound.
    Stored(Bound),
    /// The score that cut off a node, as a bound of its window.
    Cutoff,
    Root,
    Move(Move),
}

/// An answer or score that differs from the true value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongAnswer {
    pub fen: String,
    pub claim: AuditedClaim,
    /// The claimed score, from the view of the side to move at the node.
    pub score: Score,
    /// How the true value compares with the score. It is `Equal` if only the bound or the move is
    /// wrong.
    pub comparison: Ordering,
    pub depth: i32,
    pub ply: usize,
    pub window: (Score, Score),
}

impl std::fmt::Display for WrongAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { fen, claim, score, depth, ply, window: (alpha, beta), .. } = self;
        let sign = match self.comparison {
            Ordering::Less => '<',
            Ordering::Equal => '=',
            Ordering::Greater => '>',
        };
        match claim {
            AuditedClaim::Stored(bound) => write!(f, "stored {bound:?} {score}, but the value is {sign} {score}")?,
            AuditedClaim::Cutoff => write!(f, "cut off with {score}, but the value is {sign} {score}")?,
            AuditedClaim::Root => write!(f, "root score {score}, but the value is {sign} {score}")?,
            AuditedClaim::Move(mv) => write!(f, "stored move {mv} is not legal")?,
        }
        write!(f, " (depth {depth}, ply {ply}, window {alpha} to {beta}): {fen}")
    }
}

/// The results of an audit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    pub count: AuditCounters,
    pub wrong_answers: Vec<WrongAnswer>,
}

impl Findings {
    /// Adds the results of another audit.
    pub fn add(&mut self, other: Self) {
        let (sum, count) = (&mut self.count, other.count);
        sum.answers += count.answers;
        sum.cutoffs += count.cutoffs;
        sum.moves += count.moves;
        sum.roots += count.roots;
        sum.wrong += count.wrong;
        sum.illegal += count.illegal;
        self.wrong_answers.extend(other.wrong_answers);
        self.wrong_answers.truncate(MAX_WRONG);
    }

    /// Counts a wrong answer. Only the first [`MAX_WRONG`] answers are kept.
    fn record(&mut self, answer: WrongAnswer) {
        self.count.wrong += 1;
        self.count.illegal += u64::from(matches!(answer.claim, AuditedClaim::Move(_)));
        if self.wrong_answers.len() < MAX_WRONG {
            self.wrong_answers.push(answer);
        }
    }
}

/// Returns `options` without everything that makes scores differ from the scores of the reference
/// search. Entries are used only at their own depth. There are no draws by repetition or by the
/// fifty-move rule. There is no pruning besides alpha-beta, and there are no reductions. Deliberate
/// faults are kept. Returns `None` if there is no table.
pub fn comparable_options(options: &EngineOptions) -> Option<EngineOptions> {
    let mut options = options.clone();
    if options.table.kind == TableKind::None {
        return None;
    }
    if options.probe.depth == DepthRule::AtLeast {
        options.probe.depth = DepthRule::Equal;
    }
    options.draws = false;
    options.quiescence.delta = 0;
    options.iir.min_depth = 0;
    options.lmr.min_depth = 0;
    options.null_move.min_depth = 0;
    options.singular.min_depth = 0;
    Some(options)
}

/// Returns the [`comparable_options`] with draws, or `None` if `options` has no draws. Values then
/// depend on the path, so an answer is compared with the value of its node on the same path.
pub fn with_draws(options: &EngineOptions) -> Option<EngineOptions> {
    comparable_options(options).filter(|_| options.draws).map(|options| EngineOptions { draws: true, ..options })
}

/// An engine whose answers of the table are audited.
pub struct AuditedEngine {
    engine: Engine,
    auditor: Arc<Mutex<Auditor>>,
}

impl AuditedEngine {
    pub fn new(options: &EngineOptions) -> Self {
        let switches = Switches::new(options);
        let evaluator = Evaluator::new(options.eval, switches.mate_threshold - 1);
        let increments = Increments::new(Keys::new(&options.keys), &piece_square_values(&options.eval));
        let reference = ReferenceSearch { switches, evaluator, increments };
        let auditor = Arc::new(Mutex::new(Auditor { findings: Findings::default(), reference }));
        let mut engine = Engine::new(options, None).unwrap();
        let watching_auditor = Arc::clone(&auditor);
        engine.watch_probes(Box::new(move |probe, path| {
            if let Some(hit) = probe.hit {
                watching_auditor.lock().unwrap().examine(probe, path, hit);
            }
        }));
        Self { engine, auditor }
    }

    /// Searches a position, and audits the answers of the table and the score of each finished
    /// iteration.
    pub fn search(&mut self, board: &Board, limit: Limit) -> Vec<Iteration> {
        let iterations = self.engine.search(board, &[], limit, &AtomicBool::new(false), &mut |_| {}).iterations;
        for iteration in iterations.iter().filter(|iteration| iteration.finished) {
            self.auditor.lock().unwrap().examine_root(board, i32::from(iteration.depth), iteration.score);
        }
        iterations
    }

    pub fn findings(&self) -> Findings {
        self.auditor.lock().unwrap().findings.clone()
    }
}

/// Compares a table's answers with a search without a table.
struct Auditor {
    findings: Findings,
    reference: ReferenceSearch,
}

impl Auditor {
    /// Audits a hit. Its move must be legal and its bound must hold. If the hit ended its node, its
    /// score must also be right within the window of the node. `path` has the keys of the earlier
    /// positions, the last of which is the parent of the node.
    fn examine(&mut self, probe: &ProbeEvent, path: &[u64], hit: &Hit) {
        let &ProbeEvent { board, node, is_deep_enough, is_cutoff, .. } = probe;
        let (alpha, beta, depth, ply) = (node.alpha, node.beta, node.depth, node.ply);
        let score = self.reference.switches.score_from_store(hit.entry.score, ply);
        let (mv, bound) = (hit.entry.mv, hit.entry.bound);
        // If the hit is too shallow for the node, only its move is audited.
        let comparison =
            if is_deep_enough { self.reference.compare(board, path, depth, ply, score) } else { Ordering::Equal };
        let make_wrong_answer = |claim| {
            let fen = board.fen(EpRule::Always);
            WrongAnswer { fen, claim, score, comparison, depth, ply, window: (alpha, beta) }
        };
        let holds = |claimed_bound| match claimed_bound {
            Bound::Exact => comparison == Ordering::Equal,
            Bound::Lower => comparison != Ordering::Less,
            Bound::Upper => comparison != Ordering::Greater,
            Bound::None => false,
        };
        if !mv.is_none() {
            self.findings.count.moves += 1;
            if !board.is_legal(mv) {
                self.findings.record(make_wrong_answer(AuditedClaim::Move(mv)));
            }
        }
        if !is_deep_enough || bound == Bound::None {
            return;
        }
        self.findings.count.answers += 1;
        self.findings.count.cutoffs += u64::from(is_cutoff);
        // After a cutoff, the search treats the score as a bound of this kind.
        let cutoff_bound = if score >= beta {
            Bound::Lower
        } else if score <= alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        if !holds(bound) {
            self.findings.record(make_wrong_answer(AuditedClaim::Stored(bound)));
        } else if is_cutoff && !holds(cutoff_bound) {
            self.findings.record(make_wrong_answer(AuditedClaim::Cutoff));
        }
    }

    /// Audits the score of a root without earlier positions.
    fn examine_root(&mut self, root: &Board, depth: i32, score: Score) {
        let mut root = *root;
        root.rekey(&self.reference.increments);
        let comparison = self.reference.compare(&root, &[], depth, 0, score);
        self.findings.count.roots += 1;
        if comparison != Ordering::Equal {
            let (fen, claim) = (root.fen(EpRule::Always), AuditedClaim::Root);
            let window = (-INFINITE, INFINITE);
            self.findings.record(WrongAnswer { fen, claim, score, comparison, depth, ply: 0, window });
        }
    }
}
