//! Checks whether a results file still contains what a run wrote. The checks find rows that were
//! edited, duplicate rows, and rows that are missing according to the manifest. They need only the
//! results folder, not the experiment's suite.

use super::blocks::{self, process_blocks};
use super::fields::SeparatedRow;
use super::manifest::Manifest;
use super::results::{describe_header, field_count_problem, parse_header};
use super::seals::{self, SealHasher, Seals};
use super::{ResultsError, RowKey, columns, packed};
use crate::text::plural;
use foldhash::fast::RandomState;
use foldhash::quality::FixedState;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher};
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
}

/// Maximum number of rows that a message lists.
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

    /// Describes how many jobs are missing or, if no job is missing, how many rows. Returns `None`
    /// if nothing is missing.
    pub fn describe_missing(&self) -> Option<String> {
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
    let mut hasher = FixedState::default().build_hasher();
    parts.into_iter().for_each(|part| hasher.write(part));
    hasher.finish()
}

/// Collects the rows of a file while they are verified, so that the file is read and split into
/// fields only once.
pub trait Collector: Send + Sized {
    fn new(header: &[String]) -> Self;
    /// `None` stands for a line that is not a row, or that may not be a whole row.
    fn push(&mut self, _row: Option<&SeparatedRow>) {}
    /// Appends the rows of the next block.
    fn append(&mut self, _next: Self) {}
}

impl Collector for () {
    fn new(_: &[String]) {}
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
    /// The checksum of the previous row, or 0 if that row is of another job or another block.
    previous_checksum: u32,
}

struct ParsedBlock<C> {
    /// For each line, the facts about the row, or why the line is not a row.
    rows: Vec<Result<RowFacts, String>>,
    /// The fields that the seal of the counts covers.
    counts: Vec<u8>,
    collected: C,
}

