#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4) and Glaurung 2.2 (Debian glaurung 2.2-4).
# Guess:   `setoption name Threads value 1`, sent when Threads is 1, changes nothing.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
for between in '' 'setoption name Threads value 1'; do
    echo "between: $between"
    printf '%s\n' uci isready 'position startpos' 'go depth 14' "$between" isready 'go depth 14' | grep . |
        converse 60 "$work/usr/games/stockfish" >"$work/talk"
    value nodes 1 <"$work/talk"
    value nodes 2 <"$work/talk"
done
