# Cross-builds the libraries that Blobscope needs from Debian's source packages: functions for packaging/windows/build.sh
# and packaging/macos/build.sh, which set
#
#   system      its name in messages
#   triple      the system in LLVM's words
#   shared      folder of the sources, the same for all systems
#   cache       folder of the builds for this system
#   prefix      folder into which libraries are installed
#   toolchain   CMake's file about the compiler, which reads BLOBSCOPE_PREFIX
#   system_options   an array of further options of CMake
#   packages    Debian's packages that are needed
#   jobs        number of compilers at once
#   disasm      ON or OFF: with LLVM's disassemblers
#   notices     Debian's packages of the compiler whose libraries the programs contain
#
# Each part is built once: a part that is complete is skipped, an interrupted one goes on where it was.

say() { printf '%s\n' "$system: $*" >&2; }
die() { say "$*"; exit 2; }

need_packages() {
  local package missing=""
  for package in $packages; do
    dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || missing+=" $package"
  done
  [ -z "$missing" ] || die "missing packages; run as root: apt-get install -y --no-install-recommends$missing"
}

# --- sources ----------------------------------------------------------------------------------------------------------

# Debian's source packages, read with lists of our own, so that the system's list of sources stays as it is.
apt_options() {
  local lists="$shared/apt"
  mkdir -p "$lists/lists/partial" "$lists/parts"
  if [ ! -f "$lists/updated" ]; then
    local file
    for file in /etc/apt/sources.list.d/*.sources; do
      [ -f "$file" ] && sed 's/^Types: .*/Types: deb-src/' "$file" >"$lists/parts/$(basename "$file")"
    done
    [ -f /etc/apt/sources.list ] && sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$lists/parts/system.list"
  fi
  apt=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$lists/parts" -o "Dir::State::lists=$lists/lists"
       -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User="$(id -un)")
  if [ ! -f "$lists/updated" ]; then
    say "reading the lists of source packages"
    apt-get "${apt[@]}" update -qq
    touch "$lists/updated"
  fi
}

