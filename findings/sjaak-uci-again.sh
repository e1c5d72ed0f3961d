#!/usr/bin/env bash
# Subject: Sjaak II 1.4.1 (Debian sjaakii 1.4.1-2), `sjaakii -uci`.
# Guess:   `uci` sent once more lists the options again and changes nothing.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian sjaakii 1.4.1-2
for between in isready uci; do
    printf '%s\n' uci isready 'position startpos' 'go depth 8' "$between" 'go depth 8' |
        converse 60 "$work/usr/games/sjaakii" -uci >"$work/talk"
    echo "$(value nodes 1 <"$work/talk") $(value nodes 2 <"$work/talk")"
done
