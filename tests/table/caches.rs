//! Compares the policies from the caching literature with plain queues, as their papers describe
//! them. One bucket is one cache. A probe that hits and a store of a position in the table count as
//! cache hits, any other store as a miss.

use proptest::prelude::*;
use std::collections::{HashSet, VecDeque};
use ttlab::internals::chess::Bound;
use ttlab::internals::decode::from_toml;
use ttlab::internals::table::options::Layout;
use ttlab::internals::table::{Entry, TableOptions, build};

/// A cache of keys.
trait Cache {
    fn contains(&self, key: u64) -> bool;
    fn hit(&mut self, key: u64);
    fn miss(&mut self, key: u64);
}

/// FIFO with a second chance: a marked key that reaches the front loses its mark and goes to the
/// end.
struct SecondChance {
    slots: usize,
    queue: VecDeque<(u64, bool)>,
}

impl Cache for SecondChance {
    fn contains(&self, key: u64) -> bool {
        self.queue.iter().any(|stored| stored.0 == key)
    }
    fn hit(&mut self, key: u64) {
        self.queue.iter_mut().filter(|stored| stored.0 == key).for_each(|stored| stored.1 = true);
    }
    fn miss(&mut self, key: u64) {
        while self.queue.len() == self.slots {
            if let Some((stored, true)) = self.queue.pop_front() {
                self.queue.push_back((stored, false));
            }
        }
        self.queue.push_back((key, false));
    }
}

/// SIEVE: the newest key is last in the queue. The hand is the key at which it points.
struct Sieve {
    slots: usize,
    queue: Vec<(u64, bool)>,
    hand: Option<u64>,
}

impl Cache for Sieve {
    fn contains(&self, key: u64) -> bool {
        self.queue.iter().any(|stored| stored.0 == key)
    }
    fn hit(&mut self, key: u64) {
        self.queue.iter_mut().filter(|stored| stored.0 == key).for_each(|stored| stored.1 = true);
    }
    fn miss(&mut self, key: u64) {
        if self.queue.len() == self.slots {
            let mut index = self.hand.map_or(0, |hand| self.queue.iter().position(|stored| stored.0 == hand).unwrap());
            while self.queue[index].1 {
                self.queue[index].1 = false;
                index = (index + 1) % self.slots;
            }
            self.hand = self.queue.get(index + 1).map(|stored| stored.0);
            self.queue.remove(index);
        }
        self.queue.push((key, false));
    }
}

/// S3-FIFO: two queues of keys and their access counts, the oldest first, and the ghosts of the
/// small queue.
struct TwoQueues {
    slots: usize,
    small_slots: usize,
    max_ghosts: usize,
    meetings: u32,
    small: VecDeque<(u64, u32)>,
    main: VecDeque<(u64, u32)>,
    ghosts: VecDeque<u64>,
    full: bool,
}

impl Cache for TwoQueues {
    fn contains(&self, key: u64) -> bool {
        self.small.iter().chain(&self.main).any(|stored| stored.0 == key)
    }
    fn hit(&mut self, key: u64) {
        let both_queues = self.small.iter_mut().chain(&mut self.main);
        both_queues.filter(|stored| stored.0 == key).for_each(|stored| stored.1 = 3.min(stored.1 + 1));
    }
    fn miss(&mut self, key: u64) {
        let was_ghost = self.ghosts.contains(&key);
        self.ghosts.retain(|&ghost| ghost != key);
        while self.small.len() + self.main.len() == self.slots {
            self.full = true;
            if self.main.len() > self.slots - self.small_slots || self.small.is_empty() {
                self.evict_main();
            } else {
                self.evict_small();
            }
        }
        if was_ghost || !self.full && self.small.len() >= self.small_slots {
            self.main.push_back((key, 0));
        } else {
            self.small.push_back((key, 0));
        }
    }
}

impl TwoQueues {
    fn evict_main(&mut self) {
        while let Some((oldest, accesses @ 1..)) = self.main.pop_front() {
            self.main.push_back((oldest, accesses - 1));
        }
    }
    fn evict_small(&mut self) {
        while let Some((oldest, accesses)) = self.small.pop_front() {
            if accesses < self.meetings {
                self.ghosts.push_back(oldest);
                if self.ghosts.len() > self.max_ghosts {
                    self.ghosts.pop_front();
                }
                return;
            }
            self.main.push_back((oldest, 0));
        }
    }
}

