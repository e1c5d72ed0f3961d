//! Measures whether an engine searches less when its table forgets. The same searches along games,
//! to one depth and with the table kept along each game, are run with a small and a large table,
//! and their nodes are compared.
//!
//! Many engines reduce the depth of a node for which the table has no move. A table that forgets
//! then makes searches to a fixed depth cheaper and worse.

use super::positions::{GamePosition, SEARCHES_PER_GAME};
use super::{Budget, Examiner, Interrupt};
use crate::engine::Limit;
use crate::record::diagnosis::{Figure, Forgetting, NodesVerdict};
use crate::stats::clusters::Clusters;
use crate::stats::interval::intervals;
use crate::subject::options::OptionValue;
use crate::subject::{EngineFault, Failure, Restart, Subject, Uci, UciReport};
use std::time::Duration;

/// Three searches of this many nodes for each MiB of the table store several times what fits: a MiB
/// has 65,000 to 105,000 entries of 10 to 16 bytes.
pub const FULL_NODES: u64 = 100_000;

/// Without such searches, a table is full if the engine's `hashfull` says so.
const FULL_PER_MILLE: f64 = 500.0;

/// The share of the time for the searches of [`MIN_GAMES`] games.
const PLANNED_SHARE: f64 = 0.6;

/// The share of the time that a search may take that is repeated often.
const QUICK_SHARE: f64 = 1.0 / 300.0;

const MIN_DEPTH: u8 = 4;

const MAX_DEPTH: u8 = 30;

/// If it is ruled out that a table which forgets nearly everything takes this many times the nodes,
/// nodes tell nothing about tables.
const LEAST_EFFECT: f64 = 1.1;

/// The number of games below which an interval is not believed.
const MIN_GAMES: usize = 4;

/// Table sizes in MiB and the depth of the searches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Design {
    pub small: i64,
    pub large: i64,
    pub depth: u8,
}

/// The depths of searches that are repeated often, and of those that should fill the small table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Depths {
    pub quick: u8,
    pub deep: u8,
}

/// If the budget is a time, the depths are the largest at which searches of `positions` are short
/// enough, but at least [`MIN_DEPTH`]; the deep one is no deeper than needed to fill the smallest
/// table. Otherwise both are that of the budget. Returns `None` if the engine does not respect a
/// depth, or reports no nodes.
///
/// # Errors
/// If the engine fails or the user stops the examination.
pub fn find_depths(
    examiner: &Examiner<'_>,
    positions: &[&GamePosition],
    budget: Budget,
) -> Result<Option<Depths>, Interrupt> {
    let mut engine = examiner.start_engine(examiner.launch.clone())?;
    engine.end_overruns();
    if let Budget::Time(_) = budget {
        engine.set_timeout(super::QUICK_SEARCH_TIMEOUT);
    }
    let sizes = super::table_sizes(&engine.identity().options, &examiner.launch.options);
    // Positions of later games have fewer pieces, and fewer nodes, than these.
    let full_nodes = 2 * FULL_NODES * sizes.map_or(1, |(small, _)| small.unsigned_abs());
    let (time, depths) = match budget {
        Budget::Games { depth, .. } => (Duration::MAX, depth..=depth),
        Budget::Time(time) => (time, MIN_DEPTH..=MAX_DEPTH),
    };
    let planned_searches = 2 * MIN_GAMES * SEARCHES_PER_GAME;
    let mut found = None;
    for depth in depths {
        let started = examiner.spent();
        let mut counts = Vec::new();
        for position in positions {
            let limit = Limit { depth: Some(depth), nodes: None };
            match examiner.search(&mut engine, position.with_history(), limit, true) {
                Ok(report) if report.depth == Some(depth) => counts.extend(report.nodes),
                Ok(_) => return Ok(None),
                Err(Interrupt::Failed(Failure {
                    fault: EngineFault::LimitIgnored(_) | EngineFault::NoAnswer(_),
                    ..
                })) => return Ok(found),
                Err(interrupt) => return Err(interrupt),
            }
        }
        let Some(&nodes) = counts.iter().min() else { return Ok(None) };
        let seconds = (examiner.spent() - started).as_secs_f64() / positions.len().max(1) as f64;
        let fits = |share: f64| seconds <= time.as_secs_f64() * share;
        let is_first = found.is_none();
        let Depths { quick, deep } = found.unwrap_or(Depths { quick: depth, deep: depth });
        let deep_fits = is_first || fits(PLANNED_SHARE / planned_searches as f64);
        found = Some(Depths {
            quick: if is_first || fits(QUICK_SHARE) { depth } else { quick },
            deep: if deep_fits { depth } else { deep },
        });
        if !deep_fits || nodes >= full_nodes {
            break;
        }
    }
    engine.quit();
    Ok(found)
}

