//! The tables of an experiment's page.

use super::contents::Page;
use super::number::format_value;
use super::sheet::{Cell, Emphasis, Entries, SheetColumn, SheetTable};
use crate::analysis::caveats::misleading::SAME_LABEL;
use crate::analysis::questions::line::Measure;
use crate::analysis::questions::pairwise::LinePair;
use crate::analysis::rows::metric::{Better, Unit};
use crate::analysis::{Line, Metric};
use crate::experiment::paths;
use crate::record::columns;
use crate::record::manifest::EngineInfo;
use crate::stats::sample::min_clusters;
use crate::text::plural;
use std::collections::BTreeMap;

pub(super) const SUMMARY: &str = "summary";

const NO_TABLE: &str = "no table to probe";
const NO_SLOTS: &str = "no table of limited size";
const NO_COST: &str = "not counted, or counts of entries that include nodes never searched";
const NOT_REPORTED: &str = "an engine that does not report on its table";
const MAYBE_NOT_REPORTED: &str = "no table, or an engine that does not report on its own";
const TABLE_LIFE_FILTERED: &str = "a part of the table's life is filtered out";
pub(super) const BASELINE: &str = "the baseline (compared with itself)";
pub(super) const TOO_FEW_POSITIONS: &str = "too few positions for an interval";

/// For the built-in engine, this is `reason`. An external engine has a table but does not report on
/// it.
fn missing_reason(page: &Page, line: &Line, reason: &'static str) -> &'static str {
    let manifests = page.sources.iter().filter_map(|(_, manifest)| manifest.as_ref()).chain([&page.manifest]);
    let external_engines: Vec<&BTreeMap<String, EngineInfo>> =
        manifests.map(|manifest| &manifest.run.subjects).filter(|subjects| !subjects.is_empty()).collect();
    if external_engines.is_empty() {
        return reason;
    }
    // The engine is known only if lines are variants.
    let is_by_variant = page.summary.by.iter().any(|column| column == columns::VARIANT);
    let names_line = |subjects: &&BTreeMap<String, EngineInfo>| {
        line.values.iter().chain([&line.name]).any(|name| subjects.contains_key(name))
    };
    let is_external = external_engines.iter().any(names_line);
    if !is_by_variant {
        MAYBE_NOT_REPORTED
    } else if is_external {
        NOT_REPORTED
    } else {
        reason
    }
}

/// The columns that identify the line come first, followed by the columns of `entries`.
pub(super) fn line_table(
    page: &Page,
    key: &str,
    title: &str,
    entries: Entries<'_, Line>,
    is_included: impl Fn(&Line) -> bool,
) -> SheetTable {
    let lines = || page.summary.lines.iter().enumerate().filter(|(_, line)| is_included(line));
    let mut table = entries.table(key, title, lines().map(|(_, line)| line));
    for (row, (index, line)) in table.rows.iter_mut().zip(lines()) {
        // The cells are inserted at the front of the row.
        row.splice(0..0, page.identity.cells(index, line));
    }
    // Lines may be grouped by a column that is also counted, such as nodes. Programs that read the
    // table need different keys.
    let is_taken = |key: &String| table.columns.iter().any(|column| column.key == *key);
    let heads = page.identity.columns().into_iter().map(|head| match is_taken(&head.key) {
        true => SheetColumn { key: format!("by_{}", head.key), ..head },
        false => head,
    });
    let heads: Vec<SheetColumn> = heads.collect();
    table.columns.splice(0..0, heads);
    // External engines and kept reports lack columns: those in which no line has a value are
    // dropped.
    let has_all_columns = page.manifest.run.subjects.is_empty() && page.manifest.sealed.columns_left_out.is_empty();
    if has_all_columns { table } else { table.without_empty_columns() }
}

fn why_no_ratio(line: &Line) -> &'static str {
    if line.is_baseline { BASELINE } else { TOO_FEW_POSITIONS }
}

/// If there is no ratio, the cell has the reason.
fn ratio_cell(measure: &Measure, better: Better) -> Cell {
    let reason = match (measure.incomparable, measure.one_sided_zero) {
        (0, 0) => "nothing to compare with",
        (0, _) => "only one side is 0",
        _ => "no common depth",
    };
    let mean = measure.ratio.mean;
    let emphasis = Emphasis::for_change(measure.significant, mean < 1.0, better);
    Cell::decimal(mean, 3).with_reason(reason).with_emphasis(emphasis)
}

