#!/usr/bin/env bash
# @mliebelt/pgn-parser 1.4.19 (npm).
# Guess: the tag TimeControl of an engine match ("8+0.08") is parsed like that of any other game.
# Is: seconds must be whole. "60+1" becomes a list of objects, "8+0.08" stays a plain text with a message beside it: the
# type of the tag depends on its value, and tags.TimeControl[0] is the object of one and the letter "8" of the other.
# Two clocks in the comments of one move are joined to one text.
# Who meets it: whoever reads games of engines, almost all of which play with fractions of a second.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
cd "$t"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @mliebelt/pgn-parser@1.4.19
npm ls --depth 0 | grep @
cat > probe.mjs <<'EOF'
let bad = 0
const check = (what, got, want) => {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)]
  if (a !== b) bad++
  console.log('%s: %s', what, a + (a === b ? '' : '   CHANGED, was ' + b))
}
import parser from '@mliebelt/pgn-parser'
const tags = (tc) => parser.parse(`[TimeControl "${tc}"]\n\n1. e4 *`, { startRule: 'game' }).tags
check('60+1', tags('60+1').TimeControl, [{ kind: 'increment', seconds: 60, increment: 1, value: '60+1' }])
check('8+0.08', tags('8+0.08').TimeControl, '8+0.08')
check('message', tags('8+0.08').messages[0].message, 'Format of tag: "TimeControl" not correct: "8+0.08"')
check('[0]', [tags('60+1').TimeControl[0].seconds, tags('8+0.08').TimeControl[0]], [60, '8'])
const diag = parser.parse('1. e4 {[%clk 0:00:01]} {[%clk 0:00:02]} *', { startRule: 'game' }).moves[0].commentDiag
check('two clocks', diag.clk, '0:00:01 0:00:02')
process.exitCode = bad > 0 ? 1 : 0
EOF
node probe.mjs
