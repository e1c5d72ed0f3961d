#!/usr/bin/env bash
# Subject: Ethereal 12.00, Toga II 3.0.0.1SE1, GNU Chess 6.2.7, Sjaak II 1.4.1 (Debian packages).
# Guess:   `go depth 6 searchmoves a2a3` answers a2a3, the only move it was allowed.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian ethereal-chess 12.00+ds1-1
debian toga2 3.0.0.1SE1-2+b1
debian gnuchess 6.2.7-1+deb12u1
debian sjaakii 1.4.1-2
for engine in ethereal-chess toga2 'gnuchess -u' 'sjaakii -uci'; do
    echo "$engine: $(printf '%s\n' uci isready 'position startpos' 'go depth 6 searchmoves a2a3' |
        converse 10 "$work/usr/games/"$engine | grep bestmove)"
done
