//! A second, plain implementation of the whole search: functions return their line, lists are
//! sorted, keys and evaluations are computed from scratch at each node, and no options are resolved
//! in advance. It is slow, and easy to compare with the meaning of each option.

use super::rules::{Memory, evaluate, order};
use super::turns::{Fault, OwnedTable, Turns, leaves_out, root_moves};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use ttlab::internals::chess::{Board, Bound, EpRule, Increments, Keys, Move, MoveList, Piece, legal, movegen};
use ttlab::internals::engine::anatomy::AnatomyCounters;
use ttlab::internals::engine::eval::piece_square_values;
use ttlab::internals::engine::options::{
    Algorithm, BoundsRule, DepthRule, Fail, FiftyMoves, Known, Leaf, MateDistance, Ordering, Returns, Shape, Use, Where,
};
use ttlab::internals::engine::{EngineOptions, Limit, SearchCounters};
use ttlab::internals::table::options::{Clear, Refresh, TickSource};
use ttlab::internals::table::{Entry, Hit, StaticEvaluation, Table, TableKind, ThreadCounters, build};

/// Larger than every score.
const MOST: i32 = 32_001;

/// The node limit was reached.
pub struct Spent;

/// A score, and the line that leads to it.
type Found = Result<(i32, Vec<Move>), Spent>;

/// The results and counters of one iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct Iterated {
    pub depth: u8,
    pub score: i32,
    pub best: Move,
    pub pv: Vec<Move>,
    pub search: SearchCounters,
    pub anatomy: AnatomyCounters,
    pub threads: ThreadCounters,
    pub finished: bool,
}

#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

impl Window {
    fn open(self) -> bool {
        self.beta - self.alpha > 1
    }
}

/// The place of a node in the tree.
#[derive(Clone, Copy)]
struct Spot {
    depth: i32,
    ply: usize,
}

pub struct Twin {
    options: EngineOptions,
    rows: [[i32; 64]; 12],
    keys: Keys,
    pub table: Option<Box<dyn Table>>,
    /// In neutral shape: the entries that were offered to the table, and the clock.
    offers: HashMap<(u64, Option<u8>), Entry>,
    now: u16,
    memory: Memory,
    searched: bool,
    last_ply: Option<u16>,
    scout: Option<Box<Twin>>,
    /// The best moves found, if they are recorded for an oracle.
    notes: Option<HashMap<(u64, i32), Move>>,
    count: SearchCounters,
    anatomy: AnatomyCounters,
    seen: HashSet<String>,
    credit: u64,
    /// The node's static evaluation after the last probe.
    standing: Option<i32>,
    limit: u64,
    path: Vec<u64>,
    /// The number of positions in `path` before the root.
    before_root: usize,
    /// The depth of the iteration.
    iteration: i32,
    /// With several searchers: this searcher's index, the turns, the table that tracks the
    /// searchers, and the helpers.
    me: usize,
    turns: Option<Turns>,
    owned: Option<OwnedTable>,
    helpers: Vec<Twin>,
    fault: Option<Fault>,
    /// The killers and history that all searchers share, if the fault `SharedKillers` is on.
    pool: Option<Arc<Mutex<Memory>>>,
}

/// Builds the table of the options.
pub fn plain_table(options: &EngineOptions) -> Option<Box<dyn Table>> {
    build(&options.table, None, options.probe.depth == DepthRule::Equal).unwrap()
}

fn after(board: &Board, mv: Move) -> Board {
    let mut child = *board;
    child.play(mv, Increments::none());
    child
}

impl Twin {
    pub fn new(options: &EngineOptions, table: Option<Box<dyn Table>>) -> Self {
        Self::with_fault(options, table, None)
    }

    pub fn with_fault(options: &EngineOptions, table: Option<Box<dyn Table>>, fault: Option<Fault>) -> Self {
        let oracle = options.ordering.contains(&Ordering::Oracle);
        let several = options.threads.count > 1;
        let (table, owned) = match table {
            Some(table) if several => {
                let owned = OwnedTable::new(table);
                (Some(Box::new(owned.clone()) as Box<dyn Table>), Some(owned))
            }
            table => (table, None),
        };
        let alone = EngineOptions { threads: Default::default(), ..options.clone() };
        let pool = (fault == Some(Fault::SharedKillers)).then(Arc::default);
        let helper = |me: usize| {
            let handle = if fault == Some(Fault::ForgottenHandle) { 0 } else { me };
            let table = owned.clone().map(|owned| Box::new(owned.handle(handle)) as Box<dyn Table>);
            let mut helper = Self::new(&alone, table);
            helper.owned = owned.as_ref().map(|owned| owned.handle(handle));
            helper.pool = pool.clone();
            helper.options = options.clone();
            helper.me = me;
            helper
        };
        Self {
            helpers: (1..options.threads.count as usize).map(helper).collect(),
            fault,
            pool: pool.clone(),
            me: 0,
            turns: None,
            owned,
            options: options.clone(),
            rows: piece_square_values(&options.eval),
            keys: Keys::new(&options.keys),
            table,
            offers: HashMap::new(),
            now: 0,
            memory: Memory::default(),
            searched: false,
            last_ply: None,
            scout: oracle.then(|| {
                let mut options = options.clone();
                options.ordering.retain(|rule| !matches!(rule, Ordering::Oracle | Ordering::TableMove));
                options.ordering.insert(0, Ordering::TableMove);
                options.table.kind = TableKind::Unbounded;
                options.table.clear = Clear::Never;
                options.table.forget = 0.0;
                options.shape = Shape::Table;
                options.deepening.step = 0;
                let mut scout = Self::new(&options, plain_table(&options));
                scout.notes = Some(HashMap::new());
                Box::new(scout)
            }),
            notes: None,
            count: SearchCounters::default(),
            anatomy: AnatomyCounters::default(),
            seen: HashSet::new(),
            credit: 0,
            standing: None,
            limit: u64::MAX,
            path: Vec::new(),
            before_root: 0,
            iteration: 0,
        }
    }

