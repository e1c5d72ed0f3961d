//! The maximum worth of weighted intervals that fit into a number of slots.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A span of events over which a slot must hold a position to answer a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The event after which the position is held.
    pub begin: u32,
    /// The event at which it answers; after `begin`.
    pub end: u32,
    /// The cost that the answer saves, at most 2^40.
    pub worth: u64,
}

/// Finds the maximum total worth of intervals of which at most `slots` overlap; reuses its buffers.
///
/// It is a minimum-cost flow of `slots` units along the line of beginnings: a unit moves to the
/// next beginning for free, or takes an interval, gaining its worth, to the first beginning that is
/// not before the interval's end. Each unit is sent along the best remaining path, which may
/// reroute others (successive shortest paths; potentials keep edge lengths non-negative, so that
/// each is one run of Dijkstra's algorithm). At most eight units are sent, each in n log n.
///
/// Source: E. M. Arkin and E. B. Silverberg, "Scheduling jobs with fixed start and end times",
/// 1987, for the flow.
#[derive(Debug, Default)]
pub struct Packer {
    ends: Vec<u32>,
    flow: Flow,
}

impl Packer {
    /// The maximum total worth of intervals of which at most `slots` overlap. They must be sorted
    /// by their beginning.
    pub fn max_worth(&mut self, intervals: &[Interval], slots: usize) -> u64 {
        let mut total = 0;
        let mut first = 0;
        let mut last_end = 0;
        // Intervals that begin when all earlier ones have ended are a separate problem.
        for (index, interval) in intervals.iter().enumerate() {
            if index > first && interval.begin >= last_end {
                total += self.connected_worth(&intervals[first..index], slots);
                first = index;
            }
            last_end = last_end.max(interval.end);
        }
        total + self.connected_worth(&intervals[first..], slots)
    }

    /// The maximum worth of intervals that form one problem.
    fn connected_worth(&mut self, intervals: &[Interval], slots: usize) -> u64 {
        if intervals.len() <= slots || !self.exceeds_slots(intervals, slots) {
            return intervals.iter().map(|interval| interval.worth).sum();
        }
        self.flow.max_worth(intervals, slots)
    }

    /// Whether more intervals than there are slots overlap anywhere.
    fn exceeds_slots(&mut self, intervals: &[Interval], slots: usize) -> bool {
        self.ends.clear();
        self.ends.extend(intervals.iter().map(|interval| interval.end));
        self.ends.sort_unstable();
        let mut ended = 0;
        // Intervals that have begun and not ended overlap.
        intervals.iter().enumerate().any(|(index, interval)| {
            while self.ends[ended] <= interval.begin {
                ended += 1;
            }
            index + 1 - ended > slots
        })
    }
}

/// The flow network. Node `n` is the beginning of the n-th interval; the last node is the end of
/// all.
#[derive(Debug, Default)]
struct Flow {
    /// The node to which each interval leads.
    target: Vec<u32>,
    selected: Vec<bool>,
    /// Units that flow from each node to the next.
    line_flow: Vec<u32>,
    /// The intervals that lead to each node: the start of its list in `arriving`.
    lists: Vec<u32>,
    arriving: Vec<u32>,
    potential: Vec<i64>,
    distance: Vec<i64>,
    /// The edge by which each node was reached.
    reached_by: Vec<Edge>,
    heap: BinaryHeap<Reverse<(i64, u32)>>,
}

/// The edge by which a node was reached.
#[derive(Debug, Clone, Copy)]
enum Edge {
    Nothing,
    /// From the node before.
    Line,
    /// Back from the next node.
    Back,
    /// By selecting an interval.
    Take(u32),
    /// By giving up an interval that was selected.
    Give(u32),
}

const UNREACHED: i64 = i64::MAX;

impl Flow {
    /// The maximum total worth of intervals of which at most `slots` overlap: a minimum-cost flow.
    /// Each slot is a unit; the length of its path is the negated worth of its intervals.
    fn max_worth(&mut self, intervals: &[Interval], slots: usize) -> u64 {
        let nodes = intervals.len();
        self.prepare(intervals);
        for unit in 0..slots {
            if unit == 0 {
                self.first_path(intervals);
            } else {
                self.shortest_path(intervals);
                for node in 0..=nodes {
                    if self.distance[node] < UNREACHED {
                        self.potential[node] += self.distance[node];
                    }
                }
            }
            if self.potential[nodes] >= 0 {
                break; // The best path gains nothing.
            }
            self.augment(nodes);
        }
        let selected = intervals.iter().zip(&self.selected).filter(|(_, is_selected)| **is_selected);
        selected.map(|(interval, _)| interval.worth).sum()
    }

    /// Builds the network for these intervals, without flow.
    fn prepare(&mut self, intervals: &[Interval]) {
        let nodes = intervals.len();
        self.target.clear();
        self.target.extend(
            intervals.iter().map(|interval| intervals.partition_point(|other| other.begin < interval.end) as u32),
        );
        self.selected.clear();
        self.selected.resize(nodes, false);
        self.line_flow.clear();
        self.line_flow.resize(nodes, 0);
        // Counting sort by target: intervals to node n are `arriving[lists[n]..lists[n + 1]]`.
        self.lists.clear();
        self.lists.resize(nodes + 2, 0);
        for &target in &self.target {
            self.lists[target as usize + 1] += 1;
        }
        for node in 0..=nodes {
            self.lists[node + 1] += self.lists[node];
        }
        self.arriving.clear();
        self.arriving.resize(nodes, 0);
        let mut next_index = self.lists.clone();
        for (interval, &target) in self.target.iter().enumerate() {
            self.arriving[next_index[target as usize] as usize] = interval as u32;
            next_index[target as usize] += 1;
        }
        self.reached_by.clear();
        self.reached_by.resize(nodes + 1, Edge::Nothing);
    }

