//! The table of a fixed size: compiled for its policy and its packing.

use super::entry::{self, GENERATIONS, Packing};
use super::memory::Memory;
use super::options::{Index, Refresh, SameKey};
use super::policy::{Decision, Mark, Newcomer, Notes, Replacement};
use super::{Entry, Hit, Occupancy, Stored, Table, TableCounters, TableError, TableOptions};
use crate::chess::Bound;
use std::marker::PhantomData;

/// The most slots of a bucket.
pub const MOST_SLOTS: usize = 8;

/// A table of buckets under one replacement policy. `SLOTS`: those of a bucket where the code is compiled for their number; 0: for any.
pub struct Bounded<P: Replacement, L: Packing, const SLOTS: usize = 0> {
    memory: Memory,
    policy: P,
    buckets: u64,
    slots: usize,
    /// 64-bit words of a bucket: its slots', then its policy's.
    words: usize,
    index: Index,
    /// Which bits of a kept key are compared.
    compared: u64,
    /// Whether the compared bits are the key's high ones (the index then takes the low ones).
    high: bool,
    same_key: SameKey,
    keep_move: bool,
    refresh: Refresh,
    mark: Mark,
    now: u16,
    /// Entries by their time: what is held, and what of it is of the current time, is known without a look at the memory.
    held: Box<[u64; GENERATIONS as usize]>,
    counters: TableCounters,
    packing: PhantomData<L>,
}

/// What of a new table depends on no policy: compiled once for all.
struct BucketLayout {
    memory: Memory,
    slots: usize,
    words: usize,
    buckets: u64,
    compared: u64,
    high: bool,
}

/// The memory of the options' table and how its keys are compared; `compiled`: the slots that its code is for, 0 for any.
fn compute_layout(
    options: &TableOptions,
    compiled: usize,
    words_of: fn(usize) -> usize,
    policy_words: usize,
    key_bits: u32,
    buckets: u64,
) -> Result<BucketLayout, TableError> {
    let slots = usize::from(options.slots).clamp(1, MOST_SLOTS);
    if compiled > 0 && compiled != slots {
        return Err(TableError::Option {
            path: "table.slots",
            problem: format!("{slots} asked of a table that is compiled for {compiled}"),
        });
    }
    let words = words_of(slots) + policy_words;
    let buckets = buckets.max(1);
    let len = usize::try_from(buckets)
        .ok()
        .and_then(|buckets| buckets.checked_mul(words))
        .ok_or(TableError::Memory { bytes: u64::MAX, available: None })?;
    // The index uses one end of the key (or all of it), the comparison the other.
    let high = options.index != Index::Multiply;
    let bits = u32::from(options.key_bits).min(key_bits);
    let low_bits = if bits == 0 { 0 } else { u64::MAX >> (64 - bits) };
    let compared = if high { low_bits << ((key_bits - bits) % 64) } else { low_bits };
    Ok(BucketLayout { memory: Memory::new(len, options.huge_pages)?, slots, words, buckets, compared, high })
}

impl<P: Replacement, L: Packing, const SLOTS: usize> Bounded<P, L, SLOTS> {
    /// A table of the options' shape with so many buckets. Where the code is compiled for a number of slots, the options must ask for it.
    ///
    /// # Errors
    /// When the memory cannot be had, or the options ask for another number of slots.
    pub fn new(options: &TableOptions, policy: P, buckets: u64) -> Result<Self, TableError> {
        let BucketLayout { memory, slots, words, buckets, compared, high } =
            compute_layout(options, SLOTS, L::words, P::WORDS, L::KEY_BITS, buckets)?;
        Ok(Self {
            memory,
            policy,
            buckets,
            slots,
            words,
            index: options.index,
            compared,
            high,
            same_key: options.same_key,
            keep_move: options.keep_move,
            refresh: options.refresh,
            mark: policy.marks(),
            now: 0,
            held: Box::new([0; GENERATIONS as usize]),
            counters: TableCounters::default(),
            packing: PhantomData,
        })
    }

    /// Slots of a bucket.
    #[inline]
    fn slots(&self) -> usize {
        if SLOTS > 0 { SLOTS } else { self.slots }
    }

    /// Words of a bucket.
    #[inline]
    fn words(&self) -> usize {
        if SLOTS > 0 { L::words(SLOTS) + P::WORDS } else { self.words }
    }

    /// The entries of a bucket, unpacked for the policy. Where it is known at which of them and at what of them the policy looks, the rest is not
    /// unpacked: hence always in place.
    #[inline(always)]
    fn view(&self, start: usize) -> [Entry; MOST_SLOTS] {
        let end = start + self.words();
        let bucket = &self.memory[start..end];
        let mut view = [Entry::default(); MOST_SLOTS];
        for (slot, seen) in view[..self.slots()].iter_mut().enumerate() {
            *seen = L::entry(bucket, slot);
        }
        view
    }

    /// The number of a key's bucket.
    #[inline]
    fn bucket(&self, key: u64) -> usize {
        self.index.bucket(key, self.buckets) as usize
    }

