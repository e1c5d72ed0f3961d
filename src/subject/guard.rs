//! The guard of an engine: a process between ttlab and the engine that ends when either of them
//! ends.
//!
//! Even if ttlab is killed with SIGKILL, the guard kills the engine and everything that it started,
//! also outside the group and session: on Linux the guard adopts orphans. A parent-death signal
//! would reach only the engine, not what a wrapper script started, and would need `unsafe`.

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

/// The name of the hidden subcommand.
pub const COMMAND: &str = "engine-guard";

/// Runs a program under guard. The program inherits standard input, output and error. It and
/// everything that it started is killed when the process `parent` is no longer the parent of this
/// one, or on SIGTERM. Returns the exit code of the program, or 128 plus the signal that ended it.
///
/// # Errors
/// When the program cannot be started.
pub fn run(parent: u32, command: &[OsString]) -> Result<u8, String> {
    let (program, arguments) = command.split_first().ok_or("no program given")?;
    // The engine's orphans become children of this process, so that it can find and kill them.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    // Registered before the engine starts, so that a SIGTERM never ends this process alone.
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
    // A builder reports that the system refuses a thread; `thread::spawn` panics.
    let new_thread = std::thread::Builder::new;
    if let Err(error) = new_thread().spawn(watch_parent).and_then(|_| new_thread().spawn(listen_for_sigterm)) {
        kill_everything(Some(engine));
        return Err(error.to_string());
    }
    let status = child.wait();
    descendants::kill_all();
    // If the parent has ended, the watching thread may not have killed everything yet, so this
    // thread does it too before the process ends.
    if is_orphan(parent) {
        kill_everything(None);
    }
    status.map(exit_code).map_err(|error| error.to_string())
}

/// The exit code that tells the parent how a process ended: its own exit code, or 128 plus the
/// signal.
fn exit_code(status: ExitStatus) -> u8 {
    match status.signal() {
        Some(signal) => 128 | signal as u8,
        None => status.code().unwrap_or(1) as u8,
    }
}

/// Whether the process `parent` is no longer the parent of this one.
fn is_orphan(parent: u32) -> bool {
    parent_id() != parent
}

/// Returns when the parent process has ended.
fn wait_for_parent_exit(parent: u32) {
    #[cfg(target_os = "linux")]
    let pidfd = i32::try_from(parent)
        .ok()
        .and_then(Pid::from_raw)
        .and_then(|pid| rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok());
    // The parent may have died before it could be watched, so its id is checked afterwards.
    while !is_orphan(parent) {
        #[cfg(target_os = "linux")]
        if let Some(fd) = &pidfd {
            let mut fds = [rustix::event::PollFd::new(fd, rustix::event::PollFlags::IN)];
            let timeout = rustix::event::Timespec { tv_sec: 1, tv_nsec: 0 };
            if rustix::event::poll(&mut fds, Some(&timeout)).is_ok_and(|ready| ready > 0) {
                // The parent has ended. Wait until this process has another parent.
                std::thread::sleep(Duration::from_millis(1));
            }
            continue;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Kills the engine (`None` if it is already reaped), all descendants of this process, and then the
/// whole process group, including this process.
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