/// Each line's totals and its ratio to the baseline.
pub(super) fn summary_table(page: &Page) -> SheetTable {
    let summary = &page.summary;
    let mut entries = Entries::<Line>::default();
    for (index, metric) in summary.metrics.iter().enumerate() {
        let name = if summary.has_no_verdict(metric) { SAME_LABEL } else { &metric.name };
        let is_mean = metric.compares_means();
        if page.custom_metrics || index == 0 || is_mean {
            let meaning = if is_mean { "mean over the searches" } else { "over all iterations of all searches" };
            entries = entries.number(&metric.name, name, meaning, move |line| {
                let value = line.measures[index].value;
                Cell::number(value, format_value(value, metric.unit())).with_reason("nothing to count")
            });
        }
        let column_key =
            |suffix: &str| if index == 0 { suffix.to_owned() } else { format!("{}_{suffix}", metric.name) };
        let ratio_meaning = match is_mean {
            true => "ratio of the means over the searches that both made",
            false => "geometric mean, over positions, of the ratio to the baseline",
        };
        let interval = "the ratio's 95 % interval; !: significant; †: over the depths that both finished";
        entries = entries
            .number(&column_key("ratio"), &format!("{name} / baseline"), ratio_meaning, move |line| {
                ratio_cell(&line.measures[index], metric.better())
            })
            .number(&column_key("interval"), "95 %", interval, move |line| {
                let measure = &line.measures[index];
                let interval = Cell::range(measure.ratio.low, measure.ratio.high).with_reason(why_no_ratio(line));
                // A comparison at different depths is always marked.
                interval.with_sign('!', measure.significant).with_sign('†', measure.truncated > 0)
            })
            .drop_order(1);
        if page.custom_metrics {
            let p_meaning = "sign-flip test, corrected for the number of lines: all signs are flipped together";
            entries = entries
                .number(&column_key("p"), "p", p_meaning, move |line| {
                    Cell::p(line.measures[index].p).with_reason(why_no_ratio(line))
                })
                .drop_order(3);
        }
    }
    if !page.custom_metrics && summary.lines.iter().any(|line| line.fullest.is_some()) {
        let meaning = "the largest `hashfull` that the engine reported at the end of a search; a table that stays far from 1000 loses little";
        entries = entries.number("fullest", "fullest, per mille", meaning, |line| {
            let full = line.fullest.unwrap_or(f64::NAN);
            Cell::number(full, format!("{full:.0}")).with_reason("the engine reports no hashfull")
        });
    }
    // On a narrow screen, the columns that matter most for the choice of a table are dropped last:
    // the ratio, its interval, the pressure and how full the table is.
    //
    // Counts of hits and cutoffs mislead, so their worth is shown with them if it is known.
    let no_table = |line: &Line| missing_reason(page, line, NO_TABLE);
    let no_slots = |line: &Line| missing_reason(page, line, NO_SLOTS);
    let share_of_probes = |part: &'static str| {
        move |line: &Line| share_of(line, part, columns::PROBES).with_reason(missing_reason(page, line, NO_TABLE))
    };
    if !page.custom_metrics && summary.lines.iter().any(|line| line.saved_and_total_nodes().is_some()) {
        let saved_meaning = "nodes saved by cutoffs (what their entries had cost), as a share of the nodes saved and \
            searched; not an estimate of a search without a table";
        entries = entries
            .number("saved", "worth", saved_meaning, move |line| {
                // A line without reported probes has no worth.
                let whole = if line.sum(columns::PROBES) > 0.0 { line.sum(columns::NODES) } else { 0.0 };
                let (saved, whole) = line.saved_and_total_nodes().unwrap_or((line.sum(columns::SAVED), whole));
                let reason = if saved.is_nan() && whole > 0.0 { NO_COST } else { no_table(line) };
                Cell::share(saved, whole).with_reason(reason)
            })
            .drop_order(4)
            .number("hit_rate", "hits", "share of the probes that found their key", share_of_probes(columns::HITS))
            .drop_order(6);
    }
    if !page.custom_metrics {
        let move_only_meaning = "share of the probes that gave their node a first move and no more";
        let pressure_meaning =
            "pressure: stores for each slot over the life of a table (a game, where its searches share one)";
        entries = entries
            .number("usable", "cutoffs", "share of the probes that ended their node", share_of_probes(columns::USABLE))
            .drop_order(7)
            .number("move_only", "move only", move_only_meaning, share_of_probes(columns::MOVE_ONLY))
            .drop_order(8)
            .number("full", "full", "share of the slots taken at the end of a search", move |line| {
                let text = format!("{:.0} %", line.hashfull / 10.0);
                Cell::number(line.hashfull / 1000.0, text).with_reason(no_slots(line))
            })
            .drop_order(3)
            .number("pressure", "stores per slot", pressure_meaning, move |line| {
                let reason = no_slots(line);
                let has_no_slots = line.hashfull.is_nan() || reason == NOT_REPORTED;
                Cell::decimal(line.pressure, 2).with_reason(if has_no_slots { reason } else { TABLE_LIFE_FILTERED })
            })
            .drop_order(2)
            .number("seconds", "seconds", "sum over searches of the median of their repeats", |line| {
                Cell::number(line.seconds, format_value(line.seconds, Unit::Seconds))
            })
            .drop_order(5)
            .number("nps", "nodes/s", "nodes a second", |line| {
                let rate = line.sum(columns::NODES) / line.seconds;
                Cell::number(rate, format_value(rate, Unit::PerSecond))
            })
            .drop_order(9);
    }
    let table = line_table(page, SUMMARY, "Summary", entries, |_| true);
    // The searches of the baseline do not count as pairs.
    let pair_counts =
        summary.lines.iter().filter(|line| !line.is_baseline).map(|line| line.ratio().pairs).filter(|&pairs| pairs > 0);
    let search_count = match (pair_counts.clone().min(), pair_counts.max()) {
        (Some(min), Some(max)) if min < max => format!("{min} to {max}"),
        (Some(count), _) => count.to_string(),
        _ => summary.searches.to_string(),
    };
    let kind = match summary.metrics.first().is_some_and(Metric::compares_means) {
        true => "ratio of the means",
        false => "geometric mean",
    };
    table.with_note(format!(
        "* baseline. {} / baseline: {kind} over {}, with its 95 % bootstrap interval (!: significant, excludes 1 by more than \
         one unseen search or game could undo, p < 0.05 over all lines together; †: over the depths that both finished).",
        summary.metrics.first().map_or("nodes", |metric| &metric.name),
        plural(search_count, "search")
    ))
}

