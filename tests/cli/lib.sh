# Sourced by the tests of this folder: runs the program and compares what it says and returns.
set -u
[ -x "$1" ] || { echo "no program at $1" >&2; exit 1; }
gpucap=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
  echo "FAILED: $*" >&2
  sed 's/^/  out: /' "$work/out" | head -40 >&2
  sed 's/^/  err: /' "$work/err" | head -20 >&2
  failures=$((failures + 1))
}

# run STATUS WORDS...: the program must exit with that status.
run() {
  local expected=$1
  shift
  "$gpucap" "$@" >"$work/out" 2>"$work/err"
  local status=$?
  said="gpucap $*"
  [ "$status" = "$expected" ] || fail "$said: exit $status, expected $expected"
}

out_has() { grep -qF -- "$1" "$work/out" || fail "$said: stdout lacks \"$1\""; }
err_has() { grep -qF -- "$1" "$work/err" || fail "$said: stderr lacks \"$1\""; }
err_is() { [ "$(cat "$work/err")" = "$1" ] || fail "$said: stderr is not \"$1\""; }
out_is_empty() { [ ! -s "$work/out" ] || fail "$said: stdout is not empty"; }
err_is_empty() { [ ! -s "$work/err" ] || fail "$said: stderr is not empty"; }

finish() {
  [ "$failures" = 0 ] || exit 1
  echo "all good"
}
