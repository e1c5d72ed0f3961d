//! The list of all columns of `results.csv`. For each column, the list has the name, the meaning,
//! the unit, the role and the function that formats its fields. The header, the rows, the checksum,
//! the documentation and the rules for sums are derived from the list, so adding a column takes one
//! line here.

use super::{GameRecord, MateRow, Row};
use crate::chess::EpRule;
use crate::engine::anatomy::Anatomy;
use crate::engine::{Iteration, SearchCounters};
use crate::subject::UciReport;
use crate::table::{Occupancy, TableCounters, ThreadCounters};
use std::borrow::Cow;
use std::sync::LazyLock;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The field identifies the row, alone or together with other keys.
    Key,
    /// The field is the value of a varying option. Option columns come before result columns.
    Option,
    Word,
    /// A count that may be summed over iterations and searches.
    Sum,
    /// A state at the end of the iteration. The sum of several states has no meaning.
    Last,
    /// A measured time. It differs between repeats, so the checksum does not cover it.
    Time,
    Seal,
}

impl Role {
    pub fn word(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Option => "option",
            Self::Word => "word",
            Self::Sum => "sum",
            Self::Last => "last",
            Self::Time => "time",
            Self::Seal => "seal",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: Cow<'static, str>,
    pub meaning: Cow<'static, str>,
    /// The unit of the column's numbers. Empty if the column does not contain numbers.
    pub unit: &'static str,
    pub role: Role,
}

impl Column {
    pub fn is_number(&self) -> bool {
        !self.unit.is_empty()
    }
}

/// A column that is not a counter, with the function that formats the column's field of a row.
struct FieldColumn {
    column: Column,
    format: fn(&Row<'_>, &Iteration) -> String,
}

macro_rules! columns {
    ($list:ident: $($constant:ident = $name:literal, $role:ident, $unit:literal, $meaning:literal, $format:expr;)*) => {
        $(#[doc = $meaning] #[allow(dead_code)] pub const $constant: &str = $name;)*
        static $list: &[FieldColumn] = &[$(FieldColumn {
            column: Column { name: Cow::Borrowed($name), meaning: Cow::Borrowed($meaning), unit: $unit, role: Role::$role },
            format: $format,
        },)*];
    };
}

columns! { HEAD:
    ID = "id", Key, "", "Stable hash of options, position, limit, repeat, ply and depth, 16 hexadecimal digits; the \
        last row of a job has the job's hash.",
        |row, _| format!("{:016x}", row.label.id);
    EXPERIMENT = "experiment", Key, "", "The experiment's name.", |row, _| row.label.experiment.clone();
    VARIANT = "variant", Key, "", "The variant's name.", |row, _| row.label.variant.clone();
    SUITE = "suite", Key, "", "The name of the suite, if the experiment has several; the names of its games and \
        positions begin with it.",
        |row, _| row.label.suite.clone().unwrap_or_default();
    GAME = "game", Key, "", "The game, in sequences; empty for single positions.", |row, _| row.label.game.clone();
    POSITION = "position", Key, "", "The position's id in its suite; in a sequence, the game's id and the ply.",
        |row, _| row.label.position.clone();
    PLY = "ply", Key, "plies", "Ply of the game, in sequences (0: before White's first move).",
        |row, _| row.label.ply.map(|ply| ply.to_string()).unwrap_or_default();
    REPEAT = "repeat", Key, "repeats", "Number of the repeat, from 0.", |row, _| row.label.repeat.to_string();
    DEPTH = "depth", Key, "plies", "Depth of the iteration, in plies.", |_, iteration| iteration.depth.to_string();
    LIMIT = "limit", Key, "", "What ended the search: depth, nodes, or both.", |row, _| row.label.limit.clone();
}

columns! { RESULT:
    BEST = "best", Word, "", "The best move, in UCI form; 0000 if there is no legal move.", |_, iteration| iteration.best.to_string();
    SCORE = "score", Last, "centipawns", "The root's score in centipawns, from the side to move's view.",
        |row, iteration| if row.report().is_some_and(|report| report.score.is_none()) { String::new() } else { iteration.score.to_string() };
    PV = "pv", Word, "", "The principal variation, UCI moves separated by blanks.",
        |_, iteration| join_words(iteration.pv.iter());
    SOLVED = "solved", Word, "", "Whether the best move is one of the suite's best moves (bm), or none of its moves \
        to avoid (am); empty where the suite names none.",
        |row, _| row.solved.map(|solved| solved.to_string()).unwrap_or_default();
    FINISHED = "finished", Word, "", "False for a last iteration that the node limit cut short.",
        |_, iteration| iteration.finished.to_string();
}

columns! { JUDGED:
    SCORE_ERROR = "score_error", Last, "centipawns",
        "Distance between the score and the reference's score, at most `cut`. The reference is the baseline's engine \
         with far more nodes and a table that is never full (`[reference] self`). Computed from reference.csv, not \
         stored in results.csv.",
        |_, _| String::new();
}

columns! { REPORTED:
    REPEATS = "reported.repeats", Word, "", "Whether the engine's searches repeat, as tested before the run: exact; \
        same nodes, other answers; within a percentage; or not repeatable.",
        |row, _| row.engine_columns.map(|engine| engine.repeats.to_owned()).unwrap_or_default();
    REPORTED_HASHFULL = "reported.hashfull", Last, "per mille", "The `hashfull` that the engine reports. Engines \
        count different things under that name.",
        |row, _| row.report().and_then(|report| report.hashfull).map(|full| full.to_string()).unwrap_or_default();
}

columns! { MATES:
    MATE_FOUND = "mate.found", Last, "0 or 1", "Whether the score is a mate for the side for which the suite gives one (dm, bm #), with a line that is \
        legal and ends in mate; empty where the suite gives none.",
        |row, _| mate_field(row, |mate| mate.found.into());
    MATE_BEST = "mate.best", Last, "0 or 1", "Whether the mate was found in at most the moves that the suite gives.",
        |row, _| mate_field(row, |mate| mate.best.into());
    MATE_SHORTER = "mate.shorter", Last, "0 or 1", "Whether the mate was found in fewer moves than the suite gives.",
        |row, _| mate_field(row, |mate| mate.shorter.into());
    MATE_UNPROVED = "mate.unproved", Last, "0 or 1", "Whether the score is such a mate, but the line does not end in it.",
        |row, _| mate_field(row, |mate| mate.unproved.into());
    MATE_WRONG = "mate.wrong", Last, "0 or 1", "Whether the score is a mate for the other side, or a shorter one than a minimal suite gives.",
        |row, _| mate_field(row, |mate| mate.wrong.into());
    MATE_NODES = "mate.nodes_until", Sum, "count", "Nodes until the mate was found and kept: 0 in the iterations after. A search that does not find it \
        counts with all its nodes, or those of its limit.",
        |row, _| mate_field(row, |mate| mate.nodes);
}

columns! { MATCH_COLUMNS:
    OPPONENT = "match.opponent", Key, "", "In a match: the opposing variant.", |row, _| row.match_columns.map(|columns| columns.opponent.to_owned()).unwrap_or_default();
    COLOUR = "match.colour", Key, "", "The variant's pieces: white in the first game of each pair, black in the second.",
        |row, _| game_field(row, |game| game.colour().to_owned());
    POINTS = "match.points", Last, "points", "The variant's points for the game: 1, 0.5 or 0.", |row, _| game_field(row, |game| game.points().to_owned());
    END = "match.end", Word, "", "What ended the game: mate, stalemate, repetition, fifty-moves, material, resigned, draw-agreed or max-moves.",
        |row, _| game_field(row, |game| game.end.to_owned());
    GAME_PLIES = "match.plies", Sum, "plies", "Moves of both sides, without those of the opening.", |row, _| game_field(row, |game| game.moves.len().to_string());
    DEPTHS = "match.depths", Sum, "plies", "Depth of the last finished iteration, summed over the variant's moves.",
        |row, _| game_field(row, |game| game.depths.to_string());
    BLIND = "match.blind", Sum, "count", "The variant's moves for which no iteration ended within the limit, so \
        that the first legal move was played.",
        |row, _| game_field(row, |game| game.unsearched_moves.to_string());
    OPPONENT_NODES = "match.opponent_nodes", Sum, "count", "Nodes of the opponent's searches.", |row, _| game_field(row, |game| game.opponent_nodes.to_string());
    START = "match.start", Word, "", "The position from which the game was played, in FEN.", |row, _| game_field(row, |game| game.start.fen(EpRule::Legal));
    MOVES = "match.moves", Word, "", "The game's moves, in UCI form.", |row, _| game_field(row, |game| join_words(game.moves.iter()));
    SCORES = "match.scores", Word, "", "The mover's score at each move in centipawns; M5 or -M5: mate in five, or being mated; ? where none was reported.",
        |row, _| game_field(row, |game| join_words(game.searches.iter().map(|search| match (search.mate, search.score) {
            (Some(moves), _) => format!("{}M{}", if moves < 0 { "-" } else { "" }, moves.abs()),
            (None, score) => score.map_or("?".to_owned(), |score| score.to_string()),
        })));
    SEARCHES = "match.searches", Word, "", "The depth and nodes of each move's search, as 8/1997; ? where none were reported.",
        |row, _| game_field(row, |game| join_words(game.searches.iter().map(|search| match search.nodes {
            Some(nodes) => format!("{}/{nodes}", search.depth),
            None => "?".to_owned(),
        })));
}

columns! { TAIL:
    SLOTS = "slots", Last, "slots", "Slots of the table; empty without a bounded table.",
        |_, iteration| bounded_only(iteration, iteration.occupancy.slots);
    ENTRIES = "entries", Last, "entries", "Entries in the table at the end of the iteration.",
        |row, iteration| builtin_only(row, iteration.occupancy.occupied);
    CURRENT = "current", Last, "entries", "Entries that were written or refreshed at the current tick of the clock.",
        |row, iteration| builtin_only(row, iteration.occupancy.current);
    BYTES = "bytes", Last, "bytes", "Bytes of memory that the table's entries take.", |row, iteration| builtin_only(row, iteration.occupancy.bytes);
    HASHFULL = "hashfull", Last, "per mille", "Occupied slots per mille; empty without a bounded table.", |_, iteration| {
        let Occupancy { occupied, slots, .. } = iteration.occupancy;
        bounded_only(iteration, (occupied * 1000).checked_div(slots).unwrap_or(0))
    };
    SECONDS = "seconds", Time, "seconds", "Wall-clock time of the iteration's search.", |row, _| format!("{:.6}", row.seconds);
    // A line feed in the message would split the row in two.
    ERROR = "error", Word, "", "Why the job failed; empty if it did not.", |row, _| row.error.replace(char::is_control, " ");
    CHECK = "check", Seal, "", "Checksum (eight hexadecimal digits) of the row's other fields, except the seconds, \
        and of the `check` of the job's previous row. It shows whether rows were edited, damaged or lost.",
        |_, _| String::new();
}

fn mate_field(row: &Row<'_>, value: impl FnOnce(&MateRow) -> u64) -> String {
    row.mate.as_ref().map(value).map(|value| value.to_string()).unwrap_or_default()
}

fn game_field(row: &Row<'_>, format: impl FnOnce(&GameRecord) -> String) -> String {
    row.match_columns.and_then(|columns| columns.game).map(format).unwrap_or_default()
}

fn join_words(parts: impl Iterator<Item = impl ToString>) -> String {
    parts.map(|part| part.to_string()).collect::<Vec<_>>().join(" ")
}

/// Formats a value that only the built-in engine has. The field is empty for external engines.
fn builtin_only(row: &Row<'_>, value: u64) -> String {
    if row.report().is_some() { String::new() } else { value.to_string() }
}

/// Formats a value that only a bounded table has. The field is empty for other tables.
fn bounded_only(iteration: &Iteration, value: u64) -> String {
    if iteration.occupancy.slots > 0 { value.to_string() } else { String::new() }
}

/// Defines constants for the names of some counters. The structs of the counters document what the
/// counters mean.
macro_rules! counters_by_name {
    ($($constant:ident = $name:literal;)*) => {
        $(#[doc = concat!("`", $name, "`.")] pub const $constant: &str = $name;)*
        #[cfg(test)]
        const BY_NAME: &[&str] = &[$($name),*];
    };
}

counters_by_name! {
    NODES = "search.nodes";
    EVALS = "search.evals";
    USABLE = "search.usable";
    MOVE_ONLY = "search.move_only";
    CUTS = "search.cuts";
    FIRST_CUTS = "search.first_cuts";
    PROBES = "table.probes";
    HITS = "table.hits";
    MISSES_EMPTY = "table.misses_empty";
    MISSES_OTHER = "table.misses_other";
    STORES = "table.stores";
    FILLS = "table.fills";
    EVICTIONS = "table.evictions";
    REJECTIONS = "table.rejections";
    SAVED = "search.saved";
    ETC_CUTS = "search.etc_cuts";
    UPDATES = "table.updates";
    TICKS = "threads.ticks";
    HELPER_NODES = "threads.helper_nodes";
    FOREIGN_HITS = "threads.foreign_hits";
    AGES = "threads.ages";
    SQUARED_AGES = "threads.squared_ages";
    FOREIGN_CUTOFFS = "threads.foreign_cutoffs";
    FOREIGN_SAVED = "threads.foreign_saved";
    IN_FLIGHT = "threads.in_flight";
    DUPLICATES = "threads.duplicates";
    FOREIGN_REFUSALS = "threads.foreign_refusals";
    UNREAD = "threads.unread";
    FOREIGN_UNREAD = "threads.foreign_unread";
}

/// Prefix of the columns that exist only with `diagnostics = "full"`.
pub const ANATOMY: &str = "anatomy.";

/// Prefix of the columns that exist only with several searchers.
pub const THREADS: &str = "threads.";

/// Prefix of the columns that exist only with external engines.
pub const EXTERNAL: &str = "reported.";

/// Prefix of the columns that exist only if a suite gives mates.
pub const MATE: &str = "mate.";

/// Prefix of the columns that exist only in a match.
pub const MATCH: &str = "match.";

/// Which optional columns results have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extra {
    /// Whether a variant has full diagnostics.
    pub anatomy: bool,
    /// Whether a variant has several searchers.
    pub threads: bool,
    /// Whether a variant is an external engine.
    pub external: bool,
    /// Whether the suites give mates.
    pub mates: bool,
    /// Whether the rows are games.
    pub games: bool,
    /// Whether there are several suites.
    pub suites: bool,
}

impl Extra {
    /// Whether results with these optional columns have the given column.
    fn includes(self, column: &str) -> bool {
        if column == SUITE {
            return self.suites;
        }
        let prefixes = [
            (self.anatomy, ANATOMY),
            (self.threads, THREADS),
            (self.external, EXTERNAL),
            (self.mates, MATE),
            (self.games, MATCH),
        ];
        prefixes.iter().all(|(is_included, prefix)| *is_included || !column.starts_with(prefix))
    }
}

static ALL: LazyLock<Vec<Column>> = LazyLock::new(|| {
    let clone_columns = |list: &'static [FieldColumn]| list.iter().map(|field_column| field_column.column.clone());
    let counter_column = |prefix: &'static str, (name, meaning): (&'static str, &'static str)| Column {
        name: format!("{prefix}{name}").into(),
        meaning: meaning.split_whitespace().collect::<Vec<_>>().join(" ").into(),
        unit: "count",
        role: Role::Sum,
    };
    clone_columns(HEAD)
        .chain(clone_columns(RESULT))
        .chain(SearchCounters::COLUMNS.iter().map(|&column| counter_column("search.", column)))
        .chain(TableCounters::COLUMNS.iter().map(|&column| counter_column("table.", column)))
        .chain(ThreadCounters::COLUMNS.iter().map(|&column| counter_column(THREADS, column)))
        .chain(Anatomy::columns().map(|column| counter_column(ANATOMY, column)))
        .chain(clone_columns(REPORTED))
        .chain(clone_columns(MATES))
        .chain(clone_columns(MATCH_COLUMNS))
        .chain(clone_columns(TAIL))
        .collect()
});

/// Returns all columns in order, except the varying options. The columns of varying options come
/// before [`BEST`].
pub fn columns() -> &'static [Column] {
    &ALL
}

/// Returns the column with this full name, or `None` if no column has this name. The columns of
/// options are not known here.
pub fn column(name: &str) -> Option<&'static Column> {
    ALL.iter().chain(judged_columns()).find(|column| column.name == name)
}

