//! Tests the figures of small grids, whose values are calculated by hand.

use super::*;
use crate::analysis::questions::curves::CurvePoint;

#[test]
fn share_ticks_are_round_and_within_the_data() {
    let describe_ticks = |shares: &[f64]| {
        let make_point = |&x: &f64| CurvePoint { x, y: 0.5, low: f64::NAN, high: f64::NAN, label: String::new() };
        let series = Series { name: String::new(), line: None, points: shares.iter().map(make_point).collect() };
        share_ticks(&[series]).into_iter().map(|(share, text)| format!("{share:.2} {text}")).collect::<Vec<_>>()
    };
    assert_eq!(describe_ticks(&[0.31, 0.12, 0.2]), ["0.15 15 %", "0.20 20 %", "0.25 25 %", "0.30 30 %"]);
    assert_eq!(describe_ticks(&[0.0, 1.0]).len(), 6, "steps of twenty");
    assert_eq!(describe_ticks(&[0.02, 0.1]).len(), 9, "steps of one, including both ends");
    assert_eq!(describe_ticks(&[0.405, 0.409]), Vec::<String>::new());
}

#[test]
fn plot_against_pairs_points_of_equal_x() {
    let make_series = |name: &str, points: &[(f64, f64)]| Series {
        name: name.to_owned(),
        line: None,
        points: points.iter().map(|&(x, y)| CurvePoint { x, y, ..CurvePoint::default() }).collect(),
    };
    let x = [make_series("a", &[(1.0, 0.25), (2.0, 0.5)]), make_series("b", &[(1.0, 0.75)])];
    let y = vec![
        make_series("b", &[(1.0, 0.1), (2.0, 0.2)]),
        make_series("a", &[(2.0, 0.3), (1.0, 0.4)]),
        make_series("c", &[(1.0, 0.9)]),
    ];
    assert_eq!(plot_against(&x, y), [make_series("b", &[(0.75, 0.1)]), make_series("a", &[(0.5, 0.3), (0.25, 0.4)])]);
}

#[test]
fn entries_use_a_unit_only_for_whole_multiples() {
    for (value, text) in [
        (1023.0, "1,023"),
        (1024.0, "1 K"),
        (1536.0, "1,536"),
        (8192.0, "8 K"),
        (1_048_576.0, "1 M"),
        (1_572_864.0, "1536 K"),
        (0.0, "0"),
    ] {
        assert_eq!(format_entries(value), text);
    }
}

