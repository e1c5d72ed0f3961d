#!/usr/bin/env bash
# Subject: Ethereal 12.00 (Debian ethereal-chess 12.00+ds1-1).
# Guess:   `nodes` of a search ended by time is what was searched until then, and so is another
#          number at each try.
# Is:      `nodes` is that of the last completed depth; what came after is not counted. Searches of
#          400, 500, 600 and 700 ms report the exact count of a fixed depth, so most of them the
#          same.
# Met by:  who takes nodes per second from the last line and the clock: the value is too low.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian ethereal-chess 12.00+ds1-1
for milliseconds in 400 500 600 700; do
    printf '%s\n' uci isready 'position startpos' "go movetime $milliseconds" |
        converse 20 "$work/usr/games/ethereal-chess" >"$talk"
    depth=$(value depth 1)
    nodes=$(value nodes 1)
    printf '%s\n' uci isready 'position startpos' "go depth $depth" | converse 60 "$work/usr/games/ethereal-chess" >"$talk"
    echo "movetime $milliseconds: depth $depth, $nodes nodes; go depth $depth: $(value nodes 1) nodes"
    expect "the count is that of the depth" [ "$nodes" -eq "$(value nodes 1)" ]
done
conclude
