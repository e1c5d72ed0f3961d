//! Collects the `info` lines of a search into a report.
//!
//! Source: the description of the universal chess interface of April 2006 (S. Meyer-Kahlen). As the
//! description requires, words may come in any order, and unknown words are skipped. Some engines
//! write `nodes` or `hashfull` on separate lines, so the last value of each field is used.

use super::protocol::{first_word, is_move};
use super::{DepthReport, TABLE_OPTION, UciReport};
use crate::chess::{Board, Increments, Move, Score, parse_move};
use crate::engine::Limit;
use crate::engine::options::{Mate, MateDistance};
use crate::table::TableCounters;
use std::str::FromStr;
use std::time::Duration;

/// The score of a mate in n plies is this value minus n.
const MATE: Score = 32_000;

pub const UCI_MATE: Mate = Mate { value: MATE, distance: MateDistance::Ply };

/// Larger counts are ignored. Programs that read the rows may use floating-point numbers, which
/// represent integers exactly only up to this count.
const MAX_NODES: u64 = 1 << 53;

/// The last value of each field that was reported about a search or about one depth of a search.
#[derive(Debug, Clone, Default)]
struct InfoFields {
    score: Option<Score>,
    nodes: Option<u64>,
    hashfull: Option<u16>,
    /// The principal variation as text, parsed only when needed.
    pv: String,
}

impl InfoFields {
    /// Replaces each field that the newer line has. Keeps all other fields.
    fn update(&mut self, newer: &Self) {
        self.score = newer.score.or(self.score);
        self.nodes = newer.nodes.or(self.nodes);
        self.hashfull = newer.hashfull.or(self.hashfull);
        if !newer.pv.is_empty() {
            self.pv.clone_from(&newer.pv);
        }
    }
}

#[derive(Debug, Clone)]
struct DepthInfo {
    depth: u8,
    fields: InfoFields,
    /// The time from the start of the search to the last line about this depth.
    elapsed: Duration,
}

/// What the lines of a search have reported so far.
#[derive(Debug, Clone, Default)]
pub struct InfoCollector {
    /// The largest depth of a line, which may have only a bound.
    depth: Option<u8>,
    /// The depth of the last line with a bound.
    bound_depth: Option<u8>,
    latest: InfoFields,
    first_hashfull: Option<(Duration, bool)>,
    /// The depths with an exact score, or with nodes and a variation, in increasing order.
    depths: Vec<DepthInfo>,
    /// The counters of the last line `info string ttlab`.
    table: Option<TableCounters>,
    /// The first line with a score that cannot be read.
    unread: Option<String>,
}

#[derive(Default)]
struct InfoLine {
    depth: Option<u8>,
    fields: InfoFields,
    rank: Option<u64>,
    is_bound: bool,
    /// Whether the line has a score that cannot be read.
    is_unread: bool,
    /// Whether the line has `currmove`. Engines write such lines at clock intervals.
    has_currmove: bool,
}

impl InfoLine {
    /// Parses a line. Returns `None` if it is not an `info` line.
    fn parse(line: &str) -> Option<Self> {
        if first_word(line) != "info" {
            return None;
        }
        let mut words = line.split_whitespace().skip(1).peekable();
        let mut info = Self::default();
        let fields = &mut info.fields;
        while let Some(word) = words.next() {
            match word {
                "score" => info.is_unread = true,
                "string" => break,
                "depth" => info.depth = parse_number(words.next()).or(info.depth),
                "nodes" => {
                    fields.nodes =
                        parse_number(words.next()).filter(|count| (1..=MAX_NODES).contains(count)).or(fields.nodes)
                }
                "hashfull" => fields.hashfull = parse_number(words.next()).or(fields.hashfull),
                "multipv" => info.rank = parse_number(words.next()),
                "lowerbound" | "upperbound" => info.is_bound = true,
                "currmove" => info.has_currmove = true,
                "cp" => {
                    let value = parse_number::<i32>(words.next()).map(|value| value.clamp(1 - MATE, MATE - 1));
                    fields.score = value.or(fields.score);
                }
                "mate" => fields.score = parse_number(words.next()).map(mate_score).or(fields.score),
                "pv" => {
                    let moves = std::iter::from_fn(|| words.next_if(|word| is_move(word)));
                    fields.pv = moves.collect::<Vec<_>>().join(" ");
                }
                _ => {}
            }
        }
        info.is_unread &= fields.score.is_none();
        Some(info)
    }
}

