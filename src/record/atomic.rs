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

/// A new file that is being written. [`publish`] moves it to its path.
#[derive(Debug)]
pub struct NewFile(TemporaryFile);

#[derive(Debug)]
enum TemporaryFile {
    /// A file without a name. The file disappears if the process is killed.
    Unnamed(File),
    /// A file with a temporary name, for file systems that do not support files without names.
    Named(NamedTempFile),
}

impl NewFile {
    pub fn as_file(&self) -> &File {
        match &self.0 {
            TemporaryFile::Unnamed(file) => file,
            TemporaryFile::Named(file) => file.as_file(),
        }
    }

    pub fn as_file_mut(&mut self) -> &mut File {
        match &mut self.0 {
            TemporaryFile::Unnamed(file) => file,
            TemporaryFile::Named(file) => file.as_file_mut(),
        }
    }

    fn persist(self, path: &Path) -> io::Result<()> {
        match self.0 {
            TemporaryFile::Named(file) => file.persist(path).map(drop).map_err(|error| error.error),
            #[cfg(target_os = "linux")]
            TemporaryFile::Unnamed(file) => move_unnamed(&file, path),
            #[cfg(not(target_os = "linux"))]
            TemporaryFile::Unnamed(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.as_file_mut().write(buffer)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.as_file_mut().flush()
    }
}

/// Opens a file without a name in a folder. Returns `None` if the system does not support such
/// files.
#[cfg(target_os = "linux")]
fn open_unnamed(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags};
    // Without this path, `move_unnamed` could not name the file.
    if !Path::new("/proc/self/fd").exists() {
        return None;
    }
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    // These are the default permissions of new files. The system applies the user's umask to them.
    rustix::fs::open(folder, flags, Mode::from_raw_mode(0o666)).ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
fn open_unnamed(_: &Path) -> Option<File> {
    None
}

/// Moves a file without a name to `path`. Because `linkat` cannot replace an existing file, the
/// file first gets a temporary name that no other file has, and is then renamed.
#[cfg(target_os = "linux")]
fn move_unnamed(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    use std::sync::atomic::{AtomicU64, Ordering};
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let open_file = format!("/proc/self/fd/{}", file.as_raw_fd());
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let temporary_path = parent_folder(path).join(format!("{TEMPORARY}{}-{number}", std::process::id()));
        match linkat(CWD, &open_file, CWD, &temporary_path, AtFlags::SYMLINK_FOLLOW) {
            Ok(()) => return fs::rename(&temporary_path, path).inspect_err(|_| _ = fs::remove_file(&temporary_path)),
            Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

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
    if let Some(file) = open_unnamed(folder) {
        return Ok(NewFile(TemporaryFile::Unnamed(file)));
    }
    create_named(folder)
}

fn create_named(folder: &Path) -> io::Result<NewFile> {
    let mut builder = tempfile::Builder::new();
    // These are the default permissions of new files. The user's umask is then applied.
    builder.prefix(TEMPORARY).permissions(fs::Permissions::from_mode(0o666));
    builder.tempfile_in(folder).map(|file| NewFile(TemporaryFile::Named(file)))
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
    file.persist(path)?;
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
        // A kill leaves nothing; without unnamed files it leaves one with the temporary prefix
        // beside the file.
        for (mut new, expected_files) in [(create_named(folder.path()).unwrap(), 1), (begin_file(&path).unwrap(), 0)] {
            new.write_all(b"new").unwrap();
            assert_eq!((temporary_files(), fs::read(&path).unwrap()), (expected_files, b"three".to_vec()));
            publish(new, &path).unwrap();
            assert_eq!((temporary_files(), fs::read(&path).unwrap()), (0, b"new".to_vec()));
            write_atomic(&path, b"three").unwrap();
        }
        // A temporary name that is taken by another process is skipped.
        for number in 0..64 {
            fs::write(folder.path().join(format!("{TEMPORARY}{}-{number}", std::process::id())), "left").unwrap();
        }
        write_atomic(&path, b"four").unwrap();
        assert_eq!((temporary_files(), fs::read(&path).unwrap()), (64, b"four".to_vec()));
        assert_eq!(
            [Path::new("x"), Path::new("a/x"), Path::new("/x")].map(parent_folder),
            [".", "a", "/"].map(Path::new)
        );
    }
}
