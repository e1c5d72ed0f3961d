//! A page, which consists of a name and of parts from top to bottom. Pages are rendered by
//! [`markdown`](super::markdown), [`html`](super::html), [`text`](super::text) and
//! [`data`](super::data).

pub use super::emphasis::Emphasis;
use super::figure::Figure;
use super::number::{format_count, format_interval, format_number, format_p, format_percent};
use crate::text::signed;

/// Whether a character must not be on a page. Control characters must not, except line ends.
pub(super) fn is_unprintable(c: char) -> bool {
    c.is_control() && c != '\n'
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sheet {
    /// The kind of page, for programs: `report`, `comparison`, ...
    pub kind: String,
    /// The heading. Empty on a page that needs no heading.
    pub name: String,
    pub parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)] // There are a few dozen on a page.
pub enum Part {
    Question(String),
    /// The author's text, in Markdown.
    Prose(String),
    Findings(Vec<String>),
    Blocker(String),
    Warning(String),
    Heading(String),
    Table(SheetTable),
    Figure(Figure),
    List(String, Vec<String>),
    /// A title and parts that are hidden until the reader opens them.
    Folded(String, Vec<Part>),
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct SheetTable {
    /// The key for programs. It stays the same when the title is reworded.
    pub key: String,
    /// The heading. Empty if the part above the table has a heading.
    pub title: String,
    pub columns: Vec<SheetColumn>,
    /// The rows. Each row has a cell for each column.
    pub rows: Vec<Vec<Cell>>,
    pub note: String,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct SheetColumn {
    /// The key for programs. It stays the same when the heading is reworded.
    pub key: String,
    pub name: String,
    /// What the values mean, with the unit. Shown as a tooltip.
    pub meaning: String,
    pub is_text: bool,
    /// The order in which columns are dropped on a narrow screen. The column with the greatest
    /// order is dropped first, and a column with the order 0 is never dropped.
    pub drop_order: u8,
}

impl SheetColumn {
    pub fn text(key: &str, name: &str, meaning: &str) -> Self {
        Self { is_text: true, ..Self::number(key, name, meaning) }
    }

    pub fn from_names<const N: usize>(names: [&str; N]) -> [Self; N] {
        names.map(|name| Self::text(name, name, ""))
    }

    pub fn number(key: &str, name: &str, meaning: &str) -> Self {
        Self { key: key.to_owned(), name: name.to_owned(), meaning: meaning.to_owned(), ..Self::default() }
    }

    pub fn drop_order(self, drop_order: u8) -> Self {
        Self { drop_order, ..self }
    }
}

/// The head of a column, and the function that makes the cell of the column for a line.
type Entry<'a, L> = (SheetColumn, Box<dyn Fn(&L) -> Cell + 'a>);

/// Builds a table from its columns, from left to right. Each column has a function that makes its
/// cell for a line.
pub struct Entries<'a, L>(Vec<Entry<'a, L>>);

impl<L> Default for Entries<'_, L> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'a, L> Entries<'a, L> {
    /// Adds a column of text. The column is never dropped unless a drop order is set.
    pub fn text(self, key: &str, name: &str, meaning: &str, cell: impl Fn(&L) -> Cell + 'a) -> Self {
        self.push(SheetColumn::text(key, name, meaning), cell)
    }

    /// Adds a column of numbers. The column is never dropped unless a drop order is set.
    pub fn number(self, key: &str, name: &str, meaning: &str, cell: impl Fn(&L) -> Cell + 'a) -> Self {
        self.push(SheetColumn::number(key, name, meaning), cell)
    }

    fn push(mut self, head: SheetColumn, cell: impl Fn(&L) -> Cell + 'a) -> Self {
        self.0.push((head, Box::new(cell)));
        self
    }

    /// Sets the drop order of the column that was added last. On a narrow screen, the column with
    /// the greatest order is dropped first.
    pub fn drop_order(mut self, drop_order: u8) -> Self {
        if let Some((head, _)) = self.0.last_mut() {
            head.drop_order = drop_order;
        }
        self
    }

    pub fn table<'l>(self, key: &str, title: &str, items: impl IntoIterator<Item = &'l L>) -> SheetTable
    where
        L: 'l,
    {
        let make_row = |item: &L| self.0.iter().map(|(_, cell)| cell(item)).collect::<Vec<_>>();
        let rows: Vec<Vec<Cell>> = items.into_iter().map(make_row).collect();
        SheetTable::new(key, title, self.0.into_iter().map(|(head, _)| head).collect::<Vec<_>>(), rows)
    }
}

/// A cell of a table, with a text for readers and a value for programs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    pub text: String,
    pub value: Datum,
    pub emphasis: Emphasis,
    /// The signs appended to the text, which the column's meaning explains: `*`, `!`, `?`, `†`.
    pub signs: String,
    pub note: &'static str,
    /// The rank by which the cell is sorted, for text that is not sorted as text. For example,
    /// `64 KiB` comes before `1 MiB`.
    pub sort_rank: Option<usize>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Datum {
    #[default]
    Text,
    None,
    Number(f64),
    /// Lower and upper end of an interval.
    Range(f64, f64),
}

