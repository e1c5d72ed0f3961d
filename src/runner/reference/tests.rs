//! Judges positions and moves with a scripted engine.

use super::*;
use crate::engine::{Engine, EngineOptions};
use crate::subject::{SearchEnd, SearchEvent};

/// A name stands for a single position, or for the position after a number of plies of a game. The
/// positions of self-play are not found.
#[test]
fn find_position_returns_the_position_of_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let late = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let games = format!(
        "[Event \"g\"]\n\n1. e4 e5 2. Nf3 *\n\n[Event \"h\"]\n[SetUp \"1\"]\n[FEN \"{late}\"]\n\n1... c5 2. Nf3 d6 *\n"
    );
    std::fs::write(folder.path().join("a ply b.pgn"), games).unwrap();
    let read_file = |text: &str| {
        let text = format!("{text}\nlimit = {{ depth = 1 }}\n");
        Experiment::parse(&text, &folder.path().join("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"))
    };
    let find_text = |experiment: &Experiment, name: &str| {
        let (start, moves) = find_position(experiment, name)?;
        Some((start, moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")))
    };
    let (start, late_start) = (Board::startpos(), Board::from_fen(late).unwrap());
    let games = read_file("suite = 'a ply b.pgn'");
    let [first, second] = [0, 1].map(|index| games.suite.items[index].id.clone());
    let moves = |text: &str| text.to_owned();
    for (name, expected) in [
        (format!("{first} ply 0"), Some((start, moves("")))),
        (format!("{first} ply 2"), Some((start, moves("e2e4 e7e5")))),
        (format!("{second} ply 1"), Some((late_start, moves("")))),
        (format!("{second} ply 3"), Some((late_start, moves("c7c5 g1f3")))),
        (first, None),
        (format!("{second} ply x"), None),
        ("none ply 1".to_owned(), None),
    ] {
        assert_eq!(find_text(&games, &name), expected, "{name}");
    }
    let single = read_file("suite = { startpos = true }");
    assert_eq!(find_text(&single, "startpos"), Some((start, moves(""))));
    assert_eq!([find_text(&single, "startpos ply 0"), find_text(&single, "elsewhere")], [None, None]);
    let self_play = read_file("suite = { startpos = true }\nsequence = { self_play = 3 }");
    assert_eq!([find_text(&self_play, "startpos"), find_text(&self_play, "startpos ply 0")], [None, None]);
}

/// Only the last row of a search counts. Each best move and the position itself need one search.
#[test]
fn unjudged_counts_missing_searches() {
    let folder = tempfile::tempdir().unwrap();
    let toml = |sections: &str| format!("suite = {{ startpos = true }}\nlimit = {{ depth = 2 }}\n{sections}");
    let read_file = |sections: &str| {
        Experiment::parse(&toml(sections), Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"))
    };
    let experiment = read_file("[reference]\nuci = 'builtin'\nlimit = { depth = 3 }\n");
    assert_eq!(count_missing_searches(&experiment, folder.path()).unwrap(), 0, "there are no results");
    let rows = "variant,position,repeat,depth,best\n\
            a,startpos,0,1,e2e4\na,startpos,0,2,d2d4\na,startpos,1,1,d2d4\nb,startpos,0,1,a2a3\nb,startpos,0,2,g1f3\n\
            b,startpos,1,2,e2e4\nb,elsewhere,0,2,h2h4\nc,startpos,0,2,\n";
    std::fs::write(folder.path().join("results.csv"), rows).unwrap();
    let judgement = |position: &str, mv: &str| Judgement {
        reference: "j-1".to_owned(),
        position: position.to_owned(),
        mv: mv.to_owned(),
        best: String::new(),
        score: 0,
        nodes: None,
    };
    // The position, d2d4, e2e4 and g1f3.
    for (judgements, missing) in [(&[][..], 4), (&["d2d4"], 3), (&["", "e2e4"], 2), (&["", "d2d4", "e2e4", "g1f3"], 0)]
    {
        let judgements: Vec<Judgement> = judgements.iter().map(|mv| judgement("startpos", mv)).collect();
        write(folder.path(), &judgements).unwrap();
        assert_eq!(count_missing_searches(&experiment, folder.path()).unwrap(), missing, "{judgements:?}");
    }
    write(folder.path(), &[judgement("elsewhere", ""), judgement("elsewhere", "e2e4")]).unwrap();
    assert_eq!(
        count_missing_searches(&experiment, folder.path()).unwrap(),
        4,
        "judgements of another position do not count"
    );
    assert_eq!(
        count_missing_searches(&read_file(""), folder.path()).unwrap(),
        0,
        "without a reference, nothing is judged"
    );
}

#[test]
fn prune_drops_judgements_of_other_positions_and_references() {
    let read_file = |sections: &str| {
        let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\n{sections}");
        Experiment::parse(&text, Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"))
    };
    let prepare = |experiment: &Experiment| {
        let plan = crate::experiment::Plan::new(experiment);
        Subjects::prepare(experiment, &plan, 1, &AtomicBool::new(false)).unwrap()
    };
    let judged_experiment = read_file("[reference]\nuci = 'builtin'\nlimit = { depth = 3 }\n");
    let deeper_experiment = read_file("[reference]\nuci = 'builtin'\nlimit = { depth = 4 }\n");
    let folder = tempfile::tempdir().unwrap();
    let row = |experiment: &Experiment, start: &Board, position: &str, mv: &str| Judgement {
        reference: reference_field(&prepare(experiment).reference_id, start, &[]),
        position: position.to_owned(),
        mv: mv.to_owned(),
        best: "e2e4".to_owned(),
        score: 5,
        nodes: None,
    };
    let start = Board::startpos();
    let other = Board::from_fen("8/8/8/3k4/8/3K4/4P3/8 w - - 0 1").unwrap();
    let valid_rows =
        [row(&judged_experiment, &start, "startpos", ""), row(&judged_experiment, &start, "startpos", "e2e4")];
    let judgements = [
        valid_rows[0].clone(),
        row(&deeper_experiment, &start, "startpos", "d2d4"),
        row(&judged_experiment, &other, "startpos", "c2c4"),
        row(&judged_experiment, &start, "elsewhere", ""),
        valid_rows[1].clone(),
    ];
    let prune_all = |experiment: &Experiment| {
        write(folder.path(), &judgements).unwrap();
        prune(experiment, &prepare(experiment), folder.path()).unwrap();
        let mut moves: Vec<_> = read(folder.path()).unwrap().into_iter().map(|row| (row.position, row.mv)).collect();
        moves.sort();
        moves
    };
    let owned_names = |list: &[(&str, &str)]| {
        list.iter().map(|(position, mv)| ((*position).to_owned(), (*mv).to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(prune_all(&judged_experiment), owned_names(&[("startpos", ""), ("startpos", "e2e4")]));
    assert_eq!(prune_all(&deeper_experiment), owned_names(&[("startpos", "d2d4")]));
    assert_eq!(prune_all(&read_file("")).len(), judgements.len(), "without a reference, nothing is dropped");
}

/// Gathers two shards, judged by the same reference or by different ones, into a target folder with
/// older judgements.
#[test]
fn gather_merges_judgements_of_one_reference() {
    let judgement = |judge: &str, position: &str, score: i32| Judgement {
        reference: format!("{judge}-1"),
        position: position.to_owned(),
        mv: String::new(),
        best: "e2e4".to_owned(),
        score,
        nodes: Some(7),
    };
    let gather_rows = |second_reference: &str, target_reference: &str, allow_any: bool| {
        let folder = tempfile::TempDir::new().unwrap();
        let [first, second_folder, target] = ["a", "b", "into"].map(|name| folder.path().join(name));
        for (folder, rows) in [
            (&first, vec![judgement("j", "A", 1)]),
            (&second_folder, vec![judgement(second_reference, "A", 2), judgement(second_reference, "B", 3)]),
            (&target, vec![judgement(target_reference, "B", 4), judgement(target_reference, "C", 5)]),
        ] {
            std::fs::create_dir(folder).unwrap();
            write(folder, &rows).unwrap();
        }
        merge_judgements(&[first, second_folder], &target, allow_any).map_err(|error| error.to_string())?;
        let judgements = read(&target).unwrap();
        Ok::<_, String>(
            judgements.into_iter().map(|judgement| (judgement.position, judgement.score)).collect::<Vec<_>>(),
        )
    };
    let expected = |rows: &[(&str, i32)]| Ok(rows.iter().map(|&(name, score)| (name.to_owned(), score)).collect());
    assert_eq!(gather_rows("j", "j", false), expected(&[("A", 1), ("B", 3), ("C", 5)]));
    assert_eq!(
        gather_rows("j", "k", false),
        expected(&[("A", 1), ("B", 3)]),
        "older judgements by another reference are dropped"
    );
    assert_eq!(gather_rows("j", "k", true), expected(&[("A", 1), ("B", 3)]));
    assert_eq!(gather_rows("k", "j", true), expected(&[("A", 1), ("B", 3), ("C", 5)]));
    let message = gather_rows("k", "j", false).unwrap_err();
    assert!(message.contains("b: its reference engine differs from that of"), "{message}");
    assert!(message.contains("/a:"), "{message}");
}

/// A subject that reports two depths of each search with a given best move, and logs its calls.
struct Oracle {
    log: std::sync::Arc<Mutex<Vec<String>>>,
    best: &'static str,
    /// The number of the search (from 1) that is interrupted.
    stopped_search: usize,
    /// Whether it reports iterations; otherwise its report is empty.
    reports: bool,
}

impl Subject for Oracle {
    fn start(&mut self) -> Result<(), crate::subject::Failure> {
        lock(&self.log).push("start".to_owned());
        Ok(())
    }

    fn new_game(&mut self) -> Result<(), crate::subject::Failure> {
        lock(&self.log).push("new".to_owned());
        Ok(())
    }

    fn search(
        &mut self,
        position: Position<'_>,
        limit: Limit,
        _: &AtomicBool,
        watch: &mut dyn FnMut(SearchEvent<'_>),
    ) -> Result<SearchEnd, crate::subject::Failure> {
        let moves: Vec<String> = position.moves.iter().map(ToString::to_string).collect();
        assert!(position.past.len() == moves.len() && position.start != position.board || moves.is_empty());
        lock(&self.log).push(format!("{:?} {:?} {}", limit.depth, limit.nodes, moves.join(" ")));
        // The log lines of searches end with a move, which ends with a digit, or with a blank.
        let searches =
            lock(&self.log).iter().filter(|line| line.ends_with(|c: char| c.is_ascii_digit() || c == ' ')).count();
        if searches == self.stopped_search {
            return Ok(SearchEnd::Stopped);
        }
        if !self.reports {
            watch(SearchEvent::Report(&crate::subject::UciReport::default()));
            return Ok(SearchEnd::Best(parse_move(position.board, self.best).unwrap_or(Move::NONE)));
        }
        // The scores of searches differ by 10 centipawns; each search's last depth scores one pawn
        // more than its first. Each search has 11 + 30 nodes.
        for (nodes, score) in [(11, 0), (30, 100)] {
            let report = crate::subject::UciReport {
                score: Some(score + 10 * searches as i32),
                nodes: Some(nodes),
                ..crate::subject::UciReport::default()
            };
            watch(SearchEvent::Iteration(&report.to_iteration()));
        }
        Ok(SearchEnd::Best(parse_move(position.board, self.best).unwrap_or(Move::NONE)))
    }

    fn quit(&mut self) {}
}

/// Moves are searched one ply less deep than the position (but at least one ply), and their scores
/// are negated. Mate and stalemate need no search. Earlier judgements are not repeated. An
/// interrupted search gives no rows.
#[test]
fn judge_searches_the_position_and_each_move() {
    let judge = |fen: &str,
                 moves: &[&str],
                 best: &'static str,
                 depth: Option<u8>,
                 judged_moves: &[&str],
                 stopped_search: usize| {
        let log = std::sync::Arc::new(Mutex::new(Vec::new()));
        let stop = AtomicBool::new(false);
        let limit = Limit { depth, nodes: depth.is_none().then_some(70) };
        let oracle = Oracle { log: std::sync::Arc::clone(&log), best, stopped_search, reports: true };
        let mut judge = Judge { engine: Box::new(oracle), limit, judges_moves: true, stop: &stop, id: "j".to_owned() };
        let chosen = ChosenMoves {
            name: "p".to_owned(),
            start: Board::from_fen(fen).unwrap(),
            past: Vec::new(),
            moves: moves.iter().map(|mv| (*mv).to_owned()).collect(),
        };
        let judged_moves = judged_moves.iter().map(|mv| ("p".to_owned(), (*mv).to_owned())).collect();
        let rows = judge.judge_position(&chosen, &judged_moves).map(|rows| {
            let describe = |row: &Judgement| format!("{}/{}/{}/{:?}", row.mv, row.best, row.score, row.nodes);
            rows.map(|rows| rows.iter().map(describe).collect::<Vec<_>>().join(" "))
        });
        let limits =
            lock(&log).iter().filter(|line| !["start", "new"].contains(&line.as_str())).cloned().collect::<Vec<_>>();
        (rows, limits.join(", "))
    };
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let expected = |rows: &str, limits: &str| (Ok(Some(rows.to_owned())), limits.to_owned());
    assert_eq!(
        judge(start, &["d2d4", "a2a3"], "e2e4", Some(5), &[], 0),
        expected(
            "/e2e4/110/Some(41) a2a3//-120/Some(41) d2d4//-130/Some(41) e2e4//-140/Some(41)",
            "Some(5) None , Some(4) None a2a3, Some(4) None d2d4, Some(4) None e2e4"
        )
    );
    assert_eq!(
        judge(start, &["d2d4", "a2a3"], "a2a3", Some(1), &["", "d2d4"], 0),
        expected("a2a3//-120/Some(41)", "Some(1) None , Some(1) None a2a3")
    );
    assert_eq!(
        judge(start, &["e2e4"], "e2e4", None, &[], 0),
        expected("/e2e4/110/Some(41) e2e4//-120/Some(41)", "None Some(70) , None Some(70) e2e4")
    );
    // The queen mates on g7, and stalemates from f7.
    let endgame = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1";
    assert_eq!(
        judge(endgame, &["g6f7"], "g6g7", Some(3), &[], 0),
        expected("/g6g7/110/Some(41) g6f7//0/None g6g7//31999/None", "Some(3) None ")
    );
    assert_eq!(judge(start, &["d2d4"], "e2e4", Some(5), &[], 2).0, Ok(None));
    assert_eq!(judge(start, &["d2d5"], "e2e4", Some(5), &[], 0).0, Err("p: d2d5 is illegal".to_owned()));
}

/// With too few nodes to finish depth 1, the search has no score. It must not count as 0.
#[test]
fn reference_without_a_finished_depth_is_an_error() {
    let stop = AtomicBool::new(false);
    let start = Board::startpos();
    let judge_with = |nodes: u64| {
        let engine = Box::new(Engine::new(&EngineOptions::default(), None).unwrap());
        let limit = Limit { depth: None, nodes: Some(nodes) };
        let mut judge = Judge { engine, limit, judges_moves: true, stop: &stop, id: "j".to_owned() };
        let moves = ["e2e4".to_owned()].into();
        judge.judge_position(&ChosenMoves { name: "p".to_owned(), start, past: Vec::new(), moves }, &HashSet::new())
    };
    assert_eq!(
        judge_with(1),
        Err("p: the reference reported no score: its limit may be too small to finish depth 1".to_owned())
    );
    let limit = Limit { depth: Some(1), nodes: None };
    let silent_judge = Oracle { log: Default::default(), best: "e2e4", stopped_search: 0, reports: false };
    let mut silent_judge =
        Judge { engine: Box::new(silent_judge), limit, judges_moves: true, stop: &stop, id: "j".to_owned() };
    let chosen = ChosenMoves { name: "p".to_owned(), start, past: Vec::new(), moves: Default::default() };
    let message = silent_judge.judge_position(&chosen, &HashSet::new()).map(|_| ()).unwrap_err();
    assert!(message.starts_with("p: the reference reported no score"), "{message}");
    let rows = judge_with(5000).unwrap().unwrap();
    assert!(rows.len() >= 2, "{rows:?}");
    assert!(rows.iter().all(|row| row.nodes.is_some_and(|nodes| nodes > 20)), "{rows:?}");
}

#[test]
fn judging_scores_needs_one_search_per_position() {
    let folder = tempfile::tempdir().unwrap();
    let toml = |nodes: u64| {
        format!(
            "suite = 'data/bratko-kopec.epd'\nfirst = 2\nlimit = {{ nodes = 50 }}\n[reference]\nself = {{ nodes = {nodes} }}\n[engine]\ntable.size = 64\n"
        )
    };
    let read_file = |nodes: u64| {
        Experiment::parse(&toml(nodes), Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"))
    };
    let rows = "variant,position,repeat,depth,best\na,BK.01,0,1,d6d1\na,BK.02,0,1,e3e4\nb,BK.01,0,1,g4g3\n";
    std::fs::write(folder.path().join("results.csv"), rows).unwrap();
    let judge_with = |nodes: u64| {
        let experiment = read_file(nodes);
        let plan = crate::experiment::Plan::new(&experiment);
        let subjects = Subjects::prepare(&experiment, &plan, 1, &AtomicBool::new(false)).unwrap();
        let result = judge(&experiment, &subjects, folder.path(), 1, &AtomicBool::new(false));
        (result.map_err(|error| error.to_string()), count_missing_searches(&experiment, folder.path()).unwrap())
    };
    assert_eq!(count_missing_searches(&read_file(2000), folder.path()).unwrap(), 2);
    assert_eq!(judge_with(2000), (Ok(Some(2)), 0));
    let judgements = read(folder.path()).unwrap();
    assert!(judgements.iter().all(|row| row.mv.is_empty() && row.nodes == Some(2000)), "{judgements:?}");
    assert_eq!(judge_with(2000), (Ok(Some(0)), 0), "nothing is judged twice");
    // With one more position the reference fails: the other judgements stay.
    let altered = Judgement { score: judgements[0].score + 1, ..judgements[0].clone() };
    write(folder.path(), std::slice::from_ref(&altered)).unwrap();
    let experiment = read_file(2000);
    let plan = crate::experiment::Plan::new(&experiment);
    let mut subjects = Subjects::prepare(&experiment, &plan, 1, &AtomicBool::new(false)).unwrap();
    subjects.reference_limit.nodes = Some(1);
    let result = judge(&experiment, &subjects, folder.path(), 1, &AtomicBool::new(false));
    assert!(result.is_err_and(|error| error.to_string().contains("the reference reported no score")));
    assert_eq!(read(folder.path()).unwrap(), [altered]);
}
