//! Reads every plot back from its SVG: which shape is where, in which colour and with which label.
//! Positions are compared by proportion, never with the pixels that the drawing code computes.

use std::collections::BTreeMap;
use ttlab::internals::analysis::questions::curves::{CurvePoint, Series};
use ttlab::internals::analysis::rows::metric::Better;
use ttlab::internals::report::svg::forest::{Forest, ForestRow};
use ttlab::internals::report::svg::heat::Heat;
use ttlab::internals::report::svg::lines::Lines;
use ttlab::internals::report::svg::scatter::Scatter;
use ttlab::internals::report::svg::stacked::Stacked;

/// A visible SVG element.
#[derive(Debug, Clone, Default)]
struct Shape {
    tag: String,
    attributes: BTreeMap<String, String>,
    text: String,
    /// The text of its tooltip.
    title: String,
}

impl Shape {
    fn number(&self, name: &str) -> f64 {
        self.attributes[name].parse().unwrap()
    }

    fn class(&self) -> &str {
        self.attributes.get("class").map_or("", String::as_str)
    }

    fn points(&self) -> Vec<(f64, f64)> {
        let corners = self.attributes["d"].trim_end_matches('Z').split(['M', 'L']).skip(1);
        let point = |corner: &str| {
            let (x, y) = corner.split_once(' ').unwrap();
            (x.parse().unwrap(), y.parse().unwrap())
        };
        corners.map(point).collect()
    }

    /// Returns the centre of a marker, and which of the four shapes it is.
    fn middle(&self) -> ((f64, f64), usize) {
        match self.tag.as_str() {
            "circle" => ((self.number("cx"), self.number("cy")), 0),
            "rect" => {
                let (wide, high) = (self.number("width"), self.number("height"));
                ((self.number("x") + wide / 2.0, self.number("y") + high / 2.0), 1)
            }
            _ => {
                let points = self.points();
                match points[..] {
                    // A triangle's base is closer to its centre than its tip is.
                    [tip, right, _] => ((tip.0, tip.1 + (right.1 - tip.1) / 1.8), 2),
                    [tip, right, ..] => ((tip.0, right.1), 3),
                    _ => panic!("{self:?}"),
                }
            }
        }
    }
}

/// Parses a drawing: all shapes in order, and its width and height.
fn parsed(svg: &str) -> (Vec<Shape>, f64, f64) {
    assert!(svg.starts_with("<svg "), "{svg}");
    assert!(svg.ends_with("</svg>"), "{svg}");
    assert!(!svg.contains("NaN"), "{svg}");
    assert!(!svg.contains("inf"), "{svg}");
    let mut shapes: Vec<Shape> = Vec::new();
    let (mut size, mut in_title) = ((0.0, 0.0), false);
    for piece in svg.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap();
        let name = tag.split([' ', '/']).next().unwrap();
        let mut shape = Shape { tag: name.to_owned(), ..Shape::default() };
        let mut rest = &tag[name.len()..];
        while let Some((key, after)) = rest.split_once("=\"") {
            let (value, after) = after.split_once('"').unwrap();
            shape.attributes.insert(key.trim().to_owned(), value.to_owned());
            rest = after;
        }
        match name {
            "svg" => size = (shape.number("width"), shape.number("height")),
            "title" => {
                in_title = true;
                shapes.last_mut().unwrap().title = text.to_owned();
            }
            "" | "g" | "style" => {
                // A closing tag: ends a title's text.
                in_title &= !tag.starts_with("/title");
            }
            _ => {
                assert!(!in_title);
                shape.text = text.to_owned();
                shapes.push(shape);
            }
        }
    }
    for shape in &shapes {
        let places: Vec<(f64, f64)> = match shape.tag.as_str() {
            "path" => shape.points(),
            "line" => ["1", "2"].map(|n| (shape.number(&format!("x{n}")), shape.number(&format!("y{n}")))).to_vec(),
            "circle" => vec![shape.middle().0],
            "text" if !shape.attributes.contains_key("x") => vec![],
            _ => vec![(shape.number("x"), shape.number("y"))],
        };
        let inside = |(x, y): &(f64, f64)| (-0.1..=size.0 + 0.1).contains(x) && (-0.1..=size.1 + 0.1).contains(y);
        assert!(places.iter().all(inside), "{shape:?} is outside of {size:?}");
    }
    (shapes, size.0, size.1)
}

const NEAR: f64 = 0.26;

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < NEAR, "{found}, wanted {expected}");
}

/// An axis, calibrated from two values and their positions.
#[derive(Clone, Copy)]
struct Axis {
    log: bool,
    at: f64,
    place: f64,
    step: f64,
}

impl Axis {
    /// Calibrates the axis from the smallest and the largest value; all other values must agree
    /// with it.
    #[track_caller]
    fn learned(log: bool, known: &[(f64, f64)]) -> Self {
        let scale = |value: f64| if log { value.ln() } else { value };
        let least = known.iter().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let most = known.iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        assert!(most.0 > least.0, "{known:?}");
        assert!((most.1 - least.1).abs() > 50.0, "{known:?}");
        let step = (most.1 - least.1) / (scale(most.0) - scale(least.0));
        let axis = Self { log, at: scale(least.0), place: least.1, step };
        known.iter().for_each(|&(value, place)| near(place, axis.place(value)));
        axis
    }

