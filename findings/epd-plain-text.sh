#!/usr/bin/env bash
# chess 1.11.2 (python-chess).
# Guess: an operand without quotes (id WAC.001;) is read as text, or the operation alone is refused.
# Is: for any opcode it is taken for a move: WAC.001 raises an error and the whole line is lost; a text that happens to
# be a move (opponent e4;) becomes a move, for opcodes the library does not know too.
# Who meets it: whoever reads old test suites, many of which leave out the quotes.
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
start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - "
def read(operations):
    try:
        return chess.Board().set_epd(start + operations)
    except ValueError as e:
        return type(e).__name__ + ": " + str(e).split(" in ")[0]
check("bm e4; id WAC.001;", read("bm e4; id WAC.001;"), "InvalidMoveError: invalid san: 'WAC.001'")
check("opponent e4;", read("opponent e4;"), {"opponent": chess.Move.from_uci("e2e4")})
check('opponent "e4";', read('opponent "e4";'), {"opponent": "e4"})
check("id 7;", read("id 7;"), {"id": 7})
raise SystemExit(bad > 0)
EOF
