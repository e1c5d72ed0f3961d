//! What an engine says of a search: its `info` lines, and what they come to.
//!
//! Source: the description of the universal chess interface of April 2006 (S. Meyer-Kahlen). Words come in any order and unknown ones are
//! skipped, as it asks; some engines write `nodes` or `hashfull` on lines of their own, so the last of each is kept.

use super::protocol::{first_word, is_move};
use super::{Earlier, UciReport};
use crate::chess::{Board, Increments, Move, Score, named};
use crate::engine::Limit;
use std::str::FromStr;
use std::time::Duration;

/// Scores of mates are below this by their plies.
const MATE: Score = 32_000;

/// Counts above this are no counts: the largest whole number that every reader of the rows reads exactly.
const MOST_NODES: u64 = 1 << 53;

/// What was said of a search, or of one of its depths: the last of each figure.
#[derive(Debug, Clone, Default)]
struct Figures {
    score: Option<Score>,
    nodes: Option<u64>,
    hashfull: Option<u16>,
    milliseconds: Option<u64>,
    /// The variation: text until it is asked for.
    pv: String,
}

impl Figures {
    fn take(&mut self, info: &Self) {
        self.score = info.score.or(self.score);
        self.nodes = info.nodes.or(self.nodes);
        self.hashfull = info.hashfull.or(self.hashfull);
        self.milliseconds = info.milliseconds.or(self.milliseconds);
        if !info.pv.is_empty() {
            self.pv.clone_from(&info.pv);
        }
    }
}

/// What a search's lines have said so far.
#[derive(Debug, Clone, Default)]
pub struct InfoCollector {
    depth: Option<u8>,
    whole: Figures,
    /// The depths of which a score was told that is no bound, each deeper than the one before, with the time of its last line.
    depths: Vec<(u8, Figures, Duration)>,
}

/// What one `info` line says.
#[derive(Default)]
struct InfoLine {
    depth: Option<u8>,
    figures: Figures,
    /// Its variation's rank, of several.
    rank: Option<u64>,
    /// Whether its score is a bound alone.
    bound: bool,
    /// Whether it tells which move is being searched: such lines come by the clock.
    current: bool,
}

impl InfoLine {
    /// Reads a line; none if it is no `info`.
    fn read(line: &str) -> Option<Self> {
        (first_word(line) == "info").then_some(())?;
        let mut words = line.split_whitespace().skip(1).peekable();
        let mut info = Self::default();
        let figures = &mut info.figures;
        while let Some(word) = words.next() {
            match word {
                "string" => break,
                "depth" => info.depth = number(words.next()).or(info.depth),
                "nodes" => figures.nodes = number(words.next()).filter(is_count).or(figures.nodes),
                "hashfull" => figures.hashfull = number(words.next()).or(figures.hashfull),
                "time" => figures.milliseconds = number(words.next()).or(figures.milliseconds),
                "multipv" => info.rank = number(words.next()),
                "lowerbound" | "upperbound" => info.bound = true,
                "currmove" => info.current = true,
                "cp" => {
                    let value = number::<i32>(words.next()).map(|value| value.clamp(1 - MATE, MATE - 1));
                    figures.score = value.or(figures.score);
                }
                "mate" => figures.score = number(words.next()).map(mate).or(figures.score),
                "pv" => {
                    let moves = std::iter::from_fn(|| words.next_if(|word| is_move(word)));
                    figures.pv = moves.collect::<Vec<_>>().join(" ");
                }
                _ => {}
            }
        }
        Some(info)
    }
}

impl InfoCollector {
    /// Takes an `info` line that came so long after the search began; other lines say nothing here.
    pub fn take(&mut self, line: &str, at: Duration) {
        let Some(InfoLine { depth, figures: mut info, rank, bound, current }) = InfoLine::read(line) else { return };
        // Of several variations only the first is the engine's choice; nodes are of the whole search.
        if rank.is_some_and(|rank| rank != 1) {
            self.whole.nodes = self.whole.nodes.max(info.nodes);
            if let Some((_, last, until)) = self.depths.last_mut().filter(|last| Some(last.0) == depth) {
                (last.nodes, *until) = (last.nodes.max(info.nodes), at);
            }
            return;
        }
        if bound {
            // How far a score is from a bound nobody knows: the last exact one stays.
            info.score = None;
        }
        self.whole.take(&info);
        // What came by the clock would make rows of it.
        let Some(depth) = depth.filter(|_| !current) else { return };
        self.depth = self.depth.max(Some(depth));
        if bound {
            return;
        }
        if info.score.is_some() && self.depths.last().is_none_or(|last| last.0 < depth) {
            self.depths.push((depth, Figures::default(), at));
        }
        if let Some((_, last, until)) = self.depths.last_mut().filter(|last| last.0 == depth) {
            last.take(&info);
            *until = at;
        }
    }

