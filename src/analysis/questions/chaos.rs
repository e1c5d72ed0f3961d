//! The chaos floor: how far counts move when only the key seeds do.
//!
//! Another seed of the keys puts positions into other buckets and changes nothing that an experiment is about; node counts move all
//! the same. An effect that is no larger than that shows nothing.

use super::summary::{Question, Summary};
use crate::analysis::pairing::stats::t_quantile;
use crate::analysis::rows::frame::Frame;
use crate::record::columns;

/// What follows the baseline's name in that of its further key seeds.
const SEED: &str = ", key seed ";

/// What the key seeds do.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chaos {
    /// Each further seed's variant and its geometric mean ratio to the baseline.
    pub seeds: Vec<(String, f64)>,
    /// Logarithms of ratios up to this are within chaos at 95 %.
    pub floor: f64,
}

impl Chaos {
    /// Whether a ratio could be the seeds' doing alone.
    #[must_use]
    pub fn covers(&self, ratio: f64) -> bool {
        ratio.ln().abs() <= self.floor
    }

    /// The floor from the ratios of further seeds.
    ///
    /// The mean logarithm under a random seed has some spread; the difference of two such means (the variant's and the baseline's)
    /// has the square root of two times that. Shared seeds make real differences smaller: the floor errs on the careful side.
    #[must_use]
    pub fn new(seeds: Vec<(String, f64)>) -> Self {
        let logs: Vec<f64> = std::iter::once(0.0).chain(seeds.iter().map(|(_, ratio)| ratio.ln())).collect();
        let count = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / count;
        let spread = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
        Self { floor: t_quantile(logs.len(), 0.975) * std::f64::consts::SQRT_2 * spread, seeds }
    }
}

/// Whether a variant is the baseline under another seed.
#[must_use]
pub fn is_seed(variant: &str, baseline: &str) -> bool {
    variant.strip_prefix(baseline).is_some_and(|rest| {
        rest.strip_prefix(SEED).is_some_and(|seed| !seed.is_empty() && seed.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// A frame without the rows of further seeds, and what these show; none where there are none.
///
/// # Errors
/// When the baseline has no rows.
pub fn split(frame: &Frame, baseline: &str) -> Result<Option<(Frame, Chaos)>, String> {
    let variants = frame.coded(columns::VARIANT);
    let seeds: Vec<bool> = variants.list().iter().map(|name| is_seed(name, baseline)).collect();
    if !seeds.contains(&true) {
        return Ok(None);
    }
    let of_seed = |row: usize| seeds[variants.codes()[row] as usize];
    let own = frame.take(&frame.select(|row| of_seed(row) || variants.at(row) == baseline));
    let summary = Summary::new(&own, &Question::by_variant(&[], Some(baseline)))?;
    let ratios = summary.lines.iter().filter(|line| !line.is_baseline);
    let ratios =
        ratios.map(|line| (line.name.clone(), line.ratio().mean)).filter(|(_, ratio)| !ratio.is_nan()).collect();
    Ok(Some((frame.take(&frame.select(|row| !of_seed(row))), Chaos::new(ratios))))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_of_seeds() {
        assert!(is_seed("a=1, b, key seed 12", "a=1, b"));
        for (variant, baseline) in [("a", "a"), ("a, key seed x", "a"), ("a, key seed ", "a"), ("b, key seed 1", "a")] {
            assert!(!is_seed(variant, baseline), "{variant}");
        }
    }

    /// By hand: logarithms 0, 0.02, -0.02, 0.04 have mean 0.01 and standard deviation 0.0258199; t of 97.5 % at 3 degrees of
    /// freedom is 3.182446.
    #[test]
    fn the_floor_by_hand() {
        let seeds = [0.02_f64, -0.02, 0.04].map(|log| (String::new(), log.exp())).to_vec();
        let chaos = Chaos::new(seeds);
        assert!((chaos.floor - 3.182_446 * 2.0_f64.sqrt() * 0.025_819_9).abs() < 1e-5, "{}", chaos.floor);
        assert!(chaos.covers(1.1) && chaos.covers(1.0 / 1.1) && !chaos.covers(1.2));
    }

    #[test]
    fn seeds_are_taken_out_of_the_rows() {
        let text = "variant,position,depth,search.nodes,keys.seed\nbase,p,1,100,1\nbase,q,1,100,1\n\"base, key seed 2\",p,1,110,2\n\
                    \"base, key seed 2\",q,1,110,2\nother,p,1,50,1\nother,q,1,50,1\n";
        let (rest, chaos) = split(&Frame::parse(text.as_bytes(), "t").unwrap(), "base").unwrap().unwrap();
        assert_eq!(rest.rows(), 4);
        assert_eq!(chaos.seeds.len(), 1);
        assert!((chaos.seeds[0].1 - 1.1).abs() < 1e-12);
    }
}
