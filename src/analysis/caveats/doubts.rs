//! What makes findings doubtful beside blindness: noise, drift, missing rows, mixed builds and machines.

use super::named;
use super::timing::{NOISY, Timing};
use crate::analysis::questions::line::Measure;
use crate::analysis::questions::summary::Summary;
use crate::experiment::paths;
use crate::record::columns;
use crate::record::manifest::{Manifest, RunSegment};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Shards whose speeds are further apart than this share ran on unlike machines, or not alone.
const UNLIKE: f64 = 0.2;

/// How many options, or values of one, are shown.
const SHOWN: usize = 3;

/// One doubt.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Doubt {
    /// Times differ between repeats by this share.
    #[error("times are noisy: repeats of one search differ by {:.0} %; close other programs, or raise repeats", 100.0 * .0)]
    Noise(f64),
    /// The last repeat took this much longer than the first.
    #[error(
        "the machine changed its speed: the last repeat took {:+.0} % against the first; let it warm up, and fix its clock",
        100.0 * .0
    )]
    Drift(f64),
    /// Variants have different numbers of searches: the least and the most.
    #[error("variants have {0} to {1} searches: totals are not of the same work (ratios are: they are paired)")]
    Uneven(usize, usize),
    /// Variants whose searches finished other depths than the baseline's: compared in common depths, and not at all.
    #[error("not all went as deep as the baseline: {}", unlike(.0, .1))]
    Unlike(Vec<String>, Vec<String>),
    /// A metric that is 0 for some searches, so that they have no ratio, and the lines that they are of.
    #[error(
        "{}: searches of {} in which one side alone is 0 have no ratio and are left out of the mean, though they differ most",
        .0, named(.1)
    )]
    Zeros(String, Vec<String>),
    /// Jobs that failed.
    #[error("{} left out: see the error column", if *.0 == 1 { "a job failed and is".to_owned() } else { format!("{} jobs failed and are", .0) })]
    Failed(usize),
    /// The run has not ended.
    #[error("the run is not finished: the same `ttlab run` continues it")]
    Unfinished,
    /// Joined results are of several builds.
    #[error("results of different builds are joined ({}): counts may differ for that alone", .0.join("; "))]
    Builds(Vec<String>),
    /// Joined results are of several machines.
    #[error("results of different machines are joined ({}): times cannot be compared", .0.join("; "))]
    Machines(Vec<String>),
    /// Joined results are of suites of other names.
    #[error("results of different suites are joined ({}): positions are paired by their names alone", .0.join("; "))]
    Suites(Vec<String>),
    /// Joined results differ in options that no line names: each with the values of each result.
    #[error("the joined results differ in options that no line names: {}: what tells them apart may be that", first(.0))]
    Apart(Vec<String>),
    /// Shards were run at speeds this share apart, on so many kinds of machine.
    #[error(
        "shards ran on {} kind(s) of machine, the fastest {:.0} % faster than the slowest by `ttlab bench`: totals of seconds mix them; \
         ratios of times are of searches on the same machine",
        .1, 100.0 * .0
    )]
    Shards(f64, usize),
    /// Variants that make each search in a new process, beside others that do not.
    #[error(
        "{}: restart = \"search\" loses all that an engine keeps along a game, its histories and corrections as well as its table: against a process that is kept this is \
         not the value of keeping the table. The first search of each game, equal by design, is left out there",
        named(.0)
    )]
    Alone(Vec<String>),
    /// Joined results do not say where they come from.
    #[error("{0} has no manifest.json beside it: its build and machine are unknown")]
    Unknown(String),
}

/// What became of lines that finished other depths than the baseline.
fn unlike(cut: &[String], apart: &[String]) -> String {
    let cut = (!cut.is_empty()).then(|| format!("the ratios of {} are of the depths that both finished", named(cut)));
    let apart = (!apart.is_empty())
        .then(|| format!("searches of {} that share no finished depth are not compared", named(apart)));
    cut.into_iter().chain(apart).collect::<Vec<_>>().join("; ")
}

