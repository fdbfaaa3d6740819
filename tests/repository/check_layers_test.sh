#!/usr/bin/env bash
# check_layers_test.sh CHECK_LAYERS: a tree that obeys passes; each planted include is named with
# its file and line.
set -euo pipefail
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/include/gpucap/{units,perf} "$tree"/src/{perf,plan,metrics,cli}

fail() {
  echo "FAILED: $1" >&2
  exit 1
}

plant() { # FILE INCLUDE: the include stands on line 2
  printf '// planted\n#include %s\n' "$2" >"$tree/$1"
}

expect_pass() {
  "$check" "$tree" >"$tree/out" || fail "refused: $(cat "$tree/out")"
  [ ! -s "$tree/out" ] || fail "passed but printed: $(cat "$tree/out")"
}

expect_offender() { # FILE INCLUDE SENTENCE
  plant "$1" "$2"
  if "$check" "$tree" >"$tree/out"; then fail "$1 may include $2"; fi
  grep -qxF "$1:2: $3" "$tree/out" || fail "wanted '$1:2: $3', got: $(cat "$tree/out")"
  [ "$(wc -l <"$tree/out")" = 1 ] || fail "more than one offender: $(cat "$tree/out")"
  rm "$tree/$1"
}

plant src/plan/planner.cpp '"gpucap/perf/step_cost.hpp"'
plant src/perf/own.cpp '"gpucap/perf/step_cost.hpp"'
plant src/perf/text.cpp '<fmt/format.h>'
plant src/cli/main.cpp '<boost/program_options.hpp>'
plant src/plan/comment.cpp_note '"gpucap/cli/main.hpp"'
expect_pass

expect_offender src/perf/a.cpp '"gpucap/plan/planner.hpp"' 'layer perf may not include layer plan'
expect_offender include/gpucap/units/a.hpp '<gpucap/core/id.hpp>' 'layer units may not include layer core'
expect_offender src/metrics/a.cpp '"gpucap/account/ledger.hpp"' 'layer metrics may not include layer account'
expect_offender src/plan/a.cpp '"gpucap/perv/x.hpp"' 'unknown layer "perv"'
expect_offender src/plan/a.cpp '"../perf/x.hpp"' '"../perf/x.hpp" leaves the layer; include by "gpucap/<layer>/..."'
expect_offender src/plan/a.cpp '<nlohmann/json.hpp>' 'layer plan may not include <nlohmann/json.hpp>'
expect_offender include/gpucap/perf/a.hpp '<fmt/format.h>' '<fmt/format.h> does not belong in a header of ours'
expect_pass
