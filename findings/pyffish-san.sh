#!/usr/bin/env bash
# pyffish 0.0.90 (Fairy-Stockfish).
# Guess: get_san of a move that is not legal raises an error, as get_san_moves and get_fen do.
# Is: it answers "Ra1", in any position, whatever the move: also for castling written as king takes rook (e1h1) while
# chess960 is off, or as e1g1 while it is on. The answer looks like a move and sometimes is a legal one.
# Who meets it: whoever turns the UCI moves of an engine that castles in the other notation into SAN.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python3 -m venv "$t/v"
"$t/v/bin/pip" install -q --disable-pip-version-check pyffish==0.0.90
"$t/v/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -iE "^(pyffish) " || true
cd "$t"
"$t/v/bin/python" - <<'EOF'
bad = 0
def check(what, got, want):
    global bad
    bad += got != want
    print(f"{what}: {got!r}" + ("" if got == want else f"   CHANGED, was {want!r}"))
import pyffish
fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
def of(move, chess960):
    return pyffish.get_san("chess", fen, move, chess960)
check("e1g1, chess960 off", of("e1g1", False), "O-O")
check("e1h1, chess960 off", of("e1h1", False), "Ra1")
check("e1g1, chess960 on", of("e1g1", True), "Ra1")
check("e1h1, chess960 on", of("e1h1", True), "O-O")
check("e1e3", of("e1e3", False), "Ra1")
try:
    pyffish.get_san_moves("chess", fen, ["e1h1"])
    got = "no error"
except ValueError as e:
    got = str(e)
check("get_san_moves", got, "Invalid move 'e1h1'")
raise SystemExit(bad > 0)
EOF
