//! Two results compared row by row: what moved, by how much, and whether a gate or a promise is broken.

use super::gate::{Gate, GateError, Rule};
use super::joined::{Joined, Recorded, RecordedError, RowPair};
use super::plans;
use crate::analysis::pairing::gauge::MetricReader;
use crate::analysis::pairing::pairs::{Base, Pairs};
use crate::analysis::pairing::ratio::{Family, Ratio};
use crate::analysis::rows::metric::Metric;
use crate::record::columns::{self, Role};
use crate::text::plural;

/// Rows shown of those that moved most.
const SHOWN: usize = 20;

/// What a comparison found.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// What BASE and NEW were read from.
    pub names: [String; 2],
    /// The metrics that each variant's changes speak of: counters, then seconds.
    pub metrics: Vec<String>,
    /// Each variant that BASE or NEW has; where both have several suites, in each of them.
    pub variants: Vec<Change>,
    /// Whether both are of one plan, so that counts must be equal; none where a manifest is missing.
    pub same_plan: Option<bool>,
    /// Whether counts may move although the plans are equal, as after a change of the program.
    pub moves_allowed: bool,
    /// Rows that both have, and those of them whose counts, best move or score differ.
    pub rows: (usize, usize),
    /// Rows that moved, the largest changes of nodes first; not more than twenty.
    pub moved: Vec<Moved>,
    /// Rows of BASE that NEW lacks: all of them counted, the first twenty named.
    pub missing: (usize, Vec<String>),
    /// Rows that only NEW has.
    pub added: usize,
    /// Jobs that failed in BASE and in NEW.
    pub failed: [usize; 2],
    /// Each gate on each variant.
    pub judged: Vec<GateResult>,
    /// In what the plans differ; none where a manifest is missing.
    pub differences: Option<Vec<String>>,
    /// What the reader must know.
    pub notes: Vec<String>,
}

/// How a variant changed.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// The variant, as BASE calls it; of several suites with its suite before it.
    pub variant: String,
    /// Rows that both have.
    pub paired: usize,
    /// Of those, rows that are not the same.
    pub moved: usize,
    /// Rows that NEW lacks.
    pub missing: usize,
    /// Totals of each metric over the paired rows, repeats counted once (seconds: their median), in BASE and in NEW.
    pub totals: Vec<[f64; 2]>,
    /// Rows in which each metric differs; not counted for seconds.
    pub differ: Vec<usize>,
    /// NEW's nodes by BASE's, paired by search.
    pub nodes: Ratio,
    /// Searches of which that ratio is of the depths that both finished alone.
    pub cut: usize,
    /// p of that ratio, corrected for all variants by joint sign flips.
    pub p: f64,
    /// NEW's seconds by BASE's.
    pub seconds: Ratio,
    /// NEW's score error by BASE's, of the means; nothing is known where scores were not judged.
    pub score_error: Ratio,
    /// Spread of NEW's seconds: half the distance between the fastest and the slowest repeat, summed over searches.
    pub spread: f64,
}

/// A row that is not the same.
#[derive(Debug, Clone)]
pub struct Moved {
    /// The variant.
    pub variant: String,
    /// The position.
    pub position: String,
    /// The depth.
    pub depth: f64,
    /// Which repeat.
    pub repeat: u32,
    /// Nodes in BASE and in NEW.
    pub nodes: [f64; 2],
    /// The columns that differ.
    pub columns: Vec<String>,
}

/// A gate held against a variant.
#[derive(Debug, Clone)]
pub struct GateResult {
    /// The gate.
    pub gate: String,
    /// The variant.
    pub variant: String,
    /// The full name of the metric.
    pub metric: String,
    /// Totals in BASE and in NEW.
    pub totals: [f64; 2],
    /// Rows in which the metric differs.
    pub differ: usize,
    /// Whether the gate fails.
    pub fails: bool,
    /// A change of a time or of score errors beyond the bound that cannot be told from none.
    pub noise: bool,
}

/// What a comparison ends with, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// A gate fails.
    Gate,
    /// Rows are missing.
    Missing,
    /// Equal plans gave different counts.
    Unequal,
    /// Nothing of that.
    Fine,
}

impl Comparison {
    /// Compares two results. The gates' metrics are the columns given with them.
    ///
    /// # Errors
    /// When one of the results holds a row twice, or a gate has no figures to judge.
    pub fn new(base: &Recorded, new: &Recorded, gates: &[(Gate, String)]) -> Result<Self, RecordedError> {
        let joined = Joined::new(base, new)?;
        let mut out = Self {
            names: [base.name.clone(), new.name.clone()],
            added: joined.added,
            failed: joined.failed,
            same_plan: base.manifest.as_ref().zip(new.manifest.as_ref()).map(|(base, new)| base.plan == new.plan),
            ..Self::default()
        };
        out.variants =
            joined.lines.iter().map(|line| Change { variant: joined.name(line), ..Change::default() }).collect();
        joined.both.iter().for_each(|pair| out.variants[pair.line].paired += 1);
        joined.missing.iter().for_each(|&(_, line)| out.variants[line].missing += 1);
        let named = joined.missing.iter().take(SHOWN).map(|&(row, _)| joined.row(row));
        out.missing = (joined.missing.len(), named.collect());
        out.count(&joined);
        let without = out.judge(&joined, gates)?;
        out.differences = plans::differences(base, new, &joined);
        out.notes = notes(base, new, &joined, gates);
        out.notes.extend(without);
        Ok(out)
    }

