//! Determines the memory that is available for tables. This is the smallest amount that the
//! machine, the control groups and the process limits allow.

use super::bytes;
use rustix::process::{Resource, getrlimit};
use std::path::{Path, PathBuf};

/// The bytes that are kept free for everything except tables, such as rows, pages and threads.
const RESERVE: u64 = 16 << 20;

/// Batch systems and containers limit the memory of processes by control groups. So the result is
/// the smallest of the machine's memory that is free without swapping, the memory that the
/// process's control groups leave, and the memory that the process's own limits leave. A reserve is
/// subtracted.
pub fn available_bytes() -> Option<u64> {
    let left_by_machine = bytes("/proc/meminfo", "MemAvailable");
    let left_by_limits = [(Resource::As, "VmSize"), (Resource::Data, "VmData")].map(|(resource, usage_key)| {
        let limit = getrlimit(resource).current?;
        Some(limit.saturating_sub(bytes("/proc/self/status", usage_key)?))
    });
    let bytes_left = [left_by_machine, cgroup_bytes()].into_iter().chain(left_by_limits).flatten().min()?;
    Some(bytes_left.saturating_sub(RESERVE))
}

/// Control groups may be of version 1 or 2.
fn cgroup_bytes() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    groups.lines().flat_map(|line| bytes_left_by_groups(line, Path::new("/sys/fs/cgroup"))).min()
}

/// The names of a control group's files.
struct Files {
    limits: &'static [&'static str],
    used: &'static str,
    prefix: &'static str,
}

const CGROUP_V2: Files = Files { limits: &["memory.max", "memory.high"], used: "memory.current", prefix: "" };
const CGROUP_V1: Files = Files { limits: &["memory.limit_in_bytes"], used: "memory.usage_in_bytes", prefix: "total_" };

/// `line` is a line of `/proc/self/cgroup` that names the group, such as `0::/a/b` or
/// `4:memory:/a/b`.
fn bytes_left_by_groups(line: &str, root: &Path) -> Vec<u64> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { return Vec::new() };
    let (roots, files) = match controllers {
        // If both versions are in use, version 2 has its own folder `unified`.
        "" => (vec![root.to_owned(), root.join("unified")], CGROUP_V2),
        list if list.split(',').any(|name| name == "memory") => (vec![root.join("memory")], CGROUP_V1),
        _ => return Vec::new(),
    };
    // In a container, the path may be the host's path of the group, although the files of the group
    // are directly in the root folder.
    let bytes_left_under = |root: &PathBuf| {
        let innermost = root.join(path.trim_start_matches('/'));
        let groups: Vec<PathBuf> =
            innermost.ancestors().take_while(|group| group.starts_with(root)).map(Path::to_owned).collect();
        groups.into_iter().filter_map(|group| bytes_left(&group, &files))
    };
    roots.iter().flat_map(bytes_left_under).collect()
}

fn bytes_left(group: &Path, files: &Files) -> Option<u64> {
    let read = |file: &str| std::fs::read_to_string(group.join(file)).ok();
    // A limit of "max" means that there is no limit. It does not parse, so it is left out.
    let read_number = |file: &str| -> Option<u64> { read(file)?.trim().parse().ok() };
    let statistics = read("memory.stat").unwrap_or_default();
    let statistic = |name: &str| -> Option<u64> {
        statistics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
    };
    // In version 1 of control groups, this limit is the smallest of the group's own limit and those
    // of its parent groups. A container cannot read the limits of the parent groups themselves.
    let inherited_limit = statistic("hierarchical_memory_limit");
    let limit = files.limits.iter().filter_map(|file| read_number(file)).chain(inherited_limit).min()?;
    // The memory of the file cache can be reclaimed, so it does not count as used.
    let cached: u64 =
        ["inactive_file", "active_file"].iter().filter_map(|name| statistic(&format!("{}{name}", files.prefix))).sum();
    Some(limit.saturating_sub(read_number(files.used)?.saturating_sub(cached)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Available memory is positive and below the machine's total.
    #[test]
    fn available_memory_is_below_the_total() {
        let total = bytes("/proc/meminfo", "MemTotal").unwrap();
        assert!(available_bytes().is_some_and(|free| (1 << 20..total).contains(&free)));
    }

    /// As set by a batch system: a job has a limit of 1000 bytes, in a slice with a limit of 700
    /// bytes, of which other jobs use 200.
    #[test]
    fn tightest_group_counts_without_file_cache() {
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
        assert_eq!(bytes_left_by_groups("0::/slice/job", root), [900, 500]);
        assert_eq!(bytes_left_by_groups("0::/free", root), Vec::<u64>::new());
        put("memory/old/memory.limit_in_bytes", "50\n");
        put("memory/old/memory.usage_in_bytes", "20\n");
        put("memory/old/memory.stat", "inactive_file 9\ntotal_inactive_file 3\ntotal_active_file 2\n");
        assert_eq!(bytes_left_by_groups("4:cpu,memory:/old", root), [35]);
        // The limit of a parent group, reported by the group itself; a second limit in version 2.
        put("memory/old/memory.stat", "hierarchical_memory_limit 30\n");
        assert_eq!(bytes_left_by_groups("4:memory:/old", root), [10]);
        put("slice/memory.high", "650\n");
        assert_eq!(bytes_left_by_groups("0::/slice", root), [450]);
        put("slice/memory.high", "max\n");
        // Both versions in use.
        put("unified/both/memory.max", "90\n");
        put("unified/both/memory.current", "100\n");
        assert_eq!(bytes_left_by_groups("0::/both", root), [0]);
        for no_group in ["5:devices:/old", "5:memory", "0:", "", "4:cpu,memories:/old"] {
            assert_eq!(bytes_left_by_groups(no_group, root), Vec::<u64>::new(), "{no_group}");
        }
        // In a container the limit is at the root, whatever the path says.
        put("memory.max", "600\n");
        put("memory.current", "40\n");
        for (line, left) in [("0::/", &[560][..]), ("0::/of/the/host", &[560]), ("0::/slice/job", &[900, 500, 560])] {
            assert_eq!(bytes_left_by_groups(line, root), left, "{line}");
        }
    }
}
