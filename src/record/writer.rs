//! The results file while a run appends to it.

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
    length: u64,
}

impl ResultsWriter {
    /// Opens a file for appending after its first `length` bytes; what follows them is cut off. A file of no bytes gets its
    /// header.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn open(path: &Path, header: &[String], length: u64) -> io::Result<Self> {
        let file = open_own_file(path)?;
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

    /// Appends the rows of one job with one write, so that a kill tears at most the last of them. Whatever was done to the file meanwhile
    /// they go to its end. When this returns the system has them, so that no end of this process can lose them; [`Results::sync`] sees to
    /// the disk.
    ///
    /// # Errors
    /// When the system refuses (a full disk). The file then ends where it did before, as far as the system lets it.
    pub fn append(&mut self, rows: &[Vec<String>]) -> io::Result<()> {
        let mut bytes = Vec::new();
        for fields in rows {
            bytes.extend(csv_line(fields)?);
        }
        self.write(&bytes)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let before = self.file.metadata()?.len();
        if let Err(error) = self.file.write_all(bytes) {
            let _ = self.file.set_len(before);
            return Err(error);
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Puts everything appended on the disk: after this not even a power failure loses it.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Another hold on the file, by which a thread that does not append can wait for the disk.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn clone_file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Whether the file is still where it was opened, and not moved, deleted or replaced.
    pub fn is_in_place(&self) -> bool {
        let id = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
        matches!((self.file.metadata().map(id), std::fs::metadata(&self.path).map(id)), (Ok(a), Ok(b)) if a == b)
    }

    /// How many bytes it has where it has other than were written: somebody cut it short, or wrote to it.
    pub fn unexpected_length(&self) -> Option<u64> {
        self.file.metadata().map(|meta| meta.len()).ok().filter(|&length| length != self.length)
    }

    /// Whether the file has no name any more, so that its rows go when it is closed.
    pub fn is_deleted(&self) -> bool {
        self.file.metadata().is_ok_and(|meta| meta.nlink() == 0)
    }

    /// Copies all rows to another file.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn copy_to(&mut self, path: &Path) -> io::Result<()> {
        let mut new = begin_file(path)?;
        self.file.seek(SeekFrom::Start(0))?;
        io::copy(&mut self.file, new.as_file_mut())?;
        publish(new, path)
    }
}

/// Makes a folder and those above it, where there is none.
///
/// # Errors
/// When something else has its name, or the system refuses.
pub fn create_folder(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path).map_err(|error| {
        let message = match std::fs::symlink_metadata(path) {
            Ok(_) if path.is_file() => "it is a file, not a folder",
            Ok(found) if found.is_symlink() && !path.exists() => "it is a symbolic link to what is not there",
            _ => return error,
        };
        io::Error::new(error.kind(), message)
    })
}

/// Opens a file for reading and appending, making it where there is none. What was planted under its name is not followed: a link
/// would have the run write to another's file.
///
/// # Errors
/// When it is a link or no regular file, or the system refuses.
pub fn open_own_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    if let Ok(found) = std::fs::symlink_metadata(path) {
        check_regular(&found)?;
    }
    options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    options.open(path).map_err(|error| match std::fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_symlink() => {
            io::Error::new(error.kind(), "it is a symbolic link, and results are not written through links: remove it")
        }
        _ => error,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A folder is made, or is there, or is behind a link; what else has its name is told, and kept.
    #[test]
    fn a_folder_is_made_where_nothing_else_is() {
        let place = tempfile::TempDir::new().unwrap();
        let at = |name: &str| place.path().join(name);
        std::fs::write(at("file"), "mine").unwrap();
        std::os::unix::fs::symlink(at("new"), at("link")).unwrap();
        let message = |name: &str| create_folder(&at(name)).err().map(|error| error.to_string());
        assert_eq!(message("link").unwrap(), "it is a symbolic link to what is not there");
        for (name, target, expected) in [
            ("to-file", at("file"), "it is a file, not a folder"),
            ("to-device", PathBuf::from("/dev/null"), "File exists (os error 17)"),
        ] {
            std::os::unix::fs::symlink(target, at(name)).unwrap();
            assert_eq!(message(name).unwrap(), expected);
        }
        assert_eq!(message("file").unwrap(), "it is a file, not a folder");
        assert!(message("file/below").unwrap().starts_with("Not a directory"));
        assert_eq!(["new/deep", "new", "link", "link/other"].map(message), [const { None }; 4]);
        assert_eq!(std::fs::read_to_string(at("file")).unwrap(), "mine");
    }
}
