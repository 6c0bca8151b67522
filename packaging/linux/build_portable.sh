#!/usr/bin/env bash
# Builds build/blobscope-VERSION-linux-x86_64.tar.gz, which runs on systems with glibc 2.31 or later, on Debian 12.
#
#   packaging/linux/build_portable.sh [FOLDER]
#
# The programs are compiled as usual and linked with the glibc of Debian 11, whose libraries are read from FOLDER, a
# system made by `debootstrap --variant=minbase bullseye FOLDER`. Without FOLDER, the script makes one, which needs root
# and the package debootstrap. The window uses the Linux libraries of Qt from the Python package PyQt6-Qt6, which are
# built for old systems, and what Debian 11 has of the libraries that these need.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build="$root/build/portable"
here="$root/packaging/linux"
newest_glibc=2.31
die() { printf 'build_portable.sh: %s\n' "$*" >&2; exit 2; }
for tool in cmake ninja gcc patchelf objdump python3 rsvg-convert gzip; do
  command -v "$tool" >/dev/null ||
    die "$tool is missing; install the packages: g++ cmake ninja-build binutils patchelf python3-venv librsvg2-bin gzip"
done
mkdir -p "$build"

# --- the old system ---------------------------------------------------------------------------------------------------
old=${1:-$build/debian11}
arch=x86_64-linux-gnu
if [ ! -e "$old/etc/debian_version" ]; then
  command -v debootstrap >/dev/null || die "debootstrap is missing; install the package debootstrap"
  debootstrap --variant=minbase bullseye "$old" >"$build/debootstrap.log" || { tail "$build/debootstrap.log" >&2; exit 1; }
fi
old=$(cd "$old" && pwd)
if [ ! -e "$old/usr/lib/$arch/libxcb-icccm.so.4" ] || [ ! -e "$old/usr/lib/$arch/libGL.so.1" ] || [ ! -e "$old/usr/lib/gcc/$arch/10/libgcc_eh.a" ]; then
  cp /etc/resolv.conf "$old/etc/resolv.conf"
  # libglvnd's libraries without the drivers, since Blobscope draws without OpenGL.
  chroot "$old" bash -euc "
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends libc6-dev libgcc-10-dev libfontconfig1 libfreetype6 libx11-6 libx11-xcb1 \
      libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render0 libxcb-render-util0 libxcb-shape0 libxcb-shm0 \
      libxcb-sync1 libxcb-xfixes0 libxcb-xkb1 libxkbcommon0 libxkbcommon-x11-0 xkb-data libglib2.0-0 libdbus-1-3 libwayland-client0 \
      libwayland-cursor0 libglvnd0
    cd /tmp
    apt-get download -qq libgl1 libglx0 libegl1 libopengl0
    dpkg --force-depends -i libgl1_*.deb libglx0_*.deb libegl1_*.deb libopengl0_*.deb" >"$build/libraries.log" 2>&1 ||
    { tail "$build/libraries.log" >&2; die "the libraries of Debian 11 cannot be installed"; }
fi
# A link to /lib would lead the linker to this system.
find "$old/usr/lib" "$old/usr/lib64" -type l -lname '/*' | while read -r link; do
  ln -sfnr "$old$(readlink "$link")" "$link"
done

# --- Qt ---------------------------------------------------------------------------------------------------------------
# The version whose headers the window is compiled with.
qt_version=$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")$/\1/p' "/usr/lib/$arch/cmake/Qt6/Qt6ConfigVersionImpl.cmake" | head -n 1)
[ -n "$qt_version" ] || die "Qt 6 is missing; install the packages: qt6-base-dev qt6-svg-dev"
qt="$build/qt-$qt_version/PyQt6/Qt6"
if [ ! -e "$qt/lib/libQt6Core.so.6" ]; then
  python3 -m venv "$build/python"
  "$build/python/bin/pip" download -q --no-deps --only-binary :all: -d "$build" "PyQt6-Qt6==$qt_version"
  python3 -m zipfile -e "$build"/PyQt6_Qt6-"$qt_version"-*.whl "$build/qt-$qt_version"
fi

