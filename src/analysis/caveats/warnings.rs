//! Warnings about a result: noise, drift, missing rows, mixed builds and machines.

use super::timing::{MAX_NOISE, Timing};
use crate::analysis::questions::line::{Line, MIN_PRESSURE, Measure};
use crate::analysis::questions::summary::Summary;
use crate::experiment::paths;
use crate::record::columns;
use crate::record::manifest::{Manifest, RunSegment};
use crate::text::{plural, quote_names};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The largest share by which the speeds of shards usually differ. If the difference is larger, the
/// shards ran on different machines, or other programs ran at the same time.
const MAX_SPEED_DIFFERENCE: f64 = 0.2;

/// The largest number of options, or of values of one option, that are listed.
const MAX_LISTED: usize = 3;

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Warning {
    /// The times of repeats of a search differ by this share.
    #[error("times are noisy: repeats of one search differ by {:.0} %; close other programs, or raise repeats", 100.0 * .0)]
    Noise(f64),
    #[error(
        "the machine changed its speed: the last repeat took {:+.0} % against the first; let it warm up, and fix its clock",
        100.0 * .0
    )]
    Drift(f64),
    /// Variants have different numbers of searches. Holds the smallest and the largest number.
    #[error(
        "variants have different numbers of searches ({0} to {1}): compare their ratios, which are over paired \
         searches, not their totals"
    )]
    Uneven(usize, usize),
    /// Variants have searches that finished other depths than the baseline's searches. The first
    /// list names the variants with searches that are compared only up to a common depth. The
    /// second list names the variants with searches that have no finished depth in common with the
    /// baseline's searches.
    #[error("not all variants reached the depths of the baseline: {}", describe_depths(.0, .1))]
    DifferentDepths(Vec<String>, Vec<String>),
    /// A metric is 0 in some searches, so that these searches have no ratio. Holds the name of the
    /// metric and the names of the lines with such searches.
    #[error(
        "{}: searches of {} that have 0 where the baseline has not, or the reverse, have no ratio and are left out \
         of the mean, though they differ most",
        .0, quote_names(.1)
    )]
    Zeros(String, Vec<String>),
    #[error("{} left out: see the error column", if *.0 == 1 { "a job failed and is".to_owned() } else { format!("{} jobs failed and are", .0) })]
    Failed(usize),
    #[error("results of different builds are joined ({}): counts may differ for that reason alone", .0.join("; "))]
    Builds(Vec<String>),
    #[error("results of different machines are joined ({}): times cannot be compared", .0.join("; "))]
    Machines(Vec<String>),
    /// Joined results are of suites with different names.
    #[error("results of different suites are joined ({}): positions are paired by their names alone", .0.join("; "))]
    Suites(Vec<String>),
    /// Joined results differ in options that are not part of the lines' names. Each text describes
    /// an option and its values in each result.
    #[error("options that the lines' names do not show differ between the joined results, and may explain \
        differences between lines: {}", list_first(.0))]
    DifferentOptions(Vec<String>),
    /// Shards ran at different speeds or on different machines. Holds the share by which the
    /// fastest is faster than the slowest, and the number of kinds of machine.
    #[error(
        "shards ran at different speeds on {} of machine: by `ttlab bench` the fastest is {:.0} % faster than the \
         slowest. Totals of seconds mix them; ratios of times compare searches on the same machine",
        plural(*.1, "kind"), 100.0 * .0
    )]
    Shards(f64, usize),
    /// Holds the number of repeated searches and of all searches.
    #[error(
        "{0} of {1} searches are the same as an earlier search, but intervals treat all as independent. Two games \
         repeat searches until their moves differ, so begin later with sequence.from. Two positions repeat a search if \
         only their clocks differ, so leave one of them out"
    )]
    Repeated(usize, usize),
    /// Holds the names of variants whose tables are never cleared.
    #[error(
        "nothing is cleared between positions for {}: each search starts with the table that earlier searches left, \
         but intervals treat positions and games as independent",
        quote_names(.0)
    )]
    Uncleared(Vec<String>),
    /// Holds the names of the engines.
    #[error("different engines ({}) do different work per node: compare an engine with itself", .0.join(", "))]
    Engines(Vec<String>),
    #[error(
        "times were measured with {0} jobs at a time, which share caches and memory: to compare times, use --jobs 1"
    )]
    Jobs(usize),
    #[error("{0} has no manifest.json beside it: its build and machine are unknown")]
    NoManifest(String),
}

