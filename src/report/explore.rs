//! Any two variants position by position, chosen by the reader: a scatter and the searches themselves. Pages in a browser have it; to
//! programs it is a table of searches by variant.

use crate::analysis::pairing::gauge::{Depths, Gauge};
use crate::analysis::pairing::searches::Searches;
use crate::analysis::questions::curves;
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::{Frame, Summary};
use crate::record::columns;
use maud::{Markup, PreEscaped, html};
use serde::Serialize;
use std::collections::BTreeMap;

/// Values on a page at most: more make it slow to load.
const MOST: usize = 60_000;

/// The searches of some lines of the summary.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Explorer {
    /// What their values are.
    pub metric: String,
    /// The lines.
    pub lines: Vec<String>,
    /// The place of each in the summary.
    pub places: Vec<usize>,
    /// The place among these of the one that others are held against at first.
    pub base: usize,
    /// The positions.
    pub positions: Vec<String>,
    /// Each line's values by position; none where it has no such search.
    pub values: Vec<Vec<Option<f64>>>,
}

impl Explorer {
    /// The searches of a page; none where there is no pair of variants, or they are too many for a page. Of many lines those that
    /// figures show.
    #[must_use]
    pub fn new(rows: &Frame, summary: &Summary, (grouping, searches): (&Grouping, &Searches)) -> Option<Self> {
        if summary.by != [columns::VARIANT] || summary.lines.len() < 2 || grouping.blocks.len() > 1 {
            return None;
        }
        let metric = summary.metrics.first()?;
        let gauge = Gauge::new(searches, metric, rows);
        let group = |line: usize| grouping.values.iter().position(|values| *values == summary.lines[line].values);
        let names = rows.coded(columns::POSITION);
        let own = |line: usize| {
            group(line).map_or(&[][..], |group| searches.cells(group)).iter().filter(|cell| cell.seed == 0)
        };
        let mut positions: BTreeMap<u32, usize> = BTreeMap::new();
        (0..summary.lines.len()).flat_map(own).for_each(|cell| {
            positions.entry(cell.unit).or_default();
        });
        positions.values_mut().enumerate().for_each(|(place, at)| *at = place);
        let fits = |lines: usize| lines * positions.len() <= MOST;
        let places: Vec<usize> = match fits(summary.lines.len()) {
            true => (0..summary.lines.len()).collect(),
            false => curves::chosen(summary),
        };
        if positions.len() < 2 || !fits(places.len()) {
            return None;
        }
        let values = places.iter().map(|&line| {
            let mut values = vec![None; positions.len()];
            for cell in own(line) {
                values[positions[&cell.unit]] = Some(gauge.cell(cell, &Depths::All)).filter(|value| value.is_finite());
            }
            values
        });
        Some(Self {
            metric: metric.name.clone(),
            lines: places.iter().map(|&line| summary.lines[line].name.clone()).collect(),
            base: places.iter().position(|&line| summary.lines[line].is_baseline).unwrap_or(0),
            positions: positions.keys().map(|&unit| names.list()[unit as usize].clone()).collect(),
            values: values.collect(),
            places,
        })
    }

    /// For a browser: its data, which a script of the page's own shows.
    #[must_use]
    pub fn markup(&self) -> Markup {
        // Nothing in a name may end the element.
        let data = serde_json::to_string(self).unwrap_or_default();
        let data = data.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e");
        html! {
            section #explore {
                h2 { "Two variants, position by position" }
                p.note {
                    "Choose any two. Each dot is a search: right and up needs more " (self.metric) "; below the dashed line the second needs fewer. \
                     The arrow behind a variant's name in the summary leads here too."
                }
                script type="application/json" { (PreEscaped(data)) }
            }
        }
    }
}
