#!/usr/bin/env bash
# chess.js 1.4.0, chessops 0.15.1, kokopu 4.13.4, cm-pgn 5.0.0 (npm) and chess 1.11.2 (python-chess).
# Guess: a game whose tag says [Result "1-0"] and whose moves end with 0-1 is reported, or everybody believes the tag.
# Is: nobody reports it by default. python-chess and cm-pgn believe the tag, chess.js, chessops and kokopu the movetext;
# each overwrites the other on writing. python-chess believes the movetext after all if the tag is "*".
# Who meets it: whoever counts a match from PGN: a game corrected by hand in one of the two places has two winners.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
cd "$t"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund chess.js@1.4.0 chessops@0.15.1 kokopu@4.13.4 cm-pgn@5.0.0
npm ls --depth 0 | grep @
cat > probe.mjs <<'EOF'
let bad = 0
const check = (what, got, want) => {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)]
  if (a !== b) bad++
  console.log('%s: %s', what, a + (a === b ? '' : '   CHANGED, was ' + b))
}
import { Chess } from 'chess.js'
import { parsePgn } from 'chessops/pgn'
import kokopu from 'kokopu'
import { Pgn } from 'cm-pgn/src/Pgn.js'
const pgn = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 0-1\n'
const chess = new Chess()
chess.loadPgn(pgn)
check('chess.js', chess.getHeaders().Result, '0-1')
check('chessops', parsePgn(pgn)[0].headers.get('Result'), '0-1')
check('kokopu', kokopu.pgnRead(pgn).game(0).result(), '0-1')
check('cm-pgn', new Pgn(pgn).header.tags.Result, '1-0')
process.exitCode = bad > 0 ? 1 : 0
EOF
node probe.mjs
python3 -m venv "$t/v"
"$t/v/bin/pip" install -q --disable-pip-version-check chess==1.11.2
"$t/v/bin/python" - <<'EOF'
bad = 0
def check(what, got, want):
    global bad
    bad += got != want
    print(f"{what}: {got!r}" + ("" if got == want else f"   CHANGED, was {want!r}"))
import chess.pgn, io
def read(tag):
    game = chess.pgn.read_game(io.StringIO(f'[Result "{tag}"]\n\n1. e4 e5 0-1\n'))
    return game.headers["Result"], game.errors
check("python-chess", read("1-0"), ("1-0", []))
check("python-chess, tag *", read("*"), ("0-1", []))
raise SystemExit(bad > 0)
EOF
