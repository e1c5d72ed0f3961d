//! Tests of each doubt and each warning at its threshold: what it says, which variants it names,
//! and from which value on it appears.

use ttlab::internals::analysis::caveats::memory;
use ttlab::internals::analysis::caveats::timing::Timing;
use ttlab::internals::analysis::caveats::warnings::{Warning, join_warnings, result_warnings, shard_warning};
use ttlab::internals::analysis::questions::line::Measure;
use ttlab::internals::analysis::questions::power::Power;
use ttlab::internals::analysis::{Frame, Line, Summary};
use ttlab::internals::record::manifest::{Build, Machine, Manifest, RunSegment, ShardRun};

/// A line with the given numbers of searches, searches truncated to common depths, incomparable
/// searches and failed jobs.
fn line(name: &str, searches: usize, truncated: usize, incomparable: usize, errors: usize) -> Line {
    let measures = vec![Measure { truncated, incomparable, ..Measure::default() }];
    Line { name: name.to_owned(), searches, errors, measures, hashfull: 900.0, ..Line::default() }
}

fn summary(lines: Vec<Line>) -> Summary {
    let power = Power { lines: 1, clusters: 20, ..Power::default() };
    Summary { by: vec!["variant".to_owned()], searches: 20, repeats: 1, lines, power, ..Summary::default() }
}

fn timing(noise: f64, drift: f64) -> Option<Timing> {
    Some(Timing { noise, drift })
}

fn page_notes(summary: &Summary, timing: Option<Timing>) -> Vec<String> {
    result_warnings(summary, timing.as_ref()).iter().map(ToString::to_string).collect()
}

#[test]
fn warnings_begin_at_their_documented_limits() {
    let plain = summary(vec![line("a", 20, 0, 0, 0), line("b", 20, 0, 0, 0)]);
    assert_eq!(page_notes(&plain, None), Vec::<String>::new());
    assert_eq!(page_notes(&plain, timing(0.05, -0.05)), Vec::<String>::new(), "as much as is usual");
    assert_eq!(page_notes(&plain, timing(f64::NAN, 0.0)), Vec::<String>::new());
    let noisy = page_notes(&plain, timing(0.06, 0.0));
    assert_eq!(noisy.len(), 1, "{noisy:?}");
    assert!(noisy[0].contains("noisy"), "{noisy:?}");
    assert!(noisy[0].contains("by 6 %"), "{noisy:?}");
    for (drift, output) in [(0.08, "+8 %"), (-0.08, "-8 %")] {
        let drifted = page_notes(&plain, timing(0.0, drift));
        assert_eq!(drifted.len(), 1, "{drifted:?}");
        assert!(drifted[0].contains(&format!("took {output} against the first")), "{drifted:?}");
    }
    // Failed jobs are summed over all lines; the smallest and largest numbers of searches are
    // reported.
    let failed = summary(vec![line("a", 19, 0, 0, 1), line("b", 20, 0, 0, 0), line("c", 18, 0, 0, 2)]);
    let words = page_notes(&failed, None);
    assert_eq!(words.len(), 2, "{words:?}");
    assert!(words[0].starts_with("3 jobs failed"), "{words:?}");
    assert!(words[1].contains("numbers of searches (18 to 20)"), "{words:?}");
    let one = page_notes(&summary(vec![line("a", 19, 0, 0, 1), line("b", 19, 0, 0, 0)]), None);
    assert_eq!(one, ["a job failed and is left out: see the error column"]);
    // Groups by other columns may have different numbers of searches.
    let grouped =
        Summary { by: vec!["game".to_owned()], ..summary(vec![line("a", 19, 0, 0, 0), line("b", 20, 0, 0, 0)]) };
    assert_eq!(page_notes(&grouped, None), Vec::<String>::new());
    // Names the lines that were compared at common depths only, and those that weren't compared at
    // all. Only the first three are listed by name.
    let unlike =
        page_notes(&summary(vec![line("a", 20, 0, 0, 0), line("b", 20, 1, 0, 0), line("c", 20, 0, 1, 0)]), None);
    let expected = "not all variants reached the depths of the baseline: the ratios of \"b\" count only the depths \
        that the variant and the baseline both finished; searches of \"c\" without a finished depth in common with the baseline are not \
        compared";
    assert_eq!(unlike, [expected]);
    let many = ["b", "c", "d", "e"].map(|name| line(name, 20, 2, 0, 0));
    let many = page_notes(&summary(many.to_vec()), None);
    assert!(many[0].contains("\"b\", \"c\", \"d\" and 1 more count only"), "{many:?}");
    assert!(!many[0].contains("not compared"), "{many:?}");
}

