//! A table of fixed size, compiled separately for each replacement policy and entry layout.

mod division;
mod zero_key;

use super::entry::{self, GENERATIONS, MAX_SLOTS, Packing};
use super::kept::TableMemory;
use super::layout::{bucket_bytes, compares_high_bits};
use super::memory::Word;
use super::options::{Demotion, Evaluations, Index, Refresh, Victim};
use super::policy::{Decision, Mark, Newcomer, Replacement};
use super::probed_slots::ProbedSlots;
use super::same_key::{Rule, SameKey};
use super::shape::ZeroKey;
use super::shared::{Division, Places};
use super::{
    Entry, Hit, Instrumented, Occupancy, OptionError, StoreOutcome, Table, TableCounters, TableError, TableOptions,
};
use crate::chess::Bound;

/// A table of buckets with one replacement policy. `SLOTS`: the number of slots per bucket for
/// which the code is compiled, or 0 for any number.
// Tables of two threads have no cache line in common.
#[repr(align(128))]
pub struct Bounded<P: Replacement, L: Packing, const SLOTS: usize = 0> {
    memory: TableMemory,
    policy: P,
    buckets: u64,
    /// The first bucket in the memory, which is 0 unless the memory is a window of a table.
    first_bucket: u64,
    slots: usize,
    words: usize,
    index: Index,
    /// Whether `index` is the usual one, which is then asked about first.
    multiplies: bool,
    /// Mask of the stored key's bits that are compared.
    key_mask: u64,
    /// Bytes per bucket as reported; `table.bucket_bytes` may set another number than the memory in
    /// use.
    bucket_bytes: u64,
    /// Whether the key's high bits are compared (the index then uses the low ones).
    compares_high_bits: bool,
    same_key_rule: Rule,
    refresh: Refresh,
    evaluations: Evaluations,
    mark: Mark,
    /// Whether a key match writes to its slot, to set the mark or to renew the age.
    writes_on_match: bool,
    demotion: Demotion,
    /// The slots chosen by probes, if stores use them (`victim = "probe"`).
    probed: Option<ProbedSlots>,
    /// Whether stores use slots chosen by probes, or key bits of 0 have a special meaning.
    finds_slots: bool,
    now: u16,
    /// Mask of an age: ages are counted modulo `age_mask + 1`.
    age_mask: u16,
    /// Number of entries by generation, so that occupancy needs no scan of the memory. Generations
    /// that the clock has not reached have no number.
    generation_counts: Vec<u64>,
    counters: TableCounters,
    packing: L,
}

fn allocate(options: &TableOptions, buckets: u64, bucket_bytes: usize) -> Result<TableMemory, TableError> {
    // The memory consists of 64-bit words.
    let len = usize::try_from(buckets)
        .ok()
        .and_then(|buckets| buckets.checked_mul(bucket_bytes))
        .map(|bytes| bytes.div_ceil(8))
        .ok_or(TableError::Memory { bytes: u64::MAX, available: None })?;
    TableMemory::new(len, bucket_bytes, options.huge_pages)
}

fn key_mask(options: &TableOptions, key_bits: u32) -> u64 {
    let compared_bits = u32::from(options.key_bits).min(options.layout.key_bits());
    let low_bits = if compared_bits == 0 { 0 } else { u64::MAX >> (64 - compared_bits) };
    // `% 64`, because without compared bits the shift could be 64.
    if compares_high_bits(options) { low_bits << ((key_bits - compared_bits) % 64) } else { low_bits }
}

/// Keeps the code of a rare store out of the common one.
#[cold]
#[inline(never)]
fn rarely<T>(store: impl FnOnce() -> T) -> T {
    store()
}

