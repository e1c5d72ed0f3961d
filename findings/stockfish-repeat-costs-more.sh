#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   the same search once more, with the table kept, needs far fewer nodes each time than the
#          time before.
# Is:      the second time it needs about half more nodes than the first; after that the counts go
#          up and down, and the tenth is still a third of the first.
# Met by:  who measures what a kept table saves with one position, and who warms an engine up
#          before measuring it.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
{
    printf '%s\n' uci isready 'position startpos'
    for _ in {1..10}; do echo 'go depth 14'; done
} | converse 90 "$work/usr/games/stockfish" >"$talk"
counts=($(nodes_of_searches))
echo "go depth 14 ten times, nodes: ${counts[*]}"
rises=0
for i in {1..9}; do
    if ((counts[i] > counts[i - 1])); then rises=$((rises + 1)); fi
done
expect "the second search costs more than the first" [ "${counts[1]}" -gt "${counts[0]}" ]
expect "at least three of nine repeats cost more than the one before ($rises do)" [ "$rises" -ge 3 ]
expect "the tenth costs more than a fifth of the first" [ "$((counts[9] * 5))" -gt "${counts[0]}" ]
conclude
