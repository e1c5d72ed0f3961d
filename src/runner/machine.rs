//! The machine that a run was made on: for the manifest, and for knowing what fits.

use crate::record::manifest::Machine;
use std::path::{Path, PathBuf};

/// A line `key : value` of a system file.
fn field(path: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// A size in kB of a system file, in bytes.
fn bytes(path: &str, key: &str) -> Option<u64> {
    let kib: u64 = field(path, key)?.trim_end_matches(" kB").parse().ok()?;
    Some(kib * 1024)
}

/// Memory that this process can still have: the least of what the machine has without swapping, what the control groups of the
/// process allow (as batch systems and containers set them) and what its own limit on addresses leaves. None where the system
/// says nothing.
pub fn available_bytes() -> Option<u64> {
    [bytes("/proc/meminfo", "MemAvailable"), cgroup_bytes(), address_bytes()].into_iter().flatten().min()
}

/// What `ulimit -v` leaves.
fn address_bytes() -> Option<u64> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    Some(limit.saturating_sub(bytes("/proc/self/status", "VmSize")?))
}

/// What the tightest control group leaves, of version 2 or 1.
fn cgroup_bytes() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    groups.lines().flat_map(|line| group_bytes(line, Path::new("/sys/fs/cgroup"))).min()
}

/// What a line of `/proc/self/cgroup` (`0::/a/b`, `4:memory:/a/b`) leaves, at each level.
fn group_bytes(line: &str, root: &Path) -> Vec<u64> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { return Vec::new() };
    let (root, limit, used, cache) = match controllers {
        "" => (root.to_owned(), "memory.max", "memory.current", "inactive_file"),
        list if list.split(',').any(|name| name == "memory") => {
            (root.join("memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        }
        _ => return Vec::new(),
    };
    let number = |path: PathBuf| -> Option<u64> { std::fs::read_to_string(path).ok()?.trim().parse().ok() };
    let left = |group: &Path| {
        // "max" is no number, and no limit.
        let limit = number(group.join(limit))?;
        let statistics = std::fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
        // Pages of files that can be thrown away are free for the asking.
        let cached = statistics.lines().find_map(|line| line.strip_prefix(cache)?.trim().parse().ok()).unwrap_or(0);
        Some(limit.saturating_sub(number(group.join(used))?.saturating_sub(cached)))
    };
    // In a container the path may be that of the host, and the group's files lie at the root.
    let inside = root.join(path.trim_start_matches('/'));
    inside.ancestors().take_while(|group| group.starts_with(&root)).filter_map(left).collect()
}

/// This machine.
pub fn this() -> Machine {
    Machine {
        cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned()),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory_bytes: bytes("/proc/meminfo", "MemTotal").unwrap_or(0),
        os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs;

    /// As Linux writes them: a name that begins like another's, a colon in what follows, kB of 1024 bytes.
    #[test]
    fn a_figure_of_a_system_file_is_found_by_its_name() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_str().unwrap();
        fs::write(path, "MemTotal:       16 kB\nMemFree: 3 kB\nmodel name\t: Z80 : fast \nmodel name\t: other\n")
            .unwrap();
        assert_eq!(
            ["MemTotal", "MemFree", "Mem", "Swap"].map(|key| bytes(path, key)),
            [Some(16384), Some(3072), Some(16384), None]
        );
        assert_eq!((field(path, "model name").as_deref(), bytes(path, "model name")), (Some("Z80 : fast"), None));
        // Nobody has more memory than there is.
        assert!(available_bytes().is_none_or(|free| (1 << 20..this().memory_bytes).contains(&free)));
    }

    /// Figures as a batch system would set them: a job of 1000 bytes in a slice of 700 that others fill to 200.
    #[test]
    fn the_tightest_group_counts_and_caches_are_free() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let put = |path: &str, text: &str| {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        };
        put("slice/memory.max", "700\n");
        put("slice/memory.current", "300\n");
        put("slice/memory.stat", "anon 200\ninactive_file 100\n");
        put("slice/job/memory.max", "1000\n");
        put("slice/job/memory.current", "100\n");
        put("free/memory.max", "max\n");
        assert_eq!(group_bytes("0::/slice/job", root), [900, 500]);
        assert_eq!(group_bytes("0::/free", root), Vec::<u64>::new());
        put("memory/old/memory.limit_in_bytes", "50\n");
        put("memory/old/memory.usage_in_bytes", "20\n");
        put("memory/old/memory.stat", "total_inactive_file 5\n");
        assert_eq!(group_bytes("4:cpu,memory:/old", root), [35]);
        for no_group in ["5:devices:/old", "5:memory", "0:", "", "4:cpu,memories:/old"] {
            assert_eq!(group_bytes(no_group, root), Vec::<u64>::new(), "{no_group}");
        }
        // In a container the limit lies at the root, whatever the path says.
        put("memory.max", "600\n");
        put("memory.current", "40\n");
        for (line, left) in [("0::/", &[560][..]), ("0::/of/the/host", &[560]), ("0::/slice/job", &[900, 500, 560])] {
            assert_eq!(group_bytes(line, root), left, "{line}");
        }
    }
}
