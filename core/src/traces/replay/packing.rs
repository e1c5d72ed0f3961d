//! The maximum worth of weighted intervals that fit into a number of slots.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A span of events over which a slot must hold a position to answer a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The event after which the position is held.
    pub begin: u32,
    /// The event of the probe that the position answers. It comes after `begin`.
    pub end: u32,
    /// The cost that the answer saves, at most 2^40.
    pub worth: u64,
}

/// Finds the maximum total worth of intervals of which at most `slots` overlap. The buffers are
/// reused for the next problem.
///
/// The problem is solved as a minimum-cost flow of `slots` units. The nodes of the network are the
/// beginnings of the intervals in order. A unit moves to the next node for free. Or it takes the
/// interval that begins at its node: it gains the interval's worth and moves to the first node that
/// is not before the interval's end. Each unit is sent along the best remaining path, which may
/// change the paths of earlier units (successive shortest paths). Potentials keep the lengths of
/// edges non-negative, so that each path takes one run of Dijkstra's algorithm. At most eight units
/// are sent. Each takes time proportional to n log n for n intervals.
///
/// Source: E. M. Arkin and E. B. Silverberg, "Scheduling jobs with fixed start and end times",
/// 1987, for the flow.
#[derive(Debug, Default)]
pub struct Packer {
    ends: Vec<u32>,
    flow: Flow,
}

impl Packer {
    /// `intervals` must be sorted by `begin`.
    pub fn max_worth(&mut self, intervals: &[Interval], slots: usize) -> u64 {
        let mut total = 0;
        let mut group_start = 0;
        let mut last_end = 0;
        // An interval that begins after all earlier intervals have ended starts a new group. Groups
        // do not overlap, so each group is solved separately.
        for (index, interval) in intervals.iter().enumerate() {
            if index > group_start && interval.begin >= last_end {
                total += self.max_group_worth(&intervals[group_start..index], slots);
                group_start = index;
            }
            last_end = last_end.max(interval.end);
        }
        total + self.max_group_worth(&intervals[group_start..], slots)
    }

    /// If all intervals of the group fit into the slots, no flow is computed.
    fn max_group_worth(&mut self, intervals: &[Interval], slots: usize) -> u64 {
        if intervals.len() <= slots || !self.exceeds_slots(intervals, slots) {
            return intervals.iter().map(|interval| interval.worth).sum();
        }
        self.flow.max_worth(intervals, slots)
    }

    fn exceeds_slots(&mut self, intervals: &[Interval], slots: usize) -> bool {
        self.ends.clear();
        self.ends.extend(intervals.iter().map(|interval| interval.end));
        self.ends.sort_unstable();
        let mut ended_count = 0;
        // At its beginning, an interval overlaps with those that began before it and have not
        // ended.
        intervals.iter().enumerate().any(|(index, interval)| {
            while self.ends[ended_count] <= interval.begin {
                ended_count += 1;
            }
            index + 1 - ended_count > slots
        })
    }
}

/// The flow network. Node `n` is the beginning of interval `n`. One more node is after the end of
/// all intervals.
#[derive(Debug, Default)]
struct Flow {
    target: Vec<u32>,
    selected: Vec<bool>,
    /// The number of units that flow from each node to the next node.
    flow_to_next: Vec<u32>,
    arriving_intervals: Vec<u32>,
    /// For each node, the index in `arriving_intervals` of the first interval that leads to it.
    arriving_start: Vec<u32>,
    potential: Vec<i64>,
    distance: Vec<i64>,
    reached_by: Vec<Edge>,
    heap: BinaryHeap<Reverse<(i64, u32)>>,
}

#[derive(Debug, Clone, Copy)]
enum Edge {
    Nothing,
    Line,
    Back,
    Select(u32),
    /// By giving up an interval that was selected.
    Deselect(u32),
}

const UNREACHED: i64 = i64::MAX;

impl Flow {
    /// Each slot is one unit of the flow. The length of a unit's path is the negated total worth of
    /// the intervals that the unit takes.
    fn max_worth(&mut self, intervals: &[Interval], slots: usize) -> u64 {
        let last_node = intervals.len();
        self.build_network(intervals);
        for unit in 0..slots {
            if unit == 0 {
                self.find_first_path(intervals);
            } else {
                self.find_next_path(intervals);
                for node in 0..=last_node {
                    if self.distance[node] < UNREACHED {
                        self.potential[node] += self.distance[node];
                    }
                }
            }
            if self.potential[last_node] >= 0 {
                break; // The best path gains nothing.
            }
            self.send_unit(last_node);
        }
        let selected = intervals.iter().zip(&self.selected).filter(|(_, is_selected)| **is_selected);
        selected.map(|(interval, _)| interval.worth).sum()
    }

