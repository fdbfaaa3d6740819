#!/usr/bin/env bash
# packages_test.sh PACKAGES_SH: the installation against a pretended dpkg-query, apt-get and id,
# which log what they are asked for. Of alpha, beta, gamma only beta is missing.
set -euo pipefail
library=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/bin"
root=$place/clone

fail() {
  echo "FAILED: $1" >&2
  exit 1
}

pretend() { # NAME BODY
  printf '#!/bin/sh\n%s\n' "$2" >"$place/bin/$1"
  chmod +x "$place/bin/$1"
}

log=$place/log
pretend dpkg-query "echo dpkg-query >>$log
echo 'installed alpha'; echo 'config-files beta'; echo 'installed gamma'; exit 1"
pretend apt-get "echo apt-get \$DEBIAN_FRONTEND \"\$@\" >>$log"
pretend sudo 'exit 1'
pretend id 'echo 1000'
PATH=$place/bin:$PATH
source "$library"

# Neither root nor a usable sudo: a message with the command, nothing installed, no stamp.
if require_packages alpha beta gamma </dev/null 2>"$place/err"; then fail "went on without beta"; fi
grep -q 'apt-get install --no-install-recommends beta$' "$place/err" || fail "$(cat "$place/err")"
if grep -q apt-get "$log"; then fail "installed without being root"; fi

# Root: the lists are updated, beta alone is installed and named.
pretend id 'echo 0'
: >"$log"
require_packages alpha beta gamma </dev/null 2>"$place/err"
grep -qx 'gpucap: installing beta' "$place/err" || fail "$(cat "$place/err")"
grep -q '^apt-get noninteractive .* update$' "$log" || fail "lists not updated: $(cat "$log")"
grep -q '^apt-get noninteractive .* --no-install-recommends beta$' "$log" || fail "$(cat "$log")"

# The second call asks nobody; another list of packages is looked at again.
: >"$log"
require_packages alpha beta gamma </dev/null
[ ! -s "$log" ] || fail "second call was not free: $(cat "$log")"
require_packages alpha gamma </dev/null
[ "$(cat "$log")" = dpkg-query ] || fail "all there, yet: $(cat "$log")"

# A failed installation leaves no stamp.
pretend apt-get 'exit 100'
if (require_packages beta </dev/null 2>/dev/null); then fail "a failed installation passed"; fi
[ "$(ls "$root/build/" -A | wc -l)" = 2 ] || fail "stamp of a failed installation"
