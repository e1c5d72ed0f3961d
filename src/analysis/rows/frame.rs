//! Rows by column: results files read for analysis.

use super::column::{SEED, SOURCE, TextColumn, Values};
use super::missing::{MissingColumns, ThinRowsError};
use crate::experiment::problem::{list_quoted, nearest as nearest_name};
use crate::record::columns;
use std::borrow::Cow;

/// A table of rows, by column. Columns that no analysis uses are not loaded: the id, the principal
/// variation, the checksum and the scores of games.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    pub(super) names: Vec<String>,
    pub(super) columns: Vec<Values>,
    pub(super) rows: usize,
    /// For thin rows: the columns that they lack.
    pub(super) missing: Option<MissingColumns>,
}

/// Why a results file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// A file that cannot be read, or is no results file: its path, and why.
    #[error("{0}: {1}")]
    File(String, String),
    /// A line that cannot be read: the file, the line number from 1, and why.
    #[error("{0}:{1}: {2}")]
    Line(String, u64, String),
    /// A column with negative numbers.
    #[error(
        "`{0}` can be negative, so it has no ratio and is no metric (`other_score` counts the searches whose score differs)"
    )]
    NoRatio(String),
    /// No column of that name.
    #[error("there is no column `{name}`{}", hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default())]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// What to do instead, often the nearest name.
        hint: Option<String>,
    },
    /// A column of words used as numbers.
    #[error("`{0}` holds words, not numbers, so it is no metric")]
    NoNumbers(String),
    /// Thin rows lack what is asked.
    #[error(transparent)]
    ThinRows(#[from] ThinRowsError),
    /// Several columns end in that name: the name, and what it may mean.
    #[error("`{}` may be {}: write it out", .0, .1.join(" or "))]
    Ambiguous(String, Vec<String>),
}

/// What a column name is used for, which decides between columns with the same ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// Numbers: a counter has precedence over an option.
    Metric,
    /// Groups: an option has precedence over a counter.
    Group,
    Filter,
}

/// The error for a name that several columns end in; a column without a path is shown with `row.`.
fn ambiguous(name: &str, columns: &[&str]) -> FrameError {
    let shown = |column: &&str| format!("`{}{column}`", if column.contains('.') { "" } else { columns::ROW });
    FrameError::Ambiguous(name.to_owned(), columns.iter().map(shown).collect())
}

/// Columns that analysis adds: no options.
const ADDED_COLUMNS: &[&str] = &[SOURCE, SEED];

impl Frame {
    /// Appends the rows of another frame; a column that only one of them has is empty in the
    /// other's rows.
    pub fn append(&mut self, other: &Self) {
        for (name, values) in other.names.iter().zip(&other.columns) {
            if !self.names.contains(name) {
                self.names.push(name.clone());
                self.columns.push(values.blank(self.rows));
            }
        }
        for (name, values) in self.names.iter().zip(&mut self.columns) {
            values.append(other.column(name), other.rows);
        }
        self.rows += other.rows;
        if let Some(missing) = &other.missing {
            self.missing.get_or_insert_default().merge(missing);
        }
    }

    /// What thin rows lack; none for full rows.
    pub fn missing_columns(&self) -> Option<&MissingColumns> {
        self.missing.as_ref()
    }

    /// Removes the columns that thin rows store once a search or once a variant, before rows are
    /// compared one by one.
    pub fn without_partial(&mut self) {
        let Some(missing) = &self.missing else { return };
        let kept: Vec<bool> = self.names.iter().map(|name| !missing.is_partial(name)).collect();
        let mut keep = kept.iter();
        self.names.retain(|_| keep.next() == Some(&true));
        let mut keep = kept.iter();
        self.columns.retain(|_| keep.next() == Some(&true));
    }

    /// Sets a column to one string in every row; replaces a column of that name.
    pub fn set_word(&mut self, name: &str, word: &str) {
        self.set_column(name, Values::Text(TextColumn::repeat(word, self.rows)));
    }

    /// As [`Frame::set_word`], with a string for each row.
    pub fn set_words(&mut self, name: &str, word: impl Fn(usize) -> String) {
        let mut words = TextColumn::default();
        (0..self.rows).for_each(|row| words.push(&word(row)));
        self.set_column(name, Values::Text(words));
    }

    /// As [`Frame::set_word`], with a number for each row.
    pub fn set_numbers(&mut self, name: &str, number: impl Fn(usize) -> f64) {
        self.set_column(name, Values::Numbers((0..self.rows).map(number).collect()));
    }

