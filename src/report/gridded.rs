//! The figures of a grid: what each shows along its axes, its caption, its file.

use super::figure::{Figure, Plot, capital, metric};
use super::svg::heat::Heat;
use super::svg::lines::Lines;
use crate::analysis::questions::curves::{self, Response, Series};
use crate::analysis::questions::effects::{self, Effect};
use crate::analysis::rows::axes::{self, Axis};
use crate::analysis::{Frame, Summary};
use crate::record::columns;
use std::borrow::Cow;

/// The axes of a grid, for figures.
pub struct GridView<'a> {
    /// The rows on the grid.
    pub frame: Cow<'a, Frame>,
    /// Its axes.
    pub axes: Vec<Axis>,
    /// The reference level of each.
    pub references: Vec<usize>,
    /// What each level does.
    pub effects: Vec<Effect>,
}

impl<'a> GridView<'a> {
    /// The grid that rows lie on, where there is one.
    #[must_use]
    pub fn new(rows: &'a Frame, summary: &Summary, baseline: Option<&String>) -> Option<Self> {
        let metric = &summary.metrics[0];
        let (frame, axes) = axes::axes(rows, &metric.columns());
        if axes.is_empty() {
            return None;
        }
        let references = effects::references(&frame, &axes, baseline.map(String::as_str));
        let effects = effects::effects(&frame, &axes, &references, metric);
        Some(Self { frame, axes, references, effects })
    }
}

/// Ratios and usable hits by the size of the table.
#[must_use]
pub fn by_size(grid: &GridView<'_>, summary: &Summary) -> Vec<Figure> {
    let metric = metric(summary);
    let Some(axis) = grid.axes.iter().position(|axis| axis.path == "table.size" && axis.is_numeric()) else {
        return Vec::new();
    };
    let ticks: Vec<(f64, String)> =
        grid.axes[axis].levels.iter().filter_map(|level| Some((level.number?, level.label.clone()))).collect();
    let in_entries = ticks.iter().all(|(_, label)| label.parse::<u64>().is_ok());
    let unit = if in_entries { "table size (entries)" } else { "table size" };
    let ticks: Vec<(f64, String)> = match in_entries {
        true => ticks.into_iter().map(|(value, _)| (value, entries(value))).collect(),
        false => ticks,
    };
    let lines = |series: Vec<Series>, y: &str, ratio: bool| Lines {
        series,
        x: unit.to_owned(),
        y: y.to_owned(),
        x_log: true,
        y_log: ratio,
        x_ticks: ticks.clone(),
        ratio,
        share: !ratio,
        ..Lines::default()
    };
    let ratio = |at: usize| {
        let ratio = summary.lines[at].ratio();
        Some((ratio.mean, ratio.low, ratio.high))
    };
    let usable = |at: usize| {
        let line = &summary.lines[at];
        let (low, high) = line.interval(columns::USABLE);
        (line.probes > 0.0).then_some((line.usable / line.probes, low, high))
    };
    let hits = |at: usize| {
        let line = &summary.lines[at];
        let (low, high) = line.interval(columns::HITS);
        (line.probes > 0.0).then_some((line.hits / line.probes, low, high))
    };
    let saved = |at: usize| {
        let line = &summary.lines[at];
        let (low, high) = line.interval(columns::SAVED);
        line.worth().map(|(saved, of)| (saved / of, low, high))
    };
    let along =
        |value: &dyn Fn(usize) -> Option<(f64, f64, f64)>| curves::along(&grid.frame, &grid.axes, axis, summary, value);
    let worth = across(&along(&hits), along(&saved));
    let plots = [
        (
            "size-ratio",
            capital(&format!("{metric} by table size")),
            format!("Ratio of {metric} to the baseline's, by the size of the table."),
            lines(along(&ratio), &format!("{metric} against the baseline"), true),
        ),
        (
            "size-usable",
            "Usable hits by table size".to_owned(),
            "Share of the probes that ended their node.".to_owned(),
            lines(along(&usable), "usable hits", false),
        ),
        (
            "size-saved",
            "Nodes saved by table size".to_owned(),
            "Worth: of the nodes that it would have taken without the cutoffs, those that they saved.".to_owned(),
            lines(along(&saved), "nodes saved", false),
        ),
        (
            "worth-hits",
            "Worth against hits".to_owned(),
            "A line for each policy, a point for each size: share of the probes answered, and share of the nodes saved. Counts mislead \
             where one line runs above another at fewer hits."
                .to_owned(),
            Lines { x: "hits".to_owned(), x_log: false, x_ticks: shares(&worth), ..lines(worth, "nodes saved", false) },
        ),
    ];
    plots
        .into_iter()
        .filter(|(.., lines)| !lines.series.is_empty())
        .map(|(file, title, caption, lines)| Figure { file: file.to_owned(), title, caption, plot: Plot::Lines(lines) })
        .collect()
}

