//! The plan: every job of an experiment in order. Each job has an id that depends only on what the
//! job searches or plays.

use super::file::CHAINS;
use super::identity::{deviations, hash_text, hasher, item_content, variant_id_under};
use super::load::Experiment;
use super::sequence::Sequence;
use super::variant::{self, Subject, Variant};
use super::work::Work;
use crate::chess::suite::Item;
use crate::engine::Limit;
use crate::record::columns::Extra;
use crate::record::{SCHEDULE_SUFFIX, SEED_SUFFIX};
use crate::subject::Restart;
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::hash::Hasher;
use std::ops::Range;

/// One job. Usually a variant searches one item. If a variant's table or history is never cleared,
/// the variant searches all items of a suite in one job. In a match, a job is a pair of games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    pub variant: usize,
    /// Index of the opponent if the job is a pair of games; `None` if it is a search.
    pub opponent: Option<usize>,
    pub item: usize,
    pub item_count: usize,
    /// Number of the repeat, from 0.
    pub repeat: u32,
}

/// All jobs of an experiment. Options are stored once for each variant, so a `Job` is only a few
/// numbers.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The variants of the experiment, followed by a copy of each variant for every further key
    /// seed or schedule.
    pub variants: Vec<Variant>,
    /// Index of the baseline.
    pub baseline: usize,
    /// The limit of each variant in each suite, ordered by variant, then by suite.
    limits: Vec<Limit>,
    /// The id of each variant under each limit, in the order of `limits`.
    variant_ids: Vec<u64>,
    suites: Vec<Range<usize>>,
    /// Names of the suites; empty if there is only one suite.
    suite_names: Vec<String>,
    /// Whether a position has a mate.
    has_mates: bool,
    item_ids: Vec<u64>,
    /// For each item, the hash of all earlier items of its suite. The hash is part of the ids of
    /// searches that depend on these items.
    earlier_items_hashes: Vec<u64>,
    /// For each item, whether at least one of its positions is searched. No position is searched of
    /// a game that ends before the first searched ply.
    is_searched: Vec<bool>,
    /// For each variant, whether one job searches all items of a suite.
    takes_whole_suite: Vec<bool>,
    /// How often each search is repeated, at least 1.
    pub repeats: u32,
    /// Hash of the sequence's settings; 0 without a sequence.
    sequence_id: u64,
    /// The lanes. Each lane is a variant, or in a match a pair of opponents.
    lanes: Vec<(usize, Option<usize>)>,
    lane_index: HashMap<(usize, Option<usize>), usize>,
    match_rules_hash: Option<u64>,
    /// The number of chains; `None` if no engine keeps its process from item to item.
    chains: Option<u32>,
}

