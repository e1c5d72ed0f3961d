//! Judging moves: a reference engine searches each position, then the position after each move that was chosen there, all to one depth.
//! The difference of the two scores is the loss of the move. Source: M. Guid and I. Bratko, "Computer analysis of world chess champions",
//! ICGA Journal 29 (2), 2006, who took the difference of two searches of one depth.

use super::subjects::Subjects;
use super::{OutputError, RunError, lock};
use crate::chess::{Board, EpRule, Increments, Move, named};
use crate::engine::{Engine, EngineOptions, Limit};
use crate::experiment::Experiment;
use crate::record::columns;
use crate::record::reference::{Judgement, Judgements, NAME, is_no_move, read, write};
use crate::subject::{Ended, Position, Subject, Told};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A position that was searched, and the moves that were chosen there.
struct Chosen {
    name: String,
    start: Board,
    past: Vec<Move>,
    moves: BTreeSet<String>,
}

impl Chosen {
    /// Whether its own search, or that of a move, is not among those that are known.
    fn lacks(&self, known: &HashSet<(String, String)>) -> usize {
        let has = |mv: &str| known.contains(&(self.name.clone(), mv.to_owned()));
        usize::from(!has("")) + self.moves.iter().filter(|mv| !has(mv)).count()
    }
}

/// What is known of a folder's positions: their own searches, and their moves.
fn known(rows: &[Judgement]) -> HashSet<(String, String)> {
    rows.iter().map(|row| (row.position.clone(), row.mv.clone())).collect()
}

/// A position of a suite by its name in results: where its game began, and the moves from there. None along an engine's own play, where each
/// engine stands before positions of its own.
fn placed(experiment: &Experiment, position: &str) -> Option<(Board, Vec<Move>)> {
    let item = |name: &str| experiment.suite.items.iter().find(|item| item.id == name);
    if experiment.file.sequence.is_none()
        && let Some(item) = item(position).filter(|item| item.game().is_none())
    {
        return Some((item.board, Vec::new()));
    }
    let (game, ply) = position.rsplit_once(" ply ")?;
    let (item, ply) = (item(game)?, ply.parse::<u16>().ok()?);
    let plies = usize::from(ply.saturating_sub(item.board.game_ply()));
    Some((item.board, item.game()?.iter().take(plies).copied().collect()))
}

/// What a judgement of a position rests on: who judges, and the position as it was reached.
fn identity(reference: &str, start: &Board, past: &[Move]) -> String {
    let moves: Vec<String> = past.iter().map(ToString::to_string).collect();
    let digest = Sha256::digest(format!("{} {}", start.fen(EpRule::Legal), moves.join(" ")).as_bytes());
    digest.iter().take(8).fold(format!("{reference}-"), |text, byte| text + &format!("{byte:02x}"))
}

/// Who judges, of what [`identity`] says.
fn judge_of(row: &Judgement) -> &str {
    row.reference.split('-').next().unwrap_or_default()
}

/// The judgements of a folder that are of this experiment's positions by its reference: names of positions say too little, since a suite may
/// have changed under them.
fn sound(experiment: &Experiment, subjects: &Subjects, folder: &Path) -> std::io::Result<Vec<Judgement>> {
    let (mut rows, mut ids) = (read(folder)?, HashMap::new());
    let reference = subjects.reference_id();
    rows.retain(|row| {
        let id = ids.entry(row.position.clone()).or_insert_with(|| {
            placed(experiment, &row.position).map(|(start, past)| identity(&reference, &start, &past))
        });
        id.as_ref() == Some(&row.reference)
    });
    Ok(rows)
}

/// Drops the judgements of a folder that are not of this experiment's positions, or by another reference: before a run, so that no page shows
/// them beside its rows.
///
/// # Errors
/// When a file cannot be read or written.
pub fn prune(experiment: &Experiment, subjects: &Subjects, folder: &Path) -> Result<(), RunError> {
    if experiment.file.reference.is_none() {
        return Ok(());
    }
    let io = |error| RunError::Write { path: folder.join(NAME).display().to_string(), error };
    let before = read(folder).map_err(io)?.len();
    let kept = sound(experiment, subjects, folder).map_err(io)?;
    if kept.len() < before {
        Judgements::open(folder, kept.iter()).map(drop).map_err(io)?;
    }
    Ok(())
}

