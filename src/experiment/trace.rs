//! A recorded trace in place of a suite. The games of the trace are the items. They are replayed on
//! tables instead of being searched.

use super::problem::Problem;
use super::text::FileText;
use crate::chess::Board;
use crate::chess::suite::Suite;
use crate::system::files;
use crate::traces::replay::{DepthScale, Step, TracedGame, find_games, read_steps};
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
}

/// The maximum number of bytes of the cache of steps. At most half of the free memory is used.
const CACHE_BYTES: u64 = 512 << 20;

/// A trace that was opened: where its games are in the file, and a cache of their steps.
#[derive(Debug)]
pub struct Trace {
    /// The file's name, as the experiment gives it.
    pub name: String,
    /// Hash of the file's bytes.
    pub digest: u64,
    path: PathBuf,
    /// Length and modification time of the file when it was hashed.
    stamp: (u64, Option<SystemTime>),
    /// The maximum number of bytes of the cache.
    memory: u64,
    /// The scale of the depths of all games.
    pub depths: DepthScale,
    games: Vec<TracedGame>,
    /// The index of each game, by its name.
    game_indices: HashMap<String, usize>,
    /// The steps of recently replayed games, each with the index of the game. The game that was
    /// added last is at the end.
    cache: Mutex<VecDeque<(usize, Arc<Vec<Step>>)>>,
}

/// A reader that adds all bytes that it reads to a hash.
struct HashingReader<'a, R> {
    reader: R,
    hasher: &'a mut siphasher::sip::SipHasher13,
}

impl<R: Read> Read for HashingReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let filled = self.reader.read(buffer)?;
        self.hasher.write(&buffer[..filled]);
        Ok(filled)
    }
}

/// The length and modification time of a file, to detect that it has changed.
fn stamp(file: &File) -> std::io::Result<(u64, Option<SystemTime>)> {
    let metadata = file.metadata()?;
    Ok((metadata.len(), metadata.modified().ok()))
}

impl Trace {
    /// Reads a trace file once, to find the place and the summary of each game.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, or records neither search windows nor cutoffs. The
    /// worth of a result can be computed only from search windows or cutoffs.
    pub fn load(choice: &TraceChoice, source: &FileText<'_>) -> Result<Self, Problem> {
        let name = choice.file.display().to_string();
        let sibling_path = source.path.parent().unwrap_or(Path::new("")).join(&choice.file);
        let path = if sibling_path.is_file() { sibling_path } else { choice.file.clone() };
        let to_problem = |error: TraceError| source.invalid("trace.file", format!("{name}: {error}"));
        let file = files::open(&path).map_err(|error| to_problem(error.into()))?;
        let stamp = stamp(&file).map_err(|error| to_problem(error.into()))?;
        let mut hasher = siphasher::sip::SipHasher13::new_with_keys(0, 0);
        let games = find_games(HashingReader { reader: file, hasher: &mut hasher }).map_err(to_problem)?;
        if !games.iter().any(|game| game.info.has_worth()) {
            let message =
                "the trace records no search windows and no cutoffs: the worth of its results cannot be computed";
            return Err(source.invalid("trace.file", message));
        }
        games.iter().try_for_each(|game| game.info.require_one_thread()).map_err(to_problem)?;
        let lowest_depth = games.iter().map(|game| game.info.min_depth).min().unwrap_or(0);
        let depths = DepthScale::new(games.first().map_or(1, |game| game.info.depth_parts), lowest_depth);
        let game_indices = (0..games.len()).map(|game| (game_name(game), game)).collect();
        let memory = crate::system::available_bytes().map_or(CACHE_BYTES, |free| CACHE_BYTES.min(free / 2));
        let digest = hasher.finish();
        Ok(Self { name, digest, path, stamp, memory, depths, games, game_indices, cache: Mutex::default() })
    }

