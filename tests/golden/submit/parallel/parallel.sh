#!/bin/sh
# All 100 shards on this machine by GNU parallel, then the merge. Run again, it runs what had failed or was stopped.
set -eu
seq 0 99 | parallel -q --jobs 20 --joblog /data/reports/replacement/submit/joblog --resume-failed --termseq TERM,60000,KILL,25 \
    /opt/ttlab/bin/ttlab run --plan /data/plans/plan.json --shard {} --out /data/reports/replacement --jobs 2 --quiet
exec /opt/ttlab/bin/ttlab merge /data/plans/plan.json --out /data/reports/replacement
