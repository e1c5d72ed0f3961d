//! Conditions on rows, as in `--where depth>=5`, `--where table.policy.kind=always` or
//! `--where position!=BK.01`.

use super::axes::parse_number;
use super::frame::{Frame, FrameError, Lookup};
use crate::experiment::relation::Relation;

#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    column: String,
    relation: Relation,
    value: String,
}

#[derive(Debug, thiserror::Error)]
pub enum FilterError {
    #[error("--where {0}: expected a column, one of = != < <= > >=, and a value, as in depth>=5")]
    NoOperator(String),
    /// The condition uses an operator such as `<`, but its value is not a number. Holds the
    /// condition and the value.
    #[error("--where {0}: `{1}` is not a number; use = or != to compare text")]
    NotANumber(String, String),
    /// The name of the column cannot be resolved. Holds the condition and the reason.
    #[error("--where {0}: {1}")]
    Column(String, FrameError),
}

impl Filter {
    pub fn column(&self) -> &str {
        &self.column
    }

    /// Parses a condition and finds its column in the frame.
    ///
    /// # Errors
    /// If the condition has no operator, if it compares text by an operator such as `<`, or if it
    /// does not name a column of the frame.
    pub fn parse(text: &str, frame: &Frame) -> Result<Self, FilterError> {
        let (name, relation, value) = Relation::split(text).ok_or_else(|| FilterError::NoOperator(text.to_owned()))?;
        let value = value.to_owned();
        if !matches!(relation, Relation::Equal | Relation::NotEqual) && parse_number(&value).is_none() {
            return Err(FilterError::NotANumber(text.to_owned(), value));
        }
        let column =
            frame.resolve(name, Lookup::Filter).map_err(|error| FilterError::Column(text.to_owned(), error))?;
        Ok(Self { column: column.to_owned(), relation, value })
    }

    pub fn select_rows(filters: &[Self], frame: &Frame) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..frame.rows()).collect();
        for filter in filters {
            let column = frame.text_column(&filter.column);
            // Each distinct text is tested only once.
            let is_accepted: Vec<bool> = column.list().iter().map(|text| filter.accepts(text)).collect();
            rows.retain(|&row| is_accepted[column.codes().get(row) as usize]);
        }
        rows
    }

    pub fn describe_missing_value(&self, frame: &Frame) -> Option<String> {
        let texts = frame.text_column(&self.column);
        if self.relation != Relation::Equal || texts.list().iter().any(|text| self.accepts(text)) {
            return None;
        }
        Some(format!(
            "`{}` has no value `{}`; its values are {}",
            self.column,
            self.value,
            frame.list_values(&self.column)
        ))
    }

    /// Whether `text` meets the condition. A text that is not a number never meets a condition with
    /// an operator such as `<`.
    fn accepts(&self, text: &str) -> bool {
        match (self.relation, parse_number(text).zip(parse_number(&self.value))) {
            (Relation::Equal, None) => text == self.value,
            (Relation::NotEqual, None) => text != self.value,
            (relation, numbers) => numbers.is_some_and(|(number, limit)| relation.holds(number, limit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_choose_rows() {
        let text = "variant,position,depth,search.nodes,table.size\na,p,1,10,64 KiB\na,p,2,20,64 KiB\nb,q,2,30,1 MiB\nc,q,2,5,\n";
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let selected_rows = |conditions: &[&str]| {
            let filters: Vec<Filter> = conditions.iter().map(|text| Filter::parse(text, &frame).unwrap()).collect();
            Filter::select_rows(&filters, &frame)
        };
        assert_eq!(selected_rows(&["depth>=2"]), [1, 2, 3]);
        // Every operator, with values below, at and above its number.
        for (condition, expected) in
            [("<20", &[0, 3][..]), ("<=20", &[0, 1, 3]), ("=20", &[1]), (">=20", &[1, 2]), (">20", &[2])]
        {
            assert_eq!(selected_rows(&[&format!("nodes{condition}")]), expected, "{condition}");
        }
        assert_eq!(selected_rows(&["nodes!=20"]), [0, 2, 3]);
        assert_eq!(selected_rows(&["depth = 2", "position=p"]), [1]);
        assert_eq!(selected_rows(&["nodes<20"]), [0, 3]);
        assert_eq!(selected_rows(&["size>64 KiB"]), [2], "sizes are compared as numbers, and an empty size is none");
        assert_eq!(selected_rows(&["size=65536 B"]), [0, 1]);
        assert_eq!(selected_rows(&["variant!=a"]), [2, 3]);
        assert_eq!(selected_rows(&["size="]), [3]);
        for (bad, expected) in [
            ("depth", "expected a column"),
            ("position>p", "is not a number"),
            ("dept=2", "did you mean `depth`"),
            ("a!b", "expected"),
        ] {
            let error = Filter::parse(bad, &frame).unwrap_err().to_string();
            assert!(error.contains(expected), "{bad}: {error}");
        }
    }

    /// Only `=` with a value that no row has is reported, with the values that exist.
    #[test]
    fn filter_reports_a_value_that_no_row_has() {
        let frame = Frame::parse("variant,position,depth,search.nodes\na,p,1,10\nb,p,2,20\n".as_bytes(), "t").unwrap();
        let describe = |text: &str| Filter::parse(text, &frame).unwrap().describe_missing_value(&frame);
        for present in ["variant=a", "variant = b", "depth=2", "variant!=z", "depth>9", "nodes<=1"] {
            assert_eq!(describe(present), None, "{present}");
        }
        let message = describe("variant=z").unwrap();
        assert!(message.starts_with("`variant` has no value `z`; its values are "), "{message}");
        assert!(message.contains('a'), "{message}");
        assert!(message.contains('b'), "{message}");
        assert!(describe("depth=3").unwrap().starts_with("`depth` has no value `3`; "));
    }
}
