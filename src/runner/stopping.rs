//! Keeps the score of a match while the match runs. Decides when the sequential test of each
//! encounter ends, so that no more games are played than needed.
//!
//! Pairs of games are counted in the plan's order, regardless of the order in which they finish. An
//! encounter ends at the first pair at which the log-likelihood ratio of all counted pairs passes a
//! bound. The same experiment file therefore gives the same games with any number of jobs and after
//! any interruption. Pairs after the end of the test are not part of the result.

use super::RunSummary;
use super::row_index::IndexedRow;
use crate::experiment::{Experiment, Job, Plan};
use crate::record::columns;
use crate::record::manifest::Shard;
use crate::stats::gsprt::{Bounds, Pentanomial, TestState};
use csv::StringRecord;
use std::collections::{BTreeMap, HashMap};

/// The score and the sequential test of each encounter of a match. If the plan is not a match,
/// there are no lanes.
#[derive(Debug, Clone)]
pub struct MatchState {
    bounds: Bounds,
    /// Whether an encounter ends as soon as its test is decided.
    ends_games: bool,
    has_test: bool,
    points_column: usize,
    /// The number of openings. Each encounter has one pair of games for each opening.
    openings: usize,
    lanes: Vec<Lane>,
}

/// The state of an encounter's test. The number of a pair is the index of its opening.
#[derive(Debug, Clone, Default)]
struct Lane {
    /// The finished pairs that are not counted yet because an earlier pair is not finished. Each
    /// pair has the points of its two games, or `None` if the pair failed.
    waiting: BTreeMap<usize, Option<[f64; 2]>>,
    /// For each pair whose second game has not been read yet, the points of the first game.
    first_game_points: HashMap<usize, f64>,
    /// The first pair that has not been counted yet.
    next_pair: usize,
    /// How many of the counted pairs have each number of points.
    pairs: Pentanomial,
    /// The numbers of games won, drawn and lost.
    game_results: [u64; 3],
    failed_pairs: Vec<usize>,
    /// The pair that decided the test, or `None` while the test is undecided. Later pairs are not
    /// needed.
    deciding_pair: Option<usize>,
}

impl Lane {
    /// Adds a finished pair. `points` is `None` if the pair failed. If `bounds` are given, pairs
    /// are counted in the order of their numbers until the test is decided. Without bounds, each
    /// pair is counted immediately.
    fn add_pair(&mut self, pair: usize, points: Option<[f64; 2]>, bounds: Option<&Bounds>) {
        if points.is_none() {
            self.failed_pairs.push(pair);
        }
        let Some(bounds) = bounds else {
            if let Some(points) = points {
                self.count_pair(points);
            }
            return;
        };
        if self.deciding_pair.is_some() || pair < self.next_pair {
            return;
        }
        self.waiting.insert(pair, points);
        while let Some(points) = self.waiting.remove(&self.next_pair) {
            // A failed pair is skipped.
            if let Some(points) = points {
                self.count_pair(points);
                if self.pairs.decide(bounds) != TestState::Continue {
                    self.deciding_pair = Some(self.next_pair);
                    return;
                }
            }
            self.next_pair += 1;
        }
    }

    fn count_pair(&mut self, points: [f64; 2]) {
        self.pairs.add(points.iter().sum());
        for game_points in points {
            // 1 point has index 0 (won), 0.5 points index 1 (drawn), and 0 points index 2 (lost).
            // `% 3` keeps the index valid even if the points are wrong.
            let result = ((1.0 - game_points) * 2.0).round() as usize % 3;
            self.game_results[result] += 1;
        }
    }

    /// Whether a pair is needed for the test. Pairs after the pair that decided the test are not.
    fn needs(&self, pair: usize) -> bool {
        self.deciding_pair.is_none_or(|deciding_pair| pair <= deciding_pair)
    }
}

impl MatchState {
    /// Creates the tests of all encounters of an experiment, before any game is added. `header` is
    /// the header of the rows that will be added. In a shard, tests do not end encounters, because
    /// the results of the other shards are unknown. Pairs that turn out not to be needed are left
    /// out when the shards are merged.
    pub fn new(experiment: &Experiment, plan: &Plan, header: &[String], shard: Option<Shard>) -> Self {
        let games = experiment.work.games().cloned().unwrap_or_default();
        let test = games.test_or_default();
        let points_column = header.iter().position(|column| column == columns::POINTS);
        let has_games = points_column.is_some();
        Self {
            bounds: test.bounds(plan.lane_count()),
            ends_games: has_games && test.stop && shard.is_none(),
            has_test: games.test.is_some(),
            points_column: points_column.unwrap_or_default(),
            openings: plan.item_count(),
            lanes: vec![Lane::default(); if has_games { plan.lane_count() } else { 0 }],
        }
    }

