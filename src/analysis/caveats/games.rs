//! Warns of what a match cannot show, before the match is played.

use super::equivalent;
use crate::engine::EngineOptions;
use crate::experiment::{Experiment, matches};
use crate::table::TableKind;
use crate::table::options::Clear;
use crate::text::{plural, quote_names};

/// The typical standard deviation of a pair's points per game between equal players. It is about
/// 0.1 if most games are quiet draws, and about 0.35 in wild games.
const TYPICAL_SPREAD: f64 = 0.25;

/// Elo per point of score, for scores near one half.
const ELO_PER_POINT: f64 = 1600.0 / std::f64::consts::LN_10;

pub fn match_warnings(experiment: &Experiment) -> Vec<String> {
    let mut warnings = Vec::new();
    let Some(games) = experiment.work.games() else { return warnings };
    let repeated_openings = matches::count_repeated_openings(&experiment.suite);
    if repeated_openings > 0 {
        warnings.push(format!(
            "{} more than once in the suite: from the same opening, deterministic players play the same games",
            if repeated_openings == 1 {
                "an opening is".to_owned()
            } else {
                format!("{repeated_openings} openings are")
            }
        ));
    }
    let opening_count = experiment.suite.items.len() - repeated_openings;
    let half_width = half_width(opening_count);
    let test = games.test_or_default();
    let tested_difference = test.elo1 - test.elo0;
    if half_width > tested_difference {
        warnings.push(format!(
            "{} per encounter: the 95 % interval will be about {half_width:.0} Elo to each side if the spread is \
             typical; a test for a difference of {tested_difference} normalized Elo needs about {} pairs",
            plural(opening_count, "pair"),
            pairs_needed(tested_difference)
        ));
    }
    warnings.extend(equivalent::find_equivalent(&experiment.variants));
    warnings
}

pub fn player_warnings(experiment: &Experiment) -> Vec<String> {
    let mut warnings = Vec::new();
    // Returns the names of the variants of ttlab's engine whose options meet a condition.
    let names_with = |condition: &dyn Fn(&EngineOptions) -> bool| {
        let variants = experiment.variants.iter().filter(|variant| variant.builtin().is_some_and(condition));
        let names: Vec<&str> = variants.map(|variant| variant.name.as_str()).collect();
        (!names.is_empty()).then(|| quote_names(&names))
    };
    if let Some(names) = names_with(&|options| !options.draws) {
        warnings.push(format!(
            "draws = false in {names}: games are drawn by repetition and by the fifty-move rule, but the searches \
             do not know these rules; set draws = true"
        ));
    }
    let clears_between_moves = |EngineOptions { table, .. }: &EngineOptions| {
        table.kind != TableKind::None && matches!(table.clear, Clear::Search | Clear::Iteration)
    };
    if let Some(names) = names_with(&clears_between_moves) {
        warnings.push(format!(
            "table.clear: the table of {names} is emptied before each move, not kept through a game (table.clear = \"game\" keeps it)"
        ));
    }
    warnings
}

pub fn half_width(pair_count: usize) -> f64 {
    1.96 * TYPICAL_SPREAD / (pair_count.max(1) as f64).sqrt() * ELO_PER_POINT
}

