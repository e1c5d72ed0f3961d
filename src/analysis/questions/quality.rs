//! Measures the quality of the chosen moves, which is judged by deep searches of a reference
//! engine. The quality is the loss in centipawns, and how often the chosen move is the reference's
//! move.

use crate::analysis::rows::column::SEED;
use crate::analysis::rows::frame::Frame;
use crate::record::columns;
use crate::record::reference::{Judgement, is_no_move, loss};
use crate::stats::clusters::Clusters;
use crate::stats::interval::intervals;
use crate::stats::sample::mean;
use std::collections::{BTreeMap, HashMap, HashSet};

#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    pub variant: String,
    pub searches: usize,
    /// The mean loss in centipawns.
    pub loss: f64,
    /// The difference between the variant's mean loss and the baseline's mean loss on the same
    /// positions, and the two ends of the 95 % interval of this difference. Losses under several
    /// key seeds are averaged for each position. `None` for the baseline.
    pub against: Option<(f64, f64, f64)>,
    /// The number of searches that chose the reference's move.
    pub same: usize,
    /// The number of searches whose move solves the suite's position, and the number of all
    /// searches for which the suite names moves.
    pub solved: (usize, usize),
}

struct JudgedSearch {
    /// The loss in centipawns.
    loss: f64,
    /// Whether the search chose the reference's move.
    is_same: bool,
    /// Whether the chosen move solves the suite's position. `None` if the suite names no moves.
    is_solved: Option<bool>,
    /// The name of the game, or of the position if the search does not belong to a game.
    cluster: String,
}

/// The searches of a variant, by position, repeat and key seed. The key seed is a number whose bits
/// are used as the key.
type SearchesByKey = BTreeMap<(String, String, u64), JudgedSearch>;

/// Maps each position and repeat of a variant to the cluster and the mean loss. The cluster is the
/// game, or the position if the search does not belong to a game.
type Losses<'a> = BTreeMap<(&'a str, &'a str), (&'a str, f64)>;

/// Variants without judged searches are left out.
pub fn move_quality(frame: &Frame, judgements: &[Judgement], variants: &[String], baseline: &str) -> Vec<Quality> {
    if judgements.is_empty() {
        return Vec::new();
    }
    let scores: HashMap<(&str, &str), i32> = judgements
        .iter()
        .map(|judgement| ((judgement.position.as_str(), judgement.mv.as_str()), judgement.score))
        .collect();
    // A judgement without a move is the judgement of the position itself. It contains the
    // reference's best move.
    let reference_moves: HashMap<&str, &str> = judgements
        .iter()
        .filter(|judgement| judgement.mv.is_empty())
        .map(|judgement| (judgement.position.as_str(), judgement.best.as_str()))
        .collect();
    let seeds = frame.numbers(SEED);
    // The chosen move of a search is in its last row, which replaces the earlier rows.
    let mut searches: HashMap<String, SearchesByKey> = HashMap::new();
    for (row, seed) in seeds.into_iter().enumerate() {
        let field_text = |name: &str| frame.text(name, row).into_owned();
        let (position, best) = (field_text(columns::POSITION), field_text(columns::BEST));
        if is_no_move(&best) || !field_text(columns::ERROR).is_empty() {
            continue;
        }
        let Some(&reference_move) = reference_moves.get(position.as_str()) else { continue };
        let find_score = |mv: &str| scores.get(&(position.as_str(), mv)).copied();
        let (Some(best_score), Some(chosen_score)) = (find_score(reference_move), find_score(&best)) else { continue };
        let game = field_text(columns::GAME);
        let search = JudgedSearch {
            loss: loss(best_score, chosen_score),
            is_same: best == reference_move,
            is_solved: field_text(columns::SOLVED).parse().ok(),
            cluster: if game.is_empty() { position.clone() } else { game },
        };
        let search_key = (position, field_text(columns::REPEAT), seed.to_bits());
        searches.entry(field_text(columns::VARIANT)).or_default().insert(search_key, search);
    }
    let base_losses = searches.get(baseline).map(mean_losses).unwrap_or_default();
    let judge_variant = |variant: &String| {
        let variant_searches = searches.get(variant)?;
        let mut cluster_ids: BTreeMap<&str, u32> = BTreeMap::new();
        let differences: Vec<(u32, f64)> = mean_losses(variant_searches)
            .into_iter()
            .filter_map(|(search_key, (cluster, loss))| {
                let (_, base_loss) = base_losses.get(&search_key)?;
                let next_id = cluster_ids.len() as u32;
                Some((*cluster_ids.entry(cluster).or_insert(next_id), loss - base_loss))
            })
            .collect();
        let against = (variant != baseline && !differences.is_empty()).then(|| {
            let clusters_of_differences = Clusters::new(&differences);
            let (low, high) = intervals(std::slice::from_ref(&clusters_of_differences))[0];
            (clusters_of_differences.mean(), low, high)
        });
        let solved_flags = variant_searches.values().filter_map(|search| search.is_solved);
        Some(Quality {
            variant: variant.clone(),
            searches: variant_searches.len(),
            loss: variant_searches.values().map(|search| search.loss).sum::<f64>() / variant_searches.len() as f64,
            against,
            same: variant_searches.values().filter(|search| search.is_same).count(),
            solved: (solved_flags.clone().filter(|is_solved| *is_solved).count(), solved_flags.count()),
        })
    };
    variants.iter().filter_map(judge_variant).collect()
}

