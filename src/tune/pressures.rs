//! The table pressures at which a winner is confirmed: the file's own, and either those of `[tune]`
//! or a quarter of the size and four times the size.

use crate::experiment::tune::to_settings;
use crate::experiment::{Experiment, Plan, Problem, Variant};
use crate::runner::{RunError, Subjects};
use crate::subject::options;
use crate::table::TableKind;
use crate::table::options::Size;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The experiment at the file's own table pressure and at each other one, without duplicates, and
/// the names of these pressures. By default the others are a quarter of the size and four times it.
pub fn at_pressures(
    file: &Path,
    sets: &[String],
    experiment: Experiment,
) -> Result<(Vec<Experiment>, Vec<String>), String> {
    let tune = experiment.file.tune.clone().unwrap_or_default();
    let base = &experiment.variants[experiment.baseline];
    // If the variants differ in size, or the sizes of their engines are not comparable, there is no
    // other size to try.
    let sizes_of = |variant: &Variant| {
        let table_size = variant.table().map(|table| table.size);
        (table_size, external_hash(variant).map(|(name, size)| (name.to_owned(), size)))
    };
    let same_size = experiment.variants.iter().all(|variant| sizes_of(variant) == sizes_of(base));
    let (own_name, other_sizes) = match (base.table(), external_hash(base)) {
        (_, Some((name, size))) if same_size => {
            let others = [size / 4, size.saturating_mul(4)].into_iter().filter(|&size| size > 0);
            (format!("uci.{name} = {size}"), others.map(|size| format!("uci.{name}={size}")).collect())
        }
        (Some(table), _) if same_size && table.kind == TableKind::Bounded => {
            (format!("table.size = {}", table.size), neighbouring_sizes(table.size).to_vec())
        }
        _ => ("as in the file".to_owned(), Vec::new()),
    };
    let other_pressures: Vec<Vec<String>> = match tune.pressures.is_empty() {
        true => other_sizes.into_iter().map(|size| vec![size]).collect(),
        false => tune.pressures.iter().map(to_settings).collect(),
    };
    let (mut experiments, mut names) = (vec![experiment], vec![own_name]);
    for pressure in other_pressures {
        let all_sets: Vec<String> = sets.iter().chain(&pressure).cloned().collect();
        let at_pressure =
            Experiment::load(file, &all_sets).map_err(|problem| match pressure.contains(&problem.text) {
                // The values of a pressure come from the file.
                true => Problem { file: format!("{} [tune] pressures", file.display()), ..problem }.to_string(),
                false => format!("{problem}\nat the pressure {}", pressure.join(", ")),
            })?;
        // A duplicate would be searched twice and counted as two independent tests.
        let id = Plan::new(&at_pressure).id();
        if experiments.iter().all(|experiment| Plan::new(experiment).id() != id) {
            // As the file would write it: `table.size = 16 MiB`.
            names.push(pressure.join(", ").replace('=', " = ").replace('"', ""));
            experiments.push(at_pressure);
        }
    }
    Ok((experiments, names))
}

/// The name and the value, in MiB, of an external engine's option for the size of its hash table,
/// if the file sets it.
fn external_hash(variant: &Variant) -> Option<(&str, i64)> {
    options::hash_size(&variant.external()?.options)
}

/// Finds, identifies and tests the external engines at every pressure before the race. Default
/// pressures that an engine does not accept are removed. `None` if interrupted.
///
/// # Errors
/// The error, and the pressure at which it occurred unless that is the file's own.
pub fn prepare_engines(
    experiments: &mut Vec<Experiment>,
    pressures: &mut Vec<String>,
    jobs: usize,
    stop: &AtomicBool,
) -> Result<Option<Subjects>, (RunError, Option<String>)> {
    let is_explicit = experiments[0].file.tune.as_ref().is_some_and(|tune| !tune.pressures.is_empty());
    let prepare = |experiment: &Experiment| Subjects::prepare(experiment, &Plan::new(experiment), jobs, stop);
    let subjects = match prepare(&experiments[0]) {
        Err(RunError::Interrupted) => return Ok(None),
        result => result.map_err(|error| (error, None))?,
    };
    // From the last one, because some are removed.
    for index in (1..experiments.len()).rev() {
        match prepare(&experiments[index]) {
            Ok(_) => {}
            Err(RunError::Interrupted) => return Ok(None),
            Err(RunError::Subject(_) | RunError::Memory(_)) if !is_explicit => {
                experiments.remove(index);
                pressures.remove(index);
            }
            Err(error) => return Err((error, Some(pressures[index].clone()))),
        }
    }
    Ok(Some(subjects))
}

/// A quarter of a size and four times it, as `--set` values.
pub fn neighbouring_sizes(size: Size) -> [String; 2] {
    let scaled = |factor: f64| match size {
        Size::Bytes(bytes) => Size::Bytes((bytes as f64 * factor) as u64),
        Size::Entries(entries) => Size::Entries(((entries as f64 * factor) as u64).max(1)),
        Size::Share(share) => Size::Share(share * factor),
    };
    [0.25, 4.0].map(|factor| match scaled(factor) {
        Size::Entries(entries) => format!("table.size={entries}"),
        other => format!("table.size=\"{other}\""),
    })
}
