//! What a report shows: the user's choices and their defaults.

use crate::analysis::rows::column::SOURCE;
use crate::analysis::rows::filter::{Filter, FilterError};
use crate::analysis::{Baseline, Frame};
use crate::experiment::File;
use crate::experiment::expect::BaselineValue;
use crate::record::columns;
use anyhow::{Result, anyhow};

/// What the user chose to see. By default a page compares the nodes of each variant with the nodes
/// of the experiment's baseline.
#[derive(Debug, Clone, Default, PartialEq, clap::Args)]
pub struct Choices {
    /// Columns to group by, separated by commas [default: variant]
    #[arg(long, value_name = "COLUMNS")]
    pub by: Option<String>,
    /// Only rows that meet a condition: column, one of = != < <= > >=, value (may be repeated: all
    /// must be met)
    #[arg(long = "where", value_name = "CONDITION")]
    pub filters: Vec<String>,
    /// The group to compare the others with: its name, or column=value
    #[arg(long, value_name = "GROUP")]
    pub baseline: Option<String>,
    /// What to compare: a column or a derived metric (may be repeated) [default: nodes]
    #[arg(long = "metric", value_name = "METRIC")]
    pub metrics: Vec<String>,
    /// Also compare every group with every other one, best first
    #[arg(long)]
    pub pairs: bool,
    /// A table of each metric with a row for each value of this column: depth, or an option that
    /// varies. Its columns are the variants, or the other options, or those of --by
    #[arg(long, value_name = "COLUMN")]
    pub pivot: Option<String>,
}

impl Choices {
    pub(super) fn named_columns(&self) -> impl Iterator<Item = &str> {
        let groupings = self.by.iter().chain(&self.pivot).flat_map(|list| list.split(','));
        let filter_columns = self.filters.iter().filter_map(|filter| filter.split(['=', '!', '<', '>']).next());
        let conditions = self.baseline.iter().flat_map(|list| list.split(',')).filter_map(|pair| pair.split_once('='));
        let baseline_columns = conditions.map(|(column, _)| column);
        groupings.chain(filter_columns).chain(baseline_columns).map(str::trim).filter(|name| !name.is_empty())
    }

    /// If rows are grouped by variant, the user may also give options of the baseline, as in
    /// `slots=4, policy=always`.
    pub(super) fn baseline(&self, rows: &Frame, by: &[String]) -> Result<Option<Baseline>> {
        let Some(text) = &self.baseline else { return Ok(None) };
        let named_group = Ok(Some(Baseline::Text(text.clone())));
        if by != [columns::VARIANT] || rows.text_column(columns::VARIANT).list().contains(text) {
            return named_group;
        }
        let mut options = Vec::new();
        for pair in text.split(',') {
            match pair.split_once('=').map(|(column, value)| (column.trim(), value.trim())) {
                Some((column, value)) if column != columns::VARIANT => options.push((column, value)),
                _ => return named_group,
            }
        }
        let parsed_filters = options.iter().map(|(column, value)| {
            Filter::parse(&format!("{column}={value}"), rows).map_err(|error| match error {
                // The message of the whole error begins with `--where`, so only the reason is used.
                FilterError::Column(_, reason) => anyhow!("--baseline {text}: {reason}"),
                error => anyhow!("--baseline {text}: {error}"),
            })
        });
        let filters = parsed_filters.collect::<Result<Vec<_>>>()?;
        if Filter::select_rows(&filters, rows).is_empty() {
            // The caller reports that no group has this name.
            return named_group;
        }
        let condition =
            filters.iter().zip(&options).map(|(filter, (_, value))| (filter.column().to_owned(), (*value).to_owned()));
        Ok(Some(Baseline::Condition(condition.collect())))
    }
}

