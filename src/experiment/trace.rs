//! A recorded trace in place of a suite: its games are the items, which tables are shown instead of being searched with.

use super::problem::Problem;
use super::text::FileText;
use crate::chess::Board;
use crate::chess::suite::Suite;
use crate::system::files;
use crate::table::options::Index;
use crate::table::replay::{Halted, Maker, Passes, ReplaySink, Step, TracedGame, games};
use crate::table::trace::{Info, Reader, TraceError};
use serde::Deserialize;
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::hash::Hasher;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Which trace.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TraceChoice {
    /// What `ttlab trace` wrote, or include/ttlab-trace.h in any engine (looked for beside the experiment file, then in the
    /// working folder).
    pub file: PathBuf,
    /// MiB for the events of games that are kept for the next table, and for what is known of the positions of a game that is too long for
    /// that and is shown in turns (of this each worker has so much); at most half of what is free. Changes time, never counts.
    #[serde(default = "default_memory")]
    #[cfg_attr(test, schemars(range(min = 1, max = 1_048_576)))]
    pub memory: u64,
}

fn default_memory() -> u64 {
    512
}

/// A trace and its games.
#[derive(Debug)]
pub struct Trace {
    /// The name, as the file has it.
    pub name: String,
    /// A hash of its bytes.
    pub digest: u64,
    path: PathBuf,
    /// Length and time of the file that was hashed.
    stamp: (u64, Option<SystemTime>),
    /// Bytes for what is kept and known.
    memory: u64,
    /// The least depth.
    lowest: i8,
    games: Vec<TracedGame>,
    /// The games' places by their names.
    places: HashMap<String, usize>,
    /// The steps of the games that were shown last, the newest behind.
    cache: Mutex<VecDeque<(usize, Arc<Vec<Step>>)>>,
}

/// Reads and hashes.
struct HashingReader<'a, R>(R, &'a mut siphasher::sip::SipHasher13);

impl<R: Read> Read for HashingReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let filled = self.0.read(buffer)?;
        self.1.write(&buffer[..filled]);
        Ok(filled)
    }
}

/// What tells whether a file is still the same.
fn stamp(file: &File) -> std::io::Result<(u64, Option<SystemTime>)> {
    let known = file.metadata()?;
    Ok((known.len(), known.modified().ok()))
}

impl Trace {
    /// Reads a trace: where its games are, and what they hold.
    ///
    /// # Errors
    /// When it cannot be read, and where it is damaged.
    pub fn load(choice: &TraceChoice, source: &FileText<'_>) -> Result<Self, Problem> {
        let name = choice.file.display().to_string();
        let inside = (1..=1 << 20).contains(&choice.memory);
        source.check_range("trace.memory", choice.memory, inside, "1 to 1048576 MiB")?;
        let beside = source.path.parent().unwrap_or(Path::new("")).join(&choice.file);
        let path = if beside.is_file() { beside } else { choice.file.clone() };
        let wrong = |error: TraceError| source.invalid("trace.file", format!("{name}: {error}"));
        let file = files::open(&path).map_err(|error| wrong(error.into()))?;
        let stamp = stamp(&file).map_err(|error| wrong(error.into()))?;
        let mut hash = siphasher::sip::SipHasher13::new_with_keys(0, 0);
        let games = games(HashingReader(file, &mut hash)).map_err(wrong)?;
        if !games.iter().any(|game| game.info.tells_worth()) {
            let output = "no probe tells its window or ended its node, so that nothing can be said of worth";
            return Err(source.invalid("trace.file", output));
        }
        let lowest = games.iter().map(|game| game.info.lowest).min().unwrap_or(0);
        let places = (0..games.len()).map(|place| (game_name(place), place)).collect();
        let (digest, memory) = (hash.finish(), crate::system::at_most_half(choice.memory << 20));
        Ok(Self { name, digest, path, stamp, memory, lowest, games, places, cache: Mutex::default() })
    }

    /// The games as items of a suite: their names. They have no position.
    pub fn suite(&self) -> Suite {
        let item = |place| Suite::of_board(&game_name(place), Board::startpos()).items;
        Suite {
            items: (0..self.games.len()).flat_map(item).collect(),
            ..Suite::of_board(&self.name, Board::startpos())
        }
    }

    /// What the game of an item holds.
    pub fn game_info(&self, item: &str) -> Option<&Info> {
        self.places.get(item).map(|&place| &self.games[place].info)
    }

