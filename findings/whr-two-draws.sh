#!/usr/bin/env bash
# whr 2.2.0 and whole-history-rating 3.7.1, two packages of one method (whole-history rating), both imported as whr.
# Guess: one win and 99 draws make players that are almost equal: 50.5 %, 3 Elo.
# Is: whr counts a draw as half a win: 3 Elo. whole-history-rating has Davidson's model of draws with a learned
# tendency, where a draw says nothing about who is better: 262 Elo, and "probability_future_match" 0.82, for the same
# hundred games. Sixty wins, forty losses and any number of draws are 70 Elo. The third field of a rating is an error
# in Elo in one, and a variance in units of 173.7 Elo in the other.
# Who meets it: whoever rates engines, whose matches are mostly draws: the ratings are no Elo of the score.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT

for package in whr==2.2.0 whole-history-rating==3.7.1; do
  python3 -m venv "$t/$package"
  "$t/$package/bin/pip" install -q --disable-pip-version-check "$package"
done
cat > "$t/check.py" <<'EOF'
bad = 0
def check(what, got, want):
    global bad
    bad += got != want
    print(f"{what}: {got!r}" + ("" if got == want else f"   CHANGED, was {want!r}"))
EOF
(cat "$t/check.py"; cat <<'EOF'
import whr
def difference(wins, losses, draws):
    base = whr.Base()
    for winner, n in (("B", wins), ("W", losses), ("D", draws)):
        for _ in range(n):
            base.create_game("Alpha", "Beta", winner, 1)
    base.iterate_until_converge(False)
    a, b = base.ratings_for_player("Alpha")[-1], base.ratings_for_player("Beta")[-1]
    return round(a[1] - b[1]), round(a[2])
check("whr: +1 -0 =99, difference and error", difference(1, 0, 99), (3, 34))
check("whr: +60 -40 =0", difference(60, 40, 0), (70, 35))
check("whr: +60 -40 =900", difference(60, 40, 900)[0], 7)
raise SystemExit(bad > 0)
EOF
) | "$t/whr==2.2.0/bin/python" -
(cat "$t/check.py"; cat <<'EOF'
import whr
def difference(wins, losses, draws):
    model = whr.WHR()
    model.load_games(["Alpha Beta B 1"] * wins + ["Alpha Beta W 1"] * losses + ["Alpha Beta D 1"] * draws)
    model.auto_iterate()
    a, b = model.ratings_for_player("Alpha")[-1], model.ratings_for_player("Beta")[-1]
    return round(a[1] - b[1]), round(float(a[2]), 2), round(model.probability_future_match("Alpha", "Beta")[0], 2)
check("whole-history-rating: +1 -0 =99, difference, third field, probability", difference(1, 0, 99), (262, 0.68, 0.82))
check("whole-history-rating: +60 -40 =0", difference(60, 40, 0), (70, 0.04, 0.6))
check("whole-history-rating: +60 -40 =900", difference(60, 40, 900), (70, 0.04, 0.6))
raise SystemExit(bad > 0)
EOF
) | "$t/whole-history-rating==3.7.1/bin/python" -
