//! The statistics of the study of measures (`experiments/measures/rank.py`), checked on made-up
//! results with known answers.

use crate::common::{scratch, skip};
use std::fmt::Write;
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;
use ttlab::internals::experiment::{Experiment, options};

/// The script's output.
fn rank(args: &[&str]) -> Option<String> {
    let Ok(output) = Command::new("python3").arg("experiments/measures/rank.py").args(args).output() else {
        skip("python", "python3 is not installed: the statistics of the study of measures were not tested");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// The cells of the table row that starts with `name`: the first such row after the text `after`.
fn cells<'a>(page: &'a str, after: &str, name: &str) -> Vec<&'a str> {
    let rest = &page[page.find(after).unwrap_or_else(|| panic!("{after}: {page}"))..];
    let line = rest.lines().find(|line| line.starts_with(&format!("| {name} |"))).unwrap();
    line.trim_matches(['|', ' ']).split(" | ").skip(1).collect()
}

/// Six tables: four with the same results in every opening, two of them held out; and a player with
/// half the nodes.
fn units() -> String {
    let mut text = String::from("run,table,unit,searches,nodes,log_nodes,saved,error,points\n");
    // The points of two games, then the measures: nodes in reversed order, nodes in the right
    // order, and a score error with two pairs exchanged.
    let tables = [
        ("games", "scored 512", 0.6, 1.2, 1.3, 1.30),
        ("games", "always 512", 0.4, 0.7, 1.9, 1.20),
        ("games", "scored 2048", 0.9, 1.1, 1.1, 1.00),
        ("games", "always 2048", 0.7, 0.8, 1.2, 1.10),
        ("games-held", "scored 512, no moves", 0.5, 0.6, 1.6, 1.25),
        ("games-held", "scored 2048, no moves", 0.86, 0.9, 1.15, 1.05),
    ];
    let held = |match_run: &str| if match_run == "games" { "" } else { "-held" };
    for (run, table, points, ..) in tables {
        (1..=3).for_each(|start| writeln!(text, "{run},\"{table}\",open {start},,100,,,,{points}").unwrap());
    }
    // A score of 1/3 against the player with all nodes is -120 Elo, so a factor of e in nodes is
    // worth 174.
    (1..=3)
        .for_each(|start| writeln!(text, "games,\"never full, nodes / 2\",open {start},,100,,,,0.66666667").unwrap());
    for (place, run) in ["nodes", "nodes-neutral", "score-error-5k"].into_iter().enumerate() {
        let named = |tail: &str| match place {
            0 => format!("nodes{tail}"),
            1 => format!("nodes{tail}-neutral"),
            _ => format!("score-error{tail}-5k"),
        };
        assert_eq!(named(""), run);
        for (game, tail) in [("g1", ""), ("g2", ""), ("h1", "-held"), ("h2", "-held")] {
            writeln!(text, "{},never full,{game},2,200,9.21034037,100,20,", named(tail)).unwrap();
            for (match_run, table, _, reversed, follows, error) in tables.iter().filter(|t| held(t.0) == tail) {
                let nodes: f64 = if place == 0 { *reversed } else { *follows };
                let logs = 9.210_340_37 + 2.0 * nodes.ln();
                let line =
                    format!("{},\"{table}\",{game},2,{},{logs},50,{},", named(tail), 200.0 * nodes, 20.0 * error);
                writeln!(text, "{line}").unwrap();
                assert!(match_run.starts_with("games"));
            }
        }
    }
    text
}

