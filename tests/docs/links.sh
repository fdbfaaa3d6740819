#!/usr/bin/env bash
# Each relative link of the given Markdown files must lead to a file or folder: links.sh FILE...
set -u
bad=0
for file in "$@"; do
  folder=$(dirname "$file")
  while IFS= read -r target; do
    case $target in
      http*://* | '#'*) continue ;;
    esac
    if [ ! -e "$folder/${target%%#*}" ]; then
      echo "$file: no such file: $target" >&2
      bad=1
    fi
  done < <(grep -oE '\]\([^) ]+\)' "$file" | sed -e 's/^](//' -e 's/)$//')
done
exit "$bad"
