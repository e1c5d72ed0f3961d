//! The tables of a report, the same for every format.

use super::number::{count, interval, number, of_unit, p, percent};
use super::page::{Grid, Page};
use crate::analysis::Line;
use crate::analysis::questions::findings::{Outcome, outcome};
use crate::analysis::rows::metric::Unit;

/// A table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Its heading.
    pub title: String,
    /// Its columns: name and meaning.
    pub columns: Vec<(String, String)>,
    /// How many of the columns are text, from the left.
    pub texts: usize,
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
    /// A sentence below.
    pub note: String,
}

/// A field.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// As shown.
    pub text: String,
    /// As sorted; none for text.
    pub value: Option<f64>,
    /// What stands out of it.
    pub mark: Mark,
}

/// What stands out of a field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing.
    #[default]
    None,
    /// Clearly less than the baseline.
    Less,
    /// Clearly more.
    More,
    /// Not what was wanted.
    Failed,
    /// What was wanted.
    Passed,
}

impl Cell {
    /// Text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A number and how it is shown.
    #[must_use]
    pub fn number(value: f64, text: String) -> Self {
        Self { text, value: value.is_finite().then_some(value), mark: Mark::None }
    }

    fn share(part: f64, whole: f64) -> Self {
        Self::number(part / whole, percent(part, whole))
    }
}

fn columns(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(name, meaning)| ((*name).to_owned(), (*meaning).to_owned())).collect()
}

/// The name of a line, the baseline's marked.
fn name(line: &Line) -> Cell {
    Cell::text(format!("{}{}", line.name, if line.is_baseline { " *" } else { "" }))
}

/// Ratio and interval of a metric, marked where they are clear.
fn ratio(line: &Line, metric: usize, page: &Page) -> [Cell; 2] {
    let ratio = line.measures[metric].ratio;
    let (mark, sign) = match outcome(line, metric, page.chaos.as_ref()) {
        Outcome::Less => (Mark::Less, "!"),
        Outcome::More => (Mark::More, "!"),
        Outcome::Chaos => (Mark::None, "~"),
        _ => (Mark::None, ""),
    };
    let ends = format!("{}{sign}", interval(ratio.low, ratio.high));
    [Cell { mark, ..Cell::number(ratio.mean, number(ratio.mean, 3)) }, Cell::number(ratio.low, ends)]
}

/// Each line's totals beside the baseline's.
#[must_use]
pub fn summary(page: &Page) -> Table {
    let summary = &page.summary;
    let head = if summary.by == ["variant"] { "variant" } else { "group" };
    let mut table = Table { title: "Summary".to_owned(), texts: 1, ..Table::default() };
    table.columns.push((head.to_owned(), "* is the baseline".to_owned()));
    for (at, metric) in summary.metrics.iter().enumerate() {
        if page.chosen || at == 0 {
            table.columns.push((metric.name.clone(), "over all iterations of all searches".to_owned()));
        }
        let heads = if at == 0 {
            ["x base".to_owned(), "95 %".to_owned()]
        } else {
            [format!("{} x base", metric.name), "95 %".to_owned()]
        };
        let [mean, ends] = heads;
        table.columns.push((mean, "geometric mean, over positions, of the ratio to the baseline".to_owned()));
        table.columns.push((ends, "its 95 % interval; ! clear of 1, ~ clear but within chaos".to_owned()));
        if page.chosen {
            table.columns.push(("p".to_owned(), "sign-flip permutation test, after Holm's correction".to_owned()));
        }
    }
    if !page.chosen {
        table.columns.extend(columns(&[
            ("usable", "share of the probes that ended their node"),
            ("move", "share of the probes that gave their node a first move"),
            ("full", "share of the slots taken at the end of a search"),
            ("stores/slot", "pressure: stores for each slot of the table"),
            ("seconds", "sum over searches of the median of their repeats"),
        ]));
    }
    for line in &summary.lines {
        let mut row = vec![name(line)];
        for (at, metric) in summary.metrics.iter().enumerate() {
            let measure = line.measures[at];
            if page.chosen || at == 0 {
                row.push(Cell::number(measure.value, of_unit(measure.value, metric.unit())));
            }
            row.extend(ratio(line, at, page));
            if page.chosen {
                row.push(Cell::number(measure.p, p(measure.p)));
            }
        }
        if !page.chosen {
            let full =
                if line.hashfull.is_finite() { format!("{:.0} %", line.hashfull / 10.0) } else { "-".to_owned() };
            row.extend([
                Cell::share(line.usable, line.probes),
                Cell::share(line.move_only, line.probes),
                Cell::number(line.hashfull, full),
                Cell::number(line.pressure, number(line.pressure, 2)),
                Cell::number(line.seconds, of_unit(line.seconds, Unit::Seconds)),
            ]);
        }
        table.rows.push(row);
    }
    let searches = match summary.lines.iter().map(|line| line.searches).min() {
        Some(least) if least < summary.searches => format!("{least} to {}", summary.searches),
        _ => summary.searches.to_string(),
    };
    table.note = format!(
        "* baseline. x base: geometric mean over {searches} searches of the ratio to the baseline, with its 95 % bootstrap interval (! \
         clear of 1 and p < 0.05 after Holm)."
    );
    table
}