    fn place(&self, value: f64) -> f64 {
        self.place + self.step * (if self.log { value.ln() } else { value } - self.at)
    }
}

/// Parses the value of a tick label.
fn read(text: &str) -> f64 {
    let (number, scale) = match text.char_indices().last().unwrap() {
        (at, 'k') => (&text[..at], 1e3),
        (at, 'M') => (&text[..at], 1e6),
        (at, '%') => (text[..at].trim_end(), 0.01),
        _ => (text, 1.0),
    };
    number.parse::<f64>().unwrap() * scale
}

/// Returns the texts with an anchor and a class, as (x, y, text).
fn texts<'a>(shapes: &'a [Shape], class: &str, anchor: &str) -> Vec<(f64, f64, &'a str)> {
    shapes
        .iter()
        .filter(|shape| shape.tag == "text" && shape.class() == class && shape.attributes["text-anchor"] == anchor)
        .filter(|shape| shape.attributes.contains_key("x"))
        .map(|shape| (shape.number("x"), shape.number("y"), shape.text.as_str()))
        .collect()
}

/// Returns the straight lines of a class.
fn lines_of(shapes: &[Shape], class: &str) -> Vec<[f64; 4]> {
    let mine = shapes.iter().filter(|shape| shape.tag == "line" && shape.class() == class);
    mine.map(|shape| ["x1", "y1", "x2", "y2"].map(|name| shape.number(name))).collect()
}

/// Returns the y coordinate of the horizontal axis: the lowest line of the plot.
#[track_caller]
fn floor(shapes: &[Shape]) -> f64 {
    let frame = lines_of(shapes, "frame");
    let [[x1, y1, x2, y2]] = frame[..] else { panic!("{frame:?}") };
    assert!(y1 == y2, "{frame:?}");
    assert!(x2 - x1 > 50.0, "{frame:?}");
    let lowest = |rule: &[f64; 4]| rule[1].max(rule[3]) <= y1 + NEAR;
    assert!(lines_of(shapes, "rule").iter().all(lowest));
    y1
}

/// Checks that ticks are at their values, that each has a grid line, and that they don't overlap.
#[track_caller]
fn ticks_stand(shapes: &[Shape], axis: &Axis, ticks: &[(f64, f64, &str)], upright: bool, values: &[f64]) {
    assert!(ticks.len() >= 2, "{ticks:?}");
    let rules = lines_of(shapes, "rule");
    for (&(x, y, text), value) in ticks.iter().zip(values) {
        let expected = axis.place(*value);
        near(if upright { x } else { y - 4.0 }, expected);
        let has = rules.iter().any(|&[x1, y1, x2, y2]| match upright {
            true => (x1 - expected).abs() < NEAR && x1 == x2 && y1 != y2,
            false => (y1 - expected).abs() < NEAR && y1 == y2 && x1 != x2,
        });
        assert!(has, "{text} has no rule");
    }
    let mut along: Vec<(f64, f64)> = ticks
        .iter()
        .map(|&(x, y, text)| if upright { (x, 6.0 * text.chars().count() as f64) } else { (y, 11.0) })
        .collect();
    along.sort_by(|a, b| a.0.total_cmp(&b.0));
    for pair in along.windows(2) {
        assert!(pair[1].0 - pair[0].0 >= (pair[0].1 + pair[1].1) / 2.0, "{ticks:?} overlap");
    }
}

fn series(name: &str, points: &[(f64, f64, f64, f64)]) -> Series {
    let point = |&(x, y, low, high): &(f64, f64, f64, f64)| CurvePoint { x, y, low, high, label: format!("at {x}") };
    Series { name: name.to_owned(), line: None, points: points.iter().map(point).collect() }
}

/// Returns the colour of a class: `s3 line` is 3.
fn colour(class: &str) -> usize {
    class[1..2].parse().unwrap()
}

/// Checks that below the plot each series has a marker with its own shape and colour, followed by
/// its name.
#[track_caller]
fn legend_says(shapes: &[Shape], bottom: f64, expected: &[(&str, usize, usize)]) {
    let under: Vec<&Shape> = shapes
        .iter()
        .filter(|shape| {
            shape.tag != "line" && shape.tag != "text" && shape.middle().0.1 > bottom && !shape.class().contains("line")
        })
        .collect();
    let names: Vec<_> = texts(shapes, "", "start").into_iter().filter(|&(_, y, _)| y > bottom).collect();
    assert_eq!((under.len(), names.len()), (expected.len(), expected.len()));
    for ((mark, &(x, y, text)), &(name, series, shape)) in under.iter().zip(&names).zip(expected) {
        let ((at, height), found) = mark.middle();
        assert_eq!((text, colour(mark.class()), found), (name, series, shape));
        assert!(at < x, "{name} is not beside its mark");
        assert!(x - at < 20.0, "{name} is not beside its mark");
        assert!((height - y).abs() < 8.0, "{name} is not beside its mark");
    }
}