    /// Whether it fails, and by what.
    pub fn finding(&self) -> Finding {
        if self.judged.iter().any(|judged| judged.fails) {
            Finding::Gate
        } else if self.missing.0 > 0 || self.rows.0 == 0 {
            Finding::Missing
        } else if self.must_be_equal() && self.rows.1 > 0 {
            Finding::Unequal
        } else {
            Finding::Fine
        }
    }

    /// Whether a count that moved is a failure by itself.
    pub fn must_be_equal(&self) -> bool {
        self.same_plan == Some(true) && !self.moves_allowed
    }

    /// A metric's place.
    pub fn metric(&self, name: &str) -> Option<usize> {
        self.metrics.iter().position(|known| known == name)
    }

    /// Goes through the columns that both have: totals, and rows that differ.
    fn count(&mut self, joined: &Joined) {
        let Joined { frame, both, shared, .. } = joined;
        let mut differing = vec![false; both.len()];
        let repeats = frame.numbers(columns::REPEAT);
        for column in shared.iter().filter(is_decided) {
            let differ = frame.differ(column);
            let differs = |pair: &RowPair| differ(pair.base, pair.new);
            both.iter().zip(&mut differing).for_each(|(pair, differing)| *differing |= differs(pair));
            // A state at the end moves like any count, but its sum means nothing.
            if columns::role(column) != Role::Sum {
                continue;
            }
            let (place, numbers) = (self.metrics.len(), frame.numbers(column));
            self.metrics.push(column.clone());
            for change in &mut self.variants {
                change.totals.push([0.0; 2]);
                change.differ.push(0);
            }
            for pair in both {
                let change = &mut self.variants[pair.line];
                change.differ[place] += usize::from(differs(pair));
                let (old, fresh, again) = (numbers[pair.base], numbers[pair.new], repeats[pair.base] > 0.0);
                if !again && !old.is_nan() && !fresh.is_nan() {
                    let [base, new] = change.totals[place];
                    change.totals[place] = [base + old, new + fresh];
                }
            }
        }
        let moved = both.iter().zip(differing).filter_map(|(pair, differing)| differing.then_some(pair));
        let moved: Vec<&RowPair> = moved.collect();
        moved.iter().for_each(|pair| self.variants[pair.line].moved += 1);
        self.rows = (both.len(), moved.len());
        self.ratios(joined);
        self.largest(joined, &moved);
    }

    /// Nodes and seconds, paired by search.
    fn ratios(&mut self, joined: &Joined) {
        let [nodes, seconds, errors] = [columns::NODES, columns::SECONDS, columns::SCORE_ERROR].map(|column| {
            let metric = Metric::of(column);
            let reading = MetricReader::new(&joined.searches, &metric, &joined.frame);
            let pairs = |groups: &[Option<usize>; 2]| match *groups {
                [Some(base), Some(new)] => Base::new(&reading, &joined.grouping, base).pairs(new),
                _ => Pairs::default(),
            };
            let pairs: Vec<Pairs> = joined.groups.iter().map(pairs).collect();
            let judged = Family::of(&pairs.iter().map(Pairs::logs).collect::<Vec<_>>()).lines;
            pairs.into_iter().zip(judged)
        });
        self.metrics.push(columns::SECONDS.to_owned());
        for (change, ((nodes, of_nodes), (times, of_times))) in self.variants.iter_mut().zip(nodes.zip(seconds)) {
            (change.nodes, change.p, change.cut) = (of_nodes.ratio, of_nodes.p, nodes.cut);
            (change.seconds, change.spread) = (of_times.ratio, times.spread);
            change.totals.push(times.totals);
            change.differ.push(0);
        }
        if joined.shared.iter().any(|column| column == columns::SCORE_ERROR) {
            self.metrics.push(columns::SCORE_ERROR.to_owned());
            for (change, (errors, judged)) in self.variants.iter_mut().zip(errors) {
                change.score_error = judged.ratio;
                change.totals.push(errors.totals);
                change.differ.push(0);
            }
        }
    }

    /// The rows that moved most.
    fn largest(&mut self, joined: &Joined, moved: &[&RowPair]) {
        let frame = &joined.frame;
        let [nodes, depths, repeats] =
            [columns::NODES, columns::DEPTH, columns::REPEAT].map(|column| frame.numbers(column));
        let size = |pair: &RowPair| ((nodes[pair.new] + 1.0) / (nodes[pair.base] + 1.0)).ln().abs();
        let mut largest: Vec<(f64, &RowPair)> = moved.iter().map(|pair| (size(pair), *pair)).collect();
        largest.sort_by(|a, b| b.0.total_cmp(&a.0));
        largest.truncate(SHOWN);
        let message = |(_, pair): (f64, &RowPair)| {
            let differ = |column: &&String| frame.differ(column)(pair.base, pair.new);
            Moved {
                variant: joined.name(&joined.lines[pair.line]),
                position: frame.text(columns::POSITION, pair.base).to_string(),
                depth: depths[pair.base],
                repeat: repeats[pair.base].max(0.0) as u32,
                nodes: [nodes[pair.base], nodes[pair.new]],
                columns: joined.shared.iter().filter(is_decided).filter(differ).cloned().collect(),
            }
        };
        self.moved = largest.into_iter().map(message).collect();
    }