/// How many searches the reference has still to make for a folder's results.
///
/// # Errors
/// When a file cannot be read.
pub fn unjudged(experiment: &Experiment, folder: &Path) -> std::io::Result<u64> {
    if experiment.file.reference.is_none() || !folder.join("results.csv").exists() {
        return Ok(0);
    }
    let known = known(&read(folder)?);
    Ok(chosen(experiment, folder)?.iter().map(|one| one.lacks(&known) as u64).sum())
}

/// Puts the judgements of several folders into one: of what several judged, the first. What lies there already comes last.
///
/// # Errors
/// When two folders were judged by unlike references (unless `any`), or a file cannot be read or written.
pub fn gather(folders: &[PathBuf], into: &Path, any: bool) -> Result<(), OutputError> {
    let io = |path: &Path| {
        let path = path.join(NAME).display().to_string();
        move |error| OutputError::Io { path, error }
    };
    let mut all: Vec<Judgement> = Vec::new();
    let mut by: Option<(String, &Path)> = None;
    for folder in folders.iter().map(PathBuf::as_path).chain([into]) {
        for row in read(folder).map_err(io(folder))? {
            let (judge, first) = by.get_or_insert_with(|| (judge_of(&row).to_owned(), folder));
            if judge_of(&row) == judge || any && folder != into {
                all.push(row);
            } else if folder != into {
                return Err(OutputError::Foreign(format!(
                    "{}: its moves were judged by another reference than those in {}: run the shard again, or merge all the same with --any-build",
                    folder.display(),
                    first.display()
                )));
            }
        }
    }
    write(into, &all).map_err(io(into))
}

/// Judges the moves of a folder's results; what was judged before is kept. Returns how many searches were made; none if it was stopped.
///
/// # Errors
/// When the reference fails, or the files cannot be read or written.
pub fn judge(
    experiment: &Experiment,
    subjects: &Subjects,
    folder: &Path,
    jobs: usize,
    stop: &AtomicBool,
) -> Result<Option<u64>, RunError> {
    let Some(reference) = &experiment.file.reference else { return Ok(Some(0)) };
    let limit = Limit { depth: reference.limit.depth, nodes: reference.limit.nodes };
    let io = |error: std::io::Error| RunError::Write { path: folder.display().to_string(), error };
    let id = subjects.reference_id();
    let kept = sound(experiment, subjects, folder).map_err(io)?;
    let known = known(&kept);
    let todo: Vec<Chosen> =
        chosen(experiment, folder).map_err(io)?.into_iter().filter(|one| one.lacks(&known) > 0).collect();
    let file = Mutex::new(Judgements::open(folder, kept.iter()).map_err(io)?);
    let (next, searches, failure) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(None));
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, todo.len().max(1)) {
            scope.spawn(|| {
                let mut judge = match make(subjects) {
                    Ok(engine) => Judge { engine, limit, stop, id: id.clone() },
                    Err(message) => return *lock(&failure) = Some(RunError::Subject(message)),
                };
                while !stop.load(Ordering::Relaxed) && lock(&failure).is_none() {
                    let Some(one) = todo.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                    match judge.position(one, &known) {
                        Ok(Some(rows)) => {
                            searches.fetch_add(rows.len(), Ordering::Relaxed);
                            if let Err(error) = lock(&file).append(&rows) {
                                *lock(&failure) = Some(io(error));
                            }
                        }
                        Ok(None) => return,
                        Err(message) => *lock(&failure) = Some(RunError::Subject(message)),
                    }
                }
            });
        }
    });
    if let Some(error) = lock(&failure).take() {
        return Err(error);
    }
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    // In an order that does not depend on who was quicker.
    drop(file);
    write(folder, &read(folder).map_err(io)?).map_err(io)?;
    Ok(Some(searches.into_inner() as u64))
}

