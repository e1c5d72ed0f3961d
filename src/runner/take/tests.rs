//! Takes rows in all ways: by a changed plan, from other folders, and from shards.

use super::*;
use crate::record::manifest::MANIFEST;
use crate::runner::session::{Session, Settings};
use crate::runner::{Output, RunSummary, Shards, progress};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt, SeedableRng};
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The number of folders of a test; in each of them, several plans are run one after another.
const TURNS: usize = 12;

const SUITE: &str = "8/8/8/3k4/8/3K4/4P3/8 w - - bm e3; id \"a\";\n8/5k2/8/8/2R5/8/3K4/8 b - - id \"b\";\n\
                     r3k2r/8/8/8/8/8/8/R3K2R w KQkq - am O-O; id \"c\";\n4k3/8/8/8/8/8/4P3/4K3 w - - id \"d\";\n";

fn experiment(folder: &Path, text: &str, suite: &str) -> Experiment {
    fs::write(folder.join("own.epd"), suite).unwrap();
    Experiment::parse(text, &folder.join("own.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}\n{text}"))
}

fn run(experiment: &Experiment, out: &Path, settings: Settings) -> RunSummary {
    let (plan, stop) = (Plan::new(experiment), AtomicBool::new(false));
    let settings = Settings { jobs: 2, ..settings };
    let session = Session::begin(experiment, &plan, out, settings, &stop).unwrap_or_else(|error| panic!("{error}"));
    session.run(&stop, &progress::Quiet).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs an experiment; the message if the run fails.
fn run_error(experiment: &Experiment, out: &Path, settings: Settings) -> Option<String> {
    let (plan, stop) = (Plan::new(experiment), AtomicBool::new(false));
    let settings = Settings { jobs: 2, ..settings };
    let session = Session::begin(experiment, &plan, out, settings, &stop);
    session.and_then(|session| session.run(&stop, &progress::Quiet)).err().map(|error| error.to_string())
}

/// All fields of the header and of all rows, except the seconds.
fn rows(out: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(out.join(record::RESULTS)).unwrap();
    let header = reader.headers().unwrap().clone();
    let seconds = header.iter().position(|name| name == columns::SECONDS);
    let fields = |row: &StringRecord| {
        row.iter().enumerate().filter(|(index, _)| Some(*index) != seconds).map(|(_, field)| field.to_owned()).collect()
    };
    [header.clone()].into_iter().chain(reader.records().map(Result::unwrap)).map(|row| fields(&row)).collect()
}

fn job_ids(experiment: &Experiment) -> HashSet<u64> {
    let plan = Plan::new(experiment);
    plan.jobs().map(|job| plan.job_id(&job)).collect()
}

/// A random experiment made from a small set of options.
fn random_text(random: &mut impl Rng) -> String {
    let mut sample = |values: &[&str]| {
        let count = random.random_range(1..=values.len());
        values.sample(random, count).copied().collect::<Vec<_>>().join(", ")
    };
    let sizes = sample(&["64", "256", "1024"]);
    let policies = sample(&["'always'", "'depth-preferred'"]);
    let mut pick = |values: &[&'static str]| *values.choose(random).unwrap_or(&"");
    let (name, depth, first) = (pick(&["one", "two"]), pick(&["2", "2", "2", "3"]), pick(&["2", "3", "4"]));
    let seeds = pick(&["1", "1", "2"]);
    let sequence = pick(&["", "", "", "", "[sequence]\nself_play = 2\n", "[sequence]\nself_play = 3\nside = 'both'\n"]);
    let variant = pick(&[
        "",
        "[[variant]]\nname = 'none'\ntable = 'none'\n",
        "[[variant]]\nname = 'kept'\n'table.clear' = 'never'\n",
        "[[variant]]\nname = 'full'\ndiagnostics = 'full'\n",
        "[[variant]]\nname = 'all'\n'table.kind' = 'unbounded'\n",
    ]);
    format!(
        "name = '{name}'\nsuite = 'own.epd'\nfirst = {first}\nlimit = {{ depth = {depth} }}\nseeds = {seeds}\n\
         {sequence}[grid]\n'table.size' = [{sizes}]\n'table.policy' = [{policies}]\n{variant}"
    )
}

#[test]
fn any_plan_after_any_other_has_the_rows_of_a_new_folder() {
    let mut random = rand_pcg::Pcg64::seed_from_u64(7);
    let (mut reused, mut searched) = (0, 0);
    for turn in 0..TURNS {
        let temporary = tempfile::tempdir().unwrap();
        let (out, new) = (temporary.path().join("out"), temporary.path().join("new"));
        let mut known_ids = HashSet::new();
        let mut lines: Vec<&str> = SUITE.lines().collect();
        for step in 0..4 {
            let text = random_text(&mut random);
            // Positions in another order, one of them under another name.
            if random.random_bool(0.3) {
                lines.rotate_left(1);
            }
            let suite =
                lines.join("\n").replace("id \"b\"", if random.random_bool(0.5) { "id \"b\"" } else { "id \"x\"" });
            let experiment = experiment(temporary.path(), &text, &suite);
            let summary = run(&experiment, &out, Settings::default());
            run(&experiment, &new, Settings { fresh: true, ..Settings::default() });
            assert_eq!(rows(&out), rows(&new), "turn {turn}, step {step}: {text}");
            let ids = job_ids(&experiment);
            let plan = Plan::new(&experiment);
            let expected = plan.jobs().filter(|job| known_ids.contains(&plan.job_id(job))).count() as u64;
            assert_eq!(summary.before, expected, "turn {turn}, step {step}: {text}");
            (reused, searched) = (reused + summary.before, searched + summary.done);
            known_ids.extend(ids);
            let verified = crate::runner::verify::verify(&out).unwrap();
            assert_eq!(verified.state, FolderState::Complete, "{verified:?}");
        }
    }
    assert!(reused > 60, "{reused} {searched}");
    assert!(searched > 60, "{reused} {searched}");
}

#[test]
fn earlier_plans_are_taken_from_again_but_not_after_fresh() {
    let temporary = tempfile::tempdir().unwrap();
    let out = temporary.path().join("out");
    let text = |plan: &str| format!("name = 'x'\nsuite = 'own.epd'\nlimit = {{ depth = 2 }}\n{plan}");
    let plans = ["[grid]\n'table.size' = [64, 256]\n", "[grid]\n'table.policy' = ['always', 'big1']\n", "first = 1\n"];
    // The number of jobs that needed no search.
    let reused_jobs = |plan: usize, fresh: bool| {
        let experiment = experiment(temporary.path(), &text(plans[plan]), SUITE);
        run(&experiment, &out, Settings { fresh, ..Settings::default() }).before
    };
    assert_eq!([0, 1, 2].map(|plan| reused_jobs(plan, false)), [0, 0, 1], "the default table");
    assert_eq!([0, 1, 2].map(|plan| reused_jobs(plan, false)), [8, 8, 1]);
    let moved = |folder: &str| out.join(folder).join(record::RESULTS).exists();
    let folders = ["previous", "previous/previous-1", "previous/previous-4", "previous/previous-5"];
    assert_eq!(folders.map(moved), [true, true, true, false], "nothing is deleted");
    assert_eq!(reused_jobs(0, true), 0);
    assert!(moved("previous/previous-5"));
    assert_eq!([1, 0, 2].map(|plan| reused_jobs(plan, false)), [0, 8, 1], "only rows since then are taken");
}

/// A change of the plan that was killed after each of its renames is finished by the next run.
#[test]
fn killed_move_is_finished_by_either_plan() {
    let text = |sizes: &str| {
        format!("name = 'x'\nsuite = 'own.epd'\nlimit = {{ depth = 1 }}\n[grid]\n'table.size' = [{sizes}]\n")
    };
    for next in ["64, 256", "256, 1024"] {
        for left in [&["manifest.json"][..], &["manifest.json", "experiment.toml"]] {
            let temporary = tempfile::tempdir().unwrap();
            let out = temporary.path().join("out");
            run(&experiment(temporary.path(), &text("64, 256"), SUITE), &out, Settings::default());
            fs::create_dir(out.join("previous")).unwrap();
            for entry in fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name()) {
                if entry != "previous" && entry != ".lock" && !left.iter().any(|name| entry == *name) {
                    fs::rename(out.join(&entry), out.join("previous").join(&entry)).unwrap();
                }
            }
            let summary = run(&experiment(temporary.path(), &text(next), SUITE), &out, Settings::default());
            assert_eq!(summary.before, if next == "64, 256" { 8 } else { 4 });
            assert!(out.join("previous/manifest.json").exists());
        }
    }
}

/// If only the name, the question or the order changes, nothing is searched.
#[test]
fn other_names_cost_no_search() {
    let temporary = tempfile::tempdir().unwrap();
    let out = temporary.path().join("out");
    let text = |name: &str, variants: [&str; 2]| {
        let variant = |(name, size): (&str, u32)| format!("[[variant]]\nname = '{name}'\n'table.size' = {size}\n");
        let variants = variants.into_iter().zip([64, 256]).map(variant).collect::<String>();
        format!("name = '{name}'\nquestion = '{name}?'\nsuite = 'own.epd'\nlimit = {{ depth = 2 }}\n{variants}")
    };
    let reused_jobs = |text: &str| run(&experiment(temporary.path(), text, SUITE), &out, Settings::default()).before;
    assert_eq!(reused_jobs(&text("one", ["a", "b"])), 0);
    assert_eq!(reused_jobs(&text("two", ["a", "b"])), 8);
    assert_eq!(reused_jobs(&text("two", ["b", "a"])), 8, "names are exchanged");
    assert!(rows(&out)[1..].iter().all(|row| row[1] == "two"), "the experiment's name");
}

/// Other solutions move the rows, and `solved` is made anew without a search. The rows of a run
/// without a hash of its solutions stay.
#[test]
fn changed_solutions_cost_no_search() {
    let temporary = tempfile::tempdir().unwrap();
    let [out, new] = ["out", "new"].map(|name| temporary.path().join(name));
    let text = "name = 'x'\nsuite = 'own.epd'\nlimit = { depth = 1 }\n[grid]\n'table.size' = [64, 256]\n";
    let run_suite = |suite: &str, out: &Path| run(&experiment(temporary.path(), text, suite), out, Settings::default());
    run_suite(SUITE, &out);
    let mut earlier = rows(&out);
    // All moves of the second position.
    let avoided = SUITE.replace("b - - id", "b - - am Ke8 Kf8 Kg8 Ke7 Kg7 Ke6 Kf6 Kg6; id");
    for suite in [SUITE.replace("bm e3", "am e3"), SUITE.replace("bm e3; ", ""), avoided, SUITE.to_owned()] {
        assert_eq!(run_suite(&suite, &out).before, 8, "{suite}");
        run_suite(&suite, &new);
        assert_eq!(rows(&out), rows(&new), "{suite}");
        assert_ne!(rows(&out), earlier, "{suite}");
        earlier = rows(&out);
        fs::remove_dir_all(&new).unwrap();
    }
    seal(&out, |manifest| manifest.planned.solutions.clear());
    let moved = || fs::read_dir(out.join("previous")).unwrap().count();
    let before = moved();
    assert_eq!((run_suite(SUITE, &out).before, moved()), (8, before));
}

/// Its jobs on one position fail.
struct Faulty;

impl progress::Progress for Faulty {
    fn begin_job(&self, _: &str, item: &str) {
        assert!(item != "b", "a fault");
    }
    fn end_job(&self, _: Option<String>) {}
}

/// In either order of the folders.
#[test]
fn merge_takes_a_job_from_where_it_did_not_fail() {
    let temporary = tempfile::tempdir().unwrap();
    let [failed, good, single] = ["failed", "good", "single"].map(|name| temporary.path().join(name));
    let text = "name = 'x'\nsuite = 'own.epd'\nlimit = { depth = 2 }\n[grid]\n'table.size' = [64, 256]\n";
    let experiment = experiment(temporary.path(), text, SUITE);
    let (plan, stop) = (Plan::new(&experiment), AtomicBool::new(false));
    let settings = || Settings { jobs: 1, shard: Some(Shard { index: 0, count: 1 }), ..Settings::default() };
    let session = Session::begin(&experiment, &plan, &failed, settings(), &stop).unwrap();
    assert_eq!(session.run(&stop, &Faulty).unwrap().failed, 2);
    drop(session);
    run(&experiment, &good, settings());
    run(&experiment, &single, Settings::default());
    // Before a run, failed jobs of other folders count as those that are still to run.
    let (manifest, named) = (crate::runner::manifest(&experiment, &plan, 1, None), [failed.display().to_string()]);
    let out = temporary.path().join("out");
    let known = crate::runner::sources::survey((&experiment, &plan), &out, &manifest, &named).unwrap().0;
    assert_eq!(known.len(), 6);
    for (folders, failed_jobs) in [(vec![&failed], 2), (vec![&failed, &good], 0), (vec![&good, &failed], 0)] {
        let out = tempfile::tempdir().unwrap();
        let folders: Vec<_> = folders.into_iter().map(|folder| (0, folder.clone())).collect();
        let shards = Shards { experiment: &experiment, plan: &plan, shard_count: 1, folders };
        let merged = shards.merge(&Output::open(out.path()).unwrap(), false);
        assert_eq!(merged.unwrap_or_else(|error| panic!("{error}")).1, failed_jobs);
        assert_eq!(rows(out.path()) == rows(&single), failed_jobs == 0);
    }
}

/// Stops a run after this number of jobs.
struct StopAfter {
    jobs: AtomicU64,
    stop: AtomicBool,
}

impl progress::Progress for StopAfter {
    fn end_job(&self, _: Option<String>) {
        if self.jobs.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Interrupts a run after a number of jobs, and cuts off part of its last row.
fn interrupt(experiment: &Experiment, out: &Path, settings: Settings, jobs: u64) {
    let (plan, progress) = (Plan::new(experiment), StopAfter { jobs: jobs.into(), stop: false.into() });
    let session = Session::begin(experiment, &plan, out, Settings { jobs: 2, ..settings }, &progress.stop);
    let summary = session.unwrap().run(&progress.stop, &progress).unwrap();
    if summary.done > 0 {
        let path = out.join(record::RESULTS);
        let text = fs::read(&path).unwrap();
        fs::write(&path, &text[..text.len() - 9]).unwrap();
    }
}

/// Random plans are run one after another in the folders of several shards, which are interrupted,
/// run again in any order, and merged into one folder.
#[test]
fn interrupted_shards_of_changing_plans_merge_to_the_rows_of_a_new_folder() {
    let mut random = rand_pcg::Pcg64::seed_from_u64(11);
    let (mut reused, mut interrupted) = (0, 0);
    for turn in 0..TURNS / 2 {
        let temporary = tempfile::tempdir().unwrap();
        let [out, new] = ["out", "new"].map(|name| temporary.path().join(name));
        let count = random.random_range(2..=4);
        for step in 0..3 {
            let text = random_text(&mut random);
            let experiment = experiment(temporary.path(), &text, SUITE);
            let plan = Plan::new(&experiment);
            let mut folders: Vec<_> =
                (0..count).map(|index| (index, out.join("shards").join(index.to_string()))).collect();
            folders.shuffle(&mut random);
            for (index, folder) in &folders {
                let shard = Some(Shard { index: *index, count });
                let settings = || Settings { shard, ..Settings::default() };
                if random.random_bool(0.4) {
                    interrupt(&experiment, folder, settings(), random.random_range(1..=3));
                    interrupted += 1;
                }
                reused += run(&experiment, folder, settings()).before;
            }
            let shards = Shards { experiment: &experiment, plan: &plan, shard_count: count, folders };
            shards.merge(&Output::open(&out).unwrap(), false).unwrap_or_else(|error| panic!("{error}"));
            run(&experiment, &new, Settings { fresh: true, ..Settings::default() });
            assert_eq!(rows(&out), rows(&new), "turn {turn}, step {step}: {text}");
        }
    }
    assert!(reused > 30, "{reused} {interrupted}");
    assert!(interrupted > 12, "{reused} {interrupted}");
}

/// Rows are taken from a source that another process is writing, and the source is not changed.
#[test]
fn complete_jobs_are_taken_from_a_source_without_changing_it() {
    let temporary = tempfile::tempdir().unwrap();
    let [source, out, new] = ["source", "out", "new"].map(|name| temporary.path().join(name));
    let text = |sizes: &str| {
        format!("name = 'x'\nsuite = 'own.epd'\nlimit = {{ depth = 2 }}\n[grid]\n'table.size' = [{sizes}]\n")
    };
    run(&experiment(temporary.path(), &text("64, 256"), SUITE), &source, Settings::default());
    let path = source.join(record::RESULTS);
    // The last job has its first row and part of the second.
    let whole = fs::read(&path).unwrap();
    let line_ends: Vec<usize> = (0..whole.len()).filter(|&index| whole[index] == b'\n').collect();
    fs::write(&path, &whole[..line_ends[line_ends.len() - 2] + 20]).unwrap();
    let lock = Output::open(&source).unwrap();
    let files = || {
        let entries = fs::read_dir(&source).unwrap().map(|entry| entry.unwrap().path());
        entries.map(|path| (fs::read(&path).unwrap(), path)).collect::<HashSet<_>>()
    };
    let before = files();
    let grown = experiment(temporary.path(), &text("64, 256, 1024"), SUITE);
    let reuse = vec![source.display().to_string()];
    let summary = run(&grown, &out, Settings { reuse, ..Settings::default() });
    assert_eq!((summary.before, summary.done), (7, 5));
    assert!(files() == before, "the source was changed");
    drop(lock);
    run(&grown, &new, Settings::default());
    assert_eq!(rows(&out), rows(&new));
}

/// How a plan takes rows.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    ChangedPlan,
    Reuse,
    Shards,
}

const WAYS: [Way; 3] = [Way::ChangedPlan, Way::Reuse, Way::Shards];

/// One row for each job. The last value of the grid is new.
const GRID: [&str; 2] = ["[grid]\n'table.size' = [64, 256]\n", "[grid]\n'table.size' = [64, 256, 1024]\n"];

/// Makes results of a smaller plan, or shards of the larger one, lets `change` change each folder,
/// and runs or merges the larger plan into the folder `out`.
fn take_by(way: Way, root: &Path, (head, grids): (&str, [&str; 2]), change: &dyn Fn(&Path)) -> Result<(), String> {
    let [small, large] =
        grids.map(|grid| experiment(root, &format!("name = 'x'\nsuite = 'own.epd'\n{head}{grid}"), SUITE));
    let (out, source) = (root.join("out"), root.join("source"));
    match way {
        Way::ChangedPlan => {
            run(&small, &out, Settings::default());
            change(&out);
            run_error(&large, &out, Settings::default()).map_or(Ok(()), Err)
        }
        Way::Reuse => {
            run(&small, &source, Settings::default());
            change(&source);
            let reuse = vec![source.display().to_string()];
            run_error(&large, &out, Settings { reuse, ..Settings::default() }).map_or(Ok(()), Err)
        }
        Way::Shards => {
            let folders: Vec<(u64, PathBuf)> = (0..2).map(|index| (index, root.join(index.to_string()))).collect();
            for (index, folder) in &folders {
                let shard = Some(Shard { index: *index, count: 2 });
                run(&large, folder, Settings { shard, ..Settings::default() });
                change(folder);
            }
            let shards = Shards { experiment: &large, plan: &Plan::new(&large), shard_count: 2, folders };
            shards.merge(&Output::open(&out).unwrap(), false).map(drop).map_err(|error| error.to_string())
        }
    }
}

/// Changes the fields of each row, and gives it a right checksum. Each job has one row.
fn edit_rows(folder: &Path, edit: impl Fn(usize, &mut dyn FnMut(&str, &str))) {
    let path = folder.join(record::RESULTS);
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&header).unwrap();
    for (number, row) in reader.records().map(Result::unwrap).enumerate() {
        let mut fields: Vec<String> = row.iter().take(row.len() - 1).map(str::to_owned).collect();
        edit(number, &mut |column, value| {
            if let Some(index) = header.iter().position(|name| name == column) {
                value.clone_into(&mut fields[index]);
            }
        });
        record::append_checksum(&mut fields, 0);
        writer.write_record(&fields).unwrap();
    }
    fs::write(path, writer.into_inner().unwrap()).unwrap();
}

/// Changes a manifest, and seals it and the rows, as a run does.
fn seal(folder: &Path, change: impl Fn(&mut Manifest)) {
    let mut manifest = Manifest::read(folder).unwrap().unwrap();
    change(&mut manifest);
    let seals = record::verify::verify(&folder.join(record::RESULTS), None).unwrap().seals;
    (manifest.sealed.bytes, manifest.sealed.counts) = (Some(seals.bytes), manifest.sealed.counts.map(|_| seals.counts));
    fs::write(folder.join(MANIFEST), manifest.to_text().unwrap()).unwrap();
}

/// The nodes by which a row shows that it was taken.
const MARK: &str = "7777";

fn mark(folder: &Path) {
    edit_rows(folder, |_, set| set(columns::NODES, MARK));
    seal(folder, |_| {});
}

/// A column of all rows.
fn column(folder: &Path, name: &str) -> Vec<String> {
    crate::runner::session::tests::cells(folder, &[name]).into_iter().flatten().collect()
}

fn count_marks(folder: &Path) -> usize {
    column(folder, columns::NODES).iter().filter(|nodes| *nodes == MARK).count()
}

#[test]
fn rows_are_taken_alike_in_all_ways() {
    let games = "limit = { nodes = 60 }\n[match]\nmax_moves = 4\n";
    // A job of a table that is never cleared has a row for each position.
    let kept = "limit = { depth = 1 }\n[engine]\ntable.clear = 'never'\n";
    for head in ["limit = { depth = 2 }\n", "limit = { nodes = 60 }\nseeds = 2\n", games, kept] {
        let temporary = tempfile::tempdir().unwrap();
        let large = experiment(temporary.path(), &format!("name = 'x'\nsuite = 'own.epd'\n{head}{}", GRID[1]), SUITE);
        let new = temporary.path().join("new");
        run(&large, &new, Settings::default());
        for way in WAYS {
            let temporary = tempfile::tempdir().unwrap();
            take_by(way, temporary.path(), (head, GRID), &|_| {}).unwrap();
            let out = temporary.path().join("out");
            assert_eq!(rows(&out), rows(&new), "{way:?}");
            assert_eq!(
                verify_rows(&out, &Manifest::read(&out).unwrap().unwrap()).unwrap().state,
                FolderState::Complete
            );
        }
    }
}

/// A folder that is not what a run of this build wrote: no row is taken from it, and nothing in it
/// is changed.
#[test]
fn wrong_sources_are_refused_in_all_ways() {
    let edit_text = |folder: &Path, edit: &dyn Fn(String) -> String| {
        let path = folder.join(record::RESULTS);
        fs::write(&path, edit(fs::read_to_string(&path).unwrap())).unwrap();
    };
    type Fault<'f> = (&'f str, &'f dyn Fn(&Path), &'f str);
    let faults: [Fault<'_>; 7] = [
        (
            "swapped header names",
            &|folder| {
                edit_text(folder, &|text| {
                    let text = text.replacen("search.nodes", "?", 1).replacen("search.interior", "search.nodes", 1);
                    text.replacen('?', "search.interior", 1)
                });
            },
            "the header has changed since the run",
        ),
        (
            "forged counts with right checksums",
            &|folder| edit_rows(folder, |_, set| set("search.interior", "5")),
            "changed since the run ended",
        ),
        ("an edited row", &|folder| edit_text(folder, &|text| text.replacen("7777", "7778", 1)), "edited or damaged"),
        ("a byte order mark", &|folder| edit_text(folder, &|text| format!("\u{feff}{text}")), ""),
        ("other line ends", &|folder| edit_text(folder, &|text| text.replace('\n', "\r\n")), "carriage return"),
        ("another schema", &|folder| seal(folder, |manifest| manifest.schema = 2), "schema 2"),
        (
            "an edited manifest",
            &|folder| {
                let path = folder.join(MANIFEST);
                fs::write(&path, fs::read_to_string(&path).unwrap().replacen("\"name\": \"x\"", "\"name\": \"y\"", 1))
                    .unwrap();
            },
            "edited or damaged",
        ),
    ];
    for (fault, change, message) in faults {
        for way in WAYS {
            let temporary = tempfile::tempdir().unwrap();
            let changed = std::cell::RefCell::new(Vec::new());
            let error = take_by(way, temporary.path(), ("limit = { depth = 1 }\n", GRID), &|folder| {
                mark(folder);
                change(folder);
                changed.borrow_mut().push((fs::read(folder.join(record::RESULTS)).unwrap(), folder.to_owned()));
            });
            let error = error.expect_err(&format!("{fault}, {way:?}"));
            assert!(error.contains(message), "{fault}, {way:?}: {error}");
            for (before, folder) in changed.take() {
                assert!(fs::read(folder.join(record::RESULTS)).unwrap() == before, "{fault}, {way:?}");
            }
            let out = temporary.path().join("out");
            assert!(way == Way::ChangedPlan || !out.join(record::RESULTS).exists(), "{fault}, {way:?}");
        }
    }
}

