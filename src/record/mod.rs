//! The waist: one CSV row for each finished iteration. The runner appends rows, the analysis reads them.

pub mod manifest;
mod results;
mod whole;

pub use results::{Line, Results, ResultsError, Rows, header_length, order, rewrite, scan, write_rows};
pub use whole::{TEMPORARY, write_whole};

use crate::engine::anatomy::Anatomy;
use crate::engine::{Iteration, SearchCounters};
use crate::table::TableCounters;
use siphasher::sip::SipHasher13;
use std::hash::Hasher;

/// A column of `results.csv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its header.
    pub name: String,
    /// What stands in it.
    pub meaning: String,
}

/// Columns before the options.
const HEAD: &[(&str, &str)] = &[
    (
        "id",
        "Stable hash of options, position, limit, repeat, ply and depth, 16 hexadecimal digits; on the last row of a job, of the job.",
    ),
    ("experiment", "The experiment's name."),
    ("variant", "The variant's name."),
    ("game", "The game, in sequences; empty for single positions."),
    ("position", "The position's id in its suite; in a sequence, the game's id and the ply."),
    ("ply", "Ply of the game, in sequences (0: before White's first move)."),
    ("repeat", "Which repeat, from 0."),
    ("depth", "Depth of the iteration, in plies."),
    ("limit", "What ended the search: depth, nodes, or both."),
];

/// Columns between the options and the counters.
const RESULT: &[(&str, &str)] = &[
    ("best", "The best move, in UCI form; 0000 if there is no legal move."),
    ("score", "The root's score in centipawns, from the side to move's view."),
    ("pv", "The principal variation, UCI moves separated by blanks."),
    (
        "solved",
        "Whether the best move is one of the suite's (bm) or none of its bad ones (am); empty where it names none.",
    ),
    ("finished", "False for a last iteration that the node limit cut short."),
];

/// Columns after the counters.
const TAIL: &[(&str, &str)] = &[
    ("slots", "Slots of the table; empty without a bounded table."),
    ("entries", "Entries in the table at the end of the iteration."),
    ("current", "Of those, written or refreshed at the clock's present tick."),
    ("bytes", "Bytes of memory that the table's entries take."),
    ("hashfull", "Occupied slots per mille; empty without a bounded table."),
    ("seconds", "Wall-clock time of the iteration's search."),
    ("error", "Why the job failed; empty if it did not."),
    (
        "check",
        "Eight hexadecimal digits over the row's other fields, the seconds apart, and the check of the same job's row before it: \
         a row that was edited, damaged or lost shows.",
    ),
];

/// Every column that does not depend on the experiment, in order; the varying options stand before `best`.
#[must_use]
pub fn columns() -> Vec<Column> {
    let plain = |list: &'static [(&str, &str)]| {
        list.iter().map(|(name, meaning)| Column { name: (*name).to_owned(), meaning: (*meaning).to_owned() })
    };
    let counters = |prefix: &'static str, list: &'static [(&str, &str)]| {
        list.iter().map(move |(name, meaning)| Column {
            name: format!("{prefix}.{name}"),
            meaning: meaning.split_whitespace().collect::<Vec<_>>().join(" "),
        })
    };
    plain(HEAD)
        .chain(plain(RESULT))
        .chain(counters("search", SearchCounters::COLUMNS))
        .chain(counters("table", TableCounters::COLUMNS))
        .chain(Anatomy::columns().map(|(name, meaning)| Column {
            name: format!("{ANATOMY}{name}"),
            meaning: meaning.split_whitespace().collect::<Vec<_>>().join(" "),
        }))
        .chain(plain(TAIL))
        .collect()
}

/// What the names of columns begin with that only an experiment with `diagnostics = "full"` has.
pub const ANATOMY: &str = "anatomy.";

/// The header of an experiment's results, with its varying options; `anatomy`: some variant has full diagnostics.
#[must_use]
pub fn header(varying: &[String], anatomy: bool) -> Vec<String> {
    let mut all = columns();
    all.retain(|column| anatomy || !column.name.starts_with(ANATOMY));
    let (head, rest) = all.split_at(HEAD.len());
    let names = |columns: &[Column]| columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    [names(head), varying.to_vec(), names(rest)].concat()
}

/// What names a row, beside its figures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Label {
    pub id: u64,
    pub experiment: String,
    pub variant: String,
    pub game: String,
    pub position: String,
    pub ply: Option<u16>,
    pub repeat: u32,
    pub limit: String,
    /// Values of the varying options, in the header's order.
    pub options: Vec<String>,
}

