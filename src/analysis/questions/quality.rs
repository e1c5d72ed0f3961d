//! How good the chosen moves are by a reference engine's deep searches: what they lose, and how often they are the same.

use crate::analysis::pairing::ratio::Ratio;
use crate::analysis::rows::frame::Frame;
use crate::record::columns;
use crate::record::reference::{Judgement, is_no_move, loss};
use std::collections::{BTreeMap, HashMap};

/// The moves of one variant.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// The variant.
    pub variant: String,
    /// Searches that were judged.
    pub searches: usize,
    /// Mean loss in centipawns.
    pub loss: f64,
    /// Mean loss less the baseline's on the same positions, and its 95 % interval; none for the baseline.
    pub against: Option<(f64, f64, f64)>,
    /// Searches whose move is the reference's.
    pub same: usize,
    /// Searches whose move the suite calls best (or not bad), and those of which it says.
    pub solved: (usize, usize),
}

/// One search.
struct One {
    loss: f64,
    same: bool,
    solved: Option<bool>,
    cluster: String,
}

/// So many centipawns are one unit where differences pass for logarithms.
const UNIT: f64 = 1000.0;

/// The quality of each variant's moves, in the order given; none where nothing was judged.
#[must_use]
pub fn quality(frame: &Frame, judged: &[Judgement], variants: &[String], baseline: &str) -> Vec<Quality> {
    if judged.is_empty() {
        return Vec::new();
    }
    let scores: HashMap<(&str, &str), i32> =
        judged.iter().map(|row| ((row.position.as_str(), row.mv.as_str()), row.score)).collect();
    let bests: HashMap<&str, &str> =
        judged.iter().filter(|row| row.mv.is_empty()).map(|row| (row.position.as_str(), row.best.as_str())).collect();
    // The last row of a search is its answer.
    let mut searches: BTreeMap<(String, String, String), One> = BTreeMap::new();
    for row in 0..frame.rows() {
        let field = |name: &str| frame.text(name, row).into_owned();
        let (position, best) = (field(columns::POSITION), field(columns::BEST));
        if is_no_move(&best) || !field(columns::ERROR).is_empty() {
            continue;
        }
        let Some(&reference) = bests.get(position.as_str()) else { continue };
        let score = |mv: &str| scores.get(&(position.as_str(), mv)).copied();
        let (Some(top), Some(chosen)) = (score(reference), score(&best)) else { continue };
        let game = field(columns::GAME);
        let one = One {
            loss: loss(top, chosen),
            same: best == reference,
            solved: field(columns::SOLVED).parse().ok(),
            cluster: if game.is_empty() { position.clone() } else { game },
        };
        searches.insert((field(columns::VARIANT), position, field(columns::REPEAT)), one);
    }
    let of = |variant: &str| searches.iter().filter(move |((name, ..), _)| name == variant).collect::<Vec<_>>();
    let mut found = Vec::new();
    for variant in variants {
        let mine = of(variant);
        if mine.is_empty() {
            continue;
        }
        let mut clusters: BTreeMap<&str, u32> = BTreeMap::new();
        let differences: Vec<(u32, f64)> = mine
            .iter()
            .filter_map(|((_, position, repeat), one)| {
                let other = searches.get(&(baseline.to_owned(), position.clone(), repeat.clone()))?;
                let next = clusters.len() as u32;
                Some((*clusters.entry(&one.cluster).or_insert(next), (one.loss - other.loss) / UNIT))
            })
            .collect();
        let against = (variant != baseline && !differences.is_empty()).then(|| {
            // A mean of differences is a mean of logarithms to whoever looks after intervals.
            let ratio = Ratio::of(&differences);
            [ratio.mean, ratio.low, ratio.high].map(|value| UNIT * value.ln()).into()
        });
        let told = mine.iter().filter_map(|(_, one)| one.solved);
        found.push(Quality {
            variant: variant.clone(),
            searches: mine.len(),
            loss: mine.iter().map(|(_, one)| one.loss).sum::<f64>() / mine.len() as f64,
            against,
            same: mine.iter().filter(|(_, one)| one.same).count(),
            solved: (told.clone().filter(|solved| *solved).count(), told.count()),
        });
    }
    found
}