    /// An item has the name of its game. The positions of the items have no meaning. All of them
    /// are the start position.
    pub fn suite(&self) -> Suite {
        let item_of_game = |game| Suite::of_board(&game_name(game), Board::startpos()).items;
        Suite { items: (0..self.games.len()).flat_map(item_of_game).collect(), notes: Vec::new() }
    }

    /// The summary of the game with the name of an item; `None` for an unknown name.
    pub fn game_info(&self, item: &str) -> Option<&Info> {
        self.game_indices.get(item).map(|&game| &self.games[game].info)
    }

    /// Replays the game of an item. `sink` receives the steps. If the steps of the game fit into
    /// the cache, they are taken from the cache. Otherwise the trace file is read again.
    pub fn replay(&self, item: &str, mut sink: impl FnMut(&[Step])) -> Result<(), TraceError> {
        let Some(&game) = self.game_indices.get(item) else { return Ok(()) };
        match self.load_steps(game)? {
            Some(steps) => sink(&steps),
            None => read_steps(self.open_game(game)?, &self.games[game].info, self.depths, sink)?,
        }
        Ok(())
    }

    /// Opens the trace file at the events of a game. The file must not have changed since it was
    /// loaded.
    fn open_game(&self, game: usize) -> Result<Reader<File>, TraceError> {
        let file = files::open(&self.path)?;
        if stamp(&file)? != self.stamp {
            return Err(TraceError::Changed);
        }
        Reader::range(file, self.games[game].events())
    }

    /// Steps that are not in the cache are decoded and added, so that they are decoded only once
    /// for several tables.
    fn load_steps(&self, game: usize) -> Result<Option<Arc<Vec<Step>>>, TraceError> {
        let step_bytes = |steps: usize| (steps * size_of::<Step>()) as u64;
        let events = self.games[game].info.events as usize;
        if step_bytes(events) > self.memory {
            return Ok(None);
        }
        // The cache stays locked while the steps are decoded, so that other workers do not decode
        // the same steps.
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, steps)) = cache.iter().find(|(cached_game, _)| *cached_game == game) {
            return Ok(Some(Arc::clone(steps)));
        }
        while cache.iter().map(|(_, steps)| step_bytes(steps.len())).sum::<u64>() + step_bytes(events) > self.memory {
            cache.pop_front();
        }
        let mut steps = Vec::with_capacity(events);
        let info = &self.games[game].info;
        read_steps(self.open_game(game)?, info, self.depths, |chunk| steps.extend_from_slice(chunk))?;
        let steps = Arc::new(steps);
        cache.push_back((game, Arc::clone(&steps)));
        Ok(Some(steps))
    }
}

/// The name of a game. The first game, which has index 0, is `game 1`.
fn game_name(index: usize) -> String {
    format!("game {}", index + 1)
}

#[cfg(test)]
mod tests {
    use crate::experiment::Experiment;
    use crate::traces::{Event, Writer, flags};

