//! Keeps rows in a folder that do not belong to the folder's plan. There is one file for each set
//! of columns.

use crate::record::{self, ResultsError};
use crate::system::files;
use std::collections::HashSet;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Returns the existing files with unused rows in a folder.
pub fn unused_files(folder: &Path) -> Vec<PathBuf> {
    (1..).map(|number| unused_file(folder, number)).take_while(|path| path.exists()).collect()
}

/// Returns the path of the file of unused rows with this number. The first file, with number 1, is
/// `unused.csv`, and the second is `unused-2.csv`.
pub fn unused_file(folder: &Path, number: u32) -> PathBuf {
    folder.join(if number == 1 { "unused.csv".to_owned() } else { format!("unused-{number}.csv") })
}

/// Appends lines of the file `source` to the file `target`. Both files have the same header. The
/// lines are given by their byte ranges. Lines with an id that the target already has are left out.
/// The target is replaced atomically.
pub fn append_lines(source: &Path, lines: &[Range<u64>], header: &[String], target: &Path) -> Result<(), ResultsError> {
    let mut ids = HashSet::new();
    if target.exists() {
        record::scan(target, header, |_, row| {
            ids.extend(row.ok().and_then(|row| row.get(0).map(str::to_owned)));
            Ok(())
        })?;
    }
    let mut new_file = record::begin_file(target)?;
    let mut writer = io::BufWriter::new(new_file.as_file_mut());
    if target.exists() {
        io::copy(&mut files::open(target)?, &mut writer)?;
    } else {
        writer.write_all(&record::csv_line(header)?)?;
    }
    let (mut source_file, mut bytes) = (files::open(source)?, Vec::new());
    for line in lines {
        source_file.seek(SeekFrom::Start(line.start))?;
        bytes.resize((line.end - line.start) as usize, 0);
        source_file.read_exact(&mut bytes)?;
        let id = bytes.split(|byte| *byte == b',').next().unwrap_or_default();
        if !ids.contains(&*String::from_utf8_lossy(id)) {
            writer.write_all(&bytes)?;
        }
    }
    writer.flush()?;
    drop(writer);
    Ok(record::publish(new_file, target)?)
}
