//! Products of a weight matrix with a matrix of columns. Such a product resamples many lines that
//! share their draws.

/// The number of columns in a strip. The sums of four rows over one strip fit into the first-level
/// cache.
const STRIP: usize = 64;

/// Computes the matrix product `sums = weights x columns`.
///
/// A row of `weights` has `units` weights. A column has one value for each of these weights, which
/// is at `columns[unit * width + column]`. `sums` is filled row by row.
pub fn matmul(weights: &[f64], units: usize, columns: &[f64], width: usize, sums: &mut [f64]) {
    sums.fill(0.0);
    if units == 0 || width == 0 {
        return;
    }
    for (weights, sums) in weights.chunks(4 * units).zip(sums.chunks_mut(4 * width)) {
        let rows = weights.len() / units;
        for from in (0..width).step_by(STRIP) {
            let to = (from + STRIP).min(width);
            let mut strips = [[0.0_f64; STRIP]; 4];
            for unit in 0..units {
                let values = &columns[unit * width + from..unit * width + to];
                for (row, strip) in strips.iter_mut().enumerate().take(rows) {
                    let weight = weights[row * units + unit];
                    // An index is used because a zip may be compiled in another codegen unit, and
                    // would then be called as a function.
                    let strip = &mut strip[..values.len()];
                    for index in 0..values.len() {
                        strip[index] += weight * values[index];
                    }
                }
            }
            for (row, strip) in strips.iter().enumerate().take(rows) {
                sums[row * width + from..row * width + to].copy_from_slice(&strip[..to - from]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_definition() {
        for (rows, units, width) in [
            (1, 1, 1),
            (3, 5, 2),
            (5, 4, 3),
            (6, 9, 4),
            (7, 3, 5),
            (4, 6, 15),
            (9, 3, 16),
            (8, 3, 17),
            (4, 7, 64),
            (5, 3, 65),
            (4, 2, 128),
            (9, 6, 130),
        ] {
            let weights: Vec<f64> = (0..rows * units).map(|index| (index * 7 % 11) as f64 - 5.0).collect();
            let columns: Vec<f64> = (0..units * width).map(|index| (index * 13 % 17) as f64 - 8.0).collect();
            let mut sums = vec![1.0; rows * width];
            matmul(&weights, units, &columns, width, &mut sums);
            for row in 0..rows {
                for column in 0..width {
                    let plain: f64 =
                        (0..units).map(|unit| weights[row * units + unit] * columns[unit * width + column]).sum();
                    assert_eq!(sums[row * width + column], plain);
                }
            }
        }
    }
}
