#!/usr/bin/env bash
# From the processor at hand to a calibration, and what a card's file changes in a run.
source "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

run 1 calibrate --device gpu
err_has '"gpu" is no device; write cpu or cuda:0'
run 1 calibrate --device cuda:0 --threads 2
err_has '--threads: is about --device cpu'
run 1 calibrate --device cpu --time-limit 0.1s
err_has '--time-limit: is less than a second'
run 1 calibrate --device cuda:0 --selftest
err_has 'runs on the processor'

# A card that is not there is told, and what can be done without one.
if ! command -v nvidia-smi >/dev/null; then
  run 1 calibrate --device cuda:0 --out nothing.json
  out_is_empty
  err_has '--device cpu measures'
  [ ! -e nothing.json ] || fail "$said: wrote a file"
fi

# A run that its limit ends is a whole file.
run 0 calibrate --device cpu --threads 1 --time-limit 3s --out samples.json
out_has gemm
err_has 'Ended by the time limit'
grep -qF '"format": "gpucap-samples/1"' samples.json || fail "$said: no samples file"

# Ctrl-C too: what was measured is kept.
"$gpucap" calibrate --device cpu --threads 1 --time-limit 60s --out cut.json >out 2>err &
pid=$!
sleep 3
kill -INT $pid
wait $pid
status=$?
said="gpucap calibrate, interrupted"
[ $status = 0 ] || fail "$said: exit $status"
grep -qF '"ended_by": "interrupt"' cut.json || fail "$said: the file does not say so"

run 1 fit samples.json --plan none.json
err_has '--plan: is about tables'
err_has '--out: is missing'
run 1 fit samples.json --what gem --out cal.json
err_has 'did you mean "gemm"?'
head -c 300 samples.json >half.json
run 1 fit half.json --out cal.json
err_has 'half.json:'
[ ! -e cal.json ] || fail "$said: wrote a file"

# A calibration of a card: a run takes it, says so, and answers otherwise than without it.
cat >own.json <<'JSON'
{"format": "gpucap-calibration/1", "card": "rtx-4090",
 "fitted_with": {"peak": "165.2 TFLOP/s", "bandwidth": "1008 GB/s"},
 "measured_on": {"name": "NVIDIA GeForce RTX 4090", "driver": "580.1", "date": "2020-01-01", "method": "gpucap calibrate"},
 "gemm": {"ec": 0.5, "eb": 0.4, "t0": "9 us", "exposed_arithmetic": 0.1, "exposed_traffic": 0.2, "edge_loss": 3, "fill_k": 4, "source": "test"},
 "engine": {"id": "vllm-0.19", "gap": "9 ms", "gap_per_sequence": "0 us", "floor_per_layer": "0 us", "per_sequence": "0 us", "front_end": "0 ms", "source": "test"}}
JSON
sed 's/"ec": 0.5/"ec": 1e-9/' own.json >other.json
run 1 memory serving --model llama-3.1-8b --gpu rtx-4090 --calibration other.json
err_has '/gemm/ec: must be at least 0.0001 of the nominal figure'
run 1 fit samples.json --out samples.json
err_has '--out: is the samples file: it would be lost'
load=(--model llama-3.1-8b --prompt-tokens 200 --output-tokens 50 --requests 20 --concurrency 4)
run 0 estimate serving "${load[@]}" --gpu rtx-4090 --offer hivenet/rtx-4090-x1 --format json
cp out without
run 0 estimate serving "${load[@]}" --gpu rtx-4090 --offer hivenet/rtx-4090-x1 --calibration own.json --format json
cmp -s out without && fail "$said: changes nothing"
out_has '"own.json"'
err_has 'calibrated by own.json: NVIDIA GeForce RTX 4090, gpucap calibrate, driver 580.1, 2020-01-01,'
err_has 'days before'
run 0 estimate serving "${load[@]}" --gpu rtx-4090 --engine vllm-0.11 --calibration own.json
err_has 'own.json was made with vllm-0.19, not vllm-0.11'
run 0 estimate serving "${load[@]}" --gpu l40s --calibration own.json
err_has 'own.json is of rtx-4090, which no candidate has: it changes nothing'
run 1 estimate serving "${load[@]}" --gpu rtx-4090 --calibration nowhere.json
err_has 'nowhere.json'
sed 's/"rtx-4090"/"rtx-4900"/' own.json >other.json
run 1 estimate serving "${load[@]}" --gpu rtx-4090 --calibration other.json
err_has '/card: unknown GPU "rtx-4900"'
sed 's/vllm-0.19/vllm-9/' own.json >other.json
run 1 estimate serving "${load[@]}" --gpu rtx-4090 --calibration other.json
err_has 'is of engine "vllm-9", which is not known'
finish
