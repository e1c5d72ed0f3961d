"""Another driver of UCI engines, for holding ttlab's rows against: PyPI's python-chess.

    independent.py EPD FIRST DEPTH 'NAME=VALUE,...' PROGRAM [ARGUMENT...]

Prints position, depth, nodes and best move of each depth of each search, each of a new game: of a depth its last line that has a score or
nodes and is no bound, and its nodes less those of the depths before; of the last one all the nodes that are left, and the answer.
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
        nodes, deepest, depths = 0, 0, {}
        with engine.analysis(board, limit, game=object(), info=chess.engine.INFO_ALL) as search:
            for info in search:
                nodes = info.get("nodes", nodes)
                depth = info.get("depth", 0)
                if "currmove" in info or "lowerbound" in info or "upperbound" in info:
                    continue
                deepest = max(deepest, depth)
                if "score" in info and depth == deepest:
                    depths[depth] = (info["nodes"], info["pv"][0].uci())
                elif depth in depths and "nodes" in info:
                    depths[depth] = (info["nodes"], depths[depth][1])
            best = search.wait().move.uci()
        depths[deepest] = (nodes, best)
        before = 0
        for depth, (until, move) in sorted(depths.items()):
            print(operations["id"], depth, until - before, move)
            before = until
