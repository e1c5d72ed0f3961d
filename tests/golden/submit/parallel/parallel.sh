#!/bin/sh
# All 100 shards on this machine by GNU parallel, then the merge. Run again, it runs shards that lack jobs, by the plan
# and not by the log of jobs, which does not notice a deleted folder.
set -eu
# Parallel would interpret marks in names, so it sees only the names of variables.
TTLAB_PROGRAM=/opt/ttlab/bin/ttlab TTLAB_PLAN=/data/plans/plan.json TTLAB_OUT=/data/reports/replacement
export TTLAB_PROGRAM TTLAB_PLAN TTLAB_OUT
list() { "$TTLAB_PROGRAM" plan --missing "$TTLAB_PLAN" --out "$TTLAB_OUT"; }
# Called again to say what is wrong.
missing=$(list 2>/dev/null) || [ $? -eq 3 ] || list
echo "$missing" | tr ',' '\n' | while IFS=- read -r first last; do
    [ -z "$first" ] || seq "$first" "${last:-$first}"
done | parallel --jobs 20 --joblog /data/reports/replacement/submit/joblog --termseq TERM,60000,KILL,25 \
    'exec "$TTLAB_PROGRAM" run --plan "$TTLAB_PLAN" --shard {} --out "$TTLAB_OUT" --jobs 2 --quiet' ||
    echo "some shards failed; the merge lists them" >&2
exec "$TTLAB_PROGRAM" merge "$TTLAB_PLAN" --out "$TTLAB_OUT"
