//! Measures whether an engine searches less when its table forgets. The same searches are run with
//! a small and a large table. They are run twice: the table is kept along each game, or cleared
//! before each search. Two things are compared: the number of nodes that a search to a fixed depth
//! takes, and the score error. The score error is the distance of a score from the score of a much
//! longer search.
//!
//! Many engines reduce the depth of a node for which the table has no move. A table that forgets
//! then makes searches to a fixed depth cheaper and worse. The score error shows how good the
//! searches were.

use super::positions::{GamePosition, SEARCHES_PER_GAME};
use super::{Budget, Examiner, Interrupt};
use crate::chess::Score;
use crate::engine::Limit;
use crate::record::diagnosis::{Figure, Forgetting, NodesVerdict};
use crate::stats::clusters::Clusters;
use crate::stats::interval::intervals;
use crate::subject::options::OptionValue;
use crate::subject::{Restart, Subject, Uci, UciReport};
use std::time::{Duration, Instant};

/// Score errors are capped at this many centipawns.
const MAX_ERROR: Score = 150;

/// Scores are capped at this many centipawns, because the game is then decided. Mate scores are
/// capped too.
const MAX_SCORE: Score = 1000;

/// The long search has this many times the nodes of the node-limited search. Its score is the
/// reference for the score error.
const LONG_FACTOR: u64 = 5;

/// If the engine does not respect node limits, the long search has this many more plies instead.
const LONG_PLIES: u8 = 3;

/// The cost of all searches of a position, in units of one search to the depth of the [`Design`].
/// With each of the two tables there are three searches: one keeps the table, one clears the table
/// and one has a node limit. The long search is added to these.
const SEARCHES_PER_POSITION: u32 = 6 + LONG_FACTOR as u32;

const GAMES_PER_MINUTE: f64 = 5.0;

/// The share of the time that is planned in advance. A depth can only be chosen in whole plies, so
/// the time that remains is used for more games.
const PLANNED_SHARE: f64 = 0.6;

/// The factor by which one more ply multiplies the nodes.
const PLY_NODE_FACTOR: u64 = 2;

/// The largest factor by which one more ply multiplies the time.
const PLY_TIME_FACTOR: f64 = 4.0;

/// Ratios this close to 1 count as equal.
const EQUAL_MARGIN: f64 = 0.01;

const MIN_DEPTH: u8 = 4;

const MAX_DEPTH: u8 = 30;

/// The margin by which the mean score error may grow with the small table, as a share of the large
/// table's mean score error. The larger of this margin and [`LOSS_CENTIPAWNS`] is used.
const LOSS_SHARE: f64 = 0.25;

/// The margin by which the mean score error may grow with the small table, in centipawns. The
/// larger of this margin and [`LOSS_SHARE`] is used.
const LOSS_CENTIPAWNS: f64 = 2.0;

/// Table sizes and limits of the searches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Design {
    pub small: i64,
    pub large: i64,
    /// The depth of the searches, in plies.
    pub depth: u8,
    /// The node limit of the node-limited searches; `None` if the engine ignores node limits.
    pub nodes: Option<u64>,
}

/// If the budget is a time, the depth is the largest depth at which searches of `positions` are
/// short enough for the budget, but at least [`MIN_DEPTH`]. Otherwise the depth is that of the
/// budget.
///
/// # Errors
/// If the engine fails or the user stops the examination.
pub fn find_depth(
    examiner: &Examiner<'_>,
    positions: &[&GamePosition],
    budget: Budget,
) -> Result<(u8, u64), Interrupt> {
    let mut engine = examiner.start_engine(examiner.launch.clone())?;
    let target_time = match budget {
        Budget::Games { depth, .. } => {
            return Ok((depth, median_nodes(examiner, &mut engine, positions, depth)?));
        }
        Budget::Time(time) => search_time(time, SEARCHES_PER_GAME),
    };
    let mut depth_and_nodes = (MIN_DEPTH, 0);
    for depth in MIN_DEPTH..=MAX_DEPTH {
        let started = Instant::now();
        let nodes = median_nodes(examiner, &mut engine, positions, depth)?;
        let is_too_slow = started.elapsed() / positions.len().max(1) as u32 > target_time;
        // The smallest depth is used even if it is too slow.
        if !is_too_slow || depth == MIN_DEPTH {
            depth_and_nodes = (depth, nodes);
        }
        if is_too_slow {
            break;
        }
    }
    Ok(depth_and_nodes)
}

