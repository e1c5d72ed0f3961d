//! Relations between two numbers. Claims, gates and filters write them in the same way.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    Less,
    AtMost,
    Equal,
    NotEqual,
    AtLeast,
    More,
}

/// The sign of each relation, and its words in a sentence. A sign such as `<=` comes before its
/// prefix `<`.
const SIGNS: [(&str, Relation, &str); 6] = [
    ("!=", Relation::NotEqual, "other than"),
    ("<=", Relation::AtMost, "at most"),
    (">=", Relation::AtLeast, "at least"),
    ("<", Relation::Less, "less than"),
    (">", Relation::More, "more than"),
    ("=", Relation::Equal, "equal to"),
];

impl Relation {
    /// Splits a text at its first relation. Returns both sides without surrounding spaces. Signs
    /// within brackets are skipped, because they are part of a variant's name.
    pub fn split(text: &str) -> Option<(&str, Self, &str)> {
        let mut open_brackets = 0usize;
        let sign_start = text.find(|c| {
            match c {
                '(' => open_brackets += 1,
                ')' => open_brackets = open_brackets.saturating_sub(1),
                _ => {}
            }
            open_brackets == 0 && "!<>=".contains(c)
        })?;
        let (left, right) = text.split_at(sign_start);
        SIGNS.iter().find_map(|(sign, relation, _)| Some((left.trim(), *relation, right.strip_prefix(sign)?.trim())))
    }

    /// Two numbers are also equal if they differ by no more than a rounding error of `left`.
    pub fn holds(self, left: f64, right: f64) -> bool {
        let is_equal = left == right || (left - right).abs() <= f64::EPSILON * left.abs();
        match self {
            Self::Less => left < right,
            Self::AtMost => left <= right,
            Self::Equal => is_equal,
            Self::NotEqual => !is_equal,
            Self::AtLeast => left >= right,
            Self::More => left > right,
        }
    }

    pub fn is_more(self) -> bool {
        matches!(self, Self::More | Self::AtLeast)
    }

    pub fn is_less(self) -> bool {
        matches!(self, Self::Less | Self::AtMost)
    }

    pub fn words(self) -> &'static str {
        SIGNS.iter().find(|(_, relation, _)| *relation == self).map_or("", |(.., words)| words)
    }
}

#[cfg(test)]
mod tests {
    use super::Relation::{AtLeast, AtMost, Equal, Less, More, NotEqual};
    use super::*;

    /// Each relation is tested at its bound and on either side of it.
    #[test]
    fn relation_is_exact_at_its_bound() {
        for (relation, holds) in [
            (Less, [true, false, false]),
            (AtMost, [true, true, false]),
            (Equal, [false, true, false]),
            (NotEqual, [true, false, true]),
            (AtLeast, [false, true, true]),
            (More, [false, false, true]),
        ] {
            assert_eq!([1.0, 2.0, 3.0].map(|left| relation.holds(left, 2.0)), holds, "{relation:?}");
        }
        assert!(Equal.holds(0.1 + 0.2, 0.3));
    }

    #[test]
    fn text_is_split_at_the_first_relation_outside_brackets() {
        for (text, expected) in [
            ("depth>=5", Some(("depth", AtLeast, "5"))),
            ("nodes > +1%", Some(("nodes", More, "+1%"))),
            ("nodes(size=1, p<=2) < 2 * nodes(a = b)", Some(("nodes(size=1, p<=2)", Less, "2 * nodes(a = b)"))),
            ("a!=b", Some(("a", NotEqual, "b"))),
            ("a = !b", Some(("a", Equal, "!b"))),
            ("a <= ", Some(("a", AtMost, ""))),
            ("a!b", None),
            ("nodes(a > b)", None),
            ("", None),
        ] {
            assert_eq!(Relation::split(text), expected, "{text}");
        }
    }
}
