//! Scales, which convert values to pixels and have ticks.

/// A linear or logarithmic scale of one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    /// The lower end of the scale, or its decimal logarithm if the scale is logarithmic.
    low: f64,
    /// The upper end of the scale, or its decimal logarithm if the scale is logarithmic.
    high: f64,
    low_pixel: f64,
    high_pixel: f64,
    is_log: bool,
}

/// The smallest span of a logarithmic scale, in decades. It is about one per cent, so that three
/// decimals suffice to distinguish ticks, and differences that do not matter look small.
const MIN_DECADES: f64 = 0.0044;

impl Scale {
    /// The scale converts its lower end to `low_pixel` and its upper end to `high_pixel`.
    pub fn new(is_log: bool, values: impl Iterator<Item = f64>, (low_pixel, high_pixel): (f64, f64)) -> Self {
        let is_usable = |value: &f64| value.is_finite() && (!is_log || *value > 0.0);
        let (mut low, mut high) = values
            .filter(is_usable)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        // If there are no usable values, any scale will do.
        if low > high {
            (low, high) = (1.0, 2.0);
        }
        if is_log {
            (low, high) = (low.log10(), high.log10());
        }
        let span = high - low;
        let margin = if span <= 0.0 {
            0.1
        } else if is_log {
            (0.04 * span).max((MIN_DECADES - span) / 2.0)
        } else {
            0.04 * span
        };
        Self { low: low - margin, high: high + margin, low_pixel, high_pixel, is_log }
    }

    /// A logarithmic scale extends at most a factor of ten beyond the values, because a single
    /// interval that is practically unbounded would squeeze everything else together.
    pub fn with_intervals(
        is_log: bool,
        values: impl Iterator<Item = f64> + Clone,
        interval_ends: impl Iterator<Item = f64>,
        pixels: (f64, f64),
    ) -> Self {
        let positive = values.clone().filter(|value| value.is_finite() && *value > 0.0);
        let (low, high) = positive.fold((f64::INFINITY, 0.0), |(low, high), value| (value.min(low), value.max(high)));
        let finite_ends = interval_ends.filter(|end| end.is_finite());
        let limited_ends = finite_ends.map(|end| if is_log { end.max(low / 10.0).min(high * 10.0) } else { end });
        Self::new(is_log, values.chain(limited_ends), pixels)
    }

    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&if self.is_log { value.log10() } else { value })
    }

    /// Values beyond the scale's ends get the pixel of the nearest end.
    pub fn pixel(&self, value: f64) -> f64 {
        let value = if self.is_log { value.log10() } else { value };
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.low_pixel + share * (self.high_pixel - self.low_pixel)
    }

    pub fn ticks(&self, spacing: f64) -> Vec<f64> {
        let max_steps = ((self.high_pixel - self.low_pixel).abs() / spacing).max(1.0);
        if !self.is_log {
            return linear_ticks(self.low, self.high, max_steps);
        }
        let decades = self.high - self.low;
        // A logarithmic scale that spans less than a factor of five looks linear.
        if decades < 0.7 {
            return linear_ticks(10_f64.powf(self.low), 10_f64.powf(self.high), max_steps);
        }
        // Several ticks in each decade are tried first, then one tick in each decade, and then one
        // tick in every second to fifth decade.
        let mantissa_sets: [&[f64]; 4] = [&[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0], &[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]];
        let multiples = |mantissas: &[f64], decades_apart: i32| -> Vec<f64> {
            let powers = (self.low.floor() as i32..=self.high.ceil() as i32).filter(|power| power % decades_apart == 0);
            powers
                .flat_map(|power| mantissas.iter().map(move |mantissa| mantissa * 10_f64.powi(power)))
                .filter(|value| (self.low..=self.high).contains(&value.log10()))
                .collect()
        };
        let fits = |ticks: &Vec<f64>| ticks.len() as f64 <= max_steps + 1.0;
        let dense = mantissa_sets.iter().map(|mantissas| multiples(mantissas, 1));
        let sparse = (2..6).map(|decades_apart| multiples(&[1.0], decades_apart));
        dense.chain(sparse).find(fits).unwrap_or_default()
    }
}

/// The step is 1, 2 or 5 times a power of ten, and is large enough that at most `max_steps` steps
/// fit between `low` and `high`.
fn linear_ticks(low: f64, high: f64, max_steps: f64) -> Vec<f64> {
    let min_step = (high - low) / max_steps;
    let power = 10_f64.powf(min_step.log10().floor());
    let mut round_steps = [1.0, 2.0, 5.0].into_iter().map(|factor| factor * power);
    let step = round_steps.find(|step| *step >= min_step).unwrap_or(10.0 * power);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    // There are at most 51 ticks.
    (first..=last.min(first + 50)).map(|multiple| multiple as f64 * step).collect()
}