/// Describes how lines that finished other depths than the baseline were compared. `truncated` and
/// `incomparable` are the two lists of [`Warning::DifferentDepths`].
fn describe_depths(truncated: &[String], incomparable: &[String]) -> String {
    let truncated_text = (!truncated.is_empty()).then(|| {
        format!(
            "the ratios of {} count only the depths that the variant and the baseline both finished",
            quote_names(truncated)
        )
    });
    let incomparable_text = (!incomparable.is_empty()).then(|| {
        format!(
            "searches of {} without a finished depth in common with the baseline are not compared",
            quote_names(incomparable)
        )
    });
    truncated_text.into_iter().chain(incomparable_text).collect::<Vec<_>>().join("; ")
}

/// Lists the first few options, and says how many more there are.
fn list_first(options: &[String]) -> String {
    let unlisted_count = options.len().saturating_sub(MAX_LISTED);
    let and_more = if unlisted_count > 0 { format!("; and in {unlisted_count} more") } else { String::new() };
    options[..options.len().min(MAX_LISTED)].join("; ") + &and_more
}

pub fn result_warnings(summary: &Summary, timing: Option<&Timing>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let failed_count: usize = summary.lines.iter().map(|line| line.errors).sum();
    warnings.extend((failed_count > 0).then_some(Warning::Failed(failed_count)));
    // Returns the names of the lines for which `count` returns more than 0. `count` is applied to
    // the line's measure of the metric.
    let lines_with = |metric_index: usize, count: fn(&Measure) -> usize| -> Vec<String> {
        let has_any = |measure: &Measure| count(measure) > 0;
        let lines = summary.lines.iter().filter(|line| line.measures.get(metric_index).is_some_and(has_any));
        lines.map(|line| line.name.clone()).collect()
    };
    // The depths of searches do not depend on the metric, so only the first metric is checked.
    let (truncated_lines, incomparable_lines) =
        (lines_with(0, |measure| measure.truncated), lines_with(0, |measure| measure.incomparable));
    warnings.extend(
        (!truncated_lines.is_empty() || !incomparable_lines.is_empty())
            .then_some(Warning::DifferentDepths(truncated_lines, incomparable_lines)),
    );
    for (index, metric) in summary.metrics.iter().enumerate() {
        let lines = lines_with(index, |measure| measure.one_sided_zero);
        warnings.extend((!lines.is_empty()).then(|| Warning::Zeros(metric.name.clone(), lines)));
    }
    let search_counts = || summary.lines.iter().map(|line| line.searches);
    // If rows are grouped by other columns than the variant, the groups can have different
    // numbers of searches.
    if let (Some(min), Some(max)) = (search_counts().min(), search_counts().max())
        && min < max
        && summary.by == [columns::VARIANT]
    {
        warnings.push(Warning::Uneven(min, max));
    }
    warnings.extend(timing.map(|timing| timing.noise).filter(|noise| *noise > MAX_NOISE).map(Warning::Noise));
    warnings.extend(timing.map(|timing| timing.drift).filter(|drift| drift.abs() > MAX_NOISE).map(Warning::Drift));
    warnings
}

/// Warns if merged shards ran on different machines, or at speeds that differ by more than the
/// noise of a benchmark.
pub fn shard_warning(manifest: &Manifest) -> Option<Warning> {
    let machines: BTreeSet<String> = manifest.run.shards.iter().map(|run| format!("{:?}", run.machine)).collect();
    let positive_speeds = || manifest.run.shards.iter().filter_map(|run| run.calibration).filter(|&speed| speed > 0);
    let speed_difference = match (positive_speeds().min(), positive_speeds().max()) {
        (Some(slowest), Some(fastest)) => fastest as f64 / slowest as f64 - 1.0,
        _ => 0.0,
    };
    (machines.len() > 1 || speed_difference > MAX_SPEED_DIFFERENCE)
        .then_some(Warning::Shards(speed_difference, machines.len()))
}

