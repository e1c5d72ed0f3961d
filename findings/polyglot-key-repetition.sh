#!/usr/bin/env bash
# chess 1.11.2 (python-chess).
# Guess: positions that is_repetition counts as the same have the same Polyglot key (chess.polyglot.zobrist_hash).
# Is: the key of that format counts an en passant file as soon as a pawn stands beside it, even if it is pinned;
# is_repetition asks for a legal capture. Here three occurrences have two keys, and == on boards disagrees too.
# Who meets it: whoever uses the Polyglot key (also offered by other libraries) as the key of a transposition table or
# to count repetitions: threefold is missed, and one position fills two slots.
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
import chess, chess.polyglot
board = chess.Board("4k3/3p4/8/K3P2r/8/8/8/8 b - - 0 1")
keys = []
for move in ["d7d5"] + ["a5b5", "e8e7", "b5a5", "e7e8"] * 2:
    board.push_uci(move)
    if board.king(chess.WHITE) == chess.A5 and board.king(chess.BLACK) == chess.E8:
        keys.append(f"{chess.polyglot.zobrist_hash(board):016x}")
        fen = board.fen().split()[:4]
        print(" ".join(fen), keys[-1])
check("is_repetition(3)", board.is_repetition(3), True)
check("keys of the three occurrences", keys, ["200429d3a5ab9df1", "3c9df70099130d50", "3c9df70099130d50"])
raise SystemExit(bad > 0)
EOF
