//! A recorded trace in place of a suite: its games are the items, which are replayed on tables
//! instead of being searched.

use super::problem::Problem;
use super::text::FileText;
use crate::chess::Board;
use crate::chess::suite::Suite;
use crate::system::files;
use crate::table::options::Index;
use crate::traces::replay::{DepthScale, Passes, ReplayError, ReplaySink, Step, StepMaker, TracedGame, find_games};
use crate::traces::{Info, Reader, TraceError};
use serde::Deserialize;
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::hash::Hasher;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// `[trace]`: the trace to replay.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TraceChoice {
    /// A trace written by `ttlab trace`, or by any engine with include/ttlab-trace.h (looked for
    /// beside the experiment file, then in the working folder).
    pub file: PathBuf,
    /// MiB for cached events of games that are replayed again on the next table, and for the
    /// positions of a game that is too long for that and is replayed in several passes (each worker
    /// has this much); at most half of the free memory. Changes time, never counts.
    #[serde(default = "default_memory")]
    #[cfg_attr(test, schemars(range(min = 1, max = 1_048_576)))]
    pub memory: u64,
}

fn default_memory() -> u64 {
    512
}

/// An open trace: where its games are, and a cache of their steps.
#[derive(Debug)]
pub struct Trace {
    /// The file's name, as the experiment gives it.
    pub name: String,
    /// Hash of the file's bytes.
    pub digest: u64,
    path: PathBuf,
    /// Length and modification time of the hashed file.
    stamp: (u64, Option<SystemTime>),
    /// Maximum bytes of the cache, and of one pass.
    memory: u64,
    /// The depths of all games.
    pub depths: DepthScale,
    games: Vec<TracedGame>,
    /// Index of each game by name.
    places: HashMap<String, usize>,
    /// The steps of recently replayed games, the newest last.
    cache: Mutex<VecDeque<(usize, Arc<Vec<Step>>)>>,
}

/// A reader that hashes what it reads.
struct HashingReader<'a, R>(R, &'a mut siphasher::sip::SipHasher13);

impl<R: Read> Read for HashingReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let filled = self.0.read(buffer)?;
        self.1.write(&buffer[..filled]);
        Ok(filled)
    }
}

/// Length and modification time, to detect a changed file.
fn stamp(file: &File) -> std::io::Result<(u64, Option<SystemTime>)> {
    let known = file.metadata()?;
    Ok((known.len(), known.modified().ok()))
}

impl Trace {
    /// Reads a trace: the place and summary of each game.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, or lacks what a result's worth is computed from:
    /// search windows, or which probes caused a cutoff.
    pub fn load(choice: &TraceChoice, source: &FileText<'_>) -> Result<Self, Problem> {
        let name = choice.file.display().to_string();
        let in_range = (1..=1 << 20).contains(&choice.memory);
        source.check_range("trace.memory", choice.memory, in_range, "1 to 1048576 MiB")?;
        let beside = source.path.parent().unwrap_or(Path::new("")).join(&choice.file);
        let path = if beside.is_file() { beside } else { choice.file.clone() };
        let wrong = |error: TraceError| source.invalid("trace.file", format!("{name}: {error}"));
        let file = files::open(&path).map_err(|error| wrong(error.into()))?;
        let stamp = stamp(&file).map_err(|error| wrong(error.into()))?;
        let mut hash = siphasher::sip::SipHasher13::new_with_keys(0, 0);
        let games = find_games(HashingReader(file, &mut hash)).map_err(wrong)?;
        if !games.iter().any(|game| game.info.has_worth()) {
            let message =
                "the trace records no search windows and no cutoffs: the worth of its results cannot be computed";
            return Err(source.invalid("trace.file", message));
        }
        games.iter().try_for_each(|game| game.info.require_one_thread()).map_err(wrong)?;
        let least = games.iter().map(|game| game.info.min_depth).min().unwrap_or(0);
        let depths = DepthScale::new(games.first().map_or(1, |game| game.info.depth_parts), least);
        let places = (0..games.len()).map(|place| (game_name(place), place)).collect();
        let (digest, memory) = (hash.finish(), crate::system::cap_at_half_free(choice.memory << 20));
        Ok(Self { name, digest, path, stamp, memory, depths, games, places, cache: Mutex::default() })
    }

    /// The games as items of a suite: names without positions.
    pub fn suite(&self) -> Suite {
        let item = |place| Suite::of_board(&game_name(place), Board::startpos()).items;
        Suite {
            items: (0..self.games.len()).flat_map(item).collect(),
            ..Suite::of_board(&self.name, Board::startpos())
        }
    }

    /// Summary of the game of an item; none for an unknown name.
    pub fn game_info(&self, item: &str) -> Option<&Info> {
        self.places.get(item).map(|&place| &self.games[place].info)
    }

