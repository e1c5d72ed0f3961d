"""How the ranks that two cheap measures give agree with those of Elo: predictors.py MATCH DEPTH [PICTURE.svg]

MATCH and DEPTH are results.csv or results.csv.xz. The first has the games of players against one opponent, the second the searches of the same players at fixed depth. Printed for each player: Elo; nodes to the depth as
a ratio to that opponent's (geometric mean over the positions); the nodes that table cutoffs saved, a game. Then the rank correlation (Spearman's) of fewer nodes, and of more
nodes saved, with Elo, over the tables of the grid and over parts of them, and how far the two are apart, each with a 95 % interval by 2,000 draws of openings and positions (seeded). The picture has all
three: Elo over the nodes, the area of a mark by the nodes saved, its colour by the policy, its size in words beside it.
"""

import math
import os
import random
import sys
from collections import defaultdict

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "traces"))
from agreement import rows, spearman

DRAWS = 2000


def points(path):
    """Points of each pair by player and opening, and the opponent's name."""
    pairs = defaultdict(lambda: defaultdict(list))
    for row in rows(path):
        if row["error"]:
            sys.exit(f"{path}: a failed job: {row['error']}")
        pairs[row["variant"]][row["position"]].append(float(row["match.points"]))
        opponent = row["match.opponent"]
    return {player: {start: sum(games) for start, games in of.items() if len(games) == 2} for player, of in pairs.items()}, opponent


def searches(path):
    """Nodes and nodes saved by player and position, the whole sequence summed."""
    found = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    for row in rows(path):
        if row["error"]:
            sys.exit(f"{path}: a failed job: {row['error']}")
        of = found[row["variant"]][row["game"] or row["position"]]
        of[0] += float(row["search.nodes"])
        of[1] += float(row["search.saved"] or 0)
    return found


def elo(pairs):
    score = min(max(sum(pairs) / (2 * len(pairs)), 0.001), 0.999)
    return -400 * math.log10(1 / score - 1)


COLOURS = ["#0072b2", "#e69f00", "#d55e00", "#009e73", "#cc79a7", "#666666"]


def picture(path, opponent, rows):
    """Elo (value, low, high) over the ratio of nodes, the area of a mark by the nodes saved: of (player, elo, nodes, saved)."""
    width, height, left, top = 760, 470, 70, 20
    right, bottom = width - 190, height - 50
    far = max(nodes for _, _, nodes, _ in rows) * 1.08
    low, high = min(elo[1] for _, elo, _, _ in rows) - 8, max(elo[2] for _, elo, _, _ in rows) + 8
    x = lambda nodes: left + (right - left) * math.log(max(nodes, 0.97) / 0.97) / math.log(far / 0.97)
    y = lambda elo: bottom - (bottom - top) * (elo - low) / (high - low)
    text = lambda at, up, words, more="": f'<text x="{at:.1f}" y="{up:.1f}" {more}>{words}</text>'
    parts = [f'<rect width="{width}" height="{height}" fill="#fff"/>', f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="#333"/>']
    for nodes in [1, 1.25, 1.5, 2, 2.5, 3, 3.5]:
        parts.append(text(x(nodes), bottom + 18, f"{nodes:g}", 'text-anchor="middle"'))
    for elo in range(-150, 51, 25):
        if low < elo < high:
            parts.append(f'<path d="M{left} {y(elo):.1f}H{right}" stroke="#ddd"/>' + text(left - 8, y(elo) + 4, f"{elo:+d}" if elo else "0", 'text-anchor="end"'))
    parts.append(text((left + right) / 2, height - 12, f"nodes to the depth, of those of {opponent} (log)", 'text-anchor="middle"'))
    parts.append(text(16, (top + bottom) / 2, "Elo at equal nodes", f'text-anchor="middle" transform="rotate(-90 16 {(top + bottom) / 2})"'))
    policy = lambda player: player.split("policy=")[1].split(" ")[0] if "policy=" in player else "others"
    kinds = list(dict.fromkeys(policy(player) for player, *_ in rows))
    for player, (elo, least, most), nodes, saved in rows:
        colour, at = COLOURS[kinds.index(policy(player)) % len(COLOURS)], x(nodes)
        parts.append(f'<path d="M{at:.1f} {y(least):.1f}V{y(most):.1f}" stroke="{colour}" stroke-opacity="0.5"/>')
        parts.append(f'<circle cx="{at:.1f}" cy="{y(elo):.1f}" r="{1.5 + 9 * saved ** 0.5:.1f}" fill="{colour}" fill-opacity="0.6"><title>{player}</title></circle>')
        if nodes > 1.1:
            name = player.split(",")[0].removeprefix("size=")
            parts.append(text(at + 10, y(elo) - 6, name, 'font-size="10"'))
    for row, kind in enumerate(kinds):
        up = top + 20 * row + 10
        parts.append(f'<circle cx="{right + 24}" cy="{up}" r="6" fill="{COLOURS[row % len(COLOURS)]}" fill-opacity="0.6"/>' + text(right + 38, up + 4, kind))
    parts.append(text(right + 18, top + 20 * len(kinds) + 20, "area: nodes saved", 'font-size="10"'))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">' + "\n".join(parts) + "</svg>\n")


def main(match, depth, svg=None):
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

    def ends(draws):
        draws = sorted(draws)
        return draws[DRAWS // 40], draws[-DRAWS // 40 - 1]

    def told(value, draws, form):
        low, high = ends(draws)
        return f"{form(value)} [{form(low)}, {form(high)}]"

    strength, nodes, saved = measures(starts, places)
    print("| player | Elo | nodes to the depth | nodes saved, millions a game |\n|---|---:|---:|---:|")
    for player in players:
        cells = [
            told(strength[player], [one[0][player] for one in drawn], "{:+.0f}".format),
            told(nodes[player], [one[1][player] for one in drawn], "{:.2f}".format),
            f"{saved[player] / 1e6:.2f}",
        ]
        print(f"| {player} | " + " | ".join(cells) + " |")

    if svg:
        interval = lambda player: (strength[player], *ends([one[0][player] for one in drawn]))
        picture(svg, opponent, [(player, interval(player), nodes[player], saved[player] / 1e6) for player in players])

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
    main(*sys.argv[1:]) if len(sys.argv) in (3, 4) else sys.exit(__doc__)
