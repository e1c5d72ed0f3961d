//! The positions that several searchers are currently searching.

use super::key_map::KeyMap;

/// The path of each searcher at the end of its last turn: while one searcher runs, the others stay
/// where they are.
#[derive(Default)]
pub struct InFlight {
    paths: Vec<Vec<u64>>,
    /// How many times each position occurs on all paths together.
    counts: KeyMap<u64, u32>,
}

impl InFlight {
    /// Records the path of a searcher whose turn ends.
    pub fn suspend(&mut self, searcher: u8, path: &[u64]) {
        let searcher = usize::from(searcher);
        if searcher >= self.paths.len() {
            self.paths.resize(searcher + 1, Vec::new());
        }
        let recorded = &mut self.paths[searcher];
        // Most of the path is usually the same as after the searcher's last turn.
        let same_len = recorded.iter().zip(path).take_while(|(old, new)| old == new).count();
        for key in recorded.drain(same_len..) {
            if let Some(count) = self.counts.get_mut(&key) {
                *count -= 1;
                if *count == 0 {
                    self.counts.remove(&key);
                }
            }
        }
        recorded.extend_from_slice(&path[same_len..]);
        for &key in &path[same_len..] {
            *self.counts.entry(key).or_default() += 1;
        }
    }

    /// Whether another searcher has a position on its path.
    pub fn is_elsewhere(&self, key: u64, searcher: u8) -> bool {
        let Some(&count) = self.counts.get(&key) else { return false };
        let own_count = self
            .paths
            .get(usize::from(searcher))
            .map_or(0, |path| path.iter().filter(|&&on_path| on_path == key).count());
        count as usize > own_count
    }
}