fn pairs_needed(half_width: f64) -> usize {
    (1.96 * TYPICAL_SPREAD * ELO_PER_POINT / half_width.max(0.1)).powi(2).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Problem;

    #[test]
    fn a_hundred_pairs_have_a_half_width_of_34_elo() {
        // 1.96 x 0.25 / 10 of a point is 0.049; a point of score is 695 Elo near one half.
        assert!((half_width(100) - 34.0).abs() < 0.1, "{}", half_width(100));
        assert_eq!(pairs_needed(half_width(100)), 100);
        // Four times as many pairs halve the width.
        assert!((half_width(1) - 340.5).abs() < 0.1);
        assert!((half_width(1) - 2.0 * half_width(4)).abs() < 1e-9);
        for elo in [200.0, 50.0, 33.0, 5.0, 0.7] {
            let pairs = pairs_needed(elo);
            assert!(half_width(pairs) <= elo && elo < half_width(pairs - 1), "{elo}: {pairs}");
        }
    }

    /// Reads an experiment beside the suite `x.pgn`.
    fn read(text: &str, pgn: &str) -> Result<Experiment, Problem> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x.pgn"), pgn).unwrap();
        Experiment::parse(text, &folder.path().join("x.toml"), &[])
    }

    /// Openings that transpose into the same position give a warning and count once.
    #[test]
    fn repeated_openings_are_counted() {
        let players = "suite = 'x.pgn'\nlimit = { nodes = 9 }\n[match]\n[engine]\ndraws = true\n[[variant]]\nname = 'p'\n[[variant]]\nname = 'q'\n'keys.seed' = 2\n";
        let warn_of = |openings: &[&str]| {
            let make_game = |moves: &&str| format!("[Event \"x\"]\n\n{moves} *\n\n");
            let pgn = openings.iter().map(make_game).collect::<String>();
            let experiment = read(players, &pgn);
            match_warnings(&experiment.unwrap_or_else(|problem| panic!("{problem}")))
        };
        let [a, transposed, b] = ["1. Nf3 Nf6 2. Nc3", "1. Nc3 Nf6 2. Nf3", "1. e4 e5"];
        let too_few_pairs = |pairs: usize| format!("{pairs} pairs per encounter");
        let warnings = warn_of(&[a, b]);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].starts_with(&too_few_pairs(2)), "{warnings:?}");
        let warnings = warn_of(&[a, transposed, b]);
        assert_eq!(
            warnings[0],
            "an opening is more than once in the suite: from the same opening, deterministic players play the same games"
        );
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(warnings[1].starts_with(&too_few_pairs(2)), "{warnings:?}");
    }

    /// Only players that clear their table between moves, or that do not see draws, are named.
    /// Players without a table are not.
    #[test]
    fn players_that_forget_are_named() {
        let warn_of = |players: &[&str]| {
            let make_player = |(index, more): (usize, &&str)| {
                format!("[[variant]]\nname = 'p{index}'\n'keys.seed' = {index}\n{more}\n")
            };
            let players: String = players.iter().enumerate().map(make_player).collect();
            let text = format!("suite = 'x.pgn'\nlimit = {{ nodes = 9 }}\n[match]\n[engine]\ndraws = true\n{players}");
            let pgn = "[Event \"x\"]\n\n1. e4 *\n\n";
            let experiment = read(&text, pgn);
            let warnings = player_warnings(&experiment.unwrap_or_else(|problem| panic!("{problem}")));
            let is_expected = |text: &String| text.starts_with("draws") || text.starts_with("table.clear");
            warnings
                .into_iter()
                .filter(is_expected)
                .map(|text| text.split(" is emptied").next().unwrap_or_default().to_owned())
                .collect::<Vec<_>>()
        };
        let [search, iteration] = ["search", "iteration"].map(|clear| format!("'table.clear' = '{clear}'"));
        let clear_warning = |names: &str| format!("table.clear: the table of {names}");
        assert_eq!(warn_of(&["", "'table.clear' = 'game'", "'table.clear' = 'never'"]), Vec::<String>::new());
        assert_eq!(warn_of(&[&search, "", &iteration]), [clear_warning("\"p0\", \"p2\"")]);
        assert_eq!(warn_of(&["", &format!("{search}\n'table.kind' = 'none'")]), Vec::<String>::new());
        assert_eq!(
            warn_of(&["draws = false", ""]),
            ["draws = false in \"p0\": games are drawn by repetition and by the fifty-move rule, but the \
                 searches do not know these rules; set draws = true"]
        );
        let warnings = warn_of(&[&search, &search, &search, &search, &iteration]);
        assert_eq!(warnings, [clear_warning("\"p0\", \"p1\", \"p2\" and 2 more")]);
    }
}
