//! Hashes that seal results as a whole. The seal *of counts* hashes each column's values in the
//! plan's order: it is equal in every run of the plan, and does not change if a column is renamed
//! or another is added. The seal *of the file* covers the file as written, including header and
//! seconds, and differs between runs.

use super::columns::{self, Role};
use super::fields::{SEPARATOR, SeparatedRow};
use siphasher::sip::SipHasher13;
use std::collections::BTreeMap;
use std::hash::Hasher;

/// The key of all hashes in this module: "ttlab" in ASCII, and a version.
const KEY: u64 = 0x7474_6c61_6200_0003;

/// A new hash with this module's key.
fn hasher() -> SipHasher13 {
    SipHasher13::new_with_keys(KEY, 0)
}

fn format_hash(hash: u64) -> String {
    format!("{hash:016x}")
}

/// Hash of bytes, as 16 hexadecimal digits.
pub fn hash_bytes(bytes: &[u8]) -> String {
    let mut hash = hasher();
    hash.write(bytes);
    format_hash(hash.finish())
}

/// Hash of a column's fields.
pub(super) fn hash_column<'a>(fields: impl Iterator<Item = &'a str>) -> String {
    let mut hash = hasher();
    fields.for_each(|field| write_field(&mut hash, field));
    format_hash(hash.finish())
}

/// Hash of a header's names, in order.
pub fn hash_header(header: &[String]) -> String {
    hash_column(header.iter().map(String::as_str))
}

/// Adds a field and a separator to a hash.
fn write_field(hash: &mut SipHasher13, text: &str) {
    hash.write(text.as_bytes());
    hash.write(&[SEPARATOR]);
}

/// The hashed bytes of some rows, by column.
#[derive(Default)]
pub(super) struct ColumnBytes(Vec<Vec<u8>>);

impl ColumnBytes {
    /// Adds a row, which must have as many fields as the earlier ones.
    pub(super) fn push(&mut self, row: &SeparatedRow) {
        self.0.resize_with(row.len(), Vec::new);
        self.0.iter_mut().enumerate().for_each(|(index, bytes)| bytes.extend_from_slice(row.field(Some(index))));
    }
}

/// Computes the seals of a file while it is read.
pub(super) struct SealHasher {
    columns: Vec<SipHasher13>,
    length: u64,
}

impl SealHasher {
    pub(super) fn new(columns: usize) -> Self {
        Self { columns: vec![hasher(); columns], length: 0 }
    }

    /// Adds a part of the file: its length in bytes, and its rows.
    pub(super) fn update(&mut self, length: usize, rows: &ColumnBytes) {
        self.length += length as u64;
        self.columns.iter_mut().zip(&rows.0).for_each(|(hash, bytes)| hash.write(bytes));
    }

    /// The seals of a file with this header.
    pub(super) fn finish(self, header: &[String]) -> Seals {
        let hashes: Vec<u64> = self.columns.iter().map(Hasher::finish).collect();
        let mut file_hash = hasher();
        file_hash.write_u64(self.length);
        for (name, hash) in header.iter().zip(&hashes) {
            write_field(&mut file_hash, name);
            file_hash.write_u64(*hash);
        }
        let reproducible_columns = header.iter().zip(hashes).filter(|(name, _)| is_reproducible(name));
        Seals {
            columns: reproducible_columns.map(|(name, hash)| (name.clone(), format_hash(hash))).collect(),
            header: hash_header(header),
            file: format_hash(file_hash.finish()),
        }
    }
}

/// Whether a column is the same in every run of a plan by every build. These are not: the id,
/// because it depends on option names; the checksum, because it depends on all columns; and
/// measured times.
fn is_reproducible(name: &str) -> bool {
    name != columns::ID && !matches!(columns::role(name), Role::Seal | Role::Time)
}

/// The seals of a results file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seals {
    /// The hash of each reproducible column, by name.
    pub columns: BTreeMap<String, String>,
    /// The hash of the header, known before the first row.
    pub header: String,
    /// The hash of the file as written.
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
