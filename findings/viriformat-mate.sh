#!/usr/bin/env bash
# crate viriformat 3.0.0 (training data of chess engines). Compiling takes a minute or two.
# Guess: outcome() of a position in which the side to move is checkmated is a win, also at halfmove clock 100.
# Is: the clock is asked first: a mate given with the hundredth quiet ply is Draw(FiftyMoves). The rules end the game
# with the mate. is_draw() of the same position is false, so the two disagree.
# Who meets it: whoever labels games with it: long won endgames that end just in time are stored as draws.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
cargo new -q --name probe "$t/probe" 2>/dev/null
cd "$t/probe"
cargo add -q viriformat@=3.0.0 anyhow@=1.0.100 2>/dev/null
grep -A9 dependencies Cargo.toml
cat > src/main.rs <<'EOF'
use viriformat::chess::board::Board;

fn outcome(clock: u32) -> anyhow::Result<(String, bool)> {
    let mut board = Board::new();
    board.set_from_fen(&format!("R5k1/5ppp/8/8/8/8/8/6K1 b - - {clock} 200"), false)?;
    Ok((format!("{:?}", board.outcome()), board.is_draw()))
}

fn main() -> anyhow::Result<()> {
    let mut same = true;
    for (clock, want) in [(99, "WhiteWin(Mate)"), (100, "Draw(FiftyMoves)")] {
        let (got, is_draw) = outcome(clock)?;
        println!("checkmate at clock {clock}: {got}, is_draw() {is_draw}");
        same &= got == want && !is_draw;
    }
    if !same {
        println!("CHANGED");
        std::process::exit(1);
    }
    Ok(())
}
EOF
CARGO_TARGET_DIR="$t/target" cargo run -q 
