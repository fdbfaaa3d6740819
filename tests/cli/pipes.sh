#!/usr/bin/env bash
# Readers that go away, full disks, narrow terminals: no noise, no escape codes, nothing lost.
source "$(dirname "$0")/lib.sh"

# The reader closes at once; the program says nothing and counts it as done. Repeated, because the
# pipe may still take the whole text.
set -o pipefail
said="gpucap gpus list | head -1"
: >"$work/out"
for _ in 1 2 3 4 5; do
  (sleep 0.2; "$gpucap" offers list --all 2>"$work/err"; echo $? >"$work/status") | true
  [ "$(cat "$work/status")" = 0 ] || fail "$said: exit $(cat "$work/status")"
  grep -v "^Shown" "$work/err" >"$work/noise"
  [ ! -s "$work/noise" ] || fail "$said: noise on stderr"
done

if [ -w /dev/full ]; then
  "$gpucap" gpus list --quiet >/dev/full 2>"$work/err"
  status=$?
  said="gpucap gpus list >/dev/full"
  [ "$status" = 3 ] || fail "$said: exit $status, expected 3"
  err_has "standard output cannot be written"
fi

# On a terminal of 60 columns columns are left out and named; a pipe keeps them all.
if script --version >/dev/null 2>&1; then
  said="gpucap gpus list on a terminal of 60 columns"
  NO_COLOR=1 TERM=dumb LANG=C script -qec "stty cols 60; COLUMNS=60 $gpucap gpus list --quiet" \
    /dev/null </dev/null >"$work/out" 2>"$work/err"
  tr -d '\r' <"$work/out" >"$work/plain"
  [ "$(sed '/^Not shown/d' "$work/plain" | wc -L)" -le 60 ] || fail "$said: wider than 60"
  out_has "Not shown for lack of width: "
  grep -q $'\x1b' "$work/out" && fail "$said: escape codes"
else
  echo "skipped: the program script is not installed, so there is no terminal to test"
fi
run 0 gpus list
out_has P2P
grep -q "Not shown" "$work/out" && fail "$said: columns are left out in a pipe"
finish
