//! Computes the statistical power of comparisons of external engines. The node counts of external
//! engines are chaotic: after a small change to the table, every search takes another course, so a
//! single search says little. The number of searches that are needed is known before the run.

use crate::analysis::questions::findings::{format_percent, format_rounded_up};
use crate::analysis::questions::line::Line;
use crate::analysis::questions::summary::{Question, Summary};
use crate::analysis::rows::frame::Frame;
use crate::experiment::{Experiment, Variant};
use crate::record::manifest::Manifest;
use crate::stats::ratio::Ratio;
use crate::stats::sample::min_clusters;
use std::fmt;

/// The spread of external engines: the standard deviation of log(nodes) of one search when the
/// table is changed. The two numbers are the smallest and the largest spread that were measured,
/// with Stockfish 15.1 and Ethereal 12 on one thread to depths of 12 to 16.
pub const TYPICAL_SPREAD: [f64; 2] = [0.16, 0.61];

/// The effect that an experiment should detect if its file does not set an effect. 0.1 is 10 %.
const DEFAULT_EFFECT: f64 = 0.1;

/// The smallest number of positions or games from which the spread is measured.
const MIN_CLUSTERS: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExternalPower {
    clusters: usize,
    has_games: bool,
    /// The number of variants that are compared with a baseline.
    comparisons: usize,
    /// The standard deviation of the log ratio of a position or game. The first number is for the
    /// engine with the smallest spread, and the second for the engine with the largest spread.
    spread: [f64; 2],
    measured: bool,
    /// The relative difference that should be detected.
    effect: f64,
}

impl ExternalPower {
    /// Returns the power of an experiment before the experiment runs. The experiment must compare
    /// the numbers of nodes that searches need to reach a depth. The spread is measured in `rows`
    /// if there are enough rows.
    ///
    /// Returns `None` if no external engine is compared in this way, or if there are too few
    /// positions for any significant result.
    pub fn before_run(experiment: &Experiment, rows: Option<&Frame>) -> Option<Self> {
        let Experiment { variants, file, work, .. } = experiment;
        let is_compared = |index: &usize| {
            let variant = &variants[*index];
            let has_depth_limits = |variant| experiment.limits(variant).iter().all(|limit| limit.depth.is_some());
            let base = experiment.partners.baselines[*index].filter(|base| base != index).map(|base| &variants[base]);
            let is_external = |base: &Variant| variant.external().is_some() || base.external().is_some();
            base.is_some_and(|base| has_depth_limits(variant) && has_depth_limits(base) && is_external(base))
        };
        let compared_names: Vec<&str> =
            (0..variants.len()).filter(is_compared).map(|index| variants[index].name.as_str()).collect();
        // Matches and published figures have no power. The searches of a match have no depth limit,
        // and published figures are compared one by one.
        if compared_names.is_empty()
            || work.games().is_some()
            || file.expect.iter().any(|expect| !expect.figures.is_empty())
        {
            return None;
        }
        // Suites are judged separately. The smallest suite is used, because it has the least power.
        let suites = experiment.suites().into_iter().map(|items| {
            let item_search_counts = items.iter().map(|item| experiment.searches_per_variant(item));
            item_search_counts.filter(|&searches| searches > 0).collect::<Vec<usize>>()
        });
        let search_counts = suites.min_by_key(Vec::len).unwrap_or_default();
        let clusters = search_counts.len();
        let searches_per_cluster = search_counts.iter().sum::<usize>() as f64 / clusters.max(1) as f64;
        let measured_spread = rows.and_then(|rows| {
            let question = Question::by_variant(&[], Some(&variants[experiment.baseline].name));
            let summary = Summary::new(rows, &question).ok()?;
            spread_range(summary.lines.iter().filter(|line| compared_names.contains(&line.name.as_str())))
        });
        Self {
            clusters,
            has_games: searches_per_cluster > 1.0,
            comparisons: variants.len() - 1,
            // Without rows, the searches of a game are treated as independent. In fact they depend
            // on each other, so this spread of a game is a lower bound.
            spread: measured_spread
                .unwrap_or(TYPICAL_SPREAD.map(|spread| spread / searches_per_cluster.max(1.0).sqrt())),
            measured: measured_spread.is_some(),
            effect: relevant_effect(file.smallest_effect),
        }
        .if_testable()
    }

