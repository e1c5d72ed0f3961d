"""How the ranks that a replay gives agree with those of searches: agreement.py LIVE REPLAY, each results.csv or results.csv.xz

Both runs have the same sizes and policies, and the same games in the same order. For each game, and each size, the rank correlation (Spearman's, ties at their mean
rank) over the policies of what the replay kept with the nodes that the searches needed, fewer being better; then over the whole grid of policies and sizes. Printed: the
mean over the games, and a 95 % bootstrap interval over the games (20,000 draws, seeded).
"""

import csv
import lzma
import random
import sys
from collections import defaultdict

COLUMNS = {"hits": "table.hits", "cutoffs kept": "search.usable", "worth kept": "search.saved"}


def rows(path):
    """Rows as dictionaries."""
    with (lzma.open(path, "rt", newline="") if path.endswith(".xz") else open(path, newline="")) as file:
        yield from csv.DictReader(file)


def read(path, game, wanted):
    """Sums of columns by (game's place, size, policy)."""
    places, sums = {}, defaultdict(lambda: defaultdict(float))
    for row in rows(path):
        if row["error"]:
            sys.exit(f"{path}: a failed job: {row['error']}")
        place = places.setdefault(row[game], len(places))
        for column in wanted:
            sums[place, row["table.size"], row["table.policy.kind"]][column] += float(row[column] or 0)
    return sums


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end + 1 < len(order) and values[order[end + 1]] == values[order[at]]:
            end += 1
        for place in order[at : end + 1]:
            found[place] = (at + end) / 2
        at = end + 1
    return found


def spearman(a, b):
    a, b = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    over = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    under = (sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)) ** 0.5
    return over / under if under else 0.0


def interval(values):
    draw = random.Random(1)
    means = sorted(sum(draw.choices(values, k=len(values))) / len(values) for _ in range(20000))
    return means[500], means[19499]


def main(live, replay):
    live = read(live, "game", ["search.nodes"])
    replay = read(replay, "position", list(COLUMNS.values()))
    if live.keys() != replay.keys():
        sys.exit("the two runs have other games, sizes or policies")
    sizes = list(dict.fromkeys(size for _, size, _ in live))
    policies = list(dict.fromkeys(policy for _, _, policy in live))
    games = sorted({game for game, _, _ in live})
    print(f"{len(games)} games, {len(policies)} policies")
    print("| size | " + " | ".join(COLUMNS) + " |")
    print("|---|" + "---|" * len(COLUMNS))
    for name, chosen in [(size, [size]) for size in sizes] + [("all sizes", sizes)]:
        points = [(size, policy) for size in chosen for policy in policies]
        cells = []
        for column in COLUMNS.values():
            each = []
            for game in games:
                fewer = [-live[(game, *point)]["search.nodes"] for point in points]
                each.append(spearman(fewer, [replay[(game, *point)][column] for point in points]))
            low, high = interval(each)
            cells.append(f"{sum(each) / len(each):.2f} ({low:.2f} to {high:.2f})")
        print(f"| {name} | " + " | ".join(cells) + " |")
    print("\n| policy | " + " | ".join(f"nodes, {size}" for size in sizes) + " |")
    print("|---|" + "---:|" * len(sizes))
    total = lambda size, policy: sum(live[game, size, policy]["search.nodes"] for game in games)
    for policy in policies:
        print(f"| `{policy}` | " + " | ".join(f"{total(size, policy) / total(size, policies[0]):.3f}" for size in sizes) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:3]) if len(sys.argv) == 3 else sys.exit(__doc__)
