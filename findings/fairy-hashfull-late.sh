#!/usr/bin/env bash
# Subject: Fairy-Stockfish 11.1 (Debian fairy-stockfish 11.1-1+b1).
# Guess:   every `info` line with nodes has hashfull, in short searches too.
# Is:      hashfull appears on lines printed after the first second only; a shorter search never
#          reports it.
# Met by:  who records hashfull of quick searches: on a faster machine the column is empty.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian fairy-stockfish 11.1-1+b1
printf '%s\n' uci isready 'position startpos' 'go movetime 600' ucinewgame 'go movetime 4000' |
    converse 60 "$work/usr/games/fairy-stockfish" >"$talk"
early=$(awk '/^info depth/ { for (i = 1; i < NF; i++) if ($i == "time") t = $(i + 1); if (t < 1000) print }' "$talk")
late=$(awk '/^info depth/ { for (i = 1; i < NF; i++) if ($i == "time") t = $(i + 1); if (t > 1000) print }' "$talk")
count() { grep -c "$1" <<<"$2" || true; }
echo "lines before the first second: $(count nodes "$early"), with hashfull $(count hashfull "$early")"
echo "lines after it: $(count nodes "$late"), with hashfull $(count hashfull "$late")"
expect "no line of the first second has it" [ "$(count hashfull "$early")" -eq 0 ]
expect "all later lines have it" [ "$(count hashfull "$late")" -eq "$(count nodes "$late")" -a "$(count nodes "$late")" -gt 0 ]
conclude