    /// Shows an item's game, to a table of so many buckets: at once where its steps fit into the memory that is kept for them, else in turns.
    ///
    /// # Errors
    /// When the file is no longer what it was.
    pub fn replay(&self, item: &str, index: Index, buckets: u64, audience: &mut impl ReplaySink) -> Result<(), Halted> {
        let Some(&place) = self.places.get(item) else { return Ok(()) };
        let turns = Passes::new(&self.games[place].info, index, buckets, self.memory, 1);
        let turns = Passes { lowest: self.lowest, ..turns };
        match self.load_steps(place, turns.count)? {
            Some(steps) => {
                audience.begin(0..buckets)?;
                audience.show(0, &steps);
                audience.end();
                Ok(())
            }
            None => turns.show(|| self.open_game(place), 1, |_| Some(0), audience),
        }
    }

    /// The events of a game.
    fn open_game(&self, place: usize) -> Result<Reader<File>, TraceError> {
        let file = files::open(&self.path)?;
        if stamp(&file)? != self.stamp {
            return Err(TraceError::Changed);
        }
        Reader::part(file, self.games[place].events())
    }

    /// The steps of a game, made once for all tables that are shown it one after another; none where they are too many.
    fn load_steps(&self, place: usize, turns: u64) -> Result<Option<Arc<Vec<Step>>>, TraceError> {
        let bytes = |events: usize| (events * size_of::<Step>()) as u64;
        let events = self.games[place].info.events as usize;
        if turns > 1 || bytes(events) > self.memory {
            return Ok(None);
        }
        // Held while they are made: others wait for these.
        let mut kept = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, steps)) = kept.iter().find(|(of, _)| *of == place) {
            return Ok(Some(Arc::clone(steps)));
        }
        while kept.iter().map(|(_, steps)| bytes(steps.len())).sum::<u64>() + bytes(events) > self.memory {
            kept.pop_front();
        }
        let mut steps = Vec::with_capacity(events);
        let mut maker = Maker::new(self.lowest);
        let mut reader = self.open_game(place)?;
        while let Some(block) = reader.next_block()? {
            for event in block {
                steps.push(maker.make(event)?);
            }
        }
        let steps = Arc::new(steps);
        kept.push_back((place, Arc::clone(&steps)));
        Ok(Some(steps))
    }
}

