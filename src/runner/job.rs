//! One job: the searches of a variant on its items.

use crate::chess::suite::Item;
use crate::chess::{Increments, Move};
use crate::engine::{Engine, EngineOptions, Iteration};
use crate::experiment::{Experiment, Job, Plan, Sequence, Variant};
use crate::record::GameRecord;
use crate::subject::{Position, SearchEnd, SearchEvent, Subject, UciReport};
use crate::table::options::Size;
use crate::table::{TableKind, TableOptions};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// One finished iteration of a job.
pub struct JobRow {
    /// Place of the item in the suite.
    pub item: usize,
    /// Ply of the game, in sequences.
    pub ply: Option<u16>,
    /// What was found.
    pub iteration: Iteration,
    /// What an engine said that is not ours: of the iteration the rest is blank.
    pub report: Option<UciReport>,
    /// Wall-clock seconds of its search.
    pub seconds: f64,
    /// Whether the best move is among the suite's.
    pub solved: Option<bool>,
    /// In a match, the game that it is.
    pub game: Option<Box<GameRecord>>,
}

impl JobRow {
    /// An iteration of our engine on an item, of which nothing else is known.
    pub fn new(item: usize, iteration: Iteration, seconds: f64) -> Self {
        Self { item, ply: None, iteration, report: None, seconds, solved: None, game: None }
    }
}

/// A point's values of the varying options.
pub fn option_values(variant: &Variant, varying: &[String]) -> Vec<String> {
    let mut columns: HashMap<String, String> = crate::experiment::grid::option_columns(variant).into_iter().collect();
    varying.iter().map(|path| columns.remove(path).unwrap_or_default()).collect()
}

/// The options with a table that never evicts. What it does not heed takes its default, so that variants that differ in this
/// alone are seen to share a working set.
pub fn unbounded(options: &EngineOptions) -> EngineOptions {
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

/// Entries that an unbounded table stores on a job's items, for a table whose size is a share of them; 0 for any other. None
/// if it was stopped.
pub fn working_set(experiment: &Experiment, plan: &Plan, job: &Job, stop: &AtomicBool) -> Result<Option<u64>, String> {
    let variant = &plan.variants[job.variant];
    if !matches!(variant.options.table.size, Size::Share(_)) {
        return Ok(Some(0));
    }
    let mut engine = Engine::new(&unbounded(&variant.options), None).map_err(|error| error.to_string())?;
    let searched = search(experiment, plan, job, &mut engine, stop)?;
    Ok(searched.map(|_| engine.table().map_or(0, |table| table.occupancy().occupied).max(1)))
}

/// Runs a job on a subject as new. None if it was stopped.
///
/// # Errors
/// When the engine fails.
pub fn search(
    experiment: &Experiment,
    plan: &Plan,
    job: &Job,
    subject: &mut dyn Subject,
    stop: &AtomicBool,
) -> Result<Option<Vec<JobRow>>, String> {
    let mut context = Context { limit: plan.limit(job.variant, job.item), subject, stop, found: Vec::new() };
    found_or_stopped(context.all(experiment, job).map(|()| context.found))
}

/// Why searches ended early; none if somebody stopped them.
pub type Halt = Option<String>;

/// What was found; none if it was stopped.
pub fn found_or_stopped<T>(ended: Result<T, Halt>) -> Result<Option<T>, String> {
    ended.map(Some).or_else(|halt| halt.map_or(Ok(None), Err))
}

/// What the searches of a job share.
struct Context<'a> {
    limit: crate::engine::Limit,
    subject: &'a mut dyn Subject,
    stop: &'a AtomicBool,
    found: Vec<JobRow>,
}

