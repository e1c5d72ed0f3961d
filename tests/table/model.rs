//! Compares every policy without its own memory (the others are in `tests/table/caches.rs`) with a
//! plain model under random use, with every layout and rule. In the model, buckets are vectors, the
//! Ancient flag is swept, and clocks don't wrap.

use proptest::prelude::*;
use ttlab::internals::chess::Bound;
use ttlab::internals::decode::from_toml;
use ttlab::internals::table::options::{Demotion, Evaluations, Index, Layout, Refresh, SameKey, Victim};
use ttlab::internals::table::policy::Policy;
use ttlab::internals::table::{Entry, StaticEvaluation, TableCounters, TableOptions, build};

/// A stored entry in the model.
#[derive(Debug, Clone, Copy)]
struct Stored {
    key: u64,
    entry: Entry,
    /// When it was written or refreshed, on a clock that doesn't wrap.
    time: u64,
    /// Whether a refused store has taken depth from it since it was written.
    demoted: bool,
    /// The opposite of the Ancient flag: set when the entry is useful, cleared at every tick.
    useful: bool,
}

/// The model of a table.
struct Model<'a> {
    options: &'a TableOptions,
    /// The policy and its parameters, as TOML.
    text: String,
    buckets: Vec<Vec<Stored>>,
    now: u64,
    /// Keys and slots of the probes that may still be followed by their store, the newest last.
    probed: Vec<(u64, usize)>,
    count: TableCounters,
}

/// Where the newcomer goes, and which slot it evicts, if any. `None` if the store is refused.
type Fate = Option<(usize, Option<usize>)>;

