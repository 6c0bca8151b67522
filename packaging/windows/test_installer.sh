#!/usr/bin/env bash
# Installs Blobscope under wine with the installer that packaging/windows/build.sh makes, uses the programs, uninstalls
# them, and prints what it did; exits with 1 at the first failure.
#
#   packaging/windows/test_installer.sh [SETUP.exe]
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
setup=${1:-$(ls "$root"/build/windows/blobscope-*-setup.exe)}
say() { printf '%s\n' "$*"; }
die() { say "FAILED: $*"; exit 1; }

wine=$(command -v wine64 || true)
[ -n "$wine" ] || wine=/usr/lib/wine/wine64
[ -x "$wine" ] || die "missing package; run as root: apt-get install -y --no-install-recommends wine64"
WINEPREFIX=$(mktemp -d)
export WINEPREFIX WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
trap 'rm -rf "$WINEPREFIX"' EXIT
"$wine" wineboot -i >/dev/null 2>&1

registered() { "$wine" reg query "$1" /s 2>/dev/null | tr -d '\r' | grep -c Blobscope || true; }
folder="$WINEPREFIX/drive_c/users/$(id -un)/AppData/Local/Programs/Blobscope"
classes='HKCU\Software\Classes' removal='HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall'

# PATH is that of the user; its variables stay variables.
path() { "$wine" reg query 'HKCU\Environment' /v Path 2>/dev/null | tr -d '\r' | sed -n 's/^ *Path *//p'; }
before='REG_EXPAND_SZ    %USERPROFILE%\bin;C:\Other'
"$wine" reg add 'HKCU\Environment' /v Path /t REG_EXPAND_SZ /d '%USERPROFILE%\bin;C:\Other' /f >/dev/null
"$wine" "$setup" /S || die "the installer ended with $?"
[ "$(path)" = "$before" ] || die "PATH was changed without being asked: $(path)"
for _ in 1 2; do "$wine" "$setup" /S /PATH || die "the installer ended with $?"; done
[ "$(path)" = "$before;$("$wine" winepath -w "$folder" | tr -d '\r')" ] || die "PATH is now $(path)"
[ -x "$folder/blobscope-cli.exe" ] || die "there is no $folder/blobscope-cli.exe"
say "installed: $(find "$folder" -type f | wc -l) files, $(du -sb "$folder" | cut -f1) bytes"
[ "$(registered "$removal")" -gt 0 ] || die "Windows' list of programs does not contain it"
if [ -e "$folder/blobscope.exe" ]; then
  [ "$(registered "$classes")" -gt 0 ] || die "no file type offers it under 'Open with'"
  [ -n "$(find "$WINEPREFIX/drive_c" -name Blobscope.lnk)" ] || die "the start menu does not contain it"
fi
version=$(cd "$folder" && "$wine" blobscope-cli.exe --version | tr -d '\r')
(cd "$folder" && "$wine" blobscope-cli.exe tree 'sample\sample-cuda-a.so' >/dev/null) || die "it cannot read a sample"
say "$version reads a sample"

touch "$folder/sample/own.txt"
# Without _?= the program would go on as a copy of itself.
"$wine" "$folder/uninstall.exe" /S "_?=$("$wine" winepath -w "$folder" | tr -d '\r')" || die "the uninstaller ended with $?"
rm -f "$folder/uninstall.exe"
left=$(find "$folder" -type f -printf '%P\n')
[ "$left" = sample/own.txt ] || die "after uninstalling, the folder contains: $left"
[ "$(path)" = "$before" ] || die "after uninstalling, PATH is $(path)"
[ "$(registered "$removal")" = 0 ] || die "Windows' list of programs still contains it"
[ "$(registered "$classes")" = 0 ] || die "file types still offer it"
[ -z "$(find "$WINEPREFIX/drive_c" -name Blobscope.lnk)" ] || die "the start menu still contains it"
say "uninstalled: only a file of the user is left"