/// Rows are grouped by variant, or by result and variant if a variant of the same name is in
/// several joined results.
pub(super) fn default_by(rows: &Frame) -> Vec<String> {
    let variant = vec![columns::VARIANT.to_owned()];
    let [sources, variants] = [SOURCE, columns::VARIANT].map(|name| rows.text_column(name));
    let mut first_sources = std::collections::HashMap::new();
    let is_shared = (0..rows.rows()).any(|row| {
        let source = sources.codes().get(row);
        *first_sources.entry(variants.codes().get(row)).or_insert(source) != source
    });
    if is_shared { vec![SOURCE.to_owned(), columns::VARIANT.to_owned()] } else { variant }
}

/// An option that is the same in all rows has no column and is left out. The list is empty if the
/// file names a variant or no baseline.
pub(super) fn file_condition(rows: &Frame, file: Option<&File>) -> Vec<(String, String)> {
    let Some(file) = file else { return Vec::new() };
    if file.baseline.contains_key(columns::VARIANT) {
        return Vec::new();
    }
    let options = rows.options();
    let column_and_value = |(path, value): (&String, &BaselineValue)| {
        let exact_match = options.iter().find(|option| *option == path);
        let column = exact_match.or_else(|| options.iter().find(|option| columns::refers_to(path, option)))?;
        Some(((*column).to_owned(), value.to_string()))
    };
    file.baseline.iter().filter_map(column_and_value).collect()
}

