//! The slots that probes chose for the stores that may follow them (`table.victim = "probe"`).

/// The keys and slots of the nodes that are being searched. The innermost node is the last. A
/// search stores a node after all nodes below it, so the store of a node removes the nodes below
/// it.
#[derive(Debug, Default)]
pub struct ProbedSlots(Vec<(u64, u8)>);

/// The largest number of nodes that are remembered. If there are more, the outermost half is
/// forgotten, and the stores of those nodes choose their slots themselves.
const MAX_REMEMBERED: usize = 1 << 16;

impl ProbedSlots {
    /// Records the slot that the probe of a node found or chose.
    pub fn push(&mut self, key: u64, slot: usize) {
        if self.0.len() == MAX_REMEMBERED {
            self.0.drain(..MAX_REMEMBERED / 2);
        }
        self.0.push((key, slot as u8));
    }

    /// The slot of the last probe, or 0.
    pub fn last(&self) -> usize {
        self.0.last().map_or(0, |&(_, slot)| slot.into())
    }

    /// Forgets all nodes that were probed after the node of that probe. The node itself is not
    /// forgotten, because a search may store its evaluation first and its score later.
    pub fn return_to(&mut self, key: u64) -> Option<usize> {
        let index = self.0.iter().rposition(|&(probed_key, _)| probed_key == key)?;
        self.0.truncate(index + 1);
        let (_, slot) = self.0[index];
        Some(slot.into())
    }

    /// Forgets all nodes. Called when another search begins.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn store_removes_the_nodes_below_it() {
        let mut probed = ProbedSlots::default();
        for (key, slot) in [(7, 1), (8, 2), (9, 0)] {
            probed.push(key, slot);
        }
        assert_eq!([8, 9, 8, 7].map(|key| probed.return_to(key)), [Some(2), None, Some(2), Some(1)]);
        probed.clear();
        assert_eq!(probed.return_to(7), None);
    }

    #[test]
    fn outermost_node_is_forgotten_when_there_are_too_many() {
        let mut probed = ProbedSlots::default();
        (0..=MAX_REMEMBERED as u64).for_each(|key| probed.push(key, 3));
        assert_eq!(
            [MAX_REMEMBERED as u64, MAX_REMEMBERED as u64 / 2, MAX_REMEMBERED as u64 / 2 - 1]
                .map(|key| probed.return_to(key)),
            [Some(3), Some(3), None]
        );
    }
}
