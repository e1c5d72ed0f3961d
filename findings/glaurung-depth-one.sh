#!/usr/bin/env bash
# Subject: Glaurung 2.2 (Debian glaurung 2.2-4).
# Guess:   `go depth 1` searches depth 1 and reports it.
# Is:      it searches depth 2, with the nodes, score and line of `go depth 2`; no line for depth 1
#          is ever printed.
# Met by:  curves over depths: the first two points are one.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian glaurung 2.2-4
for depth in 1 2 3; do
    printf '%s\n' uci 'setoption name Threads value 1' 'setoption name OwnBook value false' isready \
        'position startpos' "go depth $depth" | converse 20 "$work/usr/games/glaurung" >"$talk"
    echo "go depth $depth: depth $(value depth 1), $(value nodes 1) nodes"
    nodes+=("$(value nodes 1)")
    depths+=("$(value depth 1)")
done
expect "go depth 1 ends with depth 2" [ "${depths[0]}" -eq 2 ]
expect "and the nodes of go depth 2" [ "${nodes[0]}" -eq "${nodes[1]}" ]
expect "go depth 3 differs" [ "${nodes[2]}" -gt "${nodes[1]}" ]
conclude
