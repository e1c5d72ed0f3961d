#!/usr/bin/env bash
# Subject: PolyGlot 2.0.4 (Debian polyglot 2.0.4+git20210322-1) with Stockfish 15.1 (Debian stockfish 15.1-4); the suite
#          read by chess 1.11.2 (python-chess).
# Guess:   `epd-test` compares moves: `bm Ra8`, `bm Ra8+` and `bm Ra8#` are one, as PGN takes SAN without such signs.
# Is:      it compares texts with the SAN it writes itself. Of three lines with the same best move, which the engine
#          plays each time, one counts as solved; and `am Ra8` counts as avoided while Ra8# is played.
# Met by:  suites with mates or checks written without the sign, or a mate with +: their score says little.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian polyglot 2.0.4+git20210322-1
debian stockfish 15.1-4
python_package chess 1.11.2
for words in 'bm Ra8#' 'bm Ra8+' 'bm Ra8' 'am Ra8'; do
    echo "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - $words; id \"$words\";"
done >"$work/suite.epd"
printf '[PolyGlot]\nEngineCommand = %s\nEngineDir = %s\nLog = false\n[Engine]\nHash = 16\n' \
    "$work/usr/games/stockfish" "$work" >"$work/polyglot.ini"
timeout 30 "$work/usr/games/polyglot" "$work/polyglot.ini" epd-test -epd "$work/suite.epd" -max-time 1 >"$talk"
grep -E '^ *[0-9]+: |^score' "$talk"
python3 - "$work/suite.epd" <<'END' | tee "$work/moves"
import sys
import chess
for line in open(sys.argv[1]):
    board, operations = chess.Board.from_epd(line)
    print("python-chess:", operations["id"], "is", *(operations.get("bm") or operations["am"]))
END
expect "python-chess reads four times the same move" [ "$(grep -c a1a8 "$work/moves")" -eq 4 ]
expect "the engine plays it four times" [ "$(grep -cE '=Ra8#' "$talk")" -eq 4 ]
expect "bm Ra8# is solved" grep -qE '"bm Ra8#" +OK' "$talk"
expect "bm Ra8+ is not" grep -qE '"bm Ra8[+]" +--' "$talk"
expect "bm Ra8 is not" grep -qE '"bm Ra8" +--' "$talk"
expect "am Ra8 is" grep -qE '"am Ra8" +OK' "$talk"
conclude
