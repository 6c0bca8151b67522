#include "core/compile/compile.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/compile/compilers.h"
#include "core/compile/log.h"
#include "core/payloads/cubin/cubin.h"
#include "core/payloads/cubin/occupancy.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/ptx/ptx.h"
#include "core/payloads/sniff.h"
#include "core/payloads/spirv/spirv_tools.h"

#include <algorithm>
#include <utility>

namespace blobscope::compile {
namespace {

constexpr std::size_t kArchitectures = 32, kFlags = 200;

Error badOption(std::string what) { return {DiagnosticId::CompOption, {{"what", std::move(what)}}}; }

bool isCuda(Language language) { return language == Language::CudaCpp || language == Language::Ptx; }

/// "sm_90a", "compute_90".
bool isArchitecture(std::string_view text) {
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    if (!text.starts_with(prefix)) continue;
    std::string_view rest = text.substr(prefix.size());
    if (rest.ends_with('a') || rest.ends_with('f')) rest.remove_suffix(1);
    return rest.size() >= 2 && rest.size() <= 4 && rest.find_first_not_of("0123456789") == std::string_view::npos;
  }
  return false;
}

/// Options that name other files or another result.
bool isReserved(std::string_view flag) {
  constexpr std::string_view kExact[] = {"-o",
                                         "-c",
                                         "-E",
                                         "-ptx",
                                         "-cubin",
                                         "-fatbin",
                                         "-arch",
                                         "--arch",
                                         "-gencode",
                                         "--gencode",
                                         "--ptx",
                                         "--cubin",
                                         "--fatbin",
                                         "--output-file",
                                         "--gpu-name",
                                         "--gpu-architecture",
                                         "--options-file",
                                         "-optf",
                                         "--version",
                                         "--run",
                                         "-run",
                                         "--dryrun",
                                         "-dryrun",
                                         "--keep",
                                         "-keep"};
  const std::string_view name = flag.substr(0, flag.find('='));
  return std::ranges::find(kExact, name) != std::end(kExact);
}

Result<std::vector<std::string>> architecturesOf(const Request& request) {
  std::vector<std::string> out = request.architectures;
  if (!isCuda(request.language)) {
    if (!out.empty())
      return badOption("--arch is for CUDA; " + std::string(languageName(request.language)) + " has no architectures");
    return std::vector<std::string>{std::string()};
  }
  if (out.empty() && request.language == Language::Ptx) {
    std::string target = payloads::readPtx(request.source).target;
    if (!isArchitecture(target)) return badOption("the PTX names no target such as sm_90; name one with --arch");
    out.push_back(std::move(target));
  }
  if (out.empty()) return badOption("name an architecture, such as --arch sm_90");
  if (out.size() > kArchitectures) return badOption("there are more than 32 architectures");
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!isArchitecture(out[i]))
      return badOption("'" + escaped(out[i]) + "' is not an architecture; examples are sm_90, sm_90a, compute_90");
    if (request.language == Language::Ptx && out[i].starts_with("compute_"))
      return badOption("PTX is compiled to machine code: '" + out[i] + "' is not possible, sm_… is");
    if (std::find(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(i), out[i]) !=
        out.begin() + static_cast<std::ptrdiff_t>(i))
      return badOption("'" + out[i] + "' is named twice");
  }
  return out;
}

Result<Done> checkFlags(const Request& request) {
  if (request.flags.size() > kFlags) return badOption("there are more than 200 flags");
  for (const std::string& flag : request.flags) {
    if (flag.size() < 2 || flag[0] != '-' || flag.find('\0') != std::string::npos)
      return badOption("'" + escaped(flag) + "' is not a flag of a compiler: flags begin with -");
    if (isReserved(flag))
      return badOption("the flag '" + escaped(flag) + "' is set by Blobscope, or names other files");
  }
  return Done{};
}

/// The compilers to try, in order: the requested one, or all that may be there.
Result<std::vector<CompilerHere>> choose(const Request& request) {
  std::vector<CompilerHere> here = compilersFor(request.language, request.search);
  if (here.empty())
    return Error(DiagnosticId::CompMissing,
                 {arg("language", languageName(request.language)),
                  {"why", "Blobscope knows no compiler for it; the text can still be edited"}});
  if (!request.compiler.empty()) {
    const auto named =
        std::ranges::find_if(here, [&](const CompilerHere& one) { return one.compiler->name == request.compiler; });
    if (named == here.end())
      return badOption("'" + escaped(request.compiler) + "' does not compile " +
                       std::string(languageName(request.language)) + "; " + namesOf(request.language) +
                       " can be chosen");
    if (!named->found) return missing({&*named, 1});
    return std::vector<CompilerHere>{std::move(*named)};
  }
  if (std::ranges::none_of(here, &CompilerHere::found)) return missing(here);
  std::erase_if(here, [](const CompilerHere& one) { return !one.found; });
  return here;
}

