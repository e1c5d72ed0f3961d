#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   the last `info` line before `bestmove` has the score of the move played, not a bound, also when a node limit ended the search.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
{
    printf '%s\n' uci isready 'position startpos'
    for thousands in {1..60}; do printf '%s\n' ucinewgame "go nodes ${thousands}000"; done
} | converse 100 "$work/usr/games/stockfish" | grep -B1 ^bestmove | grep -oE 'lowerbound|upperbound|^info depth' | sort | uniq -c
