#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   one thread and a fixed depth repeat exactly, with a lower Skill Level too: same nodes, same move in every process.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
for _ in {1..20}; do
    printf '%s\n' uci 'setoption name Skill Level value 3' isready 'position startpos' 'go depth 8' |
        converse 20 "$work/usr/games/stockfish" >"$work/talk"
    echo "$(value nodes 1 <"$work/talk") $(value bestmove 1 <"$work/talk")"
done | sort | uniq -c
