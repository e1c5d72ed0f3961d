#!/usr/bin/env bash
# Subject: Glaurung 2.2 (Debian glaurung 2.2-4).
# Guess:   `go depth 1` searches depth 1 and reports it.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian glaurung 2.2-4
for depth in 1 2 3; do
    printf '%s\n' uci 'setoption name Threads value 1' 'setoption name OwnBook value false' isready 'position startpos' "go depth $depth" |
        converse 20 "$work/usr/games/glaurung" | grep -E '^(> go|info depth|info nodes|bestmove)'
done
