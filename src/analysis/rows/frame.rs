//! Stores the rows of results by column.

use super::column::{NumberColumn, SEED, SOURCE, TextColumn, Values};
use crate::experiment::problem::{list_quoted, nearest as nearest_name};
use crate::record::columns;
use std::borrow::Cow;

/// A table of rows, stored by column. Columns that no analysis uses are not loaded, such as the id,
/// the principal variation and the checksum.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    pub(super) names: Vec<String>,
    pub(super) columns: Vec<Values>,
    pub(super) rows: usize,
}

/// Why a results file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// A file cannot be read, or is not a results file. Holds the path and the reason.
    #[error("{0}: {1}")]
    File(String, String),
    /// A file has no rows. Holds the path.
    #[error("{0}: there are no rows yet")]
    NoRows(String),
    /// A line cannot be read. Holds the file, the line number counted from 1, and the reason.
    #[error("{0}:{1}: {2}")]
    Line(String, u64, String),
    /// A column may contain negative numbers.
    #[error(
        "`{0}` can be negative, so it has no ratio and is not a metric (`other_score` counts the searches whose \
         score differs)"
    )]
    NoRatio(String),
    /// There is no column of that name.
    #[error("there is no column `{name}`{}", hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default())]
    Unknown {
        /// The name that no column has.
        name: String,
        /// What to do instead. Often this is the nearest name.
        hint: Option<String>,
    },
    /// A column that contains text was used as a metric.
    #[error("`{0}` contains text, not numbers, so it is not a metric")]
    NoNumbers(String),
    /// Several columns end in that name. Holds the name and the columns that the name may mean.
    #[error("`{}` is ambiguous ({}): write the full name", .0, .1.join(" or "))]
    Ambiguous(String, Vec<String>),
}

/// What the name of a column is used for. If the name may mean several columns, this decides which
/// column is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// The name of a metric. A counter has precedence over an option.
    Metric,
    /// The name of a column that rows are grouped by. An option has precedence over a counter.
    Group,
    /// The name of a column in a condition. It is an error if the name may mean a counter and an
    /// option.
    Filter,
}

/// Returns the error for a name that may mean several columns. Columns whose names contain no dot
/// are listed with the prefix `row.`.
fn ambiguous(name: &str, columns: &[&str]) -> FrameError {
    let quote = |column: &&str| format!("`{}{column}`", if column.contains('.') { "" } else { columns::ROW });
    FrameError::Ambiguous(name.to_owned(), columns.iter().map(quote).collect())
}

/// Columns that the analysis adds. They are not options.
const ADDED_COLUMNS: &[&str] = &[SOURCE, SEED];

impl Frame {
    /// Appends the rows of another frame. If only one of the two frames has a column, the column is
    /// empty in the rows of the other frame.
    pub fn append(&mut self, mut other: Self) {
        for (name, values) in other.names.iter().zip(&other.columns) {
            if !self.names.contains(name) {
                self.names.push(name.clone());
                self.columns.push(values.blank(self.rows));
            }
        }
        for (name, values) in self.names.iter().zip(&mut self.columns) {
            match other.names.iter().position(|other_name| other_name == name) {
                // Each column is dropped before the next one is copied.
                Some(index) => values.append(&std::mem::replace(&mut other.columns[index], Values::empty(name))),
                None if other.rows == 0 => {}
                None => values.append(&values.blank(other.rows)),
            }
        }
        self.rows += other.rows;
    }

    /// Sets a column to the same string in every row. An existing column of that name is replaced.
    pub fn set_word(&mut self, name: &str, word: &str) {
        self.set_column(name, Values::Text(TextColumn::repeat(word, self.rows)));
    }

    /// Sets a column to the string that `text_of_row` returns for each row. An existing column of
    /// that name is replaced.
    pub fn set_texts(&mut self, name: &str, text_of_row: impl Fn(usize) -> String) {
        let mut texts = TextColumn::default();
        (0..self.rows).for_each(|row| texts.push(text_of_row(row).as_bytes()));
        self.set_column(name, Values::Text(texts));
    }

    /// Sets a column to the number that `number_of_row` returns for each row. An existing column of
    /// that name is replaced.
    pub fn set_numbers(&mut self, name: &str, number_of_row: impl Fn(usize) -> f64) {
        self.set_column(name, Values::Numbers((0..self.rows).map(number_of_row).collect()));
    }

