//! Finds and kills the processes that this process started, and their descendants. They are found
//! by their parent process ids, so they may be in any process group or session.

use rustix::io::Errno;
use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, waitid};
use std::collections::HashMap;
use std::time::Duration;

/// How many times remaining processes are looked for. A process may start another process while it
/// is being killed.
const ROUNDS: u32 = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descendant {
    pub pid: i32,
    pub name: String,
    /// The processor time of the process and of its children that have ended, in clock ticks.
    ticks: [u64; 2],
    /// The pages that are in memory.
    pages: u64,
    /// Whether it has ended, or is ending and may still have its children.
    is_ended: bool,
}

/// What the processes that this process started use.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// The processor time, including that of processes that have ended.
    pub time: Duration,
    /// The memory of the running processes.
    pub resident_bytes: u64,
}

/// Returns `None` where there is no `/proc`.
pub fn usage() -> Option<Usage> {
    let (own, _) = parse_stat(&std::fs::read_to_string("/proc/self/stat").ok()?)?;
    let running = descendants();
    let ticks = running.iter().map(|process| process.ticks[0] + process.ticks[1]).sum::<u64>() + own.ticks[1];
    let pages = running.iter().map(|process| process.pages).sum::<u64>();
    Some(Usage {
        time: Duration::from_secs_f64(ticks as f64 / clock_ticks_per_second() as f64),
        resident_bytes: pages * page_size() as u64,
    })
}

pub fn descendants() -> Vec<Descendant> {
    descendants_of(getpid().as_raw_nonzero().get(), &all_processes())
}

/// Whether orphans of this process's descendants become its children, so that it finds them.
pub fn adopt_orphans(adopts: bool) {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(adopts.then(getpid));
}

/// Kills all descendants of this process, which adopts orphans, including processes that they start
/// in the meantime. `/proc` is read process by process: a process whose parent ends meanwhile seems
/// to be no descendant for once. So only two readings in a row without descendants are the end.
pub fn kill_all() {
    let mut empty_rounds = 0;
    for _ in 0..ROUNDS {
        if has_no_descendants() {
            return;
        }
        let remaining = descendants();
        empty_rounds = if remaining.is_empty() { empty_rounds + 1 } else { 0 };
        if empty_rounds == 2 {
            return;
        }
        for process in &remaining {
            let _ = Pid::from_raw(process.pid).map(|pid| kill_process(pid, Signal::KILL));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Whether this process, which adopts orphans, certainly has no descendants: it has no child. This
/// takes one call of the system, where reading `/proc` takes one and more for each process of the
/// machine.
fn has_no_descendants() -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    cfg!(target_os = "linux") && matches!(waitid(WaitId::All, options), Err(Errno::CHILD))
}

fn all_processes() -> Vec<(Descendant, i32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter_map(|pid| parse_stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)).collect()
}

/// Parses the process and the id of its parent from a line of `/proc/PID/stat`.
fn parse_stat(stat: &str) -> Option<(Descendant, i32)> {
    // The name is in brackets. The name may itself contain blanks and brackets, so it ends at the
    // last bracket.
    let (head, tail) = stat.rsplit_once(')')?;
    let (pid, name) = head.split_once(" (")?;
    let mut fields = tail.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let numbers: Vec<u64> = fields.map(|field| field.parse().unwrap_or(0)).collect();
    // Fields 14 to 17 and 24 of `man 5 proc`; the first of `numbers` is field 5.
    let number = |field: usize| numbers.get(field - 5).copied().unwrap_or(0);
    let ticks = [number(14) + number(15), number(16) + number(17)];
    // A process of several threads also reads as ended when only its first thread has.
    let is_ended = state == "X" || state == "Z" && number(20) <= 1;
    Some((Descendant { pid: pid.parse().ok()?, name: name.to_owned(), ticks, pages: number(24), is_ended }, parent))
}

/// Returns those that have not ended. `processes` contains all processes, each with the id of its
/// parent.
fn descendants_of(root: i32, processes: &[(Descendant, i32)]) -> Vec<Descendant> {
    let mut children: HashMap<i32, Vec<&Descendant>> = HashMap::new();
    processes.iter().for_each(|(process, parent)| children.entry(*parent).or_default().push(process));
    let (mut descendants, mut to_visit) = (Vec::new(), vec![root]);
    while let Some(parent) = to_visit.pop() {
        for process in children.remove(&parent).unwrap_or_default() {
            to_visit.push(process.pid);
            descendants.extend((!process.is_ended).then(|| process.clone()));
        }
    }
    descendants
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_line_of_a_running_process_is_parsed() {
        let read = |line: &str| parse_stat(line).map(|(found, parent)| (found.pid, found.name, found.is_ended, parent));
        assert_eq!(read("12 (sleep) S 7 12 12 0 -1"), Some((12, "sleep".to_owned(), false, 7)));
        assert_eq!(read("12 (a) b (c)) R 7 12"), Some((12, "a) b (c)".to_owned(), false, 7)));
        for line in ["12 (sleep) Z 7 12", "12 (sleep) X 7 12"] {
            assert_eq!(read(line), Some((12, "sleep".to_owned(), true, 7)), "{line}");
        }
        for line in ["", "12 sleep S 7", "x (sleep) S 7", "12 (sleep) S x"] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    /// Process 1 has the children 2 and 3; 3 has the child 4, which has ended but for other
    /// threads, and 4 has 5. Process 6 has another parent.
    #[test]
    fn descendants_include_all_generations() {
        let process = |pid| Descendant { pid, name: String::new(), ticks: [0; 2], pages: 0, is_ended: pid == 4 };
        let processes = [(2, 1), (3, 1), (4, 3), (5, 4), (6, 9)].map(|(pid, parent)| (process(pid), parent));
        let pids = |root| {
            let mut pids: Vec<i32> = descendants_of(root, &processes).iter().map(|process| process.pid).collect();
            pids.sort_unstable();
            pids
        };
        assert_eq!([pids(1), pids(3), pids(5), pids(9), pids(7)], [vec![2, 3, 5], vec![5], vec![], vec![6], vec![]]);
    }

    #[test]
    fn running_child_is_found_until_it_ends() {
        let mut child = std::process::Command::new("/bin/sleep").arg("60").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        // Compares only the id: the name may still be that of this program.
        let is_found = descendants().iter().any(|process| process.pid == pid);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(is_found || !std::path::Path::new("/proc/self/stat").exists());
        assert!(descendants().iter().all(|process| process.pid != pid));
    }
}
