//! The positions that several searchers are in the middle of.

use super::key_map::KeyMap;

/// The path of each searcher, as it was when its last turn ended: while one searches, the others
/// stay where they are.
#[derive(Default)]
pub struct InFlight {
    paths: Vec<Vec<u64>>,
    /// On how many paths, and how often, each position is.
    counts: KeyMap<u64, u32>,
}

impl InFlight {
    /// Follows a searcher to where its turn ends.
    pub fn suspend(&mut self, searcher: u8, path: &[u64]) {
        let searcher = usize::from(searcher);
        if searcher >= self.paths.len() {
            self.paths.resize(searcher + 1, Vec::new());
        }
        let old = &mut self.paths[searcher];
        // Most turns end near where the last one did.
        let same = old.iter().zip(path).take_while(|(old, new)| old == new).count();
        for key in old.drain(same..) {
            if let Some(count) = self.counts.get_mut(&key) {
                *count -= 1;
                if *count == 0 {
                    self.counts.remove(&key);
                }
            }
        }
        old.extend_from_slice(&path[same..]);
        for &key in &path[same..] {
            *self.counts.entry(key).or_default() += 1;
        }
    }

    /// Whether another searcher is in the middle of a position.
    pub fn is_elsewhere(&self, key: u64, searcher: u8) -> bool {
        let Some(&count) = self.counts.get(&key) else { return false };
        let own = self.paths.get(usize::from(searcher)).map_or(0, |path| path.iter().filter(|&&at| at == key).count());
        count as usize > own
    }
}
