//! Products of a weight matrix with a matrix of columns: what resampling of many lines that share
//! their draws comes down to.

/// Columns per strip: with four rows of weights a strip of each column fits the first-level cache.
const STRIP: usize = 64;

/// Up to this many columns a strip does not pay.
const NARROW: usize = 16;

/// Computes `sums = weights x columns`: for each row of `weights` (one weight per unit) and each
/// column the sum over the units of weight x value.
///
/// Layout: `columns[unit * wide + column]`; `sums` is filled row by row.
pub fn matmul(weights: &[f64], units: usize, columns: &[f64], wide: usize, sums: &mut [f64]) {
    sums.fill(0.0);
    if units == 0 || wide == 0 {
        return;
    }
    if wide <= NARROW {
        return multiply_narrow(weights, units, columns, wide, sums);
    }
    for (weights, sums) in weights.chunks(4 * units).zip(sums.chunks_mut(4 * wide)) {
        let rows = weights.len() / units;
        for from in (0..wide).step_by(STRIP) {
            let to = (from + STRIP).min(wide);
            let mut strips = [[0.0_f64; STRIP]; 4];
            for unit in 0..units {
                let values = &columns[unit * wide + from..unit * wide + to];
                for (row, strip) in strips.iter_mut().enumerate().take(rows) {
                    let weight = weights[row * units + unit];
                    // By index: a zip may be compiled in another codegen unit, and would then be
                    // called.
                    let strip = &mut strip[..values.len()];
                    for index in 0..values.len() {
                        strip[index] += weight * values[index];
                    }
                }
            }
            for (row, strip) in strips.iter().enumerate().take(rows) {
                sums[row * wide + from..row * wide + to].copy_from_slice(&strip[..to - from]);
            }
        }
    }
}

/// For a few columns: the sums of four rows and four columns stay in registers.
fn multiply_narrow(weights: &[f64], units: usize, columns: &[f64], wide: usize, sums: &mut [f64]) {
    for (weights, sums) in weights.chunks(4 * units).zip(sums.chunks_mut(4 * wide)) {
        for from in (0..wide).step_by(4) {
            let (columns, sums) = (&columns[from..], &mut sums[from..]);
            match wide - from {
                1 => multiply_block::<1>(weights, units, columns, wide, sums),
                2 => multiply_block::<2>(weights, units, columns, wide, sums),
                3 => multiply_block::<3>(weights, units, columns, wide, sums),
                _ => multiply_block::<4>(weights, units, columns, wide, sums),
            }
        }
    }
}

/// Up to four rows and the first `WIDE` columns.
fn multiply_block<const WIDE: usize>(weights: &[f64], units: usize, columns: &[f64], wide: usize, sums: &mut [f64]) {
    if weights.len() == 4 * units {
        return multiply_rows::<4, WIDE>(weights, units, columns, wide, sums);
    }
    for (weights, sums) in weights.chunks(units).zip(sums.chunks_mut(wide)) {
        multiply_rows::<1, WIDE>(weights, units, columns, wide, sums);
    }
}

fn multiply_rows<const ROWS: usize, const WIDE: usize>(
    weights: &[f64],
    units: usize,
    columns: &[f64],
    wide: usize,
    sums: &mut [f64],
) {
    let mut sums_of_rows = [[0.0_f64; WIDE]; ROWS];
    // The index is advanced, not recomputed: overflow checks took four fifths of the time in debug
    // builds.
    let mut rest = columns;
    for unit in 0..units {
        let Some(values) = rest.first_chunk::<WIDE>() else { return };
        rest = rest.get(wide..).unwrap_or_default();
        let mut place = unit;
        for sums in &mut sums_of_rows {
            let weight = weights[place];
            place += units;
            for index in 0..WIDE {
                sums[index] += weight * values[index];
            }
        }
    }
    for (row, sums_of_rows) in sums_of_rows.iter().enumerate() {
        sums[row * wide..row * wide + WIDE].copy_from_slice(sums_of_rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_definition() {
        for (rows, units, wide) in [
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
            let columns: Vec<f64> = (0..units * wide).map(|index| (index * 13 % 17) as f64 - 8.0).collect();
            let mut sums = vec![1.0; rows * wide];
            matmul(&weights, units, &columns, wide, &mut sums);
            for row in 0..rows {
                for column in 0..wide {
                    let plain: f64 =
                        (0..units).map(|unit| weights[row * units + unit] * columns[unit * wide + column]).sum();
                    assert_eq!(sums[row * wide + column], plain);
                }
            }
        }
    }
}
