//! Rewrites a results file in another order, or without some of its rows. The new file replaces the
//! old one only when it is complete.

use super::atomic::{NewFile, begin_file, publish};
use super::results::{ResultsError, csv_line, scan};
use crate::system::files;
use csv::StringRecord;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::ops::Range;
use std::path::Path;

/// Rewrites a results file with the given lines in the given order, byte by byte.
///
/// # Errors
/// When reading or writing fails; the old file is then unchanged.
pub fn rewrite(path: &Path, header: &[String], lines: impl Iterator<Item = Range<u64>>) -> io::Result<()> {
    let mut old = BufReader::new(files::open(path)?);
    let mut new = begin_file(path)?;
    let mut writer = BufWriter::new(new.as_file_mut());
    writer.write_all(&csv_line(header)?)?;
    let (mut position, mut bytes) = (0, Vec::new());
    for line in lines {
        // A relative seek keeps the buffer when lines are consecutive.
        old.seek_relative(line.start as i64 - position)?;
        bytes.resize((line.end - line.start) as usize, 0);
        old.read_exact(&mut bytes)?;
        writer.write_all(&bytes)?;
        position = line.end as i64;
    }
    writer.flush()?;
    drop(writer);
    publish(new, path)
}

/// Sorts the rows of a results file by key and drops those without one. Memory: one key and one
/// range for each row. A file that is sorted and complete is not rewritten.
///
/// # Errors
/// When `key` fails for a row, or reading or writing fails; the file is then unchanged.
pub fn sort_rows<K: Ord>(
    path: &Path,
    header: &[String],
    mut key: impl FnMut(&StringRecord) -> Result<Option<K>, String>,
) -> Result<(), ResultsError> {
    let (mut rows, mut dropped): (Vec<(K, Range<u64>)>, _) = (Vec::new(), false);
    scan(path, header, |line, record| {
        match key(record?)? {
            Some(key) => rows.push((key, line.bytes.clone())),
            None => dropped = true,
        }
        Ok(())
    })?;
    if !dropped && rows.is_sorted_by(|a, b| a.0 <= b.0) {
        return Ok(());
    }
    rows.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(rewrite(path, header, rows.into_iter().map(|(_, bytes)| bytes))?)
}

/// Writes rows to a new file that [`publish`] moves to `path`.
///
/// # Errors
/// When `rows` or writing fails.
pub fn write_rows(
    path: &Path,
    header: &[String],
    rows: impl FnOnce(&mut dyn FnMut(&StringRecord) -> Result<(), ResultsError>) -> Result<(), ResultsError>,
) -> Result<NewFile, ResultsError> {
    let mut new = begin_file(path)?;
    let mut writer = csv::Writer::from_writer(BufWriter::new(new.as_file_mut()));
    let io = |error: csv::Error| ResultsError::Io(io::Error::other(error));
    writer.write_record(header).map_err(io)?;
    rows(&mut |row| writer.write_record(row).map_err(io))?;
    writer.flush()?;
    drop(writer);
    Ok(new)
}