impl Context<'_> {
    /// All searches of a job.
    fn all(&mut self, experiment: &Experiment, job: &Job) -> Result<(), Halt> {
        for (place, item) in experiment.suite.items.iter().enumerate().skip(job.item).take(job.items) {
            self.subject.new_game().map_err(|failure| Some(failure.to_string()))?;
            match (experiment.file.sequence, item.game()) {
                (None, None) => drop(self.search(place, item, None, &Position::alone(&item.board))?),
                (sequence, _) => self.along(place, item, sequence.unwrap_or_default())?,
            }
        }
        Ok(())
    }

    /// One search; its best move. Of a job that is stopped or fails nothing is kept: what this search left behind goes with the rest.
    fn search(&mut self, place: usize, item: &Item, ply: Option<u16>, position: &Position<'_>) -> Result<Move, Halt> {
        let (mut begun, mut seconds) = (Instant::now(), 0.0);
        let found = &mut self.found;
        let mut take = |iteration: Iteration, report, seconds| {
            let solved = if ply.is_none() { item.solved_by(iteration.best) } else { None };
            found.push(JobRow { ply, report, solved, ..JobRow::new(place, iteration, seconds) });
        };
        let ended = self.subject.search(*position, self.limit, self.stop, &mut |report| match report {
            SearchEvent::Begin => begun = Instant::now(),
            SearchEvent::End => seconds = begun.elapsed().as_secs_f64(),
            SearchEvent::Iteration(iteration) => take(iteration.clone(), None, seconds),
            SearchEvent::UciReport(reported) => {
                for (depth, seconds) in reported.by_depth(seconds) {
                    take(depth.iteration(), Some(depth), seconds);
                }
            }
        });
        match ended.map_err(|failure| Some(failure.to_string()))? {
            SearchEnd::Best(best) => Ok(best),
            SearchEnd::Stopped => Err(None),
        }
    }

    /// Searches along a game, at the wanted plies, or along the engine's own play.
    fn along(&mut self, place: usize, item: &Item, sequence: Sequence) -> Result<(), Halt> {
        let (mut board, mut past, mut moves) = (item.board, Vec::new(), Vec::new());
        for at in 0..item.game().map_or(usize::from(sequence.self_play), <[Move]>::len) {
            let (ply, start) = (board.game_ply(), self.found.len());
            let position = Position { start: &item.board, moves: &moves, past: &past, board: &board };
            let mv = match item.game() {
                Some(game) => {
                    if sequence.searches_ply(ply, board.turn()) {
                        self.search(place, item, Some(ply), &position)?;
                    }
                    game[at]
                }
                None => {
                    // The other side's moves are the engine's too: they come from the same search, which then leaves a row.
                    let best = self.search(place, item, Some(ply), &position)?;
                    if !sequence.side.includes(board.turn()) {
                        self.found.truncate(start);
                    }
                    best
                }
            };
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
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::chess::{Board, MoveList};
    use crate::engine::{Limit, SearchCounters};
    use crate::subject::{Earlier, EngineFault, Failure};
    use std::path::Path;
    use std::time::Duration;

    /// Plays the last legal move and says so; writes down all that it is asked.
    #[derive(Default)]
    struct Scribe {
        log: Vec<String>,
        /// The search, from 1, that fails, or that is stopped.
        fails: usize,
        stops: usize,
        searches: usize,
        /// The game, from 1, that it will not begin.
        refuses: usize,
        games: usize,
        /// Whether it is a program that tells two depths.
        external: bool,
    }

    impl Subject for Scribe {
        fn start(&mut self) -> Result<(), Failure> {
            self.log.push("start".to_owned());
            Ok(())
        }

        fn new_game(&mut self) -> Result<(), Failure> {
            self.log.push("new".to_owned());
            self.games += 1;
            if self.games == self.refuses {
                return Err(Failure { fault: EngineFault::NoMove, during: "ucinewgame".to_owned(), tail: Vec::new() });
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
            // What was played leads from the start to the board, and the past is what lies between.
            let (mut now, mut between) = (*start, Vec::new());
            for &mv in moves {
                between.push(now);
                now.play(mv, Increments::none());
            }
            assert!(between == past && now == *board, "{}", self.searches);
            self.log.push(format!("{} {} {:?}", board.game_ply(), moves.len(), limit.depth));
            if self.searches == self.fails {
                return Err(Failure { fault: EngineFault::NoMove, during: "go".to_owned(), tail: Vec::new() });
            }
            if self.searches == self.stops {
                return Ok(SearchEnd::Stopped);
            }
            let mut list = MoveList::new();
            crate::chess::legal(board, &mut list);
            let best = list.iter().last().copied().unwrap_or(Move::NONE);
            let nodes = 100 * self.searches as u64;
            watch(SearchEvent::Begin);
            watch(SearchEvent::End);
            let reported = UciReport {
                depth: Some(2),
                best,
                nodes: Some(nodes),
                earlier: vec![Earlier {
                    depth: 1,
                    score: 5,
                    pv: list.iter().take(1).copied().collect(),
                    nodes: nodes / 4,
                    hashfull: None,
                    milliseconds: None,
                    at: Duration::ZERO,
                }],
                ..UciReport::default()
            };
            match self.external {
                true => watch(SearchEvent::UciReport(&reported)),
                false => {
                    let search = SearchCounters { nodes, ..SearchCounters::default() };
                    watch(SearchEvent::Iteration(&Iteration { search, ..reported.iteration() }));
                }
            }
            Ok(if best.is_none() { SearchEnd::Best(Move::NONE) } else { SearchEnd::Best(best) })
        }

        fn end(&mut self) {}
    }

    fn experiment(text: &str) -> (Experiment, Plan) {
        let experiment =
            Experiment::parse(text, Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
        let plan = Plan::new(&experiment);
        (experiment, plan)
    }

    /// What a job on a subject found: item, ply, depth, nodes and whether it is solved; and what the subject was asked.
    fn run(text: &str, scribe: &mut Scribe) -> (Result<Option<Vec<String>>, String>, Vec<String>) {
        let (experiment, plan) = experiment(text);
        let job = plan.jobs().next().unwrap();
        let found = search(&experiment, &plan, &job, scribe, &AtomicBool::new(false));
        let shown = |of: &JobRow| {
            assert!(of.seconds >= 0.0 && of.game.is_none());
            let ply = of.ply.map_or("-".to_owned(), |ply| ply.to_string());
            let solved = of.solved.map_or("-".to_owned(), |solved| solved.to_string());
            format!(
                "{} {ply} {} {} {solved} {}",
                of.item,
                of.iteration.depth,
                of.iteration.search.nodes,
                of.report.is_some()
            )
        };
        (found.map(|found| found.map(|found| found.iter().map(shown).collect())), std::mem::take(&mut scribe.log))
    }

    fn rows(rows: &[&str]) -> Result<Option<Vec<String>>, String> {
        Ok(Some(rows.iter().map(|row| (*row).to_owned()).collect()))
    }

    /// One position; all positions in one job; own play of each side; what fails and what is stopped leaves nothing.
    #[test]
    fn a_job_searches_what_its_plan_says() {
        // A king that can go to b8 and b7 only, in this order or the other: the last legal move is bad or good by what the suite says.
        let folder = tempfile::tempdir().unwrap();
        let suite = folder.path().join("own.epd");
        std::fs::write(&suite, "k7/8/8/8/8/8/8/K7 w - - bm Ka2; id \"A\";\nk7/8/8/8/8/8/8/K7 w - - hmvc 2; bm Kb1; id \"B\";\nk7/8/8/8/8/8/8/K7 w - - hmvc 3; am Ka2; id \"C\";\nk7/8/8/8/8/8/8/K7 w - - hmvc 4; id \"D\";\n").unwrap();
        let text = format!("suite = '{}'\nlimit = {{ depth = 2 }}\n", suite.display());
        let kept = format!("{text}[engine]\ntable.clear = \"never\"\n");
        let (found, log) = run(&kept, &mut Scribe::default());
        let found = found.unwrap().unwrap();
        assert_eq!(log, ["new", "0 0 Some(2)", "new", "0 0 Some(2)", "new", "0 0 Some(2)", "new", "0 0 Some(2)"]);
        let mut list = MoveList::new();
        crate::chess::legal(&Board::from_fen("k7/8/8/8/8/8/8/K7 w - - 0 1").unwrap(), &mut list);
        let best = list.iter().last().unwrap().to_string();
        let solved = ["a1a2", "a1b1"].map(|good| good == best);
        let expected = [format!("{}", solved[0]), format!("{}", solved[1]), format!("{}", !solved[0]), "-".to_owned()];
        for (at, row) in found.iter().enumerate() {
            assert_eq!(*row, format!("{at} - 2 {} {} false", 100 * (at + 1), expected[at]));
        }
        // A program's depths are rows of their own.
        let (found, _) = run(&text, &mut Scribe { external: true, ..Scribe::default() });
        let first = found.unwrap().unwrap();
        assert_eq!(first.len(), 2);
        assert!(
            first[0].starts_with("0 - 1 25 ")
                && first[1].starts_with("0 - 2 75 ")
                && first.iter().all(|row| row.ends_with(" true")),
            "{first:?}"
        );
        assert_eq!(run(&kept, &mut Scribe { stops: 3, ..Scribe::default() }).0, Ok(None));
        let failed = run(&kept, &mut Scribe { fails: 2, ..Scribe::default() });
        assert_eq!(
            (failed.0, failed.1.len()),
            (Err("the engine named no move where there is a legal one at `go`".to_owned()), 4)
        );
        // A game that it does not begin is not searched.
        let failed = run(&kept, &mut Scribe { refuses: 2, ..Scribe::default() });
        assert_eq!(
            (failed.0, failed.1.len()),
            (Err("the engine named no move where there is a legal one at `ucinewgame`".to_owned()), 3)
        );
    }

    /// Own play from Black's first move: five plies, of which each side has its own; a game's plies by their range.
    #[test]
    fn plies_are_searched_where_they_are_wanted() {
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        let own = |side: &str| {
            format!(
                "suite = {{ fen = '{fen}' }}\nlimit = {{ depth = 2 }}\nsequence = {{ self_play = 5, side = '{side}' }}\n"
            )
        };
        let asked = ["new", "1 0 Some(2)", "2 1 Some(2)", "3 2 Some(2)", "4 3 Some(2)", "5 4 Some(2)"];
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
                run(&own(side), &mut Scribe::default()),
                (rows(expected), asked.map(str::to_owned).to_vec()),
                "{side}"
            );
        }
        // A mate ends it: the mated side has a search without a move, and no more.
        let mate =
            "suite = { fen = '7k/5Q2/6K1/8/8/8/8/8 w - - 0 1' }\nlimit = { depth = 2 }\nsequence = { self_play = 9 }\n";
        let (found, log) = run(mate, &mut Scribe::default());
        assert!(found.unwrap().unwrap().len() == log.len() - 1 && log.len() <= 10);
        let folder = tempfile::tempdir().unwrap();
        let pgn = folder.path().join("own.pgn");
        std::fs::write(&pgn, "[Event \"g\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n").unwrap();
        let along = format!(
            "suite = '{}'\nlimit = {{ depth = 2 }}\nsequence = {{ from = 1, to = 4, side = 'white' }}\n",
            pgn.display()
        );
        let expected = (
            rows(&["0 2 2 100 - false", "0 4 2 200 - false"]),
            ["new", "2 2 Some(2)", "4 4 Some(2)"].map(str::to_owned).to_vec(),
        );
        assert_eq!(run(&along, &mut Scribe::default()), expected);
        // Searches that a job will have, as an estimate counts them.
        let (parsed, plan) = experiment(&along);
        assert_eq!(parsed.searches_per_variant(&parsed.suite.items[plan.jobs().next().unwrap().item]), 2);
        let (parsed, _) = experiment(&own("black"));
        assert_eq!(parsed.searches_per_variant(&parsed.suite.items[0]), 5, "the other side's moves are searched too");
    }

    /// What a table without a bound does not heed is as usual; what it heeds stays.
    #[test]
    fn a_working_set_depends_on_what_is_heeded_alone() {
        let read = |sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
            unbounded(&crate::experiment::options(None, &sets).unwrap())
        };
        let usual = read(&[]);
        assert_eq!(usual.table.kind, TableKind::Unbounded);
        for set in [
            "table.size=64",
            "table.slots=4",
            "table.index=mask",
            "table.layout=bytes24",
            "table.key_bits=16",
            "table.policy=never",
            "table.huge_pages=false",
        ] {
            assert_eq!(read(&[set]), usual, "{set}");
        }
        for set in ["table.clear=never", "table.clock=game-ply", "draws=true", "keys.seed=2"] {
            assert_ne!(read(&[set]), usual, "{set}");
        }
    }

    /// A share is of all that is stored, whatever of it is of the clock's present tick.
    #[test]
    fn a_working_set_counts_old_entries_too() {
        let sets = [1, 4].map(|plies| {
            let text = format!(
                "suite = 'data/bratko-kopec.epd'\nfirst = 1\nlimit = {{ depth = 3 }}\nsequence = {{ self_play = {plies} }}\n[engine]\ntable.size = '25 %'\n"
            );
            let (experiment, plan) = experiment(&text);
            let job = plan.jobs().next().unwrap();
            working_set(&experiment, &plan, &job, &AtomicBool::new(false)).unwrap().unwrap()
        });
        assert!(sets[0] > 100 && sets[1] > sets[0], "what the first search stored is still there: {sets:?}");
    }

    /// A move is solved where it was asked for: in its position, and not on the way through a game from it.
    #[test]
    fn plies_of_own_play_are_not_solved() {
        let folder = tempfile::tempdir().unwrap();
        let suite = folder.path().join("own.epd");
        std::fs::write(&suite, "k7/8/8/8/8/8/8/K7 w - - bm Kb1; id \"A\";\n").unwrap();
        let text = format!("suite = '{}'\nlimit = {{ depth = 2 }}\nsequence = {{ self_play = 2 }}\n", suite.display());
        let (found, _) = run(&text, &mut Scribe::default());
        assert_eq!(found, rows(&["0 0 2 100 - false", "0 1 2 200 - false"]));
    }
}