#[test]
fn lines_pass_through_their_points_and_ticks_stand_at_their_values() {
    let nan = f64::NAN;
    let scaled_series = |name: &str, factor: f64| {
        let sizes = [1024.0, 4096.0, 65_536.0];
        let points: Vec<_> = sizes
            .iter()
            .zip([0.5, 0.8, 1.6])
            .map(|(&x, y)| (x, y * factor, y * factor * 0.9, y * factor * 1.25))
            .collect();
        series(name, &points)
    };
    let all = vec![scaled_series("first", 1.0), scaled_series("second", 1.1), scaled_series("third", 0.7)];
    let kib = vec![(1024.0, "1 KiB".to_owned()), (4096.0, "4 KiB".to_owned()), (65_536.0, "64 KiB".to_owned())];
    for (width, base, log) in [(760.0, None, true), (360.0, Some(1), true), (760.0, Some(0), false)] {
        let plot = Lines {
            series: all.clone(),
            x: "size".to_owned(),
            y: "ratio of nodes".to_owned(),
            x_log: log,
            y_log: log,
            x_ticks: kib.clone(),
            ratio: true,
            share: false,
            base,
        };
        let (shapes, ..) = parsed(&plot.render(width, "title", true));
        let marks: Vec<&Shape> = shapes.iter().filter(|shape| !shape.title.is_empty() && shape.tag != "text").collect();
        assert_eq!(marks.len(), 9);
        let points: Vec<&CurvePoint> = all.iter().flat_map(|series| &series.points).collect();
        let places: Vec<(f64, f64)> = marks.iter().map(|mark| mark.middle().0).collect();
        let x = Axis::learned(log, &points.iter().zip(&places).map(|(p, at)| (p.x, at.0)).collect::<Vec<_>>());
        let y = Axis::learned(log, &points.iter().zip(&places).map(|(p, at)| (p.y, at.1)).collect::<Vec<_>>());
        assert!(x.step > 0.0, "more is to the right and higher up");
        assert!(y.step < 0.0, "more is to the right and higher up");

        let bottom = floor(&shapes);
        let along: Vec<_> = texts(&shapes, "", "middle").into_iter().filter(|(_, y, _)| *y > bottom).collect();
        let values: Vec<f64> =
            along.iter().map(|(.., text)| kib.iter().find(|(_, name)| name == text).unwrap().0).collect();
        assert!(values.len() == 3 || !log && values.len() == 2, "{values:?}");
        ticks_stand(&shapes, &x, &along, true, &values);
        let up = texts(&shapes, "", "end");
        ticks_stand(&shapes, &y, &up, false, &up.iter().map(|(.., text)| read(text)).collect::<Vec<_>>());
        let one = lines_of(&shapes, "one");
        near(one[0][1], y.place(1.0));
        assert_eq!(one.len(), 1);
        assert!(one[0][1] == one[0][3]);

        // Each series has its own colour and shape; the baseline has colour 0.
        let colours = match base {
            None => [1, 2, 3],
            Some(0) => [0, 1, 2],
            _ => [1, 0, 2],
        };
        for (at, series) in all.iter().enumerate() {
            let class = format!("s{}", colours[at]);
            for (mark, point) in marks[3 * at..3 * at + 3].iter().zip(&series.points) {
                assert_eq!((mark.class(), mark.middle().1), (class.as_str(), colours[at]));
                let tick = &kib.iter().find(|(value, _)| *value == point.x).unwrap().1;
                let output = format!(
                    "{} size {tick}: {:.3}, 95 % {:.3} to {:.3} (at {})",
                    series.name, point.y, point.low, point.high, point.x
                );
                assert_eq!(mark.title, output);
            }
            let path = |kind: &str| shapes.iter().find(|shape| shape.class() == format!("{class} {kind}")).unwrap();
            let line = path("line").points();
            assert_eq!(line.len(), 3);
            line.iter().zip(&places[3 * at..]).for_each(|(a, b)| {
                near(a.0, b.0);
                near(a.1, b.1);
            });
            let band = path("band").points();
            assert_eq!(band.len(), 6);
            for (at, point) in series.points.iter().enumerate() {
                near(band[at].0, x.place(point.x));
                near(band[at].1, y.place(point.low));
                near(band[5 - at].0, x.place(point.x));
                near(band[5 - at].1, y.place(point.high));
            }
        }
        let expected =
            [("first", colours[0], colours[0]), ("second", colours[1], colours[1]), ("third", colours[2], colours[2])];
        legend_says(&shapes, bottom, &expected);
        let faint = texts(&shapes, "faint", "middle");
        assert_eq!(faint.iter().map(|text| text.2).collect::<Vec<_>>(), ["size"]);
        assert!(
            shapes.iter().any(|shape| shape.text == "ratio of nodes" && shape.attributes.contains_key("transform"))
        );
    }
    // Shares are shown in percent, with the axis's own ticks and without intervals; a single series
    // needs no legend.
    let points = [(1.0, 0.1, nan, nan), (2.0, 0.2, nan, nan), (5.0, 0.9, nan, nan)];
    let plot = Lines { series: vec![series("only", &points)], x: "slots".to_owned(), share: true, ..Lines::default() };
    let (shapes, _, height) = parsed(&plot.render(700.0, "title", false));
    let marks: Vec<&Shape> = shapes.iter().filter(|shape| !shape.title.is_empty()).collect();
    let places: Vec<(f64, f64)> = marks.iter().map(|mark| mark.middle().0).collect();
    let x = Axis::learned(false, &points.iter().zip(&places).map(|(p, at)| (p.0, at.0)).collect::<Vec<_>>());
    let y = Axis::learned(false, &points.iter().zip(&places).map(|(p, at)| (p.1, at.1)).collect::<Vec<_>>());
    let up = texts(&shapes, "", "end");
    assert!(up.iter().all(|(.., text)| text.ends_with(" %")));
    // Shares use the full height of the plot, without a reference line at 1.
    let bottom = floor(&shapes);
    assert!(bottom - places[0].1 < 0.1 * bottom, "{places:?}");
    assert!(places[2].1 < 0.12 * bottom, "{places:?}");
    ticks_stand(&shapes, &y, &up, false, &up.iter().map(|(.., text)| read(text)).collect::<Vec<_>>());
    let along = texts(&shapes, "", "middle");
    ticks_stand(&shapes, &x, &along, true, &along.iter().map(|(.., text)| read(text)).collect::<Vec<_>>());
    assert_eq!(marks[1].title, "only slots 2: 20 % (at 2)");
    assert!(!shapes.iter().any(|shape| shape.class().contains("band")));
    assert!(lines_of(&shapes, "one").is_empty());
    assert!(texts(&shapes, "", "start").is_empty());
    assert!(height < 360.0);
}

