#!/usr/bin/env bash
# Subject: chess 1.11.2 (PyPI) driving Glaurung 2.2 (Debian glaurung 2.2-4).
# Guess:   `depth`, `score` and `pv` of the dictionary that `analyse` returns are of one and the same line of the engine.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian glaurung 2.2-4
python_package chess 1.11.2
cat >"$work/logged" <<END
#!/usr/bin/env bash
tee "$work/sent" | "$work/usr/games/glaurung" | tee "$work/answered"
END
chmod +x "$work/logged"
timeout 60 python3 - "$work/logged" <<'END'
import sys, chess, chess.engine
with chess.engine.SimpleEngine.popen_uci(sys.argv[1]) as engine:
    engine.configure({"Threads": 1, "OwnBook": False})
    info = engine.analyse(chess.Board(), chess.engine.Limit(nodes=150000))
    print({key: str(info.get(key)) for key in ("depth", "score", "nodes", "pv")})
END
grep ^info "$work/answered" | tail -6
cat "$work/sent"
