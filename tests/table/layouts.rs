//! Layouts described bit by bit, named ones and random ones: stored entries are found, the memory
//! in use is that of the layout, and packed tables behave like tables of wide entries.

use proptest::prelude::*;
use ttlab::internals::chess::Bound;
use ttlab::internals::decode::from_toml;
use ttlab::internals::table::entry::Packing;
use ttlab::internals::table::memory::Word;
use ttlab::internals::table::options::{Index, Layout, Refresh, Size};
use ttlab::internals::table::packed::Packed;
use ttlab::internals::table::policy::Policy;
use ttlab::internals::table::shape::Shape;
use ttlab::internals::table::{Entry, StaticEvaluation, Table, TableOptions, build, bytes, slot_count};

/// A layout, and the widths of its parts.
#[derive(Debug, Clone)]
struct Plan {
    /// The layout's name or its parts, as in a file.
    text: String,
    bucket: u64,
    slots: u64,
    key_bits: u32,
    high: bool,
    generation: u32,
    evaluation: u32,
    score: u32,
    depth: u32,
    offset: i32,
    pv: bool,
    /// Bits of an entry that no part needs.
    spare_bits: u32,
}

impl Plan {
    fn options(&self) -> TableOptions {
        let shape = Shape::from_name(&self.text).unwrap_or_else(|| Shape::from_text(&self.text).unwrap());
        let options: TableOptions = from_toml(&shape.text()).unwrap();
        TableOptions { layout: Layout::Shape(shape), huge_pages: false, ..options }
    }

    /// The entry as the layout stores it: values that do not fit are clipped or dropped.
    fn clipped(&self, entry: &Entry) -> Entry {
        let max_score = 2_i32.pow(self.score.min(16) - 1) - 1;
        let score = match entry.score {
            i16::MIN => i16::MIN,
            score => i32::from(score).min(max_score).max(-max_score) as i16,
        };
        let depth = i32::from(entry.depth).min(2_i32.pow(self.depth) - 1 + self.offset) as u8;
        let fits = |score: &i32| self.evaluation > 0 && score.abs() < 2_i32.pow(self.evaluation.min(16) - 1);
        let evaluation = entry.evaluation.get().filter(fits).map(StaticEvaluation::new).unwrap_or_default();
        Entry { score, depth, pv: entry.pv && self.pv, evaluation, ..*entry }
    }

    /// Whether storing an entry counts as clipped.
    fn clips(&self, entry: &Entry) -> bool {
        let clipped = self.clipped(entry);
        let loses_evaluation = self.evaluation > 0 && clipped.evaluation != entry.evaluation;
        (clipped.score, clipped.depth) != (entry.score, entry.depth) || loses_evaluation
    }
}

/// The named layouts, with an evaluation if there is room for it.
fn named_plans() -> Vec<Plan> {
    let mut plans = Vec::new();
    for (name, bucket, slots, key_bits, bits) in [
        ("3x10", 32, 3, 16, 80),
        ("3x8", 32, 3, 16, 80),
        ("5x12", 64, 5, 16, 96),
        ("4x16", 64, 4, 32, 128),
        ("2x16", 32, 2, 32, 128),
        ("1x8", 8, 1, 16, 64),
        ("1x10", 10, 1, 16, 80),
        ("1x12", 12, 1, 32, 96),
        ("1x16", 16, 1, 64, 128),
    ] {
        for (generation, evaluation) in [(10, 0), (6, 0), (5, 16)] {
            // Move 15, score 16, depth 8, pv 1 and bound 2.
            let needed = key_bits + generation + evaluation + 42;
            if needed > bits {
                continue;
            }
            let shape = Shape::from_name(name).unwrap();
            let shape = Shape { generation: Some(generation as u8), evaluation: evaluation as u8, ..shape };
            plans.push(Plan {
                text: shape.to_string(),
                bucket,
                slots,
                key_bits,
                high: false,
                generation,
                evaluation,
                score: 16,
                depth: 8,
                offset: 0,
                pv: true,
                spare_bits: bits - needed,
            });
        }
    }
    assert!(plans.len() > 20, "{}", plans.len());
    plans
}

