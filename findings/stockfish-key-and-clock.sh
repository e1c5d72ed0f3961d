#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4), the command `d`; the same in npm stockfish
#          19.0.0.
# Guess:   the key of a position is made of pieces, side to move, castling and en passant; the
#          clock of the fifty-move rule is no part of it.
# Is:      the key changes when the clock comes to 14 and then with every eighth ply: one position
#          has a dozen entries.
# Met by:  who counts distinct positions by these keys, and who expects a hit where only the clock
#          differs.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
for clock in {0..99}; do
    printf 'position fen 8/5k2/8/8/8/3K4/4P3/8 w - - %s 90\nd\n' "$clock"
done | converse 20 "$work/usr/games/stockfish" >"$talk"
keys=($(awk '$1 == "Key:" { print $2 }' "$talk"))
changes=
for clock in {1..99}; do
    if [[ ${keys[clock]} != "${keys[clock - 1]}" ]]; then changes+="$clock "; fi
done
echo "one position, clocks 0 to 99: the key changes at $changes"
expect "the key changes at 14 and then every eight plies" [ "$changes" = '14 22 30 38 46 54 62 70 78 86 94 ' ]
conclude
