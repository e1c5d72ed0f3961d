//! The sampling units of a mean. A unit is a position, or a game if the searches of the game share
//! a table and are therefore not independent.

/// The sum and number of logarithms of each cluster.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Clusters {
    pub ids: Vec<u32>,
    /// The sum of each cluster's logarithms.
    pub sums: Vec<f64>,
    /// The number of logarithms of each cluster.
    pub sizes: Vec<f64>,
}

impl Clusters {
    /// Groups (cluster, logarithm) pairs by cluster.
    pub fn new(logs: &[(u32, f64)]) -> Self {
        let mut sorted = std::borrow::Cow::Borrowed(logs);
        if !logs.is_sorted_by_key(|(cluster, _)| cluster) {
            sorted.to_mut().sort_by_key(|(cluster, _)| *cluster);
        }
        let mut clusters = Self::default();
        for cluster in sorted.chunk_by(|(cluster, _), (next, _)| cluster == next) {
            let (id, _) = cluster[0];
            clusters.ids.push(id);
            clusters.sums.push(cluster.iter().fold(0.0, |sum, (_, log)| sum + log));
            clusters.sizes.push(cluster.len() as f64);
        }
        clusters
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub fn without(&self, index: usize) -> Self {
        let mut others = self.clone();
        others.ids.remove(index);
        others.sums.remove(index);
        others.sizes.remove(index);
        others
    }

    /// The sum of all logarithms, and their number.
    pub fn total(&self) -> (f64, f64) {
        (self.sums.iter().sum(), self.sizes.iter().sum())
    }

    /// The mean logarithm, which is the ratio of two sums over clusters. It is NaN without
    /// clusters.
    pub fn mean(&self) -> f64 {
        let (sum, size) = self.total();
        sum / size
    }

    /// The difference between each cluster's sum and the mean times the cluster's size.
    pub fn residuals(&self) -> Vec<f64> {
        let mean = self.mean();
        self.sums.iter().zip(&self.sizes).map(|(sum, size)| sum - mean * size).collect()
    }

    /// Source: Cochran, "Sampling Techniques", 1977, chapter 6.
    pub fn standard_error(&self) -> f64 {
        if self.len() < 2 {
            return f64::NAN;
        }
        let cluster_count = self.len() as f64;
        let sum_of_squares: f64 = self.residuals().iter().map(|residual| residual * residual).sum();
        let (_, total_size) = self.total();
        (cluster_count / (cluster_count - 1.0) * sum_of_squares).sqrt() / total_size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Games of one, two and three searches, each left out in turn.
    #[test]
    fn without_keeps_the_other_sums_and_sizes() {
        let all = Clusters::new(&[(3, 1.0), (5, 2.0), (5, 3.0), (9, 4.0), (9, 5.0), (9, 6.0)]);
        assert_eq!(all.total(), (21.0, 6.0));
        assert_eq!([0, 1, 2].map(|index| all.without(index).total()), [(20.0, 5.0), (16.0, 4.0), (6.0, 3.0)]);
        assert_eq!(all.without(1), Clusters::new(&[(3, 1.0), (9, 4.0), (9, 5.0), (9, 6.0)]));
    }
}
