#!/usr/bin/env bash
# Subject: GNU Chess 6.2.7 (Debian gnuchess 6.2.7-1+deb12u1), `gnuchess -u`.
# Guess:   an option of the evaluation (Material, 0 to 400) can be set between any two searches.
# Is:      such options are read at the first `isready`; later values are accepted and change
#          nothing, `ucinewgame` included.
# Met by:  drivers that send `isready` after each option, and tuning within one process: all values
#          score the same.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian gnuchess 6.2.7-1+deb12u1
count() {
    printf '%s\n' uci "$@" 'setoption name OwnBook value false' isready ucinewgame isready 'position startpos' 'go depth 7' |
        converse 30 "$work/usr/games/gnuchess" -u >"$talk"
    value nodes 1
}
default=$(count isready)
before=$(count 'setoption name Material value 0' isready)
after=$(count isready 'setoption name Material value 0' isready)
echo "go depth 7, nodes: Material unset $default; set to 0 before the first isready $before; set to 0 after it $after"
expect "before the first isready it counts" [ "$before" -ne "$default" ]
expect "after it no longer" [ "$after" -eq "$default" ]
conclude
