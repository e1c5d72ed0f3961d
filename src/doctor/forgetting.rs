//! Does an engine search less when its table forgets? Runs the same searches with a small and a
//! large table, once keeping the table along each game and once clearing it before each search.
//! Compares nodes to a depth, and how far the score is from that of a much longer search.
//!
//! Many engines reduce the depth of a node for which the table has no move. In these, a table that
//! forgets makes a depth cheaper and worse, so that nodes to that depth point the wrong way. The
//! score shows what the depth was worth.

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

/// Errors are capped at this many centipawns, and scores at this many to either side, mates
/// included.
const MAX_ERROR: Score = 150;
const DECIDED: Score = 1000;

/// The long search, whose score is the reference, has this many times the nodes; or this many plies
/// more if the engine does not respect node limits.
const LONG_FACTOR: u64 = 5;
const LONG_PLIES: u8 = 3;

/// Cost of all searches of a position, in searches to the depth: two tables, each kept, cleared and
/// limited by nodes, and the long search.
const SEARCHES_PER_POSITION: u32 = 6 + LONG_FACTOR as u32;

/// Games to fit into one minute. In ten times the time, three times as many, with longer searches.
const GAMES_PER_MINUTE: f64 = 5.0;

/// Share of the time to plan with. Depths are coarse, so the rest goes into more games.
const PLANNED_SHARE: f64 = 0.6;

/// Factors by which one more ply multiplies the nodes, and at most the time.
const PLY_NODE_FACTOR: u64 = 2;
const PLY_TIME_FACTOR: f64 = 4.0;

/// Ratios this close to 1 count as equal.
const EQUAL_MARGIN: f64 = 0.01;

/// The smallest and the largest depth to try.
const DEPTHS: (u8, u8) = (4, 30);

/// The small table loses nothing if its mean error exceeds the large table's by no more than this
/// share of it, or by this many centipawns.
const LOSS_SHARE: f64 = 0.25;
const LOSS_CENTIPAWNS: f64 = 2.0;

/// Table sizes and limits of the searches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Design {
    /// The small table, in MiB.
    pub small: i64,
    /// The large table, in MiB.
    pub large: i64,
    /// Depth of the searches, in plies.
    pub depth: u8,
    /// Node limit of the node-limited searches; none if the engine does not respect one.
    pub nodes: Option<u64>,
}

/// The depth that the budget gives, or the largest depth for which it has time to search these
/// positions (at least [`DEPTHS`]`.0`), and the median nodes of a search to this depth.
///
/// # Errors
/// When the engine fails or the user stops the examination.
pub fn find_depth(
    examiner: &Examiner<'_>,
    positions: &[&GamePosition],
    budget: Budget,
) -> Result<Option<(u8, u64)>, Interrupt> {
    let (mut engine, mut deepest) = (examiner.engine(examiner.launch.clone())?, None);
    let target_time = match budget {
        Budget::Games { depth, .. } => {
            return Ok(Some((depth, median_nodes(examiner, &mut engine, positions, depth)?)));
        }
        Budget::Time(time) => search_time(time, SEARCHES_PER_GAME),
    };
    for depth in DEPTHS.0..=DEPTHS.1 {
        let started = Instant::now();
        let nodes = median_nodes(examiner, &mut engine, positions, depth)?;
        let per_search = started.elapsed() / positions.len().max(1) as u32;
        if per_search > target_time && deepest.is_some() {
            break;
        }
        deepest = Some((depth, nodes));
        if per_search > target_time {
            break;
        }
    }
    Ok(deepest)
}

/// The median nodes of searches to a depth.
fn median_nodes(
    examiner: &Examiner<'_>,
    engine: &mut Uci,
    positions: &[&GamePosition],
    depth: u8,
) -> Result<u64, Interrupt> {
    let limit = Limit { depth: Some(depth), nodes: None };
    let answers = positions.iter().map(|position| examiner.search(engine, position, limit, true));
    let mut nodes = answers.map(|answer| Ok(answer?.nodes.unwrap_or(0))).collect::<Result<Vec<_>, Interrupt>>()?;
    nodes.sort_unstable();
    Ok(nodes.get(nodes.len() / 2).copied().unwrap_or(0))
}

