//! Groups rows by variant, or by any other columns. The groups are compared with each other.

use super::column::{Codes, SOURCE};
use super::frame::{Frame, FrameError, Lookup};
use super::limits;
use crate::experiment::baseline::{OptionValues, Partners};
use crate::record::columns::{EXPERIMENT, LIMIT, VARIANT, refers_to};
use foldhash::fast::RandomState;
use std::collections::HashMap;

#[derive(Debug, Clone, Default)]
pub struct Grouping {
    pub by: Vec<String>,
    /// The values of each group in the columns `by`. Groups are in the order of their first rows.
    pub values: Vec<Vec<String>>,
    pub group: Vec<u32>,
    /// The index of each row's block. All rows of a block have the same values of the options that
    /// vary within groups. Searches are paired only within a block.
    pub block: Vec<u32>,
    pub blocks: Vec<Vec<String>>,
    /// Whether searches of different joined results are paired. This is so if rows are grouped by
    /// source, or if all rows of each group come from a single result.
    pub pairs_sources: bool,
}

impl Grouping {
    /// Groups rows by the columns whose full names are in `by`, and assigns the rows to blocks.
    pub fn new(frame: &Frame, by: &[String]) -> Self {
        let (group, group_values) = combine(frame, by);
        // All rows of a variant have the same options and the same limit. Only the source may vary.
        let groups_by = |name: &str| by.iter().any(|column| column == name);
        let by_variant = groups_by(VARIANT);
        let mut block_columns = if by_variant { Vec::new() } else { frame.options() };
        // The column `limit` is not needed if the parts of the limit are separate columns.
        if !by_variant && frame.has(LIMIT) && !frame.names().iter().any(|name| limits::is_part(name)) {
            block_columns.push(LIMIT);
        }
        let has_one_source =
            || !by_variant && has_one_source_per_group(&group, frame.text_column(SOURCE).codes(), group_values.len());
        let pairs_sources = frame.has(SOURCE) && (groups_by(SOURCE) || has_one_source());
        if frame.has(SOURCE) && !pairs_sources {
            block_columns.push(SOURCE);
        }
        let is_covered = |option: &str| groups_by(option) || groups_by(LIMIT) && limits::is_part(option);
        block_columns.retain(|option| !is_covered(option));
        let block_columns: Vec<String> = block_columns.into_iter().map(str::to_owned).collect();
        let (block, blocks) = combine(frame, &block_columns);
        Self { by: by.to_vec(), values: group_values, group, block, blocks, pairs_sources }
    }

    pub fn find(&self, values: &[String]) -> Option<usize> {
        self.values.iter().position(|existing| existing == values)
    }

    /// The name of a group lists its values, as in `policy=always, size=1 MiB`. Variants, sources
    /// and experiments are listed without the name of the column.
    pub fn names(&self) -> Vec<String> {
        let short_names = short_names(&self.by);
        let describe_value =
            |((column, short_name), value): ((&String, &String), &String)| match (column.as_str(), value.as_str()) {
                (_, "") => None,
                (VARIANT | SOURCE | EXPERIMENT, value) => Some(value.to_owned()),
                (_, value) => Some(format!("{short_name}={value}")),
            };
        let join_parts = |values: &Vec<String>| {
            let parts: Vec<String> = self.by.iter().zip(&short_names).zip(values).filter_map(describe_value).collect();
            if parts.is_empty() { "(none)".to_owned() } else { parts.join(", ") }
        };
        self.values.iter().map(join_parts).collect()
    }

    /// `baseline_values` lists columns, by their index in `by`, and the baseline's values in these
    /// columns. In all other columns, the baseline has the same values as the group.
    pub fn baselines_with_values(&self, baseline_values: &[(usize, String)]) -> Vec<Option<usize>> {
        let index_by_values: HashMap<&[String], usize> =
            self.values.iter().enumerate().map(|(index, values)| (values.as_slice(), index)).collect();
        self.values
            .iter()
            .map(|values| {
                let mut all_baseline_values = values.clone();
                for (column_index, value) in baseline_values {
                    all_baseline_values[*column_index].clone_from(value);
                }
                index_by_values.get(all_baseline_values.as_slice()).copied()
            })
            .collect()
    }

