//! The search in a thread of its own, and what ends it: the clock, the client, or its limit.

use super::command::Go;
use super::game::PlayedGame;
use super::options::UciSettings;
use super::say::{self, Voice};
use super::time::{self, Budget, Lag};
use crate::chess::{Move, MoveList, legal};
use crate::engine::{Engine, Limit, SearchProgress, Stop};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// The deepest search that a clock or a client ends.
const DEEPEST: u8 = 128;

/// A lock whose holder panicked still guards good data.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where a search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// It goes on, and its answer is awaited.
    Searching,
    /// It goes on, and its answer must wait for `stop` or `ponderhit`.
    Held,
    /// It is to end at once.
    Ending,
    /// It has answered.
    Done,
}

/// What the reader, the search and its clock share.
struct Signal {
    stop: AtomicBool,
    /// Whether nothing but a client can end the search.
    endless: bool,
    phase: Mutex<Phase>,
    changed: Condvar,
}

impl Signal {
    fn phase(&self) -> MutexGuard<'_, Phase> {
        lock(&self.phase)
    }

    /// Goes on to a phase from one of those before it.
    fn advance(&self, from: &[Phase], to: Phase) {
        let mut phase = self.phase();
        if from.contains(&phase) {
            *phase = to;
            self.changed.notify_all();
        }
    }

    fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.advance(&[Phase::Searching, Phase::Held], Phase::Ending);
    }

    /// Waits until the answer may be given.
    fn released(&self) -> MutexGuard<'_, Phase> {
        self.changed.wait_while(self.phase(), |phase| *phase == Phase::Held).unwrap_or_else(PoisonError::into_inner)
    }
}

/// The engine, and the search that it is at.
#[derive(Default)]
pub struct Worker<'scope> {
    engine: Arc<Mutex<Option<Engine>>>,
    /// What the engine was made of.
    granted: Option<UciSettings>,
    lag: Arc<Mutex<Lag>>,
    running: Option<(Arc<Signal>, ScopedJoinHandle<'scope, ()>)>,
}