#[test]
fn ratio_figure_draws_each_ratio_and_interval_at_its_value() {
    let nan = f64::NAN;
    let rows = [
        ("fewer nodes", 0.5, 0.4, 0.625, true, ("better", 1)),
        ("more nodes", 2.0, 1.5, 3.0, true, ("worse", 2)),
        ("no difference", 0.9, 0.7, 1.2, false, ("unclear", 3)),
        ("size=64 KiB, policy=aged-depth factor=4, slots=4, index=multiply", 1.3, nan, nan, false, ("unclear", 3)),
    ];
    let row = |&(name, mean, low, high, significant, _): &(&str, f64, f64, f64, bool, (&str, usize))| ForestRow {
        name: name.to_owned(),
        mean,
        low,
        high,
        significant,
    };
    let plot = Forest {
        rows: rows.iter().map(row).collect(),
        x: "nodes, as a ratio".to_owned(),
        differences: false,
        better: Better::Less,
    };
    for width in [760.0, 360.0] {
        let (shapes, ..) = parsed(&plot.render(width, "title", true));
        let marks: Vec<&Shape> = shapes.iter().filter(|shape| shape.tag != "text" && !shape.title.is_empty()).collect();
        assert_eq!(marks.len(), 4);
        let places: Vec<(f64, f64)> = marks.iter().map(|mark| mark.middle().0).collect();
        let x = Axis::learned(true, &rows.iter().zip(&places).map(|(row, at)| (row.1, at.0)).collect::<Vec<_>>());
        assert!(x.step > 0.0);
        let bottom = floor(&shapes);
        let one = lines_of(&shapes, "one");
        near(one[0][0], x.place(1.0));
        assert_eq!(one.len(), 1);
        assert!(one[0][0] == one[0][2]);
        let along: Vec<_> = texts(&shapes, "", "middle").into_iter().filter(|(_, y, _)| *y > bottom).collect();
        ticks_stand(&shapes, &x, &along, true, &along.iter().map(|(.., text)| read(text)).collect::<Vec<_>>());
        let figures: Vec<_> = texts(&shapes, "", "end").into_iter().filter(|(x, ..)| *x > width - 10.0).collect();
        assert_eq!(figures.iter().map(|text| text.2).collect::<Vec<_>>(), ["0.500", "2.000", "0.900", "1.300"]);
        for (at, &(name, mean, low, high, _, mark)) in rows.iter().enumerate() {
            let (place, shape) = marks[at].middle();
            assert_eq!((marks[at].class(), shape), mark, "{name}");
            near(place.1, figures[at].1 - 4.0);
            assert!(at == 0 || place.1 - places[at - 1].1 >= 20.0, "rows in their order, apart");
            assert!(place.1 < bottom);
            let output = format!("{name}: {mean:.3}");
            let output = if low.is_nan() { output } else { format!("{output}, 95 % {low:.3} to {high:.3}") };
            assert_eq!(marks[at].title, output);
            let level = |line: &&[f64; 4]| (line[1] - place.1).abs() < 0.3;
            let spans: Vec<[f64; 4]> = lines_of(&shapes, &format!("{} line", mark.0));
            let spans: Vec<&[f64; 4]> = spans.iter().filter(level).collect();
            assert_eq!(spans.len(), usize::from(!low.is_nan()));
            if let [span] = spans[..] {
                near(span[0], x.place(low));
                near(span[2], x.place(high));
                let ends = lines_of(&shapes, mark.0);
                let ends: Vec<f64> =
                    ends.iter().filter(|end| (end[1] + end[3] - 2.0 * place.1).abs() < 0.6).map(|end| end[0]).collect();
                assert_eq!(ends.len(), 2);
                near(ends[0], x.place(low));
                near(ends[1], x.place(high));
            }
            // The first words of the name are beside the marker, or above it on narrow screens;
            // never below the name of another row.
            let words = name.split(", ").next().unwrap();
            let anchor = if width < 500.0 { "start" } else { "end" };
            let named = texts(&shapes, "", anchor).into_iter().find(|(.., text)| text.starts_with(words)).unwrap();
            let (least, most) = if width < 500.0 { (-80.0, -5.0) } else { (-45.0, 8.0) };
            assert!((least..most).contains(&(named.1 - place.1)), "{name}: {} and {}", named.1, place.1);
            assert!(at == 0 || named.1 > places[at - 1].1, "{name}");
        }
    }
}

