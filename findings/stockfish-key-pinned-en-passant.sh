#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4), `d`.
# Guess:   an en passant square is dropped where no legal capture uses it (here the pawn is pinned), so both FENs have one key.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
converse 10 "$work/usr/games/stockfish" <<'END' | grep -E '^(>|Fen|Key)'
position fen 4k3/8/8/8/K2pP2r/8/8/8 b - e3 0 1
d
position fen 8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1
d
position fen 8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1
d
position fen 8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1 moves e2e4
d
END
