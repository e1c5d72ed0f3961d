//! A page: its name and its parts from the top. Whatever makes a page fills one in; [`markdown`](super::markdown),
//! [`html`](super::html), [`text`](super::text) and [`data`](super::data) write any of them out.

use super::explore::Explorer;
use super::figure::Figure;
use super::number::{count, interval, number, p, percent};

/// A page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sheet {
    /// What kind of page it is, for programs: `report`, `comparison`, ...
    pub kind: String,
    /// Its heading; none on a page that needs none.
    pub name: String,
    /// What it shows, from the top.
    pub parts: Vec<Part>,
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)] // There are a few dozen on a page.
pub enum Part {
    /// What is asked.
    Question(String),
    /// The author's words, in Markdown.
    Prose(String),
    /// The answer, in sentences.
    Findings(Vec<String>),
    /// What the reader must be warned of.
    Warning(String),
    /// A heading above several parts.
    Heading(String),
    /// A table.
    Table(SheetTable),
    /// A figure.
    Figure(Figure),
    /// Any two variants position by position, for who looks at the page.
    Explorer(Explorer),
    /// A heading and sentences below it.
    List(String, Vec<String>),
    /// What is folded away until the reader asks.
    Folded(String, Vec<Part>),
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SheetTable {
    /// What programs know it by.
    pub key: String,
    /// Its heading; none where the part above is heading enough.
    pub title: String,
    /// Its columns.
    pub columns: Vec<SheetColumn>,
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
    /// A sentence below.
    pub note: String,
}

/// A column of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SheetColumn {
    /// What programs know it by: it stays when the heading is reworded.
    pub key: String,
    /// Its heading.
    pub name: String,
    /// What it means.
    pub meaning: String,
    /// Whether it holds words, not numbers.
    pub words: bool,
    /// Whether it may be left out where there is no room: the greatest first; 0: never.
    pub drop_order: u8,
}

impl SheetColumn {
    /// A column of words.
    pub fn words(key: &str, name: &str, meaning: &str) -> Self {
        Self { words: true, ..Self::numbers(key, name, meaning) }
    }

    /// Columns of words whose names say what they mean.
    pub fn named<const N: usize>(names: [&str; N]) -> [Self; N] {
        names.map(|name| Self::words(name, name, ""))
    }

    /// A column of numbers.
    pub fn numbers(key: &str, name: &str, meaning: &str) -> Self {
        Self { key: key.to_owned(), name: name.to_owned(), meaning: meaning.to_owned(), ..Self::default() }
    }

    /// The same column, left out where there is no room.
    pub fn drop_order(self, drop_order: u8) -> Self {
        Self { drop_order, ..self }
    }
}

/// A field of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// As shown.
    pub text: String,
    /// As programs read it, and as rows are sorted.
    pub value: Datum,
    /// What stands out of it.
    pub mark: Emphasis,
    /// The signs behind its text, which the column's meaning explains: `*`, `!`, `?`, `†`.
    pub signs: String,
    /// Why there is nothing in it, or what else is to be known.
    pub note: &'static str,
    /// Where it leads.
    pub link: String,
    /// Of words that have an order of their own (64 KiB before 1 MiB): its place.
    pub place: Option<usize>,
}

/// What a field is to a program.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Datum {
    /// Words: the text itself.
    #[default]
    Words,
    /// Nothing.
    None,
    /// A number.
    Number(f64),
    /// An interval.
    Range(f64, f64),
}

/// What stands out of a field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Emphasis {
    /// Nothing.
    #[default]
    None,
    /// Clearly less than the baseline.
    Less,
    /// Clearly more.
    More,
    /// Not what was wanted.
    Failed,
    /// What was wanted.
    Passed,
}

impl Emphasis {
    /// Of what may be clear, and then is less or more.
    pub fn of(clear: bool, less: bool) -> Self {
        match (clear, less) {
            (false, _) => Self::None,
            (true, true) => Self::Less,
            (true, false) => Self::More,
        }
    }
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Nothing, and why.
    pub fn none(why: &'static str) -> Self {
        Self { value: Datum::None, note: why, ..Self::text("-") }
    }

    /// A number and how it is shown; where it is none, a dash.
    pub fn number(value: f64, text: impl Into<String>) -> Self {
        if value.is_finite() { Self { value: Datum::Number(value), ..Self::text(text) } } else { Self::none("") }
    }

    /// A count.
    pub fn count(value: f64) -> Self {
        Self::number(value, count(value))
    }

    /// A number with so many decimals.
    pub fn decimal(value: f64, decimals: usize) -> Self {
        Self::number(value, number(value, decimals))
    }

