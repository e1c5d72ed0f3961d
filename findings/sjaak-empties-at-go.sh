#!/usr/bin/env bash
# Subject: Sjaak II 1.4.1 (Debian sjaakii 1.4.1-2), `sjaakii -uci`.
# Guess:   the same search with Hash 1 and Hash 256 counts other nodes, and the second of two equal
#          searches is cheaper.
# Is:      the table is empty at every `go`: hashfull begins at 0 again, and Hash changes no count.
#          What is kept are the histories, and they may make a repeat dearer than the first search.
# Met by:  who measures its table, or sees counts differ between searches and takes that for a kept
#          table.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian sjaakii 1.4.1-2
for hash in 1 16 256; do
    printf '%s\n' uci "setoption name Hash value $hash" isready 'position startpos' 'go depth 9' 'go depth 9' 'go depth 9' |
        converse 60 "$work/usr/games/sjaakii" -uci >"$talk"
    echo "Hash $hash, go depth 9 three times, nodes: $(nodes_of_searches)"
    counts+=("$(nodes_of_searches)")
    if [[ $hash == 1 ]]; then fills=($(grep -oE 'hashfull [0-9]+|^bestmove' "$talk" | sed 's/hashfull //')); fi
done
echo "Hash 1, hashfull: ${fills[*]}"
zeros=0
last=0
for i in "${!fills[@]}"; do
    if [[ ${fills[i]} == bestmove ]]; then
        last=$((fills[i - 1] > last ? fills[i - 1] : last))
        if [[ ${fills[i + 1]:-} == 0 ]]; then zeros=$((zeros + 1)); fi
    fi
done
expect "counts are the same for Hash 1, 16 and 256" [ "${counts[0]}" = "${counts[1]}" -a "${counts[1]}" = "${counts[2]}" ]
expect "hashfull goes above 500 and is 0 at the start of the second and third search" [ "$last" -gt 500 -a "$zeros" -eq 2 ]
expect "the three searches differ" [ "$(tr ' ' '\n' <<<"${counts[0]}" | sort -u | wc -l)" -eq 3 ]
conclude
