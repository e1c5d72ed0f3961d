//! The text of an experiment file. Errors are reported with their place in the text, and the suites
//! that the file names are read.

use super::builtin;
use super::choices::{OnePosition, SuiteChoice};
use super::place::{locate, locate_value};
use super::problem::{Explained, Problem, explain, limit_hint, nearest};
use super::sequence::Sequence;
use crate::chess::fault::{Fault, Faults, OnError};
use crate::chess::suite::{Item, Suite, SuiteOptions};
use crate::chess::{Board, EpRule};
use crate::decode::from_table;
use crate::text::{plural, quote_names};
use siphasher::sip128::SipHasher13;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use toml::Table;

/// The text of an experiment file, with methods that report errors at a place in the file.
pub struct FileText<'a> {
    pub text: &'a str,
    /// The file's path. Suites are looked up in the same folder.
    pub path: &'a Path,
    /// The paths of the suites' files by suite name (see [`ONLY_SUITE`]), if a plan gives them.
    /// Otherwise the suites are looked up beside the experiment file, or in the working folder.
    pub suite_paths: Option<&'a BTreeMap<String, PathBuf>>,
}

pub const ONLY_SUITE: &str = "suite";

pub(super) struct LoadedSuite {
    pub(super) name: String,
    /// The path of the file; `None` for a single position.
    pub(super) path: Option<PathBuf>,
    pub(super) suite: Suite,
}