#[test]
fn ranks_of_made_up_tables_are_as_computed_by_hand() {
    let folder = scratch();
    let file = folder.path().join("units.csv");
    fs::write(&file, units()).unwrap();
    let Some(page) = rank(&[file.to_str().unwrap(), "50"]) else { return };
    assert!(page.starts_with("games: 5 players, 3 pairs each\ngames-held: 2 players, 3 pairs each\n"), "{page}");
    // 0.3 of the points is -147 Elo, 0.45 is -35. Every opening has the same result, so the
    // intervals have no width.
    assert_eq!(
        cells(&page, "| table | Elo", "scored 512")[..3],
        ["-147 [-147, -147]", "1.200 [1.200, 1.200]", "1.300 [1.300, 1.300]"]
    );
    assert_eq!(cells(&page, "| table | Elo", "scored 2048")[0], "-35 [-35, -35]");
    // The columns: all six tables; all six within size; four tables; four within size; the two
    // held-out ones (the weaker one has fewer nodes: -1).
    let ranks = |name: &str| -> Vec<f64> {
        let number = |cell: &&str| cell.split(' ').next().unwrap().parse().unwrap_or(f64::NAN);
        cells(&page, "| measure | all (6)", name).iter().map(number).collect()
    };
    // Always in the order scored, always, no moves; first at size 512, then at 2048.
    //
    // All six tables. Ranks by Elo: 3 1 2; 6 4 5. Ranks by few nodes in shape table (1.2 0.7 0.6;
    // 1.1 0.8 0.9): 1 5 6; 2 4 3. The squared differences are 4 + 16 + 16 + 16 + 0 + 4 = 56, so the
    // correlation is 1 - 6 x 56 / 210 = -0.6. Within size, ranks minus their mean: Elo 1 -1 0; 1 -1
    // 0, nodes -3 1 2; -1 1 0. The correlation is -6 / sqrt(4 x 16) = -0.75.
    //
    // Four tables (scored, always): Elo 2 1; 4 3, nodes 1 4; 2 3, which gives -0.4. Within size,
    // Elo has steps of 1 and nodes have steps of 3 and 1: -2 / sqrt(5).
    assert_eq!(ranks("nodes, shape table")[..5], [-0.6, -0.75, -0.4, -0.89, -1.0]);
    assert_eq!(ranks("nodes, shape neutral")[..5], [1.0, 1.0, 1.0, 1.0, 1.0]);
    // Score error: ranks 1 3 2; 6 4 5 against 3 1 2; 6 4 5. The squares are 4 + 4 = 8, so the
    // correlation is 1 - 48 / 210 = 0.77. Within size, the products are -2 + 2, so it is 0.
    assert_eq!(ranks("score error, 5,000 nodes")[..2], [0.77, 0.0]);
    // Size and rule: 10 9 10; 12 11 12. Ties get their mean rank: 2.5 1 2.5; 5.5 4 5.5.
    assert_eq!(ranks("size and rule")[0], 0.97);
    // The ranks of Elo with the opposite sign.
    assert_eq!(cells(&page, "| rank correlation with", "nodes, shape table (6 tables)")[0], "-0.60 [-0.60, -0.60]");
    // 0.45 and 0.43 of the points are 14 Elo apart; all other differences exceed 20.
    assert_eq!(cells(&page, "| pairs in the order", "nodes, shape neutral"), ["14 of 14", "5 of 5", "1 of 1"]);
    assert_eq!(cells(&page, "| pairs in the order", "nodes, shape table"), ["4 of 14", "1 of 5", "0 of 1"]);
    assert_eq!(cells(&page, "| player | Elo", "Elo of a factor of e in nodes"), ["174 [174, 174]"]);
}

