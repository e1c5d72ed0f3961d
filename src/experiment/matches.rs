//! `[match]`: the variants play games from the suite's positions instead of searching them.

use super::problem::Problem;
use super::text::FileText;
use super::variant::Variant;
use crate::chess::suite::Item;
use crate::chess::{Board, Increments};
use crate::engine::Limit;
use crate::stats::gsprt::Bounds;
use serde::{Deserialize, Serialize};

/// The settings of a match: a pair of games from each opening, colours swapped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Match {
    /// Which variants play each other.
    pub pairing: Pairing,
    /// When a game is adjudicated as lost; default: never.
    pub resign: Option<Resign>,
    /// When a game is adjudicated as drawn; default: never.
    pub draw: Option<Draw>,
    /// Moves of each side after which a game is drawn. Mate, stalemate, the third occurrence of a
    /// position, fifty moves without a capture or pawn move, and insufficient material always end a
    /// game.
    #[cfg_attr(test, schemars(range(min = 1, max = 5000)))]
    pub max_moves: u16,
    /// The sequential test of each encounter, pair by pair in the plan's order. Default: all pairs
    /// are played, and the page reports the default test without stopping games.
    pub test: Option<Test>,
    /// Divisors of the baseline's nodes. Each divisor adds a copy of the baseline that has the
    /// baseline's nodes divided by it (below 1: more nodes). The page then reports for each variant
    /// the share of its nodes with which the baseline would be as strong.
    pub handicap: Vec<f64>,
}

/// The pairs of variants that play each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// Each variant against the baseline.
    #[default]
    Baseline,
    /// Every pair of variants.
    RoundRobin,
}

/// A game is adjudicated as lost when both players' scores agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Resign {
    /// Centipawns by which the loser's score is below 0 and the winner's above.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub score: u32,
    /// For this many consecutive moves of each player.
    #[cfg_attr(test, schemars(range(min = 1, max = 5000)))]
    pub moves: u16,
}

/// A game is adjudicated as drawn when both players' scores agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Draw {
    /// Both scores are at most this many centipawns from 0.
    pub score: u32,
    /// For this many consecutive moves of each player.
    #[cfg_attr(test, schemars(range(min = 1, max = 5000)))]
    pub moves: u16,
    /// Not before this move of the game, counted from the opening.
    #[serde(default)]
    pub from: u16,
}

/// A sequential test on pairs of games, in normalized Elo.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Test {
    /// H0: the first player's advantage in normalized Elo.
    pub elo0: f64,
    /// H1: the first player's advantage in normalized Elo.
    pub elo1: f64,
    /// Probability of accepting H1 if H0 is true, over all encounters together.
    #[cfg_attr(test, schemars(range(min = 0.0001, max = 0.5)))]
    pub alpha: f64,
    /// Probability of accepting H0 if H1 is true, over all encounters together.
    #[cfg_attr(test, schemars(range(min = 0.0001, max = 0.5)))]
    pub beta: f64,
    /// Whether an encounter ends with its test; otherwise all pairs of the plan are played.
    pub stop: bool,
}

impl Default for Match {
    fn default() -> Self {
        Self { pairing: Pairing::default(), resign: None, draw: None, max_moves: 300, test: None, handicap: Vec::new() }
    }
}

impl Default for Test {
    fn default() -> Self {
        Self { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, stop: true }
    }
}

impl Test {
    /// The encounters share the error rates equally (Bonferroni).
    pub fn bounds(&self, encounter_count: usize) -> Bounds {
        let tests = encounter_count.max(1) as f64;
        Bounds { elo0: self.elo0, elo1: self.elo1, alpha: self.alpha / tests, beta: self.beta / tests }
    }
}

impl Match {
    /// If the pairing is `baseline`, the baseline is the second of the two.
    pub fn encounters(&self, variant_count: usize, baseline: usize) -> Vec<(usize, usize)> {
        let indices = 0..variant_count;
        match self.pairing {
            Pairing::Baseline => indices.filter(|&index| index != baseline).map(|index| (index, baseline)).collect(),
            Pairing::RoundRobin => {
                indices.flat_map(|first| (first + 1..variant_count).map(move |second| (first, second))).collect()
            }
        }
    }

    /// The test of each encounter. If the file has no test, this is the default test, which does
    /// not stop games.
    pub fn test_or_default(&self) -> Test {
        self.test.unwrap_or(Test { stop: false, ..Test::default() })
    }

    /// The name and the divisor of nodes of each handicapped copy of the baseline.
    pub fn handicaps(&self, baseline: &str) -> Vec<(String, f64)> {
        self.handicap.iter().map(|&divisor| (format!("{baseline}, nodes / {divisor}"), divisor)).collect()
    }

