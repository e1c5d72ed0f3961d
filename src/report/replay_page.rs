//! The page of `ttlab replay`. It shows how much of a trace each policy keeps, and the bounds for
//! any table.

use super::number::format_percent;
use super::sheet::{Cell, Entries, Part, Sheet, SheetTable};
use crate::table::{Size, TableOptions};
use crate::text::plural;
use crate::traces::Info;
use crate::traces::replay::{DepthScale, ReplayCounters};

pub struct ReplayOutcome<'a> {
    pub info: &'a Info,
    pub base: &'a TableOptions,
    pub buckets: u64,
    pub always: ReplayCounters,
    /// The most hits, cuts and worth that a table of this shape can keep if it knows the future.
    pub bounds: [u64; 3],
    pub policies: Vec<(String, ReplayCounters)>,
}

/// A policy, or a bound for all policies, with its counts.
struct Line {
    name: String,
    counters: ReplayCounters,
    is_bound: bool,
}

type Count = fn(&ReplayCounters) -> u64;

/// The columns that a page shows, by their keys. CSV has all.
const SHOWN: [&str; 10] = [
    "policy",
    "hits",
    "hits_share",
    "cuts_kept",
    "cuts_share",
    "worth_kept",
    "worth_share",
    "moves_kept",
    "evictions",
    "refused",
];

/// The reason why cutoffs and worth are unknown.
const NO_WINDOWS: &str = "the trace records no search windows and no cutoffs";

