#include "core/mlf/machines.h"

#include <algorithm>
#include <span>

namespace blobscope::mlf {
namespace {

bool isOneOf(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
bool beginsWithOneOf(std::string_view word, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view one) { return word.starts_with(one); });
}

/// Handles the first part of a triple. Source: llvm/lib/TargetParser/Triple.cpp, parseArch; the names that mean one
/// architecture.
std::vector<std::string> machinesOfTriple(std::string_view triple) {
  const std::string_view arch = triple.substr(0, triple.find('-'));
  constexpr std::string_view k386[] = {"i386", "i486", "i586", "i686", "i786", "i886", "i986", "x86"};
  constexpr std::string_view kSame[] = {"hexagon",   "riscv32",   "riscv64",     "loongarch32", "loongarch64",
                                        "xtensa",    "s390x",     "sparc",       "sparcv9",     "powerpc",
                                        "powerpcle", "powerpc64", "powerpc64le", "bpfel",       "bpfeb"};
  struct Alias {
    std::string_view word, arch;
  };
  constexpr Alias kAliases[] = {
      {"amd64", "x86_64"},          {"x86_64", "x86_64"},   {"x86_64h", "x86_64"},      {"systemz", "s390x"},
      {"sparc64", "sparcv9"},       {"ppc", "powerpc"},     {"ppc32", "powerpc"},       {"ppcle", "powerpcle"},
      {"ppc32le", "powerpcle"},     {"ppc64", "powerpc64"}, {"ppc64le", "powerpc64le"}, {"ppu", "powerpc64"},
      {"aarch64_be", "aarch64_be"}, {"arm64", "aarch64"},   {"arm64e", "aarch64"},      {"aarch64", "aarch64"}};
  if (isOneOf(arch, k386)) return {"i386"};
  if (isOneOf(arch, kSame)) return {std::string(arch)};
  for (const Alias& alias : kAliases)
    if (arch == alias.word) return {std::string(alias.arch)};
  if (arch.starts_with("aarch64_32") || arch.starts_with("arm64_32")) return {"aarch64_32"};
  if (arch.starts_with("armeb") || arch.starts_with("thumbeb")) return {"armeb"};
  if (arch.starts_with("arm") || arch.starts_with("thumb") || arch == "xscale")
    return {arch.ends_with("eb") ? "armeb" : "arm"};
  if (arch.starts_with("mips")) {
    const std::string end = arch.ends_with("el") ? "el" : "";
    if (arch.find("64") != std::string_view::npos)
      return {"mips64" + end, "mips" + end}; // the ABI n32 has 32-bit objects
    return {"mips" + end};
  }
  return {};
}

std::vector<std::string> machinesOfCpu(std::string_view cpu) {
  constexpr std::string_view kArm[] = {"cortex-m", "cortex-r", "arm7",  "arm9",   "arm10",
                                       "arm11",    "sc000",    "sc300", "star-mc"};
  constexpr std::string_view kSmallA[] = {"cortex-a5",  "cortex-a7",  "cortex-a8",  "cortex-a9",
                                          "cortex-a12", "cortex-a15", "cortex-a17", "cortex-a32"};
  constexpr std::string_view kIntel[] = {
      "x86-64",    "core-avx",       "corei7",     "skylake",  "cascadelake", "icelake",    "cooperlake",
      "tigerlake", "sapphirerapids", "alderlake",  "haswell",  "broadwell",   "ivybridge",  "sandybridge",
      "nehalem",   "westmere",       "znver",      "knl",      "knm",         "bdver",      "btver",
      "core2",     "atom",           "silvermont", "goldmont", "tremont",     "rocketlake", "cannonlake",
      "penryn",    "opteron",        "athlon"};
  constexpr std::string_view kOldIntel[] = {"i386", "i486", "i586", "i686", "pentium"};
  constexpr std::string_view kArm64[] = {"neoverse", "apple-",  "thunderx", "a64fx",  "carmel",
                                         "ampere",   "exynos-", "falkor",   "tsv110", "cyclone"};
  if (isOneOf(cpu, kSmallA) || beginsWithOneOf(cpu, kArm)) return {"arm"};
  if (cpu.starts_with("cortex-a")) return {"aarch64", "arm"}; // most of them run both
  if (cpu.starts_with("cortex-x") || beginsWithOneOf(cpu, kArm64)) return {"aarch64"};
  if (beginsWithOneOf(cpu, kIntel)) return {"x86_64", "i386"};
  if (beginsWithOneOf(cpu, kOldIntel)) return {"i386"};
  if (cpu.starts_with("generic-rv32") || cpu.starts_with("sifive-e") || cpu.starts_with("rocket-rv32"))
    return {"riscv32"};
  if (cpu.starts_with("generic-rv64") || cpu.starts_with("sifive-u") || cpu.starts_with("rocket-rv64"))
    return {"riscv64"};
  if (cpu.starts_with("hexagon")) return {"hexagon"};
  return {};
}

std::vector<std::string> machinesOfMarch(std::string_view march) {
  if (march.starts_with("rv32")) return {"riscv32"};
  if (march.starts_with("rv64")) return {"riscv64"};
  if (march.starts_with("armv8") || march.starts_with("armv9")) {
    if (march.find("-m") != std::string_view::npos || march.find("-r") != std::string_view::npos ||
        march.starts_with("armv8.1-m"))
      return {"arm"};
    return {"aarch64", "arm"};
  }
  if (march.starts_with("armv")) return {"arm"};
  if (march == "x86-64" || march == "x86_64") return {"x86_64", "i386"};
  return machinesOfTriple(march);
}

} // namespace

std::vector<std::string> machinesOf(const Target& target) {
  if (const std::string* const triple = target.find("mtriple")) return machinesOfTriple(*triple);
  std::vector<std::string> machines;
  if (const std::string* const cpu = target.find("mcpu")) machines = machinesOfCpu(*cpu);
  if (const std::string* const march = target.find("march"); march && machines.empty())
    machines = machinesOfMarch(*march);
  return machines;
}

} // namespace blobscope::mlf
