#!/usr/bin/env bash
# Subject: Sjaak II 1.4.1 (Debian sjaakii 1.4.1-2), `sjaakii -uci`.
# Guess:   `stop` ends a search within a fraction of a second, and `isready` is answered during it, as
#          UCI says.
# Is:      nothing is read while it searches: `go depth 12` with `stop` and `isready` after a second
#          counts the same nodes as without, and `readyok` follows `bestmove`.
# Met by:  drivers that end searches by their own clock, or ask `isready` whether the engine is alive.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian sjaakii 1.4.1-2
engine=("$work/usr/games/sjaakii" -uci)
printf '%s\n' uci isready 'position startpos' 'go depth 12' | converse 600 "${engine[@]}" >"$talk"
whole=$(value nodes 1)
printf '%s\n' uci isready 'position startpos' 'send go depth 12' 'pause 1' 'send isready' 'send stop' 'await readyok' |
    converse 600 "${engine[@]}" >"$talk"
stopped=$(value nodes 1)
order=$(grep -oE '^(> stop|> isready|readyok|bestmove)' "$talk" | tail -4 | paste -sd,)
echo "go depth 12: $whole nodes; with isready and stop after a second: $stopped nodes; order: $order"
expect "the search is not cut short" [ "$stopped" -eq "$whole" ]
expect "isready is answered after the search" [ "$order" = '> isready,> stop,bestmove,readyok' ]
conclude
