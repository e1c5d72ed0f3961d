//! The most worth that so many slots can keep of weighted stretches of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What one slot must hold, from after one event to another, to have a worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holding {
    /// The event after which it is held.
    pub begin: u32,
    /// The event at which it is used; after `begin`.
    pub end: u32,
    /// What that saves.
    pub worth: u32,
}

/// The most worth of stretches of which at no time more than `slots` are held. They are in the order in which they begin.
///
/// It is a flow of `slots` units along the line of beginnings: a unit goes from one to the next for nothing, or takes a stretch, for its
/// worth, to the first beginning that is not before its end. Each unit is sent along the path of the greatest gain that is left, which may
/// send others back (successive shortest paths; potentials keep the lengths from falling below zero, so that each is one run of Dijkstra's
/// algorithm). At most eight units are sent, so it is exact at any length: n log n for each.
///
/// Source: E. M. Arkin and E. B. Silverberg, "Scheduling jobs with fixed start and end times", 1987, for the flow.
#[must_use]
pub fn most(stretches: &[Holding], slots: usize) -> u64 {
    Packer::default().most(stretches, slots)
}

/// The buffers of [`most`], for many buckets one after another.
#[derive(Debug, Default)]
pub struct Packer {
    ends: Vec<u32>,
    flow: Flow,
}

impl Packer {
    /// See [`most`].
    pub fn most(&mut self, stretches: &[Holding], slots: usize) -> u64 {
        let mut total = 0;
        let mut first = 0;
        let mut last_end = 0;
        // Where nothing is held, what comes after does not depend on what came before.
        for (at, stretch) in stretches.iter().enumerate() {
            if at > first && stretch.begin >= last_end {
                total += self.connected(&stretches[first..at], slots);
                first = at;
            }
            last_end = last_end.max(stretch.end);
        }
        total + self.connected(&stretches[first..], slots)
    }

    fn connected(&mut self, stretches: &[Holding], slots: usize) -> u64 {
        let all = || stretches.iter().map(|stretch| u64::from(stretch.worth)).sum();
        if stretches.len() <= slots || !self.crowded(stretches, slots) {
            return all();
        }
        self.flow.most(stretches, slots)
    }

    /// Whether more stretches than slots are ever held at a time.
    fn crowded(&mut self, stretches: &[Holding], slots: usize) -> bool {
        self.ends.clear();
        self.ends.extend(stretches.iter().map(|stretch| stretch.end));
        self.ends.sort_unstable();
        let mut ended = 0;
        stretches.iter().enumerate().any(|(at, stretch)| {
            while self.ends[ended] <= stretch.begin {
                ended += 1;
            }
            at + 1 - ended > slots
        })
    }
}

/// The flow. Node `n` of the line is the beginning of the n-th stretch; the last node is the end of all.
#[derive(Debug, Default)]
struct Flow {
    /// To which node each stretch leads.
    to: Vec<u32>,
    taken: Vec<bool>,
    /// Units that go from each node to the next.
    along: Vec<u32>,
    /// The stretches that lead to each node: where its list begins in `arriving`.
    lists: Vec<u32>,
    arriving: Vec<u32>,
    potential: Vec<i64>,
    distance: Vec<i64>,
    /// How each node was reached.
    by: Vec<By>,
    heap: BinaryHeap<Reverse<(i64, u32)>>,
}

/// How a node was reached.
#[derive(Debug, Clone, Copy)]
enum By {
    Nothing,
    /// From the node before.
    Line,
    /// Back from the node after.
    Back,
    /// By taking a stretch.
    Take(u32),
    /// By giving one back.
    Give(u32),
}

const FAR: i64 = i64::MAX;

impl Flow {
    fn most(&mut self, stretches: &[Holding], slots: usize) -> u64 {
        let nodes = stretches.len();
        self.prepare(stretches);
        for unit in 0..slots {
            if unit == 0 {
                self.first(stretches);
            } else {
                self.search(stretches);
                for node in 0..=nodes {
                    // Nodes beyond reach keep their potential; along the line all can be reached.
                    if self.distance[node] < FAR {
                        self.potential[node] += self.distance[node];
                    }
                }
            }
            if self.potential[nodes] >= 0 {
                break; // The best path gains nothing.
            }
            self.send(nodes);
        }
        stretches
            .iter()
            .zip(&self.taken)
            .filter(|(_, taken)| **taken)
            .map(|(stretch, _)| u64::from(stretch.worth))
            .sum()
    }