/// Searches each position to `depth` in a new game. Returns the median number of nodes.
fn median_nodes(
    examiner: &Examiner<'_>,
    engine: &mut Uci,
    positions: &[&GamePosition],
    depth: u8,
) -> Result<u64, Interrupt> {
    let limit = Limit { depth: Some(depth), nodes: None };
    let reports = positions.iter().map(|position| examiner.search(engine, position.with_history(), limit, true));
    let mut nodes = reports.map(|report| Ok(report?.nodes.unwrap_or(0))).collect::<Result<Vec<_>, Interrupt>>()?;
    nodes.sort_unstable();
    Ok(nodes.get(nodes.len() / 2).copied().unwrap_or(0))
}

fn search_time(time: Duration, searches_per_game: usize) -> Duration {
    time.mul_f64(PLANNED_SHARE / (planned_games(time) * f64::from(SEARCHES_PER_POSITION) * searches_per_game as f64))
}

/// The engine's reports on all searches of a game. Each list has one report for each position. In
/// each pair of lists, the first is of the small table and the second of the large table.
struct GameReports {
    /// Searches to the depth of the [`Design`], with the table kept along the game.
    kept_table: [Vec<UciReport>; 2],
    /// Searches to the depth of the [`Design`], with the table cleared before each search.
    cleared_table: [Vec<UciReport>; 2],
    /// Searches with a node limit and the table kept; `None` if the engine ignores node limits.
    node_limited_searches: Option<[Vec<UciReport>; 2]>,
    long_searches: Vec<UciReport>,
}

/// Searches one game after another, until no game is left or the budget is used up. If the budget
/// is a time and the first game is quick, the depth is raised by one ply and the measurement starts
/// again. The first game is quick if the planned number of games would fit at the greater depth
/// too.
///
/// # Errors
/// If the engine fails or the user stops the examination.
pub fn measure(
    examiner: &Examiner<'_>,
    mut design: Design,
    resets_on_new_game: bool,
    games: &[Vec<GamePosition>],
    budget: Budget,
) -> Result<Forgetting, Interrupt> {
    let (deadline, max_games) = match budget {
        Budget::Time(time) => (Some(Instant::now() + time), games.len()),
        Budget::Games { games, .. } => (None, games),
    };
    let mut engines = [
        start_with_table(examiner, design.small, resets_on_new_game)?,
        start_with_table(examiner, design.large, resets_on_new_game)?,
    ];
    let mut reports_by_game = Vec::new();
    while let Some(game) = games.iter().take(max_games).nth(reports_by_game.len()) {
        (examiner.progress)(&format!(
            "comparing a small and a large table at depth {}: game {}",
            design.depth,
            reports_by_game.len() + 1
        ));
        let started = Instant::now();
        reports_by_game.push(search_game(examiner, &design, &mut engines, game)?);
        let Some(deadline) = deadline else { continue };
        let (elapsed, remaining) = (started.elapsed(), deadline.saturating_duration_since(Instant::now()));
        if reports_by_game.len() == 1 && design.depth < MAX_DEPTH && fits_with_another_ply(elapsed, remaining) {
            design =
                Design { depth: design.depth + 1, nodes: design.nodes.map(|nodes| PLY_NODE_FACTOR * nodes), ..design };
            reports_by_game.clear();
        } else if reports_by_game.len() > 1 && elapsed > remaining {
            break;
        }
    }
    engines.iter_mut().for_each(Subject::quit);
    Ok(summarize(&design, &reports_by_game))
}

