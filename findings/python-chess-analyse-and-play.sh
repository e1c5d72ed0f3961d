#!/usr/bin/env bash
# Subject: chess 1.11.2 (PyPI) driving Glaurung 2.2 and Toga II (Debian glaurung 2.2-4, toga2 3.0.0.1SE1-2+b1).
# Guess:   `analyse` and `play` to the same depth are the same search: equal nodes.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian glaurung 2.2-4
debian toga2 3.0.0.1SE1-2+b1
python_package chess 1.11.2
for engine in glaurung toga2; do
    cat >"$work/logged" <<END
#!/usr/bin/env bash
tee "$work/sent" | "$work/usr/games/$engine"
END
    chmod +x "$work/logged"
    for call in analyse play; do
        timeout 60 python3 - "$work/logged" $call <<'END'
import sys, chess, chess.engine
board = chess.Board("r2q1rk1/pp2bppp/2n1pn2/3p4/3P1B2/2PBPN2/PP3PPP/R2QK2R w KQ - 1 10")
with chess.engine.SimpleEngine.popen_uci(sys.argv[1]) as engine:
    engine.configure({name: value for name, value in {"Threads": 1, "OwnBook": False}.items() if name in engine.options})
    limit = chess.engine.Limit(depth=9)
    info = engine.analyse(board, limit) if sys.argv[2] == "analyse" else engine.play(board, limit, info=chess.engine.INFO_ALL).info
    print(sys.argv[2], info["nodes"])
END
        cat "$work/sent"
    done
done
