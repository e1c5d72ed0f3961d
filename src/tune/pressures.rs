//! The table pressures at which a winner is confirmed. They are the file's own pressure and the
//! pressures of `[tune]`. If `[tune]` has none, a quarter of the table size and four times the
//! table size are used.

use crate::experiment::tune::to_settings;
use crate::experiment::{Experiment, Plan, Problem, Variant};
use crate::runner::{RunError, Subjects};
use crate::subject::options;
use crate::table::TableKind;
use crate::table::options::Size;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Returns the experiment as it is, and the experiment at each of the other table pressures. Also
/// returns the names of all these pressures. Duplicates are left out. By default, the other
/// pressures are a quarter of the table size and four times the table size.
pub fn load_at_pressures(
    file: &Path,
    overrides: &[String],
    experiment: Experiment,
) -> Result<(Vec<Experiment>, Vec<String>), String> {
    let tune = experiment.file.tune.clone().unwrap_or_default();
    let base = &experiment.variants[experiment.baseline];
    // Default sizes are derived from the baseline, but only if all variants have the same table
    // size and set the same hash option of their engines to the same size.
    let sizes_of = |variant: &Variant| {
        let table_size = variant.table().map(|table| table.size);
        (table_size, external_hash(variant).map(|(name, size)| (name.to_owned(), size)))
    };
    let have_same_size = experiment.variants.iter().all(|variant| sizes_of(variant) == sizes_of(base));
    let (own_name, other_sizes) = match (base.table(), external_hash(base)) {
        (_, Some((name, size))) if have_same_size => {
            let others = [size / 4, size.saturating_mul(4)].into_iter().filter(|&size| size > 0);
            (format!("uci.{name} = {size}"), others.map(|size| format!("uci.{name}={size}")).collect())
        }
        (Some(table), _) if have_same_size && table.kind == TableKind::Bounded => {
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
        let all_overrides: Vec<String> = overrides.iter().chain(&pressure).cloned().collect();
        let at_pressure =
            Experiment::load(file, &all_overrides).map_err(|problem| match pressure.contains(&problem.text) {
                // The faulty text is a setting of the pressure, so the fault is in `[tune]`.
                true => Problem { file: format!("{} [tune] pressures", file.display()), ..problem }.to_string(),
                false => format!("{problem}\nat the pressure {}", pressure.join(", ")),
            })?;
        // A duplicate would be searched twice and counted as two independent tests.
        let id = Plan::new(&at_pressure).id();
        if experiments.iter().all(|experiment| Plan::new(experiment).id() != id) {
            // The name is written as in the file, such as `table.size = 16 MiB`.
            names.push(pressure.join(", ").replace('=', " = ").replace('"', ""));
            experiments.push(at_pressure);
        }
    }
    Ok((experiments, names))
}

/// Returns the option that sets the size of an external engine's hash table, if the file sets this
/// option. The option is returned as its name and its value in MiB.
fn external_hash(variant: &Variant) -> Option<(&str, i64)> {
    options::hash_size(&variant.external()?.options)
}

/// Finds, identifies and tests the external engines at every pressure before the race. Default
/// pressures that an engine does not accept are removed. Returns `None` if interrupted.
///
/// # Errors
/// Returns the error and the pressure at which the error occurred. The pressure is `None` if the
/// error occurred in the first experiment, whose table pressure is set in the file itself.
pub fn prepare_engines(
    experiments: &mut Vec<Experiment>,
    pressures: &mut Vec<String>,
    jobs: usize,
    stop: &AtomicBool,
) -> Result<Option<Subjects>, (RunError, Option<String>)> {
    let has_explicit_pressures = experiments[0].file.tune.as_ref().is_some_and(|tune| !tune.pressures.is_empty());
    let prepare = |experiment: &Experiment| Subjects::prepare(experiment, &Plan::new(experiment), jobs, stop);
    let subjects = match prepare(&experiments[0]) {
        Err(RunError::Interrupted) => return Ok(None),
        result => result.map_err(|error| (error, None))?,
    };
    // The order is reversed, because some experiments are removed.
    for index in (1..experiments.len()).rev() {
        match prepare(&experiments[index]) {
            Ok(_) => {}
            Err(RunError::Interrupted) => return Ok(None),
            Err(RunError::Subject(_) | RunError::Memory(_)) if !has_explicit_pressures => {
                experiments.remove(index);
                pressures.remove(index);
            }
            Err(error) => return Err((error, Some(pressures[index].clone()))),
        }
    }
    Ok(Some(subjects))
}

/// Returns a quarter of a table size and four times the table size, as arguments of `--set`.
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
