#!/usr/bin/env bash
# Other people's logs to a calibration: what is printed and written, and what wrong, truncated and
# impossible logs get: one line per problem, exit 1, nothing written.
source "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# log FILE RATE DURATION TPOT: 64 requests of 512 and 64 tokens on an RTX 4090; 4,096 answer tokens
# in DURATION seconds.
log() {
  awk -v rate="$2" -v s="$3" -v tpot="$4" 'BEGIN {
    print "{"
    print "  \"date\": \"20250610-163304\","
    print "  \"model_id\": \"meta-llama/Meta-Llama-3-8B-Instruct\","
    print "  \"num_prompts\": 64,"
    printf "  \"request_rate\": %s,\n", rate
    print "  \"max_concurrency\": null,"
    printf "  \"duration\": %.4f,\n", s
    print "  \"completed\": 64,"
    print "  \"total_input_tokens\": 32768,"
    print "  \"total_output_tokens\": 4096,"
    printf "  \"output_throughput\": %.4f,\n", 4096 / s
    print "  \"mean_ttft_ms\": 75.0,"
    print "  \"median_ttft_ms\": 72.0,"
    print "  \"p99_ttft_ms\": 140.0,"
    printf "  \"mean_tpot_ms\": %.2f,\n", tpot
    printf "  \"median_tpot_ms\": %.2f,\n", tpot
    printf "  \"p99_tpot_ms\": %.2f\n", tpot * 1.2
    print "}"
  }' >"$1"
}
log slow.json 1 66 20.4
log fast.json 4 18 24.5
card=(--gpu rtx-4090 --engine vllm-0.8.5)

run 0 fit --from vllm-bench slow.json fast.json "${card[@]}" --out mine.json
grep -qE '^eb +0\.9712 .* yes ' out || fail "$said: eb is not identified"
grep -qE '^gap .* no ' out || fail "$said: gap is identified"
grep -qE '^slow.json +tpot +p50 +20.4 ' out || fail "$said: no errors of slow.json"
err_has 'note: model "meta-llama/Meta-Llama-3-8B-Instruct" is taken as llama-3-8b'
err_has 'not sought: floor_per_layer'
err_has 'written: mine.json'
for key in '"format": "gpucap-calibration/1"' '"card": "rtx-4090"' '"date": "2025-06-10"' \
  '"method": "vllm-bench logs"' '"gemm": {' '"decode": {' 'by 2 runs of llama-3-8b with vllm-0.8.5'; do
  grep -qF -- "$key" mine.json || fail "$said: the file lacks $key"
done
# Estimates take the file: eb is lower, so a token takes longer.
tpot() { "$gpucap" estimate serving --model llama-3-8b --gpu rtx-4090 "$@" --prompt-tokens 512 \
  --output-tokens 64 --requests 1 --concurrency 1 --format json --quiet | sed -n '/"tpot_s"/,/mean/s/.*"mean": \([0-9.]*\),/\1/p'; }
shipped=$(tpot --engine vllm-0.8.5)
refitted=$(tpot --engine vllm-0.8.5 --calibration mine.json)
awk "BEGIN { exit !($refitted > 1.02 * $shipped && $refitted < 1.2 * $shipped) }" ||
  fail "$said: TPOT $shipped and with the file $refitted"
# The same logs give the same bytes.
cp mine.json first.json
run 0 fit --from vllm-bench slow.json fast.json "${card[@]}" --out mine.json --quiet
cmp -s mine.json first.json || fail "$said: another file than the first time"
err_is_empty

# bad WANTED WORDS...: exit 1, that line, nothing written.
bad() {
  local wanted=$1
  shift
  run 1 fit --from "$@" --out bad.json
  out_is_empty
  err_has "$wanted"
  [ ! -e bad.json ] || fail "$said: wrote a file"
}
# vllm LINE WANTED SED: slow.json changed by the sed script is refused at that line.
vllm() {
  sed "$2" slow.json >x.json
  bad "$1" vllm-bench x.json "${card[@]}"
}

