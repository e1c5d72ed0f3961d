//! Thin rows: the part of complete results that pages, claims and comparisons need, as a compressed
//! table small enough for a repository.
//!
//! Each line of the table is a column: its name, then its fields. The name shows the column's
//! resolution: one field per row, as in the results; one per search (`search:table.hits`); or one
//! per variant (`variant:search.evals`).

use super::atomic::write_atomic;
use super::columns::{self, Role};
use super::manifest::{Manifest, Thin};
use super::results::{RESULTS, ResultsError, csv_line};
use super::{base_variant, seals};
use crate::system::files;
use csv::{ReaderBuilder, StringRecord};
use lzma_rust2::{XzOptions, XzReader, XzWriter};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, Read, Write};
use std::path::Path;

/// Name of the file in its folder.
pub const NAME: &str = "rows.csv.xz";

/// Prefix of a column with one value per search, stored in the search's last row. Counters are
/// summed; for a state, it is the value at the end.
const BY_SEARCH: &str = "search:";

/// Prefix of a column with one value per variant (and suite), stored in the variant's first row.
/// Counters are summed over its first searches; for a state, it is the mean of the values at their
/// ends.
const BY_VARIANT: &str = "variant:";

/// The resolution of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resolution {
    /// One field for each row.
    Row,
    /// One field for each search.
    Search,
    /// One field for each variant.
    Variant,
}

impl Resolution {
    /// What precedes a column's name in the file.
    fn prefix(self) -> &'static str {
        match self {
            Self::Row => "",
            Self::Search => BY_SEARCH,
            Self::Variant => BY_VARIANT,
        }
    }

    /// Splits a name in the table into the resolution and the column's name.
    fn parse(name: &str) -> (Self, &str) {
        let with_prefix = |resolution: Self| name.strip_prefix(resolution.prefix()).map(|column| (resolution, column));
        with_prefix(Self::Search).or_else(|| with_prefix(Self::Variant)).unwrap_or((Self::Row, name))
    }
}

/// The counters of rates whose intervals need one value per search.
const RATES: [&str; 12] = [
    columns::USABLE,
    columns::MOVE_ONLY,
    columns::PROBES,
    columns::HITS,
    columns::MISSES_EMPTY,
    columns::MISSES_OTHER,
    columns::STORES,
    columns::FILLS,
    columns::EVICTIONS,
    columns::REJECTIONS,
    columns::SAVED,
    columns::ENTRIES,
];

/// Whether a column is kept by row, search or variant; `None` if it is dropped. `kept_by_row`:
/// further columns to keep by row; `games`: whether the rows are games.
fn resolution(column: &str, kept_by_row: &BTreeSet<String>, games: bool) -> Option<Resolution> {
    let is_always_dropped = [columns::ID, columns::PV, columns::SEARCHES].contains(&column);
    let by_row = kept_by_row.contains(column)
        || column.starts_with(columns::MATCH)
        || [columns::NODES, columns::SCORE, columns::SLOTS, columns::BYTES].contains(&column);
    match columns::role(column) {
        Role::Seal => None,
        _ if is_always_dropped => None,
        _ if by_row => Some(Resolution::Row),
        Role::Key | Role::Option | Role::Word => Some(Resolution::Row),
        Role::Time if games => Some(Resolution::Row),
        Role::Time => Some(Resolution::Variant),
        _ if games => None,
        _ if RATES.contains(&column) => Some(Resolution::Search),
        Role::Sum => Some(Resolution::Variant),
        Role::Last => column.starts_with(columns::ANATOMY).then_some(Resolution::Variant),
    }
}

/// Whether a folder has thin rows and no full ones.
pub fn is_thin(folder: &Path) -> bool {
    !folder.join(RESULTS).exists() && folder.join(NAME).exists()
}

/// The folder of thin rows that a path refers to: the path itself, if it is such a folder, or the
/// folder of the file [`NAME`].
pub fn thin_folder(path: &Path) -> Option<&Path> {
    if path.is_dir() {
        return is_thin(path).then_some(path);
    }
    if path.file_name().is_some_and(|name| name == NAME) { path.parent() } else { None }
}

/// A column while it is written.
struct Column {
    /// Its name in the table.
    name: String,
    /// Its index in the results.
    index: usize,
    resolution: Resolution,
    is_summed: bool,
    /// The fields of all rows, at resolution `Row`.
    fields: StringRecord,
    /// The non-empty fields by row, at other resolutions.
    sparse_fields: HashMap<usize, String>,
    /// The sum over the rows of the current search.
    sum: f64,
    /// The field of the last row of the current search.
    last_field: String,
    /// For each variant and suite: its first row, the sum over its searches, and their number.
    variants: HashMap<(String, String), (usize, f64, usize)>,
}