/// The counters of a line `info string ttlab table.hits 3 ...`; `None` if it is another line.
///
/// # Errors
/// The name or the number that is unknown.
pub fn table_counters(line: &str) -> Option<Result<TableCounters, String>> {
    let mut words = line.split_whitespace();
    ["info", "string", TABLE_OPTION].iter().all(|word| words.next() == Some(word)).then(|| {
        let mut counters = TableCounters::default();
        while let Some(name) = words.next() {
            let counter = name.strip_prefix("table.").and_then(|name| counters.get_mut(name));
            let value = parse_number(words.next());
            let (Some(counter), Some(value)) = (counter, value) else { return Err(name.to_owned()) };
            *counter = value;
        }
        Ok(counters)
    })
}

impl InfoCollector {
    /// Adds a line that arrived `elapsed` after the start of the search. Lines other than `info`
    /// lines are ignored.
    pub fn add_line(&mut self, line: &str, elapsed: Duration) {
        if let Some(Ok(counters)) = table_counters(line) {
            self.table = Some(counters);
        }
        let Some(info) = InfoLine::parse(line) else { return };
        let InfoLine { depth, mut fields, rank, is_bound, is_unread, has_currmove } = info;
        // A line of another rank describes a variation that the engine does not prefer. Only the
        // line's nodes are used, because they are the nodes of the whole search.
        if rank.is_some_and(|rank| rank != 1) {
            self.latest.nodes = self.latest.nodes.max(fields.nodes);
            if let Some(last) = self.depths.last_mut().filter(|last| Some(last.depth) == depth) {
                last.fields.nodes = last.fields.nodes.max(fields.nodes);
                last.elapsed = elapsed;
            }
            return;
        }
        if is_bound {
            // A bound is not a score, and its variation does not belong to the last exact one.
            (fields.score, fields.pv) = (None, String::new());
        }
        self.latest.update(&fields);
        self.first_hashfull = self.first_hashfull.or(fields.hashfull.map(|_| (elapsed, depth.is_some())));
        // Engines write lines with `currmove` at clock intervals. The depths of such lines are
        // ignored, because rows must not depend on the clock.
        let (Some(depth), false) = (depth, has_currmove) else { return };
        self.depth = self.depth.max(Some(depth));
        if is_bound {
            self.bound_depth = Some(depth);
            return;
        }
        let is_finished = fields.score.is_some() || fields.nodes.is_some() && !fields.pv.is_empty();
        if is_finished && self.depths.last().is_none_or(|last| last.depth < depth) {
            self.depths.push(DepthInfo { depth, fields: InfoFields::default(), elapsed });
        }
        if let Some(last) = self.depths.last_mut().filter(|last| last.depth == depth) {
            last.fields.update(&fields);
            last.elapsed = elapsed;
            if is_unread {
                // An earlier score of this depth belongs to another variation.
                last.fields.score = None;
                self.unread.get_or_insert_with(|| line.chars().take(80).collect());
            }
        }
    }

    pub fn depth(&self) -> Option<u8> {
        self.depth
    }

    pub fn nodes(&self) -> Option<u64> {
        self.latest.nodes
    }

