//! The process of an engine. Reads and writes lines, and makes sure that the process and everything
//! that it started have ended.

use super::launch::Launch;
use super::{descendants, guard};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The maximum number of bytes of a line. The rest of a longer line is dropped. Lines with the
/// longest principal variations have a few thousand bytes.
const MAX_LINE_BYTES: usize = 1 << 16;

/// The number of last lines that are kept for messages.
const TAIL_LINES: usize = 6;

/// The maximum number of characters that are kept of each of the last lines.
const TAIL_WIDTH: usize = 160;

const QUIT_TIMEOUT: Duration = Duration::from_millis(1500);

const STOP_POLL: Duration = Duration::from_millis(50);

#[derive(Debug, PartialEq, Eq)]
pub enum NextLine {
    Line(String),
    Late,
    Closed,
    Stopped,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuitReport {
    /// The engine's exit code or signal. `None` if the engine had to be killed.
    pub exit: Option<String>,
    pub elapsed: Duration,
    /// The names of processes that the engine left running.
    pub leftovers: Vec<String>,
}

pub struct Process {
    child: Child,
    /// The engine's standard input. `None` after it was closed.
    input: Option<ChildStdin>,
    /// The engine's standard output. `None` after its end.
    output: Option<ChildStdout>,
    splitter: LineSplitter,
    /// The lines of standard output that were read but not used.
    lines: VecDeque<String>,
    /// The last lines of standard output that were read.
    tail: VecDeque<String>,
    stderr_tail: Arc<Mutex<VecDeque<String>>>,
    stderr_reader: Option<JoinHandle<()>>,
    is_reaped: bool,
    /// Whether the engine runs under a guard. The guard kills everything that the engine started,
    /// whatever its process group.
    is_guarded: bool,
}

impl Process {
    /// Starts a program as the leader of a new process group, so that a signal to ttlab's group
    /// (Ctrl-C) does not reach the program. What this thread keeps for tables is free for it.
    ///
    /// # Errors
    /// When the system refuses to start the program.
    pub fn start(launch: &Launch) -> io::Result<Self> {
        let mut command = Command::new(launch.guard.as_ref().unwrap_or(&launch.path));
        if launch.guard.is_some() {
            command.arg(guard::COMMAND).arg(std::process::id().to_string()).arg("--").arg(&launch.path);
        }
        command.args(&launch.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        crate::table::kept::release_kept();
        let mut child = command.process_group(0).spawn()?;
        let (input, output, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let stderr_tail = Arc::new(Mutex::new(VecDeque::new()));
        // From here on, the process is killed when this value is dropped, even if a later step
        // fails.
        let mut process = Self {
            child,
            input,
            output,
            splitter: LineSplitter::default(),
            lines: VecDeque::new(),
            tail: VecDeque::new(),
            stderr_tail: Arc::clone(&stderr_tail),
            stderr_reader: None,
            is_reaped: false,
            is_guarded: launch.guard.is_some(),
        };
        if let Some(mut stderr) = stderr {
            let mut splitter = LineSplitter::default();
            let push = move |line: String| {
                push_tail(&mut stderr_tail.lock().unwrap_or_else(PoisonError::into_inner), &line);
            };
            let read_all = move || while splitter.read(&mut stderr, &push) {};
            process.stderr_reader = Some(std::thread::Builder::new().spawn(read_all)?);
        }
        Ok(process)
    }

    /// Writes a line to the engine.
    ///
    /// # Errors
    /// When the engine has closed its input.
    pub fn send(&mut self, line: &str) -> io::Result<()> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(format!("{line}\n").as_bytes())?;
        input.flush()
    }

    /// Waits for the next line until the deadline passes or `stop` is set.
    pub fn next(&mut self, deadline: Instant, stop: &AtomicBool) -> NextLine {
        loop {
            if stop.load(Ordering::Relaxed) {
                return NextLine::Stopped;
            }
            if let Some(line) = self.lines.pop_front() {
                push_tail(&mut self.tail, &line);
                return NextLine::Line(line);
            }
            let Some(output) = &mut self.output else { return NextLine::Closed };
            let remaining = deadline.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(remaining.min(STOP_POLL)).ok();
            // The engine is waited for on this thread: a thread that reads would wake it at each
            // line. A poll that fails was interrupted by a signal.
            if poll(&mut [PollFd::new(output, PollFlags::IN)], timeout.as_ref()).is_ok_and(|ready| ready > 0) {
                if !self.splitter.read(output, |line| self.lines.push_back(line)) {
                    self.output = None;
                }
            } else if remaining <= STOP_POLL {
                return NextLine::Late;
            }
        }
    }

    pub fn tail(&self) -> Vec<String> {
        let errors = self.stderr_tail.lock().unwrap_or_else(PoisonError::into_inner);
        self.tail.iter().cloned().chain(errors.iter().map(|line| format!("stderr: {line}"))).collect()
    }

    /// Sends `quit`, waits at most [`QUIT_TIMEOUT`], and kills what is left of the process group.
    /// Returns how the process ended, or `None` if it did not end by itself.
    pub fn quit(&mut self) -> Option<String> {
        let _ = self.send("quit");
        self.input = None;
        let start = Instant::now();
        let ended_by_itself = self.wait_for_end();
        // Even if the engine has ended, processes that it started may still be running.
        self.kill_tree();
        let status = self.child.wait().ok()?;
        self.is_reaped = true;
        // The last lines of standard error may still be in the pipe.
        while start.elapsed() < 2 * QUIT_TIMEOUT
            && self.stderr_reader.as_ref().is_some_and(|stderr_reader| !stderr_reader.is_finished())
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        ended_by_itself.then(|| describe_exit(status))
    }

    /// Quits the engine, reports the processes that the engine leaves behind, and kills these
    /// processes. The engine must not have a guard, and no other engine may be running. Orphans are
    /// found if [`descendants::adopt_orphans`] was called before the engine was started.
    pub fn quit_and_inspect(&mut self) -> QuitReport {
        let start = Instant::now();
        let _ = self.send("quit");
        let (ended_by_itself, elapsed) = (self.wait_for_end(), start.elapsed());
        let engine_pid = Pid::from_child(&self.child).as_raw_nonzero().get();
        let find_leftovers =
            || descendants::descendants().into_iter().filter(|process| process.pid != engine_pid).collect::<Vec<_>>();
        // Processes that the engine started may end a moment after the engine.
        let leftovers_timeout = elapsed + QUIT_TIMEOUT / 3;
        while ended_by_itself && !find_leftovers().is_empty() && start.elapsed() < leftovers_timeout {
            std::thread::sleep(Duration::from_millis(5));
        }
        let leftovers = find_leftovers();
        descendants::kill_all();
        self.kill_tree();
        let status = self.child.wait();
        self.is_reaped = true;
        descendants::adopt_orphans(false);
        let exit = if ended_by_itself { status.ok().map(describe_exit) } else { None };
        QuitReport { exit, elapsed, leftovers: leftovers.into_iter().map(|process| process.name).collect() }
    }

    pub fn kill_now(&mut self) {
        if self.is_reaped {
            return; // The process id may have been reused.
        }
        self.input = None;
        self.kill_tree();
        let _ = self.child.wait();
        self.is_reaped = true;
    }

    /// Whether the process has ended. The process is not reaped, so that its id stays reserved.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(Pid::from_child(&self.child)), options), Ok(None))
    }

