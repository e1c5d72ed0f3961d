//! Trials of engines: what counts as repeatable, and what each fault of an engine is called.

use super::*;

#[test]
fn spread_is_relative_to_the_minimum() {
    for ([first, second], expected) in [
        ([Some(7), Some(7)], 0.0),
        ([Some(110), Some(100)], 0.1),
        ([Some(0), Some(3)], 2.0),
        ([None, None], 0.0),
        ([Some(100), Some(250)], 1.5),
    ] {
        let report = |nodes| UciReport { nodes, ..UciReport::default() };
        assert!((node_spread(&report(first), &report(second)) - expected).abs() < 1e-12, "{first:?} {second:?}");
    }
    let values = [
        Repeatability::Exact,
        Repeatability::SameNodes,
        Repeatability::Within(0.0501),
        Repeatability::Within(0.1),
        Repeatability::Within(0.0001),
        Repeatability::NotRepeatable,
    ];
    let texts =
        ["exact", "same nodes, other answers", "within 5.1 %", "within 10.0 %", "within 0.1 %", "not repeatable"];
    assert_eq!(values.map(|word| word.to_string()), texts);
}

/// An engine that had exceeded the limit when it was stopped ignored the limit. Otherwise the
/// message has only the time.
#[test]
fn overrun_states_depth_or_nodes_reached() {
    let waited = Duration::from_millis(5400);
    let (depth_limit, node_limit) = (Limit { depth: Some(4), nodes: None }, Limit { depth: None, nodes: Some(20_000) });
    for (limit, depth, nodes, message) in [
        (depth_limit, Some(9), Some(7), "it searched to depth 9 (limit 4) and had to be stopped"),
        (node_limit, Some(9), Some(70_000), "it searched 70000 nodes (limit 20000) and had to be stopped"),
        (node_limit, Some(9), Some(7), "it did not answer within 5 s"),
        (depth_limit, None, None, "it did not answer within 5 s"),
    ] {
        assert_eq!(describe_overrun(waited, limit, (depth, nodes)), message);
    }
}

/// Tries every part that must be equal in two searches. A depth that only one search reports is
/// not a difference.
#[test]
fn difference_covers_every_reported_part() {
    let start = Board::startpos();
    let parse_move = |word: &str| crate::chess::parse_move(&start, word).unwrap();
    let depth_report = |depth, nodes, score, word: &str| DepthReport {
        depth,
        score: Some(score),
        pv: vec![parse_move(word)],
        nodes,
        hashfull: None,
        elapsed: Duration::ZERO,
    };
    let report = UciReport {
        depth: Some(3),
        score: Some(31),
        best: parse_move("e2e4"),
        pv: vec![parse_move("e2e4")],
        nodes: Some(900),
        earlier_depths: vec![depth_report(1, 20, 5, "a2a3"), depth_report(2, 100, 7, "b2b3")],
        ..UciReport::default()
    };
    assert_eq!(difference(&report, &report), None);
    let with_hashfull = UciReport { hashfull: Some(3), ..report.clone() };
    assert_eq!(difference(&report, &with_hashfull), None, "hashfull is not compared");
    let difference_after = |change: fn(&mut UciReport)| {
        let mut changed = report.clone();
        change(&mut changed);
        difference(&report, &changed)
    };
    assert_eq!(difference_after(|report| drop(report.earlier_depths.remove(1))), None);
    for (change, message) in [
        ((|report| report.depth = Some(4)) as fn(&mut UciReport), "depth 3, then 4 after depth 2"),
        (|report| report.nodes = Some(901), "nodes 900, then 901 after depth 2"),
        (|report| report.nodes = None, "nodes 900, then  after depth 2"),
        (|report| report.score = Some(30), "score 31, then 30 after depth 2"),
        (|report| report.best = report.earlier_depths[0].pv[0], "move e2e4, then a2a3 after depth 2"),
        (|report| report.pv.clear(), "variation e2e4, then  after depth 2"),
        (
            |report| report.earlier_depths[1].nodes = 101,
            "at depth 2: 100 nodes, score 7, b2b3, then 101 nodes, score 7, b2b3",
        ),
        (
            |report| report.earlier_depths[0].score = Some(6),
            "at depth 1: 20 nodes, score 5, a2a3, then 20 nodes, score 6, a2a3",
        ),
        (
            |report| report.earlier_depths[0].pv = report.pv.clone(),
            "at depth 1: 20 nodes, score 5, a2a3, then 20 nodes, score 5, e2e4",
        ),
    ] {
        assert_eq!(difference_after(change).as_deref(), Some(message));
    }
    let report_with_score = |score| UciReport { score: Some(score), ..UciReport::default() };
    assert_eq!(difference(&report_with_score(1), &report_with_score(2)).as_deref(), Some("score 1, then 2"));
}

