//! A page: its name and its parts from top to bottom. [`markdown`](super::markdown),
//! [`html`](super::html), [`text`](super::text) and [`data`](super::data) render it.

pub use super::emphasis::Emphasis;
use super::explore::Explorer;
use super::figure::Figure;
use super::number::{format_count, format_interval, format_number, format_p, format_percent};
#[cfg(test)]
use crate::analysis::rows::metric::Better;

/// Whether a character must not be on a page: control characters, except line ends.
pub(super) fn is_unprintable(c: char) -> bool {
    c.is_control() && c != '\n'
}

/// A page, independent of its format.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sheet {
    /// The kind of page, for programs: `report`, `comparison`, ...
    pub kind: String,
    /// The heading; empty on a page that needs none.
    pub name: String,
    /// The parts, from top to bottom.
    pub parts: Vec<Part>,
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)] // There are a few dozen on a page.
pub enum Part {
    /// The question that the experiment asks.
    Question(String),
    /// The author's text, in Markdown.
    Prose(String),
    /// The answer, one sentence each.
    Findings(Vec<String>),
    /// Why no conclusion can be drawn.
    Blocker(String),
    /// What limits the conclusion.
    Warning(String),
    /// A heading over the parts that follow.
    Heading(String),
    /// A table with its heading and notes.
    Table(SheetTable),
    /// A plot with its caption.
    Figure(Figure),
    /// A view in which the reader compares any two variants position by position.
    Explorer(Explorer),
    /// A heading and a list of sentences.
    List(String, Vec<String>),
    /// A title and parts that are hidden until the reader opens them.
    Folded(String, Vec<Part>),
}

/// A table with its heading and notes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SheetTable {
    /// Key for programs; stays when the title is reworded.
    pub key: String,
    /// The heading; empty if the part above has one.
    pub title: String,
    /// The columns, in the order of the cells of a row.
    pub columns: Vec<SheetColumn>,
    /// The rows: a cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// A note below the table.
    pub note: String,
}

/// The head of a column and how its cells are treated.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SheetColumn {
    /// Key for programs; stays when the heading is reworded.
    pub key: String,
    /// The heading, as readers see it.
    pub name: String,
    /// What the values mean, with the unit; shown as a tooltip.
    pub meaning: String,
    /// Whether the cells are text, not numbers.
    pub is_text: bool,
    /// Order in which columns are dropped on a narrow screen, the greatest first; 0: never.
    pub drop_order: u8,
}

impl SheetColumn {
    /// A column of text, never dropped.
    pub fn text(key: &str, name: &str, meaning: &str) -> Self {
        Self { is_text: true, ..Self::number(key, name, meaning) }
    }

    /// Text columns whose names explain themselves.
    pub fn from_names<const N: usize>(names: [&str; N]) -> [Self; N] {
        names.map(|name| Self::text(name, name, ""))
    }

    /// A column of numbers, never dropped.
    pub fn number(key: &str, name: &str, meaning: &str) -> Self {
        Self { key: key.to_owned(), name: name.to_owned(), meaning: meaning.to_owned(), ..Self::default() }
    }

    /// The same column with this drop order.
    pub fn drop_order(self, drop_order: u8) -> Self {
        Self { drop_order, ..self }
    }
}

/// A column of a table with the cell of each line, so that both are written in one place.
struct Entry<'a, L> {
    head: SheetColumn,
    cell: Box<dyn Fn(&L) -> Cell + 'a>,
}

/// The columns of a table with their cells, from left to right.
pub struct Entries<'a, L>(Vec<Entry<'a, L>>);

impl<L> Default for Entries<'_, L> {
    /// No columns.
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'a, L> Entries<'a, L> {
    /// Adds a column of text, never dropped.
    pub fn text(self, key: &str, name: &str, meaning: &str, cell: impl Fn(&L) -> Cell + 'a) -> Self {
        self.push(SheetColumn::text(key, name, meaning), cell)
    }

    /// Adds a column of numbers, never dropped.
    pub fn number(self, key: &str, name: &str, meaning: &str, cell: impl Fn(&L) -> Cell + 'a) -> Self {
        self.push(SheetColumn::number(key, name, meaning), cell)
    }

    fn push(mut self, head: SheetColumn, cell: impl Fn(&L) -> Cell + 'a) -> Self {
        self.0.push(Entry { head, cell: Box::new(cell) });
        self
    }

    /// Gives the last column a drop order.
    pub fn drop_order(mut self, drop_order: u8) -> Self {
        if let Some(entry) = self.0.last_mut() {
            entry.head.drop_order = drop_order;
        }
        self
    }

    /// The table with a row for each line.
    pub fn table<'l>(self, key: &str, title: &str, lines: impl IntoIterator<Item = &'l L>) -> SheetTable
    where
        L: 'l,
    {
        let row = |line: &L| self.0.iter().map(|entry| (entry.cell)(line)).collect::<Vec<_>>();
        let rows: Vec<Vec<Cell>> = lines.into_iter().map(row).collect();
        SheetTable::new(key, title, self.0.into_iter().map(|entry| entry.head).collect::<Vec<_>>(), rows)
    }
}

