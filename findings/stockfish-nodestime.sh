#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   with `nodestime` 600 (nodes for a millisecond) `go movetime 1000` ends after 600,000 nodes and reports time 1000.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
converse 60 "$work/usr/games/stockfish" <<'END' | grep -E '^(>|bestmove)|^info depth' | tail -12
uci
setoption name nodestime value 600
isready
position startpos
go movetime 1000
go wtime 60000 btime 60000
END
