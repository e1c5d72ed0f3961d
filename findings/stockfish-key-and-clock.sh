#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4), `d`.
# Guess:   the key of a position covers pieces, side, castling and en passant; the clock of the fifty-move rule is no part of it.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
for clock in 0 1 7 8 13 14 15 21 22 30 60 99; do
    printf 'position fen 8/5k2/8/8/8/3K4/4P3/8 w - - %s 90\nd\n' $clock
done | converse 10 "$work/usr/games/stockfish" | grep -E '^(Fen|Key)'
