//! The tables of an experiment's page.

use super::number::of_unit;
use super::page::Page;
use super::sheet::{Cell, Emphasis, SheetColumn, SheetTable};
use crate::analysis::Metric;
use crate::analysis::caveats::leading::SAME_LABEL;
use crate::analysis::pairing::stats::at_least;
use crate::analysis::rows::metric::Unit;
use crate::analysis::{Line, Ratio};
use crate::record::columns;
use crate::record::manifest::EngineInfo;
use crate::text::plural;
use std::collections::BTreeMap;

/// Why a field is empty, in the words of every table.
const NO_TABLE: &str = "no table to ask";
const NO_SLOTS: &str = "no table of limited size";
const NO_COST: &str = "not counted, or of entries that count nodes never searched";
const NOT_REPORTED: &str = "an engine that does not tell of its table";
const MAYBE_NOT_REPORTED: &str = "no table, or an engine that does not tell of its own";
const TABLE_LIFE_FILTERED: &str = "a part of the table's life is filtered out";
pub(super) const BASELINE: &str = "the baseline, which is held against itself";
pub(super) const ONE: &str = "too few positions for an interval";

/// Why a line has no figure of its table: for `reason`, where it is of our engine; others have tables and do not tell of them.
fn silence(page: &Page, line: &Line, reason: &'static str) -> &'static str {
    let manifests = page.sources.iter().filter_map(|(_, manifest)| manifest.as_ref()).chain([&page.manifest]);
    let mut others = manifests.map(|manifest| &manifest.subjects).filter(|subjects| !subjects.is_empty()).peekable();
    if others.peek().is_none() {
        return reason;
    }
    // Lines of other columns than the variant do not say whose they are.
    let by_variant = page.summary.by.iter().any(|column| column == columns::VARIANT);
    let named = |subjects: &BTreeMap<String, EngineInfo>| {
        line.values.iter().chain([&line.name]).any(|name| subjects.contains_key(name))
    };
    match (by_variant, others.any(named)) {
        (true, true) => NOT_REPORTED,
        (true, false) => reason,
        (false, _) => MAYBE_NOT_REPORTED,
    }
}

/// A table of one row for each line of the summary: what tells it apart, then what is asked of it.
fn by_line(
    page: &Page,
    key: &str,
    title: &str,
    columns: Vec<SheetColumn>,
    row: impl Fn(&Line) -> Option<Vec<Cell>>,
) -> SheetTable {
    let rows = page.summary.lines.iter().enumerate().filter_map(|(at, line)| {
        let mut cells = page.identity.cells(at, line);
        cells.extend(row(line)?);
        Some(cells)
    });
    // Nodes may be the limit that lines are told apart by, and what they searched: programs must not take one for the other.
    let heads =
        page.identity.columns().into_iter().map(|head| match columns.iter().any(|column| column.key == head.key) {
            true => SheetColumn { key: format!("by_{}", head.key), ..head },
            false => head,
        });
    let columns: Vec<SheetColumn> = heads.chain(columns.iter().cloned()).collect();
    let table = SheetTable::new(key, title, columns, rows);
    // What no engine tells is no column.
    if page.manifest.subjects.is_empty() { table } else { table.without_empty() }
}

/// A ratio, marked where it is clear. Where there is none: how many searches share no depth with the other side's, and of how many one alone is 0.
fn mean(ratio: &Ratio, clear: bool, apart: usize, beyond: usize) -> Cell {
    let why = match (apart, beyond) {
        (0, 0) => "nothing to compare with",
        (0, _) => "0 on one side alone",
        _ => "no common depth",
    };
    Cell::decimal(ratio.mean, 3).or(why).marked(Emphasis::of(clear, ratio.mean < 1.0))
}

/// Each line's totals beside the baseline's.
pub(super) fn summary(page: &Page) -> SheetTable {
    let summary = &page.summary;
    let mut columns = Vec::new();
    for (at, metric) in summary.metrics.iter().enumerate() {
        let name = if page.nodes_mislead && metric.is_nodes() { SAME_LABEL } else { &metric.name };
        let means = metric.compares_means();
        if page.chosen || at == 0 || means {
            let meaning =
                if means { "mean over the searches, in centipawns" } else { "over all iterations of all searches" };
            columns.push(SheetColumn::numbers(&metric.name, name, meaning));
        }
        let key = |what: &str| if at == 0 { what.to_owned() } else { format!("{}_{what}", metric.name) };
        let meaning = match means {
            true => "ratio of the means over the searches that both made",
            false => "geometric mean, over positions, of the ratio to the baseline",
        };
        columns.push(SheetColumn::numbers(&key("ratio"), &format!("{name} / baseline"), meaning));
        let meaning = "the ratio's 95 % interval; !: marked; †: of the depths that both finished";
        columns.push(SheetColumn::numbers(&key("interval"), "95 %", meaning).drop_order(1));
        if page.chosen {
            columns.push(
                SheetColumn::numbers(&key("p"), "p", "sign-flip test, corrected for all lines by joint flips")
                    .drop_order(3),
            );
        }
    }
    // What a table is chosen by (the ratio, its interval, the pressure and how full it is) stays longest on a narrow screen.
    //
    // Counts of hits and cutoffs mislead: where it is known what they were worth, that stands beside them.
    let worth = !page.chosen && summary.lines.iter().any(|line| line.worth().is_some());
    if worth {
        let meaning = "nodes that the entries which ended nodes had cost, as a share of these and the nodes searched; not what a search without a table would need";
        columns.push(SheetColumn::numbers("saved", "worth", meaning).drop_order(4));
        columns.push(SheetColumn::numbers("hit_rate", "hits", "share of the probes that met their key").drop_order(6));
    }
    if !page.chosen {
        columns.extend([
            SheetColumn::numbers("usable", "cutoffs", "share of the probes that ended their node").drop_order(7),
            SheetColumn::numbers(
                "move_only",
                "move only",
                "share of the probes that gave their node a first move and no more",
            )
            .drop_order(8),
            SheetColumn::numbers("full", "full", "share of the slots taken at the end of a search").drop_order(3),
            SheetColumn::numbers(
                "pressure",
                "stores per slot",
                "pressure: stores for each slot over the life of a table (a game, where its searches share one)",
            )
            .drop_order(2),
            SheetColumn::numbers("seconds", "seconds", "sum over searches of the median of their repeats")
                .drop_order(5),
        ]);
    }
    let table = by_line(page, "summary", "Summary", columns, |line| {
        let (no_table, no_slots) = (silence(page, line, NO_TABLE), silence(page, line, NO_SLOTS));
        let why = if line.is_baseline { BASELINE } else { ONE };
        let mut row = Vec::new();
        for (at, (metric, of)) in summary.metrics.iter().zip(&line.measures).enumerate() {
            if page.chosen || at == 0 || metric.compares_means() {
                row.push(Cell::number(of.value, of_unit(of.value, metric.unit())).or("nothing to count"));
            }
            row.push(mean(&of.ratio, of.marked, of.apart, of.beyond));
            // Unlike limits are never compared in silence.
            let ends = Cell::range(of.ratio.low, of.ratio.high).or(why);
            row.push(ends.signed('!', of.marked).signed('†', of.cut > 0));
            if page.chosen {
                row.push(Cell::p(of.p).or(why));
            }
        }
        if worth {
            // Who asked no table, or does not tell it, has nothing to say of what its cutoffs were worth.
            let of = if line.probes > 0.0 { line.nodes } else { 0.0 };
            let (saved, of) = line.worth().unwrap_or((line.saved, of));
            let why = if saved.is_nan() && of > 0.0 { NO_COST } else { no_table };
            row.extend([Cell::share(saved, of).or(why), Cell::share(line.hits, line.probes).or(no_table)]);
        }
        if !page.chosen {
            let no_life =
                if line.hashfull.is_nan() || no_slots == NOT_REPORTED { no_slots } else { TABLE_LIFE_FILTERED };
            row.extend([
                Cell::share(line.usable, line.probes).or(no_table),
                Cell::share(line.move_only, line.probes).or(no_table),
                Cell::number(line.hashfull / 1000.0, format!("{:.0} %", line.hashfull / 10.0)).or(no_slots),
                Cell::decimal(line.pressure, 2).or(no_life),
                Cell::number(line.seconds, of_unit(line.seconds, Unit::Seconds)),
            ]);
        }
        Some(row)
    });
    // What is a repeat alone was searched before.
    let pairs =
        summary.lines.iter().filter(|line| !line.is_baseline).map(|line| line.ratio().pairs).filter(|&pairs| pairs > 0);
    let searches = match (pairs.clone().min(), pairs.max()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
        (Some(all), _) => all.to_string(),
        _ => summary.searches.to_string(),
    };
    let kind = match summary.metrics.first().is_some_and(Metric::compares_means) {
        true => "ratio of the means",
        false => "geometric mean",
    };
    table.noted(format!(
        "* baseline. {} / baseline: {kind} over {}, with its 95 % bootstrap interval (! clear of 1 by more than one search \
         or game that was not drawn could take back, p < 0.05 over all lines together; † of the depths that both finished).",
        summary.metrics.first().map_or("nodes", |metric| &metric.name),
        plural(searches, "search")
    ))
}

/// Where probes and stores went.
pub(super) fn anatomy(page: &Page) -> Option<SheetTable> {
    let columns = vec![
        SheetColumn::numbers("probes", "probes", "").drop_order(1),
        SheetColumn::numbers("hits", "hits", "share of the probes that met their key"),
        SheetColumn::numbers("misses_empty", "empty miss", "share that found a free slot"),
        SheetColumn::numbers("misses_other", "other-key miss", "share that found every slot taken by others"),
        SheetColumn::numbers("stores", "stores", "").drop_order(2),
        SheetColumn::numbers("evictions", "displaced another", "share of the stores that evicted another position"),
        SheetColumn::numbers("rejections", "refused", "share of the stores that the policy refused"),
    ];
    let table = by_line(page, "traffic", "Where the probes and stores went", columns, |line| {
        (line.probes > 0.0).then(|| {
            vec![
                Cell::count(line.probes),
                Cell::share(line.hits, line.probes),
                Cell::share(line.misses_empty, line.probes),
                Cell::share(line.misses_other, line.probes),
                Cell::count(line.stores),
                Cell::share(line.evictions, line.stores).or("nothing was stored"),
                Cell::share(line.rejections, line.stores).or("nothing was stored"),
            ]
        })
    });
    table.unless_empty()
}

/// How sure the shares are that other tables show: over positions, or games, which are what was drawn.
pub(super) fn rates(page: &Page) -> Option<SheetTable> {
    const SHOWN: [(&str, &str, &str); 7] = [
        ("hits", "hits", columns::HITS),
        ("usable", "cutoffs", columns::USABLE),
        ("move_only", "move only", columns::MOVE_ONLY),
        ("misses_other", "other-key miss", columns::MISSES_OTHER),
        ("evictions", "displaced another", columns::EVICTIONS),
        ("rejections", "refused", columns::REJECTIONS),
        ("saved", "worth", columns::SAVED),
    ];
    let summary = &page.summary;
    let worth = summary.lines.iter().any(|line| line.worth().is_some());
    let shown = || SHOWN.iter().filter(|(.., column)| worth || *column != columns::SAVED);
    let heads = shown().map(|(key, head, _)| SheetColumn::numbers(key, head, "95 % interval")).collect();
    let table = by_line(page, "rates", "How sure the shares are", heads, |line| {
        let why = "one position or game, or nothing to count";
        let row = |(.., column): &(&str, &str, &str)| {
            let (low, high) = line.interval(column);
            Cell::ends(low, high, format!("{:.1}-{:.1} %", 100.0 * low, 100.0 * high)).or(why)
        };
        (line.probes > 0.0).then(|| shown().map(row).collect())
    });
    table.noted("95 % intervals of the shares of probes and stores, over positions (or games).").unless_empty()
}

/// Scores, solved positions and what each comparison could show.
pub(super) fn details(page: &Page) -> SheetTable {
    let columns = vec![
        SheetColumn::numbers("searches", "searches", ""),
        SheetColumn::numbers("evals", "evaluations", "leaf evaluations and nodes with no legal move"),
        SheetColumn::numbers("other_scores", "other score", "searches that end with another score than the baseline's"),
        SheetColumn::numbers(
            "solved",
            "solved",
            "searches that end with a move the suite names, of those where it names one",
        ),
        SheetColumn::numbers("p", "p", "sign-flip test, corrected for all lines by joint flips"),
        SheetColumn::numbers("median", "median", "the middle one of the ratios"),
        SheetColumn::numbers("below", "below 1", "positions (or games) in which it needs less than the baseline"),
        SheetColumn::numbers(
            "without",
            "without one",
            "the mean without the position (or game) that moves it most; ? the sign or the mark hangs on one",
        ),
        SheetColumn::numbers(
            "detectable",
            "seen from",
            "the smallest difference that these positions show four times in five",
        ),
        SheetColumn::numbers("needed", "positions for 1 %", "positions or games that a difference of 1 % would take"),
    ];
    by_line(page, "details", "Details", columns, |line| {
        let (ratio, p) = (line.ratio(), line.measures.first().map_or(f64::NAN, |measure| measure.p));
        let parts = |(part, whole): (usize, usize), why| match whole {
            0 => Cell::none(why),
            _ => Cell::number(part as f64, format!("{part} of {whole}")),
        };
        let why = if line.is_baseline { BASELINE } else { ONE };
        let (level, expected) = (page.summary.power.level, at_least(page.summary.power.lines));
        let seen = if ratio.is_same() { f64::NAN } else { ratio.detectable(level) };
        let needed = ratio.needed(0.01, level).filter(|_| !ratio.is_same());
        let calm = if ratio.is_same() { "no two searches differ" } else { why };
        let influence = ratio.influence.map_or(Cell::none(why), |influence| {
            let hangs = influence.turns || line.measures.first().is_some_and(|measure| measure.hangs);
            let cell = Cell::decimal(influence.without, 3).signed('?', hangs);
            Cell { text: format!("{} ({})", cell.text, line.influential), ..cell }
        });
        let others = |cell: Cell| if line.is_baseline { Cell::none(BASELINE) } else { cell };
        Some(vec![
            Cell::count(line.searches as f64),
            Cell::count(line.evals),
            others(parts(line.other_scores, "no common depth")),
            parts(line.solved, "the suite names no best moves"),
            Cell::p(p).or(why),
            Cell::decimal(ratio.median, 3).or(why),
            others(parts((ratio.below, ratio.clusters), ONE)),
            influence,
            Cell::share(if ratio.clusters < expected { f64::NAN } else { seen }, 1.0).or(calm),
            Cell::count(needed.map_or(f64::NAN, |needed| needed.max(expected as f64))).or(calm),
        ])
    })
}

/// Every line against every other, those of the best first.
pub(super) fn pairs(page: &Page) -> Option<SheetTable> {
    let name = |at: usize| &page.summary.lines[at].name;
    let rows = page.pairs.iter().map(|of| {
        [
            Cell::text(name(of.line)),
            Cell::text(name(of.against)),
            mean(&of.ratio, of.marked, of.apart, of.beyond),
            Cell::range(of.ratio.low, of.ratio.high).or(ONE).signed('†', of.cut > 0),
            Cell::p(of.p).or(ONE),
        ]
    });
    let best = name(page.pairs.first()?.line);
    let metric = &page.summary.metrics[0].name;
    let columns = [
        SheetColumn::words("line", "line", ""),
        SheetColumn::words("against", "against", ""),
        SheetColumn::numbers("ratio", &format!("{metric}, ratio"), "geometric mean, over positions"),
        SheetColumn::numbers("interval", "95 %", "the ratio's interval; † of the depths that both finished"),
        SheetColumn::numbers("p", "p", "sign-flip test, corrected for all lines by joint flips over all pairs"),
    ];
    Some(SheetTable::new("pairs", "Each against each", columns, rows).noted(format!(
        "\"{best}\" has less {metric} than the most others: its pairs stand first. p is corrected for all {} pairs.",
        page.pairs.len()
    )))
}

/// Options that are the same for all variants, and their values.
pub(super) fn common_options(page: &Page) -> Option<SheetTable> {
    let manifest = &page.manifest;
    let mut all = manifest.options.values().map(leaves);
    let mut common = all.next()?;
    for other in all {
        common.retain(|leaf| other.contains(leaf));
    }
    let rows = common.into_iter().map(|(path, value)| [path, value].map(Cell::text));
    SheetTable::new("common_options", "", SheetColumn::named(["option", "value"]), rows).unless_empty()
}

/// The values of a tree of options, under their dotted paths.
fn leaves(options: &serde_json::Value) -> Vec<(String, String)> {
    fn walk(path: &str, value: &serde_json::Value, out: &mut Vec<(String, String)>) {
        match value {
            serde_json::Value::Object(fields) => {
                for (name, value) in fields {
                    walk(&if path.is_empty() { name.clone() } else { format!("{path}.{name}") }, value, out);
                }
            }
            serde_json::Value::String(text) => out.push((path.to_owned(), text.clone())),
            value => out.push((path.to_owned(), value.to_string())),
        }
    }
    let mut out = Vec::new();
    walk("", options, &mut out);
    out
}

#[cfg(test)]
mod tests;
