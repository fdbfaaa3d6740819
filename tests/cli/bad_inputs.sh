#!/usr/bin/env bash
# What goes wrong in practice, and what the program says: one line per problem with its place, the
# exit status, and nothing written. docs/bad-inputs.md lists the same cases with their whole output:
#   tests/cli/bad_inputs.sh PROGRAM            checks both
#   tests/cli/bad_inputs.sh PROGRAM --write    writes the list anew
source "$(dirname "$0")/lib.sh"
list=$(cd "$(dirname "$0")/../.." && pwd)/docs/bad-inputs.md
gpucap=$(realpath "$gpucap")
cd "$work" || exit 1
mkdir in && cd in || exit 1
listing=../listing.md

cat >rag.json <<'JSON'
{
  "format": "gpucap-scenario/1",
  "name": "rag",
  "seed": 7,
  "currency": "EUR",
  "workload": {
    "kind": "serving",
    "model": "llama-3.1-8b",
    "requests": 20,
    "prompt_tokens": 1500,
    "output_tokens": 100,
    "arrivals": { "kind": "poisson", "rate": "3/s" }
  },
  "slo": { "ttft_p95": "2 s" },
  "billing": { "fx": { "USD": "0.9605 EUR", "date": "2025-02-28", "source": "ECB" } },
  "engine": { "kind": "vllm-0.19", "max_num_seqs": 256 },
  "candidates": [
    { "name": "two", "node": { "gpu": "rtx-4090", "count": 2 }, "layout": { "replicas": 2 },
      "price": "0.80 EUR/h" },
    { "name": "one", "node": { "gpu": "a100-pcie-80gb" }, "price": "1.20 EUR/h" }
  ]
}
JSON
{
  echo "# Bad inputs and what the program says"
  echo
  echo "Written by \`tests/cli/bad_inputs.sh PROGRAM --write\`, which also tests every case. \`rag.json\` is"
  echo "the scenario below; \`x.json\` is the same with the lines shown. In every case nothing is written"
  echo "unless the exit status is 0 or 2."
  echo
  echo '```json'
  cat rag.json
  echo '```'
} >$listing

# told TITLE STATUS REGEX WORDS...: runs the program and enters the case into the list.
told() {
  local title=$1 status=$2 wanted=$3
  shift 3
  find . | sort >../before
  run "$status" "$@"
  [ "$status" != 1 ] || out_is_empty
  cat "$work/err" "$work/out" >../all
  grep -qE -- "$wanted" ../all || fail "$said: no line like \"$wanted\""
  # One line per problem, then the count: a line that is neither is noise.
  if [ "$status" = 1 ]; then
    sed '$d' "$work/err" | grep -vE '\[[a-z0-9-]+\]$' >../noise
    [ ! -s ../noise ] || fail "$said: a line without a code"
    find . | sort | cmp -s - ../before || fail "$said: something was written"
  fi
  {
    printf '\n## %s\n\n```text\n' "$title"
    [ -n "$changed" ] && printf '%s\n' "$changed"
    printf '$ gpucap'
    printf ' %q' "$@"
    printf '\n'
    grep -v 'nothing was run, nothing was written' "$work/err"
    printf '(exit %s)\n```\n' "$status"
  } >>$listing
  changed=""
}

# edit SED: x.json is rag.json, edited.
changed=""
edit() {
  sed "$1" rag.json >x.json
  changed=$(diff rag.json x.json | sed -n 's/^> */  x.json  /p')
}
scenario() {
  edit "$2"
  told "$1" 1 "$3" run x.json --quiet
}
node="--model llama-3.1-8b --gpu rtx-4090"
estimate() {
  local title=$1 wanted=$2
  shift 2
  # shellcheck disable=SC2086
  told "$title" 1 "$wanted" estimate serving $node "$@"
}
load=(--prompt-tokens 1500 --output-tokens 100 --request-rate 2)

