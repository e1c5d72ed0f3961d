#!/usr/bin/env bash
# Subject: npm stockfish 19.0.0, lite single-threaded build.
# Guess:   EvalFile, set to the value that it has, changes nothing.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

npm_package stockfish 19.0.0
engine=$work/node_modules/stockfish/bin/stockfish-19-lite-single.js
file=$(echo uci | converse 20 node "$engine" | sed -n 's/^option name EvalFile type string default //p')
for between in isready "setoption name EvalFile value $file" 'setoption name Hash value 16' ucinewgame; do
    printf '%s\n' uci isready 'position startpos' 'go depth 10' "$between" isready 'go depth 10' |
        converse 60 node "$engine" >"$work/talk"
    echo "$between: $(value nodes 1 <"$work/talk") $(value nodes 2 <"$work/talk")"
done
