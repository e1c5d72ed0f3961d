#!/usr/bin/env bash
# spooky-chess 1.1.0.
# Guess: outcome() knows repetition (there is is_threefold_repetition) and fifty moves (there is is_fifty_move_rule),
# and a checkmate comes first.
# Is: no repetition ever ends a game; the reason "fifty_move_rule" appears at clock 150, after 75 moves; and it hides a
# checkmate: the mated side is said to draw.
# Who meets it: whoever trains or tests by self-play with it: shuffling games last 150 plies, and some wins are draws.
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
def at(fen):
    game = spooky_chess.Game(8, 8, fen, True)
    return str(game.outcome()), game.is_checkmate()
game = spooky_chess.Game.standard()
while not game.is_over():
    for move in ["g1f3", "g8f6", "f3g1", "f6g8"]:
        if not game.is_over():
            game.make_move_from_lan(move)
check("knights out and back end after", (game.halfmove_clock(), str(game.outcome())), (150, "fifty_move_rule"))
check("that was the occurrence of the first position number", 1 + game.halfmove_clock() // 4, 38)
check("clock 100", at("8/8/4k3/8/8/3RK3/8/8 w - - 100 200"), ("None", False))
check("checkmate at clock 150", at("R5k1/5ppp/8/8/8/8/8/6K1 b - - 150 200"), ("fifty_move_rule", True))
raise SystemExit(bad > 0)
EOF