impl Model<'_> {
    fn new(options: &TableOptions, buckets: usize) -> Model<'_> {
        let text = toml::to_string(&options.policy).unwrap();
        Model {
            options,
            text,
            buckets: vec![Vec::new(); buckets],
            now: 0,
            probed: Vec::new(),
            count: TableCounters::default(),
        }
    }

    fn bucket_of(&self, key: u64) -> usize {
        let buckets = self.buckets.len() as u64;
        (match self.options.index {
            Index::Modulo => key % buckets,
            Index::Mask => key & (buckets - 1),
            Index::Multiply => ((u128::from(key) * u128::from(buckets)) >> 64) as u64,
        }) as usize
    }

    /// The bucket and slot of a key.
    fn find(&self, key: u64) -> Option<(usize, usize)> {
        let bucket = self.bucket_of(key);
        Some((bucket, self.buckets[bucket].iter().position(|stored| stored.key == key)?))
    }

    /// The age of an entry. If ages have few bits, an old entry can look new again.
    fn age(&self, stored: &Stored) -> i64 {
        ((self.now - stored.time) % (1 << self.options.age_bits)) as i64
    }

    fn tick(&mut self, ticks: u64) {
        self.now += ticks;
        self.probed.clear();
        if ticks > 0 {
            self.buckets.iter_mut().flatten().for_each(|stored| stored.useful = false);
        }
    }

    /// Returns the entry, its draft and its age. `ends_node`: whether the hit ends its node.
    fn probe(&mut self, key: u64, ends_node: bool) -> Option<(Entry, i64, i64)> {
        self.count.probes += 1;
        let Some((bucket, slot)) = self.find(key) else {
            let is_full = self.buckets[self.bucket_of(key)].len() == usize::from(self.options.slots);
            *(if is_full { &mut self.count.misses_other } else { &mut self.count.misses_empty }) += 1;
            if self.options.victim == Victim::Probe {
                let bucket = &self.buckets[self.bucket_of(key)];
                let newcomer = Stored { key, entry: Entry::default(), time: self.now, demoted: false, useful: false };
                let (slot, _) = self.fate(bucket, usize::from(self.options.slots), &newcomer).unwrap();
                self.probed.push((key, slot));
            }
            return None;
        };
        self.count.hits += 1;
        self.probed.push((key, slot));
        let stored = self.buckets[bucket][slot];
        let policy_has = |parameter| self.text.contains(parameter);
        let useful = policy_has("useful = \"match\"") || ends_node && policy_has("useful = \"cutoff\"");
        let refresh = match self.options.refresh {
            Refresh::Never => false,
            Refresh::Match => true,
            Refresh::Cutoff => ends_node,
        };
        let (now, age) = (self.now, self.age(&stored));
        let in_slot = &mut self.buckets[bucket][slot];
        in_slot.useful |= useful;
        if useful || refresh {
            in_slot.time = now;
        }
        let depth = i64::from(stored.entry.depth);
        let draft = match &self.options.policy {
            Policy::AgedDepth(aged) if !self.text.contains("on = \"store\"") => depth - i64::from(aged.factor) * age,
            _ => depth,
        };
        Some((stored.entry, draft, age))
    }

    /// Lowers the depth of an entry, unless the options exempt it; returns whether it was lowered.
    fn demote(&mut self, bucket: usize, slot: usize, plies: u8) -> bool {
        let (demotion, entry) = (self.options.demotion, &mut self.buckets[bucket][slot].entry);
        let loses = entry.depth >= demotion.from && (demotion.exact || entry.bound != Bound::Exact);
        if loses {
            entry.depth = entry.depth.saturating_sub(plies);
            self.count.demoted += u64::from(plies > 0);
        }
        loses
    }

    /// Decides by the policy's definition where a newcomer goes in a bucket with `slots` slots.
    fn fate(&self, bucket: &[Stored], slots: usize, new: &Stored) -> Fate {
        let depth = |stored: &Stored| i64::from(stored.entry.depth);
        let nodes = |stored: &Stored| i64::from(stored.entry.nodes);
        let last = (bucket.len() == slots).then_some(slots - 1);
        // Policies that keep their slots in order: whether the newcomer goes to the first slot.
        let goes_first = match &self.options.policy {
            Policy::Always(_) => return Some((0, last)),
            Policy::TwoDeep(_) | Policy::TwoTier(_) => bucket.first().is_none_or(|first| depth(new) >= depth(first)),
            Policy::TwoBig1(_) => bucket.first().is_none_or(|first| nodes(new) >= nodes(first)),
            _ if bucket.len() < slots => return Some((bucket.len(), None)),
            _ => false,
        };
        let worth: Box<dyn Fn(&Stored) -> i64> = match self.options.policy {
            Policy::TwoDeep(_) | Policy::TwoBig1(_) => return Some((if goes_first { 0 } else { 1 }, last)),
            Policy::TwoTier(_) if goes_first => return Some((0, bucket.first().map(|_| 0))),
            Policy::TwoTier(_) => return Some((1, last)),
            Policy::Never(_) => return None,
            Policy::Ancient(_) => {
                let oldest = bucket.iter().filter(|stored| !stored.useful).map(|stored| stored.time).min()?;
                let slot = bucket.iter().position(|stored| !stored.useful && stored.time == oldest)?;
                return Some((slot, Some(slot)));
            }
            Policy::VipermateFirst(_) => {
                let old = bucket[0];
                let is_same_key = old.key == new.key;
                let is_better = depth(new) >= depth(&old) && (!is_same_key || new.entry.bound >= old.entry.bound);
                return (old.entry.bound == Bound::Upper || is_better).then_some((0, Some(0)));
            }
            Policy::DepthPreferred(_) => Box::new(depth),
            Policy::Big1(_) | Policy::BigAll(_) => Box::new(nodes),
            Policy::AgedDepth(_) if self.text.contains("on = \"probe\"") => Box::new(depth),
            Policy::AgedDepth(aged) => {
                Box::new(move |stored| depth(stored) - i64::from(aged.factor) * self.age(stored))
            }
            Policy::DepthAge(rule) => Box::new(move |stored| depth(stored) - i64::from(rule.factor) * self.age(stored)),
            Policy::Scored(weights) => Box::new(move |stored| {
                let weighted = [
                    (weights.depth, depth(stored)),
                    (-weights.age, self.age(stored)),
                    (weights.exact, i64::from(stored.entry.bound == Bound::Exact)),
                    (weights.lower, i64::from(stored.entry.bound == Bound::Lower && stored.entry.score > -32_768)),
                    (weights.upper, i64::from(stored.entry.bound == Bound::Upper)),
                    (weights.mv, i64::from(!stored.entry.mv.is_none())),
                    (weights.pv, i64::from(stored.entry.pv)),
                    (weights.nodes, (stored.entry.nodes.max(1) as f64).log2().floor() as i64),
                ];
                weighted.iter().map(|&(weight, value)| i64::from(weight) * value).sum()
            }),
            Policy::Formula(_) if self.text.contains("nodes") => Box::new(move |stored| {
                let entry = stored.entry;
                let bound = [0, -1, if entry.score > -32_768 { 2 } else { 0 }, 4][entry.bound as usize];
                let extra = 5 * i64::from(entry.pv) + i64::from(!entry.mv.is_none());
                3 * depth(stored) - 7 * self.age(stored)
                    + bound
                    + extra
                    + nodes(stored) / 8
                    + i64::from(entry.score) / 100
            }),
            Policy::Formula(_) => Box::new(move |stored| depth(stored) - 8 * self.age(stored)),
            Policy::Always(_) | Policy::Random(_) | Policy::External(_) => {
                unreachable!("answered above, or without a model")
            }
        };
        let least = bucket.iter().map(&worth).min()?;
        let slot = match self.text.contains("ties = \"last\"") {
            false => bucket.iter().position(|stored| worth(stored) == least)?,
            true => bucket.iter().rposition(|stored| worth(stored) == least)?,
        };
        let is_accepted = match &self.options.policy {
            Policy::DepthAge(rule) => !rule.refuse || worth(new) >= least,
            Policy::Formula(_) if self.text.contains("nodes") => {
                let (old, exact) = (&bucket[slot], |stored: &Stored| stored.entry.bound == Bound::Exact);
                let old_depth = depth(old) + 3 * i64::from(old.entry.pv);
                2 * depth(new) >= old_depth - 4 * self.age(old) || exact(new) && !exact(old)
            }
            Policy::Formula(_) | Policy::Scored(_) => true,
            _ => worth(new) >= least,
        };
        is_accepted.then_some((slot, Some(slot)))
    }

    /// The fate of a newcomer if the policy decides about its own old entry: no other entry may be
    /// evicted.
    fn fate_of_same(&self, bucket: &[Stored], slot: usize, new: &Stored) -> Fate {
        if matches!(self.options.policy, Policy::Formula(_)) {
            // A formula that protects an entry from others also protects it from a newer entry of
            // its own position.
            return self.fate(&bucket[slot..=slot], 1, new).map(|_| (slot, Some(slot)));
        }
        let (first, evicted) = self.fate(bucket, bucket.len(), new)?;
        let moves = matches!(
            self.options.policy,
            Policy::Always(_) | Policy::TwoDeep(_) | Policy::TwoBig1(_) | Policy::TwoTier(_)
        );
        if moves && first <= slot && evicted.is_some_and(|evicted| slot <= evicted) {
            return Some((first, Some(slot)));
        }
        // The policy must accept the newcomer in a bucket with one slot that contains only the old
        // entry.
        let (slot_of_one, _) = self.fate(&bucket[slot..=slot], 1, new)?;
        (slot_of_one == 0).then_some((slot, Some(slot)))
    }

    fn store(&mut self, key: u64, entry: Entry) {
        self.count.stores += 1;
        let useful = self.text.contains("protect_new = true");
        let keeps_evaluation = self.options.static_evaluation || self.options.layout == Layout::Bytes24;
        let evaluation = if keeps_evaluation { entry.evaluation } else { StaticEvaluation::default() };
        let mut new = Stored { key, entry: Entry { evaluation, ..entry }, time: self.now, demoted: false, useful };
        let number = self.bucket_of(key);
        let bucket = self.buckets[number].clone();
        let slots = usize::from(self.options.slots);
        let mut chosen = None;
        if self.options.victim == Victim::Probe
            && let Some(last) = self.probed.iter().rposition(|&(probed, _)| probed == key)
        {
            self.probed.truncate(last + 1);
            chosen = Some(self.probed[last].1);
        }
        let same = match chosen {
            None => bucket.iter().position(|stored| stored.key == key),
            Some(slot) => bucket.get(slot).is_some_and(|stored| stored.key == key).then_some(slot),
        };
        let is_evaluation = entry.score == i16::MIN;
        let refuses_evaluations = match self.options.evaluations {
            Evaluations::Evict => false,
            Evaluations::Empty => bucket.len() == slots,
            Evaluations::Refuse => true,
        };
        let fate = match same {
            _ if is_evaluation && (same.is_some() || refuses_evaluations) => None,
            None => match chosen {
                Some(slot) => Some((slot, (slot < bucket.len()).then_some(slot))),
                None => self.fate(&bucket, slots, &new),
            },
            Some(slot) => {
                let old = bucket[slot];
                if self.options.keep_move && entry.mv.is_none() {
                    new.entry.mv = old.entry.mv;
                }
                if self.options.keep_pv && old.entry.pv {
                    new.entry.pv = true;
                }
                if entry.evaluation.get().is_none() {
                    new.entry.evaluation = old.entry.evaluation;
                }
                let (depth, old_depth) = (i32::from(entry.depth), i32::from(old.entry.depth));
                let is_exact = entry.bound == Bound::Exact;
                let is_allowed = match self.options.same_key {
                    SameKey::Replace | SameKey::Policy => true,
                    SameKey::Deeper => depth >= old_depth,
                    SameKey::Guard if !self.options.guard.lets.is_empty() => {
                        let worth = |entry: &Entry| match entry.bound {
                            Bound::Exact => 3,
                            Bound::Lower if entry.score > -32_768 => 2,
                            Bound::Upper => 1,
                            _ => 0,
                        };
                        let age = self.age(&old) as i32;
                        let gain = 3 * (depth + worth(&entry) + age * age / 4 + i32::from(new.entry.pv));
                        let becomes_exact = is_exact && old.entry.bound != Bound::Exact;
                        becomes_exact || gain >= 2 * (old_depth + worth(&old.entry))
                    }
                    SameKey::Guard => {
                        let guard = self.options.guard;
                        let pv_bonus = i32::from(guard.pv) * i32::from(new.entry.pv);
                        (is_exact && guard.exact)
                            || depth + pv_bonus > old_depth - i32::from(guard.margin)
                            || (guard.age && self.age(&old) > 0)
                    }
                };
                if self.options.same_key == SameKey::Policy {
                    self.fate_of_same(&bucket, slot, &new)
                } else {
                    let guard = self.options.guard;
                    let renews = guard.move_first || guard.fill_move && old.entry.mv.is_none();
                    let renews = self.options.same_key == SameKey::Guard && renews;
                    if !is_allowed && renews && !new.entry.mv.is_none() {
                        self.buckets[number][slot].entry.mv = new.entry.mv;
                    }
                    let is_old_evaluation = old.entry.score == i16::MIN;
                    let score = if is_old_evaluation { 0 } else { i32::from(old.entry.score).abs() };
                    let was_demoted = old.demoted && self.options.demotion.once;
                    if !is_allowed && !was_demoted && score >= i32::from(self.options.demotion.refused_score) {
                        self.buckets[number][slot].demoted = self.demote(number, slot, self.options.demotion.refused);
                    }
                    new.useful |= old.useful;
                    is_allowed.then_some((slot, Some(slot)))
                }
            }
        };
        let count = &mut self.count;
        let Some((slot, evicted)) = fate else {
            count.rejections += 1;
            return;
        };
        *(match (same, evicted) {
            (Some(_), _) => &mut count.updates,
            (None, Some(_)) => &mut count.evictions,
            (None, None) => &mut count.fills,
        }) += 1;
        new.entry.nodes = match self.options.layout {
            Layout::Bytes24 => new.entry.nodes,
            _ if self.options.static_evaluation => new.entry.nodes,
            // Rounded down to seven leading bits.
            _ => {
                let dropped_bits = new.entry.nodes.max(1).ilog2().saturating_sub(6);
                new.entry.nodes >> dropped_bits << dropped_bits
            }
        };
        let bucket = &mut self.buckets[number];
        if let Some(evicted) = evicted {
            bucket.remove(evicted);
        }
        bucket.insert(slot, new);
    }
}

