#!/usr/bin/env bash
# Checks Blobscope on a machine with a GPU, which needs neither a network nor development packages.
#
#   packaging/gpu_check.sh archive OUT.tar.gz [BUILD]  pack the command line, the runner, the samples and this script;
#                                                      BUILD is a build folder, by default build/release
#   gpu_check.sh run DIR REPORT [LIBRARY...]           on the other machine: run all checks with the unpacked folder DIR
#                                                      and write their results to REPORT, a Markdown file
#
# `run` lists the devices, checks them with built-in kernels, and runs each CUDA sample: alone, measured, and compared with
# a repacked copy. With the compilers of a CUDA toolkit, if there is one, it compiles changed kernels and compares them
# with the original. It executes code of the samples, and of each LIBRARY, whose functions and model are run on the device
# that the library was built for. Exit code: 0 if nothing failed, 1 if something did, 2 if the checks could not be run.
# Without a GPU, the report says so, and only the other devices are checked.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
limit_bytes=${BLOBSCOPE_ARCHIVE_BYTES:-$((64 << 20))} # tests pack programs with sanitizers, which are larger
# Seconds for one command. The runner has its own limits for each step, which are shorter.
limit_seconds=300

say() { printf '%s\n' "$*" >&2; }
die() { say "gpu_check.sh: $*"; exit 2; }

# --- archive ----------------------------------------------------------------------------------------------------------

# Prints "SOURCE TARGET" for each file of the archive, except the shared libraries.
files_of_archive() {
  local root=$1 build=$2 name
  for name in blobscope-cli blobscope-runner libblobscope-shim.so libblobscope-metadata-shim.so; do
    printf '%s bin/%s\n' "$build/app/$name" "$name"
  done
  for name in "$root"/resources/sample/*.so "$root/resources/sample/PROVENANCE.md"; do
    printf '%s sample/%s\n' "$name" "$(basename "$name")"
  done
  printf '%s LICENSE\n' "$root/LICENSE"
  printf '%s gpu_check.sh\n' "$root/packaging/gpu_check.sh"
  printf '%s gpu_check.cu\n' "$root/packaging/gpu_check.cu"
}

# Prints the shared libraries that the given programs need, except those of the C library: the other machine's loader
# accepts only its own.
libraries_of() {
  ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -vE '/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|resolv|util|nsl|anl|BrokenLocale))\.so(\.[0-9]+)*$' || true
}

# Drivers are loaded into the same process and need the C++ library of their own system, which may be newer. So the
# archive's is used only if that of the machine is missing or too old.
write_starter() {
  cat >"$1" <<'STARTER'
#!/bin/sh
# Starts the command line with the libraries of this machine; those of the archive replace only what is missing.
here=$(cd "$(dirname "$0")" && pwd)
lacks() { LD_LIBRARY_PATH=$1 ldd "$here/bin/blobscope-cli" "$here/bin/blobscope-runner" 2>&1 | grep -q 'not found'; }
path=${LD_LIBRARY_PATH:-}
if lacks "$path"; then path="$here/lib${path:+:$path}"; fi
if lacks "$path"; then path="$here/lib/c++:$path"; fi
if [ -n "$path" ]; then export LD_LIBRARY_PATH="$path"; fi
exec "$here/bin/blobscope-cli" "$@"
STARTER
  chmod +x "$1"
}

verb_archive() {
  if [ $# -lt 1 ] || [ $# -gt 2 ]; then die "archive needs OUT.tar.gz and optionally a build folder"; fi
  local out=$1 root build staging source target library
  root=$(cd "$here/.." && pwd)
  build=${2:-$root/build/release}
  [ -x "$build/app/blobscope-cli" ] || die "$build/app/blobscope-cli does not exist; build it first, for example with packaging/dev.sh run"
  staging=$(mktemp -d)
  # shellcheck disable=SC2064
  trap "rm -rf '$staging'" EXIT
  local top="$staging/blobscope-gpu-check"
  mkdir -p "$top/bin" "$top/lib/c++" "$top/sample"
  while read -r source target; do
    [ -f "$source" ] || die "$source does not exist; build all of blobscope-cli, blobscope-runner and blobscope-shim"
    cp "$source" "$top/$target"
    case $target in bin/*) strip --strip-unneeded "$top/$target" 2>/dev/null || true ;; esac
  done < <(files_of_archive "$root" "$build")
  for library in $(libraries_of "$top/bin/blobscope-cli" "$top/bin/blobscope-runner"); do
    case $library in
    */libstdc++.so.* | */libgcc_s.so.*) cp -L "$library" "$top/lib/c++/" ;;
    *) cp -L "$library" "$top/lib/" ;;
    esac
  done
  write_starter "$top/blobscope-cli"
  tar --owner=0 --group=0 --sort=name -C "$staging" -czf "$out" blobscope-gpu-check
  local size
  size=$(stat -c %s "$out")
  [ "$size" -lt $limit_bytes ] || die "$out has $size bytes; the limit is $limit_bytes"
  say "$out: $((size / 1024)) KiB; unpack it on the other machine and run: blobscope-gpu-check/gpu_check.sh run blobscope-gpu-check report.md"
}

