#!/usr/bin/env bash
# Help is found wherever people look for it, opens with examples, fits one screen and exits 0.
source "$(dirname "$0")/lib.sh"

# What a node, its engine and its load need takes 35 options, one a line; pairs of options on a line
# would be wider than a terminal.
one_screen() {
  local most=40
  case $said in *" serving"*) most=50 ;; esac
  [ "$(wc -l <"$work/out")" -le "$most" ] || fail "$said: more than $most lines"
  err_is_empty
}

for words in "" "help" "--help" "-h"; do
  # shellcheck disable=SC2086
  run 0 $words
  out_has "gpucap gpus list"
  [ "$(sed -n 3p "$work/out")" = Examples ] || fail "$said: examples do not come first"
  one_screen
done

for words in "help gpus show" "gpus show --help" "gpus show -h" "gpus show rtx-4090 --help"; do
  # shellcheck disable=SC2086
  run 0 $words
  out_has "gpucap gpus show GPU [options]"
  out_has "--format FORM"
  one_screen
done

run 0 help gpus
out_has "gpus list"
one_screen
run 0 gpus --help
out_has "gpus list"

# Every command of the list has its own help page.
"$gpucap" | sed -n '/^Commands/,/^$/p' | sed -n 's/^  \([a-z ]*[a-z]\)  .*/\1/p' >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 12 ] || fail "fewer commands than expected"
while read -r command; do
  # shellcheck disable=SC2086
  run 0 help $command
  out_has "gpucap $command:"
  one_screen
  run 0 $command --version
  grep -qE '^gpucap [0-9]+\.[0-9]+\.[0-9]+$' "$work/out" || fail "$said: no version"
done <"$work/commands"

run 0 --version
grep -qE '^gpucap [0-9]+\.[0-9]+\.[0-9]+$' "$work/out" || fail "$said: no version"
finish