fn make(subjects: &Subjects) -> Result<Box<dyn Subject>, String> {
    let mut engine = match subjects.make_reference() {
        Some(engine) => engine,
        None => Box::new(Engine::new(&EngineOptions::default(), None).map_err(|error| error.to_string())?),
    };
    engine.start().map_err(|failure| failure.to_string())?;
    Ok(engine)
}

/// The positions of the results with the last move of each search.
fn chosen(experiment: &Experiment, folder: &Path) -> std::io::Result<Vec<Chosen>> {
    let mut reader = csv::Reader::from_path(folder.join("results.csv"))?;
    let header = reader.headers()?.clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap_or(usize::MAX);
    let [variant, position, repeat, best] =
        [columns::VARIANT, columns::POSITION, columns::REPEAT, columns::BEST].map(at);
    let mut last: BTreeMap<(String, String, String), String> = BTreeMap::new();
    for row in reader.records() {
        let row = row?;
        let field = |at: usize| row.get(at).unwrap_or_default().to_owned();
        // Rows of a search stand in the order of their depths: the last one is its answer.
        last.insert((field(position), field(variant), field(repeat)), field(best));
    }
    let mut found: BTreeMap<String, Chosen> = BTreeMap::new();
    for ((position, ..), best) in last.into_iter().filter(|(_, best)| !is_no_move(best)) {
        let Some((start, past)) = placed(experiment, &position) else { continue };
        let one = found.entry(position.clone());
        let one = one.or_insert_with(|| Chosen { name: position, start, past, moves: BTreeSet::new() });
        one.moves.insert(best);
    }
    Ok(found.into_values().collect())
}

/// A reference engine at work.
struct Judge<'a> {
    engine: Box<dyn Subject>,
    limit: Limit,
    stop: &'a AtomicBool,
    id: String,
}

impl Judge<'_> {
    /// The rows of a position that are not known yet; none if it was stopped.
    fn position(&mut self, one: &Chosen, known: &HashSet<(String, String)>) -> Result<Option<Vec<Judgement>>, String> {
        let mut board = one.start;
        one.past.iter().for_each(|&mv| board.play(mv, Increments::none()));
        let Some((best, score, nodes)) = self.search(one, &board, None)? else { return Ok(None) };
        let id = identity(&self.id, &one.start, &one.past);
        let row = |mv: &str, best: &str, score, nodes| Judgement {
            reference: id.clone(),
            position: one.name.clone(),
            mv: mv.to_owned(),
            best: best.to_owned(),
            score,
            nodes,
        };
        let mut rows = vec![row("", &best.to_string(), score, nodes)];
        let mut moves = one.moves.clone();
        moves.insert(best.to_string());
        let wanted = moves.iter().filter(|mv| !known.contains(&(one.name.clone(), (*mv).clone())));
        let mut judged = Vec::new();
        for word in wanted {
            let mv = named(&board, word).ok_or_else(|| format!("{}: {word} is illegal", one.name))?;
            let Some((_, score, nodes)) = self.search(one, &board, Some(mv))? else { return Ok(None) };
            judged.push((word.clone(), score, nodes));
        }
        rows.extend(judged.into_iter().map(|(mv, score, nodes)| row(&mv, "", score, nodes)));
        rows.retain(|row| !known.contains(&(row.position.clone(), row.mv.clone())));
        Ok(Some(rows))
    }

    /// Best move, score from the view of the side to move on `board`, and nodes: of `board`, or of what `mv` leads to, a ply less deep.
    fn search(
        &mut self,
        one: &Chosen,
        board: &Board,
        mv: Option<Move>,
    ) -> Result<Option<(Move, i32, Option<u64>)>, String> {
        let (mut after, mut moves, mut limit) = (*board, one.past.clone(), self.limit);
        if let Some(mv) = mv {
            after.play(mv, Increments::none());
            moves.push(mv);
            limit.depth = limit.depth.map(|depth| depth.saturating_sub(1).max(1));
            if !after.has_legal_move() {
                return Ok(Some((Move::NONE, if after.in_check() { 31_999 } else { 0 }, None)));
            }
        }
        // As new, where that costs no process: what was searched before must not tell.
        self.engine.start().map_err(|failure| failure.to_string())?;
        self.engine.new_game().map_err(|failure| failure.to_string())?;
        let past = played(&one.start, &moves);
        let position = Position { start: &one.start, moves: &moves, past: &past, board: &after };
        let (mut score, mut nodes) = (None, None);
        let ended = self.engine.search(position, limit, self.stop, &mut |told| match told {
            Told::Iteration(iteration) => {
                // Of a search that was cut short before its first depth there is no score.
                score = Some(iteration.score).filter(|_| iteration.finished).or(score);
                nodes = Some(nodes.unwrap_or(0) + iteration.search.nodes);
            }
            Told::Reported(reported) => (score, nodes) = (reported.score, reported.nodes),
            Told::Begin | Told::End => {}
        });
        match ended.map_err(|failure| failure.to_string())? {
            Ended::Stopped => Ok(None),
            Ended::Best(best) => {
                let score = score.ok_or_else(|| {
                    format!("{}: the reference told no score: within its limit it may have finished no depth", one.name)
                })?;
                Ok(Some((best, if mv.is_some() { -score } else { score }, nodes)))
            }
        }
    }
}

