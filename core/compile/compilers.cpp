#include "core/compile/compilers.h"

#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/payloads/spirv/spirv_tools.h"
#include "core/process/toolkit_library.h"

#include <algorithm>
#include <array>

namespace blobscope::compile {
namespace {

/// The compilers in the order in which they are preferred.
struct Row {
  Compiler compiler;
  Language language;
  Kind kind;
};
constexpr std::string_view kNvcc = "the CUDA toolkit and with the Python package nvidia-cuda-nvcc";
constexpr std::array<Row, 9> kRows = {{
    {{"ptxas", "ptxas", "compiling PTX to machine code", kNvcc}, Language::Ptx, Kind::Ptxas},
    {{"nvjitlink", "nvJitLink", "compiling PTX to machine code",
      "the CUDA toolkit and with the Python package nvidia-nvjitlink"},
     Language::Ptx,
     Kind::NvJitLink},
    {{"nvrtc", "NVRTC", "compiling CUDA C++", "the CUDA toolkit and with the Python package nvidia-cuda-nvrtc"},
     Language::CudaCpp,
     Kind::Nvrtc},
    {{"nvcc", "nvcc", "compiling CUDA C++", kNvcc}, Language::CudaCpp, Kind::Nvcc},
    {{"spirv-as", "SPIRV-Tools", "assembling SPIR-V", "a build of Blobscope with SPIRV-Tools"},
     Language::SpirvAssembly,
     Kind::SpirvTools},
    {{"opencl", "the OpenCL driver", "checking OpenCL C",
      "the driver of a GPU, or with the Debian package pocl-opencl-icd"},
     Language::OpenClC,
     Kind::OpenClDriver},
    {{"clang", "clang", "checking OpenCL C", "the Debian package clang"}, Language::OpenClC, Kind::Clang},
    {{"naga", "naga", "checking WGSL", "the crate naga-cli of wgpu"}, Language::Wgsl, Kind::Naga},
    {{"tint", "Tint", "checking WGSL", "Dawn"}, Language::Wgsl, Kind::Tint},
}};

const Row* rowOf(std::string_view name) {
  const auto found = std::ranges::find_if(kRows, [&](const Row& row) { return row.compiler.name == name; });
  return found == kRows.end() ? nullptr : &*found;
}

/// Whether it is a program, and not a library or a part of Blobscope.
bool isProgram(Kind kind) {
  switch (kind) {
  case Kind::Ptxas:
  case Kind::Nvcc:
  case Kind::Clang:
  case Kind::Naga:
  case Kind::Tint: return true;
  case Kind::Nvrtc:
  case Kind::NvJitLink:
  case Kind::SpirvTools:
  case Kind::OpenClDriver: break;
  }
  return false;
}

CompilerHere search(const Row& row, const process::ToolSearch& search) {
  CompilerHere out;
  out.compiler = &row.compiler;
  if (isProgram(row.kind)) {
    process::FoundTool tool = process::findTool(row.compiler.name, search);
    out.found = tool.path.has_value();
    if (tool.path) out.path = std::move(*tool.path);
    out.places = std::move(tool.places);
  } else {
    // The runner loads the libraries and the driver; which driver there is, only its loader knows.
    switch (row.kind) {
    case Kind::SpirvTools: out.found = payloads::hasSpirvTools(); break;
    case Kind::Nvrtc:
    case Kind::NvJitLink: {
      const std::string_view library = row.kind == Kind::Nvrtc ? "nvrtc" : "nvJitLink";
      out.found = process::hasToolkitLibrary(library, search);
      for (const std::string_view name : process::toolkitLibraryNames(library)) out.places.emplace_back(name);
      break;
    }
    default: out.found = true;
    }
  }
  return out;
}

} // namespace

namespace {

// --- Flags. Sources: NVIDIA CUDA Compiler Driver NVCC 13.0, chapters 4.2.4 to 4.2.8; NVRTC 13.0, chapter 5; nvJitLink
// 13.0, nvJitLinkCreate; OpenCL 3.0 API, 5.8.6; GCC 14, chapters 3.4, 3.6 to 3.11 and 3.19. ---

enum class Value : uint8_t { None, Number, Choice, Word, Optional };
struct Flag {
  std::string_view name; ///< without the dashes in front; '-' for '_'
  Value value = Value::None;
};
constexpr std::size_t kMostFlag = 200;

constexpr Flag kOfPtxas[] = {{"O0"},
                             {"O1"},
                             {"O2"},
                             {"O3"},
                             {"O4"},
                             {"O", Value::Number},
                             {"opt-level", Value::Number},
                             {"maxrregcount", Value::Number},
                             {"register-usage-level", Value::Number},
                             {"fmad", Value::Choice},
                             {"allow-expensive-optimizations", Value::Choice},
                             {"lineinfo"},
                             {"generate-line-info"},
                             {"g"},
                             {"device-debug"},
                             {"v"},
                             {"verbose"},
                             {"w"},
                             {"disable-warnings"},
                             {"warn-on-spills"},
                             {"warn-spills"},
                             {"warn-on-local-memory-usage"},
                             {"warn-lmem-usage"},
                             {"warn-on-double-precision-use"},
                             {"warn-double-usage"},
                             {"def-load-cache", Value::Word},
                             {"dlcm", Value::Word},
                             {"def-store-cache", Value::Word},
                             {"dscm", Value::Word}};
constexpr Flag kOfCuda[] = {{"O0"},
                            {"O1"},
                            {"O2"},
                            {"O3"},
                            {"O", Value::Number},
                            {"optimize", Value::Number},
                            {"dopt", Value::Word},
                            {"use-fast-math"},
                            {"ftz", Value::Choice},
                            {"prec-div", Value::Choice},
                            {"prec-sqrt", Value::Choice},
                            {"fmad", Value::Choice},
                            {"fma", Value::Choice}, // nvJitLink
                            {"maxrregcount", Value::Number},
                            {"std", Value::Word},
                            {"lineinfo"},
                            {"generate-line-info"},
                            {"g"},
                            {"G"},
                            {"debug"},
                            {"device-debug"},
                            {"restrict"},
                            {"extra-device-vectorization"},
                            {"default-device"},
                            {"device-as-default-execution-space"},
                            {"extended-lambda"},
                            {"expt-extended-lambda"},
                            {"expt-relaxed-constexpr"},
                            {"resource-usage"},
                            {"v"},
                            {"verbose"},
                            {"w"},
                            {"disable-warnings"},
                            {"Wno-deprecated-gpu-targets"}};
constexpr Flag kOfC[] = {{"O", Value::Optional}, {"ansi"}, {"pedantic"}, {"pedantic-errors"}, {"w"}};
/// After "-f", with "no-" or without.
constexpr Flag kFeaturesOfC[] = {{"PIC"},
                                 {"PIE"},
                                 {"associative-math"},
                                 {"asynchronous-unwind-tables"},
                                 {"builtin"},
                                 {"common"},
                                 {"data-sections"},
                                 {"exceptions"},
                                 {"fast-math"},
                                 {"finite-math-only"},
                                 {"fp-contract", Value::Word},
                                 {"freestanding"},
                                 {"function-sections"},
                                 {"gnu89-inline"},
                                 {"hosted"},
                                 {"ident"},
                                 {"inline"},
                                 {"inline-functions"},
                                 {"inline-limit", Value::Number},
                                 {"jump-tables"},
                                 {"math-errno"},
                                 {"omit-frame-pointer"},
                                 {"pic"},
                                 {"pie"},
                                 {"plt"},
                                 {"rtti"},
                                 {"short-enums"},
                                 {"short-wchar"},
                                 {"signed-char"},
                                 {"signed-zeros"},
                                 {"single-precision-constant"},
                                 {"stack-protector"},
                                 {"stack-protector-all"},
                                 {"stack-protector-strong"},
                                 {"strict-aliasing"},
                                 {"strict-overflow"},
                                 {"trapping-math"},
                                 {"trapv"},
                                 {"tree-vectorize"},
                                 {"unroll-loops"},
                                 {"unsafe-math-optimizations"},
                                 {"unsigned-char"},
                                 {"unwind-tables"},
                                 {"vectorize"},
                                 {"visibility", Value::Word},
                                 {"wrapv"}};
/// After "-m".
constexpr std::string_view kProcessorsOfC[] = {"abi", "arch", "cmodel", "cpu", "float-abi", "fpu", "mcu", "tune"};

bool isOf(std::string_view text, std::string_view more) {
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           more.find(c) != std::string_view::npos;
  });
}

