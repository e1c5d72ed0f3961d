//! An engine's process: lines in, lines out, and an end that leaves nothing behind.

use super::uci::Launch;
use super::{descendants, guard};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Bytes of a line at most: the rest of a longer one is dropped. The longest principal variations are a few thousand.
const LONGEST_LINE: usize = 1 << 16;

/// Lines that may wait to be read: an engine that writes more has to wait itself.
const WAITING: usize = 1024;

/// The last lines that are kept for messages, and how much of each.
const KEPT: usize = 6;
const KEPT_WIDTH: usize = 160;

/// How long a process may take to end of its own accord.
const PATIENCE: Duration = Duration::from_millis(1500);

/// How often the flag that stops a run is looked at.
const GLANCE: Duration = Duration::from_millis(50);

/// What came of waiting for a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// A line, without its end.
    Line(String),
    /// None came in time.
    Late,
    /// The engine will write no more.
    Closed,
    /// The run is to end.
    Stopped,
}

/// How an engine went that was asked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Departure {
    /// How it ended; none if it had to be killed.
    pub ended: Option<String>,
    /// How long that took.
    pub within: Duration,
    /// The names of the processes that it left behind.
    pub left: Vec<String>,
}

/// A running engine.
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    tail: VecDeque<String>,
    errors: Arc<Mutex<VecDeque<String>>>,
    /// What reads its standard error.
    listener: Option<JoinHandle<()>>,
    /// Whether it was reaped.
    ended: bool,
    /// Whether it is a guard's: that ends what the engine started, in whatever group it is.
    guarded: bool,
}

impl Process {
    /// Starts a program, as the leader of a process group of its own: a signal to ttlab's (Ctrl-C) does not reach it.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn start(launch: &Launch) -> io::Result<Self> {
        let mut command = Command::new(launch.guard.as_ref().unwrap_or(&launch.path));
        if launch.guard.is_some() {
            command.arg(guard::COMMAND).arg(std::process::id().to_string()).arg("--").arg(&launch.path);
        }
        command.args(&launch.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.process_group(0).spawn()?;
        let (sender, lines) = sync_channel(WAITING);
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        // From here on the process ends with this value, whatever the system refuses.
        let mut process = Self {
            child,
            input,
            lines,
            tail: VecDeque::new(),
            errors: Arc::clone(&kept),
            listener: None,
            ended: false,
            guarded: launch.guard.is_some(),
        };
        let thread = std::thread::Builder::new;
        if let Some(output) = output {
            thread().spawn(move || each_line(output, |line| sender.send(line).is_ok()))?;
        }
        if let Some(errors) = errors {
            process.listener = Some(thread().spawn(move || {
                each_line(errors, |line| {
                    keep(&mut kept.lock().unwrap_or_else(PoisonError::into_inner), &line);
                    true
                });
            })?);
        }
        Ok(process)
    }

