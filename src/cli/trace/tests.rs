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
fn info_lists_each_count() {
    let info = Info {
        events: 1000,
        probes: 400,
        hits: 100,
        cuts: 40,
        window_probes: 300,
        stores: 200,
        moves: 15,
        threads: 1,
        searches: 7,
        iterations: 21,
        games: 2,
        nodes: 800,
        min_depth: -2,
        max_depth: 9,
        positions: 180,
        ..Info::default()
    };
    let rows_of = |info: &Info| {
        let row = |row: &Vec<Cell>| row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(" ");
        info_table(info).rows.iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(
        rows_of(&info),
        [
            "events 1000",
            "games 2",
            "searches 7",
            "iterations 21",
            "threads 1",
            "nodes 800",
            "probes 400",
            "hits 100",
            "cuts 40",
            "windows 300",
            "stores 200",
            "moves 15",
            "positions 180",
            "depths -2 to 9",
        ]
    );
    let estimated = rows_of(&Info { estimated: true, depth_parts: 4, ..info });
    assert_eq!(estimated[12..], ["positions about 180", "depths -0.5 to 2.25"]);
}