impl Cell {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Its note is the reason.
    pub fn empty(reason: &'static str) -> Self {
        Self { value: Datum::None, note: reason, ..Self::text("-") }
    }

    /// The cell is empty if the number is not finite.
    pub fn number(value: f64, text: impl Into<String>) -> Self {
        if value.is_finite() { Self { value: Datum::Number(value), ..Self::text(text) } } else { Self::empty("") }
    }

    pub fn count(value: f64) -> Self {
        Self::number(value, format_count(value))
    }

    pub fn decimal(value: f64, decimals: usize) -> Self {
        Self::number(value, format_number(value, decimals))
    }

    /// A share of a whole, in percent.
    pub fn share(part: f64, whole: f64) -> Self {
        Self::number(part / whole, format_percent(part, whole))
    }

    /// The cell is empty if `low` is not finite.
    pub fn range(low: f64, high: f64) -> Self {
        Self::range_with_text(low, high, format_interval(low, high))
    }

    /// The cell is empty if `low` is not finite.
    pub fn range_with_text(low: f64, high: f64, text: impl Into<String>) -> Self {
        if low.is_finite() { Self { value: Datum::Range(low, high), ..Self::text(text) } } else { Self::empty("") }
    }

    /// The cell is empty if an end is not finite.
    pub fn difference(low: f64, high: f64) -> Self {
        let low = if high.is_finite() { low } else { f64::NAN };
        Self::range_with_text(low, high, format!("{} to {}", signed(low, 1), signed(high, 1)))
    }

    /// A p value: 0.031, or < 0.001.
    pub fn p(value: f64) -> Self {
        Self::number(value, format_p(value))
    }

    pub fn with_emphasis(self, emphasis: Emphasis) -> Self {
        Self { emphasis, ..self }
    }

    pub fn with_sign(mut self, sign: char, applies: bool) -> Self {
        if applies {
            // A blank separates `*` and `†` from the digits. `!` and `?` need no blank.
            self.text += if "!?".contains(sign) { "" } else { " " };
            self.text.push(sign);
            self.signs.push(sign);
        }
        self
    }

    /// If the cell is empty, its note becomes this reason.
    pub fn with_reason(self, reason: &'static str) -> Self {
        if self.value == Datum::None { Self { note: reason, ..self } } else { self }
    }
}

impl SheetTable {
    pub fn new<R: Into<Vec<Cell>>>(
        key: &str,
        title: &str,
        columns: impl Into<Vec<SheetColumn>>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let rows = rows.into_iter().map(Into::into).collect();
        Self { key: key.to_owned(), title: title.to_owned(), columns: columns.into(), rows, note: String::new() }
    }

    pub fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    pub fn non_empty(self) -> Option<Self> {
        (!self.rows.is_empty()).then_some(self)
    }

    pub fn select_columns(&self, indices: &[usize]) -> Self {
        let columns: Vec<SheetColumn> = indices.iter().map(|&index| self.columns[index].clone()).collect();
        let rows = self.rows.iter().map(|row| indices.iter().map(|&index| row[index].clone()).collect::<Vec<_>>());
        Self::new(&self.key, &self.title, columns, rows).with_note(&self.note)
    }

    /// A table without rows keeps all columns.
    pub fn without_empty_columns(&self) -> Self {
        let has_value =
            |column: &usize| self.rows.is_empty() || self.rows.iter().any(|row| row[*column].value != Datum::None);
        self.select_columns(&(0..self.columns.len()).filter(has_value).collect::<Vec<_>>())
    }

    /// The text below the table. It consists of the table's own note and of the reasons for the
    /// dashes in the table.
    pub fn notes(&self) -> String {
        let mut reasons: Vec<&str> = Vec::new();
        let cells_with_reason =
            self.rows.iter().flatten().filter(|cell| cell.value == Datum::None && !cell.note.is_empty());
        for cell in cells_with_reason {
            if !reasons.contains(&cell.note) {
                reasons.push(cell.note);
            }
        }
        let dash_note = if reasons.is_empty() { String::new() } else { format!("-: {}.", reasons.join("; ")) };
        [self.note.as_str(), &dash_note].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

impl Sheet {
    /// All parts, also those within folds.
    pub(super) fn all_parts(&self) -> Vec<&Part> {
        fn unfold(part: &Part) -> Vec<&Part> {
            match part {
                Part::Folded(_, parts) => parts.iter().flat_map(unfold).collect(),
                part => vec![part],
            }
        }
        self.parts.iter().flat_map(unfold).collect()
    }

    pub fn figures(&self) -> Vec<&Figure> {
        self.all_parts()
            .into_iter()
            .filter_map(|part| if let Part::Figure(figure) = part { Some(figure) } else { None })
            .collect()
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(super) use tests::{assert_drop_orders_distinct, describe, sample_sheet};