/// The options that decide which entries are replaced.
pub(super) const REPLACEMENT: [&str; 3] = ["table.policy", "table.same_key", "table.slots"];

/// A comparison of replacement says nothing if no table was a third full and nothing differs
/// significantly. A single table is not compared with another.
pub fn no_pressure(manifest: &Manifest, summary: &Summary) -> Option<String> {
    let varies_replacement =
        manifest.planned.varying.iter().any(|path| REPLACEMENT.iter().any(|start| path.starts_with(start)));
    let fillings: Vec<f64> =
        summary.lines.iter().map(|line| line.hashfull).filter(|filling| !filling.is_nan()).collect();
    let differs = |line: &Line| line.measures.first().is_some_and(|measure| measure.significant);
    let is_blind = varies_replacement && fillings.len() > 1 && fillings.iter().all(|filling| *filling < MIN_PRESSURE);
    (is_blind && !summary.lines.iter().any(differs)).then(|| {
        "no pressure: every table stayed less than 30 % full, so the comparison says little about replacement; use \
         smaller tables or greater depth"
            .to_owned()
    })
}

/// A comparison of engines says nothing if one of them reports no nodes.
pub fn no_nodes(manifest: &Manifest, summary: &Summary) -> Option<String> {
    summary.metrics.first().filter(|metric| metric.is_nodes())?;
    let is_silent = |line: &&Line| manifest.run.subjects.contains_key(&line.name) && line.measures[0].value.is_nan();
    let line = summary.lines.iter().find(is_silent)?;
    Some(format!("no nodes: no search of \"{}\" reports any; compare times, or play games", line.name))
}

/// Warnings about the variants of a single result. `asks_for_times` says whether times matter.
pub fn variant_warnings(manifest: &Manifest, summary: &Summary, asks_for_times: bool) -> Vec<Warning> {
    let are_compared = summary.lines.len() > 1;
    let is_shown = |name: &&String| summary.lines.iter().any(|line| line.name == **name);
    let uncleared: Vec<String> = manifest.planned.never_cleared.iter().filter(is_shown).cloned().collect();
    let mut warnings = Vec::new();
    if are_compared {
        warnings.extend(different_engines(manifest));
        let is_uncleared = !uncleared.is_empty() && manifest.planned.items > 1;
        warnings.extend(is_uncleared.then_some(Warning::Uncleared(uncleared)));
        let repeated = manifest.planned.repeated.filter(|[repeats, searches]| repeats * 20 > *searches);
        warnings.extend(repeated.map(|[repeats, searches]| Warning::Repeated(repeats, searches)));
    }
    warnings.extend((asks_for_times && manifest.run.jobs > 1).then_some(Warning::Jobs(manifest.run.jobs)));
    warnings
}

/// Only the first word of each name is compared, because different versions of the same engine may
/// be compared.
pub fn different_engines(manifest: &Manifest) -> Option<Warning> {
    let engine_name = |name: &String| manifest.run.subjects.get(name).map_or("ours", |subject| subject.name.as_str());
    let names = manifest.planned.variants.iter().map(engine_name);
    let names: BTreeSet<&str> = names.map(|name| name.split_whitespace().next().unwrap_or(name)).collect();
    (names.len() > 1).then(|| Warning::Engines(names.into_iter().map(str::to_owned).collect()))
}

