//! The guard of an engine: a process between ttlab and the engine that outlives neither.
//!
//! Even where ttlab is killed with a signal that cannot be caught, its guards see it, and end the engine and everything that it
//! started: a process that left its group and its session, too, since on Linux what loses its parent becomes the guard's child. A parent-death signal of the system's would reach the engine alone, not what a wrapper script started, and would be
//! tied to the thread that started it; and setting it needs `unsafe` between fork and exec. A process is all safe code.

use super::descendants;
use rustix::process::{Pid, Signal, kill_current_process_group, kill_process};
use signal_hook::consts::SIGTERM;
use signal_hook::low_level::pipe;
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{ExitStatusExt, parent_id};
use std::process::{Command, ExitStatus};
use std::time::Duration;

/// Exit code of a guard that could not start its engine.
pub const NOT_STARTED: u8 = 127;

/// The name of the hidden command.
pub const COMMAND: &str = "engine-guard";

/// Runs a program under guard: it inherits standard input, output and error; when `parent` is no longer the parent of this
/// process, or a SIGTERM comes, all that the program started is killed. Returns the exit code of the program: 128 and the signal where one ended it.
///
/// # Errors
/// When the program cannot be started.
pub fn run(parent: u32, words: &[OsString]) -> Result<u8, String> {
    let (program, arguments) = words.split_first().ok_or("no program is named")?;
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    // Before the engine is there: from then on a SIGTERM must not end this process alone.
    let (mut message, teller) = UnixStream::pair().map_err(|error| error.to_string())?;
    pipe::register(SIGTERM, teller).map_err(|error| error.to_string())?;
    let mut child =
        Command::new(program).args(arguments).spawn().map_err(|error| format!("{}: {error}", program.display()))?;
    let engine = Pid::from_child(&child);
    let watch = move || {
        wait_for_orphanhood(parent);
        end_all(Some(engine));
    };
    let thread = std::thread::Builder::new;
    let listen = move || {
        let _ = message.read_exact(&mut [0]);
        end_all(Some(engine));
    };
    if let Err(error) = thread().spawn(watch).and_then(|_| thread().spawn(listen)) {
        end_all(Some(engine));
        return Err(error.to_string());
    }
    let ended = child.wait();
    descendants::kill_all();
    // The engine's end may be seen here before the watch has ended what the engine had started: this process must not be gone by then.
    if is_orphan(parent) {
        end_all(None);
    }
    ended.map(code).map_err(|error| error.to_string())
}

/// The exit code that tells how a process ended.
fn code(status: ExitStatus) -> u8 {
    match status.signal() {
        Some(signal) => 128 | signal as u8,
        None => status.code().unwrap_or(1) as u8,
    }
}

fn is_orphan(parent: u32) -> bool {
    parent_id() != parent
}

/// Returns when the parent has died.
fn wait_for_orphanhood(parent: u32) {
    #[cfg(target_os = "linux")]
    let watched = i32::try_from(parent)
        .ok()
        .and_then(Pid::from_raw)
        .and_then(|pid| rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok());
    // The parent may have died before it could be watched: its number is looked at after that.
    while !is_orphan(parent) {
        #[cfg(target_os = "linux")]
        if let Some(fd) = &watched {
            let mut fds = [rustix::event::PollFd::new(fd, rustix::event::PollFlags::IN)];
            let second = rustix::event::Timespec { tv_sec: 1, tv_nsec: 0 };
            if rustix::event::poll(&mut fds, Some(&second)).is_ok_and(|ready| ready > 0) {
                // It is dead, and this process is about to get another parent.
                std::thread::sleep(Duration::from_millis(1));
            }
            continue;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Kills the engine, where it has not been reaped yet, and what it started, then all that is in the group, this process included.
fn end_all(engine: Option<Pid>) {
    let _ = engine.map(|engine| kill_process(engine, Signal::KILL));
    descendants::kill_all();
    let _ = kill_current_process_group(Signal::KILL);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A program's own code goes through; a signal's number stands behind 128, as shells have it.
    #[test]
    fn the_code_is_the_programs() {
        for (script, expected) in
            [("exit 0", 0), ("exit 3", 3), ("exit 255", 255), ("kill -9 $$", 137), ("kill -11 $$", 139)]
        {
            assert_eq!(code(Command::new("/bin/sh").args(["-c", script]).status().unwrap()), expected, "{script}");
        }
        assert_eq!(run(parent_id(), &[]), Err("no program is named".to_owned()));
        let message = run(parent_id(), &["/no/such".into(), "/bin/sh".into()]);
        assert!(message.is_err_and(|message| message.starts_with("/no/such: ")));
        let parent = parent_id();
        assert!(is_orphan(parent + 1) && !is_orphan(parent));
    }
}
