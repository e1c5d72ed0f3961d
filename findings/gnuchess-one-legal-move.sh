#!/usr/bin/env bash
# Subject: GNU Chess 6.2.7 and Toga II 3.0.0.1SE1 (Debian gnuchess 6.2.7-1+deb12u1, toga2
#          3.0.0.1SE1-2+b1).
# Guess:   `go depth 8` reaches depth 8 wherever there is a legal move; only searches by clock are
#          cut short.
# Is:      with one legal move both stop at depth 4.
# Met by:  sums of nodes to a depth, and checks that each row has the depth asked for.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian gnuchess 6.2.7-1+deb12u1
debian toga2 3.0.0.1SE1-2+b1
for engine in 'gnuchess -u' toga2; do
    printf '%s\n' uci 'setoption name OwnBook value false' isready 'position fen 7k/8/8/8/8/8/6PP/r5K1 w - - 0 1' 'go depth 8' \
        'position fen 7k/8/8/8/8/8/r5PP/6K1 w - - 0 1' 'go depth 8' |
        converse 30 "$work/usr/games/"$engine >"$talk"
    echo "$engine, go depth 8: one legal move, depth $(value depth 1); several, depth $(value depth 2)"
    expect "depth 4 with one legal move" [ "$(value depth 1)" -eq 4 ]
    expect "depth 8 with several" [ "$(value depth 2)" -eq 8 ]
done
conclude
