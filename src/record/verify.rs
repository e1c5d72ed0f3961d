//! Whether results are what a run wrote: seals, rows that are there twice, and what the manifest says is missing. What can be known
//! from the folder alone, without the experiment's suite.

use super::manifest::Manifest;
use super::{ResultsError, check, columns, scan_any};
use csv::StringRecord;
use foldhash::fast::RandomState;
use siphasher::sip::SipHasher13;
use std::collections::{HashMap, HashSet};
use std::hash::Hasher;
use std::path::Path;

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// Rows.
    pub rows: u64,
    /// Whether the file has seals at all; a table that another program made has not.
    pub sealed: bool,
    /// Rows that were edited or damaged, or that follow one that is missing; the first few in words.
    pub damaged: u64,
    /// Rows that are there twice.
    pub doubled: u64,
    /// The first of both, with their lines.
    pub first: Vec<String>,
    /// Jobs that failed.
    pub failed: u64,
    /// Jobs that have no row, of those that the manifest speaks of.
    pub missing_jobs: u64,
    /// Rows that were there when the run ended and are not now.
    pub missing_rows: u64,
    /// Hash of all seals in their order.
    pub digest: String,
}

/// How many rows are named.
const NAMED: usize = 3;

impl Verified {
    /// What makes the figures wrong; none if nothing does.
    #[must_use]
    pub fn wrong(&self) -> Option<String> {
        let mut found = Vec::new();
        if self.damaged > 0 {
            found.push(format!("{} rows were edited or damaged, or follow a row that is missing", self.damaged));
        }
        if self.doubled > 0 {
            found.push(format!("{} rows are there twice", self.doubled));
        }
        (!found.is_empty()).then(|| format!("{} ({})", found.join("; "), self.first.join("; ")))
    }

    /// What is not there; none if all is.
    #[must_use]
    pub fn missing(&self) -> Option<String> {
        match (self.missing_jobs, self.missing_rows) {
            (0, 0) => None,
            (0, rows) => Some(format!("{rows} rows are missing that were there when the run ended")),
            (jobs, _) => Some(format!("{jobs} jobs of the plan have no rows")),
        }
    }

    fn name(&mut self, line: u64, problem: impl std::fmt::Display) {
        if self.first.len() < NAMED {
            self.first.push(format!("line {line}: {problem}"));
        }
    }
}

/// Where a row's fields are; none where the file has no such column.
struct Places {
    id: Option<usize>,
    variant: Option<usize>,
    game: Option<usize>,
    position: Option<usize>,
    repeat: Option<usize>,
    opponent: Option<usize>,
    error: Option<usize>,
    check: Option<usize>,
}

impl Places {
    fn new(header: &[String]) -> Self {
        let at = |name: &str| header.iter().position(|column| column == name);
        Self {
            id: at(columns::ID),
            variant: at(columns::VARIANT),
            game: at(columns::GAME),
            position: at(columns::POSITION),
            repeat: at(columns::REPEAT),
            opponent: at(columns::OPPONENT),
            error: at(columns::ERROR),
            check: at(columns::CHECK).filter(|at| at + 1 == header.len()),
        }
    }
}

fn field(row: &StringRecord, at: Option<usize>) -> &str {
    at.and_then(|at| row.get(at)).unwrap_or_default()
}

/// A seal as a row has it: eight small hexadecimal digits.
fn seal_of(text: &str) -> Option<u32> {
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (text.len() == 8 && text.bytes().all(digit)).then(|| u32::from_str_radix(text, 16).ok())?
}

fn hash<'a>(parts: impl IntoIterator<Item = &'a str>) -> u64 {
    let mut hash = SipHasher13::new();
    for part in parts {
        hash.write(part.as_bytes());
        hash.write_u8(0xff);
    }
    hash.finish()
}

