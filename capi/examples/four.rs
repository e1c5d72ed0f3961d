//! A small engine for four in a row on 6 x 5 fields with `ttlab_core::Table`: what
//! `capi/tests/engine.c` does in C, search for search.
//!
//! `cargo run --release -p ttlab-capi --example four -- "table.design = weiss; table.size = 64" 8`

#![allow(clippy::print_stdout)] // Its output is its result.

use ttlab_core::options::Clear;
use ttlab_core::{
    Bound, Entry, Move, StaticEvaluation, Table, TableCounters, TableOptions, build_table, table_options,
};

const COLUMNS: u32 = 6;
const ROWS: u32 = 5;
const SIDE: u32 = ROWS + 1;
const WIN: i32 = 1000;
/// A bit of every move, so that column 0 is a move too.
const MOVE: u16 = 0x8000;

#[derive(Clone, Copy, Default)]
struct Board {
    /// The stones of the side to move, and of both.
    own: u64,
    all: u64,
    plies: u32,
}

impl Board {
    fn key(self) -> u64 {
        let sum = self.own.wrapping_add(self.all).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut key = sum.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        key = (key ^ key >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (key ^ key >> 31) | 1
    }

    fn is_lost(self) -> bool {
        let stones = self.own ^ self.all;
        [1, SIDE - 1, SIDE, SIDE + 1].into_iter().any(|step| {
            let pairs = stones & stones >> step;
            pairs & pairs >> (2 * step) != 0
        })
    }

    fn evaluate(self) -> i32 {
        let weight = |stones: u64| -> i32 {
            let columns = (0..COLUMNS * SIDE).filter(|square| stones >> square & 1 != 0).map(|square| square / SIDE);
            columns.map(|column| (column * (COLUMNS - 1 - column)) as i32).sum()
        };
        weight(self.own) - weight(self.own ^ self.all)
    }

    fn can_play(self, column: u32) -> bool {
        self.all >> (column * SIDE + ROWS - 1) & 1 == 0
    }

    fn play(self, column: u32) -> Self {
        let all = self.all | (self.all + (1 << (column * SIDE)));
        Self { own: self.own ^ self.all, all, plies: self.plies + 1 }
    }
}

struct Search {
    /// `None` with `table.kind = "none"`.
    table: Option<Box<dyn Table>>,
    nodes: u64,
}

impl Search {
    fn store(&mut self, key: u64, slot: usize, entry: Entry) {
        if let Some(table) = &mut self.table {
            table.store_at(key, slot, entry);
        }
    }

    fn search(&mut self, board: Board, depth: i32, mut alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        if board.is_lost() {
            return board.plies as i32 - WIN;
        }
        if board.plies == COLUMNS * ROWS {
            return 0;
        }
        let key = board.key();
        let hit = self.table.as_mut().and_then(|table| table.probe(key, 0));
        // The slot stays with its node, which is stored there under `victim = "probe"`.
        let slot = self.table.as_ref().map_or(0, |table| table.probed_slot());
        let is_open = beta - alpha > 1;
        let first = hit.map(|hit| hit.entry.mv).filter(|mv| !mv.is_none()).map(|mv| u32::from(mv.bits() & !MOVE));
        if let (Some(table), Some(hit)) = (&mut self.table, &hit)
            && !hit.entry.is_evaluation()
            && hit.draft >= depth
        {
            if hit.entry.bound.settles(hit.entry.score.into(), alpha, beta) {
                table.cutoff(hit);
                return hit.entry.score.into();
            }
            if !is_open {
                table.missed(hit);
            }
        }
        let eval = hit.and_then(|hit| hit.entry.evaluation.get()).unwrap_or_else(|| board.evaluate());
        let evaluation = StaticEvaluation::new(eval);
        if depth == 0 {
            if hit.is_none() {
                self.store(key, slot, Entry { evaluation, ..Entry::evaluation(0, is_open) });
            }
            return eval;
        }
        let (mut best, old_alpha, mut mv) = (-WIN, alpha, Move::NONE);
        let others = (0..COLUMNS).filter(|column| Some(*column) != first);
        for column in first.into_iter().chain(others).filter(|column| board.can_play(*column)) {
            let next = board.play(column);
            if let Some(table) = &self.table {
                table.prefetch(next.key());
            }
            let score = -self.search(next, depth - 1, -beta, -alpha);
            best = best.max(score);
            if score > alpha {
                (alpha, mv) = (score, Move::opaque(MOVE | column as u16));
            }
            if alpha >= beta {
                break;
            }
        }
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if best > old_alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let (score, depth) = (best as i16, depth as u8);
        self.store(key, slot, Entry { mv, score, bound, evaluation, ..Entry::evaluation(depth, is_open) });
        best
    }
}

fn options() -> Result<TableOptions, String> {
    let text = std::env::args().nth(1).unwrap_or_default();
    let mut options = table_options(&text).map_err(|fault| fault.to_string())?;
    options.keep_opaque_moves().map_err(|error| error.to_string())?;
    Ok(options)
}

fn main() -> Result<(), String> {
    let (options, depth) = (options()?, std::env::args().nth(2));
    let depth = depth.and_then(|depth| depth.parse().ok()).unwrap_or(8);
    let table = build_table(&options, None, false).map_err(|error| error.to_string())?;
    let mut search = Search { table, nodes: 0 };
    let mut board = Board::default();
    while !board.is_lost() && board.plies < COLUMNS * ROWS {
        let counters = |search: &Search| search.table.as_ref().map(|table| table.counters()).unwrap_or_default();
        let before = counters(&search);
        if let Some(table) = &mut search.table {
            if options.clear == Clear::Search {
                table.clear();
            }
            table.advance(1);
        }
        for iteration in 1..depth {
            search.search(board, iteration, -WIN, WIN);
        }
        let (mut best, mut score) = (0, -WIN - 1);
        for column in (0..COLUMNS).filter(|column| board.can_play(*column)) {
            let beta = if score > -WIN { -score } else { WIN };
            let found = -search.search(board.play(column), depth - 1, -WIN, beta);
            if found > score {
                (score, best) = (found, column);
            }
        }
        board = board.play(best);
        let occupancy = search.table.as_ref().map(|table| table.occupancy()).unwrap_or_default();
        let full = (occupancy.occupied * 1000).checked_div(occupancy.slots).unwrap_or(0);
        let named = TableCounters::COLUMNS.iter().zip((counters(&search) - before).values());
        let info: String = named.map(|((name, _), value)| format!(" table.{name} {value}")).collect();
        println!("{best} {score} {} {full} ttlab{info}", search.nodes);
    }
    Ok(())
}