/// A layout whose parts add up, with padding or none.
fn any_plan() -> impl Strategy<Value = Plan> {
    let key = (0u32..=64, any::<bool>(), 0u64..3, any::<bool>());
    let parts =
        (1u32..=10, prop_oneof![Just(0u32), 8u32..=24], 15u32..=24, 8u32..=24, 4u32..=16, -128i32..=0, 0u32..=1);
    (key, parts, 1u64..=8, 0u64..4, 0u64..6).prop_map(
        |((key_bits, separate_keys, spare_words, high), (generation, evaluation, mv, score, depth, offset, pv), slots, more_words, padding)| {
            // A depth of 0 must fit.
            let offset = offset.max(1 - 2_i32.pow(depth));
            let inline_key = if separate_keys { 0 } else { key_bits };
            let needed = inline_key + generation + evaluation + mv + score + depth + 2 + pv;
            let entry = 2 * (u64::from(needed).div_ceil(16) + more_words);
            let key_words = (slots * u64::from(key_bits)).div_ceil(16) + spare_words;
            let keys = if separate_keys { 2 * key_words.max(1) } else { 0 };
            let bucket = slots * entry + keys + 2 * padding;
            let end = if high { "high" } else { "low" };
            let text = format!(
                "{{ bucket = {bucket}, entry = {entry}, slots = {slots}, key_bits = {key_bits}, keys = {keys}, key_end = \
                 '{end}', generation = {generation}, evaluation = {evaluation}, move = {mv}, score = {score}, depth = \
                 {depth}, depth_offset = {offset}, pv = {pv} }}"
            );
            let spare_bits = 8 * entry as u32 - needed;
            Plan {
                text, bucket, slots, key_bits, high, generation, evaluation, score, depth, offset, pv: pv == 1, spare_bits,
            }
        },
    )
}

fn any_layout() -> impl Strategy<Value = Plan> {
    prop_oneof![1 => prop::sample::select(named_plans()), 2 => any_plan()]
}

/// Entries at the ends of every field, and those between.
fn any_entry() -> impl Strategy<Value = Entry> {
    let edge = |bits: u32| {
        let most = 2_i32.pow(bits - 1);
        prop_oneof![-most - 1..=-most + 1, most - 2..=most]
    };
    let number = prop_oneof![2 => -900i32..900, 3 => (8u32..=16).prop_flat_map(edge)];
    let score = number.clone().prop_map(|score| score.clamp(-32_768, 32_767) as i16);
    let evaluation = prop_oneof![1 => Just(None), 3 => number.prop_map(Some)];
    let depth = prop_oneof![2 => 0u8..40, 1 => Just(0), 2 => (4u32..=8).prop_map(|bits| (2_u32.pow(bits) - 1) as u8),
        1 => (4u32..=7).prop_map(|bits| 2_u32.pow(bits) as u8), 1 => any::<u8>()];
    let mv = prop_oneof![1 => Just(0u16), 1 => Just(0x7fff), 1 => Just(0x4000), 3 => 1u16..0x7fff];
    let nodes = prop_oneof![0u32..200, any::<u32>()];
    (crate::any_entry_of(mv, score, depth, nodes), evaluation).prop_map(|(entry, evaluation)| {
        let evaluation = evaluation.map(|score| score.clamp(-32_767, 32_767));
        Entry { evaluation: evaluation.map(StaticEvaluation::new).unwrap_or_default(), ..entry }
    })
}

