#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   memory is the program and its network plus Hash; eight threads instead of one cost a few megabytes of stacks.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
for threads in 1 8; do
    printf '%s\n' uci "setoption name Threads value $threads" 'setoption name Hash value 1' isready memory |
        converse 10 "$work/usr/games/stockfish" | grep memory
done
ls -l "$work/usr/games/stockfish"
