#!/usr/bin/env bash
# `gpucap validate`: what it prints in each form, and what it says of wrong words and folders.
source "$(dirname "$0")/lib.sh"

run 0 validate --suite memory
out_has "Suite memory"
out_has "KV pools that engines logged"
out_has "Does it start?"
run 0 validate --suite memory --format markdown
out_has "## Suite memory"
out_has "| --- |"
run 0 validate --suite memory --format csv
[ "$(head -1 "$work/out" | tr -d '\r')" = \
  "suite,source,id,gpu,engine,model,group,metric,statistic,measured,predicted,error,calibration,main,cause" ] ||
  fail "$said: another header"
run 0 validate --suite serving --format json
out_has '"command": "gpucap estimate serving'
out_has '"serving_by_zone"'

# The same words give the same bytes, whatever the threads do.
cp "$work/out" "$work/first"
run 0 validate --suite serving --format json
cmp -s "$work/first" "$work/out" || fail "$said: two runs differ"

run 1 validate --suite power
err_has '--suite: suite "power" comes later; known: operators, serving, memory, training, all'
run 1 validate --suite memroy
err_has 'did you mean "memory"?'
run 1 validate --data "$work/nowhere"
out_is_empty
err_has "--data: \"$work/nowhere\" is no folder; it must hold serving/ and operators/"
mkdir -p "$work/empty"
run 1 validate --suite serving --data "$work/empty"
err_has "holds none of the tables"
mkdir -p "$work/broken/serving"
printf 'case_id,gpu\nx,y\n' >"$work/broken/serving/iog_vllm085_sharegpt.csv"
run 1 validate --suite serving --data "$work/broken"
out_is_empty
err_has "$work/broken/serving/iog_vllm085_sharegpt.csv:1:1: engine: the table has no such column"
finish
