//! Opening files that are read: what is none never answers, or never ends.

use std::fs::{File, FileType, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Opens a regular file for reading. A folder opens too, and cannot be read.
///
/// # Errors
/// When it is a FIFO, a socket or a device, or the system refuses.
pub fn open(path: &Path) -> io::Result<File> {
    // Looked at before it is opened: that alone does something to some devices.
    check_regular(&std::fs::metadata(path)?)?;
    let mut options = File::options();
    options.read(true);
    // Should a FIFO have taken its place meanwhile, nobody is waited for.
    options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    let file = options.open(path)?;
    check_regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file.
///
/// # Errors
/// As [`open`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a regular file of text.
///
/// # Errors
/// As [`open`], or when it is no UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Opens what a user names, be it a pipe of the shell's (`<(...)`).
///
/// # Errors
/// When it is a device, which may have no end, or the system refuses.
pub fn open_input(path: &Path) -> io::Result<File> {
    match kind(std::fs::metadata(path)?.file_type()) {
        Some(kind) if kind != FIFO => Err(no_regular_file(kind)),
        _ => File::open(path),
    }
}

/// Reads what a user names.
///
/// # Errors
/// As [`open_input`].
pub fn read_input(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_input(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Refuses what is neither a regular file nor a folder.
///
/// # Errors
/// Then, with what it is.
pub fn check_regular(found: &Metadata) -> io::Result<()> {
    kind(found.file_type()).map_or(Ok(()), |kind| Err(no_regular_file(kind)))
}

fn no_regular_file(kind: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("it is a {kind}, not a regular file"))
}

const FIFO: &str = "FIFO";

/// What it is, unless a regular file or a folder.
fn kind(found: FileType) -> Option<&'static str> {
    [
        (found.is_fifo(), FIFO),
        (found.is_socket(), "socket"),
        (found.is_char_device(), "character device"),
        (found.is_block_device(), "block device"),
    ]
    .into_iter()
    .find_map(|(is_so, kind)| is_so.then_some(kind))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Whatever never answers or never ends is refused at once, by its name or through a link.
    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "text").unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("fifo"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        for (target, link) in [(at("file"), "to-file"), (at("fifo"), "to-fifo"), ("/dev/zero".into(), "to-zero")] {
            std::os::unix::fs::symlink(target, at(link)).unwrap();
        }
        let message = |name: &str| read(&at(name)).map_err(|error| error.to_string());
        assert_eq!((message("file"), message("to-file")), (Ok(b"text".to_vec()), Ok(b"text".to_vec())));
        assert_eq!(read_text(&at("file")).unwrap(), "text");
        let no = |kind: &str| Err(format!("it is a {kind}, not a regular file"));
        for (name, kind) in [
            ("fifo", "FIFO"),
            ("to-fifo", "FIFO"),
            ("socket", "socket"),
            ("to-zero", "character device"),
            ("/dev/zero", "character device"),
        ] {
            assert_eq!(message(name), no(kind), "{name}");
        }
        assert!(message("none").is_err_and(|message| message.starts_with("No such file")));
        assert!(message("").is_err_and(|message| message.starts_with("Is a directory")));
        // What a user names may come out of a pipe.
        let writer = std::thread::spawn({
            let fifo = at("fifo");
            move || std::fs::write(fifo, "piped").unwrap()
        });
        assert_eq!(read_input(&at("fifo")).unwrap(), b"piped");
        writer.join().unwrap();
        assert_eq!(read_input(&at("to-zero")).map_err(|error| error.to_string()), no("character device"));
    }
}
