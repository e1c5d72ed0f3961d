//! How rows are put together for comparison: by variant, or by any columns.

use super::column::SOURCE;
use super::frame::{Frame, FrameError, Sought};
use super::limits;
use crate::record::columns::{EXPERIMENT, LIMIT, VARIANT, may_mean};
use std::collections::HashMap;

/// Which group each row belongs to, and what else varies within it.
#[derive(Debug, Clone, Default)]
pub struct Grouping {
    /// The columns that tell groups apart.
    pub by: Vec<String>,
    /// Each group's values of these columns, in the order in which they first come.
    pub values: Vec<Vec<String>>,
    /// Each row's group.
    pub group: Vec<u32>,
    /// Each row's block: the values of the options that vary within groups. Only searches of one block are paired.
    pub block: Vec<u32>,
    /// The values of each block.
    pub blocks: Vec<Vec<String>>,
    /// Whether searches of several joined results are paired: where groups are told apart by them, or by options that each result has its own value of.
    pub across: bool,
}

impl Grouping {
    /// Groups rows by columns, given by full name.
    pub fn new(frame: &Frame, by: &[String]) -> Self {
        let (group, values) = combine(frame, by);
        // A variant fixes every option and the limit: only where the results come from may vary within it.
        let named = |name: &str| by.iter().any(|column| column == name);
        let variant = named(VARIANT);
        let mut rest = if variant { Vec::new() } else { frame.options() };
        // Its parts, where they are laid in, say what the limit says.
        if !variant && frame.has(LIMIT) && !frame.names().iter().any(|name| limits::is_part(name)) {
            rest.push(LIMIT);
        }
        let alone = || !variant && one_each(&group, frame.coded(SOURCE).codes(), values.len());
        let across = frame.has(SOURCE) && (named(SOURCE) || alone());
        if frame.has(SOURCE) && !across {
            rest.push(SOURCE);
        }
        rest.retain(|option| !(named(option) || named(LIMIT) && limits::is_part(option)));
        let rest: Vec<String> = rest.into_iter().map(str::to_owned).collect();
        let (block, blocks) = combine(frame, &rest);
        Self { by: by.to_vec(), values, group, block, blocks, across }
    }

    /// The group that has these values.
    pub fn find(&self, values: &[String]) -> Option<usize> {
        self.values.iter().position(|known| known == values)
    }

    /// The names of the groups: the variant's own, or `policy=always, size=1 MiB`.
    pub fn names(&self) -> Vec<String> {
        let heads = short_names(&self.by);
        let part = |((column, head), value): ((&String, &String), &String)| match (column.as_str(), value.as_str()) {
            (_, "") => None,
            (VARIANT | SOURCE | EXPERIMENT, value) => Some(value.to_owned()),
            (_, value) => Some(format!("{head}={value}")),
        };
        let name = |values: &Vec<String>| {
            let parts: Vec<String> = self.by.iter().zip(&heads).zip(values).filter_map(part).collect();
            if parts.is_empty() { "(none)".to_owned() } else { parts.join(", ") }
        };
        self.values.iter().map(name).collect()
    }

    /// The group that each group is held against: its own values with those of the baseline laid over. None where there is no
    /// such group.
    pub fn references(&self, baseline: &[(usize, String)]) -> Vec<Option<usize>> {
        let places: HashMap<&[String], usize> =
            self.values.iter().enumerate().map(|(at, values)| (values.as_slice(), at)).collect();
        self.values
            .iter()
            .map(|values| {
                let mut expected = values.clone();
                baseline.iter().for_each(|(column, value)| expected[*column].clone_from(value));
                places.get(expected.as_slice()).copied()
            })
            .collect()
    }

