#!/usr/bin/env bash
# What holds for the report of any scenario, on the first 200 requests of a shipped one.
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../cli/lib.sh"
folder=$here/../../scenarios
requests=/workload/requests
grep -q '"trace"' "$folder/$2.json" && requests=/workload/trace/requests
few=(--quiet --set "$requests=200")

same() {
  cmp -s "$work/$1" "$work/$2" || fail "$2 differs from $1"
}

# keep NAME FILE WORDS...: the report of FILE goes to NAME.
keep() {
  local name=$1 file=$2
  shift 2
  run 0 run "$file" "${few[@]}" "$@"
  cp "$work/out" "$work/$name"
}

keep first.csv "$folder/$2.json" --format csv
keep again.csv "$folder/$2.json" --format csv
same first.csv again.csv

# The resolved scenario, put where its relative paths mean the same, gives the same figures.
run 0 run "$folder/$2.json" "${few[@]}" --dump-resolved
cp "$work/out" "$work/resolved.json"
ln -s "$folder/traces" "$work/traces"
keep resolved.csv "$work/resolved.json" --format csv
same first.csv resolved.csv

# Another seed draws other requests; a replayed trace has none to draw.
keep seed8.csv "$folder/$2.json" --format csv --seed 8
if [ "$requests" = /workload/requests ]; then
  cmp -s "$work/first.csv" "$work/seed8.csv" && fail "--seed 8 changes nothing"
else
  same first.csv seed8.csv
fi

# Three formats name the same cheapest candidates, load by load.
keep first.json "$folder/$2.json" --format json
keep first.md "$folder/$2.json" --format markdown
sed -n 's/^[^,]*,\([^,]*\),true,false,,"\{0,1\}cost.*/\1/p' "$work/first.csv" >"$work/csv.winners"
sed -n 's/^ *"cost": "\(.*\)",*$/\1/p' "$work/first.json" >"$work/json.winners"
sed -n 's/^| \\\* | \([^|]*\) |.*/\1/p' "$work/first.md" >"$work/md.winners"
[ -s "$work/csv.winners" ] || fail "no load has a winner by cost"
same csv.winners json.winners
same csv.winners md.winners

# A plan without a run names every candidate of every load, and no result.
run 0 run "$folder/$2.json" --quiet --dry-run
rows=$(($(wc -l <"$work/out") - 1))
[ "$rows" = "$(($(wc -l <"$work/first.csv") - 1))" ] || fail "--dry-run plans $rows runs"

# 80 columns leave out columns and name them.
if script --version >/dev/null 2>&1; then
  said="gpucap run $2 on a terminal of 80 columns"
  NO_COLOR=1 TERM=dumb LANG=C script -qec \
    "stty cols 80; COLUMNS=80 $gpucap run $folder/$2.json ${few[*]}" \
    /dev/null </dev/null >"$work/out" 2>"$work/err"
  out_has "Not shown for lack of width: "
  out_has "J/out tok"
else
  echo "skipped: the program script is not installed, so there is no terminal to test"
fi
finish
