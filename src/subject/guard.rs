//! The guard of an engine. The guard is a process between ttlab and the engine, and ends when ttlab
//! or the engine ends.
//!
//! Even if ttlab is killed with SIGKILL, the guard kills the engine and everything that the engine
//! started. On Linux, this includes processes in other process groups and sessions, because the
//! guard adopts orphans. A parent-death signal would reach only the engine and not the processes
//! that a wrapper script started, and would need `unsafe`.

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

/// The exit code of a guard that could not start its engine.
pub const NOT_STARTED: u8 = 127;

pub const COMMAND: &str = "engine-guard";

/// Runs a program and guards it. The program inherits standard input, output and error. The program
/// and everything that it started are killed when this process receives SIGTERM, or when the
/// process `parent` is no longer the parent of this process. Returns the exit code of the program,
/// or 128 plus the signal that ended the program.
///
/// # Errors
/// When the program cannot be started.
pub fn run(parent: u32, command: &[OsString]) -> Result<u8, String> {
    let (program, arguments) = command.split_first().ok_or("no program given")?;
    // The engine's orphans become children of this process, so that they can be found and killed.
    descendants::adopt_orphans(true);
    // The handler is registered before the engine starts, so that a SIGTERM never ends this process
    // without ending the engine.
    let (mut receiver, sender) = UnixStream::pair().map_err(|error| error.to_string())?;
    pipe::register(SIGTERM, sender).map_err(|error| error.to_string())?;
    let mut child =
        Command::new(program).args(arguments).spawn().map_err(|error| format!("{}: {error}", program.display()))?;
    let engine = Pid::from_child(&child);
    let watch_parent = move || {
        wait_for_parent_exit(parent);
        kill_everything(Some(engine));
    };
    let listen_for_sigterm = move || {
        let _ = receiver.read_exact(&mut [0]);
        kill_everything(Some(engine));
    };
    // If the system refuses to start a thread, a builder returns an error, but `thread::spawn`
    // panics.
    let new_thread = std::thread::Builder::new;
    if let Err(error) = new_thread().spawn(watch_parent).and_then(|_| new_thread().spawn(listen_for_sigterm)) {
        kill_everything(Some(engine));
        return Err(error.to_string());
    }
    let status = child.wait();
    descendants::kill_all();
    // If the parent has ended, the watching thread may not have killed everything yet. So this
    // thread also kills everything before the process ends.
    if is_orphan(parent) {
        kill_everything(None);
    }
    status.map(exit_code).map_err(|error| error.to_string())
}

/// The exit code that tells the parent how a process ended. This is the exit code of the process,
/// or 128 plus the signal that ended the process.
fn exit_code(status: ExitStatus) -> u8 {
    match status.signal() {
        Some(signal) => 128 | signal as u8,
        None => status.code().unwrap_or(1) as u8,
    }
}

fn is_orphan(parent: u32) -> bool {
    parent_id() != parent
}

fn wait_for_parent_exit(parent: u32) {
    #[cfg(target_os = "linux")]
    let pidfd = i32::try_from(parent)
        .ok()
        .and_then(Pid::from_raw)
        .and_then(|pid| rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok());
    // The parent may have ended before `pidfd_open`, so its id is checked afterwards.
    while !is_orphan(parent) {
        #[cfg(target_os = "linux")]
        if let Some(fd) = &pidfd {
            let mut fds = [rustix::event::PollFd::new(fd, rustix::event::PollFlags::IN)];
            let timeout = rustix::event::Timespec { tv_sec: 1, tv_nsec: 0 };
            if rustix::event::poll(&mut fds, Some(&timeout)).is_ok_and(|ready| ready > 0) {
                // The parent has ended. The loop goes on until this process has another parent.
                std::thread::sleep(Duration::from_millis(1));
            }
            continue;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Kills the engine, all descendants of this process, and then the whole process group, including
/// this process. `engine` is `None` if the engine has already been reaped.
fn kill_everything(engine: Option<Pid>) {
    let _ = engine.map(|engine| kill_process(engine, Signal::KILL));
    descendants::kill_all();
    let _ = kill_current_process_group(Signal::KILL);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program's exit code is passed on; a signal becomes 128 plus its number, as in shells.
    #[test]
    fn exit_code_and_signal_are_passed_on() {
        for (script, expected) in
            [("exit 0", 0), ("exit 3", 3), ("exit 255", 255), ("kill -9 $$", 137), ("kill -11 $$", 139)]
        {
            assert_eq!(exit_code(Command::new("/bin/sh").args(["-c", script]).status().unwrap()), expected, "{script}");
        }
        assert_eq!(run(parent_id(), &[]), Err("no program given".to_owned()));
        let result = run(parent_id(), &["/no/such".into(), "/bin/sh".into()]);
        assert!(result.is_err_and(|message| message.starts_with("/no/such: ")));
        let parent = parent_id();
        assert!(is_orphan(parent + 1));
        assert!(!is_orphan(parent));
    }
}