/// The positions before each move.
fn played(start: &Board, moves: &[Move]) -> Vec<Board> {
    let mut board = *start;
    moves
        .iter()
        .map(|&mv| {
            let before = board;
            board.play(mv, Increments::none());
            before
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A position by its name in results: alone, or so many plies into a game, whose own number its first ply has; none along an engine's own play.
    #[test]
    fn a_position_is_found_by_its_name() {
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
        let of = |experiment: &Experiment, name: &str| {
            let (start, past) = placed(experiment, name)?;
            Some((start, past.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")))
        };
        let (start, other) = (Board::startpos(), Board::from_fen(late).unwrap());
        let games = read_file("suite = 'a ply b.pgn'");
        let [one, two] = [0, 1].map(|at| games.suite.items[at].id.clone());
        let words = |text: &str| text.to_owned();
        for (name, place) in [
            (format!("{one} ply 0"), Some((start, words("")))),
            (format!("{one} ply 2"), Some((start, words("e2e4 e7e5")))),
            (format!("{two} ply 1"), Some((other, words("")))),
            (format!("{two} ply 3"), Some((other, words("c7c5 g1f3")))),
            (one, None),
            (format!("{two} ply x"), None),
            ("none ply 1".to_owned(), None),
        ] {
            assert_eq!(of(&games, &name), place, "{name}");
        }
        let single = read_file("suite = { startpos = true }");
        assert_eq!(of(&single, "startpos"), Some((start, words(""))));
        assert_eq!([of(&single, "startpos ply 0"), of(&single, "elsewhere")], [None, None]);
        let own = read_file("suite = { startpos = true }\nsequence = { self_play = 3 }");
        assert_eq!([of(&own, "startpos"), of(&own, "startpos ply 0")], [None, None]);
    }

    /// Of each search the last row counts; each move once, whoever chose it; the position itself is searched too.
    #[test]
    fn what_is_not_judged_yet_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let text = |more: &str| format!("suite = {{ startpos = true }}\nlimit = {{ depth = 2 }}\n{more}");
        let read_file = |more: &str| {
            Experiment::parse(&text(more), Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"))
        };
        let judged = read_file("[reference]\nuci = 'builtin'\nlimit = { depth = 3 }\n");
        assert_eq!(unjudged(&judged, folder.path()).unwrap(), 0, "there are no results");
        let rows = "variant,position,repeat,depth,best\n\
            a,startpos,0,1,e2e4\na,startpos,0,2,d2d4\na,startpos,1,1,d2d4\nb,startpos,0,1,a2a3\nb,startpos,0,2,g1f3\n\
            b,startpos,1,2,e2e4\nb,elsewhere,0,2,h2h4\nc,startpos,0,2,\n";
        std::fs::write(folder.path().join("results.csv"), rows).unwrap();
        let row = |position: &str, mv: &str| Judgement {
            reference: "j-1".to_owned(),
            position: position.to_owned(),
            mv: mv.to_owned(),
            best: String::new(),
            score: 0,
            nodes: None,
        };
        // The position, d2d4, e2e4 and g1f3.
        for (known, left) in [(&[][..], 4), (&["d2d4"], 3), (&["", "e2e4"], 2), (&["", "d2d4", "e2e4", "g1f3"], 0)] {
            let known: Vec<Judgement> = known.iter().map(|mv| row("startpos", mv)).collect();
            write(folder.path(), &known).unwrap();
            assert_eq!(unjudged(&judged, folder.path()).unwrap(), left, "{known:?}");
        }
        write(folder.path(), &[row("elsewhere", ""), row("elsewhere", "e2e4")]).unwrap();
        assert_eq!(unjudged(&judged, folder.path()).unwrap(), 4, "another position's");
        assert_eq!(unjudged(&read_file(""), folder.path()).unwrap(), 0, "nobody judges");
    }

    /// What is not of this experiment's positions, or by another judge, goes; what is sound stays as it is.
    #[test]
    fn judgements_of_something_else_are_dropped() {
        let read_file = |more: &str| {
            let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\n{more}");
            Experiment::parse(&text, Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"))
        };
        let prepared = |experiment: &Experiment| {
            let plan = crate::experiment::Plan::new(experiment);
            Subjects::prepare(experiment, &plan, 1, &AtomicBool::new(false)).unwrap().unwrap()
        };
        let judged = read_file("[reference]\nuci = 'builtin'\nlimit = { depth = 3 }\n");
        let deeper = read_file("[reference]\nuci = 'builtin'\nlimit = { depth = 4 }\n");
        let folder = tempfile::tempdir().unwrap();
        let row = |experiment: &Experiment, start: &Board, position: &str, mv: &str| Judgement {
            reference: identity(&prepared(experiment).reference_id(), start, &[]),
            position: position.to_owned(),
            mv: mv.to_owned(),
            best: "e2e4".to_owned(),
            score: 5,
            nodes: None,
        };
        let start = Board::startpos();
        let other = Board::from_fen("8/8/8/3k4/8/3K4/4P3/8 w - - 0 1").unwrap();
        let sound = [row(&judged, &start, "startpos", ""), row(&judged, &start, "startpos", "e2e4")];
        let all = [
            sound[0].clone(),
            row(&deeper, &start, "startpos", "d2d4"),
            row(&judged, &other, "startpos", "c2c4"),
            row(&judged, &start, "elsewhere", ""),
            sound[1].clone(),
        ];
        let left = |experiment: &Experiment| {
            write(folder.path(), &all).unwrap();
            prune(experiment, &prepared(experiment), folder.path()).unwrap();
            let mut moves: Vec<_> =
                read(folder.path()).unwrap().into_iter().map(|row| (row.position, row.mv)).collect();
            moves.sort();
            moves
        };
        let names = |list: &[(&str, &str)]| {
            list.iter().map(|(position, mv)| ((*position).to_owned(), (*mv).to_owned())).collect::<Vec<_>>()
        };
        assert_eq!(left(&judged), names(&[("startpos", ""), ("startpos", "e2e4")]));
        assert_eq!(left(&deeper), names(&[("startpos", "d2d4")]));
        assert_eq!(left(&read_file("")).len(), all.len(), "where nobody judges nothing is touched");
    }

    /// Two shards, and what lies in the folder that they are put into: by one judge or by two.
    #[test]
    fn judgements_of_one_reference_are_gathered_and_an_older_one_gives_way() {
        let row = |judge: &str, position: &str, score: i32| Judgement {
            reference: format!("{judge}-1"),
            position: position.to_owned(),
            mv: String::new(),
            best: "e2e4".to_owned(),
            score,
            nodes: Some(7),
        };
        let gathered = |second: &str, old: &str, any: bool| {
            let at = tempfile::TempDir::new().unwrap();
            let [first, other, into] = ["a", "b", "into"].map(|name| at.path().join(name));
            for (folder, rows) in [
                (&first, vec![row("j", "A", 1)]),
                (&other, vec![row(second, "A", 2), row(second, "B", 3)]),
                (&into, vec![row(old, "B", 4), row(old, "C", 5)]),
            ] {
                std::fs::create_dir(folder).unwrap();
                write(folder, &rows).unwrap();
            }
            gather(&[first, other], &into, any).map_err(|error| error.to_string())?;
            let found = read(&into).unwrap();
            Ok::<_, String>(found.into_iter().map(|row| (row.position, row.score)).collect::<Vec<_>>())
        };
        let whole = |rows: &[(&str, i32)]| Ok(rows.iter().map(|&(name, score)| (name.to_owned(), score)).collect());
        assert_eq!(gathered("j", "j", false), whole(&[("A", 1), ("B", 3), ("C", 5)]));
        assert_eq!(gathered("j", "k", false), whole(&[("A", 1), ("B", 3)]), "an older judge's are no judgements");
        assert_eq!(gathered("j", "k", true), whole(&[("A", 1), ("B", 3)]));
        assert_eq!(gathered("k", "j", true), whole(&[("A", 1), ("B", 3), ("C", 5)]));
        let told = gathered("k", "j", false).unwrap_err();
        assert!(
            told.contains("b: its moves were judged by another reference than those in") && told.contains("/a:"),
            "{told}"
        );
    }

    /// Tells two depths of each search, finds what is said to be best, and writes down what it was asked.
    struct Oracle {
        log: std::sync::Arc<Mutex<Vec<String>>>,
        best: &'static str,
        /// The search, from 1, at which it is stopped.
        stops: usize,
        /// Whether it tells anything of its searches.
        tells: bool,
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
            watch: &mut dyn FnMut(Told<'_>),
        ) -> Result<Ended, crate::subject::Failure> {
            let moves: Vec<String> = position.moves.iter().map(ToString::to_string).collect();
            assert!(position.past.len() == moves.len() && position.start != position.board || moves.is_empty());
            lock(&self.log).push(format!("{:?} {:?} {}", limit.depth, limit.nodes, moves.join(" ")));
            let asked =
                lock(&self.log).iter().filter(|line| line.ends_with(|c: char| c.is_ascii_digit() || c == ' ')).count();
            if asked == self.stops {
                return Ok(Ended::Stopped);
            }
            if !self.tells {
                watch(Told::Reported(&crate::subject::Reported::default()));
                return Ok(Ended::Best(named(position.board, self.best).unwrap_or(Move::NONE)));
            }
            // A score of its own for each search, the last depth's one pawn more; eleven nodes, and then thirty.
            for (nodes, score) in [(11, 0), (30, 100)] {
                let told = crate::subject::Reported {
                    score: Some(score + 10 * asked as i32),
                    nodes: Some(nodes),
                    ..crate::subject::Reported::default()
                };
                watch(Told::Iteration(&told.iteration()));
            }
            Ok(Ended::Best(named(position.board, self.best).unwrap_or(Move::NONE)))
        }

        fn end(&mut self) {}
    }

    /// By hand: the position, its best move and those that were chosen, each after the move one ply less deep, but one at least, and seen from the
    /// other side; a mate and a stalemate need no search; what is known is not told again; nothing is told of what was stopped.
    #[test]
    fn a_position_is_judged_with_each_of_its_moves() {
        let judge = |fen: &str, moves: &[&str], best: &'static str, depth: Option<u8>, known: &[&str], stops: usize| {
            let log = std::sync::Arc::new(Mutex::new(Vec::new()));
            let stop = AtomicBool::new(false);
            let limit = Limit { depth, nodes: depth.is_none().then_some(70) };
            let oracle = Oracle { log: std::sync::Arc::clone(&log), best, stops, tells: true };
            let mut judge = Judge { engine: Box::new(oracle), limit, stop: &stop, id: "j".to_owned() };
            let one = Chosen {
                name: "p".to_owned(),
                start: Board::from_fen(fen).unwrap(),
                past: Vec::new(),
                moves: moves.iter().map(|mv| (*mv).to_owned()).collect(),
            };
            let known = known.iter().map(|mv| ("p".to_owned(), (*mv).to_owned())).collect();
            let rows = judge.position(&one, &known).map(|rows| {
                let shown = |row: &Judgement| format!("{}/{}/{}/{:?}", row.mv, row.best, row.score, row.nodes);
                rows.map(|rows| rows.iter().map(shown).collect::<Vec<_>>().join(" "))
            });
            let asked = lock(&log)
                .iter()
                .filter(|line| !["start", "new"].contains(&line.as_str()))
                .cloned()
                .collect::<Vec<_>>();
            (rows, asked.join(", "))
        };
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let all = |rows: &str, asked: &str| (Ok(Some(rows.to_owned())), asked.to_owned());
        assert_eq!(
            judge(start, &["d2d4", "a2a3"], "e2e4", Some(5), &[], 0),
            all(
                "/e2e4/110/Some(41) a2a3//-120/Some(41) d2d4//-130/Some(41) e2e4//-140/Some(41)",
                "Some(5) None , Some(4) None a2a3, Some(4) None d2d4, Some(4) None e2e4"
            )
        );
        assert_eq!(
            judge(start, &["d2d4", "a2a3"], "a2a3", Some(1), &["", "d2d4"], 0),
            all("a2a3//-120/Some(41)", "Some(1) None , Some(1) None a2a3")
        );
        assert_eq!(
            judge(start, &["e2e4"], "e2e4", None, &[], 0),
            all("/e2e4/110/Some(41) e2e4//-120/Some(41)", "None Some(70) , None Some(70) e2e4")
        );
        // The queen mates on g7, and leaves no move from f7.
        let end = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1";
        assert_eq!(
            judge(end, &["g6f7"], "g6g7", Some(3), &[], 0),
            all("/g6g7/110/Some(41) g6f7//0/None g6g7//31999/None", "Some(3) None ")
        );
        assert_eq!(judge(start, &["d2d4"], "e2e4", Some(5), &[], 2).0, Ok(None));
        assert_eq!(judge(start, &["d2d5"], "e2e4", Some(5), &[], 0).0, Err("p: d2d5 is illegal".to_owned()));
    }

    /// Of too few nodes for one depth no score comes; of enough for two the second may be cut short. What is never told is not 0.
    #[test]
    fn a_judge_who_finishes_no_depth_says_so() {
        let stop = AtomicBool::new(false);
        let start = Board::startpos();
        let judged = |nodes: u64| {
            let engine = Box::new(Engine::new(&EngineOptions::default(), None).unwrap());
            let limit = Limit { depth: None, nodes: Some(nodes) };
            let mut judge = Judge { engine, limit, stop: &stop, id: "j".to_owned() };
            let moves = ["e2e4".to_owned()].into();
            judge.position(&Chosen { name: "p".to_owned(), start, past: Vec::new(), moves }, &HashSet::new())
        };
        assert_eq!(
            judged(1),
            Err("p: the reference told no score: within its limit it may have finished no depth".to_owned())
        );
        let limit = Limit { depth: Some(1), nodes: None };
        let silent = Oracle { log: Default::default(), best: "e2e4", stops: 0, tells: false };
        let mut silent = Judge { engine: Box::new(silent), limit, stop: &stop, id: "j".to_owned() };
        let one = Chosen { name: "p".to_owned(), start, past: Vec::new(), moves: Default::default() };
        let told = silent.position(&one, &HashSet::new()).map(|_| ()).unwrap_err();
        assert!(told.starts_with("p: the reference told no score"), "{told}");
        let rows = judged(5000).unwrap().unwrap();
        assert!(rows.len() >= 2 && rows.iter().all(|row| row.nodes.is_some_and(|nodes| nodes > 20)), "{rows:?}");
    }
}
