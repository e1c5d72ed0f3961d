#!/bin/sh
# Submits the shards, and the merge to follow them. With --array=3,7-9 only those shards are run again, as
#   /opt/ttlab/bin/ttlab plan --missing /data/plans/plan.json --out /data/reports/replacement
# names them.
set -eu
shards=100
# A site numbers its tasks below a limit (1001 where it does not say): more shards take several arrays.
most=$(scontrol show config 2>/dev/null | sed -n 's/^MaxArraySize[ =]*//p') || most=
case $most in '' | 0 | *[!0-9]*) most=1001 ;; esac
submit() { sbatch --parsable --output=/data/reports/replacement/submit/%a.log --export=ALL,TTLAB_FIRST="$first" "$@" /data/reports/replacement/submit/array.sbatch; }
first=0 after=
if [ $# -gt 0 ] || [ "$shards" -le "$most" ]; then
    array=$(submit "$@")
    after=:${array%%;*}
else
    while [ "$first" -lt "$shards" ]; do
        last=$((shards - first - 1))
        [ "$last" -lt "$most" ] || last=$((most - 1))
        array=$(submit --array=0-"$last"%20)
        after=$after:${array%%;*}
        first=$((first + last + 1))
    done
fi
# However the shards end: the merge reports what is missing. It does not wait for a job that was cancelled.
merge=$(sbatch --parsable --output=/data/reports/replacement/submit/merge.log --dependency=afterany"$after" --kill-on-invalid-dep=yes /data/reports/replacement/submit/merge.sbatch)
echo "shards ${after#:}, merge ${merge%%;*}"