    /// `best` is the move of the search's `bestmove` line. Depth, score and variation are those of
    /// the last finished depth, to which all remaining nodes are added.
    pub fn into_report(self, board: &Board, best: Move, limit: Limit) -> UciReport {
        let Self { depth: deepest, bound_depth, latest, first_hashfull, mut depths, table, unread } = self;
        let InfoFields { score, nodes, hashfull, pv } = latest;
        let is_out_of_nodes = limit.nodes.zip(nodes).is_some_and(|(limit, nodes)| nodes >= limit);
        let has_unscored_depth = depths.last().is_some_and(|last| deepest > Some(last.depth));
        // Engines may stop a little before the node limit, in a depth that has no score yet.
        let truncated = is_out_of_nodes || (limit.nodes.is_some() && has_unscored_depth);
        // Nothing interrupts a search without a node limit, so its last depth has ended, even if
        // with a bound. Such a depth has nodes, but neither a score nor a variation.
        let last_depth = depths.last().map(|last| last.depth);
        if let Some(depth) = bound_depth.filter(|_| limit.nodes.is_none() && bound_depth > last_depth) {
            let fields = InfoFields { nodes, hashfull, ..InfoFields::default() };
            depths.push(DepthInfo { depth, fields, elapsed: Duration::ZERO });
        }
        let falling_nodes = find_falling_nodes(&depths);
        let (depth, score, pv) = match depths.pop() {
            Some(DepthInfo { depth, fields, .. }) => (Some(depth), fields.score, fields.pv),
            None => (deepest, score, pv),
        };
        // Depths are visited from the last to the first, because a depth is left out if its node
        // count exceeds that of a later depth.
        let mut max_nodes = nodes;
        let mut earlier_depths = Vec::new();
        for DepthInfo { depth, fields, elapsed } in depths.into_iter().rev() {
            let InfoFields { score, nodes: Some(nodes), hashfull, pv } = fields else { continue };
            let pv = parse_variation(board, &pv);
            if Some(nodes) <= max_nodes && !pv.is_empty() {
                max_nodes = Some(nodes);
                earlier_depths.push(DepthReport { depth, score, pv, nodes, hashfull, elapsed });
            }
        }
        earlier_depths.reverse();
        let pv = parse_variation(board, &pv);
        let report = UciReport { depth, score, best, pv, nodes, hashfull, first_hashfull, ..UciReport::default() };
        UciReport { truncated, falling_nodes, table, unread, earlier_depths, ..report }
    }
}

/// The first two successive depths of which the later one has the smaller node count.
fn find_falling_nodes(depths: &[DepthInfo]) -> Option<[(u8, u64); 2]> {
    let counts: Vec<_> = depths.iter().filter_map(|info| Some((info.depth, info.fields.nodes?))).collect();
    counts.windows(2).map(|pair| [pair[0], pair[1]]).find(|[earlier, later]| later.1 < earlier.1)
}

fn parse_number<T: FromStr>(word: Option<&str>) -> Option<T> {
    word?.parse().ok()
}

fn parse_variation(board: &Board, text: &str) -> Vec<Move> {
    let (mut board, mut pv) = (*board, Vec::new());
    for word in text.split_whitespace() {
        let Some(mv) = parse_move(&board, word) else { break };
        pv.push(mv);
        board.play(mv, Increments::none());
    }
    pv
}

