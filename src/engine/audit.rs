//! The node audit. It compares every table answer that a search may use with a search without a
//! table, of the same node and to the same depth. Comparing only root scores would miss most
//! faults.
//!
//! Values can be compared if they depend only on position and depth. The options of
//! [`comparable_options`] ensure this. With draws, values also depend on the path, so a score that
//! was stored on one path may be wrong on another path. This is not a fault of the table. An audit
//! with the options of [`with_draws`] counts how often it happens.

use super::eval::Evaluator;
use super::node::Node;
use super::observer::ProbeEvent;
use super::options::{DepthRule, EngineOptions};
use super::reference::ReferenceSearch;
use super::switches::{INFINITE, Switches};
use crate::chess::{Board, Bound, EpRule, Increments, Move, Score};
use crate::table::{Hit, TableKind};
use std::cmp::Ordering;

/// Maximum number of wrong answers kept in full.
const MAX_WRONG: usize = 20;

crate::counters! {
    /// What an audit checked and found.
    pub struct AuditCounters {
        /// Answers of sufficient depth: their bound must hold.
        answers,
        /// Of those, answers that cut off their node: their score must be right for its window.
        cutoffs,
        /// Stored moves: they must be legal.
        moves,
        /// Root scores of finished iterations.
        roots,
        /// Wrong answers, moves and root scores.
        wrong,
        /// Of those, moves that are not legal.
        illegal,
    }
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
    /// Counts a wrong answer. Only the first [`MAX_WRONG`] answers are kept.
    fn record(&mut self, answer: WrongAnswer) {
        self.count.wrong += 1;
        self.count.illegal += u64::from(matches!(answer.claim, AuditedClaim::Move(_)));
        if self.wrong_answers.len() < MAX_WRONG {
            self.wrong_answers.push(answer);
        }
    }

    /// Adds the results of another audit.
    pub fn add(&mut self, other: Self) {
        self.count += other.count;
        self.wrong_answers.extend(other.wrong_answers);
        self.wrong_answers.truncate(MAX_WRONG);
    }
}

/// Returns `options` without everything that makes scores differ from the scores of the reference
/// search. Entries are used only at their own depth. There are no draws by repetition or by the
/// fifty-move rule. There is no pruning besides alpha-beta, and there are no reductions. Static
/// evaluations are not refined by table scores. Deliberate faults are kept. Returns `None` if there
/// is no table.
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
    options.probe.refine = false;
    Some(options)
}

/// Returns the [`comparable_options`] with draws, or `None` if `options` has no draws. Values then
/// depend on the path, so an answer is compared with the value of its node on the same path.
pub fn with_draws(options: &EngineOptions) -> Option<EngineOptions> {
    comparable_options(options).filter(|_| options.draws).map(|options| EngineOptions { draws: true, ..options })
}

/// Compares a table's answers with a search without a table.
pub struct Auditor<'a> {
    findings: &'a mut Findings,
    reference: ReferenceSearch<'a>,
    switches: Switches,
}

impl<'a> Auditor<'a> {
    pub(super) fn new(
        findings: &'a mut Findings,
        switches: Switches,
        evaluator: Evaluator,
        increments: &'a Increments,
    ) -> Self {
        Self { findings, reference: ReferenceSearch::new(switches, evaluator, increments), switches }
    }