impl Column {
    /// The field of a row; empty if the resolution has none for it.
    fn field(&self, row: usize) -> &str {
        match self.resolution {
            Resolution::Row => self.fields.get(row).unwrap_or_default(),
            _ => self.sparse_fields.get(&row).map_or("", String::as_str),
        }
    }

    /// Finishes a search of a variant on a suite; its rows are `first` to `last`. A value by search
    /// is kept in the search's last row, a value by variant in the variant's first row.
    fn finish_search(&mut self, (variant, suite): (&str, &str), [first, last]: [usize; 2]) {
        let (sum, last_field) = (std::mem::take(&mut self.sum), std::mem::take(&mut self.last_field));
        match self.resolution {
            Resolution::Row => {}
            Resolution::Search => {
                let field = if self.is_summed { format_number(sum) } else { last_field };
                self.sparse_fields.insert(last, field);
            }
            Resolution::Variant => {
                let value = if self.is_summed { sum } else { parse_number(&last_field) };
                let key = (variant.to_owned(), suite.to_owned());
                let (_, total, searches) = self.variants.entry(key).or_insert((first, 0.0, 0));
                *total += value;
                *searches += 1;
            }
        }
    }
}

/// Parses a number; NaN for other text.
fn parse_number(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}

/// Formats a number so that it reads back as the same number, without trailing zeros; empty for
/// NaN. Six decimals are tried first, because times have that many.
fn format_number(value: f64) -> String {
    if value.is_nan() {
        return String::new();
    }
    let short_text = format!("{value:.6}");
    let short_text = short_text.trim_end_matches('0').trim_end_matches('.');
    if parse_number(short_text) == value { short_text.to_owned() } else { value.to_string() }
}

/// The search that is being read.
#[derive(Default)]
struct OpenSearch {
    /// The variant, position and repeat; `None` before the first search.
    key: Option<[String; 3]>,
    suite: String,
    /// Whether its counters are kept: only for the first repeat under the first key seed.
    counts: bool,
    /// Its first row.
    first: usize,
    /// Its last row so far.
    last: usize,
}

/// Writes the thin rows of a complete results file into a folder. `by_row`: further columns to keep
/// by row. Returns the entry for the manifest, without missing rows.
///
/// # Errors
/// When the file cannot be read, its rows are not in the plan's order, or writing fails.
pub fn write(results: &Path, folder: &Path, by_row: &BTreeSet<String>) -> Result<Thin, ResultsError> {
    let mut reader = csv::Reader::from_path(results).map_err(io::Error::other)?;
    let header = reader.headers().map_err(io::Error::other)?.clone();
    let index_of = |name: &str| header.iter().position(|column| column == name);
    let games = index_of(columns::OPPONENT).is_some();
    let mut table: Vec<Column> = header
        .iter()
        .enumerate()
        .filter_map(|(index, name)| {
            let resolution = resolution(name, by_row, games)?;
            Some(Column {
                name: format!("{}{name}", resolution.prefix()),
                index,
                resolution,
                is_summed: columns::role(name) != Role::Last,
                fields: StringRecord::new(),
                sparse_fields: HashMap::new(),
                sum: 0.0,
                last_field: String::new(),
                variants: HashMap::new(),
            })
        })
        .collect();
    let [variant, suite, position, repeat, error] =
        [columns::VARIANT, columns::SUITE, columns::POSITION, columns::REPEAT, columns::ERROR].map(index_of);
    let (mut open, mut row) = (OpenSearch::default(), StringRecord::new());
    // The keys of all searches so far, the variants and positions whose counters are kept, and all
    // variants so far.
    let (mut seen, mut counted, mut variants): (HashSet<[String; 3]>, HashSet<[String; 2]>, HashSet<String>) =
        Default::default();
    let (mut rows, mut failed) = (0, 0);
    let finish = |table: &mut [Column], open: &OpenSearch| {
        if let (Some([variant, ..]), true) = (&open.key, open.counts) {
            table.iter_mut().for_each(|column| column.finish_search((variant, &open.suite), [open.first, open.last]));
        }
    };
    while reader.read_record(&mut row).map_err(io::Error::other)? {
        let field = |index: Option<usize>| index.and_then(|index| row.get(index)).unwrap_or_default();
        let is_error = !field(error).is_empty();
        failed += u64::from(is_error);
        let key = [variant, position, repeat].map(|index| field(index).to_owned());
        if !games && !is_error && open.key.as_ref() != Some(&key) {
            finish(&mut table, &open);
            if !seen.insert(key.clone()) {
                let problem = "the rows are not in the plan's order: the rows of a search are not contiguous";
                return Err(ResultsError::Damaged { line: rows as u64 + 2, problem: problem.to_owned() });
            }
            variants.insert(key[0].clone());
            let is_copy = base_variant(&key[0]).is_some_and(|base| variants.contains(base));
            let counts = !is_copy && counted.insert([key[0].clone(), key[1].clone()]);
            open = OpenSearch { key: Some(key), suite: field(suite).to_owned(), counts, first: rows, last: rows };
        }
        for column in &mut table {
            let text = &row[column.index];
            match column.resolution {
                Resolution::Row => column.fields.push_field(text),
                _ if is_error || !open.counts => {}
                _ if column.is_summed => column.sum += parse_number(text),
                _ => column.last_field = text.to_owned(),
            }
        }
        if !is_error {
            open.last = rows;
        }
        rows += 1;
    }
    finish(&mut table, &open);
    let mut text = Vec::new();
    for column in &mut table {
        for (first, sum, searches) in std::mem::take(&mut column.variants).into_values() {
            let value = if column.is_summed { sum } else { sum / searches as f64 };
            column.sparse_fields.insert(first, format_number(value));
        }
        let fields = (0..rows).map(|row| column.field(row));
        text.extend(csv_line(std::iter::once(column.name.as_str()).chain(fields))?);
    }
    write_atomic(&folder.join(NAME), &compress(&text)?)?;
    Ok(Thin { rows: rows as u64, failed, missing: None, seal: seals::hash_bytes(&text) })
}

