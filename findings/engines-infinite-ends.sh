#!/usr/bin/env bash
# Subject: Stockfish 15.1, Ethereal 12.00, Glaurung 2.2, Toga II 3.0.0.1SE1, GNU Chess 6.2.7 (Debian packages).
# Guess:   after `go infinite` there is no `bestmove` before `stop`, where a mate in one is found too.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
debian ethereal-chess 12.00+ds1-1
debian glaurung 2.2-4
debian toga2 3.0.0.1SE1-2+b1
debian gnuchess 6.2.7-1+deb12u1
debian sjaakii 1.4.1-2
for engine in stockfish ethereal-chess glaurung toga2 'gnuchess -u' 'sjaakii -uci'; do
    for fen in '6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1' '7k/8/8/8/8/8/6PP/r5K1 w - - 0 1' '7k/5Q2/5K2/8/8/8/8/8 w - - 0 1'; do
        echo "$engine, $fen"
        printf '%s\n' uci isready "position fen $fen" 'send go infinite' 'pause 2' 'send stop' 'pause 1' |
            converse 10 "$work/usr/games/"$engine | grep -nE '^(> go|> stop|bestmove)'
    done
done
