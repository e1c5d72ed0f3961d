//! The axes of a grid, read back from the rows: which options vary, and over which levels.

use super::column::Words;
use super::frame::Frame;
use super::grouping::{combine, short_names};
use super::seeds::KEYS_SEED;
use std::borrow::Cow;
use std::collections::HashMap;

/// An option that varies, or a policy with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Its columns: one, or those of a kind and of the parameters that only some kinds have.
    pub columns: Vec<String>,
    /// The option's path.
    pub path: String,
    /// The path as headings show it.
    pub name: String,
    /// Its levels in the order in which they first come; numbers in theirs.
    pub levels: Vec<Level>,
}

/// One level of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// The values of the axis's columns.
    pub values: Vec<String>,
    /// As shown.
    pub label: String,
    /// As a number (sizes: bytes or entries), where it is one.
    pub number: Option<f64>,
}

impl Axis {
    /// Whether every level is a number.
    pub fn is_numeric(&self) -> bool {
        self.levels.iter().all(|level| level.number.is_some())
    }

    /// A level under its option's name; one of a joined axis has the names of all.
    pub fn named(&self, level: usize) -> String {
        let label = &self.levels[level].label;
        if self.path.contains(JOINED) { label.clone() } else { format!("{}={label}", self.name) }
    }

    /// The place of a level, by its values.
    pub fn level(&self, values: &[String]) -> Option<usize> {
        self.levels.iter().position(|level| level.values == values)
    }

    /// The place of the level that a row has.
    pub fn level_of(&self, rows: &Frame, row: usize) -> Option<usize> {
        self.level(&self.columns.iter().map(|column| rows.text(column, row).into_owned()).collect::<Vec<_>>())
    }
}

/// Between the paths, and the names, of options that vary together.
const JOINED: &str = " + ";

/// The option that tells bounded tables from yardsticks.
const TABLE_KIND: &str = "table.kind";

/// Options that are no axes of an experiment: the seeds of keys are averaged over, and a kind of table is a yardstick.
const NO_AXES: &[&str] = &[KEYS_SEED, TABLE_KIND];

/// The rows that lie on the grid (with a bounded table, where some have none), and its axes. Of the counters only those named are
/// kept: what is left out takes no memory twice.
pub fn axes<'a>(frame: &'a Frame, counters: &[&str]) -> (Cow<'a, Frame>, Vec<Axis>) {
    let kinds = frame.coded(TABLE_KIND);
    let grid = match kinds.list().len() > 1 && kinds.list().iter().any(|kind| kind == "bounded") {
        true => Cow::Owned(frame.take_lean(&frame.select(|row| kinds.at(row) == "bounded"), counters)),
        false => Cow::Borrowed(frame),
    };
    let columns: Vec<(String, Words)> = grid
        .options()
        .into_iter()
        .map(|option| (option.to_owned(), grid.coded(option).into_owned()))
        .filter(|(_, words)| words.list().len() > 1)
        .collect();
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for (at, (name, words)) in columns.iter().enumerate() {
        // A parameter that only some kinds have goes with its kind.
        let kind = columns.iter().position(|(kind, _)| {
            let parent = kind.strip_suffix("kind").unwrap_or("?");
            kind != name && name.starts_with(parent) && words.list().iter().any(String::is_empty)
        });
        match kind.and_then(|kind| groups.iter_mut().find(|(_, members)| members.contains(&kind))) {
            Some((_, members)) => members.push(at),
            None => {
                let path = name.strip_suffix(".kind").unwrap_or(name).to_owned();
                groups.push((path, vec![at]));
            }
        }
    }
    join_moving(&mut groups, &columns);
    groups.retain(|(_, members)| !NO_AXES.contains(&columns[members[0]].0.as_str()));
    let paths: Vec<String> = groups.iter().flat_map(|(path, _)| path.split(JOINED)).map(str::to_owned).collect();
    let names: HashMap<&str, String> = paths.iter().map(String::as_str).zip(short_names(&paths)).collect();
    let axes: Vec<Axis> = groups
        .into_iter()
        .map(|(path, members)| {
            let columns: Vec<String> = members.into_iter().map(|at| columns[at].0.clone()).collect();
            let own = |path: &str| names.get(path).cloned();
            let head = |(column, short): (&String, String)| {
                own(column.strip_suffix(".kind").unwrap_or(column)).unwrap_or(short)
            };
            let heads: Vec<String> = columns.iter().zip(short_names(&columns)).map(head).collect();
            let name = path.split(JOINED).filter_map(own).collect::<Vec<_>>().join(JOINED);
            // One option's value needs no name before it.
            let unnamed = usize::from(!path.contains(JOINED));
            Axis { levels: levels(combine(&grid, &columns).1, &heads, unnamed), columns, path, name }
        })
        .filter(|axis| axis.levels.len() > 1)
        .collect();
    (grid, axes)
}

