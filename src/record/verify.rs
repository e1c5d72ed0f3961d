//! Checks whether a results file still contains what a run wrote. The checks find rows that were
//! edited, duplicate rows, and rows that are missing according to the manifest. They need only the
//! results folder, not the experiment's suite.

use super::blocks::{self, process_blocks};
use super::fields::Parser;
use super::manifest::Manifest;
use super::results::{field_count_problem, parse_header};
use super::seals::{ColumnBytes, SealHasher, Seals};
use super::{ResultsError, RowKey, columns};
use crate::text::plural;
use foldhash::fast::RandomState;
use siphasher::sip::SipHasher13;
use std::collections::{HashMap, HashSet};
use std::hash::Hasher;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::Path;

pub(crate) const CHECKSUM_MISMATCH: &str =
    "its checksum does not match: it was edited or damaged, or the row before it is missing";

/// The message for a row whose id an earlier row has.
const DUPLICATE: &str = "it is a duplicate";

/// The result of verifying a results file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyReport {
    pub rows: u64,
    /// Whether rows have checksums. The rows of a table from another program have none.
    pub sealed: bool,
    /// Number of rows that were edited or damaged, or that follow a missing row.
    pub damaged: u64,
    /// Number of rows that are duplicates of earlier rows.
    pub duplicated: u64,
    /// Messages about the first damaged and duplicate rows. Each message contains the line number
    /// and the problem.
    pub problems: Vec<String>,
    pub failed: u64,
    /// Number of jobs that have no rows, although the manifest counts them.
    pub missing_jobs: u64,
    /// Number of rows that have disappeared since the run ended.
    pub missing_rows: u64,
    pub seals: Seals,
    /// Whether the manifest is sealed. `None` if there is no manifest.
    pub is_sealed: Option<bool>,
}

pub const UNSEALED: &str = "unsealed: its manifest has no seal, so edits cannot be detected";

/// Maximum number of rows or columns that a message lists.
const MAX_EXAMPLES: usize = 3;

impl VerifyReport {
    /// Describes damaged and duplicate rows, which make figures wrong. Returns `None` if there are
    /// no such rows.
    pub fn describe_damage(&self) -> Option<String> {
        let mut row_counts = Vec::new();
        if self.damaged > 0 {
            row_counts.push(format!("{} edited or damaged, or following a missing row", plural(self.damaged, "row")));
        }
        if self.duplicated > 0 {
            row_counts.push(plural(self.duplicated, "duplicate row"));
        }
        // The text with the count of rows already says what is wrong with them, so this ending of
        // a message is not repeated in the list.
        let counted_problem = format!(": {}", if self.damaged > 0 { CHECKSUM_MISMATCH } else { DUPLICATE });
        let problems: Vec<&str> =
            self.problems.iter().map(|problem| problem.strip_suffix(&counted_problem).unwrap_or(problem)).collect();
        let are_all_listed = self.damaged + self.duplicated <= problems.len() as u64;
        let list_start = if are_all_listed { "" } else { "first: " };
        (!row_counts.is_empty()).then(|| format!("{} ({list_start}{})", row_counts.join("; "), problems.join("; ")))
    }

    /// Describes how many jobs or rows are missing or, if none is missing, that a seal is missing.
    /// Returns `None` if nothing is missing.
    pub fn describe_missing(&self) -> Option<String> {
        self.describe_missing_rows().or_else(|| self.describe_unsealed())
    }

    pub fn describe_unsealed(&self) -> Option<String> {
        match self.is_sealed {
            Some(false) => Some(UNSEALED.to_owned()),
            Some(_) if !self.sealed => {
                Some("unsealed: its rows have no checksums, so edits cannot be detected".to_owned())
            }
            _ => None,
        }
    }

    /// Describes how many jobs are missing or, if no job is missing, how many rows. Returns `None`
    /// if nothing is missing.
    pub fn describe_missing_rows(&self) -> Option<String> {
        match (self.missing_jobs, self.missing_rows) {
            (0, 0) => None,
            (0, rows) => Some(format!("missing: {} that the run wrote", plural(rows, "row"))),
            (jobs, _) => Some(format!("{} of the plan without rows", plural(jobs, "job"))),
        }
    }

    /// Adds a problem to the list, unless the list is full.
    fn add_problem(&mut self, line: u64, problem: impl std::fmt::Display) {
        if self.problems.len() < MAX_EXAMPLES {
            self.problems.push(format!("line {line}: {problem}"));
        }
    }
}

