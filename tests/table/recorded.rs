//! Compares the designs with answers of the engines' own table code. Each engine's code, at the
//! commit in `docs/designs.md`, was compiled with 48 slots and given the same probes and stores as
//! the design here: 300 searches, more than any age has values. `recorded.txt` has the answers: the
//! hits, the misses, and a digest of all answers after each twentieth search.
//!
//! A search that finds an entry with the mark of an open window passes the mark on, as engines do,
//! if it probed other positions before its store. Otherwise the table has to keep the mark.
//! Viridithas may store into another slot than the one that answered, so it always passes it on.

use ttlab::internals::chess::keys::mix;
use ttlab::internals::chess::{Bound, Move};
use ttlab::internals::decode::from_toml;
use ttlab::internals::table::options::Size;
use ttlab::internals::table::{Design, Entry, TableOptions, build};

enum Step {
    NextSearch,
    Probe(u64),
    /// The last node that was probed is left without a store.
    Leave,
    /// The last node that was probed is stored.
    Store(Entry),
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 33) % end
    }
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Keys whose lowest or highest 32 bits are 0.
const ZERO_KEYS: [u64; 7] = [
    0x0000_5555_0000_0000,
    0x4000_1234_0000_0000,
    0x8000_4321_0000_0000,
    0xc000_7777_0000_0000,
    0x1111_0001,
    0x2222_0002,
    0x3333_0003,
];

/// The searches after which a position comes again.
const PERIODS: [u64; 8] = [2, 3, 5, 32, 33, 64, 65, 128];

fn steps() -> Vec<Step> {
    let mut random = Random(2026);
    let mut keys = ZERO_KEYS.to_vec();
    keys.extend((0..57).map(|_| random.next()));
    let starts: Vec<u64> = (0..keys.len()).map(|index| random.below(PERIODS[index % 8])).collect();
    let mut steps = Vec::new();
    for search in 0..300 {
        if search > 0 {
            steps.push(Step::NextSearch);
        }
        let is_due = |index: &usize| search % PERIODS[index % 8] == starts[*index];
        let due: Vec<u64> = (0..keys.len()).filter(is_due).map(|index| keys[index]).collect();
        let mut path = Vec::new();
        for step in 0.. {
            if step < 40 && !due.is_empty() && path.len() < 6 && random.below(100) < 54 {
                let key = due[random.below(due.len() as u64) as usize];
                if !path.contains(&key) {
                    path.push(key);
                    steps.push(Step::Probe(key));
                }
            } else if path.pop().is_some() {
                steps.push(leave(&mut random));
            } else if step >= 40 {
                break;
            }
        }
    }
    steps
}

fn leave(random: &mut Random) -> Step {
    if random.below(4) == 0 {
        return Step::Leave;
    }
    let (depth, bound) = (1 + random.below(14) as u8, Bound::from_bits(1 + random.below(3) as u8));
    let is_decisive = random.below(6) == 0;
    let score = if is_decisive { [31_900, -31_900][random.below(2) as usize] } else { random.below(1801) as i16 - 900 };
    let mv = Move::from_bits(if random.below(3) == 0 { 0 } else { 1 + random.below(0x7fff) as u16 });
    Step::Store(Entry { depth, bound, score, mv, pv: random.below(5) == 0, nodes: 1, ..Entry::default() })
}

/// A probed node.
struct Node {
    key: u64,
    was_pv: bool,
    has_children: bool,
}

/// Returns the hits, the misses and the digests of a design's answers.
fn answers(design: Design) -> String {
    let options: TableOptions = from_toml(design.toml()).unwrap_or_else(|error| panic!("{design:?}: {error}"));
    let options = TableOptions { size: Size::Entries(48), huge_pages: false, ..options };
    let mut table = build(&options, None, false).unwrap().unwrap();
    let (mut digest, mut digests, mut path, mut search) = (0, Vec::new(), Vec::<Node>::new(), 0);
    for step in steps() {
        match step {
            Step::NextSearch => {
                search += 1;
                if search % 20 == 0 {
                    digests.push(digest);
                }
                table.advance(1);
            }
            Step::Probe(key) => {
                // In Seer's table a key whose 32 high bits are 0 is that of an empty slot.
                let is_empty_key = design == Design::Seer && key >> 32 == 0;
                let key = if is_empty_key { key | 0x9999 << 48 } else { key };
                path.iter_mut().for_each(|node| node.has_children = true);
                let hit = table.probe(key, 0);
                let answer = hit.as_ref().map_or(0, |hit| {
                    let Entry { mv, score, depth, bound, pv, .. } = hit.entry;
                    if hit.entry.is_evaluation() {
                        return 1 << 44;
                    }
                    let score_and_move = u64::from(score as u16) << 16 | u64::from(mv.bits());
                    let pv = u64::from(pv && options.keep_pv);
                    1 << 43 | pv << 42 | (bound as u64) << 40 | u64::from(depth) << 32 | score_and_move
                });
                digest = mix(digest ^ answer).wrapping_add(GOLDEN);
                let hit = hit.filter(|hit| !hit.entry.is_evaluation());
                if let Some(hit) = hit.as_ref().filter(|hit| hit.entry.bound != Bound::Exact && hit.entry.depth >= 6)
                    && options.demotion.missed > 0
                {
                    table.missed(hit);
                }
                let was_pv = hit.is_some_and(|hit| hit.entry.pv && options.keep_pv);
                path.push(Node { key, was_pv, has_children: false });
            }
            Step::Leave => _ = path.pop(),
            Step::Store(entry) => {
                let node = path.pop().unwrap();
                let passes_mark = node.has_children || design == Design::Viridithas;
                let pv = entry.pv || node.was_pv && passes_mark;
                table.store(node.key, Entry { pv, ..entry });
            }
        }
    }
    digests.push(digest);
    let counts = table.counters();
    let digests: Vec<String> = digests.iter().map(|digest| format!("{:08x}", digest >> 32)).collect();
    format!("{} {} {} {}", design.name(), counts.hits, counts.probes - counts.hits, digests.join(" "))
}

#[test]
fn design_answers_as_the_engines_own_table_code() {
    let recorded: Vec<&str> = include_str!("recorded.txt").lines().collect();
    for line in &recorded {
        let design = Design::from_name(line.split(' ').next().unwrap()).unwrap();
        assert_eq!(answers(design), *line);
    }
}
