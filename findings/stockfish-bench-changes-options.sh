#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   `bench` within a session is a side show: afterwards Threads and Hash are what they were.
# Is:      its arguments (or its defaults, 16 MB and one thread) become the session's Threads and
#          Hash and stay so.
# Met by:  who takes the engine's speed with `bench` at the start of a session and then searches
#          with "8 threads, 8 GB".
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
converse 60 "$work/usr/games/stockfish" >"$talk" <<'END'
uci
setoption name Threads value 4
setoption name Hash value 512
isready
memory
threads
bench 16 1 1
isready
memory
threads
END
grep -E '^(> [sb]|memory|threads)' "$talk"
memory=($(awk '$1 == "memory:" { print $2 }' "$talk"))
threads=($(awk '$1 == "threads:" { print $2 }' "$talk"))
expect "three threads are gone after bench" [ "$((threads[0] - threads[1]))" -eq 3 ]
expect "and most of the 512 MB" [ "$((memory[0] - memory[1]))" -gt 400 ]
conclude
