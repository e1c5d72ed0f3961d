//! A sample of a table's buckets, and the estimate of the total.

use crate::table::trace::{EventKind, Reader, TraceError};
use std::io::Read;

/// Which buckets of a table are sampled.
#[derive(Debug, Clone)]
pub struct Sample {
    /// One bucket in `one_in`.
    pub one_in: u64,
    /// A bit set of the buckets that are always included.
    always: Vec<u64>,
}

/// Number of classes of sampled buckets, whose differences give the interval; class 0 are the
/// buckets that are always included.
pub const CLASSES: usize = 21;

impl Sample {
    /// One bucket in `one_in`.
    #[must_use]
    pub fn new(one_in: u64) -> Self {
        Self { one_in: one_in.max(1), always: Vec::new() }
    }

    /// Always includes the buckets to which an entry of depth `deep` or more is offered: few deep
    /// entries hold most of the worth.
    ///
    /// # Errors
    /// When it is not a trace or is damaged, and where.
    pub fn with_deep(
        mut self,
        from: impl Read,
        deep: i8,
        buckets: u64,
        bucket: impl Fn(u64) -> u64,
    ) -> Result<Self, TraceError> {
        self.always = vec![0; (buckets / 64 + 1) as usize];
        Reader::new(from)?.for_each(|event| {
            if event.kind() == EventKind::Store && event.depth >= deep {
                let bucket = bucket(event.key);
                self.always[(bucket / 64) as usize] |= 1 << (bucket % 64);
            }
        })?;
        Ok(self)
    }

    /// Whether buckets of deep entries are always included, so that worth can be estimated.
    #[must_use]
    pub fn has_deep(&self) -> bool {
        !self.always.is_empty()
    }

    /// The class of a bucket, if it is sampled.
    #[must_use]
    pub fn class(&self, bucket: u64) -> Option<usize> {
        if self.always.get((bucket / 64) as usize).is_some_and(|word| word >> (bucket % 64) & 1 != 0) {
            return Some(0);
        }
        // SplitMix64's finaliser, so that neighbouring buckets are independent.
        let mut hash = bucket.wrapping_add(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^= hash >> 31;
        hash.is_multiple_of(self.one_in).then(|| 1 + (hash / self.one_in % (CLASSES as u64 - 1)) as usize)
    }

    /// The estimated total from the totals of the classes, and half the width of its 95 % interval.
    ///
    /// Class 0 is counted in full; the others are extrapolated from their mean, with Student's
    /// interval over the classes and the finite population correction. Source: W. G. Cochran,
    /// "Sampling Techniques", on strata and random groups.
    #[must_use]
    pub fn estimate(&self, totals: &[f64]) -> (f64, f64) {
        let (known, classes) = totals.split_at(1.min(totals.len()));
        let counted = classes.len() as f64;
        if counted < 2.0 {
            return (known.iter().sum(), 0.0);
        }
        let mean = classes.iter().sum::<f64>() / counted;
        let variance = classes.iter().map(|total| (total - mean).powi(2)).sum::<f64>() / (counted - 1.0);
        let factor = self.one_in as f64;
        let half = STUDENT_19 * (counted * variance * (1.0 - 1.0 / factor)).sqrt() * factor;
        (known.iter().sum::<f64>() + factor * counted * mean, half)
    }
}

/// The 97.5 % point of Student's distribution with 19 degrees of freedom.
const STUDENT_19: f64 = 2.093;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// By hand, one bucket in four: 7 known, and twenty classes of 1 and 3 in turn, whose mean of 2
    /// stands for eighty; their variance is 20/19, of which three quarters remain after the
    /// correction. A full sample has no uncertainty.
    #[test]
    fn estimate_matches_a_calculation_by_hand() {
        let totals: Vec<f64> = std::iter::once(7.0).chain((0..20).map(|at| f64::from(1 + 2 * (at % 2)))).collect();
        let (total, half) = Sample::new(4).estimate(&totals);
        assert!(
            (total - 167.0).abs() < 1e-9 && (half - 2.093 * (20.0_f64 * 20.0 / 19.0 * 0.75).sqrt() * 4.0).abs() < 1e-9
        );
        assert_eq!(Sample::new(1).estimate(&totals), (47.0, 0.0));
        assert_eq!([Sample::new(4).estimate(&[7.0]), Sample::new(4).estimate(&[])], [(7.0, 0.0), (0.0, 0.0)]);
    }

    /// One in four of forty thousand buckets is sampled, in twenty classes of about five hundred
    /// each.
    #[test]
    fn sampled_buckets_are_spread_evenly_over_classes() {
        let sample = Sample::new(4);
        let mut classes = [0_u32; CLASSES];
        (0..40_000).filter_map(|bucket| sample.class(bucket)).for_each(|class| classes[class] += 1);
        // Five standard deviations of such a count are 112.
        assert!(classes[0] == 0 && classes[1..].iter().all(|&count| count.abs_diff(500) < 112), "{classes:?}");
    }

    /// The required depth is deep enough; probes do not count.
    #[test]
    fn buckets_of_deep_entries_are_always_sampled() {
        use crate::table::trace::{Event, Writer};
        let mut writer = Writer::new(Vec::new());
        for event in [
            Event::store(3, 6, 0, 0b1100, 1),
            Event::store(70, 7, 0, 0b1100, 2),
            Event::store(4, 5, 0, 0b1100, 3),
            Event::probe(5, 9, 0, 0, 4),
        ] {
            writer.push(event);
        }
        let trace = writer.finish().unwrap().1;
        // Hardly any bucket is sampled by chance.
        let sample = Sample::new(1 << 60).with_deep(&trace[..], 6, 128, |key| key).unwrap();
        let looked_at: Vec<u64> = (0..128).filter(|&bucket| sample.class(bucket) == Some(0)).collect();
        assert_eq!((looked_at, sample.has_deep()), (vec![3, 70], true));
        assert_eq!((Sample::new(4).has_deep(), sample.class(4)), (false, None));
    }
}
