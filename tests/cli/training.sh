#!/usr/bin/env bash
# `estimate training` and `memory training`, and `run` of training and cluster scenarios: the keys
# that scripts rely on, exit statuses, and what wrong words are told.
source "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
job=(--model llama-2-7b --gpu a100-sxm-80gb --method lora)

run 0 estimate training "${job[@]}" --tokens 1000000 --price-per-hour 1.79USD --format json
for key in name feasible reason memory peak_allocated_gib peak_reserved_gib step time_s compute_s \
  communication_s optimizer_s bubble_s throughput tokens_per_s samples_per_s mfu hfu cost run energy \
  interval provenance; do
  out_has "\"$key\""
done
out_has '"feasible": true'
cp "$work/out" "$work/first"
run 0 estimate training "${job[@]}" --tokens 1000000 --price-per-hour 1.79USD --format json
cmp -s "$work/first" "$work/out" || fail "$said: two runs differ"

run 0 memory training "${job[@]}" --format json
for key in memory largest micro_batch seq_len cures; do out_has "\"$key\""; done

# Full fine-tuning of 7B takes 16 bytes a parameter, 100 GiB: more than a card; what helps is told.
run 2 memory training --model llama-2-7b --gpu a100-sxm-80gb
out_has "fits"
out_has "CURE"
run 2 estimate training --model llama-2-7b --gpu a100-sxm-80gb --format json
out_has '"tokens_per_s": null'

run 1 estimate training --model llama-2-7b
out_is_empty
err_has "--gpu: is needed"
run 1 estimate training "${job[@]}" --recompute ful
err_has '--recompute: unknown amount of recompute "ful"; did you mean "full"?'
run 1 estimate training "${job[@]}" --software tund
err_has 'did you mean "tuned"?'
run 1 estimate training --model resnet-50 --gpu rtx-4090 --tokens 100
err_has 'images have no tokens'
run 1 estimate training "${job[@]}" --count 3 --global-batch 8
err_has "8 samples cannot be cut into micro-batches of 1 on 3 data-parallel ranks"
run 1 estimate training "${job[@]}" --search --zero 3
err_has "--zero: --search chooses it"
run 2 estimate training "${job[@]}" --count 3 --tensor-parallel 3 --format json
out_has "cannot be split over 3"

# What a card has no arithmetic for, and what nobody would wait for, are answers, not failures.
run 2 estimate training "${job[@]}" --arithmetic fp8
out_has "a100-sxm-80gb has no fp8 arithmetic"
run 2 estimate training "${job[@]}" --tokens 1000000000000000
out_has "the run would take"

# Options that are about requests say so.
run 1 run "$root/scenarios/lora-7b.json" --draws 20
err_has "--draws: is about requests, and this scenario serves none"
run 1 run "$root/scenarios/lora-7b.json" --set /workload/kind=trainig
err_has '/workload/kind: unknown kind of workload "trainig"; did you mean "training"?'

# A resolved training scenario gives the same figures.
run 0 run "$root/scenarios/lora-7b.json" --quiet --format csv
cp "$work/out" "$work/first.csv"
run 0 run "$root/scenarios/lora-7b.json" --dump-resolved
cp "$work/out" "$work/resolved.json"
run 0 run "$work/resolved.json" --quiet --format csv
cmp -s "$work/first.csv" "$work/out" || fail "$said: not what the scenario gives"

run 0 run "$root/scenarios/lora-13b.json" --quiet --dry-run
out_has "WHY NOT"

# Clusters: the same bytes twice, every job is accounted for, and faults in names are told.
cluster=$root/scenarios/philly-failures.json
run 0 run "$cluster" --quiet --format json
cp "$work/out" "$work/first"
for key in submitted finished queue_s offered_load gpu_hours useful lost makespan_s winners; do
  out_has "\"$key\""
done
run 0 run "$cluster" --quiet --format json
cmp -s "$work/first" "$work/out" || fail "$said: two runs differ"
run 0 run "$cluster" --quiet --dry-run
out_has "FAULT CLASSES"
run 0 run "$cluster" --dump-resolved
sed 's#"traces/#"'"$root"'/scenarios/traces/#' "$work/out" >"$work/resolved.json"
run 0 run "$work/resolved.json" --quiet --format csv
cp "$work/out" "$work/resolved.csv"
run 0 run "$cluster" --quiet --format csv
cmp -s "$work/resolved.csv" "$work/out" || fail "$said: its resolved form gives other figures"
run 0 run "$cluster" --quiet --out "$work/out.d" --requests
[ "$(wc -l <"$work/out.d/jobs.csv")" = 2629 ] || fail "$said: not one row for each of 3 x 876 jobs"
run 1 run "$cluster" --set /policies/0/rule=fiffo
err_has 'unknown rule of the queue "fiffo"; did you mean "fifo"?'
run 1 run "$cluster" --set /workload/models='{"bert": {"model": "bert-base"}}'
err_has 'the trace names deepspeech2, gpt2, inception3, resnet50, vgg16 without an entry here'
run 1 run "$cluster" --set /workload/trace/format=azure
err_has '/workload/trace/format'
run 1 run "$cluster" --set '/candidates/0/faults/0/mean_between="1 ns"'
err_has 'nothing works on nodes that fail within a minute'
run 1 run "$root/scenarios/million-jobs.json" --set /workload/generate/sigma=50 \
  --set /workload/generate/overestimate=-1
err_has '50 is not between 0 and 5'
err_has '-1 is not between 1 and 1000'
run 1 run "$cluster" --set /workload/trace/file=nowhere.csv
err_has 'nowhere.csv'
finish
