#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   after `ucinewgame` and before the next `position` the engine stands at the start position.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
converse 10 "$work/usr/games/stockfish" <<'END' | grep -E '^(>|Fen|bestmove)'
position startpos moves e2e4 e7e5
ucinewgame
isready
d
END