/// A cell of a table: text for readers, value for programs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// The text that readers see.
    pub text: String,
    /// The value for programs and for sorting.
    pub value: Datum,
    /// How the cell is highlighted.
    pub emphasis: Emphasis,
    /// The signs appended to the text, which the column's meaning explains: `*`, `!`, `?`, `†`.
    pub signs: String,
    /// Why the cell is empty, or a remark.
    pub note: &'static str,
    /// Target of a link; empty: none.
    pub link: String,
    /// Sort rank of text that has an order of its own (64 KiB before 1 MiB).
    pub sort_rank: Option<usize>,
}

/// The value of a cell.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Datum {
    /// No value besides the text.
    #[default]
    Text,
    /// The cell is empty.
    None,
    /// A finite number, not rounded.
    Number(f64),
    /// Lower and upper end of an interval.
    Range(f64, f64),
}

impl Cell {
    /// A cell without a number.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A dash, with the reason.
    pub fn empty(why: &'static str) -> Self {
        Self { value: Datum::None, note: why, ..Self::text("-") }
    }

    /// A number with its text; a dash if it is not finite.
    pub fn number(value: f64, text: impl Into<String>) -> Self {
        if value.is_finite() { Self { value: Datum::Number(value), ..Self::text(text) } } else { Self::empty("") }
    }

    /// A count with thousands separators.
    pub fn count(value: f64) -> Self {
        Self::number(value, format_count(value))
    }

    /// A number with `decimals` decimals.
    pub fn decimal(value: f64, decimals: usize) -> Self {
        Self::number(value, format_number(value, decimals))
    }

    /// A share of a whole, in percent.
    pub fn share(part: f64, whole: f64) -> Self {
        Self::number(part / whole, format_percent(part, whole))
    }

    /// An interval with three decimals; a dash if `low` is not finite.
    pub fn range(low: f64, high: f64) -> Self {
        Self::range_with_text(low, high, format_interval(low, high))
    }

    /// An interval with its text; a dash if `low` is not finite.
    pub fn range_with_text(low: f64, high: f64, text: impl Into<String>) -> Self {
        if low.is_finite() { Self { value: Datum::Range(low, high), ..Self::text(text) } } else { Self::empty("") }
    }

    /// The interval of a difference, both ends with a sign; a dash if one is not finite.
    pub fn difference(low: f64, high: f64) -> Self {
        let low = if high.is_finite() { low } else { f64::NAN };
        Self::range_with_text(low, high, format!("{low:+.1} to {high:+.1}"))
    }

    /// A p value: 0.031, or < 0.001.
    pub fn p(value: f64) -> Self {
        Self::number(value, format_p(value))
    }

    /// The same cell with this highlight.
    pub fn with_emphasis(self, emphasis: Emphasis) -> Self {
        Self { emphasis, ..self }
    }

    /// The same cell with a sign appended if `applies`.
    pub fn with_sign(mut self, sign: char, applies: bool) -> Self {
        if applies {
            // Only signs that cannot be taken for a digit are appended without a blank.
            self.text += if "!?".contains(sign) { "" } else { " " };
            self.text.push(sign);
            self.signs.push(sign);
        }
        self
    }

    /// The same cell; if it is empty, with this reason.
    pub fn with_reason(self, why: &'static str) -> Self {
        if self.value == Datum::None { Self { note: why, ..self } } else { self }
    }
}

impl SheetTable {
    /// A table without a note.
    pub fn new<R: Into<Vec<Cell>>>(
        key: &str,
        title: &str,
        columns: impl Into<Vec<SheetColumn>>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let rows = rows.into_iter().map(Into::into).collect();
        Self { key: key.to_owned(), title: title.to_owned(), columns: columns.into(), rows, note: String::new() }
    }

    /// The same table with this note.
    pub fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// The table, or none if it has no rows.
    pub fn non_empty(self) -> Option<Self> {
        (!self.rows.is_empty()).then_some(self)
    }

