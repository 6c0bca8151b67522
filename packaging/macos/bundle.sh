#!/usr/bin/env bash
# Makes Blobscope.app and a disk image on a Mac, with Xcode's command line tools and Qt 6 (its macdeployqt in PATH).
#
#   packaging/macos/bundle.sh BUILD        BUILD: a CMake build folder with blobscope, blobscope-cli and blobscope-runner
#
# To sign and notarise, set BLOBSCOPE_IDENTITY ("Developer ID Application: …") and BLOBSCOPE_NOTARY_PROFILE (made once with
# `xcrun notarytool store-credentials`). Without them the program is signed ad hoc, and macOS asks before it opens it.
#
# NOT TRIED: this script needs a Mac. README.md says what was tried.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "${1:?usage: bundle.sh BUILD}" && pwd)
[ "$(uname)" = Darwin ] || { echo "bundle.sh: this script needs macOS" >&2; exit 2; }
version=$(sed -n 's/^project(Blobscope VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
app="$build/Blobscope.app"
identity=${BLOBSCOPE_IDENTITY:--}

# --- 1. The bundle. The runner and its libraries are next to the programs, where these search for them. ---
rm -rf "$app"
mkdir -p "$app/Contents/MacOS" "$app/Contents/Resources"
sed "s/@VERSION@/$version/g" "$here/Info.plist.in" >"$app/Contents/Info.plist"
plutil -lint "$app/Contents/Info.plist"
for file in blobscope blobscope-cli blobscope-runner libblobscope-shim.dylib libblobscope-metadata-shim.dylib; do
  cp "$build/app/$file" "$app/Contents/MacOS/"
done
cp -R "$root/resources/sample" "$app/Contents/Resources/"
macdeployqt "$app" -always-overwrite

# --- 2. Signatures, from the inside out. The runner loads foreign libraries, which the hardened runtime would refuse. ---
options=(--force --timestamp --options runtime)
[ "$identity" != - ] || options=(--force)
codesign "${options[@]}" --sign "$identity" "$app"/Contents/MacOS/*.dylib "$app/Contents/MacOS/blobscope-cli"
codesign "${options[@]}" --entitlements "$here/runner.entitlements" --sign "$identity" "$app/Contents/MacOS/blobscope-runner"
codesign "${options[@]}" --deep --sign "$identity" "$app"
codesign --verify --deep --strict "$app"

# --- 3. The disk image. ---
image="$build/Blobscope-$version.dmg"
rm -f "$image"
hdiutil create -volname Blobscope -srcfolder "$app" -fs HFS+ -format UDZO "$image"
if [ "$identity" != - ] && [ -n "${BLOBSCOPE_NOTARY_PROFILE:-}" ]; then
  codesign --timestamp --sign "$identity" "$image"
  xcrun notarytool submit "$image" --keychain-profile "$BLOBSCOPE_NOTARY_PROFILE" --wait
  xcrun stapler staple "$image"
fi
echo "$image"
