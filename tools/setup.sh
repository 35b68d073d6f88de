# Sourced by ./demo and ./test: installs the Debian packages of tools/packages.txt that are missing.
# shellcheck shell=sh

# needed_packages KIND…  e.g. needed_packages build test
needed_packages() {
  for kind in "$@"; do
    sed -n "s/^$kind //p" tools/packages.txt
  done
}

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

install_packages() {
  if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "This is not Debian: please see to the packages of tools/packages.txt yourself." >&2
    return 0
  fi
  missing=
  for package in $(needed_packages "$@"); do
    is_installed "$package" || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  echo "Debian packages to install:$missing"
  if [ "$(id -u)" -eq 0 ]; then
    as_root=
  elif command -v sudo >/dev/null 2>&1; then
    as_root=sudo
  else
    echo "They need root, and sudo is not here. As root: apt-get install$missing" >&2
    return 1
  fi
  # shellcheck disable=SC2086 # the list is words
  $as_root env DEBIAN_FRONTEND=noninteractive sh -c \
    'apt-get update -q && apt-get install -q -y --no-install-recommends "$@"' sh $missing
}
