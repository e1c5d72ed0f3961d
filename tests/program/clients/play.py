"""Games of one UCI engine against another under python-chess, colours swapped from each opening; then every game is replayed from its PGN.

usage: play.py GAMES LIMIT PGN OPENINGS -- ENGINE [ARGS] -- ENGINE [ARGS]

LIMIT: nodes=N and movetime=MS are of each move; clock=SECONDS+INCREMENT is each side's clock, and whose clock runs out has lost.
movetime=MS+MARGIN: who takes longer than both has lost. What the first engine took beyond MS is told: what a runner's margin must cover.
With a clock the least that the first engine had left is told. The machine's load before and after stands last.
"""
import io
import os
import sys
import time

import chess
import chess.engine
import chess.pgn


def openings(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield " ".join(line.split()[:4]) + " 0 1"


def play(engines, fen, limit, late):
    """One game, engines[0] White. Its PGN, what ended it, and who lost on time."""
    board = chess.Board(fen)
    kind, value = limit
    clocks = [value[0], value[0]] if kind == "clock" else None
    forfeit = None
    while not board.is_game_over(claim_draw=True):
        side = 0 if board.turn == chess.WHITE else 1
        if kind == "nodes":
            one = chess.engine.Limit(nodes=value)
        elif kind == "movetime":
            one = chess.engine.Limit(time=value[0] / 1000)
        else:
            one = chess.engine.Limit(white_clock=clocks[0], black_clock=clocks[1], white_inc=value[1], black_inc=value[1])
        begun = time.monotonic()
        # An illegal or missing move raises an EngineError.
        found = engines[side].play(board, one, game=fen)
        took = time.monotonic() - begun
        if kind == "movetime":
            late[side].append(took - value[0] / 1000)
            if len(value) > 1 and took > sum(value) / 1000:
                forfeit = side
                break
        if kind == "clock":
            clocks[side] -= took
            late[side].append(clocks[side])
            if clocks[side] < 0:
                forfeit = side
                break
            clocks[side] += value[1]
        assert found.move in board.legal_moves
        board.push(found.move)
    game = chess.pgn.Game.from_board(board)
    if forfeit is not None:
        game.headers["Result"] = "0-1" if forfeit == 0 else "1-0"
        game.headers["Termination"] = "time forfeit"
    else:
        game.headers["Result"] = board.result(claim_draw=True)
    return game, forfeit


def main():
    head, first, second = " ".join(sys.argv[1:]).split(" -- ")
    count, limit, pgn, suite = head.split()
    kind, value = limit.split("=")
    value = int(value) if kind == "nodes" else tuple(float(part) for part in value.split("+"))
    loads = [os.getloadavg()[0]]
    ours, theirs = (chess.engine.SimpleEngine.popen_uci(command.split(), timeout=60) for command in (first, second))
    score, forfeits, plies, late, texts = [0, 0, 0], [0, 0], 0, [[], []], []
    fens = list(openings(suite))
    for number in range(int(count)):
        swapped = number % 2 == 1
        pair = [theirs, ours] if swapped else [ours, theirs]
        times = [late[1], late[0]] if swapped else late
        game, forfeit = play(pair, fens[number // 2 % len(fens)], (kind, value), times)
        game.headers["White"], game.headers["Black"] = ("theirs", "ours") if swapped else ("ours", "theirs")
        result = game.headers["Result"]
        won = {"1-0": swapped, "0-1": not swapped}.get(result)
        score[1 if won is None else 2 if won else 0] += 1
        if forfeit is not None:
            forfeits[(forfeit == 1) != swapped] += 1
        plies += sum(1 for _ in game.mainline_moves())
        texts.append(str(game))
    ours.quit()
    theirs.quit()
    with open(pgn, "w", encoding="utf-8") as file:
        file.write("\n\n".join(texts) + "\n")
    for text in texts:
        game = chess.pgn.read_game(io.StringIO(text))
        assert not game.errors, game.errors
        board = game.board()
        for move in game.mainline_moves():
            assert move in board.legal_moves
            board.push(move)
        if "Termination" not in game.headers:
            assert board.result(claim_draw=True) == game.headers["Result"] != "*"
    won, drawn, lost = score
    print(f"{len(texts)} games, {plies} plies, every one legal: won {won}, drawn {drawn}, lost {lost}; time forfeits: ours {forfeits[0]}, theirs {forfeits[1]}")
    if kind == "movetime":
        mine = sorted(late[0])
        at = lambda share: 1000 * mine[int(share * (len(mine) - 1))]
        print(f"beyond {value[0]:g} ms, ours: median {at(0.5):+.1f} ms, 99 % {at(0.99):+.1f} ms, most {at(1):+.1f} ms")
    if kind == "clock":
        print(f"least left on the clock, ours {1000 * min(late[0]):.0f} ms, theirs {1000 * min(late[1]):.0f} ms")
    print(f"load {loads[0]:.1f} before, {os.getloadavg()[0]:.1f} after")


main()