    fn forget(&mut self, occasion: Clear) {
        let rarity = |clear| match clear {
            Clear::Iteration => 0,
            Clear::Search => 1,
            Clear::Game => 2,
            Clear::Never => 3,
        };
        if !self.searched {
            return;
        }
        if rarity(self.options.table.clear) <= rarity(occasion) {
            self.table.iter_mut().for_each(|table| table.clear());
            self.offers.clear();
            self.now = 0;
        }
        if rarity(self.options.history_clear) <= rarity(occasion) {
            self.memory = Memory::default();
            // Helpers have their own iterations.
            if occasion != Clear::Iteration {
                self.helpers.iter_mut().for_each(|helper| helper.memory = Memory::default());
            }
        }
    }

    fn advance(&mut self, ticks: u16) {
        self.table.iter_mut().for_each(|table| table.advance(ticks));
        self.now = (self.now + ticks) % 1024;
    }

    /// The key of an entry in `offers`: with depth if an unbounded table has an entry for each
    /// depth.
    fn place(&self, key: u64, depth: i32) -> (u64, Option<u8>) {
        let apart = self.options.table.kind == TableKind::Unbounded && self.options.probe.depth == DepthRule::Equal;
        (key, apart.then_some(depth as u8))
    }

    /// An answer refreshes an entry's age here as in the table.
    fn renew(&mut self, key: u64, depth: i32, rule: Refresh) {
        let (place, now) = (self.place(key, depth), self.now);
        if self.options.table.refresh == rule
            && let Some(entry) = self.offers.get_mut(&place)
        {
            entry.generation = now;
        }
    }

    pub fn new_game(&mut self) {
        self.forget(Clear::Game);
        self.last_ply = None;
        // The clock of an emptied table begins anew.
        self.searched &= self.options.table.clear > Clear::Game;
    }

    pub fn search(&mut self, root: &Board, past: &[Board], limit: Limit) -> Vec<Iterated> {
        self.forget(Clear::Search);
        let ply = root.game_ply();
        let ticks = match self.options.table.clock {
            TickSource::Search => u16::from(self.searched),
            TickSource::GamePly => self.last_ply.map_or(0, |last| ply.saturating_sub(last)),
            TickSource::Iteration => 0,
        };
        self.last_ply = Some(ply);
        self.advance(ticks);
        self.searched = true;
        if let Some(scout) = self.scout.as_mut() {
            // Each search has a new scout.
            **scout =
                Self { notes: Some(HashMap::new()), ..Self::new(&scout.options.clone(), plain_table(&scout.options)) };
        }
        self.path = past.iter().map(|board| board.key_from_scratch(&self.keys)).collect();
        if self.helpers.is_empty() {
            return self.deepen(root, limit);
        }
        self.before_root = self.path.len();
        let turns = Turns::new(self.options.threads.clone(), limit.nodes, self.fault);
        let mut helpers = std::mem::take(&mut self.helpers);
        let (first, path) = (self.depths(limit)[0], self.path.clone());
        let done = std::thread::scope(|scope| {
            for helper in &mut helpers {
                (helper.turns, helper.path, helper.before_root) = (Some(turns.clone()), path.clone(), path.len());
                scope.spawn(|| helper.help(root, first));
            }
            self.turns = Some(turns.clone());
            let done = self.deepen(root, limit);
            turns.end(0, &self.count);
            done
        });
        self.helpers = helpers;
        done
    }

    /// Searches deeper and deeper, until the main searcher is finished.
    fn help(&mut self, root: &Board, first: u8) {
        (self.count, self.credit) = (SearchCounters::default(), 0);
        let mut last = None;
        let depths = match self.options.deepening.step {
            0 => vec![first],
            step => (first..=255).step_by(step.into()).collect(),
        };
        for depth in depths {
            if leaves_out(&self.options.threads, self.me, depth.into()) {
                continue;
            }
            if last.is_some() && self.options.history_clear == Clear::Iteration {
                self.memory = Memory::default();
            }
            let Ok((score, _)) = self.iterate(root, depth.into(), last) else { break };
            last = Some(score);
        }
        self.owned.iter().for_each(|owned| owned.wait(&[]));
        self.turns.take().unwrap().end(self.me, &self.count);
    }

    /// Returns the depths of the iterations.
    fn depths(&self, limit: Limit) -> Vec<u8> {
        let target = limit.depth.unwrap_or(255);
        let deepening = self.options.deepening;
        let mut depths: Vec<u8> = Vec::new();
        if deepening.step > 0 {
            let mut depth = u32::from(deepening.start);
            while depth < u32::from(target) {
                depths.push(depth as u8);
                depth += u32::from(deepening.step);
            }
        }
        depths.push(target);
        depths
    }

