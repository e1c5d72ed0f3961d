//! Key seeds: a variant under another seed of the keys is the same variant.
//!
//! Another seed puts positions into other buckets and changes nothing that an experiment is about,
//! yet node counts change. So a plan may run every variant under several seeds, and their mean is
//! compared.

use super::column::SEED;
use super::frame::Frame;
use crate::record::base_variant;
use crate::record::columns;
use std::collections::HashMap;

pub use super::column::KEYS_SEED;

/// The frame with further key seeds as rows of their variants, numbered in [`SEED`], and the number
/// of seeds; none if there is one seed only.
pub fn fold_seeds(frame: &Frame) -> Option<(Frame, usize)> {
    let variants = frame.coded(columns::VARIANT);
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
    let seeds = frame.coded(KEYS_SEED);
    let first = names.iter().zip(variants.first_rows());
    let first: HashMap<&str, &str> = first.filter_map(|(name, row)| Some((name.as_str(), seeds.word(row?)))).collect();
    let place = |row: usize| folded[variants.codes()[row] as usize];
    let mut folded_frame = frame.clone();
    folded_frame.set_words(columns::VARIANT, |row| place(row).0.to_owned());
    if frame.has(KEYS_SEED) {
        // The key seed is not an option that separates rows of a variant.
        folded_frame
            .set_words(KEYS_SEED, |row| first.get(place(row).0).map_or(String::new(), |seed| (*seed).to_owned()));
    }
    folded_frame.set_numbers(SEED, |row| place(row).1 as f64);
    Some((folded_frame, most + 1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn variant_name_ends_before_its_key_seed() {
        assert_eq!(base_variant("a=1, b, key seed 12"), Some("a=1, b"));
        for name in ["a", "a, key seed x", "a, key seed "] {
            assert_eq!(base_variant(name), None, "{name}");
        }
    }

    #[test]
    fn rows_of_further_seeds_belong_to_their_variant() {
        let text = "variant,position,depth,search.nodes,keys.seed\nbase,p,1,100,1\n\"base, key seed 2\",p,1,110,2\nother,p,1,50,7\n\
                    \"other, key seed 8\",p,1,60,8\n\"lone, key seed 9\",p,1,60,9\n";
        let (folded, seeds) = fold_seeds(&Frame::parse(text.as_bytes(), "t").unwrap()).unwrap();
        assert_eq!(seeds, 2);
        let column = |name: &str| (0..5).map(|row| folded.text(name, row).into_owned()).collect::<Vec<_>>();
        assert_eq!(column("variant"), ["base", "base", "other", "other", "lone, key seed 9"]);
        assert_eq!(column("keys.seed"), ["1", "1", "7", "7", "9"]);
        assert_eq!(folded.numbers(SEED).as_ref(), [0.0, 1.0, 0.0, 1.0, 0.0]);
    }
}
