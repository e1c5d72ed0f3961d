//! The plan: every job of an experiment, in order, with an id that depends on its content alone.

use super::file::Experiment;
use super::grid::Point;
use super::sequence::Sequence;
use crate::chess::keys::EpRule;
use crate::chess::suite::Item;
use crate::engine::{EngineOptions, Limit};
use crate::record::columns::Extra;
use crate::table::options::Clear;
use crate::table::policy::Policy;
use serde_json::{Value, json};
use siphasher::sip::SipHasher13;
use std::collections::HashMap;
use std::hash::Hasher;

/// What follows a variant's name in that of its further key seeds.
pub const FURTHER_SEED: &str = ", key seed ";

/// One job: a variant on one item of the suite (or on all of it, where nothing is cleared between items), once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    /// Place of the variant among the plan's.
    pub variant: usize,
    /// Place of the variant that it plays against, in a match: the job is a pair of games.
    pub opponent: Option<usize>,
    /// The first item.
    pub item: usize,
    /// How many items, from `item` on.
    pub items: usize,
    /// Which repeat, from 0.
    pub repeat: u32,
}

/// All jobs of an experiment. Options are kept once for each variant, so that a job is four numbers.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The variants: the points, then all of them under each further key seed.
    pub variants: Vec<Point>,
    /// Place of the baseline.
    pub baseline: usize,
    /// Hash of each variant's options and limit.
    variant_ids: Vec<u64>,
    /// Hash of each item.
    item_ids: Vec<u64>,
    /// Hash of all items before each, for searches that depend on them.
    prefixes: Vec<u64>,
    /// Whether anything of an item is searched: a game may be shorter than the plies that are wanted.
    searched: Vec<bool>,
    /// Items that one job of a variant takes: 1, or all.
    spans: Vec<usize>,
    /// How often everything is run.
    pub repeats: u32,
    /// Hash of the sequence's settings; 0 without.
    sequence_id: u64,
    /// Who plays whom, in a match.
    games: Option<Encounters>,
}

/// The encounters of a match.
#[derive(Debug, Clone)]
struct Encounters {
    list: Vec<(usize, usize)>,
    places: HashMap<(usize, usize), usize>,
    /// Hash of what ends games.
    id: u64,
}

impl Encounters {
    fn new(experiment: &Experiment) -> Option<Self> {
        let games = experiment.file.games.as_ref()?;
        let list = games.encounters(experiment.points.len(), experiment.baseline);
        let places = list.iter().enumerate().map(|(at, &players)| (players, at)).collect();
        Some(Self { list, places, id: hash_text(&games.content()) })
    }
}

/// A hash that is the same in every build: SipHash-1-3 with fixed keys.
fn hasher() -> SipHasher13 {
    SipHasher13::new_with_keys(0x7474_6c61_6200_0001, 0)
}

fn hash_text(text: &str) -> u64 {
    let mut hash = hasher();
    hash.write(text.as_bytes());
    hash.finish()
}

/// A hash of ids in their order.
#[derive(Clone)]
pub struct Digest(SipHasher13);

impl Default for Digest {
    fn default() -> Self {
        Self(hasher())
    }
}

impl Digest {
    /// Takes the next id.
    pub fn add(&mut self, id: u64) {
        self.0.write_u64(id);
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0.finish())
    }
}