/// The verdict of a line follows the columns that identify the line.
pub(super) fn summary_with_verdicts(page: &Page) -> SheetTable {
    let mut table = summary_table(page);
    let Some(metric) = page.summary.metrics.first() else { return table };
    // A single line has nothing to be compared with.
    if page.summary.lines.len() < 2 {
        return table;
    }
    let column_index = page.identity.columns().len();
    for (row, line) in table.rows.iter_mut().zip(&page.summary.lines) {
        row.insert(column_index, verdict_cell(page, line, metric));
    }
    let meaning = "of the first metric; unclear: no difference from the baseline shown";
    table.columns.insert(column_index, SheetColumn::number("verdict", "verdict", meaning).drop_order(10));
    table
}

fn verdict_cell(page: &Page, line: &Line, metric: &Metric) -> Cell {
    let ratio = line.ratio();
    if line.is_baseline {
        return Cell::empty(BASELINE);
    }
    if page.summary.has_no_verdict(metric) {
        return Cell::empty("nodes that may mislead have no verdict");
    }
    if ratio.is_same() {
        return Cell::text("same");
    }
    match Emphasis::for_change(line.measures[0].significant, ratio.mean < 1.0, metric.better()) {
        // The cells of the ratio and its interval give the reason.
        Emphasis::None if ratio.low.is_nan() => Cell::empty(""),
        Emphasis::None => Cell::text("unclear").with_emphasis(Emphasis::Unclear),
        Emphasis::Other => Cell::text(if ratio.mean < 1.0 { "less" } else { "more" }),
        emphasis => Cell::text(emphasis.class()).with_emphasis(emphasis),
    }
}

