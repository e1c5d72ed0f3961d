#!/bin/sh
# All @SHARDS@ shards on this machine by GNU parallel, then the merge. Run again, it runs those that lack jobs: the plan is asked,
# not the log of jobs, which would not know that a shard's folder has gone.
set -eu
# Parallel puts shards' numbers into its command, and would put them (or worse) into names that look like its own marks: it sees
# the names of variables alone.
TTLAB_PROGRAM=@TTLAB@ TTLAB_PLAN=@PLAN@ TTLAB_OUT=@OUT@
export TTLAB_PROGRAM TTLAB_PLAN TTLAB_OUT
missing=$("$TTLAB_PROGRAM" plan --missing "$TTLAB_PLAN" --out "$TTLAB_OUT" 2>/dev/null) || [ $? -eq 3 ]
echo "$missing" | tr ',' '\n' | while IFS=- read -r first last; do
    [ -z "$first" ] || seq "$first" "${last:-$first}"
done | parallel --jobs @AT_ONCE@ --joblog @LOGS@/joblog --termseq TERM,60000,KILL,25 \
    'exec "$TTLAB_PROGRAM" run --plan "$TTLAB_PLAN" --shard {} --out "$TTLAB_OUT" --jobs @CPUS@ --quiet' ||
    echo "some shards did not end well: the merge says which" >&2
exec "$TTLAB_PROGRAM" merge "$TTLAB_PLAN" --out "$TTLAB_OUT"