/// Searches one game after another, until no game is left or the budget is used up.
///
/// # Errors
/// If the engine fails or the user stops the examination.
pub fn measure(
    examiner: &Examiner<'_>,
    design: Design,
    resets_on_new_game: bool,
    games: &[Vec<GamePosition>],
    budget: Budget,
) -> Result<Forgetting, Interrupt> {
    let (deadline, max_games) = match budget {
        Budget::Time(time) => (Some(examiner.spent() + time), games.len()),
        Budget::Games { games, .. } => (None, games),
    };
    let start = |mebibytes| start_with_table(examiner, mebibytes, resets_on_new_game);
    let mut engines = [start(design.small)?, start(design.large)?];
    let mut reports_by_game = Vec::new();
    for game in games.iter().take(max_games) {
        let count = reports_by_game.len();
        (examiner.progress)(&format!("comparing tables at depth {}: game {}", design.depth, count + 1));
        let started = examiner.spent();
        let [small, large] = engines.each_mut().map(|engine| search_game(examiner, engine, game, design.depth));
        reports_by_game.push([small?, large?]);
        let spent = examiner.spent();
        let is_last = |deadline: Duration| spent - started > deadline.saturating_sub(spent);
        if count + 1 >= MIN_GAMES && deadline.is_some_and(is_last) {
            break;
        }
    }
    engines.iter_mut().for_each(Subject::quit);
    Ok(summarize(&design, &reports_by_game))
}

/// Starts the engine with a table of `mebibytes`. An engine that does not clear its table for a new
/// game is restarted for each game.
fn start_with_table(examiner: &Examiner<'_>, mebibytes: i64, resets_on_new_game: bool) -> Result<Uci, Interrupt> {
    let mut launch = examiner.launch.clone();
    launch.restart = if resets_on_new_game { Restart::Experiment } else { Restart::Game };
    launch.options.push(("Hash".to_owned(), OptionValue::Spin(mebibytes)));
    examiner.start_engine(launch)
}

/// Searches the positions of a new game.
pub fn search_game(
    examiner: &Examiner<'_>,
    engine: &mut Uci,
    game: &[GamePosition],
    depth: u8,
) -> Result<Vec<UciReport>, Interrupt> {
    let limit = Limit { depth: Some(depth), nodes: None };
    let search =
        |(index, position): (usize, &GamePosition)| examiner.search(engine, position.with_history(), limit, index == 0);
    game.iter().enumerate().map(search).collect()
}

/// `games` has the reports of each game, with the small and with the large table.
fn summarize(design: &Design, games: &[[Vec<UciReport>; 2]]) -> Forgetting {
    let nodes = |report: &UciReport| report.nodes.unwrap_or(0);
    let pairs = || {
        (0_u32..).zip(games).flat_map(|(game, [small, large])| small.iter().zip(large).map(move |pair| (game, pair)))
    };
    let log_ratios = pairs().filter_map(|(game, (small, large))| {
        let (small, large) = (nodes(small) as f64, nodes(large) as f64);
        (small > 0.0 && large > 0.0).then(|| (game, (small / large).ln()))
    });
    let clusters = Clusters::new(&log_ratios.collect::<Vec<_>>());
    let kept =
        intervals(std::slice::from_ref(&clusters)).first().filter(|_| !clusters.is_empty()).map(|(low, high)| {
            let finite_bound = |bound: f64| bound.is_finite().then(|| bound.exp());
            Figure { mean: clusters.mean().exp(), low: finite_bound(*low), high: finite_bound(*high) }
        });
    let mean = |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let hashfull =
        |table: usize| mean(games.iter().filter_map(|game| game[table].last()?.hashfull).map(f64::from).collect());
    Forgetting {
        small: design.small,
        large: design.large,
        depth: design.depth,
        games: games.len(),
        searches: pairs().count(),
        differing: pairs().filter(|(_, (small, large))| small.nodes != large.nodes).count(),
        nodes: mean(pairs().map(|(_, (_, large))| nodes(large) as f64).collect()).unwrap_or(0.0) as u64,
        hashfull: [hashfull(0), hashfull(1)],
        kept,
    }
}

/// Whether the small table was full, so that it forgot.
fn is_full(forgetting: &Forgetting) -> bool {
    forgetting.nodes >= FULL_NODES * forgetting.small.unsigned_abs()
        || forgetting.hashfull[0].is_some_and(|hashfull| hashfull >= FULL_PER_MILLE)
}

/// Judges whether a better table shows in a smaller number of nodes to a fixed depth
/// ([`NodesVerdict::Lead`]). It does not if the small table, when full, needs fewer nodes, or if it
/// is ruled out that it needs [`LEAST_EFFECT`] times the nodes.
pub fn judge_nodes(forgetting: &Forgetting) -> NodesVerdict {
    match forgetting.kept {
        Some(Figure { low: Some(low), .. }) if low > 1.0 => NodesVerdict::Lead,
        Some(Figure { high: Some(high), .. }) if high < LEAST_EFFECT && is_full(forgetting) => NodesVerdict::Mislead,
        _ => NodesVerdict::Undecided,
    }
}