/// Where probes and stores went.
#[must_use]
pub fn anatomy(page: &Page) -> Option<Table> {
    let rows: Vec<Vec<Cell>> = page
        .summary
        .lines
        .iter()
        .filter(|line| line.probes > 0.0)
        .map(|line| {
            let total = |value: f64| Cell::number(value, count(value));
            vec![
                name(line),
                total(line.probes),
                Cell::share(line.hits, line.probes),
                Cell::share(line.misses_empty, line.probes),
                Cell::share(line.misses_other, line.probes),
                total(line.stores),
                Cell::share(line.evictions, line.stores),
                Cell::share(line.rejections, line.stores),
            ]
        })
        .collect();
    let columns = columns(&[
        ("variant", ""),
        ("probes", ""),
        ("hits", "share of the probes that met their key"),
        ("empty miss", "share that found a free slot"),
        ("other-key miss", "share that found every slot taken by others"),
        ("stores", ""),
        ("displaced another", "share of the stores that evicted another position"),
        ("refused", "share of the stores that the policy refused"),
    ]);
    (!rows.is_empty()).then(|| Table {
        title: "Where the probes and stores went".to_owned(),
        columns,
        texts: 1,
        rows,
        note: String::new(),
    })
}

/// Scores, solved positions and what each comparison could show.
#[must_use]
pub fn details(page: &Page) -> Table {
    let columns = columns(&[
        ("variant", ""),
        ("searches", ""),
        ("evals", "leaf evaluations and nodes with no legal move"),
        ("other score", "searches that end with another score than the baseline's"),
        ("solved", "searches that end with a move the suite names, of those where it names one"),
        ("p", "sign-flip permutation test, after Holm's correction"),
        ("seen from", "the smallest difference that these positions show four times in five"),
        ("for 1 %", "positions or games that a difference of 1 % would take"),
    ]);
    let rows = page.summary.lines.iter().map(|line| {
        let (ratio, p_value) = (line.ratio(), line.measures.first().map_or(f64::NAN, |measure| measure.p));
        let parts = |(part, whole): (usize, usize)| match whole {
            0 => Cell::text("-"),
            _ => Cell::number(part as f64, format!("{part} of {whole}")),
        };
        let needed = ratio.needed(0.01).unwrap_or(f64::NAN);
        let seen = ratio.detectable();
        vec![
            name(line),
            Cell::number(line.searches as f64, line.searches.to_string()),
            Cell::number(line.evals, count(line.evals)),
            if line.is_baseline { Cell::text("-") } else { parts(line.other_scores) },
            parts(line.solved),
            Cell::number(p_value, p(p_value)),
            Cell::number(seen, if seen.is_finite() { percent(seen, 1.0) } else { "-".to_owned() }),
            Cell::number(needed, count(needed)),
        ]
    });
    Table { title: "Details".to_owned(), columns, texts: 1, rows: rows.collect(), note: String::new() }
}

/// What each level of each axis does.
#[must_use]
pub fn effects(grid: &Grid) -> Table {
    let rows = grid.effects.iter().map(|effect| {
        let (axis, ratio) = (&grid.axes[effect.axis], effect.ratio);
        let reference = effect.level == grid.references[effect.axis];
        let label = format!("{}{}", axis.levels[effect.level].label, if reference { " *" } else { "" });
        let mut cells = vec![Cell::text(axis.name.clone()), Cell::text(label)];
        cells.extend(judged(&ratio, effect.p));
        cells
    });
    Table {
        title: "Each option by itself".to_owned(),
        columns: columns(&[
            ("option", ""),
            ("value", "* is what the others are held against"),
            ("ratio", "paired by position and by every other option"),
            ("95 %", ""),
            ("p", "after Holm's correction over all of these"),
            ("pairs", ""),
        ]),
        texts: 2,
        rows: rows.collect(),
        note: "Each value against the one marked *, at the same position and the same value of every other option."
            .to_owned(),
    }
}