/// The result for an engine scripted in shell that runs `answers` at each `go`. There, `n` is
/// the number of the search in its process, `d` and `m` the depth or nodes after `go`, and `p`
/// the last `position` line.
fn probe_script(answers: &str, restart: Restart, limit: Limit, stop: bool) -> Option<ProbeResult> {
    // The second position lacks Black's a-pawn.
    let other = "rnbqkbnr/1ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let boards = [Board::startpos(), Board::from_fen(other).unwrap()];
    probe_positions(answers, restart, limit, stop, &boards)
}

fn probe_positions(answers: &str, restart: Restart, limit: Limit, stop: bool, boards: &[Board]) -> Option<ProbeResult> {
    let script = format!(
        "n=0; while read -r line; do case \"$line\" in position*) p=$line;; uci) echo id name Probe; echo uciok;; isready) echo readyok;; \
         go*) n=$((n + 1)); d=${{line#go depth }}; m=${{line#go nodes }}; {answers}; echo bestmove e2e4;; quit) exit;; esac; done"
    );
    let launch = Launch {
        path: "/bin/sh".into(),
        arguments: vec!["-c".to_owned(), script],
        restart,
        timeout: Some(Duration::from_secs(60)),
        ..Launch::default()
    };
    probe(&launch, boards, limit, Some(20_000), false, &AtomicBool::new(stop)).unwrap()
}

