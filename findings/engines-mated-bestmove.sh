#!/usr/bin/env bash
# Subject: Stockfish 15.1, Ethereal 12.00, Glaurung 2.2, Toga II 3.0.0.1SE1, GNU Chess 6.2.7 (Debian packages).
# Guess:   asked to move in a position that is mate already, an engine answers `bestmove 0000`, the null move that UCI defines.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
debian ethereal-chess 12.00+ds1-1
debian glaurung 2.2-4
debian toga2 3.0.0.1SE1-2+b1
debian gnuchess 6.2.7-1+deb12u1
for engine in stockfish ethereal-chess glaurung toga2 'gnuchess -u'; do
    echo "$engine: $(printf '%s\n' uci isready 'position fen 7k/5QQ1/8/8/8/8/8/K7 b - - 0 1' 'go depth 4' |
        converse 10 "$work/usr/games/"$engine | grep bestmove)"
done
