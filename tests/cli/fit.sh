#!/usr/bin/env bash
# From a user's own table to a fit file: what is printed, what is refused, what bad tables get.
source "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# Products on an RTX 4090 (165.2 TFLOP/s, 1008 GB/s) by t = 6 us + max(F / (0.9 P), bytes / (0.8 B)).
toy() {
  awk 'BEGIN {
    print "# a toy"
    print "gpu,dtype,m,n,k,time_us"
    for (n = 2048; n <= 65536; n *= 2)
      for (k = 2048; k <= 16384; k *= 2)
        for (m = 1; m <= 4096; m *= 4) {
          a = 2 * m * n * k / (0.9 * 165.2e6)
          b = 2 * (m * k + n * k + m * n) / (0.8 * 1008e3)
          printf "rtx-4090,bfloat16,%d,%d,%d,%.6f\n", m, n, k, 6 + (a > b ? a : b)
        }
  }'
}
toy >toy.csv

run 0 fit toy.csv --gpu rtx-4090 --out fit.json
grep -qE 'gemm +eb +0\.(79|80|8)' out || fail "$said: eb"
grep -qE 'gemm +t0 +[56]\.?[0-9]* +us ' out || fail "$said: t0"
err_has "written: fit.json"
grep -qE '"eb": 0\.(79|80|8)' fit.json || fail "$said: eb in the file"
grep -qF '"cold_from": "72 MiB"' fit.json || fail "$said: the L2 in the file"
# The same samples give the same bytes.
cp fit.json first.json
run 0 fit toy.csv --gpu rtx-4090 --out fit.json --quiet
cmp -s fit.json first.json || fail "$said: another file than the first time"
err_is_empty

# 8192^3 in 2 ms is 550 TFLOP/s; a gigabyte of weights in 0.2 ms is five times the bandwidth.
{
  cat toy.csv
  echo "rtx-4090,bfloat16,8192,8192,8192,2000"
  echo "rtx-4090,bfloat16,1,32768,16384,200"
  echo "rtx-4090,bfloat16,1,32768,16384,0"
  echo "rtx-4090,fp8,1,32768,16384,500"
} >mixed.csv
run 0 fit mixed.csv --gpu rtx-4090 --out refused.json
for reason in 'rate above peak \+ 2 %' 'traffic above bandwidth \+ 2 %' 'time not above zero' 'number format of another fit'; do
  grep -qE "$reason +1\$" out || fail "$said: $reason"
done
grep -qF '"rate above peak + 2 %": 1' refused.json || fail "$said: refusal in the file"

# Bad input: one line per problem, exit 1, nothing written.
bad() {
  run 1 fit "$@" --out bad.json
  out_is_empty
  [ ! -e bad.json ] || fail "$said: wrote a file"
}
bad toy.csv --gpu rtx-4900
err_has 'gpu: unknown GPU "rtx-4900"; did you mean "rtx-4090"? [unknown-name]'
bad missing.csv --gpu rtx-4090
err_has 'missing.csv: there is no such file [missing-file]'
bad toy.csv
err_has 'gpu: is missing; without --plan nothing names the card [missing-option]'
bad toy.csv --gpu rtx-4090 --what gem
err_has 'unknown'

sed 's/time_us/time_ms/' toy.csv >column.csv
bad column.csv --gpu rtx-4090
err_has 'column.csv: time_us: column is missing from a table of matrix products; is it the one called "time_ms"? [missing-column]'
sed '5s/,[0-9.]*$/,fast/;6s/,2048,/,big,/' toy.csv >cell.csv
bad cell.csv --gpu rtx-4090
err_has 'time_us: "fast" is not a number [not-a-number]'
grep -qE '^cell.csv:6:[0-9]+: ' err || fail "$said: no place"
sed '7s/$/,9/' toy.csv >ragged.csv
bad ragged.csv --gpu rtx-4090
err_has 'ragged.csv:7:1: 7 cells, but the header names 6 [field-count]'
head -5 toy.csv >few.csv
bad few.csv --gpu rtx-4090
err_has 'gemm: 3 launches to fit and 0 to judge by are too few [too-few-samples]'
bad toy.csv --gpu a100-sxm-80gb
err_has 'gemm: 0 launches to fit and 0 to judge by are too few [too-few-samples]'
bad . --gpu rtx-4090
err_has 'is a folder; only a plan says which of its tables to use'
echo '{"card": "rtx-4090", "parts": {"gemm": {"source": "x", "hold": {"t1": {"value": "1 us", "reason": "y"}}}}}' >plan.json
bad toy.csv --plan plan.json
err_has 'gemm: unknown coefficient "t1"'
bad toy.csv --plan plan.json --gpu a40
err_has 'is a40, but the plan is for rtx-4090'

run 1 fit toy.csv --gpu rtx-4090 --out no/such/folder/fit.json
err_has 'cannot be written'
mkdir folder
run 1 fit toy.csv --gpu rtx-4090 --out folder
err_has 'folder: is there and is no file [unwritable-file]'
[ ! -e folder.part ] || fail "$said: leaves a part"
finish