    /// Finds the baseline of each group. A group is a baseline if its options meet the condition.
    /// Returns the index of each group's baseline, and for each group a description of the
    /// values that the group shares with its baseline.
    ///
    /// # Errors
    /// If two groups that meet the condition do not differ in any other option.
    pub fn find_baselines(
        &self,
        frame: &Frame,
        condition: &[(String, String)],
    ) -> Result<(Vec<Option<usize>>, Vec<String>), String> {
        let mut columns: Vec<&str> = self.by.iter().map(String::as_str).collect();
        if columns.contains(&VARIANT) {
            columns.retain(|column| *column != VARIANT);
            columns.extend(frame.options());
            // If the parts of the limit are separate columns, they are already among the options.
            if !frame.names().iter().any(|name| limits::is_part(name)) {
                columns.push(LIMIT);
            }
        }
        let mut group_options = vec![OptionValues::new(); self.values.len()];
        let mut first_rows = vec![0; self.values.len()];
        // Rows are visited in reverse, so that the first row of each group is stored last.
        (0..frame.rows()).rev().for_each(|row| first_rows[self.group[row] as usize] = row);
        for column in columns {
            let texts = frame.text_column(column);
            for (options, &row) in group_options.iter_mut().zip(&first_rows) {
                let value = texts.text(row);
                if !value.is_empty() {
                    options.insert(column.to_owned(), value.to_owned());
                }
            }
        }
        let Partners { baselines, group_columns } =
            Partners::find(&group_options, condition).map_err(|[first, second]| {
                let names = self.names();
                format!(
                    "baseline: \"{}\" and \"{}\" both meet the condition and are in the same group\nhelp: name one of \
                 them with --baseline",
                    names[first], names[second]
                )
            })?;
        let describe_shared = |options: &OptionValues| {
            let column_value = |column: &String| (column.clone(), options.get(column).cloned().unwrap_or_default());
            describe_group(&group_columns.iter().map(column_value).collect::<Vec<_>>())
        };
        let descriptions = group_options.iter().map(describe_shared).collect();
        Ok((baselines, descriptions))
    }

    /// Rows without a value of the option are ignored. An option is returned only if rows are
    /// grouped by the option or by variant.
    pub fn differing_options(&self, frame: &Frame, options: &[&str]) -> Vec<String> {
        let differs = |option: &&&str| {
            let texts = frame.text_column(option);
            let has_option = |row: &usize| !texts.text(*row).is_empty();
            let mut groups_and_values =
                (0..frame.rows()).filter(has_option).map(|row| (self.group[row], texts.text(row)));
            let is_grouped_by = self.by.iter().any(|by| by == VARIANT || by == **option);
            is_grouped_by
                && groups_and_values.next().is_some_and(|(first_group, first_value)| {
                    groups_and_values.any(|(group, value)| group != first_group && value != first_value)
                })
        };
        options.iter().filter(differs).map(|option| (*option).to_owned()).collect()
    }

    /// Parses the user's description of a baseline. The text is the name of a group, or a list of
    /// `column=value` pairs separated by commas. If there is only one grouping column, the text may
    /// also be a value of this column. Returns the index in `by` and the value of each column that
    /// the text specifies.
    ///
    /// # Errors
    /// If no group matches, or if the name of a column is ambiguous.
    pub fn parse_baseline(&self, text: &str) -> Result<Vec<(usize, String)>, String> {
        const MAX_LISTED: usize = 8;
        if let Some(index) = self.names().iter().position(|name| name == text) {
            return Ok(self.values[index].iter().cloned().enumerate().collect());
        }
        if self.by.len() == 1 && self.values.iter().any(|values| values[0] == text) {
            return Ok(vec![(0, text.to_owned())]);
        }
        let short_names = short_names(&self.by);
        // The index and the value of each column in the text. `None` if a pair cannot be parsed, or
        // if no group has the value.
        let mut pairs = Vec::new();
        for pair in text.split(',') {
            let Some((key, value)) = pair.split_once('=').map(|(key, value)| (key.trim(), value.trim())) else {
                pairs.push(None);
                break;
            };
            let exact_match = (0..self.by.len()).find(|&index| self.by[index] == key || short_names[index] == key);
            let matching_columns: Vec<usize> = match exact_match {
                Some(index) => vec![index],
                None => (0..self.by.len()).filter(|&index| refers_to(key, &self.by[index])).collect(),
            };
            if matching_columns.len() > 1 {
                let names = matching_columns.iter().map(|&index| format!("`{}`", self.by[index])).collect();
                return Err(format!("--baseline: {}", FrameError::Ambiguous(key.to_owned(), names)));
            }
            let has_value = |index: &&usize| self.values.iter().any(|values| values[**index] == value);
            pairs.push(matching_columns.first().filter(has_value).map(|&index| (index, value.to_owned())));
        }
        pairs.into_iter().collect::<Option<_>>().ok_or_else(|| {
            let names = self.names();
            let hint = crate::experiment::problem::nearest(text, names.iter().map(String::as_str));
            let hint = hint.unwrap_or_else(|| {
                let listed: Vec<String> = names.iter().take(MAX_LISTED).map(|name| format!("\"{name}\"")).collect();
                format!("expected {}{}", listed.join(", "), if names.len() > MAX_LISTED { " or others" } else { "" })
            });
            format!("--baseline: there is no group \"{text}\": {hint}")
        })
    }
}

