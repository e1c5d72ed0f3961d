//! A sample of a table's buckets, and what it says of all.

use crate::table::trace::{EventKind, Reader, TraceError};
use std::io::Read;

/// Which buckets of a table are looked at.
#[derive(Debug, Clone)]
pub struct Sample {
    /// One bucket in so many.
    pub one_in: u64,
    /// Buckets that are looked at in any case, a bit each.
    always: Vec<u64>,
}

/// Classes of the sampled buckets, from whose differences the interval comes; class 0 are the buckets that are always looked at.
pub const CLASSES: usize = 21;

impl Sample {
    /// One bucket in so many.
    #[must_use]
    pub fn new(one_in: u64) -> Self {
        Self { one_in: one_in.max(1), always: Vec::new() }
    }

    /// Looks in any case at the buckets to which an entry of at least some depth is offered: few deep entries hold most of the worth.
    ///
    /// # Errors
    /// When it is no trace or is damaged, and where.
    pub fn and_deep(
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

    /// Whether deep entries are always there, so that worth can be told.
    #[must_use]
    pub fn keeps_deep(&self) -> bool {
        !self.always.is_empty()
    }

    /// The class of a bucket, if it is looked at.
    #[must_use]
    pub fn class(&self, bucket: u64) -> Option<usize> {
        if self.always.get((bucket / 64) as usize).is_some_and(|word| word >> (bucket % 64) & 1 != 0) {
            return Some(0);
        }
        // SplitMix64's finaliser: neighbours are no alike.
        let mut hash = bucket.wrapping_add(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^= hash >> 31;
        hash.is_multiple_of(self.one_in).then(|| 1 + (hash / self.one_in % (CLASSES as u64 - 1)) as usize)
    }

    /// The estimate of a total from the totals of the classes, and half the width of its 95 % interval.
    ///
    /// The buckets that are always looked at are counted; of the others the mean is taken for all, with Student's interval over the
    /// classes and the correction for a population that ends. Source: W. G. Cochran, "Sampling Techniques", on strata and random groups.
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

    /// By hand, of one bucket in four: 7 that are known, and twenty classes of 1 and 3 in turn, whose mean of 2 stands for eighty; their variance is 20/19, of
    /// which three quarters count, as a quarter of all was seen. Where all were seen nothing is uncertain.
    #[test]
    fn an_estimate_by_hand() {
        let totals: Vec<f64> = std::iter::once(7.0).chain((0..20).map(|at| f64::from(1 + 2 * (at % 2)))).collect();
        let (total, half) = Sample::new(4).estimate(&totals);
        assert!(
            (total - 167.0).abs() < 1e-9 && (half - 2.093 * (20.0_f64 * 20.0 / 19.0 * 0.75).sqrt() * 4.0).abs() < 1e-9
        );
        assert_eq!(Sample::new(1).estimate(&totals), (47.0, 0.0));
        assert_eq!([Sample::new(4).estimate(&[7.0]), Sample::new(4).estimate(&[])], [(7.0, 0.0), (0.0, 0.0)]);
    }

    /// Of forty thousand buckets one in four is shown, in twenty classes of about five hundred each: what is shown says nothing of its class.
    #[test]
    fn what_is_shown_falls_into_all_classes_alike() {
        let sample = Sample::new(4);
        let mut classes = [0_u32; CLASSES];
        (0..40_000).filter_map(|bucket| sample.class(bucket)).for_each(|class| classes[class] += 1);
        // Five standard deviations of such a count are 112.
        assert!(classes[0] == 0 && classes[1..].iter().all(|&count| count.abs_diff(500) < 112), "{classes:?}");
    }

    /// What is as deep as was asked for is deep; what was only asked after is no entry.
    #[test]
    fn deep_entries_are_always_looked_at() {
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
        // Of a million buckets hardly any is looked at by chance.
        let sample = Sample::new(1 << 60).and_deep(&trace[..], 6, 128, |key| key).unwrap();
        let looked_at: Vec<u64> = (0..128).filter(|&bucket| sample.class(bucket) == Some(0)).collect();
        assert_eq!((looked_at, sample.keeps_deep()), (vec![3, 70], true));
        assert_eq!((Sample::new(4).keeps_deep(), sample.class(4)), (false, None));
    }
}
