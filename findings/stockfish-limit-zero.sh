#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   `go nodes 0`, `go depth 0` and `go movetime 0` are the smallest of searches: they answer at once.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
for limit in 'nodes 0' 'depth 0' 'movetime 0'; do
    printf '%s\n' uci isready 'position startpos' "send go $limit" 'pause 2' 'send isready' 'await readyok' 'send stop' 'await bestmove' |
        converse 20 "$work/usr/games/stockfish" | grep -E '^(>|bestmove|readyok)'
done
