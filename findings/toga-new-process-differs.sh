#!/usr/bin/env bash
# Subject: Toga II 3.0.0.1SE1 (Debian toga2 3.0.0.1SE1-2+b1).
# Guess:   one thread, no book, a fixed depth, a new process: always the same number of nodes.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian toga2 3.0.0.1SE1-2+b1
for _ in {1..12}; do
    printf '%s\n' uci 'setoption name OwnBook value false' isready 'position startpos' 'go depth 8' |
        converse 20 "$work/usr/games/toga2" | value nodes 1
done | sort | uniq -c
for _ in {1..6}; do
    printf '%s\n' uci 'setoption name OwnBook value false' isready 'position startpos' 'go depth 8' |
        converse 20 setarch -R "$work/usr/games/toga2" | value nodes 1
done | sort | uniq -c