    /// Audits a hit. Its move must be legal and its bound must hold. If the hit ended its node, its
    /// score must also be right within the window of the node. `path` has the keys of the earlier
    /// positions, the last of which is the parent of the node.
    pub(super) fn examine(&mut self, probe: &ProbeEvent, path: &[u64], hit: &Hit) {
        let &ProbeEvent { board, node, is_deep_enough, is_cutoff, .. } = probe;
        let Node { alpha, beta, depth, ply, .. } = node;
        let score = self.switches.score_from_store(hit.entry.score, ply);
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

    /// Audits the score of a root. `path` has the keys of the earlier positions of the game.
    pub(super) fn examine_root(&mut self, root: &Board, path: &[u64], depth: i32, score: Score) {
        let comparison = self.reference.compare(root, path, depth, 0, score);
        self.findings.count.roots += 1;
        if comparison != Ordering::Equal {
            let (fen, claim) = (root.fen(EpRule::Always), AuditedClaim::Root);
            let window = (-INFINITE, INFINITE);
            self.findings.record(WrongAnswer { fen, claim, score, comparison, depth, ply: 0, window });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, Limit, SearchProgress};
    use std::sync::atomic::AtomicBool;

    /// Options that make scores depend on more than position and depth are switched off; deliberate
    /// faults are kept.
    #[test]
    fn comparable_options_switch_off_path_dependence_and_pruning() {
        let options = |text: &str| -> EngineOptions {
            serde_json::from_value(serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap()).unwrap()
        };
        let plain = "table.size = 64\nprobe.depth = 'equal'\ndraws = false";
        for prunes in [
            "draws = true",
            "quiescence.delta = 50",
            "lmr.min_depth = 3",
            "null_move.min_depth = 2",
            "probe.depth = 'at-least'",
            "probe.refine = true",
        ] {
            let path = prunes.split(' ').next().unwrap();
            let other_lines: Vec<&str> = plain.lines().filter(|line| !line.starts_with(path)).collect();
            let comparable = comparable_options(&options(&format!("{}\n{prunes}", other_lines.join("\n")))).unwrap();
            let off = [comparable.lmr.min_depth, comparable.null_move.min_depth];
            assert_eq!((comparable.draws, comparable.quiescence.delta, off), (false, 0, [0; 2]), "{prunes}");
            assert!(!comparable.probe.refine, "{prunes}");
            assert_eq!(
                (comparable.probe.depth, comparable.table.size),
                (DepthRule::Equal, options(plain).table.size),
                "{prunes}"
            );
        }
        let faulty = options("probe = { depth = 'ignored', bounds = 'ignored' }\ndraws = false");
        let probe = comparable_options(&faulty).unwrap().probe;
        assert_eq!((probe.depth, probe.bounds), (faulty.probe.depth, faulty.probe.bounds));
        assert_eq!(comparable_options(&options("table = 'none'")), None);
    }

    /// The sum has the counts of both audits and the first twenty wrong answers, in order.
    #[test]
    fn audit_results_add_up() {
        let make_findings = |wrong: u64, ply: usize| {
            let mut findings = Findings::default();
            for _ in 0..wrong {
                let (claim, comparison) = (AuditedClaim::Root, Ordering::Less);
                findings.record(WrongAnswer {
                    fen: String::new(),
                    claim,
                    score: 0,
                    comparison,
                    depth: 1,
                    ply,
                    window: (0, 1),
                });
            }
            findings.count.answers = 10 * wrong;
            findings
        };
        for (first, second, listed) in [(3, 2, (3, 2)), (0, 2, (0, 2)), (15, 9, (15, 5)), (25, 1, (20, 0))] {
            let mut sum = make_findings(first, 0);
            sum.add(make_findings(second, 1));
            assert_eq!((sum.count.wrong, sum.count.answers), (first + second, 10 * (first + second)));
            // The ply tells from which of the two audits a wrong answer comes.
            let count_with_ply = |ply: usize| sum.wrong_answers.iter().filter(|wrong| wrong.ply == ply).count();
            assert!((count_with_ply(0), count_with_ply(1)) == listed, "{first} {second}");
            assert!(sum.wrong_answers.is_sorted_by_key(|wrong| wrong.ply), "{first} {second}");
        }
    }

    /// Results are returned only once. Every stored move is checked, even if its entry is not deep
    /// enough.
    #[test]
    fn findings_are_returned_once() {
        let options = comparable_options(&EngineOptions::default()).unwrap();
        let search_and_audit = |depths: &[u8]| {
            let mut engine = Engine::new(&options, None).unwrap();
            engine.audit();
            let mut move_only = 0;
            let mut counts = Vec::new();
            for &depth in depths {
                let limit = Limit { depth: Some(depth), nodes: None };
                engine.search(&Board::startpos(), &[], limit, &AtomicBool::new(false), &mut |progress| {
                    if let SearchProgress::Iteration(iteration) = progress {
                        move_only += iteration.search.move_only;
                    }
                });
                counts.push(engine.take_findings().count);
            }
            (counts, move_only)
        };
        let (counts, move_only) = search_and_audit(&[3, 2]);
        let moves: u64 = counts.iter().map(|count| count.moves).sum();
        assert!(move_only > 0, "{moves} of {move_only}");
        assert!(moves >= move_only, "{moves} of {move_only}");
        assert_eq!([counts[0].roots, counts[1].roots], [3, 2]);
        assert_eq!(search_and_audit(&[3]).0, counts[..1]);
    }
}