/// Each source is the name of a result and its manifest.
pub fn join_warnings(sources: &[(&str, Option<&Manifest>)]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let run_segments =
        || sources.iter().filter_map(|(_, manifest)| *manifest).flat_map(|manifest| &manifest.run.segments);
    let list_distinct = |describe: fn(&RunSegment) -> String| -> Vec<String> {
        let texts: BTreeSet<String> = run_segments().map(describe).collect();
        texts.into_iter().collect()
    };
    let builds = list_distinct(|RunSegment { build, .. }| build.to_string());
    // Builds count the same nodes if the hashes of their search code are equal. The hash is in
    // `build.searches`. A build without a hash is identified by its description.
    let search_codes = list_distinct(|RunSegment { build, .. }| match build.searches.is_empty() {
        true => build.to_string(),
        false => build.searches.clone(),
    });
    let machines =
        list_distinct(|RunSegment { machine, .. }| format!("{}, {} cores, {}", machine.cpu, machine.cores, machine.os));
    warnings.extend((search_codes.len() > 1).then_some(Warning::Builds(builds)));
    warnings.extend((machines.len() > 1).then_some(Warning::Machines(machines)));
    if sources.len() > 1 {
        let without_manifest = sources.iter().filter(|(_, manifest)| manifest.is_none());
        warnings.extend(without_manifest.map(|(name, _)| Warning::NoManifest((*name).to_owned())));
    }
    warnings
}

/// The warnings are about different suites, and about options that differ between the results. The
/// options in `named_options` may differ, because their values are part of the lines' names. The
/// options of external engines are not checked.
pub fn pairing_warnings(sources: &[(&str, Option<&Manifest>)], named_options: &[&str]) -> Vec<Warning> {
    let file_name =
        |path: &str| Path::new(path).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let list_files = |manifest: &Manifest| match manifest.planned.suites.as_slice() {
        [] => file_name(&manifest.planned.suite),
        suites => suites.iter().map(|suite| file_name(&suite.file)).collect::<Vec<_>>().join(" + "),
    };
    let suites: BTreeSet<String> = sources.iter().filter_map(|(_, manifest)| manifest.map(list_files)).collect();
    let suites_warning = (suites.len() > 1).then(|| Warning::Suites(suites.into_iter().collect()));
    suites_warning.into_iter().chain(differing_options_warning(sources, named_options)).collect()
}

