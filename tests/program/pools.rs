//! The rate of false positives: pages are resampled from the project's own rows, in which every
//! line is shifted to a mean ratio of 1.
//!
//! Each file of `tests/pools` has the mean log ratio of each position (or game) against the study's
//! baseline, in units of 1e-5, for some lines of a study: `games` has ageing along human games to
//! depth 5, `games-deeper` the same to depth 6, `games-modern` to depth 7 in `match`,
//! `games-stockfish` has the lines of `hash-along-games`, `tactical` has replacement to depth 7 and
//! `endgames` to depth 8. A page draws a number of these positions with replacement, all lines
//! together, and subtracts from each line its mean over the pool. Most games of a pool lie slightly
//! on one side, and one in fifty or a hundred lies far on the other.

use crate::common::has_reports;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::fs;
use std::path::Path;
use ttlab::internals::stats::clusters::Clusters;
use ttlab::internals::stats::interval::{intervals, margin};
use ttlab::internals::stats::ratio::Family;
use ttlab::internals::stats::sample::t_quantile;

const POOLS: [&str; 6] = ["games", "games-deeper", "games-modern", "games-stockfish", "tactical", "endgames"];

/// Positions or games, each with its number of searches and the mean logarithm of each line. The
/// mean of each line over the whole pool is 0.
struct Pool {
    clusters: Vec<(usize, Vec<f64>)>,
    lines: usize,
}

impl Pool {
    fn read(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/pools/{name}.csv"));
        let text = fs::read_to_string(path).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let numbers = |row: csv::StringRecord| row.iter().map(|field| field.parse::<f64>().unwrap()).collect();
        let rows: Vec<Vec<f64>> = reader.records().map(|row| numbers(row.unwrap())).collect();
        let searches: f64 = rows.iter().map(|row| row[0]).sum();
        let lines = rows[0].len() - 1;
        let mean = |line: usize| rows.iter().map(|row| row[0] * row[line]).sum::<f64>() / searches;
        let means: Vec<f64> = (1..=lines).map(mean).collect();
        let centred = |row: &Vec<f64>| row[1..].iter().zip(&means).map(|(log, mean)| 1e-5 * (log - mean)).collect();
        let clusters = rows.iter().map(|row| (row[0] as usize, centred(row))).collect();
        Self { clusters, lines }
    }

    /// The lines of a page with `count` clusters.
    fn page(&self, count: usize, random: &mut Pcg64) -> Vec<Vec<(u32, f64)>> {
        let drawn: Vec<usize> = (0..count).map(|_| random.random_range(0..self.clusters.len())).collect();
        let line = |line: usize| {
            let clusters = drawn.iter().zip(0..).map(|(&place, id)| (id, &self.clusters[place]));
            clusters.flat_map(|(id, (searches, logs))| std::iter::repeat_n((id, logs[line]), *searches)).collect()
        };
        (0..self.lines).map(line).collect()
    }
}

/// The number of pages in which some line is marked significant, and the number of intervals that
/// contain the true value (counted only if `covered`).
fn pages(name: &str, count: usize, pages: usize, covered: bool) -> (usize, usize) {
    let pool = Pool::read(name);
    let mut random = Pcg64::seed_from_u64(count as u64);
    let (mut marked, mut held) = (0, 0);
    for _ in 0..pages {
        let page = pool.page(count, &mut random);
        let lines: Vec<Clusters> = page.iter().map(|line| Clusters::new(line)).collect();
        if covered {
            held += intervals(&lines).iter().filter(|(low, high)| *low <= 0.0 && 0.0 <= *high).count();
        }
        // No interval is narrower than Student's. If all Student intervals end nearer to 0 than the
        // margin that a mark requires, no line can be marked.
        let reach = |line: &Clusters| t_quantile(count, 0.975) * line.standard_error() + margin(count);
        if lines.iter().any(|line| line.mean().abs() > reach(line)) {
            marked += usize::from(Family::from_samples(&page).lines.iter().any(|line| line.significant));
        }
    }
    (marked, held)
}

/// At most 7 of 100 pages have a mark. Without the margin for a game that wasn't drawn, up to a
/// fifth would have one.
#[test]
fn pages_of_shuffled_rows_have_few_significance_marks() {
    if !has_reports() {
        return;
    }
    for (name, count) in [
        ("games", 12),
        ("games", 24),
        ("games-deeper", 24),
        ("games-modern", 50),
        ("games-modern", 100),
        ("games-stockfish", 24),
        ("tactical", 50),
        ("endgames", 50),
    ] {
        let (marked, _) = pages(name, count, 100, false);
        assert!(marked <= 7, "{name}, {count} clusters: {marked} of 100 pages have a mark");
    }
}

/// The long version, with 500 pages each; docs/methodology.md quotes its figures.
#[test]
#[ignore = "takes minutes: run it where intervals or marks change"]
fn pages_of_shuffled_rows_have_few_significance_marks_in_the_long_run() {
    for name in POOLS {
        let lines = Pool::read(name).lines;
        for count in [8, 12, 24, 50, 100, 200] {
            let (marked, held) = pages(name, count, 500, true);
            let held = 100.0 * held as f64 / (500 * lines) as f64;
            eprintln!(
                "{name} {count}: {:.1} % of the pages marked, {held:.1} % of the intervals hold 1",
                marked as f64 / 5.0
            );
            assert!(marked <= 35, "{name}, {count} clusters: {marked} of 500 pages have a mark");
        }
    }
}