/// Averages the losses of a variant over its key seeds, for each position and repeat.
fn mean_losses(searches: &SearchesByKey) -> Losses<'_> {
    let mut losses_by_search: BTreeMap<_, (&str, Vec<f64>)> = BTreeMap::new();
    for ((position, repeat, _), search) in searches {
        let (_, losses) = losses_by_search
            .entry((position.as_str(), repeat.as_str()))
            .or_insert((search.cluster.as_str(), Vec::new()));
        losses.push(search.loss);
    }
    losses_by_search
        .into_iter()
        .map(|(search_key, (cluster, losses))| (search_key, (cluster, mean(losses.into_iter()))))
        .collect()
}

/// A search is judged if its position is judged. If `needs_moves` is true, the chosen move must be
/// judged too.
pub fn count_unjudged(frame: &Frame, judgements: &[Judgement], needs_moves: bool) -> (usize, usize) {
    let judged_moves: HashSet<(&str, &str)> =
        judgements.iter().map(|judgement| (judgement.position.as_str(), judgement.mv.as_str())).collect();
    let [variants, positions, repeats] =
        [columns::VARIANT, columns::POSITION, columns::REPEAT].map(|name| frame.text_column(name));
    let (moves, errors, seeds) =
        (frame.text_column(columns::BEST), frame.text_column(columns::ERROR), frame.numbers(SEED));
    // The last row of a search contains the chosen move, so each row replaces the earlier rows.
    let mut searches = HashMap::new();
    for row in (0..frame.rows()).filter(|&row| !is_no_move(moves.text(row)) && errors.text(row).is_empty()) {
        let position = positions.text(row);
        // A judgement without a move is the judgement of the position itself.
        let is_position_judged = judged_moves.contains(&(position, ""));
        let is_judged = is_position_judged && (!needs_moves || judged_moves.contains(&(position, moves.text(row))));
        let search_key = [&variants, &positions, &repeats].map(|column| column.codes().get(row));
        searches.insert((search_key, seeds[row].to_bits()), is_judged);
    }
    (searches.values().filter(|is_judged| !**is_judged).count(), searches.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In two games, with two positions and one position, "b" loses 10, 20 and 60 more than "a".
    /// The mean is 30, with the interval of two clusters. The games' residuals are 30, so the error
    /// is sqrt(2 x 1800) / 3 = 20; Student's t with one degree of freedom is 12.706.
    #[test]
    fn losses_equal_a_calculation_by_hand() {
        let heading = "variant,position,game,repeat,depth,best,solved,error,search.nodes\n";
        let rows = "a,g1 ply 2,g1,0,1,e2e4,,,1\na,g1 ply 2,g1,0,2,d2d4,true,,1\na,g1 ply 4,g1,0,1,d2d4,false,,1\na,g2 ply 2,g2,0,1,d2d4,,,1\n\
            b,g1 ply 2,g1,0,1,a2a3,,,1\nb,g1 ply 4,g1,0,1,b2b3,,,1\nb,g2 ply 2,g2,0,1,c2c3,true,,1\nb,g2 ply 2,g2,0,2,d2d4,true,why,1\n\
            b,g2 ply 4,g2,0,1,0000,,,1\nc,nowhere,,0,1,a2a3,,,1\n";
        let frame = Frame::parse(format!("{heading}{rows}").as_bytes(), "t").unwrap();
        let make_judgement = |position: &str, mv: &str, best: &str, score: i32| Judgement {
            reference: "r-1".to_owned(),
            position: position.to_owned(),
            mv: mv.to_owned(),
            best: best.to_owned(),
            score,
            nodes: None,
        };
        let mut judgements = Vec::new();
        for (position, mv, lost) in [("g1 ply 2", "a2a3", 10), ("g1 ply 4", "b2b3", 20), ("g2 ply 2", "c2c3", 60)] {
            judgements.extend([
                make_judgement(position, "", "d2d4", 99),
                make_judgement(position, "d2d4", "", 50),
                make_judgement(position, mv, "", 50 - lost),
            ]);
        }
        let names = ["b", "a", "c"].map(str::to_owned);
        let qualities = move_quality(&frame, &judgements, &names, "a");
        let a = Quality { variant: "a".to_owned(), searches: 3, loss: 0.0, against: None, same: 3, solved: (1, 2) };
        let (b, against) = (&qualities[0], qualities[0].against.unwrap());
        assert_eq!((&qualities[1], qualities.len()), (&a, 2));
        assert_eq!((b.variant.as_str(), b.searches, b.loss, b.same, b.solved), ("b", 3, 30.0, 0, (1, 1)));
        let (mean, low, high) = against;
        for (value, expected) in [(mean, 30.0), (low, 30.0 - 254.124), (high, 30.0 + 254.124)] {
            assert!((value - expected).abs() < 0.01, "{value}, expected {expected}");
        }
        assert_eq!(move_quality(&frame, &[], &names, "a"), []);
        // The position of "c" is not judged. Without the judgement of a position, both searches of
        // it are unjudged; without the judgement of a move, only the search that chose it.
        let count_without = |removed: usize| {
            count_unjudged(&frame, &[&judgements[..removed], &judgements[removed + 1..]].concat(), true)
        };
        assert_eq!((count_unjudged(&frame, &judgements, true), count_unjudged(&frame, &[], true)), ((1, 7), (7, 7)));
        // If only scores are judged, the position's judgement is enough.
        assert_eq!(count_unjudged(&frame, &judgements[..1], false), (5, 7));
        assert_eq!([count_without(0), count_without(1), count_without(2)], [(3, 7), (2, 7), (2, 7)]);
        // With another key seed, "a" loses 10 at the first position, a mean of 2.5 over four
        // searches. Its mean loss there is 5, so "b" loses 5, 20 and 60 more, a mean of 28.33.
        let rows = rows.lines().map(|row| format!("{row},0\n")).collect::<String>();
        let rows = format!("{},seed\n{rows}a,g1 ply 2,g1,0,1,a2a3,,,1,1\n", heading.trim_end());
        let qualities = move_quality(&Frame::parse(rows.as_bytes(), "t").unwrap(), &judgements, &names, "a");
        assert_eq!(qualities[1], Quality { searches: 4, loss: 2.5, ..a });
        assert_eq!((qualities[0].searches, qualities[0].loss), (3, 30.0));
        assert!((qualities[0].against.unwrap().0 - 85.0 / 3.0).abs() < 0.01, "{:?}", qualities[0].against);
    }
}
