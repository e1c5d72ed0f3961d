//! Thin rows as a frame: what is kept once a search or a variant is laid where sums over it find it, and what else is asked of it is refused.

use super::column::{Values, Words};
use super::frame::{Frame, FrameError};
use super::lacks::Lacks;
use super::read::SKIPPED;
use crate::record::columns::{self, Role};
use crate::record::thin::{Resolution, ThinRows};
use std::collections::HashMap;

impl Frame {
    /// The frame of thin rows. `remedy`: the command that makes the full ones.
    ///
    /// # Errors
    /// When a field is not what its column holds.
    pub fn of_thin(rows: &ThinRows, path: &str, remedy: String) -> Result<Self, FrameError> {
        let mut frame = Self { rows: rows.rows, ..Self::default() };
        let mut lacks = Lacks::new(rows.absent.clone(), remedy);
        for (resolution, name, fields) in &rows.columns {
            if SKIPPED.contains(&name.as_str()) {
                continue;
            }
            let is_number = columns::column(name).is_some_and(columns::Column::is_number);
            let mut values = if is_number { Values::Numbers(Vec::new()) } else { Values::Words(Words::default()) };
            if let Some(field) = fields.iter().find(|field| !values.push(field.as_bytes())) {
                return Err(FrameError::File(path.to_owned(), format!("column `{name}`: `{field}` is no number")));
            }
            frame.names.push(name.clone());
            frame.columns.push(values);
            if *resolution != Resolution::Row {
                lacks.keep_in_part(name);
                frame.spread(name, *resolution);
            }
        }
        for needed in [columns::VARIANT, columns::POSITION, columns::DEPTH, columns::NODES] {
            if !frame.has(needed) {
                return Err(FrameError::File(path.to_owned(), format!("there is no column `{needed}`")));
            }
        }
        frame.lacks = Some(lacks);
        Ok(frame)
    }

    /// Lays what is kept once a search or a variant so that sums and means over it are those of the full rows.
    fn spread(&mut self, name: &str, resolution: Resolution) {
        let mut numbers = self.numbers(name).into_owned();
        let [variants, suites, positions] =
            [columns::VARIANT, columns::SUITE, columns::POSITION].map(|name| self.coded(name).into_owned());
        let repeats = self.numbers(columns::REPEAT).into_owned();
        let adds_up = columns::role(name) != Role::Last;
        match resolution {
            Resolution::Row => return,
            // What stands in the last row is the sum of all.
            Resolution::Search if adds_up => {
                let search = |row: usize| (variants.codes()[row], positions.codes()[row], repeats[row].to_bits());
                for row in (1..self.rows).rev() {
                    if numbers[row - 1].is_nan() && !numbers[row].is_nan() && search(row - 1) == search(row) {
                        numbers[row - 1] = 0.0;
                    }
                }
            }
            Resolution::Search => return,
            Resolution::Variant => {
                let of_row = |row: usize| (variants.codes()[row], suites.codes()[row]);
                let known = (0..self.rows).filter(|&row| !numbers[row].is_nan()).map(|row| (of_row(row), numbers[row]));
                let known: HashMap<(u32, u32), f64> = known.collect();
                for (row, number) in numbers.iter_mut().enumerate().filter(|(_, number)| number.is_nan()) {
                    let value = known.get(&of_row(row)).copied().unwrap_or(f64::NAN);
                    *number = if adds_up && !value.is_nan() { 0.0 } else { value };
                }
            }
        }
        self.put_numbers(name, |row| numbers[row]);
    }
}