    /// Appends the handicapped copies of the baseline to the variants.
    pub(super) fn add_handicaps(
        &self,
        variants: &mut Vec<Variant>,
        baseline: usize,
        source: &FileText<'_>,
    ) -> Result<(), Problem> {
        if variants.len() + self.handicap.len() < 2 {
            let message = "a match needs at least two variants, found 1: add another by [grid] or [[variant]]";
            return Err(source.invalid("match", message));
        }
        let refuse = |message: String| Err(source.invalid("match.handicap", message));
        if self.handicap.is_empty() {
            return Ok(());
        }
        if self.pairing != Pairing::Baseline {
            return refuse("needs pairing = \"baseline\": strength is measured in nodes of the baseline".to_owned());
        }
        if self.test_or_default().stop {
            return refuse("a test that stops early biases Elo: give the test `stop = false`".to_owned());
        }
        let original = variants[baseline].clone();
        let (None, Some(nodes)) = (original.limit.depth, original.limit.nodes) else {
            return refuse(format!(
                "`nodes` must be the only limit, but \"{}\" has another limit: give limit = {{ nodes = 20000 }}",
                original.name
            ));
        };
        for (name, divisor) in self.handicaps(&original.name) {
            let in_range = divisor.is_finite() && (0.01..=100.0).contains(&divisor) && divisor != 1.0;
            source.check_range("match.handicap", divisor, in_range, "0.01 to 100, but not 1")?;
            let divided_nodes = (nodes as f64 / divisor).round() as u64;
            let limit = Limit { depth: None, nodes: Some(divided_nodes) };
            let copy = Variant { name, limit, ..original.clone() };
            let is_same_player = |variant: &&Variant| {
                variant.name == copy.name || super::identity::variant_id(variant) == super::identity::variant_id(&copy)
            };
            if let Some(Variant { name, .. }) = variants.iter().find(is_same_player) {
                return refuse(format!("{divisor}: gives the same player as \"{name}\""));
            }
            if divided_nodes == 0 {
                return refuse(format!("{divisor}: is too large: it leaves 0 of {nodes} nodes"));
            }
            variants.push(copy);
        }
        Ok(())
    }

    /// The settings that change games, as text for the plan's id. The pairing and the test are left
    /// out, because they change no game.
    pub fn content(&self) -> String {
        let Self { resign, draw, max_moves, .. } = self;
        format!("match\nresign: {resign:?}\ndraw: {draw:?}\nmax_moves: {max_moves}\n")
    }

    pub(super) fn check_numbers(&self, source: &FileText<'_>) -> Result<(), Problem> {
        let check_moves =
            |path: &str, moves: u16| source.check_range(path, moves, (1..=5000).contains(&moves), "1 to 5000");
        check_moves("match.max_moves", self.max_moves)?;
        if let Some(resign) = &self.resign {
            source.check_range("match.resign.score", resign.score, resign.score > 0, "at least 1")?;
            check_moves("match.resign.moves", resign.moves)?;
        }
        if let Some(draw) = &self.draw {
            check_moves("match.draw.moves", draw.moves)?;
        }
        let Test { elo0, elo1, alpha, beta, .. } = self.test_or_default();
        let hypotheses = format!("elo0 = {elo0}, elo1 = {elo1}");
        source.check_range("match.test", &hypotheses, elo0.abs() <= 1000.0 && elo1.abs() <= 1000.0, "-1000 to 1000")?;
        source.check_range("match.test", &hypotheses, elo0 < elo1, "elo0 below elo1")?;
        let check_rate =
            |path: &str, rate: f64| source.check_range(path, rate, (0.0001..=0.5).contains(&rate), "0.0001 to 0.5");
        check_rate("match.test.alpha", alpha)?;
        check_rate("match.test.beta", beta)
    }
}

/// The position from which the games of an item are played. If the item is itself a game, this is
/// the final position of that game.
pub fn opening_position(item: &Item) -> Board {
    let mut board = item.board;
    item.moves().iter().for_each(|&mv| board.play(mv, Increments::none()));
    board
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::suite::{Suite, SuiteKind, SuiteOptions};
    use std::collections::HashSet;

    #[test]
    fn opening_is_the_position_that_a_game_ends_in() {
        let pgn = "[Event \"c\"]\n\n1. Nc3 *\n\n";
        let suite = Suite::read(
            "x",
            "x.pgn",
            SuiteKind::from_path("x.pgn".as_ref()).unwrap(),
            pgn.as_bytes(),
            SuiteOptions::default(),
        )
        .unwrap();
        assert_eq!(
            opening_position(&suite.items[0]).fen(crate::chess::EpRule::Legal),
            "rnbqkbnr/pppppppp/8/8/8/2N5/PPPPPPPP/R1BQKBNR b KQkq - 1 1"
        );
        let games = || Match { resign: Some(Resign { score: 7, moves: 8 }), ..Match::default() };
        // Only rules that end games are part of the content: not the pairing, the test or
        // handicaps.
        let same = Match { pairing: Pairing::RoundRobin, test: Some(Test::default()), handicap: vec![2.0], ..games() };
        assert_eq!(games().content(), same.content());
        let others = [
            Match::default(),
            Match { resign: Some(Resign { score: 8, moves: 7 }), ..games() },
            Match { draw: Some(Draw { score: 7, moves: 8, from: 0 }), ..games() },
            Match { draw: Some(Draw { score: 7, moves: 8, from: 1 }), ..games() },
            Match { max_moves: 299, ..games() },
        ];
        let contents: HashSet<String> = others.iter().chain([&games()]).map(Match::content).collect();
        assert_eq!(contents.len(), 6);
    }

    /// With `baseline`, each variant plays the baseline, which is second; with `round-robin`, every
    /// pair plays, the earlier variant first.
    #[test]
    fn encounters_depend_on_the_pairing() {
        let encounters = |pairing: Pairing| Match { pairing, ..Match::default() }.encounters(3, 1);
        assert_eq!(encounters(Pairing::Baseline), [(0, 1), (2, 1)]);
        assert_eq!(encounters(Pairing::RoundRobin), [(0, 1), (0, 2), (1, 2)]);
        // The defaults. The default test does not stop games; one that the file has does.
        let defaults = Match::default();
        assert_eq!((defaults.max_moves, defaults.resign, defaults.draw), (300, None, None));
        assert_eq!(defaults.test_or_default(), Test { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, stop: false });
        assert!(Match { test: Some(Test::default()), ..defaults }.test_or_default().stop);
    }
}