# source NAME [PART …]: unpacks the source package; with parts, only these folders of it. The folder is in $source.
source_of() {
  local name=$1
  shift
  source="$shared/source/$name"
  [ -f "$source.done" ] && return 0
  apt_options
  mkdir -p "$shared/download" "$shared/source"
  say "fetching the source package $name"
  (cd "$shared/download" && apt-get "${apt[@]}" source -qq --download-only "$name")
  rm -rf "$source"
  local dsc archive top
  dsc=$(ls -t "$shared/download/${name}"_*.dsc | head -n 1)
  if [ $# = 0 ]; then
    dpkg-source --no-check -x "$dsc" "$source" >/dev/null
  else
    # Large packages: only what is built, without Debian's patches, which concern packages and other systems.
    archive=$(ls "$shared/download/${name}"_*.orig.tar.* | grep -v '\.asc$')
    # head ends before tar does.
    top=$(set +o pipefail; tar tf "$archive" 2>/dev/null | head -n 1 | cut -d/ -f1)
    mkdir -p "$source"
    tar xf "$archive" -C "$source" --strip-components=1 "${@/#/$top/}"
  fi
  touch "$source.done"
}

# --- libraries --------------------------------------------------------------------------------------------------------

# build NAME FOLDER [OPTION …]: a library with CMake, installed into the prefix.
build() {
  local name=$1 folder=$2
  shift 2
  if [ -f "$cache/built/$name" ]; then
    targets=(install)
    say "$name is built"
    return 0
  fi
  mkdir -p "$cache/build" "$cache/built"
  local start=$SECONDS
  say "building $name"
  cmake -S "$folder" -B "$cache/build/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$toolchain" -DBLOBSCOPE_PREFIX="$prefix" "${system_options[@]}" -DCMAKE_INSTALL_PREFIX="$prefix" \
    -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF "$@" >"$cache/build/$name.log" 2>&1 ||
    { tail -n 20 "$cache/build/$name.log" >&2; die "$name cannot be configured; see $cache/build/$name.log"; }
  nice -n 5 ninja -C "$cache/build/$name" -j "$jobs" "${targets[@]}" >>"$cache/build/$name.log" 2>&1 ||
    { tail -n 30 "$cache/build/$name.log" >&2; die "$name cannot be built; see $cache/build/$name.log"; }
  targets=(install)
  touch "$cache/built/$name"
  say "$name: $((SECONDS - start)) s"
}
targets=(install)

# Headers that are the same on every system.
link_headers() {
  mkdir -p "$prefix/include" "$prefix/lib/cmake"
  local name
  for name in nlohmann CLI vulkan vk_video CL spirv; do
    [ -e "/usr/include/$name" ] && ln -sfn "/usr/include/$name" "$prefix/include/$name"
  done
  for name in nlohmann_json CLI11; do
    local config
    config=$(ls -d "/usr/share/cmake/$name" "/usr/lib/cmake/$name" "/usr/lib/$(gcc -dumpmachine)/cmake/$name" 2>/dev/null | head -n 1 || true)
    [ -n "$config" ] && copy_config "$name" "$config"
  done
}
# A package of headers finds its folder from its own place, so it is copied.
copy_config() {
  rm -rf "$prefix/lib/cmake/$1"
  cp -rL "$2" "$prefix/lib/cmake/$1"
  sed -i 's/^if(NOT CMAKE_SIZEOF_VOID_P.*/if(FALSE)/' "$prefix/lib/cmake/$1"/*[vV]ersion.cmake 2>/dev/null || true
}

llvm() {
  local name=$1 components=$2
  local options=(-DLLVM_TABLEGEN=/usr/lib/llvm-19/bin/llvm-tblgen -DLLVM_NATIVE_TOOL_DIR=/usr/lib/llvm-19/bin
    -DLLVM_TARGETS_TO_BUILD="X86;AArch64;ARM;RISCV;Hexagon" -DLLVM_HOST_TRIPLE="$triple"
    -DLLVM_ENABLE_ZLIB=OFF -DLLVM_ENABLE_ZSTD=OFF -DLLVM_ENABLE_LIBXML2=OFF -DLLVM_ENABLE_TERMINFO=OFF -DLLVM_BUILD_TOOLS=OFF
    -DLLVM_BUILD_UTILS=OFF -DLLVM_INCLUDE_TESTS=OFF -DLLVM_INCLUDE_BENCHMARKS=OFF -DLLVM_INCLUDE_EXAMPLES=OFF
    -DLLVM_INCLUDE_DOCS=OFF -DLLVM_ENABLE_BINDINGS=OFF -DLLVM_ENABLE_ASSERTIONS=OFF)
  source_of llvm-toolchain-19 llvm cmake third-party
  targets=(install-distribution)
  build "$name" "$source/llvm" "${options[@]}" -DLLVM_DISTRIBUTION_COMPONENTS="$components;llvm-headers;cmake-exports"
}

build_dependencies() {
  link_headers
  source_of zlib
  # Only the static library: Debian's source lacks the resources of the DLL, which its CMake expects.
  mkdir -p "$source/win32" && touch "$source/win32/zlib1.rc"
  targets=(zlibstatic)
  # For macOS, zutil.h replaces fdopen() by NULL unless it is a macro.
  build zlib "$source" -DCMAKE_C_FLAGS=-Dfdopen=fdopen
  if [ ! -f "$prefix/lib/libz.a" ]; then
    cp "$cache"/build/zlib/lib*.a "$prefix/lib/libz.a"
    cp "$source/zlib.h" "$cache/build/zlib/zconf.h" "$prefix/include/"
  fi
  source_of libzstd
  build zstd "$source/build/cmake" -DZSTD_BUILD_PROGRAMS=OFF -DZSTD_BUILD_SHARED=OFF -DZSTD_LEGACY_SUPPORT=OFF \
    -DZSTD_MULTITHREAD_SUPPORT=OFF
  source_of lz4
  build lz4 "$source/build/cmake" -DLZ4_BUILD_CLI=OFF -DLZ4_BUILD_LEGACY_LZ4C=OFF -DBUILD_STATIC_LIBS=ON
  source_of re2
  # Debian's source lacks the tables that its scripts write.
  if [ ! -f "$source.tables" ]; then
    (cd "$source/re2" && perl make_perl_groups.pl >perl_groups.cc &&
      for name in casefold groups; do python3 "make_unicode_$name.py" >"unicode_$name.cc" || exit 1; done)
    touch "$source.tables"
  fi
  build re2 "$source" -DRE2_BUILD_TESTING=OFF
  # Its CMake installs none.
  printf 'Name: re2\nDescription: RE2\nVersion: 0\nCflags: -I%s/include\nLibs: -L%s/lib -lre2\n' "$prefix" "$prefix" >"$prefix/lib/pkgconfig/re2.pc"
  source_of libarchive
  # zig lacks these headers of macOS, so encrypted members of zip files are not supported there.
  sed -i 's|MAC_OS_X_VERSION_MAX_ALLOWED >= 10[68]0$|& \&\& __has_include(<CommonCrypto/CommonHMAC.h>)|' "$source"/libarchive/archive_{cryptor,hmac}_private.h
  build libarchive "$source" -DENABLE_TEST=OFF -DENABLE_TAR=OFF -DENABLE_CPIO=OFF -DENABLE_CAT=OFF -DENABLE_OPENSSL=OFF \
    -DENABLE_LZMA=OFF -DENABLE_BZip2=OFF -DENABLE_LIBXML2=OFF -DENABLE_EXPAT=OFF -DENABLE_ICONV=OFF -DENABLE_LIBB2=OFF \
    -DENABLE_LZ4=ON -DENABLE_ZSTD=ON -DENABLE_ZLIB=ON -DENABLE_NETTLE=OFF -DENABLE_MBEDTLS=OFF -DENABLE_ACL=OFF \
    -DENABLE_XATTR=OFF -DENABLE_CNG=OFF -DENABLE_WERROR=OFF -DZLIB_WINAPI_EXITCODE=1 -DZLIB_WINAPI_EXITCODE__TRYRUN_OUTPUT= -DZLIB_LIBRARY="$prefix/lib/libz.a" -DZLIB_INCLUDE_DIR="$prefix/include"
}

build_disassemblers() {
  [ "$disasm" = ON ] || return 0
  source_of spirv-tools
  build spirv-tools "$source" -DSPIRV-Headers_SOURCE_DIR="$prefix" -DSPIRV_SKIP_TESTS=ON -DSPIRV_SKIP_EXECUTABLES=ON -DSPIRV_WERROR=OFF
  local each components="LLVMSupport;LLVMDemangle;LLVMTargetParser;LLVMBinaryFormat;LLVMMC;LLVMMCDisassembler;LLVMDebugInfoCodeView;LLVMDebugInfoDWARF;LLVMObject;LLVMBitReader;LLVMCore;LLVMIRReader;LLVMAsmParser;LLVMMCParser;LLVMTextAPI;LLVMRemarks;LLVMBitstreamReader;LLVMDebugInfoMSF;LLVMDebugInfoBTF;LLVMSymbolize;LLVMDebugInfoPDB;LLVMCodeGenTypes"
  for each in X86 AArch64 ARM RISCV Hexagon; do components+=";LLVM${each}Desc;LLVM${each}Info;LLVM${each}Disassembler"; done
  components+=";LLVMAArch64Utils;LLVMARMUtils"
  llvm llvm "$components"
}

# --- licences ---------------------------------------------------------------------------------------------------------

# write_notices SOURCE …: the licences of the libraries that the programs contain, built from these source packages.
write_notices() {
  local line name text
  line=$(printf '=%.0s' {1..100})
  echo "Blobscope contains the following libraries. Each part names the Debian package that a library comes from,"
  echo "and repeats its copyright file."
  for name in "$@"; do
    # The source of LLVM is unpacked without Debian's files.
    for text in "$shared/source/$name/debian/copyright" "$shared/source/$name/llvm/LICENSE.TXT"; do
      [ ! -f "$text" ] || { printf '\n%s\n%s\n%s\n\n' "$line" "$(ls "$shared/download" | sed -n "s/^\(${name}_.*\)\.dsc$/\1/p" | tail -n 1)" "$line"; cat "$text"; }
    done
  done
  for name in nlohmann-json3-dev libcli11-dev $notices; do
    printf '\n%s\n%s\n%s\n\n' "$line" "$(dpkg-query -W -f='${Package} ${Version}' "$name")" "$line"
    cat "/usr/share/doc/$name/copyright"
  done
}
