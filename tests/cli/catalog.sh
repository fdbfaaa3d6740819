#!/usr/bin/env bash
# What is known can be listed and shown in every format.
source "$(dirname "$0")/lib.sh"

run 0 gpus list
out_has rtx-4090
err_has "gpucap gpus show GPU"
run 0 gpus list --quiet
err_is_empty

run 0 gpus list --format csv
[ "$(head -c 4 "$work/out")" = "gpu," ] || fail "$said: no header row"
grep -q $'^rtx-4090,Ada,pcie,.*,1008,165.2,450,,no\r$' "$work/out" || fail "$said: the row of rtx-4090"

run 0 gpus list --format markdown
out_has "| --- |"

# Every figure has its source; an absent one (no NVLink) is null, not 0.
run 0 gpus show RTX-4090 --format json
flat=$(tr -d ' \n' <"$work/out")
[[ $flat == '{"gpu":'* ]] || fail "$said: the id does not come first"
[[ $flat == *'"tdp_w":{"value":450.0,"kind":"source","source":"'[^\"]* ]] || fail "$said: the TDP"
[[ $flat == *'"nvlink_gb_per_s":{"value":null,'* ]] || fail "$said: NVLink is not null"
run 0 gpus show h100-sxm --format json
out_has '"value": "h100-sxm-80gb"'

# 8.03e9 published parameters; 2 x 32 layers x 8 heads x 128 x 2 B = 131072 B a token.
run 0 models list --format csv
grep -q $'^llama-3.1-8b,8.03.*,131072,131072\r$' "$work/out" || fail "$said: llama-3.1-8b"
run 0 models show llama-3.1-8b --format csv
out_has "kv_bytes_per_token,131072"
cat >"$work/config.json" <<'JSON'
{"architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "intermediate_size": 14336,
 "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
 "vocab_size": 128256, "max_position_embeddings": 8192, "torch_dtype": "bfloat16"}
JSON
run 0 models import "$work/config.json" --format csv
out_has "kv_bytes_per_token,131072"
out_has "assumed_1,"
run 0 models show resnet-50 --format csv
out_has "parameters,25557032"
out_has "gflop_per_image,8.17"
run 0 models show bge-m3 --format csv
out_has "encoder,true"
run 1 models show llama-3.1-8c
err_has 'did you mean "llama-3.1-8b"?'
run 1 models import "$work/absent.json"
err_has "absent.json: "

run 0 engines list
out_has vllm-0.19
run 0 engines show vllm-0.19 --format csv
out_has scheduling.block_tokens,16,
run 1 engines show vllm-0.18
err_has 'unknown engine "vllm-0.18"'

run 0 hosts list
run 0 hosts show pcie4-no-p2p
out_has pcie_through_host

run 0 offers list --format csv
# Offers come first and are no quoted fields; prices are above 0.
[ -z "$(cut -d, -f1 "$work/out" | sort | uniq -d)" ] || fail "$said: an offer is listed twice"
column=$(head -1 "$work/out" | tr ',' '\n' | grep -nx price_per_node_hour | cut -d: -f1)
cut -d, -f"$column" "$work/out" | sed 1d >"$work/prices"
[ -s "$work/prices" ] && ! grep -vE '^[0-9]*\.?[0-9]*[1-9][0-9]*(\.[0-9]+)?$' "$work/prices" >&2 ||
  fail "$said: a price that is not above 0"
offer=$(sed -n '2s/,.*//p' "$work/out")
run 0 offers show "$offer"
out_has price_per_node_hour
run 0 offers list --gpu rtx-4090 --count 1..2 --format csv
cut -d, -f3,4 "$work/out" | sed 1d | grep -vxE 'rtx-4090,[12]' >"$work/wrong"
[ ! -s "$work/wrong" ] || fail "$said: other cards or counts"
run 0 offers list --gpu rtx-4090 --count 777 --format json
[ "$(cat "$work/out")" = "[]" ] || fail "$said: not an empty list"

# Gaps of 1 s and 1 s: 1 request a second of span, no variation.
printf 'arrived_at,num_prefill_tokens,num_decode_tokens\n0,10,1\n1,20,2\n2,30,3\n' >"$work/trace.csv"
run 0 trace inspect "$work/trace.csv" --trace-format vidur --format csv
out_has requests,3
out_has mean_rate_per_s,1
out_has prompt_tokens_sum,60
out_has gap_variation,0
run 1 trace inspect "$work/trace.csv"
err_has '--trace-format: is missing; a format is never guessed'
run 1 trace inspect "$work/trace.csv" --trace-format vidr
err_has 'did you mean "vidur"?'
# Jobs: 4 x 100 s and 0.5 x 200 s in the 50 s between their submits.
printf 'submit_s,gpus,duration_s\n0,4,100\n50,0.5,200\n50,0,9\n' >"$work/jobs.csv"
run 0 trace inspect "$work/jobs.csv" --trace-format gpucap-jobs --format csv
out_has jobs,2
out_has dropped_no_gpus,1
out_has mean_gpus_without_waiting,10
out_has jobs_of_0.5_gpus,1
run 1 trace inspect "$work/jobs.csv" --trace-format gpucap-jobs --trace-block-tokens 16
err_has '--trace-block-tokens: is about traces of requests'
run 1 trace inspect "$work/trace.csv" --trace-format vidur --profiles x --work y --gpus-per-processor 1
err_has '--gpus-per-processor: is about traces of jobs'
run 1 trace inspect "$work/jobs.csv" --trace-format sacctt
err_has 'did you mean "sacct"?'
# A convolution net is listed and shown; asked to serve it says why not.
run 0 models show resnet-50
run 1 memory serving --model resnet-50 --gpu l40s
err_has "resnet-50 is a convolution net"

finish
