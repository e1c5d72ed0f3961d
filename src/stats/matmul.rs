//! Products of a weight matrix with a matrix of columns. Such a product resamples many lines that
//! share their draws.

/// The number of columns in a strip. The sums of four rows over one strip fit into the first-level
/// cache.
const STRIP: usize = 64;

/// With at most this many columns, strips are not worth their cost.
const NARROW: usize = 16;

/// Computes the matrix product `sums = weights x columns`.
///
/// A row of `weights` has `units` weights. A column has one value for each of these weights, which
/// is at `columns[unit * width + column]`. `sums` is filled row by row.
pub fn matmul(weights: &[f64], units: usize, columns: &[f64], width: usize, sums: &mut [f64]) {
    sums.fill(0.0);
    if units == 0 || width == 0 {
        return;
    }
    if width <= NARROW {
        return multiply_narrow(weights, units, columns, width, sums);
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

/// Does the same as [`matmul`] for a few columns. It works in blocks of four rows and four columns,
/// so that the sums of a block stay in registers.
fn multiply_narrow(weights: &[f64], units: usize, columns: &[f64], width: usize, sums: &mut [f64]) {
    for (weights, sums) in weights.chunks(4 * units).zip(sums.chunks_mut(4 * width)) {
        for from in (0..width).step_by(4) {
            let (columns, sums) = (&columns[from..], &mut sums[from..]);
            match width - from {
                1 => multiply_block::<1>(weights, units, columns, width, sums),
                2 => multiply_block::<2>(weights, units, columns, width, sums),
                3 => multiply_block::<3>(weights, units, columns, width, sums),
                _ => multiply_block::<4>(weights, units, columns, width, sums),
            }
        }
    }
}

/// Multiplies up to four rows of `weights` with the first `COLS` of `width` columns. A row has
/// `units` weights.
fn multiply_block<const COLS: usize>(weights: &[f64], units: usize, columns: &[f64], width: usize, sums: &mut [f64]) {
    if weights.len() == 4 * units {
        return multiply_rows::<4, COLS>(weights, units, columns, width, sums);
    }
    for (weights, sums) in weights.chunks(units).zip(sums.chunks_mut(width)) {
        multiply_rows::<1, COLS>(weights, units, columns, width, sums);
    }
}

/// Multiplies the first `ROWS` rows of `weights` with the first `COLS` of `width` columns. A row
/// has `units` weights.
fn multiply_rows<const ROWS: usize, const COLS: usize>(
    weights: &[f64],
    units: usize,
    columns: &[f64],
    width: usize,
    sums: &mut [f64],
) {
    let mut sums_of_rows = [[0.0_f64; COLS]; ROWS];
    // The slice and the index are advanced instead of computed by multiplication, because
    // multiplication with overflow checks is slow in debug builds.
    let mut columns_from_unit = columns;
    for unit in 0..units {
        let Some(values) = columns_from_unit.first_chunk::<COLS>() else { return };
        columns_from_unit = columns_from_unit.get(width..).unwrap_or_default();
        let mut weight_index = unit;
        for sums in &mut sums_of_rows {
            let weight = weights[weight_index];
            weight_index += units;
            for index in 0..COLS {
                sums[index] += weight * values[index];
            }
        }
    }
    for (row, row_sums) in sums_of_rows.iter().enumerate() {
        sums[row * width..row * width + COLS].copy_from_slice(row_sums);
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