/// Compresses bytes by xz, deterministically.
pub fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(PRESET))?;
    writer.write_all(bytes)?;
    writer.finish()
}

/// Compression preset, from 0 to 9: higher ones only enlarge the window beyond the size of these
/// tables.
const PRESET: u32 = 6;

/// The decompressed bytes of an xz file.
pub fn decompress_file(path: &Path) -> io::Result<Vec<u8>> {
    let (file, mut bytes) = (files::read(path)?, Vec::new());
    let result = XzReader::new(&file[..], true).read_to_end(&mut bytes);
    result.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    Ok(bytes)
}

/// Thin rows, by column.
#[derive(Debug, Clone, Default)]
pub struct ThinRows {
    /// The columns: resolution, name and fields.
    pub columns: Vec<(Resolution, String, StringRecord)>,
    pub rows: usize,
    /// Columns of the full rows that are not kept by row.
    pub absent: Vec<String>,
    /// Number of columns that match the seals of the full rows.
    pub verified: usize,
}

impl ThinRows {
    /// The fields of a column, if it is kept by row.
    pub fn column(&self, name: &str) -> Option<&StringRecord> {
        let mut by_row = self.columns.iter().filter(|(resolution, ..)| *resolution == Resolution::Row);
        by_row.find(|(_, column, _)| column == name).map(|(.., fields)| fields)
    }
}

/// Reads the thin rows of a folder and checks them against the manifest: their own seal, and the
/// column seals of the full rows.
pub fn read(folder: &Path, manifest: &Manifest) -> Result<ThinRows, ResultsError> {
    let thin_error = |problem: &str| ResultsError::Thin(problem.to_owned());
    let Some(thin) = &manifest.thin else { return Err(thin_error("the manifest beside it belongs to full rows")) };
    let text = decompress_file(&folder.join(NAME)).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => thin_error(&format!("it is not an xz file, or was damaged ({error})")),
        _ => ResultsError::Io(error),
    })?;
    if seals::hash_bytes(&text) != thin.seal {
        return Err(thin_error("it was edited or damaged: its seal does not match"));
    }
    let mut thin_rows = ThinRows { rows: thin.rows as usize, ..ThinRows::default() };
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&text[..]);
    for record in reader.records() {
        let record = record.map_err(|error| thin_error(&error.to_string()))?;
        let mut fields = record.iter();
        let (resolution, name) = Resolution::parse(fields.next().unwrap_or_default());
        let (name, fields) = (name.to_owned(), fields.collect::<StringRecord>());
        let (expected, actual) = (thin_rows.rows, fields.len());
        if actual != expected {
            return Err(thin_error(&format!("column `{name}`: expected {expected} fields, found {actual}")));
        }
        if resolution == Resolution::Row
            && let Some(seal) = manifest.column_seals.get(&name)
        {
            if *seal != seals::hash_column(fields.iter()) {
                return Err(thin_error(&format!("column `{name}` differs from that of the full rows")));
            }
            thin_rows.verified += 1;
        }
        thin_rows.columns.push((resolution, name, fields));
    }
    let absent_columns = manifest.column_seals.keys().filter(|name| thin_rows.column(name).is_none());
    thin_rows.absent = absent_columns.cloned().collect();
    Ok(thin_rows)
}