/// TinyLFU: the counters as plain arrays, and the keys in order of their last access.
struct Admission {
    slots: usize,
    sample: usize,
    /// The part of the key that a slot stores; nothing else of the key is available.
    mask: u64,
    rows: [[u32; 16]; 2],
    /// Accesses since the counters were last halved.
    accesses: usize,
    recent: Vec<u64>,
}

impl Admission {
    fn counter_indices(&self, key: u64) -> [usize; 2] {
        // The highest four bits of the product.
        let index = |odd: u64| (u128::from(key & self.mask) * u128::from(odd) % (1 << 64) / (1 << 60)) as usize;
        [index(0x9e37_79b9_7f4a_7c15), index(0xbf58_476d_1ce4_e5b9)]
    }
    fn frequency(&self, key: u64) -> u32 {
        let [first, second] = self.counter_indices(key);
        self.rows[0][first].min(self.rows[1][second])
    }
    fn count(&mut self, key: u64) {
        let frequency = self.frequency(key);
        if frequency < 15 {
            let indices = self.counter_indices(key);
            for (row, index) in self.rows.iter_mut().zip(indices) {
                row[index] = row[index].max(frequency + 1);
            }
        }
        self.accesses += 1;
        if self.accesses == self.sample * self.slots {
            self.accesses = 0;
            self.rows.iter_mut().flatten().for_each(|counter| *counter /= 2);
        }
    }
}

impl Cache for Admission {
    fn contains(&self, key: u64) -> bool {
        self.recent.contains(&key)
    }
    fn hit(&mut self, key: u64) {
        self.count(key);
        self.recent.retain(|&stored| stored != key);
        self.recent.insert(0, key);
    }
    fn miss(&mut self, key: u64) {
        self.count(key);
        if self.recent.len() == self.slots {
            let last = *self.recent.last().unwrap();
            if self.frequency(key) <= self.frequency(last) {
                return;
            }
            self.recent.pop();
        }
        self.recent.insert(0, key);
    }
}

/// Returns each policy with its plain cache, for a bucket with this many slots that store the key
/// bits in `mask`.
fn caches(slots: usize, mask: u64) -> Vec<(String, Box<dyn Cache>)> {
    let mut caches: Vec<(String, Box<dyn Cache>)> = vec![
        ("'clock'".to_owned(), Box::new(SecondChance { slots, queue: VecDeque::new() })),
        ("'sieve'".to_owned(), Box::new(Sieve { slots, queue: Vec::new(), hand: None })),
    ];
    for (small, ghosts, meetings) in [(1, 7, 2), (2, 8, 1), (7, 3, 3), (3, 0, 2)] {
        let text = format!("{{ kind = 's3-fifo', small = {small}, ghosts = {ghosts}, meetings = {meetings} }}");
        let plain = TwoQueues {
            slots,
            small_slots: small.min(slots - 1),
            max_ghosts: ghosts,
            meetings,
            small: VecDeque::new(),
            main: VecDeque::new(),
            ghosts: VecDeque::new(),
            full: false,
        };
        caches.push((text, Box::new(plain)));
    }
    for sample in [1, 10, 255] {
        let plain = Admission { slots, sample, mask, rows: [[0; 16]; 2], accesses: 0, recent: Vec::new() };
        caches.push((format!("{{ kind = 'tiny-lfu', sample = {sample} }}"), Box::new(plain)));
    }
    caches
}

