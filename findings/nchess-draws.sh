#!/usr/bin/env bash
# nchess 1.3.1.
# Guess: is_insufficient_material follows the rules for bishops, and is_threefold counts from the first position.
# Is: with one bishop each the rule is the wrong way round: bishops on squares of one colour (a dead position) are
# "sufficient", bishops on opposite colours (mate is possible) are not. And the position the game starts from is not
# counted: its third occurrence is not noticed.
# Who meets it: whoever ends games of self-play by these two answers: results are wrong in both directions.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python3 -m venv "$t/v"
"$t/v/bin/pip" install -q --disable-pip-version-check nchess==1.3.1 chess==1.11.2
"$t/v/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -iE "^(nchess|chess) " || true
cd "$t"
"$t/v/bin/python" - <<'EOF'
bad = 0
def check(what, got, want):
    global bad
    bad += got != want
    print(f"{what}: {got!r}" + ("" if got == want else f"   CHANGED, was {want!r}"))
import nchess, chess
for what, fen, ours, rule in [
    ("both bishops on dark squares", "8/8/4kb2/8/8/3KB3/8/8 w - - 0 1", False, True),
    ("one on dark, one on light", "8/8/4kb2/8/8/3K1B2/8/8 w - - 0 1", True, False),
]:
    check(f"{what}: nchess", nchess.Board(fen).is_insufficient_material, ours)
    check(f"{what}: python-chess", chess.Board(fen).is_insufficient_material(), rule)
a, b = nchess.Board(), chess.Board()
for move in ["g1f3", "g8f6", "f3g1", "f6g8"] * 2:
    a.step(move)
    b.push_uci(move)
check("third occurrence of the first position: nchess", a.is_threefold, False)
check("third occurrence of the first position: python-chess", b.is_repetition(3), True)
a.step("g1f3")
check("third occurrence of the second position: nchess", a.is_threefold, True)
raise SystemExit(bad > 0)
EOF
