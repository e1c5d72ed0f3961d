#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4), Ethereal 12 (Debian ethereal-chess 12.00+ds1-1).
# Guess:   whatever `go` asks for, one line `bestmove` ends the answer: `go perft 3` too.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
converse 10 "$work/usr/games/stockfish" <<'END' | tail -8
uci
isready
position startpos
send go perft 3
pause 1
isready
END