/// The keys of the positions in this test.
fn keys() -> Vec<u64> {
    let keys: Vec<u64> = (1..=30u64).map(|n| n.wrapping_mul(0xd134_2543_de82_ef95)).collect();
    // The keys stay distinct in what ghosts remember of them, whichever part of the key a slot
    // stores.
    let are_distinct =
        |part: &dyn Fn(u64) -> u64| keys.iter().map(|&key| part(key)).collect::<HashSet<_>>().len() == keys.len();
    assert!(are_distinct(&|key| key & 0xffff));
    assert!(are_distinct(&|key| (key ^ key >> 16 ^ key >> 32 ^ key >> 48) & 0xffff));
    keys
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn cache_policies_equal_their_published_queues(
        steps in prop::collection::vec((any::<bool>(), 0usize..30, 0usize..30), 1..600),
        clear_step in 0usize..1200,
    ) {
        let keys = keys();
        for (slots, layout, mask) in [
            (2, Layout::Bytes16, u64::MAX), (3, Layout::Bytes10, 0xffff), (4, Layout::Bytes24, u64::MAX),
            (7, Layout::Bytes16, u64::MAX), (8, Layout::Bytes16, u64::MAX),
        ] {
            for ((text, mut plain), (_, new)) in caches(slots, mask).into_iter().zip(caches(slots, mask)) {
                let mut new = Some(new);
                let options: TableOptions = from_toml(&format!("slots = {slots}\nsize = {slots}\npolicy = {text}")).unwrap();
                let mut table = build(&TableOptions { layout, ..options }, None, false).unwrap().unwrap();
                for (step, &(is_store, a, b)) in steps.iter().enumerate() {
                    if step == clear_step {
                        table.clear();
                        plain = new.take().unwrap();
                    }
                    // The smaller of two numbers: low numbers are more frequent.
                    let key = keys[a.min(b)];
                    let is_hit = plain.contains(key);
                    if is_store {
                        let outcome = table.store(key, Entry { bound: Bound::Exact, ..Entry::default() });
                        prop_assert_eq!(outcome.same, is_hit, "step {} in {} slots under {}", step, slots, text);
                        if is_hit { plain.hit(key) } else { plain.miss(key) }
                        prop_assert_eq!(outcome.refused, !plain.contains(key), "step {} in {} slots under {}", step, slots, text);
                    } else {
                        prop_assert_eq!(table.probe(key, 0).is_some(), is_hit, "step {} in {} slots under {}", step, slots, text);
                        if is_hit { plain.hit(key) }
                    }
                }
                for &key in &keys {
                    prop_assert_eq!(table.probe(key, 0).is_some(), plain.contains(key), "{} slots under {}", slots, text);
                }
            }
        }
    }
}

/// Short sequences worked out by hand, in three slots: for example, a, b and c are stored in this
/// order, a is probed, then d is stored.
#[test]
fn cache_policies_decide_a_sequence_by_hand() {
    for (policy, script, expected) in [
        // a is marked and skipped, b is evicted. Under both policies the mark is then cleared.
        ("clock", "abc?ad", "acd"),
        ("sieve", "abc?ad", "acd"),
        // CLOCK's hand reaches c, then d, and then a, which is by now as new as they are. SIEVE's
        // hand moves on towards the newest: c, then d and e, which were inserted behind it; a isn't
        // reached.
        ("clock", "abc?adef", "def"),
        ("sieve", "abc?adef", "aef"),
        // a is in the small queue; b and c fill the main queue. d replaces a. Then a, a ghost,
        // replaces d. The main queue is now too long, so d, also a ghost, replaces b.
        ("s3-fifo", "abcd", "bcd"),
        ("s3-fifo", "abcda", "abc"),
        ("s3-fifo", "abcdad", "acd"),
        // A newcomer must have been accessed more often than the least recently used key.
        ("tiny-lfu", "abcd", "abc"),
        ("tiny-lfu", "abcdd", "bcd"),
        ("tiny-lfu", "abc?add", "acd"),
    ] {
        let options: TableOptions = from_toml(&format!("slots = 3\nsize = 3\npolicy = '{policy}'")).unwrap();
        let mut table = build(&options, None, false).unwrap().unwrap();
        let mut is_probe = false;
        for name in script.bytes() {
            // The keys are far apart, so that no two of them share a counter in both rows.
            let key = u64::from(name).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            match name {
                b'?' => is_probe = true,
                _ if std::mem::take(&mut is_probe) => drop(table.probe(key, 0)),
                _ => drop(table.store(key, Entry { bound: Bound::Exact, ..Entry::default() })),
            }
        }
        let key = |name: &char| u64::from(*name as u32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let remaining: String = ('a'..='f').filter(|name| table.probe(key(name), 0).is_some()).collect();
        assert_eq!(remaining, expected, "{script} under {policy}");
    }
}
