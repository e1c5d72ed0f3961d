//! The processes started by this one, and their descendants: found by parent process ids, in any
//! process group or session.

use rustix::process::{Pid, Signal, getpid, kill_process};
use std::collections::HashMap;

/// How often to look for survivors: a process may start another one while it is being killed.
const ROUNDS: u32 = 20;

/// A running process below this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descendant {
    pub pid: i32,
    /// The name in `/proc/PID/stat`.
    pub name: String,
}

/// Every running process below this one; empty if the system does not say.
pub fn descendants() -> Vec<Descendant> {
    descendants_of(getpid().as_raw_nonzero().get(), &processes())
}

/// Kills all descendants, including those that they start meanwhile.
pub fn kill_all() {
    for _ in 0..ROUNDS {
        let remaining = descendants();
        if remaining.is_empty() {
            return;
        }
        for process in &remaining {
            let _ = Pid::from_raw(process.pid).map(|pid| kill_process(pid, Signal::KILL));
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// All running processes with their parent's id.
fn processes() -> Vec<(Descendant, i32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers.filter_map(|pid| parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)).collect()
}

/// Parses a line of `/proc/PID/stat`; `None` for a process that has ended.
fn parse(stat: &str) -> Option<(Descendant, i32)> {
    // The name may contain blanks and brackets: it ends at the last bracket.
    let (head, tail) = stat.rsplit_once(')')?;
    let (pid, name) = head.split_once(" (")?;
    let mut fields = tail.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let process = Descendant { pid: pid.parse().ok()?, name: name.to_owned() };
    (!matches!(state, "Z" | "X")).then_some((process, parent))
}

/// All descendants of a process.
fn descendants_of(root: i32, all: &[(Descendant, i32)]) -> Vec<Descendant> {
    let mut children: HashMap<i32, Vec<&Descendant>> = HashMap::new();
    all.iter().for_each(|(process, parent)| children.entry(*parent).or_default().push(process));
    let (mut found, mut next) = (Vec::new(), vec![root]);
    while let Some(parent) = next.pop() {
        for process in children.remove(&parent).unwrap_or_default() {
            next.push(process.pid);
            found.push(process.clone());
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn stat_line_of_a_running_process_is_parsed() {
        let read = |line: &str| parse(line).map(|(process, parent)| (process.pid, process.name, parent));
        assert_eq!(read("12 (sleep) S 7 12 12 0 -1"), Some((12, "sleep".to_owned(), 7)));
        assert_eq!(read("12 (a) b (c)) R 7 12"), Some((12, "a) b (c)".to_owned(), 7)));
        for line in ["12 (sleep) Z 7 12", "12 (sleep) X 7 12", "", "12 sleep S 7", "x (sleep) S 7", "12 (sleep) S x"] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    /// 1 has the children 2 and 3, 3 has 4, 4 has 5; 6 belongs to another.
    #[test]
    fn descendants_include_all_generations() {
        let process = |pid| Descendant { pid, name: String::new() };
        let all = [(2, 1), (3, 1), (4, 3), (5, 4), (6, 9)].map(|(pid, parent)| (process(pid), parent));
        let pids = |root| {
            let mut found: Vec<i32> = descendants_of(root, &all).iter().map(|process| process.pid).collect();
            found.sort_unstable();
            found
        };
        assert_eq!(
            [pids(1), pids(3), pids(5), pids(9), pids(7)],
            [vec![2, 3, 4, 5], vec![4, 5], vec![], vec![6], vec![]]
        );
    }

    #[test]
    fn running_child_is_found_until_it_ends() {
        let mut child = std::process::Command::new("/bin/sleep").arg("60").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        // Its line may be read before it has executed the other program.
        let found = descendants().iter().any(|process| process.pid == pid);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found || !std::path::Path::new("/proc/self/stat").exists());
        assert!(descendants().iter().all(|process| process.pid != pid));
    }
}