Result<Output> runOne(const CompilerHere& compiler, const Request& request, const std::string& architecture,
                      const TimeLimit& limit, Monitor& monitor) {
  return isTool(*compiler.compiler) ? runTool(compiler, request, architecture, limit, monitor)
                                    : runInRunner(compiler, request, architecture, limit, monitor);
}

Result<Compiled> assemble(const CompilerHere& compiler, const Request& request, Monitor& monitor) {
  BLOBSCOPE_TRY(assembled, payloads::assembleSpirv(request.source.view(), monitor));
  Compiled out;
  out.compiler = compiler.compiler->name;
  out.version = assembled.version;
  for (payloads::SpirvAssembled::Problem& problem : assembled.problems)
    out.messages.push_back({problem.isError ? Severity::Error : Severity::Warning, problem.line, problem.column,
                            escapedWithin(problem.text, 4'096)});
  out.code = std::move(assembled.module);
  out.ok = out.code.has_value();
  if (out.ok) out.format = "spirv";
  return out;
}

/// One image, or a fat binary of several. `isText`: the compiler only checked, and the image is the source.
Result<Done> join(std::vector<Bytes> images, bool isText, Compiled& out) {
  if (images.size() == 1) {
    out.format = payloads::sniff(images.front()) == "cubin" ? "cubin" : isText ? "text" : "ptx";
    out.code = std::move(images.front());
    return Done{};
  }
  BLOBSCOPE_TRY(fatbin, payloads::packFatbin(images));
  out.format = "fatbin";
  out.code = std::move(fatbin);
  return Done{};
}

} // namespace

std::vector<KernelUse> kernelsOf(const Bytes& image, std::string_view architecture) {
  std::vector<KernelUse> out;
  if (payloads::sniff(image) == "fatbin") {
    const payloads::FatbinEntry* chosen = nullptr;
    const std::vector<payloads::FatbinEntry> entries = payloads::readFatbin(image).entries();
    for (const payloads::FatbinEntry& entry : entries) {
      if (entry.kind != payloads::FatbinEntry::kCubin || entry.compressedSize > 0) continue;
      if (!chosen || (entry.architecture() == architecture && chosen->architecture() != architecture)) chosen = &entry;
    }
    return chosen ? kernelsOf(chosen->payload) : out;
  }
  if (payloads::sniff(image) != "cubin") return out;
  const payloads::Cubin cubin = payloads::readCubin(image);
  for (const payloads::CubinKernel& kernel : cubin.kernels) {
    KernelUse use;
    use.name = escapedWithin(kernel.name.view(), 4'096);
    if (kernel.registers) use.registers = *kernel.registers;
    use.shared = kernel.sharedBytes;
    if (const auto stack = kernel.stackBytes()) use.stack = *stack;
    use.codeBytes = kernel.code.size();
    use.occupancy = payloads::occupancyPercent(cubin.sm, kernel);
    out.push_back(std::move(use));
  }
  return out;
}

std::vector<std::string> lostKernels(const Bytes& ptx, const Bytes& image) {
  std::vector<std::string> out;
  if (payloads::sniff(image) != "cubin") return out;
  const payloads::Cubin made = payloads::readCubin(image);
  for (const payloads::PtxEntry& entry : payloads::readPtx(ptx).entries)
    if (!made.find(entry.name.view())) out.push_back(escapedWithin(entry.name.view(), 200));
  return out;
}

Message noteOf(std::string_view flag) {
  return {Severity::Note, 0, 0,
          "the flag '" + escapedWithin(flag, 200) +
              "', which the module records, is not passed: it is not one of those that only change the code"};
}

Error missing(std::span<const CompilerHere> compilers) {
  std::string why, places;
  for (const CompilerHere& one : compilers)
    why +=
        std::string(one.compiler->title) + " was not found; it comes with " + std::string(one.compiler->source) + "; ";
  // Programs of the toolkit are searched in the same places, libraries in some of them.
  const auto most = std::ranges::max_element(compilers, {}, [](const CompilerHere& one) { return one.places.size(); });
  for (const std::string& place : most->places) places += (places.empty() ? "" : ", ") + escaped(place);
  return {DiagnosticId::CompMissing,
          {{"language", std::string(languageOf(*compilers.front().compiler))}, {"why", why + "searched: " + places}}};
}

namespace {

Message lostMessage(std::string_view compiler, const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 5;
  std::string text = std::string(compiler) + " reports success, but " + countText(names.size(), "kernel") +
                     " of the source " + (names.size() == 1 ? "is" : "are") + " not in its result: ";
  for (std::size_t i = 0; i < names.size() && i < kNamed; ++i) text += (i > 0 ? ", '" : "'") + names[i] + "'";
  if (names.size() > kNamed) text += " and " + std::to_string(names.size() - kNamed) + " more";
  return {Severity::Error, 0, 0, std::move(text)};
}

/// Sets the flags that the compiler gets; returns those that the module records and that are not passed.
Result<std::vector<std::string>> setFlags(const CompilerHere& compiler, Request& request) {
  const auto recorded = request.recordedFlags.find(compiler.compiler->name);
  const bool isOwn = !request.flags.empty() || recorded == request.recordedFlags.end();
  if (isOwn && request.anyFlag) return std::vector<std::string>();
  SortedFlags sorted = sortFlags(compiler.compiler->name, isOwn ? request.flags : recorded->second);
  if (isOwn && !sorted.leftOut.empty()) return flagError(sorted.leftOut.front());
  request.flags = std::move(sorted.passed);
  return std::move(sorted.leftOut);
}

Result<Compiled> compileWith(const CompilerHere& compiler, Request request,
                             const std::vector<std::string>& architectures, const TimeLimit& limit, Monitor& monitor) {
  BLOBSCOPE_TRY(leftOut, setFlags(compiler, request));
  if (kindOf(*compiler.compiler) == Kind::SpirvTools) return assemble(compiler, request, monitor);
  Compiled out;
  out.compiler = compiler.compiler->name;
  out.flags = request.flags;
  if (isCuda(request.language)) out.architectures = architectures;
  for (const std::string& flag : leftOut) out.messages.push_back(noteOf(flag));
  if (isTool(*compiler.compiler)) {
    BLOBSCOPE_TRY(version, toolVersion(compiler, limit, monitor));
    out.version = std::move(version);
  }
  std::vector<Bytes> images;
  uint64_t done = 0;
  for (const std::string& architecture : architectures) {
    monitor.progress("compiling", done++, architectures.size());
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    BLOBSCOPE_TRY(one, runOne(compiler, request, architecture, limit, monitor));
    if (!isTool(*compiler.compiler)) out.version = std::move(one.version);
    for (Message& message : parseLog(one.log)) {
      const auto same = [&](const Message& known) {
        return known.line == message.line && known.column == message.column && known.text == message.text;
      };
      if (std::ranges::none_of(out.messages, same)) out.messages.push_back(std::move(message));
    }
    if (!one.image) {
      // A compiler that says nothing in a known form must still say something.
      if (std::ranges::none_of(out.messages, [](const Message& m) { return m.severity == Severity::Error; }))
        out.messages.push_back({Severity::Error, 0, 0, escapedWithin(one.log, 4'096)});
      return out;
    }
    // nvJitLink and nvlink report success for inputs that they left out.
    if (request.language == Language::Ptx)
      if (const auto lost = lostKernels(request.source, *one.image); !lost.empty()) {
        out.messages.push_back(lostMessage(compiler.compiler->title, lost));
        return out;
      }
    for (KernelUse& use : kernelsOf(*one.image))
      if (std::ranges::find(out.kernels, use.name, &KernelUse::name) == out.kernels.end())
        out.kernels.push_back(std::move(use));
    images.push_back(std::move(*one.image));
  }
  out.ok = true;
  BLOBSCOPE_CHECK(join(std::move(images), !isCuda(request.language), out));
  return out;
}

} // namespace

Result<Compiled> compile(const Request& request, Monitor& monitor) {
  return compileWithin(request, TimeLimit(request.timeoutMs), monitor);
}

Result<Compiled> compileWithin(const Request& request, const TimeLimit& limit, Monitor& monitor) {
  longWork("compile::compile");
  BLOBSCOPE_TRY(architectures, architecturesOf(request));
  BLOBSCOPE_CHECK(checkFlags(request));
  BLOBSCOPE_TRY(compilers, choose(request));
  std::optional<Error> absent; // only the runner finds out whether a library or a driver is there
  for (const CompilerHere& compiler : compilers) {
    auto compiled = compileWith(compiler, request, architectures, limit, monitor);
    if (compiled || compiled.error().id() != DiagnosticId::CompMissing) return compiled;
    if (!absent) absent = compiled.takeError();
  }
  return std::move(*absent);
}

} // namespace blobscope::compile