fn without_separator(field: &[u8]) -> &[u8] {
    field.split_last().map_or(&[], |(_, text)| text)
}

fn column_index(header: &[String], name: &str) -> Option<usize> {
    header.iter().position(|column| column == name)
}

fn checksum_index(header: &[String]) -> Option<usize> {
    column_index(header, columns::CHECK).filter(|index| index + 1 == header.len())
}

/// Parses a checksum. Returns `None` if the text is not eight lower-case hexadecimal digits.
fn parse_checksum(text: &[u8]) -> Option<u32> {
    let is_valid = text.len() == 8 && text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    u32::from_str_radix(std::str::from_utf8(text).ok().filter(|_| is_valid)?, 16).ok()
}

fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let mut hasher = SipHasher13::new();
    parts.into_iter().for_each(|part| hasher.write(part));
    hasher.finish()
}

/// The facts about a row that can be found without the earlier blocks of the file.
struct RowFacts {
    /// The row's range of bytes in the block.
    bytes: Range<usize>,
    job_hash: u64,
    id_hash: u64,
    failed: bool,
    /// The checksum in the file. `None` if the field is not a valid checksum.
    checksum: Option<u32>,
    /// The checksum that the row should have if `previous_checksum` is the checksum of the job's
    /// previous row.
    expected_checksum: u32,
    /// The checksum of the job's previous row in the same block. 0 if the block has no such row.
    previous_checksum: u32,
}

#[derive(Default)]
struct ParsedBlock {
    /// For each line, the facts about the row, or why the line is not a row.
    rows: Vec<Result<RowFacts, String>>,
    columns: ColumnBytes,
}

/// Parses the complete lines of a block. `never_cleared` contains the variants whose tables are
/// never cleared.
fn parse_block(block: &[u8], header: &[String], never_cleared: &HashSet<&str>) -> ParsedBlock {
    let keys = RowKey::of_header(header);
    let checksum_index = checksum_index(header);
    let (mut parsed_block, mut parser, mut offset) = (ParsedBlock::default(), Parser::new(), 0);
    // The checksum of the last row of each job in this block.
    let mut last_checksums: HashMap<u64, u32, RandomState> = HashMap::default();
    for line in block[..blocks::complete_lines_length(block)].split_inclusive(|byte| *byte == b'\n') {
        let bytes = offset..offset + line.len();
        offset = bytes.end;
        let row = parser.separate_line(line).and_then(|row| match row.len() {
            field_count if field_count == header.len() => Ok(row),
            field_count => Err(field_count_problem(header.len(), field_count)),
        });
        parsed_block.rows.push(row.map(|row| {
            parsed_block.columns.push(row);
            let key = keys.map(|index| row.field(index));
            let variant = std::str::from_utf8(without_separator(key.variant));
            let searches_suite = variant.is_ok_and(|name| never_cleared.contains(name));
            let job_hash = hash(key.job(searches_suite, |field| without_separator(field).is_empty()));
            let failed = !without_separator(key.error).is_empty();
            let checksum = parse_checksum(without_separator(row.field(checksum_index)));
            // The checksum of a failed job's row does not depend on a previous row.
            let previous_checksum = if failed { 0 } else { last_checksums.get(&job_hash).copied().unwrap_or(0) };
            let expected_checksum =
                checksum_index.map_or(0, |checksum_index| row.checksum(previous_checksum, checksum_index));
            last_checksums.insert(job_hash, checksum.unwrap_or(expected_checksum));
            RowFacts {
                bytes,
                job_hash,
                id_hash: hash([key.id]),
                failed,
                checksum,
                expected_checksum,
                previous_checksum,
            }
        }));
    }
    parsed_block
}

/// Verifies a results file on all processors. If there is a manifest, the file is also compared
/// with the manifest.
pub fn verify(path: &Path, manifest: Option<&Manifest>) -> Result<VerifyReport, ResultsError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    verify_in_blocks(path, manifest, threads, blocks::SIZE)
}