impl Plan {
    /// The plan of an experiment.
    #[must_use]
    pub fn new(experiment: &Experiment) -> Self {
        let mut variants = experiment.points.clone();
        for step in 1..experiment.file.seeds {
            for point in &experiment.points {
                let mut options = point.options.clone();
                options.keys.seed = options.keys.seed.wrapping_add(u64::from(step));
                let name = format!("{}{FURTHER_SEED}{}", point.name, options.keys.seed);
                variants.push(Point { name, options, ..point.clone() });
            }
        }
        let items = experiment.suite.items.len();
        let keeps = |clear: Clear| clear == Clear::Never;
        let spans = variants
            .iter()
            .map(|point| {
                let kept = point.outside().is_none()
                    && (keeps(point.options.table.clear) || keeps(point.options.history_clear));
                let alone = experiment.trace.is_some() || experiment.file.games.is_some();
                if kept && !alone { items.max(1) } else { 1 }
            })
            .collect();
        let variant_ids = variants.iter().map(point_id).collect();
        let sequence = experiment.file.sequence;
        let id = |item: &Item| match &experiment.trace {
            None => hash_text(&content(item)),
            Some(trace) => hash_text(&format!("trace {:016x} {}", trace.digest, item.id)),
        };
        let item_ids: Vec<u64> = experiment.suite.items.iter().map(id).collect();
        Self {
            variants,
            baseline: experiment.baseline,
            variant_ids,
            prefixes: item_ids
                .iter()
                .scan(Digest::default(), |before, &id| {
                    let prefix = before.0.finish();
                    before.add(id);
                    Some(prefix)
                })
                .collect(),
            item_ids,
            searched: experiment.suite.items.iter().map(|item| sequence.is_none_or(|s| s.searches(item))).collect(),
            spans,
            games: Encounters::new(experiment),
            repeats: experiment.file.repeats,
            sequence_id: sequence.map_or(0, |sequence| {
                let [given, usual] = [sequence, Sequence::default()].map(|sequence| json!({ "sequence": sequence }));
                // Any sequence at all makes other searches than none, one as usual too.
                hash_text(&format!("sequence\n{}", deviations(&given, &usual)))
            }),
        }
    }

    /// Items of the suite.
    #[must_use]
    pub fn items(&self) -> usize {
        self.item_ids.len()
    }

    /// The job that searches an item with a variant, or plays it against another.
    #[must_use]
    pub fn job_of(&self, variant: usize, opponent: Option<usize>, item: usize, repeat: u32) -> Job {
        let items = self.spans[variant];
        Job { variant, opponent, item: item / items * items, items, repeat }
    }

    /// The lanes of the plan: what is run on each item. One for each variant; in a match, one for each encounter.
    #[must_use]
    pub fn lanes(&self) -> usize {
        self.games.as_ref().map_or(self.variants.len(), |games| games.list.len())
    }

    /// The job of a lane on an item.
    #[must_use]
    pub fn job_in(&self, lane: usize, item: usize, repeat: u32) -> Job {
        match &self.games {
            Some(games) => self.job_of(games.list[lane].0, Some(games.list[lane].1), item, repeat),
            None => self.job_of(lane, None, item, repeat),
        }
    }

    /// The lane of a variant, or of its encounter with another; none where there is no such one.
    #[must_use]
    pub fn lane(&self, variant: usize, opponent: Option<usize>) -> Option<usize> {
        match (&self.games, opponent) {
            (Some(games), Some(opponent)) => games.places.get(&(variant, opponent)).copied(),
            (None, None) => Some(variant),
            _ => None,
        }
    }

    /// A job's place among all (repeat, item, lane): jobs stand in its order, which has gaps where a job takes many items.
    #[must_use]
    pub fn place(&self, job: &Job) -> u64 {
        let group = u64::from(job.repeat) * self.item_ids.len() as u64 + job.item as u64;
        group * self.lanes() as u64 + self.lane(job.variant, job.opponent).unwrap_or(0) as u64
    }

