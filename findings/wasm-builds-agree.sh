#!/usr/bin/env bash
# Subject: npm stockfish 19.0.0: lite and full, single-threaded and multi-threaded builds.
# Guess:   with one thread the single- and the multi-threaded build of one network count the same nodes.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

npm_package stockfish 19.0.0
for build in lite-single lite single ''; do
    engine=$work/node_modules/stockfish/bin/stockfish-19${build:+-$build}.js
    printf '%s\n' uci isready 'position startpos' 'go depth 10' | converse 60 node "$engine" >"$work/talk"
    echo "$build: $(value nodes 1 <"$work/talk") $(grep -E '^id name|name Threads' "$work/talk" | paste -sd' ')"
done