/// All shares of the lines differ, so that a wrong share would be noticed.
#[test]
fn size_figures_show_their_own_shares() {
    use crate::analysis::questions::line::{Line, Measure, RATES};
    let make_line = |name: &str, factor: f64| {
        let ratio =
            crate::stats::ratio::Ratio { mean: 0.5 * factor, low: 0.4, high: 0.8, pairs: 9, ..Default::default() };
        let mut intervals = [(0.0, 0.0); RATES.len()];
        for (column, low) in [(columns::HITS, 0.1), (columns::USABLE, 0.2), (columns::SAVED, 0.3)] {
            let index = RATES.iter().position(|(rate, _)| *rate == column).unwrap();
            intervals[index] = (low, low + 0.05);
        }
        let mut line = Line {
            name: name.to_owned(),
            values: vec![name.to_owned()],
            measures: vec![Measure { ratio, ..Measure::default() }],
            intervals,
            searches: 1,
            ..Line::default()
        };
        line.set_sums([(columns::PROBES, 100.0), (columns::HITS, 40.0 * factor), (columns::USABLE, 10.0 * factor)]);
        line.set_sums([(columns::NODES, 300.0), (columns::SAVED, 100.0 * factor)]);
        line
    };
    let draw = |labels: [&str; 2]| {
        let make_level = |(index, label): (usize, &&str)| axes::Level {
            values: vec![(*label).to_owned()],
            label: (*label).to_owned(),
            number: Some(1024.0 * (index + 1) as f64),
        };
        let axis = Axis {
            columns: vec!["table.size".to_owned()],
            path: "table.size".to_owned(),
            name: "size".to_owned(),
            levels: labels.iter().enumerate().map(make_level).collect(),
        };
        let [first, second] = labels;
        let text = format!("variant,position,depth,search.nodes,table.size\nv1,p,1,9,{first}\nv2,p,1,9,{second}\n");
        let frame = Cow::Owned(Frame::parse(text.as_bytes(), "t").unwrap());
        let summary = Summary { lines: vec![make_line("v1", 1.0), make_line("v2", 2.0)], ..Summary::default() };
        let grid = Grid { frame, axes: vec![axis], references: vec![0], ..Grid::default() };
        let figures = size_figures(&grid, &summary).into_iter();
        let contents = figures.map(|figure| {
            let Plot::Lines(lines) = figure.plot else { panic!("no lines") };
            let points = &lines.series[0].points;
            let values = points.iter().map(|point| [point.x, point.y, point.low, point.high]).collect::<Vec<_>>();
            (figure.file, values, [lines.x_log, lines.y_log, lines.ratio, lines.share], (lines.x, lines.x_ticks))
        });
        contents.collect::<Vec<_>>()
    };
    let figures = draw(["1 KiB", "2 KiB"]);
    let (ratio_scales, share_scales) = ([true, true, true, false], [true, false, false, true]);
    let expected_figure = |name: &str, a: f64, b: f64, [low, high]: [f64; 2], scales: [bool; 4]| {
        (name.to_owned(), vec![[1024.0, a, low, high], [2048.0, b, low, high]], scales)
    };
    let contents: Vec<_> =
        figures.iter().map(|(name, values, scales, _)| (name.clone(), values.clone(), *scales)).collect();

    assert_eq!(
        contents[..3],
        [
            expected_figure("size-ratio", 0.5, 1.0, [0.4, 0.8], ratio_scales),
            expected_figure("size-usable", 0.1, 0.2, [0.2, 0.25], share_scales),
            // 100 of 400 is a quarter, and 200 of 500 is two fifths.
            expected_figure("size-saved", 0.25, 0.4, [0.3, 0.35], share_scales),
        ]
    );
    let worth_figure =
        ("worth-hits".to_owned(), vec![[0.4, 0.25, 0.3, 0.35], [0.8, 0.4, 0.3, 0.35]], [false, false, false, true]);
    assert_eq!(contents[3], worth_figure);
    let expected_ticks = |texts: [&str; 2]| vec![(1024.0, texts[0].to_owned()), (2048.0, texts[1].to_owned())];
    assert_eq!(figures[0].3, ("table size".to_owned(), expected_ticks(["1 KiB", "2 KiB"])));
    assert_eq!(draw(["1024", "2048"])[0].3, ("table size (entries)".to_owned(), expected_ticks(["1 K", "2 K"])));
    assert_eq!(draw(["1024", "2 KiB"])[0].3, ("table size".to_owned(), expected_ticks(["1024", "2 KiB"])));
}

