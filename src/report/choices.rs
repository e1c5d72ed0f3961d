//! What a report shows: the user's choices and their defaults.

use crate::analysis::rows::column::SOURCE;
use crate::analysis::rows::filter::{Filter, FilterError};
use crate::analysis::{Baseline, Frame};
use crate::record::columns;
use anyhow::{Result, anyhow};
use std::collections::BTreeSet;

/// What the user chose to see. By default: nodes by variant against the experiment's baseline.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choices {
    /// Columns to group by, comma-separated.
    pub by: Option<String>,
    /// Conditions that rows must meet.
    pub filters: Vec<String>,
    /// The group to compare with.
    pub baseline: Option<String>,
    /// Names of the metrics to compare.
    pub metrics: Vec<String>,
    /// Whether to compare every line with every other.
    pub pairs: bool,
}

impl Choices {
    /// Whether the user chose nothing.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The columns that the choices name.
    pub(super) fn named_columns(&self) -> impl Iterator<Item = &str> {
        let by = self.by.iter().flat_map(|by| by.split(','));
        let filters = self.filters.iter().filter_map(|text| text.split(['=', '!', '<', '>']).next());
        let baseline =
            self.baseline.iter().flat_map(|text| text.split(',')).filter_map(|pair| Some(pair.split_once('=')?.0));
        by.chain(filters).chain(baseline).map(str::trim).filter(|name| !name.is_empty())
    }

    /// The baseline. If rows are grouped by variant, options may identify it.
    pub(super) fn baseline(&self, rows: &Frame, by: &[String]) -> Result<Option<Baseline>> {
        let Some(text) = &self.baseline else { return Ok(None) };
        let variants = rows.coded(columns::VARIANT);
        let pairs: Option<Vec<(&str, &str)>> = text.split(',').map(|pair| pair.split_once('=')).collect();
        let pairs = pairs.filter(|pairs| {
            by == [columns::VARIANT]
                && !variants.list().contains(text)
                && pairs.iter().all(|(key, _)| key.trim() != columns::VARIANT)
        });
        let Some(pairs) = pairs else { return Ok(Some(Baseline::Text(text.clone()))) };
        let filters = pairs.iter().map(|(key, value)| {
            Filter::parse(&format!("{}={}", key.trim(), value.trim()), rows).map_err(|error| match error {
                FilterError::Column(_, error) => anyhow!("--baseline {text}: {error}"),
                error => anyhow!("--baseline {text}: {error}"),
            })
        });
        let matching = Filter::select_rows(&filters.collect::<Result<Vec<_>>>()?, rows);
        let codes: BTreeSet<u32> = matching.iter().map(|&row| variants.codes()[row]).collect();
        let names: Vec<&String> = codes.iter().map(|&code| &variants.list()[code as usize]).collect();
        match names.as_slice() {
            [] => Ok(Some(Baseline::Text(text.clone()))),
            [only] => Ok(Some(Baseline::Value(columns::VARIANT.to_owned(), (*only).clone()))),
            _ => Err(anyhow!(
                "--baseline: {} variants have {text}: {}\nhelp: name one of them, or group with --by {}",
                names.len(),
                names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", "),
                pairs.iter().map(|(key, _)| key.trim()).collect::<Vec<_>>().join(",")
            )),
        }
    }
}

/// The default grouping: by variant; if joined results share a variant's name, by result and
/// variant.
pub(super) fn default_by(rows: &Frame) -> Vec<String> {
    let variant = vec![columns::VARIANT.to_owned()];
    let Some((sources, _)) = rows.words(SOURCE) else { return variant };
    let variants = rows.coded(columns::VARIANT);
    let mut first_source: std::collections::HashMap<u32, u32> = std::collections::HashMap::new();
    let ambiguous =
        (0..rows.rows()).any(|row| *first_source.entry(variants.codes()[row]).or_insert(sources[row]) != sources[row]);
    if ambiguous { vec![SOURCE.to_owned(), columns::VARIANT.to_owned()] } else { variant }
}

