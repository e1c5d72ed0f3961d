//! Reads and writes thin rows. Thin rows are the part of complete results that pages, claims and
//! comparisons need. They are stored in a compressed table that is small enough for a repository.
//!
//! Each line of the table contains a column of the results. The line begins with the column's name,
//! and the column's fields follow. A prefix of the name says whether the table has a field for each
//! row, as the results have (no prefix), only for each search (as in `search:table.hits`), or only
//! for each variant (as in `variant:search.evals`).

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

pub const NAME: &str = "rows.csv.xz";

/// Prefix of the name of a column that has one value for each search. The value is stored in the
/// last row of the search. The value of a counter is the sum over the rows of the search. The value
/// of a state is the state at the end of the search.
const BY_SEARCH: &str = "search:";

/// Prefix of the name of a column that has one value for each variant (and suite). The value is
/// stored in the first row of the variant. The value is the sum over the variant's searches. Only
/// the first repeat of each search counts.
const BY_VARIANT: &str = "variant:";

/// How many fields the table of thin rows has for a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resolution {
    Row,
    Search,
    Variant,
}

impl Resolution {
    fn prefix(self) -> &'static str {
        match self {
            Self::Row => "",
            Self::Search => BY_SEARCH,
            Self::Variant => BY_VARIANT,
        }
    }

    /// Splits a name in the table into the resolution, which the prefix shows, and the column's
    /// name.
    fn parse(name: &str) -> (Self, &str) {
        let strip_prefix = |resolution: Self| name.strip_prefix(resolution.prefix()).map(|column| (resolution, column));
        strip_prefix(Self::Search).or_else(|| strip_prefix(Self::Variant)).unwrap_or((Self::Row, name))
    }
}

/// The counters from which rates are computed. Confidence intervals of rates need a value for each
/// search.
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

/// Columns in `kept_by_row` are kept for each row, unless they are always dropped.
fn resolution(column: &str, kept_by_row: &BTreeSet<String>, rows_are_games: bool) -> Option<Resolution> {
    let is_always_dropped = [columns::ID, columns::PV, columns::SEARCHES].contains(&column);
    let is_kept_by_row = kept_by_row.contains(column)
        || column.starts_with(columns::MATCH)
        || [columns::NODES, columns::SCORE, columns::SLOTS, columns::BYTES].contains(&column);
    match columns::role(column) {
        Role::Seal => None,
        _ if is_always_dropped => None,
        _ if is_kept_by_row => Some(Resolution::Row),
        Role::Key | Role::Option | Role::Word => Some(Resolution::Row),
        Role::Time if rows_are_games => Some(Resolution::Row),
        Role::Time => Some(Resolution::Variant),
        _ if rows_are_games => None,
        _ if RATES.contains(&column) => Some(Resolution::Search),
        Role::Sum => Some(Resolution::Variant),
        Role::Last => None,
    }
}

/// Whether a folder contains thin rows but no full rows.
pub fn is_thin(folder: &Path) -> bool {
    !folder.join(RESULTS).exists() && folder.join(NAME).exists()
}

/// The path may be the folder itself or the file [`NAME`] in the folder.
pub fn thin_folder(path: &Path) -> Option<&Path> {
    if path.is_dir() {
        return is_thin(path).then_some(path);
    }
    if path.file_name().is_some_and(|name| name == NAME) { path.parent() } else { None }
}

/// A column of the table of thin rows, while the rows of the results are read.
struct Column {
    name: String,
    index: usize,
    resolution: Resolution,
    /// Whether the values are summed. Otherwise they are states.
    is_summed: bool,
    fields: StringRecord,
    /// The fields that are not empty, if the resolution is not `Row`. The key is the number of the
    /// row.
    sparse_fields: HashMap<usize, String>,
    /// The sum over the rows of the current search.
    sum: f64,
    last_field: String,
    /// For each variant and suite, the first row, and the sum of the values of the searches.
    variants: HashMap<(String, String), (usize, f64)>,
}

