#!/usr/bin/env bash
# spooky-chess 1.1.0.
# Guess: transposition_hash() is the same for one position reached by two orders of moves.
# Is: it counts the halfmove clock and every en passant square, usable or not. Two orders that end with another kind of
# move (a pawn's or a knight's), or with another double step, never meet, though their FENs differ in the clock at most.
# Who meets it: whoever keys a transposition table by it: most transpositions of an opening are missed, and positions
# whose clock only differs share nothing. (state_hash() ignores the move number alone.)
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python3 -m venv "$t/v"
"$t/v/bin/pip" install -q --disable-pip-version-check spooky-chess==1.1.0
"$t/v/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -iE "^(spooky[-_]chess) " || true
cd "$t"
"$t/v/bin/python" - <<'EOF'
bad = 0
def check(what, got, want):
    global bad
    bad += got != want
    print(f"{what}: {got!r}" + ("" if got == want else f"   CHANGED, was {want!r}"))
import spooky_chess
def game(*moves):
    g = spooky_chess.Game.standard()
    for move in moves:
        g.make_move_from_lan(move)
    return g
a, b = game("e2e4", "g8f6", "d2d4"), game("d2d4", "g8f6", "e2e4")
check("FENs of 1. e4 Nf6 2. d4 and 1. d4 Nf6 2. e4 are the same", a.to_fen() == b.to_fen(), True)
check("their transposition_hash() is the same", a.transposition_hash() == b.transposition_hash(), False)
a, b = game("e2e4", "e7e5", "g1f3", "b8c6"), game("g1f3", "b8c6", "e2e4", "e7e5")
check("without the clock the FENs are the same", a.to_fen().split()[:4] == b.to_fen().split()[:4], True)
check("their transposition_hash() is the same", a.transposition_hash() == b.transposition_hash(), False)
a, b = game("g1f3", "g8f6", "b1c3"), game("b1c3", "g8f6", "g1f3")
check("knights only, in two orders: the same", a.transposition_hash() == b.transposition_hash(), True)
raise SystemExit(bad > 0)
EOF