impl Plan {
    /// Makes the plan of an experiment.
    pub fn new(experiment: &Experiment) -> Self {
        let mut variants = experiment.variants.clone();
        for step in 1..experiment.file.seeds {
            for variant in &experiment.variants {
                let mut copy = variant.clone();
                if let Subject::Builtin { options, .. } = &mut copy.subject {
                    options.keys.seed = options.keys.seed.wrapping_add(u64::from(step));
                    copy.name = format!("{}{SEED_SUFFIX}{}", variant.name, options.keys.seed);
                }
                variants.push(copy);
            }
        }
        for step in 1..experiment.file.schedules {
            for mut copy in experiment.variants.clone() {
                if let Subject::Builtin { options, .. } = &mut copy.subject
                    && options.threads.uses_seed()
                {
                    options.threads.seed = options.threads.seed.wrapping_add(u64::from(step));
                    copy.name = format!("{}{SCHEDULE_SUFFIX}{}", copy.name, options.threads.seed);
                    variants.push(copy);
                }
            }
        }
        let items = experiment.suite.items.len();
        let games = experiment.work.games();
        let lanes = match games.map(|games| games.encounters(experiment.variants.len(), experiment.baseline)) {
            Some(encounters) => encounters.into_iter().map(|(first, second)| (first, Some(second))).collect(),
            None => (0..variants.len()).map(|variant| (variant, None)).collect::<Vec<_>>(),
        };
        let is_search = matches!(experiment.work, Work::Search(_));
        let keeps_process = |variant: &Variant| {
            is_search && variant.external().is_some_and(|subject| subject.restart == Restart::Experiment)
        };
        let chains = variants.iter().any(keeps_process).then_some(experiment.file.chains);
        let takes_whole_suite = variants.iter().map(|variant| is_search && variant.keeps_state()).collect();
        let limits: Vec<Limit> = variants.iter().flat_map(|variant| experiment.limits(variant)).collect();
        let suites: Vec<Range<usize>> = match experiment.sections.as_slice() {
            [] => std::iter::once(0..items).collect(),
            sections => sections.iter().map(|section| section.item_range.clone()).collect(),
        };
        let variant_of_each_suite = variants.iter().flat_map(|variant| suites.iter().map(move |_| variant));
        let variant_ids =
            variant_of_each_suite.zip(&limits).map(|(variant, &limit)| variant_id_under(variant, limit)).collect();
        let sequence = experiment.work.sequence();
        let item_id = |item: &Item| match experiment.work.trace() {
            None => hash_text(&item_content(item, crate::chess::EpRule::Always)),
            Some(trace) => hash_text(&format!("trace {:016x} {}", trace.digest, item.id)),
        };
        let item_ids: Vec<u64> = experiment.suite.items.iter().map(item_id).collect();
        let mut earlier_items = hasher();
        let hash_earlier_items = |(item, &id): (usize, &u64)| {
            if suites.iter().any(|suite| suite.start == item) {
                earlier_items = hasher();
            }
            let earlier_items_hash = earlier_items.finish();
            earlier_items.write_u64(id);
            earlier_items_hash
        };
        let earlier_items_hashes = item_ids.iter().enumerate().map(hash_earlier_items).collect();
        Self {
            variants,
            baseline: experiment.baseline,
            limits,
            variant_ids,
            has_mates: experiment.suite.has_mates(),
            suite_names: experiment.sections.iter().map(|section| section.name.clone()).collect(),
            suites,
            earlier_items_hashes,
            item_ids,
            is_searched: experiment.suite.items.iter().map(|item| experiment.is_searched(item)).collect(),
            takes_whole_suite,
            lane_index: lanes.iter().enumerate().map(|(index, &lane)| (lane, index)).collect(),
            lanes,
            match_rules_hash: games.map(|games| hash_text(&games.content())),
            chains,
            repeats: experiment.file.repeats,
            sequence_id: sequence.map_or(0, |sequence| {
                let [settings, defaults] =
                    [sequence, Sequence::default()].map(|sequence| json!({ "sequence": sequence }));
                // The prefix `sequence` gives a sequence with default settings another id than no
                // sequence.
                hash_text(&format!("sequence\n{}", deviations(&settings, &defaults)))
            }),
        }
    }

    /// The number of items of all suites together.
    pub fn item_count(&self) -> usize {
        self.item_ids.len()
    }

    /// If `opponent` is given, returns the job in which `variant` plays against `opponent` from the
    /// item's position.
    pub fn job_for(&self, variant: usize, opponent: Option<usize>, item: usize, repeat: u32) -> Job {
        let suite = &self.suites[self.suite_of(item)];
        if self.takes_whole_suite[variant] {
            return Job { variant, opponent, item: suite.start, item_count: suite.len(), repeat };
        }
        Job { variant, opponent, item, item_count: 1, repeat }
    }

    /// Index of an item's suite; 0 if there is one.
    fn suite_of(&self, item: usize) -> usize {
        self.suites.iter().position(|suite| suite.contains(&item)).unwrap_or(0)
    }

    /// The name of an item's suite, if there are several.
    pub fn suite(&self, item: usize) -> Option<&str> {
        self.suite_names.get(self.suite_of(item)).map(String::as_str)
    }

    /// The limit of a variant's searches of an item.
    pub fn limit(&self, variant: usize, item: usize) -> Limit {
        self.limits[variant * self.suites.len() + self.suite_of(item)]
    }

    fn variant_id(&self, variant: usize, item: usize) -> u64 {
        self.variant_ids[variant * self.suites.len() + self.suite_of(item)]
    }

    /// The number of lanes: one for each variant, or in a match one for each encounter.
    pub fn lane_count(&self) -> usize {
        self.lanes.len()
    }

    /// The job of a lane on an item.
    pub fn job_in_lane(&self, lane: usize, item: usize, repeat: u32) -> Job {
        let (variant, opponent) = self.lanes[lane];
        self.job_for(variant, opponent, item, repeat)
    }