/// Returns the columns that are added when rows are read. No results file contains them.
pub fn judged_columns() -> impl Iterator<Item = &'static Column> {
    JUDGED.iter().map(|field_column| &field_column.column)
}

/// The prefix that selects a column of the rows if the name of an option has the same ending. For
/// example, `row.slots` is the column and `table.slots` is the option.
pub const ROW: &str = "row.";

/// Whether `name` may refer to `column`. A name may be the full name of the column or the end of
/// the full name after a dot, as in `nodes` for `search.nodes`. A final `.kind` may be left out,
/// as in `policy` or `table.policy` for `table.policy.kind`.
pub fn refers_to(name: &str, column: &str) -> bool {
    let ends_with_name = |column: &str| {
        column.strip_suffix(name).is_some_and(|prefix| !name.is_empty() && (prefix.is_empty() || prefix.ends_with('.')))
    };
    // The names of UCI options are the same in every case.
    let is_uci_option = || column.starts_with("uci.") && column.eq_ignore_ascii_case(name);
    ends_with_name(column) || column.strip_suffix(".kind").is_some_and(ends_with_name) || is_uci_option()
}

/// Returns the role of a column of results. Unknown columns are taken for options.
pub fn role(name: &str) -> Role {
    column(name).map_or(Role::Option, |column| column.role)
}

