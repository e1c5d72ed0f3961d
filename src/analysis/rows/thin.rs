//! Thin rows as a frame. Some values are stored only once per search or once per variant; they are
//! placed so that sums and means are those of the full rows. Whatever needs them by row is refused.

use super::column::Values;
use super::frame::{Frame, FrameError};
use super::missing::MissingColumns;
use super::read::{REQUIRED, SKIPPED};
use crate::record::columns::{self, Role};
use crate::record::thin::{Resolution, ThinRows};
use std::collections::HashMap;

impl Frame {
    /// Builds a frame of thin rows. `remedy`: how to make the full rows, for error messages.
    ///
    /// # Errors
    /// If a field is not of its column's type, or a column that all results have is missing.
    pub fn from_thin_rows(rows: &ThinRows, path: &str, remedy: String) -> Result<Self, FrameError> {
        let mut frame = Self { rows: rows.rows, ..Self::default() };
        let mut missing = MissingColumns::new(rows.absent.clone(), remedy);
        for (resolution, name, fields) in &rows.columns {
            if SKIPPED.contains(&name.as_str()) {
                continue;
            }
            let mut values = Values::empty(name);
            if let Some(field) = fields.iter().find(|field| !values.push(field.as_bytes())) {
                return Err(FrameError::File(path.to_owned(), format!("column `{name}`: `{field}` is not a number")));
            }
            frame.names.push(name.clone());
            frame.columns.push(values);
            if *resolution != Resolution::Row {
                missing.mark_partial(name);
                frame.fill_gaps(name, *resolution);
            }
        }
        if let Some(column) = REQUIRED.into_iter().find(|column| !frame.has(column)) {
            return Err(FrameError::File(path.to_owned(), format!("there is no column `{column}`")));
        }
        frame.missing = Some(missing);
        Ok(frame)
    }

    /// Fills the empty rows of a column that is stored once per search or once per variant, so that
    /// sums and means are those of the full rows.
    fn fill_gaps(&mut self, name: &str, resolution: Resolution) {
        let mut numbers = self.numbers(name).into_owned();
        let [variants, suites, positions] =
            [columns::VARIANT, columns::SUITE, columns::POSITION].map(|name| self.text_column(name).into_owned());
        let repeats = self.numbers(columns::REPEAT).into_owned();
        let adds_up = columns::role(name) != Role::Last;
        match resolution {
            // The last row of a search holds the sum of all its rows, so the others count 0.
            Resolution::Search if adds_up => {
                let search_key = |row: usize| (variants.codes()[row], positions.codes()[row], repeats[row].to_bits());
                for row in (1..self.rows).rev() {
                    if numbers[row - 1].is_nan() && !numbers[row].is_nan() && search_key(row - 1) == search_key(row) {
                        numbers[row - 1] = 0.0;
                    }
                }
            }
            // The state of a search is read only from its last row.
            Resolution::Row | Resolution::Search => return,
            // One row of a variant holds its sum, so the others count 0, or its state, which the
            // others get too.
            Resolution::Variant => {
                let variant_and_suite = |row: usize| (variants.codes()[row], suites.codes()[row]);
                let variant_values = (0..self.rows)
                    .filter(|&row| !numbers[row].is_nan())
                    .map(|row| (variant_and_suite(row), numbers[row]));
                let variant_values: HashMap<(u32, u32), f64> = variant_values.collect();
                for (row, number) in numbers.iter_mut().enumerate().filter(|(_, number)| number.is_nan()) {
                    let value = variant_values.get(&variant_and_suite(row)).copied().unwrap_or(f64::NAN);
                    *number = if adds_up && !value.is_nan() { 0.0 } else { value };
                }
            }
        }
        self.set_numbers(name, |row| numbers[row]);
    }
}