impl Column {
    /// The field is empty if no value is stored in this row.
    fn field(&self, row: usize) -> &str {
        match self.resolution {
            Resolution::Row => self.fields.get(row).unwrap_or_default(),
            _ => self.sparse_fields.get(&row).map_or("", String::as_str),
        }
    }

    /// Ends a search of a variant on a suite. The rows of the search are `first_row` to `last_row`.
    /// At resolution `Search`, the value of the search is stored in the last row of the search. At
    /// resolution `Variant`, the value is added to the sum of the variant, which will be stored in
    /// the variant's first row.
    fn finish_search(&mut self, (variant, suite): (&str, &str), [first_row, last_row]: [usize; 2]) {
        let (search_sum, last_field) = (std::mem::take(&mut self.sum), std::mem::take(&mut self.last_field));
        match self.resolution {
            Resolution::Row => {}
            Resolution::Search => {
                let field = if self.is_summed { format_number(search_sum) } else { last_field };
                self.sparse_fields.insert(last_row, field);
            }
            Resolution::Variant => {
                let (_, variant_sum) =
                    self.variants.entry((variant.to_owned(), suite.to_owned())).or_insert((first_row, 0.0));
                *variant_sum += search_sum;
            }
        }
    }
}

/// Parses a number. Returns NaN if the text is not a number.
fn parse_number(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}

/// Formats a number so that parsing the text gives the same number. Trailing zeros are removed. The
/// text of NaN is empty. Six decimals are tried first, because times have six decimals.
fn format_number(value: f64) -> String {
    if value.is_nan() {
        return String::new();
    }
    let six_decimals = format!("{value:.6}");
    let short_text = six_decimals.trim_end_matches('0').trim_end_matches('.');
    if parse_number(short_text) == value { short_text.to_owned() } else { value.to_string() }
}

#[derive(Default)]
struct OpenSearch {
    /// The variant, the position and the repeat. `None` before the first search.
    key: Option<[String; 3]>,
    suite: String,
    /// Whether the values of the search are kept. They are kept only for the first repeat of a
    /// search, and not for copies of the variant that use another key seed or schedule.
    is_kept: bool,
    first_row: usize,
    last_row: usize,
}

