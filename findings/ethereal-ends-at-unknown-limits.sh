#!/usr/bin/env bash
# Subject: Ethereal 12.00 (Debian ethereal-chess 12.00+ds1-1).
# Guess:   `go nodes 100000` ends near 100,000 nodes; an engine that does not know the word searches until `stop`.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian ethereal-chess 12.00+ds1-1
converse 30 "$work/usr/games/ethereal-chess" <<'END' | grep -E '^(>|info depth|bestmove)'
uci
isready
position startpos
go nodes 100000
END