/// Ratio, interval, p and pairs.
fn judged(ratio: &crate::analysis::pairing::ratio::Ratio, p_value: f64) -> [Cell; 4] {
    let mark = match ratio.is_clear() && p_value < 0.05 {
        true if ratio.mean < 1.0 => Mark::Less,
        true => Mark::More,
        false => Mark::None,
    };
    [
        Cell { mark, ..Cell::number(ratio.mean, number(ratio.mean, 3)) },
        Cell::number(ratio.low, interval(ratio.low, ratio.high)),
        Cell::number(p_value, p(p_value)),
        Cell::number(ratio.pairs as f64, if ratio.pairs > 0 { ratio.pairs.to_string() } else { "-".to_owned() }),
    ]
}

/// Interactions shown; those that are clear come first.
const SHOWN: usize = 12;

/// Where two options do together what neither does alone.
#[must_use]
pub fn interactions(grid: &Grid) -> Option<Table> {
    let mut all: Vec<_> = grid.interactions.iter().collect();
    let clear = |p: f64| p < 0.05;
    all.sort_by(|a, b| {
        (!clear(a.p)).cmp(&!clear(b.p)).then(b.ratio.mean.ln().abs().total_cmp(&a.ratio.mean.ln().abs()))
    });
    let rows: Vec<Vec<Cell>> = all
        .iter()
        .take(SHOWN)
        .map(|interaction| {
            let label = |(axis, level): (usize, usize)| {
                format!("{}={}", grid.axes[axis].name, grid.axes[axis].levels[level].label)
            };
            let mut cells = vec![Cell::text(label(interaction.first)), Cell::text(label(interaction.second))];
            cells.extend(judged(&interaction.ratio, interaction.p));
            cells
        })
        .collect();
    let number = all.iter().filter(|interaction| clear(interaction.p)).count();
    (!rows.is_empty()).then(|| Table {
        title: "Options together".to_owned(),
        columns: columns(&[
            ("one", ""),
            ("other", ""),
            ("ratio", "1 where the two effects simply multiply"),
            ("95 %", ""),
            ("p", "after Holm's correction over all pairs"),
            ("pairs", ""),
        ]),
        texts: 2,
        note: format!(
            "By what factor two values together differ from the product of each alone. {number} of {} pairs are clear of 1{}.",
            all.len(),
            if all.len() > SHOWN { format!("; the {SHOWN} largest are shown") } else { String::new() }
        ),
        rows,
    })
}

/// The baseline under other key seeds.
#[must_use]
pub fn seeds(page: &Page) -> Option<Table> {
    let chaos = page.chaos.as_ref()?;
    Some(Table {
        title: "Chaos floor".to_owned(),
        columns: columns(&[("seed", ""), ("ratio", "nodes against the baseline's own seed")]),
        texts: 1,
        rows: chaos
            .seeds
            .iter()
            .map(|(name, ratio)| vec![Cell::text(name.clone()), Cell::number(*ratio, number(*ratio, 4))])
            .collect(),
        note: format!(
            "The baseline under other key seeds: nothing but the places of entries changes. Differences up to {:.1} % may be that alone.",
            100.0 * chaos.floor.exp_m1()
        ),
    })
}

/// The verdicts.
#[must_use]
pub fn verdicts(page: &Page) -> Option<Table> {
    let rows: Vec<Vec<Cell>> = page
        .verdicts
        .iter()
        .map(|verdict| {
            let source: Vec<&str> =
                [verdict.source.as_str(), verdict.note.as_str()].into_iter().filter(|text| !text.is_empty()).collect();
            let mark = if verdict.passes() { Mark::Passed } else { Mark::Failed };
            vec![
                Cell::text(&verdict.subject),
                Cell { mark, ..Cell::text(verdict.word()) },
                Cell::text(&verdict.published),
                Cell::text(&verdict.measured),
                Cell::text(source.join(". ")),
            ]
        })
        .collect();
    let passed = page.verdicts.len() - page.failed();
    (!rows.is_empty()).then(|| Table {
        title: "Verdicts".to_owned(),
        columns: columns(&[("what", ""), ("verdict", ""), ("published", ""), ("measured", ""), ("source", "")]),
        texts: 5,
        note: format!("{passed} of {} as wanted.", rows.len()),
        rows,
    })
}