/// The first of some options.
fn first(options: &[String]) -> String {
    let more = options.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!("; and in {more} more") } else { String::new() };
    options[..options.len().min(SHOWN)].join("; ") + &more
}

/// Doubts about one result.
pub fn doubts(summary: &Summary, timing: Option<&Timing>, finished: bool) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let failed: usize = summary.lines.iter().map(|line| line.errors).sum();
    doubts.extend((failed > 0).then_some(Doubt::Failed(failed)));
    let some = |at: usize, of: fn(&Measure) -> usize| -> Vec<String> {
        let lines = summary.lines.iter().filter(|line| line.measures.get(at).is_some_and(|measure| of(measure) > 0));
        lines.map(|line| line.name.clone()).collect()
    };
    let (cut, apart) = (some(0, |measure| measure.cut), some(0, |measure| measure.apart));
    doubts.extend((!cut.is_empty() || !apart.is_empty()).then_some(Doubt::Unlike(cut, apart)));
    for (at, metric) in summary.metrics.iter().enumerate() {
        let lines = some(at, |measure| measure.beyond);
        doubts.extend((!lines.is_empty()).then(|| Doubt::Zeros(metric.name.clone(), lines)));
    }
    doubts.extend((!finished).then_some(Doubt::Unfinished));
    // Lines of other columns than the variant may rightly differ.
    let counts = summary.lines.iter().map(|line| line.searches).filter(|_| summary.by == [columns::VARIANT]);
    if let (Some(least), Some(most)) = (counts.clone().min(), counts.max())
        && least < most
    {
        doubts.push(Doubt::Uneven(least, most));
    }
    doubts.extend(timing.map(|timing| timing.noise).filter(|noise| *noise > NOISY).map(Doubt::Noise));
    doubts.extend(timing.map(|timing| timing.drift).filter(|drift| drift.abs() > NOISY).map(Doubt::Drift));
    doubts
}

/// A doubt about times of merged shards: their machines differ, or their speeds by more than the noise of a bench.
pub fn shards(manifest: &Manifest) -> Option<Doubt> {
    let machines: BTreeSet<String> = manifest.shards.iter().map(|run| format!("{:?}", run.machine)).collect();
    let speeds = || manifest.shards.iter().filter_map(|run| run.calibration).filter(|&speed| speed > 0);
    let apart = match (speeds().min(), speeds().max()) {
        (Some(least), Some(most)) => most as f64 / least as f64 - 1.0,
        _ => 0.0,
    };
    (machines.len() > 1 || apart > UNLIKE).then_some(Doubt::Shards(apart, machines.len()))
}

/// A doubt about engines along games of which some make each search in a new process and others do not.
pub fn alone(manifest: &Manifest) -> Option<Doubt> {
    let restart = |variant: &&String| manifest.options.get(*variant)?.get("restart")?.as_str();
    let external = || manifest.variants.iter().filter(|variant| restart(variant).is_some());
    let (alone, others): (Vec<&String>, Vec<&String>) =
        external().partition(|variant| restart(variant) == Some("search"));
    let mixed = manifest.sequence && !alone.is_empty() && !others.is_empty();
    mixed.then(|| Doubt::Alone(alone.into_iter().cloned().collect()))
}

/// Doubts about joining results: different builds, different machines, or none known.
pub fn mixed(sources: &[(&str, Option<&Manifest>)]) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let history = || sources.iter().filter_map(|(_, manifest)| *manifest).flat_map(Manifest::history);
    let different = |words: fn(RunSegment) -> String| -> Vec<String> {
        let all: BTreeSet<String> = history().map(words).collect();
        all.into_iter().collect()
    };
    let builds = different(|RunSegment { build, .. }| format!("{} {} {}", build.version, build.commit, build.profile));
    let machines =
        different(|RunSegment { machine, .. }| format!("{}, {} cores, {}", machine.cpu, machine.cores, machine.os));
    doubts.extend((builds.len() > 1).then_some(Doubt::Builds(builds)));
    doubts.extend((machines.len() > 1).then_some(Doubt::Machines(machines)));
    if sources.len() > 1 {
        let unknown = sources.iter().filter(|(_, manifest)| manifest.is_none());
        doubts.extend(unknown.map(|(name, _)| Doubt::Unknown((*name).to_owned())));
    }
    doubts
}