pub(super) fn traffic_table(page: &Page) -> Option<SheetTable> {
    let share_of_probes = |part: &'static str| move |line: &Line| share_of(line, part, columns::PROBES);
    let share_of_stores =
        |part: &'static str| move |line: &Line| share_of(line, part, columns::STORES).with_reason("nothing was stored");
    let (evicted_meaning, refused_meaning) =
        ("share of the stores that evicted another position", "share of the stores that the policy refused");
    let entries = Entries::<Line>::default()
        .number("probes", "probes", "", |line| Cell::count(line.sum(columns::PROBES)))
        .drop_order(1)
        .number("hits", "hits", "share of the probes that found their key", share_of_probes(columns::HITS))
        .number("misses_empty", "empty miss", "share that found a free slot", share_of_probes(columns::MISSES_EMPTY))
        .number(
            "misses_other",
            "other-key miss",
            "share that found every slot taken by others",
            share_of_probes(columns::MISSES_OTHER),
        )
        .number("stores", "stores", "", |line| Cell::count(line.sum(columns::STORES)))
        .drop_order(2)
        .number("evictions", "displaced another", evicted_meaning, share_of_stores(columns::EVICTIONS))
        .number("rejections", "refused", refused_meaning, share_of_stores(columns::REJECTIONS));
    let title = "Outcomes of the probes and stores";
    line_table(page, "traffic", title, entries, |line| line.sum(columns::PROBES) > 0.0).non_empty()
}

fn share_of(line: &Line, part: &str, whole: &str) -> Cell {
    Cell::share(line.sum(part), line.sum(whole))
}

/// The sampling units are positions or games.
pub(super) fn shares_table(page: &Page) -> Option<SheetTable> {
    const SHARES: [(&str, &str, &str); 7] = [
        ("hits", "hits", columns::HITS),
        ("usable", "cutoffs", columns::USABLE),
        ("move_only", "move only", columns::MOVE_ONLY),
        ("misses_other", "other-key miss", columns::MISSES_OTHER),
        ("evictions", "displaced another", columns::EVICTIONS),
        ("rejections", "refused", columns::REJECTIONS),
        ("saved", "worth", columns::SAVED),
    ];
    let summary = &page.summary;
    let has_saved = summary.lines.iter().any(|line| line.saved_and_total_nodes().is_some());
    let shares = SHARES.iter().filter(|(.., column)| has_saved || *column != columns::SAVED);
    let entries = shares.fold(Entries::<Line>::default(), |entries, (key, head, column)| {
        entries.number(key, head, "95 % interval", |line| {
            let (low, high) = line.interval(column);
            let text = format!("{:.1}-{:.1} %", 100.0 * low, 100.0 * high);
            Cell::range_with_text(low, high, text).with_reason("only one position (or game), or nothing to count")
        })
    });
    let table = line_table(page, "rates", "Confidence intervals of the shares", entries, |line| {
        line.sum(columns::PROBES) > 0.0
    });
    table.with_note("95 % intervals of shares of probes and stores. They resample positions (or games).").non_empty()
}

