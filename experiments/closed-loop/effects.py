"""What another rule costs an engine on ttlab's table: predicted, then judged (README.md).

    effects.py predict FOLDER > reports/closed-loop/predictions.csv    FOLDER has nodes-SIZE/results.csv, replay-SIZE-RULE.csv
    effects.py gather FOLDER | xz > reports/closed-loop/pairs.csv.xz   FOLDER: hash, control-15, effects-5 and so on, by stores a slot a game
    effects.py judge PREDICTIONS.csv PAIRS.csv[.xz]                    the tables of reports/closed-loop/report.md
    effects.py --self-test                                             made-up outcomes with known answers

Elo is that of the rule against the engine's own, negative where the rule loses. All rules of judging were written before the first game.
"""

import csv
import itertools
import lzma
import math
import os
import random
import sys
from collections import defaultdict

PRICE = 186  # Elo for a factor of e in nodes
# By stores a slot a game: the sizes of nodes.toml, in both searches, and that of effects.toml.
PRESSURES = {5: (69000, 158000, 20600), 15: (23100, 52900, 6900), 60: (5760, 13200, 1720), 240: (1440, 3300, 430)}
HASH = {2: 51500, 5: 20600, 15: 6900, 60: 1720, 200: 514}  # sizes of hash.toml
EXPECTED = [-18, -42, -70, -106, -138]  # Elo
RULES = ["always", "random", "no ageing", "two-tier"]
PREDICTORS = ["match", "neutral", "replay"]
APART = 40  # Elo
DRAWS = 10_000


def rows(path):
    """Rows of results.csv, packed or not, or of a folder that has them."""
    if os.path.isdir(path):
        packed = os.path.join(path, "results.csv.xz")
        path = packed if os.path.exists(packed) else os.path.join(path, "results.csv")
    with lzma.open(path, "rt", newline="") if path.endswith(".xz") else open(path, newline="") as file:
        yield from csv.DictReader(file)


def ratios(folder):
    """Nodes of each rule / own: geometric mean over searches, each over all its depths."""
    nodes = defaultdict(lambda: defaultdict(int))
    for row in rows(folder):
        nodes[row["variant"]][row["suite"], row["game"], row["position"]] += int(row["search.nodes"])
    own = nodes.pop("own")
    return {rule: math.exp(sum(math.log(count / own[search]) for search, count in counts.items()) / len(own)) for rule, counts in nodes.items()}


def replayed(folder, size, nodes):
    """Of each rule: (the recorded nodes + the worth that the table lost) / the same with the engine's own rule."""
    needed = {}
    for rule in ["own"] + RULES:
        first = next(rows(os.path.join(folder, f"replay-{size}-{rule.replace(' ', '-')}.csv")))
        needed[rule] = nodes + int(first["worth"]) - int(first["worth_kept"])
    return {rule: needed[rule] / needed["own"] for rule in RULES}


def predict(folder):
    with open(os.path.join(folder, "trace-nodes")) as file:
        recorded = int(file.read())
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["pressure", "rule", "predictor", "ratio", "elo"])
    for pressure, (match, neutral, theirs) in PRESSURES.items():
        found = {
            "match": ratios(os.path.join(folder, f"nodes-{match}")),
            "neutral": ratios(os.path.join(folder, f"nodes-{neutral}")),
            "replay": replayed(folder, theirs, recorded),
        }
        for predictor, of_rules in found.items():
            for rule, ratio in of_rules.items():
                out.writerow([pressure, rule, predictor, f"{ratio:.5f}", f"{-PRICE * math.log(ratio):.2f}"])


def elo(score):
    return 400 * math.log10(score / (1 - score))


def gather(folder):
    """A line for each pair of games: its points for the rule, from 0 to 2."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["stores", "rule", "opening", "points"])
    slots = {f"size={size}": stores for stores, size in HASH.items()}
    for name in ["hash", "control-15"] + [f"effects-{pressure}" for pressure in PRESSURES]:
        pairs = defaultdict(list)
        for row in rows(os.path.join(folder, name)):
            if row["error"]:
                sys.exit(f"{name}: a failed game: {row['error']}")
            variant = row["variant"]
            stores, rule = (slots[variant], "size") if name == "hash" else (int(name.rsplit("-", 1)[1]), variant)
            pairs[stores, rule, row["position"]].append(float(row["match.points"]))
        for (stores, rule, opening), points in pairs.items():
            if len(points) != 2:
                sys.exit(f"{name}, {rule}, {opening}: found {len(points)} games, expected 2")
            out.writerow([stores, rule, opening, f"{sum(points):g}"])


def played(path):
    """Elo with its 95 % interval and the number of pairs, by stores a slot a game and rule."""
    pairs = defaultdict(list)
    for row in rows(path):
        pairs[int(row["stores"]), row["rule"]].append(float(row["points"]) / 2)
    effects = {}
    for cell, points in pairs.items():
        mean = sum(points) / len(points)
        error = math.sqrt(sum((point - mean) ** 2 for point in points) / (len(points) - 1) / len(points))
        effects[cell] = elo(mean), elo(mean - 1.96 * error), elo(mean + 1.96 * error), len(points)
    return effects


def ranks(values):
    return [sum(other < value for other in values) + (sum(other == value for other in values) - 1) / 2 for value in values]


def correlation(xs, ys):
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = math.sqrt(sum((x - mean_x) ** 2 for x in xs) * sum((y - mean_y) ** 2 for y in ys))
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / spread if spread else 0.0


def order(predicted, found):
    """(a) The mean rank correlation within pressures, and its p: all permutations inside them."""
    cells = [([predicted[p, rule] for rule in RULES], [found[p, rule] for rule in RULES]) for p in PRESSURES]
    seen = sum(correlation(ranks(xs), ranks(ys)) for xs, ys in cells)
    chances = [[correlation(ranks(xs), ranks(other)) for other in itertools.permutations(ys)] for xs, ys in cells]
    sums = [sum(values) for values in itertools.product(*chances)]
    return seen / len(cells), sum(value >= seen - 1e-9 for value in sums) / len(sums)


def signs(predicted, found):
    """(b) Of pairs of rules at one pressure that are predicted apart: how many have their sign, and how many there are."""
    pairs = [(p, one, other) for p in PRESSURES for one, other in itertools.combinations(RULES, 2) if abs(predicted[p, one] - predicted[p, other]) >= APART]
    return sum((predicted[p, one] > predicted[p, other]) == (found[p, one] > found[p, other]) for p, one, other in pairs), len(pairs)


def trivial(found):
    """A rule's mean at the other pressures."""
    return {(p, rule): sum(found[q, rule] for q in PRESSURES if q != p) / (len(PRESSURES) - 1) for p in PRESSURES for rule in RULES}


