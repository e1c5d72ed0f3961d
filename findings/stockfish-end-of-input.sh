#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   printf 'position startpos\ngo depth 22\n' | stockfish: the end of input is no command, so the search reaches depth 22.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
printf 'position startpos\ngo depth 22\n' | timeout 100 "$work/usr/games/stockfish" | tail -3