/// The options in `named_options` are left out, because their values are part of the lines' names.
fn differing_options_warning(sources: &[(&str, Option<&Manifest>)], named_options: &[&str]) -> Option<Warning> {
    // Maps each option and result to the values of the option in this result.
    let mut values: BTreeMap<String, BTreeMap<&str, BTreeSet<String>>> = BTreeMap::new();
    for (label, manifest) in sources {
        for (variant, options) in manifest.iter().flat_map(|manifest| &manifest.planned.options) {
            if manifest.is_some_and(|manifest| manifest.run.subjects.contains_key(variant)) {
                continue;
            }
            for (path, value) in paths::flatten(options) {
                values.entry(path).or_default().entry(label).or_default().insert(value);
            }
        }
    }
    let manifest_count = sources.iter().filter(|(_, manifest)| manifest.is_some()).count();
    values.retain(|path, values_by_result| {
        let mut value_sets = values_by_result.values();
        let first_set = value_sets.next();
        // If one of the results does not have the option, the option counts as different.
        let is_same = values_by_result.len() == manifest_count && value_sets.all(|set| Some(set) == first_set);
        !is_same && !named_options.contains(&path.as_str())
    });
    let describe = |(path, values_by_result): (String, BTreeMap<&str, BTreeSet<String>>)| {
        let list_values = |label: &&str| {
            let values = values_by_result.get(label)?;
            let listed_values: Vec<&str> = values.iter().map(String::as_str).take(MAX_LISTED).collect();
            let or_others = if values.len() > MAX_LISTED { " or others" } else { "" };
            Some(format!("{}{or_others} in \"{label}\"", listed_values.join(" or ")))
        };
        format!(
            "{path} ({})",
            sources.iter().filter_map(|(label, _)| list_values(label)).collect::<Vec<_>>().join(", ")
        )
    };
    let options: Vec<String> = values.into_iter().map(describe).collect();
    (!options.is_empty()).then_some(Warning::DifferentOptions(options))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rows::metric::Metric;
    use crate::record::manifest::{Build, EngineInfo, Machine, ShardRun};
    use crate::record::manifest::{Planned, RunRecord};

    /// Only the first metric counts, since the page shows its ratios; lines are named in order.
    #[test]
    fn different_depths_are_those_of_the_first_metric() {
        let make_line = |name: &str, counts: [(usize, usize); 2]| Line {
            name: name.to_owned(),
            searches: 4,
            measures: counts
                .map(|(truncated, incomparable)| Measure { truncated, incomparable, ..Measure::default() })
                .to_vec(),
            ..Line::default()
        };
        let lines =
            vec![make_line("a", [(0, 0), (2, 1)]), make_line("b", [(3, 0), (0, 0)]), make_line("c", [(1, 2), (0, 0)])];
        let warnings = result_warnings(&Summary { lines, ..Summary::default() }, None);
        assert_eq!(warnings, [Warning::DifferentDepths(vec!["b".to_owned(), "c".to_owned()], vec!["c".to_owned()])]);
        // Each part appears only if it has lines.
        let to_names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let describe = |truncated: &[&str], incomparable: &[&str]| {
            Warning::DifferentDepths(to_names(truncated), to_names(incomparable)).to_string()
        };
        let start = "not all variants reached the depths of the baseline: ";
        let truncated =
            "the ratios of \"b\", \"c\" count only the depths that the variant and the baseline both finished";
        let incomparable = "searches of \"c\" without a finished depth in common with the baseline are not compared";
        assert_eq!(describe(&["b", "c"], &["c"]), format!("{start}{truncated}; {incomparable}"));
        assert_eq!(describe(&["b", "c"], &[]), format!("{start}{truncated}"));
        assert_eq!(describe(&[], &["c"]), format!("{start}{incomparable}"));
    }

    /// The warning names the metric and the lines from which searches were left out.
    #[test]
    fn searches_left_out_for_a_zero_are_reported() {
        let make_line = |name: &str, counts: [usize; 2]| Line {
            name: name.to_owned(),
            measures: counts.map(|count| Measure { one_sided_zero: count, ..Measure::default() }).to_vec(),
            ..Line::default()
        };
        let metrics =
            ["nodes", "search.mates"].map(|name| Metric { name: name.to_owned(), ..Metric::nodes() }).to_vec();
        let lines = vec![make_line("a", [0, 0]), make_line("b", [0, 3]), make_line("c", [0, 1])];
        let warnings = result_warnings(&Summary { lines, metrics, ..Summary::default() }, None);
        assert_eq!(warnings, [Warning::Zeros("search.mates".to_owned(), vec!["b".to_owned(), "c".to_owned()])]);
        assert!(
            warnings[0]
                .to_string()
                .starts_with("search.mates: searches of \"b\", \"c\" that have 0 where the baseline")
        );
    }

    /// The message says what differs and why it matters; it names only the first few options.
    #[test]
    fn join_warnings_name_what_differs() {
        let two_results = || vec!["a".to_owned(), "b".to_owned()];
        let option_names = |count: usize| (0..count).map(|index| format!("o{index}")).collect::<Vec<_>>();
        for (warning, message) in [
            (
                Warning::Builds(two_results()),
                "results of different builds are joined (a; b): counts may differ for that reason alone",
            ),
            (
                Warning::Machines(two_results()),
                "results of different machines are joined (a; b): times cannot be compared",
            ),
            (
                Warning::Suites(two_results()),
                "results of different suites are joined (a; b): positions are paired by their names alone",
            ),
            (
                Warning::DifferentOptions(two_results()),
                "options that the lines' names do not show differ between the joined results, and may explain \
                 differences between lines: a; b",
            ),
        ] {
            assert_eq!(warning.to_string(), message);
        }
        for (count, more) in [(MAX_LISTED, ""), (MAX_LISTED + 2, "; and in 2 more")] {
            let message = Warning::DifferentOptions(option_names(count)).to_string();
            assert!(message.contains(&format!("o{}{more}", MAX_LISTED - 1)), "{message}");
        }
    }

    /// Each warning is checked on both sides of its limit, and drift with both signs. Lines must
    /// have equal numbers of searches only if they are variants.
    #[test]
    fn every_warning_has_its_limit() {
        let make_line = |searches: usize, errors: usize| Line { searches, errors, ..Line::default() };
        let warnings_for = |by: &str, lines: Vec<Line>, noise: f64, drift: f64| {
            let summary = Summary { by: vec![by.to_owned()], lines, ..Summary::default() };
            result_warnings(&summary, Some(&Timing { noise, drift }))
        };
        let even_lines = || vec![make_line(4, 0), make_line(4, 0)];
        assert_eq!(warnings_for("variant", even_lines(), 0.05, -0.05), []);
        let warnings = warnings_for("variant", even_lines(), 0.06, 0.05);
        assert_eq!(warnings, [Warning::Noise(0.06)]);
        assert!(warnings[0].to_string().contains("differ by 6 %;"), "{}", warnings[0]);
        let warnings = warnings_for("variant", vec![make_line(4, 1), make_line(4, 0)], 0.0, 0.0);
        assert_eq!(warnings, [Warning::Failed(1)]);
        assert_eq!(
            [&warnings[0], &Warning::Failed(3)].map(|warning| warning
                .to_string()
                .split(" left")
                .next()
                .unwrap_or_default()
                .to_owned()),
            ["a job failed and is", "3 jobs failed and are"]
        );
        for drift in [0.06, -0.06] {
            let warnings = warnings_for("variant", even_lines(), 0.05, drift);
            assert_eq!(warnings, [Warning::Drift(drift)]);
            assert!(warnings[0].to_string().contains(&format!("took {:+} %", drift * 100.0)), "{}", warnings[0]);
        }
        let uneven_lines = || vec![make_line(4, 1), make_line(3, 0), make_line(5, 2)];
        assert_eq!(warnings_for("variant", uneven_lines(), 0.0, 0.0), [Warning::Failed(3), Warning::Uneven(3, 5)]);
        assert_eq!(warnings_for("table.slots", uneven_lines(), 0.0, 0.0), [Warning::Failed(3)]);
    }

    /// Versions of the same engine count as one engine; different engines are listed in order.
    #[test]
    fn different_engines_are_listed() {
        let engines = |names: &[&str]| {
            let variants: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let engine =
                |name: &&str| ((*name).to_owned(), EngineInfo { name: (*name).to_owned(), ..EngineInfo::default() });
            let subjects = names.iter().filter(|name| **name != "ours").map(engine).collect();
            different_engines(&Manifest {
                planned: Planned { variants, ..Planned::default() },
                run: RunRecord { subjects, ..RunRecord::default() },
                ..Manifest::default()
            })
        };
        assert_eq!(engines(&["Stockfish 16", "Stockfish 17 dev", "Stockfish"]), None);
        assert_eq!(engines(&[]), None);
        let message = engines(&["Stockfish 16", "ours", "Glaurung 2.2"]).map(|warning| warning.to_string());
        assert!(message.unwrap().starts_with("different engines (Glaurung, Stockfish, ours) do different work"));
    }

    /// No pressure is said if replacement varies, no table is a third full and no line differs.
    #[test]
    fn pressure_is_needed_in_one_table() {
        let is_warned = |varying: &str, fillings: &[f64], significant: bool| {
            let line = |&hashfull: &f64| Line {
                hashfull,
                measures: vec![Measure { significant, ..Measure::default() }],
                ..Line::default()
            };
            let summary = Summary { lines: fillings.iter().map(line).collect(), ..Summary::default() };
            let manifest = Manifest::from(Planned { varying: vec![varying.to_owned()], ..Planned::default() });
            no_pressure(&manifest, &summary).is_some()
        };
        for varying in ["table.policy.kind", "table.same_key", "table.slots"] {
            assert!(is_warned(varying, &[299.0, 10.0], false), "{varying}");
        }
        assert!(is_warned("table.slots", &[299.0, 10.0, f64::NAN], false), "a line without a table");
        for (varying, fillings, significant) in [
            ("table.slots", &[299.0, 300.0][..], false),
            ("table.slots", &[299.0, 10.0], true),
            ("table.slots", &[10.0], false),
            ("table.slots", &[10.0, f64::NAN], false),
            ("table.slots", &[f64::NAN, f64::NAN], false),
            ("probe.at", &[299.0, 10.0], false),
        ] {
            assert!(!is_warned(varying, fillings, significant), "{varying} {fillings:?}");
        }
    }

    /// One repeated search in twenty is accepted.
    #[test]
    fn repeated_searches_and_jobs_have_their_limits() {
        let warnings = |repeated: Option<[usize; 2]>, lines: usize, jobs: usize| {
            let summary = Summary { lines: vec![Line::default(); lines], ..Summary::default() };
            variant_warnings(
                &Manifest {
                    planned: Planned { repeated, ..Planned::default() },
                    run: RunRecord { jobs, ..RunRecord::default() },
                    ..Manifest::default()
                },
                &summary,
                true,
            )
        };
        assert_eq!(warnings(Some([6, 100]), 2, 1), [Warning::Repeated(6, 100)]);
        for (repeated, lines) in [(Some([5, 100]), 2), (Some([6, 100]), 1), (Some([0, 0]), 2), (None, 2)] {
            assert_eq!(warnings(repeated, lines, 1), [], "{repeated:?} {lines}");
        }
        assert_eq!(warnings(None, 1, 2), [Warning::Jobs(2)]);
    }

    /// The fastest of equal machines may be up to a fifth faster than the slowest. Runs without a
    /// speed do not count.
    #[test]
    fn different_shards_are_reported_by_machine_and_speed() {
        let warn_of = |runs: &[(&str, Option<u64>)]| {
            let make_run = |&(cpu, calibration): &(&str, Option<u64>)| {
                let machine = Machine { cpu: cpu.to_owned(), ..Machine::default() };
                ShardRun { machine, calibration, ..ShardRun::default() }
            };
            shard_warning(&Manifest::from(RunRecord {
                shards: runs.iter().map(make_run).collect(),
                ..RunRecord::default()
            }))
        };
        assert_eq!(warn_of(&[("a", Some(120)), ("a", Some(100)), ("a", None), ("a", Some(0))]), None);
        let Some(Warning::Shards(speed_difference, 1)) =
            warn_of(&[("a", Some(110)), ("a", Some(150)), ("a", Some(100))])
        else {
            panic!("half as fast again")
        };
        assert!((speed_difference - 0.5).abs() < 1e-12, "{speed_difference}");
        let text = Warning::Shards(speed_difference, 1).to_string();
        assert!(
            text.starts_with(
                "shards ran at different speeds on 1 kind of machine: by `ttlab bench` the fastest is 50 % faster"
            ),
            "{text}"
        );
        assert!(matches!(warn_of(&[("a", Some(121)), ("a", Some(100))]), Some(Warning::Shards(..))));
        assert_eq!(warn_of(&[("a", None), ("b", None), ("a", None)]), Some(Warning::Shards(0.0, 2)));
        assert_eq!(warn_of(&[]), None);
    }

    /// Options that differ between results are listed with their values; named options and external
    /// engines are not.
    #[test]
    fn joined_results_list_differing_options() {
        use serde_json::json;
        let manifest = |suite: &str, variants: &[(&str, serde_json::Value)]| {
            Manifest::from(Planned {
                suite: suite.to_owned(),
                options: variants.iter().map(|(name, options)| ((*name).to_owned(), options.clone())).collect(),
                ..Planned::default()
            })
        };
        let table = |size: u64, slots: u64| json!({ "table": { "size": size, "slots": slots }, "x": 1 });
        let first = manifest("data/s.epd", &[("a", table(64, 1)), ("b", table(64, 2))]);
        let mut second = manifest("../data/s.epd", &[("a", table(128, 1)), ("b", table(128, 2)), ("e", table(9, 9))]);
        second.run.subjects.insert("e".to_owned(), Default::default());
        let size = "table.size (64 in \"one\", 128 in \"two\")".to_owned();
        let sources = [("one", Some(&first)), ("two", Some(&second))];
        assert_eq!(pairing_warnings(&sources, &[]), [Warning::DifferentOptions(vec![size.clone()])]);
        assert_eq!(pairing_warnings(&sources, &["table.size"]), []);
        assert_eq!(
            pairing_warnings(&[("one", Some(&first)), ("two", None)], &[]),
            [],
            "nothing is known of the second"
        );
        // An option that differs in one variant, options that only one result has, and another
        // suite.
        let three = manifest(
            "t.epd",
            &[("a", table(64, 1)), ("b", json!({ "table": { "size": 64, "slots": 4 }, "y": 1, "z": 1 }))],
        );
        let warnings = pairing_warnings(&[("one", Some(&first)), ("three", Some(&three))], &[]);
        let options =
            ["table.slots (1 or 2 in \"one\", 1 or 4 in \"three\")", "y (1 in \"three\")", "z (1 in \"three\")"];
        let suites = vec!["s.epd".to_owned(), "t.epd".to_owned()];
        assert_eq!(warnings, [Warning::Suites(suites), Warning::DifferentOptions(options.map(str::to_owned).to_vec())]);
        // Only the first three values are listed.
        let manifest_with_slots = |slots: &[u64]| {
            let make_variant = |slots: &u64| (format!("v{slots}"), json!({ "table": { "slots": slots } }));
            Manifest::from(Planned { options: slots.iter().map(make_variant).collect(), ..Planned::default() })
        };
        let (many, few) = (manifest_with_slots(&[1, 2, 3, 4]), manifest_with_slots(&[1, 2, 4]));
        let message = "table.slots (1 or 2 or 3 or others in \"many\", 1 or 2 or 4 in \"few\")".to_owned();
        assert_eq!(
            pairing_warnings(&[("many", Some(&many)), ("few", Some(&few))], &[]),
            [Warning::DifferentOptions(vec![message])]
        );
        let message = Warning::DifferentOptions(["a", "b", "c", "d", "e"].map(str::to_owned).to_vec()).to_string();
        assert!(message.contains(": a; b; c; and in 2 more"), "{message}");
    }

    /// A single result gives no warning. For several results, each build and machine is listed
    /// once, in order, and results without a manifest are named.
    #[test]
    fn joined_results_list_builds_and_machines() {
        let shard = |version: &str, cpu: &str| {
            let build = Build {
                version: version.to_owned(),
                commit: "c".to_owned(),
                profile: "p".to_owned(),
                ..Build::default()
            };
            let machine = Machine { cpu: cpu.to_owned(), cores: 2, os: "o".to_owned(), ..Machine::default() };
            Manifest::from(RunRecord {
                segments: vec![RunSegment { build, machine, ..RunSegment::default() }],
                ..RunRecord::default()
            })
        };
        let [first, other_build, other_machine] = [shard("2", "x"), shard("1", "x"), shard("2", "y")];
        assert_eq!(join_warnings(&[("a", None)]), []);
        assert_eq!(join_warnings(&[("a", Some(&first)), ("b", None)]), [Warning::NoManifest("b".to_owned())]);
        assert_eq!(join_warnings(&[("a", Some(&first)), ("b", Some(&first))]), []);
        let builds = Warning::Builds(vec!["1 c p".to_owned(), "2 c p".to_owned()]);
        assert_eq!(join_warnings(&[("a", Some(&first)), ("b", Some(&other_build)), ("c", Some(&first))]), [builds]);
        let machines = Warning::Machines(vec!["x, 2 cores, o".to_owned(), "y, 2 cores, o".to_owned()]);
        assert_eq!(join_warnings(&[("a", Some(&other_machine)), ("b", Some(&first))]), [machines]);
    }
}
