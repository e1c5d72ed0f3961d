//! The plan: every job of an experiment, in order, with an id that depends on its content alone.

use super::file::Experiment;
use super::grid::Point;
use crate::chess::keys::EpRule;
use crate::chess::suite::Item;
use crate::table::options::Clear;
use siphasher::sip::SipHasher13;
use std::hash::Hasher;

/// One job: a variant on one item of the suite (or on all of it, where nothing is cleared between items), once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    /// Place of the variant among the plan's.
    pub variant: usize,
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
    /// The variants: the points, then the baseline under further key seeds.
    pub variants: Vec<Point>,
    /// Place of the baseline.
    pub baseline: usize,
    /// Hash of each variant's options and limit.
    variant_ids: Vec<u64>,
    /// Hash of each item.
    item_ids: Vec<u64>,
    /// Whether anything of an item is searched: a game may be shorter than the plies that are wanted.
    searched: Vec<bool>,
    /// Items that one job of a variant takes: 1, or all.
    spans: Vec<usize>,
    /// How often everything is run.
    pub repeats: u32,
    /// Hash of the sequence's settings; 0 without.
    sequence_id: u64,
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
        let baseline = &experiment.points[experiment.baseline];
        for step in 1..experiment.file.seeds {
            let mut options = baseline.options.clone();
            options.keys.seed = options.keys.seed.wrapping_add(u64::from(step));
            let name = format!("{}, key seed {}", baseline.name, options.keys.seed);
            variants.push(Point { name, options, ..baseline.clone() });
        }
        let items = experiment.suite.items.len();
        let keeps = |clear: Clear| clear == Clear::Never;
        let spans = variants
            .iter()
            .map(|point| {
                let kept = keeps(point.options.table.clear) || keeps(point.options.history_clear);
                if kept { items.max(1) } else { 1 }
            })
            .collect();
        let variant_ids = variants
            .iter()
            .map(|point| {
                let options = serde_json::to_string(&point.options).unwrap_or_default();
                hash_text(&format!("{options}|{:?}|{:?}", point.limit.depth, point.limit.nodes))
            })
            .collect();
        let sequence = experiment.file.sequence;
        let item_ids = experiment.suite.items.iter().map(|item| hash_text(&content(item))).collect();
        Self {
            variants,
            baseline: experiment.baseline,
            variant_ids,
            item_ids,
            searched: experiment.suite.items.iter().map(|item| sequence.is_none_or(|s| s.searches(item))).collect(),
            spans,
            repeats: experiment.file.repeats,
            sequence_id: experiment.file.sequence.map_or(0, |sequence| hash_text(&format!("{sequence:?}"))),
        }
    }

    /// Items of the suite.
    #[must_use]
    pub fn items(&self) -> usize {
        self.item_ids.len()
    }

    /// The job that searches an item with a variant.
    #[must_use]
    pub fn job_of(&self, variant: usize, item: usize, repeat: u32) -> Job {
        let items = self.spans[variant];
        Job { variant, item: item / items * items, items, repeat }
    }

    /// A job's place among all (repeat, item, variant): jobs stand in its order, which has gaps where a job takes many items.
    #[must_use]
    pub fn place(&self, job: &Job) -> u64 {
        let group = u64::from(job.repeat) * self.item_ids.len() as u64 + job.item as u64;
        group * self.variants.len() as u64 + job.variant as u64
    }

    /// The jobs in order: all variants of an item stand together, and all items of a repeat, so that what is compared
    /// is measured close in time.
    pub fn jobs(&self) -> impl Iterator<Item = Job> + '_ {
        (0..self.repeats).flat_map(move |repeat| {
            (0..self.item_ids.len()).flat_map(move |item| {
                (0..self.variants.len()).filter(move |&variant| self.begins(variant, item)).map(move |variant| Job {
                    variant,
                    item,
                    items: self.spans[variant],
                    repeat,
                })
            })
        })
    }

    /// Whether some variant takes its hits apart, so that rows have columns for it.
    #[must_use]
    pub fn has_anatomy(&self) -> bool {
        self.variants.iter().any(|point| point.options.diagnostics == crate::engine::options::Diagnostics::Full)
    }

    /// How many jobs there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        let begun = |variant| (0..self.items()).filter(|&item| self.begins(variant, item)).count() as u64;
        (0..self.variants.len()).map(begun).sum::<u64>() * u64::from(self.repeats)
    }

    /// Whether a job of a variant begins at an item.
    fn begins(&self, variant: usize, item: usize) -> bool {
        let span = self.spans[variant];
        item.is_multiple_of(span) && (span > 1 || self.searched[item])
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of one row: of the variant's options and limit, the item, the repeat, the ply in a sequence and the depth.
    #[must_use]
    pub fn row_id(&self, job: &Job, item: usize, ply: u16, depth: u8) -> u64 {
        let mut hash = hasher();
        hash.write_u64(self.variant_ids[job.variant]);
        hash.write_u64(self.item_ids[item]);
        hash.write_u32(job.repeat);
        hash.write_u16(ply);
        hash.write_u8(depth);
        hash.write_u64(self.sequence_id);
        if job.items > 1 {
            // Such a search depends on every item before it.
            self.item_ids[..item].iter().for_each(|&id| hash.write_u64(id));
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
        hash.finish()
    }

    /// The option columns that differ between variants, in the order of the options.
    #[must_use]
    pub fn varying(&self) -> Vec<String> {
        let all: Vec<_> = self.variants.iter().map(super::grid::columns).collect();
        let mut order: Vec<&String> = Vec::new();
        for path in all.iter().flatten().map(|(path, _)| path) {
            if !order.contains(&path) {
                order.push(path);
            }
        }
        let value = |columns: &[(String, String)], path: &str| {
            columns.iter().find(|(column, _)| column == path).map(|(_, value)| value.clone())
        };
        order
            .into_iter()
            .filter(|path| {
                // Where there is no table its other options mean nothing: only variants that have a value count.
                let mut values = all.iter().filter_map(|columns| value(columns, path));
                let first = values.next();
                values.any(|other| Some(other) != first)
            })
            .filter(|path| !path.starts_with("limit."))
            .cloned()
            .collect()
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