    fn deepen(&mut self, root: &Board, limit: Limit) -> Vec<Iterated> {
        let mut done: Vec<Iterated> = Vec::new();
        let (mut spent, mut helped, mut last) = (0, SearchCounters::default(), None);
        for depth in self.depths(limit) {
            if !done.is_empty() {
                self.forget(Clear::Iteration);
            }
            if self.options.table.clock == TickSource::Iteration {
                self.advance(1);
            }
            if let Some(scout) = self.scout.as_mut() {
                scout.path = self.path.clone();
                scout.deepen(root, Limit { depth: Some(depth), nodes: None });
            }
            self.count = SearchCounters::default();
            self.anatomy = AnatomyCounters::default();
            self.seen.clear();
            self.credit = 0;
            self.limit = limit.nodes.map_or(u64::MAX, |nodes| nodes - spent);
            let path = self.path.clone();
            let had = self.owned.as_ref().map(OwnedTable::count).unwrap_or_default();
            let found = self.iterate(root, i32::from(depth), last);
            self.path = path;
            let mut threads = self.owned.as_ref().map(OwnedTable::count).unwrap_or_default() - had;
            if let Some(turns) = &self.turns {
                let meanwhile = turns.helped() - std::mem::replace(&mut helped, turns.helped());
                self.count += meanwhile;
                threads.helper_nodes = meanwhile.nodes;
            }
            let searchers = u64::from(self.options.threads.count);
            threads.ticks = (spent + self.count.nodes) / searchers - spent / searchers;
            spent += self.count.nodes;
            self.anatomy.unique = self.seen.len() as u64;
            last = found.as_ref().ok().map(|(score, _)| *score);
            let finished = found.is_ok();
            let (score, pv) =
                found.unwrap_or_else(|_| done.last().map_or((0, Vec::new()), |last| (last.score, last.pv.clone())));
            let best = pv.first().copied().unwrap_or(Move::NONE);
            done.push(Iterated {
                depth,
                score,
                best,
                pv,
                search: self.count,
                anatomy: self.anatomy,
                threads,
                finished,
            });
            if !finished || limit.nodes.is_some_and(|nodes| spent >= nodes) {
                break;
            }
        }
        done
    }

    fn iterate(&mut self, root: &Board, depth: i32, last: Option<i32>) -> Found {
        let spot = Spot { depth, ply: 0 };
        self.iteration = depth;
        match self.options.algorithm {
            Algorithm::Minimax => self.minimax(root, spot),
            Algorithm::Mtdf => {
                let (mut low, mut high, mut guess, mut line) = (-MOST, MOST, last.unwrap_or(0), Vec::new());
                loop {
                    let beta = if guess == low { guess + 1 } else { guess };
                    let (score, found) = self.node(root, Window { alpha: beta - 1, beta }, spot, Move::NONE)?;
                    guess = score;
                    if score < beta {
                        high = score;
                    } else {
                        (low, line) = (score, found);
                    }
                    if low >= high {
                        return Ok((score, line));
                    }
                    self.count.researches += 1;
                }
            }
            Algorithm::AlphaBeta | Algorithm::Pvs => {
                let (mut alpha, mut beta) = (-MOST, MOST);
                if let (Some(last), 1..) = (last, self.options.aspiration) {
                    alpha = (last - self.options.aspiration).max(-MOST);
                    beta = (last + self.options.aspiration).min(MOST);
                }
                loop {
                    let (score, line) = self.node(root, Window { alpha, beta }, spot, Move::NONE)?;
                    if score <= alpha && alpha > -MOST {
                        alpha = -MOST;
                    } else if score >= beta && beta < MOST {
                        beta = MOST;
                    } else {
                        return Ok((score, line));
                    }
                    self.count.researches += 1;
                }
            }
        }
    }

    fn enter(&mut self) -> Result<(), Spent> {
        let spent = match &self.turns {
            Some(turns) => {
                self.owned.iter().for_each(|owned| owned.wait(&self.path[self.before_root..]));
                self.pool.iter().for_each(|pool| pool.lock().unwrap().clone_from(&self.memory));
                let goes_on = turns.enter(self.me, &self.count);
                self.pool.iter().for_each(|pool| self.memory.clone_from(&pool.lock().unwrap()));
                !goes_on
            }
            None => self.count.nodes >= self.limit,
        };
        if spent {
            return Err(Spent);
        }
        self.count.nodes += 1;
        Ok(())
    }

    /// Returns the cost of a node that was entered with these counters.
    fn cost(&self, (nodes, credit): (u64, u64)) -> u32 {
        (self.count.nodes - nodes + self.credit - credit).min(u64::from(u32::MAX)) as u32
    }

    fn fit(&self, score: i32, window: Window) -> i32 {
        if self.options.fail == Fail::Hard { score.max(window.alpha).min(window.beta) } else { score }
    }

    fn drawn(&self, board: &Board) -> bool {
        if board.halfmove_clock() >= 100 && !(board.in_check() && self.generate(board).is_empty()) {
            return true;
        }
        let key = board.key_from_scratch(&self.keys);
        // Compares with the positions two, four, six ... plies back, up to the last capture or pawn
        // move.
        (2..=usize::from(board.halfmove_clock()).min(self.path.len()))
            .step_by(2)
            .any(|back| self.path[self.path.len() - back] == key)
    }

    fn generate(&self, board: &Board) -> Vec<Move> {
        let mut moves = MoveList::new();
        legal(board, &mut moves);
        self.options.generation.sort(board, &mut moves);
        moves.to_vec()
    }

    fn mated(&self, Spot { depth, ply, .. }: Spot) -> i32 {
        match self.options.mate.distance {
            MateDistance::Ply => -(self.options.mate.value - ply as i32),
            MateDistance::Depth => -(self.options.mate.value + depth),
            MateDistance::None => -self.options.mate.value,
        }
    }

    fn terminal(&mut self, board: &Board, spot: Spot) -> i32 {
        self.count.evals += 1;
        if board.in_check() {
            self.count.mates += 1;
            self.mated(spot)
        } else {
            self.count.stalemates += 1;
            0
        }
    }

