//! Determines which jobs of a results file need not run again, and drops the rows of all other
//! jobs.

use super::row_index::RowIndex;
use super::status::{JobStatus, Status};
use crate::record::{self, ResultsError};
use crate::system::files;
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

#[derive(Debug, Default)]
pub struct Done {
    /// The jobs that need not run again, given by their places in the plan's order.
    pub jobs: HashSet<u64>,
    pub failed: u64,
    /// The number of bytes of an incomplete last line.
    pub torn_bytes: u64,
    /// The number of rows that are dropped because their jobs are unfinished or will run again.
    pub dropped: u64,
    /// The copy of the file that was made before damaged rows were dropped.
    pub copy: Option<PathBuf>,
}

/// Which jobs run again although they have rows.
#[derive(Debug, Clone, Copy, Default)]
pub struct RetryPolicy {
    pub failed: bool,
    pub quarantined: bool,
    /// Whether jobs with a damaged or missing row run again. If true, lines that are not rows of
    /// this plan are dropped too.
    pub damaged: bool,
}

/// Copies a results file before it is repaired. The copy has the first unused name of
/// `results.csv.damaged-1`, `results.csv.damaged-2`, and so on. Returns the path of the copy.
pub(super) fn save_copy(path: &Path) -> std::io::Result<PathBuf> {
    let copy_path = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".damaged-{number}"));
        PathBuf::from(name)
    };
    let mut number = 1;
    while copy_path(number).symlink_metadata().is_ok() {
        number += 1;
    }
    let copy = copy_path(number);
    record::write_atomic(&copy, &files::read(path)?)?;
    Ok(copy)
}

