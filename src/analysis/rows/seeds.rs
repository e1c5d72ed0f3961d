//! Key seeds and schedules: a variant under another seed is the same variant.
//!
//! Another seed puts positions into other buckets, or gives searchers other turns, and changes
//! nothing that an experiment is about, yet node counts change. So a plan may run every variant
//! under several seeds, and their mean is compared. So too where searches do not repeat (threads of
//! the system): each repeat is another draw.

use super::column::SEED;
use super::frame::Frame;
use crate::record::{SCHEDULE_SUFFIX, base_variant, columns};
use crate::stats::sample::mean;
use crate::subject::Repeatability;
use std::collections::{BTreeMap, HashMap};

pub use super::column::{KEYS_SEED, THREADS_SEED};

/// Under how many seeds variants were searched, and of what.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seeds {
    pub count: usize,
    /// Whether they are schedules of several searchers, not key seeds.
    pub schedules: bool,
    /// Repeats of the searches that do not repeat, 1 without any; and how far the nodes of one
    /// search deviate over them, as a share.
    pub repeats: usize,
    pub deviation: f64,
}

impl Default for Seeds {
    fn default() -> Self {
        Self { count: 1, schedules: false, repeats: 1, deviation: 0.0 }
    }
}

/// The frame with further key seeds, schedules and repeats of what does not repeat as rows of their
/// variants, numbered in [`SEED`]; none if there is one of each only.
pub fn fold_seeds(frame: &Frame) -> Option<(Frame, Seeds)> {
    let variants = frame.text_column(columns::VARIANT);
    let names = variants.list();
    let mut counts = HashMap::<&str, usize>::new();
    // Each name's variant, and its seed's number in order of appearance.
    let folded: Vec<(&str, usize)> = names
        .iter()
        .map(|name| match base_variant(name).filter(|variant| names.iter().any(|known| known == variant)) {
            None => (name.as_str(), 0),
            Some(variant) => {
                let count = counts.entry(variant).or_default();
                *count += 1;
                (variant, *count)
            }
        })
        .collect();
    let count = 1 + counts.values().copied().max().unwrap_or(0);
    let (words, numbers) = (frame.text_column(columns::REPEATS), frame.numbers(columns::REPEAT));
    let drawn = Repeatability::NotRepeatable.to_string();
    // The number of a search among those that do not repeat.
    let repeat = |row: usize| if words.text(row) == drawn { numbers[row].max(0.0) as usize } else { 0 };
    let repeats = 1 + (0..frame.rows()).map(repeat).max().unwrap_or(0);
    if count == 1 && repeats == 1 {
        return None;
    }
    let place = |row: usize| folded[variants.codes()[row] as usize];
    let mut folded_frame = frame.clone();
    folded_frame.set_words(columns::VARIANT, |row| place(row).0.to_owned());
    // The seed is not an option that separates rows of a variant.
    for column in [KEYS_SEED, THREADS_SEED].into_iter().filter(|column| frame.has(column)) {
        let seeds = frame.text_column(column);
        let first = names.iter().zip(variants.first_rows());
        let first: HashMap<&str, &str> =
            first.filter_map(|(name, row)| Some((name.as_str(), seeds.text(row?)))).collect();
        folded_frame.set_words(column, |row| first.get(place(row).0).map_or(String::new(), |seed| (*seed).to_owned()));
    }
    folded_frame.set_numbers(SEED, |row| (place(row).1 + count * repeat(row)) as f64);
    let schedules = names.iter().any(|name| base_variant(name).is_some() && name.contains(SCHEDULE_SUFFIX));
    let deviation = if repeats > 1 { deviation(frame, &drawn) } else { 0.0 };
    Some((folded_frame, Seeds { count, schedules, repeats, deviation }))
}

/// How far the nodes of one search deviate over its repeats, as a share, where they do not repeat:
/// from the mean variance of their logarithms.
fn deviation(frame: &Frame, drawn: &str) -> f64 {
    let [variants, positions, words, errors] =
        [columns::VARIANT, columns::POSITION, columns::REPEATS, columns::ERROR].map(|name| frame.text_column(name));
    let (repeats, nodes) = (frame.numbers(columns::REPEAT), frame.numbers(columns::NODES));
    let mut searches: BTreeMap<(u32, u32), BTreeMap<u64, f64>> = BTreeMap::new();
    for row in (0..frame.rows()).filter(|&row| words.text(row) == drawn && errors.text(row).is_empty()) {
        let search = searches.entry((variants.codes()[row], positions.codes()[row])).or_default();
        *search.entry(repeats[row].to_bits()).or_default() += nodes[row];
    }
    let variance = |search: &BTreeMap<u64, f64>| {
        let center = mean(search.values().map(|nodes| nodes.ln()));
        search.values().map(|nodes| (nodes.ln() - center).powi(2)).sum::<f64>() / (search.len() - 1) as f64
    };
    mean(searches.values().filter(|search| search.len() > 1).map(variance)).sqrt().exp_m1()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
        assert_eq!(folded.numbers(SEED).as_ref(), [0.0, 1.0, 0.0, 1.0, 0.0]);
        let text = "variant,position,depth,search.nodes,threads.seed\none,p,1,90,1\ntwo,p,1,100,1\n\"two, schedule 2\",p,1,110,2\n";
        let (folded, seeds) = fold_seeds(&Frame::parse(text.as_bytes(), "t").unwrap()).unwrap();
        assert_eq!(seeds, Seeds { count: 2, schedules: true, ..Seeds::default() });
        let column = |name: &str| (0..3).map(|row| folded.text(name, row).into_owned()).collect::<Vec<_>>();
        assert_eq!(
            (column("variant"), column("threads.seed")),
            (vec!["one".into(), "two".into(), "two".into()], vec!["1".to_owned(); 3])
        );
    }

    /// Each repeat of a search that does not repeat is another draw, of one that does the same one.
    #[test]
    fn repeats_of_what_does_not_repeat_are_folded_like_seeds() {
        let text = "variant,position,repeat,depth,search.nodes,reported.repeats\na,p,0,1,50,exact\na,p,1,1,50,exact\n\
                    b,p,0,1,60,not repeatable\nb,p,0,2,40,not repeatable\nb,p,1,1,200,not repeatable\n\
                    b,q,0,1,7,not repeatable\nb,q,1,1,7,not repeatable\n";
        let (folded, seeds) = fold_seeds(&Frame::parse(text.as_bytes(), "t").unwrap()).unwrap();
        assert_eq!(folded.numbers(SEED).as_ref(), [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]);
        // ln 100 and ln 200 have the variance (ln 2)^2 / 2, the other search none.
        let deviation = (2.0_f64.ln() / 2.0).exp() - 1.0;
        assert!((seeds.deviation - deviation).abs() < 1e-12, "{seeds:?}");
        assert_eq!(seeds, Seeds { repeats: 2, deviation: seeds.deviation, ..Seeds::default() });
        let once = text.replace("not repeatable", "within 3 %");
        assert!(fold_seeds(&Frame::parse(once.as_bytes(), "t").unwrap()).is_none());
    }
}