    /// Writes a line.
    ///
    /// # Errors
    /// When the engine reads no more.
    pub fn send(&mut self, line: &str) -> io::Result<()> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(format!("{line}\n").as_bytes())?;
        input.flush()
    }

    /// The next line, if it comes before `deadline`.
    pub fn next(&mut self, deadline: Instant, stop: &AtomicBool) -> Next {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Next::Stopped;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(GLANCE)) {
                Ok(line) => {
                    keep(&mut self.tail, &line);
                    return Next::Line(line);
                }
                Err(RecvTimeoutError::Disconnected) => return Next::Closed,
                Err(RecvTimeoutError::Timeout) if left <= GLANCE => return Next::Late,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// The last lines that it wrote, those to standard error last.
    pub fn tail(&self) -> Vec<String> {
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        self.tail.iter().cloned().chain(errors.iter().map(|line| format!("stderr: {line}"))).collect()
    }

    /// Ends it, by its own doing or by force, with everything in its process group. Says how it ended if it had ended before.
    pub fn end(&mut self) -> Option<String> {
        let _ = self.send("quit");
        self.input = None;
        let begun = Instant::now();
        // An engine that has ended already may have started others: they are looked for all the same.
        while !self.has_ended() && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
        let by_itself = self.has_ended();
        self.kill();
        let status = self.child.wait().ok()?;
        self.ended = true;
        // Its last words may still be on their way.
        while begun.elapsed() < 2 * PATIENCE && self.listener.as_ref().is_some_and(|listener| !listener.is_finished()) {
            std::thread::sleep(Duration::from_millis(1));
        }
        by_itself.then(|| describe(status))
    }

    /// Asks an engine without a guard to end, while no other runs, and sees what it leaves behind; that is killed.
    pub fn depart(&mut self) -> Departure {
        // What loses its parent becomes a child of this process, and is found.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
        let begun = Instant::now();
        let _ = self.send("quit");
        while !self.has_ended() && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
        let (by_itself, within) = (self.has_ended(), begun.elapsed());
        let own = Pid::from_child(&self.child).as_raw_nonzero().get();
        let left = || descendants::descendants().into_iter().filter(|one| one.pid != own).collect::<Vec<_>>();
        // What the engine started may end a moment after it.
        while by_itself && !left().is_empty() && begun.elapsed() < within + PATIENCE / 3 {
            std::thread::sleep(Duration::from_millis(5));
        }
        let left = left();
        descendants::kill_all();
        self.kill();
        let status = self.child.wait();
        self.ended = true;
        #[cfg(target_os = "linux")]
        let _ = rustix::process::set_child_subreaper(None);
        let ended = status.ok().filter(|_| by_itself).map(describe);
        Departure { ended, within, left: left.into_iter().map(|one| one.name).collect() }
    }

    /// Ends it by force, at once.
    pub fn kill_now(&mut self) {
        if self.ended {
            return; // Its number may be another's by now.
        }
        self.input = None;
        self.kill();
        let _ = self.child.wait();
        self.ended = true;
    }

    /// Whether the process has ended. It is not reaped, so that its number stays its group's.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(Pid::from_child(&self.child)), options), Ok(None))
    }

    /// Ends what is left: a guard does so for all that its engine started, and is waited for; then the whole process group is killed.
    fn kill(&mut self) {
        if self.guarded && !self.has_ended() {
            let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
            let begun = Instant::now();
            while !self.has_ended() && begun.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_now();
    }
}

/// How a process ended; its guard passes a signal on as 128 and its number.
fn describe(status: ExitStatus) -> String {
    let passed_on = status.code().filter(|code| (129..=192).contains(code)).map(|code| code - 128);
    match passed_on.or(status.signal()) {
        Some(signal) => format!("signal {signal}"),
        None => format!("exit code {}", status.code().unwrap_or_default()),
    }
}

/// Keeps the last few lines.
fn keep(lines: &mut VecDeque<String>, line: &str) {
    if lines.len() == KEPT {
        lines.pop_front();
    }
    lines.push_back(line.chars().take(KEPT_WIDTH).collect());
}

