#!/bin/sh
# Submits the shards to an AWS Batch queue, and the merge to follow them. The plan and the results lie on a file system that the
# job definition mounts (set its fileSystemId first), the plan as @PLAN_PLAIN@.
set -eu
queue=${1:?"usage: sh submit.sh QUEUE"}
aws batch register-job-definition --cli-input-json file://@FOLDER@/definition.json
shards=$(aws batch submit-job --job-name @LABEL@ --job-queue "$queue" --job-definition @LABEL@@ARRAY@ \
    --query jobId --output text)
merge=$(aws batch submit-job --job-name @LABEL@-merge --job-queue "$queue" --job-definition @LABEL@ \
    --depends-on jobId="$shards" --container-overrides @AWS_MERGE@ --query jobId --output text)
echo "shards $shards, merge $merge"
