"""Do nodes or searchers change the effect of a rule? From runs of experiments/studies/secondary-ageing*.toml:

interaction.py RESULTS.csv [RESULTS.csv ...]     the files after the first are of the same suites, or of their first positions
interaction.py --apart RESULTS.csv RESULTS.csv   the files are of other positions of the same families

The effect of a rule at a position is the logarithm of its nodes until the mate was found and kept over those of `none` with as many searchers. For each rule and suite: its ratio with one and with
eight searchers, and the ratio of both; with two files also the second file's ratio over the first's, of the positions that both have. Intervals: positions drawn anew 4,000 times (each has its own
placement or game); p: signs flipped 4,000 times. Apart, each family's mean effect in the second file less that in the first is averaged over the families that both have; intervals: positions drawn
anew in each family of each file; p: positions dealt anew to the two files within each family.
"""

import csv
import math
import random
import sys
from collections import defaultdict

DRAWS = 4000
RULES = ["refused", "decisive", "missed"]


def effects(path):
    """By suite, searchers and rule: the effect at each position."""
    nodes, demoted = defaultdict(int), defaultdict(int)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            key = row.get("suite") or "games", row["variant"], row["position"].split("/")[-1]
            nodes[key] += int(row["mate.nodes_until"])
            demoted[key[:2]] += int(row["table.demoted"])
    found = defaultdict(dict)
    for (suite, variant, position), count in nodes.items():
        searchers, rule = variant.split()
        if rule != "none":
            found[suite, searchers, rule][position] = math.log(count / nodes[suite, f"{searchers} none", position])
    return found, demoted


def mean(sample):
    return sum(sample) / len(sample)


def words(actual, drawn, by_chance):
    """A ratio with its interval, and p."""
    return f"{math.exp(actual):.3f} [{math.exp(drawn[DRAWS // 40]):.3f}, {math.exp(drawn[-DRAWS // 40]):.3f}] | {(by_chance + 1) / (DRAWS + 1):.4f}"


def summary(values):
    """Geometric mean with its interval, and p that it is 1."""
    values, chance = list(values), random.Random(1)
    drawn = sorted(mean(chance.choices(values, k=len(values))) for _ in range(DRAWS))
    flipped = sum(abs(mean([value * chance.choice((-1, 1)) for value in values])) >= abs(mean(values)) - 1e-12 for _ in range(DRAWS))
    return words(mean(values), drawn, flipped)


def apart(paths):
    (first, _), (second, _) = map(effects, paths)
    print("| families | rule | searchers | second file over the first | p |\n|---|---|---|---:|---:|")
    for searchers in ("one", "eight"):
        for rule in RULES:
            groups = [defaultdict(list), defaultdict(list)]
            for group, found in zip(groups, (first, second)):
                for key, each in found.items():
                    for position, effect in each.items() if key[1:] == (searchers, rule) else ():
                        group[position.split(".")[0]].append(effect)
            pairs = [(groups[0][name], groups[1][name]) for name in sorted(groups[0].keys() & groups[1].keys())]
            change = lambda of: mean([mean(new) - mean(old) for old, new in of])
            chance, actual = random.Random(1), change(pairs)
            drawn = sorted(change([[chance.choices(each, k=len(each)) for each in pair] for pair in pairs]) for _ in range(DRAWS))
            dealt = 0
            for _ in range(DRAWS):
                mixed = [chance.sample(old + new, len(old) + len(new)) for old, new in pairs]
                dealt += abs(change([(all[: len(old)], all[len(old) :]) for all, (old, _) in zip(mixed, pairs)])) >= abs(actual) - 1e-12
            print(f"| {len(pairs)} | {rule} | {searchers} | {words(actual, drawn, dealt)} |")


def main(paths):
    files = [effects(path) for path in paths]
    print("| file | suite | rule | of | ratio | p |\n|---|---|---|---|---:|---:|")
    for path, (found, demoted) in zip(paths, files):
        for suite in sorted({key[0] for key in found}):
            for rule in RULES:
                one, eight = found[suite, "one", rule], found[suite, "eight", rule]
                for word, each in (("one", one), ("eight", eight)):
                    if not each:
                        continue
                    print(f"| {path} | {suite} | {rule} | {word}, {demoted[suite, f'{word} {rule}']:,} entries lowered | {summary(each.values())} |")
                if eight:
                    print(f"| {path} | {suite} | {rule} | eight over one | {summary(eight[position] - one[position] for position in one)} |")
    for (path, (found, _)), (first, _) in zip(list(zip(paths, files))[1:], files):
        for key in found:
            both = found[key].keys() & first[key].keys()
            if both:
                print(f"| {path} | {key[0]} | {key[2]} | {key[1]}, over the file before | {summary(found[key][position] - first[key][position] for position in sorted(both))} |")


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-") and (sys.argv[1] != "--apart" or len(sys.argv) != 4):
        sys.exit(__doc__)
    apart(sys.argv[2:]) if sys.argv[1] == "--apart" else main(sys.argv[1:])
