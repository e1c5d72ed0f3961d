#!/bin/sh
# Submits the shards, and the merge to follow them. With --array=3,7-9 only those shards are run again, as
#   @TTLAB@ plan --missing @PLAN@ --out @OUT@
# names them.
set -eu
array=$(sbatch --parsable "$@" @FOLDER@/array.sbatch)
# After any end of the shards: the merge itself says what is missing. It does not wait for ever on a job that was taken back.
merge=$(sbatch --parsable --dependency=afterany:"${array%%;*}" --kill-on-invalid-dep=yes @FOLDER@/merge.sbatch)
echo "shards ${array%%;*}, merge ${merge%%;*}"
