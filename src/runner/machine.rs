//! Describes the current machine for the manifest.

use crate::record::manifest::Machine;
use crate::system::{bytes, field};

pub fn current() -> Machine {
    Machine {
        cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned()),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory_bytes: bytes("/proc/meminfo", "MemTotal").unwrap_or(0),
        os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    }
}