    pub fn after_run(manifest: &Manifest, summary: &Summary, smallest_effect: f64) -> Option<Self> {
        let is_external = |name: &str| manifest.subjects.contains_key(name);
        let is_base_external = is_external(&manifest.baseline);
        let external_lines =
            || summary.lines.iter().filter(|line| !line.is_baseline && (is_base_external || is_external(&line.name)));
        // If most searches were stopped by a node limit, moves are compared, not nodes.
        let is_truncated = |line: &Line| line.measures.first().is_some_and(|first| 2 * first.truncated > line.searches);
        if external_lines().any(is_truncated) {
            return None;
        }
        Self {
            clusters: summary.power.clusters,
            has_games: summary.power.has_games,
            comparisons: summary.power.lines,
            spread: spread_range(external_lines())?,
            measured: true,
            effect: relevant_effect(smallest_effect),
        }
        .if_testable()
    }

    fn if_testable(self) -> Option<Self> {
        (self.comparisons > 0 && self.clusters >= min_clusters(self.comparisons)).then_some(self)
    }

    fn ratio(&self, spread: f64) -> Ratio {
        Ratio { clusters: self.clusters, error: spread / (self.clusters as f64).sqrt(), ..Ratio::default() }
    }

    fn level(&self) -> f64 {
        0.05 / self.comparisons as f64
    }

    pub fn detectable_effects(&self) -> [f64; 2] {
        self.spread.map(|spread| self.ratio(spread).detectable_effect(self.level()))
    }

    pub fn clusters_needed(&self) -> [f64; 2] {
        self.spread.map(|spread| self.ratio(spread).clusters_needed(self.effect, self.level()).unwrap_or(f64::NAN))
    }

    /// Whether the effect is not detectable even for the engine with the smallest spread.
    pub fn is_insufficient(&self) -> bool {
        let [smallest_detectable, _] = self.detectable_effects();
        smallest_detectable > self.effect
    }
}

/// The effect that should be detected. This is the smallest effect that the file sets if it is
/// larger than the default smallest effect, and otherwise [`DEFAULT_EFFECT`].
fn relevant_effect(smallest_effect: f64) -> f64 {
    if smallest_effect > crate::experiment::file::default_smallest_effect() { smallest_effect } else { DEFAULT_EFFECT }
}

fn spread_range<'a>(lines: impl Iterator<Item = &'a Line>) -> Option<[f64; 2]> {
    let ratios = lines.map(Line::ratio).filter(|ratio| ratio.clusters >= MIN_CLUSTERS && ratio.error > 0.0);
    // The standard deviation of one cluster follows from the standard error of the mean.
    let spreads: Vec<f64> = ratios.map(|ratio| ratio.error * (ratio.clusters as f64).sqrt()).collect();
    let smallest = spreads.iter().copied().reduce(f64::min)?;
    Some([smallest, spreads.into_iter().fold(smallest, f64::max)])
}

