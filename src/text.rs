//! Phrases that several modules use.

pub fn plural(count: impl std::fmt::Display, noun: &str) -> String {
    let count = count.to_string();
    let ending = match (count.as_str(), noun.ends_with("ch")) {
        ("1", _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{count} {noun}{ending}")
}

/// A number with its sign, of which a number that rounds to 0 has none but `+`.
pub fn signed(value: f64, digits: usize) -> String {
    let text = format!("{value:+.digits$}");
    if text.contains(|c: char| c.is_ascii_alphanumeric() && c != '0') { text } else { text.replace('-', "+") }
}

pub fn and_more(count: usize) -> String {
    if count > 0 { format!(" and {count} more") } else { String::new() }
}

pub fn quote_names(names: &[impl std::fmt::Display]) -> String {
    let first_names: Vec<String> = names.iter().take(3).map(|name| format!("\"{name}\"")).collect();
    let more = and_more(names.len().saturating_sub(3));
    first_names.join(", ") + &more
}

#[cfg(test)]
mod tests {
    use super::{plural, signed};

    #[test]
    fn number_that_rounds_to_zero_has_no_minus() {
        let texts = [-0.0, -0.04, 0.04, -0.06, 10.0, -f64::INFINITY].map(|value| signed(value, 1));
        assert_eq!(texts, ["+0.0", "+0.0", "+0.0", "-0.1", "+10.0", "-inf"]);
    }

    #[test]
    fn plural_one_has_no_ending() {
        let message = [plural(0, "job"), plural(1_u64, "search"), plural(2_usize, "search"), plural(11, "job")];
        assert_eq!(message, ["0 jobs", "1 search", "2 searches", "11 jobs"]);
    }
}
