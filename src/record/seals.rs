//! The two seals of a results file. The seal of the bytes covers the file as written, so it differs
//! between runs. The seal of the counts covers all columns except ids, checksums and times, in the
//! plan's order. It is equal in every run of a plan.

use super::columns::{self, Role};
use super::fields::SeparatedRow;
use siphasher::sip::SipHasher13;
use std::hash::Hasher;
use std::ops::Range;

/// The key of all hashes in this module. It contains "ttlab" in ASCII and a version.
const KEY: u64 = 0x7474_6c61_6200_0003;

fn hasher() -> SipHasher13 {
    SipHasher13::new_with_keys(KEY, 0)
}

fn format_hash(hasher: &SipHasher13) -> String {
    format!("{:016x}", hasher.finish())
}

pub fn hash_bytes(bytes: &[u8]) -> String {
    let mut hasher = hasher();
    hasher.write(bytes);
    format_hash(&hasher)
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seals {
    pub bytes: String,
    pub counts: String,
}

/// Computes the seals of a file while the file is read.
pub(super) struct SealHasher {
    bytes: SipHasher13,
    counts: SipHasher13,
}

impl SealHasher {
    pub(super) fn new() -> Self {
        Self { bytes: hasher(), counts: hasher() }
    }

    /// Adds the next bytes of the file, and the counts of the lines in them.
    pub(super) fn update(&mut self, bytes: &[u8], counts: &[u8]) {
        self.bytes.write(bytes);
        self.counts.write(counts);
    }

    pub(super) fn finish(&self) -> Seals {
        Seals { bytes: format_hash(&self.bytes), counts: format_hash(&self.counts) }
    }
}

/// The indices of the columns whose values are the same in every run of a plan, in ranges. Ids are
/// not, because they depend on the names of options, nor are checksums, because they depend on all
/// columns.
pub(super) fn counted_columns(header: &[String]) -> Vec<Range<usize>> {
    let is_counted = |name: &str| name != columns::ID && !matches!(columns::role(name), Role::Seal | Role::Time);
    let indices: Vec<usize> = (0..header.len()).filter(|&index| is_counted(&header[index])).collect();
    indices.chunk_by(|index, next| index + 1 == *next).map(|range| range[0]..range[0] + range.len()).collect()
}

/// Appends the counts of a line in the form that is hashed.
pub(super) fn append_counts(counted: &[Range<usize>], line: &SeparatedRow, counts: &mut Vec<u8>) {
    counted.iter().for_each(|range| counts.extend_from_slice(line.fields(range.clone())));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seal_of_counts_leaves_out_ids_times_and_checksums() {
        let seal = |lines: &[&str]| {
            let header: Vec<String> = lines[0].split(',').map(str::to_owned).collect();
            let (mut hasher, mut buffer, counted) =
                (SealHasher::new(), SeparatedRow::default(), counted_columns(&header));
            for line in lines {
                let mut counts = Vec::new();
                append_counts(&counted, buffer.separate_line(line.as_bytes()).unwrap(), &mut counts);
                hasher.update(line.as_bytes(), &counts);
            }
            hasher.finish()
        };
        let original = ["id,variant,search.nodes,seconds,check", "0a,x,12,0.5,00", "0b,y,7,0.25,11"];
        let second_run = ["id,variant,search.nodes,seconds,check", "1a,x,12,0.7,22", "1b,y,7,0.35,33"];
        assert_eq!(seal(&second_run).counts, seal(&original).counts);
        assert_ne!(seal(&second_run).bytes, seal(&original).bytes);
        for (at, line) in [
            (0, "id,search.nodes,variant,seconds,check"),
            (1, "0a,x,13,0.5,00"),
            (1, "0a,x1,2,0.5,00"),
            (1, original[2]),
        ] {
            let mut changed = original;
            changed[at] = line;
            assert_ne!(seal(&changed).counts, seal(&original).counts, "{line}");
        }
    }
}
