//! Estimates how long a plan takes on this machine: from the rows of an earlier run of it, or from
//! a few trial searches.

use crate::engine::{Engine, Limit, SearchProgress};
use crate::experiment::{Experiment, Job, Plan};
use crate::record::columns;
use crate::record::manifest::Manifest;
use crate::table::options::Size;
use crate::text::plural;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// An estimated duration and its source.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Jobs still to run.
    pub left: u64,
    /// Seconds for these jobs with one job at a time.
    pub seconds: f64,
    /// The source of the estimate, for the message.
    pub source: String,
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { left, seconds, source } = self;
        if *left == 0 {
            return write!(f, "none: {source}");
        }
        write!(f, "about {} with 1 job at a time, for {} ({source})", words(*seconds), plural(left, "job"))
    }
}

/// Formats seconds with two significant figures, in the unit that suits.
fn words(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1.0 => return "a second".to_owned(),
        s if s < 100.0 => (s, "seconds"),
        s if s < 6000.0 => (s / 60.0, "minutes"),
        s if s < 48.0 * 3600.0 => (s / 3600.0, "hours"),
        s => (s / 86400.0, "days"),
    };
    if value < 10.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// Estimates from the rows of this plan in a folder; `None` if no job of it is done there.
pub fn from_rows(plan: &Plan, folder: &Path) -> Option<Estimate> {
    let path = folder.join("results.csv");
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_path(&path).ok()?;
    let header = reader.headers().ok()?.clone();
    let at = |name: &str| header.iter().position(|column| column == name);
    let (id, variant, seconds) = (at(columns::ID)?, at(columns::VARIANT)?, at(columns::SECONDS)?);
    let sides = at(columns::NODES).zip(at(columns::OPPONENT_NODES));
    let suite = at(columns::SUITE);
    let lane =
        |job: &Job| (plan.variants[job.variant].name.clone(), plan.suite(job.item).unwrap_or_default().to_owned());
    let job = |job: Job| (format!("{:016x}", plan.job_id(&job)), lane(&job));
    let mut undone: HashMap<String, (String, String)> = plan.jobs().map(job).collect();
    // Jobs done and their seconds, by variant and suite.
    let mut spent: HashMap<(String, String), (u64, f64)> = HashMap::new();
    for row in reader.records().map_while(Result::ok) {
        let (Some(variant), Some(id)) = (row.get(variant), row.get(id)) else { continue };
        let suite = suite.and_then(|at| row.get(at)).unwrap_or_default();
        let sum = spent.entry((variant.to_owned(), suite.to_owned())).or_default();
        sum.0 += u64::from(undone.remove(id).is_some());
        let number = |at: usize| row.get(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
        // A game's row has the time of only one player; the opponent's is taken as proportional to
        // its nodes.
        let both = sides.map_or(1.0, |(own, other)| 1.0 + number(other) / number(own).max(1.0));
        sum.1 += number(seconds) * both;
    }
    let (done, total) = spent.values().fold((0, 0.0), |sum, lane| (sum.0 + lane.0, sum.1 + lane.1));
    if done == 0 {
        return None;
    }
    let seconds = undone.values().map(|lane| match spent.get(lane) {
        Some(&(done, seconds)) if done > 0 => seconds / done as f64,
        _ => total / done as f64,
    });
    // Pairs of games after their test has ended are not played.
    let not_needed = Manifest::read(folder).ok().flatten().map_or(0, |manifest| manifest.jobs_spared);
    let left = (undone.len() as u64).saturating_sub(not_needed);
    let seconds = if left == 0 { 0.0 } else { seconds.sum() };
    Some(Estimate { left, seconds, source: format!("{done} jobs of this plan are done in {}", folder.display()) })
}

/// The number of trial searches.
const TRIES: u64 = 6;

/// Larger tables are not allocated for a trial search.
const MOST_BYTES: u64 = 256 << 20;

/// Estimates from a few searches spread over the plan, which together take `most` at most. `None`
/// for external engines, traces and large tables, or if interrupted.
pub fn from_probe(experiment: &Experiment, plan: &Plan, most: Duration, stop: &AtomicBool) -> Option<Estimate> {
    from_trials(experiment, plan, most, stop, |job, share| try_one(experiment, plan, job, share))
}

/// As [`from_probe`]. `try_one` runs the first search of a job, within the given time; it returns
/// the seconds that the whole search takes, and whether it finished.
fn from_trials(
    experiment: &Experiment,
    plan: &Plan,
    most: Duration,
    stop: &AtomicBool,
    mut try_one: impl FnMut(&Job, Duration) -> Option<(f64, bool)>,
) -> Option<Estimate> {
    let large = |size: &Size| matches!(size, Size::Bytes(bytes) if *bytes > MOST_BYTES);
    if plan.has_external() || experiment.trace.is_some() || plan.is_empty() {
        return None;
    }
    let step = (plan.len() / TRIES).max(1) as usize;
    let tried: Vec<Job> = plan.jobs().step_by(step).take(TRIES as usize).collect();
    let players = |job: &Job| [Some(job.variant), job.opponent].into_iter().flatten();
    if tried.iter().flat_map(players).any(|at| large(&plan.variants[at].options.table.size)) {
        return None;
    }
    let share = most / tried.iter().flat_map(players).count().max(1) as u32;
    let (mut seconds, mut reached) = (0.0, true);
    for job in &tried {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        for variant in players(job) {
            let (one, whole) = try_one(&Job { variant, ..*job }, share)?;
            seconds += one * if plan.is_match() { moves(experiment) } else { searches(experiment, job) };
            reached &= whole;
        }
    }
    let how = if reached { "" } else { ", unfinished ones extrapolated from their first depths" };
    Some(Estimate {
        left: plan.len(),
        seconds: seconds / tried.len() as f64 * plan.len() as f64,
        source: match &experiment.file.games {
            None => format!("roughly: from {} tried now{how}", plural(tried.len(), "search")),
            Some(games) => format!(
                "roughly: from the first moves of {} tried now{how}, assuming {:.0} moves of each side per game{}",
                plural(tried.len(), "pair"),
                moves(experiment) / 2.0,
                if games.test_or_default().stop { "; less if a test ends early" } else { "" }
            ),
        },
    })
}

/// Mean moves of one side in a game of the preset `match` against itself: without and with
/// adjudication.
const MOVES: [f64; 2] = [66.0, 54.0];

/// The expected number of a player's moves in the two games of a pair.
fn moves(experiment: &Experiment) -> f64 {
    let games = experiment.file.games.clone().unwrap_or_default();
    let given_up = games.resign.is_some() || games.draw.is_some();
    2.0 * MOVES[usize::from(given_up)].min(f64::from(games.max_moves))
}

/// The number of searches of a job.
fn searches(experiment: &Experiment, job: &Job) -> f64 {
    let items = experiment.suite.items.iter().skip(job.item).take(job.items);
    items.map(|item| experiment.searches_per_variant(item)).sum::<usize>() as f64
}

/// Runs the first search of a job. Returns its seconds and whether it finished within `share`; if
/// not, the seconds are extrapolated from its last depths.
fn try_one(experiment: &Experiment, plan: &Plan, job: &Job, share: Duration) -> Option<(f64, bool)> {
    let (variant, limit) = (&plan.variants[job.variant], plan.limit(job.variant, job.item));
    let item = experiment.suite.items.get(job.item)?;
    let board = if plan.is_match() { crate::experiment::matches::opening_position(item) } else { item.board };
    let mut engine = Engine::new(&variant.options, Some(1 << 16)).ok()?;
    let (stop, begun) = (AtomicBool::new(false), Instant::now());
    // Depth, end in seconds and nodes of each iteration.
    let mut ends: Vec<(u8, f64, u64)> = Vec::new();
    let (done, wait) = mpsc::channel::<()>();
    let late = &stop;
    let outcome = std::thread::scope(|scope| {
        let watch = move || {
            if wait.recv_timeout(share) == Err(mpsc::RecvTimeoutError::Timeout) {
                late.store(true, Ordering::Relaxed);
            }
        };
        // Without this thread the search would have no time limit.
        let watching = std::thread::Builder::new().spawn_scoped(scope, watch).ok()?;
        let outcome = engine.search(&board, &[], limit, &stop, &mut |event| {
            if let SearchProgress::Iteration(iteration) = event {
                ends.push((iteration.depth, begun.elapsed().as_secs_f64(), iteration.search.nodes));
            }
        });
        drop(done);
        let _ = watching.join();
        Some(outcome)
    })?;
    let spent = begun.elapsed().as_secs_f64();
    if !outcome.stopped {
        return Some((spent, true));
    }
    extrapolate(limit, &ends).map(|seconds| (seconds, false))
}

/// Extrapolates the seconds of a whole search from its first iterations (depth, end in seconds,
/// nodes). With two limits, the one that is reached first counts.
fn extrapolate(limit: Limit, ends: &[(u8, f64, u64)]) -> Option<f64> {
    let Limit { depth, nodes } = limit;
    let [.., (_, before, _), (last, end, _)] = *ends else { return None };
    let searched: u64 = ends.iter().map(|(_, _, nodes)| nodes).sum();
    // Each depth multiplies the time so far by this factor.
    let growth = (end / before.max(1e-6)).clamp(1.5, 12.0);
    let by_depth = depth.map(|depth| end * growth.powi(i32::from(depth.saturating_sub(last))));
    let by_nodes = nodes.map(|nodes| nodes as f64 * end / searched.max(1) as f64);
    let seconds = [by_depth, by_nodes].into_iter().flatten().fold(f64::INFINITY, f64::min);
    seconds.is_finite().then_some(seconds)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn duration_is_formatted_in_a_suitable_unit() {
        for (seconds, output) in [
            (0.2, "a second"),
            (3.25, "3.2 seconds"),
            (42.0, "42 seconds"),
            (150.0, "2.5 minutes"),
            (7200.0, "2.0 hours"),
            (259_200.0, "3.0 days"),
        ] {
            assert_eq!(words(seconds), output);
        }
    }

    fn read(text: &str) -> (Experiment, Plan) {
        let experiment =
            Experiment::parse(text, Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
        let plan = Plan::new(&experiment);
        (experiment, plan)
    }

    #[test]
    fn duration_units_meet_without_gaps() {
        for (seconds, output) in [
            (0.99, "a second"),
            (1.0, "1.0 seconds"),
            (9.94, "9.9 seconds"),
            (10.0, "10 seconds"),
            (99.4, "99 seconds"),
            (100.0, "1.7 minutes"),
            (5999.0, "100 minutes"),
            (6000.0, "1.7 hours"),
            (172_799.0, "48 hours"),
            (172_800.0, "2.0 days"),
        ] {
            assert_eq!(words(seconds), output);
        }
        let estimate = |left| Estimate { left, seconds: 42.0, source: "why".to_owned() };
        assert_eq!(estimate(3).to_string(), "about 42 seconds with 1 job at a time, for 3 jobs (why)");
        assert_eq!(estimate(0).to_string(), "none: why");
    }

    /// Of eight jobs of two variants three are done: two of a in 3 s and 5 s, one of b in 1 s. The
    /// row of another plan's job adds 1 s to a. So two more jobs of a take 4.5 s each and three of
    /// b 1 s each.
    #[test]
    fn estimate_from_rows_uses_each_variants_mean() {
        let (_, plan) = read(
            "suite = 'data/bratko-kopec.epd'\nfirst = 4\nlimit = { depth = 1 }\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n",
        );
        let folder = tempfile::tempdir().unwrap();
        let jobs: Vec<Job> = plan.jobs().collect();
        let id = |variant: usize, item: usize| {
            format!("{:016x}", plan.job_id(jobs.iter().find(|job| (job.variant, job.item) == (variant, item)).unwrap()))
        };
        let put = |rows: &[(&str, String, f64)]| {
            let rows: String =
                rows.iter().map(|(variant, id, seconds)| format!("{id},{variant},x,{seconds}\n")).collect();
            std::fs::write(folder.path().join("results.csv"), format!("id,variant,more,seconds\n{rows}")).unwrap();
            from_rows(&plan, folder.path())
        };
        let other = || "00000000000000ff".to_owned();
        let source = |done: usize| format!("{done} jobs of this plan are done in {}", folder.path().display());
        assert_eq!(from_rows(&plan, folder.path()), None);
        assert_eq!(put(&[("a", other(), 3.0)]), None, "a row of no job of this plan");
        let done = [("a", id(0, 0), 3.0), ("a", other(), 1.0), ("a", id(0, 2), 5.0), ("b", id(1, 1), 1.0)];
        assert_eq!(put(&done), Some(Estimate { left: 5, seconds: 2.0 * 4.5 + 3.0, source: source(3) }));
        // A variant without rows is estimated by the mean of the others: 9 s in two jobs.
        let one = Estimate { left: 6, seconds: 2.0 * 4.5 + 4.0 * 9.0 / 2.0, source: source(2) };
        assert_eq!(put(&done[..3]), Some(one));
        let spared = Manifest { jobs_spared: 4, ..Manifest::default() };
        let manifest = serde_json::to_string(&spared).unwrap();
        std::fs::write(folder.path().join(crate::record::manifest::MANIFEST), manifest).unwrap();
        assert_eq!(put(&done).map(|estimate| estimate.left), Some(1));
        // A malformed line is skipped.
        let text = format!("id,variant,more,seconds\nx\n{},a,x,3\n", id(0, 0));
        std::fs::write(folder.path().join("results.csv"), text).unwrap();
        assert_eq!(from_rows(&plan, folder.path()).map(|estimate| estimate.source), Some(source(1)));
        let all: Vec<(&str, String, f64)> =
            jobs.iter().map(|job| (["a", "b"][job.variant], format!("{:016x}", plan.job_id(job)), 1.0)).collect();
        assert_eq!(put(&all), Some(Estimate { left: 0, seconds: 0.0, source: source(8) }));
    }

    /// Three rows of 2 s, whose opponents searched as many nodes, half as many and none.
    #[test]
    fn estimate_from_games_counts_both_players() {
        let (_, plan) = read(
            "suite = 'data/bratko-kopec.epd'\nfirst = 4\nlimit = { nodes = 9 }\n[match]\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n",
        );
        let folder = tempfile::tempdir().unwrap();
        let id = format!("{:016x}", plan.job_id(&plan.jobs().next().unwrap()));
        let text = format!("id,variant,search.nodes,match.opponent_nodes,seconds\n0,b,100,100,2\n{id},b,100,50,2\n");
        std::fs::write(folder.path().join("results.csv"), text).unwrap();
        assert_eq!(
            from_rows(&plan, folder.path()).map(|found| (found.left, found.seconds)),
            Some((3, 3.0 * (4.0 + 3.0)))
        );
    }

    /// Searches of a job with a position, with a table that is never cleared, along a game and
    /// along own play (where both sides' moves are searched); moves of a pair of games.
    #[test]
    fn searches_of_a_job_match_its_sequence() {
        let of = |text: &str| {
            let (experiment, plan) = read(text);
            plan.jobs().map(|job| searches(&experiment, &job)).collect::<Vec<f64>>()
        };
        let two = "suite = 'data/bratko-kopec.epd'\nfirst = 2\nlimit = { depth = 1 }\n";
        assert_eq!(of(two), [1.0, 1.0]);
        assert_eq!(of(&format!("{two}[engine]\ntable.clear = 'never'\n")), [2.0]);
        assert_eq!(of(&format!("{two}sequence = {{ self_play = 7 }}\n")), [7.0, 7.0]);
        assert_eq!(of(&format!("{two}sequence = {{ self_play = 7, side = 'white' }}\n")), [7.0, 7.0]);
        assert_eq!(of(&format!("{two}sequence = {{ self_play = 7 }}\n[engine]\nhistory_clear = 'never'\n")), [14.0]);
        let games = "suite = 'data/games.pgn'\nfirst = 2\nlimit = { depth = 1 }\nsequence = { from = 4, to = 9, side = 'white' }\n";
        assert_eq!(of(games), [3.0, 3.0]);
        let (_, plan) = read(two);
        let pair = |rules: &str| {
            let text =
                format!("{}[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n[match]\n{rules}\n", two);
            moves(&read(&text).0)
        };
        for (rules, expected) in [
            ("", 132.0),
            ("resign = { score = 900, moves = 3 }", 108.0),
            ("draw = { score = 9, moves = 3 }", 108.0),
            ("max_moves = 66", 132.0),
            ("max_moves = 60", 120.0),
            ("max_moves = 60\nresign = { score = 900, moves = 3 }", 108.0),
            ("max_moves = 10", 20.0),
        ] {
            assert!((pair(rules) - expected).abs() < 1e-9, "{rules}");
        }
        // External engines, traces and very large tables are not tried.
        let stop = AtomicBool::new(false);
        let probed = |more: &str| {
            let (experiment, plan) = read(&format!("{two}{more}"));
            from_probe(&experiment, &plan, Duration::from_secs(20), &stop).map(|found| (found.left, found.source))
        };
        assert_eq!(probed(""), Some((2, "roughly: from 2 searches tried now".to_owned())));
        // A table of a share is tried with some size, because the working set is not known yet.
        assert_eq!(probed("[engine]\ntable.size = '50 %'\n"), probed(""));
        assert_eq!(probed("[engine]\ntable.size = '257 MiB'\n"), None);
        assert_eq!(probed("[subject]\nuci = 'x'\n"), None);
        // A search that does not finish in time takes longer than that. A busy machine may need
        // more time for two depths, so the time grows.
        let (experiment, long) = read("suite = 'data/bratko-kopec.epd'\nfirst = 1\nlimit = { depth = 40 }\n");
        let mut times = [20, 200, 5000].into_iter().map(Duration::from_millis);
        let found = times.find_map(|most| from_probe(&experiment, &long, most, &stop).map(|found| (most, found)));
        let (most, found) = found.unwrap();
        let how = "roughly: from 1 search tried now, unfinished ones extrapolated from their first depths";
        assert!(found.source == how && found.seconds > most.as_secs_f64(), "{found:?}");
        stop.store(true, Ordering::Relaxed);
        assert_eq!((probed(""), plan.len()), (None, 2));
    }

    /// The trial searches are spread over the plan; a job counts all of its searches and a pair
    /// both players, and the estimate is their mean.
    #[test]
    fn estimate_from_trials_extrapolates_their_mean() {
        let never = AtomicBool::new(false);
        let event = |text: &str, times: &dyn Fn(&Job) -> (f64, bool)| {
            let (experiment, plan) = read(text);
            let mut asked = Vec::new();
            let found = from_trials(&experiment, &plan, Duration::from_secs(12), &never, |job, share| {
                asked.push((job.variant, job.item, share.as_millis()));
                Some(times(job))
            });
            let found = found.unwrap();
            (found.left, (found.seconds * 1000.0).round() as u64, found.source, asked)
        };
        let of = |first: u32| format!("suite = 'data/bratko-kopec.epd'\nfirst = {first}\nlimit = {{ depth = 1 }}\n");
        let two = "[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n";
        // Three jobs of 1, 2 and 6 seconds: 3 each.
        let (left, seconds, source, asked) = event(&of(3), &|job| ([1.0, 2.0, 6.0][job.item], true));
        assert_eq!((left, seconds, source.as_str()), (3, 9000, "roughly: from 3 searches tried now"));
        assert_eq!(asked, [(0, 0, 4000), (0, 1, 4000), (0, 2, 4000)]);
        // Every second one of 14 jobs, six in all; variants alternate, so they are all of a.
        let (left, seconds, source, asked) = event(&format!("{}{two}", of(7)), &|job| (job.item as f64, job.item != 4));
        let how = "roughly: from 6 searches tried now, unfinished ones extrapolated from their first depths";
        assert_eq!((left, seconds, source.as_str()), (14, 35_000, how));
        assert_eq!(asked, [0, 1, 2, 3, 4, 5].map(|item| (0, item, 2000)));
        // A job of seven searches; all positions in one job.
        let along = format!("{}sequence = {{ self_play = 7 }}\n", of(2));
        assert_eq!(event(&along, &|job| (1.0 + job.item as f64, true)).1, 21_000);
        let kept = format!("{}[engine]\ntable.clear = 'never'\n", of(5));
        assert_eq!(event(&kept, &|_| (2.0, true)).1, 10_000);
        // Two pairs with ten moves of each side per game: 20 of 1 s by one player and 20 of 3 s by
        // the other.
        let pairs = format!("{}{two}[match]\nmax_moves = 10\n", of(2));
        let (left, seconds, source, asked) = event(&pairs, &|job| (1.0 + 2.0 * job.variant as f64, true));
        let how = "roughly: from the first moves of 2 pairs tried now, assuming 10 moves of each side per game";
        assert_eq!((left, seconds, source.as_str()), (2, 160_000, how));
        assert_eq!(asked, [(1, 0, 3000), (0, 0, 3000), (1, 1, 3000), (0, 1, 3000)]);
        let (experiment, plan) = read(&of(2));
        assert_eq!(from_trials(&experiment, &plan, Duration::ZERO, &never, |_, _| None), None, "no trial has a result");
        // Either player's table may be 256 MiB large, and not larger.
        for ([first, second], tried) in
            [(["256 MiB", "256 MiB"], true), (["257 MiB", "1 MiB"], false), (["1 MiB", "257 MiB"], false)]
        {
            let players = format!(
                "[[variant]]\nname = 'a'\n'table.size' = '{first}'\n[[variant]]\nname = 'b'\n'table.size' = '{second}'\n'keys.seed' = 2\n"
            );
            let (experiment, plan) = read(&format!("{}{players}[match]\n", of(2)));
            let found = from_trials(&experiment, &plan, Duration::ZERO, &never, |_, _| Some((1.0, true)));
            assert_eq!(found.is_some(), tried, "{first}, {second}");
        }
    }

    #[test]
    fn extrapolate_uses_the_limit_that_is_reached_first() {
        let ends = [(1, 0.5, 10), (2, 1.0, 30), (3, 3.0, 60)];
        let event = |depth: Option<u8>, nodes: Option<u64>| extrapolate(Limit { depth, nodes }, &ends);
        assert_eq!(event(Some(5), None), Some(27.0));
        assert_eq!(event(None, Some(1000)), Some(30.0));
        assert_eq!([event(Some(5), Some(1000)), event(Some(6), Some(1000))], [Some(27.0), Some(30.0)]);
        assert_eq!(event(None, None), None);
        assert_eq!(extrapolate(Limit { depth: Some(5), nodes: None }, &ends[..1]), None, "one depth does not suffice");
        // The factor is kept between 1.5 and 12: a depth may have cost next to nothing, or contain
        // a pause.
        let paused = [(1, 1.0, 10), (2, 50.0, 30)];
        assert_eq!(extrapolate(Limit { depth: Some(3), nodes: None }, &paused), Some(600.0));
        assert_eq!(extrapolate(Limit { depth: Some(3), nodes: None }, &[(1, 1.0, 10), (2, 1.2, 30)]), Some(1.2 * 1.5));
    }
}
