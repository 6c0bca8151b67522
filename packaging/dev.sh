#!/usr/bin/env bash
# Builds, runs and tests Blobscope; installs what is missing on Debian 12 and later.
#
#   packaging/dev.sh run [FILE [OTHER]]                  build, then open FILE or the start page, or compare FILE with OTHER;
#                                                        without a display, print the tree of FILE or of a bundled sample
#   packaging/dev.sh test [--filter NAME] [--without-tvm]  build everything with sanitizers and run all tests
#   packaging/dev.sh test --quick [--filter NAME]        build without sanitizers; skip the tests that load libraries with TVM, Wine or Node.js
#   packaging/dev.sh test --list                         print the names of all tests; builds nothing
#   packaging/dev.sh bench                               build and run the benchmarks
#   packaging/dev.sh lint [FOLDER]                       run clang-tidy over core, app and ui, or over the sources of FOLDER
#   packaging/dev.sh matrix                              build the configurations that `test` does not build, and check that
#                                                        each source compiles alone
#   packaging/dev.sh fuzz [SECONDS]                      fuzz each entry for SECONDS, by default 60
#   packaging/dev.sh pictures                            redraw resources/screenshots from the samples
#   packaging/dev.sh translations                        update resources/translations with the texts of the window
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build="$root/build"

run_packages="clang-19 lld-19 cmake ninja-build ccache llvm-19-dev zlib1g-dev libzstd-dev liblz4-dev libre2-dev nettle-dev libxml2-dev pkg-config spirv-tools nlohmann-json3-dev libarchive-dev libcli11-dev libvulkan-dev opencl-headers"
window_packages="qt6-base-dev qt6-svg-dev qt6-l10n-tools qt6-translations-l10n fonts-dejavu-core"
# With sanitizers, clang compiles a quarter faster than g++ (measured with 5 sources of core: 21.6 s, g++ 30.0 s).
# Sanitizer reports name functions but no lines, because lines would take a tenth of the compile time; -g1 adds them.
test_packages="$run_packages $window_packages libclang-rt-19-dev clang-format-19 binutils elfutils patchelf llvm-19 qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross python3-venv fonts-inter libdtl-dev mesa-vulkan-drivers pocl-opencl-icd ocl-icd-libopencl1 nodejs wine64 gcc-mingw-w64-x86-64 desktop-file-utils appstream librsvg2-bin zsh fish man-db"
quick_packages="$run_packages $window_packages fonts-inter clang-format-19 binutils llvm-19 libdtl-dev"
lint_packages="$run_packages $window_packages clang-tidy-19"
fuzz_packages="$run_packages libclang-rt-19-dev"

say() { printf '%s\n' "$*" >&2; }
die() { say "dev.sh: $*"; exit 2; }

# --- packages ---------------------------------------------------------------------------------------------------------

missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || printf '%s ' "$package"
  done
}

# Shows the missing packages and their size, then installs them; if it cannot get root rights, prints the command instead.
need_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    local tool absent=""
    for tool in clang++-19 ld.lld-19 cmake ninja; do command -v "$tool" >/dev/null || absent+=" $tool"; done
    [ -z "$absent" ] || die "this system is not Debian; missing tools:$absent; needed packages, by their Debian names: $*"
    return 0
  fi
  local missing as_root=""
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "missing packages; run as root: apt-get install -y --no-install-recommends $missing"
    as_root=sudo
    [ -t 0 ] || sudo -n true 2>/dev/null ||
      die "missing packages; run: sudo apt-get install -y --no-install-recommends $missing"
  fi
  say "Missing packages: $missing"
  # shellcheck disable=SC2086
  if ! apt-get -s install --no-install-recommends $missing >/dev/null 2>&1; then
    say "Reading the package lists"
    $as_root apt-get update -qq >&2
  fi
  # shellcheck disable=SC2086
  LC_ALL=C apt-get install --assume-no --no-install-recommends $missing 2>/dev/null |
    grep -E '^(Need to get|After this operation|[0-9]+ upgraded)' >&2 || true
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >"$build/packages.log" 2>&1 ||
    { tail -n 20 "$build/packages.log" >&2; die "the packages could not be installed; full log: build/packages.log"; }
}

# With these, ccache finds what another clone compiled, except with precompiled headers, which contain their paths.
# CCACHE_DEPEND saves preprocessing what is then compiled.
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros

# --- building ---------------------------------------------------------------------------------------------------------

# configure PRESET [OPTION …]; the build folder is build/PRESET.
configure() {
  local preset=$1
  shift
  local launcher=()
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  [ -f "$build/$preset/build.ninja" ] && return 0
  say "Configuring $preset"
  (cd "$root" && cmake --preset "$preset" "${launcher[@]}" "$@") >"$build/$preset.configure.log" 2>&1 ||
    { grep -A8 -E 'Error|not found' "$build/$preset.configure.log" >&2 || tail -n 20 "$build/$preset.configure.log" >&2; return 1; }
}

