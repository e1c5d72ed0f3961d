#!/usr/bin/env bash
# Subject: Stockfish 15.1, Ethereal 12.00, Glaurung 2.2, Toga II 3.0.0.1SE1, GNU Chess 6.2.7, Sjaak II 1.4.1, Fairy-Stockfish 11.1 (Debian).
# Guess:   nps is nodes / time within a few per cent in every engine's last line, with searches of several million nodes too.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
debian ethereal-chess 12.00+ds1-1
debian glaurung 2.2-4
debian toga2 3.0.0.1SE1-2+b1
debian gnuchess 6.2.7-1+deb12u1
debian sjaakii 1.4.1-2
debian fairy-stockfish 11.1-1+b1
for engine in stockfish ethereal-chess glaurung toga2 'gnuchess -u' 'sjaakii -uci' fairy-stockfish; do
    printf '%s\n' uci isready 'position startpos' 'go movetime 6000' | converse 20 "$work/usr/games/"$engine >"$work/talk"
    echo "$engine"
    grep -E '^info.* nps' "$work/talk" | tail -3
    grep -E '^info' "$work/talk" | grep -v nps | tail -1
done
