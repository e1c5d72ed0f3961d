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
struct Kept {
    key: u64,
    entry: Entry,
    /// When it was written or refreshed, on a clock that doesn't wrap.
    at: u64,
    /// Whether a refused store has taken depth from it since it was written.
    demoted: bool,
    /// The opposite of the Ancient flag: set when the entry is useful, cleared at every tick.
    useful: bool,
}

struct Model<'a> {
    options: &'a TableOptions,
    /// The policy and its parameters, as TOML.
    text: String,
    buckets: Vec<Vec<Kept>>,
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

    fn find(&self, key: u64) -> Option<(usize, usize)> {
        let bucket = self.bucket_of(key);
        Some((bucket, self.buckets[bucket].iter().position(|kept| kept.key == key)?))
    }

    /// If ages have few bits, an old entry can look new again.
    fn age(&self, kept: &Kept) -> i64 {
        ((self.now - kept.at) % (1 << self.options.age_bits)) as i64
    }

    fn tick(&mut self, ticks: u64) {
        self.now += ticks;
        self.probed.clear();
        if ticks > 0 {
            self.buckets.iter_mut().flatten().for_each(|kept| kept.useful = false);
        }
    }

    /// Returns the entry, its draft and its age. `cut`: the hit ends its node.
    fn probe(&mut self, key: u64, cut: bool) -> Option<(Entry, i64, i64)> {
        self.count.probes += 1;
        let Some((bucket, slot)) = self.find(key) else {
            let full = self.buckets[self.bucket_of(key)].len() == usize::from(self.options.slots);
            *(if full { &mut self.count.misses_other } else { &mut self.count.misses_empty }) += 1;
            if self.options.victim == Victim::Probe {
                let bucket = &self.buckets[self.bucket_of(key)];
                let any = Kept { key, entry: Entry::default(), at: self.now, demoted: false, useful: false };
                let (slot, _) = self.fate(bucket, usize::from(self.options.slots), &any).unwrap();
                self.probed.push((key, slot));
            }
            return None;
        };
        self.count.hits += 1;
        self.probed.push((key, slot));
        let kept = self.buckets[bucket][slot];
        let says = |words| self.text.contains(words);
        let useful = says("useful = \"match\"") || cut && says("useful = \"cutoff\"");
        let refresh = match self.options.refresh {
            Refresh::Never => false,
            Refresh::Match => true,
            Refresh::Cutoff => cut,
        };
        let (now, age) = (self.now, self.age(&kept));
        let found = &mut self.buckets[bucket][slot];
        found.useful |= useful;
        if useful || refresh {
            found.at = now;
        }
        let depth = i64::from(kept.entry.depth);
        let draft = match &self.options.policy {
            Policy::AgedDepth(aged) if !self.text.contains("on = \"store\"") => depth - i64::from(aged.factor) * age,
            _ => depth,
        };
        Some((kept.entry, draft, age))
    }

    /// Whether the entry is one that loses depth.
    fn demote(&mut self, bucket: usize, slot: usize, plies: u8) -> bool {
        let (demotion, entry) = (self.options.demotion, &mut self.buckets[bucket][slot].entry);
        let loses = entry.depth >= demotion.from && (demotion.exact || entry.bound != Bound::Exact);
        if loses {
            entry.depth = entry.depth.saturating_sub(plies);
        }
        loses
    }

    /// Decides by the policy's definition where a newcomer goes in a bucket with `slots` slots.
    fn fate(&self, bucket: &[Kept], slots: usize, new: &Kept) -> Fate {
        let depth = |kept: &Kept| i64::from(kept.entry.depth);
        let nodes = |kept: &Kept| i64::from(kept.entry.nodes);
        let last = (bucket.len() == slots).then_some(slots - 1);
        // Policies that keep their slots in order.
        let front = match &self.options.policy {
            Policy::Always(_) => return Some((0, last)),
            Policy::TwoDeep(_) | Policy::TwoTier(_) => bucket.first().is_none_or(|first| depth(new) >= depth(first)),
            Policy::TwoBig1(_) => bucket.first().is_none_or(|first| nodes(new) >= nodes(first)),
            _ if bucket.len() < slots => return Some((bucket.len(), None)),
            _ => false,
        };
        let worth: Box<dyn Fn(&Kept) -> i64> = match self.options.policy {
            Policy::TwoDeep(_) | Policy::TwoBig1(_) => return Some((usize::from(!front), last)),
            Policy::TwoTier(_) if front => return Some((0, bucket.first().map(|_| 0))),
            Policy::TwoTier(_) => return Some((1, last)),
            Policy::Never(_) => return None,
            Policy::Ancient(_) => {
                let free = bucket.iter().filter(|kept| !kept.useful).map(|kept| kept.at).min()?;
                let slot = bucket.iter().position(|kept| !kept.useful && kept.at == free)?;
                return Some((slot, Some(slot)));
            }
            Policy::VipermateFirst(_) => {
                let old = bucket[0];
                let same = old.key == new.key;
                let better = depth(new) >= depth(&old) && (!same || new.entry.bound >= old.entry.bound);
                return (old.entry.bound == Bound::Upper || better).then_some((0, Some(0)));
            }
            Policy::DepthPreferred(_) => Box::new(depth),
            Policy::Big1(_) | Policy::BigAll(_) => Box::new(nodes),
            Policy::AgedDepth(_) if self.text.contains("on = \"probe\"") => Box::new(depth),
            Policy::AgedDepth(aged) => Box::new(move |kept| depth(kept) - i64::from(aged.factor) * self.age(kept)),
            Policy::DepthAge(rule) => Box::new(move |kept| depth(kept) - i64::from(rule.factor) * self.age(kept)),
            Policy::Scored(weigh) => Box::new(move |kept| {
                let weighed = [
                    (weigh.depth, depth(kept)),
                    (-weigh.age, self.age(kept)),
                    (weigh.exact, i64::from(kept.entry.bound == Bound::Exact)),
                    (weigh.lower, i64::from(kept.entry.bound == Bound::Lower && kept.entry.score > -32_768)),
                    (weigh.upper, i64::from(kept.entry.bound == Bound::Upper)),
                    (weigh.mv, i64::from(!kept.entry.mv.is_none())),
                    (weigh.pv, i64::from(kept.entry.pv)),
                    (weigh.nodes, (kept.entry.nodes.max(1) as f64).log2().floor() as i64),
                ];
                weighed.iter().map(|&(weight, value)| i64::from(weight) * value).sum()
            }),
            Policy::Formula(_) if self.text.contains("nodes") => Box::new(move |kept| {
                let entry = kept.entry;
                let bound = [0, -1, if entry.score > -32_768 { 2 } else { 0 }, 4][entry.bound as usize];
                let rest = 5 * i64::from(entry.pv) + i64::from(!entry.mv.is_none());
                3 * depth(kept) - 7 * self.age(kept) + bound + rest + nodes(kept) / 8 + i64::from(entry.score) / 100
            }),
            Policy::Formula(_) => Box::new(move |kept| depth(kept) - 8 * self.age(kept)),
            Policy::Always(_) | Policy::Random(_) | Policy::External(_) => {
                unreachable!("answered above, or without a model")
            }
            Policy::Clock(_) | Policy::Sieve(_) | Policy::S3Fifo(_) | Policy::TinyLfu(_) => {
                unreachable!("tests/table/caches.rs")
            }
        };
        let least = bucket.iter().map(&worth).min()?;
        let slot = match self.text.contains("ties = \"last\"") {
            false => bucket.iter().position(|kept| worth(kept) == least)?,
            true => bucket.iter().rposition(|kept| worth(kept) == least)?,
        };
        let reaches = match &self.options.policy {
            Policy::DepthAge(rule) => !rule.refuse || worth(new) >= least,
            Policy::Scored(weigh) => worth(new) >= least + i64::from(weigh.margin),
            Policy::Formula(_) if self.text.contains("nodes") => {
                let (old, exact) = (&bucket[slot], |kept: &Kept| kept.entry.bound == Bound::Exact);
                2 * depth(new) >= depth(old) - 4 * self.age(old) || exact(new) && !exact(old)
            }
            Policy::Formula(_) => true,
            _ => worth(new) >= least,
        };
        reaches.then_some((slot, Some(slot)))
    }

    /// The fate of a newcomer if the policy decides about its own old entry: no other entry may be
    /// evicted.
    fn fate_of_same(&self, bucket: &[Kept], slot: usize, new: &Kept) -> Fate {
        if matches!(self.options.policy, Policy::Formula(_)) {
            // A formula that protects an entry from others also protects it from a newer entry of
            // its own position.
            return self.fate(&bucket[slot..=slot], 1, new).map(|_| (slot, Some(slot)));
        }
        let (at, gone) = self.fate(bucket, bucket.len(), new)?;
        let moves = matches!(
            self.options.policy,
            Policy::Always(_) | Policy::TwoDeep(_) | Policy::TwoBig1(_) | Policy::TwoTier(_)
        );
        if moves && at <= slot && gone.is_some_and(|gone| slot <= gone) {
            return Some((at, Some(slot)));
        }
        // The policy must accept the newcomer in a bucket with one slot that contains only the old
        // entry.
        let (at, _) = self.fate(&bucket[slot..=slot], 1, new)?;
        (at == 0).then_some((slot, Some(slot)))
    }

    fn store(&mut self, key: u64, entry: Entry) {
        self.count.stores += 1;
        let born = self.text.contains("protect_new = true");
        let keeps = self.options.static_evaluation || self.options.layout == Layout::Bytes24;
        let evaluation = if keeps { entry.evaluation } else { StaticEvaluation::default() };
        let mut new = Kept { key, entry: Entry { evaluation, ..entry }, at: self.now, demoted: false, useful: born };
        let place = self.bucket_of(key);
        let bucket = self.buckets[place].clone();
        let slots = usize::from(self.options.slots);
        let mut chosen = None;
        if self.options.victim == Victim::Probe
            && let Some(last) = self.probed.iter().rposition(|&(probed, _)| probed == key)
        {
            self.probed.truncate(last + 1);
            chosen = Some(self.probed[last].1);
        }
        let same = match chosen {
            None => bucket.iter().position(|kept| kept.key == key),
            Some(slot) => bucket.get(slot).is_some_and(|kept| kept.key == key).then_some(slot),
        };
        let alone = entry.score == i16::MIN;
        let barred = match self.options.evaluations {
            Evaluations::Evict => false,
            Evaluations::Empty => bucket.len() == slots,
            Evaluations::Refuse => true,
        };
        let fate = match same {
            _ if alone && (same.is_some() || barred) => None,
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
                let exact = entry.bound == Bound::Exact;
                let lets = match self.options.same_key {
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
                        let better = exact && old.entry.bound != Bound::Exact;
                        better || gain >= 2 * (old_depth + worth(&old.entry))
                    }
                    SameKey::Guard => {
                        let guard = self.options.guard;
                        let open = i32::from(guard.pv) * i32::from(new.entry.pv);
                        (exact && guard.exact)
                            || depth + open > old_depth - i32::from(guard.margin)
                            || (guard.age && self.age(&old) > 0)
                    }
                };
                if self.options.same_key == SameKey::Policy {
                    self.fate_of_same(&bucket, slot, &new)
                } else {
                    let guard = self.options.guard;
                    let renews = guard.move_first || guard.fill_move && old.entry.mv.is_none();
                    let renews = self.options.same_key == SameKey::Guard && renews;
                    if !lets && renews && !new.entry.mv.is_none() {
                        self.buckets[place][slot].entry.mv = new.entry.mv;
                    }
                    let alone = old.entry.score == i16::MIN;
                    let score = if alone { 0 } else { i32::from(old.entry.score).abs() };
                    let again = old.demoted && self.options.demotion.once;
                    if !lets && !again && score >= i32::from(self.options.demotion.refused_score) {
                        self.buckets[place][slot].demoted = self.demote(place, slot, self.options.demotion.refused);
                    }
                    new.useful |= old.useful;
                    lets.then_some((slot, Some(slot)))
                }
            }
        };
        let count = &mut self.count;
        let Some((at, gone)) = fate else {
            count.rejections += 1;
            return;
        };
        *(match (same, gone) {
            (Some(_), _) => &mut count.updates,
            (None, Some(_)) => &mut count.evictions,
            (None, None) => &mut count.fills,
        }) += 1;
        new.entry.nodes = match self.options.layout {
            Layout::Bytes24 => new.entry.nodes,
            _ if self.options.static_evaluation => new.entry.nodes,
            // Rounded down to seven leading bits.
            _ => {
                let drop = new.entry.nodes.max(1).ilog2().saturating_sub(6);
                new.entry.nodes >> drop << drop
            }
        };
        let bucket = &mut self.buckets[place];
        if let Some(gone) = gone {
            bucket.remove(gone);
        }
        bucket.insert(at, new);
    }
}

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
    let ends =
        |shift: u32| keys.iter().map(|key| key >> shift & 0xffff).collect::<std::collections::HashSet<_>>().len();
    assert_eq!((ends(0), ends(48)), (POSITIONS, POSITIONS));
    keys
}