    /// A share of a whole.
    pub fn share(part: f64, whole: f64) -> Self {
        Self::number(part / whole, percent(part, whole))
    }

    /// An interval.
    pub fn range(low: f64, high: f64) -> Self {
        Self::ends(low, high, interval(low, high))
    }

    /// An interval and how it is shown; where it is none, a dash.
    pub fn ends(low: f64, high: f64, text: impl Into<String>) -> Self {
        if low.is_finite() { Self { value: Datum::Range(low, high), ..Self::text(text) } } else { Self::none("") }
    }

    /// The interval of a difference, each end with its sign; where one is none, a dash.
    pub fn difference(low: f64, high: f64) -> Self {
        let low = if high.is_finite() { low } else { f64::NAN };
        Self::ends(low, high, format!("{low:+.1} to {high:+.1}"))
    }

    /// A p.
    pub fn p(value: f64) -> Self {
        Self::number(value, p(value))
    }

    /// The same field with a mark.
    pub fn marked(self, mark: Emphasis) -> Self {
        Self { mark, ..self }
    }

    /// The same field with one more sign behind its text, where `bears` says so.
    pub fn signed(mut self, sign: char, bears: bool) -> Self {
        if bears {
            // Close to a number only what cannot be taken for a part of it.
            self.text += if "!?".contains(sign) { "" } else { " " };
            self.text.push(sign);
            self.signs.push(sign);
        }
        self
    }

    /// The same field; where it is empty, with the reason.
    pub fn or(self, why: &'static str) -> Self {
        if self.value == Datum::None { Self { note: why, ..self } } else { self }
    }
}

impl SheetTable {
    /// A table without a sentence below.
    pub fn new<R: Into<Vec<Cell>>>(
        key: &str,
        title: &str,
        columns: impl Into<Vec<SheetColumn>>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let rows = rows.into_iter().map(Into::into).collect();
        Self { key: key.to_owned(), title: title.to_owned(), columns: columns.into(), rows, note: String::new() }
    }