#[test]
fn map_is_drawn_if_half_full_and_small() {
    let make_axis = |name: &str, levels: usize, width: usize| Axis {
        columns: vec![name.to_owned()],
        path: name.to_owned(),
        name: name.to_owned(),
        levels: (0..levels)
            .map(|level| axes::Level {
                values: vec![level.to_string()],
                // The widest label determines the space for labels.
                label: if level == 0 { "0".to_owned() } else { format!("{level:0width$}") },
                number: Some(level as f64),
            })
            .collect(),
    };
    // The map of a grid with two axes, each given by its number of levels and the width of its
    // labels. The first `count` points of the grid have a variant, each with its own ratio.
    let draw =
        |(a_levels, a_width): (usize, usize), (b_levels, b_width): (usize, usize), count: usize, has_third: bool| {
            let points = (0..a_levels).flat_map(|a| (0..b_levels).map(move |b| (a, b))).take(count);
            let mut text = "variant,position,depth,search.nodes,a,b\n".to_owned();
            let mut lines = Vec::new();
            for (index, (a, b)) in points.enumerate() {
                text += &format!("v{index},p,1,9,{a},{b}\n");
                let ratio = crate::stats::ratio::Ratio { mean: 1.0 + index as f64, pairs: 1, ..Default::default() };
                lines.push(crate::analysis::Line {
                    name: format!("v{index}"),
                    values: vec![format!("v{index}")],
                    measures: vec![crate::analysis::questions::line::Measure { ratio, ..Default::default() }],
                    searches: 1,
                    ..Default::default()
                });
            }
            let frame = Frame::parse(text.as_bytes(), "t").unwrap();
            let mut axes = vec![make_axis("a", a_levels, a_width), make_axis("b", b_levels, b_width)];
            axes.extend(has_third.then(|| make_axis("c", 2, 1)));
            let summary = Summary { by: vec![columns::VARIANT.to_owned()], lines, ..Summary::default() };
            let grid = Grid { frame: Cow::Owned(frame), axes, references: vec![0, 0], ..Grid::default() };
            map_figure(&grid, &summary).map(|figure| {
                let Plot::Heat(heat) = figure.plot else { panic!("no map") };
                // Each cell is in its row and column, whether the map is transposed or not.
                let is_transposed = heat.first.0 == "b";
                let (names, title) = if is_transposed { (["b", "a"], "B and a") } else { (["a", "b"], "A and b") };
                assert_eq!(([heat.first.0.as_str(), &heat.second.0], figure.title.as_str()), (names, title));
                assert_eq!([heat.first.1.len(), heat.second.1.len()], [heat.cells.len(), heat.cells[0].len()]);
                for (row, cells) in heat.cells.iter().enumerate() {
                    for (column, cell) in cells.iter().enumerate() {
                        let (a, b) = if is_transposed { (column, row) } else { (row, column) };
                        let expected = (1 + a * b_levels + b) as f64;
                        assert!(cell.is_none_or(|cell| (cell - expected).abs() < 1e-9), "{heat:?}");
                    }
                }
                (heat.first.0, heat.cells.len(), figure.caption.contains("Averaged over"))
            })
        };
    let map_of = |name: &str, rows: usize, is_averaged: bool| Some((name.to_owned(), rows, is_averaged));
    assert_eq!(draw((2, 1), (2, 1), 4, false), map_of("a", 2, false));
    assert_eq!(draw((2, 1), (2, 1), 2, false), map_of("a", 2, false), "half of it");
    assert_eq!(draw((2, 1), (2, 1), 1, false), None);
    assert_eq!(draw((2, 1), (3, 1), 6, true), map_of("b", 3, true), "the longer one runs down");
    assert_eq!(draw((2, 20), (3, 1), 6, false), map_of("a", 2, false), "wider by its words");
    // The axes are 16 and 18 letters wide; labels count as at least seven letters, which makes 21
    // and 20.
    assert_eq!(draw((2, 8), (2, 9), 4, false), map_of("b", 2, false));
    assert_eq!(draw((3, 2), (2, 10), 6, false), map_of("a", 3, false));
    assert_eq!((draw((16, 1), (2, 1), 32, false), draw((17, 1), (2, 1), 34, false)), (map_of("a", 16, false), None));
}

/// The first figure has the numeric option along x, and a line for each value of the other option.
/// For 75 variants, the map comes first.
#[test]
fn figure_of_the_whole_grid_comes_first() {
    use crate::analysis::Question;
    let first_figure = |(first, first_levels): (&str, usize), (second, second_levels): (&str, usize)| {
        let mut text = format!("variant,position,depth,{first},{second},search.nodes\n");
        for (a, b) in (0..first_levels).flat_map(|a| (0..second_levels).map(move |b| (a, b))) {
            for position in 0..2 {
                text += &format!("v{a}-{b},p{position},1,{},k{b},{}\n", 1 << a, 10 + a + b + position);
            }
        }
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let summary = Summary::new(&frame, &Question::by_variant(&[], Some("v0-0"))).unwrap();
        let grid = Grid::new(&frame, &summary, None).unwrap();
        let figure = figures(&grid, &summary).into_iter().next()?;
        let lines = if let Plot::Lines(lines) = &figure.plot { lines.series.len() } else { 0 };
        Some((figure.file, lines))
    };
    let policies = |values| ("table.policy.kind", values);
    assert_eq!(first_figure(("table.size", 3), policies(2)), Some(("size-ratio".to_owned(), 2)));
    assert_eq!(first_figure(("table.slots", 3), policies(2)), Some(("map".to_owned(), 0)));
    assert_eq!(first_figure(("table.size", 5), policies(15)), Some(("map".to_owned(), 0)));
    assert_eq!(first_figure(("table.size", 1), policies(2)), None);
}