    fn set_column(&mut self, name: &str, values: Values) {
        match self.names.iter().position(|known| known == name) {
            Some(index) => self.columns[index] = values,
            None => {
                self.names.push(name.to_owned());
                self.columns.push(values);
            }
        }
    }

    /// The chosen rows as a frame.
    pub fn take(&self, rows: &[usize]) -> Self {
        Self {
            names: self.names.clone(),
            columns: self.columns.iter().map(|values| values.take(rows)).collect(),
            rows: rows.len(),
            missing: self.missing.clone(),
        }
    }

    /// As [`Frame::take`], but with only the named counters (numeric columns with a dot in their
    /// names).
    pub fn take_with_counters(&self, rows: &[usize], counters: &[&str]) -> Self {
        let mut lean = Self { rows: rows.len(), missing: self.missing.clone(), ..Self::default() };
        for (name, values) in self.names.iter().zip(&self.columns) {
            if matches!(values, Values::Text(_)) || !name.contains('.') || counters.contains(&name.as_str()) {
                lean.names.push(name.clone());
                lean.columns.push(values.take(rows));
            }
        }
        lean
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns' names, in the file's order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether there is a column of that name.
    pub fn has(&self, name: &str) -> bool {
        self.column(name).is_some()
    }

    /// The columns that are options.
    pub fn options(&self) -> Vec<&str> {
        let option = |name: &&str| !ADDED_COLUMNS.contains(name) && columns::role(name) == columns::Role::Option;
        self.names.iter().map(String::as_str).filter(option).collect()
    }

    fn column(&self, name: &str) -> Option<&Values> {
        self.names.iter().position(|known| known == name).map(|index| &self.columns[index])
    }

    /// The full name of a column that a user named: by its whole name or a unique ending (`nodes`
    /// for `search.nodes`, `policy` for `table.policy.kind`). The prefix `row.` excludes options.
    ///
    /// # Errors
    /// If there is none, with the nearest name; if several match.
    pub fn resolve<'a>(&'a self, name: &str, lookup: Lookup) -> Result<&'a str, FrameError> {
        let unknown = || {
            if let Some(error) = self.missing.as_ref().and_then(|lacks| lacks.column_error(name)) {
                return error.into();
            }
            let hint = if name == SOURCE {
                // Only joined results have it.
                Some("only several joined results have it, and one was given".to_owned())
            } else if name.starts_with("limit.") && self.has(columns::LIMIT) {
                Some(format!("`{}` says what ended the searches: {}", columns::LIMIT, self.list_values(columns::LIMIT)))
            } else {
                // `table.policy.kind` is also called `table.policy`.
                let short = self.names.iter().filter_map(|known| known.strip_suffix(".kind"));
                nearest_name(name, self.names.iter().map(String::as_str).chain(short))
            };
            FrameError::Unknown { name: name.to_owned(), hint }
        };
        if let Some(own) = name.strip_prefix(columns::ROW) {
            let own = self.names.iter().find(|known| *known == own && columns::role(known) != columns::Role::Option);
            return own.map(String::as_str).ok_or_else(unknown);
        }
        let options = self.options();
        let (mut choices, mut own): (Vec<&str>, Vec<&str>) = self
            .names
            .iter()
            .map(String::as_str)
            .filter(|known| columns::may_mean(name, known))
            .partition(|known| options.contains(known));
        let exact = |list: &[&'a str]| list.iter().copied().find(|known| *known == name);
        if let Some(exact) = exact(&choices) {
            return Ok(exact);
        }
        if let Some(exact) = exact(&own) {
            // A column that every row has by that very name has precedence over an option's ending;
            // a state such as `slots` has not.
            if name.contains('.') || columns::role(name) != columns::Role::Last {
                return Ok(exact);
            }
            if lookup == Lookup::Filter
                && choices.is_empty()
                && let Some(also) = crate::experiment::schema::option_paths().find(|path| columns::may_mean(name, path))
            {
                return Err(ambiguous(name, &[name, &format!("{also} (which does not vary here)")]));
            }
            own = vec![exact];
        }
        match lookup {
            Lookup::Metric if !own.is_empty() => choices.clear(),
            // Counts are not grouped by.
            Lookup::Group if !choices.is_empty() => {
                own.retain(|known| matches!(columns::role(known), columns::Role::Key | columns::Role::Word));
            }
            _ => {}
        }
        own.extend(choices);
        match own.as_slice() {
            [only] => Ok(only),
            [] => Err(unknown()),
            several => Err(ambiguous(name, several)),
        }
    }

