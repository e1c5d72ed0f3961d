use super::*;
use crate::runner::adopt_rows::tests::{SUITE, experiment, rows, run, run_error};
use crate::runner::session::Settings;
use std::fs;

/// Replaces a field of one line of a results file, and seals all rows again.
fn edit_field(out: &Path, line: usize, column: &str, value: &str) {
    let path = out.join(record::RESULTS);
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let index = header.iter().position(|name| name == column).unwrap();
    let (mut text, mut check, last) = (header.join(",") + "\n", 0, header.len() - 1);
    for (number, row) in reader.records().map(Result::unwrap).enumerate() {
        let mut fields: Vec<String> = row.iter().take(last).map(str::to_owned).collect();
        if row[last] == format!("{:08x}", record::checksum(0, row.iter().take(last))) {
            // The first row of a job.
            check = 0;
        }
        if number + 2 == line {
            value.clone_into(&mut fields[index]);
        }
        check = record::append_checksum(&mut fields, check);
        text += &(fields.join(",") + "\n");
    }
    fs::write(path, text).unwrap();
}

/// Two positions, each searched to depth 2: line 4 is depth 1 of the second one.
#[test]
fn other_counts_of_a_smaller_limit_are_an_error() {
    let text = |depth: u8, options: &str| {
        format!("name = 'x'\nsuite = 'own.epd'\nfirst = 2\nlimit = {{ depth = {depth} }}\n{options}")
    };
    for (options, is_compared) in [
        ("[engine]\n'table.size' = 64\n", true),
        ("[engine]\n'table.clear' = 'iteration'\n", true),
        ("[engine]\n'table.clear' = 'never'\n", false),
        ("[engine]\n'history_clear' = 'never'\n", false),
        ("[engine]\n'table.size' = '50 %'\n", false),
        ("[engine]\nordering = ['oracle', 'table-move']\n", false),
        ("[sequence]\nself_play = 2\n", false),
    ] {
        let temporary = tempfile::tempdir().unwrap();
        let (out, other) = (temporary.path().join("out"), temporary.path().join("other"));
        let options = options.replace("'table.size'", "table.size").replace("'table.clear'", "table.clear");
        let options = options.replace("'history_clear'", "history_clear");
        let with_depth = |depth| experiment(temporary.path(), &text(depth, &options), SUITE);
        run(&with_depth(2), &out, Settings::default());
        run(&with_depth(2), &other, Settings::default());
        edit_field(&out, 4, columns::NODES, "12345");
        // The edited rows of depth 2 are now unused, and must be compared with the rows of depth 3.
        let error = run_error(&with_depth(3), &out, Settings::default());
        let path = out.join(record::RESULTS).display().to_string();
        match is_compared {
            true => {
                let error = error.unwrap();
                assert!(error.starts_with(&format!("{path}: line 5 (default, b, 1): search.nodes is ")), "{error}");
                assert!(error.contains("unused.csv has 12345 for the same search"), "{error}");
                assert!(error.contains("with a smaller depth limit"), "{error}");
                assert!(error.ends_with(": find out which of them is wrong"), "{error}");
                assert!(
                    run_error(&with_depth(3), &out, Settings::default()).is_some(),
                    "compared again although no job is left to run"
                );
            }
            false => assert_eq!(error, None, "{options}"),
        }
        let reuse = vec![other.display().to_string()];
        let new = temporary.path().join("new");
        run(&with_depth(3), &new, Settings { reuse, ..Settings::default() });
        assert_eq!(rows(&new), rows(&out), "{options}");
    }
}
