//! Determines which jobs of a plan have rows in a results file, and how these jobs ended. Used by
//! `run`, `verify` and the estimate of `plan`.

use super::row_index::{IndexedRow, RowIndex};
use super::stopping::MatchState;
use crate::experiment::Job;
use crate::record::verify::CHECKSUM_MISMATCH;
use crate::record::{self, ResultsError};
use csv::StringRecord;
use std::collections::HashMap;
use std::path::Path;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobStatus {
    /// The checksum of the last row that was read.
    pub check: u32,
    pub ended: bool,
    pub failed: bool,
    /// Whether the job was quarantined, in which case it did not fail by itself.
    pub quarantined: bool,
    pub damaged: bool,
}

impl JobStatus {
    /// Adds the job's next row and checks the row's checksum.
    ///
    /// # Errors
    /// If the row's checksum is wrong, because the row was edited or the previous row is missing.
    /// Also if the job has already ended.
    fn add(&mut self, entry: &IndexedRow, row: &StringRecord) -> Result<(), String> {
        self.failed |= entry.has_failed;
        if self.ended {
            return Err("duplicate: its job has already ended in an earlier line".to_owned());
        }
        let last = row.len() - 1;
        // The row of a failed job has no previous row.
        let check = record::checksum(if entry.has_failed { 0 } else { self.check }, row.iter().take(last));
        if row.get(last) != Some(format!("{check:08x}").as_str()) {
            return Err(CHECKSUM_MISMATCH.to_owned());
        }
        (self.check, self.ended) = (check, entry.is_last);
        Ok(())
    }
}

/// What a results file contains of a plan's jobs.
#[derive(Debug, Clone, Default)]
pub struct Status {
    /// What the file contains of each job. The key is the job's place in the plan's order.
    pub jobs: HashMap<u64, JobStatus>,
    /// Whether the file has a line that is damaged or is not a row of this plan.
    pub has_wrong_rows: bool,
    /// Whether the first line is the plan's header.
    pub has_header: bool,
    /// The length of all complete lines in bytes.
    pub length: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobCounts {
    pub needed: u64,
    pub missing: u64,
    pub failed: u64,
    /// Jobs that are complete but not needed, because they are pairs of games after the end of
    /// their test.
    pub unneeded: u64,
}

impl Status {
    /// The value of `strict` for which an invalid row is an error in [`Status::read`].
    pub const STRICT: bool = true;

    /// Reads a results file, and checks each row against the plan and against the row's checksum.
    /// Calls `take_row` with each row that passes these checks. If `take_row` returns an error, the
    /// row counts as invalid, too.
    ///
    /// # Errors
    /// If the file has other columns or cannot be read. If `strict` is true, also if the file has
    /// an invalid row.
    pub fn read(
        row_index: &RowIndex<'_>,
        path: &Path,
        strict: bool,
        mut take_row: impl FnMut(&IndexedRow, &StringRecord) -> Result<(), String>,
    ) -> Result<Self, ResultsError> {
        let mut status = Self::default();
        let mut add = |row: Result<&StringRecord, String>| {
            let result = row.and_then(|row| {
                let entry = row_index.entry(row)?;
                let job = status.jobs.entry(row_index.plan.order_key(&entry.job)).or_default();
                job.quarantined |= row_index.is_quarantined(row);
                let result = job.add(&entry, row);
                job.damaged |= result.is_err();
                result.and_then(|()| take_row(&entry, row))
            });
            status.has_wrong_rows |= result.is_err();
            if strict { result } else { Ok(()) }
        };
        if strict {
            let length = record::scan(path, &row_index.header, |_, row| add(row))?;
            return Ok(Self { length, has_header: true, ..status });
        }
        let (length, header_matches) = record::scan_any(path, &row_index.header, |_, row| add(row))?;
        // A file with only an incomplete header, left by a killed run, counts as empty.
        let has_partial_header = || length == 0 && record::scan(path, &row_index.header, |_, _| Ok(())).is_ok();
        let has_header = header_matches || has_partial_header();
        Ok(Self { length, has_header, has_wrong_rows: status.has_wrong_rows || !has_header, ..status })
    }

    pub fn job(&self, row_index: &RowIndex<'_>, job: &Job) -> JobStatus {
        self.jobs.get(&row_index.plan.order_key(job)).copied().unwrap_or_default()
    }

    pub fn count(&self, row_index: &RowIndex<'_>, jobs: impl Iterator<Item = Job>, state: &MatchState) -> JobCounts {
        let mut counts = JobCounts::default();
        for job in jobs {
            let status = self.job(row_index, &job);
            if state.needs(row_index.plan, &job) {
                counts.needed += 1;
                counts.missing += u64::from(!status.ended);
                counts.failed += u64::from(status.failed);
            } else {
                counts.unneeded += u64::from(status.ended);
            }
        }
        counts
    }
}