/// Whether the planned number of games fits into the remaining time if the depth is raised by one
/// ply. `game_time` is the time that one game takes at the current depth.
fn fits_with_another_ply(game_time: Duration, remaining: Duration) -> bool {
    game_time.mul_f64(PLY_TIME_FACTOR * planned_games(remaining)) < remaining
}

/// The number grows with the square root of the time, and is at least that for one minute.
fn planned_games(time: Duration) -> f64 {
    GAMES_PER_MINUTE * (time.as_secs_f64() / 60.0).sqrt().max(1.0)
}

/// Starts the engine with a table of `mebibytes`. An engine that does not clear its table for a new
/// game is restarted for each game.
fn start_with_table(examiner: &Examiner<'_>, mebibytes: i64, resets_on_new_game: bool) -> Result<Uci, Interrupt> {
    let mut launch = examiner.launch.clone();
    launch.restart = if resets_on_new_game { Restart::Experiment } else { Restart::Game };
    launch.options.retain(|(name, _)| !name.eq_ignore_ascii_case("Hash"));
    launch.options.push(("Hash".to_owned(), OptionValue::Spin(mebibytes)));
    examiner.start_engine(launch)
}

/// Runs all searches of one game. `engines` are the engine with the small table and the engine with
/// the large table. The long searches are run only with the large table.
fn search_game(
    examiner: &Examiner<'_>,
    design: &Design,
    engines: &mut [Uci; 2],
    game: &[GamePosition],
) -> Result<GameReports, Interrupt> {
    let depth_limit = Limit { depth: Some(design.depth), nodes: None };
    let node_limit = |nodes| Limit { depth: None, nodes: Some(nodes) };
    let long_limit = match design.nodes {
        Some(nodes) => node_limit(nodes * LONG_FACTOR),
        None => Limit { depth: Some(design.depth + LONG_PLIES), nodes: None },
    };
    let mut search_both = |limit: Limit, clears_table: bool| -> Result<[Vec<UciReport>; 2], Interrupt> {
        let [small, large] =
            engines.each_mut().map(|engine| search_positions(examiner, engine, game, limit, clears_table));
        Ok([small?, large?])
    };
    Ok(GameReports {
        kept_table: search_both(depth_limit, false)?,
        cleared_table: search_both(depth_limit, true)?,
        node_limited_searches: design.nodes.map(|nodes| search_both(node_limit(nodes), false)).transpose()?,
        long_searches: search_positions(examiner, &mut engines[1], game, long_limit, false)?,
    })
}

/// Searches the positions of a game. If `clears_table` is true, each search starts a new game.
/// Otherwise only the first search starts a new game.
fn search_positions(
    examiner: &Examiner<'_>,
    engine: &mut Uci,
    game: &[GamePosition],
    limit: Limit,
    clears_table: bool,
) -> Result<Vec<UciReport>, Interrupt> {
    let is_new_game = |index: usize| index == 0 || clears_table;
    game.iter()
        .enumerate()
        .map(|(index, position)| examiner.search(engine, position.with_history(), limit, is_new_game(index)))
        .collect()
}

