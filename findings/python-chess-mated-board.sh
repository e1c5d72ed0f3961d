#!/usr/bin/env bash
# Subject: chess 1.11.2 (PyPI) driving Stockfish 15.1 and Ethereal 12.00 (Debian packages).
# Guess:   `engine.play` on a board that is mate gives a result without a move, and the engine goes on to the next board.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
debian ethereal-chess 12.00+ds1-1
python_package chess 1.11.2
for engine in stockfish ethereal-chess; do
    timeout 60 python3 - "$work/usr/games/$engine" <<'END'
import sys, chess, chess.engine
with chess.engine.SimpleEngine.popen_uci(sys.argv[1]) as engine:
    for fen in ("7k/5QQ1/8/8/8/8/8/K7 b - - 0 1", chess.STARTING_FEN):
        try:
            print(engine.play(chess.Board(fen), chess.engine.Limit(depth=4)))
        except chess.engine.EngineError as error:
            print(type(error).__name__, error)
END
done
