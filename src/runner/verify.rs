//! Verifies a results folder: its seals, whether rows are missing according to the manifest, and,
//! if the experiment's suite can be found, every row against the plan.

use super::in_flight::IN_FLIGHT_FILE;
use super::output::EXPERIMENT;
use super::reference::unjudged;
use super::row_index::RowIndex;
use super::status::{JobCounts, Status};
use super::stopping::Stopping;
use super::{OutputError, jobs_of};
use crate::experiment::{Experiment, Plan};
use crate::record::games::GamesFault;
use crate::record::manifest::{MANIFEST, Manifest, ManifestError, RunSegment, SealKind};
use crate::record::{self, ResultsError, reference, thin};
use crate::text::plural;
use std::collections::BTreeSet;
use std::path::Path;

/// The state of a folder, from good to bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FolderState {
    Whole,
    /// Rows are missing, jobs failed, or the run has not ended.
    Missing,
    /// The folder has no seals, so edits cannot be detected.
    Unsealed,
    /// Rows were edited or damaged.
    Wrong,
}

/// The result of verifying a folder.
#[derive(Debug, Clone)]
pub struct Soundness {
    /// The worst state of all checks.
    pub state: FolderState,
    /// The number of rows.
    pub rows: u64,
    /// The messages of the checks.
    pub lines: Vec<String>,
}

/// Verifies a folder.
///
/// # Errors
/// If the folder has no results, or they cannot be read.
pub fn verify(folder: &Path) -> Result<Soundness, OutputError> {
    let manifest = match Manifest::read(folder) {
        Err(ManifestError::Edited { .. }) => return verify_edited(folder),
        read => read?,
    };
    let manifest = manifest.ok_or_else(|| {
        let folder = folder.display();
        OutputError::Foreign(format!("{folder}: no {MANIFEST} found: give a results folder of ttlab"))
    })?;
    if thin::is_thin(folder) {
        return verify_thin_rows(folder, &manifest);
    }
    let path = folder.join(record::RESULTS);
    let mut verdict = Soundness { state: FolderState::Whole, rows: 0, lines: Vec::new() };
    let mut add = |state: FolderState, text: String| {
        verdict.state = verdict.state.max(state);
        verdict.lines.push(text);
    };
    if !path.exists() {
        add(FolderState::Missing, "there is no results.csv".to_owned());
        return Ok(verdict);
    }
    let verified = record::verify::verify(&path, Some(&manifest)).map_err(OutputError::results(&path))?;
    verdict.rows = verified.rows;
    let games = match verified.describe_damage() {
        None if manifest.ended.is_some() => record::games::verify(&path).map_err(OutputError::results(&path))?,
        _ => None,
    };
    let games = games.map(|fault| match fault {
        GamesFault::Wrong(wrong) => (FolderState::Wrong, wrong),
        GamesFault::Missing => {
            let name = record::games::NAME;
            (FolderState::Missing, format!("there is no {name}: create it from the rows with `ttlab report`"))
        }
    });
    let sealed = match verified.kind {
        Some(SealKind::Whole) if manifest.ended.is_none() => {
            Some("sealed: each row, the header and the manifest".to_owned())
        }
        Some(SealKind::Whole) => {
            let columns = if manifest.column_seals.is_empty() { "" } else { "the counts by column, " };
            Some(format!("sealed: {columns}the file as written, and the manifest"))
        }
        _ => None,
    };
    let sealed = sealed.filter(|_| verified.describe_damage().is_none() && verified.sealed);
    let findings = [
        verified.describe_damage().map(|wrong| (FolderState::Wrong, wrong)),
        verified.describe_missing_rows().map(|missing| (FolderState::Missing, missing)),
        verified.describe_unsealed().map(|unsealed| (FolderState::Unsealed, unsealed)),
        games,
        (verified.failed > 0).then(|| (FolderState::Missing, format!("{} failed", plural(verified.failed, "job")))),
        manifest.ended.is_none().then(|| (FolderState::Missing, "the run has not ended".to_owned())),
        sealed.map(|sealed| (FolderState::Whole, sealed)),
    ];
    findings.into_iter().flatten().for_each(|(state, text)| add(state, text));
    let run = load_experiment(folder, &manifest);
    let loaded = run.as_ref().map_err(Clone::clone);
    match loaded.and_then(|(experiment, plan)| verify_against_plan(folder, &manifest, experiment, plan)) {
        Ok((state, text)) => add(state, text),
        Err(why) => add(FolderState::Whole, format!("the rows were not checked against the plan: {why}")),
    }
    let judgements = verify_judgements(folder, run.as_ref().ok().map(|(experiment, _)| experiment));
    let judgements = judgements.map_err(OutputError::results(&folder.join(reference::NAME)))?;
    judgements.into_iter().for_each(|(state, text)| add(state, text));
    let history = manifest.history();
    let origins = several(&history, "builds", |segment| segment.build.to_string()).into_iter();
    let origins = origins.chain(several(&history, "machines", machine));
    origins.chain(segment_lines(&history)).for_each(|text| add(FolderState::Whole, text));
    let leftover = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let leftover =
        leftover.filter(|name| name == IN_FLIGHT_FILE || name.to_string_lossy().starts_with(record::TEMPORARY)).count();
    if leftover > 0 {
        let files = plural(leftover, "file");
        let text = format!("{files} of a run that was killed or is still running: the next run removes them");
        add(FolderState::Whole, text);
    }
    Ok(verdict)
}

