#!/bin/sh
# Ends with 3, and writes nothing, while a shard lacks jobs.
set -eu
exec @TTLAB@ merge @PLAN@ --out @OUT@
