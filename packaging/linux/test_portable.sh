#!/usr/bin/env bash
# Unpacks the archive of build_portable.sh in bare systems and uses it there: Debian 11 (glibc 2.31), 12 and 13. Needs root
# and the package debootstrap; with Xvfb, it also opens the window on an X server.
#
#   packaging/linux/test_portable.sh [FOLDER…]    FOLDERs are bare systems to copy instead of downloading three
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
die() { printf 'test_portable.sh: %s\n' "$*" >&2; exit 2; }
[ "$(id -u)" = 0 ] || die "this test needs root"
archive=$(ls "$root"/build/blobscope-*-linux-x86_64.tar.gz 2>/dev/null) || die "there is no archive; run packaging/linux/build_portable.sh first"

work=$(mktemp -d)
server=""
cleanup() {
  umount -l "$work"/*/proc "$work"/*/dev "$work"/*/tmp/.X11-unix 2>/dev/null || true
  [ -z "$server" ] || kill "$server"
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT
if command -v Xvfb >/dev/null; then
  Xvfb :97 -screen 0 1280x800x24 >"$work/xvfb.log" 2>&1 &
  server=$!
else
  echo "skipped: Xvfb is not installed, so the window is not opened on an X server"
fi

cat >"$work/use.sh" <<'INSIDE'
set -euo pipefail
export HOME=/portable/home LC_ALL=C.UTF-8
mkdir "$HOME"
cd "$HOME"
top=$(echo /portable/blobscope-*/)
cli=$top/bin/blobscope-cli samples=$top/share/blobscope/sample
$cli --version
$cli tree $samples/sample-cuda-a.so | tail -n 1
$cli check $samples/sample-mlf.tar | tail -n 1
$cli repack $samples/sample-cuda-a.so -o copy.so >/dev/null
cmp $samples/sample-cuda-a.so copy.so
$cli show $samples/sample-cuda-a.so host:softmax >/dev/null
$cli run $samples/sample-cuda-a.so --all --dry --yes | tail -n 1
$cli run $samples/sample-cpu.so --all --yes | tail -n 1
$cli devices | head -n 1
open_window() { # PLATFORM
  QT_QPA_PLATFORM=$1 $top/bin/blobscope $samples/sample-cuda-a.so >window.log 2>&1 &
  local window=$! i
  # The window adds a library that it has read to the recent files.
  rm -rf "$HOME/.config"
  for ((i = 0; i < 300; i++)); do
    grep -qs module=cuda "$HOME/.config/Blobscope/Blobscope.conf" && break
    kill -0 $window || break
    sleep 0.1
  done
  grep -qs module=cuda "$HOME/.config/Blobscope/Blobscope.conf" || { echo "$1: the window did not open the file"; cat window.log; exit 1; }
  # Only glibc and the C++ library come from the system.
  grep -o '/.*\.so[.0-9]*$' /proc/$window/maps | sort -u | grep -v "^${top%/}/" | grep -vE '/(ld-|lib(c|m|dl|rt|pthread|resolv|nss_[a-z]*|stdc\+\+|gcc_s)[-.])' || true
  kill $window
  wait $window || true
  echo "$1: the window has opened the file"
}
open_window offscreen
[ ! -e /tmp/.X11-unix/X97 ] || DISPLAY=:97 open_window xcb
INSIDE

systems=("$@")
if [ $# = 0 ]; then
  for suite in bullseye bookworm trixie; do
    debootstrap --variant=minbase $suite "$work/$suite.new" >"$work/debootstrap.log" || { tail "$work/debootstrap.log" >&2; exit 1; }
    systems+=("$work/$suite.new")
  done
fi
number=0
for from in "${systems[@]}"; do
  system="$work/system$((++number))"
  cp -a "$from" "$system"
  mount -t proc proc "$system/proc"
  mount --bind /dev "$system/dev"
  mkdir -p "$system/portable" "$system/tmp/.X11-unix"
  [ -z "$server" ] || mount --bind /tmp/.X11-unix "$system/tmp/.X11-unix"
  tar -xzf "$archive" -C "$system/portable"
  cp "$work/use.sh" "$system/portable"
  echo "--- Debian $(cat "$system/etc/debian_version"), $(chroot "$system" ldd --version | head -n 1)"
  chroot "$system" bash /portable/use.sh
done