    pub fn ends_games(&self) -> bool {
        self.ends_games
    }

    /// Describes the score of a job's encounter. The description gives the Elo difference, the
    /// state of the test, and the numbers of games and pairs with each result. Returns `None` if
    /// the plan is not a match.
    pub fn describe_score(&self, plan: &Plan, job: &Job) -> Option<String> {
        let lane = self.lanes.get(plan.find_lane(job.variant, job.opponent)?)?;
        let name = |variant: usize| plan.variants[variant].name.as_str();
        let (player, opponent) = (name(job.variant), job.opponent.map_or("", name));
        let ([won, drawn, lost], [ll, ld, dd, wd, ww]) = (lane.game_results, lane.pairs.0);
        let elo = match lane.pairs.count() {
            0 => "no pair of games yet".to_owned(),
            _ => lane.pairs.elo().to_string(),
        };
        let test = if self.has_test {
            format!(", {}", self.bounds.describe(lane.pairs.llr(self.bounds.elo0, self.bounds.elo1)))
        } else {
            String::new()
        };
        let results = format!("W/D/L {won}/{drawn}/{lost}, Ptnml(0-2) {ll} {ld} {dd} {wd} {ww}");
        Some(format!("{player} against {opponent}: {elo}{test}, {results}"))
    }

    fn describe_scores(&self, plan: &Plan) -> Vec<String> {
        (0..self.lanes.len()).filter_map(|lane| self.describe_score(plan, &plan.job_in_lane(lane, 0, 0))).collect()
    }

    pub fn add_row(&mut self, plan: &Plan, entry: &IndexedRow, row: &StringRecord) {
        let points = row.get(self.points_column).unwrap_or_default();
        self.add_game(plan, &entry.job, entry.has_failed, entry.is_last, points);
    }

    /// Adds the two rows of a newly played pair, or the single row that says why the pair failed.
    pub fn add_pair(&mut self, plan: &Plan, job: &Job, has_failed: bool, rows: &[Vec<String>]) {
        for (index, row) in rows.iter().enumerate() {
            let points = row.get(self.points_column).cloned().unwrap_or_default();
            self.add_game(plan, job, has_failed, index + 1 == rows.len(), &points);
        }
    }

    /// Adds one row of a pair. `has_failed` is true if the row says that the pair failed. `is_last`
    /// is true if the row is the last row of the pair.
    fn add_game(&mut self, plan: &Plan, job: &Job, has_failed: bool, is_last: bool, points: &str) {
        let Some(lane) = plan.find_lane(job.variant, job.opponent).and_then(|lane| self.lanes.get_mut(lane)) else {
            return;
        };
        let bounds = self.ends_games.then_some(&self.bounds);
        let points = if has_failed { None } else { points.parse::<f64>().ok() };
        match (points, is_last) {
            (None, _) => lane.add_pair(job.item, None, bounds),
            (Some(points), false) => {
                lane.first_game_points.insert(job.item, points);
            }
            (Some(points), true) => {
                let first_points = lane.first_game_points.remove(&job.item).unwrap_or_default();
                lane.add_pair(job.item, Some([first_points, points]), bounds);
            }
        }
    }

    /// Whether a job is still needed. A pair of games is not needed if the pairs that were added so
    /// far include an earlier pair that decided the test. All jobs are needed if the plan is not a
    /// match.
    pub fn needs(&self, plan: &Plan, job: &Job) -> bool {
        plan.find_lane(job.variant, job.opponent)
            .and_then(|lane| self.lanes.get(lane))
            .is_none_or(|lane| lane.needs(job.item))
    }

    pub fn is_settled(&self) -> bool {
        self.lanes.iter().all(|lane| lane.deciding_pair.is_some() || lane.next_pair == self.openings)
    }

    /// Completes the summary of a run of `total_jobs` jobs. Failures after the end of a test are
    /// not included. `was_stopped` is true if the run was asked to stop. Such a run counts as
    /// interrupted only if jobs remain.
    pub fn summarize(&self, plan: &Plan, mut summary: RunSummary, was_stopped: bool, total_jobs: u64) -> RunSummary {
        summary.scores = self.describe_scores(plan);
        if !self.ends_games() {
            return RunSummary { interrupted: was_stopped && summary.before + summary.done < total_jobs, ..summary };
        }
        summary.failures.retain(|(job, _)| self.needs(plan, job));
        RunSummary {
            interrupted: was_stopped && !self.is_settled(),
            not_needed: self.not_needed(),
            failed: self.failed(),
            ..summary
        }
    }

    pub fn not_needed(&self) -> u64 {
        let deciding_pairs = self.lanes.iter().filter_map(|lane| lane.deciding_pair);
        deciding_pairs.map(|pair| (self.openings - 1 - pair) as u64).sum()
    }