/// An operation on a table; positions are given by their number.
#[derive(Debug, Clone)]
enum Step {
    Store(usize, Entry),
    Probe(usize),
    Cutoff(usize),
    Miss(usize),
    Tick(u64),
}

/// The number of positions in this test.
const POSITIONS: usize = 40;

/// Returns keys with different high and low bits, so that short keys distinguish them whichever end
/// they store.
fn keys() -> Vec<u64> {
    let keys: Vec<u64> = (1..=POSITIONS as u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let count_distinct =
        |shift: u32| keys.iter().map(|key| key >> shift & 0xffff).collect::<std::collections::HashSet<_>>().len();
    assert_eq!((count_distinct(0), count_distinct(48)), (POSITIONS, POSITIONS));
    keys
}

/// Typical entries, and entries at the limits of what the layouts can hold.
fn any_entry() -> impl Strategy<Value = Entry> {
    let nodes = prop_oneof![4 => 1u32..100, 4 => 1u32..3000, 4 => 1u32..u32::MAX, 1 => Just(u32::MAX)];
    let score = prop_oneof![8 => -900i16..900, 1 => Just(-32_001), 1 => Just(32_001), 1 => Just(-1), 1 => Just(0)];
    let depth = prop_oneof![12 => 0u8..14, 1 => Just(0), 1 => Just(127), 1 => Just(128), 1 => 250u8..=255];
    let mv = prop_oneof![2 => Just(0u16), 6 => 1u16..0x7fff, 1 => Just(0x7fff)];
    let evaluation_only = (0u8..3, any::<bool>()).prop_map(|(depth, pv)| Entry::evaluation(depth, pv));
    let entry = prop_oneof![9 => crate::any_entry_of(mv, score, depth, nodes), 1 => evaluation_only];
    let evaluation =
        prop_oneof![2 => Just(StaticEvaluation::default()), 1 => (-32_767..=32_767).prop_map(StaticEvaluation::new)];
    (entry, evaluation).prop_map(|(entry, evaluation)| Entry { evaluation, ..entry })
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..POSITIONS, any_entry()).prop_map(|(position, entry)| Step::Store(position, entry)),
        3 => (0..POSITIONS).prop_map(Step::Probe),
        3 => (0..POSITIONS).prop_map(Step::Cutoff),
        2 => (0..POSITIONS).prop_map(Step::Miss),
        1 => prop_oneof![8 => 1u64..3, 1 => 100u64..300, 1 => 1000u64..1024].prop_map(Step::Tick),
    ]
}

