//! Computes hashes that seal a results file. There are two kinds of seals:
//!
//! - The seal *of counts* consists of a hash of each column's values in the order of the plan. It
//!   is equal in every run of the plan. The hash of a column does not change if the column is
//!   renamed or another column is added.
//! - The seal *of the file* covers the file as written, including the header and the seconds. It
//!   differs between runs.

use super::columns::{self, Role};
use super::fields::{SEPARATOR, SeparatedRow};
use siphasher::sip::SipHasher13;
use std::collections::BTreeMap;
use std::hash::Hasher;

/// The key of all hashes in this module. It contains "ttlab" in ASCII and a version.
const KEY: u64 = 0x7474_6c61_6200_0003;

fn hasher() -> SipHasher13 {
    SipHasher13::new_with_keys(KEY, 0)
}

fn format_hash(hash: u64) -> String {
    format!("{hash:016x}")
}

pub fn hash_bytes(bytes: &[u8]) -> String {
    let mut hasher = hasher();
    hasher.write(bytes);
    format_hash(hasher.finish())
}

pub(super) fn hash_column<'a>(fields: impl Iterator<Item = &'a str>) -> String {
    let mut hasher = hasher();
    fields.for_each(|field| write_field(&mut hasher, field));
    format_hash(hasher.finish())
}

pub fn hash_header(header: &[String]) -> String {
    hash_column(header.iter().map(String::as_str))
}

fn write_field(hasher: &mut SipHasher13, text: &str) {
    hasher.write(text.as_bytes());
    hasher.write(&[SEPARATOR]);
}

/// For each column, the bytes of several rows that are fed to the column's hasher.
#[derive(Default)]
pub(super) struct ColumnBytes(Vec<Vec<u8>>);

impl ColumnBytes {
    /// Adds a row. The row must have as many fields as the rows before.
    pub(super) fn push(&mut self, row: &SeparatedRow) {
        self.0.resize_with(row.len(), Vec::new);
        self.0.iter_mut().enumerate().for_each(|(index, bytes)| bytes.extend_from_slice(row.field(Some(index))));
    }
}

/// Computes the seals of a file while the file is read.
pub(super) struct SealHasher {
    column_hashers: Vec<SipHasher13>,
    /// The number of bytes of the file so far.
    length: u64,
}

impl SealHasher {
    pub(super) fn new(column_count: usize) -> Self {
        Self { column_hashers: vec![hasher(); column_count], length: 0 }
    }

    /// Adds the next part of the file. `length` is the length of the part in bytes.
    pub(super) fn update(&mut self, length: usize, rows: &ColumnBytes) {
        self.length += length as u64;
        self.column_hashers.iter_mut().zip(&rows.0).for_each(|(hasher, bytes)| hasher.write(bytes));
    }

    /// `header` is the file's header.
    pub(super) fn finish(self, header: &[String]) -> Seals {
        let hashes: Vec<u64> = self.column_hashers.iter().map(Hasher::finish).collect();
        let mut file_hasher = hasher();
        file_hasher.write_u64(self.length);
        for (name, hash) in header.iter().zip(&hashes) {
            write_field(&mut file_hasher, name);
            file_hasher.write_u64(*hash);
        }
        let reproducible_columns = header.iter().zip(hashes).filter(|(name, _)| is_reproducible(name));
        Seals {
            columns: reproducible_columns.map(|(name, hash)| (name.clone(), format_hash(hash))).collect(),
            header: hash_header(header),
            file: format_hash(file_hasher.finish()),
        }
    }
}

/// Whether the values of a column are the same in every run of a plan, with every build. The ids
/// are not, because they depend on the names of options. The checksums are not, because they depend
/// on all columns. Measured times are not either.
fn is_reproducible(name: &str) -> bool {
    name != columns::ID && !matches!(columns::role(name), Role::Seal | Role::Time)
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seals {
    /// The hash of each reproducible column by the column's name.
    pub columns: BTreeMap<String, String>,
    pub header: String,
    pub file: String,
}

#[cfg(test)]
mod tests {
    use super::super::fields::Parser;
    use super::*;

    fn seals(header: &[&str], rows: &[&str]) -> Seals {
        let header: Vec<String> = header.iter().map(|&name| name.to_owned()).collect();
        let (mut hasher, mut parser) = (SealHasher::new(header.len()), Parser::new());
        for row in rows {
            let mut bytes = ColumnBytes::default();
            bytes.push(parser.separate_line(row.as_bytes()).unwrap());
            hasher.update(row.len(), &bytes);
        }
        hasher.finish(&header)
    }

    /// A column's seal depends only on its values; the file's seal depends on everything.
    #[test]
    fn column_seal_depends_on_its_values_alone() {
        let header = ["id", "variant", "search.nodes", "seconds", "check"];
        let original = seals(&header, &["0a,x,12,0.5,00\n", "0b,y,7,0.25,11\n"]);
        assert_eq!(original.columns.keys().collect::<Vec<_>>(), ["search.nodes", "variant"]);
        let seal = |seals: &Seals, name: &str| seals.columns[name].clone();
        // Another run has other times, ids and checksums.
        let second_run = seals(&header, &["1a,x,12,0.7,22\n", "1b,y,7,0.35,33\n"]);
        assert_eq!((&second_run.columns, &second_run.header), (&original.columns, &original.header));
        assert_ne!(second_run.file, original.file);
        // One column is renamed, and another is added.
        let changed_header =
            seals(&["id", "variant", "depth", "nodes", "seconds"], &["0a,x,1,12,0.5\n", "0b,y,1,7,0.25\n"]);
        assert_eq!(
            (seal(&changed_header, "nodes"), seal(&changed_header, "variant")),
            (seal(&original, "search.nodes"), seal(&original, "variant"))
        );
        assert_eq!(hash_column(["12", "7"].into_iter()), seal(&original, "search.nodes"));
        // Another value; another order; the contents of one field split into two.
        for rows in [
            ["0a,x,13,0.5,00\n", "0b,y,7,0.25,11\n"],
            ["0b,y,7,0.25,11\n", "0a,x,12,0.5,00\n"],
            ["0a,x,1,0.5,00\n", "0b,y,27,0.25,11\n"],
        ] {
            assert_ne!(seal(&seals(&header, &rows), "search.nodes"), seal(&original, "search.nodes"), "{rows:?}");
        }
        // Two names in the header are swapped.
        let swapped_names =
            seals(&["id", "search.nodes", "variant", "seconds", "check"], &["0a,x,12,0.5,00\n", "0b,y,7,0.25,11\n"]);
        assert_eq!(seal(&swapped_names, "variant"), seal(&original, "search.nodes"));
        assert!(swapped_names.header != original.header);
        assert!(swapped_names.file != original.file);
        assert_ne!(seals(&header, &["0a,x,12,0.6,00\n", "0b,y,7,0.25,11\n"]).file, original.file, "another time");
    }
}
