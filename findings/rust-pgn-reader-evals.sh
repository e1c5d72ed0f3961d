#!/usr/bin/env bash
# rust-pgn-reader-python-binding 4.1.0.
# Guess: evals has the evaluation of every move that has one (its documentation: NaN if missing).
# Is: mates ([%eval #3]) and evaluations with a depth ([%eval 0.33,20], which python-chess writes) are NaN too, the same
# as missing; and of two comments on a move only the last is kept.
# Who meets it: whoever trains on annotated games: exactly the decided positions have no label, and no error shows it.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python3 -m venv "$t/v"
"$t/v/bin/pip" install -q --disable-pip-version-check rust-pgn-reader-python-binding==4.1.0 chess==1.11.2
"$t/v/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -iE "^(rust[-_]pgn[-_]reader[-_]python[-_]binding|chess) " || true
cd "$t"
"$t/v/bin/python" - <<'EOF'
bad = 0
def check(what, got, want):
    global bad
    bad += got != want
    print(f"{what}: {got!r}" + ("" if got == want else f"   CHANGED, was {want!r}"))
import math, chess, chess.pgn, chess.engine
import rust_pgn_reader_python_binding as reader
game = reader.parse_game("1. e4 {[%eval 0.25]} e5 {[%eval #3]} 2. Nf3 {[%eval 0.33,20]} Nc6 {one} {two} *", store_comments=True)[0]
evals = [None if math.isnan(x) else float(x) for x in game.evals]
check("valid", game.is_valid, True)
check("evals", evals, [0.25, None, None, None])
check("comments", game.comments, ["[%eval 0.25]", "[%eval #3]", "[%eval 0.33,20]", "two"])
node = chess.pgn.Game().add_variation(chess.Move.from_uci("e2e4"))
node.set_eval(chess.engine.PovScore(chess.engine.Cp(33), chess.WHITE), 20)
check("python-chess writes", node.comment, "[%eval 0.33,20]")
raise SystemExit(bad > 0)
EOF
