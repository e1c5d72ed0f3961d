#!/usr/bin/env bash
# Subject: chess 1.5.0, 1.7.0, 1.9.4 and 1.11.2 (python-chess, PyPI).
# Guess:   wins, draws and losses of one fixed score, `Cp(100).wdl()`, are one answer in all releases; a larger score in
#          centipawns was a larger one before.
# Is:      the default model is that of the Stockfish of the day. One pawn wins 393, 322, 533 and 515 of 1000, and half
#          a pawn is expected to score 0.58, 0.55, 0.54 and 0.56: from 1.7.0 to 1.9.4 the one rises and the other falls.
#          Nothing warns; only a `model` that is named keeps its numbers.
# Met by:  accuracy, average losses and thresholds for blunders computed from evaluations over some years.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

for release in 1.5.0 1.7.0 1.9.4 1.11.2; do
    python_package chess "$release"
    python3 - <<'END' | tee -a "$talk"
from chess.engine import Cp
half = f"{Cp(50).wdl().expectation():.2f}"
print("default:", *Cp(100).wdl(), " half a pawn:", half, " named:", *Cp(100).wdl(model="sf12"))
END
done
expect "four answers" [ "$(grep -o 'default: [0-9]*' "$talk" | sort -u | wc -l)" -eq 4 ]
expect "393, 322, 533 and 515 wins" [ "$(awk '{ print $2 }' "$talk" | paste -sd' ')" = "393 322 533 515" ]
expect "half a pawn, too, is four" [ "$(awk '{ print $8 }' "$talk" | paste -sd' ')" = "0.58 0.55 0.54 0.56" ]
expect "a named model keeps its answer" [ "$(grep -o 'named: .*' "$talk" | sort -u | wc -l)" -eq 1 ]
conclude