# Names and keys.
scenario "Unknown key" 's/"seed"/"sead"/' '^x.json:4:11: /sead: unknown key "sead"; did you mean "seed"\? \[unknown-key\]$'
scenario "Unknown GPU" 's/rtx-4090/rtx-4900/' '^x.json:18:39: /candidates/0/node/gpu: unknown GPU "rtx-4900"; did you mean "rtx-4090"\? \[unknown-name\]$'
scenario "Unknown model" 's/llama-3.1-8b/llama-3.1-8c/' '/workload/model: unknown model "llama-3.1-8c"; did you mean "llama-3.1-8b"'
scenario "Unknown engine" 's/vllm-0.19/vllm-0.18/' '/engine/kind: unknown engine "vllm-0.18"; closest: .*vllm-0.19'
scenario "Misspelt limit" 's/ttft_p95/ttft_p59/' '/slo/ttft_p59: unknown limit "ttft_p59"; closest: .*ttft_p95'
scenario "Key that stands twice" 's/"seed": 7/"seed": 7, "seed": 8/' '^x.json:4:14: /seed: the key stands twice'
scenario "The same key, once with an escape" 's/"seed": 7/"seed": 7, "s\\u0065ed": 8/' '/seed: the key stands twice'
scenario "Two candidates of one name" 's/"one"/"two"/' '/candidates/1/name: two candidates are called "two"'
scenario "No candidates" '17,21d;16s/,$/, "candidates": []/' '/candidates: names no node to compare'
scenario "Missing format" '/"format"/d' '"format" is missing'
scenario "Newer format" 's#scenario/1#scenario/2#' '/format: unknown format "gpucap-scenario/2"'

# Numbers and units.
scenario "Wrong unit" 's#3/s#3 kg#' 'unknown unit "kg"; one of: /s, /min, /h'
scenario "A bare G" 's/"max_num_seqs": 256/"kv_cache_memory": "5 G"/' '/engine/kv_cache_memory: unknown unit "G"; write GB or GiB'
scenario "Negative rate" 's#3/s#-3/s#' '/workload/arrivals/rate: an arrival rate of -3/s is not above 0'
scenario "Rate without unit" 's#3/s#3#' '"3" has no unit; write for example "3/s"'
scenario "Rate as a number" 's#"3/s"#3#' '"3" has no unit; write for example "3/s"'
scenario "Rate so low that it never ends" 's#3/s#1e-300/s#' 'at this rate 20 requests take .* years'
scenario "Price without currency" 's#0.80 EUR/h#0.80/h#' '"0.80/h" has no currency; write for example "1.20 EUR/h"'
scenario "Price by the month" 's#0.80 EUR/h#500 EUR/month#' 'write for example "1.20 EUR/h"'
scenario "Price beyond counting" 's#0.80 EUR/h#1e300 EUR/h#' 'is more than any price'
scenario "Currencies without a rate" 's#"USD": "0.9605 EUR", ##;s#0.80 EUR#0.80 USD#' '/candidates/0/price: a price in USD cannot be shown in EUR; state a USD/EUR rate'
scenario "Currencies, and none to show" '/"currency"/d;/"billing"/d;s#0.80 EUR#0.80 USD#' '/candidates/1/price: a price in EUR cannot be shown in USD'
scenario "Utilization in per cent" 's/"max_num_seqs": 256/"gpu_memory_utilization": 90/' 'is a share, at most 1; for 90 % write 0.9'
scenario "Utilization as a text" 's/"max_num_seqs": 256/"gpu_memory_utilization": "90 %"/' 'for 90 % write 0.9'
scenario "No sequences" 's/"max_num_seqs": 256/"max_num_seqs": 0/' '/engine/max_num_seqs: 0 is too small; at least 1'
scenario "No replicas" 's/"replicas": 2/"replicas": 0/' '/candidates/0/layout/replicas: 0 is too small'
scenario "A replica of more cards than the host holds" 's/"count": 2/"count": 16/;s/"replicas": 2/"tensor_parallel": 16/' '16 rtx-4090 do not fit into host "pcie4-no-p2p", which holds 8'
scenario "A count beyond 32 bits" 's/"count": 2/"count": 4294967298/' 'is too large; at most 1024'
scenario "A count beyond 64 bits" 's/"requests": 20/"requests": 99999999999999999999/' 'must be a whole number, not 1e.20'
scenario "A number beyond every number" 's/"seed": 7/"seed": 1e400/' '^x.json:4:11: /seed: the number is larger'
scenario "Half a request" 's/"requests": 20/"requests": 20.5/' 'must be a whole number, not 20.5'
scenario "Numbers as texts" 's/"seed": 7/"seed": "7"/;s/"count": 2/"count": "2"/' '/candidates/0/node/count: must be a whole number, not the text "2"'
scenario "A date that is none" 's/"seed": 7/"seed": 7, "as_of": "yesterday"/' '/as_of: "yesterday" is no date such as'
scenario "A limit without unit" 's/"2 s"/"2"/' '/slo/ttft_p95: "2" has no unit'
scenario "A limit beyond the clock" 's/"2 s"/"1e300 s"/' 'longer than a hundred years'
scenario "Three mistakes at once" 's/"seed"/"sead"/;s/rtx-4090/rtx-4900/;s#3/s#3#' '^x.json:12:46: .*missing-unit'

