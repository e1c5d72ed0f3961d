#!/usr/bin/env bash
# pgn2data 0.0.11.
# Guess: in the table of moves, player and colour follow the position, also in a game that starts from a FEN with Black
# to move (many books of openings have such positions).
# Is: the first move of a game is always White's: Black's move is listed with the white player and colour White, the
# clock goes to the wrong player, and numbers start at 1.
# Who meets it: whoever makes a data set of engine matches with it: those games have the colours exchanged.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python3 -m venv "$t/v"
"$t/v/bin/pip" install -q --disable-pip-version-check pgn2data==0.0.11 chess==1.11.2
"$t/v/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -iE "^(pgn2data|chess) " || true
cd "$t"
"$t/v/bin/python" - <<'EOF'
bad = 0
def check(what, got, want):
    global bad
    bad += got != want
    print(f"{what}: {got!r}" + ("" if got == want else f"   CHANGED, was {want!r}"))
import csv, logging
logging.disable(logging.CRITICAL)
from converter.pgn_data import PGNData
open("match.pgn", "w").write("""[Event "match"]
[White "Alpha"]
[Black "Beta"]
[Result "1-0"]
[SetUp "1"]
[FEN "4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 7"]

7... e5 {[%clk 0:00:09]} 8. e4 {[%clk 0:00:01]} Kd7 1-0
""")
PGNData("match.pgn").export()
rows = list(csv.DictReader(open("match_moves.csv")))
got = [(r["move_no_pair"], r["notation"], r["player"], r["color"], r["clock_seconds"]) for r in rows]
check("moves", got[:2], [("1", "e5", "Alpha", "White", "9.0"), ("1", "e4", "Beta", "Black", "1.0")])
raise SystemExit(bad > 0)
EOF