# --- run --------------------------------------------------------------------------------------------------------------

passed=0
failed=0
failures=""

# section TITLE EXPECTED COMMAND …: runs the command with a time limit and adds its output to the report. EXPECTED: the
# exit codes that are fine, separated by commas.
section() {
  local title=$1 expected=$2 code=0 begin output seconds line
  shift 2
  line=$*
  line=${line//"$dir/"/}
  line=${line//"$work/"/}
  say "$title"
  output="$work/output"
  begin=$(date +%s%N)
  timeout --kill-after=10 $limit_seconds "$@" >"$output" 2>&1 </dev/null || code=$?
  seconds=$(awk -v ns=$(($(date +%s%N) - begin)) 'BEGIN { printf "%.2f", ns / 1e9 }')
  local result=ok
  if [ $code = 124 ] || [ $code = 137 ]; then
    result="stopped after $limit_seconds s"
  elif ! printf ',%s,' "$expected" | grep -q ",$code,"; then
    result="failed"
  fi
  if [ "$result" = ok ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    failures+="- **$title** (exit code $code, $result)"$'\n\n'"$(grep -E 'failed|RUN-|error|refused|crashed|not found|no CUDA|differs' "$output" | head -n 20 | sed 's/^/      /' || true)"$'\n\n'
  fi
  {
    printf '### %s\n\n' "$title"
    printf 'Result: %s. Exit code %s, %s s.\n\n' "$result" "$code" "$seconds"
    printf '    $ %s\n' "$line"
    head -c 40000 "$output" | sed 's/^/    /'
    printf '\n'
  } >>"$body"
}

# Facts about this machine; commands that do not exist are left out.
describe_machine() {
  printf '| | |\n|---|---|\n'
  printf '| system | %s |\n' "$(sed -n 's/^PRETTY_NAME="\(.*\)"$/\1/p' /etc/os-release 2>/dev/null || true)"
  printf '| kernel | %s |\n' "$(uname -srm)"
  printf '| C library | %s |\n' "$(ldd --version 2>/dev/null | head -n 1)"
  printf '| processors | %s |\n' "$(nproc 2>/dev/null || echo unknown)"
  printf '| NVIDIA kernel module | %s |\n' "$(head -n 1 /proc/driver/nvidia/version 2>/dev/null || echo none)"
  if command -v nvidia-smi >/dev/null; then
    nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv,noheader 2>&1 | sed 's/|/,/g; s/.*/| nvidia-smi | & |/'
  fi
  printf '| blobscope-cli | %s |\n' "$("$cli" --version 2>&1 | head -n 1)"
}

check_sample() {
  local name=$1 sample="$dir/sample/$1" module="m2" copy="$work/repacked-$1"
  section "$name: all functions on the GPU" 0 "$cli" run "$sample" --all --device cuda --yes
  section "$name: measured" 0 "$cli" run "$sample" --all --device cuda --repeat 50 --yes
  # A comment changes the size of the PTX, so that everything after it moves, but not what it does.
  if "$cli" extract "$sample" "$module/field:data" -o "$work/code.ptx" >"$work/extract" 2>&1; then
    tr -d '\0' <"$work/code.ptx" >"$work/longer.ptx"
    printf '\n// This comment was added before the library was repacked.\n' >>"$work/longer.ptx"
    section "$name: repack with a longer kernel image" 0 "$cli" repack "$sample" -o "$copy" --replace "$module/field:data=$work/longer.ptx"
    if [ -f "$copy" ]; then
      section "$name: the repacked library is intact" 0 "$cli" verify "$copy"
      section "$name: the original compared with the repacked library" 0 "$cli" run "$sample" --all --device cuda --compare "$copy" --yes
    fi
  else
    section "$name: extract the kernel image" 0 "$cli" extract "$sample" "$module/field:data" -o "$work/code.ptx"
  fi
}

# compiled TITLE COMPILER SOURCE ARCH: compiles SOURCE into a copy of the first sample, $work/compiled.so; false if the
# compiler is missing, which the report says.
compiled() {
  local probe="$work/probe"
  "$cli" compile "$sample" m2 --source "$3" --arch "$4" --compiler "$2" -o "$work/code" >"$probe" 2>&1 || true
  if grep -q COMP-MISSING "$probe"; then
    printf '### %s\n\nNot tried: %s\n\n' "$1" "$(grep -m1 COMP-MISSING "$probe")" >>"$body"
    return 1
  fi
  section "$1" 0 "$cli" compile "$sample" m2 --source "$3" --arch "$4" --compiler "$2" --into "$work/compiled.so"
  [ -f "$work/compiled.so" ]
}

# Compiles for this GPU with each compiler, and runs old against new.
check_compilers() {
  local sample="$dir/sample/sample-cuda-a.so" compiler arch code
  arch=$("$cli" devices | sed -n 's/.*compute capability: \([0-9]*\)\.\([0-9]*\).*/sm_\1\2/p' | head -n 1)
  "$cli" extract "$sample" m2/field:data -o "$work/code.ptx" >"$work/extract" 2>&1 || return 0
  # relu becomes max(x, 1): the results of this kernel, and of no other, change.
  tr -d '\0' <"$work/code.ptx" |
    awk '/^\.visible \.entry/ { inside = /fused_conv2d_relu_kernel/ } inside && /mov\.f32.*0f00000000;/ && /%f590,/ { sub(/0f00000000/, "0f3F800000") } { print }' >"$work/edited.ptx"
  for compiler in ptxas nvjitlink; do
    rm -f "$work/compiled.so"
    compiled "Changed PTX compiled by $compiler for sm_75 and $arch" $compiler "$work/edited.ptx" "sm_75,$arch" || continue
    section "Changed PTX compiled by $compiler: only the changed kernel differs" 0 \
      "$cli" run "$work/compiled.so" softmax mean fused_matmul_add --device cuda --compare "$sample" --repeat 20 --yes
    section "Changed PTX compiled by $compiler: the changed kernel differs" 1 \
      "$cli" run "$work/compiled.so" fused_conv2d_relu --device cuda --compare "$sample" --repeat 20 --yes
  done
  for compiler in nvrtc nvcc; do
    for code in "$arch" "compute_${arch#sm_}"; do
      rm -f "$work/compiled.so"
      compiled "CUDA C++ compiled by $compiler for $code" $compiler "$dir/gpu_check.cu" "$code" || continue
      section "CUDA C++ compiled by $compiler for $code: the same results" 0 \
        "$cli" run "$work/compiled.so" --all --device cuda --compare "$sample" --repeat 20 --yes
    done
  done
}

verb_run() {
  [ $# -ge 2 ] || die "run needs DIR and REPORT"
  dir=$(cd "$1" 2>/dev/null && pwd) || die "$1 is not a folder"
  local report=$2 name
  shift 2
  cli="$dir/blobscope-cli"
  [ -x "$cli" ] || die "$cli does not exist; DIR is the folder that the archive contains"
  "$cli" --version >/dev/null || die "blobscope-cli does not start on this machine"
  work=$(mktemp -d)
  # shellcheck disable=SC2064
  trap "rm -rf '$work'" EXIT
  trap 'exit 2' INT TERM
  body="$work/body"
  : >"$body"

  section "Devices" 0 "$cli" devices
  local cuda=0
  grep -q '^cuda:' "$work/output" && cuda=1
  section "Devices, checked with built-in kernels" 0 "$cli" devices --check
  section "Devices, as JSON" 0 "$cli" devices --check --json
  for name in sample-cuda-a.so sample-cuda-b.so; do
    section "$name: dry run" 0 "$cli" run "$dir/sample/$name" --all --dry --yes
    [ $cuda = 0 ] || check_sample "$name"
  done
  # The samples differ in one constant and one schedule, so the two builds give the same results for the same inputs.
  [ $cuda = 0 ] || section "The two CUDA samples compared" 0 "$cli" run "$dir/sample/sample-cuda-a.so" --all --device cuda --compare "$dir/sample/sample-cuda-b.so" --yes
  [ $cuda = 0 ] || check_compilers
  # The models of both CUDA samples and of the sample for the processor are the same, except for one number of the bias in
  # sample-cuda-b.so.
  section "The model of the processor" 0 "$cli" run "$dir/sample/sample-cpu.so" --model --tap all --repeat 50 --yes
  if [ $cuda = 1 ]; then
    section "The whole model on the GPU" 0 "$cli" run "$dir/sample/sample-cuda-a.so" --model --device cuda --tap all --repeat 50 --yes
    section "The whole model on the GPU compared with the processor" 0 "$cli" run "$dir/sample/sample-cuda-a.so" --model --compare "$dir/sample/sample-cpu.so" --yes
    section "The models of the two CUDA samples differ in the node with the bias" 1 "$cli" run "$dir/sample/sample-cuda-a.so" --model --device cuda --compare "$dir/sample/sample-cuda-b.so" --yes
  fi
  for name in "$@"; do
    section "$(basename "$name"): all functions" 0 "$cli" run "$name" --all --repeat 10 --yes
    section "$(basename "$name"): the model" 0 "$cli" run "$name" --model --tap all --repeat 10 --yes
  done

  {
    printf '# Blobscope on a GPU\n\n'
    describe_machine
    printf '\n%s steps passed, %s failed.' "$passed" "$failed"
    [ $cuda = 1 ] || printf ' **This machine has no CUDA device that can be used, so no CUDA kernel was run.** The first step shows what is missing.'
    printf '\n\n## What failed\n\n%s\n\n## Steps\n\n' "${failures:-Nothing failed.}"
    cat "$body"
  } >"$report"
  say "$passed steps passed, $failed failed; the report is $report"
  [ $failed = 0 ]
}

verb=${1:-}
[ $# -eq 0 ] || shift
case $verb in
archive) verb_archive "$@" ;;
run) verb_run "$@" ;;
*) sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; [ -z "$verb" ] || exit 2 ;;
esac
