"""Replays every game of PGN files with python-chess: each move must be legal, and the end and the result as its rules have them.

usage: replay.py FILE..."""
import collections
import sys

import chess
import chess.pgn


def end_of(board):
    """What ends the game at a position by the rules, draws that may be claimed taken as claimed; none where it goes on."""
    if board.is_checkmate():
        return "mate"
    if board.is_stalemate():
        return "stalemate"
    if board.is_insufficient_material():
        return "material"
    if board.halfmove_clock >= 100:
        return "fifty-moves"
    if board.is_repetition(3):
        return "repetition"
    return None


ends = collections.Counter()
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            name = f"{path}: {game.headers['Round']} {game.headers['White']} - {game.headers['Black']}"
            # What the reader could not make a legal move of stands here.
            assert not game.errors, (name, game.errors)
            board = game.board()
            plies = 0
            for move in game.mainline_moves():
                assert move in board.legal_moves, (name, plies, move)
                assert end_of(board) is None, (name, plies, "goes on after its end")
                board.push(move)
                plies += 1
            end, found, result = game.headers["End"], end_of(board), game.headers["Result"]
            assert str(plies) == game.headers["PlyCount"], name
            if end in ("resigned", "draw-agreed", "max-moves"):
                assert found is None, (name, found)
                assert (result == "1/2-1/2") == (end != "resigned"), (name, result)
            else:
                assert end == found, (name, end, found)
                mated = "0-1" if board.turn == chess.WHITE else "1-0"
                assert result == (mated if found == "mate" else "1/2-1/2"), (name, result)
            ends[end] += 1
print(f"{sum(ends.values())} games, every one legal:", ", ".join(f"{end} {count}" for end, count in sorted(ends.items())))
