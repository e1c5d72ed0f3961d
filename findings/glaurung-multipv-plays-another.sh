#!/usr/bin/env bash
# Subject: Glaurung 2.2 (Debian glaurung 2.2-4).
# Guess:   with MultiPV 4 `bestmove` is the first move of the line `multipv 1` of the last depth.
# Is:      in four of four positions it is the move of another line, up to 61 centipawns worse.
# Met by:  who stores the move of the one line and the score of the other, and who lets engines
#          play with MultiPV above 1.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian glaurung 2.2-4
others=0
while read -r fen; do
    printf '%s\n' uci 'setoption name Threads value 1' 'setoption name OwnBook value false' \
        'setoption name MultiPV value 4' isready "position fen $fen" 'go depth 8' | converse 30 "$work/usr/games/glaurung" >"$talk"
    lines=$(grep '^info multipv' "$talk" | tail -4 |
        sed -E 's/.* score cp (-?[0-9]+).* pv ([^ ]+).*/\2 \1/' | paste -sd, | sed 's/,/, /g')
    echo "lines: $lines; bestmove $(value bestmove 1)"
    if [[ ${lines%% *} != "$(value bestmove 1)" ]]; then others=$((others + 1)); fi
done <<'END'
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3
r2q1rk1/pp2bppp/2n1pn2/3p4/3P1B2/2PBPN2/PP3PPP/R2QK2R w KQ - 1 10
8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1
END
expect "bestmove is not the first line's move in four of four" [ "$others" -eq 4 ]
conclude