# compile PRESET TARGET …: on a terminal, shows one progress line; otherwise, prints output only if the build fails.
compile() {
  local preset=$1
  shift
  if [ -t 2 ]; then
    ninja -C "$build/$preset" "$@" >&2
  else
    ninja -C "$build/$preset" "$@" >"$build/$preset.build.log" 2>&1 || { tail -n 60 "$build/$preset.build.log" >&2; return 1; }
  fi
}

# --- commands ---------------------------------------------------------------------------------------------------------

verb_run() {
  # shellcheck disable=SC2086
  need_packages $run_packages $window_packages
  configure release
  [ -x "$build/release/app/blobscope" ] || say "Building the programs (about 3 minutes the first time)"
  compile release blobscope blobscope-cli blobscope-runner blobscope-shim
  if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then exec "$build/release/app/blobscope" "$@"; fi
  exec "$build/release/app/blobscope-cli" tree "${1:-$root/resources/sample/sample-cuda-a.so}"
}

# Draws the pictures of the README.
verb_pictures() {
  # shellcheck disable=SC2086
  need_packages $quick_packages
  configure quick
  compile quick blobscope_pictures blobscope-runner blobscope-shim
  # The window shows the folder of the file, so the samples are in a folder that is the same on every machine.
  local sample=/tmp/blobscope-samples
  mkdir "$sample" || die "$sample already exists; remove it first"
  trap 'rm -rf /tmp/blobscope-samples' EXIT
  cp -r "$root/resources/sample/." "$sample"
  BLOBSCOPE_RUNNER="$build/quick/app/blobscope-runner" \
    "$root/packaging/pictures.sh" "$build/quick/tests/ui/pictures/blobscope_pictures" "$sample" "$root/resources/screenshots" light dark
}

# Adds new texts to the translations, removes texts that the window no longer has, and lists what has to be translated.
verb_translations() {
  need_packages qt6-l10n-tools
  python3 "$root/packaging/translations.py" update
}

# Creates a virtual environment with TVM's own runtime; if that fails, the tests that need it are skipped.
need_tvm() {
  local venv="$build/tvm"
  [ -x "$venv/bin/python" ] && "$venv/bin/python" -c 'import tvm' 2>/dev/null && return 0
  say "Downloading the Python package apache-tvm 0.27.0.post1 (about 130 MB)"
  python3 -m venv "$venv" >"$build/tvm.log" 2>&1 &&
    timeout 120 "$venv/bin/pip" install -q apache-tvm==0.27.0.post1 numpy >>"$build/tvm.log" 2>&1 ||
    say "apache-tvm could not be installed; the tests that need it are skipped; log: build/tvm.log"
}

# run_programs PRESET FILTER SECONDS RESULTS: runs the test programs of a configuration; count_results.py counts failures.
run_programs() {
  local preset=$1 filter=$2 limit=$3 results=$4 select=()
  [ -z "$filter" ] || select=(-R "$filter")
  mkdir -p "$results/$preset"
  BLOBSCOPE_RESULTS="$results/$preset" ctest --test-dir "$build/$preset" -j2 --timeout "$limit" --output-on-failure \
    --no-tests=ignore --output-junit "$results/$preset.ctest.xml" "${select[@]}" >&2 || true
}

# Builds without sanitizers and runs only the tests that ctest starts: a quick check between two edits.
test_quick() {
  local filter=$1 start=$SECONDS results="$build/results-quick"
  # shellcheck disable=SC2086
  need_packages $quick_packages
  configure quick
  say "Building the tests"
  compile quick
  say "Built in $((SECONDS - start)) s"
  trap - ERR
  rm -rf "$results"
  QT_QPA_PLATFORM=offscreen run_programs quick "$filter" 300 "$results"
  say "Wall time of test: $((SECONDS - start)) s"
  python3 "$root/packaging/count_results.py" "$results"
}

# run_real PYTHON TEST RESULTS: runs a test of tests/real. One that does not write its results counts as failed.
run_real() {
  local python=$1 real=$2 results=$3
  BLOBSCOPE_RESULTS="$results/real" timeout 900 "$python" "$root/tests/real/$real.py" \
    "$build/dev-asan/app/blobscope-cli" >"$results/$real.log" 2>&1 || tail -n 40 "$results/$real.log" >&2
  [ -e "$results/real/$real.xml" ] || touch "$results/real/$real.xml"
}

