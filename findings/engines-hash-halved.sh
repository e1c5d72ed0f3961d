#!/usr/bin/env bash
# Subject: Ethereal 12.00, Toga II 3.0.0.1SE1, GNU Chess 6.2.7, Glaurung 2.2 and Stockfish 15.1
#          (Debian ethereal-chess 12.00+ds1-1, toga2 3.0.0.1SE1-2+b1, gnuchess 6.2.7-1+deb12u1,
#          glaurung 2.2-4, stockfish 15.1-4).
# Guess:   Hash 1023 takes 1023 MB, give or take a rounding.
# Is:      four of the five take the next power of two below, 512 MB, and accept the value; only
#          Ethereal says so. Stockfish takes what it is asked for.
# Met by:  sweeps over sizes: 16, 24 and 32 are then two sizes, and "as much as is free" may be
#          half of it.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian ethereal-chess 12.00+ds1-1
debian toga2 3.0.0.1SE1-2+b1
debian gnuchess 6.2.7-1+deb12u1
debian glaurung 2.2-4
debian stockfish 15.1-4
for engine in ethereal-chess toga2 'gnuchess -u' glaurung stockfish; do
    for hash in 512 1023; do
        printf '%s\n' uci 'setoption name OwnBook value false' "setoption name Hash value $hash" isready \
            'position startpos' 'go depth 4' memory | converse 200 "$work/usr/games/"$engine >"$talk"
        sizes[hash]=$(awk '$1 == "memory:" { print $2 }' "$talk")
    done
    echo "$engine: Hash 512 takes ${sizes[512]} MB, Hash 1023 ${sizes[1023]} MB $(grep -i 'info string.*hash' "$talk" || true)"
    difference=$((sizes[1023] - sizes[512]))
    if [[ $engine == stockfish ]]; then
        expect "$engine takes about 511 MB more for Hash 1023 than for 512" [ "$difference" -gt 450 ]
    else
        expect "$engine takes the same for both" [ "${difference#-}" -lt 20 ]
    fi
done
conclude
