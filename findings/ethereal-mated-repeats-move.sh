#!/usr/bin/env bash
# Subject: Ethereal 12.00 (Debian ethereal-chess 12.00+ds1-1).
# Guess:   in a position without a legal move the answer is always the same: a sign that there is no
#          move.
# Is:      it is the answer to the search before, of another position: `bestmove d2d4 ponder d7d5`
#          for a king that is mate or stalemate. Only in a new process is it `a1a1`. No `info` line
#          comes with it.
# Met by:  suites that hold finished games: the row looks like any other.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian ethereal-chess 12.00+ds1-1
converse 20 "$work/usr/games/ethereal-chess" >"$talk" <<'END'
uci
isready
position fen 7k/5QQ1/8/8/8/8/8/K7 b - - 0 1
go depth 4
position startpos
go depth 7
position fen 7k/5QQ1/8/8/8/8/8/K7 b - - 0 1
go depth 4
position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1
go depth 4
END
grep -E '^(> pos|bestmove)' "$talk"
mapfile -t answers < <(grep ^bestmove "$talk")
expect "in a new process a mated king has a1a1" [ "$(value bestmove 1)" = a1a1 ]
expect "after a search of the start position it has the move of that" [ "${answers[2]}" = "${answers[1]}" ]
expect "so has a king in stalemate" [ "${answers[3]}" = "${answers[1]}" ]
expect "no nodes are reported with it" [ "$(value nodes 3)" = none ]
conclude
