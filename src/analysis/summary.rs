//! The summary: each variant's totals beside the baseline's.

use super::frame::Frame;
use super::stats::{Ratio, holm};
use std::collections::{BTreeMap, HashMap};

/// What each variant did, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// One line for each variant.
    pub lines: Vec<Line>,
    /// Place of the baseline among them.
    pub baseline: usize,
    /// Searches (positions, or plies of sequences) of each variant that every variant made.
    pub searches: usize,
    /// Whether timings are of more than one repeat.
    pub repeats: usize,
}

/// Totals of one variant, over all iterations of all searches; repeats are counted once (times: their median).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Line {
    /// The variant.
    pub variant: String,
    /// Nodes.
    pub nodes: f64,
    /// Evaluations.
    pub evals: f64,
    /// Nodes against the baseline's, paired by search.
    pub ratio: Ratio,
    /// p of the ratio, corrected for the number of variants (Holm).
    pub p: f64,
    /// Searches whose last score is another than the baseline's, of those that both made.
    pub other_scores: (usize, usize),
    /// Hits that ended their node.
    pub usable: f64,
    /// Hits that only gave a move.
    pub move_only: f64,
    /// Probes.
    pub probes: f64,
    /// Hits.
    pub hits: f64,
    /// Misses that found a free slot.
    pub misses_empty: f64,
    /// Misses that found other keys.
    pub misses_other: f64,
    /// Stores.
    pub stores: f64,
    /// Stores that displaced another position.
    pub evictions: f64,
    /// Stores refused.
    pub rejections: f64,
    /// Stores for each slot of the table, the mean over searches; NaN without a bounded table.
    pub pressure: f64,
    /// Occupied slots per mille at the end of a search, the mean over searches; NaN without a bounded table.
    pub hashfull: f64,
    /// Seconds.
    pub seconds: f64,
    /// Searches whose last best move was the suite's, and those where the suite names one.
    pub solved: (usize, usize),
    /// Jobs that failed.
    pub errors: usize,
}

/// A sum of a line.
type Field = fn(&mut Line) -> &mut f64;

/// What identifies a search: position and repeat.
type Search = (u32, u32);

