//! Adapts a folder to a changed plan. The rows that the new plan also needs are kept in the
//! results, and all other rows are moved to `unused.csv`.

use super::output::{Output, OutputError};
use super::resume::save_copy;
use super::reuse::{FileRows, Reuse, ReuseSummary};
use super::unused::{append_lines, unused_file, unused_files};
use crate::experiment::{Experiment, Plan};
use crate::record::manifest::{Manifest, RunSegment};
use crate::record::{self, thin};
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

/// The plan id of a folder while its rows are being changed to another plan. No real plan has this
/// id.
const CHANGING: &str = "changing";

/// Whether results were written for another plan, or for the same plan with other names, contents
/// or columns.
fn has_other_plan(old: &Manifest, new: &Manifest) -> bool {
    let names = |manifest: &Manifest| (manifest.name.clone(), manifest.variants.clone(), manifest.varying.clone());
    old.plan != new.plan
        || names(old) != names(new)
        || old.contents != new.contents
        || old.header_seal != new.header_seal
}

/// If the folder contains results of another plan, changes them to results of this plan. Returns
/// how many jobs of this plan the results contain. Returns `None` and changes nothing if there are
/// no results, if the results already belong to this plan, or if they belong to another shard or
/// another build. `new` is the manifest of this run.
pub(super) fn adopt_rows(
    output: &Output,
    experiment: &Experiment,
    plan: &Plan,
    new: &Manifest,
    any_build: bool,
) -> Result<Option<ReuseSummary>, OutputError> {
    if thin::is_thin(&output.folder) || !output.results_path().exists() {
        return Ok(None);
    }
    let Some(old) = Manifest::read(&output.folder)?.filter(|old| has_other_plan(old, new) && old.shard == new.shard)
    else {
        return Ok(None);
    };
    // `Output::begin` refuses the rows of another build with an error.
    if old.build.searches != new.build.searches && !any_build {
        return Ok(None);
    }
    let mut reuse = Reuse::new(experiment, plan, new.shard);
    reuse.engines = Some([&old.subjects, &new.subjects]);
    let ran_elsewhere = |segment: &RunSegment| segment.build != new.build || segment.machine != new.machine;
    if experiment.file.asks_for_times() && old.segments.iter().any(ran_elsewhere) {
        // No row is used, because the seconds were measured on another machine or by another build.
        reuse.jobs.clear();
    }
    reuse.adopt(output, &old, new).map(Some)
}

impl Reuse<'_> {
    /// Changes the results of a folder from another plan to this plan. Rows that this plan needs
    /// are also taken from the folder's files of unused rows. Rows that this plan does not need are
    /// moved to these files. If the process is killed during the change, no row is lost.
    fn adopt(&self, output: &Output, old: &Manifest, new: &Manifest) -> Result<ReuseSummary, OutputError> {
        let (folder, path) = (&output.folder, output.results_path());
        let write_manifest = |manifest: &Manifest| {
            output.write_manifest(manifest).map_err(OutputError::io(folder.join(record::manifest::MANIFEST)))
        };
        let mut known_checks = HashMap::new();
        // What the results file and the files of unused rows contain.
        let (mut results_rows, mut unused_rows) = (Vec::new(), Vec::<FileRows>::new());
        let files = unused_files(folder);
        let new_results = record::write_rows(&path, &self.row_index.header, |write| {
            let mut write_rows = |rows: Vec<Vec<String>>| rows.into_iter().try_for_each(|row| write(&row.into()));
            results_rows.push(self.read(&path, &mut known_checks, &mut write_rows)?);
            for file in &files {
                unused_rows.push(self.read(file, &mut known_checks, &mut write_rows)?);
            }
            Ok(())
        });
        let new_results = new_results.map_err(OutputError::results(&path))?;
        let mut summary = self.summarize(&known_checks, &results_rows);
        if !summary.damaged.is_empty() {
            summary.copy = Some(save_copy(&path).map_err(OutputError::io(&path))?);
        }
        write_manifest(&Manifest { plan: CHANGING.to_owned(), ..old.clone() })?;
        if let Some(FileRows { unused, header, .. }) = results_rows.first().filter(|file| !file.unused.is_empty()) {
            let has_same_header = |(_, file): &(&PathBuf, &FileRows)| file.header == *header;
            let existing = files.iter().zip(&unused_rows).find(has_same_header).map(|(path, _)| path.clone());
            let target = existing.unwrap_or_else(|| unused_file(folder, files.len() as u32 + 1));
            append_lines(&path, unused, header, &target).map_err(OutputError::results(&target))?;
        }
        record::publish(new_results, &path).map_err(OutputError::io(&path))?;
        // Finally, rows that are used again are removed from the files of unused rows. The last
        // file comes first, and a file is deleted only if there is no later file, so that the
        // numbers of the files have no gaps.
        for (number, path) in (1_u32..).zip(unused_files(folder)).collect::<Vec<_>>().into_iter().rev() {
            let file_rows =
                self.read(&path, &mut HashMap::new(), &mut |_| Ok(())).map_err(OutputError::results(&path))?;
            if !file_rows.damaged.is_empty() {
                // A file with damaged rows is kept as it is. A row that exists twice does no harm.
                continue;
            }
            let result = match file_rows.unused.is_empty() && !unused_file(folder, number + 1).exists() {
                true => fs::remove_file(&path),
                false => record::rewrite(&path, &file_rows.header, file_rows.unused.into_iter()),
            };
            result.map_err(OutputError::io(path))?;
        }
        write_manifest(&Manifest {
            plan: new.plan.clone(),
            rows: None,
            ended: None,
            column_seals: Default::default(),
            file_seal: None,
            subjects: new.subjects.clone(),
            segments: old.segments.iter().map(|segment| RunSegment { jobs_written: None, ..segment.clone() }).collect(),
            ..old.clone()
        })?;
        Ok(summary)
    }
}

#[cfg(test)]
pub(super) mod tests;
