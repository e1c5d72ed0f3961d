#!/usr/bin/env bash
# Subject: npm stockfish 19.0.0, lite single-threaded build, beside Stockfish 15.1 (Debian
#          stockfish 15.1-4).
# Guess:   Hash 512 and then Hash 1 gives the memory back, as the native program does.
# Is:      it stays taken until the process ends: a WebAssembly memory grows and never shrinks.
# Met by:  sweeps over sizes in one process, and measures of memory that begin with the largest
#          table.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

npm_package stockfish 19.0.0
debian stockfish 15.1-4
for engine in "node $work/node_modules/stockfish/bin/stockfish-19-lite-single.js" "$work/usr/games/stockfish"; do
    printf '%s\n' uci isready memory 'setoption name Hash value 512' isready memory \
        'setoption name Hash value 1' isready ucinewgame isready memory | converse 30 $engine >"$talk"
    memory=($(awk '$1 == "memory:" { print $2 }' "$talk"))
    echo "$(grep '^id name' "$talk"): at first ${memory[0]} MB, Hash 512 ${memory[1]} MB, Hash 1 ${memory[2]} MB"
    given_back+=($((memory[1] - memory[2])))
done
expect "WebAssembly gives back less than 50 MB" [ "${given_back[0]}" -lt 50 ]
expect "the native program more than 400 MB" [ "${given_back[1]}" -gt 400 ]
conclude