/// Time for one search if the whole measurement may take `time`.
fn search_time(time: Duration, searches_per_game: usize) -> Duration {
    time.mul_f64(PLANNED_SHARE / (planned_games(time) * f64::from(SEARCHES_PER_POSITION) * searches_per_game as f64))
}

/// The answers in one game: for each table, the small one first, one answer per position, and the
/// answers of the long searches.
struct Answers {
    kept_table: [Vec<UciReport>; 2],
    cleared_table: [Vec<UciReport>; 2],
    node_limited: Option<[Vec<UciReport>; 2]>,
    long: Vec<UciReport>,
}

/// Searches games until there are no more or the budget is used up. An unfinished game is left out.
/// If the budget is a time, and the first game shows that one more ply fits into it, the
/// measurement starts over with one more ply.
///
/// # Errors
/// When the engine fails or the user stops the examination.
pub fn measure(
    examiner: &Examiner<'_>,
    mut design: Design,
    forgets: bool,
    games: &[Vec<GamePosition>],
    budget: Budget,
) -> Result<Forgetting, Interrupt> {
    let (deadline, max_games) = match budget {
        Budget::Time(time) => (Some(Instant::now() + time), games.len()),
        Budget::Games { games, .. } => (None, games),
    };
    let mut tables =
        [start_with_table(examiner, design.small, forgets)?, start_with_table(examiner, design.large, forgets)?];
    let mut answers_by_game = Vec::new();
    while let Some(game) = games.iter().take(max_games).nth(answers_by_game.len()) {
        (examiner.progress)(&format!(
            "comparing a small and a large table at depth {}: game {}",
            design.depth,
            answers_by_game.len() + 1
        ));
        let started = Instant::now();
        answers_by_game.push(search_game(examiner, &design, &mut tables, game)?);
        let Some(deadline) = deadline else { continue };
        let (elapsed, remaining) = (started.elapsed(), deadline.saturating_duration_since(Instant::now()));
        if answers_by_game.len() == 1 && design.depth < DEPTHS.1 && fits_deeper(elapsed, remaining) {
            design =
                Design { depth: design.depth + 1, nodes: design.nodes.map(|nodes| PLY_NODE_FACTOR * nodes), ..design };
            answers_by_game.clear();
        } else if answers_by_game.len() > 1 && elapsed > remaining {
            break;
        }
    }
    tables.iter_mut().for_each(Subject::quit);
    Ok(summarize(&design, &answers_by_game))
}

/// Whether the planned number of games fits at one more ply, given the time that one game took.
fn fits_deeper(game_time: Duration, remaining: Duration) -> bool {
    game_time.mul_f64(PLY_TIME_FACTOR * planned_games(remaining)) < remaining
}

/// Number of games to plan for this time.
fn planned_games(time: Duration) -> f64 {
    GAMES_PER_MINUTE * (time.as_secs_f64() / 60.0).sqrt().max(1.0)
}

/// Starts the engine with this `Hash`. If it does not clear its table for a new game, it is
/// restarted for each.
fn start_with_table(examiner: &Examiner<'_>, mebibytes: i64, forgets: bool) -> Result<Uci, Interrupt> {
    let mut launch = examiner.launch.clone();
    launch.restart = if forgets { Restart::Experiment } else { Restart::Game };
    launch.options.retain(|(name, _)| !name.eq_ignore_ascii_case("Hash"));
    launch.options.push(("Hash".to_owned(), OptionValue::Spin(mebibytes)));
    examiner.engine(launch)
}

/// Runs all searches of one game.
fn search_game(
    examiner: &Examiner<'_>,
    design: &Design,
    tables: &mut [Uci; 2],
    game: &[GamePosition],
) -> Result<Answers, Interrupt> {
    let to_depth = Limit { depth: Some(design.depth), nodes: None };
    let by_nodes = |nodes| Limit { depth: None, nodes: Some(nodes) };
    let long_limit = match design.nodes {
        Some(nodes) => by_nodes(nodes * LONG_FACTOR),
        None => Limit { depth: Some(design.depth + LONG_PLIES), nodes: None },
    };
    let mut search_both = |limit: Limit, cleared: bool| -> Result<[Vec<UciReport>; 2], Interrupt> {
        let [small, large] = tables.each_mut().map(|engine| search_positions(examiner, engine, game, limit, cleared));
        Ok([small?, large?])
    };
    Ok(Answers {
        kept_table: search_both(to_depth, false)?,
        cleared_table: search_both(to_depth, true)?,
        node_limited: design.nodes.map(|nodes| search_both(by_nodes(nodes), false)).transpose()?,
        long: search_positions(examiner, &mut tables[1], game, long_limit, false)?,
    })
}