    /// Replays an item's game on a table of so many buckets: in one pass if its steps fit into the
    /// cache, else in several.
    ///
    /// # Errors
    /// When the file has changed since it was loaded, or `sink` fails.
    pub fn replay(
        &self,
        item: &str,
        index: Index,
        buckets: u64,
        sink: &mut impl ReplaySink,
    ) -> Result<(), ReplayError> {
        let Some(&place) = self.places.get(item) else { return Ok(()) };
        let passes = Passes::new(&self.games[place].info, index, buckets, self.memory);
        let passes = Passes { depths: self.depths, ..passes };
        match self.load_steps(place, passes.count)? {
            Some(steps) => {
                sink.begin_pass(0..buckets)?;
                sink.push(&steps);
                sink.end_pass();
                Ok(())
            }
            None => passes.run(|| self.open_game(place), sink),
        }
    }

    /// Opens a game's events.
    fn open_game(&self, place: usize) -> Result<Reader<File>, TraceError> {
        let file = files::open(&self.path)?;
        if stamp(&file)? != self.stamp {
            return Err(TraceError::Changed);
        }
        Reader::range(file, self.games[place].events())
    }

    /// The steps of a game, decoded once for successive tables; none if they need more than one
    /// pass or more than the cache.
    fn load_steps(&self, place: usize, passes: u64) -> Result<Option<Arc<Vec<Step>>>, TraceError> {
        let bytes = |events: usize| (events * size_of::<Step>()) as u64;
        let events = self.games[place].info.events as usize;
        if passes > 1 || bytes(events) > self.memory {
            return Ok(None);
        }
        // Locked while the steps are decoded, so that other workers wait instead of decoding them
        // too.
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, steps)) = cache.iter().find(|(read_message, _)| *read_message == place) {
            return Ok(Some(Arc::clone(steps)));
        }
        while cache.iter().map(|(_, steps)| bytes(steps.len())).sum::<u64>() + bytes(events) > self.memory {
            cache.pop_front();
        }
        let mut steps = Vec::with_capacity(events);
        let mut maker = StepMaker::new(self.depths);
        let mut reader = self.open_game(place)?;
        while let Some(block) = reader.next_block()? {
            for event in block {
                steps.push(maker.make_step(event)?);
            }
        }
        let steps = Arc::new(steps);
        cache.push_back((place, Arc::clone(&steps)));
        Ok(Some(steps))
    }
}