/// A manifest of a run that wasn't interrupted.
fn manifest(commit: &str, cpu: &str) -> Manifest {
    let build =
        Build { version: "1".to_owned(), commit: commit.to_owned(), profile: "release".to_owned(), ..Build::default() };
    let machine = Machine { cpu: cpu.to_owned(), cores: 4, memory_bytes: 1, os: "x".to_owned() };
    let stretches = vec![RunSegment { build: build.clone(), machine: machine.clone(), ..RunSegment::default() }];
    Manifest { build, machine, segments: stretches, ended: Some(1), jobs: 1, ..Manifest::default() }
}

#[test]
fn joined_results_warn_of_differing_origins() {
    let (a, b, c) = (manifest("aa", "fast"), manifest("bb", "fast"), manifest("aa", "slow"));
    assert_eq!(join_warnings(&[("a", Some(&a)), ("a again", Some(&a))]), []);
    let [Warning::Builds(builds)] = &join_warnings(&[("a", Some(&a)), ("b", Some(&b))])[..] else { panic!() };
    assert_eq!(*builds, ["1 aa release", "1 bb release"]);
    let [Warning::Machines(machines)] = &join_warnings(&[("a", Some(&a)), ("c", Some(&c))])[..] else { panic!() };
    assert_eq!(*machines, ["fast, 4 cores, x", "slow, 4 cores, x"]);
    // A run that another build continued has both builds.
    let mut continued = a.clone();
    continued.segments.extend(b.segments.clone());
    assert!(matches!(join_warnings(&[("a", Some(&continued))])[..], [Warning::Builds(_)]));
    assert_eq!(join_warnings(&[("a", Some(&a)), ("rows", None)]), [Warning::NoManifest("rows".to_owned())]);
    assert_eq!(join_warnings(&[("rows", None)]), [], "one file alone joins nothing");

    let run = |speed: Option<u64>, cpu: &str| ShardRun {
        calibration: speed,
        machine: manifest("", cpu).machine,
        ..ShardRun::default()
    };
    let warn = |runs: Vec<ShardRun>| shard_warning(&Manifest { shards: runs, ..Manifest::default() });
    assert_eq!(warn(vec![]), None);
    assert_eq!(
        warn(vec![run(Some(100), "fast"), run(Some(120), "fast"), run(Some(110), "fast")]),
        None,
        "a fifth is usual"
    );
    let Some(Warning::Shards(apart, 1)) =
        warn(vec![run(Some(110), "fast"), run(Some(150), "fast"), run(Some(100), "fast")])
    else {
        panic!()
    };
    assert!((apart - 0.5).abs() < 1e-12);
    assert_eq!(warn(vec![run(Some(100), "fast"), run(Some(0), "fast"), run(None, "fast")]), None, "no speed is none");
    assert_eq!(warn(vec![run(Some(100), "fast"), run(Some(100), "slow")]), Some(Warning::Shards(0.0, 2)));
}

/// A difference of 0.1 % comes from rounding down to whole buckets.
#[test]
fn tables_whose_bytes_differ_by_a_thousandth_count_as_equal() {
    let compare = |bytes: u32| {
        let text =
            format!("variant,position,depth,search.nodes,slots,bytes\na,p,1,9,4096,100000\nb,p,1,9,4096,{bytes}\n");
        memory::compare_memory(&Frame::parse(text.as_bytes(), "t").unwrap()).unwrap()
    };
    for equal in [100_000, 100_100, 99_900] {
        assert_eq!(compare(equal), "tables are compared at equal bytes and equal entries", "{equal}");
    }
    for other in [100_101, 99_899] {
        assert!(
            compare(other).contains(&format!("not equal bytes: \"a\" has 100000 bytes, \"b\" {other}")),
            "{}",
            compare(other)
        );
    }
}