impl<P: Replacement, L: Packing, const SLOTS: usize> Bounded<P, L, SLOTS> {
    /// Creates a table of `buckets` buckets. If `SLOTS` is not 0, `options.slots` must equal it.
    ///
    /// # Errors
    /// When there is not enough memory, or when `options.slots` is not the required number.
    pub fn new(options: &TableOptions, policy: P, buckets: u64) -> Result<Self, TableError> {
        let packing = L::new(options.shape());
        let slots = usize::from(options.slots).clamp(1, MAX_SLOTS);
        if SLOTS > 0 && SLOTS != slots {
            let problem = format!("{slots} does not match the compiled table: expected {SLOTS}");
            return Err(OptionError::new("table.slots", problem).into());
        }
        let (words, buckets) = (packing.words(slots), buckets.max(1));
        Ok(Self {
            memory: allocate(options, buckets, words * size_of::<L::Word>())?,
            policy,
            buckets,
            first_bucket: 0,
            slots,
            words,
            index: options.index,
            multiplies: options.index == Index::Multiply,
            key_mask: key_mask(options, packing.key_bits()),
            bucket_bytes: bucket_bytes(options),
            compares_high_bits: compares_high_bits(options),
            same_key_rule: options.same_key_rule(),
            refresh: options.refresh,
            evaluations: options.evaluations,
            mark: policy.mark_when(),
            writes_on_match: policy.mark_when() == Mark::Match || options.refresh == Refresh::Match,
            demotion: options.demotion,
            probed: (options.victim == Victim::Probe).then(ProbedSlots::default),
            finds_slots: options.victim == Victim::Probe || packing.zero_key().is_some(),
            now: 0,
            // Generations have ten bits.
            age_mask: (1 << options.age_bits.min(10)) - 1,
            generation_counts: vec![0],
            counters: TableCounters::default(),
            packing,
        })
    }

    #[inline]
    fn slots(&self) -> usize {
        if SLOTS > 0 { SLOTS } else { self.slots }
    }

    #[inline]
    fn words(&self) -> usize {
        if SLOTS > 0 { self.packing.words(SLOTS) } else { self.words }
    }

    #[inline(always)]
    fn words_at(&self, start: usize) -> &[L::Word] {
        &L::Word::view(&self.memory)[start..start + self.words()]
    }

    /// The words of the bucket that begins at word `start`, and the packing that reads them.
    #[inline(always)]
    fn words_at_mut(&mut self, start: usize) -> (&mut [L::Word], &L) {
        let end = start + self.words();
        (&mut L::Word::view_mut(&mut self.memory)[start..end], &self.packing)
    }

    /// Tells the memory that an empty slot of the bucket that begins at word `start` is written. A
    /// bucket without one was told about before.
    #[inline(always)]
    fn record_fill(&mut self, start: usize) {
        self.memory.record(start / (8 / size_of::<L::Word>()));
    }

    /// If the bucket has fewer than `MAX_SLOTS` slots, the remaining entries are empty. The
    /// function is always inlined, so that the compiler removes the code that unpacks fields the
    /// policy does not read.
    #[inline(always)]
    fn unpacked_bucket(&self, start: usize) -> [Entry; MAX_SLOTS] {
        let bucket = self.words_at(start);
        let mut entries = [Entry::default(); MAX_SLOTS];
        for (slot, entry) in entries[..self.slots()].iter_mut().enumerate() {
            *entry = self.entry(bucket, slot);
        }
        entries
    }

    /// The entry of a slot. Stored generations count modulo 2^`age_bits`; this one is converted to
    /// the 1,024 generations of [`Entry::age`].
    #[inline(always)]
    fn entry(&self, bucket: &[L::Word], slot: usize) -> Entry {
        self.entry_and_age(bucket, slot).0
    }

    #[inline(always)]
    fn entry_and_age(&self, bucket: &[L::Word], slot: usize) -> (Entry, u16) {
        let entry = self.packing.entry(bucket, slot);
        let age = self.now.wrapping_sub(entry.generation) & self.age_mask;
        (Entry { generation: self.now.wrapping_sub(age) % GENERATIONS, ..entry }, age)
    }

    #[inline]
    fn bucket_number(&self, key: u64) -> usize {
        let index = if self.multiplies { Index::Multiply } else { self.index };
        let bucket_number = index.bucket(key, self.buckets) - self.first_bucket;
        debug_assert!(bucket_number < self.buckets, "bucket {bucket_number} of {}", self.buckets);
        bucket_number as usize
    }

    /// If the number of slots is known at compile time, all slots are compared without a branch. It
    /// is unpredictable which slot matches, and a mispredicted branch would cost more than the
    /// comparisons.
    #[inline(always)]
    fn first_slot(&self, matches: impl Fn(usize) -> bool) -> Option<usize> {
        if SLOTS == 0 {
            return (0..self.slots).find(|&slot| matches(slot));
        }
        let mut found = 0u32;
        for slot in 0..SLOTS {
            found |= u32::from(matches(slot)) << slot;
        }
        (found != 0).then(|| found.trailing_zeros() as usize)
    }