    pub fn failed(&self) -> u64 {
        let count_failed = |lane: &Lane| lane.failed_pairs.iter().filter(|&&pair| lane.needs(pair)).count() as u64;
        self.lanes.iter().map(count_failed).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::matches::Test;

    #[test]
    fn encounter_ends_at_the_same_pair_in_any_order() {
        let test = Test { elo1: 60.0, ..Test::default() };
        let bounds = test.bounds(1);
        // One player that gains points, and one that loses the same number.
        for (point_sums, verdict) in [([2.0, 1.0, 1.5, 0.5], TestState::H1), ([0.0, 1.0, 0.5, 1.5], TestState::H0)] {
            // An irregular sequence of points, in which every eleventh pair fails.
            let points = |pair: usize| Some(point_sums[pair * 7 % 5 % 4]).filter(|_| pair % 11 != 5);
            // The straightforward way: count all pairs from the first.
            let decide_after = |pairs: usize| {
                let mut counts = Pentanomial::default();
                (0..pairs).filter_map(points).for_each(|points| counts.add(points));
                counts.decide(&bounds)
            };
            let Some(end) = (1..400).find(|&pairs| decide_after(pairs) == verdict) else { panic!("it never ends") };
            assert!(end > 5, "{end}");
            assert!((1..end).all(|pairs| decide_after(pairs) == TestState::Continue), "{end}");
            for stride in [1, 3, 7, 101] {
                let mut lane = Lane::default();
                let games = |pair: usize| points(pair).map(|points: f64| [points.min(1.0), (points - 1.0).max(0.0)]);
                for pair in (0..400).map(|step| step * stride % 400) {
                    lane.add_pair(pair, games(pair), Some(&bounds));
                }
                assert_eq!(lane.deciding_pair, Some(end - 1), "{stride}");
                assert!(lane.needs(end - 1));
                assert!(!lane.needs(end));
            }
        }
    }

    /// Ten pairs per encounter. One encounter ended with its fourth pair, so six pairs are not
    /// needed and failures after the fourth do not count; one was played to the end; one lacks its
    /// last pair.
    #[test]
    fn stopping_counts_not_needed_failed_and_remaining_pairs() {
        let ended = Lane { deciding_pair: Some(3), next_pair: 3, failed_pairs: vec![1, 3, 4, 7], ..Lane::default() };
        let finished = Lane { next_pair: 10, failed_pairs: vec![9], ..Lane::default() };
        let unfinished = Lane { next_pair: 9, ..Lane::default() };
        let with_lanes = |lanes: &[&Lane]| MatchState {
            bounds: Test::default().bounds(1),
            ends_games: true,
            has_test: true,
            points_column: 0,
            openings: 10,
            lanes: lanes.iter().map(|&lane| lane.clone()).collect(),
        };
        for (lanes, not_needed, failed, settled) in [
            (&[&ended, &finished][..], 6, 3, true),
            (&[&finished], 0, 1, true),
            (&[&ended, &ended], 12, 4, true),
            (&[&ended, &unfinished], 6, 2, false),
        ] {
            let match_state = with_lanes(lanes);
            assert_eq!(
                (match_state.not_needed(), match_state.failed(), match_state.is_settled()),
                (not_needed, failed, settled),
                "{lanes:?}"
            );
            // A stopped run counts as interrupted only if pairs remain.
            let experiment = Experiment::parse(MATCH, std::path::Path::new("x.toml"), &[]);
            let plan = Plan::new(&experiment.unwrap_or_else(|problem| panic!("{problem}")));
            for stopped in [true, false] {
                let summary = RunSummary { before: 5, done: 7, failed: 4, ..RunSummary::default() };
                let expected = RunSummary {
                    before: 5,
                    done: 7,
                    failed,
                    interrupted: stopped && !settled,
                    not_needed,
                    ..RunSummary::default()
                };
                let actual = RunSummary { scores: Vec::new(), ..match_state.summarize(&plan, summary, stopped, 99) };
                assert_eq!(actual, expected, "{lanes:?}");
            }
        }
    }

    const MATCH: &str = "suite = 'data/bratko-kopec.epd'\nfirst = 12\nlimit = { nodes = 9 }\n[match]\ntest = { elo0 = 0, elo1 = 300, alpha = 0.2, beta = 0.2 }\n\
        [[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n[[variant]]\nname = 'c'\n'keys.seed' = 3\n";

    /// Two players against a third with twelve openings, game by game.
    #[test]
    fn stopping_sums_both_games_of_a_pair() {
        let parse = |text: &str| {
            Experiment::parse(text, std::path::Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"))
        };
        let header = crate::record::header(&[], crate::record::Extra { games: true, ..Default::default() });
        let experiment = parse(MATCH);
        let plan = Plan::new(&experiment);
        // The other shards' results are unknown.
        let shard = Some(Shard { index: 0, count: 2 });
        assert!(!MatchState::new(&experiment, &plan, &header, shard).ends_games());
        let ends_games = |text: &str| MatchState::new(&parse(text), &plan, &header, None).ends_games();
        assert!(!ends_games(&MATCH.replace("beta = 0.2", "stop = false")));
        assert!(!ends_games(&MATCH.replace("test = {", "# {")));
        let mut match_state = MatchState::new(&experiment, &plan, &header, None);
        assert!(match_state.ends_games(), "a test that stops");
        let Some(index) = header.iter().position(|column| column == columns::POINTS) else { panic!("points") };
        let row = |points: &str| {
            let mut row = vec![String::new(); header.len()];
            row[index] = points.to_owned();
            row
        };
        let jobs: Vec<Job> = plan.jobs().collect();
        let find_job = |variant: usize, item: usize| {
            jobs.iter().find(|job| (job.variant, job.item) == (variant, item)).unwrap_or_else(|| panic!("no such pair"))
        };
        assert_eq!((jobs.len(), jobs.iter().all(|job| match_state.needs(&plan, job))), (24, true));
        let entry = |&job: &Job, is_last| IndexedRow { place: Default::default(), job, is_last, has_failed: false };
        // The smallest number of consecutive wins that passes the bound, with the error probability
        // shared by two encounters.
        let bounds = Bounds { elo0: 0.0, elo1: 300.0, alpha: 0.1, beta: 0.1 };
        let Some(end) =
            (1..10_usize).find(|&won| Pentanomial([0, 0, 0, 0, won as u64]).decide(&bounds) == TestState::H1)
        else {
            panic!("ten pairs won in a row say nothing")
        };
        assert!(end > 1, "{end}");
        // b wins all its pairs; the second one is read first.
        let needed = |match_state: &MatchState, variant: usize| {
            (0..12).map(|item| match_state.needs(&plan, find_job(variant, item))).collect::<Vec<_>>()
        };
        for item in [1, 0].into_iter().chain(2..12) {
            for is_last in [false, true] {
                match_state.add_row(&plan, &entry(find_job(1, item), is_last), &StringRecord::from(row("1")));
            }
        }
        assert_eq!(needed(&match_state, 1), (0..12).map(|item| item < end).collect::<Vec<_>>());
        let not_needed = 12 - end as u64;
        assert_eq!((match_state.not_needed(), match_state.is_settled(), match_state.failed()), (not_needed, false, 0));
        // c draws a pair and fails in another: its test goes on.
        match_state.add_pair(&plan, find_job(2, 0), false, &["1", "0"].map(row));
        match_state.add_pair(&plan, find_job(2, 2), true, &[row("")]);
        assert_eq!((needed(&match_state, 2), match_state.is_settled()), (vec![true; 12], false));
        assert_eq!((match_state.failed(), match_state.not_needed()), (1, not_needed));
        let score = match_state.describe_score(&plan, find_job(2, 0)).unwrap_or_default();
        let llr = Pentanomial([0, 0, 1, 0, 0]).llr(0.0, 300.0);
        let ends = format!(", LLR {llr:+.2} [-2.20, 2.20], W/D/L 1/0/1, Ptnml(0-2) 0 0 1 0 0");
        assert!(score.starts_with("c against a: +0.0 Elo [-") && score.ends_with(&ends), "{score}");
        assert!(
            match_state.describe_scores(&plan)[0].contains(&format!(": H1 accepted, W/D/L {}/0/0, ", 2 * end)),
            "{:?}",
            match_state.describe_scores(&plan)
        );
        // Without a test, pairs count in any order, and no likelihood ratio is shown.
        let untested = parse(&MATCH.replace("test = {", "# {"));
        let mut untested_stopping = MatchState::new(&untested, &plan, &header, None);
        assert!(
            untested_stopping
                .describe_score(&plan, find_job(1, 0))
                .is_some_and(|score| score.contains("no pair of games yet, W/D/L 0/0/0"))
        );
        untested_stopping.add_pair(&plan, find_job(1, 7), false, &["1", "0.5"].map(row));
        assert!(
            untested_stopping
                .describe_score(&plan, find_job(1, 0))
                .is_some_and(|score| score.ends_with("], W/D/L 1/1/0, Ptnml(0-2) 0 0 0 1 0"))
        );
        // Failures after the end of a test are not reported.
        let failure = |variant: usize, item: usize| (*find_job(variant, item), format!("{variant} {item}"));
        let failures = vec![failure(1, end), failure(1, end - 1), failure(1, 11), failure(2, 11)];
        let summary = match_state.summarize(&plan, RunSummary { failures, ..RunSummary::default() }, false, 24);
        assert_eq!(summary.failures, [failure(1, end - 1), failure(2, 11)]);
    }
}
