//! Does an engine search less when its table forgets? The same searches with a small and a large table, kept along games and cleared before each
//! search: nodes to a depth, and how far the score is then from that of a much longer search.
//!
//! Many engines search a node less deep where the table has no move for it. In them a table that forgets makes a depth cheaper and worse, so that nodes to
//! that depth say the opposite of the truth. What a depth buys is seen in its score.

use super::positions::Reached;
use super::{Bench, Halt};
use crate::analysis::pairing::clusters::Clusters;
use crate::analysis::pairing::interval::intervals;
use crate::chess::Score;
use crate::engine::Limit;
use crate::record::diagnosis::{Figure, Forgetting, NodesVerdict};
use crate::subject::options::OptionValue;
use crate::subject::{Restart, Subject, Uci, UciReport};
use std::time::{Duration, Instant};

/// Scores further apart than this count as so far apart, and mates as this many centipawns and more.
const CUT: Score = 150;
const WON: Score = 1000;

/// How many times as many nodes the search has whose score is taken for right, and how many plies more where nodes are no limit.
const FURTHER: u64 = 5;
const DEEPER: u8 = 3;

/// What the searches of a game cost, in searches to the depth: two tables, kept and cleared and to a number of nodes, and the long search.
const COST: u32 = 6 + FURTHER as u32;

/// Games that there is to be time for in a minute; in ten times the time three times as many, and longer searches.
const GAMES: f64 = 5.0;

/// The share of the time that is planned for: depths cost what they cost, and the rest goes into more games.
const PLANNED: f64 = 0.6;

/// How many times as many nodes a ply more has, and how many times as long it may take.
const PLY: u64 = 2;
const PLY_TIME: f64 = 4.0;

/// Ratios nearer to 1 than this are no difference.
const NEAR: f64 = 0.01;

/// Depths that are tried.
const DEPTHS: (u8, u8) = (4, 30);

/// A mean error of the small table's that is larger by no more than this share of the large one's, or so many centipawns, is no loss.
const SHARE: f64 = 0.25;
const LEAST: f64 = 2.0;

/// How the searches of a game are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Design {
    /// MiB of the tables.
    pub small: i64,
    /// MiB of the large one.
    pub large: i64,
    /// The depth.
    pub depth: u8,
    /// Nodes of the searches that are limited by nodes; none where the engine does not heed such a limit.
    pub nodes: Option<u64>,
}

/// The deepest depth whose searches take no longer than `target` on these positions, and the nodes of such a search; none where not even the first is done
/// by then and a while.
///
/// # Errors
/// When the engine fails, or the examination is to end.
pub fn depth(bench: &Bench<'_>, positions: &[&Reached], target: Duration) -> Result<Option<(u8, u64)>, Halt> {
    let (mut engine, mut found) = (bench.engine(bench.launch.clone())?, None);
    for depth in DEPTHS.0..=DEPTHS.1 {
        let limit = Limit { depth: Some(depth), nodes: None };
        let (mut nodes, begun) = (Vec::new(), Instant::now());
        for position in positions {
            let answer = bench.search(&mut engine, position, limit, true)?;
            nodes.push(answer.nodes.unwrap_or(0));
        }
        let each = begun.elapsed() / positions.len().max(1) as u32;
        if each > target && found.is_some() {
            break;
        }
        nodes.sort_unstable();
        found = Some((depth, nodes[nodes.len() / 2]));
        if each > target {
            break;
        }
    }
    Ok(found)
}

/// How long a search may take where there is so much time in all.
pub fn target(time: Duration, along: usize) -> Duration {
    time.mul_f64(PLANNED / (planned(time) * f64::from(COST) * along as f64))
}

/// The answers of one game: by table, by kept and cleared and limited by nodes, by search; and the long search.
struct Answers {
    kept: [Vec<UciReport>; 2],
    cleared: [Vec<UciReport>; 2],
    limited: Option<[Vec<UciReport>; 2]>,
    long: Vec<UciReport>,
}

