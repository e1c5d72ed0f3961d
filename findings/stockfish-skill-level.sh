#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   one thread and a fixed depth repeat exactly, with a lower Skill Level too: same nodes,
#          same move in every process.
# Is:      the nodes repeat, the move does not: each process draws it by lot from the best few.
# Met by:  who checks repeatability by node counts and then compares moves.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
for _ in {1..20}; do
    printf '%s\n' uci 'setoption name Skill Level value 3' isready 'position startpos' 'go depth 8' |
        converse 20 "$work/usr/games/stockfish" >"$talk"
    echo "$(value nodes 1) nodes, $(value bestmove 1)"
done >"$work/answers"
sort "$work/answers" | uniq -c
expect "twenty processes count the same nodes" [ "$(cut -d, -f1 "$work/answers" | sort -u | wc -l)" -eq 1 ]
expect "and do not all play the same move" [ "$(sort -u "$work/answers" | wc -l)" -gt 1 ]
conclude