    /// Holds the gates against each variant that both have, and says of which one has no figures for it.
    fn judge(&mut self, joined: &Joined, gates: &[(Gate, String)]) -> Result<Vec<String>, GateError> {
        let mut without = Vec::new();
        for (gate, column) in gates {
            let Some(place) = self.metric(column).filter(|_| joined.shared.contains(column)) else {
                return Err(
                    gate.refuse(&format!("NEW has no column `{column}`"), "another build wrote it: run it anew")
                );
            };
            // Counts are exact; times and score errors are samples.
            let sampled = [columns::SECONDS, columns::SCORE_ERROR].contains(&column.as_str());
            let (mut judged, mut can_fail) = (0, false);
            for (line, change) in self.variants.iter().enumerate().filter(|(_, change)| change.paired > 0) {
                if !figures(joined, column, line).map_err(|lack| gate.refuse(&lack, NO_FIGURES))? {
                    without.push(format!("gate `{gate}`: not judged of \"{}\", which has no figures", change.variant));
                    continue;
                }
                let ratio = if column == columns::SECONDS { change.seconds } else { change.score_error };
                if sampled && ratio.low.is_nan() {
                    let what = format!("`{column}` of \"{}\" has no interval, so it could never fail", change.variant);
                    return Err(gate.refuse(&what, "give results of two searches or more, of which it is not 0"));
                }
                let [old, fresh] = change.totals[place];
                let beyond = match gate.limit {
                    Rule::Changed if sampled => ratio.is_clear(),
                    Rule::Changed => change.differ[place] > 0,
                    Rule::Beyond { .. } => gate.is_beyond(old, fresh),
                };
                (judged, can_fail) = (judged + 1, can_fail || gate.can_fail(old));
                // What is a sample must also be told from noise.
                let noise = beyond && sampled && !ratio.is_clear();
                self.judged.push(GateResult {
                    gate: gate.to_string(),
                    variant: change.variant.clone(),
                    metric: column.clone(),
                    totals: [old, fresh],
                    differ: change.differ[place],
                    fails: beyond && !noise,
                    noise,
                });
            }
            if judged == 0 && self.rows.0 > 0 {
                return Err(gate.refuse(&format!("neither BASE nor NEW has a figure in `{column}`"), NO_FIGURES));
            }
            if judged > 0 && !can_fail {
                let help = "no total is less than 0: give a smaller change";
                return Err(gate.refuse("it can never fail: no total of BASE is that large", help));
            }
        }
        Ok(without)
    }
}

/// What to do about a gate that has nothing to judge.
const NO_FIGURES: &str = "gate a column that both results have figures in";

/// Whether the paired rows of a line have figures in a column, or which row has none that can be judged.
fn figures(joined: &Joined, column: &str, line: usize) -> Result<bool, String> {
    let (numbers, mut found) = (joined.frame.numbers(column), false);
    for pair in joined.both.iter().filter(|pair| pair.line == line) {
        for (side, row) in [("BASE", pair.base), ("NEW", pair.new)] {
            let number = numbers[row];
            if number < 0.0 || number.is_infinite() {
                return Err(format!("`{column}` of {side} is {number} for {}", joined.row(row)));
            }
        }
        match [pair.base, pair.new].map(|row| numbers[row].is_nan()) {
            [true, true] => {}
            [false, false] => found = true,
            [empty, _] => {
                let side = if empty { "BASE" } else { "NEW" };
                return Err(format!("`{column}` of {side} is empty for {}", joined.row(pair.base)));
            }
        }
    }
    Ok(found)
}

/// Whether a column is of what a search decides: a count, a state at its end, or a word such as its best move.
fn is_decided(column: &&String) -> bool {
    matches!(columns::role(column), Role::Sum | Role::Last | Role::Word)
}

/// That totals hold what a node limit cut short: it is what was to be spent, not what was needed.
fn cut_short(joined: &Joined) -> Option<String> {
    let finished = joined.frame.coded(columns::FINISHED);
    let cut = |row: usize| finished.at(row) == "false";
    let base = joined.both.iter().filter(|pair| cut(pair.base)).count();
    let new = joined.both.iter().filter(|pair| cut(pair.new)).count();
    (base + new > 0).then(|| {
        format!(
            "totals, and gates on them, hold iterations that a node limit cut short ({} of BASE and {new} of NEW): budgets spent, \
             not nodes needed; a ratio with † is of the depths that both finished",
            plural(base, "row")
        )
    })
}