/// The modelled policies with their defaults, and those that have parameters also with other
/// values.
const POLICIES: [&str; 26] = [
    "'always'",
    "'never'",
    "'depth-preferred'",
    "'big1'",
    "'big-all'",
    "'two-deep'",
    "'two-big1'",
    "'two-tier'",
    "'ancient'",
    "{ kind = 'ancient', useful = 'cutoff' }",
    "{ kind = 'ancient', protect_new = true }",
    "'aged-depth'",
    "{ kind = 'aged-depth', on = 'store', factor = 1 }",
    "{ kind = 'aged-depth', on = 'probe', factor = 255 }",
    "'depth-age'",
    "{ kind = 'depth-age', factor = 3, refuse = true }",
    "'vipermate-first'",
    "'scored'",
    "{ kind = 'scored', depth = 3, age = 5, exact = 4, pv = 7, nodes = 2 }",
    "{ kind = 'scored', depth = -2, age = -1, exact = -4, pv = 3, nodes = -1 }",
    "{ kind = 'scored', depth = 0, age = 1, nodes = 3 }",
    "{ kind = 'scored', depth = 763, age = 4679, pv = 198, lower = 317, upper = 427, exact = 40, move = 315 }",
    "{ kind = 'scored', depth = 1, age = 1, lower = -1, upper = 1, move = 1, ties = 'last' }",
    "{ kind = 'depth-age', factor = 4, ties = 'last' }",
    "'expression'",
    "{ kind = 'expression', worth = '3 * depth - 7 * age + 4 * exact + 2 * lower - upper + 5 * pv + move + nodes / 8 + \
     score / 100', lets = '2 * depth >= old_depth + 3 * old_pv - 4 * age or exact and not old_exact', ties = 'last' }",
];

