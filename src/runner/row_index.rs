//! The ledger: which job a row of the results belongs to, and which jobs are done. Rows are held against the plan, so that one
//! of another plan, or one that was edited, is never taken for an answer.

use super::in_flight::QUARANTINED;
use crate::experiment::{Experiment, Job, Plan};
use crate::record::{self, ResultsError, columns};
use crate::system::files;
use csv::StringRecord;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What names the columns that place a row.
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

/// How the rows of a plan are found their places.
pub struct RowIndex<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The columns of its results.
    pub header: Vec<String>,
    items: HashMap<&'a str, usize>,
    variants: HashMap<&'a str, usize>,
    keys: [usize; KEYS.len()],
}

/// A row's place: rows in this order are those of one item at a time, and of one variant at a time there. So are the plan's jobs, but
/// for one that takes the whole suite: its rows stand at their items, among those they are compared with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    repeat: u32,
    item: u32,
    /// The variant, or the encounter.
    lane: u32,
    ply: u16,
    depth: u8,
}

impl Place {
    /// Whether the row is of this repeat, item and lane of the plan.
    pub fn is_of(&self, repeat: u32, item: usize, lane: usize) -> bool {
        (self.repeat, self.item as usize, self.lane as usize) == (repeat, item, lane)
    }
}

/// What a row is.
#[derive(Debug, Clone, Copy)]
pub struct IndexedRow {
    /// Where it stands in the plan's order.
    pub place: Place,
    /// Its job.
    pub job: Job,
    /// Whether it is the job's last: the job is then done.
    pub last: bool,
    /// Whether it says that the job failed.
    pub failed: bool,
}

impl<'a> RowIndex<'a> {
    /// The ledger of a plan.
    pub fn new(experiment: &'a Experiment, plan: &'a Plan) -> Self {
        let header = record::header(&plan.varying(), plan.extra_columns());
        let items = experiment.suite.items.iter().enumerate().map(|(at, item)| (item.id.as_str(), at));
        let variants = plan.variants.iter().enumerate().map(|(at, variant)| (variant.name.as_str(), at));
        let keys = KEYS.map(|name| header.iter().position(|column| column == name).unwrap_or(usize::MAX));
        Self { plan, items: items.collect(), variants: variants.collect(), keys, header }
    }

    /// Reads the rows of a results file, each of which must be of the plan and fit its check. `take` gets each with its job's place.
    ///
    /// # Errors
    /// When a row is wrong, `take` says that one is, the file has other columns, or the system refuses.
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

    /// Whether a row says that its job was set aside.
    fn is_set_aside(&self, row: &StringRecord) -> bool {
        row.get(self.keys[7]) == Some(QUARANTINED)
    }

    /// What a row is.
    ///
    /// # Errors
    /// When it is no row of this plan.
    pub fn entry(&self, row: &StringRecord) -> Result<IndexedRow, String> {
        let [id, name, game, position, ply, repeat, depth, error, seconds, opponent, colour] =
            self.keys.map(|at| row.get(at).unwrap_or_default());
        let place =
            |name| self.variants.get(name).copied().ok_or_else(|| format!("the plan has no variant \"{name}\""));
        let variant = place(name)?;
        let opponent = self.plan.is_match().then(|| place(opponent)).transpose()?;
        let lane = self.plan.find_lane(variant, opponent);
        let lane = lane.ok_or_else(|| format!("the plan has no games of \"{name}\" against that opponent"))?;
        let item = if game.is_empty() { position } else { game };
        let item = *self.items.get(item).ok_or_else(|| format!("the suite has no item \"{item}\""))?;
        let repeat: u32 = repeat.parse().map_err(|_| format!("repeat: `{repeat}` is no number"))?;
        let ply: Option<u16> = match ply {
            _ if self.plan.is_match() => Some(u16::from(colour == record::BLACK)),
            "" => None,
            ply => Some(ply.parse().map_err(|_| format!("ply: `{ply}` is no number"))?),
        };
        let depth: u8 = depth.parse().map_err(|_| format!("depth: `{depth}` is no depth"))?;
        if !seconds.parse().is_ok_and(|seconds: f64| seconds.is_finite() && seconds >= 0.0) {
            return Err(format!("seconds: `{seconds}` is no time"));
        }
        let number = u64::from_str_radix(id, 16).map_err(|_| format!("id: `{id}` is no id"))?;
        if repeat >= self.plan.repeats {
            let repeats = self.plan.repeats;
            return Err(format!("the plan has {repeats} repeats, and this row is of repeat {repeat} (from 0)"));
        }
        let job = self.plan.job_for(variant, opponent, item, repeat);
        let last = number == self.plan.job_id(&job);
        if !last && number != self.plan.row_id(&job, item, ply.unwrap_or(0), depth) {
            return Err("its id is not of what it says was searched: it is of another plan, or was edited".to_owned());
        }
        let place = Place { repeat, item: item as u32, lane: lane as u32, ply: ply.unwrap_or(0), depth };
        Ok(IndexedRow { place, job, last, failed: !error.is_empty() })
    }
}

