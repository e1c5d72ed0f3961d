//! Words that every room says alike.

/// So many of something: "1 job", "2 jobs", "3 searches".
#[must_use]
pub fn many(count: impl std::fmt::Display, one: &str) -> String {
    let count = count.to_string();
    let end = match (count.as_str(), one.ends_with("ch")) {
        ("1", _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{count} {one}{end}")
}

#[cfg(test)]
mod tests {
    use super::many;

    #[test]
    fn one_is_one() {
        let message = [many(0, "job"), many(1_u64, "search"), many(2_usize, "search"), many(11, "job")];
        assert_eq!(message, ["0 jobs", "1 search", "2 searches", "11 jobs"]);
    }
}