/// Doubts about joined results whose searches are paired: unlike suites, and the options, but those that are named, that are not the same in all of
/// them. Of other engines nothing is known here.
pub fn apart(sources: &[(&str, Option<&Manifest>)], named: &[&str]) -> Vec<Doubt> {
    let file_name =
        |path: &str| Path::new(path).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let suite = |manifest: &Manifest| match manifest.suites.as_slice() {
        [] => file_name(&manifest.suite),
        suites => suites.iter().map(|suite| file_name(&suite.file)).collect::<Vec<_>>().join(" + "),
    };
    let suites: BTreeSet<String> = sources.iter().filter_map(|(_, manifest)| manifest.map(suite)).collect();
    let unlike = (suites.len() > 1).then(|| Doubt::Suites(suites.into_iter().collect()));
    unlike.into_iter().chain(options_apart(sources, named)).collect()
}

fn options_apart(sources: &[(&str, Option<&Manifest>)], named: &[&str]) -> Option<Doubt> {
    let mut values: BTreeMap<String, BTreeMap<&str, BTreeSet<String>>> = BTreeMap::new();
    for (label, manifest) in sources {
        for (variant, options) in manifest.iter().flat_map(|manifest| &manifest.options) {
            if manifest.is_some_and(|manifest| manifest.subjects.contains_key(variant)) {
                continue;
            }
            for (path, value) in paths::flatten(options) {
                values.entry(path).or_default().entry(label).or_default().insert(value);
            }
        }
    }
    let known = sources.iter().filter(|(_, manifest)| manifest.is_some()).count();
    values.retain(|path, of| {
        let mut sets = of.values();
        let first = sets.next();
        let same = of.len() == known && sets.all(|set| Some(set) == first);
        !same && !named.contains(&path.as_str())
    });
    let shown = |(path, of): (String, BTreeMap<&str, BTreeSet<String>>)| {
        let message = |label: &&str| {
            let set = of.get(label)?;
            let list: Vec<&str> = set.iter().map(String::as_str).take(SHOWN).collect();
            let others = if set.len() > SHOWN { " or others" } else { "" };
            Some(format!("{}{others} in \"{label}\"", list.join(" or ")))
        };
        format!("{path} ({})", sources.iter().filter_map(|(label, _)| message(label)).collect::<Vec<_>>().join(", "))
    };
    let options: Vec<String> = values.into_iter().map(shown).collect();
    (!options.is_empty()).then_some(Doubt::Apart(options))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::questions::line::Line;
    use crate::analysis::rows::metric::Metric;
    use crate::record::manifest::{Build, Machine, ShardRun};

    /// Of several metrics the first is what the page's ratios are of; lines are named in their order.
    #[test]
    fn unlike_depths_are_those_of_the_first_metric() {
        let line = |name: &str, counts: [(usize, usize); 2]| Line {
            name: name.to_owned(),
            searches: 4,
            measures: counts.map(|(cut, apart)| Measure { cut, apart, ..Measure::default() }).to_vec(),
            ..Line::default()
        };
        let lines = vec![line("a", [(0, 0), (2, 1)]), line("b", [(3, 0), (0, 0)]), line("c", [(1, 2), (0, 0)])];
        let found = doubts(&Summary { lines, ..Summary::default() }, None, true);
        assert_eq!(found, [Doubt::Unlike(vec!["b".to_owned(), "c".to_owned()], vec!["c".to_owned()])]);
        // Each part in words, and neither where it has nobody.
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let message = |cut: &[&str], apart: &[&str]| Doubt::Unlike(names(cut), names(apart)).to_string();
        let start = "not all went as deep as the baseline: ";
        let cut = "the ratios of \"b\", \"c\" are of the depths that both finished";
        let apart = "searches of \"c\" that share no finished depth are not compared";
        assert_eq!(message(&["b", "c"], &["c"]), format!("{start}{cut}; {apart}"));
        assert_eq!(message(&["b", "c"], &[]), format!("{start}{cut}"));
        assert_eq!(message(&[], &["c"]), format!("{start}{apart}"));
    }

    /// Of each metric by itself, those lines that lack searches for it.
    #[test]
    fn what_is_left_out_for_a_zero_is_told() {
        let line = |name: &str, beyond: [usize; 2]| Line {
            name: name.to_owned(),
            measures: beyond.map(|beyond| Measure { beyond, ..Measure::default() }).to_vec(),
            ..Line::default()
        };
        let metrics =
            ["nodes", "search.mates"].map(|name| Metric { name: name.to_owned(), ..Metric::nodes() }).to_vec();
        let lines = vec![line("a", [0, 0]), line("b", [0, 3]), line("c", [0, 1])];
        let found = doubts(&Summary { lines, metrics, ..Summary::default() }, None, true);
        assert_eq!(found, [Doubt::Zeros("search.mates".to_owned(), vec!["b".to_owned(), "c".to_owned()])]);
        assert!(
            found[0].to_string().starts_with("search.mates: searches of \"b\", \"c\" in which one side alone is 0")
        );
    }

    /// What is joined is told with what is apart, and why that matters; of many options the first are named.
    #[test]
    fn what_is_joined_is_told_with_what_is_apart() {
        let two = || vec!["a".to_owned(), "b".to_owned()];
        let many = |count: usize| (0..count).map(|at| format!("o{at}")).collect::<Vec<_>>();
        for (doubt, message) in [
            (Doubt::Builds(two()), "results of different builds are joined (a; b): counts may differ for that alone"),
            (Doubt::Machines(two()), "results of different machines are joined (a; b): times cannot be compared"),
            (
                Doubt::Suites(two()),
                "results of different suites are joined (a; b): positions are paired by their names alone",
            ),
            (
                Doubt::Apart(two()),
                "the joined results differ in options that no line names: a; b: what tells them apart may be that",
            ),
        ] {
            assert_eq!(doubt.to_string(), message);
        }
        for (count, more) in [(SHOWN, ""), (SHOWN + 2, "; and in 2 more")] {
            let message = Doubt::Apart(many(count)).to_string();
            assert!(message.contains(&format!("o{}{more}: what tells", SHOWN - 1)), "{message}");
        }
    }

    /// Each doubt at its edge, of a machine that grows slower and of one that grows faster; numbers of searches that differ are told of variants alone.
    #[test]
    fn each_doubt_has_its_edge() {
        let line = |searches: usize, errors: usize| Line { searches, errors, ..Line::default() };
        let of = |by: &str, lines: Vec<Line>, noise: f64, drift: f64, finished: bool| {
            let summary = Summary { by: vec![by.to_owned()], lines, ..Summary::default() };
            doubts(&summary, Some(&Timing { noise, drift }), finished)
        };
        let even = || vec![line(4, 0), line(4, 0)];
        assert_eq!(of("variant", even(), 0.05, -0.05, true), []);
        let noisy = of("variant", even(), 0.06, 0.05, true);
        assert_eq!(noisy, [Doubt::Noise(0.06)]);
        assert!(noisy[0].to_string().contains("differ by 6 %;"), "{}", noisy[0]);
        let one = of("variant", vec![line(4, 1), line(4, 0)], 0.0, 0.0, true);
        assert_eq!(one, [Doubt::Failed(1)]);
        assert_eq!(
            [&one[0], &Doubt::Failed(3)].map(|doubt| doubt
                .to_string()
                .split(" left")
                .next()
                .unwrap_or_default()
                .to_owned()),
            ["a job failed and is", "3 jobs failed and are"]
        );
        for drift in [0.06, -0.06] {
            let found = of("variant", even(), 0.05, drift, true);
            assert_eq!(found, [Doubt::Drift(drift)]);
            assert!(found[0].to_string().contains(&format!("took {:+} %", drift * 100.0)), "{}", found[0]);
        }
        let uneven = || vec![line(4, 1), line(3, 0), line(5, 2)];
        assert_eq!(
            of("variant", uneven(), 0.0, 0.0, false),
            [Doubt::Failed(3), Doubt::Unfinished, Doubt::Uneven(3, 5)]
        );
        assert_eq!(of("table.slots", uneven(), 0.0, 0.0, true), [Doubt::Failed(3)]);
    }

    /// Engines along games, some with a process for each search: ours has none, and single positions know no difference.
    #[test]
    fn a_process_for_each_search_loses_more_than_a_table() {
        let of = |sequence: bool, restarts: &[Option<&str>]| {
            let named = || restarts.iter().enumerate().map(|(at, restart)| (format!("v{at}"), restart));
            let options = |restart: &Option<&str>| match restart {
                Some(restart) => serde_json::json!({ "uci": "x", "restart": restart }),
                None => serde_json::json!({ "draws": true }),
            };
            let manifest = Manifest {
                sequence,
                variants: named().map(|(name, _)| name).collect(),
                options: named().map(|(name, restart)| (name, options(restart))).collect(),
                ..Manifest::default()
            };
            alone(&manifest).map(|doubt| doubt.to_string())
        };
        let message = of(true, &[Some("game"), Some("search"), None]).unwrap_or_default();
        assert!(
            message.starts_with("\"v1\": restart = \"search\" loses all") && message.contains("histories"),
            "{message}"
        );
        for restarts in
            [&[Some("game"), Some("experiment")][..], &[Some("search"), Some("search")], &[Some("search"), None], &[]]
        {
            assert_eq!(of(true, restarts), None, "{restarts:?}");
        }
        assert_eq!(of(false, &[Some("game"), Some("search")]), None);
    }

    /// Machines that are alike may differ in speed by a fifth of the slowest; what has no speed says nothing.
    #[test]
    fn unlike_shards_are_told_by_their_machines_and_speeds() {
        let message = |runs: &[(&str, Option<u64>)]| {
            let run = |&(cpu, calibration): &(&str, Option<u64>)| {
                let machine = Machine { cpu: cpu.to_owned(), ..Machine::default() };
                ShardRun { machine, calibration, ..ShardRun::default() }
            };
            shards(&Manifest { shards: runs.iter().map(run).collect(), ..Manifest::default() })
        };
        assert_eq!(message(&[("a", Some(120)), ("a", Some(100)), ("a", None), ("a", Some(0))]), None);
        let Some(Doubt::Shards(apart, 1)) = message(&[("a", Some(110)), ("a", Some(150)), ("a", Some(100))]) else {
            panic!("half as fast again")
        };
        assert!((apart - 0.5).abs() < 1e-12, "{apart}");
        let words = Doubt::Shards(apart, 1).to_string();
        assert!(
            words.starts_with("shards ran on 1 kind(s) of machine, the fastest 50 % faster than the slowest"),
            "{words}"
        );
        assert!(matches!(message(&[("a", Some(121)), ("a", Some(100))]), Some(Doubt::Shards(..))));
        assert_eq!(message(&[("a", None), ("b", None), ("a", None)]), Some(Doubt::Shards(0.0, 2)));
        assert_eq!(message(&[]), None);
    }

    /// Options that are not the same in all results, with each result's values; of what is named, what is the same, and other engines, nothing.
    #[test]
    fn joined_results_tell_what_else_they_differ_in() {
        use serde_json::json;
        let of = |suite: &str, variants: &[(&str, serde_json::Value)]| Manifest {
            suite: suite.to_owned(),
            options: variants.iter().map(|(name, options)| ((*name).to_owned(), options.clone())).collect(),
            ..Manifest::default()
        };
        let table = |size: u64, slots: u64| json!({ "table": { "size": size, "slots": slots }, "x": 1 });
        let one = of("data/s.epd", &[("a", table(64, 1)), ("b", table(64, 2))]);
        let mut two = of("../data/s.epd", &[("a", table(128, 1)), ("b", table(128, 2)), ("e", table(9, 9))]);
        two.subjects.insert("e".to_owned(), Default::default());
        let size = "table.size (64 in \"one\", 128 in \"two\")".to_owned();
        let both = [("one", Some(&one)), ("two", Some(&two))];
        assert_eq!(apart(&both, &[]), [Doubt::Apart(vec![size.clone()])]);
        assert_eq!(apart(&both, &["table.size"]), []);
        assert_eq!(apart(&[("one", Some(&one)), ("two", None)], &[]), [], "nothing is known of the second");
        // A value that one of them has beside another; an option that one lacks; more of them than are shown; a suite of another name.
        let three =
            of("t.epd", &[("a", table(64, 1)), ("b", json!({ "table": { "size": 64, "slots": 4 }, "y": 1, "z": 1 }))]);
        let found = apart(&[("one", Some(&one)), ("three", Some(&three))], &[]);
        let options =
            ["table.slots (1 or 2 in \"one\", 1 or 4 in \"three\")", "y (1 in \"three\")", "z (1 in \"three\")"];
        let suites = vec!["s.epd".to_owned(), "t.epd".to_owned()];
        assert_eq!(found, [Doubt::Suites(suites), Doubt::Apart(options.map(str::to_owned).to_vec())]);
        // Of many values the first three.
        let values = |slots: &[u64]| {
            let one = |slots: &u64| (format!("v{slots}"), json!({ "table": { "slots": slots } }));
            Manifest { options: slots.iter().map(one).collect(), ..Manifest::default() }
        };
        let (many, few) = (values(&[1, 2, 3, 4]), values(&[1, 2, 4]));
        let message = "table.slots (1 or 2 or 3 or others in \"many\", 1 or 2 or 4 in \"few\")".to_owned();
        assert_eq!(apart(&[("many", Some(&many)), ("few", Some(&few))], &[]), [Doubt::Apart(vec![message])]);
        let message = Doubt::Apart(["a", "b", "c", "d", "e"].map(str::to_owned).to_vec()).to_string();
        assert!(message.contains(": a; b; c; and in 2 more: what"), "{message}");
    }

    /// One result is joined with nothing. Of several each build and machine is told once, in order, and who does not say where it is from.
    #[test]
    fn joined_results_tell_where_they_differ() {
        let of = |version: &str, cpu: &str| {
            let build = Build { version: version.to_owned(), commit: "c".to_owned(), profile: "p".to_owned() };
            let machine = Machine { cpu: cpu.to_owned(), cores: 2, os: "o".to_owned(), ..Machine::default() };
            Manifest { build, machine, ..Manifest::default() }
        };
        let [one, other, third] = [of("2", "x"), of("1", "x"), of("2", "y")];
        assert_eq!(mixed(&[("a", None)]), []);
        assert_eq!(mixed(&[("a", Some(&one)), ("b", None)]), [Doubt::Unknown("b".to_owned())]);
        assert_eq!(mixed(&[("a", Some(&one)), ("b", Some(&one))]), []);
        let builds = Doubt::Builds(vec!["1 c p".to_owned(), "2 c p".to_owned()]);
        assert_eq!(mixed(&[("a", Some(&one)), ("b", Some(&other)), ("c", Some(&one))]), [builds]);
        let machines = Doubt::Machines(vec!["x, 2 cores, o".to_owned(), "y, 2 cores, o".to_owned()]);
        assert_eq!(mixed(&[("a", Some(&third)), ("b", Some(&one))]), [machines]);
    }
}
