//! Files that are written whole: a kill leaves the old one or the new one, never half of either.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// How the names of files begin that a kill may leave behind; whoever holds the folder's lock may remove them.
pub const TEMPORARY: &str = ".ttlab-new-";

/// Begins a file that [`publish`] will put in the place of `path`.
///
/// # Errors
/// When the system refuses.
pub fn begin(path: &Path) -> io::Result<NamedTempFile> {
    // Who may write in /dev would put a file in the place of a device, for everybody.
    if fs::metadata(path).is_ok_and(|known| !known.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is no file that could be written anew"));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As other programs make files: what the user's umask leaves of this.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder(path))
}

/// Puts a temporary file in its place, with the permissions of the file that was there, and on the disk when this returns.
///
/// # Errors
/// When the system refuses; what was at `path` is then untouched.
pub fn publish(file: NamedTempFile, path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        // A link that was planted there is replaced, not followed.
        if let Ok(old) = fs::symlink_metadata(path)
            && old.is_file()
        {
            file.as_file().set_permissions(old.permissions())?;
        }
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(path);
    Ok(())
}

/// Puts a new name in a file's folder on the disk, where the system can.
pub fn sync_folder(path: &Path) {
    if let Ok(folder) = File::open(folder(path)) {
        let _ = folder.sync_all();
    }
}

/// Writes a whole file.
///
/// # Errors
/// When the system refuses; what was at `path` is then untouched.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = begin(path)?;
    file.write_all(bytes)?;
    publish(file, path)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A file keeps its permissions; a link that stands in its place goes, and what it led to stays.
    #[test]
    fn a_file_keeps_what_was_allowed_and_a_link_is_replaced() {
        let place = tempfile::tempdir().unwrap();
        let (path, other) = (place.path().join("file"), place.path().join("other"));
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        write_whole(&path, b"one").unwrap();
        // A new one may be read by whom any new file may.
        fs::write(&other, b"").unwrap();
        assert_eq!(mode(), fs::metadata(&other).unwrap().permissions().mode() & 0o777);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write_whole(&path, b"two").unwrap();
        assert_eq!((mode(), fs::read(&path).unwrap()), (0o640, b"two".to_vec()));
        fs::rename(&path, &other).unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        write_whole(&path, b"three").unwrap();
        assert!(!fs::symlink_metadata(&path).unwrap().is_symlink());
        assert_eq!(mode() & 0o111, 0, "a link may be run by all, its file by nobody");
        assert_eq!((fs::read(&path).unwrap(), fs::read(&other).unwrap()), (b"three".to_vec(), b"two".to_vec()));
        // A socket stands for a device, which only root can make.
        let socket = place.path().join("socket");
        let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for there in [&socket, &place.path().to_owned(), &Path::new("/dev/null").to_owned()] {
            let refused = begin(there).map(|_| ()).unwrap_err().to_string();
            assert_eq!(refused, "is no file that could be written anew", "{}", there.display());
        }
        // What a kill would leave is known by its name, and lies beside the file.
        let half = begin(&path).unwrap();
        assert_eq!(half.path().parent(), Some(place.path()));
        assert!(half.path().file_name().unwrap().to_string_lossy().starts_with(TEMPORARY));
        assert_eq!([Path::new("x"), Path::new("a/x"), Path::new("/x")].map(folder), [".", "a", "/"].map(Path::new));
    }
}