/// What the reader must know beside the figures.
fn notes(base: &Recorded, new: &Recorded, joined: &Joined, gates: &[(Gate, String)]) -> Vec<String> {
    let mut notes = Vec::new();
    for (variant, name) in joined.variants.iter().zip(&joined.renamed) {
        let same = |name: &String| format!("\"{variant}\" is \"{name}\" in NEW: it has the same options");
        notes.extend(name.as_ref().map(same));
    }
    for (side, failed) in ["BASE", "NEW"].iter().zip(joined.failed) {
        if failed > 0 {
            let jobs = if failed == 1 { "a job".to_owned() } else { format!("{failed} jobs") };
            notes.push(format!("{jobs} failed in {side}: see its error column"));
        }
    }
    notes.extend(cut_short(joined));
    let (Some(old), Some(fresh)) = (&base.manifest, &new.manifest) else {
        notes.push(
            "no manifest.json beside one of them: whether their plans, builds and machines are equal is unknown"
                .to_owned(),
        );
        return notes;
    };
    for (side, manifest) in [("BASE", old), ("NEW", fresh)] {
        if manifest.ended.is_none() {
            notes.push(format!("the run of {side} did not end"));
        }
    }
    if old.build != fresh.build {
        let [base, new] =
            [&old.build, &fresh.build].map(|build| format!("{} ({}, {})", build.version, build.commit, build.profile));
        notes.push(format!("other builds: BASE {base}, NEW {new}"));
    }
    if old.machine != fresh.machine {
        let [base, new] = [old, fresh].map(|of| format!("{}, {} cores", of.machine.cpu, of.machine.cores));
        notes.push(format!("other machines: BASE {base}; NEW {new}; counts can be compared, times cannot"));
    }
    if gates.iter().any(|(_, column)| column == columns::SECONDS) {
        for (side, manifest) in [("BASE", old), ("NEW", fresh)] {
            if manifest.jobs > 1 {
                notes.push(format!("{side} ran {} jobs at a time: times need --jobs 1", manifest.jobs));
            }
            if manifest.repeats < 2 {
                notes.push(format!("{side} ran each search once: times need repeats"));
            }
        }
    }
    notes
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    use crate::analysis::rows::frame::Frame;
    use crate::record::manifest::Manifest;

    /// One result of these rows: variant, position, nodes.
    fn recorded(rows: &str, manifest: Manifest) -> Recorded {
        let rows = rows.split(' ').filter(|row| !row.is_empty()).map(|row| row.to_owned() + "\n").collect::<String>();
        let text = format!("variant,position,search.nodes,depth,seconds,error\n{}", rows.replace('\n', ",1,0.5,\n"));
        let frame = Frame::parse(text.replace("!,1,0.5,", ",1,0.5,why").as_bytes(), "t").unwrap();
        Recorded { name: "r".to_owned(), frame, manifest: Some(manifest), missing: None }
    }

    fn of(base: &Recorded, new: &Recorded) -> Comparison {
        Comparison::new(base, new, &[]).unwrap()
    }

    fn timed(base: &Recorded, new: &Recorded) -> Comparison {
        Comparison::new(base, new, &[(Gate::parse("seconds > +5%").unwrap(), columns::SECONDS.to_owned())]).unwrap()
    }

    /// Each note is of its own side: whatever is otherwise in one of the two alone is told of that one.
    #[test]
    fn notes_are_of_their_own_side() {
        let usual = Manifest { ended: Some(9), jobs: 1, repeats: 2, plan: "p".to_owned(), ..Manifest::default() };
        let side = |change: &dyn Fn(&mut Manifest), rows: &str| {
            let mut manifest = usual.clone();
            change(&mut manifest);
            recorded(rows, manifest)
        };
        let same = side(&|_| {}, "a,p,9 a,q,8");
        assert_eq!(timed(&same, &same).notes, Vec::<String>::new());
        let others = [
            (side(&|manifest| manifest.ended = None, "a,p,9 a,q,8"), "the run of SIDE did not end"),
            (side(&|manifest| manifest.jobs = 2, "a,p,9 a,q,8"), "SIDE ran 2 jobs at a time: times need --jobs 1"),
            (side(&|manifest| manifest.repeats = 1, "a,p,9 a,q,8"), "SIDE ran each search once: times need repeats"),
            (side(&|_| {}, "a,p,9 a,q,8 a,r,! a,s,!"), "2 jobs failed in SIDE: see its error column"),
        ];
        for (other, message) in others {
            assert_eq!(timed(&other, &same).notes, [message.replace("SIDE", "BASE")]);
            assert_eq!(timed(&same, &other).notes, [message.replace("SIDE", "NEW")]);
        }
        // Jobs and repeats matter only where a gate is on times.
        let nodes = [(Gate::parse("nodes > +5%").unwrap(), columns::NODES.to_owned())];
        let hurried = side(&|manifest| (manifest.jobs, manifest.repeats) = (2, 1), "a,p,9 a,q,8");
        assert_eq!(Comparison::new(&hurried, &hurried, &nodes).unwrap().notes, Vec::<String>::new());
        // Builds and machines of both, BASE first.
        let old = side(
            &|manifest| (manifest.machine.cpu, manifest.build.version) = ("x".to_owned(), "1".to_owned()),
            "a,p,9 a,q,8",
        );
        let fresh = side(
            &|manifest| (manifest.machine.cpu, manifest.build.version) = ("y".to_owned(), "2".to_owned()),
            "a,p,9 a,q,8",
        );
        assert_eq!(
            timed(&old, &fresh).notes,
            [
                "other builds: BASE 1 (, ), NEW 2 (, )",
                "other machines: BASE x, 0 cores; NEW y, 0 cores; counts can be compared, times cannot"
            ]
        );
    }

    /// What only one of two plans has, what they set otherwise, and where: from BASE to NEW.
    #[test]
    fn plans_differ_from_base_to_new() {
        let of_plan = |plan: &str, items: usize, slots: &[(&str, u32)]| {
            let options = |slots: &u32| serde_json::json!({ "table": { "slots": slots } });
            let options = slots.iter().map(|(name, slots)| ((*name).to_owned(), options(slots))).collect();
            let rows = slots.iter().map(|(name, _)| format!("{name},p,9 ")).collect::<String>();
            recorded(&rows, Manifest { plan: plan.to_owned(), items, options, ..Manifest::default() })
        };
        // Whatever else a manifest tells of its plan.
        let with = |plan: &str, suite: &str, repeats: u32, seeds: u32, sequence: bool| {
            let suite = suite.to_owned();
            recorded(
                "a,p,9",
                Manifest { plan: plan.to_owned(), suite, repeats, seeds, sequence, ..Manifest::default() },
            )
        };
        let found = of(&with("x", "s.epd", 1, 3, false), &with("y", "t.epd", 2, 1, true)).differences.unwrap();
        assert_eq!(
            found,
            ["suite (s.epd -> t.epd)", "repeats (1 -> 2)", "key seeds (3 -> 1)", "sequence (false -> true)"]
        );
        let base = of_plan("x", 3, &[("a", 1), ("b", 2), ("c", 7)]);
        let new = of_plan("y", 4, &[("a", 1), ("b", 4), ("d", 8), ("e", 9)]);
        let [alone, others] = [of(&base, &new), of(&new, &base)].map(|found| found.differences.unwrap());
        let slots = |values: &str| format!("table.slots in 1 of 2 variants ({values})");
        let only = |side: &str, many: &str| format!("{many} that only {side} has");
        let message = |items: &str, values: &str| vec![format!("items ({items})"), slots(values)];
        assert_eq!(
            alone,
            [message("3 -> 4", "2 -> 4"), vec![only("BASE", "1 variant"), only("NEW", "2 variants")]].concat()
        );
        assert_eq!(
            others,
            [message("4 -> 3", "4 -> 2"), vec![only("BASE", "2 variants"), only("NEW", "1 variant")]].concat()
        );
        assert_eq!(of(&base, &base).differences, Some(Vec::new()));
    }

    /// Another node limit is named, of the variant that has it; that its totals hold what was cut short is told, and its ratio is of depth 1 alone.
    #[test]
    fn what_a_node_limit_cuts_is_told() {
        let of_limit = |plan: &str, nodes: [u32; 3]| {
            let [limit, first, cut] = nodes;
            let text = format!(
                "variant,position,limit,finished,search.nodes,depth,error\na,p,nodes {limit},true,{first},1,\n\
                 a,p,nodes {limit},false,{cut},2,\nb,p,depth 1,true,5,1,\n"
            );
            let options = ["a", "b"].map(|name| (name.to_owned(), serde_json::json!({}))).into_iter().collect();
            let manifest = Manifest { plan: plan.to_owned(), ended: Some(9), options, ..Manifest::default() };
            let frame = Frame::parse(text.as_bytes(), "t").unwrap();
            Recorded { name: "r".to_owned(), frame, manifest: Some(manifest), missing: None }
        };
        let (base, new) = (of_limit("x", [60, 20, 40]), of_limit("y", [80, 10, 70]));
        let found = Comparison::new(&base, &new, &[]).unwrap();
        assert_eq!(found.differences, Some(vec!["limit.nodes in 1 of 2 variants (60 -> 80)".to_owned()]));
        let message: Vec<&String> = found.notes.iter().filter(|note| note.contains("cut short")).collect();
        assert!(message.len() == 1 && message[0].contains("1 row of BASE and 1 of NEW"), "{:?}", found.notes);
        let ratios: Vec<(f64, usize)> = found.variants.iter().map(|of| (of.nodes.mean, of.cut)).collect();
        assert!((ratios[0].0 - 0.5).abs() < 1e-12 && ratios[0].1 == 1 && ratios[1] == (1.0, 0), "{ratios:?}");
        assert_eq!(found.variants[0].totals[0], [60.0, 80.0], "totals hold what was cut");
    }

    /// Of two variants each needs more in six positions of its own, all alike: by itself each is chance once in thirty-two, and one of the two is in
    /// 1 - (31/32)^2 of all cases.
    #[test]
    fn p_is_corrected_for_all_variants() {
        let rows = |more: [u32; 2]| {
            let row = |at: u32| {
                format!("a,p{at},{} b,p{at},{} ", 1000 + more[usize::from(at < 6)], 1000 + more[usize::from(at >= 6)])
            };
            recorded(&(0..12).map(row).collect::<String>(), Manifest::default())
        };
        for of in of(&rows([0, 0]), &rows([0, 100])).variants {
            let both = 1.0 - (31.0_f64 / 32.0).powi(2);
            assert!((of.nodes.p - 1.0 / 32.0).abs() < 1e-9 && (of.p - both).abs() < 1e-9, "{of:?}");
        }
    }

    /// A variant of NEW is another of BASE only where that one has gone.
    #[test]
    fn who_is_still_there_was_not_renamed() {
        let of_slots = |slots: &[(&str, u32)]| {
            let options = slots.iter().map(|(name, slots)| ((*name).to_owned(), serde_json::json!({ "slots": slots })));
            let rows = slots.iter().map(|(name, _)| format!("{name},p,9 ")).collect::<String>();
            recorded(&rows, Manifest { options: options.collect(), ended: Some(9), ..Manifest::default() })
        };
        let renamed = |base: &[(&str, u32)], new: &[(&str, u32)]| {
            let notes = of(&of_slots(base), &of_slots(new)).notes;
            notes.into_iter().filter(|note| note.ends_with("it has the same options")).collect::<Vec<_>>()
        };
        let message = ["\"a\" is \"b\" in NEW: it has the same options"];
        assert_eq!(renamed(&[("a", 1), ("c", 7)], &[("b", 1), ("c", 7)]), message);
        assert_eq!(renamed(&[("a", 1), ("c", 7)], &[("a", 9), ("b", 1)]), Vec::<String>::new());
    }

    /// Totals are of the first repeat; what moved most stands first.
    #[test]
    fn totals_are_of_first_repeats_and_the_largest_move_is_first() {
        let side = |nodes: [u32; 4]| {
            let [p, again, q, r] = nodes;
            let text = format!(
                "variant,position,repeat,search.nodes,depth,error\na,p,0,{p},1,\na,p,1,{again},1,\na,q,0,{q},1,\na,r,0,{r},1,\n"
            );
            let frame = Frame::parse(text.as_bytes(), "t").unwrap();
            Recorded { name: "r".to_owned(), frame, manifest: None, missing: None }
        };
        let found = of(&side([100, 500, 100, 100]), &side([110, 500, 300, 40]));
        let place = found.metric(columns::NODES).unwrap();
        assert_eq!(found.variants[0].totals[place], [300.0, 450.0]);
        let moved: Vec<&str> = found.moved.iter().map(|moved| moved.position.as_str()).collect();
        assert_eq!(moved, ["q", "r", "p"]);
    }

    /// Of rows that moved, and of those that are missing, twenty are named, and all are counted.
    #[test]
    fn twenty_rows_are_named() {
        for count in [20, 21] {
            let side = |nodes: u32, from: u32| {
                let rows: String = (from..=count).map(|at| format!("a,p{at},{nodes} ")).collect();
                recorded(&rows, Manifest::default())
            };
            let found = of(&side(100, 1), &side(110, 1));
            assert_eq!((found.moved.len(), found.missing.0), (20, 0), "{count}");
            let found = of(&side(100, 0), &recorded("a,p0,100 ", Manifest::default()));
            assert_eq!((found.missing.0, found.missing.1.len()), (count as usize, 20), "{count}");
        }
    }

    /// An option that was changed otherwise in another variant is not told as if all had changed alike.
    #[test]
    fn unlike_changes_of_an_option_are_told() {
        let of_plan = |plan: &str, slots: [u32; 2]| {
            let options = [("a", slots[0]), ("b", slots[1])];
            let options = options.map(|(name, slots)| (name.to_owned(), serde_json::json!({ "slots": slots })));
            recorded("a,p,9 b,p,9", Manifest { plan: plan.to_owned(), options: options.into(), ..Manifest::default() })
        };
        let message = |new: [u32; 2]| of(&of_plan("x", [1, 1]), &of_plan("y", new)).differences.unwrap();
        assert_eq!(message([3, 3]), ["slots (1 -> 3)"]);
        assert_eq!(message([3, 5]), ["slots (1 -> 3 and others)"]);
        assert_eq!(message([1, 5]), ["slots in 1 of 2 variants (1 -> 5)"]);
    }

    /// The manifest beside results.csv is of those rows, and not of another file's.
    #[test]
    fn a_manifest_is_of_the_rows_beside_it() {
        let place = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
        put("manifest.json", "{ \"plan\": \"p\", \"rows\": 1 }");
        for name in ["results.csv", "part.csv"] {
            put(name, "variant,position,depth,search.nodes\na,p,1,9\n");
        }
        let plan = |name: &str| Recorded::read(&place.path().join(name)).unwrap().manifest.map(|found| found.plan);
        assert_eq!(
            [plan(""), plan("results.csv"), plan("part.csv")],
            [Some("p".to_owned()), Some("p".to_owned()), None]
        );
    }

    /// Gates on two variants by hand: 100 nodes become 101 in each search of "a"; of "b" one search needs 10 more and another 10 less, and it takes twice the time
    /// in each. A gate that bounds nothing of a variant is judged of it all the same, and one that has no rows in common is not.
    #[test]
    fn gates_by_hand() {
        let side = |variants: &[(&str, u32, f64)]| {
            let rows = variants.iter().flat_map(|&(variant, more, seconds)| {
                let nodes = move |at: u32| match (variant, at) {
                    ("b", 0) => 100 + more,
                    ("b", 1) => 100 - more,
                    ("b", _) => 100,
                    _ => 100 + more,
                };
                (0..8).map(move |at| format!("{variant},p{at},{},1,{},\n", nodes(at), seconds + 0.01 * f64::from(at)))
            });
            let text = format!("variant,position,search.nodes,depth,seconds,error\n{}", rows.collect::<String>());
            let frame = Frame::parse(text.as_bytes(), "t").unwrap();
            Recorded { name: "r".to_owned(), frame, manifest: None, missing: None }
        };
        let (base, new) =
            (side(&[("a", 0, 1.0), ("b", 0, 1.0), ("c", 0, 1.0)]), side(&[("a", 1, 1.0), ("b", 10, 2.0)]));
        let fails = |gate: &str| {
            let gate = Gate::parse(gate).unwrap();
            let column = gate.column(&base.frame).unwrap();
            let found = Comparison::new(&base, &new, &[(gate, column)]).unwrap();
            assert_eq!(found.finding() == Finding::Gate, found.judged.iter().any(|of| of.fails));
            found.judged.iter().map(|of| (of.variant.clone(), of.fails)).collect::<Vec<_>>()
        };
        for (gate, expected) in [
            ("nodes > +1%", [false, false]),
            ("nodes >= +1%", [true, false]),
            ("nodes < 0", [false, false]),
            ("nodes <= 0", [false, true]),
            ("nodes changed", [true, true]),
            ("seconds > +50%", [false, true]),
            ("seconds < -10%", [false, false]),
            ("seconds changed", [false, true]),
        ] {
            assert_eq!(fails(gate), [("a".to_owned(), expected[0]), ("b".to_owned(), expected[1])], "{gate}");
        }
        let found = of(&base, &new);
        let counted: Vec<_> =
            found.variants.iter().map(|of| (of.variant.as_str(), of.paired, of.moved, of.missing)).collect();
        assert_eq!(counted, [("a", 8, 8, 0), ("b", 8, 2, 0), ("c", 0, 0, 8)]);
        assert_eq!((found.rows, found.missing.0, found.missing.1.len()), ((16, 10), 8, 8));
        assert_eq!(found.variants[1].differ[found.metric(columns::NODES).unwrap()], 2);
    }

    /// A time beyond its bound that cannot be told from none is noise, and fails no gate: one search takes ten times as long, the others what they took.
    #[test]
    fn a_time_that_may_be_chance_fails_no_gate() {
        let side = |first: f64| {
            let row = |at: u32| format!("a,p{at},100,1,{},\n", if at == 0 { first } else { 1.0 });
            let rows: String = (0..8).map(row).collect();
            let frame =
                Frame::parse(format!("variant,position,search.nodes,depth,seconds,error\n{rows}").as_bytes(), "t")
                    .unwrap();
            Recorded { name: "r".to_owned(), frame, manifest: None, missing: None }
        };
        let judged = timed(&side(1.0), &side(10.0)).judged;
        assert_eq!((judged.len(), judged[0].totals, judged[0].fails, judged[0].noise), (1, [8.0, 17.0], false, true));
        let judged = timed(&side(1.0), &side(1.0)).judged;
        assert!(!judged[0].fails && !judged[0].noise);
    }

    /// Positions of one name that are not the same are refused, under both results' names; those that only one has are not.
    #[test]
    fn unlike_positions_of_one_name_are_refused() {
        let side = |name: &str, contents: &[(&str, &str)]| {
            let contents = contents.iter().map(|(name, hash)| ((*name).to_owned(), (*hash).to_owned())).collect();
            Recorded { name: name.to_owned(), ..recorded("a,p,9", Manifest { contents, ..Manifest::default() }) }
        };
        let old = side("old", &[("p", "1"), ("q", "2")]);
        assert!(Comparison::new(&old, &side("new", &[("p", "1"), ("r", "2")]), &[]).is_ok());
        let error = Comparison::new(&old, &side("new", &[("p", "1"), ("q", "3")]), &[]).unwrap_err().to_string();
        assert!(
            error.starts_with("old and new: 1 item called alike is not the same") && error.contains("`q`"),
            "{error}"
        );
        // A row that stands there twice is of the result that has it.
        let [once, twice] = [("old", "a,p,9"), ("new", "a,p,9 a,p,9")]
            .map(|(name, rows)| Recorded { name: name.to_owned(), ..recorded(rows, Manifest::default()) });
        for (base, new) in [(&once, &twice), (&twice, &once)] {
            let error = Comparison::new(base, new, &[]).unwrap_err().to_string();
            assert_eq!(error, "new: variant \"a\", p, depth 1 has two rows: join no results that overlap");
        }
    }

    /// A gate that has no figures on both sides is refused, of whatever kind it is; what only some variants have is judged of those.
    #[test]
    fn a_gate_without_figures_is_refused() {
        let columns = "variant,position,depth,error,search.nodes,table.hits,seconds\n";
        let side = |rows: &[&str]| {
            let frame = Frame::parse((columns.to_owned() + &rows.join("\n") + "\n").as_bytes(), "t").unwrap();
            Recorded { name: "r".to_owned(), frame, manifest: None, missing: None }
        };
        let judge = |base: &Recorded, new: &Recorded, gate: &str| {
            let gate = Gate::parse(gate).unwrap();
            let column = gate.column(&base.frame).unwrap();
            let found = Comparison::new(base, new, &[(gate, column)]).map_err(|error| error.to_string());
            found.map(|found| (found.judged.len(), found.finding() == Finding::Gate, found.notes))
        };
        let rows = |p: &str, q: &str| side(&[&format!("a,p,1,,{p}"), &format!("a,q,1,,{q}")]);
        let whole = rows("9,3,0.5", "8,0,0.7");
        let gates = [
            "nodes > +1%",
            "nodes changed",
            "hits > +1%",
            "hits changed",
            "hits <= -1",
            "seconds > +1%",
            "seconds changed",
        ];
        for gate in gates {
            assert!(judge(&whole, &whole, gate).is_ok_and(|(judged, fails, _)| judged == 1 && !fails), "{gate}");
        }
        // Whatever stands in a field that is no figure, of either side.
        for (other, of) in [
            (rows("9,3,", "8,0,0.7"), "seconds"),
            (rows("9,3,", "8,0,"), "seconds"),
            (rows("9,3,NaN", "8,0,0.7"), "seconds"),
            (rows("9,3,inf", "8,0,0.7"), "seconds"),
            (rows("9,3,-5", "8,0,0.7"), "seconds"),
            (rows("9,3,0", "8,0,0"), "seconds"),
            (rows("9,,0.5", "8,0,0.7"), "hits"),
            (rows("9,,0.5", "8,,0.7"), "hits"),
            (rows("9,-3,0.5", "8,0,0.7"), "hits"),
            (rows("9,inf,0.5", "8,0,0.7"), "hits"),
            (rows("NaN,3,0.5", "8,0,0.7"), "nodes"),
            (rows("-inf,3,0.5", "8,0,0.7"), "nodes"),
            (rows(",3,0.5", ",0,0.7"), "nodes"),
        ] {
            for gate in gates {
                let refused = gate.starts_with(of);
                for found in [judge(&whole, &other, gate), judge(&other, &whole, gate)] {
                    assert_eq!(found.is_err(), refused, "{gate}: {found:?}");
                    assert!(found.is_ok() || found.is_err_and(|error| error.contains("\nhelp: ")), "{gate}");
                }
            }
        }
        let silent = rows("9,,0.5", "8,,0.7");
        let message = judge(&silent, &silent, "hits > +1%").unwrap_err();
        assert!(
            message.starts_with("gate `hits > +1%`: neither BASE nor NEW has a figure in `table.hits`"),
            "{message}"
        );
        let message = judge(&whole, &rows("9,3,", "8,0,0.7"), "seconds > +1%").unwrap_err();
        assert!(message.contains("`seconds` of NEW is empty for \"a\", p, depth 1"), "{message}");
        // Our engine beside one that tells no hits; no column at all; one search has no interval.
        let both = side(&["a,p,1,,9,3,0.5", "b,p,1,,9,,0.5"]);
        let (judged, _, notes) = judge(&both, &both, "hits > +1%").unwrap();
        let message = "gate `hits > +1%`: not judged of \"b\", which has no figures";
        assert!(judged == 1 && notes.iter().any(|note| note == message), "{notes:?}");
        assert!(judge(&both, &both, "seconds > +1%").unwrap_err().contains("has no interval"));
        let bare =
            Frame::parse("variant,position,depth,error,search.nodes\na,p,1,,9\na,q,1,,8\n".as_bytes(), "t").unwrap();
        let bare = Recorded { frame: bare, ..whole.clone() };
        for gate in ["seconds > +1%", "seconds changed", "hits changed"] {
            assert!(judge(&whole, &bare, gate).unwrap_err().contains("NEW has no column"), "{gate}");
        }
        // A change that is more than there is.
        assert_eq!(judge(&whole, &whole, "nodes < -16").unwrap().0, 1);
        assert!(judge(&whole, &whole, "nodes < -17").unwrap_err().contains("it can never fail"));
        assert_eq!(judge(&whole, &whole, "nodes <= -17").unwrap().0, 1);
        // Where no row is in both there is nothing to judge, and that is told as rows that are missing.
        let apart = side(&["z,p,1,,9,3,0.5"]);
        assert_eq!(judge(&whole, &apart, "nodes > +1%").unwrap().0, 0);
    }
}