impl Summary {
    /// Sums the rows up. `variants` gives the order; names that it lacks follow as they come.
    #[must_use]
    pub fn new(frame: &Frame, variants: &[String], baseline: &str) -> Self {
        let mut order: Vec<String> = variants.to_vec();
        let empty: (&[u32], &[String]) = (&[], &[]);
        let (codes, names) = frame.words("variant").unwrap_or(empty);
        for name in names {
            if !order.contains(name) {
                order.push(name.clone());
            }
        }
        let place: Vec<usize> =
            names.iter().map(|name| order.iter().position(|known| known == name).unwrap_or(0)).collect();
        let (positions, _) = frame.words("position").unwrap_or(empty);
        let number = |name: &str| frame.numbers(name);
        let [repeat, depth, nodes, evals, seconds] =
            ["repeat", "depth", "search.nodes", "search.evals", "seconds"].map(number);
        let (solved, solved_words) = frame.words("solved").unwrap_or(empty);
        let (errors, error_words) = frame.words("error").unwrap_or(empty);
        let sums: [(&str, Field); 9] = [
            ("search.usable", |line| &mut line.usable),
            ("search.move_only", |line| &mut line.move_only),
            ("table.probes", |line| &mut line.probes),
            ("table.hits", |line| &mut line.hits),
            ("table.misses_empty", |line| &mut line.misses_empty),
            ("table.misses_other", |line| &mut line.misses_other),
            ("table.stores", |line| &mut line.stores),
            ("table.evictions", |line| &mut line.evictions),
            ("table.rejections", |line| &mut line.rejections),
        ];
        let columns: Vec<_> = sums.iter().map(|(name, field)| (number(name), *field)).collect();
        let [slots, entries, scores] = ["slots", "entries", "score"].map(number);
        let (games, game_words) = frame.words("game").unwrap_or(empty);

        let mut lines: Vec<Line> = order.iter().map(|name| Line { variant: name.clone(), ..Line::default() }).collect();
        let mut searches: Vec<BTreeMap<Search, Totals>> = vec![BTreeMap::new(); lines.len()];
        for row in 0..frame.rows() {
            let variant = place[codes[row] as usize];
            let line = &mut lines[variant];
            if errors.get(row).is_some_and(|&code| !error_words[code as usize].is_empty()) {
                line.errors += 1;
                continue;
            }
            let totals = searches[variant].entry((positions[row], repeat[row] as u32)).or_default();
            totals.seconds += seconds[row];
            totals.nodes += nodes[row];
            totals.stores += columns[6].0[row];
            totals.cluster = if games.is_empty() || game_words[games[row] as usize].is_empty() {
                positions[row]
            } else {
                games[row]
            };
            if depth[row] >= totals.depth {
                totals.depth = depth[row];
                totals.full = 1000.0 * entries[row] / slots[row];
                totals.slots = slots[row];
                totals.score = scores[row];
                totals.solved = solved.get(row).map(|&code| solved_words[code as usize].clone()).unwrap_or_default();
            }
            if repeat[row] == 0.0 {
                line.nodes += nodes[row];
                line.evals += evals[row];
                for (values, field) in &columns {
                    *field(line) += values[row];
                }
            }
        }
        let baseline = order.iter().position(|name| name == baseline).unwrap_or(0);
        let reference: HashMap<u32, Totals> = searches
            .get(baseline)
            .map(|searches| searches.iter().filter(|((_, r), _)| *r == 0).map(|((p, _), t)| (*p, t.clone())).collect())
            .unwrap_or_default();
        for (line, searches) in lines.iter_mut().zip(&searches) {
            line.finish(searches, &reference);
        }
        let others: Vec<usize> = (0..lines.len()).filter(|&at| at != baseline).collect();
        let corrected = holm(&others.iter().map(|&at| lines[at].ratio.p).collect::<Vec<_>>());
        for (&at, p) in others.iter().zip(corrected) {
            lines[at].p = p;
        }
        let repeats = repeat.iter().fold(0.0, |most: f64, &repeat| most.max(repeat)) as usize + 1;
        Self { lines, baseline, searches: reference.len(), repeats }
    }
}

/// One search's totals.
#[derive(Debug, Clone, Default)]
struct Totals {
    /// The game, or the position where there is none.
    cluster: u32,
    nodes: f64,
    stores: f64,
    seconds: f64,
    score: f64,
    depth: f64,
    full: f64,
    slots: f64,
    solved: String,
}

impl Line {
    fn finish(&mut self, searches: &BTreeMap<Search, Totals>, reference: &HashMap<u32, Totals>) {
        let mut times: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        let mut logs = Vec::new();
        let (mut full, mut pressure, mut bounded) = (0.0, 0.0, 0.0);
        for (&(position, repeat), totals) in searches {
            times.entry(position).or_default().push(totals.seconds);
            if repeat > 0 {
                continue;
            }
            if let Some(base) = reference.get(&position).filter(|base| base.nodes > 0.0 && totals.nodes > 0.0) {
                logs.push((totals.cluster, (totals.nodes / base.nodes).ln()));
                self.other_scores.1 += 1;
                self.other_scores.0 += usize::from(totals.depth == base.depth && totals.score != base.score);
            }
            if totals.slots > 0.0 {
                full += totals.full;
                pressure += totals.stores / totals.slots;
                bounded += 1.0;
            }
            match totals.solved.as_str() {
                "true" => self.solved = (self.solved.0 + 1, self.solved.1 + 1),
                "false" => self.solved.1 += 1,
                _ => {}
            }
        }
        self.ratio = Ratio::of(&logs);
        self.p = f64::NAN;
        self.hashfull = full / bounded;
        self.pressure = pressure / bounded;
        self.seconds = times
            .into_values()
            .map(|mut times| {
                times.sort_by(f64::total_cmp);
                let middle = times.len() / 2;
                if times.len().is_multiple_of(2) { (times[middle - 1] + times[middle]) / 2.0 } else { times[middle] }
            })
            .sum();
    }
}