    /// The first slot of a bucket that answers to a key. Where their number is known all are looked at: which of them answers cannot be
    /// foreseen, and a branch that is guessed wrongly costs more than a look.
    #[inline]
    fn find(&self, bucket: &[u64], kept: u64) -> Option<usize> {
        let same = |slot| (L::key(bucket, slot) ^ kept) & self.compared == 0;
        let held = |slot| entry::bound(L::data(bucket, slot)) != Bound::None;
        if SLOTS == 0 {
            return (0..self.slots).find(|&slot| same(slot) && held(slot));
        }
        let mut answers = 0u32;
        for slot in 0..SLOTS {
            answers |= u32::from(same(slot) & held(slot)) << slot;
        }
        (answers != 0).then(|| answers.trailing_zeros() as usize)
    }

    /// What the policy says when the bucket holds the same key: asked about the whole bucket, and where it would have another
    /// position leave, about the old entry alone. One position never takes two slots nor drives out another by coming back.
    #[inline]
    fn again(&self, start: usize, newcomer: Newcomer, slot: usize) -> Decision {
        let view = self.view(start);
        let view = &view[..self.slots()];
        match self.policy.decide(view, &newcomer, self.now) {
            Decision::Insert { at, last } if (at..=last).contains(&slot) => Decision::Insert { at, last: slot },
            Decision::Refuse => Decision::Refuse,
            Decision::Insert { .. } => {
                let newcomer = Newcomer { same: Some(0), ..newcomer };
                match self.policy.decide(&view[slot..=slot], &newcomer, self.now) {
                    Decision::Insert { at: 0, .. } => Decision::replace(slot),
                    _ => Decision::Refuse,
                }
            }
        }
    }

    /// Tells the policy's words that the position of a slot was met.
    #[inline]
    fn meet(&mut self, start: usize, slot: usize, kept: u64) {
        if P::WORDS > 0 {
            let (end, slots) = (start + self.words(), self.slots());
            self.policy.met(&mut self.memory[end - P::WORDS..end], slot, slots, kept);
        }
    }

    /// What the policy says of a newcomer whose position the bucket does not hold.
    #[inline]
    fn decide(&mut self, start: usize, newcomer: &Newcomer, kept: u64) -> Decision {
        let view = self.view(start);
        let view = &view[..self.slots()];
        if P::WORDS == 0 {
            return self.policy.decide(view, newcomer, self.now);
        }
        let words = self.words();
        let (entries, words) = self.memory[start..start + words].split_at_mut(words - P::WORDS);
        let keys: [u64; MOST_SLOTS] =
            std::array::from_fn(|slot| if slot < view.len() { L::key(entries, slot) } else { 0 });
        let notes = Notes { words, keys: &keys[..view.len()], key: kept };
        self.policy.decide_with(view, notes, newcomer, self.now)
    }

    /// Counts an entry of now in, and the one that it took the place of out, by its time.
    #[inline]
    fn count_replacement(&mut self, old: Option<u16>) {
        if old == Some(self.now) {
            return;
        }
        if let Some(old) = old {
            self.held[usize::from(old % GENERATIONS)] -= 1;
        }
        self.held[usize::from(self.now % GENERATIONS)] += 1;
    }

    /// Marks or refreshes a slot that answered.
    #[inline]
    fn touch(&mut self, start: usize, slot: usize, mark: bool, refresh: bool) {
        if mark || refresh {
            let end = start + self.words();
            let bucket = &mut self.memory[start..end];
            let old = L::data(bucket, slot);
            let mut word = entry::refreshed(old, self.now);
            if self.mark == Mark::Cutoff && word != old {
                // A mark of an earlier time is over, and a new date must not revive it.
                word = entry::unmarked(word);
            }
            if mark {
                word = entry::marked(word);
            }
            L::set_data(bucket, slot, word);
            self.count_replacement(Some(entry::generation(old)));
        }
    }
}

impl<P: Replacement, L: Packing, const SLOTS: usize> Table for Bounded<P, L, SLOTS> {
    #[inline]
    fn probe(&mut self, key: u64, _: u8) -> Option<Hit> {
        self.counters.probes += 1;
        let number = self.bucket(key);
        let start = number * self.words();
        let end = start + self.words();
        let bucket = &self.memory[start..end];
        let kept = L::kept(key, self.high);
        let Some(slot) = self.find(bucket, kept) else {
            let full = (0..self.slots()).all(|slot| entry::bound(L::data(bucket, slot)) != Bound::None);
            self.counters.misses_other += u64::from(full);
            self.counters.misses_empty += u64::from(!full);
            return None;
        };
        self.counters.hits += 1;
        let entry = L::entry(bucket, slot);
        let age = entry.age(self.now);
        let draft = self.policy.draft(&entry, age);
        self.counters.reused += u64::from(self.mark == Mark::Match && !entry.used);
        self.touch(start, slot, self.mark == Mark::Match, self.refresh == Refresh::Match);
        self.meet(start, slot, kept);
        Some(Hit { entry, draft, age, slot: number * self.slots() + slot })
    }

