#!/usr/bin/env bash
# Installs the packages of build_deb.sh in a bare Debian 12, uses them there, and removes them. Needs root and the package
# debootstrap; downloads about 150 MB.
#
#   packaging/linux/test_deb.sh [FOLDER]    FOLDER is a bare Debian 12 to copy instead of downloading one
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
die() { printf 'test_deb.sh: %s\n' "$*" >&2; exit 2; }
[ "$(id -u)" = 0 ] || die "this test needs root"
ls "$root"/build/package/*.deb >/dev/null 2>&1 || die "there are no packages; run packaging/linux/build_deb.sh first"

work=$(mktemp -d)
system="$work/system"
cleanup() {
  umount -l "$system/proc" "$system/dev" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT
if [ $# -gt 0 ]; then
  cp -a "$1" "$system"
else
  command -v debootstrap >/dev/null || die "debootstrap is missing; install the package debootstrap"
  debootstrap --variant=minbase bookworm "$system" >"$work/debootstrap.log" || { tail "$work/debootstrap.log" >&2; exit 1; }
fi
mount -t proc proc "$system/proc"
mount --bind /dev "$system/dev"
cp /etc/resolv.conf "$system/etc/resolv.conf"
mkdir "$system/packages"
cp "$root"/build/package/*.deb "$system/packages"

cat >"$system/packages/use.sh" <<'INSIDE'
set -euo pipefail
export HOME=/packages/home LC_ALL=C DEBIAN_FRONTEND=noninteractive
mkdir "$HOME"
cd "$HOME"
step() { echo "--- $*"; }
install() { apt-get install -y -qq --no-install-recommends "$@" >/packages/apt.log 2>&1 || { tail /packages/apt.log; exit 1; }; }
apt-get update -qq

step "blobscope-cli"
install /packages/blobscope-cli_*.deb
dpkg -s blobscope-cli | grep '^Depends'
! dpkg -l | grep -q libqt6 || { echo "blobscope-cli needs Qt"; exit 1; }
samples=/usr/share/blobscope/sample
blobscope-cli --version
blobscope-cli tree $samples/sample-cuda-a.so
blobscope-cli check $samples/sample-mlf.tar
blobscope-cli verify $samples/sample-damaged.so && exit 1 || [ $? = 1 ]
blobscope-cli repack $samples/sample-cuda-a.so -o copy.so
cmp $samples/sample-cuda-a.so copy.so
blobscope-cli run $samples/sample-cuda-a.so --all --dry --yes
blobscope-cli run $samples/sample-cpu.so --all --yes
blobscope-cli devices

step "manual and completions"
install man-db bash-completion
man -P cat blobscope-cli | grep -q 'repack' || exit 1
# The file that bash-completion loads for this command.
bash --norc -c 'source /usr/share/bash-completion/bash_completion; _completion_loader blobscope-cli || true; complete -p blobscope-cli'

step "blobscope"
install /packages/blobscope_*.deb
dpkg -s blobscope | grep '^Depends'
blobscope --version
man -P cat blobscope | grep -q -- '--at' || exit 1
QT_QPA_PLATFORM=offscreen blobscope $samples/sample-cuda-a.so >window.log 2>&1 &
window=$!
# The window adds a library that it has read to the recent files.
for ((i = 0; i < 300; i++)); do
  grep -qs module=cuda "$HOME/.config/Blobscope/Blobscope.conf" && break
  kill -0 $window || break
  sleep 0.1
done
grep -qs module=cuda "$HOME/.config/Blobscope/Blobscope.conf" || { echo "the window did not open the file"; cat window.log; exit 1; }
kill $window
wait $window || true
echo "the window has opened the file"

step "removing both"
apt-get purge -y -qq blobscope blobscope-cli >/packages/apt.log 2>&1
# man keeps formatted pages of its own.
left=$(find / -xdev -path /packages -prune -o -path /proc -prune -o -path /var/cache/man -prune -o -iname '*blobscope*' -print)
[ -z "$left" ] || { echo "not removed: $left"; exit 1; }
echo "all files were removed"
INSIDE
chroot "$system" bash /packages/use.sh
