//! Rows by column: results files read for analysis.

use std::collections::HashMap;
use std::path::Path;

/// One column.
#[derive(Debug, Clone)]
enum Values {
    /// Numbers; an empty field is NaN.
    Numbers(Vec<f64>),
    /// Words, each kept once.
    Words { codes: Vec<u32>, words: Vec<String>, known: HashMap<String, u32> },
}

/// A table of rows, by column. The id, the principal variation and the check are left out: no analysis asks for them.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    names: Vec<String>,
    columns: Vec<Values>,
    rows: usize,
}

/// Why a results file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The system would not, or it is no CSV.
    #[error("{path}: {error}")]
    Csv {
        /// The file.
        path: String,
        /// What is wrong.
        error: csv::Error,
    },
    /// A field is not what its column holds.
    #[error("{path}:{line}: column `{column}`: expected a number, found `{found}`")]
    Field {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// What stands there.
        found: String,
    },
    /// A column that analysis needs is not there.
    #[error("{path}: there is no column `{column}`: this is no results file of ttlab")]
    Missing {
        /// The file.
        path: String,
        /// The column.
        column: &'static str,
    },
    /// No metric of that name.
    #[error("there is no column `{name}`{}", hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default())]
    Unknown {
        /// The name asked for.
        name: String,
        /// The nearest one.
        hint: Option<String>,
    },
}

/// Columns that hold words even where they look like numbers.
const WORDS: &[&str] = &["experiment", "variant", "game", "position", "limit", "best", "solved", "finished", "error"];

/// Columns that are not read.
const SKIPPED: &[&str] = &["id", "pv", "check"];

impl Frame {
    /// Reads one results file.
    ///
    /// # Errors
    /// When it is no results file; with line and column.
    pub fn read(path: &Path) -> Result<Self, FrameError> {
        let name = path.display().to_string();
        let csv_error = |error| FrameError::Csv { path: name.clone(), error };
        let mut reader = csv::Reader::from_path(path).map_err(csv_error)?;
        let header = reader.headers().map_err(csv_error)?.clone();
        for column in ["variant", "position", "depth", "search.nodes"] {
            if !header.iter().any(|name| name == column) {
                return Err(FrameError::Missing { path: name, column });
            }
        }
        // What is neither of the fixed columns nor a counter is an option: a word.
        let fixed: Vec<String> = crate::record::columns().into_iter().map(|column| column.name).collect();
        let mut frame = Self::default();
        let mut kept = Vec::new();
        for (at, column) in header.iter().enumerate().filter(|(_, column)| !SKIPPED.contains(column)) {
            let words = WORDS.contains(&column) || !fixed.iter().any(|known| known == column);
            frame.names.push(column.to_owned());
            frame.columns.push(if words {
                Values::Words { codes: Vec::new(), words: Vec::new(), known: HashMap::new() }
            } else {
                Values::Numbers(Vec::new())
            });
            kept.push(at);
        }
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(csv_error)? {
            for (&at, (column, values)) in kept.iter().zip(frame.names.iter().zip(&mut frame.columns)) {
                let text = record.get(at).unwrap_or_default();
                match values {
                    Values::Numbers(numbers) => {
                        let number = if text.is_empty() { Some(f64::NAN) } else { text.parse().ok() };
                        numbers.push(number.ok_or_else(|| FrameError::Field {
                            path: name.clone(),
                            line: record.position().map_or(0, csv::Position::line),
                            column: column.clone(),
                            found: text.to_owned(),
                        })?);
                    }
                    Values::Words { codes, words, known } => {
                        let code = match known.get(text) {
                            Some(&code) => code,
                            None => {
                                let code = words.len() as u32;
                                words.push(text.to_owned());
                                known.insert(text.to_owned(), code);
                                code
                            }
                        };
                        codes.push(code);
                    }
                }
            }
            frame.rows += 1;
        }
        Ok(frame)
    }

    /// Appends the rows of another frame; columns that only one of them has are empty in the other's rows.
    pub fn append(&mut self, other: &Self) {
        for name in &other.names {
            if !self.names.contains(name) {
                let empty = match other.column(name) {
                    Some(Values::Numbers(_)) => Values::Numbers(vec![f64::NAN; self.rows]),
                    _ => Values::Words {
                        codes: vec![0; self.rows],
                        words: vec![String::new()],
                        known: HashMap::from([(String::new(), 0)]),
                    },
                };
                self.names.push(name.clone());
                self.columns.push(empty);
            }
        }
        for (name, values) in self.names.iter().zip(&mut self.columns) {
            for row in 0..other.rows {
                match values {
                    Values::Numbers(numbers) => numbers.push(other.number_in(name, row)),
                    Values::Words { codes, words, known } => {
                        let text = other.text(name, row);
                        let code = *known.entry(text.clone()).or_insert_with(|| {
                            words.push(text);
                            words.len() as u32 - 1
                        });
                        codes.push(code);
                    }
                }
            }
        }
        self.rows += other.rows;
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns' names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    fn column(&self, name: &str) -> Option<&Values> {
        self.names.iter().position(|known| known == name).map(|at| &self.columns[at])
    }

    /// The full name of a column given by it or by its unique end (`nodes` for `search.nodes`).
    ///
    /// # Errors
    /// When there is none; with the nearest.
    pub fn resolve(&self, name: &str) -> Result<&str, FrameError> {
        let end = format!(".{name}");
        let exact = self.names.iter().find(|known| *known == name);
        exact.or_else(|| self.names.iter().find(|known| known.ends_with(&end))).map(String::as_str).ok_or_else(|| {
            let hint = crate::experiment::problem::nearest(name, self.names.iter().map(String::as_str));
            FrameError::Unknown { name: name.to_owned(), hint }
        })
    }

    fn number_in(&self, name: &str, row: usize) -> f64 {
        match self.column(name) {
            Some(Values::Numbers(numbers)) => numbers[row],
            Some(Values::Words { codes, words, .. }) => words[codes[row] as usize].parse().unwrap_or(f64::NAN),
            None => f64::NAN,
        }
    }

    /// A whole column as numbers; what is no number is NaN.
    #[must_use]
    pub fn numbers(&self, name: &str) -> Vec<f64> {
        (0..self.rows).map(|row| self.number_in(name, row)).collect()
    }

    /// A field as text; empty where there is no such column.
    #[must_use]
    pub fn text(&self, name: &str, row: usize) -> String {
        match self.column(name) {
            Some(Values::Numbers(numbers)) if numbers[row].is_nan() => String::new(),
            Some(Values::Numbers(numbers)) => numbers[row].to_string(),
            Some(Values::Words { codes, words, .. }) => words[codes[row] as usize].clone(),
            None => String::new(),
        }
    }

    /// A column of words as numbers of its word list, and the list; none for columns of numbers.
    #[must_use]
    pub fn words(&self, name: &str) -> Option<(&[u32], &[String])> {
        match self.column(name)? {
            Values::Words { codes, words, .. } => Some((codes, words)),
            Values::Numbers(_) => None,
        }
    }

    /// The rows for which a condition holds.
    #[must_use]
    pub fn select(&self, keep: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.rows).filter(|&row| keep(row)).collect()
    }
}