    /// Reads a baseline: a group's name, or `column=value` pairs (joined by commas) of columns that groups are told apart by.
    ///
    /// # Errors
    /// When no group is like that, with the groups there are.
    pub fn baseline(&self, text: &str) -> Result<Vec<(usize, String)>, String> {
        if let Some(at) = self.names().iter().position(|name| name == text) {
            return Ok(self.values[at].iter().cloned().enumerate().collect());
        }
        if self.by.len() == 1 && self.values.iter().any(|values| values[0] == text) {
            return Ok(vec![(0, text.to_owned())]);
        }
        let heads = short_names(&self.by);
        let mut pairs = Vec::new();
        for pair in text.split(',') {
            let Some((key, value)) = pair.split_once('=').map(|(key, value)| (key.trim(), value.trim())) else {
                pairs.push(None);
                break;
            };
            let exact = (0..self.by.len()).find(|&at| self.by[at] == key || heads[at] == key);
            let meant: Vec<usize> = match exact {
                Some(at) => vec![at],
                None => (0..self.by.len()).filter(|&at| may_mean(key, &self.by[at])).collect(),
            };
            if meant.len() > 1 {
                let names = meant.iter().map(|&at| format!("`{}`", self.by[at])).collect();
                return Err(format!("--baseline: {}", FrameError::Ambiguous(key.to_owned(), names)));
            }
            let at = meant.first().filter(|at| self.values.iter().any(|values| values[**at] == value));
            pairs.push(at.map(|&at| (at, value.to_owned())));
        }
        pairs.into_iter().collect::<Option<_>>().ok_or_else(|| {
            let names = self.names();
            let hint = crate::experiment::problem::nearest(text, names.iter().map(String::as_str));
            let hint = hint.unwrap_or_else(|| {
                let shown: Vec<String> = names.iter().take(8).map(|name| format!("\"{name}\"")).collect();
                format!("there are {}{}", shown.join(", "), if names.len() > 8 { " and others" } else { "" })
            });
            format!("--baseline: there is no group \"{text}\": {hint}")
        })
    }
}

/// Whether the rows of each group are all of one source.
fn one_each(group: &[u32], source: &[u32], groups: usize) -> bool {
    let mut of = vec![None; groups];
    group.iter().zip(source).all(|(&group, &source)| *of[group as usize].get_or_insert(source) == source)
}

/// The codes of each row's combination of columns, and the combinations.
pub(super) fn combine(frame: &Frame, columns: &[String]) -> (Vec<u32>, Vec<Vec<String>>) {
    // One column after the other: a group so far and the next column's word are a group of both.
    let (mut codes, mut values) = (vec![0; frame.rows()], vec![Vec::new()]);
    if frame.rows() == 0 {
        return (codes, Vec::new());
    }
    for column in columns {
        let words = frame.coded(column);
        let (mut known, mut both) = (HashMap::<(u32, u32), u32>::new(), Vec::new());
        let mut last = ((u32::MAX, u32::MAX), 0);
        for (code, &word) in codes.iter_mut().zip(words.codes()) {
            let pair = (*code, word);
            if last.0 != pair {
                let next = both.len() as u32;
                last = (pair, *known.entry(pair).or_insert(next));
                if last.1 == next {
                    both.push(pair);
                }
            }
            *code = last.1;
        }
        let value = |(group, word): (u32, u32)| {
            let earlier: &Vec<String> = &values[group as usize];
            earlier.iter().chain([&words.list()[word as usize]]).cloned().collect()
        };
        values = both.into_iter().map(value).collect();
    }
    (codes, values)
}

/// Columns by the last part of their paths, or more of them where that would be ambiguous; a `kind` by what it is a kind of.
pub fn short_names(columns: &[String]) -> Vec<String> {
    let tail = |path: &str| {
        let path = path.strip_suffix(".kind").unwrap_or(path);
        path.rsplit('.').next().unwrap_or(path).to_owned()
    };
    columns
        .iter()
        .map(|path| {
            let alone = columns.iter().filter(|other| tail(other) == tail(path)).count() == 1;
            if alone { tail(path) } else { path.clone() }
        })
        .collect()
}

