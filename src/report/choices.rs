//! What a report shows, as the user chose it, and what stands where nothing was chosen.

use crate::analysis::rows::column::SOURCE;
use crate::analysis::rows::filter::{Filter, FilterError};
use crate::analysis::{Baseline, Frame};
use crate::record::columns;
use anyhow::{Result, anyhow};
use std::collections::BTreeSet;

/// What the user chose to see; nothing chosen: nodes by variant against the experiment's baseline.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choices {
    /// Columns to tell groups apart by, `,` between them.
    pub by: Option<String>,
    /// Conditions on rows.
    pub filters: Vec<String>,
    /// The group that others are held against.
    pub baseline: Option<String>,
    /// What is compared.
    pub metrics: Vec<String>,
    /// Whether every line is held against every other.
    pub pairs: bool,
}

impl Choices {
    /// Whether nothing was chosen.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The columns that are spoken of.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let by = self.by.iter().flat_map(|by| by.split(','));
        let filters = self.filters.iter().filter_map(|text| text.split(['=', '!', '<', '>']).next());
        let baseline =
            self.baseline.iter().flat_map(|text| text.split(',')).filter_map(|pair| Some(pair.split_once('=')?.0));
        by.chain(filters).chain(baseline).map(str::trim).filter(|name| !name.is_empty())
    }

    /// The baseline: where variants are told apart, options may name one.
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
        let met = Filter::rows(&filters.collect::<Result<Vec<_>>>()?, rows);
        let codes: BTreeSet<u32> = met.iter().map(|&row| variants.codes()[row]).collect();
        let names: Vec<&String> = codes.iter().map(|&code| &variants.list()[code as usize]).collect();
        match names.as_slice() {
            [] => Ok(Some(Baseline::Text(text.clone()))),
            [only] => Ok(Some(Baseline::Value(columns::VARIANT.to_owned(), (*only).clone()))),
            _ => Err(anyhow!(
                "--baseline: {} variants have {text}: {}\nhelp: name one of them, or tell groups apart --by {}",
                names.len(),
                names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", "),
                pairs.iter().map(|(key, _)| key.trim()).collect::<Vec<_>>().join(",")
            )),
        }
    }
}

/// By variant; where joined results have variants of the same name, by result and variant.
pub(super) fn default_by(rows: &Frame) -> Vec<String> {
    let variant = vec![columns::VARIANT.to_owned()];
    let Some((sources, _)) = rows.words(SOURCE) else { return variant };
    let variants = rows.coded(columns::VARIANT);
    let mut home: std::collections::HashMap<u32, u32> = std::collections::HashMap::new();
    let shared = (0..rows.rows()).any(|row| *home.entry(variants.codes()[row]).or_insert(sources[row]) != sources[row]);
    if shared { vec![SOURCE.to_owned(), columns::VARIANT.to_owned()] } else { variant }
}

/// The experiment's baseline, in the words of the columns that groups are told apart by.
pub(super) fn default_baseline(rows: &Frame, by: &[String], baseline: Option<&String>) -> Baseline {
    if by.iter().any(|column| column == SOURCE) {
        // The same variant of several results: the first result is what the others are held against.
        let first = rows.text(SOURCE, 0).into_owned();
        return Baseline::Value(SOURCE.to_owned(), first);
    }
    let Some(baseline) = baseline else { return Baseline::First };
    if by.iter().any(|column| column == columns::VARIANT) {
        return Baseline::Value(columns::VARIANT.to_owned(), baseline.clone());
    }
    let variants = rows.coded(columns::VARIANT);
    let row = (0..rows.rows()).find(|&row| variants.at(row) == baseline);
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
    fn a_baseline_may_be_named_by_its_options() {
        let by = |name: &str| vec![name.to_owned()];
        let of = |text: &str, by: &[String]| {
            let choices = Choices { baseline: Some(text.to_owned()), ..Choices::default() };
            choices.baseline(&frame(), by).map_err(|error| error.to_string())
        };
        let variant = |name: &str| Ok(Some(Baseline::Value("variant".to_owned(), name.to_owned())));
        let plain = |text: &str| Ok(Some(Baseline::Text(text.to_owned())));
        assert_eq!(Choices::default().baseline(&frame(), &by("variant")).unwrap(), None);
        assert_eq!(of("slots=1", &by("variant")), variant("small"));
        assert_eq!(of(" slots = 1 ", &by("variant")), variant("small"));
        assert_eq!(of("slots=4, policy = random", &by("variant")), variant("two"));
        assert_eq!(of("big", &by("variant")), plain("big"));
        assert_eq!(of("variant=big", &by("variant")), plain("variant=big"));
        assert_eq!(of("variant = big", &by("variant")), plain("variant = big"));
        assert_eq!(of("slots=9", &by("variant")), plain("slots=9"));
        assert_eq!(of("slots=1", &by("table.slots")), plain("slots=1"));
        let two = "--baseline: 2 variants have slots=4: \"big\", \"two\"\nhelp: name one of them, or tell groups apart --by slots";
        assert_eq!(of("slots=4", &by("variant")), Err(two.to_owned()));
        assert_eq!(of("slots = 4", &by("variant")), Err(two.replace("slots=4", "slots = 4")), "blanks mean nothing");
        assert!(of("slotz=4", &by("variant")).is_err_and(|message| message.starts_with("--baseline slotz=4: ")));
        let choices = Choices {
            by: Some("policy, slots".to_owned()),
            filters: ["depth>=3", "size!=1", " x = 2", "<9"].map(str::to_owned).to_vec(),
            baseline: Some("kind=always,plain".to_owned()),
            ..Choices::default()
        };
        assert_eq!(choices.names().collect::<Vec<_>>(), ["policy", "slots", "depth", "size", "x", "kind"]);
        assert!(!choices.is_default() && Choices::default().is_default());
    }

    #[test]
    fn groups_and_baseline_where_nothing_was_chosen() {
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
        // Two results: of one name in both, by result too; of names of their own, by variant alone.
        let (mut other, mut same) = (frame(), frame());
        joined.put(SOURCE, "first");
        other.put_words("variant", |row| format!("other {row}"));
        for (frame, expected) in
            [(&mut other, variant.clone()), (&mut same, vec![SOURCE.to_owned(), "variant".to_owned()])]
        {
            frame.put(SOURCE, "second");
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
