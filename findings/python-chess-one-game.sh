#!/usr/bin/env bash
# Subject: chess 1.11.2 (PyPI) driving Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   `engine.analyse(board, limit)` with unrelated boards: each is its own question, `ucinewgame` goes before each.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
python_package chess 1.11.2
timeout 60 python3 - "$work/usr/games/stockfish" <<'END'
import sys, chess, chess.engine
fens = [chess.STARTING_FEN, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", chess.STARTING_FEN]
for game in (None, object):
    with chess.engine.SimpleEngine.popen_uci(sys.argv[1]) as engine:
        print([engine.analyse(chess.Board(fen), chess.engine.Limit(depth=13), game=game and game())["nodes"] for fen in fens])
END
