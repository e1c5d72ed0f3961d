#!/usr/bin/env bash
# Subject: npm stockfish 16.0.0, multi-threaded build.
# Guess:   stockfish@16 searches with its network, which comes in the package, as Stockfish 16
#          does.
# Is:      `Use NNUE` is false by default, and the search is one with the hand-made evaluation. Set
#          to true, the network is looked for in the current folder, not beside the program; there
#          it is a search of other counts, scores and moves.
# Met by:  who takes the package for Stockfish 16.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

npm_package stockfish 16.0.0
cd "$work/node_modules/stockfish/src"
for network in default true; do
    {
        echo uci
        if [[ $network == true ]]; then echo 'setoption name Use NNUE value true'; fi
        printf '%s\n' isready 'position startpos' 'go depth 8'
    } | converse 60 node stockfish-nnue-16.js >"$talk"
    echo "Use NNUE $network: depth 8, $(value nodes 1) nodes, score $(value cp 1), $(value bestmove 1)"
    counts+=("$(value nodes 1)")
done
cd /
printf '%s\n' uci 'setoption name Use NNUE value true' isready |
    converse 30 node "$work/node_modules/stockfish/src/stockfish-nnue-16.js" >"$work/elsewhere"
echo "Use NNUE true, started in another folder: $(grep -i 'eval file' "$work/elsewhere" | tail -1)"
expect "the option is false by default" grep -q '^option name Use NNUE type check default false' "$talk"
expect "the default search is another one than that with the network" [ "${counts[0]}" -ne "${counts[1]}" ]
expect "started in another folder the engine does not find the network" grep -q 'Failed to download eval file' "$work/elsewhere"
conclude
