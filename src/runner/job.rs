//! Runs one job: the searches of a variant on its items.

use super::mates;
use super::search::{Interrupt, none_if_interrupted, run_search};
use crate::chess::suite::Item;
use crate::chess::{Increments, Move};
use crate::engine::options::Mate;
use crate::engine::{Engine, EngineOptions, Iteration};
use crate::experiment::{Experiment, Job, Plan, Sequence, Variant};
use crate::record::{GameRecord, Label, MateRow};
use crate::subject::{Position, Subject, UciReport};
use crate::table::options::Size;
use crate::table::{TableKind, TableOptions};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

pub struct JobRow {
    pub item: usize,
    /// The ply of the game at which the searched position occurs. `None` if the item is a single
    /// position.
    pub ply: Option<u16>,
    pub iteration: Iteration,
    /// The report of an external engine. If there is one, `iteration` contains only figures of this
    /// report.
    pub report: Option<UciReport>,
    /// The wall-clock seconds of the iteration.
    pub seconds: f64,
    /// Whether the best move solves the position. `None` if the suite has no answer for the
    /// position.
    pub solved: Option<bool>,
    /// What the row says of the mate. `None` if the suite gives no mate for the position.
    pub mate: Option<MateRow>,
    pub game: Option<Box<GameRecord>>,
}

impl JobRow {
    pub fn new(item: usize, iteration: Iteration, seconds: f64) -> Self {
        Self { item, ply: None, iteration, report: None, seconds, solved: None, mate: None, game: None }
    }

    fn finished(&self) -> mates::Finished<'_> {
        let score = self.report.as_ref().map_or(Some(self.iteration.score), |report| report.score);
        (score, &self.iteration.pv, self.iteration.search.nodes)
    }
}

/// The field of an option that the variant does not have is empty.
pub fn option_values(variant: &Variant, varying: &[String]) -> Vec<String> {
    let mut columns: HashMap<String, String> =
        crate::experiment::variant::option_columns(variant).into_iter().collect();
    varying.iter().map(|path| columns.remove(path).unwrap_or_default()).collect()
}

/// The id is 0 until the caller sets it. `options` are the variant's values of the varying options.
pub fn label(
    experiment: &Experiment,
    plan: &Plan,
    options: &[String],
    job: &Job,
    item: usize,
    ply: Option<u16>,
) -> Label {
    let (variant, suite_item) = (&plan.variants[job.variant], &experiment.suite.items[item]);
    let limit = plan.limit(job.variant, item);
    let depth = limit.depth.map(|depth| format!("depth {depth}"));
    let nodes = limit.nodes.map(|nodes| format!("nodes {nodes}"));
    Label {
        id: 0,
        experiment: experiment.name.clone(),
        variant: variant.name.clone(),
        suite: plan.suite(item).map(str::to_owned),
        game: if ply.is_some() { suite_item.id.clone() } else { String::new() },
        position: ply.map_or_else(|| suite_item.id.clone(), |ply| format!("{} ply {ply}", suite_item.id)),
        ply,
        repeat: job.repeat,
        limit: depth.into_iter().chain(nodes).collect::<Vec<_>>().join(", "),
        options: options.to_vec(),
    }
}

/// Options that unbounded tables ignore are set to their defaults, so that variants that differ
/// only in these options have the same working set.
pub fn with_unbounded_table(options: &EngineOptions) -> EngineOptions {
    let default = TableOptions::default();
    let table = TableOptions {
        kind: TableKind::Unbounded,
        size: default.size,
        slots: default.slots,
        index: default.index,
        layout: default.layout,
        key_bits: default.key_bits,
        policy: default.policy,
        huge_pages: default.huge_pages,
        ..options.table.clone()
    };
    EngineOptions { table, ..options.clone() }
}

/// Measures a job's working set, which is the number of entries that an unbounded table stores when
/// the job's items are searched. Returns 0 without a measurement if the table's size is not given
/// as a share of this number. Returns `None` if the searches are interrupted.
pub fn measure_working_set(
    experiment: &Experiment,
    plan: &Plan,
    job: &Job,
    options: &EngineOptions,
    stop: &AtomicBool,
) -> Result<Option<u64>, String> {
    if !matches!(options.table.size, Size::Share(_)) {
        return Ok(Some(0));
    }
    let mut engine = Engine::new(&with_unbounded_table(options), None).map_err(|error| error.to_string())?;
    if search(experiment, plan, job, &mut engine, stop)?.is_none() {
        return Ok(None);
    }
    Ok(Some(engine.table().map_or(0, |table| table.occupancy().occupied).max(1)))
}