    #[inline(always)]
    fn find(&self, bucket: &[L::Word], stored_key: u64) -> Option<usize> {
        debug_assert_eq!(bucket.len(), self.words(), "the bucket has a wrong number of words");
        // Key bits of 0 may have a special meaning.
        if let Some(zero_key) = self.zero_key_for(stored_key) {
            return self.find_for_probe(bucket, stored_key, zero_key);
        }
        let has_key = |slot| (self.packing.key(bucket, slot) ^ stored_key) & self.key_mask == 0;
        // All bits of an empty slot are 0, so no other key matches it.
        if stored_key & self.key_mask == 0 {
            return (0..self.slots()).find(|&slot| has_key(slot) && !self.packing.is_empty(bucket, slot));
        }
        self.first_slot(has_key)
    }

    /// Whether no slot is free. If empty slots are filled before the policy is asked, they are
    /// filled in order, so the last slot says it.
    #[inline(always)]
    fn is_full(&self, bucket: &[L::Word]) -> bool {
        match self.policy.fills_empty() && !self.finds_slots {
            true => !self.packing.is_empty(bucket, self.slots() - 1),
            false => self.first_free(bucket).is_none(),
        }
    }

    #[inline]
    fn first_free(&self, bucket: &[L::Word]) -> Option<usize> {
        if self.packing.zero_key().is_some_and(ZeroKey::frees_slots) {
            return self.first_with_key_zero(bucket);
        }
        (0..self.slots()).find(|&slot| self.packing.is_empty(bucket, slot))
    }

    /// Decides about a newcomer whose position already has the entry in `slot`. The policy first
    /// decides about the whole bucket. If the policy would evict another position, it then decides
    /// about a bucket that has only the old entry. So a position never occupies two slots, and a
    /// new result of a position never evicts another position.
    #[inline]
    fn decide_same_key(&self, start: usize, newcomer: Newcomer, slot: usize) -> Decision {
        let entries = self.unpacked_bucket(start);
        let entries = &entries[..self.slots()];
        match self.policy.decide(entries, &newcomer, self.now) {
            Decision::Insert { slot: first, last } if (first..=last).contains(&slot) => {
                // The entries from `first` on move down over the old entry.
                Decision::Insert { slot: first, last: slot }
            }
            Decision::Refuse => Decision::Refuse,
            Decision::Insert { .. } => {
                // The old entry is in slot 0 of this bucket of one slot.
                let newcomer = Newcomer { same: Some(0), ..newcomer };
                match self.policy.decide(&entries[slot..=slot], &newcomer, self.now) {
                    Decision::Insert { slot: 0, .. } => Decision::replace(slot),
                    _ => Decision::Refuse,
                }
            }
        }
    }

    /// Decides about a newcomer whose position has no entry in the bucket.
    #[inline]
    fn decide_new_key(&self, start: usize, newcomer: &Newcomer) -> Decision {
        let bucket = self.words_at(start);
        self.policy.decide_lazily(self.slots(), |slot| self.entry(bucket, slot), newcomer, self.now)
    }

    /// Whether a bucket refuses an entry that has only a static evaluation. The bucket has no entry
    /// of the same position.
    #[cold]
    fn refuses_evaluation(&self, bucket: &[L::Word]) -> bool {
        match self.evaluations {
            Evaluations::Evict => false,
            Evaluations::Empty => self.first_free(bucket).is_none(),
            Evaluations::Refuse => true,
        }
    }

    /// Chooses the slot for the store that follows a probe without an answer. Returns whether the
    /// bucket is full.
    #[inline(never)]
    fn choose_at_probe(&mut self, key: u64, start: usize, stored_key: u64) -> bool {
        // Under `victim = "probe"` a policy ignores the newcomer, so an empty entry can be used as
        // the newcomer.
        let newcomer = Newcomer { entry: Entry::default(), key, same: None };
        let bucket = self.words_at(start);
        let first_free = self.first_free(bucket);
        let free_slot = match self.zero_key_for(stored_key) {
            Some(_) => self.find_free(bucket, stored_key),
            None if self.policy.fills_empty() => first_free,
            None => None,
        };
        let slot = free_slot.unwrap_or_else(|| match self.decide_new_key(start, &newcomer) {
            Decision::Insert { slot, .. } => slot,
            // This never happens, because a policy that ignores the newcomer refuses nothing.
            Decision::Refuse => 0,
        });
        if let Some(probed) = &mut self.probed {
            probed.push(key, slot);
        }
        first_free.is_none()
    }