/// The side to move mates if `moves` is positive, and is mated otherwise.
fn mate_score(moves: i32) -> Score {
    let plies = moves.saturating_abs().saturating_mul(2).saturating_sub(i32::from(moves > 0)).min(MATE);
    if moves > 0 { MATE - plies } else { plies - MATE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_uses_the_first_variation() {
        let board = Board::startpos();
        let report_of = |lines: &[&str]| {
            let mut info = InfoCollector::default();
            lines.iter().for_each(|line| info.add_line(line, Duration::ZERO));
            (info.nodes(), info.into_report(&board, parse_move(&board, "e2e4").unwrap(), Limit::default()))
        };
        let (nodes, report) = report_of(&[
            "info depth 3 seldepth 5 multipv 1 score cp 15 nodes 900 nps 1 hashfull 21 time 7 pv e2e4 e7e5",
            "info depth 4 multipv 2 score cp 99 nodes 950 hashfull 22 time 8 pv d2d4",
            "info string depth 9 nodes 1 score cp 7",
            "info currmove a2a3 nodes 1000",
            "bestmove d2d4",
        ]);
        assert_eq!((nodes, report.nodes), (Some(1000), Some(1000)));
        assert_eq!((report.depth, report.score, report.hashfull), (Some(3), Some(15), Some(21)));
        assert_eq!(report.pv.iter().map(ToString::to_string).collect::<Vec<_>>(), ["e2e4", "e7e5"]);
        assert_eq!(report.best.to_string(), "e2e4");
        let score = |score: &str| {
            let (_, report) = report_of(&["info score cp 1", &format!("info depth 1 score {score}")]);
            report.score
        };
        assert_eq!(["mate 1", "mate 3", "mate -1", "mate -3"].map(score), [31_999, 31_995, -31_998, -31_994].map(Some));
        assert_eq!(["cp -20", "cp 99999", "lower 5"].map(score), [-20, 31_999, 1].map(Some));
        // A line ends before a move that cannot be made.
        let (_, report) = report_of(&["info pv e2e4 e2e4 e7e5"]);
        assert_eq!(report.pv.len(), 1);
    }

    #[test]
    fn last_value_of_each_field_is_used() {
        let mut info = InfoCollector::default();
        // Lines as Glaurung 2.2 and GNU Chess 6.2.7 write them.
        for line in [
            "info depth 6",
            "info depth 6 seldepth 12 score cp -7 time 2 nodes 3331 pv e2e4 e7e5 e2e4",
            "info depth 6 seldepth 12 time 17 nodes 9447 nps 0",
            "info multipv 2 depth 9 score cp 400 nodes 1 pv a2a3",
            "info string depth 44 nodes 44",
            "info nodes x hashfull 3",
            "bestmove e2e4 ponder e7e5",
        ] {
            info.add_line(line, Duration::ZERO);
        }
        let board = Board::startpos();
        let best = parse_move(&board, "e2e4").unwrap();
        let mut board_after_best = board;
        board_after_best.play(best, Increments::none());
        let reply = parse_move(&board_after_best, "e7e5").unwrap();
        let expected = UciReport {
            depth: Some(6),
            score: Some(-7),
            best,
            pv: vec![best, reply],
            nodes: Some(9447),
            hashfull: Some(3),
            first_hashfull: Some((Duration::ZERO, false)),
            ..UciReport::default()
        };
        assert_eq!(info.into_report(&board, best, Limit::default()), expected);
    }

    /// The rows of a search whose lines arrive one per millisecond, as text (depth, nodes, move and
    /// score of each), and whether the last depth is truncated.
    fn rows(limit: Limit, best: &str, lines: &[&str]) -> (String, bool) {
        let (mut info, board) = (InfoCollector::default(), Board::startpos());
        lines.iter().zip(1..).for_each(|(line, millis)| info.add_line(line, Duration::from_millis(millis)));
        let report = info.into_report(&board, parse_move(&board, best).unwrap(), limit);
        let row = |(depth_report, _): &(UciReport, f64)| {
            let text = |count: Option<u64>| count.map_or("-".to_owned(), |count| count.to_string());
            let score = depth_report.score.map_or("-".to_owned(), |score| score.to_string());
            format!(
                "{}: {} {} {score}",
                text(depth_report.depth.map(u64::from)),
                text(depth_report.nodes),
                depth_report.best
            )
        };
        let by_depth = report.reports_by_depth(1.0);
        // The rows always sum to the engine's nodes and to the elapsed time.
        let (node_sum, time_sum) = by_depth.iter().fold((0, 0.0), |(node_sum, time_sum), (depth_report, seconds)| {
            (node_sum + depth_report.nodes.unwrap_or(0), time_sum + seconds)
        });
        assert_eq!(node_sum, report.nodes.unwrap_or(0));
        assert!((time_sum - 1.0).abs() < 1e-9);
        assert!(by_depth.iter().all(|(_, seconds)| *seconds >= 0.0));
        (by_depth.iter().map(row).collect::<Vec<_>>().join(", "), report.truncated)
    }

    #[test]
    fn each_depth_is_a_row_with_its_own_nodes() {
        let depth = |depth| Limit { depth: Some(depth), nodes: None };
        let nodes = |nodes| Limit { depth: None, nodes: Some(nodes) };
        // Two interim best moves, a bound, a second variation, and lines written by the clock.
        let lines = [
            "info depth 1",
            "info depth 1 score cp 5 nodes 20 pv a2a3",
            "info depth 1 score cp 7 nodes 30 pv b2b3",
            "info depth 1 time 4 nodes 50",
            "info nodes 55 nps 1000",
            "info depth 2 currmove a2a3 currmovenumber 1 nodes 57",
            "info depth 2 multipv 1 score cp 9 lowerbound nodes 60 pv h2h3",
            "info depth 2 multipv 1 score cp 8 nodes 90 pv c2c3",
            "info depth 2 multipv 2 score cp 3 nodes 120 pv g2g3",
            "info depth 2 currmove h2h3 currmovenumber 20 nodes 125",
            "info depth 3 currmove a2a3 currmovenumber 1 nodes 130",
            "info depth 3 multipv 1 score cp 6 nodes 200 pv d2d3 d7d6",
            "info nodes 210 hashfull 4",
        ];
        let (text, is_truncated) = rows(depth(3), "d2d3", &lines);
        assert_eq!((text.as_str(), is_truncated), ("1: 50 b2b3 7, 2: 70 c2c3 8, 3: 90 d2d3 6", false));
        // The search is truncated in depth 4, because it is out of nodes or because it reported no
        // exact score of depth 4.
        let with_line = |line| [&lines[..], &[line]].concat();
        // A depth with a bound alone is no depth: its nodes count in the last row.
        let bound = with_line("info depth 4 score cp 1 upperbound nodes 240 pv h2h4");
        let third_depth_is_cut = "1: 50 b2b3 7, 2: 70 c2c3 8, 3: 120 d2d3 6";
        assert_eq!(rows(nodes(240), "d2d3", &bound), (third_depth_is_cut.to_owned(), true));
        let is_truncated_at = |node_limit, lines: &[&str]| {
            let (_, is_truncated) = rows(nodes(node_limit), "d2d3", lines);
            is_truncated
        };
        assert!(is_truncated_at(250, &bound));
        let exact = with_line("info depth 4 score cp 1 nodes 240 pv d2d3");
        assert!(is_truncated_at(240, &exact));
        assert!(!is_truncated_at(250, &exact));
        // Nodes count the whole search, whichever variation comes last.
        let variations = [
            "info depth 1 multipv 1 score cp 1 nodes 10 pv a2a3",
            "info depth 1 multipv 2 score cp 0 nodes 30 pv b2b3",
        ];
        assert_eq!(rows(depth(1), "a2a3", &variations).0, "1: 30 a2a3 1");
        // A depth repeated at the stop is not a second row.
        let repeated = with_line("info depth 3 score cp 6 nodes 260 pv d2d3");
        let expected = "1: 50 b2b3 7, 2: 70 c2c3 8, 3: 140 d2d3 6";
        assert_eq!(rows(nodes(260), "d2d3", &repeated), (expected.to_owned(), true));
        assert_eq!(rows(depth(3), "d2d3", &with_line("info depth 1 score cp 0 nodes 260 pv a2a3")).0, expected);
    }

    /// The specification does not order words, and white space only separates words.
    #[test]
    fn info_words_are_parsed_in_any_order() {
        let depth = Limit { depth: Some(3), nodes: None };
        let expected = ("3: 70 d2d3 5".to_owned(), false);
        for line in [
            "info depth 3 score cp 5 nodes 70 pv d2d3 d7d6",
            " \tinfo  depth\t3 score   cp 5 nodes 70 pv d2d3 d7d6 ",
            "info pv d2d3 d7d6 nodes 70 score cp 5 depth 3",
            "info nodes 70 pv d2d3 d7d6 wdl 1 2 3 cp 5 depth 3 string nodes 9 depth 9",
            "info time x score cp 5 seldepth 9 unheard of depth 3 nodes 70",
        ] {
            assert_eq!(rows(depth, "d2d3", &[line]), expected, "{line}");
            let mut info = InfoCollector::default();
            info.add_line(line, Duration::ZERO);
            let board = Board::startpos();
            let pv = info.into_report(&board, parse_move(&board, "d2d3").unwrap(), depth).pv;
            assert_eq!(pv.len(), if line.contains("pv") { 2 } else { 0 }, "{line}");
        }
        assert_eq!(rows(depth, "d2d3", &["information depth 3", "xinfo depth 3", ""]).0, "-: - d2d3 -");
    }

    /// The bound keyword may precede or follow the number. The row has depth, score and variation
    /// of the last exact line. If there is none, it has no score.
    #[test]
    fn bound_is_not_taken_as_a_score() {
        let depth = Limit { depth: Some(2), nodes: None };
        let exact = "info depth 1 score cp 10 nodes 100 pv a2a3";
        for bound in ["cp 777 lowerbound", "lowerbound cp 777", "cp 777 upperbound", "upperbound mate 3"] {
            let bound = format!("info depth 2 score {bound} nodes 200 pv h2h4");
            assert_eq!(rows(depth, "a2a3", &[exact, &bound]).0, "1: 100 a2a3 10, 2: 100 a2a3 -", "{bound}");
            let stopped = Limit { nodes: Some(200), ..depth };
            assert_eq!(rows(stopped, "a2a3", &[exact, &bound]).0, "1: 200 a2a3 10", "{bound}");
            let mut info = InfoCollector::default();
            [exact, &bound].iter().for_each(|line| info.add_line(line, Duration::ZERO));
            let board = Board::startpos();
            assert_eq!(info.into_report(&board, parse_move(&board, "h2h4").unwrap(), depth).pv, []);
            assert_eq!(rows(depth, "a2a3", &[&bound]).0, "2: 200 a2a3 -", "{bound}");
            let twice = ["info depth 2 score cp 20 nodes 150 pv a2a3", &bound];
            assert_eq!(rows(depth, "a2a3", &[&[exact][..], &twice].concat()).0, "1: 100 a2a3 10, 2: 100 a2a3 20");
        }
    }

    /// A depth whose score cannot be read, or that has none, is a row without a score, with its own
    /// nodes. A score of another variation is not taken.
    #[test]
    fn depth_with_an_unreadable_score_has_its_row() {
        let line = |depth: u8, score: &str| format!("info depth {depth} {score} nodes {depth}00 pv a2a3");
        for (score, last, unread) in [
            ("score cp 7", "7", None),
            ("score cp +12", "12", None),
            ("", "-", None),
            ("score -INFINITE", "-", Some("info depth 3 score -INFINITE nodes 300 pv a2a3")),
            ("score cp inf", "-", Some("info depth 3 score cp inf nodes 300 pv a2a3")),
            ("score cp 12.5", "-", Some("info depth 3 score cp 12.5 nodes 300 pv a2a3")),
            ("score mate -", "-", Some("info depth 3 score mate - nodes 300 pv a2a3")),
        ] {
            let lines = [line(1, "score cp 1"), line(2, "score cp 2"), line(3, score)];
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let limit = Limit { depth: Some(3), nodes: None };
            let first_rows = "1: 100 a2a3 1, 2: 100 a2a3 2";
            assert_eq!(rows(limit, "a2a3", &lines), (format!("{first_rows}, 3: 100 a2a3 {last}"), false), "{score}");
            let deeper = [&lines[..], &["info depth 4 score cp 4 nodes 400 pv a2a3"]].concat();
            let expected = format!("{first_rows}, 3: 100 a2a3 {last}, 4: 100 a2a3 4");
            assert_eq!(rows(Limit { depth: Some(4), nodes: None }, "a2a3", &deeper).0, expected, "{score}");
            let mut info = InfoCollector::default();
            lines.iter().for_each(|line| info.add_line(line, Duration::ZERO));
            let board = Board::startpos();
            let report = info.into_report(&board, parse_move(&board, "a2a3").unwrap(), limit);
            assert_eq!(report.unread.as_deref(), unread, "{score}");
        }
        let changed = ["info depth 1 score cp 5 nodes 50 pv b2b3", "info depth 1 score cp inf nodes 60 pv a2a3"];
        assert_eq!(rows(Limit { depth: Some(1), nodes: None }, "a2a3", &changed).0, "1: 60 a2a3 -");
    }

    /// A node count is at least 1 and at most 2^53.
    #[test]
    fn implausible_node_count_is_ignored() {
        for (word, nodes) in [
            ("0", None),
            ("1", Some(1)),
            ("9007199254740992", Some(1 << 53)),
            ("9007199254740993", None),
            ("18446744073709551615", None),
            ("-1", None),
            ("1e3", None),
        ] {
            let mut info = InfoCollector::default();
            info.add_line(&format!("info depth 1 nodes {word}"), Duration::ZERO);
            assert_eq!(info.nodes(), nodes, "{word}");
        }
    }

    #[test]
    fn depth_without_nodes_or_move_is_not_a_row() {
        let depth = Limit { depth: Some(9), nodes: None };
        let info = |depth: u8, fields: &str| format!("info depth {depth} score cp {depth} {fields}");
        let lines = [
            info(1, "pv a2a3"),
            info(2, "nodes 20"),
            info(3, "nodes 25 pv a2a4 a2a4"),
            info(4, "nodes 26 pv e7e5"),
            info(7, "nodes 30 pv b2b3"),
            info(9, "nodes 70 pv c2c3"),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(rows(depth, "c2c3", &lines).0, "3: 25 a2a4 3, 7: 5 b2b3 7, 9: 40 c2c3 9");
        // Where an engine counts each depth separately, only counts that can be part of the total
        // are used.
        let falling = [info(1, "nodes 50 pv a2a3"), info(2, "nodes 90 pv a2a3"), info(3, "nodes 60 pv a2a3")];
        let falling: Vec<&str> = falling.iter().map(String::as_str).collect();
        assert_eq!(rows(depth, "a2a3", &falling).0, "1: 50 a2a3 1, 3: 10 a2a3 3");
        let mut info = InfoCollector::default();
        falling.iter().for_each(|line| info.add_line(line, Duration::ZERO));
        let board = Board::startpos();
        let report = info.into_report(&board, parse_move(&board, "a2a3").unwrap(), depth);
        assert_eq!(report.falling_nodes, Some([(2, 90), (3, 60)]));
        assert_eq!(rows(depth, "e2e4", &["info depth 1 score cp 1 pv a2a3", "info depth 2 pv e2e4"]).0, "1: - e2e4 1");
        assert_eq!(rows(depth, "e2e4", &[]).0, "-: - e2e4 -");
    }

    #[test]
    fn mate_score_is_by_plies() {
        for (moves, score) in [(1, 31_999), (2, 31_997), (-1, -31_998), (0, -32_000), (i32::MIN, 0), (i32::MAX, 0)] {
            assert_eq!(mate_score(moves), score, "mate {moves}");
        }
    }
}
