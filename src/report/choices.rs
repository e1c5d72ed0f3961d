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
    #[must_use]
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
        let Some(pairs) = pairs.filter(|pairs| {
            by == [columns::VARIANT]
                && !variants.list().contains(text)
                && pairs.iter().all(|(key, _)| key.trim() != columns::VARIANT)
        }) else {
            return Ok(Some(Baseline::Text(text.clone())));
        };
        let filters = pairs.iter().map(|(key, value)| {
            Filter::parse(&format!("{}={}", key.trim(), value.trim()), rows).map_err(|error| match error {
                FilterError::Column { error, .. } => anyhow!("--baseline {text}: {error}"),
                error => anyhow!("--baseline {text}: {error}"),
            })
        });
        let met = Filter::rows(&filters.collect::<Result<Vec<_>>>()?, rows);
        let codes: BTreeSet<u32> = met.iter().map(|&row| variants.codes()[row]).collect();
        let names: Vec<String> = codes.iter().map(|&code| format!("\"{}\"", variants.list()[code as usize])).collect();
        match names.len() {
            0 => Ok(Some(Baseline::Text(text.clone()))),
            1 => Ok(codes
                .first()
                .map(|&code| Baseline::Value(columns::VARIANT.to_owned(), variants.list()[code as usize].clone()))),
            _ => Err(anyhow!(
                "--baseline: {} variants have {text}: {}\nhelp: name one of them, or tell groups apart --by {}",
                names.len(),
                names.join(", "),
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
