//! What a match cannot show, known before it is played.

use super::equivalent;
use crate::engine::EngineOptions;
use crate::experiment::{Experiment, matches};
use crate::table::TableKind;
use crate::table::options::Clear;
use crate::text::{plural, quote_names};

/// The spread of a pair's points per game, typical for equal players: between quiet draws (0.1) and
/// wild games (0.35).
const SPREAD: f64 = 0.25;

/// Elo per point of score, near one half.
const SLOPE: f64 = 1600.0 / std::f64::consts::LN_10;

/// Warnings about a match; none without `[match]`.
pub fn match_warnings(experiment: &Experiment) -> Vec<String> {
    let mut warnings = Vec::new();
    let Some(games) = experiment.work.games() else { return warnings };
    let doubled = matches::count_repeated_openings(&experiment.suite);
    if doubled > 0 {
        warnings.push(format!(
            "{} more than once in the suite: deterministic players repeat their games",
            if doubled == 1 { "an opening is".to_owned() } else { format!("{doubled} openings are") }
        ));
    }
    let openings = experiment.suite.items.len() - doubled;
    let reach = half_width(openings);
    let test = games.test_or_default();
    let expected = test.elo1 - test.elo0;
    if reach > expected {
        warnings.push(format!(
            "{} per encounter: the 95 % interval will be about {reach:.0} Elo to each side, if the spread is typical; the test of \
             {expected} normalized Elo needs about {} pairs",
            plural(openings, "pair"),
            pairs_for(expected)
        ));
    }
    warnings.extend(equivalent::find_equivalent(&experiment.variants));
    warnings
}

/// Warnings about the players, whatever their games are.
pub fn player_warnings(experiment: &Experiment) -> Vec<String> {
    let mut warnings = Vec::new();
    let names = |expected: &dyn Fn(&EngineOptions) -> bool| {
        let ours = experiment.variants.iter().filter(|point| point.builtin().is_some_and(expected));
        let names: Vec<&str> = ours.map(|point| point.name.as_str()).collect();
        (!names.is_empty()).then(|| quote_names(&names))
    };
    if let Some(names) = names(&|options| !options.draws) {
        warnings.push(format!(
            "draws = false in {names}: games are drawn by repetition and by the fifty-move rule, but these searches do not know it; set draws = true"
        ));
    }
    let emptied = |EngineOptions { table, .. }: &EngineOptions| {
        table.kind != TableKind::None && matches!(table.clear, Clear::Search | Clear::Iteration)
    };
    if let Some(names) = names(&emptied) {
        warnings.push(format!(
            "table.clear: the table of {names} is emptied before each move, not kept through a game (table.clear = \"game\" keeps it)"
        ));
    }
    warnings
}

/// Half the width, in Elo, of the 95 % interval of a number of pairs with typical spread.
pub fn half_width(pairs: usize) -> f64 {
    1.96 * SPREAD / (pairs.max(1) as f64).sqrt() * SLOPE
}

/// The number of pairs whose interval has this half width.
fn pairs_for(elo: f64) -> usize {
    (1.96 * SPREAD * SLOPE / elo.max(0.1)).powi(2).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::text::SuiteTexts;
    use std::collections::BTreeMap;

    #[test]
    fn a_hundred_pairs_have_a_half_width_of_34_elo() {
        // 1.96 x 0.25 / 10 of a point is 0.049; a point of score is 695 Elo near one half.
        assert!((half_width(100) - 34.0).abs() < 0.1, "{}", half_width(100));
        assert_eq!(pairs_for(half_width(100)), 100);
        // Four times as many pairs halve the width; `pairs_for` is the least number that suffices.
        assert!((half_width(1) - 340.5).abs() < 0.1);
        assert!((half_width(1) - 2.0 * half_width(4)).abs() < 1e-9);
        for elo in [200.0, 50.0, 33.0, 5.0, 0.7] {
            let pairs = pairs_for(elo);
            assert!(half_width(pairs) <= elo && elo < half_width(pairs - 1), "{elo}: {pairs}");
        }
    }

    fn in_plan(suite: &str) -> SuiteTexts<'_> {
        static NONE: BTreeMap<String, String> = BTreeMap::new();
        SuiteTexts::Plan { suite: Some(suite), suites: &NONE }
    }

    /// Openings that transpose into an earlier one give a warning and count once.
    #[test]
    fn repeated_openings_are_counted() {
        let players = "suite = 'x.pgn'\nlimit = { nodes = 9 }\n[match]\n[engine]\ndraws = true\n[[variant]]\nname = 'p'\n[[variant]]\nname = 'q'\n'keys.seed' = 2\n";
        let message = |openings: &[&str]| {
            let game = |moves: &&str| format!("[Event \"x\"]\n\n{moves} *\n\n");
            let pgn = openings.iter().map(game).collect::<String>();
            let experiment = Experiment::from_plan(players, std::path::Path::new("x.toml"), &[], in_plan(&pgn));
            match_warnings(&experiment.unwrap_or_else(|problem| panic!("{problem}")))
        };
        let [a, transposed, b] = ["1. Nf3 Nf6 2. Nc3", "1. Nc3 Nf6 2. Nf3", "1. e4 e5"];
        let few = |pairs: usize| format!("{pairs} pairs per encounter");
        let all = message(&[a, b]);
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(all[0].starts_with(&few(2)), "{all:?}");
        let all = message(&[a, transposed, b]);
        assert_eq!(all[0], "an opening is more than once in the suite: deterministic players repeat their games");
        assert_eq!(all.len(), 2, "{all:?}");
        assert!(all[1].starts_with(&few(2)), "{all:?}");
    }

    /// Only players that clear their table between moves or do not see draws are named; not those
    /// without a table.
    #[test]
    fn players_that_forget_are_named() {
        let message = |players: &[&str]| {
            let player = |(index, more): (usize, &&str)| {
                format!("[[variant]]\nname = 'p{index}'\n'keys.seed' = {index}\n{more}\n")
            };
            let players: String = players.iter().enumerate().map(player).collect();
            let text = format!("suite = 'x.pgn'\nlimit = {{ nodes = 9 }}\n[match]\n[engine]\ndraws = true\n{players}");
            let pgn = "[Event \"x\"]\n\n1. e4 *\n\n";
            let read = Experiment::from_plan(&text, std::path::Path::new("x.toml"), &[], in_plan(pgn));
            let found = player_warnings(&read.unwrap_or_else(|problem| panic!("{problem}")));
            let message = found.into_iter().filter(|text| text.starts_with("draws") || text.starts_with("table.clear"));
            message.map(|text| text.split(" is emptied").next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        let [search, iteration] = ["search", "iteration"].map(|clear| format!("'table.clear' = '{clear}'"));
        let emptied = |names: &str| format!("table.clear: the table of {names}");
        assert_eq!(message(&["", "'table.clear' = 'game'", "'table.clear' = 'never'"]), Vec::<String>::new());
        assert_eq!(message(&[&search, "", &iteration]), [emptied("\"p0\", \"p2\"")]);
        assert_eq!(message(&["", &format!("{search}\n'table.kind' = 'none'")]), Vec::<String>::new());
        assert_eq!(
            message(&["draws = false", ""]),
            [
                "draws = false in \"p0\": games are drawn by repetition and by the fifty-move rule, but these searches do not know it; set draws = true"
            ]
        );
        let five = message(&[&search, &search, &search, &search, &iteration]);
        assert_eq!(five, [emptied("\"p0\", \"p1\", \"p2\" and 2 more")]);
    }
}