bool isWord(std::string_view text) { return !text.empty() && isOf(text, "_.+-"); }

bool isNumber(std::string_view text) {
  return !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool fits(const Flag& flag, std::optional<std::string_view> value) {
  switch (flag.value) {
  case Value::None: return !value;
  case Value::Number: return value && isNumber(*value);
  case Value::Choice: return value && (*value == "true" || *value == "false" || *value == "0" || *value == "1");
  case Value::Word: return value && isWord(*value);
  case Value::Optional: return !value || isWord(*value);
  }
  return false;
}

/// "NAME", "NAME=7", "NAME=fast": a name, and at most one simple value.
bool isDefinition(std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view name = text.substr(0, equals);
  return !name.empty() && isOf(name, "_") && (name[0] < '0' || name[0] > '9') &&
         (equals == text.size() || isOf(text.substr(equals + 1), "_.+-"));
}

/// The name after the dashes, as the tables have it, and what follows '='.
struct SplitFlag {
  explicit SplitFlag(std::string_view flag) {
    flag.remove_prefix(std::min(flag.find_first_not_of('-'), flag.size()));
    const std::size_t equals = flag.find('=');
    name = flag.substr(0, equals);
    std::ranges::replace(name, '_', '-');
    if (equals != std::string_view::npos) value = flag.substr(equals + 1);
  }
  std::string name;
  std::optional<std::string_view> value;
};

bool isIn(std::span<const Flag> table, const SplitFlag& flag) {
  const auto found = std::ranges::find(table, flag.name, &Flag::name);
  return found != table.end() && fits(*found, flag.value);
}

/// "-DNAME=7", "-UNAME" and the long forms of them.
bool isMacro(std::string_view flag) {
  for (const std::string_view prefix : {"--define-macro=", "--undefine-macro=", "-D", "-U"})
    if (flag.starts_with(prefix)) return isDefinition(flag.substr(prefix.size()));
  return false;
}

bool isPassedToCuda(Kind kind, std::string_view flag) {
  const SplitFlag split(flag);
  if (kind == Kind::Ptxas) return isIn(kOfPtxas, split);
  if (split.name == "Xptxas" || split.name == "ptxas-options") {
    // Several, separated by commas.
    std::string_view rest = split.value.value_or("");
    while (true) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      const std::string_view one = rest.substr(0, end);
      if (!one.starts_with('-') || !isIn(kOfPtxas, SplitFlag(one))) return false;
      if (end == rest.size()) return true;
      rest.remove_prefix(end + 1);
    }
  }
  return isIn(kOfCuda, split) || (kind != Kind::NvJitLink && isMacro(flag));
}

