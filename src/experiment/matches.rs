//! `[match]`: the variants play games instead of searching the suite's positions, which are the openings.

use super::file::File;
use super::grid::Variant;
use super::problem::{Problem, list_quoted};
use super::text::FileText;
use crate::chess::suite::{Item, Suite};
use crate::chess::{Board, Increments};
use crate::engine::Limit;
use crate::table::options::Size;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Pairs of games from each opening of the suite, colours swapped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Match {
    /// Who plays whom.
    pub pairing: Pairing,
    /// When a game is given up; left out: it is played to its end.
    pub resign: Option<Resign>,
    /// When a game is given as drawn; left out: it is played to its end.
    pub draw: Option<Draw>,
    /// Moves of each side after which a game is drawn. Mate, stalemate, the third occurrence of a position, fifty moves without a capture or
    /// pawn move, and too little material for a mate end it always.
    #[cfg_attr(test, schemars(range(min = 1, max = 5000)))]
    pub max_moves: u16,
    /// What the sequential test asks of each encounter, pair by pair in the plan's order, and whether that ends it. Left out: all pairs are
    /// played, and the page tells what the test as usual says of them. No game depends on it.
    pub test: Option<Test>,
    /// Numbers by which the baseline's nodes are divided for further players, which are the baseline otherwise (below 1: more nodes, for variants
    /// that are stronger). With them the page says of each variant with how many of its nodes the baseline would be as strong.
    pub handicap: Vec<f64>,
}

/// Who plays whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// Each against the baseline.
    #[default]
    Baseline,
    /// Each against each.
    RoundRobin,
}

/// A game is lost for one side when both say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Resign {
    /// Centipawns that the loser finds himself behind by, and the winner himself ahead.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub score: u32,
    /// For so many moves in a row of each.
    #[cfg_attr(test, schemars(range(min = 1, max = 5000)))]
    pub moves: u16,
}

/// A game is drawn when both say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Draw {
    /// Centipawns from 0 that both scores lie within.
    pub score: u32,
    /// For so many moves in a row of each.
    #[cfg_attr(test, schemars(range(min = 1, max = 5000)))]
    pub moves: u16,
    /// From this move of the game on, counted from the opening.
    #[serde(default)]
    pub from: u16,
}

/// A sequential test on pairs of games, in normalized Elo.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Test {
    /// H0: the first player is better by this.
    pub elo0: f64,
    /// H1: the first player is better by this.
    pub elo1: f64,
    /// How often H1 may be taken where H0 holds, in all encounters together.
    #[cfg_attr(test, schemars(range(min = 0.0001, max = 0.5)))]
    pub alpha: f64,
    /// How often H0 may be taken where H1 holds, in all encounters together.
    #[cfg_attr(test, schemars(range(min = 0.0001, max = 0.5)))]
    pub beta: f64,
    /// Whether an encounter ends with its test; if not, all pairs of the plan are played.
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

impl Match {
    /// The encounters: places of both players, the baseline second.
    pub fn encounters(&self, variants: usize, baseline: usize) -> Vec<(usize, usize)> {
        match self.pairing {
            Pairing::Baseline => (0..variants).filter(|&at| at != baseline).map(|at| (at, baseline)).collect(),
            Pairing::RoundRobin => {
                (0..variants).flat_map(|first| (first + 1..variants).map(move |second| (first, second))).collect()
            }
        }
    }

    /// What is tested; it ends nothing where the file does not ask for a test.
    pub fn test_or_default(&self) -> Test {
        self.test.unwrap_or(Test { stop: false, ..Test::default() })
    }

    /// The baseline's copies with other nodes: each one's name, and the number by which the baseline's nodes are divided.
    pub fn handicaps(&self, baseline: &str) -> Vec<(String, f64)> {
        self.handicap.iter().map(|&divisor| (format!("{baseline}, nodes / {divisor}"), divisor)).collect()
    }