    /// If `FINDS_SLOTS` is true, the slot may have been chosen at the probe or may match key bits
    /// of 0, and the entry may have only a static evaluation.
    #[inline(always)]
    fn store_entry<const FINDS_SLOTS: bool>(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        debug_assert!(!entry.is_empty(), "a result without a bound would be read as an empty slot");
        self.counters.stores += 1;
        let bucket_number = self.bucket_number(key);
        let start = bucket_number * self.words();
        let stored_key = self.packing.stored_key(key, self.compares_high_bits);
        self.counters.clipped += u64::from(self.packing.clips(&entry));
        if FINDS_SLOTS {
            let chosen_slot = self.probed.as_mut().and_then(|probed| probed.return_to(key));
            let bucket = self.words_at(start);
            let frees_slots = self.packing.zero_key().is_some_and(ZeroKey::frees_slots);
            let found_slot = chosen_slot
                .or_else(|| self.find_for_store(bucket, stored_key))
                .or_else(|| if frees_slots && self.policy.fills_empty() { self.first_free(bucket) } else { None });
            // The chosen slot may hold another position, and the slot that matches a key of 0 may
            // be empty.
            let own_slot = found_slot.filter(|&slot| {
                (self.packing.key(bucket, slot) ^ stored_key) & self.key_mask == 0
                    && !self.packing.is_empty(bucket, slot)
            });
            if entry.is_evaluation() && (own_slot.is_some() || self.refuses_evaluation(bucket)) {
                return self.refuse(bucket_number, own_slot);
            }
            if let Some(slot) = own_slot {
                return self.store_same_key(key, entry, bucket_number, slot, stored_key);
            }
            if let Some(slot) = found_slot {
                return self.insert(bucket_number, stored_key, self.stamp(entry), Decision::replace(slot), None);
            }
        } else if let Some(slot) = self.find(self.words_at(start), stored_key) {
            return self.store_same_key(key, entry, bucket_number, slot, stored_key);
        }
        // An empty slot is filled without a decision of the policy, unless the policy weighs empty
        // slots or keeps its slots in order.
        if self.policy.fills_empty()
            && let Some(slot) = self.first_free(self.words_at(start))
        {
            self.counters.fills += 1;
            let entry = self.stamp(entry);
            let (bucket, packing) = self.words_at_mut(start);
            packing.write(bucket, slot, stored_key, &entry);
            self.record_fill(start);
            self.count_replacement(None);
            return StoreOutcome::in_slot(bucket_number * self.slots() + slot, false);
        }
        if FINDS_SLOTS {
            return self.store_new_key(key, entry, bucket_number, stored_key);
        }
        self.store_in_full_bucket(key, entry, bucket_number, stored_key)
    }

    /// Stores an entry of a new position in a bucket about which the policy decides.
    #[inline(always)]
    fn store_new_key(&mut self, key: u64, entry: Entry, bucket_number: usize, stored_key: u64) -> StoreOutcome {
        let entry = self.stamp(entry);
        let decision = self.decide_new_key(bucket_number * self.words(), &Newcomer { entry, key, same: None });
        self.insert(bucket_number, stored_key, entry, decision, None)
    }

    /// A function of its own, so that a store in a free slot is short.
    #[inline(never)]
    fn store_in_full_bucket(&mut self, key: u64, entry: Entry, bucket_number: usize, stored_key: u64) -> StoreOutcome {
        self.store_new_key(key, entry, bucket_number, stored_key)
    }

    /// The answer to a probe whose key matches a slot.
    #[inline(never)]
    fn answer(&mut self, key: u64, bucket_number: usize, slot: usize) -> Option<Hit> {
        let start = bucket_number * self.words();
        let (entry, age) = self.entry_and_age(self.words_at(start), slot);
        if entry.is_empty() {
            if self.packing.zero_key().is_some() {
                return Some(self.answer_empty(key, bucket_number, slot, entry, age));
            }
            // Another thread has written the key alone.
            self.counters.misses_empty += 1;
            return None;
        }
        self.counters.hits += 1;
        let hit = Hit { entry, draft: self.policy.draft(&entry, age), age, slot: bucket_number * self.slots() + slot };
        if self.writes_on_match || self.probed.is_some() {
            self.note_match(key, start, slot, entry.used);
        }
        Some(hit)
    }

