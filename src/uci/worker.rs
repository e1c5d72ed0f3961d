//! Runs the search in its own thread. The clock, the client or a limit ends the search.

use super::command::Go;
use super::game::PlayedGame;
use super::options::UciSettings;
use super::output::{self, Output};
use super::time::{self, Budget, Lag};
use crate::chess::{Move, MoveList, legal, parse_move};
use crate::engine::{Engine, Limit, SearchProgress, Stop};
use crate::memory_watch::{OUT_OF_MEMORY, stop_on_low_memory};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// The maximum depth of a search that the clock or the client ends.
const MAX_DEPTH: u8 = 128;

/// Locks a mutex. Poisoning is ignored, because the data stays valid if a thread panics while it
/// holds the lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The search is running. The answer may be sent when the search ends.
    Searching,
    /// The search is running or has ended. The answer must wait for `stop` or `ponderhit`.
    Waiting,
    /// The search received the command to stop.
    Ending,
    Done,
}

/// The state of a search that several threads share: the threads that read commands, search, and
/// watch the clock.
struct Signal {
    stop: AtomicBool,
    endless: bool,
    phase: Mutex<Phase>,
    changed: Condvar,
}

impl Signal {
    fn phase(&self) -> MutexGuard<'_, Phase> {
        lock(&self.phase)
    }

    fn change_phase(&self, from: &[Phase], to: Phase) {
        let mut phase = self.phase();
        if from.contains(&phase) {
            *phase = to;
            self.changed.notify_all();
        }
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.change_phase(&[Phase::Searching, Phase::Waiting], Phase::Ending);
    }

    /// Waits until the answer may be sent. Returns the locked phase.
    fn wait_until_answer_allowed(&self) -> MutexGuard<'_, Phase> {
        self.changed.wait_while(self.phase(), |phase| *phase == Phase::Waiting).unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
pub struct Worker<'scope> {
    engine: Arc<Mutex<Option<Engine>>>,
    applied_settings: Option<UciSettings>,
    lag: Arc<Mutex<Lag>>,
    running: Option<(Arc<Signal>, ScopedJoinHandle<'scope, ()>)>,
}