bad 'from: unknown' vllm slow.json "${card[@]}"
bad 'engine: is missing: such logs do not name' vllm-bench slow.json --gpu rtx-4090
bad 'gpu: is missing [missing-option]' vllm-bench slow.json --engine vllm-0.8.5
bad 'unknown engine "vllm-0.8.4"' vllm-bench slow.json --gpu rtx-4090 --engine vllm-0.8.4
bad 'unknown GPU "rtx-4900"; did you mean "rtx-4090"?' vllm-bench slow.json --gpu rtx-4900 --engine vllm-0.8.5
bad 'there is no such file' vllm-bench none.json "${card[@]}"

: >empty.json
bad 'empty.json: is empty [empty-file]' vllm-bench empty.json "${card[@]}"
echo '<!DOCTYPE html><html>404</html>' >page.json
bad 'page.json:1:1: is a web page, not a log' vllm-bench page.json "${card[@]}"
head -8 slow.json >cut.json
bad 'cut.json:' vllm-bench cut.json "${card[@]}"
grep -qE '^cut.json:[0-9]+:[0-9]+: .*\[json-syntax\]' err || fail "$said: no place"
echo 'INFO 06-10 16:33:04 server started' >other.log
bad 'other.log: holds neither JSON nor a block "Serving Benchmark Result" [wrong-format]' \
  vllm-bench other.log "${card[@]}"
vllm 'x.json:1:1: /total_output_tokens: is missing; vllm bench serve --save-result writes it [missing-key]' \
  '/total_output/d'
vllm 'x.json:7:15: /duration: must be a number [wrong-type]' 's/"duration": .*/"duration": "fast",/'
vllm 'x.json:15:19: /mean_tpot_ms: NaN is no measured value [not-a-number]' 's/"mean_tpot_ms": .*/"mean_tpot_ms": NaN,/'
vllm 'x.json:12:19: /mean_ttft_ms: is -75; no run measures less than zero [out-of-range]' 's/75\.0/-75.0/'
vllm 'x.json:8:16: /completed: no request was completed: nothing was measured [empty-run]' 's/"completed": 64/"completed": 0/'
vllm 'x.json:8:16: /completed: 65 requests completed of 64 sent [contradiction]' 's/"completed": 64/"completed": 65/'
vllm 'x.json:11:24: /output_throughput: is 100 out tok/s, but 4096 output tokens in 66 s are 62.061: 61 % apart [contradiction]' \
  's/"output_throughput": .*/"output_throughput": 100,/'
vllm 'x.json:14:18: /p99_ttft_ms: the 99th percentile, 70 ms, is below the median, 72 ms [contradiction]' 's/140\.0/70.0/'
vllm 'x.json:16:21: /median_tpot_ms: 3 ms per token, but reading llama-3-8b as bf16 once at the full 1008 GB/s of rtx-4090 takes' \
  's/"median_tpot_ms": .*/"median_tpot_ms": 3.0,/'
vllm 'tokens per second, but the peak of 1 x rtx-4090 is' \
  's/"duration": .*/"duration": 1.0,/;s/"output_throughput": .*/"output_throughput": 4096.0,/'
vllm 'x.json:3:15: /model_id: unknown model "acme/wonder-8b"; --model names one that is known' \
  's|meta-llama/Meta-Llama-3-8B-Instruct|acme/wonder-8b|'
