#!/usr/bin/env bash
# Subject: GNU Chess 6.2.7 (Debian gnuchess 6.2.7-1+deb12u1), `gnuchess -u`.
# Guess:   `go depth 8` reaches depth 8 in every position that has a legal move.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian gnuchess 6.2.7-1+deb12u1
converse 30 "$work/usr/games/gnuchess" -u <<'END' | grep -E '^(> go|info depth|bestmove)'
uci
setoption name OwnBook value false
isready
position fen 7k/8/8/8/8/8/5PPr/6K1 w - - 0 1
go depth 8
END