# What cannot be together.
scenario "Prompt beyond the model's context" 's/: 1500/: 150000/' 'have 150100 tokens together, llama-3.1-8b takes 131072'
scenario "Request beyond every KV cache" 's/"max_num_seqs": 256/"kv_cache_tokens": 1024/' 'the largest KV cache of the candidates holds 1008'
scenario "An offer that is another card" 's#"price": "0.80 EUR/h"#"offer": "runpod/a100-pcie-80gb-x1-secure"#' 'this offer is 1x a100-pcie-80gb, not rtx-4090'
scenario "An offer and a price" 's#"price": "1.20 EUR/h"#"price": "1.20 EUR/h", "offer": "runpod/a100-pcie-80gb-x1-secure"#' 'there is an offer already; write one of the two'
scenario "Unknown offer" 's#"price": "1.20 EUR/h"#"offer": "runpod/a100-pcie-80gb-x1-secur"#' 'did you mean "runpod/a100-pcie-80gb-x1-secure"'

# Files.
told "No such file" 1 '^absent.json: there is no such file \[missing-file\]$' run absent.json
mkdir folder
told "A folder instead of a file" 1 '^folder: is a directory, not a file \[not-a-file\]$' run folder
: >empty.json
told "Empty file" 1 '^empty.json:1:1: the file is empty \[json-syntax\]$' run empty.json
head -c 300 rag.json >cut.json
told "Truncated JSON" 1 '^cut.json:[0-9]+:[0-9]+: the JSON ends too early' run cut.json
echo '[1, 2]' >array.json
told "A list instead of a scenario" 1 '^array.json:1:1: must be an object' run array.json
printf '{"a": 1,\n "b": 2,\n}\n' >comma.json
told "A comma too many" 1 '^comma.json:3:1: a comma stands before the closing bracket' run comma.json
printf '{\n // why\n}\n' >comment.json
told "A comment" 1 'comments are not part of JSON; use "notes"' run comment.json
printf '{"name": "a\nb"}\n' >quote.json
told "A text without closing quote" 1 'has no closing quote on this line' run quote.json
printf '\xff\xfe{\0' >utf16.json
told "UTF-16" 1 'is the file saved as UTF-8' run utf16.json
head -c 200000 /dev/zero | tr '\0' '[' >deep.json
told "Absurd nesting" 1 '^deep.json:1:101: lists and objects are nested too deep' run deep.json
echo '{"include": ["b.json"]}' >a.json
echo '{"include": ["a.json"]}' >b.json
run 1 run a.json # not in the list, because the message has whole paths
err_has 'b.json:1:13: /include: files include each other: '
err_has '/in/a.json -> '
echo '{"include": ["gone.json"]}' >includes.json
told "An included file that is not there" 1 '^includes.json:1:13: /include: gone.json: there is no such file' run includes.json

