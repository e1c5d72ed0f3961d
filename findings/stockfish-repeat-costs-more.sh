#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   the same search once more, with the table kept, needs far fewer nodes each time than the first.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
{
    printf '%s\n' uci isready 'position startpos'
    for _ in 1 2 3 4 5 6 7 8 9 10; do echo 'go depth 14'; done
} | converse 90 "$work/usr/games/stockfish" >"$work/talk"
for search in 1 2 3 4 5 6 7 8 9 10; do value nodes $search <"$work/talk"; done