    /// Adds a column, or replaces an existing column of that name.
    fn set_column(&mut self, name: &str, values: Values) {
        match self.names.iter().position(|existing| existing == name) {
            Some(index) => self.columns[index] = values,
            None => {
                self.names.push(name.to_owned());
                self.columns.push(values);
            }
        }
    }

    /// Returns a frame of the chosen rows, in the given order.
    pub fn take(&self, rows: &[usize]) -> Self {
        Self {
            names: self.names.clone(),
            columns: self.columns.iter().map(|values| values.take(rows)).collect(),
            rows: rows.len(),
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the names of the columns, in the order of the file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether there is a column of that name.
    pub fn has(&self, name: &str) -> bool {
        self.column(name).is_some()
    }

    /// Returns the names of the columns that are options.
    pub fn options(&self) -> Vec<&str> {
        let is_option = |name: &&str| !ADDED_COLUMNS.contains(name) && columns::role(name) == columns::Role::Option;
        self.names.iter().map(String::as_str).filter(is_option).collect()
    }

    pub(crate) fn column(&self, name: &str) -> Option<&Values> {
        self.names.iter().position(|existing| existing == name).map(|index| &self.columns[index])
    }

    /// Returns the full name of the column that the user calls `name`. The user may write the full
    /// name or the end of exactly one column's name, as in `nodes` for `search.nodes` or `policy`
    /// for `table.policy.kind`. If the name begins with `row.`, it cannot mean an option.
    ///
    /// # Errors
    /// If no column matches the name, or if several columns match.
    pub fn resolve<'a>(&'a self, name: &str, lookup: Lookup) -> Result<&'a str, FrameError> {
        let unknown_error = || {
            let hint = if name == SOURCE {
                // Only joined results have this column.
                Some("only joined results have it, but one result was given".to_owned())
            } else if name.starts_with("limit.") && self.has(columns::LIMIT) {
                Some(format!("`{}` says what ended the searches: {}", columns::LIMIT, self.list_values(columns::LIMIT)))
            } else {
                // `table.policy.kind` is also called `table.policy`.
                let names_without_kind = self.names.iter().filter_map(|column| column.strip_suffix(".kind"));
                nearest_name(name, self.names.iter().map(String::as_str).chain(names_without_kind))
            };
            FrameError::Unknown { name: name.to_owned(), hint }
        };
        if let Some(bare_name) = name.strip_prefix(columns::ROW) {
            let column =
                self.names.iter().find(|column| *column == bare_name && columns::role(column) != columns::Role::Option);
            return column.map(String::as_str).ok_or_else(unknown_error);
        }
        let options = self.options();
        let (mut option_columns, mut row_columns): (Vec<&str>, Vec<&str>) = self
            .names
            .iter()
            .map(String::as_str)
            .filter(|column| columns::refers_to(name, column))
            .partition(|column| options.contains(column));
        let find_exact = |list: &[&'a str]| list.iter().copied().find(|column| *column == name);
        if let Some(exact) = find_exact(&option_columns) {
            return Ok(exact);
        }
        if let Some(exact) = find_exact(&row_columns) {
            // A column of exactly that name has precedence over options that end in the name. This
            // does not hold for a state such as `slots`.
            if name.contains('.') || columns::role(name) != columns::Role::Last {
                return Ok(exact);
            }
            if lookup == Lookup::Filter
                && option_columns.is_empty()
                && let Some(option) =
                    crate::experiment::schema::option_paths().find(|path| columns::refers_to(name, path))
            {
                return Err(ambiguous(name, &[name, &format!("{option} (which does not vary here)")]));
            }
            row_columns = vec![exact];
        }
        match lookup {
            Lookup::Metric if !row_columns.is_empty() => option_columns.clear(),
            // If an option matches, a count cannot be meant: rows are not grouped by counts.
            Lookup::Group if !option_columns.is_empty() => {
                row_columns.retain(|column| matches!(columns::role(column), columns::Role::Key | columns::Role::Word));
            }
            _ => {}
        }
        row_columns.extend(option_columns);
        match row_columns.as_slice() {
            [column] => Ok(column),
            [] => Err(unknown_error()),
            columns => Err(ambiguous(name, columns)),
        }
    }

    /// Lists the first few values of a column, for messages.
    pub(super) fn list_values(&self, name: &str) -> String {
        list_quoted(self.text_column(name).list().iter().map(String::as_str).filter(|word| !word.is_empty()))
    }

    /// Returns a column as numbers. A text that is not a number becomes NaN. All numbers are NaN if
    /// there is no such column.
    pub fn numbers(&self, name: &str) -> Vec<f64> {
        self.number_column(name).iter().collect()
    }

    /// Returns a column as numbers in the form in which they are stored, which needs less memory
    /// than [`Frame::numbers`].
    pub(crate) fn number_column(&self, name: &str) -> Cow<'_, NumberColumn> {
        match self.column(name) {
            Some(values) => values.numbers(),
            None => Cow::Owned(std::iter::repeat_n(f64::NAN, self.rows).collect()),
        }
    }

