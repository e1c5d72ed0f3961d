//! The jobs in flight, written down as they begin, so that a job that takes the process down with it is known when the run is
//! continued: such suspects run last and alone, and one that did so twice is set aside.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// The file's name in the folder; it is there while a run is, and after one that was killed.
pub const FLIGHT: &str = ".flight";

/// How often a job may take the process with it.
const MAX_CRASHES: u32 = 2;

/// The jobs in flight.
pub struct Flight {
    file: File,
    /// How often each job was in flight when the process ended.
    deaths: HashMap<u64, u32>,
}

impl Flight {
    /// Opens the file of a folder. `forget`: those that were set aside are to be tried again.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn open(folder: &Path, forget: bool) -> io::Result<Self> {
        let path = folder.join(FLIGHT);
        let mut file = crate::record::open_own_file(&path)?;
        let mut deaths: HashMap<u64, u32> = HashMap::new();
        // A torn line is of a job that had not begun.
        for line in io::read_to_string(&file)?.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let line = line.trim_end();
            let id = |text: &str| u64::from_str_radix(text, 16).ok();
            if let Some(job) = line.strip_prefix('+').and_then(id) {
                *deaths.entry(job).or_default() += 1;
            } else if let Some(deaths) = line.strip_prefix('-').and_then(id).and_then(|job| deaths.get_mut(&job)) {
                *deaths = deaths.saturating_sub(1);
            } else if let Some((Some(job), Ok(count))) =
                line.split_once(' ').map(|(job, count)| (id(job), count.parse()))
            {
                deaths.insert(job, count);
            }
        }
        deaths.retain(|_, count| *count > 0 && !(forget && *count >= MAX_CRASHES));
        // What is known so far, in few lines. A kill between the two writes forgets a suspicion, no row.
        file.seek(SeekFrom::Start(0))?;
        file.set_len(0)?;
        let known: String = deaths.iter().map(|(job, count)| format!("{job:016x} {count}\n")).collect();
        file.write_all(known.as_bytes())?;
        Ok(Self { file, deaths })
    }

    /// Whether a job was in flight when the process ended without a word.
    pub fn crashed_before(&self, job: u64) -> bool {
        self.deaths.contains_key(&job)
    }

    /// Whether a job did so too often to be tried again.
    pub fn is_quarantined(&self, job: u64) -> bool {
        self.deaths.get(&job).is_some_and(|deaths| *deaths >= MAX_CRASHES)
    }

    /// A job begins.
    pub fn begins(&self, job: u64) {
        self.note('+', job);
    }

    /// A job has ended, whatever came of it.
    pub fn ends(&self, job: u64) {
        self.note('-', job);
    }

    fn note(&self, sign: char, job: u64) {
        // Where this cannot be written neither can rows, and that is told.
        let _ = (&self.file).write_all(format!("{sign}{job:016x}\n").as_bytes());
    }
}

/// What the row of a condemned job says.
pub const QUARANTINED: &str = "the process died twice while it ran this job: set aside (killed from outside, or for the memory it took?); \
    --retry-failed tries it again";

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_job_in_flight_at_two_deaths_is_condemned_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let open = |forget| Flight::open(folder.path(), forget).unwrap();
        for (deaths, condemned) in [(0, false), (1, false), (2, true)] {
            let in_flight = open(false);
            assert_eq!((in_flight.crashed_before(7), in_flight.is_quarantined(7)), (deaths > 0, condemned), "{deaths}");
            assert!(!in_flight.crashed_before(8));
            in_flight.begins(8);
            in_flight.begins(7);
            in_flight.ends(8);
            // Killed here.
        }
        std::fs::write(folder.path().join(FLIGHT), "0000000000000007 2\n+0000000000000009\n+00000000").unwrap();
        assert!(open(false).crashed_before(9));
        assert!(!open(true).crashed_before(7) && open(false).crashed_before(9));
        // Each end takes one beginning off, not all of them.
        let begun = "+0000000000000003\n".repeat(3);
        std::fs::write(folder.path().join(FLIGHT), format!("{begun}-0000000000000003\n")).unwrap();
        assert!(open(false).is_quarantined(3));
        std::fs::write(folder.path().join(FLIGHT), format!("{begun}{}", "-0000000000000003\n".repeat(4))).unwrap();
        assert!(!open(false).crashed_before(3));
        // What is known stays as it is however often it is read: a run that is refused before its first job is no death.
        let lines = "+0000000000000009\n-0000000000000009\n+0000000000000007\n";
        std::fs::write(folder.path().join(FLIGHT), lines).unwrap();
        for _ in 0..3 {
            let in_flight = open(false);
            assert!(in_flight.crashed_before(7) && !in_flight.is_quarantined(7) && !in_flight.crashed_before(9));
        }
    }
}