/// Searches along games until they or the time are at an end; a game that is not finished by then is left out. A depth that turns out to cost so little that
/// the next one fits too is left for that one.
///
/// # Errors
/// When the engine fails, or the examination is to end.
pub fn measure(
    bench: &Bench<'_>,
    mut design: Design,
    forgets: bool,
    games: &[Vec<Reached>],
    time: Duration,
) -> Result<Forgetting, Halt> {
    let until = Instant::now() + time;
    let mut tables = [table(bench, design.small, forgets)?, table(bench, design.large, forgets)?];
    let mut all = Vec::new();
    while let Some(game) = games.get(all.len()) {
        (bench.progress)(&format!("a small table and a large one, depth {}: game {}", design.depth, all.len() + 1));
        let begun = Instant::now();
        all.push(along(bench, &design, &mut tables, game)?);
        let (took, left) = (begun.elapsed(), until.saturating_duration_since(Instant::now()));
        if all.len() == 1 && design.depth < DEPTHS.1 && fits_deeper(took, left) {
            design = Design { depth: design.depth + 1, nodes: design.nodes.map(|nodes| PLY * nodes), ..design };
            all.clear();
        } else if all.len() > 1 && took > left {
            break;
        }
    }
    tables.iter_mut().for_each(Subject::end);
    Ok(message(&design, &all))
}

/// Whether there is time for as many games as are planned at a ply more, where a game took so long.
fn fits_deeper(took: Duration, left: Duration) -> bool {
    took.mul_f64(PLY_TIME * planned(left)) < left
}

/// Games that are planned for so much time.
fn planned(time: Duration) -> f64 {
    GAMES * (time.as_secs_f64() / 60.0).sqrt().max(1.0)
}

/// An engine with a table of so many MiB; with a new process for each game where a new game is no new process to it.
fn table(bench: &Bench<'_>, mebibytes: i64, forgets: bool) -> Result<Uci, Halt> {
    let mut launch = bench.launch.clone();
    launch.restart = if forgets { Restart::Experiment } else { Restart::Game };
    launch.options.retain(|(name, _)| !name.eq_ignore_ascii_case("Hash"));
    launch.options.push(("Hash".to_owned(), OptionValue::Spin(mebibytes)));
    bench.engine(launch)
}

/// All searches of one game.
fn along(bench: &Bench<'_>, design: &Design, tables: &mut [Uci; 2], game: &[Reached]) -> Result<Answers, Halt> {
    let to_depth = Limit { depth: Some(design.depth), nodes: None };
    let by_nodes = |nodes| Limit { depth: None, nodes: Some(nodes) };
    let long = match design.nodes {
        Some(nodes) => by_nodes(nodes * FURTHER),
        None => Limit { depth: Some(design.depth + DEEPER), nodes: None },
    };
    let mut both = |limit: Limit, cleared: bool| -> Result<[Vec<UciReport>; 2], Halt> {
        let [small, large] = tables.each_mut().map(|engine| searches(bench, engine, game, limit, cleared));
        Ok([small?, large?])
    };
    Ok(Answers {
        kept: both(to_depth, false)?,
        cleared: both(to_depth, true)?,
        limited: design.nodes.map(|nodes| both(by_nodes(nodes), false)).transpose()?,
        long: searches(bench, &mut tables[1], game, long, false)?,
    })
}

/// The searches of a game, each as of a new game or only the first.
fn searches(
    bench: &Bench<'_>,
    engine: &mut Uci,
    game: &[Reached],
    limit: Limit,
    cleared: bool,
) -> Result<Vec<UciReport>, Halt> {
    let new = |at: usize| at == 0 || cleared;
    game.iter().enumerate().map(|(at, position)| bench.search(engine, position, limit, new(at))).collect()
}

