#!/usr/bin/env bash
# Subject: pgn-extract 19.04 (Debian pgn-extract 19.04-1) with chess 1.11.2 (python-chess).
# Guess:   what `-Wepd` writes is EPD, so that any reader of EPD takes it, and the clock of the fifty-move rule is kept
#          as hmvc.
# Is:      the names of the players stand behind c0 without quotation marks. python-chess takes such an operand for a
#          move and refuses every line. There is no hmvc: the clock is lost.
# Met by:  suites cut from PGN with the one and read with the other.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian pgn-extract 19.04-1
python_package chess 1.11.2
cat >"$work/game.pgn" <<'END'
[Event "Match"]
[White "Stockfish 15.1"]
[Black "Toga II"]
[Result "1/2-1/2"]

1. Nf3 Nf6 2. Nc3 Nc6 3. Rg1 Rg8 1/2-1/2
END
"$work/usr/games/pgn-extract" -s -Wepd "$work/game.pgn" | grep . >"$work/game.epd"
tail -1 "$work/game.epd"
python3 - "$work/game.epd" <<'END' | tee "$talk"
import sys
import chess
lines = [line.strip() for line in open(sys.argv[1])]
refused = set()
for line in lines:
    try:
        chess.Board.from_epd(line)
    except ValueError as error:
        refused.add(line)
        message = error
quoted = [line.replace("c0 ", 'c0 "').replace("; c1 ", '"; c1 "')[:-1] + '";' for line in lines]
boards = [chess.Board.from_epd(line)[0] for line in quoted]
print(f"{len(lines)} lines, {len(refused)} refused: {message}")
print("with quotation marks all are read; clocks", *(board.halfmove_clock for board in boards))
END
expect "all seven lines are refused" grep -q '^7 lines, 7 refused: invalid san' "$talk"
expect "with quotation marks they are read, without their clocks" grep -qx '.* clocks 0 0 0 0 0 0 0' "$talk"
conclude