impl fmt::Display for ExternalPower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { clusters, has_games, comparisons, effect, .. } = *self;
        let unit = if has_games { "games" } else { "positions" };
        let comparison_text = if comparisons > 1 { format!(" among {comparisons} comparisons") } else { String::new() };
        let (shortfall, requirement) = if self.is_insufficient() {
            (format!(" cannot show a difference of {}", format_percent(effect)), "showing it takes at least".to_owned())
        } else {
            (String::new(), format!("{} takes", format_percent(effect)))
        };
        let quantity = if has_games { "a game's mean log(nodes)" } else { "log(nodes) of one search" };
        let format_range =
            |[low, high]: [String; 2]| if low == high { low } else { format!("{low} (at best) to {high} (at worst)") };
        let [smallest, largest] = self.spread.map(|spread| format!("{spread:.2}"));
        let spread = if smallest == largest { smallest } else { format!("{smallest} to {largest}") };
        let origin = if self.measured { "measured here" } else { "typical of external engines" };
        write!(
            f,
            "{clusters} {unit}{shortfall}{comparison_text}: if {quantity} has a standard deviation of {spread} ({origin}), power is 80 % for differences of {} or more; {requirement} {} {unit}",
            format_range(self.detectable_effects().map(format_percent)),
            format_range(self.clusters_needed().map(format_rounded_up)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_clusters(clusters: usize, comparisons: usize, spread: [f64; 2]) -> ExternalPower {
        ExternalPower { clusters, has_games: false, comparisons, spread, measured: false, effect: 0.1 }
    }

    /// A printed table of Student's t has 2.069 at 97.5 % and 0.858 at 80 % for 23 degrees of
    /// freedom. Intervals of 24 clusters are wider by 48 / 24^2, a twelfth: 2.241.
    #[test]
    fn detectable_effect_is_two_quantiles_of_the_standard_error() {
        let [calm, lively] = with_clusters(24, 1, TYPICAL_SPREAD).detectable_effects();
        // The margin of 0.9163 / 24 for an unseen cluster is added.
        let expected = |spread: f64| (3.099 * spread / 24.0_f64.sqrt() + 0.038_18).exp_m1();
        assert!((calm - expected(0.16)).abs() < 2e-4, "{calm} {lively}");
        assert!((lively - expected(0.61)).abs() < 2e-4, "{calm} {lively}");
        assert!(with_clusters(41, 1, TYPICAL_SPREAD).is_insufficient());
        assert!(!with_clusters(42, 1, TYPICAL_SPREAD).is_insufficient());
        // With more comparisons, only larger effects are detectable. Without comparisons, or with
        // too few positions, there is another warning instead.
        let effect = with_clusters(24, 100, TYPICAL_SPREAD).detectable_effects()[0];
        assert!(effect > 1.1 * calm, "{effect}");
        assert_eq!(
            [
                with_clusters(24, 0, TYPICAL_SPREAD),
                with_clusters(5, 1, TYPICAL_SPREAD),
                with_clusters(6, 2, TYPICAL_SPREAD)
            ]
            .map(ExternalPower::if_testable),
            [None; 3]
        );
        assert!(
            [with_clusters(6, 1, TYPICAL_SPREAD), with_clusters(7, 2, TYPICAL_SPREAD)]
                .iter()
                .all(|power| power.if_testable().is_some())
        );
        // (1.96 + 0.84)^2 x 0.61^2 / (ln(1.1) - 0.9163 / 343)^2 is 341, and a little more because
        // the spread is estimated.
        let [_, needed] = with_clusters(24, 1, TYPICAL_SPREAD).clusters_needed();
        assert!((341.0..346.0).contains(&needed), "{needed}");
    }

    /// The spread is measured only on external engines, or on all lines if the baseline is
    /// external. The smallest spread comes first.
    #[test]
    fn spread_is_that_of_external_engines() {
        use crate::analysis::questions::line::Measure;
        use crate::analysis::questions::power::Power;
        let make_line = |name: &str, error: f64| {
            let ratio = Ratio { clusters: 16, error, ..Ratio::default() };
            // Metrics after the first do not count.
            let measures = vec![Measure { ratio, ..Measure::default() }, Measure::default()];
            Line { name: name.to_owned(), is_baseline: name == "base", searches: 16, measures, ..Line::default() }
        };
        let lines =
            vec![make_line("base", 0.0), make_line("ours", 0.05), make_line("lively", 0.2), make_line("calm", 0.1)];
        let power = Power { lines: 3, clusters: 16, ..Power::default() };
        let summary = Summary { lines, power, ..Summary::default() };
        let power_after_run = |engines: &[&str]| {
            let subjects = engines.iter().map(|name| ((*name).to_owned(), Default::default())).collect();
            let manifest = Manifest { baseline: "base".to_owned(), subjects, ..Manifest::default() };
            ExternalPower::after_run(&manifest, &summary, 0.0)
        };
        assert_eq!(power_after_run(&[]), None);
        for (engines, spread) in [
            (&["lively", "calm"][..], [0.4, 0.8]),
            (&["calm", "lively"], [0.4, 0.8]),
            (&["calm"], [0.4, 0.4]),
            (&["base"], [0.2, 0.8]),
        ] {
            let power = power_after_run(engines).unwrap_or_else(|| panic!("{engines:?}"));
            let distances = [0, 1].map(|end| (power.spread[end] - spread[end]).abs());
            assert!(distances.iter().all(|distance| *distance < 1e-12), "{engines:?}: {:?}", power.spread);
            assert!(power.measured, "{engines:?}: {:?}", power.spread);
        }
        // At most half of the searches may have been stopped by a limit.
        for (truncated, expected) in [(8, true), (9, false)] {
            let mut summary = summary.clone();
            summary.lines[3].measures[0].truncated = truncated;
            for engines in [&["calm"][..], &["calm", "lively"]] {
                let subjects = engines.iter().map(|name| ((*name).to_owned(), Default::default())).collect();
                let manifest = Manifest { baseline: "base".to_owned(), subjects, ..Manifest::default() };
                assert_eq!(
                    ExternalPower::after_run(&manifest, &summary, 0.0).is_some(),
                    expected,
                    "{truncated} {engines:?}"
                );
            }
        }
    }

    /// The numbers of compared variants and of positions or games equal a calculation by hand. A
    /// game is one cluster; its spread is divided by the square root of its number of searches.
    #[test]
    fn compared_variants_are_known_before_the_run() {
        let parse = |text: &str| {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("x.toml");
            let text = format!("suite = 'data/bratko-kopec.epd'\nfirst = 10\n{text}");
            Experiment::parse(&text, &path, &[]).unwrap_or_else(|problem| panic!("{problem}"))
        };
        let depth = "limit = { depth = 3 }\n";
        let players = "[[variant]]\nname = 'ours'\n[[variant]]\nname = 'a'\n'subject.uci' = 'a'\n[[variant]]\nname = 'b'\n'subject.uci' = 'b'\n";
        let power_before_run =
            |head: &str, players: &str| ExternalPower::before_run(&parse(&format!("{head}{players}")), None);
        let expected = ExternalPower { comparisons: 2, ..with_clusters(10, 2, TYPICAL_SPREAD) };
        assert_eq!(power_before_run(depth, players), Some(expected));
        assert_eq!(
            power_before_run(&format!("{depth}smallest_effect = 0.15\n"), players),
            Some(ExternalPower { effect: 0.15, ..expected })
        );
        // A smallest effect that does not exceed the default for claims is ignored.
        assert_eq!(power_before_run(&format!("{depth}smallest_effect = 0.005\n"), players), Some(expected));
        let games = power_before_run(&format!("{depth}sequence = {{ self_play = 4 }}\n"), players).unwrap();
        assert_eq!(games, ExternalPower { has_games: true, spread: [0.08, 0.305], ..expected });
        // Six of the thirteen games have more than 81 plies; only these count as clusters.
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("x.toml");
        let one_engine = "[[variant]]\nname = 'ours'\n[[variant]]\nname = 'a'\n'subject.uci' = 'a'\n";
        let text = format!("suite = 'data/games.pgn'\nsequence = {{ from = 81 }}\n{depth}{one_engine}");
        let power = ExternalPower::before_run(&Experiment::parse(&text, &path, &[]).unwrap(), None).unwrap();
        assert_eq!((power.clusters, power.has_games, power.comparisons), (6, true, 1));
        // There is no estimate for moves under a node limit, published figures or ttlab's own
        // engine.
        assert_eq!(power_before_run("limit = { nodes = 3 }\n", players), None);
        assert_eq!(
            power_before_run(depth, &format!("{players}[[expect]]\nwhere = {{ variant = 'ours' }}\nnodes = 1\n")),
            None
        );
        assert_eq!(power_before_run(depth, "[grid]\n'table.slots' = [1, 2]\n"), None);
        // The ten rows alternate between twice and half the nodes, so each deviates by ln 2 from a
        // mean of 0; there are nine degrees of freedom. The spread of ttlab's own engine is not
        // used.
        let players = format!("{players}[[variant]]\nname = 'own'\n'table.slots' = 2\n");
        let rows: Vec<String> = (0..10)
            .flat_map(|index| {
                let [a_nodes, own_nodes] = if index % 2 == 0 { [200, 900] } else { [50, 10] };
                [("ours", 100), ("a", a_nodes), ("b", 100), ("own", own_nodes)]
                    .map(|(variant, nodes)| format!("{variant},p{index},3,{nodes}"))
            })
            .collect();
        let rows = format!("variant,position,depth,search.nodes\n{}\n", rows.join("\n"));
        let rows = Frame::parse(rows.as_bytes(), "rows").unwrap();
        let power = ExternalPower::before_run(&parse(&format!("{depth}{players}")), Some(&rows)).unwrap();
        let spread = 2.0_f64.ln() * (10.0_f64 / 9.0).sqrt();
        assert!(power.measured, "{power:?}");
        assert!(power.spread.iter().all(|measured| (measured - spread).abs() < 1e-9), "{power:?}");
    }

    #[test]
    fn message_says_whether_the_positions_suffice() {
        let message = with_clusters(24, 3, TYPICAL_SPREAD).to_string();
        assert!(message.starts_with(
            "24 positions cannot show a difference of 10 % among 3 comparisons: if log(nodes) of one search"
        ));
        assert!(message.contains("showing it takes at least "), "{message}");
        assert!(message.contains("0.16 to 0.61 (typical of external engines)"), "{message}");
        let message =
            ExternalPower { has_games: true, measured: true, ..with_clusters(400, 1, [0.1, 0.1]) }.to_string();
        assert!(
            message.starts_with("400 games: if a game's mean log(nodes) has a standard deviation of 0.10 (measured"),
            "{message}"
        );
        assert!(message.contains("differences of 1.6 % or more"), "{message}");
        assert!(message.contains("; 10 % takes "), "{message}");
    }
}