/// The key of a position with this number; its bits are spread over the whole word.
fn key_of(number: u64) -> u64 {
    (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Each slot keeps the entry that was written to it, with values at both ends of every field,
    /// whatever is written to the other slots. A value that does not fit is clipped, and counted.
    #[test]
    fn every_field_of_every_slot_is_read_back(plan in any_layout(), entries in prop::collection::vec((any::<u64>(), any_entry(), any::<bool>(), any::<u16>()), 8)) {
        let options = plan.options();
        prop_assert_eq!(options.check(), Ok(()));
        let packing = Packed::new(options.shape());
        let slots = plan.slots as usize;
        let mut words = vec![0; (plan.bucket as usize).div_ceil(8)];
        let (bucket, next_bucket) = u16::view_mut(&mut words).split_at_mut(packing.words(slots));
        prop_assert_eq!(2 * bucket.len() as u64, plan.bucket);
        let written: Vec<(u64, Entry)> = entries.iter().take(slots).map(|&(key, entry, used, generation)| {
            let key = if plan.high { key.checked_shr(64 - plan.key_bits) } else { Some(key & ((1_u128 << plan.key_bits) - 1) as u64) };
            let generation = generation % (1 << plan.generation);
            (key.unwrap_or(0), Entry { used, generation, ..entry })
        }).collect();
        for (slot, &(key, ref entry)) in written.iter().enumerate().rev() {
            prop_assert!(packing.is_empty(bucket, slot));
            prop_assert_eq!(packing.stored_key(entries[slot].0, plan.high), key);
            packing.write(bucket, slot, key, entry);
        }
        for (slot, &(key, ref entry)) in written.iter().enumerate() {
            let read_back = packing.entry(bucket, slot);
            let nodes = if plan.spare_bits > 11 { read_back.nodes } else { 0 };
            prop_assert_eq!(read_back, Entry { nodes, used: entry.used && plan.spare_bits > 0, ..plan.clipped(entry) });
            prop_assert!(nodes <= entry.nodes && (plan.spare_bits < 12 || entry.nodes - nodes <= entry.nodes / 64));
            prop_assert_eq!(packing.key(bucket, slot), key);
            prop_assert_eq!(packing.clips(entry), plan.clips(entry), "{:?}", entry);
            // Replacing the data word by itself changes nothing; it does not have the evaluation.
            packing.set_data(bucket, slot, packing.data(bucket, slot));
            prop_assert_eq!(packing.entry(bucket, slot), read_back);
        }
        packing.copy(bucket, slots - 1, 0);
        let last = packing.entry(bucket, slots - 1);
        prop_assert_eq!((packing.key(bucket, 0), packing.entry(bucket, 0)), (written[slots - 1].0, last));
        prop_assert!(next_bucket.iter().all(|&word| word == 0), "the next bucket was written to");
    }

    /// Right after a store, a probe of the position returns the entry as the layout stores it.
    #[test]
    fn stored_entry_is_found(plan in any_layout(), steps in prop::collection::vec((0u64..40, any_entry()), 1..60)) {
        let options = TableOptions { size: Size::Entries(4 * plan.slots), ..plan.options() };
        let mut table = build(&options, None, false).unwrap().unwrap();
        let mut clipped = 0;
        for &(number, entry) in &steps {
            let stored = table.store(key_of(number), entry);
            clipped += u64::from(plan.clips(&entry));
            // An entry that has only an evaluation does not replace one of its own position.
            prop_assert!(!stored.refused || entry.is_evaluation() && stored.same);
            if stored.refused {
                continue;
            }
            let answer = table.probe(key_of(number), 0).expect("what was stored is found").entry;
            let expected = plan.clipped(&entry);
            // An entry without an evaluation keeps the old one of its position.
            let evaluation = if expected.evaluation.get().is_none() { answer.evaluation } else { expected.evaluation };
            prop_assert_eq!(Entry { nodes: 0, used: false, ..answer }, Entry { nodes: 0, evaluation, ..expected });
        }
        prop_assert_eq!(table.counters().clipped, clipped);
    }
}

/// One step of a use of a table.
#[derive(Debug, Clone)]
enum Step {
    Store(u64, Entry),
    Probe(u64),
    Cutoff(u64),
    Miss(u64),
    Tick(u16),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0u64..60, any_entry()).prop_map(|(number, entry)| Step::Store(number, entry)),
        3 => (0u64..60).prop_map(Step::Probe),
        1 => (0u64..60).prop_map(Step::Cutoff),
        1 => (0u64..60).prop_map(Step::Miss),
        1 => (0u16..40).prop_map(Step::Tick),
    ]
}

/// Policies that read only fields that every layout has.
const POLICIES: [&str; 6] = ["always", "depth-preferred", "two-tier", "depth-age", "scored", "expression"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// If every field is wide enough, a packed table answers, decides and counts like a table of
    /// wide entries with as many buckets.
    #[test]
    fn packed_entry_equals_a_wide_one(
        plan in any_layout(),
        steps in prop::collection::vec(any_step(), 1..250),
        rule in 0usize..8,
        turn in 0usize..60,
    ) {
        let plan_options = plan.options();
        let (same_key, guard) = crate::same_key_rules()[rule];
        let policy = Policy::from_name(POLICIES[turn % 6]).unwrap();
        prop_assume!(policy.check(plan_options.slots).is_ok());
        let index = if plan.high { [Index::Mask, Index::Modulo][turn % 2] } else { Index::Multiply };
        let refresh = [Refresh::Never, Refresh::Match, Refresh::Cutoff][turn % 3];
        let keep_move = turn.is_multiple_of(4);
        let demotion = from_toml("refused = 1\nmissed = 2\nfrom = 3").unwrap();
        let size = Size::Entries(4 * plan.slots);
        let packed = TableOptions { policy, same_key, guard, index, refresh, keep_move, demotion, size, ..plan_options };
        let wide = TableOptions { layout: Layout::Bytes16, bucket_bytes: 0, ..packed.clone() };
        let mut tables = [&packed, &wide].map(|options| build(options, None, false).unwrap().unwrap());
        for step in &steps {
            let [of_packed, of_wide] = tables.each_mut().map(|table| play(table.as_mut(), step, &plan));
            prop_assert_eq!(of_packed, of_wide, "{:?} in {}", step, plan.text);
        }
        let [of_packed, of_wide] = tables.each_ref().map(|table| (table.counters(), table.occupancy().occupied));
        prop_assert_eq!(of_packed, of_wide);
        prop_assert_eq!(of_packed.0.clipped, 0);
    }
}