#[test]
fn map_draws_each_cell_at_its_row_and_column() {
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let plot = Heat {
        first: ("size".to_owned(), names(&["64 KiB", "1 MiB"])),
        second: ("policy".to_owned(), names(&["always", "deep", "two"])),
        cells: vec![vec![Some(0.5), None, Some(2.0)], vec![Some(1.0), Some(0.9), Some(1.3)]],
        better: Better::Less,
    };
    for width in [760.0, 360.0] {
        let (shapes, ..) = parsed(&plot.render(width, "title", true));
        let mut cells = shapes.iter().filter(|shape| shape.tag == "rect");
        let text_at = |x: f64, y: f64| {
            let near = |text: &&(f64, f64, &str)| (text.0 - x).abs() < 1.5 && (text.1 - y).abs() < 10.0;
            let all = [texts(&shapes, "", "middle"), texts(&shapes, "faint", "middle")].concat();
            all.iter().find(near).map(|text| text.2.to_owned())
        };
        let label = |list: &[(f64, f64, &str)], name: &str| {
            list.iter().find(|text| text.2 == name).map(|text| (text.0, text.1)).unwrap_or_else(|| panic!("no {name}"))
        };
        let (heads, sides) = (texts(&shapes, "", "middle"), texts(&shapes, "", "end"));
        let mut strengths = BTreeMap::new();
        for (row, (name, ratios)) in plot.first.1.iter().zip(&plot.cells).enumerate() {
            for (head, ratio) in plot.second.1.iter().zip(ratios) {
                let (x, y) = (label(&heads, head).0, label(&sides, name).1);
                let Some(ratio) = ratio else {
                    assert_eq!(text_at(x, y).as_deref(), Some("·"));
                    continue;
                };
                let cell = cells.next().unwrap();
                let (left, top) = (cell.number("x"), cell.number("y"));
                let (wide, high) = (cell.number("width"), cell.number("height"));
                assert!(left < x, "{name}, {head}");
                assert!(x < left + wide, "{name}, {head}");
                assert!(top < y, "{name}, {head}");
                assert!(y < top + high, "{name}, {head}");
                assert!((left + wide / 2.0 - x).abs() < 2.0, "{head} stands over its column");
                assert_eq!(cell.class(), if *ratio < 1.0 { "better bar" } else { "worse bar" });
                assert_eq!(cell.title, format!("{name}, {head}: {ratio:.3} times the baseline"));
                assert_eq!(text_at(left + wide / 2.0, y), Some(format!("{ratio:.3}")));
                strengths.insert((ratio.ln().abs() * 1e6).round() as i64, cell.number("fill-opacity"));
                assert!((top - 44.0 - 32.0 * row as f64).abs() < 1.0);
                assert!((28.0..32.0).contains(&high));
            }
        }
        assert!(cells.next().is_none());
        // 0.5 and 2 are equally far from 1, so they have the same strength: five ratios, four
        // strengths, in increasing order.
        let strengths: Vec<f64> = strengths.into_values().collect();
        assert_eq!(strengths.len(), 4, "{strengths:?}");
        assert!(strengths.is_sorted_by(|a, b| a < b), "{strengths:?}");
        assert!(label(&heads, "policy").1 < label(&heads, "always").1);
        assert_eq!(label(&sides, "size").1, label(&heads, "always").1);
    }
}

