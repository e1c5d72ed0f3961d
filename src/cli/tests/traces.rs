//! What `search` and `trace` count.

use super::commands::{TWO_SIZES, call, exit_code, write_experiment};

/// The suite has two games that start at different plies; all their searches are in the trace.
#[test]
fn trace_records_all_searches_of_a_suite() {
    use crate::traces::{EventKind, Info, Reader};
    let folder = tempfile::tempdir().unwrap();
    let path_in = |name: &str| folder.path().join(name).display().to_string();
    let pgn = "[Event \"g\"]\n\n1. e4 e5 2. Nf3 *\n\n[Event \"h\"]\n[SetUp \"1\"]\n[FEN \"8/5k2/8/8/2R5/8/3K4/8 b - - 0 40\"]\n\n40... Kg7 41. Rc6 *\n";
    std::fs::write(folder.path().join("two.pgn"), pgn).unwrap();
    let (code, _, stderr) = call(&["trace", &path_in("two.pgn"), "--depth", "2", "-o", &path_in("two.trace")]);
    assert_eq!(code, 0, "{stderr}");
    let read_info = |name: &str| Info::read(std::fs::File::open(folder.path().join(name)).unwrap()).unwrap();
    let mut reader = Reader::new(std::fs::File::open(folder.path().join("two.trace")).unwrap()).unwrap();
    let mut plies = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        let searches = block
            .iter()
            .filter(|event| event.kind() == EventKind::Search && !event.has(crate::traces::flags::ITERATION));
        plies.extend(searches.map(|event| (event.begins_game(), event.depth)));
    }
    assert_eq!(plies, [(true, 0), (false, 1), (false, 1), (false, 1), (true, 0), (false, 1), (false, 1)]);
    let suite = crate::chess::suite::Suite::load(&folder.path().join("two.pgn"), Default::default()).unwrap();
    let mut nodes = 0;
    for item in &suite.items {
        let mut engine = crate::engine::Engine::new(&Default::default(), None).unwrap();
        let mut boards = vec![item.board];
        for &mv in item.moves() {
            let mut next = boards[boards.len() - 1];
            next.play(mv, crate::chess::Increments::none());
            boards.push(next);
        }
        let limit = crate::engine::Limit { depth: Some(2), nodes: None };
        for (index, board) in boards.iter().enumerate() {
            let result = engine.search(board, &boards[..index], limit, &Default::default(), &mut |_| {});
            nodes += result.iterations.iter().map(|iteration| iteration.search.nodes).sum::<u64>();
        }
    }
    assert_eq!(read_info("two.trace").nodes, nodes);
    assert!(stderr.ends_with(&format!(" of {nodes} nodes\n")), "{stderr}");
    let single = read_info("two.trace");
    assert_eq!(
        exit_code(&[
            "trace",
            "import",
            &path_in("two.trace"),
            &path_in("two.trace"),
            &path_in("two.trace"),
            "-o",
            &path_in("six.trace")
        ]),
        0
    );
    let imported = read_info("six.trace");
    assert_eq!(
        (imported.games, imported.nodes, imported.probes),
        (3 * single.games, 3 * single.nodes, 3 * single.probes)
    );
    assert_eq!(imported.events, 3 * single.events + 4, "a clear and a search where a trace begins");
}

#[test]
fn search_prints_sums_over_all_iterations() {
    use crate::engine::{Engine, Limit, SearchCounters};
    use crate::table::TableCounters;
    let (code, stdout, stderr) = call(&["search", "startpos", "--depth", "4", "--set", "table.size=64"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let options = crate::experiment::options(None, &["table.size=64".to_owned()]).unwrap();
    let mut engine = Engine::new(&options, None).unwrap();
    let limit = Limit { depth: Some(4), nodes: None };
    let result = engine.search(&crate::chess::Board::startpos(), &[], limit, &Default::default(), &mut |_| {});
    let search = SearchCounters::COLUMNS.iter().enumerate().map(|(column, (name, _))| {
        (
            format!("search.{name}"),
            result.iterations.iter().map(|iteration| iteration.search.values()[column]).sum::<u64>(),
        )
    });
    let table = TableCounters::COLUMNS.iter().enumerate().map(|(column, (name, _))| {
        (
            format!("table.{name}"),
            result.iterations.iter().map(|iteration| iteration.table.values()[column]).sum::<u64>(),
        )
    });
    let occupied = engine.table().unwrap().occupancy().occupied;
    let table_values =
        [("entries", occupied), ("slots", 64), ("bytes", 1024)].map(|(name, sum)| (name.to_owned(), sum));
    for (name, sum) in search.chain(table).chain(table_values) {
        let line = stdout.lines().find(|line| line.split(' ').next() == Some(&*name)).unwrap();
        assert_eq!(line.split_whitespace().nth(1), Some(&*sum.to_string()), "{line}");
    }
}

#[test]
fn trace_nodes_and_saved_nodes_are_constant_in_sum() {
    let folder = tempfile::tempdir().unwrap();
    let path_in = |name: &str| folder.path().join(name).display().to_string();
    write_experiment(folder.path(), "x.toml", TWO_SIZES);
    assert_eq!(exit_code(&["trace", &path_in("three.epd"), "--depth", "4", "-o", &path_in("three.trace")]), 0);
    const SIZE: &str = "table.size";
    let text = "name = 'x'\n[trace]\nfile = 'three.trace'\n[grid]\n'table.size' = [1, 4, 4096]\n";
    std::fs::write(path_in("shown.toml"), text).unwrap();
    assert_eq!(exit_code(&["run", &path_in("shown.toml"), "-q", "--out", &path_in("out")]), 0);
    let frame = crate::analysis::rows::frame::Frame::read(&folder.path().join("out/results.csv")).unwrap();
    use crate::record::columns::{NODES, POSITION, SAVED};
    let [nodes, saved] = [NODES, SAVED].map(|name| frame.numbers(name));
    let (sizes, positions) = (frame.text_column(SIZE), frame.text_column(POSITION));
    let sum_rows = |size: &str, numbers: &[f64]| {
        let rows = (0..frame.rows()).filter(|&row| sizes.text(row) == size && !positions.text(row).is_empty());
        rows.map(|row| numbers[row]).sum::<f64>()
    };
    let saved_by_size = ["1", "4", "4096"].map(|size| sum_rows(size, &saved));
    let totals = ["1", "4", "4096"].map(|size| sum_rows(size, &nodes) + sum_rows(size, &saved));
    assert!(totals[0] == totals[1], "{totals:?}");
    assert!(totals[1] == totals[2], "{totals:?}");
    let [smallest_saved, _, largest_saved] = saved_by_size;
    assert!(smallest_saved < largest_saved && largest_saved > 0.0, "{saved_by_size:?}");
}