/// "-cl-std=CL2.0", "-cl-mad-enable", "-Wall".
bool isPassedToOpenCl(std::string_view flag) {
  const SplitFlag split(flag);
  if (flag.starts_with("-cl-")) return isOf(split.name, "-") && (!split.value || isWord(*split.value));
  return isMacro(flag) || flag == "-w" || flag == "-Werror" || flag == "-g";
}

bool isPassedToC(std::string_view flag) {
  const SplitFlag split(flag);
  if (flag.starts_with("--")) return false;
  if (flag.starts_with("-O")) return isOf(flag.substr(2), "");
  if (flag.starts_with("-g")) return flag.size() == 2 || isNumber(flag.substr(2));
  if (flag.starts_with("-std=")) return isWord(*split.value);
  // "-Wl,…", "-Wa,…" and "-Wp,…" pass flags to other programs.
  if (flag.starts_with("-W")) return flag.size() > 2 && isOf(flag.substr(2), "+-=");
  if (flag.starts_with("-m")) {
    const std::string_view name = std::string_view(split.name).substr(1);
    if (split.value) return std::ranges::find(kProcessorsOfC, name) != std::end(kProcessorsOfC) && isWord(*split.value);
    return isOf(name, ".-") && !name.empty() && !name.starts_with("llvm") && !name.starts_with("mlir");
  }
  if (flag.starts_with("-f")) {
    SplitFlag feature = split;
    feature.name.erase(0, 1);
    if (feature.name.starts_with("no-")) feature.name.erase(0, 3);
    return isIn(kFeaturesOfC, feature);
  }
  return isMacro(flag) || isIn(kOfC, split);
}

