#!/usr/bin/env bash
# Every option of the command line contract exists under its name, and no other output than asked.
source "$(dirname "$0")/lib.sh"

"$gpucap" help run >"$work/run" ; "$gpucap" help estimate serving >"$work/estimate"
"$gpucap" help memory serving >"$work/memory"
has() {
  local page=$1 option
  shift
  for option; do
    grep -q -- "^  --$option\b" "$work/$page" || { said="help of $page"; fail "no --$option"; }
  done
}
: >"$work/out"; : >"$work/err"
has run out set seed draws format requests dry-run dump-resolved check-laws strict
node=(model gpu count host tensor-parallel pipeline-parallel replicas prompt-tokens output-tokens
  requests concurrency request-rate all-at-once trace trace-format trace-block-tokens rate-scale
  engine max-num-seqs max-num-batched-tokens gpu-memory-utilization max-model-len weight-dtype
  kv-dtype kv-cache-tokens kv-cache-memory prefix-caching router slo offer price-per-hour spec-only
  reference seed format shared-prefix prefix-groups)
has estimate draws "${node[@]}"
has memory "${node[@]}"

cat >"$work/s.json" <<'JSON'
{"format": "gpucap-scenario/1", "name": "s", "workload": {"kind": "serving",
 "model": "llama-3.1-8b", "requests": 50, "prompt_tokens": 100, "output_tokens": 10,
 "arrivals": {"kind": "poisson", "rate": "3/s"}},
 "candidates": [{"name": "one", "node": {"gpu": "rtx-4090"}, "price": "0.40 EUR/h"}]}
JSON
# The files of --out, whole and under their names, also when the reader of the table goes away.
"$gpucap" run "$work/s.json" --requests --out "$work/a/b" --quiet | head -1 >"$work/out"
[ "$(ls "$work/a/b" | tr '\n' ' ')" = "costs.csv requests.csv summary.csv summary.json timeline.csv " ] ||
  fail "files of --out: $(ls "$work/a/b")"
[ "$(wc -l <"$work/a/b/requests.csv")" = 51 ] || fail "requests.csv: not a row per request"
run 0 run "$work/s.json" --quiet --format json
cmp -s "$work/out" "$work/a/b/summary.json" || fail "summary.json is not what --format json prints"
run 0 run "$work/s.json" --quiet --seed 8 --format json
cmp -s "$work/out" "$work/a/b/summary.json" && fail "--seed changes nothing"

# Draws: intervals appear, the other figures stay, and the same seed gives the same bytes.
run 0 run "$work/s.json" --quiet --draws 10 --out "$work/drawn"
out_has "one in 100 % of 10 draws"
head -1 "$work/drawn/intervals.csv" | grep -q '^load,candidate,figure,low,high,draws' ||
  fail "no intervals.csv"
cmp -s "$work/drawn/summary.csv" "$work/a/b/summary.csv" || fail "draws change the summary"
run 0 run "$work/s.json" --quiet --draws 10 --format json
cmp -s "$work/out" "$work/drawn/summary.json" || fail "the same draws give other bytes"
run 1 run "$work/s.json" --draws 3
err_has "3 draws have no middle 80 %: at least 10"
run 1 run "$work/s.json" --draws 1000000000000
err_has "at most 100000 draws"

# The same bytes in every locale and without colours.
cp "$work/a/b/summary.csv" "$work/plain"
for setting in LC_ALL=de_DE.UTF-8 LANG=de_DE NO_COLOR=1 TERM=dumb LC_ALL=C; do
  env "$setting" "$gpucap" run "$work/s.json" --quiet --format csv >"$work/out"
  said="$setting"
  cmp -s "$work/out" "$work/plain" || fail "other bytes"
done
for command in "run $work/s.json" "estimate serving --model llama-3.1-8b --gpu rtx-4090 \
  --prompt-tokens 100 --output-tokens 10 --requests 9 --all-at-once" \
  "memory serving --model llama-3.1-8b --gpu rtx-4090"; do
  for form in table csv json markdown; do
    # shellcheck disable=SC2086
    run 0 $command --quiet --format $form
    err_is_empty
    [ -z "$(tail -c 1 "$work/out")" ] || fail "$said: no line break at the end"
    grep -q $'\x1b' "$work/out" && fail "$said: escape codes"
  done
done
if [ -w /dev/full ]; then
  "$gpucap" run "$work/s.json" --quiet >/dev/full 2>"$work/err"
  [ $? = 3 ] || fail "run >/dev/full: not status 3"
fi

# A prompt that is all prefix is cached after the first request: 9 of 10 requests hit 31 of 32 blocks.
prefix=(estimate serving --model llama-3.1-8b --gpu rtx-4090 --prompt-tokens 512 --output-tokens 2
  --requests 10 --concurrency 1 --shared-prefix 512 --format csv)
run 0 "${prefix[@]}"
column=$(head -1 "$work/out" | tr -d '\r' | tr ',' '\n' | grep -nx prefix_hit_rate | cut -d: -f1)
[ "$(sed -n 2p "$work/out" | cut -d, -f"$column" | cut -c1-6)" = 0.8718 ] || fail "$said: not 0.8718"
run 1 estimate serving --model llama-3.1-8b --gpu rtx-4090 --trace t.csv --trace-format vidur --shared-prefix 16
err_has '--shared-prefix: a trace has prefixes of its own'

# A long run says how far it is, but not to --quiet. 12 points, each some tenths of a second.
loads=$(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do printf '{"name":"%s","rate":"%s/s"},' $i $i; done)
slow=(run "$work/s.json" --set /workload/requests=150000 --set "/loads=[${loads%,}]")
run 0 "${slow[@]}" --quiet
err_is_empty
run 0 "${slow[@]}"
grep -qE '^ *[0-9]+ % [0-9]+ of 12 points$' "$work/err" || fail "$said: no progress"
grep -q $'\r' "$work/err" && fail "$said: a bar where there is no terminal"
finish