/// If rows are grouped by result, the baseline is the first result. If the file gives a
/// `condition`, the baseline consists of the groups that meet the condition. Otherwise the baseline
/// consists of the groups that have the same values as the `variant` that the file names.
///
/// The second value is true if the file names a baseline that no group has. In this case the
/// baseline is the first group.
pub(super) fn default_baseline(
    rows: &Frame,
    by: &[String],
    variant: Option<&String>,
    condition: Vec<(String, String)>,
) -> (Baseline, bool) {
    if by.iter().any(|column| column == SOURCE) {
        // Each variant is compared with itself in the first result.
        return (Baseline::value(SOURCE, &rows.text(SOURCE, 0)), false);
    }
    let is_by_variant = by.iter().any(|column| column == columns::VARIANT);
    if !condition.is_empty() {
        let meets_condition =
            |row: usize| condition.iter().all(|(column, value)| rows.text_column(column).text(row) == value);
        // A condition on a column that is not in `by` could hold for only a part of a group, unless
        // the groups are variants.
        let selects_groups = is_by_variant || condition.iter().all(|(column, _)| by.contains(column));
        let is_usable = selects_groups && (0..rows.rows()).any(meets_condition);
        return if is_usable { (Baseline::Condition(condition), false) } else { (Baseline::First, true) };
    }
    let Some(variant) = variant else { return (Baseline::First, false) };
    let variants = rows.text_column(columns::VARIANT);
    let variant_rows: Vec<usize> = rows.select(|row| variants.text(row) == variant);
    if variant_rows.is_empty() {
        return (Baseline::First, true);
    }
    if is_by_variant {
        return (Baseline::value(columns::VARIANT, variant), false);
    }
    // The columns in which all rows of the variant have the same value.
    let common_values = by.iter().filter_map(|column| {
        let texts = rows.text_column(column);
        let value = texts.text(variant_rows[0]);
        variant_rows.iter().all(|&row| texts.text(row) == value).then(|| (column.clone(), value.to_owned()))
    });
    let common_values: Vec<(String, String)> = common_values.collect();
    if common_values.is_empty() { (Baseline::First, false) } else { (Baseline::Values(common_values), false) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> Frame {
        let text = "variant,position,depth,table.slots,table.policy.kind,search.nodes\n\
            small,p,1,1,always,1\nbig,p,1,4,always,1\ntwo,p,1,4,random,1\n";
        Frame::parse(text.as_bytes(), "t").unwrap()
    }

    #[test]
    fn baseline_can_be_named_by_options() {
        let by = |name: &str| vec![name.to_owned()];
        let baseline = |text: &str, by: &[String]| {
            let choices = Choices { baseline: Some(text.to_owned()), ..Choices::default() };
            choices.baseline(&frame(), by).map_err(|error| error.to_string())
        };
        let condition = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(column, value)| ((*column).to_owned(), (*value).to_owned()));
            Ok(Some(Baseline::Condition(pairs.collect())))
        };
        let plain = |text: &str| Ok(Some(Baseline::Text(text.to_owned())));
        assert_eq!(Choices::default().baseline(&frame(), &by("variant")).unwrap(), None);
        let slots = |value: &str| condition(&[("table.slots", value)]);
        assert_eq!(baseline("slots=1", &by("variant")), slots("1"));
        assert_eq!(baseline(" slots = 4 ", &by("variant")), slots("4"));
        let both = condition(&[("table.slots", "4"), ("table.policy.kind", "random")]);
        assert_eq!(baseline("slots=4, policy = random", &by("variant")), both);
        assert_eq!(baseline("big", &by("variant")), plain("big"));
        assert_eq!(baseline("variant=big", &by("variant")), plain("variant=big"));
        assert_eq!(baseline("variant = big", &by("variant")), plain("variant = big"));
        assert_eq!(baseline("slots=9", &by("variant")), plain("slots=9"));
        assert_eq!(baseline("slots=1", &by("table.slots")), plain("slots=1"));
        assert!(baseline("slotz=4", &by("variant")).is_err_and(|message| message.starts_with("--baseline slotz=4: ")));
        let choices = Choices {
            by: Some("policy, slots".to_owned()),
            filters: ["depth>=3", "size!=1", " x = 2", "<9"].map(str::to_owned).to_vec(),
            baseline: Some("kind=always,plain".to_owned()),
            ..Choices::default()
        };
        assert_eq!(choices.named_columns().collect::<Vec<_>>(), ["policy", "slots", "depth", "size", "x", "kind"]);
    }

    #[test]
    fn defaults_depend_on_results_and_columns() {
        let (variant, slots) = (vec!["variant".to_owned()], vec!["table.slots".to_owned()]);
        let mut joined = frame();
        assert_eq!(default_by(&joined), variant);
        let (big, none) = ("big".to_owned(), "none".to_owned());
        let default = |by: &[String], name: Option<&String>| default_baseline(&frame(), by, name, Vec::new());
        assert_eq!(default(&variant, None), (Baseline::First, false));
        assert_eq!(default(&variant, Some(&big)), (Baseline::value("variant", "big"), false));
        assert_eq!(default(&slots, Some(&big)), (Baseline::value("table.slots", "4"), false));
        assert_eq!(default(&slots, Some(&none)), (Baseline::First, true));
        let both = [slots[0].clone(), "table.policy.kind".to_owned()];
        let values = [("table.slots", "4"), ("table.policy.kind", "always")];
        let owned = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(column, value)| ((*column).to_owned(), (*value).to_owned())).collect()
        };
        assert_eq!(default(&both, Some(&big)), (Baseline::Values(owned(&values)), false));
        // A condition needs its columns, and rows that meet it.
        let on = |by: &[String], pairs: &[(&str, &str)]| default_baseline(&frame(), by, Some(&big), owned(pairs));
        for by in [&variant[..], &both[..]] {
            assert_eq!(on(by, &values[..1]), (Baseline::Condition(owned(&values[..1])), false));
        }
        assert_eq!(on(&slots, &values), (Baseline::First, true));
        assert_eq!(on(&variant, &[("table.slots", "9")]), (Baseline::First, true));
        // Two results that share names are grouped by result too; with names of their own, by
        // variant alone.
        let (mut other, mut same) = (frame(), frame());
        joined.set_word(SOURCE, "first");
        other.set_texts("variant", |row| format!("other {row}"));
        for (frame, expected) in
            [(&mut other, variant.clone()), (&mut same, vec![SOURCE.to_owned(), "variant".to_owned()])]
        {
            frame.set_word(SOURCE, "second");
            let mut both = joined.clone();
            both.append(frame.clone());
            assert_eq!(default_by(&both), expected);
            assert_eq!(
                default_baseline(&both, &[SOURCE.to_owned(), "variant".to_owned()], Some(&big), Vec::new()),
                (Baseline::value(SOURCE, "first"), false)
            );
        }
    }
}
