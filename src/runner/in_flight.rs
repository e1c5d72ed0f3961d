//! Crash tracking. The begin and the end of every job are recorded in the file `.flight`. If the
//! process is killed, the next run reads from this file which jobs were running, and retries each
//! of these jobs alone and after all others. After two crashes a job is quarantined, so that one
//! bad job cannot stop a sweep.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// The file's name in the results folder. The file exists during a run and after a run was killed.
pub const IN_FLIGHT_FILE: &str = ".flight";

/// The number of crashes after which a job is quarantined.
const MAX_CRASHES: u32 = 2;

/// The open file and the crashes of earlier runs.
pub struct InFlight {
    file: File,
    /// The number of crashes of each job. The key is the job's id. Jobs without crashes are absent.
    crashes: HashMap<u64, u32>,
}

impl InFlight {
    /// Reads the crash counts of earlier runs and compacts the file. If `retry_quarantined` is
    /// true, the crashes of quarantined jobs are forgotten, so that these jobs run again.
    pub fn open(folder: &Path, retry_quarantined: bool) -> io::Result<Self> {
        let path = folder.join(IN_FLIGHT_FILE);
        let mut file = crate::record::open_regular_file(&path)?;
        let mut crashes: HashMap<u64, u32> = HashMap::new();
        // An incomplete last line is ignored, because its job had not begun.
        for line in io::read_to_string(&file)?.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let line = line.trim_end();
            let parse_id = |text: &str| u64::from_str_radix(text, 16).ok();
            // `+ID` means that a job began, and `-ID` that the job ended. `ID COUNT` is the number
            // of crashes of a job in earlier runs.
            if let Some(job) = line.strip_prefix('+').and_then(parse_id) {
                *crashes.entry(job).or_default() += 1;
            } else if let Some(count) = line.strip_prefix('-').and_then(parse_id).and_then(|job| crashes.get_mut(&job))
            {
                *count = count.saturating_sub(1);
            } else if let Some((Some(job), Ok(count))) =
                line.split_once(' ').map(|(job, count)| (parse_id(job), count.parse()))
            {
                crashes.insert(job, count);
            }
        }
        crashes.retain(|_, count| *count > 0 && !(retry_quarantined && *count >= MAX_CRASHES));
        // If the process is killed between `set_len` and `write_all`, the crash counts are lost,
        // but no rows are.
        file.seek(SeekFrom::Start(0))?;
        file.set_len(0)?;
        let lines: String = crashes.iter().map(|(job, count)| format!("{job:016x} {count}\n")).collect();
        file.write_all(lines.as_bytes())?;
        Ok(Self { file, crashes })
    }

    /// Whether the process was killed while this job ran.
    pub fn crashed_before(&self, job: u64) -> bool {
        self.crashes.contains_key(&job)
    }

    /// Whether the job has crashed too often to be retried.
    pub fn is_quarantined(&self, job: u64) -> bool {
        self.crashes.get(&job).is_some_and(|crashes| *crashes >= MAX_CRASHES)
    }

    pub fn begin_job(&self, job: u64) {
        self.append_line('+', job);
    }

    pub fn end_job(&self, job: u64) {
        self.append_line('-', job);
    }

    fn append_line(&self, sign: char, job: u64) {
        // An error is ignored. If this line cannot be written, the job's rows cannot be written
        // either, and their error is reported.
        let _ = (&self.file).write_all(format!("{sign}{job:016x}\n").as_bytes());
    }
}

pub const QUARANTINED: &str = "quarantined: the process was killed twice while running this job (out of memory, or killed from outside?); \
    retry it with --retry-failed";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn job_is_quarantined_after_two_crashes() {
        let folder = tempfile::tempdir().unwrap();
        let open = |retry| InFlight::open(folder.path(), retry).unwrap();
        for (crashes, quarantined) in [(0, false), (1, false), (2, true)] {
            let in_flight = open(false);
            assert_eq!(
                (in_flight.crashed_before(7), in_flight.is_quarantined(7)),
                (crashes > 0, quarantined),
                "{crashes}"
            );
            assert!(!in_flight.crashed_before(8));
            in_flight.begin_job(8);
            in_flight.begin_job(7);
            in_flight.end_job(8);
            // Killed here.
        }
        std::fs::write(folder.path().join(IN_FLIGHT_FILE), "0000000000000007 2\n+0000000000000009\n+00000000").unwrap();
        assert!(open(false).crashed_before(9));
        assert!(!open(true).crashed_before(7));
        assert!(open(false).crashed_before(9));
        // Each end cancels one beginning, not all.
        let three_begins = "+0000000000000003\n".repeat(3);
        std::fs::write(folder.path().join(IN_FLIGHT_FILE), format!("{three_begins}-0000000000000003\n")).unwrap();
        assert!(open(false).is_quarantined(3));
        std::fs::write(
            folder.path().join(IN_FLIGHT_FILE),
            format!("{three_begins}{}", "-0000000000000003\n".repeat(4)),
        )
        .unwrap();
        assert!(!open(false).crashed_before(3));
        // Opening the file without running the job changes no count.
        let lines = "+0000000000000009\n-0000000000000009\n+0000000000000007\n";
        std::fs::write(folder.path().join(IN_FLIGHT_FILE), lines).unwrap();
        for _ in 0..3 {
            let in_flight = open(false);
            assert!(in_flight.crashed_before(7));
            assert!(!in_flight.is_quarantined(7));
            assert!(!in_flight.crashed_before(9));
        }
    }
}
