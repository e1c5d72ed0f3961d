#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   `setoption name Hash value 16`, sent when Hash is 16, changes nothing: the next search counts as if it were not there.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
go=$'position startpos\ngo depth 14'
for between in '' 'setoption name Hash value 16' 'setoption name Clear Hash' ucinewgame; do
    echo "between: $between"
    printf '%s\n' uci 'setoption name Hash value 16' isready "$go" "$between" isready "$go" | grep . |
        converse 60 "$work/usr/games/stockfish" | value nodes 2
done