    /// Returns whether a placement includes a node. `level` is the remaining depth, or -1 in
    /// quiescence.
    fn covers(&self, at: Where, min_depth: u8, level: i32) -> bool {
        let kind = match at {
            Where::AfterLeaf => level >= 1,
            Where::BeforeLeaf => level >= 0,
            Where::Quiescence => true,
        };
        self.table.is_some() && kind && (min_depth == 0 || level >= i32::from(min_depth))
    }

    fn asks(&self, level: i32) -> bool {
        self.covers(self.options.probe.at, self.options.probe.min_depth, level)
    }

    fn writes(&self, level: i32) -> bool {
        self.covers(self.options.store.at, self.options.store.min_depth, level)
    }

    /// Mates are stored as plies from the node.
    fn mate_shift(&self, score: i32, ply: i32) -> i32 {
        let mate = score.abs() > self.options.mate.value - 256;
        if mate && self.options.mate.distance == MateDistance::Ply { score + ply * score.signum() } else { score }
    }

    fn note(&mut self, board: &Board, depth: i32, mv: Move) {
        let key = board.key_from_scratch(&self.keys);
        if let Some(notes) = self.notes.as_mut() {
            notes.insert((key, depth), mv);
        }
    }

    fn note_answer(&mut self, board: &Board, depth: i32, mv: Move) {
        let key = board.key_from_scratch(&self.keys);
        if !mv.is_none()
            && let Some(notes) = self.notes.as_mut()
        {
            notes.entry((key, depth)).or_insert(mv);
        }
    }

    fn first(&self, board: &Board, depth: i32, table_move: Move) -> Move {
        let Some(scout) = self.scout.as_ref() else { return table_move };
        let key = board.key_from_scratch(&self.keys);
        let known = scout.notes.as_ref().and_then(|notes| notes.get(&(key, depth)).copied());
        let listed = self.options.ordering.contains(&Ordering::TableMove);
        known.unwrap_or(if listed { table_move } else { Move::NONE })
    }

    fn deep_enough(&self, hit: &Hit, depth: i32) -> bool {
        match self.options.probe.depth {
            DepthRule::AtLeast => hit.draft >= depth,
            DepthRule::Equal => i32::from(hit.entry.depth) == depth && hit.draft >= depth,
            DepthRule::Ignored => true,
        }
    }

    /// Returns the key of a position in the table, which includes the clock with `in-key`.
    fn table_key(&self, board: &Board) -> u64 {
        let key = board.key_from_scratch(&self.keys);
        let clock = u64::from(board.halfmove_clock());
        if !self.options.draws || self.options.fifty_moves != FiftyMoves::InKey || clock < 36 {
            return key;
        }
        // The steps begin at 36, 44, 52 ...; each step's number is its index from one, mixed.
        let mut mixed = 1 + (clock - 36) / 8;
        for factor in [0xbf58_476d_1ce4_e5b9_u64, 0x94d0_49bb_1331_11eb] {
            mixed ^= mixed >> if factor == 0xbf58_476d_1ce4_e5b9 { 30 } else { 27 };
            mixed = mixed.wrapping_mul(factor);
        }
        key ^ mixed ^ mixed >> 31
    }

    /// Returns the number of plies that can be played before the fifty-move rule ends the game;
    /// unlimited unless `guarded`.
    fn plies_left(&self, board: &Board) -> i32 {
        let guarded = self.options.draws && self.options.fifty_moves == FiftyMoves::Guarded;
        if guarded { 100 - i32::from(board.halfmove_clock()) } else { i32::MAX }
    }

    /// Returns whether an entry's value was found without the influence of the fifty-move rule and
    /// is valid under it.
    fn in_time(&self, board: &Board, depth: i32, entry: &Entry) -> bool {
        let left = self.plies_left(board);
        let away = self.options.mate.value - i32::from(entry.score).abs();
        let late = self.options.mate.distance == MateDistance::Ply && away < 256 && away > left;
        depth < left && i32::from(entry.depth) < left && !late
    }

