#!/usr/bin/env bash
# Subject: Fairy-Stockfish 11.1 (Debian fairy-stockfish 11.1-1+b1).
# Guess:   another UCI_Variant plays by other rules, so the table is emptied or its keys differ:
#          what was searched as `kingofthehill` does not touch a search as `chess`.
# Is:      the table is kept, and the keys of the two are the same. After a search as
#          `kingofthehill`, where the king wins by walking to the centre, an even pawn ending of
#          `chess` scores 995 centipawns at depth 1.
# Met by:  servers that use one process for several variants without `ucinewgame` between.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian fairy-stockfish 11.1-1+b1
fen='7k/7p/8/8/8/3K4/7P/8 w - - 0 1'
for first in chess kingofthehill; do
    printf '%s\n' uci isready "setoption name UCI_Variant value $first" "position fen $fen" d 'go depth 12' \
        'setoption name UCI_Variant value chess' "position fen $fen" 'go depth 1' |
        converse 30 "$work/usr/games/fairy-stockfish" >"$talk"
    echo "first as $first: $(grep ^Key "$talk"), $(grep '^info depth 12 ' "$talk" | grep -oE 'score [a-z]+ -?[0-9]+')"
    echo "  then as chess: $(grep '^info depth 1 ' "$talk" | tail -1)"
    keys+=("$(awk '$1 == "Key:" { print $2 }' "$talk")")
    scores+=("$(value cp 2)")
done
expect "both variants have the same key" [ "${keys[0]}" = "${keys[1]}" ]
expect "after chess the ending is even" [ "${scores[0]#-}" -lt 100 ]
expect "after kingofthehill it is won" [ "${scores[1]}" -gt 500 ]
conclude