# --- programs ---------------------------------------------------------------------------------------------------------
programs="$build/programs"
gcc -O2 -Wno-deprecated-declarations -c "$here/old_glibc.c" -o "$build/old_glibc.o"
link="--sysroot=$old -B$old/usr/lib/gcc/$arch/10/ -B$old/usr/lib/$arch/"
static="-static-libstdc++ -static-libgcc -pthread -Wl,--as-needed -Wl,--allow-shlib-undefined"
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
(cd "$root" && cmake --preset optimized -B "$programs" "${launcher[@]}" "-DBLOBSCOPE_PORTABLE=$qt" -DCMAKE_CXX_COMPILER=g++ \
  "-DCMAKE_EXE_LINKER_FLAGS=$link $static -Wl,-Map=% $build/old_glibc.o" "-DCMAKE_SHARED_LINKER_FLAGS=$link" \
  >"$build/configure.log") || { tail -n 20 "$build/configure.log" >&2; exit 1; }
ninja -C "$programs"

# --- the tree ---------------------------------------------------------------------------------------------------------
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:.*=//p' "$programs/CMakeCache.txt")
name="blobscope-$version-linux-x86_64"
tree="$build/$name"
rm -rf "$tree"
for component in cli gui; do
  cmake --install "$programs" --prefix "$tree" --component $component --strip >"$build/install.$component.log"
done
mkdir -p "$tree/lib" "$tree/plugins"
printf '[Paths]\nPrefix = ..\nPlugins = plugins\nLibraries = lib\n' >"$tree/bin/qt.conf"
for plugin in platforms/libqxcb platforms/libqoffscreen platforms/libqwayland-generic platforminputcontexts/libcomposeplatforminputcontextplugin \
  platforminputcontexts/libibusplatforminputcontextplugin platformthemes/libqxdgdesktopportal iconengines/libqsvgicon \
  imageformats/libqsvg wayland-shell-integration/libxdg-shell wayland-decoration-client/libbradient; do
  mkdir -p "$tree/plugins/${plugin%/*}"
  cp "$qt/plugins/$plugin.so" "$tree/plugins/$plugin.so"
  patchelf --set-rpath '$ORIGIN/../../lib' "$tree/plugins/$plugin.so"
done

# The libraries of the system that the archive does not replace: glibc, and the C++ library, which drivers use too.
system="libc.so.6 libm.so.6 libdl.so.2 librt.so.1 libpthread.so.0 libresolv.so.2 ld-linux-x86-64.so.2 libstdc++.so.6 libgcc_s.so.1"
elf_files() { find "$tree/bin" "$tree/libexec" "$tree/lib" "$tree/plugins" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' _ {} \; -print; }
from_debian=()
while :; do
  added=0
  for library in $(elf_files | xargs -n 1 readelf -d 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u); do
    [[ " $system " == *" $library "* ]] || [ -e "$tree/lib/$library" ] && continue
    if [ -e "$qt/lib/$library" ]; then
      cp -L "$qt/lib/$library" "$tree/lib/$library"
    elif [ -e "$old/usr/lib/$arch/$library" ]; then
      cp -L "$old/usr/lib/$arch/$library" "$tree/lib/$library"
      patchelf --set-rpath '$ORIGIN' "$tree/lib/$library"
      from_debian+=("$(realpath "$old/usr/lib/$arch/$library")")
    else
      die "$library is needed, but neither Qt nor Debian 11 has it"
    fi
    added=1
  done
  [ $added = 1 ] || break
done
from_debian=("${from_debian[@]#"$old"}")

"$here/third_party.py" "$programs" --shared "$old" "${from_debian[@]}" --licence "Qt $qt_version and ICU, shared libraries in lib/" \
  "$build/qt-$qt_version/PyQt6_Qt6-$qt_version.dist-info/LICENSE" >"$tree/share/doc/blobscope-cli/third-party-notices.txt"

# --- which glibc it needs ---------------------------------------------------------------------------------------------
elf_files | while read -r file; do
  objdump -T "$file" | { grep -o 'GLIBC_2[0-9.]*' || true; } | sort -Vu | tail -n 1 | sed "s|\$| ${file#"$tree/"}|"
done | sort -Vr >"$build/glibc.txt"
echo "The newest symbols of glibc that the files need; all are in build/portable/glibc.txt:"
head -n 5 "$build/glibc.txt"
oldest=$(head -n 1 "$build/glibc.txt" | sed 's/GLIBC_//;s/ .*//')
[ "$(printf '%s\n' "$oldest" $newest_glibc | sort -V | tail -n 1)" = $newest_glibc ] || die "a file needs glibc $oldest"

tar -C "$build" --sort=name --owner=0 --group=0 --numeric-owner -cf - "$name" | gzip -9n >"$root/build/$name.tar.gz"
echo "unpacked: $(du -sh "$tree" | cut -f 1), of which lib and plugins $(du -shc "$tree/lib" "$tree/plugins" | tail -n 1 | cut -f 1)"
ls -l "$root/build/$name.tar.gz"