/// Reads a results file and drops the rows of jobs that are not done or will run again. Returns the
/// jobs that are done, and the length in bytes of the file up to the end of their rows. If there
/// are bytes after this length, they are the last rows of a killed run, and the caller must cut
/// them off.
///
/// # Errors
/// If the file has other columns or cannot be read or written. Also if a row does not belong to
/// this plan and `retry.damaged` is false. If `retry.damaged` is true, such a row is dropped.
pub fn scan_rows(path: &Path, row_index: &RowIndex<'_>, retry: RetryPolicy) -> Result<(Done, u64), ResultsError> {
    let header = &row_index.header;
    let status = Status::read(row_index, path, !retry.damaged, |_, _| Ok(()))?;
    let torn_bytes = std::fs::metadata(path)?.len() - status.length;
    let runs_again = |job: &JobStatus| retry.failed && job.failed && (retry.quarantined || !job.quarantined);
    let is_done = |job: &JobStatus| job.ended && !job.damaged && !runs_again(job);
    let all_done = || status.jobs.iter().filter(|(_, job)| is_done(job));
    let failed = all_done().filter(|(_, job)| job.failed).count() as u64;
    let jobs = all_done().map(|(place, _)| *place).collect();
    let mut done = Done { jobs, failed, torn_bytes, dropped: 0, copy: None };
    if done.jobs.len() == status.jobs.len() && !status.has_wrong_rows {
        return Ok((done, status.length));
    }
    if status.has_wrong_rows {
        done.copy = Some(save_copy(path)?);
    }
    // The byte ranges of the rows of done jobs.
    let mut ranges: Vec<Range<u64>> = Vec::new();
    record::scan_any(path, header, |line, row| {
        let entry = row.ok().and_then(|row| row_index.entry(row).ok());
        if entry.is_some_and(|entry| done.jobs.contains(&row_index.plan.order_key(&entry.job))) {
            ranges.push(line.bytes.clone());
        } else {
            done.dropped += 1;
        }
        Ok(())
    })?;
    // If only rows at the end of the file are dropped, as after a kill, the file is not rewritten.
    let is_contiguous = ranges.windows(2).all(|pair| pair[0].end == pair[1].start);
    match (ranges.first(), ranges.last()) {
        (Some(first), Some(last))
            if status.has_header && is_contiguous && first.start == record::header_length(header)? =>
        {
            Ok((done, last.end))
        }
        _ => {
            record::rewrite(path, header, ranges.into_iter())?;
            Ok((done, std::fs::metadata(path)?.len()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::row_index::tests::{rows, trial};
    use super::*;
    use crate::experiment::Job;
    use crate::record::columns;

    /// First, one job is done, one failed, one lacks its last row, and the last line is incomplete.
    /// Then files with edited, foreign and duplicate rows.
    #[test]
    fn scan_rows_drops_unfinished_failed_and_damaged_jobs() {
        let (experiment, plan, header) = trial();
        let row_index = RowIndex::new(&experiment, &plan);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        let jobs: Vec<Job> = plan.jobs().collect();
        let rows_of = |index: usize, error: &str| rows(&experiment, &plan, &header, &jobs[index], error);
        let write_file = |lines: &[Vec<String>], end: &str| {
            let line = |fields: &[String]| fields.join(",") + "\n";
            let text: String = std::iter::once(&header).chain(lines).map(|fields| line(fields)).collect();
            std::fs::write(&path, text + end).unwrap();
        };
        let scan = |failed: bool, damaged: bool| {
            scan_rows(&path, &row_index, RetryPolicy { failed, quarantined: failed, damaged })
        };
        let rows = [rows_of(0, ""), rows_of(1, "it broke"), rows_of(2, "")[..1].to_vec()].concat();
        let places_of =
            |indices: &[usize]| indices.iter().map(|&index| plan.order_key(&jobs[index])).collect::<HashSet<u64>>();
        write_file(&rows, "torn");
        let (done, length) = scan(false, false).unwrap();
        let Done { jobs, failed, torn_bytes, dropped, copy } = done;
        assert_eq!((jobs, failed, torn_bytes, dropped, copy), (places_of(&[0, 1]), 1, 4, 1, None));
        assert_eq!(
            length,
            std::fs::metadata(&path).unwrap().len() - 4 - (rows_of(2, "")[0].join(",").len() as u64 + 1)
        );
        write_file(&rows, "");
        let (done, _) = scan(true, false).unwrap();
        assert_eq!((done.jobs, done.failed, done.torn_bytes, done.dropped), (places_of(&[0]), 0, 0, 2));
        // The dropped row is before the last one: it is removed from the file.
        write_file(&[rows_of(0, ""), rows_of(2, "")[..1].to_vec(), rows_of(1, "it broke")].concat(), "");
        let (done, length) = scan(false, false).unwrap();
        let remaining = std::fs::read(&path).unwrap();
        write_file(&[rows_of(0, ""), rows_of(1, "it broke")].concat(), "");
        assert_eq!((done.jobs, done.failed, done.dropped), (places_of(&[0, 1]), 1, 1));
        assert_eq!((&remaining, length), (&std::fs::read(&path).unwrap(), remaining.len() as u64));
        // A finished job loses no rows.
        write_file(&rows_of(0, ""), "");
        let (done, length) = scan(true, true).unwrap();
        assert_eq!((done.jobs, done.dropped, length), (places_of(&[0]), 0, std::fs::metadata(&path).unwrap().len()));
        // An edited row is an error, or is dropped with its job; the file is saved under the next
        // free name.
        let mut edited = [rows_of(0, ""), rows_of(3, "")].concat();
        let nodes = header.iter().position(|name| name == columns::NODES).unwrap();
        edited[1][nodes] = "5".to_owned();
        for number in [1, 2] {
            write_file(&edited, "");
            let before = std::fs::read(&path).unwrap();
            assert!(matches!(scan(false, false), Err(ResultsError::Damaged { line: 3, .. })));
            let (done, _) = scan(false, true).unwrap();
            let saved = folder.path().join(format!("results.csv.damaged-{number}"));
            assert_eq!(
                (done.jobs, done.failed, done.dropped, done.copy.as_ref()),
                (places_of(&[3]), 0, 2, Some(&saved))
            );
            assert_eq!(std::fs::read(saved).unwrap(), before);
            let remaining = std::fs::read(&path).unwrap();
            write_file(&rows_of(3, ""), "");
            assert_eq!(remaining, std::fs::read(&path).unwrap(), "dropped rows before the others are removed");
        }
        // A row that belongs to no job of the plan is dropped alone, and the file is saved.
        let mut foreign = [rows_of(0, ""), rows_of(3, "")[..1].to_vec()].concat();
        let variant = header.iter().position(|name| name == columns::VARIANT).unwrap();
        foreign[2][variant] = "c".to_owned();
        write_file(&foreign, "");
        assert!(matches!(scan(false, false), Err(ResultsError::Damaged { line: 4, .. })));
        let (done, length) = scan(false, true).unwrap();
        let saved = folder.path().join("results.csv.damaged-3");
        assert_eq!((done.jobs, done.failed, done.dropped, done.copy.as_ref()), (places_of(&[0]), 0, 1, Some(&saved)));
        write_file(&rows_of(0, ""), "");
        assert_eq!(length, std::fs::metadata(&path).unwrap().len());
        // A duplicate job is an error.
        write_file(&[rows_of(0, ""), rows_of(0, "")].concat(), "");
        assert!(
            matches!(scan(false, false), Err(ResultsError::Damaged { line: 4, problem }) if problem.starts_with("duplicate: "))
        );
        // It is unknown which duplicate is right, so both are dropped and the job runs again.
        write_file(&[rows_of(0, ""), rows_of(0, ""), rows_of(3, "")].concat(), "");
        let (done, length) = scan(false, true).unwrap();
        write_file(&rows_of(3, ""), "");
        assert_eq!((done.jobs, done.dropped), (places_of(&[3]), 4));
        assert_eq!(length, std::fs::metadata(&path).unwrap().len());
    }
}