impl<'scope> Worker<'scope> {
    fn engine(&self) -> MutexGuard<'_, Option<Engine>> {
        lock(&self.engine)
    }

    /// Whether a search has not answered yet.
    pub fn is_searching(&self) -> bool {
        self.running.as_ref().is_some_and(|(signal, _)| *signal.phase() != Phase::Done)
    }

    /// Makes the engine where there is none of the present options. If it cannot be made, options and engine are as they were.
    pub fn prepare<W: Write>(&mut self, settings: &mut UciSettings, voice: &Voice<W>) {
        self.finish();
        let mut engine = lock(&self.engine);
        if engine.as_ref().is_some_and(|made| *made.options() == settings.engine) {
            return;
        }
        // The old table goes first: both may be more than there is room for.
        *engine = None;
        let made = Engine::new(&settings.engine, None).or_else(|error| {
            voice.info(&error.to_string());
            let Some(before) = &self.granted else { return Err(error) };
            voice.info("the options of the last search are set again, and its table is empty");
            settings.restore(before);
            Engine::new(&settings.engine, None)
        });
        if let Ok(made) = made {
            *engine = Some(made);
            self.granted = Some(settings.clone());
        }
    }

    /// Forgets what is not kept between games.
    pub fn new_game(&mut self) {
        self.engine().iter_mut().for_each(Engine::new_game);
        lock(&self.lag).new_game();
    }

    /// Empties the table.
    pub fn clear(&mut self) {
        self.engine().iter_mut().for_each(Engine::reset);
    }

    /// Ends the search soon; its answer follows.
    pub fn stop(&self) {
        self.running.iter().for_each(|(signal, _)| signal.end());
    }

    /// What was pondered on was played: the answer need not wait any longer.
    pub fn ponder_hit(&self) {
        self.running.iter().for_each(|(signal, _)| signal.advance(&[Phase::Held], Phase::Searching));
    }

    /// Waits for the answer of a search that has a limit, and ends one that has none: nobody will say `stop` any more.
    pub fn last(&mut self) {
        if self.running.as_ref().is_some_and(|(signal, _)| signal.endless || *signal.phase() == Phase::Held) {
            self.stop();
        }
        self.running.take().map(|(_, thread)| thread.join());
    }

    /// Ends the search and waits for its answer.
    pub fn finish(&mut self) {
        self.stop();
        self.running.take().map(|(_, thread)| thread.join());
    }

    /// Begins a search.
    pub fn go<'env, W: Write + Send>(
        &mut self,
        scope: &'scope Scope<'scope, 'env>,
        go: Go,
        game: &PlayedGame,
        settings: &UciSettings,
        voice: &'env Voice<W>,
    ) {
        let begun = Instant::now();
        let held = go.infinite || go.ponder;
        let phase = Mutex::new(if held { Phase::Held } else { Phase::Searching });
        let turn = game.board.turn();
        lock(&self.lag).asked(&go, turn);
        let overhead = lock(&self.lag).overhead(settings.overhead);
        let budget = time::budget(&go, turn, overhead).filter(|_| !go.infinite);
        let endless = go.depth.is_none() && go.nodes.is_none() && budget.is_none();
        let signal = Arc::new(Signal { stop: AtomicBool::new(false), endless, phase, changed: Condvar::new() });
        let lag = Arc::clone(&self.lag);
        let (game, mate, engine, mine) =
            (game.clone(), settings.engine.mate, Arc::clone(&self.engine), Arc::clone(&signal));
        let thread = scope.spawn(move || {
            // A search that is not held looks at the clock itself: on a busy machine another thread may come to run too late.
            let clock = budget.filter(|_| held).map(|budget| {
                let signal = Arc::clone(&mine);
                std::thread::spawn(move || watch(&signal, budget.most))
            });
            let late = || !held && budget.is_some_and(|budget| begun.elapsed() >= budget.most);
            let mut engine = lock(&engine);
            let (mut best, mut nodes) = (Move::NONE, 0);
            if let Some(engine) = engine.as_mut() {
                engine.search(&game.board, &game.past, limit(&go), Stop::asking(&mine.stop, &late), &mut |progress| {
                    let SearchProgress::Iteration(found) = progress else { return };
                    nodes += found.search.nodes;
                    best = if found.best.is_none() { best } else { found.best };
                    voice.say(&match found.finished {
                        true => say::iteration(found, nodes, begun.elapsed(), &mate),
                        false => say::cut_short(nodes, begun.elapsed()),
                    });
                    let enough = |budget: Budget| begun.elapsed() >= budget.enough && *mine.phase() != Phase::Held;
                    if budget.is_some_and(enough) {
                        mine.stop.store(true, Ordering::Relaxed);
                    }
                });
            }
            if best.is_none() {
                // Stopped before its first iteration ended: any move is better than none.
                let mut moves = MoveList::new();
                legal(&game.board, &mut moves);
                best = moves.first().copied().unwrap_or(Move::NONE);
            }
            let mut phase = mine.released();
            lock(&lag).answered(&go, turn, begun.elapsed());
            voice.say(&format!("bestmove {best}"));
            *phase = Phase::Done;
            drop(phase);
            mine.changed.notify_all();
            clock.map(JoinHandle::join);
        });
        self.running = Some((signal, thread));
    }
}

/// What ends a search beside the clock and the client. One by nodes may go as deep as they reach.
fn limit(go: &Go) -> Limit {
    let none = go.depth.is_none() && go.nodes.is_none();
    Limit { depth: go.depth.or(none.then_some(DEEPEST)), nodes: go.nodes }
}

