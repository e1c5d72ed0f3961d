//! Computes the statistical power of comparisons of external engines before a run. The node counts
//! of external engines are chaotic: after a small change to the table, every search takes another
//! course, so a single search says little. After a run, the page says the power from the rows.

use crate::analysis::questions::findings::{format_percent, format_rounded_up};
use crate::experiment::Experiment;
use crate::stats::ratio::Ratio;
use crate::stats::sample::min_clusters;
use std::fmt;

/// The spread of external engines: the standard deviation of log(nodes) of one search when the
/// table is changed. The two numbers are the smallest and the largest spread that were measured,
/// with Stockfish 15.1 and Ethereal 12 on one thread to depths of 12 to 16.
const TYPICAL_SPREAD: [f64; 2] = [0.16, 0.61];

/// The effect that an experiment should detect if its file does not set an effect. 0.1 is 10 %.
const DEFAULT_EFFECT: f64 = 0.1;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExternalPower {
    clusters: usize,
    has_games: bool,
    /// The number of variants that are compared with a baseline.
    comparisons: usize,
    /// The standard deviation of the log ratio of a position or game. The first number is for the
    /// engine with the smallest spread, and the second for the engine with the largest spread.
    spread: [f64; 2],
    /// The relative difference that should be detected.
    effect: f64,
}

impl ExternalPower {
    /// Returns the power of an experiment that compares the numbers of nodes that searches need to
    /// reach a depth. Returns `None` if no external engine is compared in this way, or if there are
    /// too few positions for any significant result.
    pub fn new(experiment: &Experiment) -> Option<Self> {
        let Experiment { variants, file, work, .. } = experiment;
        let is_compared = |index: usize| {
            let variant = &variants[index];
            let has_depth_limits = |variant| experiment.limits(variant).iter().all(|limit| limit.depth.is_some());
            let base = experiment.partners.baselines[index].filter(|base| *base != index).map(|base| &variants[base]);
            base.is_some_and(|base| {
                let is_external = variant.external().is_some() || base.external().is_some();
                is_external && has_depth_limits(variant) && has_depth_limits(base)
            })
        };
        // Matches and published figures have no power. The searches of a match have no depth limit,
        // and published figures are compared one by one.
        if !(0..variants.len()).any(is_compared)
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
        let is_set = file.smallest_effect > crate::experiment::file::default_smallest_effect();
        Self {
            clusters,
            has_games: searches_per_cluster > 1.0,
            comparisons: variants.len() - 1,
            // The searches of a game are treated as independent. In fact they depend on each other,
            // so this spread of a game is a lower bound.
            spread: TYPICAL_SPREAD.map(|spread| spread / searches_per_cluster.max(1.0).sqrt()),
            effect: if is_set { file.smallest_effect } else { DEFAULT_EFFECT },
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

impl fmt::Display for ExternalPower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, effect) = (if self.has_games { "games" } else { "positions" }, format_percent(self.effect));
        let [least, most] = self.detectable_effects().map(format_percent);
        let [fewest, greatest] = self.clusters_needed().map(format_rounded_up);
        write!(
            f,
            "{} {unit} of external engines: differences of {least} (calm engines) to {most} (lively ones) would be \
             found with 80 % power; {effect} takes {fewest} to {greatest} {unit}",
            self.clusters
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_clusters(clusters: usize, comparisons: usize, spread: [f64; 2]) -> ExternalPower {
        ExternalPower { clusters, has_games: false, comparisons, spread, effect: 0.1 }
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
        let power_before_run = |head: &str, players: &str| ExternalPower::new(&parse(&format!("{head}{players}")));
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
        let power = ExternalPower::new(&Experiment::parse(&text, &path, &[]).unwrap()).unwrap();
        assert_eq!((power.clusters, power.has_games, power.comparisons), (6, true, 1));
        // There is no estimate for moves under a node limit, published figures or ttlab's own
        // engine.
        assert_eq!(power_before_run("limit = { nodes = 3 }\n", players), None);
        assert_eq!(
            power_before_run(depth, &format!("{players}[[expect]]\nwhere = {{ variant = 'ours' }}\nnodes = 1\n")),
            None
        );
        assert_eq!(power_before_run(depth, "[grid]\n'table.slots' = [1, 2]\n"), None);
    }

    #[test]
    fn message_names_what_is_found_and_what_is_needed() {
        assert_eq!(
            with_clusters(24, 1, TYPICAL_SPREAD).to_string(),
            "24 positions of external engines: differences of 15 % (calm engines) to 53 % (lively ones) would be found \
             with 80 % power; 10 % takes 42 to 350 positions"
        );
    }
}
