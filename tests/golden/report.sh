#!/usr/bin/env bash
# The whole report of one shipped scenario is the one under expected/, byte for byte. The run checks
# conservation on its way, so that no report is blessed that breaks it; the closed forms and laws
# behind the figures have tests of their own.
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../cli/lib.sh"
file=$here/../../scenarios/$2.json

run 0 run "$file" --quiet --check-laws --format markdown
if ! diff -u "$here/expected/$2.md" "$work/out" >"$work/diff"; then
  echo "FAILED: the report of $2 changed (if rightly so: scripts/refresh_golden)" >&2
  head -60 "$work/diff" >&2
  failures=$((failures + 1))
fi
finish
