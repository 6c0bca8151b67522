#!/usr/bin/env bash
# Builds Blobscope for 64-bit Windows on Debian 12: first the libraries that it needs, from Debian's source packages, once,
# into a cache folder, then the programs, then a zip that runs unpacked.
#
#   packaging/windows/build.sh                 everything below, except the library of the window and the installer
#   packaging/windows/build.sh dependencies    only the libraries of the command line
#   packaging/windows/build.sh disassemblers   only LLVM's disassemblers, the longest part
#   packaging/windows/build.sh qt              only the library of the window, qtbase
#   packaging/windows/build.sh programs        only Blobscope; needs the libraries; the window needs that of qt too
#   packaging/windows/build.sh zip             only the zip; needs the programs
#   packaging/windows/build.sh check           checks of core under wine; needs wine64
#   packaging/windows/build.sh installer       an installer of what is in the zip; needs nsis
#
# Each part is built once: a part that is complete is skipped, an interrupted one goes on where it was. Environment:
#   BLOBSCOPE_CROSS_CACHE   folder of sources and libraries; by default $XDG_CACHE_HOME/blobscope, the libraries in
#                           its folder windows
#   BLOBSCOPE_JOBS          number of compilers at once; by default the number of processors
#   BLOBSCOPE_DISASM        OFF leaves the disassemblers out
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
system=windows
triple=x86_64-w64-windows-gnu
shared=${BLOBSCOPE_CROSS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/blobscope}
cache="$shared/windows"
prefix="$cache/prefix"
toolchain="$here/toolchain.cmake"
system_options=()
jobs=${BLOBSCOPE_JOBS:-$(nproc)}
disasm=${BLOBSCOPE_DISASM:-ON}
packages="g++-mingw-w64-x86-64-posix cmake ninja-build pkg-config dpkg-dev xz-utils patch llvm-19 nlohmann-json3-dev libcli11-dev libvulkan-dev opencl-headers spirv-headers unicode-data perl python3 zip"
notices="gcc-mingw-w64-x86-64-posix-runtime mingw-w64-x86-64-dev"
# shellcheck source=packaging/cross/libraries.sh
. "$root/packaging/cross/libraries.sh"

qt_host=(-DQT_HOST_PATH=/usr -DQT_HOST_PATH_CMAKE_DIR=/usr/lib/x86_64-linux-gnu/cmake)
# The window: qtbase with the host tools of the same version, as DLLs, since the platform is a plug-in. rsvg-convert
# draws the icons.
build_qt() {
  source_of qt6-base
  targets=(install)
  build qtbase "$source" -DBUILD_SHARED_LIBS=ON "${qt_host[@]}" \
    -DQT_BUILD_EXAMPLES=OFF -DQT_BUILD_TESTS=OFF -DFEATURE_sql=OFF -DFEATURE_network=OFF -DFEATURE_dbus=OFF -DFEATURE_opengl=OFF \
    -DINPUT_opengl=no -DFEATURE_printsupport=OFF -DFEATURE_vulkan=OFF -DFEATURE_system_zlib=OFF -DFEATURE_tabletevent=OFF \
    -DFEATURE_testlib=OFF -DFEATURE_xml=OFF -DFEATURE_concurrent=OFF -DFEATURE_androiddeployqt=OFF -DFEATURE_icu=OFF -DFEATURE_glib=OFF -DFEATURE_zstd=OFF
}

# --- Blobscope --------------------------------------------------------------------------------------------------------

build_programs() {
  local start=$SECONDS with_disasm=OFF with_window=OFF
  [ "$disasm" = ON ] && [ -f "$cache/built/llvm" ] && with_disasm=ON
  [ "$with_disasm" = "$disasm" ] || say "without disassemblers, which are not built yet"
  if [ -f "$cache/built/qtbase" ]; then with_window=ON; else say "without the window, whose library is not built yet"; fi
  local launcher=()
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  local folder="$root/build/windows"
  cmake -S "$root" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" \
    -DCMAKE_TOOLCHAIN_FILE="$toolchain" -DBLOBSCOPE_PREFIX="$prefix" -DBLOBSCOPE_TESTS=OFF -DBLOBSCOPE_GUI="$with_window" "${qt_host[@]}" \
    -DBLOBSCOPE_UNITY=ON -DBLOBSCOPE_DISASM="$with_disasm" "${launcher[@]}" || die "Blobscope cannot be configured"
  nice -n 5 ninja -C "$folder" -j "$jobs" || die "Blobscope cannot be built"
  say "Blobscope: $((SECONDS - start)) s"
}

# The value of a variable of CMake.
value_of() { sed -n "s/^$1:[A-Z]*=//p" "$root/build/windows/CMakeCache.txt"; }

