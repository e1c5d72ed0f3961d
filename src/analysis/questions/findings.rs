//! What the figures say, in sentences: who needs the fewest nodes, how sure that is, and what could not have been seen.

use super::line::{Line, Measure};
use super::power::Power;
use super::summary::Summary;
use crate::analysis::pairing::interval::UNDRAWN;
use crate::analysis::pairing::ratio::Ratio;
use crate::analysis::pairing::stats::at_least;
use crate::analysis::rows::metric::{Metric, Unit};
use crate::record::columns;
use crate::text::plural;

/// How a line compares with its baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// It is the baseline.
    Baseline,
    /// Clearly less: the line is marked.
    Less,
    /// Clearly more.
    More,
    /// No difference found.
    Unclear,
    /// Nothing to compare.
    Nothing,
}

/// How a line compares, in the metric at a place.
pub fn sign(line: &Line, metric: usize) -> Sign {
    let Some(measure) = line.measures.get(metric) else { return Sign::Nothing };
    let ratio = measure.ratio;
    match () {
        () if line.is_baseline => Sign::Baseline,
        () if ratio.pairs == 0 => Sign::Nothing,
        () if !measure.marked => Sign::Unclear,
        () if ratio.mean < 1.0 => Sign::Less,
        () => Sign::More,
    }
}

/// The findings, the most important first; differences below the smallest that matters are counted apart.
pub fn findings(summary: &Summary, smallest_effect: f64) -> Vec<String> {
    let Some(metric) = summary.metrics.first() else { return Vec::new() };
    let of = |expected| -> Vec<&Line> { summary.lines.iter().filter(|line| sign(line, 0) == expected).collect() };
    let (less, more, unclear) = (of(Sign::Less), of(Sign::More), of(Sign::Unclear));
    let compared = less.len() + more.len() + unclear.len();
    if compared == 0 {
        return Vec::new();
    }
    let same: Vec<&&Line> = unclear.iter().filter(|line| line.ratio().is_same()).collect();
    let matters = 1.0 + smallest_effect;
    let (small, less): (Vec<&Line>, Vec<&Line>) = less.into_iter().partition(|line| line.ratio().low > 1.0 / matters);
    let (slight, more): (Vec<&Line>, Vec<&Line>) = more.into_iter().partition(|line| line.ratio().high < matters);
    let small = small.len() + slight.len();
    let mut findings = Vec::new();
    let by_mean = |a: &&&Line, b: &&&Line| a.ratio().mean.total_cmp(&b.ratio().mean);
    let what = noun(metric);
    if let Some(least) = less.iter().min_by(by_mean) {
        let word = if metric.unit() == Unit::Count { "Fewest" } else { "Least" };
        findings.push(format!("{word} {what}: {}.", describe(least, &less)));
    }
    if compared == unclear.len() {
        findings.push(nothing(summary, what, &unclear));
    } else {
        let parts = [
            (less.len(), "less than the baseline".to_owned()),
            (more.len(), "more".to_owned()),
            (small, format!("a difference below {} %", 100.0 * smallest_effect)),
            (unclear.len() - same.len(), "no difference that could be told".to_owned()),
            (same.len(), "the same in every search".to_owned()),
        ];
        let parts: Vec<String> =
            parts.into_iter().filter(|(lines, _)| *lines > 0).map(|(lines, text)| format!("{lines} {text}")).collect();
        findings.push(format!("Of {compared} compared: {}.", parts.join(", ")));
        findings.extend(doubled(&[&less[..], &more[..]].concat()));
    }
    if let Some(most) = more.iter().max_by(by_mean) {
        findings.push(format!("Most {what}: {}.", describe(most, &more)));
    }
    findings.extend(hinges(summary));
    findings.extend(no_room(summary));
    findings.extend(power(&summary.power));
    findings.extend(summary.among.as_ref().and_then(among));
    findings
}

/// That lines which differ from the baseline do not from each other.
fn doubled(lines: &[&Line]) -> Option<String> {
    let again = |at: usize| lines[..at].iter().any(|other| other.ratio() == lines[at].ratio());
    let again = (0..lines.len()).filter(|&at| again(at)).count();
    let have = if again == 1 { "has" } else { "have" };
    (again > 0).then(|| {
        format!(
            "Of those, {again} {have} another's ratio to the last digit, and may be the same search under another name."
        )
    })
}

/// What a metric counts, in a sentence.
fn noun(metric: &Metric) -> &str {
    metric.name.rsplit('.').next().unwrap_or(&metric.name)
}

