#!/usr/bin/env bash
# Runs each "$ COMMAND" of the ```console blocks of documents and compares the lines below it with
# what the command prints now: examples.sh PROGRAM [--update] FILE...
# With --update the documents are rewritten instead. Commands call the program as scripts/gpucap.
set -u
program=$1
shift
update=no
if [ "${1-}" = --update ]; then
  update=yes
  shift
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stale=0

# The document on stdin with fresh output below each command.
refreshed() {
  local line block=no
  while IFS= read -r line || [ -n "$line" ]; do
    case $block,$line in
      no,'```console') block=yes ;;
      yes,'```') block=no ;;
      yes,'$ '*)
        printf '%s\n' "$line"
        echo >>"$work/count"
        bash -c "${line#\$ }" </dev/null 2>&1
        continue
        ;;
      yes,*) continue ;;
    esac
    printf '%s\n' "$line"
  done
}

# What a reader types as scripts/gpucap is the program under test.
mkdir "$work/scripts"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(realpath "$program")" >"$work/scripts/gpucap"
chmod +x "$work/scripts/gpucap"
for folder in scenarios; do ln -s "$PWD/$folder" "$work/$folder"; done

for file in "$@"; do
  (cd "$work" && refreshed) <"$file" >"$work/new"
  cmp -s "$file" "$work/new" && continue
  if [ "$update" = yes ]; then
    cp "$work/new" "$file"
  else
    diff -u "$file" "$work/new"
    stale=1
  fi
done
commands=$(wc -l <"$work/count")
echo "$commands commands run"
[ "$stale" = 0 ] || echo "if the new output is meant: tests/docs/examples.sh PROGRAM --update FILE..."
# A document without a single example would pass for nothing.
[ "$stale" = 0 ] && [ "$commands" -gt 0 ]