#[test]
fn rows_of_another_build_are_refused_in_all_ways() {
    for way in WAYS {
        let temporary = tempfile::tempdir().unwrap();
        let error = take_by(way, temporary.path(), ("limit = { depth = 1 }\n", GRID), &|folder| {
            mark(folder);
            // The first shard is of this build.
            if !folder.ends_with("0") {
                seal(folder, |manifest| manifest.host.build.searches = "0".to_owned());
            }
        });
        let error = error.expect_err("another build");
        assert!(error.contains("build"), "{way:?}: {error}");
    }
}

/// Failed jobs, a torn line, seconds and stale answers, read from the rows.
#[test]
fn only_what_is_whole_and_right_is_taken() {
    for way in WAYS {
        let take = |head: &str, change: &dyn Fn(&Path)| {
            let temporary = tempfile::tempdir().unwrap();
            let result = take_by(way, temporary.path(), (head, GRID), &|folder| {
                mark(folder);
                change(folder);
            });
            (temporary, result)
        };
        let head = "limit = { depth = 1 }\n";
        let all = if way == Way::Shards { 12 } else { 8 };
        let (root, result) = take(head, &|_| {});
        let out = root.path().join("out");
        result.unwrap();
        assert_eq!((count_marks(&out), column(&out, columns::NODES).len()), (all, 12), "{way:?}");
        // A job failed. Only its own run has the row with its error.
        let (root, result) = take(head, &|folder| {
            edit_rows(folder, |number, set| {
                if number == 1 {
                    set(columns::ERROR, "it broke");
                }
            });
            seal(folder, |_| {});
        });
        let out = root.path().join("out");
        result.unwrap();
        let failed = column(&out, columns::ERROR).iter().filter(|error| *error == "it broke").count();
        let expected = if way == Way::Shards { (12, 2) } else { (7, 0) };
        assert_eq!((count_marks(&out), failed), expected, "{way:?}");
        // The run was killed while it wrote the last row.
        let (root, result) = take(head, &|folder| {
            let path = folder.join(record::RESULTS);
            let text = fs::read(&path).unwrap();
            seal(folder, |manifest| (manifest.run.ended, manifest.sealed.rows) = (None, None));
            fs::write(&path, &text[..text.len() - 9]).unwrap();
        });
        let out = root.path().join("out");
        match way {
            Way::Shards => assert!(result.unwrap_err().ends_with("2 of 2 shards are incomplete: 2 jobs missing")),
            _ => assert_eq!(count_marks(&out), 7, "{way:?}"),
        }
        // Seconds belong to their own run, and answers to the present suite.
        let (root, result) = take(head, &|folder| {
            edit_rows(folder, |_, set| {
                set(columns::SECONDS, "1234.5");
                set(columns::SOLVED, "maybe");
            });
            seal(folder, |_| {});
        });
        let out = root.path().join("out");
        result.unwrap();
        let carried = column(&out, columns::SECONDS).iter().filter(|seconds| *seconds == "1234.5").count();
        assert_eq!((count_marks(&out), carried), (all, if way == Way::Shards { 12 } else { 0 }), "{way:?}");
        assert!(column(&out, columns::SOLVED).iter().all(|solved| solved != "maybe"), "{way:?}");
        assert!(column(&out, columns::SOLVED).iter().any(|solved| solved == "true" || solved == "false"), "{way:?}");
    }
}

