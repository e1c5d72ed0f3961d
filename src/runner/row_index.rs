//! Finds the job of each row of a results file. Each row is checked against the plan, so that a row
//! of another plan is never used.

use super::in_flight::QUARANTINED;
use crate::experiment::{Experiment, Job, Plan};
use crate::record::{self, RowKey, columns};
use crate::text::plural;
use csv::StringRecord;
use std::collections::HashMap;

pub struct RowIndex<'a> {
    pub plan: &'a Plan,
    /// The columns of the plan's results.
    pub header: Vec<String>,
    /// The index of each item of the suite. The key is the item's name.
    items: HashMap<&'a str, usize>,
    /// The index of each variant of the plan. The key is the variant's name.
    variants: HashMap<&'a str, usize>,
    keys: RowKey<Option<usize>>,
    seconds: Option<usize>,
}

/// A row's place in the plan's order. Rows are ordered by repeat, then by item, then by variant.
/// Even if a job searches the whole suite, its rows are ordered by item, so that they are next to
/// the rows with which they are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    repeat: u32,
    item: u32,
    lane: u32,
    ply: u16,
    depth: u8,
}

#[derive(Debug, Clone, Copy)]
pub struct IndexedRow {
    pub place: Place,
    pub job: Job,
    /// Whether the row is the last row of the job. The job is complete if this row is there.
    pub is_last: bool,
    pub has_failed: bool,
}

impl<'a> RowIndex<'a> {
    pub fn new(experiment: &'a Experiment, plan: &'a Plan) -> Self {
        let header = record::header(&plan.varying(), plan.extra_columns());
        let items = experiment.suite.items.iter().enumerate().map(|(index, item)| (item.id.as_str(), index));
        let variants = plan.variants.iter().enumerate().map(|(index, variant)| (variant.name.as_str(), index));
        let seconds = header.iter().position(|column| column == columns::SECONDS);
        let keys = RowKey::of_header(&header);
        Self { plan, items: items.collect(), variants: variants.collect(), keys, seconds, header }
    }

    pub fn is_quarantined(&self, row: &StringRecord) -> bool {
        self.keys.read(row).error == QUARANTINED
    }

    /// # Errors
    /// If the row does not belong to this plan.
    pub fn entry(&self, row: &StringRecord) -> Result<IndexedRow, String> {
        let key = self.keys.read(row);
        let RowKey { id, variant: name, ply, repeat, depth, opponent, colour, error, .. } = key;
        let seconds = self.seconds.and_then(|index| row.get(index)).unwrap_or_default();
        let variant_index =
            |name| self.variants.get(name).copied().ok_or_else(|| format!("the plan has no variant \"{name}\""));
        let variant = variant_index(name)?;
        let opponent = self.plan.is_match().then(|| variant_index(opponent)).transpose()?;
        let lane = self.plan.find_lane(variant, opponent);
        let lane = lane.ok_or_else(|| format!("the plan has no games of \"{name}\" against this opponent"))?;
        let item_name = key.item_name();
        let item = *self.items.get(item_name).ok_or_else(|| format!("the suite has no item \"{item_name}\""))?;
        let repeat: u32 = repeat.parse().map_err(|_| format!("repeat: expected a number, found `{repeat}`"))?;
        let ply: Option<u16> = match ply {
            // In a match, the number of the game in its pair is used instead of the ply.
            _ if self.plan.is_match() => Some(u16::from(colour == record::BLACK)),
            "" => None,
            ply => Some(ply.parse().map_err(|_| format!("ply: expected a number, found `{ply}`"))?),
        };
        let depth: u8 = depth.parse().map_err(|_| format!("depth: expected a depth from 0 to 255, found `{depth}`"))?;
        // Rows taken from another folder have no seconds.
        if !seconds.is_empty() && !seconds.parse().is_ok_and(|seconds: f64| seconds.is_finite() && seconds >= 0.0) {
            return Err(format!("seconds: expected a number of seconds, found `{seconds}`"));
        }
        let id_number =
            u64::from_str_radix(id, 16).map_err(|_| format!("id: expected 16 hexadecimal digits, found `{id}`"))?;
        if repeat >= self.plan.repeats {
            let repeats = plural(self.plan.repeats, "repeat");
            return Err(format!("repeat: the plan has {repeats} (numbered from 0), found {repeat}"));
        }
        let job = self.plan.job_for(variant, opponent, item, repeat);
        let is_last = id_number == self.plan.job_id(&job);
        if !is_last && id_number != self.plan.row_id(&job, item, ply.unwrap_or(0), depth) {
            return Err(
                "id: does not match the row's other fields: the row belongs to another plan or was edited".to_owned()
            );
        }
        let place = Place { repeat, item: item as u32, lane: lane as u32, ply: ply.unwrap_or(0), depth };
        Ok(IndexedRow { place, job, is_last, has_failed: !error.is_empty() })
    }
}

#[cfg(test)]
pub(super) mod tests;
