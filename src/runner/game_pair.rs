//! Runs a job of a match, which is a pair of games from the same opening with colours swapped. Both
//! players are reset before each game, so that the game depends only on the players, the opening
//! and the limits.

use super::job::JobRow;
use super::search::{Interrupt, none_if_interrupted, run_search};
use crate::chess::ending::{Ending, ending};
use crate::chess::{Board, Color, Increments, Move, MoveList, Score, legal};
use crate::engine::options::Mate;
use crate::engine::{Iteration, Limit, SearchCounters};
use crate::experiment::{Experiment, Job, Match, matches};
use crate::record::{GameRecord, MoveSearch, games};
use crate::subject::{Position, Subject, UciReport};
use crate::table::{Occupancy, TableCounters, ThreadCounters};
use std::sync::atomic::AtomicBool;

pub struct Player<'a> {
    pub name: &'a str,
    pub subject: &'a mut dyn Subject,
    pub limit: Limit,
    pub mate: Mate,
}

impl Player<'_> {
    fn add_name_to_error(&self, interrupt: Interrupt) -> Interrupt {
        interrupt.map(|error| format!("{}: {error}", self.name))
    }
}

/// The sums over a player's searches in a game.
#[derive(Default)]
struct PlayerTotals {
    search: SearchCounters,
    table: TableCounters,
    threads: ThreadCounters,
    occupancy: Occupancy,
    depths: u64,
    /// The number of moves that the player played without a finished iteration.
    unsearched_moves: u64,
    seconds: f64,
    is_external: bool,
}

