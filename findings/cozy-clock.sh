#!/usr/bin/env bash
# cozy-chess-py 0.1.1 (and the crate cozy-chess below it).
# Guess: a FEN whose halfmove clock is above 100 is read. Nobody has to claim a draw after fifty moves; such positions
# stand in game collections up to clock 150, and other libraries write them.
# Is: the FEN is refused, and in play the clock stops at 100. So a game played on cannot be loaded from another
# library's FEN, and two positions a dozen moves apart have the same clock.
# Who meets it: whoever reads games or suites with cozy-chess, or compares its FENs with those of another program.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python3 -m venv "$t/v"
"$t/v/bin/pip" install -q --disable-pip-version-check cozy-chess-py==0.1.1
"$t/v/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -iE "^(cozy[-_]chess[-_]py) " || true
cd "$t"
"$t/v/bin/python" - <<'EOF'
bad = 0
def check(what, got, want):
    global bad
    bad += got != want
    print(f"{what}: {got!r}" + ("" if got == want else f"   CHANGED, was {want!r}"))
import cozy_chess as cc
def read(clock):
    try:
        return cc.Board.from_fen(f"8/8/4k3/8/8/3RK3/8/8 w - - {clock} 200").halfmove_clock
    except ValueError as e:
        return str(e)
check("clock 100 is read as", read(100), 100)
check("clock 101 is read as", read(101), "The halfmove clock is invalid.")
board = cc.Board.from_fen("8/8/4k3/8/8/3RK3/8/8 w - - 98 200")
clocks = []
for move in ["d3d1", "e6e7", "d1d2", "e7e6", "d2d1", "e6e7"]:
    board.play(cc.Move.from_str(move))
    clocks.append(board.halfmove_clock)
check("clocks of six quiet moves after 98", clocks, [99, 100, 100, 100, 100, 100])
raise SystemExit(bad > 0)
EOF