verb_test() {
  local filter="" with_tvm=1 quick=0
  while [ $# -gt 0 ]; do
    case $1 in
    --filter) [ $# -ge 2 ] || die "--filter needs a name"; filter=$2; shift 2 ;;
    --without-tvm) with_tvm=0; shift ;;
    --quick) quick=1; shift ;;
    --list) exec python3 "$root/packaging/list_tests.py" ;;
    *) die "unknown argument of test: '$1'" ;;
    esac
  done
  # If something fails before the tests run, it is counted as one failed test.
  trap 'echo "0 passed, 1 failed"' ERR
  if [ $quick = 1 ]; then
    test_quick "$filter"
    return
  fi
  # shellcheck disable=SC2086
  need_packages $test_packages
  local start=$SECONDS results="$build/results" download=""
  [ $with_tvm = 0 ] || { need_tvm & download=$!; }
  configure dev-asan
  say "Building the tests"
  compile dev-asan
  configure core-tsan
  compile core-tsan race_open race_core
  [ -z "$download" ] || wait "$download"
  say "Built in $((SECONDS - start)) s"
  trap - ERR

  rm -rf "$results"
  mkdir -p "$results/real"
  [ ! -x "$build/tvm/bin/python" ] || [ $with_tvm = 0 ] || export BLOBSCOPE_TVM_RUNTIME="$build/tvm"
  export QT_QPA_PLATFORM=offscreen
  # Reports need only the last frames of an allocation; recording 30 of them took 7 % of the time of test_core_library.
  export ASAN_OPTIONS=detect_stack_use_after_return=1:malloc_context_size=4 UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1
  local configuration
  for configuration in dev-asan core-tsan; do run_programs "$configuration" "$filter" 1200 "$results"; done
  # These tests load libraries with the system's loader, which needs no TVM, and with TVM's own runtime.
  local python="$build/tvm/bin/python" real
  [ -x "$python" ] && [ $with_tvm = 1 ] || python=python3
  # Two at a time, for two cores; the longest first.
  for real in test_tvm_runtime test_models test_preflight test_compile test_repack test_objects test_repack_pe test_repack_wasm test_damage; do
    [ -z "$filter" ] || [[ $real =~ $filter ]] || continue
    while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n || true; done
    run_real "$python" "$real" "$results" &
  done
  wait
  say "Wall time of test: $((SECONDS - start)) s"
  python3 "$root/packaging/count_results.py" "$results"
}

verb_bench() {
  # shellcheck disable=SC2086
  need_packages $run_packages $window_packages g++ binutils
  configure optimized -DBLOBSCOPE_BENCH=ON
  compile optimized blobscope-cli blobscope_bench blobscope_window_bench
  "$build/optimized/tests/bench/blobscope_bench" "$build/optimized/app/blobscope-cli" "$@"
  "$build/optimized/tests/bench/blobscope_window_bench" "$@"
}

# The checks are in .clang-tidy. It takes too long for `test`: 25 minutes with 2 cores.
verb_lint() {
  # shellcheck disable=SC2086
  need_packages $lint_packages
  local folder=${1:-} pattern="^$root/(core|app|ui)/"
  [ -z "$folder" ] || pattern="^$(cd "$folder" && pwd)/"
  configure lint
  cmake -DROOT="$root" -P "$root/tests/lint/lint.cmake" >&2
  local log="$build/lint.log"
  run-clang-tidy-19 -quiet -p "$build/lint" "$pattern.*\\.cpp\$" >"$log" 2>&1 ||
    { grep -E '(warning|error):' "$log" | sort -u; die "clang-tidy reported problems; full log: build/lint.log"; }
  say "clang-tidy: no problems in $(grep -c '^\[ *[0-9]*/[0-9]*\]' "$log") sources"
}

verb_matrix() {
  # shellcheck disable=SC2086
  need_packages $run_packages $window_packages g++
  configure lint
  python3 "$root/packaging/compile_alone.py" "$build/lint" --all >&2 || die "some sources do not compile alone"
  local preset
  for preset in minimal no-gui; do
    configure "$preset"
    compile "$preset"
    "$build/$preset/app/blobscope-cli" verify "$root/resources/sample/sample-cuda-a.so" >/dev/null
    say "$preset: built; it verifies a sample"
  done
}

verb_fuzz() {
  # shellcheck disable=SC2086
  need_packages $fuzz_packages
  configure fuzz
  compile fuzz
  local entry
  for entry in $(sed -n 's/^set(entries \(.*\))$/\1/p' "$root/tests/fuzz/CMakeLists.txt"); do
    mkdir -p "$build/fuzz/corpus/$entry"
    say "Fuzzing $entry for ${1:-60} s"
    (cd "$build/fuzz" && tests/fuzz/fuzz_$entry -max_total_time="${1:-60}" -rss_limit_mb=2048 -malloc_limit_mb=512 -timeout=10 -print_final_stats=0 \
      "corpus/$entry" "$root/tests/fuzz/corpus/$entry" 2>&1 | tail -n 3)
  done
}

mkdir -p "$build"
verb=${1:-}
[ $# -eq 0 ] || shift
case $verb in
run) verb_run "$@" ;;
test) verb_test "$@" ;;
bench) verb_bench "$@" ;;
lint) verb_lint "$@" ;;
matrix) verb_matrix "$@" ;;
fuzz) verb_fuzz "$@" ;;
pictures) verb_pictures "$@" ;;
translations) verb_translations "$@" ;;
*) sed -n '2,16s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; [ -z "$verb" ] || exit 2 ;;
esac