/// Makes one axis of options that move together, as zipped ones do: where each level of one comes with one level of the other alone,
/// no row tells their effects apart.
fn join_moving(groups: &mut Vec<(String, Vec<usize>)>, columns: &[(String, Words)]) {
    // Rows come in runs of one variant: few combinations, however many rows.
    let rows = columns.first().map_or(0, |(_, words)| words.codes().len());
    let same = |a: usize, b: usize| columns.iter().all(|(_, words)| words.codes()[a] == words.codes()[b]);
    let runs: Vec<usize> = (0..rows).filter(|&row| row == 0 || !same(row - 1, row)).collect();
    let count = |members: &[usize]| {
        let codes = |&row: &usize| members.iter().map(|&at| columns[at].1.codes()[row]).collect::<Vec<_>>();
        runs.iter().map(codes).collect::<std::collections::HashSet<_>>().len()
    };
    let mut at = 0;
    while at < groups.len() {
        let levels = count(&groups[at].1);
        let moving = |other: &usize| {
            let together = [groups[at].1.as_slice(), groups[*other].1.as_slice()].concat();
            levels > 1 && count(&groups[*other].1) == levels && count(&together) == levels
        };
        match (at + 1..groups.len()).find(moving) {
            None => at += 1,
            Some(other) => {
                let (path, members) = groups.remove(other);
                groups[at].0 += &format!("{JOINED}{path}");
                groups[at].1.extend(members);
            }
        }
    }
}

/// A level of each combination of values, those without a first one apart. The first so many stand without their heads.
fn levels(combinations: Vec<Vec<String>>, heads: &[String], unnamed: usize) -> Vec<Level> {
    let level = |values: Vec<String>| {
        let named = values.iter().zip(heads).skip(unnamed).filter(|(value, _)| !value.is_empty());
        let named = named.map(|(value, head)| format!("{head}={value}"));
        let label = values.iter().take(unnamed).cloned().chain(named).collect::<Vec<_>>().join(" ");
        let number = if values.len() == 1 { number(&values[0]) } else { None };
        Level { values, label, number }
    };
    let there = combinations.into_iter().filter(|values| !values[0].is_empty());
    let mut levels: Vec<Level> = there.map(level).collect();
    if levels.iter().all(|level| level.number.is_some()) {
        levels.sort_by(|a, b| a.number.unwrap_or(0.0).total_cmp(&b.number.unwrap_or(0.0)));
    }
    levels
}

