//! The machine that a run was made on: for the manifest, and for knowing what fits.

use crate::record::manifest::Machine;

/// A line `key : value` of a system file.
fn field(path: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// A size in kB of `/proc/meminfo`, in bytes.
fn meminfo(key: &str) -> Option<u64> {
    let kib: u64 = field("/proc/meminfo", key)?.trim_end_matches(" kB").parse().ok()?;
    Some(kib * 1024)
}

/// Memory that can be had without swapping; none where the system does not say.
#[must_use]
pub fn available_bytes() -> Option<u64> {
    meminfo("MemAvailable")
}

/// This machine.
#[must_use]
pub fn this() -> Machine {
    Machine {
        cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned()),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory_bytes: meminfo("MemTotal").unwrap_or(0),
        os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    }
}