/// Verifies a results file as [`verify`] does, with the given number of threads and block size.
fn verify_in_blocks(
    path: &Path,
    manifest: Option<&Manifest>,
    threads: usize,
    block_bytes: usize,
) -> Result<VerifyReport, ResultsError> {
    let never_cleared: HashSet<&str> =
        manifest.into_iter().flat_map(|manifest| &manifest.never_cleared).map(String::as_str).collect();
    let mut report = VerifyReport::default();
    let mut seen_ids: HashSet<u64, RandomState> = HashSet::default();
    // The checksum of the last row of each job.
    let mut last_checksums: HashMap<u64, u32, RandomState> = HashMap::default();
    let mut file = BufReader::new(crate::system::files::open(path)?);
    let mut header = Vec::new();
    file.read_until(b'\n', &mut header)?;
    let header_length = header.len();
    header.truncate(blocks::complete_lines_length(&header));
    let header = parse_header(&header)?;
    let (has_ids, checksum_index) = (column_index(&header, columns::ID).is_some(), checksum_index(&header));
    let (mut parser, mut hasher) = (Parser::new(), SealHasher::new(header.len()));
    hasher.update(header_length, &ColumnBytes::default());
    process_blocks(
        threads,
        block_bytes,
        file,
        blocks::complete_lines_length,
        |block| parse_block(block, &header, &never_cleared),
        |block, parsed: ParsedBlock| {
            hasher.update(block.len(), &parsed.columns);
            for row in parsed.rows {
                report.rows += 1;
                let line = report.rows + 1;
                let row = match row {
                    Ok(row) => row,
                    Err(problem) => {
                        report.damaged += 1;
                        report.add_problem(line, problem);
                        continue;
                    }
                };
                let last_checksum = last_checksums.entry(row.job_hash).or_insert(0);
                report.failed += u64::from(row.failed);
                if has_ids && !seen_ids.insert(row.id_hash) {
                    report.duplicated += 1;
                    report.add_problem(line, DUPLICATE);
                    continue;
                }
                let Some(checksum_index) = checksum_index else { continue };
                let previous_checksum = if row.failed { 0 } else { *last_checksum };
                let expected_checksum = match previous_checksum == row.previous_checksum {
                    true => row.expected_checksum,
                    // The job's previous row is in another block.
                    false => parser
                        .separate_line(&block[row.bytes])
                        .map_or(0, |row| row.checksum(previous_checksum, checksum_index)),
                };
                if row.checksum != Some(expected_checksum) {
                    report.damaged += 1;
                    report.add_problem(line, CHECKSUM_MISMATCH);
                }
                // The next row is checked with the checksum in the file instead of the expected
                // checksum, so that one edited row is not reported twice.
                *last_checksum = row.checksum.unwrap_or(expected_checksum);
            }
            Ok::<_, ResultsError>(())
        },
    )?;
    report.sealed = checksum_index.is_some();
    report.seals = hasher.finish(&header);
    if let Some(manifest) = manifest {
        report.is_sealed = Some(manifest.is_sealed());
        if manifest.shard.is_none() {
            report.missing_jobs = manifest
                .jobs_total
                .saturating_sub(manifest.jobs_not_needed)
                .saturating_sub(last_checksums.len() as u64);
        }
        report.missing_rows = manifest.rows.unwrap_or(0).saturating_sub(report.rows);
        let is_complete =
            manifest.ended.is_some() && report.describe_damage().is_none() && report.describe_missing_rows().is_none();
        if let Some(problem) = find_broken_seal(&report, manifest, is_complete) {
            report.damaged += 1;
            report.add_problem(1, problem);
        }
    }
    Ok(report)
}

