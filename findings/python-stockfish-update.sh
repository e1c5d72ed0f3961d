#!/usr/bin/env bash
# Subject: stockfish 3.28.0 and 5.2.0 (PyPI) driving Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   an update of the wrapper leaves alone what is searched: the same calls send the same
#          commands.
# Is:      3.28.0 sends `ucinewgame` with every `set_fen_position`, 5.2.0 (as 4.0.8 before it)
#          never. The same loop over positions repeats with the one and depends on what came before
#          with the other.
# Met by:  who updates, and who compares counts taken with both.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
record "$work/usr/games/stockfish"
for version in 3.28.0 5.2.0; do
    python_package stockfish "$version"
    timeout 60 python3 - "$work/recorded" <<'END'
import sys
from stockfish import Stockfish
start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
middle = "r2q1rk1/pp2bppp/2n1pn2/3p4/3P1B2/2PBPN2/PP3PPP/R2QK2R w KQ - 1 10"
engine = Stockfish(path=sys.argv[1], depth=12)
for fen in (start, middle, start):
    engine.set_fen_position(fen)
    engine.get_best_move()
END
    cp "$work/answered" "$talk"
    counts=$(nodes_of_searches)
    read -r first _ third <<<"$counts"
    echo "$version: nodes $counts; ucinewgame sent $(grep -c ^ucinewgame "$work/sent" || true) times"
    same+=($((first == third)))
done
expect "with 3.28.0 the first and third search count the same, with 5.2.0 not" [ "${same[*]}" = '1 0' ]
conclude
