//! Holm's correction of several p values.

/// If a p-value is NaN, it stays NaN, and its test is not counted. Source: Holm, 1979.
pub fn correct_holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).filter(|&index| !p[index].is_nan()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let (mut adjusted, mut running_max) = (p.to_vec(), 0.0_f64);
    for (rank, &index) in order.iter().enumerate() {
        running_max = running_max.max(p[index] * (order.len() - rank) as f64).min(1.0);
        adjusted[index] = running_max;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holm's own example: the smallest p is multiplied by four, the next by three; the results are
    /// monotone.
    #[test]
    fn p_of_several_encounters_are_corrected() {
        let adjusted = correct_holm(&[0.01, 0.04, 0.03, 0.005, f64::NAN]);
        for (adjusted, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((adjusted - expected).abs() < 1e-12, "{adjusted} {expected}");
        }
        assert!(adjusted[4].is_nan());
    }
}