/// The full names of columns given by the user, `,` between them.
///
/// # Errors
/// When one is not there or may be several.
pub fn columns(text: &str, frame: &Frame) -> Result<Vec<String>, FrameError> {
    let mut columns = Vec::new();
    for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let full = frame.resolve(name, Sought::Group)?.to_owned();
        if !columns.contains(&full) {
            columns.push(full);
        }
    }
    Ok(columns)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Two results of which each has its own size and both have both policies: by size they meet, within a policy; by policy each for itself; and where a
    /// third result has a size of another's, none is held against another's.
    #[test]
    fn results_meet_by_what_each_has_its_own_value_of() {
        let rows = |third: &str| {
            let text = "source,table.size,table.policy.kind,variant,position,depth,search.nodes\n\
                        a,1,always,v,p,1,9\na,1,big1,w,p,1,9\nb,2,always,v,p,1,9\nb,2,big1,w,p,1,9\n";
            Frame::parse(format!("{text}{third}").as_bytes(), "rows").unwrap()
        };
        let of = |third: &str, by: &[&str]| {
            let by: Vec<String> = by.iter().map(|name| (*name).to_owned()).collect();
            let found = Grouping::new(&rows(third), &by);
            (found.across, found.blocks)
        };
        let blocks = |list: &[&[&str]]| -> Vec<Vec<String>> {
            list.iter().map(|words| words.iter().map(|word| (*word).to_owned()).collect()).collect()
        };
        let policies = blocks(&[&["always"], &["big1"]]);
        assert_eq!(of("", &["table.size"]), (true, policies.clone()));
        assert!(of("", &["source"]).0);
        assert_eq!(of("", &["table.size", "table.policy.kind"]), (true, blocks(&[&[]])));
        assert_eq!(of("", &["table.policy.kind"]), (false, blocks(&[&["1", "a"], &["2", "b"]])));
        assert_eq!(of("", &["variant"]), (false, blocks(&[&["a"], &["b"]])));
        // Variants that one result alone has meet no other's: they are not of one experiment.
        let apart = "source,variant,position,depth,search.nodes\na,v,p,1,9\nb,w,p,1,9\n";
        let apart = Grouping::new(&Frame::parse(apart.as_bytes(), "rows").unwrap(), &["variant".to_owned()]);
        assert_eq!((apart.across, apart.blocks), (false, blocks(&[&["a"], &["b"]])));
        assert_eq!(of("c,3,always,v,p,1,9\n", &["table.size"]), (true, policies));
        assert!(!of("c,2,always,v,p,1,9\n", &["table.size"]).0);
    }

    /// A group is meant by its name, its value or its pairs; a value that no group has is told with what there is.
    #[test]
    fn a_baseline_is_one_that_there_is() {
        let rows = "table.policy.kind,table.slots,variant,position,depth,search.nodes\nalways,1,a,p,1,9\nbig1,1,b,p,1,9\nbig1,2,c,p,1,9\n";
        let frame = Frame::parse(rows.as_bytes(), "rows").unwrap();
        let by =
            |names: &[&str]| Grouping::new(&frame, &names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        let pair = |at: usize, value: &str| (at, value.to_owned());
        let both = by(&["table.policy.kind", "table.slots"]);
        assert_eq!(both.baseline("slots=2").unwrap(), [pair(1, "2")]);
        assert_eq!(both.baseline("slots=1, policy.kind=big1").unwrap(), [pair(1, "1"), pair(0, "big1")]);
        assert_eq!(by(&["variant"]).baseline("b").unwrap(), [pair(0, "b")]);
        // What may be two columns is neither.
        let two = by(&["table.slots", "table.policy.kind"]);
        assert_eq!(two.baseline("kind=big1").unwrap(), [pair(1, "big1")]);
        let rows = "a.kind,b.kind,variant,position,depth,search.nodes\nx,x,v,p,1,9\nx,y,w,p,1,9\n";
        let frame = Frame::parse(rows.as_bytes(), "rows").unwrap();
        let twice = Grouping::new(&frame, &["a.kind", "b.kind"].map(str::to_owned));
        assert_eq!(
            twice.baseline("kind=x").unwrap_err(),
            "--baseline: `kind` may be `a.kind` or `b.kind`: write it out"
        );
        // A name of its own goes before a value, a value of the one column before pairs.
        let slots = by(&["table.slots"]);
        assert_eq!(slots.baseline("2").unwrap(), [pair(0, "2")]);
        assert_eq!(slots.baseline("slots=2").unwrap(), [pair(0, "2")]);
        for wrong in ["slots=3", "slots=1, policy.kind=big2", "slots", "height=1"] {
            let error = both.baseline(wrong).unwrap_err();
            assert!(error.starts_with(&format!("--baseline: there is no group \"{wrong}\"")), "{error}");
        }
    }

    /// Eight groups are named; of nine the last is among others.
    #[test]
    fn eight_groups_are_named() {
        for (count, others) in [(8, false), (9, true)] {
            let rows: String = (0..count).map(|at| format!("v{at},p,1,9\n")).collect();
            let frame =
                Frame::parse(format!("variant,position,depth,search.nodes\n{rows}").as_bytes(), "rows").unwrap();
            let message = Grouping::new(&frame, &["variant".to_owned()]).baseline("nobody at all").unwrap_err();
            let end = if others { "\"v7\" and others" } else { "\"v7\"" };
            assert!(message.ends_with(end), "{message}");
        }
    }
}