/// Checks the rows of one file one after another: each against its check, and that none is missing or there twice.
#[derive(Default)]
struct Chains {
    open: HashMap<u64, u32>,
    done: HashSet<u64>,
}

impl Chains {
    /// Takes the next row, or says that it was edited, that a row before it is missing, or that its job had ended before. `job`: its job's
    /// place in the plan.
    fn next(&mut self, job: u64, entry: &IndexedRow, row: &StringRecord) -> Result<(), String> {
        if self.done.contains(&job) {
            return Err("it is there twice: its job had ended in a line before it".to_owned());
        }
        let last = row.len() - 1;
        // A job that failed leaves a row that stands alone.
        let previous = if entry.failed { 0 } else { self.open.get(&job).copied().unwrap_or(0) };
        let check = record::check(previous, row.iter().take(last));
        if row.get(last) != Some(format!("{check:08x}").as_str()) {
            return Err("it was edited or damaged, or a row before it is missing: its check does not fit".to_owned());
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

/// What a results file holds.
#[derive(Debug, Default)]
pub struct Done {
    /// Places of the jobs that need not be run again.
    pub jobs: HashSet<u64>,
    /// How many of them failed.
    pub failed: u64,
    /// Bytes of a torn last line.
    pub torn: u64,
    /// Rows that are dropped: of jobs that were not finished, or are to be run again.
    pub dropped: u64,
    /// Where the file was copied to before damaged rows were taken out.
    pub saved: Option<PathBuf>,
}

/// Which jobs are to be run again though rows of theirs are there.
#[derive(Debug, Clone, Copy, Default)]
pub struct RetryPolicy {
    /// Those that failed.
    pub failed: bool,
    /// Of these also those that were set aside since the process died with them.
    pub set_aside: bool,
    /// Those with a row that is damaged or missing. Lines that are no rows of this plan go with them.
    pub damaged: bool,
}

/// Copies a results file that is about to be repaired, under the first free name of `results.csv.damaged-1`, `-2`, ...
fn save(path: &Path) -> std::io::Result<PathBuf> {
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

/// Reads every whole line: the bytes up to the end of the last, and whether the first is the header, which it must be unless what is damaged is
/// to be run again.
fn scan(
    path: &Path,
    header: &[String],
    again: RetryPolicy,
    mut visit: impl FnMut(Result<&StringRecord, String>) -> Result<(), String>,
) -> Result<(u64, bool), ResultsError> {
    if !again.damaged {
        return record::scan(path, header, |_, row| visit(row)).map(|whole| (whole, true));
    }
    let (whole, is_header) = record::scan_any(path, header, |_, row| visit(row))?;
    // What a kill left of a header is none yet, and nothing that was written.
    let is_begun = whole == 0 && record::scan(path, header, |_, _| Ok(())).is_ok();
    Ok((whole, is_header || is_begun))
}

/// Reads a results file, drops the rows of jobs that are not done or are to be run again, and says what is left and how many
/// bytes it takes: the file may be longer by what a kill left of its last rows.
///
/// # Errors
/// When the file has other columns, holds a row that is not of this plan (unless such are to be dropped), or the system refuses.
pub fn scan_rows(path: &Path, row_index: &RowIndex<'_>, again: RetryPolicy) -> Result<(Done, u64), ResultsError> {
    let (header, mut chains) = (&row_index.header, Chains::default());
    let (mut failed, mut retried, mut damaged): (HashSet<u64>, HashSet<u64>, HashSet<u64>) = Default::default();
    let mut strangers = false;
    let take = |row: Result<&StringRecord, String>| {
        let sound = row.and_then(|row| {
            let entry = row_index.entry(row)?;
            let job = row_index.plan.order_key(&entry.job);
            failed.extend(entry.failed.then_some(job));
            // Why a job was set aside is no failure of its own.
            retried.extend((entry.failed && (again.set_aside || !row_index.is_set_aside(row))).then_some(job));
            let sound = chains.next(job, &entry, row);
            damaged.extend(sound.is_err().then_some(job));
            sound
        });
        strangers |= sound.is_err();
        if again.damaged { Ok(()) } else { sound }
    };
    let (whole, is_header) = scan(path, header, again, take)?;
    let torn = std::fs::metadata(path)?.len() - whole;
    // A first line that is neither a header nor a row goes; where it is a row, the header comes back.
    strangers |= !is_header;
    let unfinished: HashSet<u64> = chains.open.into_keys().collect();
    let mut jobs = chains.done;
    let run_again =
        |job: &u64| unfinished.contains(job) || damaged.contains(job) || again.failed && retried.contains(job);
    jobs.retain(|job| !run_again(job));
    let nothing_to_drop = unfinished.is_empty() && !strangers && (!again.failed || retried.is_empty());
    let failed = failed.intersection(&jobs).count() as u64;
    let mut done = Done { jobs, failed, torn, dropped: 0, saved: None };
    if nothing_to_drop {
        return Ok((done, whole));
    }
    if strangers {
        done.saved = Some(save(path)?);
    }
    let mut kept: Vec<Range<u64>> = Vec::new();
    record::scan_any(path, header, |line, row| {
        let keep = row.ok().and_then(|row| row_index.entry(row).ok());
        match keep.is_some_and(|entry| done.jobs.contains(&row_index.plan.order_key(&entry.job))) {
            true => kept.push(line.bytes.clone()),
            false => done.dropped += 1,
        }
        Ok(())
    })?;
    // What a kill leaves stands at the end, and goes without the file being written anew.
    let contiguous = kept.windows(2).all(|pair| pair[0].end == pair[1].start);
    match (kept.first(), kept.last()) {
        (Some(first), Some(last)) if is_header && contiguous && first.start == record::header_length(header)? => {
            Ok((done, last.end))
        }
        _ => {
            record::rewrite(path, header, kept.into_iter())?;
            Ok((done, std::fs::metadata(path)?.len()))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A plan of two variants on two positions, three times; its rows as a run writes them, and the places of their fields.
    fn trial() -> (Experiment, Plan, Vec<String>) {
        let text = "suite = 'data/bratko-kopec.epd'\nfirst = 2\nlimit = { depth = 2 }\nrepeats = 3\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n\
            'keys.seed' = 2\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("x.toml");
        let experiment = Experiment::parse(text, &path, &[]).unwrap_or_else(|problem| panic!("{problem}"));
        let plan = Plan::new(&experiment);
        let header = record::header(&plan.varying(), plan.extra_columns());
        (experiment, plan, header)
    }

    /// Both rows of a job, or the one that says why it failed, sealed.
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

    /// What a row is, and by which word it is refused; the ends of each number are its own.
    #[test]
    fn a_row_is_found_its_place_or_refused_with_its_reason() {
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
        assert_eq!(error(&first, columns::REPEAT, "3"), "the plan has 3 repeats, and this row is of repeat 3 (from 0)");
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
            assert!(error(&first, name, value).starts_with(&format!("{name}: `{value}` is no ")), "{name} {value}");
        }
        // Another job's row under this one's name, and this one's at another depth.
        for (name, value) in [(columns::REPEAT, "1"), (columns::VARIANT, "a"), (columns::DEPTH, "2")] {
            assert!(error(&first, name, value).starts_with("its id is not of what it says was searched"), "{name}");
        }
    }

    /// By hand: one job is done, one failed, one lacks its last row, and a line is torn off. What goes and what stays, as it is asked for.
    #[test]
    fn stock_is_taken_of_what_is_there() {
        let (experiment, plan, header) = trial();
        let row_index = RowIndex::new(&experiment, &plan);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        let jobs: Vec<Job> = plan.jobs().collect();
        let of = |at: usize, error: &str| rows(&experiment, &plan, &header, &jobs[at], error);
        let put = |lines: &[Vec<String>], torn: &str| {
            let line = |fields: &[String]| fields.join(",") + "\n";
            let text: String = std::iter::once(&header).chain(lines).map(|fields| line(fields)).collect();
            std::fs::write(&path, text + torn).unwrap();
        };
        let take = |failed: bool, damaged: bool| {
            scan_rows(&path, &row_index, RetryPolicy { failed, set_aside: failed, damaged })
        };
        let all = [of(0, ""), of(1, "it broke"), of(2, "")[..1].to_vec()].concat();
        let places = |of: &[usize]| of.iter().map(|&at| plan.order_key(&jobs[at])).collect::<HashSet<u64>>();
        put(&all, "torn");
        let (done, length) = take(false, false).unwrap();
        assert_eq!((done.jobs, done.failed, done.torn, done.dropped, done.saved), (places(&[0, 1]), 1, 4, 1, None));
        assert_eq!(length, std::fs::metadata(&path).unwrap().len() - 4 - (of(2, "")[0].join(",").len() as u64 + 1));
        put(&all, "");
        let (done, _) = take(true, false).unwrap();
        assert_eq!((done.jobs, done.failed, done.torn, done.dropped), (places(&[0]), 0, 0, 2));
        // What goes stands before the last row alone: nothing of it stays.
        put(&[of(0, ""), of(2, "")[..1].to_vec(), of(1, "it broke")].concat(), "");
        let (done, length) = take(false, false).unwrap();
        let left = std::fs::read(&path).unwrap();
        put(&[of(0, ""), of(1, "it broke")].concat(), "");
        assert_eq!((done.jobs, done.failed, done.dropped), (places(&[0, 1]), 1, 1));
        assert_eq!((&left, length), (&std::fs::read(&path).unwrap(), left.len() as u64));
        // Nothing is to be dropped of a job that is done.
        put(&of(0, ""), "");
        let (done, length) = take(true, true).unwrap();
        assert_eq!((done.jobs, done.dropped, length), (places(&[0]), 0, std::fs::metadata(&path).unwrap().len()));
        // What was edited ends the run, or goes with its job; the file as it was is kept under the next free name.
        let mut edited = [of(0, ""), of(3, "")].concat();
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
            put(&of(3, ""), "");
            assert_eq!(left, std::fs::read(&path).unwrap(), "what goes before the rows that are kept goes too");
        }
        // A row that is of no job of the plan goes alone, and is kept aside.
        let mut strange = [of(0, ""), of(3, "")[..1].to_vec()].concat();
        let variant = header.iter().position(|name| name == columns::VARIANT).unwrap();
        strange[2][variant] = "c".to_owned();
        put(&strange, "");
        assert!(matches!(take(false, false), Err(ResultsError::Damaged { line: 4, .. })));
        let (done, length) = take(false, true).unwrap();
        let saved = folder.path().join("results.csv.damaged-3");
        assert_eq!((done.jobs, done.failed, done.dropped, done.saved.as_ref()), (places(&[0]), 0, 1, Some(&saved)));
        put(&of(0, ""), "");
        assert_eq!(length, std::fs::metadata(&path).unwrap().len());
        // A job that is there twice is refused.
        put(&[of(0, ""), of(0, "")].concat(), "");
        assert!(
            matches!(take(false, false), Err(ResultsError::Damaged { line: 4, problem }) if problem.starts_with("it is there twice"))
        );
        // Which of the two is right nobody knows: both go, and the job is run again.
        put(&[of(0, ""), of(0, ""), of(3, "")].concat(), "");
        let (done, length) = take(false, true).unwrap();
        put(&of(3, ""), "");
        assert_eq!((done.jobs, done.dropped), (places(&[3]), 4));
        assert_eq!(length, std::fs::metadata(&path).unwrap().len());
    }
}