impl FileText<'_> {
    pub fn problem(&self, message: impl Into<String>) -> Problem {
        let (file, text) = (self.path.display().to_string(), self.text.to_owned());
        Problem { file, text, message: message.into(), ..Problem::default() }
    }

    /// Parses the file.
    ///
    /// # Errors
    /// The first syntax error, unknown key or wrong type, with its place.
    pub fn parse_file<T: serde::de::DeserializeOwned>(&self) -> Result<T, Problem> {
        let table: Table = self.text.parse().map_err(|error: toml::de::Error| {
            let Explained { message, help, .. } = explain(error.message());
            Problem { span: error.span(), help, ..self.problem(message) }
        })?;
        from_table(table).map_err(|error| {
            let Explained { message, help, .. } = explain(&error.message);
            let path = error.path.replace('[', ".").replace(']', "");
            // An unknown or missing key is reported at the key instead of its value.
            if message.contains(" key `") {
                return Problem { help, ..self.problem_at(&path, message) };
            }
            let help = help.or_else(|| limit_hint(&path, &message));
            let message = if path.is_empty() { message } else { format!("{}: {message}", error.path) };
            Problem { help, span: locate_value(self.text, &path), ..self.problem(message) }
        })
    }

    /// Creates an error at a key of the file, such as `name` or `grid.table.size`. If the key does
    /// not exist, the error is at the last part of the path that exists.
    pub fn problem_at(&self, path: &str, message: impl Into<String>) -> Problem {
        self.problem_at_word(path, None, message)
    }

    /// As [`FileText::problem_at`], with the message `path: what`.
    pub fn invalid(&self, path: &str, what: impl Display) -> Problem {
        self.problem_at(path, format!("{path}: {what}"))
    }

    /// `value` is the value of the key, and `expected` is the range in words.
    pub(super) fn check_range(
        &self,
        path: &str,
        value: impl Display,
        in_range: bool,
        expected: &str,
    ) -> Result<(), Problem> {
        if in_range {
            return Ok(());
        }
        Err(self.invalid(path, format!("{value} is out of range: expected {expected}")))
    }

    /// As [`FileText::problem_at`]. If `word` is given and occurs in the value of the key, the
    /// error is at that word.
    pub fn problem_at_word(&self, path: &str, word: Option<&str>, message: impl Into<String>) -> Problem {
        Problem { span: locate(self.text, path, word), ..self.problem(message) }
    }

    /// Reads a suite. `key` is the path of the experiment file's key that names the suite.
    /// `suite_name` is the name of the suite if there are several. If `first` is given, only that
    /// many items are read.
    pub(super) fn load_suite(
        &self,
        choice: &SuiteChoice,
        key: &str,
        suite_name: Option<&str>,
        on_error: OnError,
        first: Option<usize>,
    ) -> Result<LoadedSuite, Problem> {
        let single_position = |name: &str, stem: &str, board| LoadedSuite {
            name: name.to_owned(),
            path: None,
            suite: Suite::of_board(stem, board),
        };
        let file = match choice {
            SuiteChoice::One(OnePosition { fen: Some(fen), startpos: false }) => {
                let board =
                    Board::from_fen(fen).map_err(|error| self.problem_at("suite", format!("suite.fen: {error}")))?;
                return Ok(single_position(fen, "fen", board));
            }
            SuiteChoice::One(OnePosition { fen: None, startpos: true }) => {
                return Ok(single_position("startpos", "startpos", Board::startpos()));
            }
            SuiteChoice::One(_) => {
                return Err(self.invalid("suite", "expected a file, { startpos = true } or { fen = \"...\" }"));
            }
            SuiteChoice::File(file) => file,
        };
        // With `skip`, the number of duplicates is known only after reading all items.
        let first = first.filter(|_| on_error == OnError::Stop);
        let (name, options) = (file.display().to_string(), SuiteOptions { on_error, first, ..SuiteOptions::default() });
        if builtin::find(file).is_some() {
            let suite = builtin::load(file, options).map_err(|error| self.invalid(key, error))?;
            return Ok(LoadedSuite { name, path: Some(file.clone()), suite });
        }
        let planned_path = match self.suite_paths {
            Some(paths) => paths
                .get(suite_name.unwrap_or(ONLY_SUITE))
                .ok_or_else(|| self.invalid(key, "the plan does not have the suite's path"))?,
            None => file,
        };
        let sibling_path = self.path.parent().unwrap_or(Path::new("")).join(planned_path);
        let path = if sibling_path.is_file() { &sibling_path } else { planned_path };
        if sibling_path.is_dir() || path.is_dir() {
            return Err(self.invalid(key, format!("{name} is a folder: give one of its files")));
        }
        if !path.is_file() {
            let folder = path.parent().filter(|dir| dir.is_dir()).unwrap_or(Path::new("data"));
            let siblings = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
            let names: Vec<String> =
                siblings.filter(|path| path.is_file()).map(|path| path.display().to_string()).collect();
            let help = nearest(&name, names.iter().map(String::as_str));
            return Err(Problem { help, ..self.invalid(key, format!("there is no file {name}")) });
        }
        let suite = Suite::load(path, options).map_err(|error| self.invalid(key, error))?;
        Ok(LoadedSuite { name, path: Some(path.clone()), suite })
    }

    /// Refuses or removes items that equal an earlier item of the suite. The id of a row depends on
    /// what was searched, not on the item's name, so equal items would have rows with equal ids. In
    /// addition, an item that counts twice would make a mean look more certain than it is. The
    /// error is shown at `key`, which is the path of a key of the experiment file.
    pub(super) fn check_unique(
        &self,
        key: &str,
        name: &str,
        on_error: OnError,
        suite: &mut Suite,
    ) -> Result<(), Problem> {
        match on_error {
            OnError::Skip => remove_duplicates(name, suite),
            OnError::Stop => {
                let faults: Vec<Fault> = find_duplicates(name, suite).into_values().collect();
                if !faults.is_empty() {
                    return Err(Problem { help: Some(SKIP_HELP.to_owned()), ..self.invalid(key, Faults(faults)) });
                }
            }
        }
        Ok(())
    }

    /// Refuses a sequence whose settings do not apply to the suite, or that would search nothing.
    pub(super) fn check_sequence(&self, sequence: Option<Sequence>, suite: &Suite) -> Result<(), Problem> {
        let Some(sequence) = sequence else { return Ok(()) };
        let Sequence { from, to, self_play, .. } = sequence;
        let has_games = suite.items.iter().any(|item| item.game_moves().is_some());
        let message = if has_games && self_play > 0 {
            "sequence.self_play: the games of the suite already have moves: remove self_play"
        } else if !has_games && self_play == 0 {
            "sequence: the suite has single positions: give self_play, the number of plies to play from each position"
        } else if !has_games && (from > 0 || to.is_some()) {
            "sequence.from, sequence.to: these select plies of a game, but the suite has single positions: remove \
             them"
        } else if !suite.items.iter().any(|item| sequence.searches_any_position(item)) {
            "sequence: no game of the suite has plies in this range: nothing would be searched"
        } else {
            return Ok(());
        };
        Err(self.problem_at("sequence", message))
    }
}

