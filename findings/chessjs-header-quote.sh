#!/usr/bin/env bash
# chess.js 1.4.0.
# Guess: loadPgn() reads every valid PGN file, and what pgn() writes.
# Is: it does not know the escape for a quotation mark in a tag (\"), which the PGN standard has and other libraries
# write: it refuses the whole game. pgn() writes a mark without the escape, and loadPgn() refuses that, too.
# Who meets it: whoever has names with nicknames or quoted openings in tags, or puts a text of his own into a tag.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
cd "$t"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund chess.js@1.4.0 chessops@0.15.1
npm ls --depth 0 | grep @
cat > probe.mjs <<'EOF'
let bad = 0
const check = (what, got, want) => {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)]
  if (a !== b) bad++
  console.log('%s: %s', what, a + (a === b ? '' : '   CHANGED, was ' + b))
}
import { Chess } from 'chess.js'
import { parsePgn, makePgn } from 'chessops/pgn'
const reads = (pgn) => { try { new Chess().loadPgn(pgn); return true } catch { return false } }
const game = parsePgn('1. e4 *')[0]
game.headers.set('White', 'Ann "The Rook" Lee')
const pgn = makePgn(game)
check('chessops writes', pgn.split(String.fromCharCode(10)).find((line) => line.startsWith('[White')), '[White "Ann \\"The Rook\\" Lee"]')
check('chess.js reads it', reads(pgn), false)
check('without the marks', reads(pgn.replaceAll('\\"', '')), true)
const own = new Chess()
own.setHeader('White', 'Ann "The Rook" Lee')
check('chess.js reads its own', reads(own.pgn()), false)
process.exitCode = bad > 0 ? 1 : 0
EOF
node probe.mjs
