#!/bin/sh
# Submits the shards, and the merge to follow them. With --array=3,7-9 only those shards are run again, as
#   /opt/ttlab/bin/ttlab plan --missing /data/plans/plan.json --out /data/reports/replacement
# names them.
set -eu
shards=100
# A site numbers its tasks below a limit (1001 where it does not say): more shards take several arrays.
most=$(scontrol show config 2>/dev/null | sed -n 's/^MaxArraySize[ =]*//p') || most=
case $most in '' | 0 | *[!0-9]*) most=1001 ;; esac
list=0-$((shards - 1))%20
case ${1-} in --array=*) list=${1#--array=}; shift ;; esac
first=0 after=
case $list in *%*) at_once=%${list#*%} ;; *) at_once= ;; esac
# Those of the listed shards that one array has, numbered from its first.
tasks() {
    echo "${list%%%*}" | tr , '\n' | awk -F- -v first="$first" -v most="$most" '{
        from = $1 - first; to = $NF - first
        if (from < 0) from = 0
        if (to >= most) to = most - 1
        if (from <= to) print from == to ? from : from "-" to
    }' | paste -sd, -
}
while [ "$first" -lt "$shards" ]; do
    tasks=$(tasks)
    if [ -n "$tasks" ]; then
        array=$(sbatch --parsable --output=/data/reports/replacement/submit/%a.log --export=ALL,TTLAB_FIRST="$first" --array="$tasks$at_once" "$@" \
            /data/reports/replacement/submit/array.sbatch)
        after=$after:${array%%;*}
    fi
    first=$((first + most))
done
# However the shards end: the merge reports what is missing. It does not wait for a job that was cancelled.
merge=$(sbatch --parsable --output=/data/reports/replacement/submit/merge.log --dependency=afterany"$after" --kill-on-invalid-dep=yes /data/reports/replacement/submit/merge.sbatch)
echo "shards ${after#:}, merge ${merge%%;*}"