#[test]
fn gathered_units_are_sums_by_game_and_openings_that_all_played() {
    let folder = scratch();
    let run = |name: &str| {
        let place = folder.path().join(name);
        fs::create_dir(&place).unwrap();
        place
    };
    let match_rows = "variant,position,error,match.points,search.nodes,match.opponent_nodes\n\
        a 512,open 1,,1,10,20\na 512,open 1,,0.5,10,20\nb 512,open 1,,0,1,2\nb 512,open 1,,0,1,2\na 512,open 2,,1,1,1\na 512,open 2,,1,1,1\nb 512,open 2,,1,1,1\n";
    fs::write(run("games").join("results.csv"), match_rows).unwrap();
    let judged = run("score-error-5k");
    let rows = "variant,game,position,error,search.nodes,search.saved,score\n\
        a 512,g,g 1,,40,1,10\na 512,g,g 1,,60,2,50\na 512,g,g 2,,10,0,700\nb 512,g,g 1,,5,0,30\nb 512,g,g 1,,5,0,\n";
    fs::write(judged.join("results.csv"), rows).unwrap();
    fs::write(judged.join("reference.csv"), "position,score\ng 1,20\ng 2,-30000\n").unwrap();
    let Some(lines) = rank(&["gather", folder.path().to_str().unwrap()]) else { return };
    // The second opening has no game of b. Only the last score of a search counts, an error is cut
    // at 150, and ln(100) + ln(10) = 6.9078.
    let wanted = "run,table,unit,searches,nodes,log_nodes,saved,error,points\n\
        score-error-5k,a 512,g,2,110,6.907755279,3,180,\nscore-error-5k,b 512,g,1,10,2.302585093,0,10,\n\
        games,a 512,open 1,,60,,,,1.5\ngames,b 512,open 1,,6,,,,0\n";
    assert_eq!(lines, wanted);
}

/// The preset `match` is, option by option, the search that played the study's games.
#[test]
fn preset_match_is_the_search_that_was_held_against_games() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/measures/games-plain.toml");
    let study = Experiment::load(&file, &[]).unwrap();
    let preset = options(Some("match"), &["table.size=32 MiB".to_owned()]).unwrap();
    assert_eq!(study.variants[0].builtin().unwrap(), &preset);
}

/// The folder of a study's report and the text of its page; none if the package has no reports.
fn kept(study: &str) -> Option<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports").join(study);
    let found = fs::read_to_string(folder.join("report.md")).ok();
    if found.is_none() {
        skip("reports", &format!("reports/ is not in the package: {study} was not computed again"));
    }
    Some((folder, found?))
}

