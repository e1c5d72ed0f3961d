//! Finds the job of each row of the results, and which jobs are done. Rows are checked against the
//! plan, so that a row of another plan, or an edited one, is never used.

use super::in_flight::QUARANTINED;
use crate::experiment::{Experiment, Job, Plan};
use crate::record::{self, ResultsError, columns};
use crate::system::files;
use csv::StringRecord;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The problem of a row that is not as it was written.
pub(super) const OTHER_CHECK: &str =
    "its checksum does not match: it was edited or damaged, or the row before it is missing";

/// The columns that identify a row's job and its place.
const KEYS: [&str; 11] = [
    columns::ID,
    columns::VARIANT,
    columns::GAME,
    columns::POSITION,
    columns::PLY,
    columns::REPEAT,
    columns::DEPTH,
    columns::ERROR,
    columns::SECONDS,
    columns::OPPONENT,
    columns::COLOUR,
];

/// Finds the place of each row in a plan.
pub struct RowIndex<'a> {
    /// The plan of the rows.
    pub plan: &'a Plan,
    /// The columns of the plan's results.
    pub header: Vec<String>,
    items: HashMap<&'a str, usize>,
    variants: HashMap<&'a str, usize>,
    keys: [usize; KEYS.len()],
}

/// A row's place in the plan's order: by repeat, then item, then variant. The rows of a job that
/// takes the whole suite are ordered by their items, next to those that they are compared with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    repeat: u32,
    item: u32,
    /// The variant, or the encounter of a match.
    lane: u32,
    ply: u16,
    depth: u8,
}

impl Place {
    /// Whether the row belongs to this repeat, item and lane of the plan.
    pub fn is_of(&self, repeat: u32, item: usize, lane: usize) -> bool {
        (self.repeat, self.item as usize, self.lane as usize) == (repeat, item, lane)
    }
}

/// A row's place and job.
#[derive(Debug, Clone, Copy)]
pub struct IndexedRow {
    /// The place in the plan's order.
    pub place: Place,
    /// The row's job.
    pub job: Job,
    /// Whether the row is the job's last one, which completes the job.
    pub last: bool,
    /// Whether the row says that the job failed.
    pub failed: bool,
}

impl<'a> RowIndex<'a> {
    /// Creates the index of a plan.
    pub fn new(experiment: &'a Experiment, plan: &'a Plan) -> Self {
        let header = record::header(&plan.varying(), plan.extra_columns());
        let items = experiment.suite.items.iter().enumerate().map(|(at, item)| (item.id.as_str(), at));
        let variants = plan.variants.iter().enumerate().map(|(at, variant)| (variant.name.as_str(), at));
        let keys = KEYS.map(|name| header.iter().position(|column| column == name).unwrap_or(usize::MAX));
        Self { plan, items: items.collect(), variants: variants.collect(), keys, header }
    }

    /// Reads a results file, and checks each row against the plan and its checksum. `take` is
    /// called with each row and its job's place.
    ///
    /// # Errors
    /// If a row is wrong, `take` returns an error, the file has other columns, or it cannot be
    /// read.
    pub fn read(
        &self,
        path: &Path,
        mut take: impl FnMut(u64, &IndexedRow, &StringRecord) -> Result<(), String>,
    ) -> Result<(), ResultsError> {
        let mut chains = Chains::default();
        let scanned = record::scan(path, &self.header, |_, row| {
            let row = row?;
            let entry = self.entry(row)?;
            let job = self.plan.order_key(&entry.job);
            chains.next(job, &entry, row)?;
            take(job, &entry, row)
        });
        scanned.map(drop)
    }

    /// Whether a row says that its job was quarantined.
    fn is_quarantined(&self, row: &StringRecord) -> bool {
        row.get(self.keys[7]) == Some(QUARANTINED)
    }