/// Returns the header of an experiment's results. Beside the columns of every experiment, the
/// header contains the varying options, and the optional columns that `extra` includes.
pub fn header(varying: &[String], extra: Extra) -> Vec<String> {
    let (head, results) = ALL.split_at(HEAD.len());
    let names = |columns: &'static [Column]| {
        columns.iter().filter(|column| extra.includes(&column.name)).map(|column| column.name.clone().into_owned())
    };
    names(head).chain(varying.iter().cloned()).chain(names(results)).collect()
}

/// The iteration of a failed job's row.
static BLANK: LazyLock<Iteration> =
    LazyLock::new(|| UciReport { truncated: true, ..UciReport::default() }.to_iteration());

impl Row<'_> {
    /// Returns the row's fields in the order of [`header`]. The checksum is not included because
    /// [`super::append_checksum`] appends the checksum.
    pub fn fields(&self) -> Vec<String> {
        let iteration = self.iteration.unwrap_or(&BLANK);
        let format_fields = |columns: &'static [FieldColumn]| {
            let columns_before_seal = columns.iter().filter(|field_column| field_column.column.role != Role::Seal);
            columns_before_seal.map(|field_column| (field_column.format)(self, iteration))
        };
        // The column `suite` is left out if there is only one suite.
        let head_columns =
            HEAD.iter().filter(|field_column| field_column.column.name != SUITE || self.label.suite.is_some());
        let head_fields = head_columns.map(|field_column| (field_column.format)(self, iteration));
        let mut fields: Vec<String> =
            head_fields.chain(self.label.options.iter().cloned()).chain(format_fields(RESULT)).collect();
        let thread_counters = self.has_threads.then(|| iteration.threads.values());
        let counters =
            [iteration.search.values(), iteration.table.values()].into_iter().chain(thread_counters).flatten();
        match self.report() {
            // An external engine can report only the first of these counters, its number of nodes,
            // and those of its table if this is ttlab's. The fields of all others are empty.
            Some(report) => {
                let of_table =
                    SearchCounters::COLUMNS.len()..SearchCounters::COLUMNS.len() + TableCounters::COLUMNS.len();
                fields.extend(counters.enumerate().map(|(index, counter)| match report.nodes {
                    Some(nodes) if index == 0 => nodes.to_string(),
                    _ if report.table.is_some() && of_table.contains(&index) => counter.to_string(),
                    _ => String::new(),
                }));
            }
            None => fields.extend(counters.map(|counter| counter.to_string())),
        }
        if self.has_anatomy {
            match &iteration.anatomy {
                Some(anatomy) => fields.extend(anatomy.values().iter().map(u64::to_string)),
                None => fields.extend(Anatomy::columns().map(|_| String::new())),
            }
        }
        if self.engine_columns.is_some() {
            fields.extend(format_fields(REPORTED));
        }
        if self.has_mates {
            fields.extend(format_fields(MATES));
        }
        if self.match_columns.is_some() {
            fields.extend(format_fields(MATCH_COLUMNS));
        }
        fields.extend(format_fields(TAIL));
        fields
    }
}