/// Where times matter, and where counts do not repeat, only the rows of the same run are taken.
#[test]
fn times_and_counts_that_do_not_repeat_are_not_taken() {
    let real = "limit = { depth = 1 }\n[engine]\nthreads.count = 2\nthreads.kind = 'real'\n";
    for (head, is_refused) in [("limit = { depth = 1 }\ntimes = true\n", true), (real, false)] {
        for way in WAYS {
            let temporary = tempfile::tempdir().unwrap();
            let result = take_by(way, temporary.path(), (head, GRID), &mark);
            if way == Way::Reuse && is_refused {
                assert!(result.unwrap_err().contains("the file asks for times"));
                continue;
            }
            result.unwrap();
            let out = temporary.path().join("out");
            let expected = if way == Way::Shards { 12 } else { 0 };
            assert_eq!((count_marks(&out), column(&out, columns::NODES).len()), (expected, 12), "{head} {way:?}");
        }
    }
}

/// Two results of the same job with right seals and different counts.
#[test]
fn different_counts_of_two_sources_are_an_error() {
    let temporary = tempfile::tempdir().unwrap();
    let [one, two, out] = ["one", "two", "out"].map(|name| temporary.path().join(name));
    let text = format!("name = 'x'\nsuite = 'own.epd'\nlimit = {{ depth = 1 }}\n{}", GRID[0]);
    let experiment = experiment(temporary.path(), &text, SUITE);
    [&one, &two].into_iter().for_each(|folder| drop(run(&experiment, folder, Settings::default())));
    mark(&two);
    let reuse = [&one, &two].map(|folder| folder.display().to_string()).to_vec();
    let error = run_error(&experiment, &out, Settings { reuse, ..Settings::default() }).unwrap();
    assert!(error.contains("its counts differ from those of other results of the same job"), "{error}");
    // The rows that were taken before are kept, with the name of their folder.
    let sources = Manifest::read(&out).unwrap().unwrap().run.sources;
    assert_eq!(sources.iter().map(|source| source.jobs).collect::<Vec<_>>(), [8]);
    assert_eq!(count_marks(&out), 0);
}

