//! Measures how far timings can be trusted: the noise between repeats, and the drift of the
//! machine's speed.

use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::record::columns;
use crate::stats::sample::median;

/// The duration in seconds of the shortest searches that are used to measure noise.
const MIN_SECONDS: f64 = 0.001;

/// The largest acceptable noise, as a share of the time. Larger noise hides small differences.
pub const MAX_NOISE: f64 = 0.05;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// The typical spread between repeats of a search, as a share of the search's median time. The
    /// spread of a search is 1.4826 x the median absolute deviation, which equals the standard
    /// deviation if times are normally distributed. The noise is the median over all searches. NaN
    /// if there are fewer than three repeats, or if all searches are too short. Source: Rousseeuw
    /// and Croux, 1993.
    pub noise: f64,
    /// How much longer the last repeats of all searches took together than the first repeats. 0.03
    /// is 3 %.
    pub drift: f64,
}

impl Timing {
    /// Compares the times of all repeats. Returns `None` if there is only one repeat, or if there
    /// are no times.
    pub fn new(frame: &Frame) -> Option<Self> {
        if !frame.has(columns::SECONDS) || !frame.numbers(columns::REPEAT).iter().any(|repeat| *repeat > 0.0) {
            return None;
        }
        let grouping = Grouping::new(frame, &[columns::VARIANT.to_owned()]);
        let searches = Searches::gather(frame, &grouping);
        let last_repeat = searches.list.iter().map(|search| search.repeat).max().filter(|repeat| *repeat > 0)?;
        let seconds = frame.number_column(columns::SECONDS);
        let search_seconds = |index| searches.sum(index, &seconds);
        let (mut first_sum, mut last_sum, mut spreads) = (0.0, 0.0, Vec::new());
        for cell in (0..grouping.values.len()).flat_map(|group| searches.cells(group)) {
            let indices = cell.clone().map(|index| index as usize);
            let seconds_of_repeat =
                |repeat| indices.clone().find(|&index| searches.list[index].repeat == repeat).map(&search_seconds);
            if let (Some(first), Some(last)) = (seconds_of_repeat(0), seconds_of_repeat(last_repeat)) {
                first_sum += first;
                last_sum += last;
            }
            let mut times: Vec<f64> = indices.map(&search_seconds).collect();
            let median_time = median(&mut times);
            if times.len() >= 3 && median_time >= MIN_SECONDS {
                let mut deviations: Vec<f64> = times.iter().map(|time| (time - median_time).abs()).collect();
                spreads.push(1.4826 * median(&mut deviations) / median_time);
            }
        }
        Some(Self { noise: median(&mut spreads), drift: last_sum / first_sum - 1.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calculated by hand: repeats of 1.0, 1.1 and 1.4 s have a median of 1.1 and deviations of
    /// 0.1, 0 and 0.3, so the noise is 1.4826 x 0.1 / 1.1.
    #[test]
    fn noise_and_drift_equal_a_calculation_by_hand() {
        let text = "variant,position,repeat,depth,search.nodes,seconds\na,p,0,1,5,0.4\na,p,0,2,5,0.6\na,p,1,2,5,1.1\na,p,2,2,5,1.4\n";
        let timing = Timing::new(&Frame::parse(text.as_bytes(), "t").unwrap()).unwrap();
        assert!((timing.noise - 1.4826 * 0.1 / 1.1).abs() < 1e-12);
        assert!((timing.drift - 0.4).abs() < 1e-12);
        // Two repeats show drift but no noise; very short searches show no noise either.
        let time_rows = |rows: &str| {
            let text = format!("variant,position,repeat,depth,search.nodes,seconds\n{rows}");
            Timing::new(&Frame::parse(text.as_bytes(), "t").unwrap()).unwrap()
        };
        let two_repeats = time_rows("a,p,0,1,5,1.0\na,p,1,1,5,1.5\n");
        assert!(two_repeats.noise.is_nan(), "{two_repeats:?}");
        assert!((two_repeats.drift - 0.5).abs() < 1e-12, "{two_repeats:?}");
        let short = MIN_SECONDS / 2.0;
        assert!(time_rows(&format!("a,p,0,1,5,{short}\na,p,1,1,5,{short}\na,p,2,1,5,{short}\n")).noise.is_nan());
        // Drift is computed from the searches that have a first and a last repeat. Each variant and
        // key seed has its own repeats.
        let incomplete =
            time_rows("a,p,0,1,5,1.0\na,p,1,1,5,1.0\na,p,2,1,5,1.2\na,q,0,1,5,9.0\nb,p,0,1,5,2.0\nb,p,2,1,5,2.4\n");
        assert!((incomplete.drift - 0.2).abs() < 1e-12, "{incomplete:?}");
        let seeds = "variant,position,repeat,depth,search.nodes,seconds,seed\n\
            a,p,0,1,5,1.0,0\na,p,1,1,5,1.0,0\na,p,2,1,5,1.1,0\na,p,0,1,5,4.0,1\na,p,1,1,5,4.0,1\na,p,2,1,5,4.9,1\n";
        let seeds = Timing::new(&Frame::parse(seeds.as_bytes(), "t").unwrap()).unwrap();
        assert!((seeds.drift - 0.2).abs() < 1e-12, "{seeds:?}");
        assert!(seeds.noise.abs() < 1e-12, "{seeds:?}");
        let once = "variant,position,repeat,depth,search.nodes,seconds\na,p,0,1,5,1\n";
        assert_eq!(Timing::new(&Frame::parse(once.as_bytes(), "t").unwrap()), None);
    }
}
