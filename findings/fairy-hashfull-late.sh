#!/usr/bin/env bash
# Subject: Fairy-Stockfish 11.1 (Debian fairy-stockfish 11.1-1+b1).
# Guess:   every `info` line with nodes has hashfull, in short searches too.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian fairy-stockfish 11.1-1+b1
printf '%s\n' uci isready 'position startpos' 'go depth 9' 'go movetime 3000' |
    converse 60 "$work/usr/games/fairy-stockfish" | grep -E '^(> go|info depth)' | grep -oE '^> go.*|hashfull [0-9]*|time [0-9]*' | paste -sd' '