/// What an engine keeps after `ucinewgame` may change the counts of few positions: here of the one
/// without a pawn on h7, if others were searched before it. Of 7 positions it is not among the
/// first, the middle and the last, which are searched under the limit.
#[test]
fn what_is_kept_for_the_next_game_is_found_in_one_of_seven_positions() {
    let limit = Limit { depth: Some(5), nodes: None };
    let boards = |count: usize| -> Vec<Board> {
        let ranks = ["8", "1ppppppp", "p1pppppp", "pp1ppppp", "ppppppp1", "pppp1ppp", "ppppp1pp"];
        let fen = |rank: &&str| format!("rnbqkbnr/{rank}/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        ranks.iter().take(count).map(|rank| Board::from_fen(&fen(rank)).unwrap()).collect()
    };
    let answers = "k=100; case $n$p in 5*ppppppp1*) k=107;; esac; echo info depth $d nodes $k";
    for (count, resets) in [(6, true), (7, false)] {
        let probed = probe_positions(answers, Restart::Experiment, limit, false, &boards(count)).unwrap();
        assert_eq!(probed.resets_on_new_game, resets, "{count}: {:?}", probed.difference);
    }
}

/// An answer whose nodes are `tenth` under a node limit of 2000, `whole` under one of 20,000,
/// and 5000 to a depth.
fn under_limits(tenth: &str, whole: &str) -> String {
    format!("case $m in 2000) k={tenth};; 20000) k={whole};; *) k=5000;; esac; echo info depth ${{d##* }} nodes $k")
}

/// Tries node limits at the edges of what is accepted: a quarter and 1024 nodes too many, and a
/// tenth of the limit that must need fewer nodes.
#[test]
fn node_limit_is_respected_if_it_is_not_passed_and_its_tenth_needs_fewer_nodes() {
    let limit = Limit { depth: Some(3), nodes: None };
    for (tenth, whole, is_respected, is_noted) in [
        ("2000", "20000", true, false),
        ("3524", "26024", true, true),
        ("3525", "20000", false, false),
        ("2000", "26025", false, false),
        ("900", "8100", true, true),
        ("30000", "30000", false, false),
        ("6", "6", false, false),
    ] {
        let probed = probe_script(&under_limits(tenth, whole), Restart::Experiment, limit, false).unwrap();
        assert_eq!(probed.nodes == LimitSupport::Yes, is_respected, "{tenth} {whole}: {:?}", probed.nodes);
        assert_eq!(!probed.notes.is_empty(), is_noted, "{tenth} {whole}");
        let why = format!("it searched {whole} nodes at a limit of 20000, {tenth} nodes at a limit of 2000");
        assert!(is_respected || probed.nodes == LimitSupport::No(why), "{:?}", probed.nodes);
    }
}

/// Spreads below and above the maximum, node counts that change with each search of a process,
/// and answers that lack something.
#[test]
fn trial_judges_depths_and_spread() {
    let limit = Limit { depth: Some(3), nodes: None };
    let (per_game, per_experiment) = (Restart::Game, Restart::Experiment);
    let ignored = |why: &str| LimitSupport::No(why.to_owned());
    for (answers, restart, repeats, resets, depth) in [
        ("echo info depth $d nodes 900", per_experiment, Repeatability::Exact, true, LimitSupport::Yes),
        (
            "echo info depth 5 nodes 900",
            per_experiment,
            Repeatability::NotRepeatable,
            true,
            ignored("it searched to depth 5, expected 4"),
        ),
        ("echo info nodes 900", per_experiment, Repeatability::NotRepeatable, true, ignored("it reports no depth")),
        ("echo info depth $d", per_experiment, Repeatability::NotRepeatable, true, LimitSupport::Yes),
        // Later searches of a process count more nodes: within the spread, above it, and
        // irrelevant where each game has its own process.
        (
            "echo info depth $d nodes $((19500 + n * 500))",
            per_experiment,
            Repeatability::Within(0.075),
            false,
            LimitSupport::Yes,
        ),
        (
            "echo info depth $d nodes $((17000 + n * 3000))",
            per_experiment,
            Repeatability::NotRepeatable,
            false,
            LimitSupport::Yes,
        ),
        ("echo info depth $d nodes $((17000 + n * 3000))", per_game, Repeatability::Exact, true, LimitSupport::Yes),
        // Missing nodes or a difference in a single position count, whatever the other one
        // reports.
        (
            "case \"$p $d\" in */pppppppp/*\\ 3) echo info depth 3;; *) echo info depth $d nodes 900;; esac",
            per_experiment,
            Repeatability::NotRepeatable,
            true,
            LimitSupport::Yes,
        ),
        (
            "case $p in */1ppp*) k=0;; *) k=1;; esac; echo info depth $d nodes $((19500 + k * n * 500))",
            per_experiment,
            Repeatability::Within(0.075),
            false,
            LimitSupport::Yes,
        ),
    ] {
        let probed = probe_script(answers, restart, limit, false).unwrap();
        match (probed.repeatability, repeats) {
            (Repeatability::Within(spread), Repeatability::Within(expected)) => {
                assert!((spread - expected).abs() < 1e-9, "{answers}: {spread}");
            }
            (found, expected) => assert_eq!(found, expected, "{answers} {restart:?}"),
        }
        assert_eq!((probed.resets_on_new_game, probed.depth), (resets, depth), "{answers} {restart:?}");
        assert_eq!(probed.identity.name, "Probe");
    }
    assert_eq!(probe_script("echo info depth $d nodes 20000", per_experiment, limit, true), None);
}

/// A counter that begins again with each depth, and one that goes on from search to search.
#[test]
fn counter_that_is_no_sum_is_named() {
    let limit = Limit { depth: Some(3), nodes: None };
    let lines = "at=1; e=${d##* }; [ $e -gt 9 ] && e=3; while [ $at -le $e ]; do k=$((k + 100 * at)); echo info depth $at score cp 1 nodes $COUNT pv e2e4; at=$((at + 1)); done";
    let fault = |count: &str, reset: &str| {
        let answers = format!("{reset}; {}", lines.replace("$COUNT", count));
        probe_script(&answers, Restart::Experiment, limit, false).unwrap().counter_fault
    };
    assert_eq!(fault("$k", "k=0"), "");
    assert_eq!(
        fault("$((500 - 100 * at))", "k=0"),
        "its node counts are no sums: 400 nodes at depth 1, then 300 at depth 2"
    );
    // 600 nodes for each search to depth 3, and 100 for the last one to depth 1.
    assert_eq!(
        fault("$k", "k=${k:-0}"),
        "its node counter goes on from search to search: 1200 nodes, then 1300 to depth 1"
    );
    // A half more than the 600 before is a search of its own.
    for (first, is_named) in [(799, true), (800, false)] {
        let reset = format!("k=0; [ \"${{d##* }}\" = 1 ] && k={first}");
        assert_eq!(!fault("$k", &reset).is_empty(), is_named, "{first}");
    }
}

/// What does not make an engine unusable, but surprises whoever uses it.
#[test]
fn surprises_are_noted() {
    let limit = |depth| Limit { depth: Some(depth), nodes: None };
    let notes = |answers: &str, limit| probe_script(answers, Restart::Experiment, limit, false).unwrap().notes;
    assert_eq!(notes("echo info depth $d nodes 900 hashfull 99", limit(3)), Vec::<String>::new());
    let deeper = "[ \"$d\" = 1 ] && d=2; echo info depth $d nodes 900";
    assert_eq!(notes(deeper, limit(3)), ["`go depth 1` searches to depth 2"]);
    let shallower = "[ \"$d\" = 8 ] && d=5; echo info depth $d nodes 900";
    assert_eq!(notes(shallower, limit(8)), ["`go depth 8` searches to depth 5"]);
    // GNU Chess 6.2.7 and Toga II 3.0 stop early where one move is legal.
    let boards = [Board::startpos(), Board::from_fen("k7/8/1K6/8/8/8/8/1R6 b - - 0 1").unwrap()];
    let report = |depth| UciReport { depth: Some(depth), nodes: Some(9), ..UciReport::default() };
    let (launch, stop) = (Launch::default(), AtomicBool::new(false));
    let result = ProbeResult { reports: vec![report(8), report(4)], ..ProbeResult::default() };
    let differences = Differences::default();
    let mut prober =
        Prober { launch: &launch, boards: boards.to_vec(), shallow: Vec::new(), stop: &stop, result, differences };
    prober.judge(limit(8));
    assert_eq!(prober.result.notes, ["`go depth 8` searches to depth 4 where one move is legal"]);
    let unread = "echo info depth $d score cp inf nodes 900 pv e2e4";
    let expected = "a score cannot be read, and stays empty: info depth 3 score cp inf nodes 900 pv e2e4";
    assert_eq!(notes(unread, limit(3)), [expected]);
    let other_move = "case $p in */1ppp*) k=e2e4;; *) k=d2d4;; esac; echo info depth $d score cp 1 nodes 900 pv $k";
    let expected = "score and line are of another move than the best in 1 of 2 searches";
    assert_eq!(notes(other_move, limit(3)), [expected]);
    let own_entries = "echo info depth $d nodes 900 hashfull $((200 * ${d##* }))";
    assert_eq!(
        notes(own_entries, limit(3)),
        ["hashfull counts the entries of one search: 600 per mille, then 200 after `go depth 1` in the same game"]
    );
    assert_eq!(
        notes(&under_limits("2100", "20201"), limit(3)),
        ["under a node limit it reports 20201 nodes at a limit of 20000, 2100 nodes at a limit of 2000"]
    );
}

/// Later searches of a process have the same nodes but another score, move, variation or depth
/// line. Under a node limit, the searches are also repeated with a depth limit.
#[test]
fn same_nodes_with_other_answers_is_not_exact() {
    let (depth_limit, node_limit) = (Limit { depth: Some(3), nodes: None }, Limit { depth: None, nodes: Some(500) });
    let text = "info depth ${d##* } score cp 1 nodes $k pv e2e4";
    for (answers, limit, expected) in [
        (format!("echo {text}"), depth_limit, Repeatability::Exact),
        (format!("echo {text} | sed \"s/cp 1/cp $n/\""), depth_limit, Repeatability::SameNodes),
        (format!("echo {text} e7e$((n / 2 + 5))"), depth_limit, Repeatability::SameNodes),
        (format!("echo info depth 1 score cp 1 nodes $((10 + n)) pv a2a3; echo {text}"), depth_limit, Repeatability::SameNodes),
        ("echo info depth 3 score cp 1 nodes $k pv e2e4".to_owned(), node_limit, Repeatability::Exact),
        // Nothing differs under the node limit, but node counts differ by depth.
        (
            "case $d in go*) echo info depth 3 score cp 1 nodes $k pv e2e4;; *) echo info depth $d score cp 1 nodes $((19500 + n * 500)) pv e2e4;; esac"
                .to_owned(),
            node_limit,
            Repeatability::Within(0.05),
        ),
    ] {
        // Nodes as many as the node limit, or 20,000.
        let answers = format!("case $m in go*) k=20000;; *) k=$m;; esac; {answers}");
        let probed = probe_script(&answers, Restart::Experiment, limit, false).unwrap();
        let is_expected = match (probed.repeatability, expected) {
            (Repeatability::Within(spread), Repeatability::Within(expected)) => (spread - expected).abs() < 1e-9,
            (actual, expected) => actual == expected,
        };
        assert!(is_expected, "{answers}: {probed:?}");
        assert_eq!(probed.resets_on_new_game, expected == Repeatability::Exact, "{answers}");
        assert_eq!(probed.difference.is_some(), expected != Repeatability::Exact, "{answers}");
        let per_game = probe_script(&answers, Restart::Game, limit, false).unwrap();
        assert_eq!((per_game.repeatability, per_game.difference), (Repeatability::Exact, None), "{answers}");
    }
}

/// If node counts differ in every process, it cannot be observed whether a new game resets the
/// engine, so a reset is assumed.
#[test]
fn engine_that_never_repeats_is_assumed_to_reset() {
    let limit = Limit { depth: Some(3), nodes: None };
    let probed =
        probe_script("echo info depth $d nodes $(($$ * 1000 + n))", Restart::Experiment, limit, false).unwrap();
    assert!(probed.resets_on_new_game, "{:?}", probed.repeatability);
    assert!(probed.repeatability != Repeatability::Exact, "{:?}", probed.repeatability);
}
