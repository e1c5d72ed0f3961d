#!/usr/bin/env bash
# rust-chess 0.4.3 (and the crate chess 3.2 below it).
# Guess: get_move_from_san reads what every PGN file contains.
# Is: promotions in the standard's form (a8=Q), en passant captures (bxa6) and castling with check (O-O+) are
# "Invalid SAN move"; a8Q, "bxa6 e.p." and O-O are read. Ordinary games work until one of these moves comes.
# Who meets it: whoever replays PGN with it.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python3 -m venv "$t/v"
"$t/v/bin/pip" install -q --disable-pip-version-check rust-chess==0.4.3
"$t/v/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -iE "^(rust[-_]chess) " || true
cd "$t"
"$t/v/bin/python" - <<'EOF'
bad = 0
def check(what, got, want):
    global bad
    bad += got != want
    print(f"{what}: {got!r}" + ("" if got == want else f"   CHANGED, was {want!r}"))
import rust_chess
def read(fen, san):
    try:
        return str(rust_chess.Board(fen).get_move_from_san(san))
    except ValueError as e:
        return str(e)
no = "Invalid SAN move"
for fen, san, want in [
    ("8/P6k/8/8/8/8/8/4K3 w - - 0 1", "a8=Q", no), ("8/P6k/8/8/8/8/8/4K3 w - - 0 1", "a8Q", "a7a8q"),
    ("4k3/8/8/pP6/8/8/8/4K3 w - a6 0 2", "bxa6", no), ("4k3/8/8/pP6/8/8/8/4K3 w - a6 0 2", "bxa6 e.p.", "b5a6"),
    ("5k1r/8/8/8/8/8/8/4K2R w K - 0 1", "O-O+", no), ("5k1r/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", "e1g1"),
    ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "Rh8+", "h1h8"),
]:
    check(san, read(fen, san), want)
raise SystemExit(bad > 0)
EOF
