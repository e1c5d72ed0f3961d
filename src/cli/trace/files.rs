//! Opens, creates and completes the trace files that commands read and write.

use super::super::{CommandFailure, io_failure};
use crate::record::{NewFile, begin_file, publish};
use crate::text::plural;
use crate::traces::{TraceError, Writer};
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

pub fn open_trace(file: &Path) -> Result<File, CommandFailure> {
    // A folder can be opened like a file, but not read.
    let result = crate::system::files::open(file).and_then(|opened| match opened.metadata()?.is_dir() {
        true => Err(ErrorKind::IsADirectory.into()),
        false => Ok(opened),
    });
    result.map_err(|error| CommandFailure::usage(format!("{}: the trace cannot be read: {error}", file.display())))
}

pub fn trace_failure(file: &Path) -> impl Fn(TraceError) -> CommandFailure {
    move |error| match error {
        TraceError::Io(error) => io_failure(file)(error),
        error => CommandFailure::usage(format!("{}: {error}", file.display())),
    }
}

/// Creates an output file. The file replaces an older file at `out` only when [`finish_trace`] has
/// completed it.
pub(super) fn create_output(out: &Path) -> Result<NewFile, CommandFailure> {
    begin_file(out).map_err(|error| match error.kind() {
        // `out` is a folder, a pipe or a device.
        ErrorKind::InvalidInput => CommandFailure::usage(format!("{}: {error}", out.display())),
        _ => io_failure(out)(error),
    })
}

/// Completes the output file and moves it to `out`. Returns a text with the number of its events,
/// such as `5 events`.
pub(super) fn finish_trace(writer: Writer<NewFile>, out: &Path) -> Result<String, CommandFailure> {
    let (events, output) = writer.finish().map_err(io_failure(out))?;
    publish(output, out).map_err(io_failure(out))?;
    Ok(plural(events, "event"))
}