vllm 'the log does not say how requests arrived; --request-rate R or inf does [missing-option]' '/request_rate/d'
bad 'this engine could not have started' vllm-bench slow.json --gpu rtx-4090 --engine vllm-0.8.5 --model llama-3-70b
vllm 'burstiness: 0 is no burstiness between' 's/"completed": 64,/"completed": 64, "burstiness": 0,/'
cp slow.json again.json
bad 'is the same run as slow.json: a run counts once [repeated-run]' vllm-bench slow.json again.json "${card[@]}"
run 0 fit --from vllm-bench fast.json slow.json "${card[@]}" --out order.json --quiet
cmp -s order.json mine.json || fail "$said: the order of the files changes the file"
sed 's|Meta-Llama-3-8B-Instruct|Llama-3.1-8B-Instruct|' slow.json >mixed.json
bad 'mixed.json:3:15: /model_id: "meta-llama/Llama-3.1-8B-Instruct", but slow.json is a run of "meta-llama/Meta-Llama-3-8B-Instruct"; fit one model a call [mixed-models]' \
  vllm-bench slow.json mixed.json "${card[@]}"
# All problems of all files at once.
bad 'empty.json: is empty' vllm-bench empty.json page.json "${card[@]}"
err_has 'page.json:1:1: is a web page'

# Console text: the same figures, found inside a longer log.
block() {
  cat <<'TEXT'
============ Serving Benchmark Result ============
Successful requests:                     64
Benchmark duration (s):                  66.00
Total input tokens:                      32768
Total generated tokens:                  4096
Request throughput (req/s):              0.97
Output token throughput (tok/s):         62.06
---------------Time to First Token----------------
Mean TTFT (ms):                          75.00
Median TTFT (ms):                        72.00
P99 TTFT (ms):                           140.00
-----Time per Output Token (excl. 1st token)------
Mean TPOT (ms):                          20.40
Median TPOT (ms):                        20.40
P99 TPOT (ms):                           24.48
==================================================
TEXT
}
{
  echo "INFO: server is up"
  echo "Traffic request rate: 1.0"
  block
  echo "done"
} >console.log
run 0 fit --from vllm-bench console.log "${card[@]}" --model llama-3-8b --out text.json
grep -qE '^console.log #1 +tpot +p50 +20.4 ' out || fail "$said: no errors of the block"
bad 'console.log:3:1: the log does not name its model; --model does' vllm-bench console.log "${card[@]}"
block >bare.log
bad 'bare.log:1:1: the log does not say how requests arrived' vllm-bench bare.log "${card[@]}" --model llama-3-8b
run 0 fit --from vllm-bench bare.log "${card[@]}" --model llama-3-8b --request-rate 1 --out text.json
block | sed '$d' >open.log
bad 'open.log:1:1: this result block is cut off: no line of = ends it [truncated]' vllm-bench open.log "${card[@]}"
block | sed 's/20.40/nan/' >nan.log
bad 'nan.log:13:42: Mean TPOT (ms): "nan" is no measured value [not-a-number]' vllm-bench nan.log "${card[@]}"
block | sed '/generated/d' >less.log
bad 'less.log:1:1: this result block has no line "total generated tokens" [missing-key]' vllm-bench less.log "${card[@]}"

