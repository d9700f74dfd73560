#!/usr/bin/env bash
# Puts a CPython that this machine has not into a folder, and prints the path of its interpreter.
#
#   .ci/newer_python.sh <version> <folder>
#
# It comes from a newer suite of the machine's own Debian archive, as files: nothing is installed, and nothing outside
# the folder changes. With it come the C library and the other libraries that it was built for; the interpreter is
# started through that library's own loader. Ends with 1, and a word why, where that cannot be done.
set -euo pipefail

VERSION=$1
ROOT=$2
SUITES=(testing unstable)

no() {
    printf '%s\n' "$1" >&2
    exit 1
}

command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || no 'no Debian archive is known here'
SITE=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | grep -E '/debian/?$' | head -n 1)
KEYS=$(ls /usr/share/keyrings/debian-archive-keyring.* 2>/dev/null | head -n 1)
[[ -n $SITE && -n $KEYS ]] || no 'no Debian archive is known here'

mkdir -p "$ROOT"/{state/lists/partial,cache/archives/partial,files}
: >"$ROOT/state/status"
apt() {
    apt-get -qq -y \
        -o Dir::Etc::SourceList="$ROOT/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State="$ROOT/state" -o Dir::State::status="$ROOT/state/status" \
        -o Dir::Cache="$ROOT/cache" -o Debug::NoLocking=1 -o APT::Install-Recommends=false \
        -o APT::Sandbox::User= -o Acquire::http::Timeout=20 -o Acquire::Retries=1 "$@"
}

for suite in "${SUITES[@]}"; do
    echo "deb [signed-by=$KEYS] $SITE $suite main" >"$ROOT/sources.list"
    if apt update >&2 && apt install --download-only "python$VERSION" "python$VERSION-venv" >&2; then
        FOUND=1
        break
    fi
done
[[ ${FOUND:-} == 1 ]] || no "no suite of the archive has Python $VERSION"

for package in "$ROOT"/cache/archives/*.deb; do
    dpkg-deb --extract "$package" "$ROOT/files"
done
LIBRARIES=$(dirname "$(find "$ROOT/files/usr/lib" -name 'ld-linux-*.so.*' -type f | head -n 1)")
LOADER=$(find "$LIBRARIES" -name 'ld-linux-*.so.*' -type f | head -n 1)
[[ -x $LOADER ]] || no 'the libraries came without a loader'

# An environment links to this file, and Python finds it by the name that it was called by.
cat >"$ROOT/files/usr/bin/python3" <<EOF
#!/bin/sh
exec '$LOADER' --library-path '$LIBRARIES' --argv0 "\$0" '$ROOT/files/usr/bin/python$VERSION' "\$@"
EOF
chmod +x "$ROOT/files/usr/bin/python3"
"$ROOT/files/usr/bin/python3" -c 'import ctypes, hashlib, ssl, zlib' >&2 || no 'it does not start here'
echo "$ROOT/files/usr/bin/python3"
