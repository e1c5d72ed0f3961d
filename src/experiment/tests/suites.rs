//! Files with several suites.

use super::{Experiment, Plan, Problem};
use std::collections::HashSet;

/// The first suite: three positions.
const MIDDLE: &str = "4k3/8/8/8/8/8/8/4K2R w - - id \"a\";\n4k3/8/8/8/8/8/8/4K2R b - - id \"b\";\n4k3/8/8/8/8/8/8/R3K3 w - - id \"c\";\n";
/// The second suite: two other positions.
const END: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - id \"a\";\n4k3/8/8/8/8/8/4P3/4K3 b - - id \"z\";\n";

/// Reads an experiment beside suites with these file names and texts.
fn read(text: &str, sets: &[String], suites: &[(&str, &str)]) -> Result<Experiment, Problem> {
    let folder = tempfile::tempdir().unwrap();
    suites.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
    Experiment::parse(text, &folder.path().join("x.toml"), sets)
}

/// The experiment with both suites. `end`: the text of the second suite.
fn read_both(more: &str, end: &str) -> Result<Experiment, Problem> {
    let text = format!(
        "suites = {{ middle = {{ file = 'm.epd', depth = 3 }}, end = {{ file = 'e.epd', depth = 2 }} }}\n{more}\n"
    );
    read(&text, &[], &[("m.epd", MIDDLE), ("e.epd", end)])
}

/// The plan of an experiment with a single suite.
fn read_one(depth: u8, suite: &str, more: &str) -> Plan {
    let text = format!("suite = 's.epd'\nlimit = {{ depth = {depth} }}\n{more}\n");
    Plan::new(&read(&text, &[], &[("s.epd", suite)]).unwrap_or_else(|problem| panic!("{problem}")))
}

const VARIANTS: &str = "[[variant]]\nname = 'v'\n[[variant]]\nname = 'kept'\n'table.clear' = 'never'\n";

/// Searches have the same ids as in an experiment of that suite alone, so rows of one suite can
/// become rows of both.
#[test]
fn rows_of_several_suites_have_the_ids_of_each_suite_alone() {
    let joint_plan = Plan::new(&read_both(VARIANTS, END).unwrap_or_else(|problem| panic!("{problem}")));
    let ids = |plan: &Plan| -> Vec<u64> {
        let jobs = plan.jobs();
        jobs.flat_map(|job| (job.item..job.item + job.item_count).map(move |item| (job, item)))
            .flat_map(|(job, item)| [plan.row_id(&job, item, 0, 1), plan.job_id(&job)])
            .collect()
    };
    let [middle, end] = [(3, MIDDLE), (2, END)].map(|(depth, suite)| ids(&read_one(depth, suite, VARIANTS)));
    let ids_together: HashSet<u64> = ids(&joint_plan).into_iter().collect();
    let ids_alone: HashSet<u64> = middle.iter().chain(&end).copied().collect();
    assert_eq!(ids_together, ids_alone);
    // One job for each of five positions, and for the uncleared variant one for each suite.
    assert_eq!(
        (joint_plan.len(), joint_plan.is_whole_suite_job(0), joint_plan.is_whole_suite_job(1)),
        (7, false, true)
    );
    let limits: Vec<_> =
        (0..5).map(|item| (joint_plan.suite(item).unwrap_or(""), joint_plan.limit(0, item).depth)).collect();
    let expected = [("middle", Some(3)), ("middle", Some(3)), ("middle", Some(3)), ("end", Some(2)), ("end", Some(2))];
    assert_eq!(limits, expected);
}

/// The boundaries of suites and their limits are part of a plan's id.
#[test]
fn plans_with_other_suites_have_other_ids() {
    let id = |text: &str, first: &str, second: &str| {
        let read = read(text, &[], &[("a.epd", first), ("b.epd", second)]);
        Plan::new(&read.unwrap_or_else(|problem| panic!("{problem}"))).id()
    };
    let common_limit = "suites = { a = { file = 'a.epd' }, b = { file = 'b.epd' } }\nlimit = { depth = 2 }\n";
    let with_limits = "suites = { a = { file = 'a.epd', depth = 2 }, b = { file = 'b.epd', depth = 3 } }\n";
    // The same positions, with another boundary between the suites.
    let (head, rest) = MIDDLE.split_at(MIDDLE.find('\n').map_or(0, |index| index + 1));
    let ids =
        [id(common_limit, MIDDLE, END), id(common_limit, head, &format!("{rest}{END}")), id(with_limits, MIDDLE, END)];
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 3, "{ids:x?}");
}

