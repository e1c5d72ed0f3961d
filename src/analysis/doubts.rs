//! What makes findings doubtful beside blindness: noise, drift, missing rows, mixed builds and machines.

use super::summary::Summary;
use super::timing::{NOISY, Timing};
use crate::record::manifest::Manifest;
use std::fmt;

/// One doubt.
#[derive(Debug, Clone, PartialEq)]
pub enum Doubt {
    /// Times differ between repeats by this share.
    Noise(f64),
    /// The last repeat took this much longer than the first.
    Drift(f64),
    /// Variants have different numbers of searches: the least and the most.
    Uneven(usize, usize),
    /// Jobs that failed.
    Failed(usize),
    /// The run has not ended.
    Unfinished,
    /// Joined results are of several builds.
    Builds(Vec<String>),
    /// Joined results are of several machines.
    Machines(Vec<String>),
    /// Joined results do not say where they come from.
    Unknown(String),
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Noise(noise) => write!(
                f,
                "times are noisy: repeats of one search differ by {:.0} %; close other programs, or raise repeats",
                100.0 * noise
            ),
            Self::Drift(drift) => write!(
                f,
                "the machine changed its speed: the last repeat took {:+.0} % against the first; let it warm up, and fix its clock",
                100.0 * drift
            ),
            Self::Uneven(least, most) => write!(
                f,
                "variants have {least} to {most} searches: totals are not of the same work (ratios are: they are paired)"
            ),
            Self::Failed(1) => write!(f, "a job failed and is left out: see the error column"),
            Self::Failed(count) => write!(f, "{count} jobs failed and are left out: see the error column"),
            Self::Unfinished => write!(f, "the run is not finished: the same `ttlab run` continues it"),
            Self::Builds(builds) => {
                write!(
                    f,
                    "results of different builds are joined ({}): counts may differ for that alone",
                    builds.join("; ")
                )
            }
            Self::Machines(machines) => {
                write!(
                    f,
                    "results of different machines are joined ({}): times cannot be compared",
                    machines.join("; ")
                )
            }
            Self::Unknown(source) => {
                write!(f, "{source} has no manifest.json beside it: its build and machine are unknown")
            }
        }
    }
}

/// Doubts about one result.
#[must_use]
pub fn doubts(summary: &Summary, timing: Option<&Timing>, finished: bool) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let failed: usize = summary.lines.iter().map(|line| line.errors).sum();
    if failed > 0 {
        doubts.push(Doubt::Failed(failed));
    }
    if !finished {
        doubts.push(Doubt::Unfinished);
    }
    // Lines of other columns than the variant may rightly differ.
    let counts = summary.lines.iter().map(|line| line.searches).filter(|_| summary.by == ["variant"]);
    if let (Some(least), Some(most)) = (counts.clone().min(), counts.max())
        && least < most
    {
        doubts.push(Doubt::Uneven(least, most));
    }
    if let Some(timing) = timing {
        if timing.noise > NOISY {
            doubts.push(Doubt::Noise(timing.noise));
        }
        if timing.drift.abs() > NOISY {
            doubts.push(Doubt::Drift(timing.drift));
        }
    }
    doubts
}

/// Doubts about joining results: different builds, different machines, or none known.
#[must_use]
pub fn mixed(sources: &[(&str, Option<&Manifest>)]) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let known: Vec<&Manifest> = sources.iter().filter_map(|(_, manifest)| *manifest).collect();
    let mut builds: Vec<String> = known
        .iter()
        .map(|manifest| &manifest.build)
        .map(|build| format!("{} {} {}", build.version, build.commit, build.profile))
        .collect();
    let mut machines: Vec<String> = known
        .iter()
        .map(|manifest| &manifest.machine)
        .map(|machine| format!("{}, {} cores, {}", machine.cpu, machine.cores, machine.os))
        .collect();
    for list in [&mut builds, &mut machines] {
        list.sort();
        list.dedup();
    }
    if builds.len() > 1 {
        doubts.push(Doubt::Builds(builds));
    }
    if machines.len() > 1 {
        doubts.push(Doubt::Machines(machines));
    }
    if sources.len() > 1 {
        doubts.extend(
            sources
                .iter()
                .filter(|(_, manifest)| manifest.is_none())
                .map(|(name, _)| Doubt::Unknown((*name).to_owned())),
        );
    }
    doubts
}
