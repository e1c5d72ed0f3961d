//! Verifies a results folder. The seals are checked, and whether the folder has all rows that the
//! manifest records. If the experiment's suite can be found, every row is checked against the plan.

use super::in_flight::IN_FLIGHT_FILE;
use super::reference::count_missing_searches;
use super::row_index::RowIndex;
use super::status::{JobCounts, Status};
use super::stopping::MatchState;
use super::{OutputError, jobs_of};
use crate::experiment::{Experiment, Plan};
use crate::record::manifest::{MANIFEST, Manifest, ManifestError, RunSegment};
use crate::record::{self, EXPERIMENT, ResultsError, reference};
use crate::text::plural;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

/// The state of a folder. The states are ordered from good to bad.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum FolderState {
    #[default]
    Complete,
    /// Rows are missing, jobs failed, or the run has not ended.
    Incomplete,
    Wrong,
}

#[derive(Debug, Clone, Default)]
pub struct FolderReport {
    pub state: FolderState,
    pub rows: u64,
    pub lines: Vec<String>,
    /// Which rows are missing, empty if none is.
    pub missing: String,
    /// Whether there is no file of rows, or none of its rows can be read.
    pub is_unreadable: bool,
    /// The index of the first message about the worst state.
    worst: usize,
}

impl FolderReport {
    fn add(&mut self, state: FolderState, text: String) {
        if state > self.state {
            (self.state, self.worst) = (state, self.lines.len());
        }
        self.lines.push(text);
    }

    /// The first message about the worst state.
    pub fn worst_finding(&self) -> &str {
        self.lines.get(self.worst).map_or("", String::as_str)
    }
}

/// Verifies a folder.
///
/// # Errors
/// If the folder has no results, or the results cannot be read.
pub fn verify(folder: &Path) -> Result<FolderReport, OutputError> {
    let manifest = match Manifest::read(folder) {
        Err(ManifestError::Edited { .. }) => {
            let mut report = FolderReport::default();
            report.add(FolderState::Wrong, format!("{MANIFEST} was edited or damaged: its seal does not match"));
            return Ok(report);
        }
        result => result?,
    };
    let manifest = manifest.ok_or_else(|| {
        let folder = folder.display();
        OutputError::Unusable(format!("{folder}: no {MANIFEST} found: give a results folder of ttlab"))
    })?;
    let mut report = verify_rows(folder, &manifest)?;
    if report.is_unreadable {
        return Ok(report);
    }
    let mut experiment = None;
    // Rows without ids cannot be checked against the plan.
    if !record::is_packed(folder) {
        let finding = load_experiment(folder, &manifest).and_then(|(loaded, plan)| {
            let finding = verify_against_plan(folder, &manifest, &loaded, &plan);
            experiment = Some(loaded);
            finding
        });
        match finding {
            Ok((state, text)) => report.add(state, text),
            Err(why) => report.add(FolderState::Complete, format!("the rows were not checked against the plan: {why}")),
        }
    }
    let judgements = verify_judgements(folder, experiment.as_ref());
    let judgements = judgements.map_err(OutputError::results(&folder.join(reference::NAME)))?;
    judgements.into_iter().for_each(|(state, text)| report.add(state, text));
    let history = &manifest.run.segments;
    let builds = describe_if_several(history, "builds", |segment| segment.build.to_string());
    let machines = describe_if_several(history, "machines", describe_machine);
    let origins = builds.into_iter().chain(machines).chain(describe_segments(history));
    origins.for_each(|text| report.add(FolderState::Complete, text));
    let file_names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let is_leftover =
        |name: &std::ffi::OsString| name == IN_FLIGHT_FILE || name.to_string_lossy().starts_with(record::TEMPORARY);
    let leftovers = file_names.filter(is_leftover).count();
    if leftovers > 0 {
        let files = plural(leftovers, "file");
        let text = format!("{files} of a run that was killed or is still running: the next run removes them");
        report.add(FolderState::Complete, text);
    }
    Ok(report)
}

