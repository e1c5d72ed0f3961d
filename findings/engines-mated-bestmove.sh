#!/usr/bin/env bash
# Subject: Stockfish 15.1, Ethereal 12.00, Glaurung 2.2, Toga II 3.0.0.1SE1, GNU Chess 6.2.7
#          (Debian stockfish 15.1-4, ethereal-chess 12.00+ds1-1, glaurung 2.2-4, toga2
#          3.0.0.1SE1-2+b1, gnuchess 6.2.7-1+deb12u1); chess 1.11.2 (PyPI).
# Guess:   asked to move where it is mate already, an engine answers `bestmove 0000`, the null move
#          that UCI defines.
# Is:      none does: two answer `(none)`, three `a1a1`. python-chess takes the first for "no move"
#          and raises an error about the second, so the same loop over positions runs with
#          Stockfish and ends with Ethereal.
# Met by:  suites that hold finished games.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
debian ethereal-chess 12.00+ds1-1
debian glaurung 2.2-4
debian toga2 3.0.0.1SE1-2+b1
debian gnuchess 6.2.7-1+deb12u1
python_package chess 1.11.2
for pair in 'stockfish|(none)' 'ethereal-chess|a1a1' 'glaurung|(none)' 'toga2|a1a1' 'gnuchess -u|a1a1'; do
    engine=${pair%|*}
    printf '%s\n' uci isready 'position fen 7k/5QQ1/8/8/8/8/8/K7 b - - 0 1' 'go depth 4' |
        converse 100 "$work/usr/games/"$engine >"$talk"
    expect "$engine answers ${pair#*|}" [ "$(value bestmove 1)" = "${pair#*|}" ]
done
for engine in stockfish ethereal-chess; do
    answer=$(timeout 300 python3 - "$work/usr/games/$engine" <<'END'
import sys, chess, chess.engine
with chess.engine.SimpleEngine.popen_uci(sys.argv[1], timeout=100) as engine:
    try:
        print("move", engine.play(chess.Board("7k/5QQ1/8/8/8/8/8/K7 b - - 0 1"), chess.engine.Limit(depth=4)).move)
    except chess.engine.EngineError as error:
        print("EngineError:", error)
END
    )
    echo "python-chess with $engine: $answer"
    answers+=("${answer%% *}")
done
expect "python-chess returns no move for the one and raises for the other" [ "${answers[*]}" = 'move EngineError:' ]
conclude