/// Every policy with all bucket sizes and same-key rules. Layout, index, refreshing and kept moves
/// alternate, so that cases with different `turn` cover all pairs.
fn every_table(turn: usize) -> Vec<TableOptions> {
    let mut tables = Vec::new();
    for policy in POLICIES {
        for slots in 1..=8 {
            for (same_key, guard) in crate::same_key_rules() {
                let turn = turn + tables.len();
                let layout = match (slots, turn % 3) {
                    (3, 0) => Layout::Bytes10,
                    (_, 1) => Layout::Bytes24,
                    _ => Layout::Bytes16,
                };
                let options: TableOptions = from_toml(&format!("policy = {policy}\nsize = {}", 4 * slots)).unwrap();
                let options = TableOptions {
                    slots,
                    same_key,
                    guard,
                    layout,
                    index: [Index::Modulo, Index::Mask, Index::Multiply][turn / 3 % 3],
                    evaluations: [Evaluations::Evict, Evaluations::Empty, Evaluations::Refuse][turn / 4 % 3],
                    refresh: [Refresh::Never, Refresh::Match, Refresh::Cutoff][turn / 2 % 3],
                    keep_move: (turn / 5).is_multiple_of(2),
                    keep_pv: turn.is_multiple_of(5),
                    static_evaluation: turn % 7 == 3,
                    demotion: [
                        Demotion::default(),
                        Demotion { refused: 1, missed: 2, from: 3, refused_score: 40, ..Demotion::default() },
                        Demotion { refused: 9, missed: 1, from: 0, exact: true, ..Demotion::default() },
                        Demotion { refused: 2, from: 1, once: !policy.contains("ancient"), ..Demotion::default() },
                    ][turn % 4],
                    // The model's flag is swept, so it can't reproduce a flag that becomes current
                    // again when the age wraps.
                    age_bits: if policy.contains("ancient") { 10 } else { [10, 1, 3][turn / 7 % 3] },
                    huge_pages: false,
                    ..options
                };
                let victim = if turn.is_multiple_of(2) { Victim::Probe } else { Victim::Store };
                let with_victim = TableOptions { victim, ..options.clone() };
                let options = if with_victim.check().is_ok() { with_victim } else { options };
                tables.extend(options.check().is_ok().then_some(options));
            }
        }
    }
    tables
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_policy_equals_its_model(
        steps in prop::collection::vec(any_step(), 1..200),
        turn in 0usize..90,
        start in 0u16..1024,
    ) {
        let keys = keys();
        for options in &every_table(turn) {
            let mut table = build(options, None, false).unwrap().unwrap();
            // The clock's start is random, to check that its wrapping has no effect.
            table.advance(start);
            let mut model = Model::new(options, 4);
            for step in &steps {
                let (position, ends_node) = match *step {
                    Step::Store(position, entry) => {
                        table.store(keys[position], entry);
                        model.store(keys[position], entry);
                        continue;
                    }
                    // Ages are exact up to 1023 ticks.
                    Step::Tick(ticks) if model.now + ticks < 1024 => {
                        table.advance(ticks as u16);
                        model.tick(ticks);
                        continue;
                    }
                    Step::Tick(_) => continue,
                    Step::Probe(position) | Step::Miss(position) => (position, false),
                    Step::Cutoff(position) => (position, true),
                };
                let key = keys[position];
                let hit = table.probe(key, 0);
                if let Some(hit) = hit.as_ref().filter(|_| ends_node) {
                    table.cutoff(hit);
                }
                let answer = hit.map(|hit| {
                    let entry = Entry { used: false, generation: 0, ..hit.entry };
                    (entry, i64::from(hit.draft), i64::from(hit.age))
                });
                prop_assert_eq!(answer, model.probe(key, ends_node), "{:?} in {:?}", step, options);
                if let (Step::Miss(_), Some(hit), Some((bucket, slot))) = (step, hit, model.find(key)) {
                    table.missed(&hit);
                    model.demote(bucket, slot, options.demotion.missed);
                }
            }
            let count = TableCounters { reused: 0, ..table.counters() };
            prop_assert_eq!(count, model.count, "{:?}", options);
            for (position, &key) in keys.iter().enumerate() {
                let is_in_model = model.find(key).is_some();
                prop_assert_eq!(table.probe(key, 0).is_some(), is_in_model, "position {} in {:?}", position, options);
            }
        }
    }
}
