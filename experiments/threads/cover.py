"""Does the spread over virtual schedules cover that of real threads? cover.py VIRTUAL/results.csv REAL/results.csv

For each position: the least and the greatest nodes of the virtual searches, those of the real ones, and how many of these lie between. If both were drawn
from one distribution, the share of n real values between the extremes of m virtual ones would be (m - 1) / (m + 1) in the mean.
"""

import csv
import math
import statistics
import sys


def read(path):
    """Nodes of each search by position, and the share of them that helpers searched."""
    searches = {}
    for row in csv.DictReader(open(path, newline="")):
        search = searches.setdefault((row["position"], row["variant"], row["repeat"]), [0, 0])
        search[0] += int(row["search.nodes"])
        search[1] += int(row["threads.helper_nodes"])
    nodes, helped = {}, sum(search[1] for search in searches.values()) / sum(search[0] for search in searches.values())
    for (position, *_), search in searches.items():
        nodes.setdefault(position, []).append(search[0])
    return nodes, helped


(virtual, virtual_helped), (real, real_helped) = map(read, sys.argv[1:3])
between = everything = 0
ratios, spreads = [], []
print("position  virtual: least    greatest  real: least    greatest  between")
for position, had in virtual.items():
    found = real[position]
    inside = sum(min(had) <= nodes <= max(had) for nodes in found)
    between, everything = between + inside, everything + len(found)
    had_logs, found_logs = ([math.log(nodes) for nodes in some] for some in (had, found))
    ratios.append(statistics.mean(found_logs) - statistics.mean(had_logs))
    spreads.append((statistics.variance(had_logs), statistics.variance(found_logs)))
    print(f"{position:8} {min(had):16,} {max(had):11,} {min(found):12,} {max(found):11,} {inside:5} of {len(found)}")
m = len(next(iter(virtual.values())))
error = 2.07 * statistics.stdev(ratios) / math.sqrt(len(ratios))  # Student's t of 24 positions
mean = statistics.mean(ratios)
deviations = [math.sqrt(statistics.mean(values)) for values in zip(*spreads)]
print(f"between the extremes: {between / everything:.1%} of {everything}; of one distribution {(m - 1) / (m + 1):.1%}")
print(f"nodes real / virtual: {math.exp(mean):.3f} [{math.exp(mean - error):.3f}, {math.exp(mean + error):.3f}]")
print(f"standard deviation of a position's log nodes: virtual {deviations[0]:.3f}, real {deviations[1]:.3f}")
print(f"share of the nodes that helpers searched: virtual {virtual_helped:.1%}, real {real_helped:.1%}")
