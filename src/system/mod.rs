//! What the system says and grants: figures of its files, memory, files that can be read.

pub mod files;
mod memory;

pub use memory::{at_most_half, available_bytes};

/// A line `key : value` of a system file.
pub fn field(path: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// A size in kB of a system file, in bytes.
pub fn bytes(path: &str, key: &str) -> Option<u64> {
    let kib: u64 = field(path, key)?.trim_end_matches(" kB").parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// As Linux writes them: a name that begins like another's, a colon in what follows, kB of 1024 bytes.
    #[test]
    fn a_figure_of_a_system_file_is_found_by_its_name() {
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