/// Searches the positions of a game. With `cleared`, each starts as a new game, otherwise only the
/// first.
fn search_positions(
    examiner: &Examiner<'_>,
    engine: &mut Uci,
    game: &[GamePosition],
    limit: Limit,
    cleared: bool,
) -> Result<Vec<UciReport>, Interrupt> {
    let is_new_game = |index: usize| index == 0 || cleared;
    game.iter()
        .enumerate()
        .map(|(index, position)| examiner.search(engine, position, limit, is_new_game(index)))
        .collect()
}

/// Combines the answers of all games.
fn summarize(design: &Design, answers_by_game: &[Answers]) -> Forgetting {
    let nodes = |answer: &UciReport| answer.nodes.unwrap_or(0) as f64;
    let log_ratio = |report: &UciReport, base: &UciReport| {
        let (nodes, base) = (nodes(report), nodes(base));
        (nodes > 0.0 && base > 0.0).then(|| (nodes / base).ln())
    };
    let game_figure = |values: &dyn Fn(&Answers) -> Vec<Option<f64>>| mean_by_game(answers_by_game, values);
    let ratio_figure = |pair: fn(&Answers) -> (&[UciReport], &[UciReport]), skip: usize| {
        let logs = move |answers: &Answers| {
            let (reports, base) = pair(answers);
            reports.iter().zip(base).skip(skip).map(|(report, base)| log_ratio(report, base)).collect::<Vec<_>>()
        };
        game_figure(&logs).map(exp_figure)
    };
    let errors = |reports: &[UciReport], long: &[UciReport]| {
        reports.iter().zip(long).map(|(report, long)| score_error(report.score?, long.score?)).collect::<Vec<_>>()
    };
    let differences = |pair: &[Vec<UciReport>; 2], long: &[UciReport]| {
        let [small, large] = [0, 1].map(|table| errors(&pair[table], long));
        small.into_iter().zip(large).map(|(small, large)| Some(small? - large?)).collect::<Vec<_>>()
    };
    let pairs = || answers_by_game.iter().flat_map(|answers| answers.kept_table[0].iter().zip(&answers.kept_table[1]));
    let mean_hashfull = |table: usize| {
        let values = answers_by_game
            .iter()
            .filter_map(|answers| answers.kept_table[table].last()?.hashfull)
            .map(f64::from)
            .collect::<Vec<_>>();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    Forgetting {
        small: design.small,
        large: design.large,
        depth: design.depth,
        games: answers_by_game.len(),
        searches: pairs().count(),
        differing: pairs().filter(|(small, large)| small.nodes != large.nodes).count(),
        hashfull: [mean_hashfull(0), mean_hashfull(1)],
        kept: ratio_figure(|answers| (&answers.kept_table[0], &answers.kept_table[1]), 0),
        cleared: ratio_figure(|answers| (&answers.cleared_table[0], &answers.cleared_table[1]), 1),
        clearing: ratio_figure(|answers| (&answers.cleared_table[1], &answers.kept_table[1]), 1),
        error_at_depth: game_figure(&|answers| differences(&answers.kept_table, &answers.long)),
        mean_error: game_figure(&|answers| errors(&answers.kept_table[1], &answers.long)).map(|figure| figure.mean),
        nodes: design.nodes,
        error_at_nodes: game_figure(&|answers| {
            answers.node_limited.as_ref().map_or(Vec::new(), |pair| differences(pair, &answers.long))
        }),
    }
}

/// Capped distance between two scores, in centipawns.
fn score_error(score: Score, reference: Score) -> Option<f64> {
    let clamp = |score: Score| score.clamp(-DECIDED, DECIDED);
    Some(f64::from((clamp(score) - clamp(reference)).abs().min(MAX_ERROR)))
}

/// The mean of the values with a confidence interval clustered by game; `None` without values.
fn mean_by_game(answers_by_game: &[Answers], get_values: &dyn Fn(&Answers) -> Vec<Option<f64>>) -> Option<Figure> {
    let values_by_game = (0_u32..)
        .zip(answers_by_game)
        .flat_map(|(game, answers)| get_values(answers).into_iter().flatten().map(move |value| (game, value)));
    let clusters = Clusters::new(&values_by_game.collect::<Vec<_>>());
    if clusters.is_empty() {
        return None;
    }
    let (low, high) = intervals(std::slice::from_ref(&clusters)).first().copied()?;
    let finite_bound = |bound: f64| bound.is_finite().then_some(bound);
    Some(Figure { mean: clusters.mean(), low: finite_bound(low), high: finite_bound(high) })
}

fn exp_figure(figure: Figure) -> Figure {
    Figure { mean: figure.mean.exp(), low: figure.low.map(f64::exp), high: figure.high.map(f64::exp) }
}

/// Whether nodes to a depth are a valid measure of this engine's table. They mislead if they shrink
/// with a smaller table, or do not grow although the score gets worse. They lead if they grow and
/// the score stays the same.
pub fn judge_nodes(forgetting: &Forgetting) -> NodesVerdict {
    let (Some(kept_ratio), Some(error)) = (forgetting.kept, forgetting.error_at_depth) else {
        return NodesVerdict::Undecided;
    };
    let is_above = |figure: Figure, value: f64| figure.low.is_some_and(|low| low > value);
    let is_below = |figure: Figure, value: f64| figure.high.is_some_and(|high| high < value);
    let grows = is_above(kept_ratio, 1.0 + EQUAL_MARGIN);
    let margin = LOSS_CENTIPAWNS.max(LOSS_SHARE * forgetting.mean_error.unwrap_or(0.0));
    match () {
        () if is_below(kept_ratio, 1.0 - EQUAL_MARGIN) || is_above(error, 0.0) && !grows => NodesVerdict::Mislead,
        () if grows && is_below(error, margin) => NodesVerdict::Lead,
        () => NodesVerdict::Undecided,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn answers(kept_table: [&[(u64, Score)]; 2], cleared_table: [&[(u64, Score)]; 2], long: &[Score]) -> Answers {
        let to_reports = |list: &[(u64, Score)]| {
            let report = |&(nodes, score): &(u64, Score)| UciReport {
                nodes: Some(nodes),
                score: Some(score),
                hashfull: Some(500),
                ..UciReport::default()
            };
            list.iter().map(report).collect::<Vec<_>>()
        };
        let long = long.iter().map(|&score| UciReport { score: Some(score), ..UciReport::default() }).collect();
        Answers {
            kept_table: kept_table.map(to_reports),
            cleared_table: cleared_table.map(to_reports),
            node_limited: Some(kept_table.map(to_reports)),
            long,
        }
    }

    const DESIGN: Design = Design { small: 1, large: 64, depth: 9, nodes: Some(1000) };

    /// The small table doubles the nodes in the first game and does not change them in the second,
    /// so the geometric mean is the square root of 2.
    #[test]
    fn figures_are_means_over_games() {
        let first = answers(
            [&[(200, 10), (400, 40)], &[(100, 0), (200, 0)]],
            [&[(7, 0), (300, 0)], &[(5, 0), (400, 0)]],
            &[0, 20],
        );
        let second =
            answers([&[(50, 5), (50, 5)], &[(50, 5), (50, 5)]], [&[(7, 0), (30, 0)], &[(5, 0), (40, 0)]], &[5, 5]);
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
        let single_answer = summarize(&DESIGN, &[answers([&[(2, 0)], &[(1, 0)]], [&[(2, 0)], &[(1, 0)]], &[0])]);
        assert_eq!(single_answer.kept, Some(Figure { mean: 2.0, low: None, high: None }));
        assert_eq!(single_answer.cleared, None, "the first search of a game is left out");
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
            assert_eq!(score_error(score, reference), Some(error), "{score} {reference}");
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

    /// In one minute, 5 games of 3 positions with 11 searches each are 165 searches, in 60 % of the
    /// time. In four minutes, there are twice as many games.
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
        assert!(fits_deeper(tenths_of_second(29), tenths_of_second(600)));
        assert!(!fits_deeper(tenths_of_second(31), tenths_of_second(600)));
    }
}