/// Typical entries, and entries at the limits of what the layouts can hold.
fn any_entry() -> impl Strategy<Value = Entry> {
    let nodes = prop_oneof![4 => 1u32..100, 4 => 1u32..3000, 4 => 1u32..u32::MAX, 1 => Just(u32::MAX)];
    let score = prop_oneof![8 => -900i16..900, 1 => Just(-32_001), 1 => Just(32_001), 1 => Just(-1), 1 => Just(0)];
    let depth = prop_oneof![12 => 0u8..14, 1 => Just(0), 1 => Just(127), 1 => Just(128), 1 => 250u8..=255];
    let mv = prop_oneof![2 => Just(0u16), 6 => 1u16..0x7fff, 1 => Just(0x7fff)];
    let alone = (0u8..3, any::<bool>()).prop_map(|(depth, pv)| Entry::evaluation(depth, pv));
    let entry = prop_oneof![9 => crate::any_entry_of(mv, score, depth, nodes), 1 => alone];
    let evaluation =
        prop_oneof![2 => Just(StaticEvaluation::default()), 1 => (-32_767..=32_767).prop_map(StaticEvaluation::new)];
    (entry, evaluation).prop_map(|(entry, evaluation)| Entry { evaluation, ..entry })
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..POSITIONS, any_entry()).prop_map(|(place, entry)| Step::Store(place, entry)),
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
    "{ kind = 'scored', depth = 3, age = 5, exact = 4, pv = 7, nodes = 2, margin = 1 }",
    "{ kind = 'scored', depth = -2, age = -1, exact = -4, pv = 3, nodes = -1, margin = -3 }",
    "{ kind = 'scored', depth = 0, age = 1, nodes = 3, margin = 0 }",
    "{ kind = 'scored', depth = 763, age = 4679, pv = 198, lower = 317, upper = 427, exact = 40, move = 315 }",
    "{ kind = 'scored', depth = 1, age = 1, lower = -1, upper = 1, move = 1, margin = 1, ties = 'last' }",
    "{ kind = 'depth-age', factor = 4, ties = 'last' }",
    "'expression'",
    "{ kind = 'expression', worth = '3 * depth - 7 * age + 4 * exact + 2 * lower - upper + 5 * pv + move + nodes / 8 + \
     score / 100', lets = '2 * depth >= old_depth - 4 * age or exact and not old_exact', ties = 'last' }",
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
                let chosen = TableOptions { victim, ..options.clone() };
                let options = if chosen.check().is_ok() { chosen } else { options };
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
                let (place, cut) = match *step {
                    Step::Store(place, entry) => {
                        table.store(keys[place], entry);
                        model.store(keys[place], entry);
                        continue;
                    }
                    // Ages are exact up to 1023 ticks.
                    Step::Tick(ticks) if model.now + ticks < 1024 => {
                        table.advance(ticks as u16);
                        model.tick(ticks);
                        continue;
                    }
                    Step::Tick(_) => continue,
                    Step::Probe(place) => (place, false),
                    Step::Cutoff(place) => (place, true),
                    Step::Miss(place) => (place, false),
                };
                let hit = table.probe(keys[place], 0);
                if let Some(hit) = hit.as_ref().filter(|_| cut) {
                    table.cutoff(hit);
                }
                let found = hit.map(|hit| {
                    let entry = Entry { used: false, generation: 0, ..hit.entry };
                    (entry, i64::from(hit.draft), i64::from(hit.age))
                });
                prop_assert_eq!(found, model.probe(keys[place], cut), "{:?} in {:?}", step, options);
                if let (Step::Miss(_), Some(hit), Some((bucket, slot))) = (step, hit, model.find(keys[place])) {
                    table.missed(&hit);
                    model.demote(bucket, slot, options.demotion.missed);
                }
            }
            let count = TableCounters { reused: 0, ..table.counters() };
            prop_assert_eq!(count, model.count, "{:?}", options);
            for (place, &key) in keys.iter().enumerate() {
                let held = model.find(key).is_some();
                prop_assert_eq!(table.probe(key, 0).is_some(), held, "position {} in {:?}", place, options);
            }
        }
    }
}