    fn prepare(&mut self, stretches: &[Holding]) {
        let nodes = stretches.len();
        self.to.clear();
        self.to.extend(
            stretches.iter().map(|stretch| stretches.partition_point(|other| other.begin < stretch.end) as u32),
        );
        self.taken.clear();
        self.taken.resize(nodes, false);
        self.along.clear();
        self.along.resize(nodes, 0);
        self.lists.clear();
        self.lists.resize(nodes + 2, 0);
        for &to in &self.to {
            self.lists[to as usize + 1] += 1;
        }
        for node in 0..=nodes {
            self.lists[node + 1] += self.lists[node];
        }
        self.arriving.clear();
        self.arriving.resize(nodes, 0);
        let mut place = self.lists.clone();
        for (stretch, &to) in self.to.iter().enumerate() {
            self.arriving[place[to as usize] as usize] = stretch as u32;
            place[to as usize] += 1;
        }
        self.by.clear();
        self.by.resize(nodes + 1, By::Nothing);
    }

    /// The first unit's path: no stretch is taken yet, so that all lead forward.
    fn first(&mut self, stretches: &[Holding]) {
        let nodes = stretches.len();
        self.potential.clear();
        self.potential.resize(nodes + 1, 0);
        self.by[0] = By::Nothing;
        for node in 1..=nodes {
            self.by[node] = By::Line;
            self.potential[node] = self.potential[node - 1];
            for &stretch in &self.arriving[self.lists[node] as usize..self.lists[node + 1] as usize] {
                let length = self.potential[stretch as usize] - i64::from(stretches[stretch as usize].worth);
                if length < self.potential[node] {
                    (self.potential[node], self.by[node]) = (length, By::Take(stretch));
                }
            }
        }
    }

    /// The path of a further unit.
    fn search(&mut self, stretches: &[Holding]) {
        let nodes = stretches.len();
        self.distance.clear();
        self.distance.resize(nodes + 1, FAR);
        self.distance[0] = 0;
        self.heap.clear();
        self.heap.push(Reverse((0, 0)));
        while let Some(Reverse((far, node))) = self.heap.pop() {
            let at = node as usize;
            if far > self.distance[at] {
                continue;
            }
            if at < nodes {
                self.relax(at, at + 1, 0, By::Line);
                if !self.taken[at] {
                    self.relax(at, self.to[at] as usize, -i64::from(stretches[at].worth), By::Take(node));
                }
            }
            if at > 0 && self.along[at - 1] > 0 {
                self.relax(at, at - 1, 0, By::Back);
            }
            for place in self.lists[at]..self.lists[at + 1] {
                let stretch = self.arriving[place as usize];
                if self.taken[stretch as usize] {
                    let worth = i64::from(stretches[stretch as usize].worth);
                    self.relax(at, stretch as usize, worth, By::Give(stretch));
                }
            }
        }
    }

    #[inline]
    fn relax(&mut self, from: usize, to: usize, length: i64, by: By) {
        let reduced = length + self.potential[from] - self.potential[to];
        let far = self.distance[from] + reduced;
        if far < self.distance[to] {
            (self.distance[to], self.by[to]) = (far, by);
            self.heap.push(Reverse((far, to as u32)));
        }
    }

    /// Sends one unit along the path that was found.
    fn send(&mut self, nodes: usize) {
        let mut node = nodes;
        while node > 0 {
            match self.by[node] {
                By::Line => {
                    node -= 1;
                    self.along[node] += 1;
                }
                By::Back => {
                    self.along[node] -= 1;
                    node += 1;
                }
                By::Take(stretch) => {
                    self.taken[stretch as usize] = true;
                    node = stretch as usize;
                }
                By::Give(stretch) => {
                    self.taken[stretch as usize] = false;
                    node = self.to[stretch as usize] as usize;
                }
                By::Nothing => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    /// Against all ways: every set of some stretches of which no more than so many are held at once.
    #[test]
    fn the_most_is_that_of_the_best_set() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(1);
        let mut below = |end: u64| random.random_range(0..end);
        let mut packing = Packer::default();
        for _ in 0..400 {
            let (count, slots, mut begin) = (5 + below(6) as usize, 2 + below(3) as usize, 0);
            let stretches: Vec<Holding> = (0..count)
                .map(|_| {
                    begin += 1 + below(2) as u32;
                    Holding { begin, end: begin + 1 + below(9) as u32, worth: 1 + below(20) as u32 }
                })
                .collect();
            let held = |set: u32, at: u32| {
                let within = |one: &Holding| one.begin <= at && at < one.end;
                (0..count).filter(|&one| set >> one & 1 == 1 && within(&stretches[one])).count()
            };
            let fits = |set: &u32| (0..count).all(|one| held(*set, stretches[one].begin) <= slots);
            let worth = |set: u32| {
                (0..count).filter(|&one| set >> one & 1 == 1).map(|one| u64::from(stretches[one].worth)).sum::<u64>()
            };
            let best = (0..1 << count).filter(fits).map(worth).max();
            assert_eq!(Some(packing.most(&stretches, slots)), best, "{slots} slots: {stretches:?}");
        }
    }
}