    /// Adds the baseline's copies to the points.
    ///
    /// # Errors
    /// When the baseline has no nodes that could be divided, or a copy is a point already.
    pub(super) fn add_handicaps(
        &self,
        variants: &mut Vec<Variant>,
        baseline: usize,
        source: &FileText<'_>,
    ) -> Result<(), Problem> {
        let wrong = |what: String| Err(source.invalid("match.handicap", what));
        if self.handicap.is_empty() {
            return Ok(());
        }
        if self.pairing != Pairing::Baseline {
            return wrong("strength is told in nodes of the baseline: it needs pairing = \"baseline\"".to_owned());
        }
        if self.test_or_default().stop {
            return wrong("games that a test ends have no honest Elo: give the test `stop = false`".to_owned());
        }
        let base = variants[baseline].clone();
        let (None, Some(nodes)) = (base.limit.depth, base.limit.nodes) else {
            return wrong(format!(
                "divides nodes, and \"{}\" has another limit: give limit = {{ nodes = 20000 }}",
                base.name
            ));
        };
        for (name, divisor) in self.handicaps(&base.name) {
            let inside = divisor.is_finite() && (0.01..=100.0).contains(&divisor) && divisor != 1.0;
            source.check_range("match.handicap", divisor, inside, "0.01 to 100, but not 1")?;
            let divided = (nodes as f64 / divisor).round() as u64;
            let limit = Limit { depth: None, nodes: Some(divided) };
            let copy = Variant { name, limit, ..base.clone() };
            let same = |variant: &&Variant| {
                variant.name == copy.name || super::identity::variant_id(variant) == super::identity::variant_id(&copy)
            };
            if let Some(Variant { name, .. }) = variants.iter().find(same) {
                return wrong(format!("{divisor}: \"{name}\" is that player already"));
            }
            if divided == 0 {
                return wrong(format!("{divisor}: leaves none of {nodes} nodes"));
            }
            variants.push(copy);
        }
        Ok(())
    }

    /// What makes its games what they are: who plays whom and what is asked of the games do not.
    pub fn content(&self) -> String {
        let Self { resign, draw, max_moves, .. } = self;
        format!("match\nresign: {resign:?}\ndraw: {draw:?}\nmax_moves: {max_moves}\n")
    }

    /// Refuses a match of one player.
    ///
    /// # Errors
    /// When there are no two.
    pub(super) fn check_players(&self, variants: &[Variant], source: &FileText<'_>) -> Result<(), Problem> {
        if variants.len() + self.handicap.len() < 2 {
            let nobody = "one variant has nobody to play: give a second, by [grid] or [[variant]]";
            return Err(source.invalid("match", nobody));
        }
        Ok(())
    }

    /// Checks it against the rest of the file.
    ///
    /// # Errors
    /// The first mistake, with its place.
    pub(super) fn check(
        &self,
        file: &File,
        variants: &[Variant],
        suite: &Suite,
        source: &FileText<'_>,
    ) -> Result<(), Problem> {
        let no_race = "a race gives up what cost nodes on a few positions, and games would want thousands for each try; \
             tune by nodes, then let the best play";
        let no_search = "games are played, and no positions searched";
        for (there, path, why) in [
            (file.tune.is_some(), "tune", no_race),
            (file.trace.is_some(), "trace", no_search),
            (file.sequence.is_some(), "sequence", no_search),
            (file.reference.is_some(), "reference", no_search),
        ] {
            if there {
                return Err(source.invalid(path, format!("does not go with [match]: {why}")));
            }
        }
        let again = "players that repeat play the same games again: more openings make more games";
        let alike = "the seeds of a variant would play the same openings: more openings make more games (other keys are \
             variants too: \"keys.seed\" = [1, 2, 3] in [grid])";
        for (count, path, why) in [(file.repeats, "repeats", again), (file.seeds, "seeds", alike)] {
            if count > 1 {
                return Err(source.invalid(path, format!("{count}: {why}")));
            }
        }
        self.check_numbers(source)?;
        let share =
            |variant: &&Variant| variant.external().is_none() && matches!(variant.options.table.size, Size::Share(_));
        if let Some(Variant { name, .. }) = variants.iter().find(share) {
            let unknown = format!("a share of what searches store is not known in a match (variant \"{name}\")");
            return Err(source.invalid("table.size", unknown));
        }
        let ended = |item: &&Item| crate::chess::ending::ending(&opening_position(item), &[]).is_some();
        let ended: Vec<&str> = suite.items.iter().filter(ended).map(|item| item.id.as_str()).collect();
        match ended[..] {
            [] => Ok(()),
            [one] => Err(source.invalid("suite", format!("{one}: the game is over before it begins"))),
            _ => {
                let all = format!("{} games are over before they begin: {}", ended.len(), list_quoted(ended));
                Err(source.invalid("suite", all))
            }
        }
    }