    /// The deepest depth so far.
    pub fn depth(&self) -> Option<u8> {
        self.depth
    }

    /// Nodes so far.
    pub fn nodes(&self) -> Option<u64> {
        self.whole.nodes
    }

    /// All that was said of a search under a limit, with the move of the answer.
    pub fn end(self, board: &Board, best: Move, limit: Limit) -> UciReport {
        let Self { depth, whole: Figures { score, nodes, hashfull, milliseconds, pv }, depths } = self;
        let out_of_nodes = limit.nodes.zip(nodes).is_some_and(|(limit, nodes)| nodes >= limit);
        let scored = depths.last().is_none_or(|last| depth <= Some(last.0));
        let cut = out_of_nodes || limit.nodes.is_some() && !scored;
        // From the end: what a depth counted can be no more than what was counted after it.
        let mut most = nodes;
        let mut earlier = Vec::new();
        for (depth, report, at) in depths.into_iter().rev().filter(|report| Some(report.0) < depth) {
            let Figures { score: Some(score), nodes: Some(nodes), hashfull, milliseconds, pv } = report else {
                continue;
            };
            let pv = variation(board, &pv);
            if Some(nodes) <= most && !pv.is_empty() {
                most = Some(nodes);
                earlier.push(Earlier { depth, score, pv, nodes, hashfull, milliseconds, at });
            }
        }
        earlier.reverse();
        let pv = variation(board, &pv);
        UciReport { depth, score, best, pv, nodes, hashfull, milliseconds, cut, earlier }
    }
}

/// Whether a number of nodes can be one: a search has one at least.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_count(nodes: &u64) -> bool {
    (1..=MOST_NODES).contains(nodes)
}

fn number<T: FromStr>(word: Option<&str>) -> Option<T> {
    word?.parse().ok()
}

/// The moves of a variation, up to the first that cannot be made.
fn variation(board: &Board, text: &str) -> Vec<Move> {
    let (mut board, mut pv) = (*board, Vec::new());
    for word in text.split_whitespace() {
        let Some(mv) = named(&board, word) else { break };
        pv.push(mv);
        board.play(mv, Increments::none());
    }
    pv
}