/// Number of fields after the field of the time. The checksum is one of them.
pub(super) static AFTER_TIME: LazyLock<usize> = LazyLock::new(|| {
    TAIL.iter().rev().position(|field_column| field_column.column.role == Role::Time).unwrap_or(TAIL.len())
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_names_are_unique_and_counters_exist() {
        let mut names: Vec<&str> = columns().iter().map(|column| column.name.as_ref()).collect();
        BY_NAME.iter().for_each(|name| assert_eq!(role(name), Role::Sum, "{name}"));
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(
            SearchCounters::COLUMNS[0].0,
            "nodes",
            "an external engine's nodes are written to the first counter"
        );
        assert_eq!(names.len(), count);
    }

    #[test]
    fn checksum_is_the_last_column_and_time_is_unique() {
        let indices = |role: Role| (0..columns().len()).filter(move |&index| columns()[index].role == role);
        assert_eq!(indices(Role::Seal).collect::<Vec<_>>(), [columns().len() - 1]);
        assert_eq!(indices(Role::Time).count(), 1);
        assert_eq!(role("table.slots"), Role::Option);
    }

    /// A name is the full name or its end after a dot, with or without a final `.kind`.
    #[test]
    fn name_may_mean_a_column_by_suffix() {
        for (name, column, expected) in [
            ("search.nodes", "search.nodes", true),
            ("nodes", "search.nodes", true),
            ("odes", "search.nodes", false),
            (".nodes", "search.nodes", false),
            ("search", "search.nodes", false),
            ("x.search.nodes", "search.nodes", false),
            ("", "search.nodes", false),
            ("part", "table.forget_part", false),
            ("policy", "table.policy.kind", true),
            ("table.policy", "table.policy.kind", true),
            ("policy.kind", "table.policy.kind", true),
            ("kind", "table.policy.kind", true),
            ("table", "table.policy.kind", false),
            ("table", "table.kind", true),
            ("policy", "table.policy.factor", false),
        ] {
            assert_eq!(refers_to(name, column), expected, "{name} {column}");
        }
    }

    /// For any optional columns, a row has one field for each column of the header.
    #[test]
    fn row_has_a_field_for_each_column() {
        use crate::record::{EngineColumns, Label, MatchColumns};
        let label = Label { options: vec!["7".to_owned(), "x".to_owned()], ..Label::default() };
        for bits in 0..32 {
            let [anatomy, external, games, threads, mates] = [1, 2, 4, 8, 16].map(|bit| bits & bit > 0);
            let extra = Extra { anatomy, threads, external, mates, games, suites: false };
            let header = header(&["a.b", "c"].map(str::to_owned), extra);
            let row = Row {
                label: &label,
                iteration: None,
                solved: None,
                mate: None,
                has_mates: mates,
                seconds: 0.0,
                error: "why",
                has_anatomy: anatomy,
                has_threads: threads,
                engine_columns: external.then_some(EngineColumns { report: None, repeats: "exact" }),
                match_columns: games.then_some(MatchColumns { opponent: "o", game: None }),
            };
            let fields = row.fields();
            assert_eq!(fields.len() + 1, header.len(), "{bits}");
            let field =
                |name: &str| header.iter().position(|column| column == name).map(|index| fields[index].as_str());
            assert_eq!([field("a.b"), field("c"), field(ERROR)], [Some("7"), Some("x"), Some("why")]);
            assert_eq!(
                (field(REPEATS), field(OPPONENT)),
                (external.then_some("exact"), games.then_some("o")),
                "{bits}"
            );
            let has_prefix = |prefix| header.iter().any(|column| column.starts_with(prefix));
            assert_eq!(
                [ANATOMY, EXTERNAL, MATCH, THREADS, MATE].map(has_prefix),
                [anatomy, external, games, threads, mates]
            );
        }
    }

    /// A message with control characters stays on one line and is read back as written.
    #[test]
    fn message_of_several_lines_is_one_row() {
        let label = crate::record::Label::default();
        let error = "one\ntwo\r\nthree\u{1b}[1m, \"four\"\t\u{85}five";
        let row = Row {
            label: &label,
            iteration: None,
            solved: None,
            mate: None,
            has_mates: false,
            seconds: 0.0,
            error,
            has_anatomy: false,
            has_threads: false,
            engine_columns: None,
            match_columns: None,
        };
        let mut fields = row.fields();
        crate::record::append_checksum(&mut fields, 0);
        let header = header(&[], Extra::default());
        assert_eq!(fields.len(), header.len());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        crate::record::ResultsWriter::open(&path, &header, 0).unwrap().append(std::slice::from_ref(&fields)).unwrap();
        let mut rows = Vec::new();
        let result = crate::record::scan(&path, &header, |_, row| {
            rows.push(row?.iter().map(str::to_owned).collect::<Vec<_>>());
            Ok(())
        });
        assert!(result.is_ok(), "{result:?}");
        assert!(rows == [fields.clone()], "{result:?}");
        let error_index = header.iter().position(|name| name == ERROR).unwrap();
        assert_eq!(fields[error_index], "one two  three [1m, \"four\"  five");
    }
}
