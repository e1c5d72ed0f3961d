#!/usr/bin/env bash
# Subject: Glaurung 2.2 (Debian glaurung 2.2-4).
# Guess:   hashfull nears 1000 when a search has many times more nodes than the table has entries.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian glaurung 2.2-4
printf '%s\n' uci 'setoption name Threads value 1' 'setoption name OwnBook value false' 'setoption name Hash value 4' isready \
    'position startpos' 'go nodes 8000000' | converse 100 "$work/usr/games/glaurung" | grep hashfull
