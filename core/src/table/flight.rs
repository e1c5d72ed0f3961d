//! The positions that several searchers are currently searching.

use super::key_map::KeyMap;

/// The path of each searcher at the end of its last turn. Only one searcher runs at a time, so the
/// other searchers are still at the ends of these paths.
#[derive(Default)]
pub struct InFlight {
    paths: Vec<Vec<u64>>,
    /// The number of times that each position occurs on all paths together.
    counts: KeyMap<u64, u32>,
}

impl InFlight {
    /// Records the path of a searcher whose turn ends.
    pub fn record_path(&mut self, searcher: u8, path: &[u64]) {
        let searcher = usize::from(searcher);
        if searcher >= self.paths.len() {
            self.paths.resize(searcher + 1, Vec::new());
        }
        let recorded_path = &mut self.paths[searcher];
        // The new path usually begins like the recorded path. Only the rest of it must be replaced.
        let common_len = recorded_path.iter().zip(path).take_while(|(old, new)| old == new).count();
        for key in recorded_path.drain(common_len..) {
            if let Some(count) = self.counts.get_mut(&key) {
                *count -= 1;
                if *count == 0 {
                    self.counts.remove(&key);
                }
            }
        }
        recorded_path.extend_from_slice(&path[common_len..]);
        for &key in &path[common_len..] {
            *self.counts.entry(key).or_default() += 1;
        }
    }

    /// Whether a position is on the path of another searcher.
    pub fn is_on_other_path(&self, key: u64, searcher: u8) -> bool {
        let Some(&count) = self.counts.get(&key) else { return false };
        let own_count = self
            .paths
            .get(usize::from(searcher))
            .map_or(0, |path| path.iter().filter(|&&path_key| path_key == key).count());
        count as usize > own_count
    }
}
