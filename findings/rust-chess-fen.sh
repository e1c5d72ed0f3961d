#!/usr/bin/env bash
# rust-chess 0.4.3 (and the crate chess 3.2 below it).
# Guess: get_fen() writes the en passant square that was read.
# Is: it writes the square of the pawn (d4), not the one behind it (d3), while the property en_passant is right. Its own
# parser accepts both; others do not, and drop the capture.
# Who meets it: whoever hands its FENs to an engine or a database: the position has another set of legal moves there.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python3 -m venv "$t/v"
"$t/v/bin/pip" install -q --disable-pip-version-check rust-chess==0.4.3 chess==1.11.2
"$t/v/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -iE "^(rust[-_]chess|chess) " || true
cd "$t"
"$t/v/bin/python" - <<'EOF'
bad = 0
def check(what, got, want):
    global bad
    bad += got != want
    print(f"{what}: {got!r}" + ("" if got == want else f"   CHANGED, was {want!r}"))
import rust_chess, chess
fen = "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3"
board = rust_chess.Board(fen)
out = board.get_fen()
check("en passant", str(board.en_passant), "d3")
check("FEN", out, "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d4 0 3")
check("rust-chess reads that as", str(rust_chess.Board(out).en_passant), "d3")
check("python-chess: moves before and after", (chess.Board(fen).legal_moves.count(), chess.Board(out).legal_moves.count()), (31, 30))
raise SystemExit(bad > 0)
EOF
