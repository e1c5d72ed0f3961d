#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   `bench` within a session is a side show: afterwards Threads and Hash are what they were.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
converse 60 "$work/usr/games/stockfish" <<'END' 2>&1 | grep -E '^(>|memory|threads)'
uci
setoption name Threads value 4
setoption name Hash value 512
isready
memory
threads
bench 16 1 1
isready
memory
threads
END