/// Reads a results file and holds it against itself and against the manifest that stands beside it.
///
/// # Errors
/// When it cannot be read, or is no table.
pub fn verify(path: &Path, manifest: Option<&Manifest>) -> Result<Verified, ResultsError> {
    let kept: HashSet<&str> = manifest.map(Manifest::kept).unwrap_or_default();
    let mut found = Verified::default();
    let mut places: Option<Places> = None;
    let mut seen: HashSet<u64, RandomState> = HashSet::default();
    // What stands in the check of each job's last row.
    let mut jobs: HashMap<u64, u32, RandomState> = HashMap::default();
    let mut seals = SipHasher13::new();
    let header = scan_any(path, |header, line, row| {
        let places = places.get_or_insert_with(|| Places::new(header));
        found.rows += 1;
        let row = match row {
            Ok(row) => row,
            Err(problem) => {
                found.damaged += 1;
                found.name(line.number, problem);
                return Ok(());
            }
        };
        let (variant, game, repeat) = (field(row, places.variant), field(row, places.game), field(row, places.repeat));
        // What is not emptied between positions is one job with all of them.
        let item = match kept.contains(variant) {
            true => "",
            false if game.is_empty() => field(row, places.position),
            false => game,
        };
        let job = hash([variant, item, repeat, field(row, places.opponent)]);
        let written_before = jobs.entry(job).or_insert(0);
        let failed = !field(row, places.error).is_empty();
        found.failed += u64::from(failed);
        if places.id.is_some() && !seen.insert(hash([field(row, places.id)])) {
            found.doubled += 1;
            found.name(line.number, "it is there twice");
            return Ok(());
        }
        let Some(last) = places.check else { return Ok(()) };
        let text = field(row, places.check);
        seals.write(text.as_bytes());
        let previous = if failed { 0 } else { *written_before };
        let expected = check(previous, row.iter().take(last));
        let written = seal_of(text);
        if written != Some(expected) {
            found.damaged += 1;
            found
                .name(line.number, "its check does not fit: it was edited or damaged, or the row before it is missing");
        }
        // What follows is held against what stands there, so that one edit is one edit.
        *written_before = written.unwrap_or(expected);
        Ok(())
    })?;
    found.sealed = Places::new(&header).check.is_some();
    found.digest = format!("{:016x}", seals.finish());
    if let Some(manifest) = manifest {
        if manifest.shard.is_none() {
            found.missing_jobs =
                manifest.jobs_total.saturating_sub(manifest.jobs_spared).saturating_sub(jobs.len() as u64);
        }
        found.missing_rows = manifest.rows.unwrap_or(0).saturating_sub(found.rows);
        let whole = manifest.ended.is_some() && found.wrong().is_none() && found.missing().is_none();
        if whole && manifest.seals.as_ref().is_some_and(|seals| *seals != found.digest) {
            found.damaged += 1;
            found.name(1, "the rows are not those that the run ended with");
        }
    }
    Ok(found)
}

/// Verifies a results file while something else reads it, in a thread of its own where there is one to be had.
///
/// # Errors
/// As [`verify`].
pub fn beside<T>(
    path: &Path,
    manifest: Option<&Manifest>,
    read: impl FnOnce() -> T,
) -> (Result<Verified, ResultsError>, T) {
    std::thread::scope(|scope| {
        let verifying = std::thread::Builder::new().spawn_scoped(scope, || verify(path, manifest));
        let read = read();
        let verified = match verifying.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(verified)) => verified,
            _ => verify(path, manifest),
        };
        (verified, read)
    })
}

#[cfg(test)]
mod tests {
    use super::hash;

    /// Where one field ends and the next begins is part of what is hashed.
    #[test]
    fn fields_do_not_run_together() {
        let parts: [&[&str]; 5] = [&["ab", "c"], &["a", "bc"], &["abc"], &["abc", ""], &["", "abc"]];
        let hashes: std::collections::HashSet<u64> = parts.iter().map(|parts| hash(parts.iter().copied())).collect();
        assert_eq!(hashes.len(), parts.len());
    }
}
