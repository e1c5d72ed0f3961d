//! Where the tests of a match end, so that no more is played than they ask. Pairs are judged in the plan's order, whatever the order in which
//! they ended: an encounter is over at the first pair at which its ratio, over all pairs up to that one, passes a bound. So the same file has the
//! same games with any number of jobs and after any kill; what was played beyond that pair is no part of the result.

use super::RunSummary;
use super::row_index::IndexedRow;
use crate::experiment::sequential::{Bounds, Pentanomial, TestState};
use crate::experiment::{Experiment, Job, Plan};
use crate::record::columns;
use crate::record::manifest::Shard;
use csv::StringRecord;
use std::collections::{BTreeMap, HashMap};

/// The tests of all encounters; of none where all pairs are played.
#[derive(Debug, Clone)]
pub struct Stopping {
    bounds: Bounds,
    /// Place of a game's points in a row.
    points: usize,
    /// Openings, of which each encounter has a pair.
    openings: usize,
    lanes: Vec<Lane>,
}

/// One encounter.
#[derive(Debug, Clone, Default)]
struct Lane {
    /// Points of pairs that ended before one that stands before them; none of one that failed.
    waiting: BTreeMap<usize, Option<f64>>,
    /// Points of the first games of pairs whose second is not there yet.
    open: HashMap<usize, f64>,
    /// The first pair that was not judged.
    next: usize,
    pairs: Pentanomial,
    /// The pairs that failed.
    failed: Vec<usize>,
    /// The last pair that is played.
    end: Option<usize>,
}

impl Lane {
    fn take(&mut self, pair: usize, points: Option<f64>, bounds: &Bounds) {
        if points.is_none() {
            self.failed.push(pair);
        }
        if self.end.is_some() || pair < self.next {
            return;
        }
        self.waiting.insert(pair, points);
        while let Some(points) = self.waiting.remove(&self.next) {
            // A pair that failed says nothing.
            if let Some(points) = points {
                self.pairs.add(points);
                if self.pairs.decide(bounds) != TestState::Continue {
                    self.end = Some(self.next);
                    return;
                }
            }
            self.next += 1;
        }
    }

    fn needs(&self, pair: usize) -> bool {
        self.end.is_none_or(|end| pair <= end)
    }
}

impl Stopping {
    /// The tests of an experiment's encounters, for rows with this header. A shard does not know how the pairs of the others ended: it plays
    /// all of its own, and merging leaves out what no test asks for.
    pub fn new(experiment: &Experiment, plan: &Plan, header: &[String], shard: Option<Shard>) -> Self {
        let test = experiment.file.games.clone().unwrap_or_default().test_or_default();
        let points =
            header.iter().position(|column| column == columns::POINTS).filter(|_| test.stop && shard.is_none());
        let lanes = vec![Lane::default(); if points.is_some() { plan.lanes() } else { 0 }];
        let bounds = Bounds::with_shared_errors(&test, plan.lanes());
        Self { bounds, points: points.unwrap_or_default(), openings: plan.items(), lanes }
    }

    /// Whether there is a test that ends an encounter.
    pub fn ends_games(&self) -> bool {
        !self.lanes.is_empty()
    }

    /// Takes a row that was read.
    pub fn read(&mut self, plan: &Plan, entry: &IndexedRow, row: &StringRecord) {
        let points = row.get(self.points).unwrap_or_default();
        self.game(plan, &entry.job, (entry.failed, entry.last), points);
    }

    /// Takes the rows of a pair that was played, or the one that says why it was not.
    pub fn played(&mut self, plan: &Plan, job: &Job, failed: bool, rows: &[Vec<String>]) {
        for (at, row) in rows.iter().enumerate() {
            let points = row.get(self.points).cloned().unwrap_or_default();
            self.game(plan, job, (failed, at + 1 == rows.len()), &points);
        }
    }

    fn game(&mut self, plan: &Plan, job: &Job, (failed, last): (bool, bool), points: &str) {
        let Some(lane) = plan.find_lane(job.variant, job.opponent).and_then(|lane| self.lanes.get_mut(lane)) else {
            return;
        };
        let points = points.parse::<f64>().ok().filter(|_| !failed);
        match (points, last) {
            (None, _) => lane.take(job.item, None, &self.bounds),
            (Some(points), false) => *lane.open.entry(job.item).or_default() += points,
            (Some(points), true) => {
                let both = lane.open.remove(&job.item).unwrap_or_default() + points;
                lane.take(job.item, Some(both), &self.bounds);
            }
        }
    }

