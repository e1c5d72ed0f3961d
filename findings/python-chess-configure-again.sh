#!/usr/bin/env bash
# Subject: chess 1.11.2 (PyPI) driving Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   `engine.configure({"Hash": 64})` sends `setoption name Hash value 64`, each time that it
#          is called.
# Is:      a value that the engine already has, its default included, is not sent. (With this
#          engine sending it would empty the table.) Not asked for but sent: UCI_AnalyseMode,
#          before `analyse` and again before `play`, and MultiPV.
# Met by:  who empties the table by setting Hash once more: nothing happens.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
python_package chess 1.11.2
record "$work/usr/games/stockfish"
timeout 60 python3 - "$work/recorded" <<'END'
import sys, chess, chess.engine
with chess.engine.SimpleEngine.popen_uci(sys.argv[1]) as engine:
    for hash in (16, 64, 64):
        engine.configure({"Hash": hash})
    limit = chess.engine.Limit(depth=5)
    engine.analyse(chess.Board(), limit)
    engine.analyse(chess.Board(), limit, multipv=2)
    engine.play(chess.Board(), limit)
END
echo "configure Hash 16, 64, 64; analyse; analyse with multipv=2; play. Sent:"
cat "$work/sent"
expect "of three values of Hash one is sent" [ "$(grep -c '^setoption name Hash value' "$work/sent")" -eq 1 ]
expect "UCI_AnalyseMode is sent twice" [ "$(grep -c '^setoption name UCI_AnalyseMode' "$work/sent")" -eq 2 ]
conclude