# llama-bench: 512 tokens of prompt in 75 ms, 128 of an answer at 8.0 ms each.
test_of() {  # N_PROMPT N_GEN NS RATE
  printf '  {\n    "build_commit": "8cf427ff",\n    "gpu_info": "NVIDIA GeForce RTX 4090",\n'
  printf '    "backends": "CUDA",\n    "model_filename": "models/Meta-Llama-3-8B-Instruct-Q4_K_M.gguf",\n'
  printf '    "model_type": "llama 8B Q4_K - Medium",\n    "model_n_params": 8030261248,\n'
  printf '    "n_ubatch": 512,\n    "type_k": "f16",\n    "n_gpu_layers": 99,\n'
  printf '    "n_prompt": %s,\n    "n_gen": %s,\n    "test_time": "2025-04-24T11:58:50Z",\n' "$1" "$2"
  printf '    "avg_ns": %s,\n    "stddev_ns": 1000,\n    "avg_ts": %s,\n' "$3" "$4"
  printf '    "samples_ns": [%s, %s]\n  }' "$3" "$3"
}
{
  echo "["
  test_of 512 0 75000000 6826.67
  echo ","
  test_of 0 128 1024000000 125.0
  echo
  echo "]"
} >llama.json
run 0 fit --from llama-bench llama.json --gpu rtx-4090 --out llama-fit.json
grep -qE '^ec .* yes ' out || fail "$said: ec is not identified"
grep -qE '^eb .* yes ' out || fail "$said: eb is not identified"
grep -qF '"gguf": {' llama-fit.json || fail "$said: no part for such products"
grep -qF '"date": "2025-04-24"' llama-fit.json || fail "$said: no day"
err_has 'not sought: host times'
gguf=(--engine llama-cpp --weight-dtype q4_k_m)
[ "$(tpot "${gguf[@]}")" != "$(tpot "${gguf[@]}" --calibration llama-fit.json)" ] || fail "$said: no effect"
# llama WANTED SED: llama.json changed by the sed script is refused with that line.
llama() {
  sed "$2" llama.json >y.json
  bad "$1" llama-bench y.json --gpu rtx-4090
}
llama 'y.json:4:17: /0/gpu_info: ran on "NVIDIA GeForce RTX 3090", but --gpu is rtx-4090 [other-card]' 's/RTX 4090/RTX 3090/'
llama 'y.json:4:17: /0/gpu_info: ran on "NVIDIA GeForce RTX 4090 Laptop GPU"' 's/RTX 4090/RTX 4090 Laptop GPU/'
llama '/0/backends: "BLAS": this test did not run on the GPU [wrong-device]' 's/"CUDA"/"BLAS"/'
llama '/0/n_gpu_layers: 20 of 32 layers ran on the card, the others on the processor [wrong-device]' 's/: 99/: 20/'
llama '/0/model_n_params: the model of the log has 7e+09 parameters, llama-3-8b has 8.03e+09 [other-model]' 's/8030261248/7000000000/'
llama '/0/model_filename: unknown model "wonder"' 's/Meta-Llama-3-8B-Instruct/wonder/'
llama '/0/model_type: weights in a format that is not known here; --weight-dtype says which' 's/Q4_K - Medium/IQ3_XXS/;s/Q4_K_M/IQ3_XXS/'
llama '/1/avg_ts: is 250 tokens per second, but 128 in 1.024 s are 125: 1e+02 % apart [contradiction]' 's/125\.0/250.0/'
llama '/1/avg_ns: is 1.024e+09 ns, but the mean of samples_ns is 2e+09 [contradiction]' 's/\[1024000000, 1024000000\]/[2000000000, 2000000000]/'
llama '/1/avg_ns: 2 ms per token, but reading llama-3-8b as q4_k_m once at the full 1008 GB/s of rtx-4090' \
  's/1024000000/256000000/g;s/125\.0/500.0/'
llama '/0: 5.13e+05 tokens per second, but the peak of 1 x rtx-4090' 's/75000000/1000000/g;s/6826.67/512000/'
llama '/0/avg_ns: must be above zero [out-of-range]' 's/"avg_ns": 75000000/"avg_ns": 0/'
llama '/0/n_gen: is missing; llama-bench -o json writes it [missing-key]' '/"n_gen": 0/d'
bad 'slow.json:1:1: must be a list of tests, as llama-bench -o json writes it [wrong-format]' llama-bench slow.json --gpu rtx-4090