    /// A row's place and job.
    ///
    /// # Errors
    /// If the row does not belong to this plan.
    pub fn entry(&self, row: &StringRecord) -> Result<IndexedRow, String> {
        let [id, name, game, position, ply, repeat, depth, error, seconds, opponent, colour] =
            self.keys.map(|at| row.get(at).unwrap_or_default());
        let place =
            |name| self.variants.get(name).copied().ok_or_else(|| format!("the plan has no variant \"{name}\""));
        let variant = place(name)?;
        let opponent = self.plan.is_match().then(|| place(opponent)).transpose()?;
        let lane = self.plan.find_lane(variant, opponent);
        let lane = lane.ok_or_else(|| format!("the plan has no games of \"{name}\" against this opponent"))?;
        let item = if game.is_empty() { position } else { game };
        let item = *self.items.get(item).ok_or_else(|| format!("the suite has no item \"{item}\""))?;
        let repeat: u32 = repeat.parse().map_err(|_| format!("repeat: expected a number, found `{repeat}`"))?;
        let ply: Option<u16> = match ply {
            _ if self.plan.is_match() => Some(u16::from(colour == record::BLACK)),
            "" => None,
            ply => Some(ply.parse().map_err(|_| format!("ply: expected a number, found `{ply}`"))?),
        };
        let depth: u8 = depth.parse().map_err(|_| format!("depth: expected a depth from 0 to 255, found `{depth}`"))?;
        if !seconds.parse().is_ok_and(|seconds: f64| seconds.is_finite() && seconds >= 0.0) {
            return Err(format!("seconds: expected seconds, found `{seconds}`"));
        }
        let number =
            u64::from_str_radix(id, 16).map_err(|_| format!("id: expected 16 hexadecimal digits, found `{id}`"))?;
        if repeat >= self.plan.repeats {
            let repeats = self.plan.repeats;
            return Err(format!("repeat: the plan has {repeats} repeats, found {repeat} (from 0)"));
        }
        let job = self.plan.job_for(variant, opponent, item, repeat);
        let last = number == self.plan.job_id(&job);
        if !last && number != self.plan.row_id(&job, item, ply.unwrap_or(0), depth) {
            return Err(
                "id: does not match the row's other fields: the row belongs to another plan or was edited".to_owned()
            );
        }
        let place = Place { repeat, item: item as u32, lane: lane as u32, ply: ply.unwrap_or(0), depth };
        Ok(IndexedRow { place, job, last, failed: !error.is_empty() })
    }
}

/// Verifies the rows of a file in order: each one's checksum, and that none is missing or
/// duplicate.
#[derive(Default)]
struct Chains {
    open: HashMap<u64, u32>,
    done: HashSet<u64>,
}

impl Chains {
    /// Verifies the next row. `job`: its job's place in the plan.
    fn next(&mut self, job: u64, entry: &IndexedRow, row: &StringRecord) -> Result<(), String> {
        if self.done.contains(&job) {
            return Err("duplicate: its job has already ended in an earlier line".to_owned());
        }
        let last = row.len() - 1;
        // The row of a failed job has no previous row.
        let previous = if entry.failed { 0 } else { self.open.get(&job).copied().unwrap_or(0) };
        let check = record::check(previous, row.iter().take(last));
        if row.get(last) != Some(format!("{check:08x}").as_str()) {
            return Err(OTHER_CHECK.to_owned());
        }
        if entry.last {
            self.open.remove(&job);
            self.done.insert(job);
        } else {
            self.open.insert(job, check);
        }
        Ok(())
    }
}

/// Which jobs of a results file are done.
#[derive(Debug, Default)]
pub struct Done {
    /// The places of the jobs that need not run again.
    pub jobs: HashSet<u64>,
    /// The number of these jobs that failed.
    pub failed: u64,
    /// Bytes of an incomplete last line.
    pub torn: u64,
    /// Rows that are dropped, because their jobs are unfinished or will run again.
    pub dropped: u64,
    /// The copy of the file from before damaged rows were dropped.
    pub saved: Option<PathBuf>,
}

/// Which jobs run again although they have rows.
#[derive(Debug, Clone, Copy, Default)]
pub struct RetryPolicy {
    /// Failed jobs.
    pub failed: bool,
    /// Also quarantined jobs.
    pub quarantined: bool,
    /// Jobs with a damaged or missing row. Lines that are not rows of this plan are dropped too.
    pub damaged: bool,
}

/// Copies a results file before it is repaired, to the first free name of `results.csv.damaged-1`,
/// `-2`, ...
pub(super) fn save(path: &Path) -> std::io::Result<PathBuf> {
    let name = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".damaged-{number}"));
        PathBuf::from(name)
    };
    let free = (1..).map(name).find(|name| name.symlink_metadata().is_err());
    let copy = free.unwrap_or_else(|| name(0));
    record::write_atomic(&copy, &files::read(path)?)?;
    Ok(copy)
}