# Traces.
trace() { edit 's/"requests": 20,/"trace": { "file": "'"$1"'", "format": "'"$2"'" }/;/_tokens/d;/arrivals/d'; }
vidur="arrived_at,num_prefill_tokens,num_decode_tokens"
echo "$vidur" >empty.csv
trace empty.csv vidur
told "Empty trace" 1 'empty.csv:2:1: the trace has no rows \[empty-trace\]' run x.json
printf '%s\n0,10,1\nnan,20,2\n' "$vidur" >nan.csv
trace nan.csv vidur
told "Trace with a NaN" 1 'nan.csv:3:1: arrived_at: "nan" is not a number' run x.json --out results
printf '%s\n5,10,1\n4,20,2\n' "$vidur" >unsorted.csv
trace unsorted.csv vidur
told "Unsorted trace" 1 'unsorted.csv:3:1: arrived_at: the row arrives 1 s before the one above' run x.json
trace gone.csv vidur
told "Missing trace" 1 'x.json:9:24: /workload/trace/file: gone.csv: there is no such file' run x.json
trace nan.csv vidr
told "Misspelt trace format" 1 'unknown trace format "vidr"; did you mean "vidur"' run x.json
printf '{"timestamp":0,"input_length":48,"output_length":2,"hash_ids":[1,2]}\n' >blocks.jsonl
told "Trace blocks that no engine block divides" 1 'blocks of 24 tokens .* blocks of 16; one must divide' \
  estimate serving --model llama-3.1-8b --gpu rtx-4090 --trace blocks.jsonl --trace-format mooncake --trace-block-tokens 24
told "Wrong block size" 1 '2 block ids for 48 prompt tokens, but blocks of 16 tokens make' \
  estimate serving --model llama-3.1-8b --gpu rtx-4090 --trace blocks.jsonl --trace-format mooncake --trace-block-tokens 16

# Traces of training jobs.
inspect() {
  local title=$1 wanted=$2
  shift 2
  told "$title" 1 "$wanted" trace inspect "$@"
}
printf 'submit_s,gpus,duration_s\n0,four,60\n1,1\n2,1,-\n' >jobs.csv
inspect "Job trace with three bad rows" '^jobs.csv:3:1: 2 fields, but the header names 3' jobs.csv --trace-format gpucap-jobs
printf 'submit,gpus,duration_s\n0,1,60\n' >header.csv
inspect "Job trace with a misspelt column" 'submit_s: column is missing; is it the one called "submit"' header.csv --trace-format gpucap-jobs
printf 'submit_s,gpus,duration_s\n0,0,60\n1,1,0\n' >idle.csv
inspect "Job trace without any job" 'none of 2 rows is a job .*; no_gpus: 1; no_duration: 1 \[empty-trace\]' idle.csv --trace-format gpucap-jobs
printf '; Computer: x\n1 0 5 60 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n' >log.swf
inspect "SWF without a word on its processors" '^--gpus-per-processor: is needed' log.swf --trace-format swf
inspect "Pollux trace without its profiles" '^--profiles: is needed' jobs.csv --trace-format pollux
printf 'JobID|Submit|State\n1|2024-03-01T10:00:00|COMPLETED\n' >sacct.txt
inspect "sacct without GPUs and times" 'sacct.txt:1:1: AllocTRES: column is missing' sacct.txt --trace-format sacct
inspect "Request trace as jobs" 'id: column is missing' empty.csv --trace-format elasticflow
inspect "Option for the other kind of trace" '^--work: is about traces of jobs' nan.csv --trace-format vidur --work jobs.csv

