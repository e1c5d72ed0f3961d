#!/usr/bin/env bash
# Subject: Glaurung 2.2 (Debian glaurung 2.2-4).
# Guess:   `setoption name Hash value 512` takes the memory by the next `readyok`, and 512 then 16 leaves an empty table of 16 MB.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian glaurung 2.2-4
converse 60 "$work/usr/games/glaurung" <<'END' | grep -E '^(>|memory|info nodes|bestmove)'
uci
setoption name Threads value 1
setoption name OwnBook value false
setoption name Hash value 512
isready
memory
position startpos
go depth 8
memory
setoption name Hash value 4
isready
memory
go depth 8
memory
END
