#!/usr/bin/env bash
# Subject: Ethereal 12.00 (Debian ethereal-chess 12.00+ds1-1).
# Guess:   names of options are not case sensitive, as UCI says: `setoption name hash value 512` sets Hash.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian ethereal-chess 12.00+ds1-1
for name in Hash hash; do
    printf '%s\n' uci "setoption name $name value 512" isready memory |
        converse 20 "$work/usr/games/ethereal-chess" | grep -E '^memory|info string'
done