/// The help for an item that may occur only once.
pub(super) const SKIP_HELP: &str = "--skip-bad, or on_error = \"skip\" in the file, leaves out such items";

/// The note about an item that was left out because of a fault.
pub(super) fn left_out(fault: Fault) -> Fault {
    Fault { message: format!("left out: {}", fault.message), ..fault }
}

/// Finds the items of a suite that equal an earlier item. Returns the index of each such item and
/// an error message. `name` is the name of the suite's file for the messages.
pub fn find_duplicates(name: &str, suite: &Suite) -> BTreeMap<usize, Fault> {
    // The keys are hashes, because the contents of a large suite would take as much memory as its
    // items.
    let mut first_lines: HashMap<u128, usize> = HashMap::new();
    let check_item = |(index, item): (usize, &Item)| {
        let content_hash =
            SipHasher13::new().hash(super::identity::item_content(item, EpRule::Legal).as_bytes()).as_u128();
        let first_line = *first_lines.entry(content_hash).or_insert(item.line);
        let kind = if item.game_moves().is_some() { "game" } else { "position" };
        let message = format!("the same {kind} as in line {first_line}: each may occur only once");
        let is_duplicate = first_line != item.line;
        is_duplicate.then(|| (index, Fault { file: name.to_owned(), line: item.line, column: 1, message }))
    };
    suite.items.iter().enumerate().filter_map(check_item).collect()
}

/// Names the positions of a suite in which no move is legal. `None` if there are none.
pub fn describe_ended(items: &[Item]) -> Option<String> {
    let is_ended = |item: &&Item| item.game_moves().is_none() && !item.board.has_legal_move();
    let ended: Vec<&str> = items.iter().filter(is_ended).map(|item| item.id.as_str()).collect();
    let (what, names) = (plural(ended.len(), "position"), quote_names(&ended));
    (!ended.is_empty()).then(|| {
        format!("{what} without a legal move ({names}): nothing is searched there, and other engines are not asked")
    })
}

/// Removes the items that equal an earlier item. For each removed item, a note is added to the
/// suite's notes.
pub fn remove_duplicates(name: &str, suite: &mut Suite) {
    let duplicates = find_duplicates(name, suite);
    // `retain` visits the items in order, so each call takes the index of the next item.
    let mut indices = 0..;
    suite.items.retain(|_| indices.next().is_none_or(|index| !duplicates.contains_key(&index)));
    suite.notes.extend(duplicates.into_values().map(left_out));
}

#[cfg(test)]
mod tests {
    use crate::experiment::{Experiment, Plan, Problem};
    use std::collections::{BTreeMap, HashSet};
    use std::path::Path;

    /// Two kings, with White or Black to move. The third position equals the first under another
    /// name.
    const THREE: &str = "4k3/8/8/8/8/8/8/4K3 w - - id \"a\";\n4k3/8/8/8/8/8/8/4K3 b - - id \"b\";\n\n4k3/8/8/8/8/8/8/4K3 w - - id \"c\";\n";