/// Runs a job's searches on an engine that was just reset. Returns `None` if the searches are
/// interrupted.
pub fn search(
    experiment: &Experiment,
    plan: &Plan,
    job: &Job,
    subject: &mut dyn Subject,
    stop: &AtomicBool,
) -> Result<Option<Vec<JobRow>>, String> {
    let mate = plan.variants[job.variant].mate_scale();
    let mut context = Context { limit: plan.limit(job.variant, job.item), mate, subject, stop, rows: Vec::new() };
    none_if_interrupted(context.run_searches(experiment, job).map(|()| context.rows))
}

struct Context<'a> {
    limit: crate::engine::Limit,
    /// How the subject's scores tell mates.
    mate: Mate,
    subject: &'a mut dyn Subject,
    stop: &'a AtomicBool,
    rows: Vec<JobRow>,
}

impl Context<'_> {
    fn run_searches(&mut self, experiment: &Experiment, job: &Job) -> Result<(), Interrupt> {
        for (item_index, item) in experiment.suite.items.iter().enumerate().skip(job.item).take(job.item_count) {
            self.subject.new_game().map_err(|failure| Some(failure.to_string()))?;
            match (experiment.work.sequence(), item.game_moves()) {
                (None, None) => {
                    self.search_position(item_index, item, None, &Position::from_board(&item.board))?;
                }
                (sequence, _) => self.search_game(item_index, item, sequence.unwrap_or_default())?,
            }
        }
        Ok(())
    }

    /// Runs one search, adds its rows, and returns its best move. If the job is interrupted or
    /// fails, the caller drops all rows of the job.
    fn search_position(
        &mut self,
        item_index: usize,
        item: &Item,
        ply: Option<u16>,
        position: &Position<'_>,
    ) -> Result<Move, Interrupt> {
        let record = run_search(self.subject, position, self.limit, self.stop)?;
        let first_row = self.rows.len();
        let mut add_row = |iteration: Iteration, report, seconds| {
            let solved = if ply.is_none() { item.is_solved_by(iteration.best) } else { None };
            self.rows.push(JobRow { ply, report, solved, ..JobRow::new(item_index, iteration, seconds) });
        };
        record.iterations.into_iter().for_each(|(iteration, seconds)| add_row(iteration, None, seconds));
        for (report, seconds) in record.report.iter().flat_map(|report| report.reports_by_depth(record.seconds)) {
            add_row(report.to_iteration(), Some(report), seconds);
        }
        if let (None, Some(moves)) = (ply, item.mate()) {
            let iterations: Vec<mates::Finished<'_>> = self.rows[first_row..].iter().map(JobRow::finished).collect();
            let judged = mates::judge(&iterations, item, moves, self.mate, self.limit);
            self.rows[first_row..].iter_mut().zip(judged).for_each(|(row, mate)| row.mate = Some(mate));
        }
        Ok(record.best)
    }

    /// Searches the positions at the selected plies of the item's game. If the item has no game,
    /// the engine plays a game against itself.
    fn search_game(&mut self, item_index: usize, item: &Item, sequence: Sequence) -> Result<(), Interrupt> {
        let (mut board, mut past, mut moves) = (item.board, Vec::new(), Vec::new());
        let first_row = self.rows.len();
        if let Some(game) = item.game_moves() {
            for &mv in game {
                past.push(board);
                board.play(mv, Increments::none());
            }
            for count in 0..game.len() {
                let index = if sequence.steps_back() { game.len() - 1 - count } else { count };
                let board = &past[index];
                if sequence.searches_ply(board.game_ply(), board.turn()) {
                    let position = Position { start: &item.board, moves: &game[..index], past: &past[..index], board };
                    self.search_position(item_index, item, Some(board.game_ply()), &position)?;
                }
            }
            // Results have their rows in the order of the game.
            self.rows[first_row..].sort_by_key(|row| row.ply);
            return Ok(());
        }
        for _ in 0..sequence.self_play {
            let (ply, rows_before) = (board.game_ply(), self.rows.len());
            let position = Position { start: &item.board, moves: &moves, past: &past, board: &board };
            let mv = self.search_position(item_index, item, Some(ply), &position)?;
            // The engine also searches when the side that is not selected is to move. The rows of
            // these searches are dropped.
            if !sequence.side.includes(board.turn()) {
                self.rows.truncate(rows_before);
            }
            if mv.is_none() {
                break;
            }
            past.push(board);
            moves.push(mv);
            board.play(mv, Increments::none());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Board, MoveList};
    use crate::engine::{Limit, SearchCounters};
    use crate::subject::{DepthReport, EngineFault, Failure, SearchEnd, SearchEvent};
    use std::path::Path;
    use std::time::Duration;

    /// A subject that plays the last legal move and logs its calls.
    #[derive(Default)]
    struct LoggingSubject {
        log: Vec<String>,
        /// The number of the search (from 1) that fails.
        failing_search: usize,
        /// The number of the search (from 1) that is interrupted.
        stopped_search: usize,
        /// The number of searches so far.
        searches: usize,
        /// The number of the game (from 1) that it refuses to begin.
        refused_game: usize,
        /// The number of games so far.
        games: usize,
        /// Whether it is an external engine that reports two depths.
        external: bool,
    }

    impl Subject for LoggingSubject {
        fn start(&mut self) -> Result<(), Failure> {
            self.log.push("start".to_owned());
            Ok(())
        }

        fn new_game(&mut self) -> Result<(), Failure> {
            self.log.push("new".to_owned());
            self.games += 1;
            if self.games == self.refused_game {
                return Err(Failure {
                    fault: EngineFault::NoMove,
                    request: "ucinewgame".to_owned(),
                    table: String::new(),
                    tail: Vec::new(),
                });
            }
            Ok(())
        }

        fn search(
            &mut self,
            position: Position<'_>,
            limit: Limit,
            _: &AtomicBool,
            watch: &mut dyn FnMut(SearchEvent<'_>),
        ) -> Result<SearchEnd, Failure> {
            self.searches += 1;
            let Position { start, moves, past, board } = position;
            // The moves lead from the start to the board, through the past positions.
            let (mut current, mut passed) = (*start, Vec::new());
            for &mv in moves {
                passed.push(current);
                current.play(mv, Increments::none());
            }
            assert!(passed == past, "{}", self.searches);
            assert!(current == *board, "{}", self.searches);
            self.log.push(format!("{} {} {:?}", board.game_ply(), moves.len(), limit.depth));
            if self.searches == self.failing_search {
                return Err(Failure {
                    fault: EngineFault::NoMove,
                    request: "go".to_owned(),
                    table: String::new(),
                    tail: Vec::new(),
                });
            }
            if self.searches == self.stopped_search {
                return Ok(SearchEnd::Stopped);
            }
            let mut legal_moves = MoveList::new();
            crate::chess::legal(board, &mut legal_moves);
            let best = legal_moves.iter().last().copied().unwrap_or(Move::NONE);
            let nodes = 100 * self.searches as u64;
            watch(SearchEvent::Begin);
            watch(SearchEvent::End);
            let report = UciReport {
                depth: Some(2),
                best,
                nodes: Some(nodes),
                earlier_depths: vec![DepthReport {
                    depth: 1,
                    score: Some(5),
                    pv: legal_moves.iter().take(1).copied().collect(),
                    nodes: nodes / 4,
                    hashfull: None,
                    elapsed: Duration::ZERO,
                }],
                ..UciReport::default()
            };
            match self.external {
                true => watch(SearchEvent::Report(&report)),
                false => {
                    let search = SearchCounters { nodes, ..SearchCounters::default() };
                    watch(SearchEvent::Iteration(&Iteration { search, ..report.to_iteration() }));
                }
            }
            Ok(SearchEnd::Best(best))
        }

        fn quit(&mut self) {}
    }

    fn experiment(text: &str) -> (Experiment, Plan) {
        let experiment =
            Experiment::parse(text, Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
        let plan = Plan::new(&experiment);
        (experiment, plan)
    }

    /// Runs the first job. Returns each row's item, ply, depth, nodes, whether it is solved, and
    /// whether it has a report; and the subject's log.
    fn run(text: &str, subject: &mut LoggingSubject) -> (Result<Option<Vec<String>>, String>, Vec<String>) {
        let (experiment, plan) = experiment(text);
        let job = plan.jobs().next().unwrap();
        let result = search(&experiment, &plan, &job, subject, &AtomicBool::new(false));
        let format_row = |row: &JobRow| {
            assert!(row.seconds >= 0.0);
            assert!(row.game.is_none());
            let ply = row.ply.map_or("-".to_owned(), |ply| ply.to_string());
            let solved = row.solved.map_or("-".to_owned(), |solved| solved.to_string());
            format!(
                "{} {ply} {} {} {solved} {}",
                row.item,
                row.iteration.depth,
                row.iteration.search.nodes,
                row.report.is_some()
            )
        };
        let format_rows = |rows: Vec<JobRow>| rows.iter().map(format_row).collect();
        (result.map(|rows| rows.map(format_rows)), std::mem::take(&mut subject.log))
    }

    fn expected_rows(rows: &[&str]) -> Result<Option<Vec<String>>, String> {
        Ok(Some(rows.iter().map(|row| (*row).to_owned()).collect()))
    }

    #[test]
    fn job_searches_each_item_and_reports_solved() {
        // Whether the last legal move solves the position depends on the suite's answer.
        let folder = tempfile::tempdir().unwrap();
        let suite = folder.path().join("own.epd");
        std::fs::write(&suite, "k7/8/8/8/8/8/8/K7 w - - bm Ka2; id \"A\";\nk7/8/8/8/8/8/8/K7 w - - hmvc 2; bm Kb1; id \"B\";\nk7/8/8/8/8/8/8/K7 w - - hmvc 3; am Ka2; id \"C\";\nk7/8/8/8/8/8/8/K7 w - - hmvc 4; id \"D\";\n").unwrap();
        let text = format!("suite = '{}'\nlimit = {{ depth = 2 }}\n", suite.display());
        let never_cleared = format!("{text}[engine]\ntable.clear = \"never\"\n");
        let (result, log) = run(&never_cleared, &mut LoggingSubject::default());
        let result = result.unwrap().unwrap();
        assert_eq!(log, ["new", "0 0 Some(2)", "new", "0 0 Some(2)", "new", "0 0 Some(2)", "new", "0 0 Some(2)"]);
        let mut legal_moves = MoveList::new();
        crate::chess::legal(&Board::from_fen("k7/8/8/8/8/8/8/K7 w - - 0 1").unwrap(), &mut legal_moves);
        let best = legal_moves.iter().last().unwrap().to_string();
        let solved = ["a1a2", "a1b1"].map(|answer| answer == best);
        let expected = [format!("{}", solved[0]), format!("{}", solved[1]), format!("{}", !solved[0]), "-".to_owned()];
        for (index, row) in result.iter().enumerate() {
            assert_eq!(*row, format!("{index} - 2 {} {} false", 100 * (index + 1), expected[index]));
        }
        // Each depth that an external engine reports is a row.
        let (result, _) = run(&text, &mut LoggingSubject { external: true, ..LoggingSubject::default() });
        let rows = result.unwrap().unwrap();
        assert_eq!(rows.len(), 2);
        assert!(rows[0].starts_with("0 - 1 25 "), "{rows:?}");
        assert!(rows[1].starts_with("0 - 2 75 "), "{rows:?}");
        assert!(rows.iter().all(|row| row.ends_with(" true")), "{rows:?}");
        let (result, _) = run(&never_cleared, &mut LoggingSubject { stopped_search: 3, ..LoggingSubject::default() });
        assert_eq!(result, Ok(None));
        let (result, log) = run(&never_cleared, &mut LoggingSubject { failing_search: 2, ..LoggingSubject::default() });
        assert_eq!(
            (result, log.len()),
            (Err("the engine returned no move although there is a legal one at `go`".to_owned()), 4)
        );
        // A game that the engine refuses to begin is not searched.
        let (result, log) = run(&never_cleared, &mut LoggingSubject { refused_game: 2, ..LoggingSubject::default() });
        assert_eq!(
            (result, log.len()),
            (Err("the engine returned no move although there is a legal one at `ucinewgame`".to_owned()), 3)
        );
    }

    /// First the engine's own play from Black's first move, with the rows of both sides or of one.
    /// Then a recorded game, with plies selected by side and range.
    #[test]
    fn sequence_selects_plies_by_side_and_range() {
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        let self_play = |side: &str| {
            format!(
                "suite = {{ fen = '{fen}' }}\nlimit = {{ depth = 2 }}\nsequence = {{ self_play = 5, side = '{side}' }}\n"
            )
        };
        let expected_log = ["new", "1 0 Some(2)", "2 1 Some(2)", "3 2 Some(2)", "4 3 Some(2)", "5 4 Some(2)"];
        for (side, expected) in [
            (
                "both",
                &[
                    "0 1 2 100 - false",
                    "0 2 2 200 - false",
                    "0 3 2 300 - false",
                    "0 4 2 400 - false",
                    "0 5 2 500 - false",
                ][..],
            ),
            ("white", &["0 2 2 200 - false", "0 4 2 400 - false"]),
            ("black", &["0 1 2 100 - false", "0 3 2 300 - false", "0 5 2 500 - false"]),
        ] {
            assert_eq!(
                run(&self_play(side), &mut LoggingSubject::default()),
                (expected_rows(expected), expected_log.map(str::to_owned).to_vec()),
                "{side}"
            );
        }
        // The engine's own play ends with a mate: the mated side has one search that returns no
        // move.
        let mate_text =
            "suite = { fen = '7k/5Q2/6K1/8/8/8/8/8 w - - 0 1' }\nlimit = { depth = 2 }\nsequence = { self_play = 9 }\n";
        let (result, log) = run(mate_text, &mut LoggingSubject::default());
        assert!(result.unwrap().unwrap().len() == log.len() - 1);
        assert!(log.len() <= 10);
        let folder = tempfile::tempdir().unwrap();
        let pgn = folder.path().join("own.pgn");
        std::fs::write(&pgn, "[Event \"g\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n").unwrap();
        let game_text = format!(
            "suite = '{}'\nlimit = {{ depth = 2 }}\nsequence = {{ from = 1, to = 4, side = 'white' }}\n",
            pgn.display()
        );
        let expected = (
            expected_rows(&["0 2 2 100 - false", "0 4 2 200 - false"]),
            ["new", "2 2 Some(2)", "4 4 Some(2)"].map(str::to_owned).to_vec(),
        );
        assert_eq!(run(&game_text, &mut LoggingSubject::default()), expected);
        // Stepped back, the later position is searched first.
        let back = game_text.replace("from = 1, to = 4", "from = 4, to = 1");
        let expected = (
            expected_rows(&["0 2 2 200 - false", "0 4 2 100 - false"]),
            ["new", "4 4 Some(2)", "2 2 Some(2)"].map(str::to_owned).to_vec(),
        );
        assert_eq!(run(&back, &mut LoggingSubject::default()), expected);
    }

    #[test]
    fn unbounded_resets_options_that_it_ignores() {
        let unbounded_with = |sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
            with_unbounded_table(&crate::experiment::options(None, &sets).unwrap())
        };
        let default = unbounded_with(&[]);
        assert_eq!(default.table.kind, TableKind::Unbounded);
        for set in [
            "table.size=64",
            "table.slots=4",
            "table.index=mask",
            "table.layout=bytes24",
            "table.key_bits=16",
            "table.policy=never",
            "table.huge_pages=false",
        ] {
            assert_eq!(unbounded_with(&[set]), default, "{set}");
        }
        for set in ["table.clear=never", "table.clock=game-ply", "draws=true", "keys.seed=2"] {
            assert_ne!(unbounded_with(&[set]), default, "{set}");
        }
    }

    #[test]
    fn working_set_counts_entries_of_earlier_searches() {
        let working_sets = [1, 4].map(|plies| {
            let text = format!(
                "suite = 'data/bratko-kopec.epd'\nfirst = 1\nlimit = {{ depth = 3 }}\nsequence = {{ self_play = {plies} }}\n[engine]\ntable.size = '25 %'\n"
            );
            let (experiment, plan) = experiment(&text);
            let job = plan.jobs().next().unwrap();
            let options = plan.variants[0].builtin().unwrap();
            measure_working_set(&experiment, &plan, &job, options, &AtomicBool::new(false)).unwrap().unwrap()
        });
        assert!(working_sets[0] > 100, "{working_sets:?}");
        assert!(working_sets[1] > working_sets[0], "entries of earlier searches are counted: {working_sets:?}");
    }

    #[test]
    fn solved_is_empty_along_own_play() {
        let folder = tempfile::tempdir().unwrap();
        let suite = folder.path().join("own.epd");
        std::fs::write(&suite, "k7/8/8/8/8/8/8/K7 w - - bm Kb1; id \"A\";\n").unwrap();
        let text = format!("suite = '{}'\nlimit = {{ depth = 2 }}\nsequence = {{ self_play = 2 }}\n", suite.display());
        let (result, _) = run(&text, &mut LoggingSubject::default());
        assert_eq!(result, expected_rows(&["0 0 2 100 - false", "0 1 2 200 - false"]));
    }
}