    /// The same table with a sentence below.
    pub fn noted(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// The table; none where it has no row.
    pub fn unless_empty(self) -> Option<Self> {
        (!self.rows.is_empty()).then_some(self)
    }

    /// The same table with some of its columns.
    pub fn with_columns(&self, places: &[usize]) -> Self {
        let columns: Vec<SheetColumn> = places.iter().map(|&at| self.columns[at].clone()).collect();
        let rows = self.rows.iter().map(|row| places.iter().map(|&at| row[at].clone()).collect::<Vec<_>>());
        Self::new(&self.key, &self.title, columns, rows).noted(&self.note)
    }

    /// Without the columns in which no row has a value.
    pub fn without_empty(&self) -> Self {
        let has = |at: &usize| self.rows.is_empty() || self.rows.iter().any(|row| row[*at].value != Datum::None);
        self.with_columns(&(0..self.columns.len()).filter(has).collect::<Vec<_>>())
    }

    /// The sentences below: its own, and what a dash stands for.
    pub fn notes(&self) -> String {
        let mut whys: Vec<&str> = Vec::new();
        let empty = self.rows.iter().flatten().filter(|cell| cell.value == Datum::None && !cell.note.is_empty());
        for cell in empty {
            if !whys.contains(&cell.note) {
                whys.push(cell.note);
            }
        }
        let dash = if whys.is_empty() { String::new() } else { format!("A dash: {}.", whys.join("; ")) };
        [self.note.as_str(), &dash].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

impl Sheet {
    /// Its figures, those folded away among them.
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

/// Warnings as parts.
pub fn warnings(list: &[String]) -> impl Iterator<Item = Part> + '_ {
    list.iter().cloned().map(Part::Warning)
}

/// What heads the page of an experiment: the question, the author's words, the findings, the warnings.
pub(super) fn head(question: &str, analysis: &str, findings: Vec<String>, warned: &[String]) -> Vec<Part> {
    let asked = (!question.is_empty()).then(|| Part::Question(question.to_owned()));
    let words = (!analysis.is_empty()).then(|| Part::Prose(analysis.to_owned()));
    let found = (!findings.is_empty()).then_some(Part::Findings(findings));
    [asked, words, found].into_iter().flatten().chain(warnings(warned)).collect()
}

/// A small page with each kind of part, for the tests of what writes pages out.
#[cfg(test)]
pub(super) fn trial() -> Sheet {
    use super::figure::Plot;
    use super::svg::heat::Heat;
    let table = SheetTable {
        key: "trial".to_owned(),
        title: "A table".to_owned(),
        columns: vec![
            SheetColumn::words("variant", "variant", ""),
            SheetColumn::numbers("nodes", "nodes", "in all"),
            SheetColumn::numbers("interval", "95 %", ""),
        ],
        rows: vec![
            vec![Cell::text("a|b <c>"), Cell::count(1234.0).marked(Emphasis::Less), Cell::range(0.5, 0.75)],
            vec![Cell::text("base"), Cell::count(2000.0), Cell::none("held against itself")],
        ],
        note: "See `table.size`.".to_owned(),
    };
    let heat = Heat {
        first: ("x".into(), vec!["1".into()]),
        second: ("y".into(), vec!["2".into()]),
        cells: vec![vec![Some(0.5)]],
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
            Part::Warning("One position.".to_owned()),
            Part::Table(table),
            Part::Figure(figure),
            Part::Folded("More".to_owned(), vec![Part::List("How".to_owned(), vec!["By hand.".to_owned()])]),
        ],
    }
}

/// Each column that may go where there is no room has a turn of its own, from 1 on: of two that share one, chance would say which goes.
#[cfg(test)]
#[track_caller]
pub(super) fn each_goes_in_its_turn(table: &SheetTable) {
    let mut turns: Vec<u8> =
        table.columns.iter().map(|column| column.drop_order).filter(|&drop_order| drop_order > 0).collect();
    turns.sort_unstable();
    assert!(turns.iter().zip(1..).all(|(&turn, required)| turn == required), "{}: {turns:?}", table.key);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_says_why_once() {
        let dash = || vec![Cell::none("no table"), Cell::number(f64::NAN, String::new()).or("one search")];
        let table = SheetTable { rows: vec![dash(), dash()], note: "N.".to_owned(), ..SheetTable::default() };
        assert_eq!(table.notes(), "N. A dash: no table; one search.");
        assert_eq!(Cell::count(3.0).or("one search"), Cell::count(3.0));
    }

    /// Each kind of field as it is shown and as programs read it; a dash where there is nothing, with its reason.
    #[test]
    fn fields_are_shown_and_read() {
        let nan = f64::NAN;
        for (cell, text, value) in [
            (Cell::text("a"), "a", Datum::Words),
            (Cell::none("why"), "-", Datum::None),
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
            assert_eq!((cell.mark, cell.link.as_str(), cell.place), (Emphasis::None, "", None));
            let reason = if value == Datum::None { "because" } else { "" };
            assert_eq!(cell.or("because").note, reason);
        }
        assert_eq!(Cell::text("a").marked(Emphasis::More).mark, Emphasis::More);
        assert_eq!([true, false].map(|less| Emphasis::of(true, less)), [Emphasis::Less, Emphasis::More]);
        // Columns without a value go, words stay; of a table without rows all stay.
        let columns = ["a", "b", "c"].map(|name| SheetColumn::numbers(name, name, "")).to_vec();
        let row = |b: Cell| vec![Cell::text("x"), Cell::none("no"), b];
        let names = |table: SheetTable| {
            let table = table.without_empty();
            let widths: Vec<usize> = table.rows.iter().map(Vec::len).collect();
            (table.columns.iter().map(|column| column.key.clone()).collect::<String>(), widths)
        };
        let table = |rows: Vec<Vec<Cell>>| SheetTable { columns: columns.clone(), rows, ..SheetTable::default() };
        assert_eq!(names(table(vec![row(Cell::none("")), row(Cell::count(1.0))])), ("ac".to_owned(), vec![2, 2]));
        assert_eq!(names(table(vec![row(Cell::none(""))])), ("a".to_owned(), vec![1]));
        assert_eq!(names(table(Vec::new())), ("abc".to_owned(), Vec::new()));
        let SheetTable { key, title, note, .. } =
            SheetTable::new("key", "Title", columns.clone(), [row(Cell::none(""))]).noted("note").without_empty();
        assert_eq!([key, title, note], ["key", "Title", "note"], "what is left is the same table");
        let whole = head("q", "a", vec!["f".to_owned()], &["w".to_owned(), "v".to_owned()]);
        let words = |text: &str| text.to_owned();
        let expected = vec![
            Part::Question(words("q")),
            Part::Prose(words("a")),
            Part::Findings(vec![words("f")]),
            Part::Warning(words("w")),
            Part::Warning(words("v")),
        ];
        assert_eq!((whole, head("", "", Vec::new(), &[])), (expected, Vec::new()));
        let sheet = trial();
        assert_eq!(sheet.figures().len(), 1);
        let folded = Sheet { parts: vec![Part::Folded(words("t"), sheet.parts)], ..Sheet::default() };
        assert_eq!(folded.figures().len(), 1);
    }
}
