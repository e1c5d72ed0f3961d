use super::*;

#[test]
fn create_output_refuses_folders_and_devices() {
    let folder = tempfile::tempdir().unwrap();
    let existing = folder.path().join("known.trace");
    std::fs::write(&existing, "old").unwrap();
    assert!(create_output(&existing).is_ok());
    assert!(create_output(&folder.path().join("new.trace")).is_ok());
    for path in [folder.path(), Path::new("/dev/null")] {
        let message = create_output(path).err().map(|failure| failure.message);
        assert_eq!(message, Some(format!("{}: is not a regular file and cannot be replaced", path.display())));
    }
}

#[test]
fn open_of_a_folder_is_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().to_owned(), folder.path().join("nothing")] {
        let failure = open_trace(&path).unwrap_err();
        assert_eq!(failure.exit as u8, Exit::Usage as u8, "{}", failure.message);
        assert!(failure.message.starts_with(&format!("{}: ", path.display())), "{}", failure.message);
    }
}

#[test]
fn info_page_lists_each_figure() {
    let info = Info {
        events: 1000,
        probes: 400,
        hits: 100,
        cuts: 40,
        window_probes: 300,
        stores: 200,
        exact: 10,
        lower: 150,
        evaluations: 20,
        searches: 7,
        iterations: 21,
        clears: 3,
        games: 2,
        nodes: 800,
        min_depth: -2,
        max_depth: 9,
        positions: 180,
        ..Info::default()
    };
    let describe_lines = |info: &Info| {
        describe_trace(info)
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
    };
    let all_lines = describe_lines(&info);
    assert_eq!(
        all_lines,
        [
            "events 1000",
            "games 2",
            "searches 7 (21 iterations recorded)",
            "clears 3",
            "nodes 800",
            "1.25 events per node",
            "probes 400",
            "answered 100 (25.0 %)",
            "cut 40 (10.0 %)",
            "windows 300 (75.0 %)",
            "stores 200",
            "exact 10 (5.0 %)",
            "lower 150 (75.0 %)",
            "no bound 20 (10.0 %)",
            "positions 180",
            "depths -2 to 9",
            "worth nodes searched between a position's probe and its store",
        ]
    );
    let with_subtrees =
        describe_lines(&Info { subtree_stores: 1, estimated: true, nodes: 0, probes: 0, hits: 0, ..info });
    assert_eq!(
        [&with_subtrees[5], &with_subtrees[6], &with_subtrees[13]],
        ["probes 0", "answered 0 (-)", "positions about 180"]
    );
    assert_eq!(with_subtrees.last().map(String::as_str), Some("worth nodes of each entry's own subtree"));
    let without_window = describe_lines(&Info { cuts: 0, window_probes: 0, ..info });
    assert!(without_window.last().is_some_and(|line| line.starts_with("worth unknown: ")));
    let with_one_window = describe_lines(&Info { cuts: 0, window_probes: 1, ..info });
    assert!(with_one_window.last().is_some_and(|line| line.starts_with("worth nodes ")));
}