# The window and the DLLs that it needs besides those of Windows.
copy_window() {
  local to=$1 file
  x86_64-w64-mingw32-strip -o "$to/blobscope.exe" "$root/build/windows/app/blobscope.exe"
  for file in Qt6Core Qt6Gui Qt6Widgets; do
    x86_64-w64-mingw32-strip -o "$to/$file.dll" "$prefix/bin/$file.dll"
  done
  for file in platforms/qwindows platforms/qoffscreen; do
    mkdir -p "$to/${file%/*}"
    x86_64-w64-mingw32-strip -o "$to/$file.dll" "$prefix/plugins/$file.dll"
  done
  for file in libstdc++-6 libgcc_s_seh-1 libwinpthread-1; do
    x86_64-w64-mingw32-strip -o "$to/$file.dll" "$(x86_64-w64-mingw32-g++-posix -print-file-name="$file.dll")"
  done
}

make_zip() {
  local folder="$root/build/windows" name="blobscope-windows-x86_64"
  [ -f "$folder/app/blobscope-cli.exe" ] || die "there are no programs; run $0 programs"
  rm -rf "${folder:?}/$name" "$folder/$name.zip"
  mkdir -p "$folder/$name/sample"
  local file
  for file in blobscope-cli.exe blobscope-runner.exe blobscope-shim.dll blobscope-metadata-shim.dll; do
    x86_64-w64-mingw32-strip -o "$folder/$name/$file" "$folder/app/$file"
  done
  local parts="zlib libzstd lz4 re2 libarchive"
  [ "$(value_of BLOBSCOPE_DISASM)" = ON ] && parts+=" spirv-tools llvm-toolchain-19"
  if [ -f "$folder/app/blobscope.exe" ]; then
    parts+=" qt6-base"
    copy_window "$folder/$name"
  fi
  cp "$root/LICENSE" "$folder/$name/LICENSE.txt"
  write_notices $parts >"$folder/$name/third-party-notices.txt"
  cp "$root"/resources/sample/*.so "$root"/resources/sample/*.tar "$folder/$name/sample/"
  (cd "$folder" && zip -q -r -9 "$name.zip" "$name")
  say "$folder/$name.zip: $(stat -c %s "$folder/$name.zip") bytes"
}

# Runs tests/windows/check_system.cpp under wine.
run_checks() {
  local folder="$root/build/windows" wine="" place
  for place in "$(command -v wine64 || true)" /usr/lib/wine/wine64; do [ -x "$place" ] && wine=$place; done
  [ -n "$wine" ] || die "missing package; run as root: apt-get install -y --no-install-recommends wine64"
  [ -f "$folder/build.ninja" ] || die "there is no build folder; run $0 programs"
  nice -n 5 ninja -C "$folder" -j "$jobs" blobscope-check-system || die "the checks cannot be built"
  mkdir -p "$folder/wine"
  WINEPREFIX="$folder/wine" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=" DISPLAY="" "$wine" "$folder/blobscope-check-system.exe"
}

make_installer() {
  local folder="$root/build/windows" name="blobscope-windows-x86_64" version
  [ -d "$folder/$name" ] || die "there is nothing to install; run $0 zip"
  command -v makensis >/dev/null || die "missing package; run as root: apt-get install -y --no-install-recommends nsis"
  version=$(sed -n 's/^project(Blobscope VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
  # Folders come after what is in them.
  (cd "$folder/$name" && find . -mindepth 1 -depth \( -type d -printf 'RMDir "$INSTDIR\\%P"\n' -o -printf 'Delete "$INSTDIR\\%P"\n' \)) |
    tr / '\\' >"$folder/removal.nsh"
  makensis -V2 "-DVERSION=$version" "-DSOURCE=$folder/$name" "-DREMOVAL=$folder/removal.nsh" "-DOUTPUT=$folder/blobscope-$version-setup.exe" "$here/installer.nsi" ||
    die "the installer cannot be made"
  say "$folder/blobscope-$version-setup.exe: $(stat -c %s "$folder/blobscope-$version-setup.exe") bytes"
}

case ${1:-all} in
  all) need_packages; build_dependencies; build_disassemblers; build_programs; make_zip ;;
  dependencies) need_packages; build_dependencies ;;
  disassemblers) need_packages; build_disassemblers ;;
  programs) build_programs ;;
  zip) make_zip ;;
  installer) make_installer ;;
  check) run_checks ;;
  qt) packages+=" qt6-base-dev qt6-base-dev-tools qt6-l10n-tools librsvg2-bin"; need_packages; build_qt ;;
  *) die "unknown part '$1'; see the comment at the start of this file" ;;
esac
