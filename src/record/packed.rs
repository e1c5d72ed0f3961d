//! Results that are small enough for a repository: the rows of `results.csv`, without some of the
//! columns, in one file that is compressed with xz.

use super::manifest::Manifest;
use super::results::{RESULTS, ResultsError, csv_line};
use crate::system::files;
use lzma_rust2::{XzOptions, XzReader, XzWriter};
use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};

pub const PACKED: &str = "results.csv.xz";

/// No row is longer. A longer text is not unpacked.
const MAX_ROW_BYTES: u64 = 1 << 14;

/// Compression preset of xz, from 0 to 9. Higher presets only enlarge the window, which is already
/// larger than the files.
const PRESET: u32 = 6;

/// The file of the rows in a folder.
pub fn results_file(folder: &Path) -> PathBuf {
    folder.join(if is_packed(folder) { PACKED } else { RESULTS })
}

pub fn is_packed(folder: &Path) -> bool {
    !folder.join(RESULTS).exists() && folder.join(PACKED).exists()
}

/// Opens a results file. A compressed file is unpacked into memory, if it has no more than the rows
/// that the manifest beside it records.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if path.extension().is_none_or(|extension| extension != "xz") {
        return Ok(Box::new(files::open(path)?));
    }
    let manifest = Manifest::read(path.parent().unwrap_or(Path::new(""))).map_err(io::Error::other)?;
    let rows = manifest.and_then(|manifest| manifest.sealed.rows).unwrap_or(0);
    Ok(Box::new(Cursor::new(unpack(path, rows.saturating_add(1).saturating_mul(MAX_ROW_BYTES))?)))
}

/// Compresses bytes with xz. Equal bytes are always compressed to equal bytes.
pub fn pack(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(PRESET))?;
    writer.write_all(bytes)?;
    writer.finish()
}

/// Reads a compressed file.
///
/// # Errors
/// When the file cannot be read, is not an xz file, or has more than `limit` bytes.
pub fn unpack(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let (file, mut bytes) = (files::read(path)?, Vec::new());
    let invalid = |problem: String| io::Error::new(io::ErrorKind::InvalidData, problem);
    let mut reader = XzReader::new(&file[..], true).take(limit.saturating_add(1));
    reader.read_to_end(&mut bytes).map_err(|error| invalid(format!("not an xz file, or damaged: {error}")))?;
    if bytes.len() as u64 > limit {
        return Err(invalid(format!("more than the {limit} bytes that it should have")));
    }
    Ok(bytes)
}

/// The rows of a results file as CSV, with only the columns for which `is_kept` is true.
pub fn select_columns(path: &Path, is_kept: impl Fn(&str) -> bool) -> Result<Vec<u8>, ResultsError> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(path).map_err(io::Error::other)?;
    let (mut text, mut indices) = (Vec::new(), None);
    for line in reader.records() {
        let line = line.map_err(io::Error::other)?;
        let indices: &Vec<usize> =
            indices.get_or_insert_with(|| (0..line.len()).filter(|&index| is_kept(&line[index])).collect());
        text.extend(csv_line(indices.iter().map(|&index| &line[index]))?);
    }
    Ok(text)
}
