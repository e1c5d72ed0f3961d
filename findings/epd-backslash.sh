#!/usr/bin/env bash
# chess 1.11.2 (python-chess).
# Guess: in a quoted EPD text at most a quote and a backslash are escaped, as in the strings of PGN; a path in an id
# comes back as it stands.
# Is: \n and a few others mean control characters, as in a programming language, and any other backslash vanishes:
# "C:\new\a.pgn" is read with a line end in it. Texts with line ends are written that way, too.
# Who meets it: whoever has file names in id or c0: an id printed to a table or CSV breaks the line.
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
start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
text = chess.Board().set_epd(start + r' id "C:\new\a.pgn";')["id"]
check(r'characters of id "C:\new\a.pgn"', [c if c.isprintable() else ord(c) for c in text], ["C", ":", 10, *"ewa.pgn"])
check("a text with a line end is written as", chess.Board().epd(id="a" + chr(10) + "b")[len(start) + 1:], r'id "a\nb";')
raise SystemExit(bad > 0)
EOF