/// What all games say.
fn message(design: &Design, all: &[Answers]) -> Forgetting {
    let nodes = |answer: &UciReport| answer.nodes.unwrap_or(0) as f64;
    let ratio = |one: &UciReport, base: &UciReport| {
        let (one, base) = (nodes(one), nodes(base));
        (one > 0.0 && base > 0.0).then(|| (one / base).ln())
    };
    let over = |values: &dyn Fn(&Answers) -> Vec<Option<f64>>| figure(all, values);
    let ratios = |pair: fn(&Answers) -> (&[UciReport], &[UciReport]), skip: usize| {
        let logs = move |of: &Answers| {
            let (one, base) = pair(of);
            one.iter().zip(base).skip(skip).map(|(one, base)| ratio(one, base)).collect::<Vec<_>>()
        };
        over(&logs).map(exponential)
    };
    let errors = |answers: &[UciReport], long: &[UciReport]| {
        answers.iter().zip(long).map(|(one, long)| error(one.score?, long.score?)).collect::<Vec<_>>()
    };
    let differences = |pair: &[Vec<UciReport>; 2], long: &[UciReport]| {
        let [small, large] = [0, 1].map(|table| errors(&pair[table], long));
        small.into_iter().zip(large).map(|(small, large)| Some(small? - large?)).collect::<Vec<_>>()
    };
    let searched = || all.iter().flat_map(|of| of.kept[0].iter().zip(&of.kept[1]));
    let full = |table: usize| {
        let message = all.iter().filter_map(|of| of.kept[table].last()?.hashfull).map(f64::from).collect::<Vec<_>>();
        (!message.is_empty()).then(|| message.iter().sum::<f64>() / message.len() as f64)
    };
    Forgetting {
        small: design.small,
        large: design.large,
        depth: design.depth,
        games: all.len(),
        searches: searched().count(),
        differing: searched().filter(|(small, large)| small.nodes != large.nodes).count(),
        hashfull: [full(0), full(1)],
        kept: ratios(|of| (&of.kept[0], &of.kept[1]), 0),
        cleared: ratios(|of| (&of.cleared[0], &of.cleared[1]), 1),
        clearing: ratios(|of| (&of.cleared[1], &of.kept[1]), 1),
        error_at_depth: over(&|of| differences(&of.kept, &of.long)),
        mean_error: over(&|of| errors(&of.kept[1], &of.long)).map(|figure| figure.mean),
        nodes: design.nodes,
        error_at_nodes: over(&|of| of.limited.as_ref().map_or(Vec::new(), |pair| differences(pair, &of.long))),
    }
}

/// Centipawns between two scores, cut.
fn error(score: Score, right: Score) -> Option<f64> {
    let near = |score: Score| score.clamp(-WON, WON);
    Some(f64::from((near(score) - near(right)).abs().min(CUT)))
}

/// The mean over games of some values of each, with its interval; none where there are none.
fn figure(all: &[Answers], values: &dyn Fn(&Answers) -> Vec<Option<f64>>) -> Option<Figure> {
    let each =
        (0_u32..).zip(all).flat_map(|(game, of)| values(of).into_iter().flatten().map(move |value| (game, value)));
    let clusters = Clusters::new(&each.collect::<Vec<_>>());
    if clusters.is_empty() {
        return None;
    }
    let (low, high) = intervals(std::slice::from_ref(&clusters)).first().copied()?;
    let end = |end: f64| end.is_finite().then_some(end);
    Some(Figure { mean: clusters.mean(), low: end(low), high: end(high) })
}

fn exponential(of: Figure) -> Figure {
    Figure { mean: of.mean.exp(), low: of.low.map(f64::exp), high: of.high.map(f64::exp) }
}