# nvidia-smi: 40 s idle at 60 W, 120 s busy at 330 W, every second; the busy card reads at 0.9 of its
# bandwidth and computes at 0.05 of its peak: 330 / 450 - 0.05 x 0.8 - 0.9 x 0.35 = 0.378.
power() {  # HEADER UNIT
  awk -v header="$1" -v unit="$2" 'BEGIN {
    if (header) print "timestamp, index, name, power.draw" (unit ? " [W]" : " [W]") ", clocks.sm [MHz]"
    for (i = 0; i < 160; i++) {
      watts = i < 40 ? 60 : 330 + (i % 3 - 1)
      printf "2025/06/10 16:%02d:%02d.%03d, 0, NVIDIA GeForce RTX 4090, %.2f%s, 2520%s\n", 30 + int(i / 60), i % 60, i % 7, watts, unit ? " W" : "", unit ? " MHz" : ""
    }
  }'
}
load=(--gpu rtx-4090 --load-compute 0.05 --load-memory 0.9)
power 1 1 >power.csv
run 0 fit --from nvidia-smi power.csv "${load[@]}" --out power.json
grep -qE '^active_floor +0.34 +0.38 +of TDP .* yes' out || fail "$said: active floor"
grep -qE '^compute .* no: one load cannot tell it' out || fail "$said: compute"
grep -qE '^idle +73.0 +60.0 +W ' out || fail "$said: idle"
grep -qF '"active_floor": 0.378' power.json || fail "$said: floor in the file"
grep -qF '"date": "2025-06-10"' power.json || fail "$said: no day"
run 0 estimate serving --model llama-3-8b --gpu rtx-4090 --calibration power.json --prompt-tokens 512 \
  --output-tokens 64 --requests 1 --concurrency 1
power 0 1 >bare.csv
run 0 fit --from nvidia-smi bare.csv "${load[@]}" --out power.json
power 1 0 >plain.csv
run 0 fit --from nvidia-smi plain.csv "${load[@]}" --out power.json
# smi WANTED SED: power.csv changed by the sed script is refused with that line.
smi() {
  sed "$2" power.csv >z.csv
  bad "$1" nvidia-smi z.csv "${load[@]}"
}
power 0 0 >blind.csv
bad 'blind.csv:1:1: power.draw: no cell looks like it; a log without header needs its units' nvidia-smi blind.csv "${load[@]}"
bad 'load-memory: is missing: a log has watts only' nvidia-smi power.csv --gpu rtx-4090 --load-compute 0.1
bad 'load-compute: must be a share between 0 and 1' nvidia-smi power.csv --gpu rtx-4090 --load-compute 5 --load-memory 0.9
bad 'empty.json: is empty [empty-file]' nvidia-smi empty.json "${load[@]}"
smi 'z.csv:1:1: power.draw: column is missing; query it [missing-column]' '1s/power.draw/power.limit/'
smi 'z.csv:101:54: power.draw: "fast" is no power [not-a-number]' '101s/3[0-9.]* W/fast/'
smi 'z.csv:101:1: power.draw: 600 W is above 1.2 times the 450 W of rtx-4090; 1 lines are [impossible]' '101s/3[23][0-9.]* W/600 W/'
smi 'z.csv:161:1: 2 cells, but the first line has 5: cut off? [field-count]' '161s/, NVIDIA.*//'
smi 'z.csv:50:1: timestamp: is earlier than the line before it [time-runs-back]' '50s/16:30/15:30/'
smi 'z.csv:50:1: timestamp: "yesterday" is no time such as 2025/06/10 16:33:04.123 [wrong-date]' '50s/^[^,]*/yesterday/'
smi 'name: is of "NVIDIA GeForce RTX 3090", but --gpu is rtx-4090 [other-card]' 's/4090/3090/'
smi 'no line has a figure, 160 say that there is none' 's/[0-9.]* W,/[N\/A],/'
smi 'power.draw: 8 samples in a steady state are too few: at least 30 [too-few-samples]' '52,$d'
bad 'the stated load cannot be that of the log [impossible]' nvidia-smi power.csv --gpu rtx-4090 --load-compute 0.9 --load-memory 0.9
smi 'the log holds 2 cards, 0, 1; --gpu-index says which [ambiguous]' '3~2s/, 0, NVIDIA/, 1, NVIDIA/'
run 0 fit --from nvidia-smi z.csv "${load[@]}" --gpu-index 1 --out power.json
smi_na=$(sed '60s/3[0-9.]* W/[N\/A]/' power.csv)
echo "$smi_na" >na.csv
run 0 fit --from nvidia-smi na.csv "${load[@]}" --out power.json
err_has 'note: 1 lines without a figure were left out'
finish
