#!/usr/bin/env bash
# chess 1.11.2 (python-chess).
# Guess: outcome(claim_draw=True) ends a game at the third occurrence of a position and at clock 100.
# Is: it ends one ply before, where some legal move would bring it about, because the rules let a player announce the
# move. Nobody need play that move: the side to move may be winning with another one.
# Who meets it: whoever lets engines play with python-chess: games end as draws that match runners continue, so scores
# and lengths differ from those of another runner for the same engines.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python3 -m venv "$t/v"
"$t/v/bin/pip" install -q --disable-pip-version-check chess==1.11.2
"$t/v/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -iE "^(chess) " || true
cd "$t"
"$t/v/bin/python" - <<'EOF'
bad = 0
def check(what, got, want):
    global bad
    bad += got != want
    print(f"{what}: {got!r}" + ("" if got == want else f"   CHANGED, was {want!r}"))
import chess
board = chess.Board()
for move in (["g1f3", "g8f6", "f3g1", "f6g8"] * 2)[:7]:
    board.push_uci(move)
check("occurrences of the position so far reach three", board.is_repetition(3), False)
check("outcome", board.outcome(claim_draw=True).termination.name, "THREEFOLD_REPETITION")
board = chess.Board("8/8/4k3/8/8/3RK3/8/8 w - - 99 200")
check("at clock 99, fifty moves are over", board.is_fifty_moves(), False)
check("outcome", board.outcome(claim_draw=True).termination.name, "FIFTY_MOVES")
board = chess.Board("7k/8/6K1/8/8/8/8/R7 w - - 99 200")
check("at clock 99 with mate in one on the board", board.outcome(claim_draw=True).termination.name, "FIFTY_MOVES")
board.push_san("Ra8#")
check("had it been played", board.outcome(claim_draw=True).result(), "1-0")
raise SystemExit(bad > 0)
EOF
