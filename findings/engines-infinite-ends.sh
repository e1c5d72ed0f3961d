#!/usr/bin/env bash
# Subject: Ethereal 12.00, Glaurung 2.2, Stockfish 15.1, Toga II 3.0.0.1SE1 (Debian ethereal-chess
#          12.00+ds1-1, glaurung 2.2-4, stockfish 15.1-4, toga2 3.0.0.1SE1-2+b1).
# Guess:   after `go infinite` there is no `bestmove` before `stop`, whatever is found, as UCI says.
# Is:      two of the four answer by themselves where there is a mate in one: their search comes to
#          its largest depth within the second.
# Met by:  drivers that send `stop` and wait for the answer to it, or take the early answer for that
#          of the next search.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
debian ethereal-chess 12.00+ds1-1
debian glaurung 2.2-4
debian toga2 3.0.0.1SE1-2+b1
for engine in ethereal-chess glaurung stockfish toga2; do
    printf '%s\n' uci 'setoption name OwnBook value false' isready 'position fen 6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1' \
        'send go infinite' 'pause 4' 'send stop' 'pause 1' | converse 15 "$work/usr/games/$engine" >"$talk"
    order=$(grep -oE '^(> stop|bestmove)' "$talk" | paste -sd' ')
    echo "$engine: $order ($(value bestmove 1), depth $(value depth 1))"
    case $engine in
    ethereal-chess | glaurung) expect "$engine does not wait for stop" [ "$order" = 'bestmove > stop' ] ;;
    *) expect "$engine waits for stop" [ "$order" = '> stop bestmove' ] ;;
    esac
done
conclude
