#!/usr/bin/env bash
# Subject: Toga II 3.0.0.1SE1 (Debian toga2 3.0.0.1SE1-2+b1).
# Guess:   `go nodes 20000` ends after some 20,000 nodes: engines that have no node limit say so, or
#          search to some depth of their own.
# Is:      the limit is dropped without a word, and what is left is `go infinite`: there is no
#          `bestmove` before `stop`. With `depth` beside it the depth alone holds.
# Met by:  comparisons at equal nodes, which wait for ever.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian toga2 3.0.0.1SE1-2+b1
printf '%s\n' uci 'setoption name OwnBook value false' isready 'position startpos' \
    'send go nodes 20000' 'pause 4' 'send stop' 'pause 1' | converse 15 "$work/usr/games/toga2" >"$talk"
order=$(grep -oE '^(> stop|bestmove)' "$talk" | paste -sd' ')
most=$(grep -oE ' nodes [0-9]+' "$talk" | sort -k2 -n | tail -1 | grep -oE '[0-9]+')
echo "go nodes 20000: $order, $most nodes"
expect "it waits for stop" [ "$order" = '> stop bestmove' ]
expect "it searches more than ten times the limit" [ "$most" -gt 200000 ]

printf '%s\n' uci 'setoption name OwnBook value false' isready 'position startpos' 'go depth 9 nodes 100' |
    converse 15 "$work/usr/games/toga2" >"$talk"
most=$(grep -oE ' nodes [0-9]+' "$talk" | sort -k2 -n | tail -1 | grep -oE '[0-9]+')
echo "go depth 9 nodes 100: $(value bestmove 1) after depth $(value depth 1), $most nodes"
expect "a depth beside it is reached" [ "$(value depth 1)" -eq 9 ]
expect "with more nodes than the limit" [ "$most" -gt 1000 ]
conclude
