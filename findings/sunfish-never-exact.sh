#!/usr/bin/env bash
# Subject: sunfish 2026.1 (PyPI), `sunfish-uci`.
# Guess:   a score is exact unless a line says `lowerbound` or `upperbound`, and an engine gives an
#          exact one at each depth.
# Is:      every line is one or the other: its search narrows the score down from both sides and
#          never prints a value between. The last line is an upper bound without a line of moves,
#          so score and moves stand on different lines.
# Met by:  who drops bounds and keeps exact scores: nothing is left.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

python_package sunfish 2026.1
printf '%s\n' uci isready 'position startpos' 'go depth 4' |
    converse 100 "$PYTHONPATH/bin/sunfish-uci" >"$talk"
grep ' score ' "$talk" | tail -3
scores=$(grep -c ' score ' "$talk")
bounds=$(grep -cE ' score cp -?[0-9]+ (lower|upper)bound' "$talk")
echo "lines with a score: $scores, of them bounds: $bounds"
expect "all scores are bounds" [ "$scores" -eq "$bounds" -a "$scores" -gt 10 ]
expect "the last one has no moves" [ "$(grep ' score ' "$talk" | tail -1 | grep -c ' pv ' || true)" -eq 0 ]
conclude