/// Describes the values of columns for a sentence, as in `64 KiB, slots=2`. Sizes with a unit,
/// variants, sources and experiments are described without the name of the column.
pub fn describe_group(pairs: &[(String, String)]) -> String {
    let (columns, values): (Vec<String>, Vec<&String>) =
        pairs.iter().map(|(column, value)| (column.clone(), value)).unzip();
    let describe_value = |((column, short_name), value): ((&String, String), &&String)| {
        let is_size = column == "table.size" && value.contains(' ');
        let needs_no_name = is_size || matches!(column.as_str(), VARIANT | SOURCE | EXPERIMENT);
        if needs_no_name { (*value).clone() } else { format!("{short_name}={value}") }
    };
    let named_values = columns.iter().zip(short_names(&columns)).zip(&values).filter(|(_, value)| !value.is_empty());
    named_values.map(describe_value).collect::<Vec<_>>().join(", ")
}

/// Whether all rows of each group come from one source. `row_groups` and `row_sources` contain the
/// group and the source of each row.
fn has_one_source_per_group(row_groups: &[u32], row_sources: &Codes, group_count: usize) -> bool {
    let mut source_of_group = vec![None; group_count];
    row_groups
        .iter()
        .zip(row_sources.iter())
        .all(|(&group, source)| *source_of_group[group as usize].get_or_insert(source) == source)
}

/// Finds the combinations of values that rows have in some columns. Returns the index of each row's
/// combination, and the combinations in the order of their first rows.
pub fn combine(frame: &Frame, columns: &[String]) -> (Vec<u32>, Vec<Vec<String>>) {
    // A code stands for a combination of values. Columns are added one by one. Each pair of a
    // previous code and a text of the added column gets a new code.
    let (mut codes, mut values) = (vec![0; frame.rows()], vec![Vec::new()]);
    if frame.rows() == 0 {
        return (codes, Vec::new());
    }
    for column in columns {
        let texts = frame.text_column(column);
        let (mut codes_of_pairs, mut pairs) = (HashMap::<_, u32, RandomState>::default(), Vec::new());
        // Successive rows are mostly equal. No row has the first of these pairs.
        let mut last = ((u32::MAX, u32::MAX), 0);
        for (code, text_code) in codes.iter_mut().zip(texts.codes().iter()) {
            let pair = (*code, text_code);
            if last.0 != pair {
                last = (pair, *codes_of_pairs.entry(pair).or_insert(pairs.len() as u32));
                pairs.extend((last.1 as usize == pairs.len()).then_some(pair));
            }
            *code = last.1;
        }
        let combine_values = |(code, text_code): (u32, u32)| {
            let earlier_values: &Vec<String> = &values[code as usize];
            earlier_values.iter().chain([&texts.list()[text_code as usize]]).cloned().collect()
        };
        values = pairs.into_iter().map(combine_values).collect();
    }
    (codes, values)
}

/// The short name is the last part of the column's path, or the whole path if several columns have
/// the same last part. A final `.kind` is ignored when the last part is determined.
pub fn short_names(columns: &[String]) -> Vec<String> {
    let last_part = |path: &str| {
        let path = path.strip_suffix(".kind").unwrap_or(path);
        path.rsplit('.').next().unwrap_or(path).to_owned()
    };
    columns
        .iter()
        .map(|path| {
            let is_unique = columns.iter().filter(|other| last_part(other) == last_part(path)).count() == 1;
            if is_unique { last_part(path) } else { path.clone() }
        })
        .collect()
}

