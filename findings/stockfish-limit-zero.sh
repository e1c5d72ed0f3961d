#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4); the same in npm stockfish 19.0.0.
# Guess:   `go nodes 0`, `go depth 0` and `go movetime 0` are the smallest of searches: they answer
#          at once.
# Is:      a limit of zero is no limit: each of them searches until `stop`.
# Met by:  drivers that divide a budget and round it down to zero.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
for limit in 'nodes 0' 'depth 0' 'movetime 0'; do
    printf '%s\n' uci isready 'position startpos' "send go $limit" 'pause 3' 'send stop' 'await bestmove' |
        converse 20 "$work/usr/games/stockfish" >"$talk"
    order=$(grep -oE '^(> stop|bestmove)' "$talk" | paste -sd,)
    echo "go $limit: depth $(value depth 1) and $(value nodes 1) nodes after three seconds and stop"
    expect "go $limit is answered only after stop" [ "$order" = '> stop,bestmove' ]
done
conclude