/// Formats a number for a tick, as in 15k, 20M or 0.05.
pub fn format_short(value: f64) -> String {
    let without_trailing_zeros = |value: f64| {
        let text = format!("{value:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    match value.abs() {
        size if size >= 1e9 => format!("{}G", without_trailing_zeros(value / 1e9)),
        size if size >= 1e6 => format!("{}M", without_trailing_zeros(value / 1e6)),
        size if size >= 1e4 => format!("{}k", without_trailing_zeros(value / 1e3)),
        _ => without_trailing_zeros(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside_the_scale() {
        let scale = Scale::new(false, [0.0, 97.0].into_iter(), (0.0, 500.0));
        assert_eq!(scale.ticks(80.0), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        let log = Scale::new(true, [300.0, 2e6].into_iter(), (400.0, 0.0));
        // Room for seven ticks: ones and threes would be eight.
        assert_eq!(log.ticks(60.0), [1e3, 1e4, 1e5, 1e6]);
        assert!(log.pixel(300.0) > log.pixel(2e6));
        assert!(log.pixel(1e9) >= 0.0);
        let ratios = Scale::new(true, [0.9, 1.2].into_iter(), (0.0, 300.0));
        assert!(ratios.ticks(60.0).iter().any(|tick| (tick - 1.0).abs() < 1e-9), "{:?}", ratios.ticks(60.0));
        for values in [vec![], vec![f64::NAN], vec![5.0], vec![0.0, -1.0]] {
            let scale = Scale::new(true, values.into_iter(), (0.0, 100.0));
            assert!(scale.pixel(1.0).is_finite());
            assert!(scale.ticks(50.0).len() < 60);
        }
    }

    #[test]
    fn interval_without_a_practical_bound_leaves_room_for_the_rest() {
        let values = [0.9, 1.0, 1.2];
        let scale = Scale::with_intervals(true, values.into_iter(), [0.8, 1e10, f64::NAN].into_iter(), (0.0, 300.0));
        assert!(scale.contains(0.8) && scale.contains(12.0) && !scale.contains(20.0));
        assert!(scale.pixel(1.2) - scale.pixel(0.9) > 20.0);
        assert!((scale.pixel(1e10) - 300.0).abs() < 1e-9);
        let linear = Scale::with_intervals(false, values.into_iter(), [-50.0, 50.0].into_iter(), (0.0, 300.0));
        assert!(linear.contains(-50.0) && linear.contains(50.0));
    }

    #[test]
    fn ticks_of_nearly_equal_ratios_have_different_numbers() {
        let scale = Scale::new(true, [0.9998, 1.0001].into_iter(), (0.0, 300.0));
        let mut labels: Vec<String> = scale.ticks(60.0).into_iter().map(format_short).collect();
        assert!(labels.len() > 2, "{labels:?}");
        labels.dedup();
        assert_eq!(labels.len(), scale.ticks(60.0).len(), "{labels:?}");
        assert!(scale.pixel(1.0001) - scale.pixel(0.9998) < 30.0, "a difference of 0.03 %");
    }

    #[test]
    fn distances_follow_factors_or_differences() {
        let log = Scale::new(true, [2.0, 3000.0].into_iter(), (40.0, 900.0));
        let distance = |a: f64, b: f64| log.pixel(b) - log.pixel(a);
        let pixels_per_log = distance(2.0, 3000.0) / 1500_f64.ln();
        for (a, b) in [(2.0, 4.0), (5.0, 50.0), (7.0, 1000.0)] {
            assert!((distance(a, b) - pixels_per_log * (b / a).ln()).abs() < 1e-9, "{a} {b}");
        }
        let linear = Scale::new(false, [-5.0, 15.0].into_iter(), (300.0, 12.0));
        let step = (linear.pixel(15.0) - linear.pixel(-5.0)) / 20.0;
        assert!(step < 0.0);
        assert!((linear.pixel(3.0) - linear.pixel(-5.0) - 8.0 * step).abs() < 1e-9);
        for log in [false, true] {
            let single = Scale::new(log, [7.0].into_iter(), (100.0, 300.0));
            assert!((single.pixel(7.0) - 200.0).abs() < 1e-9);
            assert!(single.pixel(6.0) < single.pixel(7.0));
            assert!(single.pixel(7.0) < single.pixel(8.0));
        }
    }

    #[test]
    fn ticks_are_as_many_as_fit() {
        let rounded = |values: [f64; 2], max_steps: f64| -> Vec<f64> {
            let scale = Scale::new(true, values.into_iter(), (0.0, 100.0 * max_steps));
            scale.ticks(100.0).into_iter().map(|tick| format!("{tick:.4}").parse().unwrap_or(f64::NAN)).collect()
        };
        assert_eq!(rounded([1.0, 10.0], 7.0), [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0]);
        assert_eq!(rounded([1.0, 10.0], 6.9), [1.0, 2.0, 5.0, 10.0]);
        assert_eq!(rounded([1.0, 10.0], 3.0), [1.0, 2.0, 5.0, 10.0]);
        assert_eq!(rounded([1.0, 10.0], 2.9), [1.0, 3.0, 10.0]);
        assert_eq!(rounded([1.0, 10.0], 1.0), [1.0, 10.0]);
        assert_eq!(rounded([1.0, 1e6], 3.0), [1.0, 1e2, 1e4, 1e6]);
        assert_eq!(rounded([1.0, 1e12], 4.0), [1.0, 1e3, 1e6, 1e9, 1e12]);
        // A factor of four gets the ticks of a linear scale.
        assert_eq!(rounded([1.0, 4.0], 4.0), [1.0, 2.0, 3.0, 4.0]);
        // Only the factor counts, not the values.
        assert_eq!(rounded([0.1, 10.0], 4.0), [0.1, 0.3, 1.0, 3.0, 10.0]);
        assert_eq!(rounded([1000.0, 2000.0], 6.0), [1000.0, 1200.0, 1400.0, 1600.0, 1800.0, 2000.0]);
    }

    #[test]
    fn tick_numbers_are_short() {
        let texts = [0.05, 1.0, 1.25, 9999.0, 10_000.0, 15_000.0, 1e6, 2e6, 1e9, 3.5e9, -20_000.0].map(format_short);
        assert_eq!(texts, ["0.05", "1", "1.25", "9999", "10k", "15k", "1M", "2M", "1G", "3.5G", "-20k"]);
    }
}