/// The output of a script of Python; none if there is no Python.
fn script(path: &str, args: &[&Path]) -> Option<String> {
    let Ok(output) = Command::new("python3").arg(path).args(args).output() else {
        skip("python", &format!("python3 is not installed: {path} was not run"));
        return None;
    };
    assert!(output.status.success(), "{path}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Checks the tables at the end of a study's page; `TTLAB_BLESS=1` rewrites them.
fn check_tables(folder: &Path, page: &str, tables: &str) {
    let mark = "\n## All tables\n\n";
    let prose = &page[..page.find(mark).unwrap()];
    let wanted = format!("{prose}{mark}{tables}");
    if std::env::var_os("TTLAB_BLESS").is_some() {
        fs::write(folder.join("report.md"), &wanted).unwrap();
    } else {
        assert_eq!(page, wanted);
    }
}

#[test]
fn tables_of_the_study_are_those_of_its_sums() {
    let Some((folder, page)) = kept("measures") else { return };
    let tables = |units: &str| rank(&[folder.join(units).to_str().unwrap()]);
    let (Some(long), Some(short)) = (tables("units.csv.gz"), tables("units-short.csv.gz")) else { return };
    check_tables(&folder, &page, &format!("{long}\n## At 2,000 nodes a move\n\n{short}"));
}

#[test]
fn tables_of_the_other_studies_are_those_of_their_sums() {
    for (study, program, command, files) in [
        ("closed-loop", "effects.py", "judge", &["predictions.csv", "pairs.csv.xz"][..]),
        ("league", "league.py", "tables", &["units.csv.xz"]),
    ] {
        let Some((folder, page)) = kept(study) else { return };
        let program = format!("experiments/{study}/{program}");
        let Some(answer) = script(&program, &[Path::new("--self-test")]) else { return };
        assert_eq!(answer, "ok\n");
        let words = iter::once(PathBuf::from(command)).chain(files.iter().map(|file| folder.join(file)));
        let words: Vec<PathBuf> = words.collect();
        let tables = script(&program, &words.iter().map(PathBuf::as_path).collect::<Vec<_>>()).unwrap();
        check_tables(&folder, &page, &tables);
    }
}

/// Figures such as "0.19 (95 % 0.13 to 0.24)" in documents that link to a study are in its tables,
/// and so are the figures of the study's own prose.
#[test]
fn figures_of_the_study_in_documents_stand_in_its_tables() {
    for (study, least) in [("measures", 10), ("closed-loop", 5), ("league", 5)] {
        let Some((_, page)) = kept(study) else { return };
        let (prose, tables) = page.split_once("\n## All tables\n").unwrap();
        let mut seen = 0;
        let mut check = |text: &str, place: &str| {
            for (at, _) in text.match_indices(" (95 % ") {
                let mean = text[..at].rsplit([' ', '\n', '(']).next().unwrap();
                let ends = text[at + " (95 % ".len()..].split(')').next().unwrap();
                let (low, high) = ends.split_once(" to ").unwrap_or_else(|| panic!("{place}: {ends}"));
                let figure = format!("{mean} [{low}, {high}]");
                assert!(tables.contains(&figure), "{place}: {figure}");
                seen += 1;
            }
        };
        check(prose, study);
        for name in ["README.md", "docs/handbook.md", "docs/concepts.md", "docs/closed-loop.md"] {
            let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
            let linked = |part: &&str| part.contains(&format!("{study}/report.md"));
            let parts = text.split("\n\n").flat_map(|part| part.split("\n- "));
            parts.filter(linked).for_each(|part| check(part, name));
        }
        assert!(seen >= least, "{seen} figures were read");
    }
}

fn replicated(folder: &Path) -> Option<String> {
    script("experiments/studies/replicated.py", &[folder])
}

/// Three games in each suite with one search of two depths each. In `found` b has 1, 2 and 4 times
/// the nodes of a, in `confirmed` always twice: the means are equal, and the error is that of the
/// first suite alone, ln 2 / sqrt 3 = 0.4002 with 2 degrees of freedom.
#[test]
fn replication_of_made_up_results_is_as_computed_by_hand() {
    let folder = scratch();
    let claims = ["nodes(b) > 1.5 * nodes(a)", "nodes(a) > nodes(c)"];
    let claims: String = claims.iter().map(|claim| format!("[[expect]]\nclaim = '{claim}'\n")).collect();
    fs::write(folder.path().join("experiment.toml"), claims).unwrap();
    let mut rows = String::from("suite,variant,game,position,depth,search.nodes\n");
    for (suite, factors, thirds) in [("found", [1, 2, 4], [90; 3]), ("confirmed", [2; 3], [110; 3])] {
        for (game, (factor, third)) in factors.into_iter().zip(thirds).enumerate() {
            for (variant, nodes) in [("a", 100), ("b", 100 * factor), ("c", third)] {
                for (depth, part) in [(1, 40), (2, 60)] {
                    writeln!(rows, "{suite},{variant},g{game},g{game}/1,{depth},{}", nodes * part / 100).unwrap();
                }
            }
        }
    }
    fs::write(folder.path().join("results.csv"), rows).unwrap();
    let Some(table) = replicated(folder.path()) else { return };
    let lines: Vec<&str> = table.lines().skip(2).collect();
    assert!(lines[0].starts_with("| `nodes(b) > 1.5 * nodes(a)` | 2.000 | 2.000 | 1.000 [0."), "{table}");
    assert!(lines[0].ends_with("| yes |"), "{table}");
    assert!(lines[1].starts_with("| `nodes(a) > nodes(c)` | 1.111 | 0.909 | 0.818"), "{table}");
    assert!(lines[1].ends_with("| no |"), "{table}");
}

/// `TTLAB_BLESS=1` rewrites the table.
#[test]
fn replications_are_those_of_the_kept_rows() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/studies/primary-claims");
    if !folder.exists() {
        return;
    }
    let Some(table) = replicated(&folder) else { return };
    let path = folder.join("replicated.md");
    if std::env::var_os("TTLAB_BLESS").is_some() {
        fs::write(&path, &table).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), table);
}