/// Plays both games of a pair. `players` are the job's variant and then its opponent. Returns one
/// row for each game, or `None` if the games are interrupted.
pub fn play(
    experiment: &Experiment,
    job: &Job,
    players: &mut [Player<'_>],
    stop: &AtomicBool,
) -> Result<Option<Vec<JobRow>>, String> {
    let rules = experiment.work.games().cloned().unwrap_or_default();
    let start = matches::opening_position(&experiment.suite.items[job.item]);
    let games = [true, false].into_iter().map(|first_player_is_white| {
        let (totals, game) = play_game(&rules, &start, players, first_player_is_white, stop)?;
        Ok(totals.into_row(job.item, game))
    });
    none_if_interrupted(games.collect())
}

/// Plays one game. Returns the totals of the first player and the record of the game.
fn play_game(
    rules: &Match,
    start: &Board,
    players: &mut [Player<'_>],
    first_player_is_white: bool,
    stop: &AtomicBool,
) -> Result<(PlayerTotals, GameRecord), Interrupt> {
    for player in players.iter_mut() {
        let result = player.subject.start().and_then(|()| player.subject.new_game());
        result.map_err(|failure| player.add_name_to_error(Some(failure.to_string())))?;
    }
    let (mut board, mut past, mut moves, mut searches) = (*start, Vec::new(), Vec::new(), Vec::new());
    let mut totals = [PlayerTotals::default(), PlayerTotals::default()];
    let mut adjudicator = Adjudicator::default();
    let (winner, end) = loop {
        if let Some(game_ending) = ending(&board, &past) {
            break ((game_ending == Ending::Mate).then_some(!board.turn()), games::ending_word(game_ending));
        }
        if let Some(decision) = adjudicator.verdict(rules) {
            break decision;
        }
        if moves.len() >= 2 * usize::from(rules.max_moves) {
            break (None, games::TOO_LONG);
        }
        let mover = usize::from((board.turn() == Color::White) != first_player_is_white);
        let position = Position { start, moves: &moves, past: &past, board: &board };
        let (best, search) = search_move(&mut players[mover], &position, stop, &mut totals[mover])?;
        adjudicator.add_score(board.turn(), search.score, rules);
        past.push(board);
        moves.push(best);
        searches.push(search);
        board.play(best, Increments::none());
    };
    let [player_totals, opponent_totals] = totals;
    let game = GameRecord {
        white: first_player_is_white,
        winner,
        end,
        depths: player_totals.depths,
        unsearched_moves: player_totals.unsearched_moves,
        opponent_nodes: opponent_totals.search.nodes,
        start: *start,
        moves,
        searches,
    };
    Ok((player_totals, game))
}

impl PlayerTotals {
    /// Only fields that are sums over the game are filled in. For an external engine, only the
    /// nodes are filled in.
    fn into_row(self, item: usize, game: GameRecord) -> JobRow {
        let Self { search, table, threads, occupancy, seconds, is_external, .. } = self;
        let nodes = Some(search.nodes).filter(|&nodes| nodes > 0);
        let counters = Some(table).filter(|&counters| counters != TableCounters::default());
        let report = is_external.then(|| UciReport { nodes, table: counters, ..UciReport::default() });
        let iteration = Iteration { search, table, threads, occupancy, ..UciReport::default().to_iteration() };
        JobRow { report, game: Some(Box::new(game)), ..JobRow::new(item, iteration, seconds) }
    }
}

/// Searches a position and adds the counts of the search to the player's totals. Returns the move
/// to play, and the score, depth and nodes of the search.
fn search_move(
    player: &mut Player<'_>,
    position: &Position<'_>,
    stop: &AtomicBool,
    totals: &mut PlayerTotals,
) -> Result<(Move, MoveSearch), Interrupt> {
    let record = run_search(player.subject, position, player.limit, stop)
        .map_err(|interrupt| player.add_name_to_error(interrupt))?;
    let move_search = MoveSearch {
        score: record.score,
        mate: record.score.and_then(|score| player.mate.moves_to_mate(score)),
        depth: record.depth,
        nodes: record.nodes,
    };
    totals.seconds += record.seconds;
    totals.depths += u64::from(record.depth);
    for (iteration, _) in &record.iterations {
        totals.search += iteration.search;
        totals.table += iteration.table;
        totals.threads += iteration.threads;
        totals.occupancy = iteration.occupancy;
    }
    if let Some(report) = &record.report {
        totals.is_external = true;
        totals.search.nodes += record.nodes.unwrap_or(0);
        totals.table += report.table.unwrap_or_default();
    }
    let mut mv = record.best;
    if mv.is_none() {
        // No iteration was finished within the limit, so the first legal move is played.
        // `ttlab uci` would play the same move.
        totals.unsearched_moves += 1;
        let mut moves = MoveList::new();
        legal(position.board, &mut moves);
        mv = moves.first().copied().unwrap_or(Move::NONE);
    }
    Ok((mv, move_search))
}

/// Adjudicates games by the players' scores. A game is decided if the scores of both sides agree on
/// the result for a number of moves in a row.
#[derive(Debug, Default)]
struct Adjudicator {
    /// For White and Black, the number of moves in a row with a lost score.
    losing_streak: [u16; 2],
    /// For White and Black, the number of moves in a row with a won score.
    winning_streak: [u16; 2],
    /// For White and Black, the number of moves in a row with a level score.
    level_streak: [u16; 2],
    /// The number of moves that both sides have played together.
    plies: usize,
}

impl Adjudicator {
    /// Adds the score of a move to the counts of moves in a row. If the move has no score, all
    /// counts of this side start again from 0.
    fn add_score(&mut self, mover: Color, score: Option<Score>, rules: &Match) {
        self.plies += 1;
        let side = usize::from(mover == Color::Black);
        let update =
            |streak: &mut u16, is_continued: bool| *streak = if is_continued { streak.saturating_add(1) } else { 0 };
        let score = score.map(i64::from);
        let resign_score = rules.resign.map(|resign| i64::from(resign.score));
        update(&mut self.losing_streak[side], resign_score.zip(score).is_some_and(|(min, score)| score <= -min));
        update(&mut self.winning_streak[side], resign_score.zip(score).is_some_and(|(min, score)| score >= min));
        let draw_score = rules.draw.map(|draw| i64::from(draw.score));
        update(&mut self.level_streak[side], draw_score.zip(score).is_some_and(|(max, score)| score.abs() <= max));
    }

    /// The winner is `None` if the game is drawn.
    fn verdict(&self, rules: &Match) -> Option<(Option<Color>, &'static str)> {
        if let Some(resign) = rules.resign {
            // In each array, the count of White has index 0, and the count of Black has index 1.
            for (loser, winner) in [(0, Color::Black), (1, Color::White)] {
                if self.losing_streak[loser] >= resign.moves && self.winning_streak[1 - loser] >= resign.moves {
                    return Some((Some(winner), games::RESIGNED));
                }
            }
        }
        let draw = rules.draw?;
        let is_level = self.level_streak.iter().all(|&moves| moves >= draw.moves);
        (is_level && self.plies >= 2 * usize::from(draw.from)).then_some((None, games::AGREED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_move;
    use crate::experiment::matches::{Draw, Resign};
    use crate::subject::{EngineFault, Failure, SearchEnd, SearchEvent, UCI_MATE};

    /// Adds the scores one by one, White's first. Returns how many were added when the first
    /// verdict was reached, and this verdict.
    fn first_verdict(rules: &Match, scores: &[Option<Score>]) -> Option<(usize, (Option<Color>, &'static str))> {
        let mut adjudicator = Adjudicator::default();
        scores.iter().enumerate().find_map(|(index, &score)| {
            let mover = if index % 2 == 0 { Color::White } else { Color::Black };
            adjudicator.add_score(mover, score, rules);
            adjudicator.verdict(rules).map(|verdict| (index + 1, verdict))
        })
    }

    #[test]
    fn resignation_needs_both_scores_for_moves_in_a_row() {
        let rules = Match { resign: Some(Resign { score: 500, moves: 2 }), ..Match::default() };
        let white_wins = Some((4, (Some(Color::White), games::RESIGNED)));
        assert_eq!(first_verdict(&rules, &[500, -500, 600, -700].map(Some)), white_wins);
        assert_eq!(first_verdict(&rules, &[500, -499, 600, -700].map(Some)), None);
        let winner = first_verdict(&rules, &[-900, 800, -900, 800].map(Some)).map(|(_, (winner, _))| winner);
        assert_eq!(winner, Some(Some(Color::Black)));
        // Only one side; not in a row; a missing score.
        assert_eq!(first_verdict(&rules, &[500, 0, 500, 0, 500, 0].map(Some)), None);
        assert_eq!(first_verdict(&rules, &[500, -500, 0, -500, 500, -500].map(Some)), None);
        assert_eq!(first_verdict(&rules, &[Some(500), Some(-500), Some(500), None, Some(500), Some(-500)]), None);
    }

    #[test]
    fn draw_needs_level_scores_from_the_given_move() {
        let draw_rules = |from| Match { draw: Some(Draw { score: 10, moves: 2, from }), ..Match::default() };
        let level_scores = [10, -10, 0, 5, 0, 0].map(Some);
        assert_eq!(first_verdict(&draw_rules(0), &level_scores), Some((4, (None, games::AGREED))));
        let scores_needed =
            |from, scores: &[Option<Score>]| first_verdict(&draw_rules(from), scores).map(|(count, _)| count);
        assert_eq!(scores_needed(3, &level_scores), Some(6));
        assert_eq!(scores_needed(0, &[10, -11, 0, 5, 0, 0].map(Some)), Some(6));
        assert_eq!(first_verdict(&Match::default(), &[0; 40].map(Some)), None);
    }

    /// A subject that plays the given move at each ply and reports three iterations, or, as an
    /// external engine, one report.
    struct Book {
        moves: &'static [&'static str],
        /// The score that it reports, in centipawns; `None`: it reports no score.
        score: Option<Score>,
        external: bool,
        log: Vec<String>,
        /// The ply at which it finishes no iteration.
        blind_ply: Option<usize>,
        /// The ply at which it fails.
        failing_ply: Option<usize>,
        /// The ply at which it is interrupted.
        stopped_ply: Option<usize>,
        /// Whether it refuses to begin a game.
        refuses: bool,
    }

    fn book(moves: &'static [&'static str], score: Score) -> Book {
        Book {
            moves,
            score: Some(score),
            external: false,
            log: Vec::new(),
            blind_ply: None,
            failing_ply: None,
            stopped_ply: None,
            refuses: false,
        }
    }

    impl Subject for Book {
        fn start(&mut self) -> Result<(), Failure> {
            self.log.push("start".to_owned());
            Ok(())
        }

        fn new_game(&mut self) -> Result<(), Failure> {
            self.log.push("new".to_owned());
            match self.refuses {
                true => Err(Failure {
                    fault: EngineFault::NoMove,
                    request: "ucinewgame".to_owned(),
                    table: String::new(),
                    tail: Vec::new(),
                }),
                false => Ok(()),
            }
        }

        fn search(
            &mut self,
            position: Position<'_>,
            limit: Limit,
            _: &AtomicBool,
            watch: &mut dyn FnMut(SearchEvent<'_>),
        ) -> Result<SearchEnd, Failure> {
            let ply = position.moves.len();
            assert_eq!(position.past.len(), ply);
            self.log.push(format!("{ply} {:?}", limit.nodes));
            if self.failing_ply == Some(ply) {
                return Err(Failure {
                    fault: EngineFault::NoMove,
                    request: "go".to_owned(),
                    table: String::new(),
                    tail: Vec::new(),
                });
            }
            if self.stopped_ply == Some(ply) {
                return Ok(SearchEnd::Stopped);
            }
            let best = parse_move(position.board, self.moves[ply]).unwrap();
            let is_blind = self.blind_ply == Some(ply);
            watch(SearchEvent::Begin);
            std::thread::sleep(NAP);
            watch(SearchEvent::End);
            if self.external {
                let depth = Some(4).filter(|_| !is_blind);
                watch(SearchEvent::Report(&UciReport {
                    depth,
                    score: self.score,
                    nodes: Some(70),
                    ..UciReport::default()
                }));
            } else {
                for (depth, nodes, finished) in [(1, 10, !is_blind), (2, 25, !is_blind), (3, 100, false)] {
                    let report = UciReport {
                        depth: Some(depth),
                        score: self.score.map(|score| score + i32::from(depth) - 2),
                        nodes: Some(nodes),
                        truncated: !finished,
                        ..UciReport::default()
                    };
                    let mut iteration = report.to_iteration();
                    iteration.table.probes = nodes / 5;
                    iteration.occupancy.occupied = nodes;
                    watch(SearchEvent::Iteration(&iteration));
                }
            }
            Ok(SearchEnd::Best(if is_blind { Move::NONE } else { best }))
        }

        fn quit(&mut self) {}
    }

    fn play_pair(first: &mut Book, second: &mut Book, rules: &str) -> Result<Option<Vec<JobRow>>, String> {
        let text = format!(
            "suite = {{ startpos = true }}\nlimit = {{ nodes = 9 }}\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n[match]\n{rules}\n"
        );
        let experiment =
            Experiment::parse(&text, std::path::Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
        let job = crate::experiment::Plan::new(&experiment).jobs().next().unwrap();
        let limit = |nodes| Limit { depth: None, nodes: Some(nodes) };
        let mut players = [
            Player { name: "one", subject: first, limit: limit(11), mate: Mate::default() },
            Player { name: "two", subject: second, limit: limit(22), mate: UCI_MATE },
        ];
        play(&experiment, &job, &mut players, &AtomicBool::new(false))
    }

    /// The minimum time of each search.
    const NAP: std::time::Duration = std::time::Duration::from_millis(2);

    const MATE: &[&str] = &["f2f3", "e7e5", "g2g4", "d8h4"];

    /// Plays fool's mate twice with colours swapped: the first player is mated as White, then mates
    /// as Black.
    #[test]
    fn rows_of_a_pair_show_the_first_players_view() {
        let (mut first, mut second) = (book(MATE, 30), book(MATE, -200));
        let rows = play_pair(&mut first, &mut second, "").unwrap().unwrap();
        let summarize = |row: &JobRow| {
            let game = row.game.as_deref().unwrap();
            let scores: Vec<Score> = game.searches.iter().map(|search| search.score.unwrap()).collect();
            assert!(game.searches.iter().all(|search| (search.depth, search.nodes) == (2, Some(135))));
            let moves: Vec<String> = game.moves.iter().map(ToString::to_string).collect();
            assert_eq!(
                (moves, game.start, game.end),
                (MATE.iter().map(|mv| (*mv).to_owned()).collect(), Board::startpos(), "mate")
            );
            // The time is the sum of both searches of the player.
            assert!(row.seconds >= 2.0 * NAP.as_secs_f64());
            let Iteration { search, table, threads: _, occupancy, finished, depth, deepest, score, best, pv, anatomy } =
                &row.iteration;
            // Columns of a single search are empty in a game's row.
            assert!((depth, deepest, score) == (&0, &0, &0));
            assert!(best.is_none());
            assert!(pv.is_empty());
            assert!(anatomy.is_none());
            assert!(*finished);
            assert!(row.report.is_none());
            assert!(row.solved.is_none());
            assert!(row.ply.is_none());
            assert_eq!(row.item, 0);
            let GameRecord { depths, unsearched_moves, opponent_nodes, .. } = *game;
            let counts = [search.nodes, table.probes, occupancy.occupied, depths, unsearched_moves, opponent_nodes];
            (game.white, game.winner, scores, counts)
        };
        // Two moves with three iterations of 10, 25 and 100 nodes; the last one that finished has
        // depth 2 and the exact score.
        let counts = [270, 54, 100, 4, 0, 270];
        assert_eq!(summarize(&rows[0]), (true, Some(Color::Black), vec![30, -200, 30, -200], counts));
        assert_eq!(summarize(&rows[1]), (false, Some(Color::Black), vec![-200, 30, -200, 30], counts));
        assert_eq!(first.log, ["start", "new", "0 Some(11)", "2 Some(11)", "start", "new", "1 Some(11)", "3 Some(11)"]);
        assert_eq!(
            second.log,
            ["start", "new", "1 Some(22)", "3 Some(22)", "start", "new", "0 Some(22)", "2 Some(22)"]
        );
        // An external engine reports only nodes; the scores that it does not report are empty.
        let (mut first, mut second) = (Book { external: true, score: None, ..book(MATE, 0) }, book(MATE, 5));
        let rows = play_pair(&mut first, &mut second, "").unwrap().unwrap();
        for (row, scores) in rows.iter().zip([[None, Some(5), None, Some(5)], [Some(5), None, Some(5), None]]) {
            let game = row.game.as_deref().unwrap();
            assert_eq!(row.report.as_ref().and_then(|report| report.nodes), Some(140));
            let searched: Vec<Option<Score>> = game.searches.iter().map(|search| search.score).collect();
            assert_eq!(
                (row.iteration.search.nodes, game.depths, game.opponent_nodes, &searched[..]),
                (140, 8, 270, &scores[..])
            );
        }
    }

    /// For ttlab, a score of 31,000 less 3 plies is a mate in two. For a UCI engine, minus 32,000
    /// plus 4 plies is being mated in two.
    #[test]
    fn mates_are_counted_by_each_players_scale() {
        let reported_mates = |first: Score, second: Score| {
            let rows = play_pair(&mut book(MATE, first), &mut book(MATE, second), "").unwrap().unwrap();
            rows[0].game.as_deref().unwrap().searches.iter().map(|search| search.mate).collect::<Vec<_>>()
        };
        assert_eq!(reported_mates(30_997, -31_996), [Some(2), Some(-2), Some(2), Some(-2)]);
        assert_eq!(reported_mates(30_000, -30_997), [None; 4]);
    }

    #[test]
    fn games_end_by_rule_adjudication_or_length() {
        const QUIET: &[&str] = &["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8", "g1f3"];
        let play_games = |first: Score, second: Score, rules: &str| {
            let rows = play_pair(&mut book(QUIET, first), &mut book(QUIET, second), rules).unwrap().unwrap();
            let summarize = |row: &JobRow| {
                let game = row.game.as_deref().unwrap();
                (game.end, game.moves.len(), game.winner)
            };
            [summarize(&rows[0]), summarize(&rows[1])]
        };
        let (white, black) = (Some(Color::White), Some(Color::Black));
        assert_eq!(play_games(0, 0, ""), [("repetition", 8, None); 2]);
        assert_eq!(play_games(0, 0, "max_moves = 4"), [("repetition", 8, None); 2], "the rules come first");
        assert_eq!(play_games(0, 0, "max_moves = 3"), [("max-moves", 6, None); 2]);
        assert_eq!(play_games(7, -7, "draw = { score = 7, moves = 2 }"), [("draw-agreed", 4, None); 2]);
        assert_eq!(play_games(7, -7, "draw = { score = 6, moves = 2 }"), [("repetition", 8, None); 2]);
        assert_eq!(play_games(7, -7, "draw = { score = 7, moves = 1, from = 3 }"), [("draw-agreed", 6, None); 2]);
        assert_eq!(
            play_games(400, -400, "resign = { score = 400, moves = 1 }"),
            [("resigned", 2, white), ("resigned", 2, black)]
        );
        assert_eq!(play_games(400, -400, "resign = { score = 401, moves = 1 }"), [("repetition", 8, None); 2]);
        // No iteration finished: the first legal move is played without score or depth.
        let mut blind_book = Book { blind_ply: Some(0), ..book(QUIET, 3) };
        let rows = play_pair(&mut blind_book, &mut book(&["a2a3", "a7a6"], 3), "max_moves = 1").unwrap().unwrap();
        let mut legal_moves = MoveList::new();
        legal(&Board::startpos(), &mut legal_moves);
        let game = rows[0].game.as_deref().unwrap();
        assert_eq!(
            (game.unsearched_moves, game.depths, game.moves[0], game.searches[0].score),
            (1, 0, legal_moves.first().copied().unwrap(), None)
        );
        // A failure names the player; an interrupted pair has no rows.
        let failing_book = |failing_ply| Book { failing_ply, ..book(QUIET, 0) };
        let message = play_pair(&mut book(QUIET, 0), &mut failing_book(Some(1)), "").err();
        assert_eq!(message.as_deref(), Some("two: the engine returned no move although there is a legal one at `go`"));
        let refusing_book = Book { refuses: true, ..book(QUIET, 0) };
        let message = play_pair(&mut { refusing_book }, &mut book(QUIET, 0), "").err();
        assert_eq!(
            message.as_deref(),
            Some("one: the engine returned no move although there is a legal one at `ucinewgame`")
        );
        let stopped_book = Book { stopped_ply: Some(4), ..book(QUIET, 0) };
        assert!(play_pair(&mut { stopped_book }, &mut book(QUIET, 0), "").is_ok_and(|rows| rows.is_none()));
    }
}