#[test]
fn stacked_bars_abut_and_are_as_long_as_their_shares() {
    let parts = [("usable hit", 1), ("other hit", 4), ("free slot", 7)];
    let bars = [("a", [10.0, 30.0, 60.0]), ("b", [1.0, 1.0, 2.0]), ("c", [5.0, 0.0, 15.0])];
    let plot = Stacked {
        parts: parts.iter().map(|(name, colour)| ((*name).to_owned(), *colour)).collect(),
        bars: bars.iter().map(|(name, sizes)| ((*name).to_owned(), sizes.to_vec())).collect(),
    };
    for width in [760.0, 360.0] {
        let (shapes, ..) = parsed(&plot.render(width, "title", true));
        let rects: Vec<&Shape> = shapes.iter().filter(|shape| shape.tag == "rect").collect();
        assert_eq!(rects.len(), 12);
        let percent: Vec<(f64, &str)> =
            [texts(&shapes, "", "start"), texts(&shapes, "", "middle"), texts(&shapes, "", "end")]
                .concat()
                .into_iter()
                .filter(|text| text.2.ends_with('%'))
                .map(|text| (text.0, text.2))
                .collect();
        let known: Vec<(f64, f64)> = percent.iter().map(|(x, text)| (read(text), *x)).collect();
        assert_eq!(known.iter().map(|tick| tick.0).collect::<Vec<_>>(), [0.0, 0.25, 0.5, 0.75, 1.0]);
        let x = Axis::learned(false, &known);
        let rules = lines_of(&shapes, "rule");
        known.iter().for_each(|(_, place)| assert!(rules.iter().any(|rule| (rule[0] - place).abs() < NEAR)));
        for (at, (name, sizes)) in bars.iter().enumerate() {
            let mut so_far = 0.0;
            for ((rect, size), (part, colour)) in rects[3 * at..].iter().zip(sizes).zip(parts) {
                let share = size / sizes.iter().sum::<f64>();
                near(rect.number("x"), x.place(so_far));
                so_far += share;
                near(rect.number("x") + rect.number("width"), x.place(so_far));
                assert_eq!(self::colour(rect.class()), colour);
                assert_eq!(rect.title, format!("{name} {part}: {:.1} %", 100.0 * share));
                assert_eq!(rect.number("y"), rects[3 * at].number("y"));
            }
            let (y, high) = (rects[3 * at].number("y"), rects[3 * at].number("height"));
            assert!(at == 0 || y > rects[3 * at - 1].number("y") + high, "bars do not overlap");
            let anchor = if width < 500.0 { "start" } else { "end" };
            let named = texts(&shapes, "", anchor).into_iter().find(|text| text.2 == *name).unwrap();
            assert!((y - 12.0..y + high).contains(&named.1), "{name}");
        }
        let names: Vec<_> =
            texts(&shapes, "", "start").into_iter().filter(|text| parts.iter().any(|part| part.0 == text.2)).collect();
        assert_eq!(names.len(), 3);
        for ((rect, bar), (name, (part, colour))) in rects[9..].iter().zip(&rects).zip(names.iter().zip(parts)) {
            assert_eq!((self::colour(rect.class()), name.2), (colour, part));
            assert_eq!(rect.attributes["fill-opacity"], bar.attributes["fill-opacity"], "as pale as in the plot");
            let side = rect.number("x") + rect.number("width");
            assert!(side < name.0);
            assert!(name.0 - side < 15.0);
            assert!((rect.number("y") + 10.0 - name.1).abs() < 3.0);
        }
    }
}

#[test]
fn position_points_are_drawn_at_their_size_and_ratio() {
    let nan = f64::NAN;
    let all = vec![
        series("better", &[(100.0, 0.5, nan, nan), (20_000.0, 0.9, nan, nan), (3e6, 0.7, nan, nan)]),
        series("worse", &[(100.0, 1.5, nan, nan), (20_000.0, 2.9, nan, nan), (3e6, 1.7, nan, nan)]),
    ];
    let plot = Scatter { series: all.clone(), x: "nodes of the baseline".to_owned(), y: "ratio".to_owned() };
    for width in [760.0, 360.0] {
        let (shapes, ..) = parsed(&plot.render(width, "title", true));
        let marks: Vec<&Shape> = shapes.iter().filter(|shape| shape.class().ends_with("dot")).collect();
        let points: Vec<&CurvePoint> = all.iter().flat_map(|series| &series.points).collect();
        assert_eq!(marks.len(), 6);
        let places: Vec<(f64, f64)> = marks.iter().map(|mark| mark.middle().0).collect();
        let x = Axis::learned(true, &points.iter().zip(&places).map(|(p, at)| (p.x, at.0)).collect::<Vec<_>>());
        let y = Axis::learned(true, &points.iter().zip(&places).map(|(p, at)| (p.y, at.1)).collect::<Vec<_>>());
        assert!(x.step > 0.0);
        assert!(y.step < 0.0);
        let bottom = floor(&shapes);
        let along: Vec<_> = texts(&shapes, "", "middle").into_iter().filter(|(_, y, _)| *y > bottom).collect();
        ticks_stand(&shapes, &x, &along, true, &along.iter().map(|(.., text)| read(text)).collect::<Vec<_>>());
        let up = texts(&shapes, "", "end");
        ticks_stand(&shapes, &y, &up, false, &up.iter().map(|(.., text)| read(text)).collect::<Vec<_>>());
        near(lines_of(&shapes, "one")[0][1], y.place(1.0));
        for (at, (mark, point)) in marks.iter().zip(&points).enumerate() {
            let series = &all[at / 3];
            assert_eq!((colour(mark.class()), mark.middle().1), (at / 3 + 1, at / 3 + 1));
            let size = ["100", "20k", "3M"][at % 3];
            assert_eq!(mark.title, format!("{} at {}: {:.3} of {size} nodes", series.name, point.x, point.y));
        }
        legend_says(&shapes, bottom, &[("better", 1, 1), ("worse", 2, 2)]);
        // The line of equal nodes is at 1 even if all points are on one side of it.
        for one_side in &all {
            let plot = Scatter { series: vec![one_side.clone()], ..plot.clone() };
            let (shapes, ..) = parsed(&plot.render(width, "title", true));
            let marks: Vec<&Shape> = shapes.iter().filter(|shape| shape.class().ends_with("dot")).collect();
            let places: Vec<_> = one_side.points.iter().zip(&marks).map(|(p, mark)| (p.y, mark.middle().0.1)).collect();
            near(lines_of(&shapes, "one")[0][1], Axis::learned(true, &places).place(1.0));
        }
    }
}

