#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   with `nodestime` 600 (nodes for a millisecond of clock) `go movetime 1000` ends after
#          600,000 nodes and reports time 1000.
# Is:      `movetime` is taken as a number of nodes: it ends after some 1,200. `time` is a number
#          of nodes too, so nps is near 1000 whatever the machine. (Clocks, `wtime` and `btime`,
#          are converted.)
# Met by:  who uses `nodestime` to make searches by time repeatable, and reads times and speeds
#          from `info`.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
printf '%s\n' uci 'setoption name nodestime value 600' isready 'position startpos' 'go movetime 1000' |
    converse 60 "$work/usr/games/stockfish" >"$talk"
grep '^info depth' "$talk" | tail -2
expect "the search ends before 10,000 nodes" [ "$(value nodes 1)" -lt 10000 ]
expect "time is nodes and one" [ "$(value time 1)" -eq "$(($(value nodes 1) + 1))" ]
expect "nps is just below 1000" [ "$(value nps 1)" -ge 990 -a "$(value nps 1)" -lt 1000 ]
conclude
