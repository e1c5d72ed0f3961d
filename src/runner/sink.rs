//! Where the rows go, and whether the file is still there.

use super::{Output, RunError};
use crate::record::Results;

/// The results while they are written.
pub(super) struct ResultsSink {
    pub(super) results: Results,
    /// Whether rows wait for the disk.
    pub(super) dirty: bool,
    /// Why no more rows can be written.
    pub(super) broken: Option<RunError>,
}

impl ResultsSink {
    pub(super) fn append(&mut self, rows: &[Vec<String>], output: &Output) -> Result<(), RunError> {
        if self.broken.is_some() {
            return Ok(()); // Told already; this row's job is run again when the run continues.
        }
        self.results.append(rows).map_err(|error| write_error(output, error))?;
        self.dirty = true;
        Ok(())
    }

    /// Waits for the disk, and sees whether the file is still there.
    pub(super) fn settle(&mut self, output: &Output) -> Result<(), RunError> {
        self.results.sync().map_err(|error| write_error(output, error))?;
        self.look(output)
    }

    /// Sees whether the file is still there.
    pub(super) fn look(&mut self, output: &Output) -> Result<(), RunError> {
        if self.results.in_place() { Ok(()) } else { Err(output.rescue(&mut self.results)) }
    }
}

pub(super) fn write_error(output: &Output, error: std::io::Error) -> RunError {
    RunError::Write { path: output.results_path().display().to_string(), error }
}
