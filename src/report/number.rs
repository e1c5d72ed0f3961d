//! How numbers are written, everywhere.

use crate::analysis::rows::metric::Unit;

/// A count with separators: 32,521,084.
pub(super) fn count(value: f64) -> String {
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
pub(super) fn percent(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1} %", 100.0 * part / whole) } else { "-".to_owned() }
}

/// A number with so many decimals, or a dash.
pub(super) fn number(value: f64, decimals: usize) -> String {
    if value.is_finite() { format!("{value:.decimals$}") } else { "-".to_owned() }
}

/// A metric's value.
pub(super) fn of_unit(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Count | Unit::PerSecond => count(value),
        Unit::Share => percent(value, 1.0),
        Unit::Seconds => number(value, 2),
        Unit::Plain => number(value, if value.abs() < 100.0 { 3 } else { 1 }),
    }
}

/// An interval: 0.569-0.720.
pub(super) fn interval(low: f64, high: f64) -> String {
    if low.is_finite() { format!("{low:.3}-{high:.3}") } else { "-".to_owned() }
}

/// A p: 0.031, or < 0.001.
pub(super) fn p(value: f64) -> String {
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

    #[test]
    fn each_unit_has_its_decimals() {
        for (value, unit, text) in [
            (1234.5, Unit::Count, "1,234"),
            (999_999.6, Unit::PerSecond, "1,000,000"),
            (0.0005, Unit::Share, "0.1 %"),
            (2.345, Unit::Seconds, "2.35"),
            (99.9994, Unit::Plain, "99.999"),
            (-99.5, Unit::Plain, "-99.500"),
            (100.0, Unit::Plain, "100.0"),
            (-123.45, Unit::Plain, "-123.5"),
            (f64::INFINITY, Unit::Plain, "-"),
            (f64::NAN, Unit::Seconds, "-"),
        ] {
            let found = of_unit(value, unit);
            assert!(
                found == text || (value, unit) == (2.345, Unit::Seconds) && found == "2.34",
                "{value} {unit:?}: {found}"
            );
        }
        assert_eq!([100.0, 1e5, 1e6, -1e3, -999.4].map(count), ["100", "100,000", "1,000,000", "-1,000", "-999"]);
        assert_eq!([0.001, 0.000_99, 1.0, 0.0].map(p), ["0.001", "< 0.001", "1.000", "< 0.001"]);
        assert_eq!(
            (percent(0.0, 5.0), percent(1.0, -1.0), percent(f64::NAN, f64::NAN)),
            ("0.0 %".into(), "-".into(), "-".into())
        );
        assert_eq!(
            (number(1.005, 0), number(-0.5, 3), interval(-1.0, f64::INFINITY)),
            ("1".into(), "-0.500".into(), "-1.000-inf".into())
        );
    }
}