/// That no line differs, and how: not at all, or by as much as chance may, or by what so few positions cannot tell from it.
fn nothing(summary: &Summary, what: &str, unclear: &[&Line]) -> String {
    let others = plural(unclear.len(), "other");
    let means = || unclear.iter().map(|line| line.ratio().mean);
    let (low, high) = (means().fold(f64::INFINITY, f64::min), means().fold(0.0, f64::max));
    let (have, ratios) = match unclear.len() {
        1 => ("has", format!("{low:.3}")),
        _ => ("have", format!("{low:.3} to {high:.3}")),
    };
    let Power { clusters, lines, games, .. } = summary.power;
    // A single pair has no spread.
    let same = |ratio: Ratio| ratio.is_same() || ratio.pairs == 1 && ratio.mean == 1.0;
    match () {
        () if unclear.iter().all(|line| same(line.ratio())) => {
            format!("No difference in {what}: {others} and the baseline have the same in every search.")
        }
        () if clusters < at_least(lines) => {
            let units = plural(clusters, if games { columns::GAME } else { columns::POSITION });
            format!("{others} {have} {ratios} of the baseline's {what}; {units} cannot tell that from chance.")
        }
        () => {
            format!(
                "No difference in {what} could be told from chance between the baseline and {others} ({ratios} of its {what})."
            )
        }
    }
}

/// A line's ratio, and how many others of its kind have the same.
fn describe(line: &Line, kind: &[&Line]) -> String {
    let ratio = line.ratio();
    let alike = kind.iter().filter(|other| other.ratio() == ratio).count().saturating_sub(1);
    let alike = if alike > 0 { format!(" and {} with the same", plural(alike, "other")) } else { String::new() };
    format!(
        "\"{}\"{alike}, {:.3} of the baseline's (95 % {:.3} to {:.3}, {} pairs)",
        line.name, ratio.mean, ratio.low, ratio.high, ratio.pairs
    )
}

/// Lines whose sign or mark hangs on one position or game, the first few by name.
fn hinges(summary: &Summary) -> Option<String> {
    const SHOWN: usize = 3;
    let hangs = |line: &&Line| {
        let turns = line.ratio().influence.is_some_and(|influence| influence.turns);
        line.measures.first().is_some_and(|measure| measure.hangs || measure.marked && turns)
    };
    let lines: Vec<&Line> = summary.lines.iter().filter(hangs).collect();
    let describe = |line: &&Line| {
        let without = line.ratio().influence.map_or(f64::NAN, |influence| influence.without);
        format!("\"{}\" ({:.3}; {without:.3} without {})", line.name, line.ratio().mean, line.influential)
    };
    let shown: Vec<String> = lines.iter().take(SHOWN).map(describe).collect();
    let more = if lines.len() > SHOWN { format!(" and {} more", lines.len() - SHOWN) } else { String::new() };
    let unit = if summary.power.games { "game or position" } else { columns::POSITION };
    (!lines.is_empty()).then(|| format!("One {unit} decides whether a difference is told: {}{more}.", shown.join(", ")))
}

/// That intervals and p alone would mark some lines, which one cluster that was not drawn could take back.
fn no_room(summary: &Summary) -> Option<String> {
    let enough = at_least(summary.power.lines);
    let lines = summary.lines.iter().filter_map(|line| line.measures.first());
    let narrow = lines.filter(|Measure { ratio, p, marked, .. }| {
        !marked && ratio.is_clear() && *p < 0.05 && ratio.clusters >= enough && !ratio.has_room()
    });
    let unit = if summary.power.games { "game or position" } else { columns::POSITION };
    let count = narrow.count();
    let leave = if count == 1 { "leaves" } else { "leave" };
    (count > 0).then(|| {
        format!(
            "The {} of {} {leave} 1 out, but by less than one more {unit} could take back that differs by a factor of {UNDRAWN}: no mark.",
            if count == 1 { "interval" } else { "intervals" },
            plural(count, "line"),
        )
    })
}

/// What the number of positions could and could not show.
fn power(power: &Power) -> Option<String> {
    let Power { lines, clusters, games, .. } = *power;
    let units = if games { "independent games or positions" } else { "positions" };
    let between = if power.rivals { "between rivals" } else { "from the baseline" };
    let among = if lines > 1 { format!(" and {lines} comparisons") } else { String::new() };
    Some(format!("With {clusters} {units}{among}, differences {between} {}", seen(power)?))
}

/// The same of the lines that are no baseline, from the best of them.
fn among(power: &Power) -> Option<String> {
    Some(format!("Between the best of the others and the rest, differences {}", seen(power)?))
}

/// What is found; nothing where nothing could be, or no two searches differ.
fn seen(power: &Power) -> Option<String> {
    let Power { detectable: seen, needed, .. } = *power;
    (seen > 0.0).then(|| {
        format!(
            "from about {} on are found four times in five; 1 % would take about {}.",
            if seen < 0.1 { format!("{:.1} %", 100.0 * seen) } else { format!("{:.0} %", 100.0 * seen) },
            // Two figures are as much as such an estimate knows.
            rounded(needed),
        )
    })
}

