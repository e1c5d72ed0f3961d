#!/usr/bin/env bash
# Subject: chess 1.11.2 (PyPI) driving Glaurung 2.2 (Debian glaurung 2.2-4).
# Guess:   `depth`, `score` and `pv` of the dictionary that `analyse` returns are of one and the
#          same line of the engine.
# Is:      each is the last value seen of its own. An engine that announces a depth before
#          searching it leaves depth 11 beside the score and the line of depth 10, which no line of
#          the engine has said together.
# Met by:  who compares scores at equal depth after searches ended by nodes or time.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian glaurung 2.2-4
python_package chess 1.11.2
record "$work/usr/games/glaurung"
merged=$(timeout 60 python3 - "$work/recorded" <<'END'
import sys, chess, chess.engine
with chess.engine.SimpleEngine.popen_uci(sys.argv[1]) as engine:
    engine.configure({"Threads": 1, "OwnBook": False})
    info = engine.analyse(chess.Board(), chess.engine.Limit(nodes=100000))
    print("depth", info["depth"], "score cp", info["score"].white().score(), "nodes", info["nodes"])
END
)
echo "analyse: $merged"
echo "engine:"
grep -E '^info (depth|nodes)' "$work/answered" | tail -4
read -r _ depth _ _ score _ <<<"$merged"
expect "a depth is returned for which the engine gave no score" [ "$(grep -c "^info depth $depth score" "$work/answered")" -eq 0 ]
expect "with the score of the depth before" grep -q "^info depth $((depth - 1)) score cp $score " "$work/answered"
conclude