/// `--set` overrides the limit of all suites, and `first` applies to each.
#[test]
fn settings_apply_to_every_suite() {
    let text = "suites = { middle = { file = 'm.epd', depth = 3 }, end = { file = 'e.epd', nodes = 9 } }\nfirst = 1\n";
    for (sets, limits) in
        [(&[][..], [(Some(3), None), (None, Some(9))]), (&["limit.depth=1"], [(Some(1), None), (Some(1), Some(9))])]
    {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let result = read(text, &sets, &[("m.epd", MIDDLE), ("e.epd", END)]);
        let experiment = result.unwrap_or_else(|problem| panic!("{problem}"));
        let plan = Plan::new(&experiment);
        let actual: Vec<_> = (0..2).map(|item| (plan.limit(0, item).depth, plan.limit(0, item).nodes)).collect();
        assert_eq!(actual, limits, "{sets:?}");
        let names: Vec<&str> = experiment.suite.items.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(names, ["middle/a", "end/a"]);
    }
}

/// A position that an earlier suite contains is refused, or removed with a note. Two positions may
/// have the same name.
#[test]
fn position_of_two_suites_is_refused_or_left_out() {
    let shared = format!("{END}4k3/8/8/8/8/8/8/4K2R b - - id \"again\";\n");
    let problem = read_both("", &shared).map(|_| ()).expect_err("a shared position");
    assert_eq!(problem.message, "suites.end: end/again is the same position as middle/b: each may occur only once");
    assert!(problem.help.is_some_and(|help| help.starts_with("--skip-bad")));
    let experiment = read_both("on_error = 'skip'", &shared).unwrap_or_else(|problem| panic!("{problem}"));
    let sections: Vec<_> = experiment.sections.iter().map(|section| section.item_range.clone()).collect();
    assert_eq!(sections, [0..3, 3..5]);
    let notes: Vec<String> = experiment.suite.notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("end/again is the same position as middle/b"), "{notes:?}");
    // An en passant square where nobody can capture is no difference.
    let idle = ["-", "e3"].map(|square| format!("4k3/8/8/8/4P3/8/8/4K3 b - {square} id \"e4\";\n"));
    let text = "suites = { a = { file = 'a.epd' }, b = { file = 'b.epd' } }\nlimit = { depth = 2 }\n";
    let problem = read(text, &[], &[("a.epd", &idle[0]), ("b.epd", &idle[1])]).map(|_| ()).expect_err("one position");
    assert_eq!(problem.message, "suites.b: b/e4 is the same position as a/e4: each may occur only once");
}

/// A suite whose mates are the shortest gives one for each position. Its rows may be judged
/// otherwise than those of the same suite without the word.
#[test]
fn minimal_suite_has_a_mate_at_each_position() {
    let mates = MIDDLE.replacen(" id", " dm 9; id", 2);
    let read = |minimal: &str, suite: &str| {
        let text = format!("suites = {{ m = {{ file = 'm.epd', depth = 3{minimal} }} }}\n");
        read(&text, &[], &[("m.epd", suite)])
    };
    let problem = read(", minimal = true", &mates).map(|_| ()).expect_err("no mate");
    let found = "m.epd:3:1: c: no mate: expected dm N; or bm #N;";
    assert_eq!(problem.message, format!("suites.m.minimal: {found}"));
    let all = mates.replace("id \"c", "bm #9; id \"c");
    let [plain, minimal] =
        ["", ", minimal = true"].map(|word| read(word, &all).unwrap_or_else(|problem| panic!("{problem}")));
    let [plain, minimal] = [plain, minimal].map(|read| crate::experiment::identity::solutions_hash(&read.suite));
    assert_ne!(plain, minimal);
}