/// Verifies the rows of a folder against their checksums and against the seals of the manifest.
/// Neither the experiment's suite nor other files of the folder are needed.
pub(super) fn verify_rows(folder: &Path, manifest: &Manifest) -> Result<FolderReport, OutputError> {
    let path = record::results_file(folder);
    let mut report = FolderReport::default();
    let mut start = Vec::new();
    let opened = crate::system::files::open(&path);
    // Other failures are those of the reading below.
    match opened.and_then(|file| file.take(manifest.sealed.header.len() as u64 + 1).read_to_end(&mut start)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            report.add(FolderState::Incomplete, "there is no results.csv".to_owned());
        }
        Ok(_) if manifest.sealed.header.as_bytes().starts_with(&start) => {
            report.add(FolderState::Incomplete, "results.csv is empty".to_owned());
        }
        _ => {}
    }
    if report.state != FolderState::Complete {
        report.is_unreadable = true;
        return Ok(report);
    }
    let verified = match record::verify::verify(&path, Some(manifest)) {
        Ok(verified) => verified,
        Err(ResultsError::Io(error)) if error.kind() != std::io::ErrorKind::InvalidData => {
            return Err(OutputError::results(&path)(error));
        }
        Err(error) => {
            report.add(FolderState::Wrong, error.to_string());
            report.is_unreadable = true;
            return Ok(report);
        }
    };
    report.rows = verified.rows;
    report.missing = verified.describe_missing().unwrap_or_default();
    let left_out = &manifest.sealed.columns_left_out;
    let seal_text = match manifest.run.ended {
        None => "sealed: each row, the header and the manifest".to_owned(),
        Some(_) if !left_out.is_empty() => {
            format!("sealed: the file and the manifest; {} left out", plural(left_out.len(), "column"))
        }
        Some(_) if manifest.sealed.counts.is_none() => "sealed: the file as written, and the manifest".to_owned(),
        Some(_) => "sealed: the counts, the file as written, and the manifest".to_owned(),
    };
    let findings = [
        verified.describe_damage().map(|text| (FolderState::Wrong, text)),
        verified.describe_missing().map(|text| (FolderState::Incomplete, text)),
        (verified.failed > 0).then(|| (FolderState::Incomplete, format!("{} failed", plural(verified.failed, "job")))),
        manifest.run.ended.is_none().then(|| (FolderState::Incomplete, "the run has not ended".to_owned())),
        (verified.describe_damage().is_none() && (report.missing.is_empty() || manifest.run.ended.is_none()))
            .then_some((FolderState::Complete, seal_text)),
    ];
    findings.into_iter().flatten().for_each(|(state, text)| report.add(state, text));
    Ok(report)
}

fn describe_machine(segment: &RunSegment) -> String {
    format!("{}, {} cores", segment.machine.cpu, segment.machine.cores)
}

/// Lists the builds or machines of a run's segments. Returns `None` if all segments have the same
/// build or machine. `kind` is "builds" or "machines", and `name` returns the name of a segment's
/// build or machine.
fn describe_if_several(history: &[RunSegment], kind: &str, name: impl Fn(&RunSegment) -> String) -> Option<String> {
    let names: Vec<String> = history.iter().map(name).collect::<BTreeSet<_>>().into_iter().collect();
    let (segments, count) = (history.len(), names.len());
    (count > 1).then(|| format!("its {segments} segments are from {count} {kind}: {}", names.join("; ")))
}

/// Describes which jobs each segment of a run or shard ran. A run or shard with only one segment is
/// left out, because it was not interrupted.
fn describe_segments(history: &[RunSegment]) -> Vec<String> {
    let mut lines = Vec::new();
    for segments in history.chunk_by(|a, b| a.shard == b.shard).filter(|segments| segments.len() > 1) {
        for (index, segment) in segments.iter().enumerate() {
            let jobs = match &segment.jobs_written {
                Some(jobs) if jobs.0.is_empty() => "no job".to_owned(),
                Some(jobs) => format!("jobs {jobs}"),
                None if segment.done == Some(0) => "no job".to_owned(),
                None if index + 1 == segments.len() => "the other jobs".to_owned(),
                None => "unknown jobs".to_owned(),
            };
            let shard = segment.shard.map(|shard| format!(" of shard {shard}")).unwrap_or_default();
            lines.push(format!(
                "segment {} of {}{shard} ran {jobs} ({} in parallel; {}; {})",
                index + 1,
                segments.len(),
                segment.jobs,
                segment.build,
                describe_machine(segment)
            ));
        }
    }
    lines
}

/// Loads the experiment of a results folder. Its suite is where it was during the run.
///
/// # Errors
/// If the experiment cannot be loaded, or is not that of the results.
fn load_experiment(folder: &Path, manifest: &Manifest) -> Result<(Experiment, Plan), String> {
    let text =
        crate::system::files::read_text(&folder.join(EXPERIMENT)).map_err(|error| format!("{EXPERIMENT}: {error}"))?;
    let path = manifest.planned.folder.join(EXPERIMENT);
    let experiment = Experiment::from_plan(&text, &path, &manifest.run.sets, Some(&manifest.planned.suite_paths))
        .map_err(|problem| problem.message)?;
    let plan = Plan::new(&experiment);
    let id = plan.id_text();
    if id != manifest.planned.plan {
        let results_plan = &manifest.planned.plan;
        return Err(format!(
            "{EXPERIMENT} is plan {id}, but the results are of plan {results_plan}: the suite changed"
        ));
    }
    Ok((experiment, plan))
}

/// Verifies the rows of the reference engine's judgements. If the experiment could be loaded, also
/// counts the missing judgements.
fn verify_judgements(folder: &Path, experiment: Option<&Experiment>) -> std::io::Result<Vec<(FolderState, String)>> {
    let mut lines = Vec::new();
    let damaged_lines = reference::damaged_lines(folder)?;
    if let Some(first) = damaged_lines.first() {
        let (name, rows) = (reference::NAME, plural(damaged_lines.len() as u64, "row"));
        let text = format!(
            "{name}: {rows} edited or damaged (the first is line {first}): `ttlab run` judges the moves of these rows again"
        );
        lines.push((FolderState::Wrong, text));
    }
    let missing = experiment.map_or(Ok(0), |experiment| count_missing_searches(experiment, folder))?;
    if missing > 0 {
        let text = format!("{}: {} by the reference engine missing", reference::NAME, plural(missing, "search"));
        lines.push((FolderState::Incomplete, text));
    }
    Ok(lines)
}