def errors(predicted, found):
    """(c) Root mean squared errors of a predictor and of the trivial one, and p that the first is not smaller: paired sign flips."""
    known = trivial(found)
    cells = [(p, rule) for p in PRESSURES for rule in RULES]
    own, other = [[(values[cell] - found[cell]) ** 2 for cell in cells] for values in (predicted, known)]
    gains = [b - a for a, b in zip(own, other)]
    flips = random.Random(1)
    extreme = sum(sum(gain * flips.choice((-1, 1)) for gain in gains) >= sum(gains) for _ in range(DRAWS))
    return math.sqrt(sum(own) / len(own)), math.sqrt(sum(other) / len(other)), (extreme + 1) / (DRAWS + 1)


def judge(path, outcomes):
    effects = played(outcomes)
    shown = lambda cell: "{:+.1f} [{:+.1f}, {:+.1f}]".format(*effects[cell][:3])
    print("| stores a slot a game | Elo beside a table that is never full | pairs | predicted |\n|--:|--:|--:|--:|")
    for stores, told in zip(HASH, EXPECTED):
        print(f"| {stores} | {shown((stores, 'size'))} | {effects[stores, 'size'][3]} | {told} |")
    predicted = defaultdict(dict)
    for row in rows(path):
        predicted[row["predictor"]][int(row["pressure"]), row["rule"]] = float(row["elo"])
    print("\n| stores a slot a game | rule | Elo beside Weiss's own | pairs | " + " | ".join(PREDICTORS) + " |\n|--:|---|--:|--:|" + "--:|" * len(PREDICTORS))
    for cell in [(pressure, rule) for pressure in PRESSURES for rule in RULES + ["hits lost"]]:
        if cell in effects:
            told = [f"{predicted[name][cell]:+.0f}" if cell in predicted[name] else "-" for name in PREDICTORS]
            print(f"| {cell[0]} | {cell[1]} | {shown(cell)} | {effects[cell][3]} | " + " | ".join(told) + " |")
    found = {cell: effect[0] for cell, effect in effects.items()}
    print("\n| predictor | (a) rank correlation, p | (b) signs of pairs 40 Elo apart | (c) error, the trivial one's, p |\n|---|--:|--:|--:|")
    for name in PREDICTORS:
        (mean, p), (right, number), (own, other, chance) = order(predicted[name], found), signs(predicted[name], found), errors(predicted[name], found)
        holds = [mean > 0 and p <= 0.025, number > 0 and right >= 0.9 * number, own < other and chance <= 0.025]
        marks = [(" holds" if hold else " not shown") for hold in holds]
        print(f"| {name} | {mean:+.2f}, {p:.3f}:{marks[0]} | {right} of {number}:{marks[1]} | {own:.0f}, {other:.0f}, {chance:.3f}:{marks[2]} |")


def self_test():
    truth = {(p, rule): -10.0 * (place + 1) * (at + 1) for at, p in enumerate(PRESSURES) for place, rule in enumerate(RULES)}
    reverse = {cell: -value for cell, value in truth.items()}
    assert order(truth, truth) == (1.0, 1 / math.factorial(len(RULES)) ** len(PRESSURES))
    assert order(reverse, truth)[1] == 1.0
    assert signs(truth, truth)[0] == signs(truth, truth)[1] > 0 and signs(reverse, truth)[0] == 0
    assert errors(truth, truth)[0] == 0 and errors(truth, truth)[2] < 0.025 < errors(reverse, truth)[2]
    assert trivial(truth)[15, "always"] == (-10 - 30 - 40) / 3 and ranks([3, 1, 3]) == [1.5, 0, 1.5]
    print("ok")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["predict", folder]:
            predict(folder)
        case ["gather", folder]:
            gather(folder)
        case ["judge", path, outcomes]:
            judge(path, outcomes)
        case ["--self-test"]:
            self_test()
        case _:
            sys.exit(__doc__)