    /// Finds the shortest path of the first unit. No interval is selected yet, so all edges lead
    /// forward, and one pass over the nodes suffices.
    fn first_path(&mut self, intervals: &[Interval]) {
        let nodes = intervals.len();
        self.potential.clear();
        self.potential.resize(nodes + 1, 0);
        self.reached_by[0] = Edge::Nothing;
        for node in 1..=nodes {
            self.reached_by[node] = Edge::Line;
            self.potential[node] = self.potential[node - 1];
            let (list_start, list_end) = (self.lists[node] as usize, self.lists[node + 1] as usize);
            for &interval in &self.arriving[list_start..list_end] {
                let length = self.potential[interval as usize] - intervals[interval as usize].worth as i64;
                if length < self.potential[node] {
                    (self.potential[node], self.reached_by[node]) = (length, Edge::Take(interval));
                }
            }
        }
    }

    /// Finds another unit's shortest path (Dijkstra). The n-th interval begins at node n.
    fn shortest_path(&mut self, intervals: &[Interval]) {
        let nodes = intervals.len();
        self.distance.clear();
        self.distance.resize(nodes + 1, UNREACHED);
        self.distance[0] = 0;
        self.heap.clear();
        self.heap.push(Reverse((0, 0)));
        while let Some(Reverse((distance, node))) = self.heap.pop() {
            let (interval_here, node) = (node, node as usize);
            if distance > self.distance[node] {
                continue;
            }
            if node < nodes {
                self.relax(node, node + 1, 0, Edge::Line);
                if !self.selected[node] {
                    let worth = intervals[node].worth as i64;
                    self.relax(node, self.target[node] as usize, -worth, Edge::Take(interval_here));
                }
            }
            if node > 0 && self.line_flow[node - 1] > 0 {
                self.relax(node, node - 1, 0, Edge::Back);
            }
            for index in self.lists[node]..self.lists[node + 1] {
                let interval = self.arriving[index as usize];
                if self.selected[interval as usize] {
                    let worth = intervals[interval as usize].worth as i64;
                    self.relax(node, interval as usize, worth, Edge::Give(interval));
                }
            }
        }
    }

    /// Reaches node `to` by an edge from node `from`, if that path is the shortest so far.
    #[inline]
    fn relax(&mut self, from: usize, to: usize, length: i64, edge: Edge) {
        let reduced_length = length + self.potential[from] - self.potential[to];
        let distance = self.distance[from] + reduced_length;
        if distance < self.distance[to] {
            (self.distance[to], self.reached_by[to]) = (distance, edge);
            self.heap.push(Reverse((distance, to as u32)));
        }
    }

    /// Sends one unit along the last path, from its end to its start.
    fn augment(&mut self, nodes: usize) {
        let mut node = nodes;
        while node > 0 {
            match self.reached_by[node] {
                Edge::Line => {
                    node -= 1;
                    self.line_flow[node] += 1;
                }
                Edge::Back => {
                    self.line_flow[node] -= 1;
                    node += 1;
                }
                Edge::Take(interval) => {
                    self.selected[interval as usize] = true;
                    node = interval as usize;
                }
                Edge::Give(interval) => {
                    self.selected[interval as usize] = false;
                    node = self.target[interval as usize] as usize;
                }
                Edge::Nothing => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    /// The intervals of a subset, which has a bit for each interval.
    fn members(intervals: &[Interval], subset: u32) -> impl Iterator<Item = &Interval> {
        let is_member = move |(index, _): &(usize, &Interval)| subset >> index & 1 == 1;
        intervals.iter().enumerate().filter(is_member).map(|(_, interval)| interval)
    }

    /// Compared with every subset of intervals that fits.
    #[test]
    fn max_worth_equals_the_best_of_all_subsets() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(1);
        let mut below = |end: u64| random.random_range(0..end);
        let mut packing = Packer::default();
        for _ in 0..400 {
            let (count, slots, mut begin) = (5 + below(6) as usize, 2 + below(3) as usize, 0);
            let intervals: Vec<Interval> = (0..count)
                .map(|_| {
                    begin += 1 + below(2) as u32;
                    Interval { begin, end: begin + 1 + below(9) as u32, worth: 1 + below(20) }
                })
                .collect();
            let count_held = |subset: u32, event: u32| {
                let is_held = |interval: &&Interval| interval.begin <= event && event < interval.end;
                members(&intervals, subset).filter(is_held).count()
            };
            let fits = |subset: &u32| intervals.iter().all(|interval| count_held(*subset, interval.begin) <= slots);
            let worth = |subset: u32| members(&intervals, subset).map(|interval| interval.worth).sum::<u64>();
            let best = (0..1 << count).filter(fits).map(worth).max();
            assert_eq!(Some(packing.max_worth(&intervals, slots)), best, "{slots} slots: {intervals:?}");
        }
    }
}
