#!/usr/bin/env bash
# Subject: Glaurung 2.2 (Debian glaurung 2.2-4).
# Guess:   with one thread a search after `ucinewgame` counts the nodes of the same search in a new process, whatever was searched before.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian glaurung 2.2-4
a='position fen r2q1rk1/pp2bppp/2n1pn2/3p4/3P1B2/2PBPN2/PP3PPP/R2QK2R w KQ - 1 10'
b='position fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1'
c='position startpos'
options=(uci 'setoption name Threads value 1' 'setoption name OwnBook value false' isready)
for fen in "$a" "$b" "$c"; do
    printf '%s\n' "${options[@]}" "$fen" 'go depth 9' | converse 60 "$work/usr/games/glaurung" | value nodes 1
done
for order in "$a|$b|$c" "$c|$b|$a" "$b|$a|$c"; do
    IFS='|' read -r -a fens <<<"$order"
    {
        printf '%s\n' "${options[@]}"
        for fen in "${fens[@]}"; do printf '%s\n' ucinewgame isready "$fen" 'go depth 9'; done
    } | converse 60 "$work/usr/games/glaurung" >"$work/talk"
    for search in 1 2 3; do echo "${fens[$((search - 1))]}: $(value nodes $search <"$work/talk")"; done
done
