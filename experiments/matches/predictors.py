"""How the ranks that two cheap measures give agree with those of Elo: predictors.py MATCH/results.csv DEPTH/results.csv

The first has the games of players against one opponent, the second the searches of the same players at fixed depth. Printed for each player: Elo; nodes to the depth as
a ratio to that opponent's (geometric mean over the positions); the nodes that table cutoffs saved, a game. Then the rank correlation (Spearman's) of fewer nodes, and of more
nodes saved, with Elo, over the tables of the grid and over parts of them, and how far the two are apart, each with a 95 % interval by 2,000 draws of openings and positions (seeded).
"""

import csv
import math
import os
import random
import sys
from collections import defaultdict

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "traces"))
from agreement import spearman

DRAWS = 2000


def points(path):
    """Points of each pair by player and opening, and the opponent's name."""
    pairs = defaultdict(lambda: defaultdict(list))
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["error"]:
                sys.exit(f"{path}: a failed job: {row['error']}")
            pairs[row["variant"]][row["position"]].append(float(row["match.points"]))
            opponent = row["match.opponent"]
    return {player: {start: sum(games) for start, games in of.items() if len(games) == 2} for player, of in pairs.items()}, opponent


def searches(path):
    """Nodes and nodes saved by player and position, the whole sequence summed."""
    found = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["error"]:
                sys.exit(f"{path}: a failed job: {row['error']}")
            of = found[row["variant"]][row["game"] or row["position"]]
            of[0] += float(row["search.nodes"])
            of[1] += float(row["anatomy.saved"] or 0)
    return found


def elo(pairs):
    score = min(max(sum(pairs) / (2 * len(pairs)), 0.001), 0.999)
    return -400 * math.log10(1 / score - 1)


def main(match, depth):
    match, opponent = points(match)
    depth = searches(depth)
    players = [player for player in match if player in depth]
    starts = sorted(set.intersection(*(set(match[player]) for player in players)))
    places = sorted(set.intersection(*(set(depth[player]) for player in [*players, opponent])))
    print(f"{len(starts)} openings, {len(places)} positions, {len(players)} players against {opponent}\n")

    def measures(starts, places):
        strength = {player: elo([match[player][start] for start in starts]) for player in players}
        ratio = lambda player, at: math.log(depth[player][at][0] / depth[opponent][at][0])
        nodes = {player: math.exp(sum(ratio(player, at) for at in places) / len(places)) for player in players}
        saved = {player: sum(depth[player][at][1] for at in places) / len(places) for player in players}
        return strength, nodes, saved

    draw = random.Random(1)
    drawn = [measures(draw.choices(starts, k=len(starts)), draw.choices(places, k=len(places))) for _ in range(DRAWS)]

    def told(value, draws, form):
        draws = sorted(draws)
        return f"{form(value)} [{form(draws[DRAWS // 40])}, {form(draws[-DRAWS // 40 - 1])}]"

    strength, nodes, saved = measures(starts, places)
    print("| player | Elo | nodes to the depth | nodes saved, millions a game |\n|---|---:|---:|---:|")
    for player in players:
        cells = [
            told(strength[player], [one[0][player] for one in drawn], "{:+.0f}".format),
            told(nodes[player], [one[1][player] for one in drawn], "{:.2f}".format),
            f"{saved[player] / 1e6:.2f}",
        ]
        print(f"| {player} | " + " | ".join(cells) + " |")

    grid = [player for player in players if player.startswith("size=")]
    size = lambda player: player.split(", ")[0]
    sets = {"all tables": grid, "without aged-depth": [player for player in grid if "aged-depth" not in player]}
    sets |= {name.removeprefix("size="): [player for player in grid if size(player) == name] for name in dict.fromkeys(map(size, grid))}
    print("\n| over | fewer nodes | more nodes saved | the first less the second |\n|---|---:|---:|---:|")
    for name, chosen in sets.items():
        fewer = lambda one: spearman([one[0][player] for player in chosen], [-one[1][player] for player in chosen])
        more = lambda one: spearman([one[0][player] for player in chosen], [one[2][player] for player in chosen])
        apart = lambda one: fewer(one) - more(one)
        cells = [told(by((strength, nodes, saved)), map(by, drawn), "{:.2f}".format) for by in (fewer, more, apart)]
        print(f"| {name} ({len(chosen)}) | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:3]) if len(sys.argv) == 3 else sys.exit(__doc__)
