#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   hashfull is how full the table is. A search that fills a 1 MB table to nearly 1000 leaves it so until it is emptied.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
{
    printf '%s\n' uci 'setoption name Hash value 1' isready 'position startpos' 'go depth 18'
    echo 'position fen 8/5k2/8/8/8/3K4/4P3/8 w - - 0 1'
    for _ in {1..70}; do echo 'go depth 1'; done
} | converse 60 "$work/usr/games/stockfish" >"$work/talk"
for search in {1..71}; do value hashfull $search <"$work/talk"; done | paste -sd' '
