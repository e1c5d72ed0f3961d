//! Weighted sums of many columns at once: what resampling of many lines comes down to, when all share their draws.

/// Columns taken at a time: with four rows of weights, what fits the first cache beside a strip of each column.
const STRIP: usize = 64;

/// Up to so many columns there is no strip worth its loop.
const FEW: usize = 16;

/// For each row of `weights` (one weight for each unit) and each column the sum over the units of weight x value.
///
/// `columns` holds the columns unit by unit (`columns[unit * wide + column]`), `sums` is filled row by row.
pub fn weigh(weights: &[f64], units: usize, columns: &[f64], wide: usize, sums: &mut [f64]) {
    sums.fill(0.0);
    if units == 0 || wide == 0 {
        return;
    }
    if wide <= FEW {
        return narrow(weights, units, columns, wide, sums);
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
                    // By places: what pairs two iterators may be compiled in another unit, and is called then.
                    let strip = &mut strip[..values.len()];
                    for at in 0..values.len() {
                        strip[at] += weight * values[at];
                    }
                }
            }
            for (row, strip) in strips.iter().enumerate().take(rows) {
                sums[row * wide + from..row * wide + to].copy_from_slice(&strip[..to - from]);
            }
        }
    }
}

/// The same of a few columns: the sums of four rows and four columns stay in registers.
fn narrow(weights: &[f64], units: usize, columns: &[f64], wide: usize, sums: &mut [f64]) {
    for (weights, sums) in weights.chunks(4 * units).zip(sums.chunks_mut(4 * wide)) {
        for from in (0..wide).step_by(4) {
            let (columns, sums) = (&columns[from..], &mut sums[from..]);
            match wide - from {
                1 => block::<1>(weights, units, columns, wide, sums),
                2 => block::<2>(weights, units, columns, wide, sums),
                3 => block::<3>(weights, units, columns, wide, sums),
                _ => block::<4>(weights, units, columns, wide, sums),
            }
        }
    }
}

/// Up to four rows of the first columns.
fn block<const WIDE: usize>(weights: &[f64], units: usize, columns: &[f64], wide: usize, sums: &mut [f64]) {
    if weights.len() == 4 * units {
        return rows::<4, WIDE>(weights, units, columns, wide, sums);
    }
    for (weights, sums) in weights.chunks(units).zip(sums.chunks_mut(wide)) {
        rows::<1, WIDE>(weights, units, columns, wide, sums);
    }
}

fn rows<const ROWS: usize, const WIDE: usize>(
    weights: &[f64],
    units: usize,
    columns: &[f64],
    wide: usize,
    sums: &mut [f64],
) {
    let mut found = [[0.0_f64; WIDE]; ROWS];
    // Places are gone on from, not reckoned anew: that took four fifths of the time in builds that check arithmetic.
    let mut rest = columns;
    for unit in 0..units {
        let Some(values) = rest.first_chunk::<WIDE>() else { return };
        rest = rest.get(wide..).unwrap_or_default();
        let mut place = unit;
        for sums in &mut found {
            let weight = weights[place];
            place += units;
            for at in 0..WIDE {
                sums[at] += weight * values[at];
            }
        }
    }
    for (row, found) in found.iter().enumerate() {
        sums[row * wide..row * wide + WIDE].copy_from_slice(found);
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
            let weights: Vec<f64> = (0..rows * units).map(|at| (at * 7 % 11) as f64 - 5.0).collect();
            let columns: Vec<f64> = (0..units * wide).map(|at| (at * 13 % 17) as f64 - 8.0).collect();
            let mut sums = vec![1.0; rows * wide];
            weigh(&weights, units, &columns, wide, &mut sums);
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