    #[inline]
    fn store(&mut self, key: u64, entry: Entry) -> Stored {
        self.counters.stores += 1;
        let number = self.bucket(key);
        let start = number * self.words();
        let end = start + self.words();
        let first = number * self.slots();
        let kept = L::kept(key, self.high);
        let mut entry = Entry { generation: self.now, used: self.policy.starts_marked(), ..entry };
        let bucket = &self.memory[start..end];
        let same = self.find(bucket, kept);
        if let Some(slot) = same {
            let old = L::entry(bucket, slot);
            if self.keep_move && entry.mv.is_none() {
                entry.mv = old.mv;
            }
            if P::WORDS > 0 || self.same_key != SameKey::Policy {
                self.meet(start, slot, kept);
                if !self.same_key.lets(&entry, &old, self.now) {
                    self.counters.rejections += 1;
                    return Stored::refused(true);
                }
                // The position's mark outlives its entry: it is the same position that was useful.
                entry.used |= old.used && old.age(self.now) == 0;
                L::write(&mut self.memory[start..end], slot, kept, &entry);
                self.count_replacement(Some(old.generation));
                self.counters.updates += 1;
                return Stored::into(first + slot, true);
            }
        }
        // A free slot is taken whatever the policy; those that keep their slots in order choose for themselves.
        if same.is_none()
            && !P::ORDERED
            && let Some(at) = (0..self.slots()).find(|&slot| entry::bound(L::data(bucket, slot)) == Bound::None)
        {
            self.counters.fills += 1;
            L::write(&mut self.memory[start..end], at, kept, &entry);
            self.count_replacement(None);
            return Stored::into(first + at, false);
        }
        let newcomer = Newcomer { entry, key, same };
        let decision = match same {
            Some(slot) => self.again(start, newcomer, slot),
            None => self.decide(start, &newcomer, kept),
        };
        let Decision::Insert { at, last } = decision else {
            self.counters.rejections += 1;
            return Stored::refused(same.is_some());
        };
        let at = at.min(self.slots() - 1);
        let last = last.clamp(at, self.slots() - 1);
        let bucket = &mut self.memory[start..end];
        // Not from the view: a policy that looks at no entry needs none unpacked.
        let left = L::data(bucket, last);
        let empty = entry::bound(left) == Bound::None;
        if same.is_some() {
            self.counters.updates += 1;
        } else if empty {
            self.counters.fills += 1;
        } else {
            self.counters.evictions += 1;
        }
        for slot in (at..last).rev() {
            L::copy(bucket, slot, slot + 1);
        }
        L::write(bucket, at, kept, &entry);
        self.count_replacement((!empty).then(|| entry::generation(left)));
        Stored { moved: (last - at) as u8, ..Stored::into(first + at, same.is_some()) }
    }

    #[inline]
    fn cutoff(&mut self, hit: &Hit) {
        let (mark, refresh) = (self.mark == Mark::Cutoff, self.refresh == Refresh::Cutoff);
        if mark || refresh {
            let (bucket, slot) = (hit.slot / self.slots(), hit.slot % self.slots());
            self.touch(bucket * self.words(), slot, mark, refresh);
        }
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        let start = self.bucket(key) * self.words();
        self.memory.prefetch(start);
        if P::WORDS > 0 {
            // Buckets with words lie across the borders of cache lines.
            self.memory.prefetch(start + self.words() - 1);
        }
    }

    fn advance(&mut self, ticks: u16) {
        self.now = self.now.wrapping_add(ticks) % GENERATIONS;
    }

    fn clear(&mut self) {
        self.memory.fill(0);
        self.held.fill(0);
        self.now = 0;
    }

    fn counts_stored_nodes(&self) -> bool {
        self.policy.counts_stored_nodes()
    }

    fn seen(&mut self, hit: &Hit) {
        if self.mark == Mark::Never {
            self.counters.reused += u64::from(!hit.entry.used);
            let (start, slot) = (hit.slot / self.slots() * self.words(), hit.slot % self.slots());
            let end = start + self.words();
            let bucket = &mut self.memory[start..end];
            L::set_data(bucket, slot, entry::marked(L::data(bucket, slot)));
        }
    }

    fn now(&self) -> u16 {
        self.now
    }

    fn counters(&self) -> TableCounters {
        self.counters
    }

    fn occupancy(&self) -> Occupancy {
        Occupancy {
            slots: self.buckets * self.slots() as u64,
            bytes: self.memory.len() as u64 * 8,
            occupied: self.held.iter().sum(),
            current: self.held[usize::from(self.now % GENERATIONS)],
        }
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Entry)) {
        for bucket in self.memory.chunks_exact(self.words()) {
            for slot in 0..self.slots() {
                let entry = L::entry(bucket, slot);
                if !entry.is_empty() {
                    visit(&entry);
                }
            }
        }
    }

    fn huge_pages(&self) -> Option<bool> {
        self.memory.huge_pages()
    }
}