/// The score of a mate in so many moves, of the side to move if above 0.
fn mate(moves: i32) -> Score {
    let plies = moves.saturating_abs().saturating_mul(2).saturating_sub(i32::from(moves > 0)).min(MATE);
    if moves > 0 { MATE - plies } else { plies - MATE }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_the_first_variation_counts() {
        let board = Board::startpos();
        let end = |lines: &[&str]| {
            let mut heard = InfoCollector::default();
            lines.iter().for_each(|line| heard.take(line, Duration::ZERO));
            (heard.nodes(), heard.end(&board, named(&board, "e2e4").unwrap(), Limit::default()))
        };
        let (nodes, report) = end(&[
            "info depth 3 seldepth 5 multipv 1 score cp 15 nodes 900 nps 1 hashfull 21 time 7 pv e2e4 e7e5",
            "info depth 4 multipv 2 score cp 99 nodes 950 hashfull 22 time 8 pv d2d4",
            "info string depth 9 nodes 1 score cp 7",
            "info currmove a2a3 nodes 1000",
            "bestmove d2d4",
        ]);
        assert_eq!((nodes, report.nodes), (Some(1000), Some(1000)));
        assert_eq!(
            (report.depth, report.score, report.hashfull, report.milliseconds),
            (Some(3), Some(15), Some(21), Some(7))
        );
        assert_eq!(report.pv.iter().map(ToString::to_string).collect::<Vec<_>>(), ["e2e4", "e7e5"]);
        assert_eq!(report.best.to_string(), "e2e4");
        let score = |info: &str| end(&["info score cp 1", &format!("info depth 1 score {info}")]).1.score;
        assert_eq!(["mate 1", "mate 3", "mate -1", "mate -3"].map(score), [31_999, 31_995, -31_998, -31_994].map(Some));
        assert_eq!(["cp -20", "cp 99999", "lower 5"].map(score), [-20, 31_999, 1].map(Some));
        // A line ends before a move that cannot be made.
        assert_eq!(end(&["info pv e2e4 e2e4 e7e5"]).1.pv.len(), 1);
    }

    #[test]
    fn the_last_of_each_figure_is_kept_wherever_it_stands() {
        let mut heard = InfoCollector::default();
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
            heard.take(line, Duration::ZERO);
        }
        let board = Board::startpos();
        let best = named(&board, "e2e4").unwrap();
        let reply = named(
            &{
                let mut next = board;
                next.play(best, Increments::none());
                next
            },
            "e7e5",
        )
        .unwrap();
        let expected = UciReport {
            depth: Some(6),
            score: Some(-7),
            best,
            pv: vec![best, reply],
            nodes: Some(9447),
            hashfull: Some(3),
            milliseconds: Some(17),
            ..UciReport::default()
        };
        assert_eq!(heard.end(&board, best, Limit::default()), expected);
    }

    /// What a search's rows are: depth, nodes, move and score of each, and whether its last depth was cut short.
    fn rows(limit: Limit, best: &str, lines: &[&str]) -> (String, bool) {
        let (mut heard, board) = (InfoCollector::default(), Board::startpos());
        lines.iter().zip(1..).for_each(|(line, at)| heard.take(line, Duration::from_millis(at)));
        let report = heard.end(&board, named(&board, best).unwrap(), limit);
        let row = |(of, _): &(UciReport, f64)| {
            let number = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
            let score = of.score.map_or("-".to_owned(), |score| score.to_string());
            format!("{}: {} {} {score}", number(of.depth.map(u64::from)), number(of.nodes), of.best)
        };
        let by_depth = report.by_depth(1.0);
        // Whatever the rows are, they add up to what the engine told and to the time that passed.
        let sums = by_depth.iter().fold((0, 0.0), |sum, (of, s)| (sum.0 + of.nodes.unwrap_or(0), sum.1 + s));
        assert_eq!(sums.0, report.nodes.unwrap_or(0));
        assert!((sums.1 - 1.0).abs() < 1e-9 && by_depth.iter().all(|(_, seconds)| *seconds >= 0.0));
        (by_depth.iter().map(row).collect::<Vec<_>>().join(", "), report.cut)
    }

    #[test]
    fn each_depth_is_a_row_and_counts_what_came_on_top() {
        let depth = |depth| Limit { depth: Some(depth), nodes: None };
        let nodes = |nodes| Limit { depth: None, nodes: Some(nodes) };
        // Two moves that were best for a while, a bound, a second variation, and what comes by the clock.
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
        let (report, cut) = rows(depth(3), "d2d3", &lines);
        assert_eq!((report.as_str(), cut), ("1: 50 b2b3 7, 2: 70 c2c3 8, 3: 90 d2d3 6", false));
        // Cut short in depth 4: by its nodes, or since it never told a score of it; the answer is the last row's.
        let more = |line| [&lines[..], &[line]].concat();
        // A bound is no score: the row has the last exact one.
        let cut_short = "1: 50 b2b3 7, 2: 70 c2c3 8, 3: 80 d2d3 6, 4: 40 d2d3 6";
        let bound = more("info depth 4 score cp 1 upperbound nodes 240 pv d2d3");
        assert_eq!(rows(nodes(240), "d2d3", &bound), (cut_short.to_owned(), true));
        assert!(rows(nodes(250), "d2d3", &bound).1);
        assert!(rows(nodes(240), "d2d3", &more("info depth 4 score cp 1 nodes 240 pv d2d3")).1);
        assert!(!rows(nodes(250), "d2d3", &more("info depth 4 score cp 1 nodes 240 pv d2d3")).1);
        // Nodes are of the whole search, whichever variation is told last.
        let variations = [
            "info depth 1 multipv 1 score cp 1 nodes 10 pv a2a3",
            "info depth 1 multipv 2 score cp 0 nodes 30 pv b2b3",
        ];
        assert_eq!(rows(depth(1), "a2a3", &variations).0, "1: 30 a2a3 1");
        // A depth that is told again at the stop is no second row.
        let again = more("info depth 3 score cp 6 nodes 260 pv d2d3");
        let report = "1: 50 b2b3 7, 2: 70 c2c3 8, 3: 140 d2d3 6";
        assert_eq!(rows(nodes(260), "d2d3", &again), (report.to_owned(), true));
        assert_eq!(
            rows(depth(3), "d2d3", &more("info depth 1 score cp 0 nodes 260 pv a2a3")).0,
            report.replace(" 6", " 0")
        );
    }

    /// The description has no order of words, and white space means nothing but an end of a word; a line says what it says to its end.
    #[test]
    fn words_are_read_in_any_order() {
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
            let mut heard = InfoCollector::default();
            heard.take(line, Duration::ZERO);
            let board = Board::startpos();
            let pv = heard.end(&board, named(&board, "d2d3").unwrap(), depth).pv;
            assert_eq!(pv.len(), if line.contains("pv") { 2 } else { 0 }, "{line}");
        }
        assert_eq!(rows(depth, "d2d3", &["information depth 3", "xinfo depth 3", ""]).0, "-: - d2d3 -");
    }

    /// A bound is told before or behind its number; the score is the last that is none, and no score where all are bounds.
    #[test]
    fn a_bound_is_no_score_wherever_the_word_stands() {
        let depth = Limit { depth: Some(2), nodes: None };
        let exact = "info depth 1 score cp 10 nodes 100 pv a2a3";
        for bound in ["cp 777 lowerbound", "lowerbound cp 777", "cp 777 upperbound", "upperbound mate 3"] {
            let bound = format!("info depth 2 score {bound} nodes 200 pv a2a3");
            assert_eq!(rows(depth, "a2a3", &[exact, &bound]).0, "1: 100 a2a3 10, 2: 100 a2a3 10", "{bound}");
            assert_eq!(rows(depth, "a2a3", &[&bound]).0, "2: 200 a2a3 -", "{bound}");
            let twice = ["info depth 2 score cp 20 nodes 150 pv a2a3", &bound];
            assert_eq!(rows(depth, "a2a3", &[&[exact][..], &twice].concat()).0, "1: 100 a2a3 10, 2: 100 a2a3 20");
        }
    }

    /// A search has a node at least, and no more than can be told exactly.
    #[test]
    fn what_cannot_be_a_count_of_nodes_is_none() {
        for (word, nodes) in [
            ("0", None),
            ("1", Some(1)),
            ("9007199254740992", Some(1 << 53)),
            ("9007199254740993", None),
            ("18446744073709551615", None),
            ("-1", None),
            ("1e3", None),
        ] {
            let mut heard = InfoCollector::default();
            heard.take(&format!("info depth 1 nodes {word}"), Duration::ZERO);
            assert_eq!(heard.nodes(), nodes, "{word}");
        }
    }

    #[test]
    fn a_depth_without_nodes_or_move_is_no_row_of_its_own() {
        let depth = Limit { depth: Some(9), nodes: None };
        let info = |depth: u8, more: &str| format!("info depth {depth} score cp {depth} {more}");
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
        // Counts of each depth by itself, where they fall: only what can be a part of the whole is one.
        let falling = [info(1, "nodes 50 pv a2a3"), info(2, "nodes 90 pv a2a3"), info(3, "nodes 60 pv a2a3")];
        let falling: Vec<&str> = falling.iter().map(String::as_str).collect();
        assert_eq!(rows(depth, "a2a3", &falling).0, "1: 50 a2a3 1, 3: 10 a2a3 3");
        assert_eq!(rows(depth, "e2e4", &["info depth 1 score cp 1 pv a2a3", "info depth 2 pv e2e4"]).0, "2: - e2e4 1");
        assert_eq!(rows(depth, "e2e4", &[]).0, "-: - e2e4 -");
    }

    #[test]
    fn mates_are_scores_by_their_plies() {
        for (moves, score) in [(1, 31_999), (2, 31_997), (-1, -31_998), (0, -32_000), (i32::MIN, 0), (i32::MAX, 0)] {
            assert_eq!(mate(moves), score, "mate {moves}");
        }
    }
}