/// Verifies thin rows: their seal, and the seals of the full rows' columns that they contain.
fn verify_thin_rows(folder: &Path, manifest: &Manifest) -> Result<Soundness, OutputError> {
    let thin_manifest = manifest.thin.clone().unwrap_or_default();
    let mut verdict = Soundness { state: FolderState::Whole, rows: thin_manifest.rows, lines: Vec::new() };
    let mut add = |state: FolderState, text: String| {
        verdict.state = verdict.state.max(state);
        verdict.lines.push(text);
    };
    match thin::read(folder, manifest) {
        Err(error @ ResultsError::Thin(_)) => add(FolderState::Wrong, format!("{}: {error}", thin::NAME)),
        Err(error) => return Err(OutputError::results(&folder.join(thin::NAME))(error)),
        Ok(_) if manifest.seal_kind() != SealKind::Whole => {
            add(FolderState::Unsealed, record::verify::UNSEALED.to_owned());
        }
        Ok(rows) => {
            let columns = plural(rows.verified as u64, "column");
            let text = format!("thin rows, sealed: the table, the manifest, and {columns} as the full rows had them");
            add(FolderState::Whole, text);
        }
    }
    thin_manifest.missing.into_iter().for_each(|missing| add(FolderState::Missing, missing));
    if thin_manifest.failed > 0 {
        add(FolderState::Missing, format!("{} failed", plural(thin_manifest.failed, "job")));
    }
    let judgements = verify_judgements(folder, None).map_err(OutputError::results(&folder.join(reference::NAME)))?;
    judgements.into_iter().for_each(|(state, text)| add(state, text));
    Ok(verdict)
}

/// Verifies a folder with an edited manifest: only the checksums of the rows can be checked.
fn verify_edited(folder: &Path) -> Result<Soundness, OutputError> {
    let path = folder.join(record::RESULTS);
    let mut verdict = Soundness { state: FolderState::Wrong, rows: 0, lines: Vec::new() };
    verdict.lines.push(format!("{MANIFEST} was edited or damaged: its seal does not match"));
    if path.exists() {
        let verified = record::verify::verify(&path, None).map_err(OutputError::results(&path))?;
        verdict.rows = verified.rows;
        verdict.lines.extend(verified.describe_damage());
    }
    Ok(verdict)
}

