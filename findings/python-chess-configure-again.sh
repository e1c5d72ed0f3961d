#!/usr/bin/env bash
# Subject: chess 1.11.2 (PyPI) driving Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   `engine.configure({"Hash": 64})` sends `setoption name Hash value 64`, each time that it is called.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
python_package chess 1.11.2
cat >"$work/logged" <<END
#!/usr/bin/env bash
tee "$work/sent" | "$work/usr/games/stockfish"
END
chmod +x "$work/logged"
timeout 60 python3 - "$work/logged" <<'END'
import sys, chess, chess.engine
with chess.engine.SimpleEngine.popen_uci(sys.argv[1]) as engine:
    engine.configure({"Hash": 16})
    engine.configure({"Hash": 64})
    engine.configure({"Hash": 64})
    engine.configure({"Clear Hash": None})
    engine.configure({"Clear Hash": None})
    engine.analyse(chess.Board(), chess.engine.Limit(depth=5))
    engine.analyse(chess.Board(), chess.engine.Limit(depth=5), multipv=2)
    engine.play(chess.Board(), chess.engine.Limit(depth=5))
END
cat "$work/sent"
