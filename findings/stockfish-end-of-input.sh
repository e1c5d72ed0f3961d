#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   printf 'position startpos\ngo depth 22\n' | stockfish: the end of input is no command,
#          so the search reaches depth 22.
# Is:      the end of input is `quit` and `quit` stops: a well-formed `bestmove` follows at once,
#          from a few plies.
# Met by:  shell scripts, and drivers that close the pipe once they have sent everything.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
printf 'position startpos\ngo depth 22\n' | timeout 100 "$work/usr/games/stockfish" >"$talk"
tail -2 "$talk"
depth=$(value depth 1)
expect "a bestmove is printed" [ "$(grep -c ^bestmove "$talk")" -eq 1 ]
expect "but the search has not come to depth 22" [ "${depth/none/0}" -lt 22 ]
conclude
