#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   `setoption name Threads value 1`, sent when Threads is 1, changes nothing.
# Is:      the engine starts anew: table and histories are gone, as in a new process.
# Met by:  drivers that repeat their options during a game; it then plays every move with an empty
#          table.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
second() {
    printf '%s\n' uci 'setoption name Threads value 1' isready 'position startpos' 'go depth 14' "$1" isready 'go depth 14' |
        converse 60 "$work/usr/games/stockfish" >"$talk"
    value nodes 2
}
kept=$(second isready)
fresh=$(value nodes 1)
again=$(second 'setoption name Threads value 1')
echo "go depth 14, nodes: new process $fresh; second search $kept; after Threads 1 again $again"
expect "a second search differs from the first, as its table is kept" [ "$kept" -ne "$fresh" ]
expect "after Threads 1 again it counts as in a new process" [ "$again" -eq "$fresh" ]
conclude
