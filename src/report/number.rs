//! How numbers are written, everywhere.

use crate::analysis::rows::metric::Unit;

/// A count with separators: 32,521,084.
#[must_use]
pub fn count(value: f64) -> String {
    if !value.is_finite() {
        return "-".to_owned();
    }
    let digits = format!("{:.0}", value.abs());
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if value < 0.0 { format!("-{grouped}") } else { grouped }
}

/// A share in percent, or a dash where there is nothing to share.
#[must_use]
pub fn percent(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1} %", 100.0 * part / whole) } else { "-".to_owned() }
}

/// A number with so many decimals, or a dash.
#[must_use]
pub fn number(value: f64, decimals: usize) -> String {
    if value.is_finite() { format!("{value:.decimals$}") } else { "-".to_owned() }
}

/// A metric's value.
#[must_use]
pub fn of_unit(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Count | Unit::PerSecond => count(value),
        Unit::Share => percent(value, 1.0),
        Unit::Seconds => number(value, 2),
        Unit::Plain => number(value, if value.abs() < 100.0 { 3 } else { 1 }),
    }
}

/// An interval: 0.569-0.720.
#[must_use]
pub fn interval(low: f64, high: f64) -> String {
    if low.is_finite() { format!("{low:.3}-{high:.3}") } else { "-".to_owned() }
}

/// A p: 0.031, or < 0.001.
#[must_use]
pub fn p(value: f64) -> String {
    match value {
        value if value.is_nan() => "-".to_owned(),
        value if value < 0.001 => "< 0.001".to_owned(),
        value => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_readers_meet_them() {
        assert_eq!(
            [0.0, 999.0, 1000.0, 32_521_084.0, -1234.0].map(count),
            ["0", "999", "1,000", "32,521,084", "-1,234"]
        );
        assert_eq!((count(f64::NAN), percent(1.0, 0.0), percent(1.0, 3.0)), ("-".into(), "-".into(), "33.3 %".into()));
        assert_eq!([0.5, 0.0004, f64::NAN].map(p), ["0.500", "< 0.001", "-"]);
        assert_eq!((interval(0.5, 2.0), interval(f64::NAN, 1.0)), ("0.500-2.000".into(), "-".into()));
        assert_eq!(of_unit(0.256, Unit::Share), "25.6 %");
    }
}