    /// What a few tables do when a probe finds an entry.
    #[inline(never)]
    fn note_match(&mut self, key: u64, start: usize, slot: usize, was_used: bool) {
        if self.writes_on_match {
            self.counters.reused += u64::from(self.mark == Mark::Match && !was_used);
            self.touch(start, slot, self.mark == Mark::Match, self.refresh == Refresh::Match);
        }
        if let Some(probed) = &mut self.probed {
            probed.push(key, slot);
        }
    }

    /// The two kinds of stores are functions of their own, so that no table pays for the other.
    #[inline(never)]
    fn store_in_any_slot(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        self.store_entry::<false>(key, entry)
    }

    #[inline(never)]
    fn store_in_found_slot(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        self.store_entry::<true>(key, entry)
    }

    /// Stores an entry whose slot was chosen at the probe.
    #[inline(always)]
    fn store_in_slot(&mut self, key: u64, slot: usize, entry: Entry) -> StoreOutcome {
        self.counters.stores += 1;
        let bucket_number = self.bucket_number(key);
        let stored_key = self.packing.stored_key(key, self.compares_high_bits);
        self.counters.clipped += u64::from(self.packing.clips(&entry));
        let bucket = self.words_at(bucket_number * self.words());
        let has_key = (self.packing.key(bucket, slot) ^ stored_key) & self.key_mask == 0;
        if has_key && !self.packing.is_empty(bucket, slot) {
            return self.store_same_key(key, entry, bucket_number, slot, stored_key);
        }
        self.insert(bucket_number, stored_key, self.stamp(entry), Decision::replace(slot), None)
    }

    /// Sets the fields of an entry that the table sets.
    #[inline(always)]
    fn stamp(&self, entry: Entry) -> Entry {
        Entry { generation: self.now, used: self.policy.starts_marked(), ..entry }
    }

    /// Lowers the depth of an entry by `plies`, unless the demotion options exempt the entry. If
    /// `once` is true, also marks the entry, so that its depth is not lowered again.
    #[cold]
    fn demote(&mut self, start: usize, slot: usize, plies: u8, once: bool) {
        let Demotion { from: least_depth, exact: demotes_exact, .. } = self.demotion;
        let (bucket, packing) = self.words_at_mut(start);
        let word = packing.data(bucket, slot);
        let old = entry::unpack(word);
        if plies > 0 && old.depth >= least_depth && (demotes_exact || old.bound != Bound::Exact) {
            let word = entry::with_less_depth(word, plies);
            packing.set_data(bucket, slot, if once { entry::with_mark(word) } else { word });
            self.counters.demoted += 1;
        }
    }

    fn refuse(&mut self, bucket: usize, same: Option<usize>) -> StoreOutcome {
        self.counters.rejections += 1;
        StoreOutcome::refused(same.map(|slot| bucket * self.slots() + slot))
    }

    /// Stores an entry of a position that the bucket already holds in `slot`.
    #[inline(never)]
    fn store_same_key(
        &mut self,
        key: u64,
        entry: Entry,
        bucket_number: usize,
        slot: usize,
        stored_key: u64,
    ) -> StoreOutcome {
        let mut entry = self.stamp(entry);
        let start = bucket_number * self.words();
        let old = self.entry(self.words_at(start), slot);
        if old.is_empty() {
            // Another thread has written the key alone.
            return rarely(|| self.insert(bucket_number, stored_key, entry, Decision::replace(slot), None));
        }
        let is_allowed = self.same_key_rule.replaces(&mut entry, &old, self.now);
        if self.same_key_rule.same_key == SameKey::Policy {
            let decision = self.decide_same_key(start, Newcomer { entry, key, same: Some(slot) }, slot);
            return rarely(|| self.insert(bucket_number, stored_key, entry, decision, Some(slot)));
        }
        if !is_allowed {
            if self.same_key_rule.renews_move(&entry, &old) {
                let (bucket, packing) = self.words_at_mut(start);
                packing.set_move(bucket, slot, entry.mv);
            }
            if self.demotion.applies_to(&old) {
                self.demote(start, slot, self.demotion.refused, self.demotion.once);
            }
            return self.refuse(bucket_number, Some(slot));
        }
        // If the old entry was marked as used in the current tick, the new entry keeps the mark.
        // Under `demotion.once` the mark means that the old entry was demoted, so the mark is not
        // kept.
        entry.used |= old.used && old.age(self.now) == 0 && !self.demotion.once;
        let (bucket, packing) = self.words_at_mut(start);
        packing.write(bucket, slot, stored_key, &entry);
        self.count_replacement(Some(old.generation & self.age_mask));
        self.counters.updates += 1;
        StoreOutcome::in_slot(bucket_number * self.slots() + slot, true)
    }