/// The default baseline, in terms of the columns that rows are grouped by.
pub(super) fn default_baseline(rows: &Frame, by: &[String], baseline: Option<&String>) -> Baseline {
    if by.iter().any(|column| column == SOURCE) {
        // Compare the same variant across results with the first result.
        let first = rows.text(SOURCE, 0).into_owned();
        return Baseline::Value(SOURCE.to_owned(), first);
    }
    let Some(baseline) = baseline else { return Baseline::First };
    if by.iter().any(|column| column == columns::VARIANT) {
        return Baseline::Value(columns::VARIANT.to_owned(), baseline.clone());
    }
    let variants = rows.coded(columns::VARIANT);
    let row = (0..rows.rows()).find(|&row| variants.word(row) == baseline);
    match (row, by) {
        (Some(row), [only]) => Baseline::Value(only.clone(), rows.text(only, row).into_owned()),
        _ => Baseline::First,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
        let variant = |name: &str| Ok(Some(Baseline::Value("variant".to_owned(), name.to_owned())));
        let plain = |text: &str| Ok(Some(Baseline::Text(text.to_owned())));
        assert_eq!(Choices::default().baseline(&frame(), &by("variant")).unwrap(), None);
        assert_eq!(baseline("slots=1", &by("variant")), variant("small"));
        assert_eq!(baseline(" slots = 1 ", &by("variant")), variant("small"));
        assert_eq!(baseline("slots=4, policy = random", &by("variant")), variant("two"));
        assert_eq!(baseline("big", &by("variant")), plain("big"));
        assert_eq!(baseline("variant=big", &by("variant")), plain("variant=big"));
        assert_eq!(baseline("variant = big", &by("variant")), plain("variant = big"));
        assert_eq!(baseline("slots=9", &by("variant")), plain("slots=9"));
        assert_eq!(baseline("slots=1", &by("table.slots")), plain("slots=1"));
        let two =
            "--baseline: 2 variants have slots=4: \"big\", \"two\"\nhelp: name one of them, or group with --by slots";
        assert_eq!(baseline("slots=4", &by("variant")), Err(two.to_owned()));
        assert_eq!(
            baseline("slots = 4", &by("variant")),
            Err(two.replace("slots=4", "slots = 4")),
            "blanks mean nothing"
        );
        assert!(baseline("slotz=4", &by("variant")).is_err_and(|message| message.starts_with("--baseline slotz=4: ")));
        let choices = Choices {
            by: Some("policy, slots".to_owned()),
            filters: ["depth>=3", "size!=1", " x = 2", "<9"].map(str::to_owned).to_vec(),
            baseline: Some("kind=always,plain".to_owned()),
            ..Choices::default()
        };
        assert_eq!(choices.named_columns().collect::<Vec<_>>(), ["policy", "slots", "depth", "size", "x", "kind"]);
        assert!(!choices.is_default() && Choices::default().is_default());
    }

    #[test]
    fn defaults_depend_on_results_and_columns() {
        let (variant, slots) = (vec!["variant".to_owned()], vec!["table.slots".to_owned()]);
        let mut joined = frame();
        assert_eq!(default_by(&joined), variant);
        let value = |column: &str, value: &str| Baseline::Value(column.to_owned(), value.to_owned());
        let big = "big".to_owned();
        assert_eq!(default_baseline(&joined, &variant, None), Baseline::First);
        assert_eq!(default_baseline(&joined, &variant, Some(&big)), value("variant", "big"));
        assert_eq!(default_baseline(&joined, &slots, Some(&big)), value("table.slots", "4"));
        assert_eq!(default_baseline(&joined, &slots, Some(&"none".to_owned())), Baseline::First);
        assert_eq!(default_baseline(&joined, &[slots[0].clone(), "depth".to_owned()], Some(&big)), Baseline::First);
        // Two results that share names are grouped by result too; with names of their own, by
        // variant alone.
        let (mut other, mut same) = (frame(), frame());
        joined.set_word(SOURCE, "first");
        other.set_words("variant", |row| format!("other {row}"));
        for (frame, expected) in
            [(&mut other, variant.clone()), (&mut same, vec![SOURCE.to_owned(), "variant".to_owned()])]
        {
            frame.set_word(SOURCE, "second");
            let mut both = joined.clone();
            both.append(frame);
            assert_eq!(default_by(&both), expected);
            assert_eq!(
                default_baseline(&both, &[SOURCE.to_owned(), "variant".to_owned()], Some(&big)),
                value(SOURCE, "first")
            );
        }
    }
}
