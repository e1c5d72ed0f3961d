//! Stores the value of each candidate in each search, so that any two candidates can be paired.

use crate::analysis::pairing::pairs::Pairs;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measurements {
    /// The item of each search. An item is a game or a position, and is the unit of sampling.
    pub items: Vec<u32>,
    /// The values of each candidate, in the order in which the candidates were passed. A candidate
    /// has one value for each search, which is NaN if the search gave no value.
    pub values: Vec<Vec<f64>>,
}

#[derive(Debug, Clone, Default)]
pub struct Samples {
    items: Vec<u32>,
    /// The values of each candidate. A candidate has one value for each search, which is NaN if the
    /// candidate was not measured in the search.
    values: Vec<Vec<f64>>,
}

impl Samples {
    pub fn new(candidate_count: usize) -> Self {
        Self { items: Vec::new(), values: vec![Vec::new(); candidate_count] }
    }

    pub fn add(&mut self, candidates: &[usize], measurements: &Measurements) {
        self.items.extend(&measurements.items);
        for (&candidate, values) in candidates.iter().zip(&measurements.values) {
            self.values[candidate].extend(values);
        }
        for values in &mut self.values {
            // `items` has one element for each search. Candidates that were not measured have the
            // value NaN in the new searches.
            values.resize(self.items.len(), f64::NAN);
        }
    }

    /// Pairs the values of two candidates in the searches that both made. `base` is the base of the
    /// pairs.
    pub fn pairs(&self, candidate: usize, base: usize) -> Pairs {
        Pairs::from_values(&self.items, &self.values[base], &self.values[candidate])
    }

    pub fn have_equal_values(&self, a: usize, b: usize) -> bool {
        let value_pairs = self.values[a].iter().zip(&self.values[b]);
        let mut shared_searches = value_pairs.filter(|(value_a, value_b)| !value_a.is_nan() && !value_b.is_nan());
        shared_searches.all(|(value_a, value_b)| value_a == value_b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second measurement leaves out the second candidate, which is then paired only in the
    /// searches of the first one. The other candidates' values stay aligned.
    #[test]
    fn candidate_that_was_not_measured_has_no_values() {
        let mut samples = Samples::new(3);
        samples.add(
            &[0, 1, 2],
            &Measurements { items: vec![7, 8], values: vec![vec![1.0, 4.0], vec![2.0, 4.0], vec![1.0, 4.0]] },
        );
        samples.add(&[2, 0], &Measurements { items: vec![9], values: vec![vec![6.0], vec![3.0]] });
        let pair_values = |candidate, base| {
            samples.pairs(candidate, base).list.iter().map(|pair| (pair.cluster, pair.values)).collect::<Vec<_>>()
        };
        assert_eq!(pair_values(1, 0), [(7, [1.0, 2.0]), (8, [4.0, 4.0])]);
        assert_eq!(pair_values(2, 0), [(7, [1.0, 1.0]), (8, [4.0, 4.0]), (9, [3.0, 6.0])]);
        assert_eq!(
            (samples.have_equal_values(0, 1), samples.have_equal_values(0, 2), samples.have_equal_values(0, 0)),
            (false, false, true)
        );
    }
}
