# Debian and Ubuntu packages, and their installation. Sourced; needs $root.
# What CMakeLists.txt looks for (build and tests), and what scripts/check needs on top.
build_packages=(
  g++ cmake ninja-build
  libfmt-dev nlohmann-json3-dev libssl-dev
  libboost-dev libboost-program-options-dev libboost-iostreams-dev
  libsimdjson-dev libzstd-dev zlib1g-dev libeigen3-dev
  catch2
)
check_packages=(git clang-format clang-tidy)

missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    sed -n 's/^installed //p') || true
  local package
  for package in "$@"; do
    grep -qxF -- "$package" <<<"$installed" || echo "$package"
  done
}

# Prints the words that make a command run as root; fails when there are none.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    return 0
  elif ! command -v sudo >/dev/null; then
    return 1
  elif [ -t 0 ]; then
    echo sudo
  else
    sudo -n true 2>/dev/null && echo "sudo -n"
  fi
}

apt_get() {
  # The results of gpucap own stdout; a fresh machine may still be updating itself, so wait.
  $prefix env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" \
    </dev/null >&2
}

# require_packages NAME...: installs those that are missing and says which. A stamp named after the
# list makes the next call free.
require_packages() {
  local stamp
  stamp=$root/build/.packages-$(cksum <<<"$*" | cut -d' ' -f1)
  [ -e "$stamp" ] && return 0
  if ! command -v dpkg-query >/dev/null; then
    echo "gpucap: no Debian or Ubuntu here; going on in the hope that these are there: $*" >&2
    return 0
  fi
  local missing prefix
  missing=$(missing_packages "$@")
  if [ -n "$missing" ]; then
    # One name a line becomes one line of names.
    missing=$(echo $missing)
    if ! prefix=$(as_root); then
      echo "gpucap: missing packages, and neither root nor sudo to install them. Ask for:" >&2
      echo "  apt-get install --no-install-recommends $missing" >&2
      return 1
    fi
    echo "gpucap: installing $missing" >&2
    apt_get update || echo "gpucap: package lists not updated; trying with the old ones" >&2
    apt_get install -y --no-install-recommends $missing || return 1
  fi
  mkdir -p "$root/build"
  touch "$stamp"
}
