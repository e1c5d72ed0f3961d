#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   the words of `go` stand in any order: `go searchmoves e2e4 d2d4 depth 5` is `go depth 5 searchmoves e2e4 d2d4`.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
converse 30 "$work/usr/games/stockfish" <<'END' | grep -E '^(>|bestmove)|^info depth .* pv' | tail -30
uci
isready
position startpos
go depth 5 searchmoves e2e4 d2d4
send go searchmoves e2e4 d2d4 depth 5
pause 1
send stop
await bestmove
END
