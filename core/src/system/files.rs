//! Opens files for reading. Files that may block or never end are refused.

use std::fs::{File, FileType, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Opens a regular file for reading. A folder is opened too, but cannot be read.
///
/// # Errors
/// When the file is a FIFO, a socket or a device, or cannot be opened.
pub fn open(path: &Path) -> io::Result<File> {
    // The file is checked before it is opened, because some devices are affected by being opened.
    check_regular(&std::fs::metadata(path)?)?;
    let mut options = File::options();
    options.read(true);
    // The file is opened in non-blocking mode in case a FIFO has replaced it after the check.
    options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    let file = options.open(path)?;
    check_regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file (see [`open`]).
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a regular file of UTF-8 text (see [`open`]).
pub fn read_text(path: &Path) -> io::Result<String> {
    io::read_to_string(open(path)?)
}

/// Opens an input file named by the user. The file may be a pipe of the shell (`<(...)`).
///
/// # Errors
/// When the file is a socket, is a device (which may never end), or cannot be opened.
pub fn open_input(path: &Path) -> io::Result<File> {
    match special_kind(std::fs::metadata(path)?.file_type()) {
        Some(kind) if kind != FIFO => Err(not_regular_error(kind)),
        _ => File::open(path),
    }
}

/// Reads an input file (see [`open_input`]).
pub fn read_input(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_input(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// An error unless the file is a regular file or a folder. The error names the kind of file.
pub fn check_regular(metadata: &Metadata) -> io::Result<()> {
    special_kind(metadata.file_type()).map_or(Ok(()), |kind| Err(not_regular_error(kind)))
}

fn not_regular_error(kind: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("it is a {kind}, not a regular file"))
}

const FIFO: &str = "FIFO";

fn special_kind(file_type: FileType) -> Option<&'static str> {
    [
        (file_type.is_fifo(), FIFO),
        (file_type.is_socket(), "socket"),
        (file_type.is_char_device(), "character device"),
        (file_type.is_block_device(), "block device"),
    ]
    .into_iter()
    .find_map(|(is_kind, kind)| is_kind.then_some(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files that may block or never end are refused, by name or through a link.
    #[test]
    fn special_file_is_refused_except_a_pipe_as_input() {
        let folder = tempfile::tempdir().unwrap();
        let path_of = |name: &str| folder.path().join(name);
        std::fs::write(path_of("file"), "text").unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, path_of("fifo"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(path_of("socket")).unwrap();
        for (target, link) in
            [(path_of("file"), "to-file"), (path_of("fifo"), "to-fifo"), ("/dev/zero".into(), "to-zero")]
        {
            std::os::unix::fs::symlink(target, path_of(link)).unwrap();
        }
        let message = |name: &str| read(&path_of(name)).map_err(|error| error.to_string());
        assert_eq!((message("file"), message("to-file")), (Ok(b"text".to_vec()), Ok(b"text".to_vec())));
        assert_eq!(read_text(&path_of("file")).unwrap(), "text");
        let refused = |kind: &str| Err(format!("it is a {kind}, not a regular file"));
        for (name, kind) in [
            ("fifo", "FIFO"),
            ("to-fifo", "FIFO"),
            ("socket", "socket"),
            ("to-zero", "character device"),
            ("/dev/zero", "character device"),
        ] {
            assert_eq!(message(name), refused(kind), "{name}");
        }
        assert!(message("none").is_err_and(|message| message.starts_with("No such file")));
        assert!(message("").is_err_and(|message| message.starts_with("Is a directory")));
        // An input file may be a pipe.
        let writer = std::thread::spawn({
            let fifo = path_of("fifo");
            move || std::fs::write(fifo, "piped").unwrap()
        });
        assert_eq!(read_input(&path_of("fifo")).unwrap(), b"piped");
        writer.join().unwrap();
        assert_eq!(read_input(&path_of("to-zero")).map_err(|error| error.to_string()), refused("character device"));
    }
}
