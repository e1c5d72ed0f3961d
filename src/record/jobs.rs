//! Sets of job numbers, which are written as in `0-17,23,25-40`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;

/// A set of job numbers. Jobs are counted from 0 in the order of the plan. In a shard, only the
/// jobs of the shard are counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Jobs(pub BTreeSet<u64>);

impl fmt::Display for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let jobs: Vec<u64> = self.0.iter().copied().collect();
        let ranges = jobs.chunk_by(|job, next| job + 1 == *next);
        let texts = ranges.map(|range| match (range[0], range[range.len() - 1]) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        });
        f.write_str(&texts.collect::<Vec<_>>().join(","))
    }
}

impl From<Jobs> for String {
    fn from(jobs: Jobs) -> Self {
        jobs.to_string()
    }
}

/// Job numbers must be less than this number. A range of jobs may span at most a 256th of this
/// number, so that a range in an edited file cannot exhaust the memory.
const MAX_JOBS: u64 = 1 << 32;

/// Parses a job number (`17`) or a range of job numbers (`0-17`). Returns `None` if the text is
/// neither, or if a number or the range is too large.
fn parse_range(part: &str) -> Option<RangeInclusive<u64>> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let (first, last) = (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
    (first <= last && last < MAX_JOBS && last - first <= MAX_JOBS / 256).then_some(first..=last)
}

impl TryFrom<String> for Jobs {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut jobs = BTreeSet::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let range = parse_range(part);
            jobs.extend(range.ok_or(format!(
                "`{part}` is not a job or a range of jobs: expected a number, or a range such as 0-17"
            ))?);
        }
        Ok(Self(jobs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_written_as_ranges_and_read_back() {
        for (jobs, text) in [
            (vec![], ""),
            (vec![3], "3"),
            (vec![0, 1, 2], "0-2"),
            (vec![0, 3, 4, 5, 9], "0,3-5,9"),
            (vec![0, 1, 2, 5, 7, 8], "0-2,5,7-8"),
        ] {
            let jobs = Jobs(jobs.into_iter().collect());
            assert_eq!(jobs.to_string(), text);
            assert_eq!(Jobs::try_from(text.to_owned()).unwrap(), jobs);
        }
        for text in ["x", "3-1", "-4", "0-99999999999999", "1,2-", "18446744073709551615"] {
            assert!(Jobs::try_from(text.to_owned()).is_err(), "{text}");
        }
    }

    /// The largest number is 2^32 - 1, and a range has at most 2^24 steps. Checks both sides of
    /// each limit.
    #[test]
    fn jobs_beyond_the_limits_are_refused() {
        let read = |text: &str| Jobs::try_from(text.to_owned());
        assert_eq!(read("4294967295").unwrap(), Jobs([4_294_967_295].into()));
        assert_eq!(read("7-7,9").unwrap().to_string(), "7,9");
        assert_eq!(read("4,3,5,3").unwrap().to_string(), "3-5");
        assert_eq!(parse_range("0-16777216"), Some(0..=16_777_216));
        assert_eq!(parse_range("4278190079-4294967295"), Some(4_278_190_079..=4_294_967_295));
        for text in ["4294967296", "0-16777217", "4278190079-4294967296", "5-4"] {
            let expected =
                format!("`{text}` is not a job or a range of jobs: expected a number, or a range such as 0-17");
            assert_eq!(read(text), Err(expected));
        }
    }
}