    /// Probes the table. Returns the score if it ends the node, or the window and the initial
    /// value, with the move and the entry. The node's static evaluation after the probe is in
    /// `standing`.
    fn ask(&mut self, board: &Board, window: Window, spot: Spot) -> (Option<i32>, Window, i32, Move, Option<Entry>) {
        self.standing = None;
        let key = self.table_key(board);
        let table = self.table.as_mut().unwrap();
        let hit = table.probe(key, spot.depth as u8);
        self.renew(key, spot.depth, Refresh::Match);
        let ply = spot.ply;
        let tally = |number: usize, row: [&mut u64; 4]| {
            let [a, b, c, d] = row;
            *(if number < 3 {
                a
            } else if number < 6 {
                b
            } else if number < 9 {
                c
            } else {
                d
            }) += 1;
        };
        let mut seen = self.anatomy;
        tally(ply, [&mut seen.probes_ply_0, &mut seen.probes_ply_3, &mut seen.probes_ply_6, &mut seen.probes_ply_9]);
        let Some(hit) = hit else {
            self.anatomy = seen;
            let evaluates = self.options.store.evaluations && board.checkers().is_empty();
            if evaluates && self.writes(spot.depth) {
                if self.options.table.static_evaluation {
                    self.count.evals += 1;
                    self.standing = Some(evaluate(&self.options, &self.rows, board));
                }
                self.write_evaluation(board, window);
            }
            return (None, window, -MOST, Move::NONE, None);
        };
        tally(ply, [&mut seen.hits_ply_0, &mut seen.hits_ply_3, &mut seen.hits_ply_6, &mut seen.hits_ply_9]);
        let stored = usize::from(hit.entry.depth);
        tally(stored, [&mut seen.hits_depth_0, &mut seen.hits_depth_3, &mut seen.hits_depth_6, &mut seen.hits_depth_9]);
        seen.hits_old += u64::from(hit.age != 0);
        seen.hits_pv += u64::from(window.open());
        let options = &self.options.probe;
        let mv = if options.uses == Use::Cutoffs { Move::NONE } else { hit.entry.mv };
        let asked = options.uses != Use::Moves && ply > 0;
        let score = self.mate_shift(hit.entry.score.into(), -(ply as i32));
        let forgotten = hit.entry.bound == Bound::None;
        let bound = if options.bounds == BoundsRule::Ignored && !forgotten { Bound::Exact } else { hit.entry.bound };
        let ends = match bound {
            Bound::Exact => true,
            Bound::Lower => score >= window.beta,
            Bound::Upper => score <= window.alpha,
            // The entry's score was forgotten.
            Bound::None => false,
        };
        let deep = self.deep_enough(&hit, spot.depth) && self.in_time(board, spot.depth, &hit.entry);
        let alone = hit.entry.score == i16::MIN;
        let demotion = self.options.table.demotion;
        let demotes =
            demotion.missed > 0 && (demotion.missed_depth == 0 || spot.depth >= i32::from(demotion.missed_depth));
        if asked && deep && !ends && !window.open() && !alone && demotes {
            self.table.as_mut().unwrap().missed(&hit);
        }
        let cut = asked && deep && ends;
        if !cut {
            let why = match (asked, deep) {
                (false, _) => &mut seen.unasked,
                (true, false) => &mut seen.shallow,
                (true, true) => &mut seen.indecisive,
            };
            *why += 1;
            self.anatomy = seen;
            self.count.move_only += u64::from(!mv.is_none());
            let keeps = self.options.table.static_evaluation;
            if keeps && self.has_evaluation(board, spot.depth) {
                let found = hit.entry.evaluation.get();
                *(if found.is_some() { &mut self.count.evals_saved } else { &mut self.count.evals }) += 1;
                self.standing = Some(found.unwrap_or_else(|| evaluate(&self.options, &self.rows, board)));
            }
            let mut narrowed = (window, -MOST);
            if asked && deep && !ends && self.options.probe.start_value {
                match bound {
                    Bound::Lower if score > window.alpha => narrowed = (Window { alpha: score, ..window }, score),
                    Bound::Upper if score < window.beta => narrowed.0.beta = score,
                    _ => {}
                }
            }
            return (None, narrowed.0, narrowed.1, mv, Some(hit.entry));
        }
        seen.cut += 1;
        tally(ply, [&mut seen.cut_ply_0, &mut seen.cut_ply_3, &mut seen.cut_ply_6, &mut seen.cut_ply_9]);
        tally(stored, [&mut seen.cut_depth_0, &mut seen.cut_depth_3, &mut seen.cut_depth_6, &mut seen.cut_depth_9]);
        seen.cut_deeper += u64::from(hit.draft > spot.depth);
        seen.cut_old += u64::from(hit.age != 0);
        seen.cut_pv += u64::from(window.open());
        *(match hit.entry.bound {
            Bound::Exact => &mut seen.cut_exact,
            Bound::Lower => &mut seen.cut_lower,
            _ => &mut seen.cut_upper,
        }) += 1;
        self.anatomy = seen;
        self.count.usable += 1;
        self.count.saved += u64::from(hit.entry.nodes);
        if self.options.table.policy.counts_stored_nodes() {
            self.credit += u64::from(hit.entry.nodes).saturating_sub(1);
        }
        self.table.as_mut().unwrap().cutoff(&hit);
        self.renew(key, spot.depth, Refresh::Cutoff);
        self.note_answer(board, spot.depth, hit.entry.mv);
        let within = self.options.fail == Fail::Hard || self.options.probe.returns == Returns::Window;
        let score = if within { score.max(window.alpha).min(window.beta) } else { score };
        (Some(score), window, -MOST, mv, None)
    }

    /// Returns the depth to which a node is searched after the probe.
    fn lessened(&mut self, spot: Spot, entry: Option<Entry>) -> i32 {
        let iir = self.options.iir;
        let known = entry.filter(|entry| !entry.mv.is_none() && self.options.probe.uses != Use::Cutoffs);
        let done = iir.min_depth > 0 && spot.depth >= i32::from(iir.min_depth) && spot.ply > 0;
        if !done || known.is_some() {
            return spot.depth;
        }
        self.count.iir_nodes += 1;
        spot.depth - 1
    }

    #[allow(clippy::too_many_arguments)]
    fn write(
        &mut self,
        board: &Board,
        bound: Bound,
        window: Window,
        spot: Spot,
        score: i32,
        mv: Move,
        from: (u64, u64),
    ) {
        if spot.depth >= self.plies_left(board) {
            return;
        }
        let mv = if bound == Bound::Upper && !self.options.store.upper_move { Move::NONE } else { mv };
        let entry = Entry {
            mv,
            score: self.mate_shift(score, spot.ply as i32) as i16,
            bound,
            depth: spot.depth as u8,
            pv: window.open(),
            nodes: self.cost(from),
            evaluation: if self.options.table.static_evaluation && self.has_evaluation(board, spot.depth) {
                StaticEvaluation::new(evaluate(&self.options, &self.rows, board))
            } else {
                StaticEvaluation::default()
            },
            ..Entry::default()
        };
        let key = self.table_key(board);
        self.table.as_mut().unwrap().store(key, entry);
        let rule = self.options.table.same_key_rule();
        let (place, now) = (self.place(key, spot.depth), self.now);
        let mut entry = Entry { generation: now, ..entry };
        let old = self.offers.get(&place).copied();
        let replaces = old.as_ref().is_none_or(|old| rule.replaces(&mut entry, old, now));
        match old {
            Some(old) if !replaces => {
                let mv = if rule.renews_move(&entry, &old) { entry.mv } else { old.mv };
                self.offers.insert(place, Entry { mv, ..old });
            }
            _ => drop(self.offers.insert(place, entry)),
        }
    }

