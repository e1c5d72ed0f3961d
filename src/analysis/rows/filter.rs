//! Conditions on rows, as `--where` gives them: `depth>=5`, `table.policy.kind=always`, `position!=BK.01`.

use super::axes::number;
use super::frame::{Frame, FrameError, Sought};
use std::cmp::Ordering;

/// One condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    column: String,
    sign: &'static str,
    value: String,
}

/// Signs, the longer before those that they begin with.
const SIGNS: [&str; 6] = ["!=", "<=", ">=", "<", ">", "="];

/// Why a condition cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FilterError {
    /// No sign in it.
    #[error("--where {0}: expected a column, one of = != < <= > >=, and a value, as in depth>=5")]
    NoSign(String),
    /// Words cannot be put in order: the condition and its right side.
    #[error("--where {0}: `{1}` is no number: only = and != compare words")]
    NoNumber(String, String),
    /// The condition's column.
    #[error("--where {0}: {1}")]
    Column(String, FrameError),
}

impl Filter {
    /// What it is a condition on.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// Reads a condition and finds its column.
    ///
    /// # Errors
    /// When it is no condition, or there is no such column.
    pub fn parse(text: &str, frame: &Frame) -> Result<Self, FilterError> {
        let signed = text.find(['=', '!', '<', '>']).and_then(|place| {
            let (name, rest) = text.split_at(place);
            SIGNS.into_iter().find_map(|sign| Some((name, sign, rest.strip_prefix(sign)?.trim().to_owned())))
        });
        let (name, sign, value) = signed.ok_or_else(|| FilterError::NoSign(text.to_owned()))?;
        if !matches!(sign, "=" | "!=") && number(&value).is_none() {
            return Err(FilterError::NoNumber(text.to_owned(), value));
        }
        let column = frame
            .resolve(name.trim(), Sought::Condition)
            .map_err(|error| FilterError::Column(text.to_owned(), error))?;
        Ok(Self { column: column.to_owned(), sign, value })
    }

    /// The rows of a frame that meet all conditions.
    pub fn rows(filters: &[Self], frame: &Frame) -> Vec<usize> {
        let mut kept: Vec<usize> = (0..frame.rows()).collect();
        for filter in filters {
            let words = frame.coded(&filter.column);
            // Each different word is judged once.
            let met: Vec<bool> = words.list().iter().map(|word| filter.met(word)).collect();
            kept.retain(|&row| met[words.codes()[row] as usize]);
        }
        kept
    }

    /// What there is of its column, where the value that it asks for is not among it.
    pub fn absent(&self, frame: &Frame) -> Option<String> {
        let words = frame.coded(&self.column);
        if self.sign != "=" || words.list().iter().any(|word| self.met(word)) {
            return None;
        }
        Some(format!("`{}` has no `{}`; there are {}", self.column, self.value, frame.list_quoted(&self.column)))
    }

    fn met(&self, word: &str) -> bool {
        let expected = number(&self.value);
        let same = match (number(word), expected) {
            (Some(found), Some(expected)) => found == expected,
            _ => word == self.value,
        };
        let order = number(word).zip(expected).and_then(|(found, expected)| found.partial_cmp(&expected));
        match self.sign {
            "=" => same,
            "!=" => !same,
            "<" => order.is_some_and(Ordering::is_lt),
            "<=" => order.is_some_and(Ordering::is_le),
            ">" => order.is_some_and(Ordering::is_gt),
            _ => order.is_some_and(Ordering::is_ge),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn conditions_choose_rows() {
        let text = "variant,position,depth,search.nodes,table.size\na,p,1,10,64 KiB\na,p,2,20,64 KiB\nb,q,2,30,1 MiB\nc,q,2,5,\n";
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let rows = |conditions: &[&str]| {
            let filters: Vec<Filter> = conditions.iter().map(|text| Filter::parse(text, &frame).unwrap()).collect();
            Filter::rows(&filters, &frame)
        };
        assert_eq!(rows(&["depth>=2"]), [1, 2, 3]);
        // Every sign at, below and above its number.
        for (condition, met) in
            [("<20", &[0, 3][..]), ("<=20", &[0, 1, 3]), ("=20", &[1]), (">=20", &[1, 2]), (">20", &[2])]
        {
            assert_eq!(rows(&[&format!("nodes{condition}")]), met, "{condition}");
        }
        assert_eq!(rows(&["nodes!=20"]), [0, 2, 3]);
        assert_eq!(rows(&["depth = 2", "position=p"]), [1]);
        assert_eq!(rows(&["nodes<20"]), [0, 3]);
        assert_eq!(rows(&["size>64 KiB"]), [2], "sizes are numbers, and no size is none");
        assert_eq!(rows(&["size=65536 B"]), [0, 1]);
        assert_eq!(rows(&["variant!=a"]), [2, 3]);
        assert_eq!(rows(&["size="]), [3]);
        for (bad, expected) in [
            ("depth", "expected a column"),
            ("position>p", "no number"),
            ("dept=2", "did you mean `depth`"),
            ("a!b", "expected"),
        ] {
            let error = Filter::parse(bad, &frame).unwrap_err().to_string();
            assert!(error.contains(expected), "{bad}: {error}");
        }
    }

    /// Told of a value that no row has, with what there is; not of one that some have, nor of a condition by another sign.
    #[test]
    fn a_value_that_no_row_has_is_told() {
        let frame = Frame::parse("variant,position,depth,search.nodes\na,p,1,10\nb,p,2,20\n".as_bytes(), "t").unwrap();
        let absent = |text: &str| Filter::parse(text, &frame).unwrap().absent(&frame);
        for met in ["variant=a", "variant = b", "depth=2", "variant!=z", "depth>9", "nodes<=1"] {
            assert_eq!(absent(met), None, "{met}");
        }
        let message = absent("variant=z").unwrap();
        assert!(
            message.starts_with("`variant` has no `z`; there are ") && message.contains('a') && message.contains('b'),
            "{message}"
        );
        assert!(absent("depth=3").unwrap().starts_with("`depth` has no `3`; "));
    }
}
