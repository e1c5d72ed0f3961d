//! Assigns rows that were searched with further key seeds or schedules to their variants.
//!
//! With another key seed, positions are stored in other buckets. With another schedule, searchers
//! take turns in another order. Both change node counts, so a plan may run every variant under
//! several seeds, and the means over the seeds are compared. If searches are not repeatable,
//! because they use threads of the system, each repeat is treated like another seed.

use super::column::SEED;
use super::frame::Frame;
use crate::record::{SCHEDULE_SUFFIX, base_variant, columns};
use crate::stats::sample::mean;
use crate::subject::Repeatability;
use std::collections::{BTreeMap, HashMap};

pub use super::column::{KEYS_SEED, THREADS_SEED};

/// The seeds under which the variants were searched, and the repeats that are treated like seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seeds {
    pub count: usize,
    /// Whether the seeds are schedules of several searchers. Otherwise they are key seeds.
    pub are_schedules: bool,
    /// The number of repeats of searches that are not repeatable. 1 if there are no such searches.
    pub repeats: usize,
    /// The deviation of the nodes between the repeats of a search that is not repeatable, as a
    /// share.
    pub deviation: f64,
}

impl Default for Seeds {
    fn default() -> Self {
        Self { count: 1, are_schedules: false, repeats: 1, deviation: 0.0 }
    }
}

/// Assigns rows that were searched with further key seeds or schedules to their variants, and
/// numbers the seeds in the column [`SEED`]. The repeats of searches that are not repeatable are
/// numbered in the same column. Returns `None` if there are no further seeds or schedules, and no
/// such repeats.
pub fn fold_seeds(frame: &Frame) -> Option<(Frame, Seeds)> {
    let variants = frame.text_column(columns::VARIANT);
    let names = variants.list();
    let mut further_counts = HashMap::<&str, usize>::new();
    // The variant that each name belongs to, and the number of the seed of this name. Seeds are
    // numbered for each variant, and the own seed of a variant has the number 0.
    let variants_and_seeds: Vec<(&str, usize)> = names
        .iter()
        .map(|name| match base_variant(name).filter(|variant| names.iter().any(|other| other == variant)) {
            None => (name.as_str(), 0),
            Some(variant) => {
                let count = further_counts.entry(variant).or_default();
                *count += 1;
                (variant, *count)
            }
        })
        .collect();
    let seed_count = 1 + further_counts.values().copied().max().unwrap_or(0);
    let (repeatabilities, repeat_numbers) = (frame.text_column(columns::REPEATS), frame.numbers(columns::REPEAT));
    let not_repeatable = Repeatability::NotRepeatable.to_string();
    // Returns the number of a row's repeat. All repeats of a repeatable search are the same, so
    // they have the number 0.
    let repeat_of = |row: usize| match repeatabilities.text(row) == not_repeatable {
        true => repeat_numbers[row].max(0.0) as usize,
        false => 0,
    };
    let repeats = 1 + (0..frame.rows()).map(repeat_of).max().unwrap_or(0);
    if seed_count == 1 && repeats == 1 {
        return None;
    }
    let variant_and_seed = |row: usize| variants_and_seeds[variants.codes().get(row) as usize];
    let variant_of = |row: usize| {
        let (variant, _) = variant_and_seed(row);
        variant
    };
    let mut folded_frame = frame.clone();
    folded_frame.set_texts(columns::VARIANT, |row| variant_of(row).to_owned());
    // All rows of a variant get the variant's own seed, so that the option does not vary within the
    // variant.
    for column in [KEYS_SEED, THREADS_SEED].into_iter().filter(|column| frame.has(column)) {
        let seeds = frame.text_column(column);
        let first_rows = names.iter().zip(variants.first_rows());
        let own_seeds: HashMap<&str, &str> =
            first_rows.filter_map(|(name, row)| Some((name.as_str(), seeds.text(row?)))).collect();
        folded_frame
            .set_texts(column, |row| own_seeds.get(variant_of(row)).map_or(String::new(), |seed| (*seed).to_owned()));
    }
    folded_frame.set_numbers(SEED, |row| {
        let (_, seed) = variant_and_seed(row);
        (seed + seed_count * repeat_of(row)) as f64
    });
    let are_schedules = names.iter().any(|name| base_variant(name).is_some() && name.contains(SCHEDULE_SUFFIX));
    let deviation = if repeats > 1 { repeat_deviation(frame, &not_repeatable) } else { 0.0 };
    Some((folded_frame, Seeds { count: seed_count, are_schedules, repeats, deviation }))
}