    /// Whether a pair is asked for, as far as is known.
    pub fn needs(&self, plan: &Plan, job: &Job) -> bool {
        plan.find_lane(job.variant, job.opponent)
            .and_then(|lane| self.lanes.get(lane))
            .is_none_or(|lane| lane.needs(job.item))
    }

    /// Whether nothing is left to be played.
    pub fn is_settled(&self) -> bool {
        self.lanes.iter().all(|lane| lane.end.is_some() || lane.next == self.openings)
    }

    /// What a run of so many jobs came to: beyond the end of a test nothing failed, and nothing is left to be done. `stopped`: somebody wanted
    /// it to end.
    pub fn settled(&self, plan: &Plan, mut ran: RunSummary, stopped: bool, all: u64) -> RunSummary {
        if !self.ends_games() {
            return RunSummary { interrupted: stopped && ran.before + ran.done < all, ..ran };
        }
        ran.failures.retain(|(job, _)| self.needs(plan, job));
        RunSummary { interrupted: stopped && !self.is_settled(), spared: self.spared(), failed: self.failed(), ..ran }
    }

    /// Pairs of the plan that no test asks for.
    pub fn spared(&self) -> u64 {
        self.lanes.iter().filter_map(|lane| lane.end).map(|end| (self.openings - 1 - end) as u64).sum()
    }