/// Calls `take` with each line, as far as it fits, until it says no or the end comes.
fn each_line(output: impl Read, mut take: impl FnMut(String) -> bool) {
    let mut output = BufReader::new(output);
    let mut line: Vec<u8> = Vec::new();
    loop {
        let (used, whole) = match output.fill_buf() {
            Ok([]) | Err(_) => break,
            Ok(bytes) => {
                let end = bytes.iter().position(|&byte| byte == b'\n');
                let part = &bytes[..end.unwrap_or(bytes.len())];
                line.extend_from_slice(&part[..part.len().min(LONGEST_LINE - line.len())]);
                (end.map_or(bytes.len(), |end| end + 1), end.is_some())
            }
        };
        output.consume(used);
        if whole {
            let text = String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned();
            line.clear();
            if !take(text) {
                return;
            }
        }
    }
    if !line.is_empty() {
        take(String::from_utf8_lossy(&line).into_owned());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A reader of a few bytes at a time.
    struct Few<'a>(&'a [u8], usize);

    impl Read for Few<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let some = self.1.min(self.0.len()).min(buffer.len());
            buffer[..some].copy_from_slice(&self.0[..some]);
            self.0 = &self.0[some..];
            Ok(some)
        }
    }

    /// Lines however they come: their ends are taken off, an empty one is one, a torn last one too; what is too long ends where it may.
    #[test]
    fn lines_are_what_stands_between_their_ends() {
        let read = |bytes: &[u8], at_once: usize| {
            let mut lines = Vec::new();
            each_line(Few(bytes, at_once), |line| {
                lines.push(line);
                true
            });
            lines
        };
        for at_once in [1, 3, 100] {
            assert_eq!(read(b"a\r\n\nb c\r\r\n\xff\nd", at_once), ["a", "", "b c", "\u{fffd}", "d"]);
            assert_eq!(read(b"", at_once), Vec::<String>::new());
        }
        for length in [LONGEST_LINE - 1, LONGEST_LINE, LONGEST_LINE + 1, 3 * LONGEST_LINE] {
            let lines = read(&[&vec![b'x'; length][..], b"\nshort\n"].concat(), 10_000);
            assert_eq!((lines.len(), lines[0].len(), lines[1].as_str()), (2, length.min(LONGEST_LINE), "short"));
        }
        // Until nobody listens any more.
        let mut seen = 0;
        each_line(&b"a\nb\nc\nd"[..], |_| {
            seen += 1;
            seen < 2
        });
        assert_eq!(seen, 2);
    }

    /// Until it ends a process is heard line by line, or late, or not at all where the run is to end; one that does not know `quit` ends where
    /// nobody can tell it anything any more.
    #[test]
    fn a_process_is_heard_until_it_ends() {
        let start = |script: &str| {
            let arguments = ["-c", script].map(str::to_owned).to_vec();
            Process::start(&Launch { path: "/bin/sh".into(), arguments, ..Launch::default() }).unwrap()
        };
        let (go, stop) = (AtomicBool::new(false), AtomicBool::new(true));
        let later = || Instant::now() + Duration::from_secs(60);
        let line = |text: &str| Next::Line(text.to_owned());
        let mut process = start("echo one; read -r x; echo \"$x two\"; echo bad >&2; exit 3");
        assert_eq!(process.next(later(), &go), line("one"));
        assert_eq!(process.next(Instant::now(), &go), Next::Late);
        assert_eq!(process.next(later(), &stop), Next::Stopped);
        process.send("then").unwrap();
        assert_eq!([process.next(later(), &go), process.next(later(), &go)], [line("then two"), Next::Closed]);
        assert_eq!(process.end().as_deref(), Some("exit code 3"));
        assert_eq!(process.tail(), ["one", "then two", "stderr: bad"]);
        assert!(process.send("more").is_err());
        // More lines than wait to be heard: the rest waits with the process.
        let mut talker = start("i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i + 1)); done");
        assert!((0..3000).all(|at: u32| talker.next(later(), &go) == line(&at.to_string())));
        assert_eq!(talker.next(later(), &go), Next::Closed);
        let mut deaf = start("while read -r x; do :; done; exit 4");
        assert_eq!(deaf.end().as_deref(), Some("exit code 4"));
        let begun = Instant::now();
        drop(start("exec sleep 20"));
        assert!(begun.elapsed() < Duration::from_secs(10), "nobody waits for a process that is not wanted any more");
    }

    #[test]
    fn the_last_lines_are_kept_in_part() {
        let mut kept = VecDeque::new();
        (0..9).for_each(|at| keep(&mut kept, &format!("{at}{}", "\u{e4}".repeat(at * 30))));
        let first = kept.front().unwrap();
        assert_eq!(
            (kept.len(), &first[..1], first.chars().count(), kept[5].chars().count()),
            (KEPT, "3", 91, KEPT_WIDTH)
        );
        let status = |script: &str| Command::new("/bin/sh").args(["-c", script]).status().unwrap();
        for (script, how) in [
            ("exit 0", "exit code 0"),
            ("exit 128", "exit code 128"),
            ("exit 129", "signal 1"),
            ("exit 192", "signal 64"),
            ("exit 193", "exit code 193"),
            ("kill -9 $$", "signal 9"),
        ] {
            assert_eq!(describe(status(script)), how, "{script}");
        }
    }
}