/// Checks that every row belongs to the plan and that every needed job of the plan is done. The
/// error says why the check was not possible.
fn verify_against_plan(
    folder: &Path,
    manifest: &Manifest,
    experiment: &Experiment,
    plan: &Plan,
) -> Result<(FolderState, String), String> {
    let row_index = RowIndex::new(experiment, plan);
    let mut state = MatchState::new(experiment, plan, &row_index.header, manifest.run.shard);
    let result = Status::read(&row_index, &folder.join(record::RESULTS), Status::STRICT, |entry, row| {
        state.add_row(plan, entry, row);
        Ok(())
    });
    let status = match result {
        Ok(status) => status,
        Err(error @ ResultsError::Damaged { .. }) => return Ok((FolderState::Wrong, error.to_string())),
        Err(error) => return Err(error.to_string()),
    };
    let JobCounts { needed, missing, unneeded, .. } =
        status.count(&row_index, jobs_of(plan, manifest.run.shard), &state);
    if missing > 0 {
        return Ok((FolderState::Incomplete, format!("{missing} of {needed} jobs are not done")));
    }
    let mut text = format!("every row belongs to the plan, and all {needed} jobs are done");
    if state.not_needed() > 0 {
        text += &format!("; {} other jobs are not needed because their tests had ended", state.not_needed());
    }
    if unneeded > 0 {
        text += &format!(" ({unneeded} of them have rows, from a run with other bounds)");
    }
    Ok((FolderState::Complete, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Jobs;
    use crate::record::manifest::{Build, Machine};
    use crate::record::manifest::{RunRecord, Sealed};

    #[test]
    fn segments_list_the_jobs_that_each_ran() {
        let segment = |shard: Option<u64>, jobs: usize, jobs_written: Option<&[u64]>, done: Option<u64>| RunSegment {
            shard,
            jobs,
            done,
            jobs_written: jobs_written.map(|jobs| Jobs(jobs.iter().copied().collect())),
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
        assert_eq!(describe_segments(&[segment(None, 1, None, None)]), Vec::<String>::new());
        let resumed = [segment(None, 4, Some(&[0, 1, 2, 7]), Some(9)), segment(None, 3, None, Some(2))];
        let expected = [
            format!("segment 1 of 2 ran jobs 0-2,7 {}", expected_tail(4)),
            format!("segment 2 of 2 ran the other jobs {}", expected_tail(3)),
        ];
        assert_eq!(describe_segments(&resumed), expected);
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
        assert_eq!(describe_segments(&shards), expected);
    }

    #[test]
    fn verify_reports_files_of_a_killed_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
        write(
            "manifest.json",
            &Manifest {
                run: RunRecord { ended: Some(5), ..RunRecord::default() },
                sealed: Sealed { rows: Some(1), header: "id,check".to_owned(), ..Sealed::default() },
                ..Manifest::default()
            }
            .to_text()
            .expect("JSON"),
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
        let report = verify(folder.path()).expect("a manifest");
        assert_eq!((report.state, report.lines), (FolderState::Incomplete, vec!["there is no results.csv".to_owned()]));
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
            let header = record::header(&[], record::Extra::default());
            let line = record::header_line(&header);
            let manifest = Manifest {
                run: RunRecord { ended: Some(5), segments, ..RunRecord::default() },
                sealed: Sealed { rows: Some(1), header: line, ..Sealed::default() },
                ..Manifest::default()
            };
            write("manifest.json", &manifest.to_text().unwrap());
            let mut row: Vec<&str> = vec![""; header.len() - 1];
            row[header.iter().position(|name| name == record::columns::ERROR).unwrap()] = error;
            let mut row: Vec<String> = row.into_iter().map(str::to_owned).collect();
            record::append_checksum(&mut row, 0);
            write("results.csv", &format!("{}\n{}\n", header.join(","), row.join(",")));
            let report = verify(folder.path()).unwrap();
            let builds = report.lines.iter().find(|text| text.contains(" builds: ")).cloned();
            (report.state, builds, report.lines.contains(&"1 job failed".to_owned()))
        };
        assert_eq!(verify_with(vec![segment("a", "release")], ""), (FolderState::Complete, None, false));
        assert_eq!(verify_with(vec![segment("a", "release")], "it broke"), (FolderState::Incomplete, None, true));
        for (other, names) in
            [(segment("b", "release"), "1 a release; 1 b release"), (segment("a", "dev"), "1 a dev; 1 a release")]
        {
            let builds = format!("its 2 segments are from 2 builds: {names}");
            assert_eq!(
                verify_with(vec![segment("a", "release"), other], ""),
                (FolderState::Complete, Some(builds), false)
            );
        }
    }
}
