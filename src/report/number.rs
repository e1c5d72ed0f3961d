//! Number formats of all pages. Values that are not finite become a dash.

use crate::analysis::rows::metric::Unit;

/// Formats a count with thousands separators, as in 32,521,084.
pub fn format_count(value: f64) -> String {
    if !value.is_finite() {
        return "-".to_owned();
    }
    let digits = format!("{:.0}", value.abs());
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if value < 0.0 && digits != "0" { format!("-{grouped}") } else { grouped }
}

/// Formats a share in percent with one decimal. Returns a dash if `whole` is not positive.
pub(super) fn format_percent(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1} %", 100.0 * part / whole) } else { "-".to_owned() }
}

pub(super) fn format_number(value: f64, decimals: usize) -> String {
    if value.is_finite() { format!("{value:.decimals$}") } else { "-".to_owned() }
}

/// Formats a value of a metric with as many decimals as its unit needs.
pub(super) fn format_value(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Count | Unit::PerSecond => format_count(value),
        Unit::Share => format_percent(value, 1.0),
        Unit::Seconds => format_number(value, 2),
        Unit::Plain => format_number(value, if value.abs() < 100.0 { 3 } else { 1 }),
    }
}

/// Formats an interval with three decimals, as in 0.500-2.000.
pub(super) fn format_interval(low: f64, high: f64) -> String {
    // An upper bound of a million or more says little, and all its digits would widen the table.
    let upper = if high < 1e6 || high.is_infinite() { format!("{high:.3}") } else { format!("{high:.1e}") };
    if low.is_finite() { format!("{low:.3}-{upper}") } else { "-".to_owned() }
}

/// Formats a p value, as in 0.031 or < 0.001.
pub(super) fn format_p(value: f64) -> String {
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
    fn numbers_are_formatted_for_readers() {
        assert_eq!(
            [0.0, 999.0, 1000.0, 32_521_084.0, -1234.0].map(format_count),
            ["0", "999", "1,000", "32,521,084", "-1,234"]
        );
        assert_eq!(
            (format_count(f64::NAN), format_percent(1.0, 0.0), format_percent(1.0, 3.0)),
            ("-".into(), "-".into(), "33.3 %".into())
        );
        assert_eq!([0.5, 0.0004, f64::NAN].map(format_p), ["0.500", "< 0.001", "-"]);
        assert_eq!((format_interval(0.5, 2.0), format_interval(f64::NAN, 1.0)), ("0.500-2.000".into(), "-".into()));
        assert_eq!(
            [999_999.0, 12_114_731_485.6].map(|high| format_interval(0.9, high)),
            ["0.900-999999.000", "0.900-1.2e10"]
        );
        assert_eq!(format_value(0.256, Unit::Share), "25.6 %");
    }

    #[test]
    fn value_has_the_decimals_of_its_unit() {
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
            let formatted = format_value(value, unit);
            // 2.345 has no exact binary representation, and may be rounded either way.
            assert!(
                formatted == text || (value, unit) == (2.345, Unit::Seconds) && formatted == "2.34",
                "{value} {unit:?}: {formatted}"
            );
        }
        assert_eq!(
            [100.0, 1e5, 1e6, -1e3, -999.4, -0.4].map(format_count),
            ["100", "100,000", "1,000,000", "-1,000", "-999", "0"]
        );
        assert_eq!([0.001, 0.000_99, 1.0, 0.0].map(format_p), ["0.001", "< 0.001", "1.000", "< 0.001"]);
        assert_eq!(
            (format_percent(0.0, 5.0), format_percent(1.0, -1.0), format_percent(f64::NAN, f64::NAN)),
            ("0.0 %".into(), "-".into(), "-".into())
        );
        assert_eq!(
            (format_number(1.005, 0), format_number(-0.5, 3), format_interval(-1.0, f64::INFINITY)),
            ("1".into(), "-0.500".into(), "-1.000-inf".into())
        );
    }
}