/// Splits a text at commas and resolves each part to the full name of a column.
///
/// # Errors
/// If a name is unknown or ambiguous.
pub fn resolve_columns(text: &str, frame: &Frame) -> Result<Vec<String>, FrameError> {
    let mut columns = Vec::new();
    for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let full_name = frame.resolve(name, Lookup::Group)?.to_owned();
        if !columns.contains(&full_name) {
            columns.push(full_name);
        }
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two results have one size each and both policies. If they are grouped by size, searches are
    /// paired across results within a policy; if they are grouped by policy, searches are paired
    /// only within each result. If a third result shares a size with another, results are not
    /// paired.
    #[test]
    fn results_are_paired_if_each_group_comes_from_one_result() {
        let make_frame = |third: &str| {
            let text = "source,table.size,table.policy.kind,variant,position,depth,search.nodes\n\
                        a,1,always,v,p,1,9\na,1,big1,w,p,1,9\nb,2,always,v,p,1,9\nb,2,big1,w,p,1,9\n";
            Frame::parse(format!("{text}{third}").as_bytes(), "rows").unwrap()
        };
        let group_rows = |third: &str, by: &[&str]| {
            let by: Vec<String> = by.iter().map(|name| (*name).to_owned()).collect();
            let grouping = Grouping::new(&make_frame(third), &by);
            (grouping.pairs_sources, grouping.blocks)
        };
        let to_blocks = |list: &[&[&str]]| -> Vec<Vec<String>> {
            list.iter().map(|words| words.iter().map(|word| (*word).to_owned()).collect()).collect()
        };
        let policies = to_blocks(&[&["always"], &["big1"]]);
        assert_eq!(group_rows("", &["table.size"]), (true, policies.clone()));
        assert!(group_rows("", &["source"]).0);
        assert_eq!(group_rows("", &["table.size", "table.policy.kind"]), (true, to_blocks(&[&[]])));
        assert_eq!(group_rows("", &["table.policy.kind"]), (false, to_blocks(&[&["1", "a"], &["2", "b"]])));
        assert_eq!(group_rows("", &["variant"]), (false, to_blocks(&[&["a"], &["b"]])));
        // Variants that only one result has are not paired with another result's: experiments
        // differ.
        let other_variants = "source,variant,position,depth,search.nodes\na,v,p,1,9\nb,w,p,1,9\n";
        let other_variants =
            Grouping::new(&Frame::parse(other_variants.as_bytes(), "rows").unwrap(), &["variant".to_owned()]);
        assert_eq!((other_variants.pairs_sources, other_variants.blocks), (false, to_blocks(&[&["a"], &["b"]])));
        assert_eq!(group_rows("c,3,always,v,p,1,9\n", &["table.size"]), (true, policies));
        assert!(!group_rows("c,2,always,v,p,1,9\n", &["table.size"]).0);
    }

    /// A baseline is a group's name, its value or its pairs; an unknown value is an error that
    /// lists the groups.
    #[test]
    fn baseline_must_match_a_group() {
        let rows = "table.policy.kind,table.slots,variant,position,depth,search.nodes\nalways,1,a,p,1,9\nbig1,1,b,p,1,9\nbig1,2,c,p,1,9\n";
        let frame = Frame::parse(rows.as_bytes(), "rows").unwrap();
        let group_by =
            |names: &[&str]| Grouping::new(&frame, &names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        let pair = |index: usize, value: &str| (index, value.to_owned());
        let by_both = group_by(&["table.policy.kind", "table.slots"]);
        assert_eq!(by_both.parse_baseline("slots=2").unwrap(), [pair(1, "2")]);
        assert_eq!(by_both.parse_baseline("slots=1, policy.kind=big1").unwrap(), [pair(1, "1"), pair(0, "big1")]);
        assert_eq!(group_by(&["variant"]).parse_baseline("b").unwrap(), [pair(0, "b")]);
        // An ambiguous column is refused.
        let reversed = group_by(&["table.slots", "table.policy.kind"]);
        assert_eq!(reversed.parse_baseline("kind=big1").unwrap(), [pair(1, "big1")]);
        let rows = "a.kind,b.kind,variant,position,depth,search.nodes\nx,x,v,p,1,9\nx,y,w,p,1,9\n";
        let frame = Frame::parse(rows.as_bytes(), "rows").unwrap();
        let by_two_kinds = Grouping::new(&frame, &["a.kind", "b.kind"].map(str::to_owned));
        assert_eq!(
            by_two_kinds.parse_baseline("kind=x").unwrap_err(),
            "--baseline: `kind` is ambiguous (`a.kind` or `b.kind`): write the full name"
        );
        // A group's name has precedence over a value, and a value over pairs.
        let slots = group_by(&["table.slots"]);
        assert_eq!(slots.parse_baseline("2").unwrap(), [pair(0, "2")]);
        assert_eq!(slots.parse_baseline("slots=2").unwrap(), [pair(0, "2")]);
        for wrong in ["slots=3", "slots=1, policy.kind=big2", "slots", "height=1"] {
            let error = by_both.parse_baseline(wrong).unwrap_err();
            assert!(error.starts_with(&format!("--baseline: there is no group \"{wrong}\"")), "{error}");
        }
    }

    /// Up to eight groups are listed; the ninth becomes "or others".
    #[test]
    fn unknown_baseline_lists_eight_groups() {
        for (count, has_others) in [(8, false), (9, true)] {
            let rows: String = (0..count).map(|index| format!("v{index},p,1,9\n")).collect();
            let frame =
                Frame::parse(format!("variant,position,depth,search.nodes\n{rows}").as_bytes(), "rows").unwrap();
            let message = Grouping::new(&frame, &["variant".to_owned()]).parse_baseline("nobody at all").unwrap_err();
            let end = if has_others { "\"v7\" or others" } else { "\"v7\"" };
            assert!(message.ends_with(end), "{message}");
        }
    }
}