/// A value as a number: `4`, `0.25`, and sizes in bytes (`64 KiB`) or shares (`25 %`).
pub fn number(text: &str) -> Option<f64> {
    if let Ok(number) = text.parse::<f64>() {
        return number.is_finite().then_some(number);
    }
    let (number, unit) = text.split_once(' ')?;
    let scale = match unit {
        "GiB" => f64::from(1 << 30),
        "MiB" => f64::from(1 << 20),
        "KiB" => 1024.0,
        "B" => 1.0,
        "%" => 0.01,
        _ => return None,
    };
    number.parse::<f64>().ok().map(|number| number * scale)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn frame(rows: &[&str], columns: &str) -> Frame {
        let text = format!("variant,position,depth,search.nodes,{columns}\n{}", rows.join("\n"));
        Frame::parse(text.as_bytes(), "t").unwrap()
    }

    #[test]
    fn a_policy_and_its_parameters_are_one_axis() {
        let rows = ["a,p,1,1,64 KiB,always,", "b,p,1,1,1 MiB,always,", "c,p,1,1,64 KiB,aged-depth,4", "d,p,1,1,,,"];
        let frame = frame(&rows, "table.size,table.policy.kind,table.policy.factor");
        let (grid, axes) = axes(&frame, &[]);
        assert_eq!(grid.rows(), 4);
        let shown: Vec<(String, Vec<String>)> = axes
            .iter()
            .map(|axis| (axis.name.clone(), axis.levels.iter().map(|level| level.label.clone()).collect()))
            .collect();
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            shown,
            [
                ("size".to_owned(), words(&["64 KiB", "1 MiB"])),
                ("policy".to_owned(), words(&["always", "aged-depth factor=4"])),
            ]
        );
        assert!(axes[0].is_numeric() && !axes[1].is_numeric());
    }

    #[test]
    fn options_that_move_together_are_one_axis() {
        let rows = ["a,p,1,1,1,x,3", "b,p,1,1,2,y,3", "c,p,1,1,1,x,4", "d,p,1,1,2,y,4"];
        let frame = frame(&rows, "table.slots,order,depth_cap");
        let (_, axes) = axes(&frame, &[]);
        let names: Vec<(&str, usize)> = axes.iter().map(|axis| (axis.path.as_str(), axis.levels.len())).collect();
        assert_eq!(names, [("table.slots + order", 2), ("depth_cap", 2)]);
        assert_eq!([axes[0].named(1), axes[1].named(1)], ["slots=2 order=y", "depth_cap=4"]);
    }

    /// Three paths that vary together, two of which end alike: all their names head the axis and its values.
    #[test]
    fn a_joined_axis_has_all_its_names() {
        let rows = ["a,p,1,1,leaf,leaf,always,", "b,p,1,1,quiet,quiet,aged-depth,4"];
        let frame = frame(&rows, "probe.at,store.at,table.policy.kind,table.policy.factor");
        let (_, axes) = axes(&frame, &[]);
        let labels: Vec<&str> = axes[0].levels.iter().map(|level| level.label.as_str()).collect();
        assert_eq!((axes.len(), axes[0].name.as_str()), (1, "probe.at + store.at + policy"));
        assert_eq!(
            labels,
            ["probe.at=leaf store.at=leaf policy=always", "probe.at=quiet store.at=quiet policy=aged-depth factor=4"]
        );
    }

    /// Numbers are in their order, and are no numbers any more where words go with them; what does not vary is none, however it is called.
    #[test]
    fn levels_are_in_the_order_of_their_numbers() {
        let of = |rows: &[&str]| {
            let frame = frame(rows, "table.slots,order,depth_cap");
            let (_, axes) = axes(&frame, &[]);
            let labels =
                |axis: &Axis| axis.levels.iter().map(|level| level.label.clone()).collect::<Vec<_>>().join("; ");
            axes.iter().map(|axis| (axis.path.clone(), labels(axis), axis.is_numeric())).collect::<Vec<_>>()
        };
        let axis = |path: &str, labels: &str, numeric: bool| (path.to_owned(), labels.to_owned(), numeric);
        assert_eq!(of(&["a,p,1,1,4,x,3", "b,p,1,1,16,x,3", "c,p,1,1,2,x,3"]), [axis("table.slots", "2; 4; 16", true)]);
        assert_eq!(
            of(&["a,p,1,1,4,x,3", "b,p,1,1,16,y,3", "c,p,1,1,2,z,3"]),
            [axis("table.slots + order", "slots=4 order=x; slots=16 order=y; slots=2 order=z", false)]
        );
    }

    #[test]
    fn yardsticks_are_not_on_the_grid() {
        let rows = ["a,p,1,1,bounded,2", "b,p,1,1,bounded,4", "c,p,1,1,none,", "d,p,1,1,unbounded,2"];
        let frame = frame(&rows, "table.kind,table.slots");
        let (grid, axes) = axes(&frame, &["search.nodes"]);
        assert_eq!((grid.rows(), axes.len(), axes[0].levels.len()), (2, 1, 2));
    }

    #[test]
    fn sizes_are_numbers() {
        assert_eq!(number("0.25 MiB"), Some(262_144.0));
        assert_eq!(number("1638400"), Some(1_638_400.0));
        let bytes = ["3 B", "3 KiB", "3 MiB", "3 GiB"].map(|text| number(text).unwrap());
        assert_eq!(bytes, [3.0, 3.0 * 1024.0, 3.0 * 1024.0 * 1024.0, 3.0 * 1024.0 * 1024.0 * 1024.0]);
        assert_eq!((number("25 %"), number("always"), number("3 x"), number("nan")), (Some(0.25), None, None, None));
    }
}