    /// Leaves and quiescence nodes have an evaluation, and so do interior nodes out of check if
    /// their evaluation is stored.
    fn has_evaluation(&self, board: &Board, depth: i32) -> bool {
        depth == 0 || self.options.store.evaluations && self.writes(depth) && board.checkers().is_empty()
    }

    fn write_evaluation(&mut self, board: &Board, window: Window) {
        if self.plies_left(board) <= 0 {
            return;
        }
        let evaluation = self.standing.map(StaticEvaluation::new).unwrap_or_default();
        let (key, entry) = (self.table_key(board), Entry { evaluation, ..Entry::evaluation(0, window.open()) });
        self.table.as_mut().unwrap().store(key, entry);
        let place = self.place(key, 0);
        self.offers.entry(place).or_insert(Entry { generation: self.now, ..entry });
    }

    fn by_window(score: i32, window: Window) -> Bound {
        match score {
            score if score >= window.beta => Bound::Lower,
            score if score <= window.alpha => Bound::Upper,
            _ => Bound::Exact,
        }
    }

    /// Returns the bound of a score that needed no search.
    fn known(&self, score: i32, window: Window) -> Bound {
        if self.options.store.known == Known::Exact { Bound::Exact } else { Self::by_window(score, window) }
    }

    fn see(&mut self, board: &Board) {
        // Without the clocks.
        let fen = board.fen(EpRule::Legal);
        self.seen.insert(fen.split(' ').take(4).collect::<Vec<_>>().join(" "));
    }

    fn visit(&mut self, board: &Board, window: Window, spot: Spot, previous: Move) -> Found {
        if spot.depth > 0 {
            self.node(board, window, spot, previous)
        } else {
            Ok((self.leaf(board, window, spot.ply)?, Vec::new()))
        }
    }

