#!/usr/bin/env bash
# Subject: npm stockfish 10.0.2 and 11.0.0.
# Guess:   stockfish@11 is Stockfish 11, as it calls itself: another search than stockfish@10, so
#          other node counts.
# Is:      to the node the same counts, in three of three positions, with the same lines and moves.
# Met by:  who pins versions of the package to compare versions of the engine.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

for version in 10.0.2 11.0.0; do
    rm -rf "$work/node_modules"
    npm_package stockfish "$version"
    converse 60 node "$work/node_modules/stockfish/src/stockfish.asm.js" >"$talk" <<'END'
uci
isready
position startpos
go depth 10
position fen r2q1rk1/pp2bppp/2n1pn2/3p4/3P1B2/2PBPN2/PP3PPP/R2QK2R w KQ - 1 10
go depth 9
position fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1
go depth 12
END
    names+=("$(grep -oE '^id name Stockfish.js [0-9]+' "$talk")")
    counts+=("$(nodes_of_searches)")
    echo "${names[-1]}: ${counts[-1]} nodes, $(grep ^bestmove "$talk" | paste -sd' ')"
done
expect "they call themselves 10 and 11" [ "${names[*]}" = 'id name Stockfish.js 10 id name Stockfish.js 11' ]
expect "all three counts are equal" [ "${counts[0]}" = "${counts[1]}" -a "$(wc -w <<<"${counts[0]}")" -eq 3 ]
conclude
