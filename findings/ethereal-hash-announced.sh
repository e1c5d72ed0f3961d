#!/usr/bin/env bash
# Subject: Ethereal 12.00 (Debian ethereal-chess 12.00+ds1-1).
# Guess:   Hash 1023 takes 1023 MB, as the engine's own message says.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian ethereal-chess 12.00+ds1-1
for hash in 512 1023 1024; do
    printf '%s\n' uci "setoption name Hash value $hash" isready memory |
        converse 20 "$work/usr/games/ethereal-chess" | grep -E '^memory|info string|Hash'
done
