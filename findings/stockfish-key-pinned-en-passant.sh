#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4) and npm stockfish 19.0.0, the command `d`.
# Guess:   an en passant square that no legal move uses (here the only pawn that could capture
#          would leave its king in check) is dropped, so the position has the key of the same
#          position without it.
# Is:      15.1 keeps the square if a pawn stands right, pinned or not, and has two keys for one
#          position; 19 drops it. The legal moves are the same, and for the rule of repetition both
#          are one position.
# Met by:  who compares keys or repetitions with a library that follows the rule, or between
#          versions.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
npm_package stockfish 19.0.0
for engine in "$work/usr/games/stockfish" "node $work/node_modules/stockfish/bin/stockfish-19-lite-single.js"; do
    converse 30 $engine >"$talk" <<'END'
uci
position fen 8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1
d
position fen 8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1
d
END
    grep -E '^(id name|Fen|Key)' "$talk"
    keys+=($(awk '$1 == "Key:" { print $2 }' "$talk"))
done
expect "two keys in 15.1" [ "${keys[0]}" != "${keys[1]}" ]
expect "one in 19" [ "${keys[2]}" = "${keys[3]}" ]
expect "without the square both versions have the same key" [ "${keys[1]}" = "${keys[3]}" ]
conclude
