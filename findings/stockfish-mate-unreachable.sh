#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   `go mate 1` where the shortest mate is in two ends once one move has been searched through, and says that there is none.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
converse 20 "$work/usr/games/stockfish" <<'END' | grep -E '^(>|bestmove|readyok)|score mate' | tail -12
uci
isready
position fen 7k/8/8/8/8/8/R7/1R4K1 w - - 0 1
send go mate 1
pause 2
isready
send stop
await bestmove
END