/// What follows for nodes to a depth. They mislead where they shrink with the table, or do not grow although the depth buys less; they lead where they grow and
/// the depth buys the same.
pub fn verdict(found: &Forgetting) -> NodesVerdict {
    let (Some(kept), Some(error)) = (found.kept, found.error_at_depth) else { return NodesVerdict::Undecided };
    let above = |figure: Figure, value: f64| figure.low.is_some_and(|low| low > value);
    let below = |figure: Figure, value: f64| figure.high.is_some_and(|high| high < value);
    let grows = above(kept, 1.0 + NEAR);
    let margin = LEAST.max(SHARE * found.mean_error.unwrap_or(0.0));
    match () {
        () if below(kept, 1.0 - NEAR) || above(error, 0.0) && !grows => NodesVerdict::Mislead,
        () if grows && below(error, margin) => NodesVerdict::Lead,
        () => NodesVerdict::Undecided,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn answers(kept: [&[(u64, Score)]; 2], cleared: [&[(u64, Score)]; 2], long: &[Score]) -> Answers {
        let of = |list: &[(u64, Score)]| {
            let one = |&(nodes, score): &(u64, Score)| UciReport {
                nodes: Some(nodes),
                score: Some(score),
                hashfull: Some(500),
                ..UciReport::default()
            };
            list.iter().map(one).collect::<Vec<_>>()
        };
        let long = long.iter().map(|&score| UciReport { score: Some(score), ..UciReport::default() }).collect();
        Answers { kept: kept.map(of), cleared: cleared.map(of), limited: Some(kept.map(of)), long }
    }

    const DESIGN: Design = Design { small: 1, large: 64, depth: 9, nodes: Some(1000) };

    /// By hand: the first game doubles the nodes of its searches, the second leaves them; the geometric mean is the root of 2.
    #[test]
    fn figures_are_means_over_games() {
        let one = answers(
            [&[(200, 10), (400, 40)], &[(100, 0), (200, 0)]],
            [&[(7, 0), (300, 0)], &[(5, 0), (400, 0)]],
            &[0, 20],
        );
        let two =
            answers([&[(50, 5), (50, 5)], &[(50, 5), (50, 5)]], [&[(7, 0), (30, 0)], &[(5, 0), (40, 0)]], &[5, 5]);
        let found = message(&DESIGN, &[one, two]);
        let near = |figure: Option<Figure>, required: f64| {
            assert!((figure.unwrap().mean - required).abs() < 1e-9, "{figure:?}")
        };
        near(found.kept, 2.0_f64.sqrt());
        near(found.cleared, 0.75);
        // 400 over 200, and 40 over 50.
        near(found.clearing, (2.0_f64 * 0.8).sqrt());
        // The small table errs by 10 and 20, the large one by 0 and 20, then both by nothing: (10 + 0 + 0 + 0) / 4.
        near(found.error_at_depth, 2.5);
        near(found.error_at_nodes, 2.5);
        assert_eq!((found.games, found.searches, found.differing, found.mean_error), (2, 4, 2, Some(5.0)));
        assert_eq!(found.hashfull, [Some(500.0); 2]);
        assert!(found.kept.unwrap().low.is_some());
        let none = message(&DESIGN, &[]);
        assert_eq!((none.kept, none.error_at_depth, none.hashfull), (None, None, [None; 2]));
        let alone = message(&DESIGN, &[answers([&[(2, 0)], &[(1, 0)]], [&[(2, 0)], &[(1, 0)]], &[0])]);
        assert_eq!(alone.kept, Some(Figure { mean: 2.0, low: None, high: None }));
        assert_eq!(alone.cleared, None, "the first search of a game is left out");
    }

    #[test]
    fn scores_are_cut_where_games_are_decided() {
        for (score, right, far) in [
            (10, -20, 30.0),
            (0, 150, 150.0),
            (0, 151, 150.0),
            (900, 1100, 100.0),
            (2000, 31_990, 0.0),
            (-31_990, 31_990, 150.0),
        ] {
            assert_eq!(error(score, right), Some(far), "{score} {right}");
        }
    }

    #[test]
    fn a_verdict_takes_both_the_nodes_and_what_they_buy() {
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
            let found =
                Forgetting { kept, error_at_depth: error, mean_error: Some(mean_error), ..Forgetting::default() };
            assert_eq!(verdict(&found), expected, "{kept:?} {error:?}");
        }
    }

    /// By hand: 5 games of 3 searches that cost 11 each are 165, in 60 % of a minute; in four minutes twice as many games.
    #[test]
    fn time_is_shared_out() {
        let near = |seconds: u64, required: f64| {
            let found = target(Duration::from_secs(seconds), 3).as_secs_f64();
            assert!((found - required).abs() < 1e-6, "{seconds}: {found}");
        };
        near(60, 36.0 / 165.0);
        near(10, 6.0 / 165.0);
        near(240, 144.0 / 330.0);
        // Five games of 2.9 seconds at four times the cost are 58 seconds.
        let tenths = |tenths: u64| Duration::from_millis(100 * tenths);
        assert!(fits_deeper(tenths(29), tenths(600)) && !fits_deeper(tenths(31), tenths(600)));
    }
}
