use std::sync::atomic::AtomicBool;
use ttlab::chess::*;
use ttlab::engine::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let mut o: EngineOptions = toml::from_str(&a[1]).unwrap();
    let _ = &mut o;
    let from: u8 = a[2].parse().unwrap();
    let to: u8 = a[3].parse().unwrap();
    let board = if a.len() > 4 { Board::from_fen(&a[4]).unwrap() } else { Board::startpos() };
    for d in from..=to {
        let mut e = Engine::new(&o, None).unwrap();
        let t = std::time::Instant::now();
        let out = e.search(&board, &[], Limit { depth: Some(d), nodes: None }, &AtomicBool::new(false), &mut |_| {});
        let s = t.elapsed().as_secs_f64();
        let i = out.iterations.last().unwrap();
        println!(
            "d{d} evals {} interior {} nodes {} score {} best {} hits {} entries {} mates {} {:.2}s {:.1} Mev/s",
            i.search.evals,
            i.search.interior,
            i.search.nodes,
            i.score,
            i.best,
            i.table.hits,
            i.occupancy.occupied,
            i.search.mates,
            s,
            i.search.evals as f64 / s / 1e6
        );
    }
}