    /// Writes an entry according to the decision of the policy. `same` is the slot of the old entry
    /// of the same position, if there is one. The function is always inlined, because nearly every
    /// store of a new position ends here.
    #[inline(always)]
    fn insert(
        &mut self,
        bucket_number: usize,
        stored_key: u64,
        entry: Entry,
        decision: Decision,
        same: Option<usize>,
    ) -> StoreOutcome {
        let Decision::Insert { slot: first, last } = decision else {
            return self.refuse(bucket_number, same);
        };
        let start = bucket_number * self.words();
        let first = first.min(self.slots() - 1);
        let last = last.clamp(first, self.slots() - 1);
        let (bucket, packing) = self.words_at_mut(start);
        // The packed word is used, so that no entry is unpacked for a policy that reads no entries.
        let old_word = packing.data(bucket, last);
        for slot in (first..last).rev() {
            packing.copy(bucket, slot, slot + 1);
        }
        packing.write(bucket, first, stored_key, &entry);
        let was_empty = entry::bound(old_word) == Bound::None;
        if same.is_some() {
            self.counters.updates += 1;
        } else if was_empty {
            self.counters.fills += 1;
            self.record_fill(start);
        } else {
            self.counters.evictions += 1;
        }
        debug_assert!(
            self.packing.zero_key().is_some() || self.find(self.words_at(start), stored_key).is_some(),
            "the stored entry is not found"
        );
        self.count_replacement((!was_empty).then(|| entry::generation(old_word)));
        let outcome = StoreOutcome::in_slot(bucket_number * self.slots() + first, same.is_some());
        StoreOutcome { moved: (last - first) as u8, ..outcome }
    }

    /// Counts a new entry of the current generation. If the new entry replaces an entry, `old` is
    /// the generation of that entry, which is then no longer counted.
    #[inline]
    fn count_replacement(&mut self, old: Option<u16>) {
        if old == Some(self.now) {
            return;
        }
        // A user of a divided table overwrites what others have counted.
        if let Some(old) = old {
            let count = &mut self.generation_counts[usize::from(old)];
            *count = count.wrapping_sub(1);
        }
        let count = &mut self.generation_counts[usize::from(self.now)];
        *count = count.wrapping_add(1);
    }

    /// If `mark` or `refresh` is true, renews the age of a slot's entry. If `mark` is true, also
    /// marks the entry as used.
    #[inline]
    fn touch(&mut self, start: usize, slot: usize, mark: bool, refresh: bool) {
        if mark || refresh {
            debug_assert!(slot < self.slots() && start.is_multiple_of(self.words()), "slot {slot} of word {start}");
            let (now, marks_cutoffs) = (self.now, self.mark == Mark::Cutoff);
            let (bucket, packing) = self.words_at_mut(start);
            let old = packing.data(bucket, slot);
            if entry::bound(old) == Bound::None {
                return; // Another thread has emptied the slot.
            }
            let mut word = entry::with_generation(old, now);
            if marks_cutoffs && word != old {
                // A mark from an earlier tick has expired, and a new generation must not revive it.
                word = entry::without_mark(word);
            }
            if mark {
                word = entry::with_mark(word);
            }
            if word != old {
                packing.set_data(bucket, slot, word);
                self.count_replacement(Some(entry::generation(old)));
            }
        }
    }
}

impl<P: Replacement, L: Packing, const SLOTS: usize> Table for Bounded<P, L, SLOTS> {
    #[inline]
    fn probe(&mut self, key: u64, _: u8) -> Option<Hit> {
        self.counters.probes += 1;
        let bucket_number = self.bucket_number(key);
        let start = bucket_number * self.words();
        let bucket = self.words_at(start);
        let stored_key = self.packing.stored_key(key, self.compares_high_bits);
        if let Some(slot) = self.find(bucket, stored_key) {
            return self.answer(key, bucket_number, slot);
        }
        let is_full = match self.probed {
            Some(_) => self.choose_at_probe(key, start, stored_key),
            None => self.is_full(bucket),
        };
        if is_full {
            self.counters.misses_other += 1;
        } else {
            self.counters.misses_empty += 1;
        }
        None
    }

