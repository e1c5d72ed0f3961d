#!/usr/bin/env bash
# Subject: Sjaak II 1.4.1 (Debian sjaakii 1.4.1-2), `sjaakii -uci`.
# Guess:   the same search with Hash 1 and Hash 256 counts other nodes, and the second of two equal searches is cheaper.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian sjaakii 1.4.1-2
for hash in 1 16 256; do
    printf '%s\n' uci "setoption name Hash value $hash" isready 'position startpos' 'go depth 9' 'go depth 9' 'go depth 9' |
        converse 60 "$work/usr/games/sjaakii" -uci >"$work/talk"
    echo "$(value nodes 1 <"$work/talk") $(value nodes 2 <"$work/talk") $(value nodes 3 <"$work/talk")"
    grep -o 'hashfull [0-9]*' "$work/talk" | paste -sd' '
done
