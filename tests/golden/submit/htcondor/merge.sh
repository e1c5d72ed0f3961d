#!/bin/sh
# Ends with 3, and writes nothing, while a shard lacks jobs.
set -eu
exec /opt/ttlab/bin/ttlab merge /data/plans/plan.json --out /data/reports/replacement