    #[inline]
    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        if self.finds_slots || entry.is_evaluation() {
            return self.store_in_found_slot(key, entry);
        }
        self.store_in_any_slot(key, entry)
    }

    #[inline]
    fn cutoff(&mut self, hit: &Hit) {
        let (marks, refreshes) = (self.mark == Mark::Cutoff, self.refresh == Refresh::Cutoff);
        if marks || refreshes {
            let (bucket, slot) = (hit.slot / self.slots(), hit.slot % self.slots());
            self.touch(bucket * self.words(), slot, marks, refreshes);
        }
    }

    fn missed(&mut self, hit: &Hit) {
        let (bucket, slot) = (hit.slot / self.slots(), hit.slot % self.slots());
        self.demote(bucket * self.words(), slot, self.demotion.missed, false);
    }

    fn probed_slot(&self) -> usize {
        self.probed.as_ref().map_or(0, ProbedSlots::last)
    }

    fn store_at(&mut self, key: u64, slot: usize, entry: Entry) -> StoreOutcome {
        let slot = slot.min(self.slots() - 1);
        if let Some(probed) = &mut self.probed {
            probed.clear();
            if entry.is_evaluation() {
                probed.push(key, slot);
            } else {
                return self.store_in_slot(key, slot, entry);
            }
        }
        self.store(key, entry)
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        let start = self.bucket_number(key) * self.words();
        // The memory is indexed by 64-bit words.
        self.memory.prefetch(start * size_of::<L::Word>() / 8);
    }

    fn advance(&mut self, ticks: u16) {
        debug_assert!(self.now < GENERATIONS, "the time {} is not below {GENERATIONS}", self.now);
        self.now = self.now.wrapping_add(ticks) & self.age_mask;
        let generations = self.generation_counts.len().max(usize::from(self.now) + 1);
        self.generation_counts.resize(generations, 0);
        if let Some(probed) = &mut self.probed {
            probed.clear();
        }
    }

    fn clear(&mut self) {
        self.memory.erase();
        if let Some(probed) = &mut self.probed {
            probed.clear();
        }
        self.generation_counts.fill(0);
        self.now = 0;
    }

    fn counters(&self) -> TableCounters {
        self.counters
    }

    fn occupancy(&self) -> Occupancy {
        let occupied = self.generation_counts.iter().copied().fold(0, u64::wrapping_add);
        // What two threads fill at once is counted twice, in tables with a window.
        let is_window = self.memory.len() < self.buckets as usize;
        debug_assert!(is_window || occupied <= self.buckets * self.slots() as u64, "more entries than slots");
        Occupancy {
            slots: self.buckets * self.slots() as u64,
            bytes: self.buckets * self.bucket_bytes,
            occupied,
            current: self.generation_counts[usize::from(self.now)],
        }
    }
}

impl<P: Replacement, L: Packing, const SLOTS: usize> Instrumented for Bounded<P, L, SLOTS> {
    fn counts_stored_nodes(&self) -> bool {
        self.policy.counts_stored_nodes()
    }

    fn places(&self) -> Option<Places> {
        Some(self.places_of_buckets())
    }

    fn divide(&mut self, users: u32) -> Option<Division> {
        self.divide_buckets(users)
    }

    #[inline]
    fn window(&mut self, bucket: u64) -> &mut [u64] {
        self.first_bucket = bucket;
        self.memory.record(0);
        &mut self.memory
    }

    fn mark_used(&mut self, hit: &Hit) {
        debug_assert!(((hit.slot / self.slots()) as u64) < self.buckets, "a hit of another table: slot {}", hit.slot);
        // With any other value of `mark`, the policy marks entries itself.
        if self.mark == Mark::Never {
            self.counters.reused += u64::from(!hit.entry.used);
            let (start, slot) = (hit.slot / self.slots() * self.words(), hit.slot % self.slots());
            let (bucket, packing) = self.words_at_mut(start);
            packing.set_data(bucket, slot, entry::with_mark(packing.data(bucket, slot)));
        }
    }
}