impl<'scope> Worker<'scope> {
    fn engine(&self) -> MutexGuard<'_, Option<Engine>> {
        lock(&self.engine)
    }

    pub fn is_searching(&self) -> bool {
        self.running.as_ref().is_some_and(|(signal, _)| *signal.phase() != Phase::Done)
    }

    /// Waits for the answer of the current search, and creates the engine anew if the engine
    /// options have changed. If the engine cannot be created, an engine with the previous options
    /// is created instead, and these options are restored in `settings`.
    pub fn prepare<W: Write>(&mut self, settings: &mut UciSettings, output: &Output<W>) {
        self.wait_for_answer();
        let mut engine = lock(&self.engine);
        if engine.as_ref().is_some_and(|created| *created.options() == settings.engine) {
            return;
        }
        // The old table is freed first, because both tables might not fit into memory.
        *engine = None;
        let created = Engine::new(&settings.engine, None).or_else(|error| {
            output.info(&error.to_string());
            let Some(earlier) = &self.applied_settings else { return Err(error) };
            output.info("restored the options of the last search, with an empty table");
            settings.restore(earlier);
            Engine::new(&settings.engine, None)
        });
        if let Ok(created) = created {
            *engine = Some(created);
            self.applied_settings = Some(settings.clone());
        }
    }

    /// Clears the state that is not kept from one game to the next.
    pub fn new_game(&mut self) {
        self.engine().iter_mut().for_each(Engine::new_game);
        lock(&self.lag).new_game();
    }

    pub fn clear(&mut self) {
        self.engine().iter_mut().for_each(Engine::reset);
    }

    /// Tells the search to stop. The search then answers.
    pub fn stop(&self) {
        self.running.iter().for_each(|(signal, _)| signal.stop());
    }

    /// Allows the search to answer when it ends, because the expected move was played.
    pub fn ponder_hit(&self) {
        self.running.iter().for_each(|(signal, _)| signal.change_phase(&[Phase::Waiting], Phase::Searching));
    }

    /// Whether the answer of the current search cannot come before another command.
    pub fn waits_for_client(&self) -> bool {
        self.running.as_ref().is_some_and(|(signal, _)| match *signal.phase() {
            Phase::Waiting => true,
            Phase::Searching => signal.endless,
            Phase::Ending | Phase::Done => false,
        })
    }

    /// Waits for the answer of the current search. A search with a limit is finished; one that only
    /// the client can end is stopped.
    pub fn wait_for_answer(&mut self) {
        if self.waits_for_client() {
            self.stop();
        }
        if let Some((_, thread)) = self.running.take() {
            let _ = thread.join();
        }
    }

    /// Starts a search in a thread of its own. This thread writes the `info` lines and the answer.
    pub fn go<'env, W: Write + Send>(
        &mut self,
        scope: &'scope Scope<'scope, 'env>,
        go: Go,
        game: &PlayedGame,
        settings: &UciSettings,
        output: &'env Output<W>,
    ) {
        let start = Instant::now();
        let mut root_moves = Vec::new();
        for text in &go.search_moves {
            match parse_move(&game.board, &text.to_ascii_lowercase()) {
                Some(mv) => root_moves.push(mv),
                None => output.info(&format!("go: searchmoves: `{text}` is not a legal move: ignored")),
            }
        }
        let answer_must_wait = go.infinite || go.ponder;
        let phase = Mutex::new(if answer_must_wait { Phase::Waiting } else { Phase::Searching });
        let turn = game.board.turn();
        lock(&self.lag).start_move(&go, turn);
        let overhead = lock(&self.lag).overhead(settings.overhead);
        let budget = time::budget(&go, turn, overhead).filter(|_| !go.infinite);
        let endless = go.depth.is_none() && go.nodes.is_none() && budget.is_none();
        let signal = Arc::new(Signal { stop: AtomicBool::new(false), endless, phase, changed: Condvar::new() });
        let lag = Arc::clone(&self.lag);
        let (game, mate, grows) = (game.clone(), settings.engine.mate, settings.engine.memory_grows());
        let (engine, signal_in_search) = (Arc::clone(&self.engine), Arc::clone(&signal));
        let thread = scope.spawn(move || {
            // If the answer must wait, another thread watches the clock. Otherwise the search
            // checks the clock itself, because on a busy machine another thread may wake too late.
            let clock_thread = budget.filter(|_| answer_must_wait).map(|budget| {
                let signal = Arc::clone(&signal_in_search);
                std::thread::spawn(move || end_after_ponder(&signal, budget.hard))
            });
            let is_time_up = || !answer_must_wait && budget.is_some_and(|budget| start.elapsed() >= budget.hard);
            let mut engine = lock(&engine);
            let (mut best, mut nodes) = (Move::NONE, 0);
            if let Some(engine) = engine.as_mut() {
                engine.restrict_root(&root_moves);
                let mut report = |progress: SearchProgress<'_>| {
                    let SearchProgress::Iteration(iteration) = progress else { return };
                    nodes += iteration.search.nodes;
                    best = if iteration.best.is_none() { best } else { iteration.best };
                    output.write_line(&match iteration.finished {
                        true => output::iteration_line(iteration, nodes, start.elapsed(), &mate),
                        false => output::truncated_line(nodes, start.elapsed()),
                    });
                    let is_past_soft_limit =
                        |budget: Budget| start.elapsed() >= budget.soft && *signal_in_search.phase() != Phase::Waiting;
                    if budget.is_some_and(is_past_soft_limit) {
                        signal_in_search.stop.store(true, Ordering::Relaxed);
                    }
                };
                let stop = Stop::with_callback(&signal_in_search.stop, &is_time_up);
                let search = || engine.search(&game.board, &game.history, search_limit(&go), stop, &mut report);
                let (_, ran_out_of_memory) = stop_on_low_memory(grows, &signal_in_search.stop, search);
                if ran_out_of_memory {
                    output.info(OUT_OF_MEMORY);
                }
            }
            if best.is_none() {
                // The search was stopped before the end of its first iteration. Any legal move is
                // better than no move.
                let mut moves = MoveList::new();
                legal(&game.board, &mut moves);
                best = root_moves.first().or(moves.first()).copied().unwrap_or(Move::NONE);
            }
            let mut phase = signal_in_search.wait_until_answer_allowed();
            lock(&lag).finish_move(&go, turn, start.elapsed());
            output.write_line(&format!("bestmove {best}"));
            *phase = Phase::Done;
            drop(phase);
            signal_in_search.changed.notify_all();
            clock_thread.map(JoinHandle::join);
        });
        self.running = Some((signal, thread));
    }
}

