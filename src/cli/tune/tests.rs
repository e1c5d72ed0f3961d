//! Tests of the stages of a tuning and their folders.

use super::*;

#[test]
fn clear_deletes_the_results_of_every_stage() {
    let folder = tempfile::TempDir::new().unwrap();
    let stages = [RaceStage::Race(0), RaceStage::Race(1), RaceStage::Race(5), RaceStage::HeldOut];
    let results_file = |stage: &RaceStage| folder.path().join(stage.folder()).join("results.csv");
    for stage in &stages {
        std::fs::create_dir_all(folder.path().join(stage.folder())).unwrap();
        std::fs::write(results_file(stage), "x").unwrap();
    }
    clear_stages(folder.path()).unwrap();
    assert!(stages.iter().all(|stage| !results_file(stage).exists()));
    let folder_count = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(folder_count, stages.len(), "no folder is created for a stage that was not run");
}

#[test]
fn stage_names_count_from_one() {
    let names = [RaceStage::Race(0), RaceStage::Race(2), RaceStage::HeldOut].map(stage_name);
    assert_eq!(names, ["race, round 1", "race, round 3", "held out"]);
}
