#!/usr/bin/env bash
# Subject: Fairy-Stockfish 11.1 (Debian fairy-stockfish 11.1-1+b1).
# Guess:   whatever was searched as `kingofthehill`, a search as `chess` shows scores of chess: no mate where none is.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian fairy-stockfish 11.1-1+b1
for first in chess kingofthehill; do
    printf '%s\n' uci isready "setoption name UCI_Variant value $first" 'position fen 7k/7p/8/8/8/3K4/7P/8 w - - 0 1' 'go depth 12' \
        'setoption name UCI_Variant value chess' 'position fen 7k/7p/8/8/8/3K4/7P/8 w - - 0 1' 'go depth 6' |
        converse 30 "$work/usr/games/fairy-stockfish" | grep -E '^(> go|info depth|bestmove|.*UCI_Variant value)' | tail -12
done
