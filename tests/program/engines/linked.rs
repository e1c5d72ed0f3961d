//! Engines that are linked with ttlab's table: their options and counters in experiments and games.

use super::Trial;

const FILE: &str = "limit = { depth = 3 }\n[subject]\nuci = ['ENGINE', 'linked']\noptions = { Hash = 2 }\n";

/// The option's text has the paths of the grid, of `--set` and the subject's own, in this order of
/// their rank; each is a column, and the counters stand beside the nodes.
#[test]
fn table_options_reach_the_engine_and_its_counters_the_rows() {
    let trial =
        Trial::new(&format!("{FILE}[grid]\n'table.policy' = ['always', {{ kind = 'depth-age', factor = 4 }}]\n"));
    trial.run("out", &["--set", "table.size=4 MiB"]).expect(0);
    let rows = trial.rows("out");
    for row in &rows {
        let aged = row["table.policy.kind"] == "depth-age";
        let policy = if aged { "{ kind = \"depth-age\", factor = 4 }" } else { "always" };
        let text = format!("table.policy = {policy}; table.size = 4 MiB");
        assert_eq!(row["table.hits"], text.len().to_string(), "{row:?}");
        assert_eq!((&row["table.probes"], &row["search.nodes"]), (&"3002".to_owned(), &"3002".to_owned()));
        // What the line does not name is 0; what only our own engine has stays empty.
        assert_eq!((row["table.stores"].as_str(), row["search.usable"].as_str(), row["slots"].as_str()), ("0", "", ""));
    }
    assert_eq!(rows.iter().filter(|row| row["table.policy.kind"] == "always").count() * 2, rows.len());
    assert!(!rows[0].contains_key("uci.ttlab"), "{:?}", rows[0]);
    let summary = trial.call(&["report", "out", "--format", "md"]).expect(0);
    assert!(summary.out.contains("Outcomes of the probes and stores"), "{}", summary.out);
    // The subject's own text comes first, and a later setting counts.
    let own = FILE.replace("Hash = 2", "Hash = 2, TTLAB = 'table.slots = 2; table.size = 64'");
    let trial = Trial::new(&format!("{own}[grid]\n'table.size' = [64, 128]\n"));
    trial.run("out", &[]).expect(0);
    let length = "table.slots = 2; table.size = 64; table.size = 128".len().to_string();
    let rows = trial.rows("out");
    let large: Vec<_> = rows.iter().filter(|row| row["table.size"] == "128").collect();
    assert_eq!(large.len() * 2, rows.len());
    assert!(large.iter().all(|row| row["table.hits"] == length), "{large:?}");
}

#[test]
fn refused_option_and_unknown_counter_are_errors() {
    let trial = Trial::new(&format!("{FILE}[[variant]]\nname = 'x'\n'table.slots' = 9\n"));
    let refusal = "the engine refused an option: `info string ttlab refused: table.slots: 9 is out of range";
    trial.run("out", &[]).expect(2).prints(&[refusal]);
    let trial = Trial::new(&FILE.replace("linked", "linked-unknown"));
    trial.run("out", &[]).prints(&["`info string ttlab` has an unknown counter or no number: `table.hit`"]);
}

/// A game's row has the sums of the player's searches: of its one move here.
#[test]
fn row_of_a_game_has_the_counters_of_its_searches() {
    let engine = "sed -u -e '/^quit/q' -e '/name ttlab value/d' | \"$0\" uci | sed -u -e 's/^uciok/option name ttlab type string default <empty>\\nuciok/' -e 's/^bestmove/info string ttlab table.probes 7\\nbestmove/'";
    let command = serde_json::json!(["/bin/sh", "-c", engine, env!("CARGO_BIN_EXE_ttlab")]);
    let trial = Trial::new(&format!(
        "first = 1\nlimit = {{ depth = 2 }}\nbaseline = {{ 'table.size' = 64 }}\n[subject]\nuci = {command}\n[match]\nmax_moves = 1\n\
         [grid]\n'table.size' = [64, 65536]\n"
    ));
    trial.run("out", &[]).expect(0);
    let rows = trial.rows("out");
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row["table.probes"] == "7" && row["search.usable"].is_empty()), "{rows:?}");
}