pub(super) fn details_table(page: &Page) -> SheetTable {
    let count_cell = |(part, whole): (usize, usize), reason| match whole {
        0 => Cell::empty(reason),
        _ => Cell::number(part as f64, format!("{part} of {whole}")),
    };
    let unless_baseline = |line: &Line, cell: Cell| if line.is_baseline { Cell::empty(BASELINE) } else { cell };
    let (level, min_clusters) = (page.summary.power.level, min_clusters(page.summary.power.lines));
    let why_no_power = |line: &Line| if line.ratio().is_same() { "no two searches differ" } else { why_no_ratio(line) };
    let scores_meaning = "searches that end with another score than the baseline's";
    let solved_meaning = "searches that end with a best move, out of those whose positions have best moves";
    let below_meaning = "positions (or games) in which the line needs less than the baseline";
    let without_meaning = "the mean without the position (or game) that moves it most; ?: the sign or the significance depends on that position";
    let evals_meaning = "leaf evaluations and nodes with no legal move";
    let entries = Entries::<Line>::default()
        .number("searches", "searches", "", |line| Cell::count(line.searches as f64))
        .number("evals", "evaluations", evals_meaning, |line| Cell::count(line.sum(columns::EVALS)))
        .number("other_scores", "other score", scores_meaning, |line| {
            unless_baseline(line, count_cell(line.other_scores, "no common depth"))
        })
        .number("solved", "solved", solved_meaning, |line| count_cell(line.solved, "the suite names no best moves"));
    let has_mates = page.summary.lines.iter().any(|line| line.mates[0] > 0);
    let mates_meaning = "searches that find the suite's mate with a line that shows it";
    let entries = match has_mates {
        true => entries.number("mates", "mates", mates_meaning, |line| {
            count_cell((line.mates[1], line.mates[0]), "no mate is given")
        }),
        false => entries,
    };
    let entries = entries
        .number("p", "p", "sign-flip test, corrected for the number of lines: all signs are flipped together", |line| {
            Cell::p(line.measures.first().map_or(f64::NAN, |measure| measure.p)).with_reason(why_no_ratio(line))
        })
        .number("median", "median", "median of the ratios", |line| {
            Cell::decimal(line.ratio().median, 3).with_reason(why_no_ratio(line))
        })
        .number("below", "below 1", below_meaning, |line| {
            unless_baseline(line, count_cell((line.ratio().clusters_below, line.ratio().clusters), TOO_FEW_POSITIONS))
        })
        .number("without", "without strongest", without_meaning, |line| {
            let Some(influence) = line.ratio().influence else { return Cell::empty(why_no_ratio(line)) };
            let is_fragile = influence.reverses || line.measures.first().is_some_and(|measure| measure.fragile);
            let cell = Cell::decimal(influence.mean_without, 3).with_sign('?', is_fragile);
            Cell { text: format!("{} ({})", cell.text, line.influential_cluster), ..cell }
        })
        .number(
            "detectable",
            "would show",
            "the smallest difference that would show here with 80 % power",
            move |line| {
                let ratio = line.ratio();
                let has_power = !ratio.is_same() && ratio.clusters >= min_clusters;
                let effect = if has_power { ratio.detectable_effect(level) } else { f64::NAN };
                Cell::share(effect, 1.0).with_reason(why_no_power(line))
            },
        )
        .number("needed", "positions for 1 %", "positions or games needed to detect 1 %", move |line| {
            let clusters_needed = line.ratio().clusters_needed(0.01, level).filter(|_| !line.ratio().is_same());
            let at_least_minimum = clusters_needed.map_or(f64::NAN, |needed| needed.max(min_clusters as f64));
            Cell::count(at_least_minimum).with_reason(why_no_power(line))
        });
    line_table(page, "details", "Details", entries, |_| true)
}

/// The pairs of the best line come first.
pub(super) fn pairs_table(page: &Page) -> Option<SheetTable> {
    let line_name = |index: usize| &page.summary.lines[index].name;
    let better = page.summary.metrics.first().map_or(Better::Less, Metric::better);
    let first = page.pairs.first()?.line;
    let is_below = |pair: &&LinePair| pair.line == first && pair.measure.ratio.mean < 1.0;
    let (below, best) = (page.pairs.iter().filter(is_below).count(), line_name(first));
    let metric = &page.summary.metrics[0].name;
    let interval_meaning = "the ratio's interval; †: over the depths that both finished";
    let p_meaning = "sign-flip test, corrected for the number of lines: all signs are flipped together";
    let entries = Entries::<LinePair>::default()
        .text("line", "line", "", |pair| Cell::text(line_name(pair.line)))
        .text("against", "against", "", |pair| Cell::text(line_name(pair.base)))
        .number("ratio", &format!("{metric}, ratio"), "geometric mean, over positions", |pair| {
            ratio_cell(&pair.measure, better)
        })
        .number("interval", "95 %", interval_meaning, |LinePair { measure, .. }| {
            let interval = Cell::range(measure.ratio.low, measure.ratio.high).with_reason(TOO_FEW_POSITIONS);
            interval.with_sign('†', measure.truncated > 0)
        })
        .number("p", "p", p_meaning, |pair| Cell::p(pair.measure.p).with_reason(TOO_FEW_POSITIONS));
    let table = entries.table("pairs", "Each against each", &page.pairs);
    Some(table.with_note(format!(
        "\"{best}\" is below {below} of the {} other lines in {metric}. p is corrected for all {} pairs.",
        page.summary.lines.len() - 1,
        page.pairs.len()
    )))
}

pub(super) fn common_options(page: &Page) -> Option<SheetTable> {
    let manifest = &page.manifest;
    let mut option_lists = manifest.planned.options.values().map(paths::leaves);
    let mut common = option_lists.next()?;
    for other in option_lists {
        common.retain(|leaf| other.contains(leaf));
    }
    let rows = common.into_iter().map(|(path, value)| [path, value].map(Cell::text));
    SheetTable::new("common_options", "", SheetColumn::from_names(["option", "value"]), rows).non_empty()
}

#[cfg(test)]
mod tests;