    fn node(&mut self, board: &Board, window: Window, spot: Spot, previous: Move) -> Found {
        let from = (self.count.nodes, self.credit);
        self.enter()?;
        self.count.interior += 1;
        let Spot { depth, ply, .. } = spot;
        if self.options.draws && ply > 0 && self.drawn(board) {
            return Ok((self.fit(0, window), Vec::new()));
        }
        self.see(board);
        let (mut now, mut best, mut table_move, mut entry) = (window, -MOST, Move::NONE, None);
        if self.asks(depth) {
            let (cut, narrowed, start, mv, answer) = self.ask(board, window, spot);
            if let Some(score) = cut {
                return Ok((score, Vec::new()));
            }
            (now, best, table_move, entry) = (narrowed, start, mv, answer);
            let table = &self.options.table;
            let knows_all = table.kind == TableKind::Unbounded && table.forget == 0.0;
            if self.options.shape == Shape::Neutral && !knows_all {
                let place = self.place(self.table_key(board), depth);
                entry = self.offers.get(&place).copied();
            }
        }
        let spot = Spot { depth: self.lessened(spot, entry), ..spot };
        let depth = spot.depth;
        let moves = self.generate(board);
        if moves.is_empty() {
            let score = self.terminal(board, spot);
            if self.writes(depth) && self.options.store.terminals {
                let bound = self.known(score, window);
                self.write(board, bound, window, spot, score, Move::NONE, from);
            }
            return Ok((self.fit(score, window), Vec::new()));
        }
        let etc = i32::from(self.options.etc_depth);
        if self.table.is_some() && etc > 0 && depth >= etc && ply > 0 {
            for &mv in &moves {
                let child = after(board, mv);
                let key = self.table_key(&child);
                self.count.etc_probes += 1;
                let hit = self.table.as_mut().unwrap().probe(key, (depth - 1) as u8);
                self.renew(key, depth - 1, Refresh::Match);
                let Some(hit) = hit else { continue };
                let score = -self.mate_shift(hit.entry.score.into(), -(ply as i32 + 1));
                let bounds = matches!(hit.entry.bound, Bound::Upper | Bound::Exact);
                let deep = self.deep_enough(&hit, depth - 1) && self.in_time(&child, depth - 1, &hit.entry);
                if bounds && score >= window.beta && deep {
                    self.count.etc_cuts += 1;
                    self.table.as_mut().unwrap().cutoff(&hit);
                    self.renew(key, depth - 1, Refresh::Cutoff);
                    if self.writes(depth) {
                        self.write(board, Bound::Lower, window, spot, score, mv, from);
                    }
                    self.note_answer(board, depth, mv);
                    return Ok((self.fit(score, window), Vec::new()));
                }
            }
        }
        let null = self.options.null_move;
        let mate = self.options.mate.value - 256;
        let officer = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen]
            .iter()
            .any(|&piece| board.pieces(board.turn(), piece).count() > 0);
        let may = null.min_depth > 0 && depth >= i32::from(null.min_depth) && ply > 0 && !previous.is_none();
        if may && !board.in_check() && window.beta.abs() < mate && officer {
            let mut passed = *board;
            passed.play_null(Increments::none());
            let zero = Window { alpha: -window.beta, beta: 1 - window.beta };
            let below = Spot { depth: (depth - 1 - i32::from(null.reduction)).max(0), ply: ply + 1 };
            self.path.push(board.key_from_scratch(&self.keys));
            let score = (-self.visit(&passed, zero, below, Move::NONE)?.0).min(mate);
            self.path.pop();
            if score >= now.beta {
                return Ok((self.fit(score, window), Vec::new()));
            }
        }
        let iid = i32::from(self.options.iid.min_depth);
        let listed = self.options.ordering.contains(&Ordering::TableMove);
        if iid > 0 && depth >= iid && table_move.is_none() && now.open() && listed {
            let (_, line) = self.node(board, now, Spot { depth: (depth / 2).max(1), ..spot }, previous)?;
            table_move = line.first().copied().unwrap_or(Move::NONE);
        }
        let (singular, plies) = self.extended(board, now, spot, entry, previous)?;
        let first = self.first(board, depth, table_move);
        let mut moves = order(&self.options, &self.memory, board, moves, first, previous, ply);
        if ply == 0 {
            moves = root_moves(&self.options.threads, self.me, moves);
        }
        self.path.push(board.key_from_scratch(&self.keys));
        let (mut best_move, mut line) = (Move::NONE, Vec::new());
        for (tried, mv) in moves.into_iter().enumerate() {
            let mut seen = spot;
            if mv == singular {
                seen.depth = depth + plies;
            }
            let tables = tried == 0 && mv == table_move;
            self.count.table_moves += u64::from(tables);
            let (score, below) = self.child(board, &after(board, mv), mv, now, seen, tried)?;
            if score > best {
                (best, best_move) = (score, mv);
                if score > now.alpha {
                    now.alpha = score;
                    line = [vec![mv], below].concat();
                    if self.options.store.rises && self.writes(depth) && score < window.beta.min(now.beta) {
                        self.write(board, Bound::Lower, window, spot, score, mv, from);
                    }
                }
                if score >= now.beta {
                    self.count.cuts += 1;
                    self.count.first_cuts += u64::from(tried == 0);
                    self.count.table_move_cuts += u64::from(tables);
                    if board.captured(mv).is_none() && mv.promotion().is_none() {
                        self.memory.learn(board, previous, mv, ply, depth);
                    }
                    break;
                }
            }
        }
        self.path.pop();
        if best > window.alpha {
            self.note(board, depth, best_move);
        }
        let score = self.fit(best, window);
        if self.writes(depth) {
            self.write(board, Self::by_window(score, window), window, spot, score, best_move, from);
        }
        Ok((score, line))
    }

    /// Returns the move that is searched to another depth than the others, and the difference.
    fn extended(
        &mut self,
        board: &Board,
        window: Window,
        spot: Spot,
        entry: Option<Entry>,
        previous: Move,
    ) -> Result<(Move, i32), Spent> {
        let singular = self.options.singular;
        let Spot { depth, ply, .. } = spot;
        let none = Ok((Move::NONE, 0));
        let Some(entry) = entry.filter(|_| singular.min_depth > 0 && depth >= i32::from(singular.min_depth)) else {
            return none;
        };
        let moves = self.generate(board);
        let score = self.mate_shift(entry.score.into(), -(ply as i32));
        let bound = match entry.bound {
            Bound::None => false,
            Bound::Upper => self.options.probe.bounds == BoundsRule::Ignored,
            Bound::Lower | Bound::Exact => true,
        };
        let mate = score.abs() > self.options.mate.value - 256;
        let far = depth - i32::from(entry.depth) > 3;
        let whole = self.options.probe.uses == Use::Both;
        let late = ply == 0 || ply as i32 >= 2 * self.iteration;
        if !whole || !bound || mate || far || late || !moves.contains(&entry.mv) {
            return none;
        }
        let mark = (score - 2 * depth).max(256 - self.options.mate.value);
        let low = Window { alpha: mark - 1, beta: mark };
        let tested = Spot { depth: (depth - 1) / 2, ..spot };
        self.enter()?;
        self.count.interior += 1;
        let mut best = -MOST;
        let moves = order(&self.options, &self.memory, board, moves, Move::NONE, previous, ply);
        self.path.push(board.key_from_scratch(&self.keys));
        for (tried, &mv) in moves.iter().filter(|&&mv| mv != entry.mv).enumerate() {
            best = best.max(self.child(board, &after(board, mv), mv, low, tested, tried)?.0);
            if best >= mark {
                break;
            }
        }
        self.path.pop();
        self.count.singular_tests += 1;
        if best < mark {
            self.count.singular_extensions += 1;
            let clear = singular.double > 0 && mark - best > singular.double && !window.open();
            self.count.singular_doubles += u64::from(clear);
            return Ok((entry.mv, if clear { 2 } else { 1 }));
        }
        none
    }

    fn late(&self, board: &Board, child: &Board, mv: Move, depth: i32, tried: usize) -> bool {
        let lmr = self.options.lmr;
        let quiet = board.captured(mv).is_none() && mv.promotion().is_none();
        let late = tried >= usize::from(lmr.full_moves) && lmr.min_depth > 0 && depth >= i32::from(lmr.min_depth);
        late && quiet && !board.in_check() && !child.in_check()
    }

    fn child(&mut self, board: &Board, child: &Board, mv: Move, window: Window, spot: Spot, tried: usize) -> Found {
        let below = Spot { depth: spot.depth - 1, ply: spot.ply + 1 };
        let full = Window { alpha: -window.beta, beta: -window.alpha };
        let zero = Window { alpha: -window.alpha - 1, beta: -window.alpha };
        if self.late(board, child, mv, spot.depth, tried) {
            let reduced = Spot { depth: (below.depth - i32::from(self.options.lmr.reduction)).max(0), ..below };
            let (score, line) = self.visit(child, zero, reduced, mv)?;
            if -score <= window.alpha {
                return Ok((-score, line));
            }
            self.count.researches += 1;
        }
        if self.options.algorithm == Algorithm::Pvs && tried > 0 && window.open() {
            let (score, line) = self.visit(child, zero, below, mv)?;
            if -score <= window.alpha || -score >= window.beta {
                return Ok((-score, line));
            }
            self.count.researches += 1;
        }
        let (score, line) = self.visit(child, full, below, mv)?;
        Ok((-score, line))
    }

    fn leaf(&mut self, board: &Board, window: Window, ply: usize) -> Result<i32, Spent> {
        let from = (self.count.nodes, self.credit);
        self.enter()?;
        self.count.leaves += 1;
        if self.options.draws && self.drawn(board) {
            return Ok(self.fit(0, window));
        }
        let score = self.settle(board, window, ply, 0, from)?;
        Ok(self.fit(score, window))
    }

    /// A leaf, or a node after `taken` captures.
    fn settle(
        &mut self,
        board: &Board,
        window: Window,
        ply: usize,
        taken: u32,
        from: (u64, u64),
    ) -> Result<i32, Spent> {
        let level = if taken == 0 { 0 } else { -1 };
        let spot = Spot { depth: 0, ply };
        self.see(board);
        let (mut table_move, mut standing) = (Move::NONE, None);
        if self.asks(level) {
            let (cut, _, _, mv, _) = self.ask(board, window, spot);
            standing = self.standing;
            if let Some(score) = cut {
                return Ok(score);
            }
            table_move = mv;
        }
        if self.options.leaf_mates && self.generate(board).is_empty() {
            let score = self.terminal(board, spot);
            if self.writes(level) && self.options.store.terminals {
                let bound = self.known(score, window);
                self.write(board, bound, window, spot, score, Move::NONE, from);
            }
            return Ok(score);
        }
        let standing = match standing {
            Some(standing) => standing,
            None => {
                self.count.evals += 1;
                evaluate(&self.options, &self.rows, board)
            }
        };
        if self.options.leaf == Leaf::Static {
            if self.writes(level) {
                let bound = self.known(standing, window);
                self.write(board, bound, window, spot, standing, Move::NONE, from);
            }
            return Ok(standing);
        }
        let (mut best, mut best_move) = (standing, Move::NONE);
        if best < window.beta {
            let mut alpha = window.alpha.max(best);
            let mut moves = MoveList::new();
            movegen::generate_captures_into(board, &mut moves);
            self.options.generation.sort(board, &mut moves);
            let first = self.first(board, 0, table_move);
            for mv in order(&self.options, &self.memory, board, moves.to_vec(), first, Move::NONE, ply) {
                let value = |piece: Piece| self.options.eval.values.values()[piece as usize];
                let gain = board.captured(mv).map_or(0, value) + mv.promotion().map_or(0, value);
                let delta = self.options.quiescence.delta;
                if delta > 0 && standing + gain + delta <= alpha {
                    continue;
                }
                let below = Window { alpha: -window.beta, beta: -alpha };
                let from = (self.count.nodes, self.credit);
                self.enter()?;
                self.count.qnodes += 1;
                let score = self.settle(&after(board, mv), below, ply + 1, taken + 1, from)?;
                let score = -self.fit(score, below);
                if score > best {
                    (best, best_move) = (score, mv);
                    alpha = alpha.max(score);
                    if score >= window.beta {
                        break;
                    }
                }
            }
            if !best_move.is_none() && best > window.alpha {
                self.note(board, 0, best_move);
            }
        }
        if self.writes(level) {
            self.write(board, Self::by_window(best, window), window, spot, best, best_move, from);
        }
        Ok(best)
    }

    fn minimax(&mut self, board: &Board, spot: Spot) -> Found {
        let window = Window { alpha: -MOST, beta: MOST };
        let Spot { depth, ply, .. } = spot;
        if depth == 0 {
            return Ok((self.leaf(board, window, ply)?, Vec::new()));
        }
        let from = (self.count.nodes, self.credit);
        self.enter()?;
        self.count.interior += 1;
        if self.options.draws && ply > 0 && self.drawn(board) {
            return Ok((0, Vec::new()));
        }
        self.see(board);
        if self.asks(depth)
            && let (Some(score), ..) = self.ask(board, window, spot)
        {
            return Ok((score, Vec::new()));
        }
        let moves = self.generate(board);
        let (mut best, mut line) = (-MOST, Vec::new());
        self.path.push(board.key_from_scratch(&self.keys));
        for &mv in &moves {
            let (score, below) = self.minimax(&after(board, mv), Spot { depth: depth - 1, ply: ply + 1 })?;
            if -score > best {
                best = -score;
                line = [vec![mv], below].concat();
            }
        }
        self.path.pop();
        if moves.is_empty() {
            best = self.terminal(board, spot);
        }
        if self.writes(depth) && (!moves.is_empty() || self.options.store.terminals) {
            let best_move = line.first().copied().unwrap_or(Move::NONE);
            let bound = self.known(best, window);
            self.write(board, bound, window, spot, best, best_move, from);
        }
        Ok((best, line))
    }
}