    fn check_numbers(&self, source: &FileText<'_>) -> Result<(), Problem> {
        let moves = |path: &str, moves: u16| source.check_range(path, moves, (1..=5000).contains(&moves), "1 to 5000");
        moves("match.max_moves", self.max_moves)?;
        if let Some(resign) = &self.resign {
            source.check_range("match.resign.score", resign.score, resign.score > 0, "at least 1")?;
            moves("match.resign.moves", resign.moves)?;
        }
        if let Some(draw) = &self.draw {
            moves("match.draw.moves", draw.moves)?;
        }
        let Test { elo0, elo1, alpha, beta, .. } = self.test_or_default();
        let both = format!("elo0 = {elo0}, elo1 = {elo1}");
        source.check_range("match.test", &both, elo0.abs() <= 1000.0 && elo1.abs() <= 1000.0, "-1000 to 1000")?;
        source.check_range("match.test", &both, elo0 < elo1, "elo0 below elo1")?;
        let error =
            |path: &str, rate: f64| source.check_range(path, rate, (0.0001..=0.5).contains(&rate), "0.0001 to 0.5");
        error("match.test.alpha", alpha)?;
        error("match.test.beta", beta)
    }
}

/// The position from which an item's games are played: a position, or the end of a game.
pub fn opening_position(item: &Item) -> Board {
    let mut board = item.board;
    item.moves().iter().for_each(|&mv| board.play(mv, Increments::none()));
    board
}

/// How many openings of a suite are those of an item before them.
pub fn count_repeated_openings(suite: &Suite) -> usize {
    let mut seen = HashSet::new();
    suite.items.iter().filter(|item| !seen.insert(opening_position(item).fen(crate::chess::EpRule::Legal))).count()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::chess::suite::{SuiteKind, SuiteOptions};

    /// Games stand for the positions that they end in; one that transposes into another's is there twice, and so is its repetition.
    #[test]
    fn openings_are_told_apart_by_where_they_end() {
        let pgn = "[Event \"a\"]\n\n1. Nf3 Nf6 2. Nc3 *\n\n[Event \"b\"]\n\n1. Nc3 Nf6 2. Nf3 *\n\n[Event \"c\"]\n\n1. Nc3 *\n\n[Event \"d\"]\n\n1. Nf3 Nf6 2. Nc3 *\n\n";
        let suite = Suite::read(
            "x",
            "x.pgn",
            SuiteKind::of("x.pgn".as_ref()).unwrap(),
            pgn.as_bytes(),
            SuiteOptions::default(),
        )
        .unwrap();
        // The second differs from the first in nothing but the order of its moves: even the clocks are the same.
        assert_eq!(count_repeated_openings(&suite), 2);
        assert_eq!(
            opening_position(&suite.items[2]).fen(crate::chess::EpRule::Legal),
            "rnbqkbnr/pppppppp/8/8/8/2N5/PPPPPPPP/R1BQKBNR b KQkq - 1 1"
        );
        let games = || Match { resign: Some(Resign { score: 7, moves: 8 }), ..Match::default() };
        // What makes the games what they are: not who plays whom, nor what is asked of them.
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

    /// Each plays the baseline, the baseline second; or each each, the first of the file first.
    #[test]
    fn who_plays_whom() {
        let of = |pairing: Pairing| Match { pairing, ..Match::default() }.encounters(3, 1);
        assert_eq!(of(Pairing::Baseline), [(0, 1), (2, 1)]);
        assert_eq!(of(Pairing::RoundRobin), [(0, 1), (0, 2), (1, 2)]);
        // Without a word about it; a test that nobody asked for ends nothing.
        let usual = Match::default();
        assert_eq!((usual.max_moves, usual.resign, usual.draw), (300, None, None));
        assert_eq!(usual.test_or_default(), Test { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, stop: false });
        assert!(Match { test: Some(Test::default()), ..usual }.test_or_default().stop);
    }
}