fn summarize(design: &Design, reports_by_game: &[GameReports]) -> Forgetting {
    let count_nodes = |report: &UciReport| report.nodes.unwrap_or(0) as f64;
    let log_node_ratio = |report: &UciReport, base_report: &UciReport| {
        let (nodes, base_nodes) = (count_nodes(report), count_nodes(base_report));
        (nodes > 0.0 && base_nodes > 0.0).then(|| (nodes / base_nodes).ln())
    };
    let mean_figure = |values: &dyn Fn(&GameReports) -> Vec<Option<f64>>| mean_by_game(reports_by_game, values);
    // The geometric mean of the node ratios of the first list to the second list. The first
    // `skipped_positions` of each game are left out.
    let node_ratio_figure = |select_lists: fn(&GameReports) -> (&[UciReport], &[UciReport]),
                             skipped_positions: usize| {
        let log_ratios = move |game: &GameReports| {
            let (reports, base_reports) = select_lists(game);
            let report_pairs = reports.iter().zip(base_reports).skip(skipped_positions);
            report_pairs.map(|(report, base_report)| log_node_ratio(report, base_report)).collect::<Vec<_>>()
        };
        mean_figure(&log_ratios).map(exp_figure)
    };
    let score_errors = |reports: &[UciReport], long_searches: &[UciReport]| {
        reports
            .iter()
            .zip(long_searches)
            .map(|(report, long_report)| Some(score_error(report.score?, long_report.score?)))
            .collect::<Vec<_>>()
    };
    let error_differences = |[small, large]: &[Vec<UciReport>; 2], long_searches: &[UciReport]| {
        let [small_errors, large_errors] = [small, large].map(|reports| score_errors(reports, long_searches));
        small_errors.into_iter().zip(large_errors).map(|(small, large)| Some(small? - large?)).collect::<Vec<_>>()
    };
    let kept_pairs = || reports_by_game.iter().flat_map(|game| game.kept_table[0].iter().zip(&game.kept_table[1]));
    let mean_final_hashfull = |table_index: usize| {
        let final_hashfulls = reports_by_game
            .iter()
            .filter_map(|game| game.kept_table[table_index].last()?.hashfull)
            .map(f64::from)
            .collect::<Vec<_>>();
        (!final_hashfulls.is_empty()).then(|| final_hashfulls.iter().sum::<f64>() / final_hashfulls.len() as f64)
    };
    Forgetting {
        small: design.small,
        large: design.large,
        depth: design.depth,
        games: reports_by_game.len(),
        searches: kept_pairs().count(),
        differing: kept_pairs().filter(|(small, large)| small.nodes != large.nodes).count(),
        hashfull: [mean_final_hashfull(0), mean_final_hashfull(1)],
        kept: node_ratio_figure(|game| (&game.kept_table[0], &game.kept_table[1]), 0),
        // The first search of each game is left out, because its table is always empty.
        cleared: node_ratio_figure(|game| (&game.cleared_table[0], &game.cleared_table[1]), 1),
        clearing: node_ratio_figure(|game| (&game.cleared_table[1], &game.kept_table[1]), 1),
        error_at_depth: mean_figure(&|game| error_differences(&game.kept_table, &game.long_searches)),
        mean_error: mean_figure(&|game| score_errors(&game.kept_table[1], &game.long_searches))
            .map(|figure| figure.mean),
        nodes: design.nodes,
        error_at_nodes: mean_figure(&|game| {
            game.node_limited_searches
                .as_ref()
                .map_or(Vec::new(), |reports| error_differences(reports, &game.long_searches))
        }),
    }
}

/// The scores are first capped at [`MAX_SCORE`]. The distance is capped at [`MAX_ERROR`].
fn score_error(score: Score, reference: Score) -> f64 {
    let clamp = |score: Score| score.clamp(-MAX_SCORE, MAX_SCORE);
    f64::from((clamp(score) - clamp(reference)).abs().min(MAX_ERROR))
}

/// Its confidence interval is clustered by game.
fn mean_by_game(
    reports_by_game: &[GameReports],
    get_values: &dyn Fn(&GameReports) -> Vec<Option<f64>>,
) -> Option<Figure> {
    let values_by_game = (0_u32..)
        .zip(reports_by_game)
        .flat_map(|(game, reports)| get_values(reports).into_iter().flatten().map(move |value| (game, value)));
    let clusters = Clusters::new(&values_by_game.collect::<Vec<_>>());
    if clusters.is_empty() {
        return None;
    }
    let (low, high) = intervals(std::slice::from_ref(&clusters)).first().copied()?;
    let finite_bound = |bound: f64| bound.is_finite().then_some(bound);
    Some(Figure { mean: clusters.mean(), low: finite_bound(low), high: finite_bound(high) })
}

/// Converts a mean of logarithms and its interval to a geometric mean and its interval.
fn exp_figure(figure: Figure) -> Figure {
    Figure { mean: figure.mean.exp(), low: figure.low.map(f64::exp), high: figure.high.map(f64::exp) }
}

