use super::*;

#[test]
fn create_output_refuses_folders_and_devices() {
    let folder = tempfile::tempdir().unwrap();
    let known = folder.path().join("known.trace");
    std::fs::write(&known, "old").unwrap();
    assert!(create_output(&known).is_ok());
    assert!(create_output(&folder.path().join("new.trace")).is_ok());
    for not in [folder.path(), Path::new("/dev/null")] {
        let output = create_output(not).err().map(|failure| failure.message);
        assert_eq!(output, Some(format!("{}: is not a regular file and cannot be replaced", not.display())));
    }
}

#[test]
fn open_of_a_folder_is_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    for not in [folder.path().to_owned(), folder.path().join("nothing")] {
        let failure = open(&not).unwrap_err();
        assert_eq!(failure.exit as u8, Exit::Usage as u8, "{}", failure.message);
        assert!(failure.message.starts_with(&format!("{}: ", not.display())), "{}", failure.message);
    }
}

#[test]
fn info_page_lists_each_figure() {
    let info = Info {
        events: 1000,
        probes: 400,
        hits: 100,
        cuts: 40,
        with_window: 300,
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
    let lines = |info: &Info| {
        describe_trace(info)
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
    };
    let found = lines(&info);
    assert_eq!(
        found,
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
    let own = lines(&Info { with_subtree: 1, estimated: true, nodes: 0, probes: 0, hits: 0, ..info });
    assert_eq!([&own[5], &own[6], &own[13]], ["probes 0", "answered 0 (-)", "positions about 180"]);
    assert_eq!(own.last().map(String::as_str), Some("worth nodes of each entry's own subtree"));
    let none = lines(&Info { cuts: 0, with_window: 0, ..info });
    assert!(none.last().is_some_and(|line| line.starts_with("worth unknown: ")));
    let one = lines(&Info { cuts: 0, with_window: 1, ..info });
    assert!(one.last().is_some_and(|line| line.starts_with("worth nodes ")));
}
