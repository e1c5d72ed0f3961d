//! What an engine's table, counters and words of `go` do from outside: facts that a user of the
//! engine meets, and that differ from engine to engine.

use super::positions::{GamePosition, ONE_LEGAL_MOVE};
use super::{Examiner, Findings, Interrupt, QUICK_SEARCH_TIMEOUT, forgetting};
use crate::chess::Board;
use crate::engine::Limit;
use crate::record::diagnosis::CheckResult::{DoesNotHold, Holds, Note};
use crate::subject::options::OptionValue;
use crate::subject::protocol::{OptionKind, UciOption};
use crate::subject::{EngineIdentity, Launch, Position, Subject, Uci, UciReport, usage};

/// Counts of equal searches may differ by this share: in Toga II by 6 of 80,000 nodes.
const SAME_SHARE: f64 = 0.001;

/// The move time of the searches with a clock, in milliseconds. Some engines report hashfull only
/// after a second (Fairy-Stockfish 11.1).
const MOVE_TIME: u64 = 1200;

/// Sizes of which an engine that rounds to powers of two takes the same memory, in MiB.
const SIZES: [i64; 2] = [64, 96];

const MIB: f64 = 1_048_576.0;

/// Histories alone may halve the nodes of a repeated search, as in Sjaak II 1.4.1.
const KEPT_SHARE: f64 = 0.5;

const EQUAL_SEARCHES: usize = 10;