/// Judges whether a better table shows in a smaller number of nodes to a fixed depth. The verdict
/// compares the searches with the small table to the searches with the large table.
/// `forgetting.kept` is the number of nodes with the small table divided by the number of nodes
/// with the large table.
///
/// The number of nodes misleads if it is smaller with the small table, or if it is not larger with
/// the small table although the scores are worse. The number of nodes is a valid measure
/// ([`NodesVerdict::Lead`]) if it is larger with the small table and the scores are not worse by
/// more than a margin.
pub fn judge_nodes(forgetting: &Forgetting) -> NodesVerdict {
    let (Some(node_ratio), Some(error_difference)) = (forgetting.kept, forgetting.error_at_depth) else {
        return NodesVerdict::Undecided;
    };
    let is_above = |figure: Figure, value: f64| figure.low.is_some_and(|low| low > value);
    let is_below = |figure: Figure, value: f64| figure.high.is_some_and(|high| high < value);
    let has_more_nodes = is_above(node_ratio, 1.0 + EQUAL_MARGIN);
    let has_fewer_nodes = is_below(node_ratio, 1.0 - EQUAL_MARGIN);
    let is_score_worse = is_above(error_difference, 0.0);
    let error_margin = LOSS_CENTIPAWNS.max(LOSS_SHARE * forgetting.mean_error.unwrap_or(0.0));
    if has_fewer_nodes || is_score_worse && !has_more_nodes {
        NodesVerdict::Mislead
    } else if has_more_nodes && is_below(error_difference, error_margin) {
        NodesVerdict::Lead
    } else {
        NodesVerdict::Undecided
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reports on a game, with these nodes and scores.
    fn game_reports(
        kept_table: [&[(u64, Score)]; 2],
        cleared_table: [&[(u64, Score)]; 2],
        long: &[Score],
    ) -> GameReports {
        let to_reports = |list: &[(u64, Score)]| {
            let make_report = |&(nodes, score): &(u64, Score)| UciReport {
                nodes: Some(nodes),
                score: Some(score),
                hashfull: Some(500),
                ..UciReport::default()
            };
            list.iter().map(make_report).collect::<Vec<_>>()
        };
        let long_searches =
            long.iter().map(|&score| UciReport { score: Some(score), ..UciReport::default() }).collect();
        GameReports {
            kept_table: kept_table.map(to_reports),
            cleared_table: cleared_table.map(to_reports),
            node_limited_searches: Some(kept_table.map(to_reports)),
            long_searches,
        }
    }

    const DESIGN: Design = Design { small: 1, large: 64, depth: 9, nodes: Some(1000) };

    /// The small table doubles the nodes in the first game and does not change them in the second,
    /// so the geometric mean is the square root of 2.
    #[test]
    fn figures_are_means_over_games() {
        let first = game_reports(
            [&[(200, 10), (400, 40)], &[(100, 0), (200, 0)]],
            [&[(7, 0), (300, 0)], &[(5, 0), (400, 0)]],
            &[0, 20],
        );
        let second =
            game_reports([&[(50, 5), (50, 5)], &[(50, 5), (50, 5)]], [&[(7, 0), (30, 0)], &[(5, 0), (40, 0)]], &[5, 5]);
        let forgetting = summarize(&DESIGN, &[first, second]);
        let assert_mean = |figure: Option<Figure>, expected: f64| {
            assert!((figure.unwrap().mean - expected).abs() < 1e-9, "{figure:?}")
        };
        assert_mean(forgetting.kept, 2.0_f64.sqrt());
        assert_mean(forgetting.cleared, 0.75);
        // 400 over 200, and 40 over 50.
        assert_mean(forgetting.clearing, (2.0_f64 * 0.8).sqrt());
        // In the first game the small table has errors of 10 and 20 and the large one of 0 and 20.
        // In the second game both have none: (10 + 0 + 0 + 0) / 4.
        assert_mean(forgetting.error_at_depth, 2.5);
        assert_mean(forgetting.error_at_nodes, 2.5);
        assert_eq!(
            (forgetting.games, forgetting.searches, forgetting.differing, forgetting.mean_error),
            (2, 4, 2, Some(5.0))
        );
        assert_eq!(forgetting.hashfull, [Some(500.0); 2]);
        assert!(forgetting.kept.unwrap().low.is_some());
        let no_games = summarize(&DESIGN, &[]);
        assert_eq!((no_games.kept, no_games.error_at_depth, no_games.hashfull), (None, None, [None; 2]));
        let single_report = summarize(&DESIGN, &[game_reports([&[(2, 0)], &[(1, 0)]], [&[(2, 0)], &[(1, 0)]], &[0])]);
        assert_eq!(single_report.kept, Some(Figure { mean: 2.0, low: None, high: None }));
        assert_eq!(single_report.cleared, None, "the first search of a game is left out");
    }

    #[test]
    fn score_error_is_capped_where_games_are_decided() {
        for (score, reference, error) in [
            (10, -20, 30.0),
            (0, 150, 150.0),
            (0, 151, 150.0),
            (900, 1100, 100.0),
            (2000, 31_990, 0.0),
            (-31_990, 31_990, 150.0),
        ] {
            assert_eq!(score_error(score, reference), error, "{score} {reference}");
        }
    }

    #[test]
    fn verdict_needs_nodes_and_score_error() {
        let figure = |low: f64, high: f64| Some(Figure { mean: (low + high) / 2.0, low: Some(low), high: Some(high) });
        for (kept, error, mean_error, expected) in [
            (figure(0.8, 0.98), figure(-9.0, 9.0), 10.0, NodesVerdict::Mislead),
            (figure(0.8, 0.995), figure(-9.0, 9.0), 10.0, NodesVerdict::Undecided),
            (figure(1.005, 1.2), figure(-1.0, 1.0), 10.0, NodesVerdict::Undecided),
            (figure(0.9, 1.2), figure(0.1, 9.0), 10.0, NodesVerdict::Mislead),
            (figure(0.9, 1.2), figure(-0.1, 1.0), 10.0, NodesVerdict::Undecided),
            (figure(1.02, 1.2), figure(-1.0, 2.4), 10.0, NodesVerdict::Lead),
            (figure(1.02, 1.2), figure(-1.0, 2.6), 10.0, NodesVerdict::Undecided),
            (figure(1.02, 1.2), figure(0.5, 1.9), 1.0, NodesVerdict::Lead),
            (figure(1.02, 1.2), figure(0.5, 9.0), 10.0, NodesVerdict::Undecided),
            (figure(1.02, 1.2), None, 10.0, NodesVerdict::Undecided),
            (None, figure(-1.0, 1.0), 10.0, NodesVerdict::Undecided),
            (Some(Figure { mean: 0.5, low: None, high: None }), figure(-1.0, 1.0), 9.0, NodesVerdict::Undecided),
        ] {
            let forgetting =
                Forgetting { kept, error_at_depth: error, mean_error: Some(mean_error), ..Forgetting::default() };
            assert_eq!(judge_nodes(&forgetting), expected, "{kept:?} {error:?}");
        }
    }

    /// For one minute, 5 games of 3 positions with 11 searches each are planned. These 165 searches
    /// take 60 % of the time. For four minutes, twice as many games are planned.
    #[test]
    fn search_time_follows_the_time_budget() {
        let assert_seconds = |seconds: u64, expected: f64| {
            let actual = search_time(Duration::from_secs(seconds), 3).as_secs_f64();
            assert!((actual - expected).abs() < 1e-6, "{seconds}: {actual}");
        };
        assert_seconds(60, 36.0 / 165.0);
        assert_seconds(10, 6.0 / 165.0);
        assert_seconds(240, 144.0 / 330.0);
        // Five games of 2.9 seconds at four times the cost are 58 seconds.
        let tenths_of_second = |tenths_of_second: u64| Duration::from_millis(100 * tenths_of_second);
        assert!(fits_with_another_ply(tenths_of_second(29), tenths_of_second(600)));
        assert!(!fits_with_another_ply(tenths_of_second(31), tenths_of_second(600)));
    }
}
