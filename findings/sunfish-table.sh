#!/usr/bin/env bash
# Subject: sunfish 2026.1 (PyPI).
# Guess:   no option Hash, so its table is a dictionary; `ucinewgame` empties it, and a repeated search is cheaper.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

python_package sunfish 2026.1
printf '%s\n' uci isready 'position startpos' 'go depth 5' 'go depth 5' ucinewgame isready 'position startpos' 'go depth 5' |
    converse 100 "$work/python/bin/sunfish-uci"
