#!/usr/bin/env bash
# Builds the packages blobscope-cli and blobscope for this release of Debian in build/package.
#
#   packaging/linux/build_deb.sh
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build="$root/build/package"
die() { printf 'build_deb.sh: %s\n' "$*" >&2; exit 2; }
for tool in cmake ninja gzip file dpkg-shlibdeps rsvg-convert; do
  command -v "$tool" >/dev/null || die "$tool is missing; install the packages: cmake ninja-build file dpkg-dev librsvg2-bin"
done

launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
# The date of the changelog is the date of every file in the packages.
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -l "$root/packaging/linux/debian/changelog" -S Timestamp)
export SOURCE_DATE_EPOCH
rm -f "$build"/*.deb
(cd "$root" && cmake --preset optimized -B "$build" "${launcher[@]}" -DCMAKE_INSTALL_PREFIX=/usr -DBLOBSCOPE_DEBIAN=ON \
  '-DCMAKE_EXE_LINKER_FLAGS=-Wl,-Map=%' >"$build.configure.log") || { tail -n 20 "$build.configure.log" >&2; exit 1; }
ninja -C "$build"
"$root/packaging/linux/third_party.py" "$build" >"$build/third-party-notices.txt"
(cd "$build" && cpack >"$build.cpack.log") || { tail -n 20 "$build.cpack.log" >&2; exit 1; }
if command -v lintian >/dev/null; then
  lintian --fail-on error,warning "$build"/*.deb
else
  echo "lintian is not installed, so the packages are not checked" >&2
fi
ls -l "$build"/*.deb
