#!/usr/bin/env bash
# Subject: npm stockfish 19.0.0, lite single-threaded build.
# Guess:   Hash 512 and then Hash 1 gives the memory back, as the native program does.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

npm_package stockfish 19.0.0
debian stockfish 15.1-4
for engine in "node $work/node_modules/stockfish/bin/stockfish-19-lite-single.js" "$work/usr/games/stockfish"; do
    echo "$engine"
    printf '%s\n' uci isready memory 'setoption name Hash value 512' isready memory 'setoption name Hash value 1' isready memory ucinewgame isready \
        'position startpos' 'go depth 8' memory |
        converse 30 $engine | grep memory
done
