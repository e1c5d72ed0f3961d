//! Rewrites a results file in another order, or without some of its rows. The new file replaces the
//! old file only when the new file is complete.

use super::atomic::{NewFile, begin_file, publish};
use super::results::{ResultsError, csv_line, scan};
use crate::system::files;
use csv::StringRecord;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::ops::Range;
use std::path::Path;

/// Rewrites a results file so that it contains only the header and the given lines, in the given
/// order. Each line is given by its range of bytes in the old file. The lines are copied unchanged.
///
/// # Errors
/// When reading or writing fails. The old file is then unchanged.
pub fn rewrite(path: &Path, header: &[String], lines: impl Iterator<Item = Range<u64>>) -> io::Result<()> {
    let mut old_file = BufReader::new(files::open(path)?);
    let mut new_file = begin_file(path)?;
    let mut writer = BufWriter::new(new_file.as_file_mut());
    writer.write_all(&csv_line(header)?)?;
    let (mut position, mut bytes) = (0, Vec::new());
    for line in lines {
        // Unlike an absolute seek, a relative seek does not discard the buffer if the next line is
        // already in it.
        old_file.seek_relative(line.start as i64 - position)?;
        bytes.resize((line.end - line.start) as usize, 0);
        old_file.read_exact(&mut bytes)?;
        writer.write_all(&bytes)?;
        position = line.end as i64;
    }
    writer.flush()?;
    drop(writer);
    publish(new_file, path)
}

/// Sorts the rows of a results file by the key that `key` returns, and drops the rows for which
/// `key` returns `None`. If the rows are already sorted and no row is dropped, the file is not
/// rewritten. The memory contains a key and a range of bytes for each row, but not the rows.
///
/// # Errors
/// When `key` fails for a row, or when reading or writing fails. The file is then unchanged.
pub fn sort_rows<K: Ord>(
    path: &Path,
    header: &[String],
    mut key: impl FnMut(&StringRecord) -> Result<Option<K>, String>,
) -> Result<(), ResultsError> {
    let (mut rows, mut drops_rows): (Vec<(K, Range<u64>)>, _) = (Vec::new(), false);
    scan(path, header, |line, record| {
        match key(record?)? {
            Some(key) => rows.push((key, line.bytes.clone())),
            None => drops_rows = true,
        }
        Ok(())
    })?;
    if !drops_rows && rows.is_sorted_by(|(a, _), (b, _)| a <= b) {
        return Ok(());
    }
    rows.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(rewrite(path, header, rows.into_iter().map(|(_, bytes)| bytes))?)
}

/// Writes a header and rows to a new file that [`publish`] will move to `path`. `write_all` is
/// called once, with a function that writes one row.
pub fn write_rows(
    path: &Path,
    header: &[String],
    write_all: impl FnOnce(&mut dyn FnMut(&StringRecord) -> Result<(), ResultsError>) -> Result<(), ResultsError>,
) -> Result<NewFile, ResultsError> {
    let mut new_file = begin_file(path)?;
    let mut writer = csv::Writer::from_writer(BufWriter::new(new_file.as_file_mut()));
    let to_results_error = |error: csv::Error| ResultsError::Io(io::Error::other(error));
    writer.write_record(header).map_err(to_results_error)?;
    write_all(&mut |row| writer.write_record(row).map_err(to_results_error))?;
    writer.flush()?;
    drop(writer);
    Ok(new_file)
}
