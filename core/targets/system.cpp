#include "core/targets/system.h"

#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/targets/shared_libraries.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <system_error>
#include <utility>

namespace blobscope::targets {
namespace {

namespace fs = std::filesystem;
using CLibrary = System::CLibrary;

/// Words for processors and the names of containers for them. Source: the names that uname, Debian, Go and Python
/// packages use.
constexpr std::array<std::pair<std::string_view, std::string_view>, 27> kProcessors = {{
    {"x86_64", "x86_64"},
    {"amd64", "x86_64"},
    {"x64", "x86_64"},
    {"x86-64", "x86_64"},
    {"aarch64", "aarch64"},
    {"arm64", "aarch64"},
    {"arm64e", "aarch64"},
    {"i386", "i386"},
    {"i486", "i386"},
    {"i586", "i386"},
    {"i686", "i386"},
    {"x86", "i386"},
    {"arm", "arm"},
    {"armv7", "arm"},
    {"armv7l", "arm"},
    {"armv7a", "arm"},
    {"armv6l", "arm"},
    {"armhf", "arm"},
    {"armeabi", "arm"},
    {"riscv64", "riscv64"},
    {"ppc64le", "powerpc64le"},
    {"powerpc64le", "powerpc64le"},
    {"s390x", "s390x"},
    {"loongarch64", "loongarch64"},
    {"riscv32", "riscv32"},
    {"mips64el", "mips64el"},
    {"hexagon", "hexagon"},
}};

CLibrary libraryOf(std::string_view word) {
  return word == "glibc"   ? CLibrary::Glibc
         : word == "musl"  ? CLibrary::Musl
         : word == "apple" ? CLibrary::Apple
         : word == "msvc"  ? CLibrary::Msvc
                           : CLibrary::Unknown;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool isVersion(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos && text.front() != '.';
}

/// Other names of the rows of the table.
std::string rowName(std::string name) {
  constexpr std::array<std::string_view, 6> kLikeRhel = {"rocky", "almalinux", "alma", "centos", "oraclelinux", "ol"};
  for (const std::string_view distribution : kLikeRhel)
    if (name.starts_with(distribution) && isVersion(std::string_view(name).substr(distribution.size())))
      return "rhel" + name.substr(distribution.size());
  if (name == "amzn2" || name == "al2") return "amazonlinux2";
  if (name == "al2023" || name == "amzn2023") return "amazonlinux2023";
  constexpr std::string_view kUbuntu = "ubuntu"; // "ubuntu2204"
  if (name.starts_with(kUbuntu) && name.size() == kUbuntu.size() + 4 && isVersion(name.substr(kUbuntu.size())) &&
      name.find('.') == std::string::npos)
    name.insert(kUbuntu.size() + 2, ".");
  return name;
}

/// "Debian 12, aarch64".
void setTitle(System& system, std::string_view name) {
  system.title = std::string(name) + (system.cpu.empty() ? "" : ", " + system.cpu);
}

System ofRow(const SystemRow& row, std::string cpu) {
  System out;
  out.os = row.os;
  out.cpu = std::move(cpu);
  out.library = libraryOf(row.library);
  out.version = row.version;
  out.glibcxx = row.glibcxx;
  out.cxxabi = row.cxxabi;
  setTitle(out, row.title);
  return out;
}

/// A row with a processor after "-", "_" or ",": "debian12-aarch64", "manylinux_2_28_x86_64".
std::optional<System> findRow(const Facts& facts, const std::string& text) {
  if (const SystemRow* const row = facts.findSystem(rowName(text))) return ofRow(*row, {});
  for (const auto& [word, cpu] : kProcessors) {
    if (text.size() <= word.size() + 1 || !text.ends_with(word)) continue;
    const char separator = text[text.size() - word.size() - 1];
    if (separator != '-' && separator != '_' && separator != ',') continue;
    if (const SystemRow* const row = facts.findSystem(rowName(text.substr(0, text.size() - word.size() - 1))))
      return ofRow(*row, std::string(cpu));
  }
  return std::nullopt;
}

/// The digits at the end of "android29", "gnu2.28".
std::string versionAfter(std::string_view text, std::string_view word) {
  text.remove_prefix(std::min(text.find(word) + word.size(), text.size()));
  while (!text.empty() && (text.front() == '-' || text.front() == '_')) text.remove_prefix(1);
  if (text.starts_with("eabihf") || text.starts_with("eabi")) text.remove_prefix(text.starts_with("eabihf") ? 6 : 4);
  return isVersion(text) ? std::string(text) : std::string();
}

/// What follows the processor in a triple: "linux-gnu2.28", "unknown-linux-musl", "pc-windows-msvc", "apple-darwin".
std::optional<System> ofTriple(std::string_view rest, std::string cpu) {
  System out;
  out.cpu = std::move(cpu);
  const auto has = [&](std::string_view word) { return rest.find(word) != std::string_view::npos; };
  std::string title;
  if (has("android")) {
    out.os = "android";
    out.library = CLibrary::Bionic;
    out.version = versionAfter(rest, "android");
    title = "Android" + (out.version.empty() ? "" : ", API " + out.version);
  } else if (has("musl")) {
    out.os = "linux";
    out.library = CLibrary::Musl;
    out.version = versionAfter(rest, "musl");
    title = "Linux, musl" + (out.version.empty() ? "" : " " + out.version);
  } else if (has("linux")) {
    out.os = "linux";
    out.library = has("gnu") ? CLibrary::Glibc : CLibrary::Unknown;
    out.version = versionAfter(rest, "gnu");
    title = "Linux" + (out.version.empty() ? std::string() : ", glibc " + out.version);
  } else if (has("windows") || has("mingw") || has("win32") || rest.starts_with("win")) {
    out.os = "windows";
    out.library = CLibrary::Msvc;
    title = "Windows";
  } else if (has("ios")) {
    out.os = "ios";
    out.library = CLibrary::Apple;
    title = "iOS";
  } else if (has("macos") || has("darwin") || has("apple")) {
    out.os = "macos";
    out.library = CLibrary::Apple;
    title = "macOS";
  } else {
    return std::nullopt;
  }
  setTitle(out, title);
  return out;
}

/// The level of x86-64 from the flags of Linux. Source: x86-64 psABI 1.0, "Micro-Architecture Levels"; Linux
/// arch/x86/include/asm/cpufeatures.h for the names.
unsigned levelOf(const fs::path& root) {
  std::ifstream in(root / "proc/cpuinfo");
  std::string flags;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("flags")) {
      flags = " " + line.substr(std::min(line.find(':') + 1, line.size())) + " ";
      break;
    }
  if (flags.empty()) return 0;
  const auto all = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::all_of(
        names, [&](std::string_view name) { return flags.find(" " + std::string(name) + " ") != std::string::npos; });
  };
  if (!all({"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"})) return 1;
  if (!all({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"})) return 2;
  return all({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}) ? 4 : 3;
}

/// The newest "PREFIX1.2.3" among versions that a library defines.
std::string newestOf(const SharedLibrary& library, std::string_view prefix) {
  std::string out;
  for (const std::string& version : library.versions) {
    if (!version.starts_with(prefix)) continue;
    const std::string number = version.substr(prefix.size());
    if (isVersion(number) && (out.empty() || compareVersions(number, out) > 0)) out = number;
  }
  return out;
}

/// A library of the system, in the folders where distributions have it; null when it is not there.
SharedLibraryPtr libraryOfSystem(const fs::path& root, const std::string& cpu, const std::string& name) {
  std::vector<fs::path> folders = {root / "lib" / (cpu + "-linux-gnu"),
                                   root / "usr/lib" / (cpu + "-linux-gnu"),
                                   root / "lib64",
                                   root / "usr/lib64",
                                   root / "lib",
                                   root / "usr/lib"};
  NullMonitor monitor;
  for (const fs::path& folder : folders) {
    std::error_code failure;
    if (!fs::is_regular_file(folder / name, failure)) continue;
    const auto found = readSharedLibrary(folder / name, monitor);
    if (found && *found && (*found)->arch == cpu) return *found;
  }
  return nullptr;
}

} // namespace

std::string processorName(std::string_view word) {
  const std::string plain = lower(word);
  const auto found = std::ranges::find(kProcessors, plain, &std::pair<std::string_view, std::string_view>::first);
  return found == kProcessors.end() ? std::string() : std::string(found->second);
}

std::strong_ordering compareVersions(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    const auto next = [](std::string_view& text) {
      const std::string_view part = text.substr(0, text.find('.'));
      text.remove_prefix(std::min(part.size() + 1, text.size()));
      uint64_t number = 0;
      std::from_chars(part.data(), part.data() + part.size(), number);
      return number;
    };
    const uint64_t first = next(a), second = next(b);
    if (first != second) return first <=> second;
  }
  return std::strong_ordering::equal;
}

std::string cLibraryText(const System& system) {
  const std::string version = system.version.empty() ? "" : " " + system.version;
  switch (system.library) {
  case CLibrary::Glibc: return "glibc" + version;
  case CLibrary::Musl: return "musl" + version;
  case CLibrary::Bionic: return "Android's C library";
  default: return {};
  }
}

Result<SystemPtr> parseSystem(const FactsPtr& facts, std::string_view text) {
  const std::string plain = lower(text);
  std::optional<System> found = findRow(*facts, plain);
  if (!found) {
    // The longest processor at the beginning; it may contain "-" itself.
    std::size_t length = 0;
    std::string cpu;
    for (const auto& [word, name] : kProcessors)
      if (plain.size() > word.size() && plain.starts_with(word) && word.size() > length &&
          (plain[word.size()] == '-' || plain[word.size()] == '_')) {
        length = word.size();
        cpu = name;
      }
    if (length > 0) {
      const std::string rest = plain.substr(length + 1);
      found = ofTriple(rest, cpu);
      if (!found)
        if (auto row = findRow(*facts, rest)) {
          row->cpu = cpu;
          found = std::move(row);
        }
    } else {
      // "android29", "android_29_arm64_v8a", "win_amd64", "linux_x86_64", "macosx_11_0_arm64".
      std::string rest = plain;
      if (rest.ends_with("_arm64_v8a")) rest = rest.substr(0, rest.size() - 4);
      for (const auto& [word, name] : kProcessors)
        if (rest.size() > word.size() + 1 && rest.ends_with(word) &&
            (rest[rest.size() - word.size() - 1] == '_' || rest[rest.size() - word.size() - 1] == '-')) {
          cpu = name;
          rest = rest.substr(0, rest.size() - word.size() - 1);
          break;
        }
      const bool known = rest.starts_with("android") || rest == "win" || rest == "windows" || rest == "linux" ||
                         rest.starts_with("linux-") || rest.starts_with("macos") || rest == "darwin" || rest == "ios";
      if (known) found = ofTriple(rest, cpu);
    }
  }
  if (!found)
    return Error(DiagnosticId::PreSystem,
                 {arg("name", text),
                  {"why", "examples: this, x86_64-linux-gnu2.28, aarch64-linux-musl, debian12, ubuntu22.04, rhel8, "
                          "amazonlinux2023, alpine3.20, manylinux_2_28_x86_64, android29, windows, macos"}});
  found->name = std::string(text);
  return std::make_shared<const System>(std::move(*found));
}

System readSystem(const fs::path& root, std::string os, std::string cpu) {
  System out;
  out.name = "this";
  out.here = true;
  out.os = std::move(os);
  out.cpu = std::move(cpu);
  if (out.os == "windows") out.library = CLibrary::Msvc;
  if (out.os == "macos") out.library = CLibrary::Apple;
  if (out.os == "linux") {
    if (const SharedLibraryPtr c = libraryOfSystem(root, out.cpu, "libc.so.6")) {
      out.library = CLibrary::Glibc;
      out.version = newestOf(*c, "GLIBC_");
    } else if (std::error_code failure; fs::exists(root / "lib" / ("ld-musl-" + out.cpu + ".so.1"), failure)) {
      out.library = CLibrary::Musl;
    }
    if (const SharedLibraryPtr cxx = libraryOfSystem(root, out.cpu, "libstdc++.so.6")) {
      out.glibcxx = newestOf(*cxx, "GLIBCXX_");
      out.cxxabi = newestOf(*cxx, "CXXABI_");
    }
    if (out.cpu == "x86_64") out.cpuLevel = levelOf(root);
  }
  const std::string c = cLibraryText(out);
  setTitle(out, "this machine (" + (out.os.empty() ? std::string() : out.os) + (c.empty() ? "" : ", " + c) + ")");
  return out;
}

} // namespace blobscope::targets