impl ReplayOutcome<'_> {
    pub fn sheet(&self) -> Sheet {
        let open_loop = "open loop: the trace is replayed without any search. In a search, the table's answers \
            would change later probes"
            .to_owned();
        let mut parts = vec![Part::Findings(vec![self.describe_trace()]), Part::Warning(open_loop)];
        let depths = DepthScale::new(self.info.depth_parts, self.info.min_depth);
        if depths.is_clipped(self.info.max_depth) {
            let warning = "depths more than 255 plies above the smallest depth count as 255";
            parts.push(Part::Warning(warning.to_owned()));
        }
        if depths.parts > 1 {
            let warning =
                format!("depths are in units of 1/{} ply; tables store them rounded down to whole plies", depths.parts);
            parts.push(Part::Warning(warning));
        }
        let table = self.table();
        let is_shown = |index: &usize| SHOWN.contains(&table.columns[*index].key.as_str());
        let shown: Vec<usize> = (0..table.columns.len()).filter(is_shown).collect();
        parts.push(Part::Table(table.select_columns(&shown)));
        parts.push(Part::Findings(vec![self.describe_best()]));
        Sheet { kind: "replay".to_owned(), parts, ..Sheet::default() }
    }

    pub fn table(&self) -> SheetTable {
        let Self { info, always, bounds: [hits, kept, worth_kept], .. } = *self;
        let clairvoyant = ReplayCounters { hits, kept, worth_kept, ..always };
        // A table that forgets nothing answers all probes of positions that were stored before.
        let unbounded = ReplayCounters { hits: always.known, kept: always.cuts, worth_kept: always.worth, ..always };
        let make_line =
            |name: &str, counters: ReplayCounters, is_bound: bool| Line { name: name.to_owned(), counters, is_bound };
        let policies = self.policies.iter().map(|(name, counters)| make_line(name, *counters, false));
        let bounds = [("clairvoyant", clairvoyant), ("unbounded", unbounded)];
        let lines: Vec<Line> = policies.chain(bounds.map(|(name, counters)| make_line(name, counters, true))).collect();
        let count_of_policy = |count: Count| {
            move |line: &Line| match line.is_bound {
                true => Cell::empty("a bound"),
                false => Cell::count(count(&line.counters) as f64),
            }
        };
        // The keys of the kept part and of the total, the total's meaning, and both counts.
        let measures: [(&str, &str, &str, Count, Count); 3] = [
            ("hits", "known", "probes of positions that were stored before", |c| c.known, |c| c.hits),
            ("cuts_kept", "cuts", "probes whose last offered entry ends the node", |c| c.cuts, |c| c.kept),
            ("worth_kept", "worth", "nodes searched to make these entries", |c| c.worth, |c| c.worth_kept),
        ];
        let policy_meaning =
            "clairvoyant: the most that a table of this shape can reach; unbounded: one that forgets nothing";
        let mut entries = Entries::<Line>::default()
            .text("policy", "policy", policy_meaning, |line| Cell::text(&line.name))
            .number("probes", "probes", "", |line| Cell::count(line.counters.probes as f64))
            .drop_order(13);
        // On a narrow screen, the gaps are dropped last and the totals first.
        for (order, (kept_key, total_key, meaning, total, kept)) in (1..).zip(measures) {
            let is_known = info.has_worth() || total_key == "known";
            let unless_unknown = move |cell: Cell| if is_known { cell } else { Cell::empty(NO_WINDOWS) };
            let count_cell =
                |count: Count| move |line: &Line| unless_unknown(Cell::count(count(&line.counters) as f64));
            let key = kept_key.trim_end_matches("_kept");
            entries = entries
                .number(
                    total_key,
                    if total_key == "known" { "stored before" } else { total_key },
                    meaning,
                    count_cell(total),
                )
                .drop_order(13 - order)
                .number(
                    kept_key,
                    &kept_key.replace('_', " "),
                    "the part of these that the table's answers keep",
                    count_cell(kept),
                )
                .number(
                    &format!("{key}_share"),
                    &format!("of all {key}"),
                    "share of what a table that forgets nothing keeps",
                    move |line| unless_unknown(Cell::share(kept(&line.counters) as f64, kept(&unbounded) as f64)),
                )
                .drop_order(3 + order)
                .number(
                    &format!("{key}_gap"),
                    "always to best",
                    "the way from `always` to `clairvoyant`",
                    move |line| {
                        let [kept_here, lowest, highest] =
                            [&line.counters, &always, &clairvoyant].map(|counters| kept(counters) as f64);
                        let share = if highest > lowest { (kept_here - lowest) / (highest - lowest) } else { f64::NAN };
                        unless_unknown(Cell::share(share, 1.0))
                    },
                )
                .drop_order(order);
        }
        let mut entries = entries
            .number("moves", "moves", "probes of positions with a move", |line: &Line| {
                Cell::count(line.counters.moves as f64)
            })
            .drop_order(15)
            .number("moves_kept", "moves kept", "those answered with the move offered last", |line: &Line| {
                match line.is_bound {
                    true if line.name == "clairvoyant" => Cell::empty("a bound"),
                    true => Cell::count(line.counters.moves as f64),
                    false => Cell::count(line.counters.moves_kept as f64),
                }
            })
            .drop_order(16)
            .number(
                "deep",
                "deep enough",
                "hits that are deep enough for the probe",
                count_of_policy(|count| count.deep),
            )
            .drop_order(9)
            .number("stores", "stores", "", count_of_policy(|count| count.stores))
            .drop_order(14)
            .number("evictions", "evictions", "", count_of_policy(|count| count.evictions))
            .drop_order(7)
            .number("refused", "refused", "", count_of_policy(|count| count.rejections))
            .drop_order(8);
        if info.hits > 0 {
            let meaning = "probes that the recorded table answered and this one did not, or the reverse: 0 if both tables are \
                 the same";
            entries = entries
                .number("otherwise", "answered otherwise", meaning, count_of_policy(|count| count.otherwise))
                .drop_order(17);
        }
        entries.table("replay", "", &lines)
    }

    /// The policy that keeps most, and the most that is possible.
    fn describe_best(&self) -> String {
        let (what, all, bound, kept): (_, _, _, Count) = match self.info.has_worth() {
            true => ("worth", self.always.worth, self.bounds[2], |counters| counters.worth_kept),
            false => ("hits", self.always.known, self.bounds[0], |counters| counters.hits),
        };
        let best = self.policies.iter().rev().max_by_key(|(_, counters)| kept(counters)).filter(|_| all > 0);
        let Some((name, counters)) = best else {
            return "No probe is of a position that was stored before: no table can answer.".to_owned();
        };
        let share = |part: u64| format_percent(part as f64, all as f64);
        let equals = self.policies.iter().filter(|(_, other)| kept(other) == kept(counters)).count();
        let keeps = match (self.policies.len(), equals) {
            (1, _) => " keeps ".to_owned(),
            (_, 1) => " keeps most: ".to_owned(),
            (all, _) if all == equals => format!(" and all {} others keep ", all - 1),
            _ => format!(" and {} keep most: ", plural(equals - 1, "other")),
        };
        format!(
            "`{name}`{keeps}{} of the {what} that a table which forgets nothing keeps; with these buckets {} are \
             possible.",
            share(kept(counters)),
            share(bound)
        )
    }

    fn describe_trace(&self) -> String {
        let Info { events, probes, stores, positions, .. } = self.info;
        let entries = self.buckets * u64::from(self.base.slots);
        let share = 100.0 * entries as f64 / (*positions).max(1) as f64;
        let size =
            if matches!(self.base.size, Size::Share(_)) { format!(" ({})", self.base.size) } else { String::new() };
        let threads = match self.info.threads {
            0 | 1 => String::new(),
            threads => format!("; {threads} threads probe one table"),
        };
        format!(
            "{events} events, {probes} probes, {stores} stores of {positions} positions; the table has {entries} entries{size}, which is {share:.1} % of the positions{threads}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::data::wide_csv;
    use crate::report::sheet::assert_drop_orders_distinct;

    /// Makes the counts of a table.
    fn counts([known, hits, cuts, kept, worth, worth_kept]: [u64; 6]) -> ReplayCounters {
        let (probes, deep, stores, evictions, rejections) = (1000, hits / 2, 60, 50, 40);
        let (moves, moves_kept) = (20, 10);
        let otherwise = 7;
        let probe_counts = ReplayCounters {
            probes,
            known,
            hits,
            otherwise,
            deep,
            cuts,
            kept,
            moves,
            moves_kept,
            ..ReplayCounters::default()
        };
        ReplayCounters { worth, worth_kept, stores, evictions, rejections, ..probe_counts }
    }

    fn table(bounds: [u64; 3], has_worth: bool) -> SheetTable {
        table_of(bounds, Info { window_probes: u64::from(has_worth), ..Info::default() })
    }

    fn table_of(bounds: [u64; 3], info: Info) -> SheetTable {
        let info = Info { events: 9000, positions: 2000, ..info };
        let policies = vec![("a \"b\"".to_owned(), counts([800, 300, 400, 175, 10_000, 4000]))];
        let always = counts([800, 200, 400, 100, 10_000, 1000]);
        let base = TableOptions { slots: 4, ..TableOptions::default() };
        let outcome = ReplayOutcome { info: &info, base: &base, buckets: 64, always, bounds, policies };
        let description = outcome.describe_trace();
        let ending = "of 2000 positions; the table has 256 entries, which is 12.8 % of the positions";
        assert!(description.ends_with(ending), "{description}");
        let Some(Part::Findings(last)) = outcome.sheet().parts.pop() else { panic!("no sentence at the end") };
        assert!(
            last[0].starts_with(if info.has_worth() {
                "`a \"b\"` keeps 40.0 % of the worth"
            } else {
                "`a \"b\"` keeps 37.5 % of the hits"
            }),
            "{last:?}"
        );
        assert_eq!(
            outcome
                .sheet()
                .all_parts()
                .iter()
                .filter_map(|part| if let Part::Table(table) = part { Some(table.columns.len()) } else { None })
                .max(),
            Some(10)
        );
        outcome.table()
    }

    /// A share is relative to a table that forgets nothing; a gap is the part of the way from
    /// `always` to the bound.
    #[test]
    fn lines_show_share_and_gap_of_each_measure() {
        let table = table([600, 200, 5000], true);
        assert_drop_orders_distinct(&table);
        let expected = "policy,probes,known,hits,hits_share,hits_gap,cuts,cuts_kept,cuts_share,cuts_gap,worth,worth_kept,worth_share,worth_gap,moves,moves_kept,deep,stores,evictions,refused\n\
            \"a \"\"b\"\"\",1000,800,300,0.375,0.25,400,175,0.4375,0.75,10000,4000,0.4,0.75,20,10,150,60,50,40\n\
            clairvoyant,1000,800,600,0.75,1,400,200,0.5,1,10000,5000,0.5,1,20,,,,,\n\
            unbounded,1000,800,800,1,1.5,400,400,1,3,10000,10000,1,2.25,20,20,,,,\n";
        assert_eq!(wide_csv(&table, false), expected);
    }

    /// The column exists only if the trace has the answers of the recorded table.
    #[test]
    fn lines_show_answers_other_than_the_recorded() {
        let table = table_of([600, 200, 5000], Info { hits: 3, ..Info::default() });
        assert_drop_orders_distinct(&table);
        let csv = wide_csv(&table, false);
        let last_fields: Vec<&str> = csv.lines().filter_map(|line| line.rsplit(',').next()).collect();
        assert_eq!(last_fields, ["otherwise", "7", "", ""]);
    }

    /// The bounds are the counts of `always`, so that there is no way from one to the other.
    #[test]
    fn gap_needs_a_bound_above_always() {
        let line = wide_csv(&table([200, 100, 1000], true), false).lines().nth(1).map(str::to_owned);
        assert_eq!(
            line.as_deref(),
            Some("\"a \"\"b\"\"\",1000,800,300,0.375,,400,175,0.4375,,10000,4000,0.4,,20,10,150,60,50,40")
        );
    }

    #[test]
    fn cuts_and_worth_are_unknown_without_windows() {
        let line = wide_csv(&table([600, 200, 5000], false), false).lines().nth(1).map(str::to_owned);
        assert_eq!(line.as_deref(), Some("\"a \"\"b\"\"\",1000,800,300,0.375,0.25,,,,,,,,,20,10,150,60,50,40"));
    }
}
