//! The processes that this one started, and those that they started: found by their parents' numbers, wherever their groups and sessions are.

use rustix::process::{Pid, Signal, getpid, kill_process};
use std::collections::HashMap;

/// How often what is left is looked for: a process that is about to start another may be killed too late.
const ROUNDS: u32 = 20;

/// A process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descendant {
    /// Its number.
    pub pid: i32,
    /// Its name, as the system has it.
    pub name: String,
}

/// Every process below this one that runs; none where the system does not tell.
pub fn descendants() -> Vec<Descendant> {
    below(getpid().as_raw_nonzero().get(), &processes())
}

/// Kills all of them, and those that they start meanwhile.
pub fn kill_all() {
    for _ in 0..ROUNDS {
        let left = descendants();
        if left.is_empty() {
            return;
        }
        for one in &left {
            let _ = Pid::from_raw(one.pid).map(|pid| kill_process(pid, Signal::KILL));
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Each running process with its parent's number.
fn processes() -> Vec<(Descendant, i32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers.filter_map(|pid| parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)).collect()
}

/// A process by its line in `/proc`; none of one that has ended.
fn parse(stat: &str) -> Option<(Descendant, i32)> {
    // The name may hold blanks and brackets: it ends at the last one.
    let (head, tail) = stat.rsplit_once(')')?;
    let (pid, name) = head.split_once(" (")?;
    let mut fields = tail.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let one = Descendant { pid: pid.parse().ok()?, name: name.to_owned() };
    (!matches!(state, "Z" | "X")).then_some((one, parent))
}

/// Those below a process.
fn below(root: i32, all: &[(Descendant, i32)]) -> Vec<Descendant> {
    let mut children: HashMap<i32, Vec<&Descendant>> = HashMap::new();
    all.iter().for_each(|(one, parent)| children.entry(*parent).or_default().push(one));
    let (mut found, mut next) = (Vec::new(), vec![root]);
    while let Some(parent) = next.pop() {
        for one in children.remove(&parent).unwrap_or_default() {
            next.push(one.pid);
            found.push(one.clone());
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_from_its_line() {
        let read = |line: &str| parse(line).map(|(one, parent)| (one.pid, one.name, parent));
        assert_eq!(read("12 (sleep) S 7 12 12 0 -1"), Some((12, "sleep".to_owned(), 7)));
        assert_eq!(read("12 (a) b (c)) R 7 12"), Some((12, "a) b (c)".to_owned(), 7)));
        for line in ["12 (sleep) Z 7 12", "12 (sleep) X 7 12", "", "12 sleep S 7", "x (sleep) S 7", "12 (sleep) S x"] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    /// By hand: 1 has 2 and 3, 3 has 4, 4 has 5; 6 is another's.
    #[test]
    fn descendants_are_children_and_theirs() {
        let one = |pid| Descendant { pid, name: String::new() };
        let all = [(2, 1), (3, 1), (4, 3), (5, 4), (6, 9)].map(|(pid, parent)| (one(pid), parent));
        let of = |root| {
            let mut found: Vec<i32> = below(root, &all).iter().map(|one| one.pid).collect();
            found.sort_unstable();
            found
        };
        assert_eq!([of(1), of(3), of(5), of(9), of(7)], [vec![2, 3, 4, 5], vec![4, 5], vec![], vec![6], vec![]]);
    }

    #[test]
    fn a_child_of_this_process_is_found() {
        let mut child = std::process::Command::new("/bin/sleep").arg("60").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        // Its line may be read before it has become the other program.
        let found = descendants().iter().any(|one| one.pid == pid);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found || !std::path::Path::new("/proc/self/stat").exists());
        assert!(descendants().iter().all(|one| one.pid != pid));
    }
}