    /// The jobs in order: all variants of an item stand together, and all items of a repeat, so that what is compared
    /// is measured close in time.
    pub fn jobs(&self) -> impl Iterator<Item = Job> + '_ {
        (0..self.repeats).flat_map(move |repeat| {
            (0..self.item_ids.len()).flat_map(move |item| {
                (0..self.lanes())
                    .filter(move |&lane| self.begins(lane, item))
                    .map(move |lane| self.job_in(lane, item, repeat))
            })
        })
    }

    /// Which columns its rows have beside those that all rows have.
    #[must_use]
    pub fn extra(&self) -> Extra {
        Extra { anatomy: self.has_anatomy(), outside: self.has_outside(), games: self.games.is_some() }
    }

    /// Whether its jobs are pairs of games.
    #[must_use]
    pub fn is_match(&self) -> bool {
        self.games.is_some()
    }

    /// Whether some variant takes its hits apart, so that rows have columns for it.
    #[must_use]
    pub fn has_anatomy(&self) -> bool {
        self.variants.iter().any(|point| point.options.diagnostics == crate::engine::options::Diagnostics::Full)
    }

    /// Whether a variant is one job over all items, since nothing is cleared between them.
    #[must_use]
    pub fn is_one_job(&self, variant: usize) -> bool {
        self.spans[variant] > 1
    }

    /// Whether some variant is of an engine that is not ours, so that rows have columns for what it tells.
    #[must_use]
    pub fn has_outside(&self) -> bool {
        self.variants.iter().any(|point| point.outside().is_some())
    }

    /// How many jobs there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        let begun = |lane| (0..self.items()).filter(|&item| self.begins(lane, item)).count() as u64;
        (0..self.lanes()).map(begun).sum::<u64>() * u64::from(self.repeats)
    }

    /// Whether a job of a lane begins at an item.
    fn begins(&self, lane: usize, item: usize) -> bool {
        let span = if self.games.is_some() { 1 } else { self.spans[lane] };
        item.is_multiple_of(span) && (span > 1 || self.searched[item])
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of one row: of the variant's options and limit, the item, the repeat, the ply in a sequence (in a match, which game of the
    /// pair) and the depth.
    #[must_use]
    pub fn row_id(&self, job: &Job, item: usize, ply: u16, depth: u8) -> u64 {
        let mut hash = hasher();
        hash.write_u64(self.variant_ids[job.variant]);
        hash.write_u64(self.item_ids[item]);
        hash.write_u32(job.repeat);
        hash.write_u16(ply);
        hash.write_u8(depth);
        hash.write_u64(self.sequence_id);
        if let (Some(games), Some(opponent)) = (&self.games, job.opponent) {
            hash.write_u64(games.id);
            hash.write_u64(self.variant_ids[opponent]);
        }
        if job.items > 1 {
            // Such a search depends on every item before it.
            hash.write_u64(self.prefixes[item]);
        }
        hash.finish()
    }

    /// The id of a job: that of its last item's first row, whatever its depth.
    #[must_use]
    pub fn job_id(&self, job: &Job) -> u64 {
        self.row_id(job, job.item + job.items - 1, u16::MAX, 0)
    }

    /// The id of the whole plan: equal plans have equal ids.
    #[must_use]
    pub fn id(&self) -> u64 {
        let mut hash = hasher();
        self.variant_ids.iter().chain(&self.item_ids).for_each(|&id| hash.write_u64(id));
        hash.write_u32(self.repeats);
        hash.write_u64(self.sequence_id);
        if let Some(games) = &self.games {
            hash.write_u64(games.id);
            games.list.iter().for_each(|&(first, second)| {
                hash.write_u64(self.variant_ids[first]);
                hash.write_u64(self.variant_ids[second]);
            });
        }
        hash.finish()
    }

    /// The option columns that differ between variants, in the order of the options.
    #[must_use]
    pub fn varying(&self) -> Vec<String> {
        // Each path with its first value, and whether another was met: not all columns of all variants at once. Where there is no
        // table its other options mean nothing: only variants that have a value count.
        let mut order: Vec<(String, String, bool)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for (path, value) in self.variants.iter().flat_map(super::grid::columns) {
            match places.get(&path) {
                Some(&at) => order[at].2 |= order[at].1 != value,
                None => {
                    places.insert(path.clone(), order.len());
                    order.push((path, value, false));
                }
            }
        }
        let varies = |(path, _, varies): &(String, String, bool)| *varies && !path.starts_with("limit.");
        order.into_iter().filter(varies).map(|(path, ..)| path).collect()
    }
}

/// Hash of what makes a point what it is.
#[must_use]
pub fn point_id(point: &Point) -> u64 {
    hash_text(&identity(point))
}