/// Ends a search that ponders when its time is up: the clock begins when what was pondered on is played.
fn watch(signal: &Signal, most: Duration) {
    let waited = signal.changed.wait_timeout_while(signal.released(), most, |phase| *phase == Phase::Searching);
    if waited.unwrap_or_else(PoisonError::into_inner).1.timed_out() {
        signal.stop.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Color;

    /// What a clock loses from one game to the next is no lag.
    #[test]
    fn a_new_game_has_a_clock_of_its_own() {
        let go = |left: u64| Go { time: [Some(Duration::from_millis(left)); 2], ..Go::default() };
        let overhead = |new_game: bool| {
            let mut worker = Worker::default();
            lock(&worker.lag).answered(&go(1000), Color::White, Duration::ZERO);
            if new_game {
                worker.new_game();
            }
            lock(&worker.lag).asked(&go(600), Color::White);
            lock(&worker.lag).overhead(Duration::ZERO)
        };
        assert_eq!([true, false].map(overhead), [Duration::ZERO, Duration::from_millis(200)]);
    }

    /// However long it was pondered, the move has its time from then on.
    #[test]
    fn time_runs_from_the_move_that_was_pondered_on() {
        let signal = Signal {
            stop: AtomicBool::new(false),
            endless: false,
            phase: Mutex::new(Phase::Held),
            changed: Condvar::new(),
        };
        let most = Duration::from_millis(40);
        std::thread::scope(|scope| {
            let watching = scope.spawn(|| watch(&signal, most));
            std::thread::sleep(2 * most);
            let played = Instant::now();
            signal.advance(&[Phase::Held], Phase::Searching);
            watching.join().unwrap_or_default();
            assert!(signal.stop.load(Ordering::Relaxed) && played.elapsed() >= most, "{:?}", played.elapsed());
        });
    }

    /// Where the input ends, a search that has a limit comes to it, by its time too; one that has none is ended.
    #[test]
    fn the_last_search_has_its_time() {
        let settings =
            UciSettings::new(None, &["table=\"none\"".to_owned()]).unwrap_or_else(|problem| panic!("{problem}"));
        let output = Voice(Mutex::new(Vec::new()));
        let time = Duration::from_millis(150);
        for (go, least) in [
            (Go { move_time: Some(time), ..Go::default() }, time - settings.overhead),
            (Go { infinite: true, ..Go::default() }, Duration::ZERO),
        ] {
            std::thread::scope(|scope| {
                let mut worker = Worker::default();
                worker.prepare(&mut settings.clone(), &output);
                let begun = Instant::now();
                worker.go(scope, go, &PlayedGame::default(), &settings, &output);
                worker.last();
                assert!(begun.elapsed() >= least, "{:?}", begun.elapsed());
            });
        }
    }

    /// Where the engine of new options cannot be made after all, the one before is made again, and its options are set.
    #[test]
    fn options_that_make_no_engine_are_taken_back() {
        let settings =
            UciSettings::new(None, &["table=\"none\"".to_owned()]).unwrap_or_else(|problem| panic!("{problem}"));
        let output = Voice(Mutex::new(Vec::new()));
        let mut worker = Worker::default();
        let mut changed = settings.clone();
        worker.prepare(&mut changed, &output);
        assert!(lock(&output.0).is_empty() && changed.engine == settings.engine);
        changed.engine.table.slots = 9;
        changed.overhead = Duration::from_millis(7);
        worker.prepare(&mut changed, &output);
        assert_eq!((&changed.engine, changed.overhead), (&settings.engine, Duration::from_millis(7)));
        assert_eq!(worker.engine().as_ref().map(|engine| engine.options().clone()), Some(settings.engine));
        let output = String::from_utf8_lossy(&lock(&output.0)).into_owned();
        assert!(output.lines().count() == 2 && output.contains("table.slots: 9 is out of range"), "{output}");
    }

    /// A table that is never cleared is cleared where that is asked for, and not by a new game: the second search of a position asks it, and is shorter.
    #[test]
    fn what_is_never_cleared_is_cleared_when_it_is_said() {
        use std::cmp::Ordering::{Equal, Less};
        let sets = ["table.size=4096", "table.clear=never", "history_clear=never"].map(str::to_owned);
        let settings = UciSettings::new(None, &sets).unwrap_or_else(|problem| panic!("{problem}"));
        let second = |between: fn(&mut Worker<'_>)| {
            let output = Voice(Mutex::new(Vec::new()));
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
                    worker.last();
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
        let found = [second(|_| {}), second(|worker| worker.new_game()), second(|worker| worker.clear())];
        assert_eq!(found, [Less, Less, Equal]);
    }

    #[test]
    fn a_search_by_nodes_has_no_other_end() {
        for (depth, nodes, asked) in [
            (None, None, Some(128)),
            (None, Some(1000), None),
            (Some(200), None, Some(200)),
            (Some(5), Some(1000), Some(5)),
        ] {
            for infinite in [false, true] {
                let found = limit(&Go { depth, nodes, infinite, ..Go::default() });
                assert_eq!((found.depth, found.nodes), (asked, nodes), "{depth:?} {nodes:?}");
            }
        }
    }
}
