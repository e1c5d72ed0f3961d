//! Rows by column: results files read for analysis.

use super::column::{SEED, SOURCE, Values, Words};
use super::lacks::{LackError, Lacks};
use crate::experiment::problem::{list_quoted, nearest as nearest_name};
use crate::record::columns;
use std::borrow::Cow;

/// A table of rows, by column. What no analysis asks for is left out: the id, the principal variation, the check, and of games where they
/// began and the scores.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    pub(super) names: Vec<String>,
    pub(super) columns: Vec<Values>,
    pub(super) rows: usize,
    /// Of thin rows: what they lack.
    pub(super) lacks: Option<Lacks>,
}

/// Why a results file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// A file that cannot be read, or is no results file: which, and why.
    #[error("{0}: {1}")]
    File(String, String),
    /// A line that cannot be read: of which file, which from 1, and why.
    #[error("{0}:{1}: {2}")]
    Line(String, u64, String),
    /// A column of numbers that may be less than nothing.
    #[error(
        "`{0}` may be negative: it has no ratio, and is no metric (`other_score` counts searches that end with another one)"
    )]
    NoRatio(String),
    /// No column of that name.
    #[error("there is no column `{name}`{}", hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default())]
    Unknown {
        /// The name asked for.
        name: String,
        /// The nearest one.
        hint: Option<String>,
    },
    /// A column of words where numbers are wanted.
    #[error("`{0}` holds words, not numbers: it is no metric")]
    NoNumbers(String),
    /// Thin rows do not have what is asked of them.
    #[error(transparent)]
    ShardGap(#[from] LackError),
    /// Several columns end like that: the name asked for, and what it may mean.
    #[error("`{}` may be {}: write it out", .0, .1.join(" or "))]
    Ambiguous(String, Vec<String>),
}

/// What a column is looked up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sought {
    /// Its numbers: a counter goes before an option that ends alike.
    Figure,
    /// To tell groups apart by: an option goes before a counter.
    Group,
    /// To choose rows by: anything, so nothing goes before anything.
    Condition,
}

/// The error of a name that several columns end with; those without a path of their own get one.
fn ambiguous(name: &str, columns: &[&str]) -> FrameError {
    let shown = |column: &&str| format!("`{}{column}`", if column.contains('.') { "" } else { columns::ROW });
    FrameError::Ambiguous(name.to_owned(), columns.iter().map(shown).collect())
}

/// Columns that analysis adds: no options.
const JOINED: &[&str] = &[SOURCE, SEED];