/// Adds a note for each fact. The first of `games` is searched to `depth`.
pub fn add_facts(
    examiner: &Examiner<'_>,
    identity: &EngineIdentity,
    games: &[Vec<GamePosition>],
    depth: u8,
    findings: &mut Findings,
) -> Result<(), Interrupt> {
    let game = &games[0];
    let position = game[0].with_history();
    let limit = Limit { depth: Some(depth), nodes: None };
    // The nodes of a search, and of equal searches after these lines, in one game.
    let count = |more: &[(String, OptionValue)], lines: &[String], searches: usize| {
        let mut engine = start(examiner, more)?;
        let mut counts = Vec::new();
        for index in 0..searches {
            if index == 1 {
                lines.iter().try_for_each(|line| engine.tell(line))?;
            }
            counts.push(examiner.search(&mut engine, position, limit, index == 0)?.nodes.unwrap_or(0));
        }
        Ok::<_, Interrupt>(counts)
    };
    let find = |name: &str| identity.options.iter().find(|option| option.name.eq_ignore_ascii_case(name));
    let smallest: Vec<_> = match find("Hash").map(|option| &option.kind) {
        Some(OptionKind::Spin(least, _)) => vec![("Hash".to_owned(), OptionValue::Spin(*least))],
        _ => Vec::new(),
    };
    let counts = count(&[], &[], EQUAL_SEARCHES)?;
    let (new, kept) = (counts[0], counts[1]);
    let is_near = |a: u64, b: u64| a.abs_diff(b) as f64 <= SAME_SHARE * a as f64;
    let equal_value = |option: &UciOption| {
        let applied = identity.applied.iter().find(|(name, _)| name.eq_ignore_ascii_case(&option.name));
        format!("setoption name {} value {}", option.name, applied.map_or(&option.default, |(_, value)| value))
    };
    let mut lines = vec![("uci again".to_owned(), vec!["uci".to_owned()])];
    let threads = find("Threads").or_else(|| find("Number of Threads"));
    for (name, option) in [("Hash", find("Hash")), ("Threads", threads)] {
        lines.extend(option.map(|option| (format!("{name} again"), vec![equal_value(option)])));
    }
    lines.extend(
        find("Clear Hash").map(|option| (option.name.clone(), vec![format!("setoption name {}", option.name)])),
    );
    let is_other = |option: &&UciOption| {
        let is_told = [find("Hash"), threads].contains(&Some(*option));
        !is_told && matches!(option.kind, OptionKind::Spin(..) | OptionKind::Check | OptionKind::Combo(_))
    };
    let others: Vec<String> = identity.options.iter().filter(is_other).map(equal_value).collect();
    if !others.is_empty() {
        lines.push(("other options again".to_owned(), others));
    }
    for (name, lines) in lines {
        let after = count(&[], &lines, 2)?[1];
        let effect = match (is_near(after, new), is_near(after, kept)) {
            (true, true) => "cannot be told: a kept table changes no count",
            (true, false) => "as a new process",
            (false, true) => "changes nothing",
            (false, false) => "clears something, not all",
        };
        findings.add(&name, Note, effect);
    }
    let share = counts.iter().min().map_or(0.0, |least| *least as f64 / new.max(1) as f64);
    // Searches of other games lie between two searches, so many that a small table forgets the
    // first.
    let count_after_others = |small: i64, mebibytes: i64| {
        let mut engine = start(examiner, &[("Hash".to_owned(), OptionValue::Spin(mebibytes))])?;
        examiner.search(&mut engine, position, limit, true)?;
        let (mut nodes, full) = (0, 2 * forgetting::FULL_NODES * small.unsigned_abs());
        for other in &games[1..] {
            nodes += examiner.search(&mut engine, other[0].with_history(), limit, false)?.nodes.unwrap_or(0);
            if nodes >= full {
                let again = examiner.search(&mut engine, position, limit, false)?;
                return Ok::<_, Interrupt>(again.nodes);
            }
        }
        Ok(None)
    };
    let is_size_ignored = match super::table_sizes(&identity.options, &[]) {
        Some((small, large)) => {
            let counts = [count_after_others(small, small)?, count_after_others(small, large)?];
            counts[0].is_some() && counts[0] == counts[1]
        }
        None => false,
    };
    let kept_text = match (is_size_ignored, share < KEPT_SHARE) {
        (true, _) => "emptied at every `go`, or not used: its size changes no count",
        (false, true) => "kept from search to search",
        (false, false) => "emptied at every `go`, it seems",
    };
    let share_text =
        format!(" (of {EQUAL_SEARCHES} equal searches the cheapest takes {:.0} % of the first)", 100.0 * share);
    findings.add("table", Note, format!("{kept_text}{share_text}"));
    // A kept table gives the same counts in two processes.
    let play = || {
        let mut engine = start(examiner, &[])?;
        let reports = forgetting::search_game(examiner, &mut engine, game, depth)?;
        Ok::<_, Interrupt>(reports.into_iter().map(|report| report.nodes).collect::<Vec<_>>())
    };
    let is_repeated = play()? == play()?;
    let (result, finding) = if is_repeated {
        (Holds, "the same counts in two processes")
    } else {
        (DoesNotHold, "other counts in a second process")
    };
    findings.add("kept along a game", result, finding);
    if let Some(UciOption { kind: OptionKind::Spin(least, most), default, .. }) = find("Hash") {
        findings.add("Hash", Note, format!("{least} to {most} MiB declared, {default} by default"));
        let memory = |size: i64| {
            let mut engine = start(examiner, &[("Hash".to_owned(), OptionValue::Spin(size))])?;
            examiner.search(&mut engine, position, limit, true)?;
            Ok::<_, Interrupt>(usage().map_or(0.0, |usage| usage.resident_bytes as f64 / MIB))
        };
        if *least < SIZES[0] && SIZES[1] <= *most {
            let [least_memory, small, large] = [memory(*least)?, memory(SIZES[0])?, memory(SIZES[1])?];
            let share = (small - least_memory) / (SIZES[0] - least) as f64;
            let rounds = match (share < 0.5, large - small < 16.0) {
                (true, _) => "",
                (_, true) => ", 96 as much as 64: sizes are rounded",
                _ => ", 96 take more than 64",
            };
            findings.add("memory", Note, format!("64 MiB take {:.0} % of what they say{rounds}", 100.0 * share));
        }
    }
    if let Some(UciOption { default, .. }) = threads {
        findings.add("Threads", Note, format!("{default} by default"));
    }
    let start_position = Board::startpos();
    let mut engine = start(examiner, &smallest)?;
    engine.set_timeout(QUICK_SEARCH_TIMEOUT);
    let mut ask = |board: &Board, request: &str, starts_new_game: bool| -> Result<UciReport, Interrupt> {
        if starts_new_game {
            engine.new_game()?;
        }
        engine.ask(Position::from_board(board), request, Limit::default(), examiner.stop)?.ok_or(Interrupt::Stopped)
    };
    let forced = Board::from_fen(ONE_LEGAL_MOVE).unwrap_or(start_position);
    let reached = ask(&forced, "go depth 8", true)?.depth.unwrap_or(0);
    findings.add("one legal move", Note, format!("`go depth 8` reaches depth {reached}"));
    let best = ask(&start_position, "go depth 3 searchmoves a2a3", true)?.best.to_string();
    findings.add("searchmoves", Note, if best == "a2a3" { "obeyed" } else { "ignored" });
    let timed = ask(&start_position, &format!("go movetime {MOVE_TIME}"), true)?;
    let later = ask(&start_position, "go depth 1", false)?;
    let to_same_depth = ask(&start_position, &format!("go depth {}", timed.depth.unwrap_or(1)), true)?;
    let finding = match timed.nodes {
        None => "not reported",
        Some(nodes) if nodes % 10_000 == 0 => "in steps of 10,000",
        nodes if nodes == to_same_depth.nodes => "those of the last finished depth",
        _ => "until the time is up",
    };
    findings.add("nodes under a clock", Note, finding);
    // Some engines report nothing in a short search.
    let whose = match (timed.hashfull, later.hashfull) {
        (Some(full @ 20..), Some(later)) if later < full / 2 => ", of one search's entries, so it falls",
        (Some(20..), Some(_)) => ", of all entries",
        _ => "",
    };
    let finding = match timed.first_hashfull {
        None => "never reported".to_owned(),
        Some((elapsed, has_depth)) => format!(
            "reported from {}, {}{whose}",
            if elapsed.as_millis() < 900 { "the start" } else { "the first second on" },
            if has_depth { "on lines of a depth" } else { "on lines of its own" }
        ),
    };
    findings.add("hashfull", Note, finding);
    engine.quit();
    Ok(())
}

fn start(examiner: &Examiner<'_>, more: &[(String, OptionValue)]) -> Result<Uci, Interrupt> {
    let options = [&examiner.launch.options, more].concat();
    examiner.start_engine(Launch { options, ..examiner.launch.clone() })
}