    /// Waits until the process has ended, but at most for [`QUIT_TIMEOUT`]. Returns whether the
    /// process has ended.
    fn wait_for_end(&self) -> bool {
        let start = Instant::now();
        while !self.has_ended() && start.elapsed() < QUIT_TIMEOUT {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.has_ended()
    }

    /// Kills the process and everything that it started. A guard first gets a signal and some time
    /// to do this itself. Then the whole process group is killed.
    fn kill_tree(&mut self) {
        if self.is_guarded && !self.has_ended() {
            let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
            self.wait_for_end();
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

/// Describes how a process ended. If a signal ended an engine under a guard, the guard's exit code
/// is 128 plus the signal's number.
fn describe_exit(status: ExitStatus) -> String {
    let guard_signal = status.code().filter(|code| (129..=192).contains(code)).map(|code| code - 128);
    match guard_signal.or(status.signal()) {
        Some(signal) => format!("signal {signal}"),
        None => format!("exit code {}", status.code().unwrap_or_default()),
    }
}

/// Appends a line, truncated to [`TAIL_WIDTH`]. Drops the oldest line if there are already
/// [`TAIL_LINES`] lines.
fn push_tail(lines: &mut VecDeque<String>, line: &str) {
    if lines.len() == TAIL_LINES {
        lines.pop_front();
    }
    lines.push_back(line.chars().take(TAIL_WIDTH).collect());
}

/// Splits what a process writes into lines.
#[derive(Default)]
struct LineSplitter {
    unfinished: Vec<u8>,
}

impl LineSplitter {
    /// Reads once and passes the lines that end to `take_line`, each truncated to
    /// [`MAX_LINE_BYTES`]. Returns whether more may follow; if not, the last line may be
    /// unfinished.
    fn read(&mut self, output: &mut impl Read, mut take_line: impl FnMut(String)) -> bool {
        let mut bytes = [0; 1 << 13];
        let count = match output.read(&mut bytes) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return true,
            Err(_) => 0,
        };
        for part in bytes[..count].split_inclusive(|&byte| byte == b'\n') {
            let text = part.strip_suffix(b"\n").unwrap_or(part);
            let room = MAX_LINE_BYTES - self.unfinished.len();
            self.unfinished.extend_from_slice(&text[..text.len().min(room)]);
            if text.len() < part.len() {
                take_line(String::from_utf8_lossy(&self.unfinished).trim_end_matches('\r').to_owned());
                self.unfinished.clear();
            }
        }
        if count == 0 && !self.unfinished.is_empty() {
            take_line(String::from_utf8_lossy(&std::mem::take(&mut self.unfinished)).into_owned());
        }
        count > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns at most `at_once` bytes at a time.
    struct SlowReader<'a> {
        bytes: &'a [u8],
        at_once: usize,
    }

    impl Read for SlowReader<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.at_once.min(self.bytes.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.bytes[..count]);
            self.bytes = &self.bytes[count..];
            Ok(count)
        }
    }

    /// The lines are the same regardless of the sizes in which the bytes arrive. Line breaks are
    /// removed, empty and unfinished lines count, and long lines are truncated.
    #[test]
    fn lines_are_split_at_line_breaks_however_they_arrive() {
        let read = |bytes: &[u8], at_once: usize| {
            let (mut lines, mut splitter) = (Vec::new(), LineSplitter::default());
            let mut reader = SlowReader { bytes, at_once };
            while splitter.read(&mut reader, |line| lines.push(line)) {}
            lines
        };
        for at_once in [1, 3, 100] {
            assert_eq!(read(b"a\r\n\nb c\r\r\n\xff\nd", at_once), ["a", "", "b c", "\u{fffd}", "d"]);
            assert_eq!(read(b"", at_once), Vec::<String>::new());
        }
        for length in [MAX_LINE_BYTES - 1, MAX_LINE_BYTES, MAX_LINE_BYTES + 1, 3 * MAX_LINE_BYTES] {
            let lines = read(&[&vec![b'x'; length][..], b"\nshort\n"].concat(), 10_000);
            assert_eq!((lines.len(), lines[0].len(), lines[1].as_str()), (2, length.min(MAX_LINE_BYTES), "short"));
        }
    }

    /// Output is read line by line with deadline and stop flag; a process that ignores `quit` ends
    /// when its input is closed.
    #[test]
    fn process_output_is_read_until_it_ends() {
        let start = |script: &str| {
            let arguments = ["-c", script].map(str::to_owned).to_vec();
            Process::start(&Launch { path: "/bin/sh".into(), arguments, ..Launch::default() }).unwrap()
        };
        let (not_stopped, stopped) = (AtomicBool::new(false), AtomicBool::new(true));
        let in_a_minute = || Instant::now() + Duration::from_secs(60);
        let line = |text: &str| NextLine::Line(text.to_owned());
        let mut process = start("echo one; read -r x; echo \"$x two\"; echo bad >&2; exit 3");
        assert_eq!(process.next(in_a_minute(), &not_stopped), line("one"));
        assert_eq!(process.next(Instant::now(), &not_stopped), NextLine::Late);
        assert_eq!(process.next(in_a_minute(), &stopped), NextLine::Stopped);
        process.send("then").unwrap();
        assert_eq!(
            [process.next(in_a_minute(), &not_stopped), process.next(in_a_minute(), &not_stopped)],
            [line("then two"), NextLine::Closed]
        );
        assert_eq!(process.quit().as_deref(), Some("exit code 3"));
        assert_eq!(process.tail(), ["one", "then two", "stderr: bad"]);
        assert!(process.send("more").is_err());
        // More lines than the buffer holds: the process blocks.
        let mut talker = start("i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i + 1)); done");
        assert!((0..3000).all(|index: u32| talker.next(in_a_minute(), &not_stopped) == line(&index.to_string())));
        assert_eq!(talker.next(in_a_minute(), &not_stopped), NextLine::Closed);
        let mut ignores_quit = start("while read -r x; do :; done; exit 4");
        assert_eq!(ignores_quit.quit().as_deref(), Some("exit code 4"));
        let time = Instant::now();
        drop(start("exec sleep 20"));
        assert!(time.elapsed() < Duration::from_secs(10), "dropping a process must not wait for it");
    }

    #[test]
    fn tail_keeps_the_last_lines_truncated() {
        let mut tail = VecDeque::new();
        (0..9).for_each(|index| push_tail(&mut tail, &format!("{index}{}", "\u{e4}".repeat(index * 30))));
        let first = tail.front().unwrap();
        assert_eq!(
            (tail.len(), &first[..1], first.chars().count(), tail[5].chars().count()),
            (TAIL_LINES, "3", 91, TAIL_WIDTH)
        );
        let status = |script: &str| Command::new("/bin/sh").args(["-c", script]).status().unwrap();
        for (script, expected) in [
            ("exit 0", "exit code 0"),
            ("exit 128", "exit code 128"),
            ("exit 129", "signal 1"),
            ("exit 192", "signal 64"),
            ("exit 193", "exit code 193"),
            ("kill -9 $$", "signal 9"),
        ] {
            assert_eq!(describe_exit(status(script)), expected, "{script}");
        }
    }
}