    /// The first few values of a column, for messages.
    pub(super) fn list_values(&self, name: &str) -> String {
        list_quoted(self.text_column(name).list().iter().map(String::as_str).filter(|word| !word.is_empty()))
    }

    /// A column as numbers; NaN where the text is no number or there is no such column.
    pub fn numbers(&self, name: &str) -> Cow<'_, [f64]> {
        match self.column(name) {
            Some(values) => values.numbers(),
            None => Cow::Owned(vec![f64::NAN; self.rows]),
        }
    }

    /// A field as text; empty if there is no such column.
    pub fn text(&self, name: &str, row: usize) -> Cow<'_, str> {
        self.column(name).map_or(Cow::Borrowed(""), |values| values.text(row))
    }

    /// A column as dictionary-encoded strings; numbers are formatted.
    pub fn text_column(&self, name: &str) -> Cow<'_, TextColumn> {
        match self.column(name) {
            Some(Values::Text(words)) => Cow::Borrowed(words),
            Some(numbers) => {
                let mut words = TextColumn::default();
                (0..self.rows).for_each(|row| words.push(&numbers.text(row)));
                Cow::Owned(words)
            }
            None => Cow::Owned(TextColumn::repeat("", self.rows)),
        }
    }

    /// A column's codes and strings; none for numbers.
    pub fn words(&self, name: &str) -> Option<(&[u32], &[String])> {
        match self.column(name)? {
            Values::Text(words) => Some((words.codes(), words.list())),
            Values::Numbers(_) => None,
        }
    }

    /// A test whether two rows differ in a column; two missing numbers are equal.
    pub fn differ(&self, name: &str) -> impl Fn(usize, usize) -> bool + '_ {
        let values = self.column(name);
        move |one, other| match values {
            Some(Values::Numbers(numbers)) => {
                numbers[one] != numbers[other] && !(numbers[one].is_nan() && numbers[other].is_nan())
            }
            Some(Values::Text(words)) => words.codes()[one] != words.codes()[other],
            None => false,
        }
    }

    /// The rows for which a condition holds.
    pub fn select(&self, keep: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.rows).filter(|&row| keep(row)).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A name that is both a row's column and an option's ending is resolved by its use.
    #[test]
    fn ambiguous_name_is_resolved_by_its_use() {
        let resolve = |header: &str, name: &str| {
            let frame =
                Frame::parse(format!("variant,position,depth,search.nodes,{header}\n").as_bytes(), "t").unwrap();
            [Lookup::Metric, Lookup::Group, Lookup::Filter]
                .map(|expected| frame.resolve(name, expected).map(str::to_owned).map_err(|error| error.to_string()))
        };
        let all = |name: &str| [(); 3].map(|()| Ok(name.to_owned()));
        assert_eq!(resolve("table.size", "nodes"), all("search.nodes"));
        assert_eq!(resolve("table.policy.kind", "policy"), all("table.policy.kind"));
        // The slots that a table has, and those that the option asks for.
        let [figure, group, condition] = resolve("slots,table.slots", "slots");
        assert_eq!((figure, group), (Ok("slots".to_owned()), Ok("table.slots".to_owned())));
        let message = condition.unwrap_err();
        assert!(message.contains("`slots`"), "{message}");
        assert!(message.contains("`table.slots`"), "{message}");
        assert_eq!(resolve("slots,table.slots", "table.slots"), all("table.slots"));
        assert_eq!(resolve("slots,table.slots", "row.slots"), all("slots"));
        for message in resolve("table.size", "source").map(Result::unwrap_err) {
            assert_eq!(message, "there is no column `source`: only several joined results have it, and one was given");
        }
        // If the option does not vary, groups can only mean the row's column; a filter may still
        // mean the option.
        let [figure, group, condition] = resolve("slots", "slots");
        assert_eq!((figure, group), (Ok("slots".to_owned()), Ok("slots".to_owned())));
        assert!(condition.unwrap_err().contains("table.slots (which does not vary here)"));
        // A key column has precedence over an option's ending.
        assert_eq!(resolve("limit.depth", "depth"), all("depth"));
        assert_eq!(resolve("limit.depth", "row.depth"), all("depth"));
        for message in resolve("table.size", "siez").map(Result::unwrap_err) {
            assert!(message.contains("siez"), "{message}");
            assert!(message.contains("size"), "{message}");
        }
        assert!(resolve("table.size", "row.size").iter().all(Result::is_err), "an option is no column of the rows");
    }
}