    /// Builds the network for `intervals`. No unit flows yet.
    fn build_network(&mut self, intervals: &[Interval]) {
        let interval_count = intervals.len();
        self.target.clear();
        self.target.extend(
            intervals.iter().map(|interval| intervals.partition_point(|other| other.begin < interval.end) as u32),
        );
        self.selected.clear();
        self.selected.resize(interval_count, false);
        self.flow_to_next.clear();
        self.flow_to_next.resize(interval_count, 0);
        // A counting sort by target: the intervals that lead to node n are
        // `arriving_intervals[arriving_start[n]..arriving_start[n + 1]]`.
        self.arriving_start.clear();
        self.arriving_start.resize(interval_count + 2, 0);
        for &target in &self.target {
            self.arriving_start[target as usize + 1] += 1;
        }
        for node in 0..=interval_count {
            self.arriving_start[node + 1] += self.arriving_start[node];
        }
        self.arriving_intervals.clear();
        self.arriving_intervals.resize(interval_count, 0);
        let mut next_index = self.arriving_start.clone();
        for (interval, &target) in self.target.iter().enumerate() {
            self.arriving_intervals[next_index[target as usize] as usize] = interval as u32;
            next_index[target as usize] += 1;
        }
        self.reached_by.clear();
        self.reached_by.resize(interval_count + 1, Edge::Nothing);
    }

    /// Finds the shortest path for the first unit of the flow, and the potential of each node. No
    /// interval is selected yet, so all edges lead forward, and one pass over the nodes is enough.
    fn find_first_path(&mut self, intervals: &[Interval]) {
        let last_node = intervals.len();
        self.potential.clear();
        self.potential.resize(last_node + 1, 0);
        self.reached_by[0] = Edge::Nothing;
        for node in 1..=last_node {
            self.reached_by[node] = Edge::Line;
            self.potential[node] = self.potential[node - 1];
            let (start, end) = (self.arriving_start[node] as usize, self.arriving_start[node + 1] as usize);
            for &interval in &self.arriving_intervals[start..end] {
                let length = self.potential[interval as usize] - intervals[interval as usize].worth as i64;
                if length < self.potential[node] {
                    (self.potential[node], self.reached_by[node]) = (length, Edge::Select(interval));
                }
            }
        }
    }

    /// Finds the shortest path for the next unit of the flow by Dijkstra's algorithm. Each node has
    /// the same number as the interval that begins at the node.
    fn find_next_path(&mut self, intervals: &[Interval]) {
        let last_node = intervals.len();
        self.distance.clear();
        self.distance.resize(last_node + 1, UNREACHED);
        self.distance[0] = 0;
        self.heap.clear();
        self.heap.push(Reverse((0, 0)));
        while let Some(Reverse((distance, node))) = self.heap.pop() {
            let (beginning_interval, node) = (node, node as usize);
            if distance > self.distance[node] {
                continue;
            }
            if node < last_node {
                self.relax(node, node + 1, 0, Edge::Line);
                if !self.selected[node] {
                    let worth = intervals[node].worth as i64;
                    self.relax(node, self.target[node] as usize, -worth, Edge::Select(beginning_interval));
                }
            }
            if node > 0 && self.flow_to_next[node - 1] > 0 {
                self.relax(node, node - 1, 0, Edge::Back);
            }
            for index in self.arriving_start[node]..self.arriving_start[node + 1] {
                let interval = self.arriving_intervals[index as usize];
                if self.selected[interval as usize] {
                    let worth = intervals[interval as usize].worth as i64;
                    self.relax(node, interval as usize, worth, Edge::Deselect(interval));
                }
            }
        }
    }

    /// Records that node `to` is reached by an edge from node `from`, if this path to `to` is the
    /// shortest so far.
    #[inline]
    fn relax(&mut self, from: usize, to: usize, length: i64, edge: Edge) {
        let reduced_length = length + self.potential[from] - self.potential[to];
        let distance = self.distance[from] + reduced_length;
        if distance < self.distance[to] {
            (self.distance[to], self.reached_by[to]) = (distance, edge);
            self.heap.push(Reverse((distance, to as u32)));
        }
    }

    /// Sends one unit along the path that was found last. The path is followed backwards, from
    /// `last_node` to node 0.
    fn send_unit(&mut self, last_node: usize) {
        let mut node = last_node;
        while node > 0 {
            match self.reached_by[node] {
                Edge::Line => {
                    node -= 1;
                    self.flow_to_next[node] += 1;
                }
                Edge::Back => {
                    self.flow_to_next[node] -= 1;
                    node += 1;
                }
                Edge::Select(interval) => {
                    self.selected[interval as usize] = true;
                    node = interval as usize;
                }
                Edge::Deselect(interval) => {
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
