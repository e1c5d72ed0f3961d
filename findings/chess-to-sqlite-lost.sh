#!/usr/bin/env bash
# chess-to-sqlite 0.1.0.
# Guess: importing a match of five games makes five rows.
# Is: without the tags of the big servers a row's id comes from the players and the date alone, and a second game with
# the same id replaces the first. Of a match on one day one game for each colour is left; the program says "5 games".
# Who meets it: whoever imports PGN of engine matches: thousands of games become two, without a message.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python3 -m venv "$t/v"
"$t/v/bin/pip" install -q --disable-pip-version-check chess-to-sqlite==0.1.0 sqlite-utils==4.2.1 chess==1.11.2
"$t/v/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -iE "^(chess[-_]to[-_]sqlite|sqlite[-_]utils|chess) " || true
cd "$t"
"$t/v/bin/python" - <<'EOF'
bad = 0
def check(what, got, want):
    global bad
    bad += got != want
    print(f"{what}: {got!r}" + ("" if got == want else f"   CHANGED, was {want!r}"))
import sqlite3, subprocess, sys, os
games = [("1.1", "A", "B", "1. e4 e5 2. Nf3", "1-0"), ("1.2", "B", "A", "1. e4 c5", "0-1"), ("2.1", "A", "B", "1. d4 d5", "1/2-1/2"),
         ("2.2", "B", "A", "1. c4", "1-0"), ("3.1", "A", "B", "1. Nf3 d5", "1/2-1/2")]
with open("match.pgn", "w") as f:
    for round_, white, black, moves, result in games:
        tags = [("Event", "match"), ("Site", "?"), ("Date", "2026.01.02"), ("Round", round_), ("White", white), ("Black", black), ("Result", result)]
        f.write("".join(f'[{tag} "{value}"]\n' for tag, value in tags) + f"\n{moves} {result}\n\n")
program = os.path.join(os.path.dirname(sys.executable), "chess-to-sqlite")
said = subprocess.run([program, "match.pgn", "match.db"], capture_output=True, text=True, check=True)
check("it says 5 games", "5 games" in said.stdout + said.stderr, True)
rows = sqlite3.connect("match.db").execute("select white, pgn_moves from games order by white").fetchall()
check("rows", rows, [("A", "1. Nf3 d5 1/2-1/2"), ("B", "1. c4 1-0")])
raise SystemExit(bad > 0)
EOF