/// For values of any size on any scale, ticks are inside the scale, in order, and neither too few
/// nor too many.
#[test]
fn ticks_of_any_scale_are_ordered_and_inside_it() {
    use ttlab::internals::report::svg::scale::{Scale, format_short};
    for log in [false, true] {
        for (low, high) in [(0.97, 1.04), (1.0, 3.0), (0.02, 40.0), (5.0, 5e9), (100.0, 101.0), (1e-3, 1.0), (3.0, 4e4)]
        {
            for (from, to) in [(58.0, 346.0), (300.0, 12.0), (58.0, 746.0)] {
                let scale = Scale::new(log, [low, high].into_iter(), (from, to));
                let (first, last) = (scale.pixel(low), scale.pixel(high));
                // The extreme values are inside the scale, close to its ends.
                let length = to - from;
                for (found, edge) in [(first, from), (last, to)] {
                    let apart = (found - edge).abs() / length.abs();
                    assert!(apart > 0.02 && apart < 0.06, "{low} to {high}: {apart}");
                }
                assert!((last - first) * length > 0.0);
                let apart = 52.0;
                let ticks = scale.ticks(apart);
                let room = length.abs() / apart;
                assert!(ticks.len() >= 2, "{log} {low} to {high}: {ticks:?}");
                assert!(ticks.len() as f64 <= room + 2.0, "{log} {low} to {high}: {ticks:?}");
                assert!(ticks.is_sorted());
                for tick in ticks {
                    let place = scale.pixel(tick);
                    assert!(place >= from.min(to) && place <= from.max(to));
                    // The tick's label is accurate to 1/50 of the scale's length.
                    let message = match format_short(tick).strip_suffix('G') {
                        Some(number) => number.parse::<f64>().unwrap() * 1e9,
                        None => read(&format_short(tick)),
                    };
                    assert!((scale.pixel(message) - place).abs() <= length.abs() / 50.0, "{tick}: {message}");
                }
            }
        }
    }
}

/// The reference line is always visible, even if all values are on one side of it. Intervals are
/// drawn as bands for at most three series.
#[test]
fn reference_line_is_always_drawn_and_bands_only_for_three_series() {
    let nan = f64::NAN;
    for means in [[0.5, 0.6, 0.7], [1.5, 1.7, 2.2]] {
        let row = |(at, mean): (usize, &f64)| ForestRow {
            name: format!("r{at}"),
            mean: *mean,
            low: nan,
            high: nan,
            significant: false,
        };
        for differences in [false, true] {
            let rows = means.iter().enumerate().map(row).collect();
            let (shapes, ..) = parsed(
                &Forest { rows, x: "x".to_owned(), differences, better: Better::Less }.render(700.0, "title", true),
            );
            let marks: Vec<f64> = shapes
                .iter()
                .filter(|shape| shape.tag != "text" && !shape.title.is_empty())
                .map(|mark| mark.middle().0.0)
                .collect();
            let x = Axis::learned(!differences, &means.iter().copied().zip(marks).collect::<Vec<_>>());
            near(lines_of(&shapes, "one")[0][0], x.place(if differences { 0.0 } else { 1.0 }));
        }
    }
    let points = [(1.0, 1.0, 0.9, 1.1), (2.0, 1.2, 1.1, 1.3), (3.0, 1.4, 1.2, 1.6)];
    for (count, bands) in [(1, 1), (3, 3), (4, 0)] {
        let all = (0..count).map(|at| series(&format!("s{at}"), &points)).collect();
        let plot = Lines { series: all, x: "x".to_owned(), y: "y".to_owned(), ..Lines::default() };
        let (shapes, ..) = parsed(&plot.render(700.0, "title", true));
        assert_eq!(shapes.iter().filter(|shape| shape.class().ends_with("band")).count(), bands, "{count} series");
        // If there is no room for a band, the tooltip still gives the interval.
        assert_eq!(shapes.iter().filter(|shape| shape.title.contains(", 95 % ")).count(), 3 * count);
    }
}

