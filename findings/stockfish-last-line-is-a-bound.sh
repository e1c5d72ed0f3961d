#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4); seen in npm stockfish 19.0.0 too.
# Guess:   the last `info` line before `bestmove` has the score of the move played, also when a
#          node limit ended the search.
# Is:      in half of such searches it is a `lowerbound` or an `upperbound`, of a depth that was
#          not completed.
# Met by:  who stores the last score seen, and compares scores at equal nodes.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
{
    printf '%s\n' uci isready 'position startpos'
    for thousands in {1..60}; do printf '%s\n' ucinewgame "go nodes ${thousands}000"; done
} | converse 100 "$work/usr/games/stockfish" >"$talk"
grep -B1 ^bestmove "$talk" | grep '^info depth' >"$work/last"
bounds=$(grep -cE 'lowerbound|upperbound' "$work/last" || true)
echo "start position, 1,000 to 60,000 nodes: $(wc -l <"$work/last") last lines, $bounds of them bounds; for example"
grep -E 'lowerbound|upperbound' "$work/last" | tail -2
expect "every search ends with a line that has a score" [ "$(grep -c ' score ' "$work/last")" -eq 60 ]
expect "at least a quarter of these scores are bounds" [ "$bounds" -ge 15 ]
conclude