/// The deviation is calculated from the variance of the logarithms of the nodes, averaged over all
/// such searches. These searches are recognized by the text `not_repeatable` in the column
/// `repeats`.
fn repeat_deviation(frame: &Frame, not_repeatable: &str) -> f64 {
    let [variants, positions, repeatabilities, errors] =
        [columns::VARIANT, columns::POSITION, columns::REPEATS, columns::ERROR].map(|name| frame.text_column(name));
    let (repeats, nodes) = (frame.numbers(columns::REPEAT), frame.numbers(columns::NODES));
    // Maps the variant and position of a search to the nodes of each repeat.
    let mut nodes_by_repeat: BTreeMap<(u32, u32), BTreeMap<u64, f64>> = BTreeMap::new();
    let is_counted = |row: &usize| repeatabilities.text(*row) == not_repeatable && errors.text(*row).is_empty();
    for row in (0..frame.rows()).filter(is_counted) {
        let repeat_nodes = nodes_by_repeat.entry((variants.codes().get(row), positions.codes().get(row))).or_default();
        *repeat_nodes.entry(repeats[row].to_bits()).or_default() += nodes[row];
    }
    let variance = |repeat_nodes: &BTreeMap<u64, f64>| {
        let logs = || repeat_nodes.values().map(|nodes| nodes.ln());
        let mean_log = mean(logs());
        logs().map(|log| (log - mean_log).powi(2)).sum::<f64>() / (repeat_nodes.len() - 1) as f64
    };
    let mean_variance = mean(nodes_by_repeat.values().filter(|search| search.len() > 1).map(variance));
    // Converts a difference of logarithms to a share.
    mean_variance.sqrt().exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variant_name_ends_before_its_key_seed() {
        assert_eq!(base_variant("a=1, b, key seed 12"), Some("a=1, b"));
        assert_eq!(base_variant("a=1, b, schedule 12"), Some("a=1, b"));
        for name in ["a", "a, key seed x", "a, key seed ", "a, schedule "] {
            assert_eq!(base_variant(name), None, "{name}");
        }
    }

    #[test]
    fn rows_of_further_seeds_belong_to_their_variant() {
        let text = "variant,position,depth,search.nodes,keys.seed\nbase,p,1,100,1\n\"base, key seed 2\",p,1,110,2\nother,p,1,50,7\n\
                    \"other, key seed 8\",p,1,60,8\n\"lone, key seed 9\",p,1,60,9\n";
        let (folded, seeds) = fold_seeds(&Frame::parse(text.as_bytes(), "t").unwrap()).unwrap();
        assert_eq!(seeds, Seeds { count: 2, ..Seeds::default() });
        let column = |name: &str| (0..5).map(|row| folded.text(name, row).into_owned()).collect::<Vec<_>>();
        assert_eq!(column("variant"), ["base", "base", "other", "other", "lone, key seed 9"]);
        assert_eq!(column("keys.seed"), ["1", "1", "7", "7", "9"]);
        assert_eq!(folded.numbers(SEED), [0.0, 1.0, 0.0, 1.0, 0.0]);
        let text = "variant,position,depth,search.nodes,threads.seed\none,p,1,90,1\ntwo,p,1,100,1\n\"two, schedule 2\",p,1,110,2\n";
        let (folded, seeds) = fold_seeds(&Frame::parse(text.as_bytes(), "t").unwrap()).unwrap();
        assert_eq!(seeds, Seeds { count: 2, are_schedules: true, ..Seeds::default() });
        let column = |name: &str| (0..3).map(|row| folded.text(name, row).into_owned()).collect::<Vec<_>>();
        assert_eq!(
            (column("variant"), column("threads.seed")),
            (vec!["one".into(), "two".into(), "two".into()], vec!["1".to_owned(); 3])
        );
    }

    /// Each repeat of a search that is not repeatable counts like another seed; the repeats of a
    /// repeatable search are the same.
    #[test]
    fn repeats_of_unrepeatable_searches_are_folded_like_seeds() {
        let text = "variant,position,repeat,depth,search.nodes,reported.repeats\na,p,0,1,50,exact\na,p,1,1,50,exact\n\
                    b,p,0,1,60,not repeatable\nb,p,0,2,40,not repeatable\nb,p,1,1,200,not repeatable\n\
                    b,q,0,1,7,not repeatable\nb,q,1,1,7,not repeatable\n";
        let (folded, seeds) = fold_seeds(&Frame::parse(text.as_bytes(), "t").unwrap()).unwrap();
        assert_eq!(folded.numbers(SEED), [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]);
        // ln 100 and ln 200 have the variance (ln 2)^2 / 2, those of the other search have none.
        let deviation = (2.0_f64.ln() / 2.0).exp() - 1.0;
        assert!((seeds.deviation - deviation).abs() < 1e-12, "{seeds:?}");
        assert_eq!(seeds, Seeds { repeats: 2, deviation: seeds.deviation, ..Seeds::default() });
        let repeatable = text.replace("not repeatable", "within 3 %");
        assert!(fold_seeds(&Frame::parse(repeatable.as_bytes(), "t").unwrap()).is_none());
    }
}