/// A pattern leaves out folders that cannot be used, and says why.
#[test]
fn pattern_leaves_out_folders_that_cannot_be_used() {
    let temporary = tempfile::tempdir().unwrap();
    let [good, bad] = ["runs/good", "runs/bad"].map(|name| temporary.path().join(name));
    let text = format!("name = 'x'\nsuite = 'own.epd'\nlimit = {{ depth = 1 }}\n{}", GRID[0]);
    let experiment = experiment(temporary.path(), &text, SUITE);
    [&good, &bad].into_iter().for_each(|folder| drop(run(&experiment, folder, Settings::default())));
    edit_rows(&bad, |_, set| set(columns::NODES, MARK));
    let patterns = |name: &str| vec![temporary.path().join(name).display().to_string()];
    let open_for = |patterns: &[String], own_folder: &Path| {
        let mut notes = Vec::new();
        let build = crate::runner::build();
        crate::runner::sources::open_named(&experiment, patterns, own_folder, &build, &mut notes)
            .map(|sources| (sources.into_iter().map(|source| source.folder).collect::<Vec<_>>(), notes))
    };
    let open = |patterns: &[String]| open_for(patterns, &temporary.path().join("out"));
    assert_eq!(open_for(&patterns("runs/*"), &good).unwrap().0, [""; 0].map(PathBuf::from), "its own folder");
    let (folders, notes) = open(&patterns("runs/*")).unwrap();
    assert_eq!((folders, notes.len()), (vec![good], 1));
    assert!(notes[0].starts_with(&format!("not reused: {}: ", bad.display())), "{}", notes[0]);
    assert!(matches!(open(&patterns("runs/bad")), Err(OutputError::WrongRows(_))));
    assert!(open(&patterns("runs/**")).is_err_and(|error| error.to_string().contains("`**` is not allowed")));
}
