#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4); the same in npm stockfish 19.0.0.
# Guess:   hashfull is how full the table is: a search that fills a 1 MB table to nearly 1000
#          leaves it so until it is emptied.
# Is:      hashfull counts the entries of the latest search alone: the next search, of a few nodes,
#          reports 0 over a full table. The age by which a search is known comes round after 32
#          searches: the old entries then count as new ones, and the value is back.
# Met by:  who reads hashfull as "the table is full", and tables along long games.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
{
    printf '%s\n' uci 'setoption name Hash value 1' isready 'position startpos' 'go depth 18'
    echo 'position fen 8/5k2/8/8/8/3K4/4P3/8 w - - 0 1'
    for _ in {1..70}; do echo 'go depth 1'; done
} | converse 60 "$work/usr/games/stockfish" >"$talk"
fills=()
for search in {1..71}; do fills+=("$(value hashfull "$search")"); done
echo "hashfull of one search that fills the table and of 70 small ones: ${fills[*]}"
small=0
for i in {1..70}; do
    if ((i % 32 != 0 && fills[i] < 10)); then small=$((small + 1)); fi
done
expect "the first search fills the table" [ "${fills[0]}" -gt 900 ]
expect "hashfull is 0 to 9 in the 68 searches between" [ "$small" -eq 68 ]
expect "and above 900 again in the 32nd and 64th search after it" [ "${fills[32]}" -gt 900 -a "${fills[64]}" -gt 900 ]
conclude
