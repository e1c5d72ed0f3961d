#!/usr/bin/env bash
# Subject: Fairy-Stockfish 11.1 (Debian fairy-stockfish 11.1-1+b1).
# Guess:   another UCI_Variant plays by other rules, so the table is emptied or its keys differ: what was searched as
#          `kingofthehill` does not touch a search as `chess`.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian fairy-stockfish 11.1-1+b1
for first in none chess kingofthehill 3check crazyhouse; do
    {
        printf '%s\n' uci isready
        if [[ $first != none ]]; then
            printf '%s\n' "setoption name UCI_Variant value $first" 'position startpos' d 'go depth 10'
        fi
        printf '%s\n' 'setoption name UCI_Variant value chess' 'position startpos' 'go depth 10'
    } | converse 60 "$work/usr/games/fairy-stockfish" >"$work/talk"
    echo "$first: $(grep ^Key "$work/talk") $(value nodes 1 <"$work/talk") $(value nodes 2 <"$work/talk")"
done
