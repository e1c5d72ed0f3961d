#!/usr/bin/env bash
# Subject: npm stockfish 19.0.0, lite single-threaded build.
# Guess:   one thread of JavaScript that searches cannot read: `isready` and `stop` are answered when the search has ended.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

npm_package stockfish 19.0.0
converse 60 node "$work/node_modules/stockfish/bin/stockfish-19-lite-single.js" <<'END' | grep -E '^(>|readyok|bestmove|info depth)' | tail -15
uci
isready
position startpos
send go infinite
pause 1
isready
send stop
await bestmove
END
