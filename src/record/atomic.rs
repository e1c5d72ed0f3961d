//! Replaces files atomically. If the process is killed, either the old or the new file is at the
//! path, but never a part of a file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::NamedTempFile;

/// Prefix of the names of temporary files. Such a file may be left behind if the process is killed.
/// The process that holds the folder's lock may remove it.
pub const TEMPORARY: &str = ".ttlab-new-";

/// A new file that is being written. [`publish`] moves it to its path. If it is dropped, it is
/// removed.
pub type NewFile = NamedTempFile;

pub fn begin_file(path: &Path) -> io::Result<NewFile> {
    // A device must not be replaced, even if the process may write to /dev.
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file and cannot be replaced"));
    }
    let folder = parent_folder(path);
    if !folder.is_dir() {
        let message = format!("there is no folder {}: make it first", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, message));
    }
    let mut builder = tempfile::Builder::new();
    // These are the default permissions of new files. The user's umask is then applied.
    builder.prefix(TEMPORARY).permissions(fs::Permissions::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Moves a new file to `path` and syncs it to the disk. If the new file replaces an old file, the
/// new file gets the permissions of the old file.
///
/// # Errors
/// When writing fails. The old file at `path` is then unchanged.
pub fn publish(file: NewFile, path: &Path) -> io::Result<()> {
    // If there is a link at the path, the link itself is replaced.
    if let Ok(old) = fs::symlink_metadata(path)
        && old.is_file()
    {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(path);
    Ok(())
}

/// Syncs the folder of a file to the disk. Errors are ignored.
pub fn sync_folder(path: &Path) {
    if let Ok(folder) = File::open(parent_folder(path)) {
        let _ = folder.sync_all();
    }
}

pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = begin_file(path)?;
    file.write_all(bytes)?;
    publish(file, path)
}

fn parent_folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A replaced file keeps its permissions; a link is replaced, and its target is unchanged.
    #[test]
    fn replaced_file_keeps_permissions_and_link_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (path, target) = (folder.path().join("file"), folder.path().join("other"));
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        write_atomic(&path, b"one").unwrap();
        // A new file has the default permissions.
        fs::write(&target, b"").unwrap();
        assert_eq!(mode(), fs::metadata(&target).unwrap().permissions().mode() & 0o777);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!((mode(), fs::read(&path).unwrap()), (0o640, b"two".to_vec()));
        fs::rename(&path, &target).unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        write_atomic(&path, b"three").unwrap();
        assert!(!fs::symlink_metadata(&path).unwrap().is_symlink());
        assert_eq!(mode() & 0o111, 0, "the new file does not have the permissions of the link");
        assert_eq!((fs::read(&path).unwrap(), fs::read(&target).unwrap()), (b"three".to_vec(), b"two".to_vec()));
        // A socket stands in for a device, which only root can create.
        let socket = folder.path().join("socket");
        let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for not_a_file in [&socket, &folder.path().to_owned(), &Path::new("/dev/null").to_owned()] {
            let error = begin_file(not_a_file).map(|_| ()).unwrap_err().to_string();
            assert_eq!(error, "is not a regular file and cannot be replaced", "{}", not_a_file.display());
        }
        let missing = folder.path().join("missing");
        let error = begin_file(&missing.join("file")).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error, format!("there is no folder {}: make it first", missing.display()));
        let names = || -> Vec<String> {
            let entries = fs::read_dir(folder.path()).unwrap();
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
        };
        let temporary_files = || names().into_iter().filter(|name| name.starts_with(TEMPORARY)).count();
        // A file that is not published disappears.
        let mut new = begin_file(&path).unwrap();
        new.write_all(b"new").unwrap();
        assert_eq!((temporary_files(), fs::read(&path).unwrap()), (1, b"three".to_vec()));
        drop(new);
        assert_eq!((temporary_files(), fs::read(&path).unwrap()), (0, b"three".to_vec()));
        assert_eq!(
            [Path::new("x"), Path::new("a/x"), Path::new("/x")].map(parent_folder),
            [".", "a", "/"].map(Path::new)
        );
    }
}