    /// Returns the field of a row in a column as text. Returns an empty text if there is no such
    /// column.
    pub fn text(&self, name: &str, row: usize) -> Cow<'_, str> {
        self.column(name).map_or(Cow::Borrowed(""), |values| values.text(row))
    }

    /// Returns a column as dictionary-encoded strings. Numbers are formatted. All strings are empty
    /// if there is no such column.
    pub fn text_column(&self, name: &str) -> Cow<'_, TextColumn> {
        match self.column(name) {
            Some(Values::Text(texts)) => Cow::Borrowed(texts),
            Some(numbers) => {
                let mut texts = TextColumn::default();
                (0..self.rows).for_each(|row| texts.push(numbers.text(row).as_bytes()));
                Cow::Owned(texts)
            }
            None => Cow::Owned(TextColumn::repeat("", self.rows)),
        }
    }

    /// Returns a function that tests whether two rows differ in a column. Two missing numbers are
    /// equal.
    pub fn rows_differ_in(&self, name: &str) -> impl Fn(usize, usize) -> bool + '_ {
        let values = self.column(name);
        move |a, b| match values {
            Some(Values::Numbers(numbers)) => {
                let (a, b) = (numbers.get(a), numbers.get(b));
                a != b && !(a.is_nan() && b.is_nan())
            }
            Some(Values::Text(texts)) => texts.codes().get(a) != texts.codes().get(b),
            None => false,
        }
    }

    /// Returns the indices of the rows for which `keep` returns true.
    pub fn select(&self, keep: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.rows).filter(|&row| keep(row)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The use decides what a name means that is both a column of the rows and an option's ending.
    #[test]
    fn ambiguous_name_is_resolved_by_its_use() {
        let resolve = |header: &str, name: &str| {
            let frame =
                Frame::parse(format!("variant,position,depth,search.nodes,{header}\n").as_bytes(), "t").unwrap();
            [Lookup::Metric, Lookup::Group, Lookup::Filter]
                .map(|lookup| frame.resolve(name, lookup).map(str::to_owned).map_err(|error| error.to_string()))
        };
        let all_resolve_to = |name: &str| [(); 3].map(|()| Ok(name.to_owned()));
        assert_eq!(resolve("table.size", "nodes"), all_resolve_to("search.nodes"));
        assert_eq!(resolve("table.policy.kind", "policy"), all_resolve_to("table.policy.kind"));
        // `slots` is the number of slots that a table has, `table.slots` the number that the option
        // asks for.
        let [metric, group, filter] = resolve("slots,table.slots", "slots");
        assert_eq!((metric, group), (Ok("slots".to_owned()), Ok("table.slots".to_owned())));
        let message = filter.unwrap_err();
        assert!(message.contains("`slots`"), "{message}");
        assert!(message.contains("`table.slots`"), "{message}");
        assert_eq!(resolve("slots,table.slots", "table.slots"), all_resolve_to("table.slots"));
        assert_eq!(resolve("slots,table.slots", "row.slots"), all_resolve_to("slots"));
        for message in resolve("table.size", "source").map(Result::unwrap_err) {
            assert_eq!(message, "there is no column `source`: only joined results have it, but one result was given");
        }
        // If the option does not vary, groups can only mean the row's column; a filter may still
        // mean the option.
        let [metric, group, filter] = resolve("slots", "slots");
        assert_eq!((metric, group), (Ok("slots".to_owned()), Ok("slots".to_owned())));
        assert!(filter.unwrap_err().contains("table.slots (which does not vary here)"));
        // A key column has precedence over an option's ending.
        assert_eq!(resolve("limit.depth", "depth"), all_resolve_to("depth"));
        assert_eq!(resolve("limit.depth", "row.depth"), all_resolve_to("depth"));
        for message in resolve("table.size", "siez").map(Result::unwrap_err) {
            assert!(message.contains("siez"), "{message}");
            assert!(message.contains("size"), "{message}");
        }
        assert!(resolve("table.size", "row.size").iter().all(Result::is_err), "an option is no column of the rows");
    }
}