    /// The index of the lane of a variant, or of its encounter with an opponent. `None` if there is
    /// no such lane.
    pub fn find_lane(&self, variant: usize, opponent: Option<usize>) -> Option<usize> {
        self.lane_index.get(&(variant, opponent)).copied()
    }

    /// The numbers are not consecutive if a job covers several items.
    pub fn order_key(&self, job: &Job) -> u64 {
        let group = u64::from(job.repeat) * self.item_ids.len() as u64 + job.item as u64;
        group * self.lane_count() as u64 + self.find_lane(job.variant, job.opponent).unwrap_or(0) as u64
    }

    /// The jobs in order: by repeat, then by item, then by lane. In this order, searches that are
    /// compared with each other run shortly after each other.
    pub fn jobs(&self) -> impl Iterator<Item = Job> + '_ {
        (0..self.repeats).flat_map(|repeat| self.jobs_of_repeat(repeat))
    }

    /// The jobs of one repeat, in the order of their first items. The first item of a job that
    /// searches a whole suite is the first item of the suite. Any other job has one item, and is
    /// returned only if at least one position of the item is searched.
    fn jobs_of_repeat(&self, repeat: u32) -> impl Iterator<Item = Job> + '_ {
        (0..self.item_count()).flat_map(move |item| {
            let jobs = (0..self.lane_count()).map(move |lane| self.job_in_lane(lane, item, repeat));
            jobs.filter(move |job| job.item == item && (job.item_count > 1 || self.is_searched[item]))
        })
    }

    /// The number of chains to which the jobs are dealt. `None` if the jobs do not depend on each
    /// other, because no engine keeps its process from item to item.
    pub fn chain_count(&self) -> Option<u32> {
        self.chains
    }

    /// The chain of a job, which has all jobs of its items; without chains, the job's item.
    pub fn chain_of(&self, job: &Job) -> usize {
        self.chains.map_or(job.item, |chains| job.item % chains as usize)
    }

    /// The optional columns that the rows of this plan have.
    pub fn extra_columns(&self) -> Extra {
        variant::extra_columns(&self.variants, self.is_match(), !self.suite_names.is_empty(), self.has_mates)
    }

    /// Whether the jobs are pairs of games.
    pub fn is_match(&self) -> bool {
        self.match_rules_hash.is_some()
    }

    /// Whether one job of a variant searches several items, because the variant's table or history
    /// is never cleared.
    pub fn is_whole_suite_job(&self, variant: usize) -> bool {
        self.takes_whole_suite[variant] && self.suites.iter().any(|suite| suite.len() > 1)
    }

    /// Whether any variant is an external engine. If so, rows have columns for what the engine
    /// reports.
    pub fn has_external(&self) -> bool {
        self.variants.iter().any(|variant| variant.external().is_some())
    }

    /// The number of jobs of all variants and items.
    pub fn len(&self) -> u64 {
        self.jobs_of_repeat(0).count() as u64 * u64::from(self.repeats)
    }

    /// Whether there are no jobs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id is a hash of the variant's options and limit, the item, the repeat, the ply and the
    /// depth. In a sequence, `ply` is the ply of the game. In a match, `ply` distinguishes the two
    /// games of a pair.
    pub fn row_id(&self, job: &Job, item: usize, ply: u16, depth: u8) -> u64 {
        let mut hash = hasher();
        hash.write_u64(self.variant_id(job.variant, item));
        hash.write_u64(self.item_ids[item]);
        hash.write_u32(job.repeat);
        hash.write_u16(ply);
        hash.write_u8(depth);
        hash.write_u64(self.sequence_id);
        if let (Some(rules_hash), Some(opponent)) = (self.match_rules_hash, job.opponent) {
            hash.write_u64(rules_hash);
            hash.write_u64(self.variant_id(opponent, item));
        }
        if job.item_count > 1 {
            // A search in a job of several items depends on all earlier items of the suite.
            hash.write_u64(self.earlier_items_hashes[item]);
        }
        if self.variants[job.variant].external().is_some() {
            self.hash_chains(&mut hash);
        }
        hash.finish()
    }

    /// With the default number, ids are as they were without chains.
    fn hash_chains(&self, hash: &mut impl Hasher) {
        if let Some(chains) = self.chains.filter(|&chains| chains != CHAINS) {
            hash.write_u32(chains);
        }
    }

    /// The id of a job, which marks the job's last row. It is computed like the id of a row of the
    /// last item, but always with ply 65535 and depth 0.
    pub fn job_id(&self, job: &Job) -> u64 {
        self.row_id(job, job.item + job.item_count - 1, u16::MAX, 0)
    }

    /// The id as manifests and messages have it: 16 hexadecimal digits.
    pub fn id_text(&self) -> String {
        format!("{:016x}", self.id())
    }

    /// Equal plans have equal ids.
    pub fn id(&self) -> u64 {
        let mut hash = hasher();
        self.variant_ids.iter().chain(&self.item_ids).for_each(|&id| hash.write_u64(id));
        hash.write_u32(self.repeats);
        hash.write_u64(self.sequence_id);
        if !self.suite_names.is_empty() {
            self.suites.iter().for_each(|suite| hash.write_u64(suite.len() as u64));
        }
        if let Some(rules_hash) = self.match_rules_hash {
            hash.write_u64(rules_hash);
            // A match has one suite, so a player's limit is the same for all items.
            let players = self.lanes.iter().flat_map(|&(first, second)| [Some(first), second]).flatten();
            players.for_each(|player| hash.write_u64(self.variant_id(player, 0)));
        }
        self.hash_chains(&mut hash);
        hash.finish()
    }

    /// Limits are left out.
    pub fn varying(&self) -> Vec<String> {
        // Only the first value of each path is kept, to save memory. A path does not vary merely
        // because some variants lack it. For example, a variant without a table has no table size.
        let mut paths = Vec::new();
        let mut first_values: HashMap<String, String> = HashMap::new();
        let mut varying_paths: HashSet<String> = HashSet::new();
        for (path, value) in self.variants.iter().flat_map(variant::option_columns) {
            match first_values.get(&path) {
                Some(first) if *first == value => {}
                Some(_) => {
                    varying_paths.insert(path);
                }
                None => {
                    paths.push(path.clone());
                    first_values.insert(path, value);
                }
            }
        }
        paths.retain(|path| varying_paths.contains(path) && !path.starts_with("limit."));
        paths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str) -> Plan {
        let text = format!("suite = {{ startpos = true }}\n{text}\n");
        Plan::new(&Experiment::parse(&text, "x.toml".as_ref(), &[]).unwrap_or_else(|problem| panic!("{problem}")))
    }

    /// Further schedules count up from each variant's own, as key seeds do. A variant that does not
    /// depend on the schedule has no copies.
    #[test]
    fn only_variants_that_depend_on_schedules_have_further_ones() {
        let plan = plan(
            "limit = { depth = 1 }\nschedules = 3\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'threads.count' = 2\n\
             'threads.seed' = 5\n'threads.schedule' = 'random'\n[[variant]]\nname = 'c'\n'threads.count' = 2\n",
        );
        let seeds: Vec<(&str, u64)> = plan
            .variants
            .iter()
            .map(|variant| (variant.name.as_str(), variant.builtin().unwrap().threads.seed))
            .collect();
        assert_eq!(seeds, [("a", 1), ("b", 5), ("c", 1), ("b, schedule 6", 6), ("b, schedule 7", 7)]);
    }

    /// Further seeds count up from each variant's own seed, and the copy's name contains the seed.
    #[test]
    fn further_seeds_count_up_from_the_variants_own() {
        let plan = plan(
            "limit = { depth = 1 }\nseeds = 3\n[[variant]]\nname = 'a'\n'keys.seed' = 7\n[[variant]]\nname = 'b'\n'keys.seed' = 20\n",
        );
        let seeds: Vec<(&str, u64)> =
            plan.variants.iter().map(|variant| (variant.name.as_str(), variant.builtin().unwrap().keys.seed)).collect();
        assert_eq!(
            seeds,
            [
                ("a", 7),
                ("b", 20),
                ("a, key seed 8", 8),
                ("b, key seed 21", 21),
                ("a, key seed 9", 9),
                ("b, key seed 22", 22)
            ]
        );
    }

    /// An option varies if two variants that have it differ. Limits are not listed, because they
    /// have a column of their own.
    #[test]
    fn option_varies_if_two_variants_differ() {
        let varying = |first: &str, second: &str| {
            plan(&format!(
                "limit = {{ depth = 2 }}\n[[variant]]\nname = 'a'\n{first}\n[[variant]]\nname = 'b'\n{second}\n"
            ))
            .varying()
        };
        assert_eq!(
            varying("'table.slots' = 1", "'table.slots' = 2\n'limit.depth' = 3\n'limit.nodes' = 9"),
            ["table.slots"]
        );
        assert_eq!(varying("table = 'none'", "'table.slots' = 2"), ["table.kind"]);
    }

    /// With `table.clear = "never"` a variant's searches are one job over all positions, but each
    /// pair of games is still a job.
    #[test]
    fn pair_of_games_is_one_job() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("x.toml");
        let items_per_job = |more: &str| {
            let text = format!(
                "suite = 'data/bratko-kopec.epd'\nfirst = 4\nlimit = {{ depth = 1 }}\n{more}[engine]\ntable.clear = 'never'\n\
                 [[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n"
            );
            Plan::new(&Experiment::parse(&text, &path, &[]).unwrap_or_else(|problem| panic!("{problem}")))
                .jobs()
                .map(|job| job.item_count)
                .collect::<Vec<_>>()
        };
        assert_eq!((items_per_job(""), items_per_job("[match]\n")), (vec![4, 4], vec![1; 4]));
    }

    /// Everything that changes rows changes the plan's id: repeats, limits, opponents and their
    /// order.
    #[test]
    fn plan_id_changes_with_its_rows() {
        let three_variants = "[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n[[variant]]\nname = 'c'\n'keys.seed' = 3\n";
        let texts = [
            three_variants.to_owned(),
            format!("repeats = 2\n{three_variants}"),
            format!("sequence = {{ self_play = 2 }}\n{three_variants}"),
            format!("[match]\n{three_variants}"),
            format!("baseline = {{ variant = 'b' }}\n[match]\n{three_variants}"),
            format!("[match]\npairing = 'round-robin'\n{three_variants}"),
            format!("[match]\nmax_moves = 9\n{three_variants}"),
        ];
        let ids: Vec<u64> = texts.iter().map(|text| plan(&format!("limit = {{ depth = 1 }}\n{text}")).id()).collect();
        let different: HashSet<u64> = ids.iter().copied().collect();
        assert_eq!(different.len(), texts.len(), "{ids:x?}");
        // The opponent is part of a game's id.
        let round_robin = plan(&format!("limit = {{ depth = 1 }}\n[match]\npairing = 'round-robin'\n{three_variants}"));
        let job_ids: HashSet<u64> = round_robin.jobs().map(|job| round_robin.job_id(&job)).collect();
        assert_eq!((job_ids.len() as u64, round_robin.len()), (3, 3));
        // Choosing another baseline changes no search.
        let [first, second] = ["", "baseline = { variant = 'b' }\n"]
            .map(|baseline| plan(&format!("limit = {{ depth = 1 }}\n{baseline}{three_variants}")).id());
        assert_eq!(first, second);
    }

    /// For plans of every kind: there are as many jobs as `len`, in the order of their keys; each
    /// is found again from any of its items; all ids differ.
    #[test]
    fn every_job_has_its_key_and_id() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("x.toml");
        let three_variants = "[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 5\n[[variant]]\nname = 'c'\n'table.clear' = 'never'\n";
        let epd = "suite = 'data/bratko-kopec.epd'\nfirst = 7\nlimit = { depth = 1 }\n";
        let pgn = "suite = 'data/games.pgn'\nlimit = { depth = 1 }\nsequence = { from = 81 }\n";
        // Jobs counted by hand: items times lanes, and one job for a variant that is never cleared.
        for (text, job_count) in [
            (epd.to_owned(), 7),
            (format!("{epd}repeats = 3\n{three_variants}"), 3 * (7 + 7 + 1)),
            (format!("{epd}seeds = 2\n{three_variants}"), 2 * (7 + 7 + 1)),
            (format!("{epd}{three_variants}[match]\npairing = 'round-robin'\n"), 7 * 3),
            (format!("{epd}{three_variants}[match]\n"), 7 * 2),
            (format!("{epd}[grid]\n'keys.seed' = [1, 2, 3, 4]\n"), 28),
            (pgn.to_owned(), 6),
            (format!("{pgn}repeats = 2\n{three_variants}"), 2 * (6 + 6 + 1)),
        ] {
            let experiment = Experiment::parse(&text, &path, &[]).unwrap_or_else(|problem| panic!("{problem}"));
            let plan = Plan::new(&experiment);
            let jobs: Vec<Job> = plan.jobs().collect();
            assert_eq!((jobs.len(), plan.len()), (job_count, job_count as u64), "{text}");
            assert!(jobs.windows(2).all(|pair| plan.order_key(&pair[0]) < plan.order_key(&pair[1])), "{text}");
            let mut ids = HashSet::new();
            for job in &jobs {
                assert!(ids.insert(plan.job_id(job)), "{text}: {job:?}");
                for item in job.item..job.item + job.item_count {
                    assert_eq!(plan.job_for(job.variant, job.opponent, item, job.repeat), *job, "{text}");
                    let lane = plan.find_lane(job.variant, job.opponent).unwrap();
                    assert_eq!(plan.job_in_lane(lane, item, job.repeat), *job, "{text}");
                    let depths = [(0, 1), (0, 2), (1, 1)].map(|(ply, depth)| plan.row_id(job, item, ply, depth));
                    assert!(depths.into_iter().all(|id| ids.insert(id)), "{text}: {job:?}");
                }
            }
            for shards in 1..=12 {
                let split = crate::experiment::shards::Split::new(&plan, shards);
                // The number of jobs of each shard, and its lanes.
                let mut parts = vec![(0u64, HashSet::new()); shards as usize];
                for job in &jobs {
                    let (count, lanes) = &mut parts[split.shard_of(&plan, job) as usize];
                    *count += 1;
                    lanes.insert((job.variant, job.opponent));
                }
                let is_balanced = !text.contains("never") && !text.contains("sequence") || text.contains("[match]");
                let counts = || parts.iter().map(|(count, _)| *count);
                let (fewest, most) = (counts().min().unwrap(), counts().max().unwrap());
                let tolerance = if shards <= plan.item_count() as u64 {
                    plan.lane_count() as u64 * u64::from(plan.repeats)
                } else {
                    1
                };
                assert!(!is_balanced || most - fewest <= tolerance, "{text}: {parts:?}");
                // Even if the number of shards is a multiple of the number of lanes, no shard with
                // several jobs has only a single lane.
                let is_mixed = |(count, lanes): &(u64, HashSet<_>)| *count < 2 || lanes.len() > 1;
                let is_multiple = plan.lane_count() > 1 && shards.is_multiple_of(plan.lane_count() as u64);
                assert!(!is_balanced || !is_multiple || parts.iter().all(is_mixed), "{text} in {shards}: {parts:?}");
            }
        }
    }

    /// One difference among several variants is enough, whichever two differ.
    #[test]
    fn option_varies_if_any_variant_differs() {
        for slots in [[1, 2, 1], [1, 1, 2], [2, 1, 1], [1, 2, 4], [1, 1, 1]] {
            let variant = |(index, slots): (usize, u8)| {
                format!("[[variant]]\nname = '{index}'\n'keys.seed' = {index}\n'table.slots' = {slots}\n")
            };
            let variants: String = slots.into_iter().enumerate().map(variant).collect();
            let varying = plan(&format!("limit = {{ depth = 1 }}\n{variants}")).varying();
            assert_eq!(varying.iter().any(|path| path == "table.slots"), slots != [1, 1, 1], "{slots:?}");
        }
    }

    /// One variant with full diagnostics or an external engine adds the columns for all, even in
    /// the middle; only then may they be expected.
    #[test]
    fn one_variant_adds_columns_for_all() {
        let (anatomy, external, threads) = ("diagnostics = 'full'\n", "subject = 'x'\n", "'threads.count' = 2\n");
        for option in ["", anatomy, external, threads] {
            let variants = ["", option, ""].into_iter().zip(1..);
            let variant =
                |(more, index): (&str, u8)| format!("[[variant]]\nname = '{index}'\n'limit.depth' = {index}\n{more}");
            let text = variants.map(variant).collect::<String>();
            let extra = Extra {
                anatomy: option == anatomy,
                threads: option == threads,
                external: option == external,
                ..Extra::default()
            };
            assert_eq!(plan(&text).extra_columns(), extra, "{option}");
            for (column, is_allowed) in [
                ("anatomy.shallow", extra.anatomy),
                ("reported.hashfull", extra.external),
                ("threads.ticks", extra.threads),
            ] {
                let text = format!("suite = {{ startpos = true }}\n{text}[[expect]]\n'{column}' = 1\n");
                let result = Experiment::parse(&text, "x.toml".as_ref(), &[]);
                assert_eq!(result.is_ok(), is_allowed, "{option} {column}");
            }
        }
    }
}