/// One row.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    /// What names it.
    pub label: &'a Label,
    /// The iteration; none for a job that failed.
    pub iteration: Option<&'a Iteration>,
    /// Whether the best move solves the position, where the suite says.
    pub solved: Option<bool>,
    /// Wall-clock seconds of the iteration.
    pub seconds: f64,
    /// Why the job failed.
    pub error: &'a str,
    /// Whether the results have columns for anatomies; they stay empty where the iteration has none.
    pub anatomy: bool,
}

impl Row<'_> {
    /// The row's fields, as [`header`] names them, but for the last: [`seal`] adds it.
    #[must_use]
    pub fn fields(&self) -> Vec<String> {
        let label = self.label;
        let mut fields = vec![
            format!("{:016x}", label.id),
            label.experiment.clone(),
            label.variant.clone(),
            label.game.clone(),
            label.position.clone(),
            label.ply.map(|ply| ply.to_string()).unwrap_or_default(),
            label.repeat.to_string(),
            self.iteration.map_or(0, |iteration| iteration.depth).to_string(),
            label.limit.clone(),
        ];
        fields.extend(label.options.iter().cloned());
        let blank = Iteration {
            depth: 0,
            score: 0,
            best: crate::chess::Move::NONE,
            pv: Vec::new(),
            search: SearchCounters::default(),
            table: TableCounters::default(),
            occupancy: crate::table::Occupancy::default(),
            anatomy: None,
            finished: false,
        };
        let iteration = self.iteration.unwrap_or(&blank);
        let pv: Vec<String> = iteration.pv.iter().map(ToString::to_string).collect();
        fields.extend([
            iteration.best.to_string(),
            iteration.score.to_string(),
            pv.join(" "),
            self.solved.map(|solved| solved.to_string()).unwrap_or_default(),
            iteration.finished.to_string(),
        ]);
        let counters = iteration.search.values().into_iter().chain(iteration.table.values());
        fields.extend(counters.map(|value| value.to_string()));
        if self.anatomy {
            match &iteration.anatomy {
                Some(anatomy) => fields.extend(anatomy.values().iter().map(u64::to_string)),
                None => fields.extend(Anatomy::columns().map(|_| String::new())),
            }
        }
        let occupancy = iteration.occupancy;
        let bounded = occupancy.slots > 0;
        let only = |value: u64| if bounded { value.to_string() } else { String::new() };
        fields.extend([
            only(occupancy.slots),
            occupancy.occupied.to_string(),
            occupancy.current.to_string(),
            occupancy.bytes.to_string(),
            only((occupancy.occupied * 1000).checked_div(occupancy.slots).unwrap_or(0)),
            format!("{:.6}", self.seconds),
            // A message of several lines would be a row of several lines.
            self.error.replace(char::is_control, " "),
        ]);
        fields
    }
}

/// Fields after `seconds`, the check included.
const AFTER_SECONDS: usize = 3;

/// The check of a row: over the check of the same job's row before it (0 for its first) and every field but the seconds.
/// `fields`: all but the check.
#[must_use]
pub fn check<'a>(previous: u32, fields: impl Iterator<Item = &'a str> + Clone) -> u32 {
    let seconds = (fields.clone().count() + 1).checked_sub(AFTER_SECONDS);
    let mut hash = SipHasher13::new_with_keys(0x7474_6c61_6200_0002, 0);
    hash.write_u32(previous);
    for (_, field) in fields.enumerate().filter(|(at, _)| Some(*at) != seconds) {
        hash.write(field.as_bytes());
        hash.write_u8(0xff); // Not UTF-8: no field holds it, so fields cannot run into each other.
    }
    hash.finish() as u32
}

/// Adds the check to a row's fields and returns it, for the job's next row.
pub fn seal(fields: &mut Vec<String>, previous: u32) -> u32 {
    let check = check(previous, fields.iter().map(String::as_str));
    fields.push(format!("{check:08x}"));
    check
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_covers_every_field_but_the_seconds() {
        let header = header(&[], false);
        let seconds = header.len() - AFTER_SECONDS;
        assert_eq!(header[seconds], "seconds");
        assert_eq!(header[header.len() - 1], "check");
        let row: Vec<String> = header[..header.len() - 1].to_vec();
        let of = |row: &[String], previous| check(previous, row.iter().map(String::as_str));
        for at in 0..row.len() {
            let mut changed = row.clone();
            changed[at].push('1');
            assert_eq!(of(&changed, 7) == of(&row, 7), at == seconds, "{}", header[at]);
        }
        assert_ne!(of(&row, 7), of(&row, 8));
        let mut shifted = row.clone();
        shifted[0] = "ide".to_owned();
        shifted[1] = "xperiment".to_owned();
        assert_ne!(of(&shifted, 7), of(&row, 7));
    }
}
