#!/usr/bin/env bash
# chess 1.5.1 (npm; node-chess).
# Guess: a game from a FEN has the legal moves of that FEN.
# Is: castling rights and the en passant square of the FEN are not used: castling is offered with rights "-", a legal en
# passant capture is missing, and perft differs from depth 2 on. getFen() writes the placement alone.
# Who meets it: whoever checks moves of games that do not start from the first position.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
cd "$t"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund chess@1.5.1
npm ls --depth 0 | grep @
cat > probe.mjs <<'EOF'
let bad = 0
const check = (what, got, want) => {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)]
  if (a !== b) bad++
  console.log('%s: %s', what, a + (a === b ? '' : '   CHANGED, was ' + b))
}
import chess from 'chess'
const moves = (fen) => Object.keys(chess.fromFEN(fen, { PGN: true }).getStatus().notatedMoves)
check('castling with rights "-"', moves('4k3/8/8/8/8/8/8/4K2R w - - 0 1').includes('O-O'), true)
check('b5xa6 en passant', moves('4k3/8/8/pP6/8/8/8/4K3 w - a6 0 2').includes('bxa6'), false)
const perft = (game, depth) => {
  const all = Object.keys(game.getStatus().notatedMoves)
  if (depth === 1) return all.length
  return all.reduce((n, move) => { const made = game.move(move); const k = perft(game, depth - 1); made.undo(); return n + k }, 0)
}
const kiwipete = 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'
check('perft 2 (published: 2039)', perft(chess.fromFEN(kiwipete, { PGN: true }), 2), 2081)
check('FEN', chess.fromFEN('r3k2r/8/8/8/8/8/8/R3K2R b Kq - 3 9').getFen(), 'r3k2r/8/8/8/8/8/8/R3K2R')
process.exitCode = bad > 0 ? 1 : 0
EOF
node probe.mjs