# Options.
told "Misspelt command" 1 'unknown command "rum"; did you mean "run"' rum rag.json
told "Unknown option" 1 'unknown option "--dry"; did you mean "--dry-run"' run rag.json --dry
told "A setting that leads nowhere" 1 '--set: /workload/arivals/rate: there is no "arivals" at "/workload"; did you mean "arrivals"\?; keys there: arrivals, ' run rag.json --set /workload/arivals/rate=6/s
told "A setting beyond a list" 1 'the list at "/candidates" has 2 entries' run rag.json --set /candidates/2/name=x
told "A setting that is no pointer" 1 'is no JSON pointer' run rag.json --set '/a~2=1'
told "A setting without value" 1 'has no "="; write /pointer=VALUE' run rag.json --set /seed
told "A seed that is a word" 1 '^--seed: "x" is not a whole number' run rag.json --seed x
told "--requests without --out" 1 '^--requests: writes requests.csv, so it needs --out DIR' run rag.json --requests
told "--out is a file" 1 '^rag.json: is a file, not a folder \[unwritable-file\]$' run rag.json --out rag.json
told "--out below a file" 1 '^rag.json/a/b: cannot be made' run rag.json --out rag.json/a/b
told "Not UTF-8" 1 'is not UTF-8' run rag.json --set $'/name=\xff'
estimate "Trace without format" '^--trace-format: is needed with --trace' --trace nan.csv
estimate "Two ways to arrive" 'only one of --concurrency, --request-rate' "${load[@]}" --concurrency 4
estimate "No load" 'one of --concurrency, --request-rate' --prompt-tokens 10 --output-tokens 10
estimate "Trace option without trace" '^--rate-scale: is about a --trace' "${load[@]}" --rate-scale 2
estimate "Misspelt limit on the command line" '^--slo: unknown statistic "p59"' "${load[@]}" --slo 'ttft_p59<2s'
estimate "Offer and price on the command line" '^--price-per-hour: there is an --offer already' "${load[@]}" --offer x --price-per-hour 1EUR
estimate "Negative cache" '^--kv-cache-memory: must be above 0' "${load[@]}" --kv-cache-memory -5GiB
told "Nothing but mistakes" 1 '^--gpu: unknown GPU "y"' estimate serving --model x --gpu y --prompt-tokens 1 --output-tokens lognormal:mean=1 --request-rate q

# An answer, not a mistake: 2 when nothing is feasible.
edit 's/"replicas": 2/"tensor_parallel": 3/;s/"count": 2/"count": 3/;/"one"/d;/0.80 EUR/s/,$//'
told "Tensor parallel 3 of 32 heads" 2 '32 heads cannot be split over 3 cards' run x.json --format json
# shellcheck disable=SC2086
told "Does not fit" 2 'weights need' estimate serving --model llama-3.1-70b --gpu rtx-4090 "${load[@]}"
told "Does not fit, asked of memory" 2 'weights need' memory serving --model llama-3.1-70b --gpu rtx-4090
told "A length that the pool cannot hold" 2 'max_model_len' memory serving --model llama-3.1-8b --gpu rtx-4090 --max-model-len 100000
edit 's/: 1500/: 60000/'
told "A request larger than one candidate's pool" 0 'infeasible' run x.json --quiet

# Not mistakes at all.
printf '\xef\xbb\xbf' | cat - rag.json >bom.json
run 0 run bom.json --quiet
sed 's/"seed"/"sead"/' bom.json >x.json
run 1 run x.json
err_has 'x.json:4:11: /sead'
sed 's/$/\r/' rag.json >crlf.json
run 0 run crlf.json --quiet
edit 's/"two"/"=1+1"/;s/"one"/"<script>"/'
run 0 run x.json --quiet --format csv
out_has ",'=1+1,"
run 0 run x.json --quiet --format markdown
out_has '\<script\>'
for rate in 2 2/s 120/min; do
  # shellcheck disable=SC2086
  run 0 estimate serving $node --prompt-tokens 1500 --output-tokens 100 --requests 20 --request-rate $rate --format csv
  mv "$work/out" "../rate-${rate/\//-}"
done
cmp -s ../rate-2 ../rate-2-s && cmp -s ../rate-2 ../rate-120-min || fail "2, 2/s and 120/min differ"

if [ "${2:-}" = --write ]; then
  [ "$failures" = 0 ] && cp $listing "$list" && echo "wrote $list"
elif ! diff "$list" $listing >"$work/out"; then
  said="docs/bad-inputs.md"
  : >"$work/err"
  fail "$said is not what the program says; run tests/cli/bad_inputs.sh PROGRAM --write"
fi
finish
