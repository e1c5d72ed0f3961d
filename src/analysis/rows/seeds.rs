//! Key seeds and schedules: a variant under another seed is the same variant.
//!
//! Another seed puts positions into other buckets, or gives searchers other turns, and changes
//! nothing that an experiment is about, yet node counts change. So a plan may run every variant
//! under several seeds, and their mean is compared.

use super::column::SEED;
use super::frame::Frame;
use crate::record::columns;
use crate::record::{SCHEDULE_SUFFIX, base_variant};
use std::collections::HashMap;

pub use super::column::{KEYS_SEED, THREADS_SEED};

/// Under how many seeds variants were searched, and of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seeds {
    pub count: usize,
    /// Whether they are schedules of several searchers, not key seeds.
    pub schedules: bool,
}

/// The frame with further key seeds or schedules as rows of their variants, numbered in [`SEED`];
/// none if there is one seed only.
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
    let most = counts.values().copied().max()?;
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
    folded_frame.set_numbers(SEED, |row| place(row).1 as f64);
    let schedules = names.iter().any(|name| base_variant(name).is_some() && name.contains(SCHEDULE_SUFFIX));
    Some((folded_frame, Seeds { count: most + 1, schedules }))
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
        assert_eq!(seeds, Seeds { count: 2, schedules: false });
        let column = |name: &str| (0..5).map(|row| folded.text(name, row).into_owned()).collect::<Vec<_>>();
        assert_eq!(column("variant"), ["base", "base", "other", "other", "lone, key seed 9"]);
        assert_eq!(column("keys.seed"), ["1", "1", "7", "7", "9"]);
        assert_eq!(folded.numbers(SEED).as_ref(), [0.0, 1.0, 0.0, 1.0, 0.0]);
        let text = "variant,position,depth,search.nodes,threads.seed\none,p,1,90,1\ntwo,p,1,100,1\n\"two, schedule 2\",p,1,110,2\n";
        let (folded, seeds) = fold_seeds(&Frame::parse(text.as_bytes(), "t").unwrap()).unwrap();
        assert_eq!(seeds, Seeds { count: 2, schedules: true });
        let column = |name: &str| (0..3).map(|row| folded.text(name, row).into_owned()).collect::<Vec<_>>();
        assert_eq!(
            (column("variant"), column("threads.seed")),
            (vec!["one".into(), "two".into(), "two".into()], vec!["1".to_owned(); 3])
        );
    }
}