/// Each series by the values of another instead of its own x.
fn across(x: &[Series], mut y: Vec<Series>) -> Vec<Series> {
    for series in &mut y {
        let of = x.iter().find(|other| other.name == series.name);
        let at = |old: f64| of.and_then(|of| of.points.iter().find(|point| point.x == old)).map(|point| point.y);
        series.points.retain_mut(|point| at(point.x).map(|x| point.x = x).is_some());
    }
    y.retain(|series| !series.points.is_empty());
    y
}

/// Round shares between the least and the greatest x.
fn shares(series: &[Series]) -> Vec<(f64, String)> {
    let x = || series.iter().flat_map(|series| &series.points).map(|point| 100.0 * point.x);
    let (least, most) = (x().fold(100.0, f64::min), x().fold(0.0, f64::max));
    let step = [1u32, 2, 5, 10, 20].into_iter().find(|&step| most - least <= f64::from(step * 8)).unwrap_or(20);
    let round = (0..=100 / step).map(|at| at * step).filter(|&share| (least..=most).contains(&f64::from(share)));
    round.map(|share| (f64::from(share) / 100.0, format!("{share} %"))).collect()
}

/// A number of entries as people say it: 8 K, 1 M; others in full.
fn entries(value: f64) -> String {
    let units = [("M", 1_048_576.0), ("K", 1024.0)];
    let unit = units.into_iter().find(|(_, unit)| value >= *unit && value % unit == 0.0);
    unit.map_or_else(|| super::number::count(value), |(name, unit)| format!("{} {name}", value / unit))
}

/// The response to each numeric option.
#[must_use]
pub fn responses(grid: &GridView<'_>, summary: &Summary) -> Vec<Figure> {
    let metric = &summary.metrics[0];
    let responses = curves::responses(&grid.frame, &grid.axes, &grid.references, &grid.effects, metric);
    responses.into_iter().map(response).collect()
}

fn response(response: Response) -> Figure {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name = response.path.rsplit('.').next().unwrap_or(&response.path).to_owned();
    let lines = if response.by.is_empty() { String::new() } else { format!(" One line for each {}.", response.by) };
    let ticks: std::collections::BTreeMap<u64, f64> =
        response.series.iter().flat_map(|series| &series.points).map(|point| (point.x.to_bits(), point.x)).collect();
    Figure {
        file: format!("response-{}", response.path.chars().map(plain).collect::<String>()),
        title: format!("Response to {name}"),
        caption: format!(
            "Ratio to {name} = {}, paired by position and by every other option; the band is the 95 % interval.{lines}",
            response.reference
        ),
        plot: Plot::Lines(Lines {
            x_ticks: ticks.into_values().map(|x| (x, super::svg::scale::short(x))).collect(),
            series: response.series,
            x: response.path,
            y: format!("against {}", response.reference),
            ratio: true,
            y_log: true,
            ..Lines::default()
        }),
    }
}