/// The name of a game.
fn game_name(place: usize) -> String {
    format!("game {}", place + 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::experiment::Experiment;
    use crate::table::trace::{Event, Writer, flags};

    /// A trace of two games and what a file says of it: its games are the items, its memory has a range, and it goes with no sequence.
    #[test]
    fn a_trace_has_its_own_games() {
        let folder = tempfile::tempdir().unwrap();
        let written = |name: &str, windows: [u8; 2]| {
            let mut writer = Writer::new(std::fs::File::create(folder.path().join(name)).unwrap());
            for (key, window) in (1..).zip(windows) {
                writer.push(Event::search(0, flags::GAME, 0));
                writer.push(Event::probe(key, 2, 0, window, 1));
                writer.push(Event::store(key, 2, 0, 0b1100, 3));
            }
            writer.finish().unwrap();
        };
        written("told.trace", [flags::WINDOW; 2]);
        written("half.trace", [0, flags::WINDOW]);
        written("untold.trace", [0, 0]);
        let of = |trace: &str, more: &str| {
            let text = format!("{more}[trace]\n{trace}\n");
            match Experiment::parse(&text, &folder.path().join("x.toml"), &[]) {
                Ok(read) => read.suite.items.iter().map(|item| item.id.clone()).collect::<Vec<_>>().join(", "),
                Err(problem) => problem.message,
            }
        };
        let file = "file = 'told.trace'";
        assert_eq!(of(file, ""), "game 1, game 2");
        assert_eq!(of(file, "sequence = { self_play = 2 }\n"), "sequence: a trace has its own games");
        for (memory, fits) in [(1, true), (1 << 20, true), (0, false), ((1 << 20) + 1, false)] {
            let output = of(&format!("{file}\nmemory = {memory}"), "");
            let refused = format!("trace.memory: {memory} is out of range: expected 1 to 1048576 MiB");
            assert_eq!(output, if fits { "game 1, game 2".to_owned() } else { refused });
        }
        // Points are tables of our own, and where a file speaks of another engine it is told.
        let other = "\n[[variant]]\nname = 'v'\n'table.slots' = 2\n[[variant]]\nname = 'w'\nsubject = 'x'";
        assert_eq!(
            of(&format!("{file}{other}"), ""),
            "trace: tables of our own are shown it, not other engines (variant \"w\")"
        );
        let heeded = "\n[[variant]]\nname = 'v'\npreset = 'otter'\n[[variant]]\nname = 'w'\ntable = 'unbounded'";
        assert_eq!(of(&format!("{file}{heeded}"), ""), "game 1, game 2");
        assert_eq!(
            of(&format!("{file}\n[[variant]]\nname = 'v'\ndraws = true"), ""),
            "draws: a trace is shown to tables and nothing is searched: only options of the table may vary"
        );
        // One game that tells is something to be said.
        assert_eq!(of("file = 'half.trace'", ""), "game 1, game 2");
        assert!(of("file = 'untold.trace'", "").ends_with("so that nothing can be said of worth"));
        assert!(of("file = 'none.trace'", "").starts_with("trace.file: none.trace: "));
    }

    /// As many games are kept as their memory holds: the oldest go first, and what is larger than all of it is never kept.
    #[test]
    fn games_are_kept_while_they_fit() {
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
        let trace = read.unwrap_or_else(|problem| panic!("{problem}")).trace.unwrap();
        let mut trace = std::sync::Arc::into_inner(trace).unwrap();
        let game = 10 * size_of::<super::Step>() as u64;
        for (memory, kept) in
            [(game - 1, &[][..]), (game, &[1]), (2 * game - 1, &[1]), (2 * game, &[2, 1]), (3 * game, &[0, 2, 1])]
        {
            trace.memory = memory;
            trace.cache = Default::default();
            for place in [0, 2, 1] {
                let steps = trace.load_steps(place, 1).unwrap();
                assert_eq!(steps.map(|steps| steps.len()), (memory >= game).then_some(10));
            }
            let places: Vec<usize> = trace.cache.lock().unwrap().iter().map(|(place, _)| *place).collect();
            assert_eq!(places, kept, "{memory} of {game}");
        }
        assert!(trace.load_steps(0, 2).unwrap().is_none(), "what takes turns is not kept");
    }

    /// What a table is shown, step by step, and how often.
    #[derive(Default)]
    struct RecordingSink {
        keys: Vec<u64>,
        buckets: Vec<u64>,
        turns: u64,
    }

    impl crate::table::replay::ReplaySink for RecordingSink {
        fn begin(&mut self, buckets: std::ops::Range<u64>) -> Result<(), crate::table::TableError> {
            self.buckets.extend(buckets);
            Ok(())
        }

        fn show(&mut self, class: usize, steps: &[crate::table::replay::Step]) {
            assert_eq!(class, 0, "a table is of one class");
            self.keys.extend(steps.iter().map(|step| step.key));
        }

        fn end(&mut self) {
            self.turns += 1;
        }
    }

    /// Each game is shown its own steps, in any order, again and again, at once or in turns that have each bucket once; the depths of all count
    /// where one is the lowest.
    #[test]
    fn each_game_is_shown_as_it_is() {
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
        let mut trace = std::sync::Arc::into_inner(read.trace.unwrap()).unwrap();
        assert_eq!(trace.lowest, -3);
        let usual = trace.memory;
        for (game, memory) in [(2, usual), (1, usual), (3, 0), (3, usual), (1, 0), (2, usual)] {
            trace.memory = memory;
            let mut seen = RecordingSink::default();
            trace.replay(&format!("game {game}"), crate::table::options::Index::default(), 8, &mut seen).unwrap();
            let key = [1, 20, 300][game - 1];
            seen.keys.retain(|&key| key > 0);
            seen.keys.sort_unstable();
            assert_eq!((seen.keys, seen.turns > 1), (vec![key, key + 1], memory == 0), "game {game}");
            assert_eq!(seen.buckets, (0..8).collect::<Vec<_>>(), "game {game}");
        }
        // What was read stays what it is; of a file that was changed nothing more is read.
        trace.cache = Default::default();
        let show = |game: &str| {
            let shown = trace.replay(game, crate::table::options::Index::default(), 8, &mut RecordingSink::default());
            shown.map_err(|halted| halted.to_string())
        };
        assert_eq!(show("game 2"), Ok(()));
        std::fs::OpenOptions::new().append(true).open(folder.path().join("three.trace")).unwrap().set_len(9).unwrap();
        let changed = Err("the trace was changed while it was used".to_owned());
        assert_eq!([show("game 2"), show("game 1")], [Ok(()), changed]);
    }
}