impl Frame {
    /// Appends the rows of another frame; columns that only one of them has are empty in the other's rows.
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
        if let Some(lacks) = &other.lacks {
            self.lacks.get_or_insert_default().join(lacks);
        }
    }

    /// What thin rows lack; none of full ones.
    pub fn lacks(&self) -> Option<&Lacks> {
        self.lacks.as_ref()
    }

    /// Takes away what thin rows keep once a search or a variant: rows are looked at one by one.
    pub fn without_partial(&mut self) {
        let Some(lacks) = &self.lacks else { return };
        let kept: Vec<bool> = self.names.iter().map(|name| !lacks.is_partial(name)).collect();
        let mut keep = kept.iter();
        self.names.retain(|_| keep.next() == Some(&true));
        let mut keep = kept.iter();
        self.columns.retain(|_| keep.next() == Some(&true));
    }

    /// Adds a column that has one word in every row; one of that name is replaced.
    pub fn put(&mut self, name: &str, word: &str) {
        self.lay(name, Values::Words(Words::of(word, self.rows)));
    }

    /// As [`Frame::put`], with a word for each row.
    pub fn put_words(&mut self, name: &str, word: impl Fn(usize) -> String) {
        let mut words = Words::default();
        (0..self.rows).for_each(|row| words.push(&word(row)));
        self.lay(name, Values::Words(words));
    }

    /// As [`Frame::put`], with a number for each row.
    pub fn put_numbers(&mut self, name: &str, number: impl Fn(usize) -> f64) {
        self.lay(name, Values::Numbers((0..self.rows).map(number).collect()));
    }

    fn lay(&mut self, name: &str, values: Values) {
        match self.names.iter().position(|known| known == name) {
            Some(at) => self.columns[at] = values,
            None => {
                self.names.push(name.to_owned());
                self.columns.push(values);
            }
        }
    }

    /// The rows given, as a frame of their own.
    pub fn take(&self, rows: &[usize]) -> Self {
        Self {
            names: self.names.clone(),
            columns: self.columns.iter().map(|values| values.take(rows)).collect(),
            rows: rows.len(),
            lacks: self.lacks.clone(),
        }
    }

    /// As [`Frame::take`], but of the counters (columns of numbers with a dot in their names) only those named.
    pub fn take_lean(&self, rows: &[usize], counters: &[&str]) -> Self {
        let mut lean = Self { rows: rows.len(), lacks: self.lacks.clone(), ..Self::default() };
        for (name, values) in self.names.iter().zip(&self.columns) {
            if matches!(values, Values::Words(_)) || !name.contains('.') || counters.contains(&name.as_str()) {
                lean.names.push(name.clone());
                lean.columns.push(values.take(rows));
            }
        }
        lean
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether there is a column of that name.
    pub fn has(&self, name: &str) -> bool {
        self.column(name).is_some()
    }

    /// The columns that are options: those that vary between variants.
    pub fn options(&self) -> Vec<&str> {
        let option = |name: &&str| !JOINED.contains(name) && columns::role(name) == columns::Role::Option;
        self.names.iter().map(String::as_str).filter(option).collect()
    }

    fn column(&self, name: &str) -> Option<&Values> {
        self.names.iter().position(|known| known == name).map(|at| &self.columns[at])
    }

    /// The full name of a column as users write it: by its whole name or the unique end of it (`nodes` for `search.nodes`, `policy`
    /// for `table.policy.kind`); `row.` before it means a column of the rows themselves, no option.
    ///
    /// # Errors
    /// When there is none, with the nearest; when several may be meant.
    pub fn resolve<'a>(&'a self, name: &str, expected: Sought) -> Result<&'a str, FrameError> {
        let unknown = || {
            if let Some(lacking) = self.lacks.as_ref().and_then(|lacks| lacks.error(name)) {
                return lacking.into();
            }
            let hint = if name == SOURCE {
                // Joined results alone have it.
                Some("it tells several results apart, and one was given".to_owned())
            } else if name.starts_with("limit.") && self.has(columns::LIMIT) {
                Some(format!("`{}` says what ended the searches: {}", columns::LIMIT, self.list_quoted(columns::LIMIT)))
            } else {
                // A kind is also called by what it is a kind of.
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
            // What every row has by that very name goes before the end of an option's; a state such as `slots` does not.
            if name.contains('.') || columns::role(name) != columns::Role::Last {
                return Ok(exact);
            }
            if expected == Sought::Condition
                && choices.is_empty()
                && let Some(also) = crate::experiment::schema::option_paths().find(|path| columns::may_mean(name, path))
            {
                return Err(ambiguous(name, &[name, &format!("{also} (which does not vary here)")]));
            }
            own = vec![exact];
        }
        match expected {
            Sought::Figure if !own.is_empty() => choices.clear(),
            // Nobody groups by a count.
            Sought::Group if !choices.is_empty() => {
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

    /// The first few values that there are of a column.
    pub(super) fn list_quoted(&self, name: &str) -> String {
        list_quoted(self.coded(name).list().iter().map(String::as_str).filter(|word| !word.is_empty()))
    }

    /// A whole column as numbers; what is no number is NaN.
    pub fn numbers(&self, name: &str) -> Cow<'_, [f64]> {
        match self.column(name) {
            Some(values) => values.numbers(),
            None => Cow::Owned(vec![f64::NAN; self.rows]),
        }
    }

    /// A field as text; empty where there is no such column.
    pub fn text(&self, name: &str, row: usize) -> Cow<'_, str> {
        self.column(name).map_or(Cow::Borrowed(""), |values| values.text(row))
    }

    /// A column as places in its list of words, and the list: columns of numbers are written out.
    pub fn coded(&self, name: &str) -> Cow<'_, Words> {
        match self.column(name) {
            Some(Values::Words(words)) => Cow::Borrowed(words),
            Some(numbers) => {
                let mut words = Words::default();
                (0..self.rows).for_each(|row| words.push(&numbers.text(row)));
                Cow::Owned(words)
            }
            None => Cow::Owned(Words::of("", self.rows)),
        }
    }

    /// A column of words as places in its word list, and the list; none for columns of numbers.
    pub fn words(&self, name: &str) -> Option<(&[u32], &[String])> {
        match self.column(name)? {
            Values::Words(words) => Some((words.codes(), words.list())),
            Values::Numbers(_) => None,
        }
    }

    /// Whether two rows differ in a column; numbers that are not there are alike.
    pub fn differ(&self, name: &str) -> impl Fn(usize, usize) -> bool + '_ {
        let values = self.column(name);
        move |one, other| match values {
            Some(Values::Numbers(numbers)) => {
                numbers[one] != numbers[other] && !(numbers[one].is_nan() && numbers[other].is_nan())
            }
            Some(Values::Words(words)) => words.codes()[one] != words.codes()[other],
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

    /// A name that is the rows' own and the end of an option's: what it means by what it is asked for.
    #[test]
    fn a_name_means_what_it_is_asked_for() {
        let of = |header: &str, name: &str| {
            let frame =
                Frame::parse(format!("variant,position,depth,search.nodes,{header}\n").as_bytes(), "t").unwrap();
            [Sought::Figure, Sought::Group, Sought::Condition]
                .map(|expected| frame.resolve(name, expected).map(str::to_owned).map_err(|error| error.to_string()))
        };
        let all = |name: &str| [(); 3].map(|()| Ok(name.to_owned()));
        assert_eq!(of("table.size", "nodes"), all("search.nodes"));
        assert_eq!(of("table.policy.kind", "policy"), all("table.policy.kind"));
        // What a table has and what it was to have: counted, grouped by, and not known which.
        let [figure, group, condition] = of("slots,table.slots", "slots");
        assert_eq!((figure, group), (Ok("slots".to_owned()), Ok("table.slots".to_owned())));
        let message = condition.unwrap_err();
        assert!(message.contains("`slots`") && message.contains("`table.slots`"), "{message}");
        assert_eq!(of("slots,table.slots", "table.slots"), all("table.slots"));
        assert_eq!(of("slots,table.slots", "row.slots"), all("slots"));
        for message in of("table.size", "source").map(Result::unwrap_err) {
            assert_eq!(message, "there is no column `source`: it tells several results apart, and one was given");
        }
        // Where the option does not vary, groups of the rows' own are all there are; a condition may have meant it.
        let [figure, group, condition] = of("slots", "slots");
        assert_eq!((figure, group), (Ok("slots".to_owned()), Ok("slots".to_owned())));
        assert!(condition.unwrap_err().contains("table.slots (which does not vary here)"));
        // A key of the rows goes before the end of an option's.
        assert_eq!(of("limit.depth", "depth"), all("depth"));
        assert_eq!(of("limit.depth", "row.depth"), all("depth"));
        for message in of("table.size", "siez").map(Result::unwrap_err) {
            assert!(message.contains("siez") && message.contains("size"), "{message}");
        }
        assert!(of("table.size", "row.size").iter().all(Result::is_err), "an option is no column of the rows");
    }
}