fn machine(segment: &RunSegment) -> String {
    format!("{}, {} cores", segment.machine.cpu, segment.machine.cores)
}

/// A message with the builds or machines of a run's segments, if there are several.
fn several(history: &[RunSegment], what: &str, name: impl Fn(&RunSegment) -> String) -> Option<String> {
    let names: Vec<String> = history.iter().map(name).collect::<BTreeSet<_>>().into_iter().collect();
    let (segments, count) = (history.len(), names.len());
    (count > 1).then(|| format!("its {segments} segments are from {count} {what}: {}", names.join("; ")))
}

/// For a run (or a shard) that was interrupted and resumed: describes which jobs each segment ran.
fn segment_lines(history: &[RunSegment]) -> Vec<String> {
    let mut lines = Vec::new();
    for run in history.chunk_by(|a, b| a.shard == b.shard).filter(|run| run.len() > 1) {
        for (index, segment) in run.iter().enumerate() {
            let jobs = match &segment.jobs_written {
                Some(written) if written.0.is_empty() => "no job".to_owned(),
                Some(written) => format!("jobs {written}"),
                None if segment.done == Some(0) => "no job".to_owned(),
                None if index + 1 == run.len() => "the other jobs".to_owned(),
                None => "unknown jobs".to_owned(),
            };
            let shard = segment.shard.map(|shard| format!(" of shard {shard}")).unwrap_or_default();
            lines.push(format!(
                "segment {} of {}{shard} ran {jobs} ({} in parallel; {}; {})",
                index + 1,
                run.len(),
                segment.jobs,
                segment.build,
                machine(segment)
            ));
        }
    }
    lines
}

/// Loads the experiment of a results folder. Its suite's path is relative to the original file,
/// which usually lies at the depth of one of the folder's ancestors. So each ancestor is tried, and
/// the plan's id shows whether the suite is the same.
fn load_experiment(folder: &Path, manifest: &Manifest) -> Result<(Experiment, Plan), String> {
    let text =
        crate::system::files::read_text(&folder.join(EXPERIMENT)).map_err(|error| format!("{EXPERIMENT}: {error}"))?;
    let mut problem = None;
    for base in folder.ancestors() {
        let message = match Experiment::parse(&text, &base.join(EXPERIMENT), &manifest.sets) {
            Ok(experiment) => {
                let plan = Plan::new(&experiment);
                let id = format!("{:016x}", plan.id());
                if id == manifest.plan {
                    return Ok((experiment, plan));
                }
                let plan_found = format!("{EXPERIMENT} with the suite found here is plan {id}");
                format!("{plan_found}, but the results are of plan {}", manifest.plan)
            }
            Err(problem) => problem.message,
        };
        problem.get_or_insert(message);
    }
    Err(problem.unwrap_or_default())
}

/// Verifies the judgements of moves, and counts the missing ones if the experiment is known.
fn verify_judgements(folder: &Path, experiment: Option<&Experiment>) -> std::io::Result<Vec<(FolderState, String)>> {
    let mut lines = Vec::new();
    let damaged = reference::damaged_lines(folder)?;
    if let Some(first) = damaged.first() {
        let (name, rows) = (reference::NAME, plural(damaged.len() as u64, "row"));
        let text = format!(
            "{name}: {rows} edited or damaged (the first is line {first}): judge these moves again with `ttlab run`"
        );
        lines.push((FolderState::Wrong, text));
    }
    let missing = experiment.map_or(Ok(0), |experiment| unjudged(experiment, folder))?;
    if missing > 0 {
        let searches = plural(missing, "search");
        lines.push((FolderState::Missing, format!("{}: {searches} of the reference missing", reference::NAME)));
    }
    Ok(lines)
}