    /// The same table with the columns at these places, in this order.
    pub fn select_columns(&self, places: &[usize]) -> Self {
        let columns: Vec<SheetColumn> = places.iter().map(|&at| self.columns[at].clone()).collect();
        let rows = self.rows.iter().map(|row| places.iter().map(|&at| row[at].clone()).collect::<Vec<_>>());
        Self::new(&self.key, &self.title, columns, rows).with_note(&self.note)
    }

    /// The table without the columns in which no row has a value.
    pub fn without_empty_columns(&self) -> Self {
        let has = |at: &usize| self.rows.is_empty() || self.rows.iter().any(|row| row[*at].value != Datum::None);
        self.select_columns(&(0..self.columns.len()).filter(has).collect::<Vec<_>>())
    }

    /// The notes below the table: its own, and the reasons of its dashes.
    pub fn notes(&self) -> String {
        let mut reasons: Vec<&str> = Vec::new();
        let empty = self.rows.iter().flatten().filter(|cell| cell.value == Datum::None && !cell.note.is_empty());
        for cell in empty {
            if !reasons.contains(&cell.note) {
                reasons.push(cell.note);
            }
        }
        let dash = if reasons.is_empty() { String::new() } else { format!("-: {}.", reasons.join("; ")) };
        [self.note.as_str(), &dash].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// What the colours of tables and figures mean.
pub(super) const COLOUR_KEY: &str = "blue is better, orange worse, grey no difference shown";

impl Sheet {
    /// All figures, including those in folded parts.
    pub fn figures(&self) -> Vec<&Figure> {
        fn within(part: &Part) -> Vec<&Figure> {
            match part {
                Part::Figure(figure) => vec![figure],
                Part::Folded(_, parts) => parts.iter().flat_map(within).collect(),
                _ => Vec::new(),
            }
        }
        self.parts.iter().flat_map(within).collect()
    }
}

/// One warning part for each text.
pub fn warning_parts(list: &[String]) -> impl Iterator<Item = Part> + '_ {
    list.iter().cloned().map(Part::Warning)
}

/// The head of an experiment's page: question, author's text, findings, caveats.
pub(super) fn head_parts(
    question: &str,
    analysis: &str,
    findings: Vec<String>,
    caveats: impl IntoIterator<Item = Part>,
) -> Vec<Part> {
    let question = (!question.is_empty()).then(|| Part::Question(question.to_owned()));
    let analysis = (!analysis.is_empty()).then(|| Part::Prose(analysis.to_owned()));
    let findings = (!findings.is_empty()).then_some(Part::Findings(findings));
    [question, analysis, findings].into_iter().flatten().chain(caveats).collect()
}

/// A small page with every kind of part, for the tests of the renderers.
#[cfg(test)]
pub(super) fn sample_sheet() -> Sheet {
    use super::figure::Plot;
    use super::svg::heat::Heat;
    let table = SheetTable {
        key: "trial".to_owned(),
        title: "A table".to_owned(),
        columns: vec![
            SheetColumn::text("variant", "variant", ""),
            SheetColumn::number("nodes", "nodes", "in all"),
            SheetColumn::number("interval", "95 %", ""),
        ],
        rows: vec![
            vec![Cell::text("a|b <c>"), Cell::count(1234.0).with_emphasis(Emphasis::Better), Cell::range(0.5, 0.75)],
            vec![Cell::text("base"), Cell::count(2000.0), Cell::empty("compared with itself")],
        ],
        note: "See `table.size`.".to_owned(),
    };
    let heat = Heat {
        first: ("x".into(), vec!["1".into()]),
        second: ("y".into(), vec!["2".into()]),
        cells: vec![vec![Some(0.5)]],
        better: Better::Less,
    };
    let figure =
        Figure { file: "map".into(), title: "Map".into(), caption: "Less is blue.".into(), plot: Plot::Heat(heat) };
    Sheet {
        kind: "trial".to_owned(),
        name: "A page".to_owned(),
        parts: vec![
            Part::Question("Is <it> so?".to_owned()),
            Part::Prose("Words\nof *its* author.\n\nTwo paragraphs.".to_owned()),
            Part::Findings(vec!["It is.".to_owned()]),
            Part::Blocker("Nothing varies.".to_owned()),
            Part::Warning("One position.".to_owned()),
            Part::Table(table),
            Part::Figure(figure),
            Part::Folded("More".to_owned(), vec![Part::List("How".to_owned(), vec!["By hand.".to_owned()])]),
        ],
    }
}

/// Asserts that drop orders are 1, 2, 3, ... without gaps: of two equal ones, chance would decide
/// which goes.
#[cfg(test)]
#[track_caller]
pub(super) fn assert_drop_orders_distinct(table: &SheetTable) {
    let mut orders: Vec<u8> =
        table.columns.iter().map(|column| column.drop_order).filter(|&drop_order| drop_order > 0).collect();
    orders.sort_unstable();
    assert!(orders.iter().zip(1..).all(|(&order, expected)| order == expected), "{}: {orders:?}", table.key);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reason_of_a_dash_is_given_once() {
        let dash = || vec![Cell::empty("no table"), Cell::number(f64::NAN, String::new()).with_reason("one search")];
        let table = SheetTable { rows: vec![dash(), dash()], note: "N.".to_owned(), ..SheetTable::default() };
        assert_eq!(table.notes(), "N. -: no table; one search.");
        assert_eq!(Cell::count(3.0).with_reason("one search"), Cell::count(3.0));
    }

    #[test]
    fn cells_have_text_and_value() {
        let nan = f64::NAN;
        for (cell, text, value) in [
            (Cell::text("a"), "a", Datum::Text),
            (Cell::empty("why"), "-", Datum::None),
            (Cell::count(1234.4), "1,234", Datum::Number(1234.4)),
            (Cell::decimal(0.25, 1), "0.2", Datum::Number(0.25)),
            (Cell::share(1.0, 4.0), "25.0 %", Datum::Number(0.25)),
            (Cell::share(1.0, 0.0), "-", Datum::None),
            (Cell::range(0.5, 2.0), "0.500-2.000", Datum::Range(0.5, 2.0)),
            (Cell::range(nan, 2.0), "-", Datum::None),
            (Cell::p(0.0001), "< 0.001", Datum::Number(0.0001)),
            (Cell::p(nan), "-", Datum::None),
        ] {
            assert_eq!((cell.text.as_str(), cell.value), (text, value));
            assert_eq!((cell.emphasis, cell.link.as_str(), cell.sort_rank), (Emphasis::None, "", None));
            let reason = if value == Datum::None { "because" } else { "" };
            assert_eq!(cell.with_reason("because").note, reason);
        }
        assert_eq!(Cell::text("a").with_emphasis(Emphasis::Worse).emphasis, Emphasis::Worse);
        let marks = |better: Better| [true, false].map(|less| Emphasis::for_change(true, less, better));
        assert_eq!(marks(Better::Less), [Emphasis::Better, Emphasis::Worse]);
        assert_eq!(marks(Better::More), [Emphasis::Worse, Emphasis::Better]);
        assert_eq!(marks(Better::Neither), [Emphasis::Other; 2]);
        assert_eq!(Emphasis::for_change(false, true, Better::Less), Emphasis::None);
        // Columns without a value go, text stays; a table without rows keeps all columns.
        let columns = ["a", "b", "c"].map(|name| SheetColumn::number(name, name, "")).to_vec();
        let row = |b: Cell| vec![Cell::text("x"), Cell::empty("no"), b];
        let names = |table: SheetTable| {
            let table = table.without_empty_columns();
            let widths: Vec<usize> = table.rows.iter().map(Vec::len).collect();
            (table.columns.iter().map(|column| column.key.clone()).collect::<String>(), widths)
        };
        let table = |rows: Vec<Vec<Cell>>| SheetTable { columns: columns.clone(), rows, ..SheetTable::default() };
        assert_eq!(names(table(vec![row(Cell::empty("")), row(Cell::count(1.0))])), ("ac".to_owned(), vec![2, 2]));
        assert_eq!(names(table(vec![row(Cell::empty(""))])), ("a".to_owned(), vec![1]));
        assert_eq!(names(table(Vec::new())), ("abc".to_owned(), Vec::new()));
        let SheetTable { key, title, note, .. } =
            SheetTable::new("key", "Title", columns.clone(), [row(Cell::empty(""))])
                .with_note("note")
                .without_empty_columns();
        assert_eq!([key, title, note], ["key", "Title", "note"], "what is left is the same table");
        let whole = head_parts("q", "a", vec!["f".to_owned()], warning_parts(&["w".to_owned(), "v".to_owned()]));
        let words = |text: &str| text.to_owned();
        let expected = vec![
            Part::Question(words("q")),
            Part::Prose(words("a")),
            Part::Findings(vec![words("f")]),
            Part::Warning(words("w")),
            Part::Warning(words("v")),
        ];
        assert_eq!((whole, head_parts("", "", Vec::new(), [])), (expected, Vec::new()));
        let sheet = sample_sheet();
        assert_eq!(sheet.figures().len(), 1);
        let folded = Sheet { parts: vec![Part::Folded(words("t"), sheet.parts)], ..Sheet::default() };
        assert_eq!(folded.figures().len(), 1);
    }
}