/// Applies a step to a table and returns its result as text. Entries are clipped first, so that
/// they fit.
fn play(table: &mut dyn Table, step: &Step, plan: &Plan) -> String {
    match *step {
        Step::Store(number, entry) => format!("{:?}", table.store(key_of(number), plan.clipped(&entry))),
        Step::Tick(ticks) => {
            table.advance(ticks);
            String::new()
        }
        Step::Probe(number) | Step::Cutoff(number) | Step::Miss(number) => {
            let hit = table.probe(key_of(number), 0);
            if let Some(hit) = &hit {
                match step {
                    Step::Cutoff(_) => table.cutoff(hit),
                    Step::Miss(_) => table.missed(hit),
                    _ => {}
                }
            }
            let answer = hit.map(|hit| (Entry { nodes: 0, used: false, ..hit.entry }, hit.draft, hit.age, hit.slot));
            format!("{answer:?}")
        }
    }
}

/// A table takes the bytes of its buckets and no others; buckets of 10 bytes are not rounded up.
#[test]
fn table_takes_the_bytes_of_its_buckets() {
    for plan in named_plans() {
        let options = TableOptions { size: Size::Bytes(plan.bucket * 1000 + 5), ..plan.options() };
        let table = build(&options, None, false).unwrap().unwrap();
        let (reported, slots) = (table.occupancy().bytes, table.occupancy().slots);
        assert_eq!((reported, slots), (1000 * plan.bucket, 1000 * plan.slots), "{}", plan.text);
        assert_eq!((bytes(&options, None), slot_count(&options, None)), (Some(reported), Some(slots)));
        // The words of one bucket are those bytes.
        assert_eq!(2 * Packed::new(options.shape()).words(plan.slots as usize) as u64, plan.bucket);
    }
}

/// A policy is refused if entries have no room for the fields that it reads.
#[test]
fn policy_without_its_field_is_refused() {
    let ten = "slots = 3\nkey_bits = 16\nage_bits = 6\nlayout = '3x10'\nstatic_evaluation = true";
    let check = |text: &str| {
        let options: TableOptions = from_toml(&format!("{ten}\n{text}")).unwrap();
        options.check().map_err(|error| error.to_string())
    };
    assert_eq!(check("policy = 'depth-age'"), Ok(()));
    for (policy, problem_start) in [
        ("'big1'", "\"big1\" reads the nodes of a subtree"),
        ("{ kind = 'scored', nodes = 1 }", "\"scored\" reads the nodes of a subtree"),
        ("{ kind = 'expression', worth = 'nodes + depth' }", "\"expression\" reads the nodes of a subtree"),
        ("'ancient'", "\"ancient\" marks entries as used"),
    ] {
        let problem = check(&format!("policy = {policy}")).unwrap_err();
        assert!(
            problem.starts_with(&format!("table.policy: {problem_start}, for which table.layout has no room")),
            "{problem}"
        );
    }
}

/// Buckets that share a word of memory do not change each other's bits.
#[test]
fn neighbouring_buckets_share_no_bit() {
    let text = "slots = 1\nkey_bits = 16\nage_bits = 6\nbucket_bytes = 10\nlayout = '1x10'\nstatic_evaluation = true\n\
                index = 'modulo'\nsize = 7";
    let mut table = build(&from_toml(text).unwrap(), None, false).unwrap().unwrap();
    let entry = |key: u64| Entry { score: key as i16 - 3, depth: key as u8, bound: Bound::Exact, ..Entry::default() };
    for keys in [[0, 1, 2, 3, 4, 5, 6], [5, 3, 1, 6, 0, 2, 4]] {
        for key in keys {
            table.store(key | key << 48, entry(key));
        }
        assert!(
            (0..7).all(|key| table.probe(key | key << 48, 0).is_some_and(|hit| hit.entry.score == entry(key).score))
        );
    }
}
