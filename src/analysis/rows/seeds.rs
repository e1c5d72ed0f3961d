//! Key seeds: a variant under another seed of the keys is the same variant.
//!
//! Another seed puts positions into other buckets and changes nothing that an experiment is about; node counts move all the same. So a
//! plan may run every variant under several seeds, and what is compared is the mean over them.

use super::column::SEED;
use super::frame::Frame;
use crate::experiment::plan::base_variant;
use crate::record::columns;
use std::collections::HashMap;

pub use super::column::KEYS_SEED;

/// The frame with further key seeds as rows of their variants, told apart by [`SEED`]; none where there are none, and how many seeds.
pub fn fold(frame: &Frame) -> Option<(Frame, usize)> {
    let variants = frame.coded(columns::VARIANT);
    let names = variants.list();
    let mut counts = HashMap::<&str, usize>::new();
    // Each name's variant, and which of its seeds it is, in the order in which they come.
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
    let first: HashMap<&str, &str> = first.filter_map(|(name, row)| Some((name.as_str(), seeds.at(row?)))).collect();
    let place = |row: usize| folded[variants.codes()[row] as usize];
    let mut folded_frame = frame.clone();
    folded_frame.put_words(columns::VARIANT, |row| place(row).0.to_owned());
    if frame.has(KEYS_SEED) {
        // A variant's seeds are no options that set its rows apart.
        folded_frame
            .put_words(KEYS_SEED, |row| first.get(place(row).0).map_or(String::new(), |seed| (*seed).to_owned()));
    }
    folded_frame.put_numbers(SEED, |row| place(row).1 as f64);
    Some((folded_frame, most + 1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_of_seeds() {
        assert_eq!(base_variant("a=1, b, key seed 12"), Some("a=1, b"));
        for name in ["a", "a, key seed x", "a, key seed "] {
            assert_eq!(base_variant(name), None, "{name}");
        }
    }

    #[test]
    fn seeds_are_rows_of_their_variant() {
        let text = "variant,position,depth,search.nodes,keys.seed\nbase,p,1,100,1\n\"base, key seed 2\",p,1,110,2\nother,p,1,50,7\n\
                    \"other, key seed 8\",p,1,60,8\n\"lone, key seed 9\",p,1,60,9\n";
        let (folded, seeds) = fold(&Frame::parse(text.as_bytes(), "t").unwrap()).unwrap();
        assert_eq!(seeds, 2);
        let column = |name: &str| (0..5).map(|row| folded.text(name, row).into_owned()).collect::<Vec<_>>();
        assert_eq!(column("variant"), ["base", "base", "other", "other", "lone, key seed 9"]);
        assert_eq!(column("keys.seed"), ["1", "1", "7", "7", "9"]);
        assert_eq!(folded.numbers(SEED).as_ref(), [0.0, 1.0, 0.0, 1.0, 0.0]);
    }
}