/// If an axis has more labels than room, some are left out. The remaining labels don't overlap, and
/// each value keeps its grid line.
#[test]
fn axis_labels_do_not_overlap() {
    let values: Vec<f64> = (1..=30).map(f64::from).collect();
    let points: Vec<_> = values.iter().map(|&x| (x, x, f64::NAN, f64::NAN)).collect();
    let names: Vec<(f64, String)> = values.iter().map(|&x| (x, format!("{:.0},000 entries", 100.0 + x))).collect();
    let plot = Lines { series: vec![series("only", &points)], x: "x".to_owned(), x_ticks: names, ..Lines::default() };
    for width in [360.0, 760.0] {
        let (shapes, ..) = parsed(&plot.render(width, "title", true));
        let bottom = floor(&shapes);
        let under: Vec<_> = texts(&shapes, "", "middle").into_iter().filter(|(_, y, _)| *y > bottom).collect();
        assert!(under.len() > 1, "{under:?}");
        assert!(under.len() < 30, "{under:?}");
        assert!(under[0].2 == "101,000 entries", "{under:?}");
        for pair in under.windows(2) {
            let wide = pair.iter().map(|(.., text)| 6.0 * text.chars().count() as f64).sum::<f64>() / 2.0;
            assert!(pair[1].0 - pair[0].0 >= wide, "{pair:?} at {width}");
        }
        let upright = lines_of(&shapes, "rule").iter().filter(|[x1, y1, x2, y2]| x1 == x2 && y1 != y2).count();
        assert_eq!(upright, 30);
    }
}

/// A label that is too long is shortened in the middle, keeping equally much of both ends, so that
/// it fits; one that fits is unchanged.
#[test]
fn long_label_keeps_both_ends() {
    use ttlab::internals::report::svg::{ellipsize, text_width, wrap_name};
    let name = "size=64 KiB, policy=aged-depth factor=4, slots=4, index=multiply";
    for width in [40.0, 77.0, 120.0, 300.0] {
        let short = ellipsize(name, width);
        assert!(text_width(&short) <= width && text_width(&short) > width - 14.0, "{short}");
        let (head, tail) = short.split_once('…').unwrap();
        assert!(name.starts_with(head));
        assert!(name.ends_with(tail));
        assert!(head.chars().count().abs_diff(tail.chars().count()) <= 1, "{short}");
    }
    assert_eq!(ellipsize(name, text_width(name)), name);
    // Names are wrapped after commas first: every line fits, and nothing is lost.
    let lines = wrap_name(name, 200.0);
    assert!(lines.len() > 1, "{lines:?}");
    assert!(lines.iter().all(|line| text_width(line) <= 200.0), "{lines:?}");
    assert_eq!(lines.join(" "), name);
    assert_eq!(wrap_name(name, text_width(name)).len(), 1);
}

/// Values beyond the ends of an axis are drawn at its ends.
#[test]
fn values_beyond_an_axis_are_drawn_at_its_ends() {
    use ttlab::internals::report::svg::scale::{Scale, format_short};
    for log in [false, true] {
        let scale = Scale::new(log, [1.0, 10.0].into_iter(), (100.0, 300.0));
        assert_eq!([0.001, 1e6].map(|value| scale.pixel(value)), [100.0, 300.0]);
    }
    // Labels have as many digits as the value needs: thousands are abbreviated from 10,000 on,
    // without trailing zeros.
    for (value, text) in [
        (999.0, "999"),
        (1024.0, "1024"),
        (9999.0, "9999"),
        (10_000.0, "10k"),
        (16_384.0, "16.384k"),
        (999_500.0, "999.5k"),
        (1.5e6, "1.5M"),
        (2e9, "2G"),
        (0.1, "0.1"),
        (-20_000.0, "-20k"),
    ] {
        assert_eq!(format_short(value), text);
    }
}

/// The strength of a cell's colour is its distance from 1 on a log scale: 1/2 is as strong as 2,
/// and the farthest ratio is the strongest.
#[test]
fn map_colours_a_half_as_strongly_as_a_double() {
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let plot = Heat {
        first: ("a".to_owned(), names(&["1", "2"])),
        second: ("b".to_owned(), names(&["3", "4"])),
        cells: vec![vec![Some(0.25), Some(4.0)], vec![Some(0.5), Some(2.0)]],
        better: Better::Less,
    };
    let (shapes, ..) = parsed(&plot.render(700.0, "title", true));
    let strengths: Vec<f64> =
        shapes.iter().filter(|shape| shape.tag == "rect").map(|cell| cell.number("fill-opacity")).collect();
    assert!(strengths[0] == strengths[1], "{strengths:?}");
    assert!(strengths[2] == strengths[3], "{strengths:?}");
    assert!(strengths[0] > strengths[2], "{strengths:?}");
    // An infinitely distant ratio doesn't weaken the colours of the others.
    let plot = Heat { cells: vec![vec![Some(0.0), Some(4.0)], vec![None, Some(2.0)]], ..plot };
    let (shapes, ..) = parsed(&plot.render(700.0, "title", true));
    let with: Vec<f64> =
        shapes.iter().filter(|shape| shape.tag == "rect").map(|cell| cell.number("fill-opacity")).collect();
    assert_eq!(with, [strengths[1], strengths[1], strengths[3]]);
}