/// The name of a game: `game 1` is the first.
fn game_name(place: usize) -> String {
    format!("game {}", place + 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::experiment::Experiment;
    use crate::traces::{Event, Writer, flags};

    /// A trace of two games: its games are the items, its memory has a range, and a sequence is
    /// refused.
    #[test]
    fn trace_games_are_the_items() {
        let folder = tempfile::tempdir().unwrap();
        let write_trace = |name: &str, windows: [u8; 2]| {
            let mut writer = Writer::new(std::fs::File::create(folder.path().join(name)).unwrap());
            for (key, window) in (1..).zip(windows) {
                writer.push(Event::search(0, flags::GAME, 0));
                writer.push(Event::probe(key, 2, 0, window, 1));
                writer.push(Event::store(key, 2, 0, 0b1100, 3));
            }
            writer.finish().unwrap();
        };
        write_trace("window.trace", [flags::WINDOW; 2]);
        write_trace("half.trace", [0, flags::WINDOW]);
        write_trace("plain.trace", [0, 0]);
        let read_message = |trace: &str, more: &str| {
            let text = format!("{more}[trace]\n{trace}\n");
            match Experiment::parse(&text, &folder.path().join("x.toml"), &[]) {
                Ok(read) => read.suite.items.iter().map(|item| item.id.clone()).collect::<Vec<_>>().join(", "),
                Err(problem) => problem.message,
            }
        };
        let file = "file = 'window.trace'";
        assert_eq!(read_message(file, ""), "game 1, game 2");
        assert_eq!(read_message(file, "sequence = { self_play = 2 }\n"), "sequence: a trace has its own games");
        for (memory, fits) in [(1, true), (1 << 20, true), (0, false), ((1 << 20) + 1, false)] {
            let message = read_message(&format!("{file}\nmemory = {memory}"), "");
            let refused = format!("trace.memory: {memory} is out of range: expected 1 to 1048576 MiB");
            assert_eq!(message, if fits { "game 1, game 2".to_owned() } else { refused });
        }
        // Variants are ttlab's own tables; an external engine is refused.
        let other = "\n[[variant]]\nname = 'v'\n'table.slots' = 2\n[[variant]]\nname = 'w'\nsubject = 'x'";
        assert_eq!(
            read_message(&format!("{file}{other}"), ""),
            "trace: a trace is replayed on ttlab's own tables, not on external engines (variant \"w\")"
        );
        let table_options = "\n[[variant]]\nname = 'v'\npreset = 'otter'\n[[variant]]\nname = 'w'\ntable = 'unbounded'";
        assert_eq!(read_message(&format!("{file}{table_options}"), ""), "game 1, game 2");
        assert_eq!(
            read_message(&format!("{file}\n[[variant]]\nname = 'v'\ndraws = true"), ""),
            "draws: a trace is replayed and nothing is searched: only table options may vary"
        );
        // One game with windows is enough.
        assert_eq!(read_message("file = 'half.trace'", ""), "game 1, game 2");
        assert!(read_message("file = 'plain.trace'", "").ends_with(": the worth of its results cannot be computed"));
        assert!(read_message("file = 'none.trace'", "").starts_with("trace.file: none.trace: "));
    }

    /// The cache holds as many games as fit: the oldest are dropped first, and a game larger than
    /// the cache is never cached.
    #[test]
    fn cache_keeps_games_while_they_fit() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::new(std::fs::File::create(folder.path().join("x.trace")).unwrap());
        for _ in 0..3 {
            writer.push(Event::search(0, flags::GAME, 0));
            for key in 1..10 {
                writer.push(Event::probe(key, 2, 0, flags::WINDOW, 1));
            }
        }
        writer.finish().unwrap();
        let read = Experiment::parse("[trace]\nfile = 'x.trace'\n", &folder.path().join("x.toml"), &[]);
        let trace = read.unwrap_or_else(|problem| panic!("{problem}")).work.trace().cloned().unwrap();
        let mut trace = std::sync::Arc::into_inner(trace).unwrap();
        let game = 10 * size_of::<super::Step>() as u64;
        for (memory, cache) in
            [(game - 1, &[][..]), (game, &[1]), (2 * game - 1, &[1]), (2 * game, &[2, 1]), (3 * game, &[0, 2, 1])]
        {
            trace.memory = memory;
            trace.cache = Default::default();
            for place in [0, 2, 1] {
                let steps = trace.load_steps(place, 1).unwrap();
                assert_eq!(steps.map(|steps| steps.len()), (memory >= game).then_some(10));
            }
            let places: Vec<usize> = trace.cache.lock().unwrap().iter().map(|(place, _)| *place).collect();
            assert_eq!(places, cache, "{memory} of {game}");
        }
        assert!(trace.load_steps(0, 2).unwrap().is_none(), "what takes turns is not kept");
    }

    /// Records the steps that are replayed, and the passes.
    #[derive(Default)]
    struct RecordingSink {
        keys: Vec<u64>,
        buckets: Vec<u64>,
        passes: u64,
    }

    impl crate::traces::replay::ReplaySink for RecordingSink {
        fn begin_pass(&mut self, buckets: std::ops::Range<u64>) -> Result<(), crate::table::TableError> {
            self.buckets.extend(buckets);
            Ok(())
        }

        fn push(&mut self, steps: &[crate::traces::replay::Step]) {
            self.keys.extend(steps.iter().map(|step| step.key));
        }

        fn end_pass(&mut self) {
            self.passes += 1;
        }
    }

    /// Each game replays its own steps, in any order, repeatedly, in one pass or in several that
    /// have each bucket once; depths are relative to the lowest of all games.
    #[test]
    fn game_is_replayed_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::new(std::fs::File::create(folder.path().join("three.trace")).unwrap());
        for (key, depth) in [(1, 2), (20, -3), (300, 4)] {
            writer.push(Event::search(0, flags::GAME, 0));
            writer.push(Event::probe(key, depth, 0, flags::WINDOW, 1));
            writer.push(Event::store(key + 1, depth, 0, 0b1100, 3));
        }
        writer.finish().unwrap();
        let seeds = Experiment::parse("seeds = 2\n[trace]\nfile = 'three.trace'\n", &folder.path().join("x.toml"), &[]);
        assert!(seeds.is_err_and(|wrong| wrong.to_string().contains("seeds: a trace has its own keys")));
        let read = Experiment::parse("[trace]\nfile = 'three.trace'\n", &folder.path().join("x.toml"), &[]);
        let read = read.unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(read.count_repeated_searches(), None, "nothing is searched");
        let crate::experiment::Work::Replay(trace) = read.work else { panic!("a trace") };
        let mut trace = std::sync::Arc::into_inner(trace).unwrap();
        assert_eq!(trace.depths.lowest, -3);
        let default_memory = trace.memory;
        for (game, memory) in
            [(2, default_memory), (1, default_memory), (3, 0), (3, default_memory), (1, 0), (2, default_memory)]
        {
            trace.memory = memory;
            let mut seen = RecordingSink::default();
            trace.replay(&format!("game {game}"), crate::table::options::Index::default(), 8, &mut seen).unwrap();
            let key = [1, 20, 300][game - 1];
            seen.keys.retain(|&key| key > 0);
            seen.keys.sort_unstable();
            assert_eq!((seen.keys, seen.passes > 1), (vec![key, key + 1], memory == 0), "game {game}");
            assert_eq!(seen.buckets, (0..8).collect::<Vec<_>>(), "game {game}");
        }
        // Cached games survive a change of the file; nothing more is read from it.
        trace.cache = Default::default();
        let show = |game: &str| {
            let shown = trace.replay(game, crate::table::options::Index::default(), 8, &mut RecordingSink::default());
            shown.map_err(|halted| halted.to_string())
        };
        assert_eq!(show("game 2"), Ok(()));
        std::fs::OpenOptions::new().append(true).open(folder.path().join("three.trace")).unwrap().set_len(9).unwrap();
        let changed = Err("the trace changed while it was being read".to_owned());
        assert_eq!([show("game 2"), show("game 1")], [Ok(()), changed]);
    }
}