bool isPassed(std::string_view compiler, std::string_view flag) {
  if (flag.size() < 2 || flag.size() > kMostFlag || flag[0] != '-') return false;
  const Row* const row = rowOf(compiler);
  if (!row) return isPassedToC(flag);
  switch (row->kind) {
  case Kind::Ptxas:
  case Kind::Nvcc:
  case Kind::Nvrtc:
  case Kind::NvJitLink: return isPassedToCuda(row->kind, flag);
  case Kind::OpenClDriver: return isPassedToOpenCl(flag);
  case Kind::Clang: return isPassedToOpenCl(flag) || (!flag.starts_with("-cl") && isPassedToC(flag));
  case Kind::SpirvTools:
  case Kind::Naga:
  case Kind::Tint: break;
  }
  return false;
}

/// Flags whose value may be in the next word, and how the two are joined.
std::optional<std::string> joined(const std::string& flag, const std::string& value) {
  const bool isFlag = value.empty() || value[0] == '-';
  if (isFlag && flag != "-Xptxas" && flag != "--ptxas-options") return std::nullopt;
  for (const std::string_view name : {"-D", "-U", "-O"})
    if (flag == name) return flag + value;
  for (const std::string_view name : {"--define-macro", "--undefine-macro",
                                      "-Xptxas",        "--ptxas-options",
                                      "-maxrregcount",  "--maxrregcount",
                                      "-std",           "--std",
                                      "-ftz",           "--ftz",
                                      "-prec-div",      "--prec-div",
                                      "-prec-sqrt",     "--prec-sqrt",
                                      "-fmad",          "--fmad",
                                      "--optimize",     "-opt-level",
                                      "--opt-level",    "--dopt"})
    if (flag == name) return flag + "=" + value;
  return std::nullopt;
}

} // namespace

std::string TimeLimit::text() const {
  return "did not end within " +
         (m_ms % 1000 == 0 ? std::to_string(m_ms / 1000) + " s" : std::to_string(m_ms) + " ms") + " and was stopped";
}

SortedFlags sortFlags(std::string_view compiler, std::span<const std::string> flags) {
  SortedFlags out;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    std::string flag = flags[i];
    if (i + 1 < flags.size()) {
      if (auto both = joined(flag, flags[i + 1])) {
        flag = std::move(*both);
        ++i;
      }
    }
    const bool passed = isPassed(compiler, flag);
    (passed ? out.passed : out.leftOut).push_back(std::move(flag));
  }
  return out;
}

Error flagError(std::string_view flag) {
  return {DiagnosticId::CompOption,
          {{"what", "the flag '" + escapedWithin(flag, 200) +
                        "' is not one of those that only change the code; it may name files or programs, "
                        "and is passed only when any flag is allowed (--any-flag)"}}};
}

std::string_view languageName(Language language) {
  constexpr std::array<std::string_view, 6> kNames = {"CUDA C++", "PTX",  "SPIR-V assembly",
                                                      "OpenCL C", "WGSL", "Metal"};
  return kNames[static_cast<std::size_t>(language)];
}

std::vector<std::string> compilerNames() {
  std::vector<std::string> out;
  for (const Row& row : kRows) out.emplace_back(row.compiler.name);
  return out;
}

std::vector<CompilerHere> compilersFor(Language language, const process::ToolSearch& places) {
  std::vector<CompilerHere> out;
  for (const Row& row : kRows)
    if (row.language == language) out.push_back(search(row, places));
  return out;
}

std::string namesOf(Language language) {
  std::string out;
  for (const Row& row : kRows)
    if (row.language == language) out += (out.empty() ? "" : ", ") + std::string(row.compiler.name);
  return out;
}

std::string_view languageOf(const Compiler& compiler) { return languageName(rowOf(compiler.name)->language); }

Kind kindOf(const Compiler& compiler) { return rowOf(compiler.name)->kind; }

bool isTool(const Compiler& compiler) { return isProgram(kindOf(compiler)); }

} // namespace blobscope::compile
