#!/usr/bin/env bash
# Subject: Glaurung 2.2 (Debian glaurung 2.2-4).
# Guess:   without an option an engine searches with one thread, so a fixed depth repeats.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian glaurung 2.2-4
nproc
echo uci | converse 10 "$work/usr/games/glaurung" | grep -i thread
