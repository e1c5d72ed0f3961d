#!/usr/bin/env bash
# Subject: npm stockfish 10.0.2.
# Guess:   `pv` is the last word of an `info` line: everything behind it is moves.
# Is:      behind the moves stand `bmc` and a number, a word of no protocol, on every line.
# Met by:  parsers that read moves to the end of the line: they find an illegal move, or store
#          "bmc" as one.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

npm_package stockfish 10.0.2
printf '%s\n' uci isready 'position startpos' 'go depth 8' |
    converse 60 node "$work/node_modules/stockfish/src/stockfish.js" >"$talk"
grep ' pv ' "$talk" | tail -2
lines=$(grep -c ' pv ' "$talk")
expect "all $lines lines with a pv end with bmc and a number" [ "$(grep -cE ' pv .* bmc [0-9.]+$' "$talk")" -eq "$lines" ]
conclude
