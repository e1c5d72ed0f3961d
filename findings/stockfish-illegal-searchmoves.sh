#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   where no move of `searchmoves` is legal, the restriction is ignored and all moves are searched.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
converse 10 "$work/usr/games/stockfish" <<'END' | tail -4
uci
isready
position startpos
go depth 5 searchmoves e2e5
END