/// A map of two axes.
#[must_use]
pub fn map(grid: &GridView<'_>, summary: &Summary) -> Option<Figure> {
    let metric = metric(summary);
    if grid.axes.len() < 2 || grid.axes[..2].iter().any(|axis| axis.levels.len() > 16) {
        return None;
    }
    let cells = curves::map(&grid.frame, &grid.axes, (0, 1), summary);
    let filled = cells.iter().flatten().flatten().count();
    if filled * 2 < cells.iter().map(Vec::len).sum::<usize>() {
        return None;
    }
    // The longer axis runs down the page: there is more room.
    let side =
        |axis: &Axis| (axis.name.clone(), axis.levels.iter().map(|level| level.label.clone()).collect::<Vec<_>>());
    let (a, b) = (side(&grid.axes[0]), side(&grid.axes[1]));
    let width = |levels: &[String]| levels.iter().map(String::len).max().unwrap_or(0).max(7) * levels.len();
    let turned = width(&b.1) > width(&a.1);
    let heat = if turned {
        let columns = (0..b.1.len()).map(|column| cells.iter().map(|row| row[column]).collect()).collect();
        Heat { first: b, second: a, cells: columns }
    } else {
        Heat { first: a, second: b, cells }
    };
    let rest = if grid.axes.len() > 2 { " The other axes are averaged over." } else { "" };
    Some(Figure {
        file: "map".to_owned(),
        title: capital(&format!("{} and {}", heat.first.0, heat.second.0)),
        caption: format!("Geometric mean ratio of {metric} to the baseline's: blue less, orange more.{rest}"),
        plot: Plot::Heat(heat),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::analysis::questions::curves::CurvePoint;

    /// Round shares, from the least to the greatest that are drawn, eight steps at most.
    #[test]
    fn shares_have_round_ticks_between_their_ends() {
        let of = |shares: &[f64]| {
            let point = |&x: &f64| CurvePoint { x, y: 0.5, low: f64::NAN, high: f64::NAN, label: String::new() };
            let series = Series { name: String::new(), line: None, points: shares.iter().map(point).collect() };
            super::shares(&[series]).into_iter().map(|(at, text)| format!("{at:.2} {text}")).collect::<Vec<_>>()
        };
        assert_eq!(of(&[0.31, 0.12, 0.2]), ["0.15 15 %", "0.20 20 %", "0.25 25 %", "0.30 30 %"]);
        assert_eq!(of(&[0.0, 1.0]).len(), 6, "twenty apart");
        assert_eq!(of(&[0.02, 0.1]).len(), 9, "one apart, both ends among them");
        assert_eq!(of(&[0.405, 0.409]), Vec::<String>::new());
    }

    /// Each value over another one's at the same place, of the same line; what has no partner goes, and a line without points.
    #[test]
    fn series_are_laid_across() {
        let series = |name: &str, points: &[(f64, f64)]| Series {
            name: name.to_owned(),
            line: None,
            points: points.iter().map(|&(x, y)| CurvePoint { x, y, ..CurvePoint::default() }).collect(),
        };
        let x = [series("a", &[(1.0, 0.25), (2.0, 0.5)]), series("b", &[(1.0, 0.75)])];
        let y = vec![
            series("b", &[(1.0, 0.1), (2.0, 0.2)]),
            series("a", &[(2.0, 0.3), (1.0, 0.4)]),
            series("c", &[(1.0, 0.9)]),
        ];
        assert_eq!(across(&x, y), [series("b", &[(0.75, 0.1)]), series("a", &[(0.5, 0.3), (0.25, 0.4)])]);
    }

    #[test]
    fn entries_are_said_in_whole_units() {
        for (value, text) in [
            (1023.0, "1,023"),
            (1024.0, "1 K"),
            (1536.0, "1,536"),
            (8192.0, "8 K"),
            (1_048_576.0, "1 M"),
            (1_572_864.0, "1536 K"),
            (0.0, "0"),
        ] {
            assert_eq!(entries(value), text);
        }
    }

    /// Four lines, whose shares are all unlike, over two sizes: each figure shows its own, of the right whole.
    #[test]
    fn each_figure_by_size_has_its_own_share() {
        use crate::analysis::questions::summary::{Line, Measure, RATES};
        let line = |name: &str, times: f64| {
            let ratio =
                crate::analysis::Ratio { mean: 0.5 * times, low: 0.4, high: 0.8, pairs: 9, ..Default::default() };
            let mut intervals = [(0.0, 0.0); RATES.len()];
            for (column, low) in [(columns::HITS, 0.1), (columns::USABLE, 0.2), (columns::SAVED, 0.3)] {
                let at = RATES.iter().position(|(rate, _)| *rate == column).unwrap();
                intervals[at] = (low, low + 0.05);
            }
            Line {
                name: name.to_owned(),
                values: vec![name.to_owned()],
                measures: vec![Measure { ratio, ..Measure::default() }],
                intervals,
                searches: 1,
                probes: 100.0,
                hits: 40.0 * times,
                usable: 10.0 * times,
                nodes: 300.0,
                saved: 100.0 * times,
                ..Line::default()
            }
        };
        let drawn = |labels: [&str; 2]| {
            let level = |(at, label): (usize, &&str)| axes::Level {
                values: vec![(*label).to_owned()],
                label: (*label).to_owned(),
                number: Some(1024.0 * (at + 1) as f64),
            };
            let axis = Axis {
                columns: vec!["table.size".to_owned()],
                path: "table.size".to_owned(),
                name: "size".to_owned(),
                levels: labels.iter().enumerate().map(level).collect(),
            };
            let [one, two] = labels;
            let text = format!("variant,position,depth,search.nodes,table.size\nv1,p,1,9,{one}\nv2,p,1,9,{two}\n");
            let frame = Cow::Owned(Frame::parse(text.as_bytes(), "t").unwrap());
            let summary = Summary { lines: vec![line("v1", 1.0), line("v2", 2.0)], ..Summary::default() };
            let view = GridView { frame, axes: vec![axis], references: vec![0], effects: Vec::new() };
            let figures = by_size(&view, &summary).into_iter();
            let shown = figures.map(|figure| {
                let Plot::Lines(lines) = figure.plot else { panic!("no lines") };
                let points = &lines.series[0].points;
                let values = points.iter().map(|point| [point.x, point.y, point.low, point.high]).collect::<Vec<_>>();
                (figure.file, values, [lines.x_log, lines.y_log, lines.ratio, lines.share], (lines.x, lines.x_ticks))
            });
            shown.collect::<Vec<_>>()
        };
        let found = drawn(["1 KiB", "2 KiB"]);
        let (log, share) = ([true, true, true, false], [true, false, false, true]);
        let over = |name: &str, a: f64, b: f64, [low, high]: [f64; 2], scales: [bool; 4]| {
            (name.to_owned(), vec![[1024.0, a, low, high], [2048.0, b, low, high]], scales)
        };
        let figures: Vec<_> =
            found.iter().map(|(name, values, scales, _)| (name.clone(), values.clone(), *scales)).collect();
        assert_eq!(
            figures[..3],
            [
                over("size-ratio", 0.5, 1.0, [0.4, 0.8], log),
                over("size-usable", 0.1, 0.2, [0.2, 0.25], share),
                // Of 300 nodes and 100 saved a quarter, of 300 and 200 two fifths.
                over("size-saved", 0.25, 0.4, [0.3, 0.35], share),
            ]
        );
        let worth =
            ("worth-hits".to_owned(), vec![[0.4, 0.25, 0.3, 0.35], [0.8, 0.4, 0.3, 0.35]], [false, false, false, true]);
        assert_eq!(figures[3], worth);
        let ticks = |texts: [&str; 2]| vec![(1024.0, texts[0].to_owned()), (2048.0, texts[1].to_owned())];
        assert_eq!(found[0].3, ("table size".to_owned(), ticks(["1 KiB", "2 KiB"])));
        assert_eq!(drawn(["1024", "2048"])[0].3, ("table size (entries)".to_owned(), ticks(["1 K", "2 K"])));
        assert_eq!(drawn(["1024", "2 KiB"])[0].3, ("table size".to_owned(), ticks(["1024", "2 KiB"])));
    }

    /// A response is a ratio, on a scale of factors, with a tick at each value that was searched.
    #[test]
    fn a_response_has_a_tick_at_each_value() {
        let series = |name: &str, places: &[f64]| Series {
            name: name.to_owned(),
            line: None,
            points: places.iter().map(|&x| CurvePoint { x, y: 2.0, ..CurvePoint::default() }).collect(),
        };
        let response = response(Response {
            path: "table.policy.depth-age.factor".to_owned(),
            reference: "4".to_owned(),
            series: vec![series("a", &[1.0, 4.0]), series("b", &[4.0, 16_384.0])],
            by: "size".to_owned(),
        });
        assert_eq!(
            (response.file.as_str(), response.title.as_str()),
            ("response-table-policy-depth-age-factor", "Response to factor")
        );
        assert!(
            response.caption.starts_with("Ratio to factor = 4, ")
                && response.caption.ends_with(" One line for each size.")
        );
        let Plot::Lines(lines) = response.plot else { panic!("no lines") };
        let ticks: Vec<(f64, &str)> = lines.x_ticks.iter().map(|(at, text)| (*at, text.as_str())).collect();
        assert_eq!(ticks, [(1.0, "1"), (4.0, "4"), (16_384.0, "16.384k")]);
        assert_eq!([lines.ratio, lines.y_log, lines.x_log, lines.share], [true, true, false, false]);
        assert_eq!((lines.x.as_str(), lines.y.as_str()), ("table.policy.depth-age.factor", "against 4"));
    }

    /// What lies over two axes: a map where half of it is filled and it is not too wide; turned where that is narrower.
    #[test]
    fn a_map_is_drawn_where_there_is_room() {
        let axis = |name: &str, levels: usize, wide: usize| Axis {
            columns: vec![name.to_owned()],
            path: name.to_owned(),
            name: name.to_owned(),
            levels: (0..levels)
                .map(|at| axes::Level {
                    values: vec![at.to_string()],
                    label: format!("{at:0wide$}"),
                    number: Some(at as f64),
                })
                .collect(),
        };
        // So many of the grid's points were searched, each with its own variant and ratio.
        let drawn = |first: (usize, usize), second: (usize, usize), filled: usize, third: bool| {
            let places = (0..first.0).flat_map(|a| (0..second.0).map(move |b| (a, b))).take(filled);
            let mut text = "variant,position,depth,search.nodes,a,b\n".to_owned();
            let mut lines = Vec::new();
            for (at, (a, b)) in places.enumerate() {
                text += &format!("v{at},p,1,9,{a},{b}\n");
                let ratio = crate::analysis::Ratio { mean: 1.0 + at as f64, pairs: 1, ..Default::default() };
                lines.push(crate::analysis::Line {
                    name: format!("v{at}"),
                    values: vec![format!("v{at}")],
                    measures: vec![crate::analysis::questions::summary::Measure { ratio, ..Default::default() }],
                    searches: 1,
                    ..Default::default()
                });
            }
            let frame = Frame::parse(text.as_bytes(), "t").unwrap();
            let mut axes = vec![axis("a", first.0, first.1), axis("b", second.0, second.1)];
            axes.extend(third.then(|| axis("c", 2, 1)));
            let summary = Summary { by: vec![columns::VARIANT.to_owned()], lines, ..Summary::default() };
            let view = GridView { frame: Cow::Owned(frame), axes, references: vec![0, 0], effects: Vec::new() };
            map(&view, &summary).map(|figure| {
                let Plot::Heat(heat) = figure.plot else { panic!("no map") };
                // Each cell is at its row and its column, whichever way round.
                let turned = heat.first.0 == "b";
                let (names, title) = if turned { (["b", "a"], "B and a") } else { (["a", "b"], "A and b") };
                assert_eq!(([heat.first.0.as_str(), &heat.second.0], figure.title.as_str()), (names, title));
                assert_eq!([heat.first.1.len(), heat.second.1.len()], [heat.cells.len(), heat.cells[0].len()]);
                for (row, cells) in heat.cells.iter().enumerate() {
                    for (column, cell) in cells.iter().enumerate() {
                        let (a, b) = if turned { (column, row) } else { (row, column) };
                        let wanted = (1 + a * second.0 + b) as f64;
                        assert!(cell.is_none_or(|cell| (cell - wanted).abs() < 1e-9), "{heat:?}");
                    }
                }
                (heat.first.0, heat.cells.len(), figure.caption.contains("averaged over"))
            })
        };
        let found = |name: &str, rows: usize, rest: bool| Some((name.to_owned(), rows, rest));
        assert_eq!(drawn((2, 1), (2, 1), 4, false), found("a", 2, false));
        assert_eq!(drawn((2, 1), (2, 1), 2, false), found("a", 2, false), "half of it");
        assert_eq!(drawn((2, 1), (2, 1), 1, false), None);
        assert_eq!(drawn((2, 1), (3, 1), 6, true), found("b", 3, true), "the longer one runs down");
        assert_eq!(drawn((2, 20), (3, 1), 6, false), found("a", 2, false), "wider by its words");
        assert_eq!(
            (drawn((16, 1), (2, 1), 32, false), drawn((17, 1), (2, 1), 34, false)),
            (found("a", 16, false), None)
        );
    }
}
