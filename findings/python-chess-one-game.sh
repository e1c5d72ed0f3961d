#!/usr/bin/env bash
# Subject: chess 1.11.2 (PyPI) driving Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   `engine.analyse(board, limit)` with unrelated boards: each is its own question,
#          `ucinewgame` goes before each.
# Is:      it is sent once. All boards are one game unless each call has another `game=`, so a
#          position counts other nodes the second time, and what came before is part of every
#          result.
# Met by:  loops over a suite.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
python_package chess 1.11.2
record "$work/usr/games/stockfish"
for game in None 'object()'; do
    counts=$(timeout 60 python3 - "$work/recorded" "$game" <<'END'
import sys, chess, chess.engine
start, ending = chess.STARTING_FEN, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
with chess.engine.SimpleEngine.popen_uci(sys.argv[1]) as engine:
    for fen in (start, ending, start):
        info = engine.analyse(chess.Board(fen), chess.engine.Limit(depth=13), game=eval(sys.argv[2]))
        print(info["nodes"], end=" ")
END
    )
    news=$(grep -c ^ucinewgame "$work/sent")
    echo "game=$game, start position, an ending, start position: $counts nodes, ucinewgame sent $news times"
    read -r first _ third <<<"$counts"
    same+=($((first == third)))
    sent+=("$news")
done
expect "without game= ucinewgame is sent once for three boards, with it three times" [ "${sent[*]}" = '1 3' ]
expect "without it the first position counts otherwise the second time, with it not" [ "${same[*]}" = '0 1' ]
conclude
