//! Builds a frame from thin rows. Thin rows store some values only once per search or once per
//! variant. These values are placed in the rows so that sums and means are the same as with full
//! rows. A request that needs these values for each row is refused.

use super::column::Values;
use super::frame::{Frame, FrameError};
use super::missing::MissingColumns;
use super::read::{REQUIRED, SKIPPED};
use crate::record::columns::{self, Role};
use crate::record::thin::{Resolution, ThinRows};
use std::collections::HashMap;

impl Frame {
    /// Builds a frame from thin rows. Error messages call the rows `path`, and `remedy` tells users
    /// how to make the full rows.
    ///
    /// # Errors
    /// If a field does not have its column's type, or if a column that every results file has is
    /// missing.
    pub fn from_thin_rows(thin_rows: &ThinRows, path: &str, remedy: String) -> Result<Self, FrameError> {
        let mut frame = Self { rows: thin_rows.rows, ..Self::default() };
        let mut missing = MissingColumns::new(thin_rows.absent_columns.clone(), remedy);
        for (resolution, name, fields) in &thin_rows.columns {
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

    /// Fills the empty rows of a column that is stored once per search or once per variant. Sums
    /// and means are then the same as with full rows.
    fn fill_gaps(&mut self, name: &str, resolution: Resolution) {
        let mut numbers = self.numbers(name).into_owned();
        let [variants, suites, positions] =
            [columns::VARIANT, columns::SUITE, columns::POSITION].map(|name| self.text_column(name).into_owned());
        let repeats = self.numbers(columns::REPEAT).into_owned();
        let is_summed = columns::role(name) != Role::Last;
        match resolution {
            // The last row of a search contains the sum over all its rows, so the other rows of the
            // search are set to 0.
            Resolution::Search if is_summed => {
                let search_key = |row: usize| (variants.codes()[row], positions.codes()[row], repeats[row].to_bits());
                for row in (1..self.rows).rev() {
                    if numbers[row - 1].is_nan() && !numbers[row].is_nan() && search_key(row - 1) == search_key(row) {
                        numbers[row - 1] = 0.0;
                    }
                }
            }
            // The state of a search is read only from the last row, which is already filled.
            Resolution::Row | Resolution::Search => return,
            // One row of a variant contains the value of the variant. If the value is a sum, the
            // other rows are set to 0. If it is a state, the other rows are set to the same value.
            Resolution::Variant => {
                let variant_and_suite = |row: usize| (variants.codes()[row], suites.codes()[row]);
                let variant_values = (0..self.rows)
                    .filter(|&row| !numbers[row].is_nan())
                    .map(|row| (variant_and_suite(row), numbers[row]));
                let variant_values: HashMap<(u32, u32), f64> = variant_values.collect();
                for (row, number) in numbers.iter_mut().enumerate().filter(|(_, number)| number.is_nan()) {
                    let value = variant_values.get(&variant_and_suite(row)).copied().unwrap_or(f64::NAN);
                    *number = if is_summed && !value.is_nan() { 0.0 } else { value };
                }
            }
        }
        self.set_numbers(name, |row| numbers[row]);
    }
}
