#!/usr/bin/env bash
# Subject: Ethereal 12.00 (Debian ethereal-chess 12.00+ds1-1).
# Guess:   `go nodes 100000` ends near 100,000 nodes; an engine that does not know the word
#          searches until `stop`.
# Is:      a limit that it does not know ends the search at depth 1, after six nodes: a complete
#          answer, worth nothing. `go mate 3` likewise.
# Met by:  comparisons at equal nodes, of several engines at once.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian ethereal-chess 12.00+ds1-1
printf '%s\n' uci isready 'position startpos' 'go nodes 100000' ucinewgame isready 'go mate 3' |
    converse 30 "$work/usr/games/ethereal-chess" >"$talk"
grep -E '^(> go|info depth|bestmove)' "$talk"
expect "go nodes 100000 ends at depth 1" [ "$(value depth 1)" -eq 1 ]
expect "below 100 nodes" [ "$(value nodes 1)" -lt 100 ]
expect "go mate 3 ends at depth 1" [ "$(value depth 2)" -eq 1 ]
conclude