/// Verifies the rows against the plan; an error says why this is impossible.
fn verify_against_plan(
    folder: &Path,
    manifest: &Manifest,
    experiment: &Experiment,
    plan: &Plan,
) -> Result<(FolderState, String), String> {
    let row_index = RowIndex::new(experiment, plan);
    let mut stopping = Stopping::new(experiment, plan, &row_index.header, manifest.shard);
    let result = Status::read(&row_index, &folder.join(record::RESULTS), true, |entry, row| {
        stopping.add_row(plan, entry, row);
        Ok(())
    });
    let status = match result {
        Err(error @ ResultsError::Damaged { .. }) => return Ok((FolderState::Wrong, error.to_string())),
        result => result.map_err(|error| error.to_string())?,
    };
    let JobCounts { needed, missing, extra, .. } = status.count(&row_index, jobs_of(plan, manifest.shard), &stopping);
    if missing > 0 {
        return Ok((FolderState::Missing, format!("{missing} of {needed} jobs are not done")));
    }
    let mut text = format!("every row belongs to the plan, and all {needed} jobs are done");
    if stopping.not_needed() > 0 {
        text += &format!("; {} not needed because their tests had ended", stopping.not_needed());
    }
    if extra > 0 {
        text += &format!(" ({extra} of them have rows, from a run with other bounds)");
    }
    Ok((FolderState::Whole, text))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::record::Jobs;
    use crate::record::manifest::{Build, Machine};

    /// The results folder lies at the same depth as the experiment's folder.
    #[test]
    fn load_finds_the_suite_from_the_results_folder() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            path
        };
        let text = "suite = '../data/s.epd'\nlimit = { depth = 2 }\n";
        write("data/s.epd", "4k3/8/8/8/8/8/8/R3K2R w KQ - id \"a\";\n");
        let file = write("experiments/x.toml", text);
        let plan = Plan::new(&Experiment::load(&file, &[]).unwrap());
        let manifest = Manifest { plan: format!("{:016x}", plan.id()), ..Manifest::default() };
        let results = write("reports/x/experiment.toml", text);
        let folder = results.parent().unwrap();
        let count_items =
            |manifest: &Manifest| load_experiment(folder, manifest).map(|(experiment, _)| experiment.suite.items.len());
        assert_eq!(count_items(&manifest), Ok(1));
        // `--set` values belong to the plan.
        let sets = vec!["draws=true".to_owned()];
        let plan = Plan::new(&Experiment::load(&file, &sets).unwrap());
        let manifest_with = |sets| Manifest { plan: format!("{:016x}", plan.id()), sets, ..Manifest::default() };
        assert_eq!(
            (count_items(&manifest_with(sets)), count_items(&manifest_with(Vec::new())).is_err()),
            (Ok(1), true)
        );
        write("data/s.epd", "4k3/8/8/8/8/8/8/R3K3 w Q - id \"a\";\n");
        assert!(count_items(&manifest).is_err_and(|message| message.contains("../data/s.epd")));
    }

    #[test]
    fn segments_list_the_jobs_that_each_ran() {
        let segment = |shard: Option<u64>, jobs: usize, written: Option<&[u64]>, done: Option<u64>| RunSegment {
            shard,
            jobs,
            done,
            jobs_written: written.map(|written| Jobs(written.iter().copied().collect())),
            build: Build {
                version: "1".to_owned(),
                commit: "abc".to_owned(),
                profile: "release".to_owned(),
                ..Build::default()
            },
            machine: Machine { cpu: "Z80".to_owned(), cores: 2, ..Machine::default() },
            ..RunSegment::default()
        };
        let expected_tail = |jobs: usize| format!("({jobs} in parallel; 1 abc release; Z80, 2 cores)");
        assert_eq!(segment_lines(&[segment(None, 1, None, None)]), Vec::<String>::new());
        let resumed = [segment(None, 4, Some(&[0, 1, 2, 7]), Some(9)), segment(None, 3, None, Some(2))];
        let expected = [
            format!("segment 1 of 2 ran jobs 0-2,7 {}", expected_tail(4)),
            format!("segment 2 of 2 ran the other jobs {}", expected_tail(3)),
        ];
        assert_eq!(segment_lines(&resumed), expected);
        let shards = [
            segment(Some(0), 1, None, Some(5)),
            segment(Some(1), 1, None, Some(3)),
            segment(Some(1), 2, Some(&[]), Some(3)),
            segment(Some(1), 3, None, Some(0)),
        ];
        let expected = [
            format!("segment 1 of 3 of shard 1 ran unknown jobs {}", expected_tail(1)),
            format!("segment 2 of 3 of shard 1 ran no job {}", expected_tail(2)),
            format!("segment 3 of 3 of shard 1 ran no job {}", expected_tail(3)),
        ];
        assert_eq!(segment_lines(&shards), expected);
    }

    #[test]
    fn verify_reports_files_of_a_killed_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
        write(
            "manifest.json",
            &Manifest { ended: Some(5), rows: Some(1), ..Manifest::default() }.to_text().expect("JSON"),
        );
        write("results.csv", "id,check\n1,\n");
        let leftover_lines = || -> Vec<String> {
            let report = verify(folder.path()).expect("results");
            assert_eq!(report.rows, 1);
            report.lines.into_iter().filter(|text| text.contains("killed")).collect()
        };
        let expected = |count: u32| {
            [format!(
                "{} of a run that was killed or is still running: the next run removes them",
                plural(count, "file")
            )]
        };
        write("notes.txt", "");
        assert_eq!(leftover_lines(), Vec::<String>::new());
        write(IN_FLIGHT_FILE, "");
        assert_eq!(leftover_lines(), expected(1));
        write(&format!("{}abc", record::TEMPORARY), "");
        assert_eq!(leftover_lines(), expected(2));
        std::fs::remove_file(folder.path().join("results.csv")).expect("gone");
        let none = verify(folder.path()).expect("a manifest");
        assert_eq!((none.state, none.lines), (FolderState::Missing, vec!["there is no results.csv".to_owned()]));
    }

    #[test]
    fn verify_reports_failed_jobs_and_several_builds() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let segment = |commit: &str, profile: &str| RunSegment {
            build: Build {
                version: "1".to_owned(),
                commit: commit.to_owned(),
                profile: profile.to_owned(),
                ..Build::default()
            },
            ..RunSegment::default()
        };
        let verify_with = |segments: Vec<RunSegment>, error: &str| {
            let manifest = Manifest { ended: Some(5), rows: Some(1), segments, ..Manifest::default() };
            write("manifest.json", &manifest.to_text().unwrap());
            let header = record::header(&[], record::Extra::default());
            let mut row: Vec<&str> = vec![""; header.len() - 1];
            row[header.iter().position(|name| name == record::columns::ERROR).unwrap()] = error;
            let mut row: Vec<String> = row.into_iter().map(str::to_owned).collect();
            record::seal(&mut row, 0);
            write("results.csv", &format!("{}\n{}\n", header.join(","), row.join(",")));
            let report = verify(folder.path()).unwrap();
            let builds = report.lines.iter().find(|text| text.contains(" builds: ")).cloned();
            (report.state, builds, report.lines.contains(&"1 job failed".to_owned()))
        };
        assert_eq!(verify_with(vec![segment("a", "release")], ""), (FolderState::Whole, None, false));
        assert_eq!(verify_with(vec![segment("a", "release")], "it broke"), (FolderState::Missing, None, true));
        for (other, names) in
            [(segment("b", "release"), "1 a release; 1 b release"), (segment("a", "dev"), "1 a dev; 1 a release")]
        {
            let builds = format!("its 2 segments are from 2 builds: {names}");
            assert_eq!(
                verify_with(vec![segment("a", "release"), other], ""),
                (FolderState::Whole, Some(builds), false)
            );
        }
    }
}
