#!/usr/bin/env bash
# Draws the pictures of the README from the samples: NAME-THEME.png and, for the test that compares them, NAME-THEME.txt
# with the texts of the window.
#
#   packaging/pictures.sh DRAW SAMPLES OUT THEME …
#
# DRAW is the program blobscope_pictures, SAMPLES the folder of the samples, which the pictures show. The font Inter is
# used when it is installed. BLOBSCOPE_RUNNER names the helper program for the pictures of runs; without it there are none.
set -euo pipefail

[ $# -ge 4 ] || { sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
draw=$1
sample=$2
out=$3
shift 3
mkdir -p "$out"

# picture NAME [ARGUMENT …] in the theme of the loop.
picture() {
  local name=$1
  shift
  "$draw" "$out/$name-$theme.png" --font Inter --theme "$theme" "$@"
}

# Only for these pictures: the Overview would show the devices of this machine.
runner=${BLOBSCOPE_RUNNER:-}
unset BLOBSCOPE_RUNNER
# Compilers that are found change the pictures of texts, so that the only one is a script that is never run.
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
printf '#!/bin/sh\nexit 1\n' >"$tools/ptxas"
chmod +x "$tools/ptxas"
export BLOBSCOPE_CUDA_TOOLS="$tools"
a="$sample/sample-cuda-a.so"
tag="m2/field:fmap[0].info.launch_param_tags[0]"
bias=802906bfb429b53d792a85be046aea3ed3bc803e
# From the mode of a run to the box with the consent.
toConsent="Tab Tab Tab Tab Tab Tab Tab Tab"
for theme in "$@"; do
  picture start
  picture overview "$a"
  picture fields "$a" --at "m2/field:fmap[1].info.arg_types[0]"
  picture functions "$a" --at m2 --page Functions
  picture hex "$a" --at "m2/field:fmap[0].info.arg_types[0]" --page Hex
  picture text "$a" --at m2 --page Source --keys "Ctrl+F \"ld.param"
  picture bytecode "$a" --at m0/function:main
  picture changes "$a" --at "$tag" --keys "Esc F2 Ctrl+A \"blockIdx.z Return Ctrl+K \"Changes Return"
  picture repack "$a" --at "$tag" --keys "Esc F2 Ctrl+A \"blockIdx.z Return Ctrl+Shift+S Shift+Tab"
  picture archive "$sample/sample-mlf.tar"
  picture memory "$sample/sample-mlf.tar" --page Memory --keys "F6 Tab \"4k"
  picture size "$a" --page Size
  picture safety "$a" --page Safety
  picture fit "$sample/sample-mlf.tar" --page "Will it fit?"
  picture preflight "$a" --page "Will it load?" --keys "Left Left"
  picture preflight-folder "$sample" --keys "Down Down"
  picture compare "$a" "$sample/sample-cuda-b.so" --keys "F7 Up"
  if [ -n "$runner" ]; then
    BLOBSCOPE_RUNNER=$runner picture run "$sample/sample-opencl.so" --keys "F5 Tab Tab Tab Tab Tab Space Return"
    # One number of the bias is another one.
    BLOBSCOPE_RUNNER=$runner picture nodes "$sample/sample-cpu.so" --replace "m0/const:12=$bias" \
      --keys "F5 Home Tab End Up $toConsent Space Return"
    BLOBSCOPE_RUNNER=$runner picture profile "$sample/sample-cpu.so" --keys "F5 Home Tab $toConsent Tab Tab Space Return"
  fi
  picture problems "$sample/sample-damaged.so" --keys F8
done
# The same texts as the light ones, and the times of this machine.
rm -f "$out"/*-dark.txt "$out"/{run,nodes,profile}-light.txt
