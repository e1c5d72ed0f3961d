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
