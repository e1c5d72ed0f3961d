//! Reads information from the operating system, and opens files.

pub mod files;
mod memory;

pub use memory::available_bytes;

/// Finds the first line that starts with `key` in a system file, and returns the value in this
/// line. Lines have the form `key : value`.
pub fn field(path: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

pub fn bytes(path: &str, key: &str) -> Option<u64> {
    let kib: u64 = field(path, key)?.trim_end_matches(" kB").parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Linux writes them: a key that is a prefix of another, a colon in the value, kB of 1024
    /// bytes.
    #[test]
    fn system_file_value_is_found_by_its_key() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_str().unwrap();
        std::fs::write(path, "MemTotal:       16 kB\nMemFree: 3 kB\nmodel name\t: Z80 : fast \nmodel name\t: other\n")
            .unwrap();
        assert_eq!(
            ["MemTotal", "MemFree", "Mem", "Swap"].map(|key| bytes(path, key)),
            [Some(16384), Some(3072), Some(16384), None]
        );
        assert_eq!((field(path, "model name").as_deref(), bytes(path, "model name")), (Some("Z80 : fast"), None));
    }
}