    /// A trace of two games: its games are the items, and a sequence is refused.
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
        let items_or_message = |trace: &str, more: &str| {
            let text = format!("{more}[trace]\n{trace}\n");
            match Experiment::parse(&text, &folder.path().join("x.toml"), &[]) {
                Ok(experiment) => {
                    experiment.suite.items.iter().map(|item| item.id.clone()).collect::<Vec<_>>().join(", ")
                }
                Err(problem) => problem.message,
            }
        };
        let file = "file = 'window.trace'";
        assert_eq!(items_or_message(file, ""), "game 1, game 2");
        assert_eq!(items_or_message(file, "sequence = { self_play = 2 }\n"), "sequence: a trace has its own games");
        // Variants are ttlab's own tables; an external engine is refused.
        let other = "\n[[variant]]\nname = 'v'\n'table.slots' = 2\n[[variant]]\nname = 'w'\nsubject = 'x'";
        assert_eq!(
            items_or_message(&format!("{file}{other}"), ""),
            "trace: a trace is replayed on ttlab's own tables, not on external engines (variant \"w\")"
        );
        let table_options = "\n[[variant]]\nname = 'v'\npreset = 'otter'\n[[variant]]\nname = 'w'\ntable = 'unbounded'";
        assert_eq!(items_or_message(&format!("{file}{table_options}"), ""), "game 1, game 2");
        assert_eq!(
            items_or_message(&format!("{file}\n[[variant]]\nname = 'v'\ndraws = true"), ""),
            "draws: a trace is replayed and nothing is searched: only table options may vary"
        );
        // One game with windows is enough.
        assert_eq!(items_or_message("file = 'half.trace'", ""), "game 1, game 2");
        assert!(
            items_or_message("file = 'plain.trace'", "").ends_with(": the worth of its results cannot be computed")
        );
        assert!(items_or_message("file = 'none.trace'", "").starts_with("trace.file: none.trace: "));
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
        let result = Experiment::parse("[trace]\nfile = 'x.trace'\n", &folder.path().join("x.toml"), &[]);
        let trace = result.unwrap_or_else(|problem| panic!("{problem}")).work.trace().cloned().unwrap();
        let mut trace = std::sync::Arc::into_inner(trace).unwrap();
        let game_bytes = 10 * size_of::<super::Step>() as u64;
        for (memory, cache) in [
            (game_bytes - 1, &[][..]),
            (game_bytes, &[1]),
            (2 * game_bytes - 1, &[1]),
            (2 * game_bytes, &[2, 1]),
            (3 * game_bytes, &[0, 2, 1]),
        ] {
            trace.memory = memory;
            trace.cache = Default::default();
            for game in [0, 2, 1] {
                let steps = trace.load_steps(game).unwrap();
                assert_eq!(steps.map(|steps| steps.len()), (memory >= game_bytes).then_some(10));
            }
            let cached_games: Vec<usize> = trace.cache.lock().unwrap().iter().map(|(game, _)| *game).collect();
            assert_eq!(cached_games, cache, "{memory} of {game_bytes}");
        }
    }

    /// Each game replays its own steps, whatever was replayed before, from the cache or from the
    /// file. Depths are relative to the lowest of all games.
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
        assert!(seeds.is_err_and(|problem| problem.to_string().contains("seeds: a trace has its own keys")));
        let experiment = Experiment::parse("[trace]\nfile = 'three.trace'\n", &folder.path().join("x.toml"), &[]);
        let experiment = experiment.unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(experiment.count_repeated_searches(), None, "nothing is searched");
        let crate::experiment::Work::Replay(trace) = experiment.work else { panic!("a trace") };
        let mut trace = std::sync::Arc::into_inner(trace).unwrap();
        assert_eq!(trace.depths.lowest, -3);
        let default_memory = trace.memory;
        for (game, memory) in
            [(2, default_memory), (1, default_memory), (3, 0), (3, default_memory), (1, 0), (2, default_memory)]
        {
            trace.memory = memory;
            let mut keys = Vec::new();
            let item = format!("game {game}");
            trace.replay(&item, |steps| keys.extend(steps.iter().map(|step| step.key))).unwrap();
            let key = [1, 20, 300][game - 1];
            keys.retain(|&key| key > 0);
            assert_eq!(keys, [key, key + 1], "game {game}");
        }
        // After a change of the file, cached games are still replayed, but no other game is read.
        trace.cache = Default::default();
        let replay = |game: &str| {
            let result = trace.replay(game, |_| ());
            result.map_err(|error| error.to_string())
        };
        assert_eq!(replay("game 2"), Ok(()));
        std::fs::OpenOptions::new().append(true).open(folder.path().join("three.trace")).unwrap().set_len(9).unwrap();
        let changed = Err("the trace changed while it was being read".to_owned());
        assert_eq!([replay("game 2"), replay("game 1")], [Ok(()), changed]);
    }
}