/// Parses the complete lines of a block. `never_cleared` contains the variants whose tables are
/// never cleared. `counted` are the columns that the seal of the counts covers.
fn parse_block<C: Collector>(
    block: &[u8],
    header: &[String],
    counted: &[Range<usize>],
    never_cleared: &HashSet<&[u8]>,
    mut collected: C,
) -> ParsedBlock<C> {
    let (keys, checksum_index) = (RowKey::of_header(header), checksum_index(header));
    let (mut rows, mut counts, mut buffer, mut offset) = (Vec::new(), Vec::new(), SeparatedRow::default(), 0);
    // The job and the checksum of the previous row. The rows of a job are mostly adjacent.
    let mut previous = (0, 0);
    for line_feed in memchr::memchr_iter(b'\n', block) {
        let bytes = offset..line_feed + 1;
        offset = bytes.end;
        let row = buffer.separate_line(&block[bytes.clone()]).and_then(|row| match row.len() {
            field_count if field_count == header.len() => Ok(row),
            field_count => Err(field_count_problem(header.len(), field_count)),
        });
        collected.push(row.as_ref().ok().copied().filter(|row| row.is_plain));
        rows.push(row.map(|row| {
            seals::append_counts(counted, row, &mut counts);
            let key = keys.map(|index| row.field(index));
            let searches_suite = never_cleared.contains(without_separator(key.variant));
            let job_hash = hash(key.job(searches_suite, |field| without_separator(field).is_empty()));
            let failed = !without_separator(key.error).is_empty();
            let checksum = parse_checksum(without_separator(row.field(checksum_index)));
            // The checksum of a failed job's row does not depend on a previous row.
            let previous_checksum = if !failed && previous.0 == job_hash { previous.1 } else { 0 };
            let expected_checksum =
                checksum_index.map_or(0, |checksum_index| row.checksum(previous_checksum, checksum_index));
            previous = (job_hash, checksum.unwrap_or(expected_checksum));
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
    ParsedBlock { rows, counts, collected }
}

/// Verifies a results file on all processors. If there is a manifest, the file is also compared
/// with the manifest.
pub fn verify(path: &Path, manifest: Option<&Manifest>) -> Result<VerifyReport, ResultsError> {
    verify_and_collect(path, manifest, true).map(|(report, ())| report)
}

/// Like [`verify`], but also collects the rows. Seals may be left out if there is no manifest.
pub fn verify_and_collect<C: Collector>(
    path: &Path,
    manifest: Option<&Manifest>,
    makes_seals: bool,
) -> Result<(VerifyReport, C), ResultsError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    verify_in_blocks(path, manifest, (threads, blocks::SIZE), makes_seals, &Hashes::default())
}

pub(crate) type Hashes = HashSet<u64, RandomState>;

/// `repeated_ids` contains the hashes of the ids that several rows have. It is empty at first,
/// because sorting all ids at the end takes a fraction of the time of a set. If ids are repeated,
/// the file is verified again.
pub(crate) fn verify_in_blocks<C: Collector>(
    path: &Path,
    manifest: Option<&Manifest>,
    (threads, block_bytes): (usize, usize),
    makes_seals: bool,
    repeated_ids: &Hashes,
) -> Result<(VerifyReport, C), ResultsError> {
    let never_cleared: HashSet<&[u8]> =
        manifest.into_iter().flat_map(|manifest| &manifest.planned.never_cleared).map(String::as_bytes).collect();
    let mut report = VerifyReport::default();
    let (mut ids, mut seen_ids) = (Vec::new(), Hashes::default());
    // The checksum of the last row of each job.
    let mut last_checksums: HashMap<u64, u32, RandomState> = HashMap::default();
    let mut file = BufReader::new(packed::open(path)?);
    let mut line = Vec::new();
    file.read_until(b'\n', &mut line)?;
    let header = parse_header(&line[..blocks::complete_lines_length(&line)])?;
    let (has_ids, checksum_index) = (column_index(&header, columns::ID).is_some(), checksum_index(&header));
    let counted = if makes_seals { seals::counted_columns(&header) } else { Vec::new() };
    let (mut buffer, mut hasher, mut counts) = (SeparatedRow::default(), SealHasher::new(), Vec::new());
    let names = SeparatedRow::from_fields(header.iter().map(String::as_str));
    seals::append_counts(&counted, &names, &mut counts);
    hasher.update(&line, &counts);
    // A CSV reader may see another header in a line like this, and none of these columns is needed.
    let is_unusual = line.contains(&b'"') || line.starts_with("\u{feff}".as_bytes());
    let new_collector = || C::new(if is_unusual { &[] } else { &header });
    let mut collected = new_collector();
    process_blocks(
        threads,
        block_bytes,
        file,
        |block| parse_block(block, &header, &counted, &never_cleared, new_collector()),
        |block, parsed: ParsedBlock<C>| {
            hasher.update(if makes_seals { block } else { &[] }, &parsed.counts);
            collected.append(parsed.collected);
            if !block.ends_with(b"\n") {
                collected.push(None);
            }
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
                if repeated_ids.contains(&row.id_hash) && !seen_ids.insert(row.id_hash) {
                    report.duplicated += 1;
                    report.add_problem(line, DUPLICATE);
                    continue;
                }
                ids.extend(has_ids.then_some(row.id_hash));
                let Some(checksum_index) = checksum_index else { continue };
                let previous_checksum = if row.failed { 0 } else { *last_checksum };
                let expected_checksum = match previous_checksum == row.previous_checksum {
                    true => row.expected_checksum,
                    // The job's previous row is in another block, or not next to this one.
                    false => buffer
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
    ids.sort_unstable();
    let repeated: Hashes = ids.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    if repeated_ids.is_empty() && !repeated.is_empty() {
        return verify_in_blocks(path, manifest, (threads, block_bytes), makes_seals, &repeated);
    }
    report.seals = hasher.finish();
    if let Some(manifest) = manifest {
        if manifest.run.shard.is_none() {
            report.missing_jobs = manifest
                .planned
                .jobs_total
                .saturating_sub(manifest.run.jobs_not_needed)
                .saturating_sub(last_checksums.len() as u64);
        }
        report.missing_rows = manifest.sealed.rows.unwrap_or(0).saturating_sub(report.rows);
        if let Some(problem) = find_broken_seal(&report, manifest, &line) {
            report.damaged += 1;
            report.add_problem(1, problem);
        }
    }
    Ok((report, collected))
}

/// Describes the first seal in the manifest that does not match the file. Returns `None` if all
/// seals match. Only the header is compared if the run has not ended, or if rows are missing or
/// damaged.
fn find_broken_seal(report: &VerifyReport, manifest: &Manifest, header: &[u8]) -> Option<String> {
    if let Some(difference) = describe_header(&manifest.sealed.header, header) {
        return Some(format!("the header has changed since the run: {difference}"));
    }
    if manifest.run.ended.is_none() || report.describe_damage().is_some() || report.describe_missing().is_some() {
        return None;
    }
    let differs = |seal: &Option<String>, actual: &String| seal.as_ref().is_some_and(|seal| seal != actual);
    if manifest.sealed.columns_left_out.is_empty() && differs(&manifest.sealed.counts, &report.seals.counts) {
        return Some("the counts have changed since the run ended".to_owned());
    }
    differs(&manifest.sealed.bytes, &report.seals.bytes)
        .then(|| "the file has changed since the run ended: seconds, ids or bytes at its end differ".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::{Extra, append_checksum, header};
    use super::*;
    use crate::record::manifest::{Planned, RunRecord, Sealed};

    /// The hash depends on where fields end.
    #[test]
    fn hash_depends_on_field_boundaries() {
        let mut buffer = SeparatedRow::default();
        let mut hash_line = |line: &str| {
            let row = buffer.separate_line(line.as_bytes()).unwrap();
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
                verify_in_blocks::<()>(&path, None, (threads, size), true, &Hashes::default()).unwrap().0
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
            VerifyReport { rows: 12, failed: 1, seals: intact.seals.clone(), ..VerifyReport::default() };
        assert_eq!((&intact, intact.describe_damage(), intact.describe_missing()), (&expected_report, None, None));
        let ended = Manifest {
            planned: Planned { jobs_total: 8, ..Planned::default() },
            run: RunRecord { jobs_not_needed: 2, ended: Some(5), ..RunRecord::default() },
            sealed: Sealed {
                rows: Some(12),
                header: header.join(","),
                bytes: Some(intact.seals.bytes.clone()),
                ..Sealed::default()
            },
            ..Manifest::default()
        };
        assert_eq!(verify_lines(&lines, Some(&ended)), expected_report);
        // Faults that no file of a folder can have alone: the manifest, the counts (damaged rows,
        // duplicates, missing jobs, missing rows) and the message about missing rows.
        let fewer: Vec<String> =
            lines.iter().enumerate().filter(|(at, _)| ![3, 4].contains(at)).map(|(_, line)| line.clone()).collect();
        let running = Manifest { run: RunRecord { ended: None, ..ended.run.clone() }, ..ended.clone() };
        for (lines, manifest, counts, missing) in [
            (
                &lines,
                Manifest { planned: Planned { jobs_total: 11, ..ended.planned.clone() }, ..ended.clone() },
                [0, 0, 3, 0],
                Some("3 jobs of the plan without rows"),
            ),
            // A running run has at least the rows of its manifest.
            (
                &fewer,
                Manifest { planned: Planned { jobs_total: 7, ..running.planned.clone() }, ..running.clone() },
                [0, 0, 0, 2],
                Some("missing: 2 rows that the run wrote"),
            ),
            (
                &fewer,
                Manifest {
                    planned: Planned { jobs_total: 7, ..running.planned },
                    sealed: Sealed { rows: None, ..running.sealed },
                    ..running
                },
                [0, 0, 0, 0],
                None,
            ),
            // A shard's jobs are not known here.
            (
                &fewer,
                Manifest {
                    run: RunRecord { shard: Some(Default::default()), ..ended.run.clone() },
                    sealed: Sealed { rows: None, ..ended.sealed.clone() },
                    ..ended.clone()
                },
                [1, 0, 0, 0],
                None,
            ),
        ] {
            let report = verify_lines(lines, Some(&manifest));
            assert_eq!([report.damaged, report.duplicated, report.missing_jobs, report.missing_rows], counts);
            assert_eq!(report.describe_missing().as_deref(), missing);
        }
        // An edited row and two duplicates.
        let mut both = lines.clone();
        both[3] = both[3].replacen(",,", ",5,", 1);
        both.extend_from_slice(&lines[1..3]);
        let expected = "1 row edited or damaged, or following a missing row; 2 duplicate rows (line 4; line 14: it is a duplicate; line 15: it is a duplicate)";
        assert_eq!(verify_lines(&both, Some(&ended)).describe_damage().as_deref(), Some(expected));
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
        assert_eq!((foreign.rows, foreign.damaged, foreign.duplicated, foreign.problems), (3, 1, 1, problems));
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
        let manifest = Manifest {
            sealed: Sealed { header: header.join(","), ..Sealed::default() },
            planned: Planned { jobs_total: 10, never_cleared: vec!["kept".to_owned()], ..Planned::default() },
            ..Manifest::default()
        };
        assert_eq!(verify(&path, Some(&manifest)).unwrap().missing_jobs, 10 - 4);
        let all_cleared = Manifest { planned: Planned { never_cleared: Vec::new(), ..manifest.planned }, ..manifest };
        assert_eq!(verify(&path, Some(&all_cleared)).unwrap().missing_jobs, 10 - 6);
    }
}
