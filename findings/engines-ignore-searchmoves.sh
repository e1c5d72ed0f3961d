#!/usr/bin/env bash
# Subject: Ethereal 12.00, Toga II 3.0.0.1SE1, GNU Chess 6.2.7, Sjaak II 1.4.1 (Debian
#          ethereal-chess 12.00+ds1-1, toga2 3.0.0.1SE1-2+b1, gnuchess 6.2.7-1+deb12u1, sjaakii
#          1.4.1-2).
# Guess:   `go depth 6 searchmoves a2a3` answers a2a3, the only move that it may search.
# Is:      all four search all moves and answer another one, without a word. (Stockfish and
#          Glaurung obey.)
# Met by:  who scores single moves with several engines: every move gets the score of the best.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian ethereal-chess 12.00+ds1-1
debian toga2 3.0.0.1SE1-2+b1
debian gnuchess 6.2.7-1+deb12u1
debian sjaakii 1.4.1-2
for engine in ethereal-chess toga2 'gnuchess -u' 'sjaakii -uci'; do
    printf '%s\n' uci 'setoption name OwnBook value false' isready 'position startpos' 'go depth 6 searchmoves a2a3' |
        converse 10 "$work/usr/games/"$engine >"$talk"
    echo "$engine: $(grep ^bestmove "$talk")"
    expect "$engine plays another move" [ "$(value bestmove 1)" != a2a3 -a "$(value bestmove 1)" != none ]
done
conclude
