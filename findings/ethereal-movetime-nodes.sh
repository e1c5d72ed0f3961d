#!/usr/bin/env bash
# Subject: Ethereal 12.00 (Debian ethereal-chess 12.00+ds1-1).
# Guess:   `nodes` of a search ended by time is what was searched until then, so it is another number at each try.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian ethereal-chess 12.00+ds1-1
for _ in 1 2 3 4; do
    printf '%s\n' uci isready 'position startpos' 'go movetime 700' |
        converse 20 "$work/usr/games/ethereal-chess" >"$work/talk"
    echo "movetime: depth $(value depth 1 <"$work/talk"), nodes $(value nodes 1 <"$work/talk")"
done
printf '%s\n' uci isready 'position startpos' "go depth $(value depth 1 <"$work/talk")" |
    converse 20 "$work/usr/games/ethereal-chess" | value nodes 1
