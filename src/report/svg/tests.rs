//! Tests that every plot is legible, and that no text from a file becomes markup.

use super::forest::{Forest, ForestRow};
use super::heat::Heat;
use super::lines::Lines;
use super::*;
use crate::analysis::questions::curves::{CurvePoint, Series};
use crate::analysis::rows::metric::Better;
use crate::golden::assert_golden;
use proptest::prelude::*;

/// A rectangle that a text or a mark covers; its edges are left, top, right and bottom.
#[derive(Debug)]
struct Patch {
    edges: [f64; 4],
    content: String,
}

impl Patch {
    fn overlaps(&self, other: &Self) -> bool {
        let [left, top, right, bottom] = self.edges;
        let [other_left, other_top, other_right, other_bottom] = other.edges;
        left < other_right && other_left < right && top < other_bottom && other_top < bottom
    }
}

fn numbers(text: &str) -> Vec<f64> {
    let parts = text.split(|c: char| !(c.is_ascii_digit() || ".-".contains(c)));
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// The texts of a drawing, its marks (with bars and whiskers), and its size. A letter of 12 pixels
/// is taken to be 11 pixels high and 6 wide.
fn read_drawing(svg: &str) -> (Vec<Patch>, Vec<Patch>, [f64; 2]) {
    let (mut words, mut marks, mut size) = (Vec::new(), Vec::new(), [0.0; 2]);
    let mut open_tags = Vec::new();
    for piece in svg.split('<').skip(1) {
        let (tag, content) = piece.split_once('>').unwrap();
        match tag.strip_prefix('/') {
            Some(closed) => assert_eq!(open_tags.pop(), Some(closed), "{svg}"),
            None if !tag.ends_with('/') => open_tags.extend(tag.split(' ').next()),
            None => {}
        }
        let attribute = |name: &str| {
            let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
            Some(rest.split_once('"').unwrap().0)
        };
        let number = |name: &str| attribute(name).unwrap().parse::<f64>().unwrap();
        let class = attribute("class").unwrap_or_default();
        let mut add_mark = |xs: &[f64], ys: &[f64]| {
            let minimum = |list: &[f64]| list.iter().copied().fold(f64::INFINITY, f64::min);
            let maximum = |list: &[f64]| list.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            marks.push(Patch { edges: [minimum(xs), minimum(ys), maximum(xs), maximum(ys)], content: tag.to_owned() });
        };
        match tag.split(' ').next().unwrap() {
            "svg" => size = [number("width"), number("height")],
            "text" => {
                let text_width = 6.0 * content.replace("&amp;", "&").chars().count() as f64;
                let left_part = match attribute("text-anchor").unwrap() {
                    "start" => 0.0,
                    "middle" => text_width / 2.0,
                    _ => text_width,
                };
                let edges = match attribute("transform").map(numbers) {
                    Some(coordinates) => [
                        coordinates[0] - 9.0,
                        coordinates[1] - left_part,
                        coordinates[0] + 2.0,
                        coordinates[1] - left_part + text_width,
                    ],
                    None => [
                        number("x") - left_part,
                        number("y") - 9.0,
                        number("x") - left_part + text_width,
                        number("y") + 2.0,
                    ],
                };
                words.push(Patch { edges, content: content.to_owned() });
            }
            "rect" => {
                let ([x, y], [rect_width, rect_height]) = (["x", "y"].map(number), ["width", "height"].map(number));
                add_mark(&[x, x + rect_width], &[y, y + rect_height]);
            }
            "circle" => {
                let [x, y, r] = ["cx", "cy", "r"].map(number);
                add_mark(&[x - r, x + r], &[y - r, y + r]);
            }
            "line" if !matches!(class, "rule" | "one" | "frame") => {
                add_mark(&["x1", "x2"].map(number), &["y1", "y2"].map(number))
            }
            "path" if !class.contains(' ') => {
                let coordinates = numbers(attribute("d").unwrap());
                let every_second =
                    |first: usize| coordinates.iter().copied().skip(first).step_by(2).collect::<Vec<_>>();
                add_mark(&every_second(0), &every_second(1));
            }
            _ => {}
        }
    }
    assert_eq!(open_tags, Vec::<&str>::new());
    (words, marks, size)
}

/// Asserts that all texts and marks are inside the drawing, and that no text overlaps another text
/// or a mark. On a map (`is_map`), texts lie on cells, which must not overlap. On a desktop, no
/// text lies in the plot area.
#[track_caller]
fn assert_legible(name: &str, svg: &str, is_map: bool) {
    let (words, marks, [width, height]) = read_drawing(svg);
    assert!(!words.is_empty(), "{name}: nothing is drawn");
    assert!(!marks.is_empty(), "{name}: nothing is drawn");
    if let Some((_, frame)) = svg.split_once("<line class=\"frame\"").filter(|_| width > 500.0) {
        let frame = numbers(&frame.replace("x1", "").replace("y1", "").replace("x2", "").replace("y2", ""));
        let plot_area = Patch { edges: [frame[0], 0.0, frame[2], frame[1]], content: "the lines".to_owned() };
        let inside = words.iter().find(|word| word.overlaps(&plot_area)).map(|word| &word.content);
        assert_eq!(inside, None, "{name}: where the lines are");
    }
    for (index, mark) in marks.iter().enumerate().filter(|_| is_map) {
        assert!(!marks[index + 1..].iter().any(|other| other.overlaps(mark)), "{name}: {} over another", mark.content);
    }
    for patch in words.iter().chain(&marks) {
        let [left, top, right, bottom] = patch.edges;
        let is_inside = left >= 0.0 && top >= 0.0 && right <= width && bottom <= height;
        assert!(is_inside, "{name}: {} at {:?} in {width} x {height}", patch.content, patch.edges);
    }
    for (index, word) in words.iter().enumerate() {
        let mut others = words[index + 1..].iter().chain(marks.iter().filter(|_| !is_map));
        let overlapped = others.find(|other| other.overlaps(word)).map(|other| (&other.content, other.edges));
        assert_eq!(overlapped, None, "{name}: {} at {:?} over it", word.content, word.edges);
    }
}

/// Names such as grids produce: short ones, and some that need two lines.
const NAMES: [&str; 5] = [
    "none",
    "size=64 KiB, policy=aged-depth factor=4 on=store, slots=4, index=multiply, refresh=match",
    "size=1 MiB, policy=always",
    "size=64 KiB, policy=aged-depth factor=16 on=probe, slots=16",
    "a name without a single blank-or-comma-in-which-it-could-be-broken-into-lines-that-are-short",
];

fn series(names: &[&str], x_values: &[f64]) -> Vec<Series> {
    let make_series = |(index, name): (usize, &&str)| {
        let make_point = |&x: &f64| {
            let y = 0.7 + 0.1 * index as f64;
            CurvePoint { x, y, low: y * 0.9, high: y * 1.1, label: "20 pairs".to_owned() }
        };
        Series { name: (*name).to_owned(), line: None, points: x_values.iter().map(make_point).collect() }
    };
    names.iter().enumerate().map(make_series).collect()
}

/// The width on a desktop or in a file, and the width on a phone.
const WIDTHS: [f64; 2] = [860.0, 360.0];

#[test]
fn texts_and_marks_do_not_overlap() {
    let sizes = [1024.0, 4096.0, 65_536.0, 1_048_576.0, 16_777_216.0];
    let many_sizes: Vec<f64> = (0..24).map(|power| 1024.0 * f64::from(1 << power)).collect();
    for width in WIDTHS {
        for (names, x_values) in [
            (&NAMES[..], &sizes[..]),
            (&NAMES[..2], &sizes[..2]),
            (&NAMES[..1], &sizes[..]),
            (&["a", "b", "c", "d"], &many_sizes),
        ] {
            let ticks = x_values.iter().map(|&size| (size, format!("{} KiB", size / 1024.0))).collect();
            let lines = Lines {
                series: series(names, x_values),
                x: "table size".to_owned(),
                y: "nodes against the baseline".to_owned(),
                x_log: true,
                y_log: true,
                x_ticks: ticks,
                ratio: true,
                ..Lines::default()
            };
            assert_legible("lines", &lines.render(width, "", true), false);
            let lines = Lines { x_ticks: Vec::new(), ..lines };
            assert_legible("lines without ticks", &lines.render(width, "", true), false);
            let shares = Lines { share: true, ratio: false, y_log: false, ..lines };
            assert_legible("shares", &shares.render(width, "", true), false);
            for differences in [false, true] {
                let make_row = |(index, name): (usize, &&str)| {
                    let mean = if differences { 40.0 * (index as f64 - 1.0) } else { 0.5 + 0.3 * index as f64 };
                    let (low, high) = (mean - 0.2, mean + 0.4);
                    ForestRow { name: (*name).to_owned(), mean, low, high, significant: index == 1 }
                };
                let rows = names.iter().enumerate().map(make_row).collect();
                let forest = Forest {
                    rows,
                    x: "nodes, as a ratio to the baseline's".to_owned(),
                    differences,
                    better: Better::Less,
                };
                assert_legible("forest", &forest.render(width, "", true), false);
            }
        }
        for columns in [2, 5, 8] {
            let names = NAMES.map(str::to_owned).to_vec();
            let heat = Heat {
                first: ("policy and the rest of it".to_owned(), names.clone()),
                second: ("size".to_owned(), (0..columns).map(|column| format!("{} KiB", 64 << column)).collect()),
                cells: names
                    .iter()
                    .map(|_| (0..columns).map(|column| Some(0.5 + 0.1 * column as f64)).collect())
                    .collect(),
                better: Better::Less,
            };
            assert_legible("map", &heat.render(width, "", true), true);
        }
    }
}

#[test]
fn names_are_escaped_everywhere() {
    let name = "\"><b onload='x'>&amp;";
    let mut svg = Svg::new(90.0);
    svg.text("", (0.0, 0.0), Anchor::Start, name);
    svg.fitted_text((0.0, 0.0), Anchor::Middle, name, 60.0);
    svg.wrapped_name((0.0, 0.0), Anchor::End, name, 60.0);
    svg.vertical_text((0.0, 0.0), name);
    svg.rect("", (0.0, 0.0), (1.0, 1.0), "", name);
    (0..4).for_each(|series| svg.mark(series, (0.0, 0.0), 1.0, name));
    svg.legend(0.0, &[(0, name.to_owned()), (1, name.to_owned())]);
    let svg = svg.finish(10.0, name, false);
    read_drawing(&svg);
    // All remaining quotes delimit attributes: two for each.
    assert!(!svg.contains("<b"), "{svg}");
    assert!(!svg.contains("&amp;<"), "{svg}");
    assert!(!svg.contains('\''), "{svg}");
    assert_eq!(svg.matches('"').count(), 2 * svg.matches("=\"").count());
    // The name is in each of the nine tooltips (including those of shortened texts), in three plain
    // texts, and in the label.
    assert!(svg.matches("&quot;&gt;&lt;b onload=&#39;x&#39;&gt;&amp;amp;").count() >= 9, "{svg}");
}

#[test]
fn wrapped_name_is_centred_vertically() {
    let text_bottoms = |text: &str| -> Vec<f64> {
        let mut svg = Svg::new(500.0);
        svg.wrapped_name((0.0, 100.0), Anchor::Start, text, 80.0);
        read_drawing(&svg.finish(200.0, "", false)).0.iter().map(|word| word.edges[3]).collect()
    };
    let centre = text_bottoms("a=1")[0];
    assert_eq!(text_bottoms("aaaaaa=1, bbbbbb=2"), [centre - 7.0, centre + 7.0]);
    assert_eq!(text_bottoms("aaaaaa=1, bbbbbb=2, cccccc=3"), [centre - 14.0, centre, centre + 14.0]);
}

/// Marks have their centre on the point, a triangle its centre of mass.
#[test]
fn marks_are_centred_on_their_points() {
    for series in 0..4 {
        let mut svg = Svg::new(100.0);
        svg.mark(series, (40.0, 70.0), 10.0, "");
        let (_, marks, _) = read_drawing(&svg.finish(100.0, "", false));
        let [left, top, right, bottom] = marks[0].edges;
        assert_eq!((left + right) / 2.0, 40.0, "{series}");
        let height_ratio = if series == 2 { (70.0 - top) / (bottom - 70.0) } else { 1.0 };
        assert!((1.0..=2.0).contains(&height_ratio), "{series}: {top} {bottom}");
        assert!((series == 2 || (top + bottom) / 2.0 == 70.0), "{series}: {top} {bottom}");
        assert!((16.0..=25.0).contains(&(right - left)), "{series}");
        assert!((16.0..=25.0).contains(&(bottom - top)), "{series}");
    }
}

#[test]
fn legend_fills_its_rows() {
    let count_rows = |width: f64, letters: usize| {
        let mut svg = Svg::new(width);
        let names: Vec<(usize, String)> = (0..4).map(|series| (series, "x".repeat(letters))).collect();
        let height = svg.legend(10.0, &names);
        let (words, ..) = read_drawing(&svg.finish(400.0, "", false));
        assert!(words.iter().all(|word| word.edges[3] <= 10.0 + height), "{words:?} in {height}");
        let mut tops: Vec<i64> = words.iter().map(|word| word.edges[1] as i64).collect();
        tops.dedup();
        tops.len()
    };
    // A name has ten letters of 7.2 pixels, and 30 pixels for mark and gaps, together 102. The
    // first begins at the eighth pixel.
    assert_eq!([417.0, 415.0, 212.0, 211.0, 100.0].map(|width| count_rows(width, 10)), [1, 2, 2, 4, 4]);
}

#[test]
fn band_passes_through_points_without_interval() {
    let nan = f64::NAN;
    let band_signs = |lows: &[f64]| {
        let make_point = |(index, &low): (usize, &f64)| CurvePoint {
            x: index as f64,
            y: 5.0,
            low,
            high: if low.is_nan() { nan } else { 8.0 },
            label: String::new(),
        };
        let points: Vec<CurvePoint> = lows.iter().enumerate().map(make_point).collect();
        let series = vec![Series { points, ..Series::default() }];
        let svg = Lines { series, ..Lines::default() }.render(700.0, "", false);
        let read_path = |class: &str| {
            let (_, rest) = svg.split_once(&format!("<path class=\"s1 {class}\" d=\""))?;
            Some(numbers(rest.split_once('"').unwrap().0))
        };
        let line = read_path("line").unwrap();
        read_path("band").map(|outline| {
            let (lower, upper) = outline.split_at(outline.len() / 2);
            // The distances of the band's edges below and above the line at each point; pixels
            // count downwards.
            let every_second = |list: &[f64]| list.iter().skip(1).step_by(2).copied().collect::<Vec<_>>();
            let (line, lower, mut upper) = (every_second(&line), every_second(lower), every_second(upper));
            upper.reverse();
            let sign_of = |distance: f64| if distance > 0.5 { 1 } else { -i32::from(distance < -0.5) };
            line.iter()
                .zip(lower.iter().zip(&upper))
                .map(|(y, (lower_y, upper_y))| [sign_of(lower_y - y), sign_of(y - upper_y)])
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(band_signs(&[3.0, 4.0]), Some(vec![[1, 1], [1, 1]]));
    assert_eq!(band_signs(&[3.0, nan, 4.0]), Some(vec![[1, 1], [0, 0], [1, 1]]));
    assert_eq!(band_signs(&[3.0, nan]), None);
}

/// The scale includes 1, even if all ratios are below or above it.
#[test]
fn ratio_scale_always_includes_one() {
    for (y, is_below_one) in [(0.5, true), (3.0, false)] {
        let make_point = |x: f64| CurvePoint { x, y, low: f64::NAN, high: f64::NAN, label: String::new() };
        let series = vec![Series { name: "a".to_owned(), line: None, points: vec![make_point(1.0), make_point(2.0)] }];
        let svg = Lines { series, ratio: true, y_log: true, ..Lines::default() }.render(700.0, "", false);
        let (_, reference_tag) = svg.split_once("<line class=\"one\"").unwrap();
        let reference_line = numbers(
            &reference_tag[..reference_tag.find('/').unwrap()]
                .replace("x1", "")
                .replace("y1", "")
                .replace("x2", "")
                .replace("y2", ""),
        )[1];
        let (_, path) = svg.split_once("<path class=\"s1 line\" d=\"M").unwrap();
        let line_y = numbers(&path[..path.find('"').unwrap()])[1];
        // The plot area extends from 12 to 300 pixels. A margin of 4 % of the span at each end is a
        // twenty-seventh of the area, or 10.7 pixels.
        let (high, low) = if is_below_one { (reference_line, line_y) } else { (line_y, reference_line) };
        assert!((high - 22.7).abs() < 0.2, "{reference_line} {line_y}");
        assert!((low - 289.3).abs() < 0.2, "{reference_line} {line_y}");
    }
}

#[test]
fn cell_opacity_follows_the_distance_from_one() {
    let opacities = |cells: Vec<Vec<Option<f64>>>| -> Vec<f64> {
        let number_names = |count: usize| (0..count).map(|index| index.to_string()).collect();
        let (first, second) =
            (("a".to_owned(), number_names(cells.len())), ("b".to_owned(), number_names(cells[0].len())));
        let svg = Heat { first, second, cells, better: Better::Less }.render(700.0, "", false);
        svg.split("fill-opacity=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0.parse().unwrap()).collect()
    };
    let row_opacities = |ratios: &[f64]| opacities(vec![ratios.iter().map(|&ratio| Some(ratio)).collect()]);
    // The layout of the cells does not matter: the ratio farthest from 1 sets the scale.
    let column_opacities = |ratios: &[f64]| opacities(ratios.iter().map(|&ratio| vec![Some(ratio)]).collect());
    assert_eq!(column_opacities(&[0.5, 1.0, 0.25]), row_opacities(&[0.5, 1.0, 0.25]));
    assert_eq!(row_opacities(&[0.25, 0.5, 0.999]), row_opacities(&[4.0, 2.0, 1.001]));
    let [quarter, half, equal] = row_opacities(&[0.25, 0.5, 1.0])[..] else { panic!("three cells") };
    assert!(((quarter - equal) / (half - equal) - 2.0).abs() < 0.05, "a quarter is twice as far as a half");
    // A ratio 5 % from 1 has full strength if none is farther; a ratio 1 % from 1 has a fifth of
    // it.
    let [five_percent, one_percent, equal] = row_opacities(&[1.05, 1.01, 1.0])[..] else { panic!("three cells") };
    assert!((five_percent - quarter).abs() < 0.02, "{five_percent} {quarter}");
    assert!((row_opacities(&[1.01])[0] - one_percent).abs() < 0.01, "{one_percent} {five_percent}");
    assert!((one_percent - equal) / (five_percent - equal) < 0.25, "{one_percent} {five_percent}");
}

#[test]
fn control_characters_are_replaced() {
    assert_eq!(escape("a\u{0}b\u{1b}\nc\td\u{ffff}"), "a\u{fffd}b\u{fffd} c d\u{fffd}");
}

#[test]
fn names_are_wrapped_at_commas() {
    assert_eq!(wrap_name("a", 10.0), ["a"]);
    let name = "size=64 KiB, policy=aged-depth factor=4, slots=4";
    assert_eq!(wrap_name(name, 1000.0), [name]);
    assert_eq!(wrap_name(name, 200.0), ["size=64 KiB,", "policy=aged-depth factor=4,", "slots=4"]);
}

#[test]
fn long_names_lose_their_middle() {
    assert_eq!(ellipsize("abc", 100.0), "abc");
    let short = ellipsize("size=64 KiB, policy=aged-depth factor=4", 100.0);
    assert!(short.starts_with("size="), "{short}");
    assert!(short.ends_with("tor=4"), "{short}");
    assert!(text_width(&short) <= 100.0, "{short}");
    assert!(text_width(&short) + text_width("x") > 100.0, "as much as fits: {short}");
}

#[test]
fn differences_have_a_sign() {
    let tooltip_and_figures = |differences: bool| {
        let row = ForestRow { name: "a".to_owned(), mean: 12.25, low: -3.5, high: 28.0, significant: false };
        let svg =
            Forest { rows: vec![row], x: String::new(), differences, better: Better::Less }.render(860.0, "", false);
        let (_, after_tag) = svg.split_once("<title>").unwrap();
        let (tooltip, _) = after_tag.split_once('<').unwrap();
        // The figures stand at the right edge.
        let (words, ..) = read_drawing(&svg);
        let figures = words.into_iter().filter(|word| word.edges[2] > 850.0);
        (tooltip.to_owned(), figures.map(|word| word.content).collect::<Vec<_>>())
    };
    assert_eq!(tooltip_and_figures(true), ("a: +12.2, 95 % -3.5 to +28.0".to_owned(), vec!["+12.2".to_owned()]));
    assert_eq!(tooltip_and_figures(false), ("a: 12.250, 95 % -3.500 to 28.000".to_owned(), vec!["12.250".to_owned()]));
}

/// Eight series have eight colours, which the style defines; the ninth series has the first colour
/// again.
#[test]
fn series_have_eight_colours_and_then_begin_again() {
    let class_of = |series: usize| {
        let mut svg = Svg::new(10.0);
        svg.mark(series, (1.0, 1.0), 1.0, "");
        let body = svg.body;
        body.split("class=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let colours: std::collections::BTreeSet<String> = (0..8).map(class_of).collect();
    assert_eq!(colours.len(), 8);
    assert!(colours.iter().all(|colour| STYLE.contains(&format!(".{colour}{{stroke:var(--{colour})"))), "{colours:?}");
    assert_eq!([8, 9, 15, 16].map(class_of), [0, 1, 7, 0].map(class_of));
}

/// One drawing of each kind, reviewed as SVG: which shape is where, in which colour and with which
/// tooltip.
#[test]
fn drawings_equal_their_golden_files() {
    let nan = f64::NAN;
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let curve = |name: &str, factor: f64| {
        let make_point = |(x, y): (f64, f64)| CurvePoint {
            x,
            y: y * factor,
            low: y * factor * 0.9,
            high: y * factor * 1.25,
            label: format!("at {x}"),
        };
        let points = [(1024.0, 0.5), (4096.0, 0.8), (65_536.0, 1.6)].map(make_point).to_vec();
        Series { name: name.to_owned(), line: None, points }
    };
    let series = vec![curve("first", 1.0), curve("second", 1.1), curve("third", 0.7)];
    let x_ticks = vec![(1024.0, "1 KiB".to_owned()), (4096.0, "4 KiB".to_owned()), (65_536.0, "64 KiB".to_owned())];
    let lines = Lines {
        series,
        x: "size".to_owned(),
        y: "ratio of nodes".to_owned(),
        x_log: true,
        y_log: true,
        x_ticks,
        ratio: true,
        base: Some(1),
        ..Lines::default()
    };
    let shares = Lines { series: vec![curve("only", 0.5)], x: "slots".to_owned(), share: true, ..Lines::default() };
    let make_row = |(name, mean, low, high, significant): (&str, f64, f64, f64, bool)| ForestRow {
        name: name.to_owned(),
        mean,
        low,
        high,
        significant,
    };
    let rows = [
        ("fewer nodes", 0.5, 0.4, 0.625, true),
        ("more nodes", 2.0, 1.5, 3.0, true),
        ("no difference", 0.9, 0.7, 1.2, false),
        ("size=64 KiB, policy=aged-depth factor=4, slots=4, index=multiply", 1.3, nan, nan, false),
    ];
    let rows = rows.map(make_row).to_vec();
    let forest = Forest { rows, x: "nodes, as a ratio".to_owned(), differences: false, better: Better::Less };
    let heat = Heat {
        first: ("size".to_owned(), names(&["64 KiB", "1 MiB"])),
        second: ("policy".to_owned(), names(&["always", "deep", "two"])),
        cells: vec![vec![Some(0.5), None, Some(2.0)], vec![Some(1.0), Some(0.9), Some(1.3)]],
        better: Better::Less,
    };
    for (name, svg) in [
        ("lines", lines.render(760.0, "title", true)),
        ("shares", shares.render(700.0, "title", false)),
        ("forest", forest.render(760.0, "title", true)),
        ("map", heat.render(760.0, "title", true)),
    ] {
        assert_golden(&format!("drawings/{name}.svg"), &svg.replace("><", ">\n<"));
    }
}

proptest! {
    /// Marks stand in the order of their values, at distances in proportion to the differences (or
    /// to the factors on a logarithmic axis), and inside the frame.
    #[test]
    fn marks_stand_at_their_values(
        values in proptest::collection::vec((1.0..1e6_f64, 0.05..20.0_f64), 3..12),
        log in any::<bool>(),
        narrow in any::<bool>(),
    ) {
        let make_point = |&(x, y): &(f64, f64)| CurvePoint { x, y, low: f64::NAN, high: f64::NAN, label: String::new() };
        let points: Vec<CurvePoint> = values.iter().map(make_point).collect();
        let series = vec![Series { name: "a".to_owned(), line: None, points }];
        let width = WIDTHS[usize::from(narrow)];
        let lines = Lines { series, x_log: log, y_log: log, base: Some(0), ..Lines::default() };
        let svg = lines.render(width, "", false);
        let (_, marks, [width, height]) = read_drawing(&svg);
        prop_assert!(marks.len() >= values.len());
        let places: Vec<[f64; 2]> = marks[..values.len()]
            .iter()
            .map(|mark| [0, 1].map(|axis| f64::midpoint(mark.edges[axis], mark.edges[axis + 2])))
            .collect();
        let scale = |value: f64| if log { value.ln() } else { value };
        for axis in [0, 1] {
            let value = |at: usize| scale(if axis == 0 { values[at].0 } else { values[at].1 });
            let by_value = |a: &usize, b: &usize| value(*a).total_cmp(&value(*b));
            let (low, high) = ((0..values.len()).min_by(by_value).unwrap(), (0..values.len()).max_by(by_value).unwrap());
            let step = (places[high][axis] - places[low][axis]) / (value(high) - value(low));
            prop_assert!(if axis == 0 { step >= 0.0 } else { step <= 0.0 }, "more is to the right and higher up");
            for (at, place) in places.iter().enumerate() {
                let expected = places[low][axis] + step * (value(at) - value(low));
                prop_assert!((place[axis] - expected).abs() < 0.3, "{} instead of {expected}", place[axis]);
                prop_assert!(place[axis] > 0.0 && place[axis] < [width, height][axis]);
            }
        }
    }

    /// Ticks lie inside the scale and in order, neither too few nor too many, and the label of each
    /// is accurate to a fiftieth of the scale's length.
    #[test]
    fn ticks_are_ordered_and_inside_the_scale(
        low in 1e-3..1e4_f64, factor in 1.01..1e6_f64, log in any::<bool>(), up in any::<bool>(),
    ) {
        use super::scale::{Scale, format_short};
        let (from, to) = if up { (300.0, 12.0) } else { (58.0, 746.0) };
        let (high, length): (f64, f64) = (low * factor, to - from);
        let scale = Scale::new(log, [low, high].into_iter(), (from, to));
        for (value, edge) in [(low, from), (high, to)] {
            let apart = (scale.pixel(value) - edge).abs() / length.abs();
            prop_assert!(apart > 0.02 && apart < 0.06, "{apart}");
        }
        prop_assert!((scale.pixel(high) - scale.pixel(low)) * length > 0.0);
        let outside = if log { [low / 1e6, high * 1e6] } else { [2.0 * low - high, 2.0 * high - low] };
        prop_assert_eq!(outside.map(|value| scale.pixel(value)), [from, to], "what is beyond an axis is at its end");
        let ticks = scale.ticks(52.0);
        prop_assert!(ticks.len() >= 2 && ticks.len() as f64 <= length.abs() / 52.0 + 2.0 && ticks.is_sorted(), "{ticks:?}");
        for tick in ticks {
            let (place, text) = (scale.pixel(tick), format_short(tick));
            prop_assert!(place >= from.min(to) && place <= from.max(to));
            let unit = match text.chars().last() {
                Some('k') => 1e3,
                Some('M') => 1e6,
                Some('G') => 1e9,
                _ => 1.0,
            };
            let read = text.trim_end_matches(['k', 'M', 'G']).parse::<f64>().unwrap() * unit;
            prop_assert!((scale.pixel(read) - place).abs() <= length.abs() / 50.0, "{tick}: {text}");
        }
    }
}
