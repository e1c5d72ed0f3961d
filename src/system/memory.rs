//! The memory that tables can have: what the machine, the control groups and the limits of this process leave.

use super::bytes;
use rustix::process::{Resource, getrlimit};
use std::path::{Path, PathBuf};

/// What the program takes beside its tables: rows, pages, threads.
const MARGIN: u64 = 16 << 20;

/// Memory that tables of this process can still have: the least of what the machine has without swapping, what the control groups
/// of the process allow (as batch systems and containers set them) and what its own limits leave, less what the program needs beside
/// tables. None where the system says nothing.
pub fn available_bytes() -> Option<u64> {
    let machine = bytes("/proc/meminfo", "MemAvailable");
    let limits = [(Resource::As, "VmSize"), (Resource::Data, "VmData")].map(|(resource, used)| {
        let limit = getrlimit(resource).current?;
        Some(limit.saturating_sub(bytes("/proc/self/status", used)?))
    });
    let left = [machine, cgroup_bytes()].into_iter().chain(limits).flatten().min()?;
    Some(left.saturating_sub(MARGIN))
}

/// So much memory, or half of what is free where that is less.
pub fn at_most_half(bytes: u64) -> u64 {
    available_bytes().map_or(bytes, |available| bytes.min(available / 2))
}

/// What the tightest control group leaves, of version 2 or 1.
fn cgroup_bytes() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    groups.lines().flat_map(|line| group_bytes(line, Path::new("/sys/fs/cgroup"))).min()
}

/// The files of a control group: its limits, what it uses, and what begins the names of its statistics.
struct Files {
    limits: &'static [&'static str],
    used: &'static str,
    prefix: &'static str,
}

const VERSION_2: Files = Files { limits: &["memory.max", "memory.high"], used: "memory.current", prefix: "" };
const VERSION_1: Files = Files { limits: &["memory.limit_in_bytes"], used: "memory.usage_in_bytes", prefix: "total_" };

/// What a line of `/proc/self/cgroup` (`0::/a/b`, `4:memory:/a/b`) leaves, at each level.
fn group_bytes(line: &str, root: &Path) -> Vec<u64> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { return Vec::new() };
    let (roots, files) = match controllers {
        // Where both versions are in use, version 2 has a folder of its own.
        "" => (vec![root.to_owned(), root.join("unified")], VERSION_2),
        list if list.split(',').any(|name| name == "memory") => (vec![root.join("memory")], VERSION_1),
        _ => return Vec::new(),
    };
    // In a container the path may be that of the host, and the group's files lie at the root.
    let left = |root: &PathBuf| {
        let inside = root.join(path.trim_start_matches('/'));
        let groups: Vec<PathBuf> =
            inside.ancestors().take_while(|group| group.starts_with(root)).map(Path::to_owned).collect();
        groups.into_iter().filter_map(|group| left_in(&group, &files))
    };
    roots.iter().flat_map(left).collect()
}

/// What one group leaves.
fn left_in(group: &Path, files: &Files) -> Option<u64> {
    let read = |file: &str| std::fs::read_to_string(group.join(file)).ok();
    // "max" is no number, and no limit.
    let number = |file: &str| -> Option<u64> { read(file)?.trim().parse().ok() };
    let statistics = read("memory.stat").unwrap_or_default();
    let statistic = |name: &str| -> Option<u64> {
        statistics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
    };
    // Version 1 tells here what the groups above allow, which a container cannot see.
    let above = statistic("hierarchical_memory_limit");
    let limit = files.limits.iter().filter_map(|file| number(file)).chain(above).min()?;
    // Pages of files can be thrown away.
    let cached: u64 =
        ["inactive_file", "active_file"].iter().filter_map(|name| statistic(&format!("{}{name}", files.prefix))).sum();
    Some(limit.saturating_sub(number(files.used)?.saturating_sub(cached)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs;

    /// Nobody has more memory than there is.
    #[test]
    fn available_memory_is_part_of_the_machines() {
        let all = bytes("/proc/meminfo", "MemTotal").unwrap();
        assert!(available_bytes().is_some_and(|free| (1 << 20..all).contains(&free)));
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
        put("slice/memory.stat", "anon 200\ninactive_file 60\nactive_file 40\ninactive_file_x 7\n");
        put("slice/job/memory.max", "1000\n");
        put("slice/job/memory.current", "100\n");
        put("free/memory.max", "max\n");
        assert_eq!(group_bytes("0::/slice/job", root), [900, 500]);
        assert_eq!(group_bytes("0::/free", root), Vec::<u64>::new());
        put("memory/old/memory.limit_in_bytes", "50\n");
        put("memory/old/memory.usage_in_bytes", "20\n");
        put("memory/old/memory.stat", "inactive_file 9\ntotal_inactive_file 3\ntotal_active_file 2\n");
        assert_eq!(group_bytes("4:cpu,memory:/old", root), [35]);
        // What a group above allows is told by the group itself; of version 2 a second limit.
        put("memory/old/memory.stat", "hierarchical_memory_limit 30\n");
        assert_eq!(group_bytes("4:memory:/old", root), [10]);
        put("slice/memory.high", "650\n");
        assert_eq!(group_bytes("0::/slice", root), [450]);
        put("slice/memory.high", "max\n");
        // Where both versions are in use.
        put("unified/both/memory.max", "90\n");
        put("unified/both/memory.current", "100\n");
        assert_eq!(group_bytes("0::/both", root), [0]);
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
