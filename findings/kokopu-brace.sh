#!/usr/bin/env bash
# kokopu 4.13.4 (npm) with chess 1.11.2 (python-chess) and chess.js 1.4.0.
# Guess: a comment with a brace in it is refused by the writer, or harmless for the next reader (PGN has no escape).
# Is: kokopu writes } as \\} and reads that back. For other readers the comment ends there: python-chess plays the rest
# of the comment as moves of the game, without an error; chess.js refuses the file.
# Who meets it: whoever stores sets, JSON or engine output in comments and reads the games with another library.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
cd "$t"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund kokopu@4.13.4 chess.js@1.4.0
npm ls --depth 0 | grep @
cat > probe.mjs <<'EOF'
let bad = 0
const check = (what, got, want) => {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)]
  if (a !== b) bad++
  console.log('%s: %s', what, a + (a === b ? '' : '   CHANGED, was ' + b))
}
import fs from 'fs'
import kokopu from 'kokopu'
import { Chess } from 'chess.js'
const game = new kokopu.Game()
game.mainVariation().play('e4').comment('best reply: {c5} e5 Nf3 Nc6')
const pgn = kokopu.pgnWrite(game)
fs.writeFileSync('game.pgn', pgn)
check('kokopu writes', pgn.split('\n\n')[1].trim(), '1. e4 {best reply: {c5\\} e5 Nf3 Nc6} *')
check('kokopu reads', kokopu.pgnRead(pgn).game(0).mainVariation().nodes().map((n) => n.notation() + ': ' + n.comment()),
  ['e4: best reply: {c5} e5 Nf3 Nc6'])
let refused = false
try { new Chess().loadPgn(pgn) } catch { refused = true }
check('chess.js refuses it', refused, true)
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
import chess.pgn, os
game = chess.pgn.read_game(open("game.pgn"))
check("python-chess: moves", [move.uci() for move in game.mainline_moves()], ["e2e4", "e7e5", "g1f3", "b8c6"])
check("python-chess: errors", game.errors, [])
raise SystemExit(bad > 0)
EOF