/// Describes the first seal in the manifest that does not match the file. Returns `None` if all
/// seals match. `is_complete` is true if the run has ended and all its rows are present and
/// undamaged. Otherwise only the seal of the header is compared.
fn find_broken_seal(report: &VerifyReport, manifest: &Manifest, is_complete: bool) -> Option<String> {
    let differs = |seal: &Option<String>, actual: &String| seal.as_ref().is_some_and(|seal| seal != actual);
    let describe_columns = |columns: Vec<&String>, problem: &str| {
        let names = columns.iter().take(MAX_EXAMPLES).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let ellipsis = if columns.len() > MAX_EXAMPLES { ", ..." } else { "" };
        (!columns.is_empty())
            .then(|| format!("{} {problem}: {names}{ellipsis}", plural(columns.len() as u64, "column")))
    };
    if differs(&manifest.header_seal, &report.seals.header) {
        let (old_seals, new_seals) = (&manifest.column_seals, &report.seals.columns);
        let missing_columns = old_seals.keys().filter(|name| !new_seals.contains_key(*name)).collect();
        let new_columns =
            new_seals.keys().filter(|name| !old_seals.is_empty() && !old_seals.contains_key(*name)).collect();
        let problems = [
            describe_columns(missing_columns, "missing"),
            describe_columns(new_columns, "added since the run"),
            Some("the header has changed since the run".to_owned()),
        ];
        return Some(problems.into_iter().flatten().collect::<Vec<_>>().join("; "));
    }
    if !is_complete {
        return None;
    }
    let changed_columns =
        manifest.column_seals.iter().filter(|(name, seal)| report.seals.columns.get(*name) != Some(seal));
    describe_columns(changed_columns.map(|(name, _)| name).collect(), "changed since the run ended").or_else(|| {
        differs(&manifest.file_seal, &report.seals.file)
            .then(|| "the file has changed since the run ended: seconds, ids or bytes at its end differ".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Extra, append_checksum, header};
    use super::*;

    /// The hash depends on where fields end.
    #[test]
    fn hash_depends_on_field_boundaries() {
        let mut parser = Parser::new();
        let mut hash_line = |line: &str| {
            let row = parser.separate_line(line.as_bytes()).unwrap();
            hash((0..row.len()).map(|index| row.field(Some(index))))
        };
        let hashes: HashSet<u64> = ["ab,c", "a,bc", "abc", "abc,", ",abc"].map(&mut hash_line).into();
        assert_eq!(hashes.len(), 5);
    }

    /// The report is the same for any block size and number of threads: with intact, edited,
    /// missing, duplicate, failed and torn rows, and jobs one after another or interleaved.
    #[test]
    fn report_does_not_depend_on_blocks_and_threads() {
        let header = header(&[], Extra::default());
        let column_index = |name: &str| header.iter().position(|column| column == name).unwrap();
        let line = |fields: &[String]| {
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(fields).unwrap();
            String::from_utf8(writer.into_inner().unwrap()).unwrap()
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        for interleaved in [false, true] {
            let mut seals = [0; 6];
            let mut lines = vec![line(&header)];
            for number in 0..60_usize {
                let job = if interleaved { number % 6 } else { number / 10 };
                let mut row = vec![String::new(); header.len() - 1];
                row[column_index(columns::ID)] = number.to_string();
                // A name with a comma is quoted.
                row[column_index(columns::VARIANT)] = ["plain", "a, b"][job % 2].to_owned();
                row[column_index(columns::POSITION)] = job.to_string();
                row[column_index(columns::NODES)] = (number * number).to_string();
                let failed = number == 31;
                row[column_index(columns::ERROR)] = if failed { "why" } else { "" }.to_owned();
                seals[job] = append_checksum(&mut row, if failed { 0 } else { seals[job] });
                lines.push(line(&row));
            }
            let verify_lines = |lines: &[String], threads: usize, size: usize| {
                std::fs::write(&path, lines.concat()).unwrap();
                verify_in_blocks(&path, None, threads, size).unwrap()
            };
            let intact = verify_lines(&lines, 1, 1 << 20);
            assert_eq!((intact.rows, intact.damaged, intact.duplicated, intact.failed), (60, 0, 0, 1), "{intact:?}");
            let (mut missing, mut edited, mut duplicated, mut torn) =
                (lines.clone(), lines.clone(), lines.clone(), lines.clone());
            missing.remove(15);
            edited[17] = edited[17].replacen(',', ",1", 1);
            duplicated.insert(40, duplicated[7].clone());
            torn[60].truncate(12);
            for (lines, damaged_count, duplicate_count) in
                [(lines, 0, 0), (missing, 1, 0), (edited, 1, 0), (duplicated, 0, 1), (torn, 0, 0)]
            {
                let expected = verify_lines(&lines, 1, 1 << 20);
                assert_eq!((expected.damaged, expected.duplicated), (damaged_count, duplicate_count), "{expected:?}");
                for (threads, size) in [(1, 1), (2, 100), (3, 1000)] {
                    assert_eq!(verify_lines(&lines, threads, size), expected, "{threads} threads, {size} bytes");
                }
            }
        }
    }

    /// Each kind of damage has the right counts and message. The table has six jobs of two rows
    /// each, and the last job failed.
    #[test]
    fn damage_is_counted_and_described() {
        let header = header(&[], Extra::default());
        let column_index = |name: &str| header.iter().position(|column| column == name).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        let mut lines = vec![header.join(",")];
        for (variant, position, repeat) in
            [("a", "p", 0), ("b", "p", 0), ("a", "q", 0), ("b", "q", 0), ("a", "p", 1), ("b", "p", 1)]
        {
            let mut previous = 0;
            for depth in 1..=2 {
                let mut row = vec![String::new(); header.len() - 1];
                row[column_index(columns::ID)] = lines.len().to_string();
                row[column_index(columns::VARIANT)] = variant.to_owned();
                row[column_index(columns::POSITION)] = position.to_owned();
                row[column_index(columns::REPEAT)] = repeat.to_string();
                row[column_index(columns::DEPTH)] = depth.to_string();
                if lines.len() == 12 {
                    // A failed job restarts the checksum chain.
                    (row[column_index(columns::ERROR)], previous) = ("why".to_owned(), 0);
                }
                previous = append_checksum(&mut row, previous);
                lines.push(row.join(","));
            }
        }
        let verify_lines = |lines: &[String], manifest: Option<&Manifest>| {
            std::fs::write(&path, lines.join("\n") + "\n").unwrap();
            verify(&path, manifest).unwrap()
        };
        let intact = verify_lines(&lines, None);
        let expected_report =
            VerifyReport { rows: 12, sealed: true, failed: 1, seals: intact.seals.clone(), ..VerifyReport::default() };
        assert_eq!((&intact, intact.describe_damage(), intact.describe_missing()), (&expected_report, None, None));
        let ended = Manifest {
            jobs_total: 8,
            jobs_not_needed: 2,
            rows: Some(12),
            file_seal: Some(intact.seals.file.clone()),
            manifest_seal: Some(String::new()),
            ended: Some(5),
            ..Manifest::default()
        };
        let is_sealed = Some(true);
        assert_eq!(verify_lines(&lines, Some(&ended)), VerifyReport { is_sealed, ..expected_report });
        let words = "edited or damaged, or following a missing row";
        let remove = |removed: &[usize]| {
            (0..13).filter(|index| !removed.contains(index)).map(|index| lines[index].clone()).collect::<Vec<_>>()
        };
        let edit_lines = |indices: &[usize]| {
            let mut lines = lines.clone();
            indices.iter().for_each(|&index| lines[index] = lines[index].replacen(",,", ",5,", 1));
            lines
        };
        // The lines, the manifest, and the expected counts (damaged rows, duplicates, missing jobs,
        // missing rows), damage message and message about missing rows.
        type Case<'a> = (Vec<String>, Manifest, [u64; 4], Option<String>, Option<&'a str>);
        let cases: [Case<'_>; 12] = [
            (edit_lines(&[3]), ended.clone(), [1, 0, 0, 0], Some(format!("1 row {words} (line 4)")), None),
            (
                edit_lines(&[1, 3, 5, 7]),
                ended.clone(),
                [4, 0, 0, 0],
                Some(format!("4 rows {words} (first: line 2; line 4; line 6)")),
                None,
            ),
            (
                remove(&[1]),
                ended.clone(),
                [1, 0, 0, 1],
                Some(format!("1 row {words} (line 2)")),
                Some("missing: 1 row that the run wrote"),
            ),
            (remove(&[2]), ended.clone(), [0, 0, 0, 1], None, Some("missing: 1 row that the run wrote")),
            (remove(&[3, 4]), ended.clone(), [0, 0, 1, 2], None, Some("1 job of the plan without rows")),
            (
                remove(&[]),
                Manifest { jobs_total: 11, ..ended.clone() },
                [0, 0, 3, 0],
                None,
                Some("3 jobs of the plan without rows"),
            ),
            // A running run has at least the rows of its manifest.
            (
                remove(&[2]),
                Manifest { ended: None, ..ended.clone() },
                [0, 0, 0, 1],
                None,
                Some("missing: 1 row that the run wrote"),
            ),
            // A shard's jobs are not known here, and neither are the rows of a run that has not
            // ended.
            (
                remove(&[3, 4]),
                Manifest { shard: Some(Default::default()), rows: None, ..ended.clone() },
                [1, 0, 0, 0],
                Some(format!(
                    "1 row {words} (line 1: the file has changed since the run ended: seconds, ids or bytes at its end differ)"
                )),
                None,
            ),
            (
                remove(&[3, 4]),
                Manifest { rows: None, jobs_total: 7, ..ended.clone() },
                [1, 0, 0, 0],
                Some(format!(
                    "1 row {words} (line 1: the file has changed since the run ended: seconds, ids or bytes at its end differ)"
                )),
                None,
            ),
            (
                remove(&[3, 4]),
                Manifest { rows: None, jobs_total: 7, ended: None, ..ended.clone() },
                [0, 0, 0, 0],
                None,
                None,
            ),
            (
                [&lines[..], &lines[2..3]].concat(),
                ended.clone(),
                [0, 1, 0, 0],
                Some("1 duplicate row (line 14)".to_owned()),
                None,
            ),
            (
                [&edit_lines(&[3])[..], &lines[1..3]].concat(),
                ended.clone(),
                [1, 2, 0, 0],
                Some(format!(
                    "1 row {words}; 2 duplicate rows (line 4; line 14: it is a duplicate; line 15: it is a duplicate)"
                )),
                None,
            ),
        ];
        for (number, (lines, manifest, expected_counts, expected_damage, expected_missing)) in
            cases.into_iter().enumerate()
        {
            let report = verify_lines(&lines, Some(&manifest));
            let counts = [report.damaged, report.duplicated, report.missing_jobs, report.missing_rows];
            assert_eq!(
                (counts, report.describe_damage(), report.describe_missing().as_deref()),
                (expected_counts, expected_damage, expected_missing),
                "case {number}"
            );
        }
        // Invalid checksums: too long, in capitals, empty. A table without checksums has nothing to
        // check.
        for checksum in ["0123456789", "ABCDEF01", ""] {
            let mut lines = lines.clone();
            let comma = lines[2].rfind(',').unwrap();
            lines[2].replace_range(comma + 1.., checksum);
            assert_eq!(verify_lines(&lines, None).damaged, 1, "{checksum:?}");
            assert_eq!(
                verify_lines(&lines, Some(&ended)).damaged,
                1,
                "{checksum:?}: the file's seal is not reported too"
            );
        }
        let foreign = verify_lines(&["id,check,nodes", "1,x,2", "1,x,3", "2,x"].map(str::to_owned), None);
        let problems = vec!["line 3: it is a duplicate".to_owned(), format!("line 4: {}", field_count_problem(3, 2))];
        assert_eq!(
            (foreign.sealed, foreign.rows, foreign.damaged, foreign.duplicated, foreign.problems),
            (false, 3, 1, 1, problems)
        );
        for (text, seal) in [
            ("00000000", Some(0)),
            ("fedcba98", Some(0xfedc_ba98)),
            ("0000000", None),
            ("0000000g", None),
            ("+0000001", None),
        ] {
            assert_eq!(parse_checksum(text.as_bytes()), seal, "{text}");
        }
    }

    /// A variant with a table that is never cleared has one job for all items. Otherwise each game
    /// and each position is a job.
    #[test]
    fn jobs_depend_on_uncleared_variants() {
        let header = header(&[], Extra::default());
        let column_index = |name: &str| header.iter().position(|column| column == name).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        let mut text = header.join(",") + "\n";
        for (number, (variant, game, position)) in [
            ("kept", "", "p"),
            ("kept", "", "q"),
            ("kept", "g", "r"),
            ("else", "", "p"),
            ("else", "", "q"),
            ("else", "g", "g 1"),
            ("else", "g", "g 2"),
        ]
        .into_iter()
        .enumerate()
        {
            let mut row = vec![String::new(); header.len() - 1];
            row[column_index(columns::ID)] = number.to_string();
            row[column_index(columns::VARIANT)] = variant.to_owned();
            row[column_index(columns::GAME)] = game.to_owned();
            row[column_index(columns::POSITION)] = position.to_owned();
            append_checksum(&mut row, 0);
            text += &(row.join(",") + "\n");
        }
        std::fs::write(&path, text).unwrap();
        // Four of ten jobs: one of the uncleared variant, two positions, one game.
        let manifest = Manifest { jobs_total: 10, never_cleared: vec!["kept".to_owned()], ..Manifest::default() };
        assert_eq!(verify(&path, Some(&manifest)).unwrap().missing_jobs, 10 - 4);
        let all_cleared = Manifest { never_cleared: Vec::new(), ..manifest };
        assert_eq!(verify(&path, Some(&all_cleared)).unwrap().missing_jobs, 10 - 6);
    }
}