/// Checks the sentences about a page with figures that are all different: which variants have the
/// fewest and the most nodes, how many differ, on which position the result depends, and which
/// differences were detectable.
#[test]
fn findings_name_the_variants_and_count_the_differences() {
    use ttlab::internals::analysis::Metric;
    use ttlab::internals::analysis::questions::findings::findings;
    use ttlab::internals::stats::influence::Influence;
    use ttlab::internals::stats::ratio::Ratio;
    let compared = |name: &str, mean: f64, marked: bool| {
        let influence = Some(Influence { cluster: 1, index: 1, mean_without: mean + 0.2, reverses: false });
        let ratio =
            Ratio { mean, low: mean - 0.05, high: mean + 0.06, pairs: 24, clusters: 24, influence, ..Ratio::default() };
        let mut line = line(name, 24, 0, 0, 0);
        line.measures[0] = Measure { ratio, significant: marked, ..Measure::default() };
        line.influential_cluster = format!("{name}'s game");
        line
    };
    let mut base = line("base", 24, 0, 0, 0);
    base.is_baseline = true;
    let power = Power {
        lines: 5,
        clusters: 24,
        has_games: false,
        level: 0.01,
        detectable: 0.0512,
        needed: 1234.0,
        is_among_rivals: false,
    };
    let lines = vec![
        base,
        compared("a", 0.9, true),
        compared("b", 0.7, true),
        compared("c", 0.97, false),
        compared("d", 1.2, true),
        compared("e", 1.5, true),
        compared("f", 0.8, true),
        compared("g", 1.02, false),
    ];
    let page = |change: &dyn Fn(&mut Summary)| {
        let mut summary = Summary { metrics: vec![Metric::nodes()], power, ..summary(lines.clone()) };
        change(&mut summary);
        findings(&summary, 0.005)
    };
    assert_eq!(
        page(&|_| ()),
        [
            "Fewest nodes: \"b\", 30.0 % fewer nodes [24.0, 35.0] against the baseline (24 pairs).",
            "Of 7 others: 3 with fewer nodes than the baseline, 2 with more, 2 with no difference shown.",
            "With 24 positions and 5 comparisons, power for differences from the baseline is 80 % if a difference is about 5.1 % or more; detecting 1 % would take about 1300 positions.",
            "Most nodes: \"e\", 50.0 % more nodes [45.0, 56.0] against the baseline (24 pairs).",
        ]
    );
    // There is no sentence about power if it is undefined or any difference is detectable.
    for seen in [f64::NAN, 0.0] {
        assert_eq!(page(&|summary| summary.power.detectable = seen).len(), 3, "{seen}");
    }
    let last = |change: &dyn Fn(&mut Power)| {
        let all = page(&|summary| change(&mut summary.power));
        all.into_iter().find(|text| text.contains("power for differences")).unwrap()
    };
    let one = last(&|power| {
        (power.lines, power.has_games, power.is_among_rivals, power.detectable, power.needed) =
            (1, true, true, 0.25, 99.2)
    });
    assert_eq!(
        one,
        "With 24 independent games or positions, power for differences between rivals is 80 % if a difference is about 25 % or more; detecting 1 % would \
         take about 100 games or positions."
    );
    assert!(last(&|power| power.needed = 7.3).ends_with("about 8 positions."));
    assert!(last(&|power| power.needed = 56.0).ends_with("about 56 positions."));
    // Significance that depends on one position, or a position that reverses the sign; only the
    // first three are listed by name.
    let hinged = page(&|summary| summary.lines[3].measures[0].fragile = true);
    assert_eq!(hinged[4], "Significance depends on a single position: \"c\" (0.970; 1.170 without c's game).");
    let turned = page(&|summary| {
        summary.power.has_games = true;
        for line in &mut summary.lines[1..] {
            line.measures[0].ratio.influence =
                Some(Influence { cluster: 1, index: 1, mean_without: 1.1, reverses: true });
        }
    });
    assert!(
        turned[4]
            .starts_with("Significance depends on a single game or position: \"a\" (0.900; 1.100 without a's game), ")
    );
    assert!(
        turned[4].ends_with("\"d\" (1.200; 1.100 without d's game) and 2 more."),
        "what is not marked is not turned: {turned:?}"
    );
    let nothing = page(&|summary| summary.lines.iter_mut().for_each(|line| line.measures[0].significant = false));
    assert_eq!(
        nothing[0],
        "No difference in nodes shown between the baseline and 7 others (0.700 to 1.500 of the baseline's)."
    );
    assert_eq!(page(&|summary| summary.lines.truncate(1)), Vec::<String>::new());
}