    fn read(more: &str, name: &str, suite: &str) -> Result<Experiment, Problem> {
        let text = format!("suite = \"{name}\"\nlimit = {{ depth = 2 }}\n{more}");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), suite).unwrap();
        Experiment::parse(&text, &folder.path().join("x.toml"), &[])
    }

    /// An en passant square where nobody can capture, or only a pinned pawn, is no difference.
    #[test]
    fn square_without_a_capture_distinguishes_no_positions() {
        const PAWN: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq";
        for (first, second, are_equal) in [
            (format!("{PAWN} - 0 1"), format!("{PAWN} e3 0 1"), true),
            ("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1".to_owned(), "8/8/8/8/k2Pp2Q/8/8/3K4 b - - 0 1".to_owned(), true),
            ("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1".to_owned(), "4k3/8/8/8/3Pp3/8/8/4K3 b - - 0 1".to_owned(), false),
            (format!("{PAWN} - 0 1"), format!("{PAWN} - 0 9"), false),
        ] {
            let result = read("", "x.fen", &format!("{first}\n{second}\n"));
            assert_eq!(
                result.is_err_and(|problem| problem.message.contains("the same position")),
                are_equal,
                "{second}"
            );
        }
    }

    #[test]
    fn duplicate_items_are_refused_or_removed() {
        let problem = read("", "x.epd", THREE).unwrap_err();
        assert_eq!(problem.message, "suite: x.epd:4:1: the same position as in line 1: each may occur only once");
        assert!(problem.help.unwrap().contains("--skip-bad"));
        let suite = read("on_error = \"skip\"\n", "x.epd", THREE).unwrap().suite;
        assert_eq!(suite.items.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(
            suite.notes[0].to_string(),
            "x.epd:4:1: left out: the same position as in line 1: each may occur \
            only once"
        );
        // `first` counts after duplicates are removed; a duplicate among the first items is
        // refused, and one after them is not read.
        let with_duplicates =
            "4k3/8/8/8/8/8/8/4K3 w - - id \"e\";\n".to_owned() + THREE + "4k3/8/8/8/8/8/4P3/4K3 w - - id \"f\";\n";
        let suite = read("first = 3\non_error = \"skip\"\n", "x.epd", &with_duplicates).unwrap().suite;
        assert_eq!(suite.items.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["e", "b", "f"]);
        let is_refused = |first: usize| read(&format!("first = {first}\n"), "x.epd", THREE).is_err();
        assert_eq!([is_refused(2), is_refused(3)], [false, true]);
        let game = "[Event \"a\"]\n\n1. e4 e5 *\n\n";
        let message = read("", "x.pgn", &format!("{game}{game}")).unwrap_err().message;
        assert!(message.contains(":5:1: the same game as in line 1"), "{message}");
        let players = "[match]\n[[variant]]\nname = \"p\"\n[[variant]]\nname = \"q\"\n\"keys.seed\" = 2\n";
        assert!(read(players, "x.epd", THREE).is_err());
    }

    /// With a table that is never cleared, a repeated position is a different search, unless some
    /// variant clears its table.
    #[test]
    fn uncleared_table_allows_duplicate_positions() {
        let experiment = read("[engine]\ntable.clear = \"never\"\n", "x.epd", THREE).unwrap();
        assert_eq!(experiment.suite.items.len(), 3);
        let plan = Plan::new(&experiment);
        let job = plan.job_for(0, None, 0, 0);
        let ids: HashSet<u64> = (0..3).map(|item| plan.row_id(&job, item, 0, 1)).collect();
        assert_eq!(ids.len(), 3);
        assert!(read("[grid]\n\"table.clear\" = [\"never\", \"game\"]\n", "x.epd", THREE).is_err());
        // The page reports repeated searches; a match searches nothing.
        assert_eq!(experiment.count_repeated_searches(), Some([1, 3]));
        let players = "[match]\n[[variant]]\nname = \"p\"\n[[variant]]\nname = \"q\"\n\"keys.seed\" = 2\n";
        assert_eq!(read(players, "x.epd", "4k3/8/8/8/8/8/4P3/4K3 w - -\n").unwrap().count_repeated_searches(), None);
    }

    /// Clocks distinguish positions if one variant depends on them: by `draws`, or as an external
    /// engine.
    #[test]
    fn clocks_distinguish_positions_if_a_variant_depends_on_them() {
        let clocks = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n4k3/8/8/8/8/8/4P3/4K3 w - - 7 9\n";
        for (option, repeated) in [("draws = false", 1), ("draws = true", 0), ("subject = 'x'", 0)] {
            let variants = ["", option, ""].into_iter().zip(1..);
            let variant =
                |(more, index): (&str, u8)| format!("[[variant]]\nname = '{index}'\n'limit.depth' = {index}\n{more}\n");
            let experiment = read(&variants.map(variant).collect::<String>(), "x.fen", clocks).unwrap();
            assert_eq!(experiment.count_repeated_searches(), Some([repeated, 2]), "{option}");
        }
    }

    /// The setting `on_error=skip` removes duplicates, wherever it appears among other settings.
    #[test]
    fn skip_setting_removes_duplicates() {
        let (skip, other) = (crate::experiment::SKIP_BAD, "table.slots=2");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x.epd"), THREE).unwrap();
        for (sets, item_count) in [
            (&[][..], None),
            (&[other], None),
            (&[skip], Some(2)),
            (&[other, skip], Some(2)),
            (&[skip, other], Some(2)),
        ] {
            let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
            let text = "suite = 'x.epd'\nlimit = { depth = 2 }\n";
            let result = Experiment::parse(text, &folder.path().join("x.toml"), &sets);
            assert_eq!(result.ok().map(|experiment| experiment.suite.items.len()), item_count, "{sets:?}");
        }
    }

    /// A suite must be a file with at least one item.
    #[test]
    fn suite_must_be_a_file_with_items() {
        let message = |name: &str, suite: &str| read("", name, suite).unwrap_err().message;
        assert!(message("x.epd", "\n").ends_with("x.epd: no positions or games"), "{}", message("x.epd", "\n"));
        let kind = message("x.txt", THREE);
        assert!(kind.ends_with("x.txt: expected a file that ends in .epd, .fen or .pgn"), "{kind}");
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("x.epd")).unwrap();
        let text = "suite = 'x.epd'\nlimit = { depth = 2 }\n";
        let problem = Experiment::parse(text, &folder.path().join("x.toml"), &[]).unwrap_err();
        assert_eq!(problem.message, "suite: x.epd is a folder: give one of its files");
        assert_eq!(problem.span.map(|span| &text[span]), Some("suite"));
        let problem = Experiment::from_plan(text, Path::new("x.toml"), &[], Some(&BTreeMap::new())).unwrap_err();
        assert_eq!(problem.message, "suite: the plan does not have the suite's path");
    }

    /// The file beside the experiment takes precedence over the one in the working folder, which
    /// has 24 positions.
    #[test]
    fn suite_beside_the_experiment_takes_precedence() {
        let folder = tempfile::tempdir().unwrap();
        let name = "data/bratko-kopec.epd";
        std::fs::create_dir(folder.path().join("data")).unwrap();
        std::fs::write(folder.path().join(name), THREE.lines().next().unwrap()).unwrap();
        for (experiment_folder, items) in [(folder.path(), 1), (&folder.path().join("data"), 24)] {
            let text = format!("suite = '{name}'\nlimit = {{ depth = 2 }}\n");
            let experiment = Experiment::parse(&text, &experiment_folder.join("x.toml"), &[]).unwrap();
            assert_eq!((experiment.suite.items.len(), experiment.suite_name.as_str()), (items, name));
            assert_eq!(experiment.suite_file.unwrap().starts_with(folder.path()), items == 1);
        }
    }

    /// The error for a byte that is not UTF-8 gives its line and column.
    #[test]
    fn byte_that_is_not_utf8_is_located() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"suite = 'x.epd'\n# caf\xe9, d\xe9j\xe0\n").unwrap();
        let problem = Experiment::load(file.path(), &[]).unwrap_err();
        assert_eq!(problem.message, "expected UTF-8 text, found the byte 0xe9");
        assert!(problem.to_string().contains(&format!("{}:2:6", file.path().display())), "{problem}");
    }
}
