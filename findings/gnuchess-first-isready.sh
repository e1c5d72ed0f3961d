#!/usr/bin/env bash
# Subject: GNU Chess 6.2.7 (Debian gnuchess 6.2.7-1+deb12u1), `gnuchess -u`.
# Guess:   an option of the evaluation (Material, 0 to 400) can be set between any two searches.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian gnuchess 6.2.7-1+deb12u1
for order in 'setoption name Material value 0|isready' 'isready|setoption name Material value 0|isready' 'isready'; do
    { echo uci; tr '|' '\n' <<<"$order"; printf '%s\n' 'setoption name OwnBook value false' isready ucinewgame isready 'position startpos' 'go depth 7'; } |
        converse 30 "$work/usr/games/gnuchess" -u | value nodes 1
done
