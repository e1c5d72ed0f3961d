#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   `position startpos moves e2e4 e7e5 e1e3 g8f6` (the third move is illegal) is refused with a message, the position stays.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
converse 10 "$work/usr/games/stockfish" <<'END' | grep -E '^(>|Fen|info|bestmove)'
position startpos moves d2d4
position startpos moves e2e4 e7e5 e1e3 g8f6
d
END