/// The depth and the number of games that should decide: first a depth at which the small table
/// fills, then games until the interval is so narrow that one of both limits lies outside.
pub fn plan_more(forgetting: &Forgetting) -> (u8, usize) {
    let all_games = super::count_games();
    let missing = (FULL_NODES * forgetting.small.unsigned_abs()) as f64 / forgetting.nodes.max(1) as f64;
    let plies = if is_full(forgetting) { 0.0 } else { missing.log2().ceil().max(1.0) };
    let half_width = match forgetting.kept {
        Some(Figure { low: Some(low), high: Some(high), .. }) => (high / low).ln() / 2.0,
        _ => f64::INFINITY,
    };
    // Half of the distance between both limits, and a reserve.
    let factor = (half_width / (0.4 * LEAST_EFFECT.ln())).powi(2);
    let games = (forgetting.games as f64 * factor).ceil().max(3.0 * MIN_GAMES as f64);
    (forgetting.depth.saturating_add(plies as u8).min(60), (games as usize).min(all_games))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESIGN: Design = Design { small: 1, large: 64, depth: 9 };

    /// The reports on a game with these nodes with the small and the large table.
    fn game(nodes: [&[u64]; 2]) -> [Vec<UciReport>; 2] {
        let report =
            |&nodes: &u64| UciReport { nodes: Some(nodes), hashfull: Some(nodes as u16), ..UciReport::default() };
        nodes.map(|list| list.iter().map(report).collect())
    }

    /// The small table doubles the nodes in the first game and does not change them in the second,
    /// so the geometric mean is the square root of 2.
    #[test]
    fn ratio_is_the_geometric_mean_over_games() {
        let forgetting = summarize(&DESIGN, &[game([&[200, 400], &[100, 200]]), game([&[50, 50], &[50, 50]])]);
        assert!((forgetting.kept.unwrap().mean - 2.0_f64.sqrt()).abs() < 1e-9);
        assert!(forgetting.kept.unwrap().low.is_some());
        assert_eq!((forgetting.games, forgetting.searches, forgetting.differing, forgetting.nodes), (2, 4, 2, 100));
        assert_eq!(forgetting.hashfull, [Some(225.0), Some(125.0)], "after the last search of each game");
        let no_games = summarize(&DESIGN, &[]);
        assert_eq!((no_games.kept, no_games.hashfull), (None, [None; 2]));
        let single_search = summarize(&DESIGN, &[game([&[2], &[1]])]);
        assert_eq!(single_search.kept, Some(Figure { mean: 2.0, low: None, high: None }));
    }

    fn forgetting(low: f64, high: f64, nodes: u64, hashfull: Option<f64>) -> Forgetting {
        let kept = Some(Figure { mean: (low * high).sqrt(), low: Some(low), high: Some(high) });
        Forgetting {
            small: 2,
            large: 64,
            depth: 9,
            games: 6,
            nodes,
            hashfull: [hashfull, None],
            kept,
            ..Forgetting::default()
        }
    }

    /// Both sides of each limit. A table that was never full forgot nothing.
    #[test]
    fn nodes_lead_or_mislead_if_a_limit_is_excluded() {
        for (low, high, nodes, hashfull, expected) in [
            (1.001, 1.3, 9, None, NodesVerdict::Lead),
            (0.999, 1.3, 200_000, None, NodesVerdict::Undecided),
            (0.9, 1.099, 200_000, None, NodesVerdict::Mislead),
            (0.9, 1.099, 199_999, None, NodesVerdict::Undecided),
            (0.9, 1.099, 9, Some(500.0), NodesVerdict::Mislead),
            (0.9, 1.099, 9, Some(499.0), NodesVerdict::Undecided),
            (0.9, 1.101, 200_000, None, NodesVerdict::Undecided),
        ] {
            assert_eq!(judge_nodes(&forgetting(low, high, nodes, hashfull)), expected, "{low} {high} {nodes}");
        }
        assert_eq!(judge_nodes(&Forgetting::default()), NodesVerdict::Undecided);
    }

    /// A table that is not full needs depth: a ply for each doubling of the nodes. A wide interval
    /// needs games: four times as many halve it.
    #[test]
    fn more_is_depth_before_games() {
        assert_eq!(plan_more(&forgetting(0.9, 1.2, 50_000, None)).0, 11);
        assert_eq!(plan_more(&forgetting(0.9, 1.2, 190_000, None)).0, 10);
        let (depth, games) = plan_more(&forgetting(0.95, 1.15, 200_000, None));
        assert_eq!(depth, 9);
        // Half of the interval is 0.0955, the aim is 0.0381: 6.3 times as many games as 6.
        assert_eq!(games, 38.min(crate::doctor::count_games()));
        assert_eq!(plan_more(&forgetting(0.99, 1.12, 200_000, None)).1, 16);
    }
}
