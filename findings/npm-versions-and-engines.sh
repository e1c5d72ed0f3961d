#!/usr/bin/env bash
# Subject: npm stockfish 10.0.2, 11.0.0, 16.0.0 and stockfish.js 10.0.2.
# Guess:   the package's version is the engine's: stockfish@10 is Stockfish 10, and stockfish@16 searches with a network.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

for version in 10.0.2 11.0.0; do
    rm -rf "$work/node_modules"
    npm_package stockfish $version
    printf '%s\n' uci isready 'position startpos' 'go depth 8' | converse 60 node "$work/node_modules/stockfish/src/stockfish.js" |
        grep -E '^id name|name (Hash|Threads)|^info depth 8 |bestmove|Stockfish'
done
npm_package stockfish.js 10.0.2
for file in stockfish.js stockfish.wasm.js; do
    printf '%s\n' uci isready 'position startpos' 'go depth 8' | converse 60 node "$work/node_modules/stockfish.js/$file" |
        grep -E '^id name|name (Hash|Threads)|^info depth 8 |bestmove|Stockfish'
done
npm_package stockfish 16.0.0
printf '%s\n' uci isready 'position startpos' 'go depth 8' | converse 60 node "$work/node_modules/stockfish/src/stockfish-nnue-16-single.js" |
    grep -E '^id name|name (Hash|Threads|Use NNUE)|^info|bestmove|Stockfish'
