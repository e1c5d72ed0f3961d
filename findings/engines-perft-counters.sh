#!/usr/bin/env bash
# Subject: Ethereal 12.00, Glaurung 2.2, GNU Chess 6.2.7, Sjaak II 1.4.1 (Debian packages).
# Guess:   perft counts are 64 bits wide: perft 7 of the start position is 3,195,901,860, above 2^31.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian ethereal-chess 12.00+ds1-1
debian glaurung 2.2-4
debian sjaakii 1.4.1-2
for engine in ethereal-chess glaurung 'sjaakii -uci'; do
    printf '%s\n' uci isready 'position startpos' 'send perft 5' 'pause 4' isready | converse 20 "$work/usr/games/"$engine | tail -4
done