    /// Pairs that failed, of those that are asked for.
    pub fn failed(&self) -> u64 {
        let of = |lane: &Lane| lane.failed.iter().filter(|&&pair| lane.needs(pair)).count() as u64;
        self.lanes.iter().map(of).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::matches::Test;

    /// Pairs in any order end a test where they end it in the plan's order, and what came before is all that counts.
    #[test]
    fn an_encounter_ends_at_the_same_pair_whatever_ended_first() {
        let test = Test { elo1: 60.0, ..Test::default() };
        let bounds = Bounds::with_shared_errors(&test, 1);
        // Of a player who gains, and of one who loses as much.
        for (worth, verdict) in [([2.0, 1.0, 1.5, 0.5], TestState::H1), ([0.0, 1.0, 0.5, 1.5], TestState::H0)] {
            let points = |pair: usize| Some(worth[pair * 7 % 5 % 4]).filter(|_| pair % 11 != 5);
            // The plain way: all pairs before it, from the first.
            let so_far = |pairs: usize| {
                let mut all = Pentanomial::default();
                (0..pairs).filter_map(points).for_each(|points| all.add(points));
                all.decide(&bounds)
            };
            let Some(end) = (1..400).find(|&pairs| so_far(pairs) == verdict) else { panic!("it never ends") };
            assert!(end > 5 && (1..end).all(|pairs| so_far(pairs) == TestState::Continue), "{end}");
            for stride in [1, 3, 7, 101] {
                let mut lane = Lane::default();
                (0..400).for_each(|step| lane.take(step * stride % 400, points(step * stride % 400), &bounds));
                assert_eq!(lane.end, Some(end - 1), "{stride}");
                assert!(lane.needs(end - 1) && !lane.needs(end));
            }
        }
    }

    /// By hand, of ten pairs each: one encounter ended with its fourth pair, so that six are spared and what failed behind it is no loss; one was
    /// played to its end; one still lacks its last pair.
    #[test]
    fn what_is_spared_what_failed_and_what_is_left_by_hand() {
        let ended = Lane { end: Some(3), next: 3, failed: vec![1, 3, 4, 7], ..Lane::default() };
        let played = Lane { next: 10, failed: vec![9], ..Lane::default() };
        let open = Lane { next: 9, ..Lane::default() };
        let of = |lanes: &[&Lane]| Stopping {
            bounds: Bounds::with_shared_errors(&Test::default(), 1),
            points: 0,
            openings: 10,
            lanes: lanes.iter().map(|&lane| lane.clone()).collect(),
        };
        for (lanes, spared, failed, settled) in [
            (&[&ended, &played][..], 6, 3, true),
            (&[&played], 0, 1, true),
            (&[&ended, &ended], 12, 4, true),
            (&[&ended, &open], 6, 2, false),
        ] {
            let stopping = of(lanes);
            assert_eq!(
                (stopping.spared(), stopping.failed(), stopping.is_settled()),
                (spared, failed, settled),
                "{lanes:?}"
            );
            // A run is interrupted where something is left.
            let asked = Experiment::parse(MATCH, std::path::Path::new("x.toml"), &[]);
            let plan = Plan::new(&asked.unwrap_or_else(|problem| panic!("{problem}")));
            for stopped in [true, false] {
                let ran = RunSummary { before: 5, done: 7, failed: 4, ..RunSummary::default() };
                let expected = RunSummary {
                    before: 5,
                    done: 7,
                    failed,
                    interrupted: stopped && !settled,
                    spared,
                    ..RunSummary::default()
                };
                assert_eq!(stopping.settled(&plan, ran, stopped, 99), expected, "{lanes:?}");
            }
        }
    }

    const MATCH: &str = "suite = 'data/bratko-kopec.epd'\nfirst = 12\nlimit = { nodes = 9 }\n[match]\ntest = { elo0 = 0, elo1 = 300, alpha = 0.2, beta = 0.2 }\n\
        [[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n[[variant]]\nname = 'c'\n'keys.seed' = 3\n";

    /// Two players and a third, each against the first; twelve openings. Rows of games, one by one: points of both games are a pair's.
    #[test]
    fn games_of_a_pair_are_added_up() {
        let text = MATCH;
        let experiment = |text: &str| {
            Experiment::parse(text, std::path::Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"))
        };
        let header = crate::record::header(&[], crate::record::Extra { games: true, ..Default::default() });
        let asked = experiment(text);
        let plan = Plan::new(&asked);
        let ends = |text: &str| Stopping::new(&experiment(text), &plan, &header, None).ends_games();
        assert!(!ends(&text.replace("beta = 0.2", "stop = false")) && !ends(&text.replace("test = {", "# {")));
        let mut stopping = Stopping::new(&asked, &plan, &header, None);
        assert!(stopping.ends_games(), "a test that stops");
        let Some(at) = header.iter().position(|column| column == columns::POINTS) else { panic!("points") };
        let row = |points: &str| {
            let mut row = vec![String::new(); header.len()];
            row[at] = points.to_owned();
            row
        };
        let jobs: Vec<Job> = plan.jobs().collect();
        let of = |variant: usize, item: usize| {
            jobs.iter().find(|job| (job.variant, job.item) == (variant, item)).unwrap_or_else(|| panic!("no such pair"))
        };
        assert_eq!((jobs.len(), jobs.iter().all(|job| stopping.needs(&plan, job))), (24, true));
        let entry =
            |job: &Job, first: bool| IndexedRow { place: Default::default(), job: *job, last: !first, failed: false };
        // By hand: so many pairs won in a row, and no fewer, pass the bound of a test whose errors two encounters share.
        let bounds = Bounds { elo0: 0.0, elo1: 300.0, alpha: 0.1, beta: 0.1 };
        let Some(end) =
            (1..10_usize).find(|&won| Pentanomial([0, 0, 0, 0, won as u64]).decide(&bounds) == TestState::H1)
        else {
            panic!("ten pairs won in a row say nothing")
        };
        assert!(end > 1, "{end}");
        // b wins all its pairs, the second of them known before the first.
        let needed = |stopping: &Stopping, variant: usize| {
            (0..12).map(|item| stopping.needs(&plan, of(variant, item))).collect::<Vec<_>>()
        };
        for item in [1, 0].into_iter().chain(2..12) {
            for first in [true, false] {
                stopping.read(&plan, &entry(of(1, item), first), &StringRecord::from(row("1")));
            }
        }
        assert_eq!(needed(&stopping, 1), (0..12).map(|item| item < end).collect::<Vec<_>>());
        let spared = 12 - end as u64;
        assert_eq!((stopping.spared(), stopping.is_settled(), stopping.failed()), (spared, false, 0));
        // c draws a pair and fails in another: nothing is decided of it, and all are asked for.
        stopping.played(&plan, of(2, 0), false, &["1", "0"].map(row));
        stopping.played(&plan, of(2, 2), true, &[row("")]);
        assert_eq!((needed(&stopping, 2), stopping.is_settled()), (vec![true; 12], false));
        assert_eq!((stopping.failed(), stopping.spared()), (1, spared));
        // Of failures those beyond the end of a test are not told, whenever they were met.
        let failure = |variant: usize, item: usize| (*of(variant, item), format!("{variant} {item}"));
        let failures = vec![failure(1, end), failure(1, end - 1), failure(1, 11), failure(2, 11)];
        let ran = stopping.settled(&plan, RunSummary { failures, ..RunSummary::default() }, false, 24);
        assert_eq!(ran.failures, [failure(1, end - 1), failure(2, 11)]);
    }
}
