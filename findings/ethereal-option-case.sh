#!/usr/bin/env bash
# Subject: Ethereal 12.00 (Debian ethereal-chess 12.00+ds1-1).
# Guess:   names of options are not case sensitive, as UCI says: `setoption name hash value 512`
#          sets Hash.
# Is:      it is ignored without a word, and the table stays at its 16 MB. (Stockfish, Toga II and
#          GNU Chess take either.)
# Met by:  configuration files written by hand, used for several engines.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian ethereal-chess 12.00+ds1-1
for name in Hash hash; do
    printf '%s\n' uci "setoption name $name value 512" isready memory |
        converse 20 "$work/usr/games/ethereal-chess" >"$talk"
    memory+=("$(awk '$1 == "memory:" { print $2 }' "$talk")")
    echo "$name 512: ${memory[-1]} MB $(grep 'info string' "$talk" || true)"
done
expect "Hash takes the memory" [ "${memory[0]}" -gt 500 ]
expect "hash does not" [ "${memory[1]}" -lt 100 ]
conclude
