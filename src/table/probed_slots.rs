//! The slots that probes chose for the stores that may follow them (`table.victim = "probe"`).

/// Keys and slots of the nodes under way, the innermost last. A search stores a node after the
/// nodes below it, so a store ends those.
#[derive(Debug, Default)]
pub struct ProbedSlots(Vec<(u64, u8)>);

/// Nodes that are remembered at most; the outermost are forgotten, whose stores then choose.
const MOST: usize = 1 << 16;

impl ProbedSlots {
    /// Records the slot of a probe.
    pub fn push(&mut self, key: u64, slot: usize) {
        if self.0.len() == MOST {
            self.0.drain(..MOST / 2);
        }
        self.0.push((key, slot as u8));
    }

    /// The slot that the last probe of a key chose. It stays, since a node may store an evaluation
    /// first and its score later.
    pub fn last(&mut self, key: u64) -> Option<usize> {
        let at = self.0.iter().rposition(|&(probed, _)| probed == key)?;
        self.0.truncate(at + 1);
        Some(self.0[at].1.into())
    }

    /// Forgets all: another search begins.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn store_ends_the_nodes_below_it() {
        let mut probed = ProbedSlots::default();
        for (key, slot) in [(7, 1), (8, 2), (9, 0)] {
            probed.push(key, slot);
        }
        assert_eq!([8, 9, 8, 7].map(|key| probed.last(key)), [Some(2), None, Some(2), Some(1)]);
        probed.clear();
        assert_eq!(probed.last(7), None);
    }

    #[test]
    fn outermost_node_is_forgotten_when_there_are_too_many() {
        let mut probed = ProbedSlots::default();
        (0..=MOST as u64).for_each(|key| probed.push(key, 3));
        assert_eq!(
            [MOST as u64, MOST as u64 / 2, MOST as u64 / 2 - 1].map(|key| probed.last(key)),
            [Some(3), Some(3), None]
        );
    }
}
