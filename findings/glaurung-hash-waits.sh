#!/usr/bin/env bash
# Subject: Glaurung 2.2 (Debian glaurung 2.2-4).
# Guess:   after `setoption name Hash value 512` and `readyok` the memory is taken; 512 and then 16
#          again leaves an empty table.
# Is:      Hash is looked at when the next search begins. Before it neither is memory taken nor,
#          after a smaller value, given back; and 512 and back without a search between is no
#          change at all: the table keeps its entries.
# Met by:  who checks the memory before starting, and who empties tables by setting Hash there and
#          back.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian glaurung 2.2-4
start=(uci 'setoption name Threads value 1' 'setoption name OwnBook value false' isready 'position startpos')
printf '%s\n' "${start[@]}" 'setoption name Hash value 512' isready memory 'go depth 8' memory \
    'setoption name Hash value 4' isready memory 'go depth 8' memory | converse 60 "$work/usr/games/glaurung" >"$talk"
memory=($(awk '$1 == "memory:" { print $2 }' "$talk"))
echo "Hash 512: ${memory[0]} MB, after a search ${memory[1]}; Hash 4: ${memory[2]} MB, after a search ${memory[3]}"
expect "512 MB are not taken at readyok, but by the search" [ "${memory[0]}" -lt 100 -a "${memory[1]}" -gt 500 ]
expect "they are given back by the next search only" [ "${memory[2]}" -gt 500 -a "${memory[3]}" -lt 100 ]
second() {
    printf '%s\n' "${start[@]}" 'setoption name Hash value 16' 'go depth 10' "$@" isready 'go depth 10' |
        converse 60 "$work/usr/games/glaurung" >"$talk"
    value nodes 2
}
kept=$(second isready)
back=$(second 'setoption name Hash value 512' isready 'setoption name Hash value 16')
fresh=$(value nodes 1)
echo "go depth 10, nodes: new process $fresh; second search $kept; after Hash 512 and 16 $back"
expect "a second search differs from the first" [ "$kept" -ne "$fresh" ]
expect "Hash there and back changes nothing" [ "$back" -eq "$kept" ]
conclude
