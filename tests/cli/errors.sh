#!/usr/bin/env bash
# Bad input: exit 1, every problem in a line of its own, the nearest name, nothing on stdout.
source "$(dirname "$0")/lib.sh"
nothing="nothing was run, nothing was written."

bad() {
  run 1 "$@"
  out_is_empty
}

bad gpsu list
err_is "unknown command \"gpsu\"; did you mean \"gpus\"? [unknown-command]
1 problem; $nothing"

bad gpus lst
err_has 'unknown command "lst"; did you mean "list"?'

bad gpus
err_has '"gpus" needs one word more, such as "gpus list" [missing-command]'

bad help nonsense
err_has 'unknown command "nonsense"'

bad --quiet gpus list
err_has '"--quiet" stands before any command'

bad gpus list --fromat json
err_has 'unknown option "--fromat"; did you mean "--format"? [unknown-option]'

bad gpus list --form json
err_has 'unknown option "--form"' # a shortened option is no option

bad gpus list --format jsn
err_has '--format: unknown word "jsn"; did you mean "json"? [unknown-name]'

bad gpus list --format
err_has '--format: needs a value: --format FORM [missing-value]'

bad gpus list --quiet=yes
err_has '--quiet: takes no value'

bad gpus list --format json --format csv
err_has '--format: stands twice'

bad gpus list surplus words
err_is "surplus: is one word too many [surplus-operand]
words: is one word too many [surplus-operand]
2 problems; $nothing"

bad gpus show
err_has 'GPU: is missing [missing-operand]'

bad gpus show rtx-4900
err_has 'unknown GPU "rtx-4900"; did you mean "rtx-4090"? [unknown-name]'

bad offers list --gpu rtx-4900 --count 8..1 --format tabel
err_has '--format: unknown word "tabel"; did you mean "table"?'
err_has '--gpu: unknown GPU "rtx-4900"'
err_has '--count: "8..1" is not a number of cards; write 2 or 1..8'
err_has "3 problems; $nothing"

# Data that cannot be read: the file, line and column; no snippet where stderr is no terminal.
mkdir -p "$work/data/calibration/specs"
printf '{\n  "id": "x",,\n}\n' >"$work/data/calibration/specs/x.json"
GPUCAP_DATA_DIR=$work/data bad gpus list
err_has 'x.json:2:13: '
[ "$(wc -l <"$work/err")" = 2 ] || fail "$said: more than one line and the count"

GPUCAP_DATA_DIR=$work/nowhere bad gpus list
err_has 'holds no folder calibration'
finish
