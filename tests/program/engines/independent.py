"""Another driver of UCI engines, for holding ttlab's rows against: PyPI's python-chess.

    independent.py EPD FIRST DEPTH 'NAME=VALUE,...' PROGRAM [ARGUMENT...]

Prints position, nodes and best move of each search, each of a new game.
"""

import sys

import chess
import chess.engine

epd, first, depth, options, program = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5:]
lines = [line for line in open(epd) if line.strip() and not line.startswith("#")][:first]
with chess.engine.SimpleEngine.popen_uci(program, timeout=30) as engine:
    wanted = dict(pair.split("=") for pair in options.split(",") if pair)
    engine.configure({name: value for name, value in wanted.items() if name in engine.options})
    for line in lines:
        board, operations = chess.Board.from_epd(line)
        limit = chess.engine.Limit(depth=depth)
        played = engine.play(board, limit, game=object(), info=chess.engine.INFO_ALL)
        print(operations["id"], played.info["nodes"], played.move.uci())
