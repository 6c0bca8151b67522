#!/usr/bin/env bash
# Builds the command line and the runner for macOS on Debian 12 with `zig c++`, for x86_64 and arm64: first the libraries
# that they need, from Debian's source packages, once, into a cache folder, then the programs, joined to universal ones.
#
#   packaging/macos/build.sh [x86_64|aarch64 …]      build for these processors; by default for both
#
# BLOBSCOPE_CROSS_CACHE and BLOBSCOPE_JOBS are those of packaging/windows/build.sh. Without disassemblers by default;
# BLOBSCOPE_DISASM=ON builds them too.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
shared=${BLOBSCOPE_CROSS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/blobscope}
jobs=${BLOBSCOPE_JOBS:-$(nproc)}
disasm=${BLOBSCOPE_DISASM:-OFF}
toolchain="$here/toolchain.cmake"
zig_version=0.15.2
packages="cmake ninja-build pkg-config dpkg-dev xz-utils patch llvm-19 nlohmann-json3-dev libcli11-dev libvulkan-dev opencl-headers spirv-headers unicode-data perl python3 python3-venv"
system=macos
# shellcheck source=packaging/cross/libraries.sh
. "$root/packaging/cross/libraries.sh"

# The Python package ziglang contains the compiler, its libraries and the interfaces of macOS.
need_zig() {
  local venv="$shared/macos/venv"
  if [ ! -x "$venv/bin/python3" ] || ! "$venv/bin/python3" -c "import ziglang" 2>/dev/null; then
    say "installing the Python package ziglang $zig_version into $venv"
    mkdir -p "$shared/macos"
    python3 -m venv "$venv"
    "$venv/bin/pip" install -q "ziglang==$zig_version"
  fi
  zig=$("$venv/bin/python3" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
}

# The scripts that CMake calls as compilers.
write_tools() {
  local arch=$1 tool
  tools="$cache/tools"
  mkdir -p "$tools"
  for tool in cc c++; do
    printf '#!/bin/sh\nexec "%s" %s -target %s-macos.12.0 "$@"\n' "$zig" "$tool" "$arch" >"$tools/$tool"
  done
  for tool in ar ranlib; do printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" "$tool" >"$tools/$tool"; done
  chmod +x "$tools"/*
}

build_for() {
  local arch=$1 start=$SECONDS
  system="macos $arch"
  triple="$arch-apple-macos12.0"
  cache="$shared/macos/$arch"
  prefix="$cache/prefix"
  write_tools "$arch"
  system_options=(-DBLOBSCOPE_ZIG="$zig" -DBLOBSCOPE_ARCH="$arch" -DBLOBSCOPE_TOOLS="$tools")
  build_dependencies
  build_disassemblers
  local folder="$root/build/macos-$arch"
  cmake -S "$root" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" \
    -DCMAKE_TOOLCHAIN_FILE="$toolchain" -DBLOBSCOPE_PREFIX="$prefix" "${system_options[@]}" -DBLOBSCOPE_TESTS=OFF -DBLOBSCOPE_GUI=OFF \
    -DBLOBSCOPE_UNITY=ON -DBLOBSCOPE_DISASM="$disasm" || die "Blobscope cannot be configured"
  nice -n 5 ninja -C "$folder" -j "$jobs" || die "Blobscope cannot be built"
  say "finished after $((SECONDS - start)) s"
}

need_packages
need_zig
architectures=("$@")
[ $# -gt 0 ] || architectures=(x86_64 aarch64)
for architecture in "${architectures[@]}"; do build_for "$architecture"; done
if [ -d "$root/build/macos-x86_64/app" ] && [ -d "$root/build/macos-aarch64/app" ]; then
  mkdir -p "$root/build/macos"
  for file in blobscope-cli blobscope-runner libblobscope-shim.dylib libblobscope-metadata-shim.dylib; do
    /usr/lib/llvm-19/bin/llvm-lipo -create "$root/build/macos-x86_64/app/$file" "$root/build/macos-aarch64/app/$file" -output "$root/build/macos/$file"
    say "$root/build/macos/$file: $(stat -c %s "$root/build/macos/$file") bytes"
  done
fi