/// What makes a point what it is: its limit, and of its options those that are not as usual. So an option that is new, and off
/// where nobody asks for it, changes no id: plans, shards and results that were begun before can be continued.
fn identity(point: &Point) -> String {
    let Limit { depth, nodes } = point.limit;
    if let Some(subject) = point.outside() {
        return format!("subject: {}\ndepth: {depth:?}\nnodes: {nodes:?}\n", super::subject::content(subject));
    }
    let mut usual = EngineOptions::default();
    let policy = point.options.table.policy.name();
    let other_policy = policy != usual.table.policy.name();
    if let Some(of_its_kind) = Policy::named(policy) {
        // Parameters are compared with those that the policy has where nobody says otherwise.
        usual.table.policy = of_its_kind;
    }
    let [given, usual] = [&point.options, &usual].map(|options| serde_json::to_value(options).unwrap_or_default());
    let kind = if other_policy { format!("policy: {policy}\n") } else { String::new() };
    format!("{kind}depth: {depth:?}\nnodes: {nodes:?}\n{}", deviations(&given, &usual))
}

/// The leaves of a value that differ from another's, a line for each, in the order of their paths.
fn deviations(value: &Value, usual: &Value) -> String {
    let mut lines = Vec::new();
    walk(value, usual, &mut String::new(), &mut lines);
    lines.sort_unstable();
    lines.concat()
}

fn walk(value: &Value, usual: &Value, path: &mut String, lines: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                let length = path.len();
                path.push('.');
                path.push_str(key);
                walk(inner, usual.get(key).unwrap_or(&Value::Null), path, lines);
                path.truncate(length);
            }
        }
        leaf if leaf != usual => lines.push(format!("{path} = {leaf}\n")),
        _ => {}
    }
}

/// What makes an item what it is: its position, or its start and moves; not its name.
fn content(item: &Item) -> String {
    match item.game() {
        None => item.board.fen(EpRule::Always),
        Some(moves) => {
            let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
            format!("{} {}", item.board.fen(EpRule::Always), moves.join(" "))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn with(options: &EngineOptions, path: &[&str], leaf: Value) -> Value {
        let mut value = serde_json::to_value(options).unwrap();
        let (last, parents) = path.split_last().unwrap();
        let parent = parents.iter().fold(&mut value, |value, part| &mut value[*part]);
        parent[*last] = leaf;
        value
    }

    #[test]
    fn an_option_that_is_new_and_off_changes_no_id() {
        let usual = EngineOptions::default();
        let mut given = usual.clone();
        given.draws = !given.draws;
        given.table.slots = 4;
        let [old, old_usual] = [&given, &usual].map(|options| serde_json::to_value(options).unwrap());
        let before = deviations(&old, &old_usual);
        assert_eq!(before.lines().count(), 2, "{before}");
        for path in [&["future"][..], &["table", "future"]] {
            let off = |options| with(options, path, json!({ "on": false, "after": [1, 2] }));
            assert_eq!(deviations(&off(&given), &off(&usual)), before);
            let on = with(&given, path, json!({ "on": true, "after": [1, 2] }));
            let after = deviations(&on, &off(&usual));
            assert!(after.contains("future.on = true") && after.lines().count() == 3, "{after}");
        }
    }

    #[test]
    fn each_option_that_is_not_as_usual_changes_the_id() {
        let point = |options: EngineOptions, depth| Point {
            name: String::new(),
            paths: Vec::new(),
            options,
            limit: Limit { depth, nodes: None },
            subject: None,
        };
        let of = |sets: &[&str], depth| {
            let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
            identity(&point(crate::experiment::options(None, &sets).unwrap(), depth))
        };
        let mut seen = std::collections::HashSet::new();
        let depth = Some(3);
        assert!(seen.insert(of(&[], depth)) && seen.insert(of(&[], Some(4))));
        for sets in [
            &["table.policy=never"][..],
            &["table.policy=aged-depth"],
            &["table.policy.kind=aged-depth", "table.policy.factor=7"],
            &["draws=true"],
            &["table.size=1024"],
            &["table=none"],
        ] {
            assert!(seen.insert(of(sets, depth)), "{sets:?}");
        }
        // What is said to be as it is anyway is not said at all.
        assert_eq!(of(&["table.slots=1"], depth), of(&[], depth));
        assert_eq!(of(&["table.policy.kind=aged-depth"], depth), of(&["table.policy=aged-depth"], depth));
    }
}
