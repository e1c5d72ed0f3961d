//! Tests of the stages of a tuning and their folders.

use super::*;
use crate::analysis::Frame;
use crate::record::columns;

#[test]
fn clear_deletes_the_results_of_every_stage() {
    let folder = tempfile::TempDir::new().unwrap();
    let stages =
        [RaceStage::Race(0), RaceStage::Race(1), RaceStage::Race(5), RaceStage::HeldOut(0), RaceStage::HeldOut(2)];
    let results_file = |stage: &RaceStage| folder.path().join(stage.folder()).join("results.csv");
    for stage in &stages {
        std::fs::create_dir_all(folder.path().join(stage.folder())).unwrap();
        std::fs::write(results_file(stage), "x").unwrap();
    }
    clear_stages(folder.path(), 3).unwrap();
    assert!(stages.iter().all(|stage| !results_file(stage).exists()));
    let folder_count = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(folder_count, stages.len(), "no folder is created for a stage that was not run");
}

#[test]
fn every_pressure_uses_the_same_held_out_games() {
    let folder = tempfile::TempDir::new().unwrap();
    let path_in = |name: &str| folder.path().join(name).display().to_string();
    let moves = ["1. a3", "1. b3", "1. a4 a5 2. b4 b5", "1. c4 c5 2. d4 d5", "1. e4 e5 2. f4 f5", "1. g4 g5 2. h4 h5"];
    let games = moves.iter().enumerate().map(|(index, moves)| format!("[Event \"{index}\"]\n\n{moves} *\n\n"));
    std::fs::write(path_in("six.pgn"), games.collect::<String>()).unwrap();
    let text = "suite = 'six.pgn'\nlimit = { depth = 3 }\nsequence = { from = 2 }\n[engine]\ntable.size = 64\n[grid]\n'ordering' = [[], ['mvv-lva']]\n";
    std::fs::write(path_in("x.toml"), text).unwrap();
    let (exit, stdout, stderr) =
        crate::cli::tests::commands::call(&["tune", &path_in("x.toml"), "-q", "--out", &path_in("out")]);
    assert_eq!((exit, stdout.as_str(), stderr.as_str()), (0, "", ""), "quiet is silent");
    let held_out_games = |stage: &str| {
        let rows = Frame::read(&folder.path().join("out").join(stage).join("results.csv")).unwrap();
        let mut games = rows.text_column(columns::GAME).list().to_vec();
        games.sort();
        games
    };
    let first_games = held_out_games("held-out");
    assert_eq!(first_games.len(), 2, "{first_games:?}");
    assert!(
        [held_out_games("held-out-2"), held_out_games("held-out-3")].iter().all(|games| *games == first_games),
        "{first_games:?}"
    );
}

#[test]
fn stage_names_count_from_one() {
    let pressures = ["own", "other"].map(str::to_owned);
    let names = [RaceStage::Race(0), RaceStage::Race(2), RaceStage::HeldOut(0), RaceStage::HeldOut(1)]
        .map(|stage| stage_name(stage, &pressures));
    assert_eq!(names, ["race, round 1", "race, round 3", "held out, own", "held out, other"]);
}
