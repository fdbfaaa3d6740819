# Configuring and building a preset. Sourced; needs $root.

# Compilers that run side by side: one per core, but each may need 1.5 GiB.
jobs_that_fit() {
  local cores kib limit
  cores=$(nproc)
  kib=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
  if [ -r /sys/fs/cgroup/memory.max ]; then
    limit=$(cat /sys/fs/cgroup/memory.max)
    if [ "$limit" != max ] && [ $((limit / 1024)) -lt "$kib" ]; then kib=$((limit / 1024)); fi
  fi
  local jobs=$((kib / (1536 * 1024)))
  if [ "$jobs" -gt "$cores" ]; then jobs=$cores; fi
  if [ "$jobs" -lt 1 ]; then jobs=1; fi
  echo "$jobs"
}

# Runs a command with its output on stderr: live on a terminal, else only when it fails.
quietly() {
  if [ -t 2 ]; then
    "$@" >&2
  elif ! "$@" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    return 1
  fi
}

# A build is fresh while nothing that it is made of, folders included, is newer than its stamp.
is_fresh() {
  local stamp=$1
  shift
  [ -e "$stamp" ] && [ -z "$(find "$@" -newer "$stamp" -print -quit)" ]
}

# build_preset NAME SOURCE...: configures when needed and builds, unless no SOURCE is newer than
# the last build.
build_preset() (
  preset=$1
  shift
  cd "$root"
  folder=build/$preset
  log=$folder/build.log
  is_fresh "$folder/.built" "$@" && exit 0
  mkdir -p "$folder"
  # Two calls at once: the second waits, then finds the work done.
  exec 9>"$folder/.lock"
  if command -v flock >/dev/null; then flock 9; fi
  is_fresh "$folder/.built" "$@" && exit 0
  # Dated before the build: what is edited meanwhile counts as newer.
  touch "$folder/.started"
  jobs=$(jobs_that_fit)
  echo "gpucap: building $folder with $jobs jobs" >&2
  if [ ! -e "$folder/build.ninja" ] || [ CMakePresets.json -nt "$folder/build.ninja" ]; then
    quietly cmake --preset "$preset" || exit 1
  fi
  quietly cmake --build "$folder" -j "$jobs" || exit 1
  mv "$folder/.started" "$folder/.built"
)