/// Writes the thin rows of a complete results file into a folder. The columns in `kept_by_row` are
/// kept for each row. Returns the entry for the manifest. The entry's field `missing` is not set.
///
/// # Errors
/// When the file cannot be read, its rows are not in the plan's order, or writing fails.
pub fn write(results: &Path, folder: &Path, kept_by_row: &BTreeSet<String>) -> Result<Thin, ResultsError> {
    let mut reader = csv::Reader::from_path(results).map_err(io::Error::other)?;
    let header = reader.headers().map_err(io::Error::other)?.clone();
    let index_of = |name: &str| header.iter().position(|column| column == name);
    let rows_are_games = index_of(columns::OPPONENT).is_some();
    let mut table: Vec<Column> = header
        .iter()
        .enumerate()
        .filter_map(|(index, name)| {
            let resolution = resolution(name, kept_by_row, rows_are_games)?;
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
    let (mut search, mut row) = (OpenSearch::default(), StringRecord::new());
    // The keys of all searches so far, the variants and positions of the searches whose values are
    // kept, and all variants so far.
    let (mut seen_keys, mut kept_searches, mut variants): (
        HashSet<[String; 3]>,
        HashSet<[String; 2]>,
        HashSet<String>,
    ) = Default::default();
    let (mut row_count, mut failed) = (0, 0);
    let finish_search = |table: &mut [Column], search: &OpenSearch| {
        if let (Some([variant, ..]), true) = (&search.key, search.is_kept) {
            let rows = [search.first_row, search.last_row];
            table.iter_mut().for_each(|column| column.finish_search((variant, &search.suite), rows));
        }
    };
    while reader.read_record(&mut row).map_err(io::Error::other)? {
        let field = |index: Option<usize>| index.and_then(|index| row.get(index)).unwrap_or_default();
        let is_error = !field(error).is_empty();
        failed += u64::from(is_error);
        let key = [variant, position, repeat].map(|index| field(index).to_owned());
        if !rows_are_games && !is_error && search.key.as_ref() != Some(&key) {
            finish_search(&mut table, &search);
            if !seen_keys.insert(key.clone()) {
                let problem = "the rows are not in the plan's order: the rows of a search are not contiguous";
                return Err(ResultsError::Damaged { line: row_count as u64 + 2, problem: problem.to_owned() });
            }
            variants.insert(key[0].clone());
            let is_copy = base_variant(&key[0]).is_some_and(|base| variants.contains(base));
            let is_kept = !is_copy && kept_searches.insert([key[0].clone(), key[1].clone()]);
            let suite = field(suite).to_owned();
            search = OpenSearch { key: Some(key), suite, is_kept, first_row: row_count, last_row: row_count };
        }
        for column in &mut table {
            let text = &row[column.index];
            match column.resolution {
                Resolution::Row => column.fields.push_field(text),
                _ if is_error || !search.is_kept => {}
                _ if column.is_summed => column.sum += parse_number(text),
                _ => column.last_field = text.to_owned(),
            }
        }
        if !is_error {
            search.last_row = row_count;
        }
        row_count += 1;
    }
    finish_search(&mut table, &search);
    let mut text = Vec::new();
    for column in &mut table {
        for (first_row, sum) in std::mem::take(&mut column.variants).into_values() {
            column.sparse_fields.insert(first_row, format_number(sum));
        }
        let fields = (0..row_count).map(|row| column.field(row));
        text.extend(csv_line(std::iter::once(column.name.as_str()).chain(fields))?);
    }
    write_atomic(&folder.join(NAME), &compress(&text)?)?;
    Ok(Thin { rows: row_count as u64, failed, missing: None, seal: seals::hash_bytes(&text) })
}

/// Compresses bytes with xz. Equal bytes are always compressed to equal bytes.
pub fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(PRESET))?;
    writer.write_all(bytes)?;
    writer.finish()
}

/// Compression preset of xz, from 0 to 9. Higher presets would only enlarge the window, which is
/// already larger than the tables of thin rows.
const PRESET: u32 = 6;

pub fn decompress_file(path: &Path) -> io::Result<Vec<u8>> {
    let (file, mut bytes) = (files::read(path)?, Vec::new());
    let result = XzReader::new(&file[..], true).read_to_end(&mut bytes);
    result.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    Ok(bytes)
}

#[derive(Debug, Clone, Default)]
pub struct ThinRows {
    pub columns: Vec<(Resolution, String, StringRecord)>,
    pub rows: usize,
    /// The columns that are sealed in the manifest but are not kept for each row.
    pub absent_columns: Vec<String>,
    /// Number of columns whose fields match the seals of the full rows.
    pub verified_columns: usize,
}

impl ThinRows {
    pub fn column(&self, name: &str) -> Option<&StringRecord> {
        let mut columns_by_row = self.columns.iter().filter(|(resolution, ..)| *resolution == Resolution::Row);
        columns_by_row.find(|(_, column, _)| column == name).map(|(.., fields)| fields)
    }
}

/// Reads the thin rows of a folder and checks them against the manifest. Both the seal of the thin
/// rows and the column seals of the full rows must match.
pub fn read(folder: &Path, manifest: &Manifest) -> Result<ThinRows, ResultsError> {
    let thin_error = |problem: &str| ResultsError::Thin(problem.to_owned());
    let Some(thin) = &manifest.thin else { return Err(thin_error("the folder has a manifest of full rows")) };
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
            thin_rows.verified_columns += 1;
        }
        thin_rows.columns.push((resolution, name, fields));
    }
    let absent_columns = manifest.column_seals.keys().filter(|name| thin_rows.column(name).is_none());
    thin_rows.absent_columns = absent_columns.cloned().collect();
    Ok(thin_rows)
}
