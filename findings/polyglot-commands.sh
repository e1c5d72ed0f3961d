#!/usr/bin/env bash
# Subject: PolyGlot 2.0.4+git20210322 (Debian polyglot 2.0.4+git20210322-1) driving Stockfish 15.1.
# Guess:   `new` becomes `ucinewgame`, `memory 64` becomes Hash 64, `sd 8` becomes `go depth 8`.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
debian polyglot 2.0.4+git20210322-1
cat >"$work/logged" <<END
#!/usr/bin/env bash
tee "$work/sent" | "$work/usr/games/stockfish"
END
chmod +x "$work/logged"
{
    printf '%s\n' xboard 'protover 2'
    sleep 1
    printf '%s\n' 'memory 64' new 'sd 8' 'st 5' go
    sleep 8
    printf '%s\n' 'usermove a7a6'
    sleep 8
    printf '%s\n' new 'memory 64' go
    sleep 8
    echo quit
} | timeout 60 "$work/usr/games/polyglot" -noini -ec "$work/logged" | tail -20
cat "$work/sent"