/// A number rounded up to two figures.
pub fn rounded(number: f64) -> String {
    let scale = 10_f64.powi((number.max(1.0).log10().floor() as i32 - 1).max(0));
    format!("{:.0}", (number / scale).ceil() * scale)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    use crate::analysis::pairing::influence::Influence;

    /// A line of some mean; `hangs`: whether one position decides its mark; `turns`: whether the mean turns without one.
    fn line(name: &str, mean: f64, marked: bool, [hangs, turns]: [bool; 2]) -> Line {
        let influence = Some(Influence { cluster: 0, place: 0, without: 1.25, turns });
        let ratio = Ratio { mean, low: mean - 0.1, high: mean + 0.1, pairs: 8, influence, ..Ratio::default() };
        // Findings are of the first metric.
        let measures = vec![Measure { ratio, marked, hangs, ..Measure::default() }, Measure::default()];
        Line {
            name: name.to_owned(),
            is_baseline: name == "base",
            measures,
            influential: "p 7".to_owned(),
            ..Line::default()
        }
    }

    fn describe(lines: Vec<Line>) -> Vec<String> {
        let power = Power { detectable: f64::NAN, clusters: 20, lines: 8, ..Power::default() };
        findings(&Summary { lines, power, metrics: vec![Metric::nodes()], ..Summary::default() }, 0.005)
    }

    /// Of several with less and several with more the farthest on each side, wherever they stand; the others are counted.
    #[test]
    fn the_farthest_of_each_side_are_told() {
        let plain = [false; 2];
        let of = |name: &str, mean: f64, marked: bool| line(name, mean, marked, plain);
        let lines = vec![
            of("a", 0.8, true),
            of("b", 0.5, true),
            of("c", 0.1, false),
            of("base", 1.0, false),
            of("d", 1.25, true),
            of("e", 3.0, true),
            of("f", 2.0, true),
            of("g", 9.0, false),
            of("h", 0.7, true),
        ];
        let farthest = |name: &str, mean: f64| {
            format!("\"{name}\", {mean:.3} of the baseline's (95 % {:.3} to {:.3}, 8 pairs).", mean - 0.1, mean + 0.1)
        };
        assert_eq!(
            describe(lines),
            [
                format!("Fewest nodes: {}", farthest("b", 0.5)),
                "Of 8 compared: 3 less than the baseline, 3 more, 2 no difference that could be told.".to_owned(),
                format!("Most nodes: {}", farthest("e", 3.0))
            ]
        );
        // What is no count is little, not few.
        let timed = Metric {
            name: "seconds".to_owned(),
            how: crate::analysis::rows::metric::How::Sum(columns::SECONDS.to_owned()),
        };
        assert_ne!(timed.unit(), Unit::Count);
        let power = Power { detectable: f64::NAN, clusters: 20, lines: 8, ..Power::default() };
        let lines = vec![of("base", 1.0, false), of("b", 0.5, true)];
        let told_of_time = findings(&Summary { lines, power, metrics: vec![timed], ..Summary::default() }, 0.005);
        assert!(told_of_time[0].starts_with("Least "), "{told_of_time:?}");
        assert_eq!(describe(vec![of("base", 1.0, false)]), Vec::<String>::new());
        let none = "No difference in nodes could be told from chance between the baseline and 2 others (0.100 to 9.000 of its nodes).";
        assert_eq!(describe(vec![of("base", 1.0, false), of("c", 0.1, false), of("g", 9.0, false)]), [none]);
    }

    /// Who is as good as the best is told, and what is told from 1 but too small to matter is no finding.
    #[test]
    fn ties_and_trifles_are_told() {
        let plain = [false; 2];
        let mut lines = [0.5, 0.9, 0.5, 0.5].map(|mean| line(&format!("m{mean}"), mean, true, plain)).to_vec();
        lines.push(line("base", 1.0, false, plain));
        for (mean, low, high) in [(0.998, 0.996, 0.999), (1.002, 1.001, 1.004), (1.004, 1.001, 1.007)] {
            let mut small = line("small", mean, true, plain);
            (small.measures[0].ratio.low, small.measures[0].ratio.high) = (low, high);
            lines.push(small);
        }
        // One that is the same as the baseline in every search: its spread is none.
        let mut same = line("same", 1.0, false, plain);
        same.measures[0].ratio.error = 0.0;
        lines.push(same);
        let [best, counts, again, most] = <[String; 4]>::try_from(describe(lines)).unwrap();
        assert_eq!(
            best,
            "Fewest nodes: \"m0.5\" and 2 others with the same, 0.500 of the baseline's (95 % 0.400 to 0.600, 8 pairs)."
        );
        assert_eq!(
            counts,
            "Of 8 compared: 4 less than the baseline, 1 more, 2 a difference below 0.5 %, 1 the same in every search."
        );
        assert!(again.starts_with("Of those, 2 have another's ratio to the last digit"), "{again}");
        let pair = ["a", "b"].map(|name| line(name, 0.5, true, plain));
        assert!(doubled(&pair.each_ref()).unwrap().starts_with("Of those, 1 has another's ratio"));
        assert!(most.starts_with("Most nodes: \"small\", 1.004 of"), "{most}");
    }

    /// Where nothing is told: searches that are the same, ratios that may be chance, and what too few positions cannot tell from it.
    #[test]
    fn why_no_difference_is_told() {
        let of = |means: &[f64], clusters: usize, games: bool| {
            let error = if clusters > 1 { 0.0 } else { f64::NAN };
            let one = |mean: &f64| {
                let mut one = line("other", *mean, false, [false; 2]);
                (one.measures[0].ratio.pairs, one.measures[0].ratio.error) = (clusters, error);
                one
            };
            let lines = std::iter::once(line("base", 1.0, false, [false; 2])).chain(means.iter().map(one)).collect();
            let power = Power { detectable: f64::NAN, clusters, lines: means.len(), games, ..Power::default() };
            let metrics = vec![Metric::nodes()];
            findings(&Summary { lines, power, metrics, ..Summary::default() }, 0.005).concat()
        };
        let same = "No difference in nodes: 2 others and the baseline have the same in every search.";
        assert_eq!([of(&[1.0, 1.0], 9, false), of(&[1.0, 1.0], 1, false)], [same, same]);
        assert_eq!(
            of(&[141.0, 0.2, 1.0], 1, false),
            "3 others have 0.200 to 141.000 of the baseline's nodes; 1 position cannot tell that from chance."
        );
        assert_eq!(
            of(&[1.5], 5, true),
            "1 other has 1.500 of the baseline's nodes; 5 games cannot tell that from chance."
        );
        assert_eq!(
            of(&[1.5], 6, true),
            "No difference in nodes could be told from chance between the baseline and 1 other (1.500 of its nodes)."
        );
    }

    /// A mark that hangs on one position is doubted, and a side that turns where it was told; the first three by name.
    #[test]
    fn what_hangs_on_one_position_is_told() {
        let of = |marked: bool, hinge: [bool; 2]| {
            describe(vec![line("a", 2.0, marked, hinge)]).len() - (1 + usize::from(marked))
        };
        for (marked, hinge, expected) in [
            (false, [false, false], 0),
            (true, [false, false], 0),
            (false, [true, false], 1),
            (true, [true, false], 1),
            (true, [false, true], 1),
            (false, [false, true], 0),
        ] {
            assert_eq!(of(marked, hinge), expected, "{marked} {hinge:?}");
        }
        let five = ["a", "b", "c", "d", "e"].map(|name| line(name, 2.0, false, [true, false])).to_vec();
        let named = |name: &str| format!("\"{name}\" (2.000; 1.250 without p 7)");
        let all = ["a", "b", "c"].map(named).join(", ");
        assert_eq!(describe(five)[1], format!("One position decides whether a difference is told: {all} and 2 more."));
    }

    /// Upwards, so that nobody has too few.
    #[test]
    fn estimates_are_rounded_up_to_two_figures() {
        let cases = [
            (2.0, "2"),
            (2.1, "3"),
            (10.0, "10"),
            (99.5, "100"),
            (101.0, "110"),
            (1234.0, "1300"),
            (130_000.0, "130000"),
        ];
        for (number, text) in cases {
            assert_eq!(rounded(number), text);
        }
    }

    /// In per cent, with a decimal below ten; what it is said of, and among how many.
    #[test]
    fn what_can_be_shown_is_told_in_per_cent() {
        let describe = |power: Power| {
            findings(
                &Summary {
                    lines: vec![line("a", 2.0, false, [false; 2])],
                    power,
                    metrics: vec![Metric::nodes()],
                    ..Summary::default()
                },
                0.005,
            )
        };
        let of = |detectable: f64, lines: usize, games: bool, rivals: bool| {
            describe(Power { detectable, needed: 1234.0, clusters: 20, lines, games, rivals, ..Power::default() })
                .remove(1)
        };
        assert_eq!(
            of(0.0123, 1, false, false),
            "With 20 positions, differences from the baseline from about 1.2 % on are found four times in five; 1 % would take about 1300."
        );
        assert!(of(0.25, 3, true, true).starts_with(
            "With 20 independent games or positions and 3 comparisons, differences between rivals from about 25 % on"
        ));
        assert!(
            [f64::NAN, 0.0]
                .iter()
                .all(|&detectable| describe(Power { detectable, clusters: 20, ..Power::default() }).len() == 1)
        );
    }
}
