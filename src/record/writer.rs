//! Writes the results file during a run.

use super::atomic::{begin_file, publish, sync_folder};
use super::results::csv_line;
use crate::system::files::check_regular;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// An open results file, to which rows are appended.
pub struct ResultsWriter {
    file: File,
    path: PathBuf,
    /// The length in bytes that the file has unless another program has changed it.
    length: u64,
}

impl ResultsWriter {
    /// Opens a file for appending and truncates it to `length` bytes. If `length` is 0, writes the
    /// header.
    pub fn open(path: &Path, header: &[String], length: u64) -> io::Result<Self> {
        let file = open_regular_file(path)?;
        if file.metadata()?.len() > length {
            file.set_len(length)?;
        }
        let mut results = Self { file, path: path.to_owned(), length };
        if length == 0 {
            results.write(&csv_line(header)?)?;
        }
        results.sync()?;
        sync_folder(path);
        Ok(results)
    }

    /// Appends the rows of one job to the file in one write, so that at most the last row is
    /// incomplete if the process is killed. When the function returns, the operating system has
    /// received the rows, so that they are not lost if this process crashes.
    /// [`ResultsWriter::sync`] writes them to the disk.
    ///
    /// # Errors
    /// When writing fails, for example because the disk is full. The file is then truncated to its
    /// former length if possible.
    pub fn append(&mut self, rows: &[Vec<String>]) -> io::Result<()> {
        let mut bytes = Vec::new();
        for fields in rows {
            bytes.extend(csv_line(fields)?);
        }
        self.write(&bytes)
    }

    /// Appends bytes. If this fails, the file is truncated to its former length.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let old_length = self.file.metadata()?.len();
        if let Err(error) = self.file.write_all(bytes) {
            let _ = self.file.set_len(old_length);
            return Err(error);
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Writes all appended rows to the disk, so that they are not lost in a power failure.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    pub fn clone_file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Whether the file is still at its path, because it was not moved, deleted or replaced.
    pub fn is_in_place(&self) -> bool {
        let file_id = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let (open_id, id_at_path) = (self.file.metadata().map(file_id), std::fs::metadata(&self.path).map(file_id));
        open_id.is_ok() && open_id.ok() == id_at_path.ok()
    }

    pub fn unexpected_length(&self) -> Option<u64> {
        self.file.metadata().map(|meta| meta.len()).ok().filter(|&length| length != self.length)
    }

    /// Whether the file has been deleted. The rows are then lost when the file is closed.
    pub fn is_deleted(&self) -> bool {
        self.file.metadata().is_ok_and(|meta| meta.nlink() == 0)
    }

    pub fn copy_to(&mut self, path: &Path) -> io::Result<()> {
        let mut copy = begin_file(path)?;
        self.file.seek(SeekFrom::Start(0))?;
        io::copy(&mut self.file, copy.as_file_mut())?;
        publish(copy, path)
    }
}

pub fn create_folder(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path).map_err(|error| {
        let message = match std::fs::symlink_metadata(path) {
            Ok(_) if path.is_file() => "it is a file, not a folder",
            Ok(metadata) if metadata.is_symlink() && !path.exists() => "it is a dangling symbolic link",
            _ => return error,
        };
        io::Error::new(error.kind(), message)
    })
}

/// Opens a file for reading and appending. The file is created if it does not exist. Symbolic links
/// are not followed, so that nobody can make the run write to another file by placing a link.
pub fn open_regular_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    if let Ok(metadata) = std::fs::symlink_metadata(path) {
        check_regular(&metadata)?;
    }
    options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    options.open(path).map_err(|error| match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.file_type().is_symlink() => {
            io::Error::new(error.kind(), "it is a symbolic link, and results are not written through links: remove it")
        }
        _ => error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It is no error if the folder exists or is the target of a link. Anything else of that name
    /// is an error and stays unchanged.
    #[test]
    fn folder_is_created_unless_the_name_is_taken() {
        let temporary = tempfile::TempDir::new().unwrap();
        let path_of = |name: &str| temporary.path().join(name);
        std::fs::write(path_of("file"), "mine").unwrap();
        std::os::unix::fs::symlink(path_of("new"), path_of("link")).unwrap();
        let message = |name: &str| create_folder(&path_of(name)).err().map(|error| error.to_string());
        assert_eq!(message("link").unwrap(), "it is a dangling symbolic link");
        for (name, target, expected) in [
            ("to-file", path_of("file"), "it is a file, not a folder"),
            ("to-device", PathBuf::from("/dev/null"), "File exists (os error 17)"),
        ] {
            std::os::unix::fs::symlink(target, path_of(name)).unwrap();
            assert_eq!(message(name).unwrap(), expected);
        }
        assert_eq!(message("file").unwrap(), "it is a file, not a folder");
        assert!(message("file/below").unwrap().starts_with("Not a directory"));
        assert_eq!(["new/deep", "new", "link", "link/other"].map(message), [const { None }; 4]);
        assert_eq!(std::fs::read_to_string(path_of("file")).unwrap(), "mine");
    }
}