/// The limit of depth and nodes of a search. If the command gives neither, the depth is limited to
/// [`MAX_DEPTH`]. If it gives only nodes, the depth is not limited.
fn search_limit(go: &Go) -> Limit {
    let has_no_limit = go.depth.is_none() && go.nodes.is_none();
    Limit { depth: go.depth.or(has_no_limit.then_some(MAX_DEPTH)), nodes: go.nodes }
}

/// Stops a pondering search when its time is up. The time starts at `ponderhit`.
fn end_after_ponder(signal: &Signal, time: Duration) {
    let phase = signal.wait_until_answer_allowed();
    let result = signal.changed.wait_timeout_while(phase, time, |phase| *phase == Phase::Searching);
    let (phase, timeout) = result.unwrap_or_else(PoisonError::into_inner);
    drop(phase);
    if timeout.timed_out() {
        signal.stop.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Color;

    /// Clock differences between games are not lag.
    #[test]
    fn new_game_resets_the_last_clock() {
        let go = |left: u64| Go { time: [Some(Duration::from_millis(left)); 2], ..Go::default() };
        let overhead = |new_game: bool| {
            let mut worker = Worker::default();
            lock(&worker.lag).finish_move(&go(1000), Color::White, Duration::ZERO);
            if new_game {
                worker.new_game();
            }
            lock(&worker.lag).start_move(&go(600), Color::White);
            lock(&worker.lag).overhead(Duration::ZERO)
        };
        assert_eq!([true, false].map(overhead), [Duration::ZERO, Duration::from_millis(200)]);
    }

    /// The move gets its full time after `ponderhit`, however long it pondered.
    #[test]
    fn clock_starts_at_ponderhit() {
        let signal = Signal {
            stop: AtomicBool::new(false),
            endless: false,
            phase: Mutex::new(Phase::Waiting),
            changed: Condvar::new(),
        };
        let time = Duration::from_millis(40);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| end_after_ponder(&signal, time));
            std::thread::sleep(2 * time);
            let ponder_hit = Instant::now();
            signal.change_phase(&[Phase::Waiting], Phase::Searching);
            watcher.join().unwrap_or_default();
            assert!(signal.stop.load(Ordering::Relaxed), "{:?}", ponder_hit.elapsed());
            assert!(ponder_hit.elapsed() >= time, "{:?}", ponder_hit.elapsed());
        });
    }

    /// At the end of the input, a search with a limit (here of time) runs until it reaches it; a
    /// search without a limit is stopped.
    #[test]
    fn last_search_reaches_its_limit() {
        let settings =
            UciSettings::new(None, &["table=\"none\"".to_owned()]).unwrap_or_else(|problem| panic!("{problem}"));
        let output = Output(Mutex::new(Vec::new()));
        let time = Duration::from_millis(150);
        for (go, least) in [
            (Go { move_time: Some(time), ..Go::default() }, time - settings.overhead),
            (Go { infinite: true, ..Go::default() }, Duration::ZERO),
        ] {
            std::thread::scope(|scope| {
                let mut worker = Worker::default();
                worker.prepare(&mut settings.clone(), &output);
                let start = Instant::now();
                worker.go(scope, go, &PlayedGame::default(), &settings, &output);
                worker.wait_for_answer();
                assert!(start.elapsed() >= least, "{:?}", start.elapsed());
            });
        }
    }

    /// If the engine cannot be created with new options, the previous engine and options are
    /// restored.
    #[test]
    fn invalid_options_restore_the_previous_engine() {
        let settings =
            UciSettings::new(None, &["table=\"none\"".to_owned()]).unwrap_or_else(|problem| panic!("{problem}"));
        let output = Output(Mutex::new(Vec::new()));
        let mut worker = Worker::default();
        let mut changed = settings.clone();
        worker.prepare(&mut changed, &output);
        assert!(lock(&output.0).is_empty());
        assert!(changed.engine == settings.engine);
        changed.engine.table.slots = 9;
        changed.overhead = Duration::from_millis(7);
        worker.prepare(&mut changed, &output);
        assert_eq!((&changed.engine, changed.overhead), (&settings.engine, Duration::from_millis(7)));
        assert_eq!(worker.engine().as_ref().map(|engine| engine.options().clone()), Some(settings.engine));
        let output = String::from_utf8_lossy(&lock(&output.0)).into_owned();
        assert!(output.lines().count() == 2, "{output}");
        assert!(output.contains("table.slots: 9 is out of range"), "{output}");
    }

    /// With `clear = "never"` only an explicit clear empties the table, not a new game; a warm
    /// table makes the second search shorter.
    #[test]
    fn clear_empties_a_table_that_new_game_keeps() {
        use std::cmp::Ordering::{Equal, Less};
        let sets = ["table.size=4096", "table.clear=never", "history_clear=never"].map(str::to_owned);
        let settings = UciSettings::new(None, &sets).unwrap_or_else(|problem| panic!("{problem}"));
        let compare_second_search = |between: fn(&mut Worker<'_>)| {
            let output = Output(Mutex::new(Vec::new()));
            std::thread::scope(|scope| {
                let mut worker = Worker::default();
                worker.prepare(&mut settings.clone(), &output);
                for after in [between, |_| {}] {
                    worker.go(
                        scope,
                        Go { depth: Some(4), ..Go::default() },
                        &PlayedGame::default(),
                        &settings,
                        &output,
                    );
                    worker.wait_for_answer();
                    after(&mut worker);
                }
            });
            let output = String::from_utf8_lossy(&lock(&output.0)).into_owned();
            let last = output.lines().filter(|line| line.starts_with("info depth 4 "));
            let nodes = last.filter_map(|line| line.split(" nodes ").nth(1)?.split(' ').next()?.parse::<u64>().ok());
            let nodes: Vec<u64> = nodes.collect();
            assert_eq!(nodes.len(), 2, "{output}");
            nodes[1].cmp(&nodes[0])
        };
        let comparisons = [
            compare_second_search(|_| {}),
            compare_second_search(|worker| worker.new_game()),
            compare_second_search(|worker| worker.clear()),
        ];
        assert_eq!(comparisons, [Less, Less, Equal]);
    }

    #[test]
    fn node_limit_has_no_depth_limit() {
        for (depth, nodes, expected_depth) in [
            (None, None, Some(128)),
            (None, Some(1000), None),
            (Some(200), None, Some(200)),
            (Some(5), Some(1000), Some(5)),
        ] {
            for infinite in [false, true] {
                let limit = search_limit(&Go { depth, nodes, infinite, ..Go::default() });
                assert_eq!((limit.depth, limit.nodes), (expected_depth, nodes), "{depth:?} {nodes:?}");
            }
        }
    }
}