/// Reads every complete line. Returns the bytes up to the end of the last one, and whether the
/// first one is the header, which is required unless damaged jobs run again.
fn scan(
    path: &Path,
    header: &[String],
    retry: RetryPolicy,
    mut visit: impl FnMut(Result<&StringRecord, String>) -> Result<(), String>,
) -> Result<(u64, bool), ResultsError> {
    if !retry.damaged {
        return record::scan(path, header, |_, row| visit(row)).map(|whole| (whole, true));
    }
    let (whole, is_header) = record::scan_any(path, header, |_, row| visit(row))?;
    // An incomplete header of a killed run counts as an empty file.
    let is_begun = whole == 0 && record::scan(path, header, |_, _| Ok(())).is_ok();
    Ok((whole, is_header || is_begun))
}

/// Reads a results file and drops the rows of jobs that are not done or will run again. Returns
/// what is done and the length in bytes; the file may be longer, by the last rows of a killed run.
///
/// # Errors
/// If the file has other columns, has a row that is not of this plan (unless these are dropped), or
/// cannot be read or written.
pub fn scan_rows(path: &Path, row_index: &RowIndex<'_>, retry: RetryPolicy) -> Result<(Done, u64), ResultsError> {
    let (header, mut chains) = (&row_index.header, Chains::default());
    let (mut failed, mut retried, mut damaged): (HashSet<u64>, HashSet<u64>, HashSet<u64>) = Default::default();
    let mut foreign_rows = false;
    let take = |row: Result<&StringRecord, String>| {
        let valid = row.and_then(|row| {
            let entry = row_index.entry(row)?;
            let job = row_index.plan.order_key(&entry.job);
            failed.extend(entry.failed.then_some(job));
            // A quarantined job has not failed by itself.
            retried.extend((entry.failed && (retry.quarantined || !row_index.is_quarantined(row))).then_some(job));
            let valid = chains.next(job, &entry, row);
            damaged.extend(valid.is_err().then_some(job));
            valid
        });
        foreign_rows |= valid.is_err();
        if retry.damaged { Ok(()) } else { valid }
    };
    let (whole, is_header) = scan(path, header, retry, take)?;
    let torn = std::fs::metadata(path)?.len() - whole;
    // A first line that is neither header nor row is dropped; if it is a row, the header is
    // restored.
    foreign_rows |= !is_header;
    let unfinished: HashSet<u64> = chains.open.into_keys().collect();
    let mut jobs = chains.done;
    let run_again =
        |job: &u64| unfinished.contains(job) || damaged.contains(job) || retry.failed && retried.contains(job);
    jobs.retain(|job| !run_again(job));
    let nothing_to_drop = unfinished.is_empty() && !foreign_rows && (!retry.failed || retried.is_empty());
    let failed = failed.intersection(&jobs).count() as u64;
    let mut done = Done { jobs, failed, torn, dropped: 0, saved: None };
    if nothing_to_drop {
        return Ok((done, whole));
    }
    if foreign_rows {
        done.saved = Some(save(path)?);
    }
    let mut ranges: Vec<Range<u64>> = Vec::new();
    record::scan_any(path, header, |line, row| {
        let entry = row.ok().and_then(|row| row_index.entry(row).ok());
        match entry.is_some_and(|entry| done.jobs.contains(&row_index.plan.order_key(&entry.job))) {
            true => ranges.push(line.bytes.clone()),
            false => done.dropped += 1,
        }
        Ok(())
    })?;
    // The last rows of a killed run are at the end: they are cut off without rewriting the file.
    let contiguous = ranges.windows(2).all(|pair| pair[0].end == pair[1].start);
    match (ranges.first(), ranges.last()) {
        (Some(first), Some(last)) if is_header && contiguous && first.start == record::header_length(header)? => {
            Ok((done, last.end))
        }
        _ => {
            record::rewrite(path, header, ranges.into_iter())?;
            Ok((done, std::fs::metadata(path)?.len()))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A plan of two variants on two positions with three repeats, and its header.
    fn trial() -> (Experiment, Plan, Vec<String>) {
        let text = "suite = 'data/bratko-kopec.epd'\nfirst = 2\nlimit = { depth = 2 }\nrepeats = 3\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n\
            'keys.seed' = 2\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("x.toml");
        let experiment = Experiment::parse(text, &path, &[]).unwrap_or_else(|problem| panic!("{problem}"));
        let plan = Plan::new(&experiment);
        let header = record::header(&plan.varying(), plan.extra_columns());
        (experiment, plan, header)
    }

    /// Both rows of a job, or the one that says why it failed, with checksums.
    fn rows(experiment: &Experiment, plan: &Plan, header: &[String], job: &Job, error: &str) -> Vec<Vec<String>> {
        let depths = if error.is_empty() { &[1_u8, 2][..] } else { &[0] };
        let mut check = 0;
        let row = |&depth: &u8| {
            let last = depth == depths[depths.len() - 1];
            let id = if last { plan.job_id(job) } else { plan.row_id(job, job.item, 0, depth) };
            let mut fields: Vec<String> = header[..header.len() - 1]
                .iter()
                .map(|name| match name.as_str() {
                    columns::ID => format!("{id:016x}"),
                    columns::VARIANT => plan.variants[job.variant].name.clone(),
                    columns::POSITION => experiment.suite.items[job.item].id.clone(),
                    columns::REPEAT => job.repeat.to_string(),
                    columns::DEPTH => depth.to_string(),
                    columns::SECONDS => "0.5".to_owned(),
                    columns::ERROR => error.to_owned(),
                    _ => String::new(),
                })
                .collect();
            check = record::seal(&mut fields, check);
            fields
        };
        depths.iter().map(row).collect()
    }

    #[test]
    fn entry_finds_the_place_or_names_the_wrong_field() {
        let (experiment, plan, header) = trial();
        let row_index = RowIndex::new(&experiment, &plan);
        let job = plan.job_for(1, None, 1, 2);
        let [first, last]: [Vec<String>; 2] = rows(&experiment, &plan, &header, &job, "").try_into().unwrap();
        let entry = |row: &[String], name: &str, value: &str| {
            let at = header.iter().position(|column| column == name).unwrap();
            let mut row = row.to_vec();
            row[at] = value.to_owned();
            row_index.entry(&StringRecord::from(row))
        };
        let error = |row: &[String], name: &str, value: &str| entry(row, name, value).unwrap_err();
        let found = entry(&first, columns::SECONDS, "0").unwrap();
        assert!(found.place.is_of(2, 1, 1) && found.job == job && !found.last && !found.failed);
        let found = entry(&last, columns::ERROR, "why").unwrap();
        assert!(found.last && found.failed && found.place > entry(&first, columns::SECONDS, "1e9").unwrap().place);
        assert_eq!(error(&first, columns::VARIANT, "c"), "the plan has no variant \"c\"");
        assert_eq!(error(&first, columns::POSITION, "x"), "the suite has no item \"x\"");
        assert_eq!(error(&first, columns::REPEAT, "3"), "repeat: the plan has 3 repeats, found 3 (from 0)");
        for (name, value) in [
            (columns::REPEAT, "-1"),
            (columns::DEPTH, "256"),
            (columns::PLY, "x"),
            (columns::ID, "x"),
            (columns::SECONDS, "-0.1"),
            (columns::SECONDS, "nan"),
            (columns::SECONDS, "inf"),
            (columns::SECONDS, ""),
        ] {
            assert!(
                error(&first, name, value).starts_with(&format!("{name}: expected "))
                    && error(&first, name, value).ends_with(&format!(", found `{value}`")),
                "{name} {value}"
            );
        }
        // Another job's row under this one's name, and this row at another depth.
        for (name, value) in [(columns::REPEAT, "1"), (columns::VARIANT, "a"), (columns::DEPTH, "2")] {
            assert!(error(&first, name, value).starts_with("id: does not match the row's other fields"), "{name}");
        }
    }

    /// One job is done, one failed, one lacks its last row, and the last line is incomplete.
    #[test]
    fn scan_rows_drops_unfinished_failed_and_damaged_jobs() {
        let (experiment, plan, header) = trial();
        let row_index = RowIndex::new(&experiment, &plan);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        let jobs: Vec<Job> = plan.jobs().collect();
        let rows_of = |at: usize, error: &str| rows(&experiment, &plan, &header, &jobs[at], error);
        let put = |lines: &[Vec<String>], torn: &str| {
            let line = |fields: &[String]| fields.join(",") + "\n";
            let text: String = std::iter::once(&header).chain(lines).map(|fields| line(fields)).collect();
            std::fs::write(&path, text + torn).unwrap();
        };
        let take = |failed: bool, damaged: bool| {
            scan_rows(&path, &row_index, RetryPolicy { failed, quarantined: failed, damaged })
        };
        let all = [rows_of(0, ""), rows_of(1, "it broke"), rows_of(2, "")[..1].to_vec()].concat();
        let places = |indices: &[usize]| indices.iter().map(|&at| plan.order_key(&jobs[at])).collect::<HashSet<u64>>();
        put(&all, "torn");
        let (done, length) = take(false, false).unwrap();
        assert_eq!((done.jobs, done.failed, done.torn, done.dropped, done.saved), (places(&[0, 1]), 1, 4, 1, None));
        assert_eq!(
            length,
            std::fs::metadata(&path).unwrap().len() - 4 - (rows_of(2, "")[0].join(",").len() as u64 + 1)
        );
        put(&all, "");
        let (done, _) = take(true, false).unwrap();
        assert_eq!((done.jobs, done.failed, done.torn, done.dropped), (places(&[0]), 0, 0, 2));
        // The dropped row is before the last one: it is removed from the file.
        put(&[rows_of(0, ""), rows_of(2, "")[..1].to_vec(), rows_of(1, "it broke")].concat(), "");
        let (done, length) = take(false, false).unwrap();
        let left = std::fs::read(&path).unwrap();
        put(&[rows_of(0, ""), rows_of(1, "it broke")].concat(), "");
        assert_eq!((done.jobs, done.failed, done.dropped), (places(&[0, 1]), 1, 1));
        assert_eq!((&left, length), (&std::fs::read(&path).unwrap(), left.len() as u64));
        // A finished job loses no rows.
        put(&rows_of(0, ""), "");
        let (done, length) = take(true, true).unwrap();
        assert_eq!((done.jobs, done.dropped, length), (places(&[0]), 0, std::fs::metadata(&path).unwrap().len()));
        // An edited row is an error, or is dropped with its job; the file is saved under the next
        // free name.
        let mut edited = [rows_of(0, ""), rows_of(3, "")].concat();
        let nodes = header.iter().position(|name| name == columns::NODES).unwrap();
        edited[1][nodes] = "5".to_owned();
        for number in [1, 2] {
            put(&edited, "");
            let before = std::fs::read(&path).unwrap();
            assert!(matches!(take(false, false), Err(ResultsError::Damaged { line: 3, .. })));
            let (done, _) = take(false, true).unwrap();
            let saved = folder.path().join(format!("results.csv.damaged-{number}"));
            assert_eq!((done.jobs, done.failed, done.dropped, done.saved.as_ref()), (places(&[3]), 0, 2, Some(&saved)));
            assert_eq!(std::fs::read(saved).unwrap(), before);
            let left = std::fs::read(&path).unwrap();
            put(&rows_of(3, ""), "");
            assert_eq!(left, std::fs::read(&path).unwrap(), "what goes before the rows that are kept goes too");
        }
        // A row of no job of the plan is dropped alone, and the file is saved.
        let mut strange = [rows_of(0, ""), rows_of(3, "")[..1].to_vec()].concat();
        let variant = header.iter().position(|name| name == columns::VARIANT).unwrap();
        strange[2][variant] = "c".to_owned();
        put(&strange, "");
        assert!(matches!(take(false, false), Err(ResultsError::Damaged { line: 4, .. })));
        let (done, length) = take(false, true).unwrap();
        let saved = folder.path().join("results.csv.damaged-3");
        assert_eq!((done.jobs, done.failed, done.dropped, done.saved.as_ref()), (places(&[0]), 0, 1, Some(&saved)));
        put(&rows_of(0, ""), "");
        assert_eq!(length, std::fs::metadata(&path).unwrap().len());
        // A duplicate job is an error.
        put(&[rows_of(0, ""), rows_of(0, "")].concat(), "");
        assert!(
            matches!(take(false, false), Err(ResultsError::Damaged { line: 4, problem }) if problem.starts_with("duplicate: "))
        );
        // Which of the duplicates is right is unknown: both are dropped, and the job runs again.
        put(&[rows_of(0, ""), rows_of(0, ""), rows_of(3, "")].concat(), "");
        let (done, length) = take(false, true).unwrap();
        put(&rows_of(3, ""), "");
        assert_eq!((done.jobs, done.dropped), (places(&[3]), 4));
        assert_eq!(length, std::fs::metadata(&path).unwrap().len());
    }
}
