#include "core/base/digest.h"
#include "core/base/text.h"
#include "core/requirements/parts.h"
#include "core/safety/import_groups.h"
#include "core/safety/parts.h"

#include <algorithm>
#include <array>
#include <set>

namespace blobscope::safety {
namespace {

using check::Rule;

constexpr std::size_t kPerRule = 200; // findings of one rule
constexpr std::size_t kNamed = 8;     // names in one message

std::string listed(const std::vector<std::string>& names) { return namesText(names, kNamed); }

std::string_view archiveWord(std::string_view format) {
  constexpr std::array<std::string_view, 12> kFormats = {"zip", "gzip", "zstd",  "xz",   "bzip2",  "7z",
                                                         "pe",  "elf",  "macho", "wasm", "script", "tar"};
  return std::ranges::find(kFormats, format) != kFormats.end() ? format : std::string_view();
}

/// Libraries that a TVM export or the run-time of a compiler needs.
bool isUsualLibrary(std::string name) {
  name = name.substr(name.find_last_of('/') + 1);
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  constexpr std::string_view kBegins[] = {
      "libc.",      "libm.",      "libdl.",    "libpthread.", "librt.",    "libgcc_s",  "libstdc++",
      "libc++",     "libtvm",     "tvm",       "libcuda",     "libcudart", "libnvrtc",  "libcublas",
      "libcudnn",   "libopencl",  "libvulkan", "ld-linux",    "ld-musl",   "libsystem", "libobjc",
      "metal",      "foundation", "kernel32",  "msvcp",       "msvcrt",    "vcruntime", "ucrtbase",
      "api-ms-win", "ntdll",      "nvcuda",    "cudart",      "env",       "wasi_",     "libomp",
      "libgomp",    "libatomic",  "liblog.",   "libhexagon",  "libamdhip", "libhsa"};
  return std::ranges::any_of(kBegins, [&](std::string_view one) { return name.starts_with(one); });
}

/// Functions of the runtime that act on something outside the process.
std::string_view actOf(std::string_view name) {
  if (name.starts_with("rpc.") || name.starts_with("tvm.rpc.") || name.find("RPC") != std::string_view::npos)
    return "talks to other machines";
  if (name.starts_with("runtime.disco")) return "starts other processes";
  if (name == "runtime.ModuleLoadFromFile" || name == "ffi.ModuleLoadFromFile" || name == "runtime.module.loadfile")
    return "loads a library from a file";
  if (name.find("ndarray_cache.load") != std::string_view::npos ||
      name.find("tensor_cache.load") != std::string_view::npos || name == "runtime.SaveParams" ||
      name == "runtime.LoadParams" || name.find("ModuleWriteToFile") != std::string_view::npos)
    return "reads or writes files";
  return {};
}

/// `text` without the digits of hexadecimal numbers: addresses and offsets move when a file is built again.
std::string withoutAddresses(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t number = std::min(text.find("0x", at), text.size());
    out += text.substr(at, number - at);
    at = number;
    if (at == text.size()) break;
    out += "0x";
    at = std::min(text.find_first_not_of("0123456789abcdefABCDEF", at + 2), text.size());
  }
  return out;
}

class Finder {
public:
  Finder(const std::vector<library::PackagePtr>& packages, Report& report) : m_packages(packages), m_report(report) {}

  Result<Done> find(Monitor& monitor) {
    for (const Piece& piece : m_report.pieces) {
      m_code.clear();
      for (const ReachedFunction& function : piece.functions) m_code += function.digest + '\n';
      addPiece(piece);
    }
    m_code.clear();
    addImportFindings();
    addLoading();
    addProtectionFindings();
    addBytes();
    addInsideFindings();
    addTextFindings();
    for (const Signature& signature : m_report.signatures) addSignature(signature);
    if (!m_report.damage.empty()) add(Rule::SafeDamaged, Ref::file(), {{"what", m_report.damage}});
    for (const std::string& what : m_report.notRead) add(Rule::SafeNotRead, Ref::file(), {{"what", what}});
    m_report.findings.format = m_packages.front()->kind();
    for (check::Issue& issue : m_report.findings.issues) {
      BLOBSCOPE_TRY(digest, computeSha256(Bytes::copyOf(issue.fingerprint), monitor));
      issue.fingerprint = digest.substr(0, 32);
    }
    m_report.findings.sortWorstFirst();
    return Done{};
  }

private:
  void add(Rule rule, const Ref& ref, std::vector<Argument> arguments) {
    if (++m_counts[static_cast<std::size_t>(rule)] > kPerRule) return;
    check::Finding finding{rule, {}, std::move(arguments)};
    for (const std::string& member : ref.members)
      finding.place.member += (finding.place.member.empty() ? "" : "!") + member;
    finding.place.offset = ref.at;
    check::Issue issue = check::issueOf(finding);
    issue.ref = ref;
    issue.fingerprint = issue.place.member + '\n' + withoutAddresses(issue.message) + '\n' + m_code;
    m_report.findings.issues.push_back(std::move(issue));
  }

  static std::vector<std::string> namesOf(const Piece& piece, bool acting) {
    std::vector<std::string> names;
    for (const Reached& one : piece.reaches)
      if (!acting || (actsOn(one.group) && !one.byKnown))
        if (std::ranges::find(names, one.name) == names.end()) names.push_back(one.name);
    return names;
  }

  void addPiece(const Piece& piece) {
    const std::string slot = piece.slot + (piece.symbol.empty() ? "" : " (" + escapedWithin(piece.symbol, 120) + ")");
    const auto place = [&] { return std::vector<Argument>{{"slot", slot}, hexArg("address", piece.address)}; };
    const auto with = [&](Argument more) {
      std::vector<Argument> arguments = place();
      arguments.push_back(std::move(more));
      return arguments;
    };
    if (piece.trigger == Trigger::Ifunc) add(Rule::SafeIfunc, piece.ref, {hexArg("address", piece.address)});
    if (piece.trigger == Trigger::Preinit) add(Rule::SafePreinit, piece.ref, {hexArg("address", piece.address)});
    if (piece.trigger == Trigger::TlsCallback && piece.verdict != Verdict::Known)
      add(Rule::SafeTlsCallback, piece.ref, {hexArg("address", piece.address)});
    if (piece.verdict == Verdict::Known) return;
    for (const uint64_t at : piece.systemCalls)
      add(Rule::SafeLoadSyscall, piece.ref, {{"slot", slot}, hexArg("address", at)});
    for (const Reached& one : piece.reaches)
      if (one.computed)
        add(Rule::SafeComputedName, piece.ref, {{"slot", slot}, {"name", one.name}, hexArg("address", one.at)});
    const std::vector<std::string> acting = namesOf(piece, true);
    if (!acting.empty() && piece.verdict == Verdict::Acts) {
      add(Rule::SafeLoadActs, piece.ref, with({"names", listed(acting)}));
    } else if (piece.verdict == Verdict::Contained) {
      const std::vector<std::string> all = namesOf(piece, false);
      add(Rule::SafeLoadContained, piece.ref, with({"names", all.empty() ? "no other library" : listed(all)}));
    }
    if (piece.verdict == Verdict::Unknown) add(Rule::SafeLoadUnknown, piece.ref, with({"why", whyUnknown(piece)}));
  }
  static std::string whyUnknown(const Piece& piece) {
    if (!piece.incomplete.empty()) return piece.incomplete.front();
    return "the target of " + countText(piece.indirect.size(), "call") + " is not known, the first at " +
           hexText(piece.indirect.front());
  }

  void addImportFindings() {
    std::array<std::vector<std::string>, kGroups> names;
    std::array<Ref, kGroups> refs;
    std::vector<std::string> environment, delayed;
    Ref environmentRef, delayedRef;
    for (const Import& one : m_report.imports) {
      if (one.delayed) {
        if (delayed.empty()) delayedRef = one.ref;
        delayed.push_back(one.name);
      }
      if (one.expected) continue;
      if (one.group == Group::Process && one.name.find("env") != std::string::npos) {
        if (environment.empty()) environmentRef = one.ref;
        environment.push_back(one.name);
        continue;
      }
      const auto group = static_cast<std::size_t>(one.group);
      if (names[group].empty()) refs[group] = one.ref;
      names[group].push_back(one.name);
    }
    constexpr std::array<std::pair<Group, Rule>, 7> kRules = {{{Group::Process, Rule::SafeProcess},
                                                               {Group::File, Rule::SafeFile},
                                                               {Group::Network, Rule::SafeNetwork},
                                                               {Group::DynamicCode, Rule::SafeDynamicCode},
                                                               {Group::Memory, Rule::SafeMemory},
                                                               {Group::Threads, Rule::SafeThreads},
                                                               {Group::Other, Rule::SafeOtherImport}}};
    for (const auto& [group, rule] : kRules)
      if (const auto& list = names[static_cast<std::size_t>(group)]; !list.empty())
        add(rule, refs[static_cast<std::size_t>(group)], {{"names", listed(list)}});
    if (!environment.empty()) add(Rule::SafeEnvironment, environmentRef, {{"names", listed(environment)}});
    if (!delayed.empty()) add(Rule::SafeDelayImport, delayedRef, {{"names", listed(delayed)}});
    std::set<uint64_t> atLoad;
    for (const Piece& piece : m_report.pieces) atLoad.insert(piece.systemCalls.begin(), piece.systemCalls.end());
    for (const Report::SystemCall& one : m_report.systemCalls)
      if (!atLoad.contains(one.address))
        add(Rule::SafeSyscall, one.ref, {{"text", one.text}, hexArg("address", one.address)});
  }

  void addLoading() {
    for (const std::string& path : m_report.searchPaths) {
      const std::string_view why =
          path.empty() || path.front() == ':' || path.back() == ':'         ? "an empty path is the current folder"
          : path.starts_with("$ORIGIN") || path.starts_with("@loader_path") ? "it is relative to the file"
          : path.front() != '/' && path.front() != '@'                      ? "it is relative to the current folder"
          : path.starts_with("/tmp") || path.starts_with("/var/tmp")        ? "everyone can write there"
                                                                            : "it is not a folder of the system";
      add(Rule::SafeSearchPath, Ref::file(), {arg("path", path), {"why", std::string(why)}});
    }
    const bool apple = m_packages.front()->image.format == container::Format::MachO;
    for (const std::string& name : m_report.libraries) {
      if (!apple && name.find('/') != std::string::npos)
        add(Rule::SafeLibraryPath, Ref::file(), {arg("name", name)});
      else if (!isUsualLibrary(name) && m_packages.front()->image.format != container::Format::Wasm)
        add(Rule::SafeLibrary, Ref::file(), {arg("name", name)});
    }
    for (const std::string& what : m_report.environment)
      add(Rule::SafeLoaderSetting, Ref::file(), {{"what", escaped(what)}});
    for (const PackedCall& call : m_report.packedCalls)
      if (!call.act.empty()) add(Rule::SafePacked, call.ref, {arg("name", call.name), {"what", call.act}});
  }

  void addProtectionFindings() {
    const Protection& protection = m_report.protection;
    for (const Ref& ref : protection.writableSegments)
      add(Rule::SafeWritableCode, ref, {sizeArg("size", ref.size.value_or(0))});
    if (protection.executableStack) add(Rule::SafeExecutableStack, Ref::file(), {});
    if (protection.textRelocations) add(Rule::SafeTextRelocations, Ref::file(), {});
    if (protection.relro == "none") add(Rule::SafeRelro, Ref::file(), {});
  }

  void addBytes() {
    const auto looks = [](const std::string& format) { return format.empty() ? "" : ", looks like " + format; };
    for (const UnownedRange& range : m_report.unowned) {
      std::vector<Argument> arguments = {{"size", countText(range.extent.size, "byte")}, {"where", range.where}};
      if (range.zeros) {
        add(Rule::SafeZeros, range.ref, std::move(arguments));
      } else if (!archiveWord(range.looksLike).empty()) {
        arguments.push_back({"format", range.looksLike});
        add(Rule::SafeEmbedded, range.ref, std::move(arguments));
      } else {
        arguments.push_back({"entropy", entropyText(range.entropy)});
        arguments.push_back({"looks", looks(range.looksLike)});
        add(Rule::SafeUnowned, range.ref, std::move(arguments));
      }
    }
    for (const OddSection& section : m_report.sections) {
      if (!archiveWord(section.looksLike).empty())
        add(Rule::SafeEmbedded, section.ref,
            {{"size", countText(section.extent.size, "byte")},
             {"where", "in the section '" + escapedWithin(section.name, 60) + "'"},
             {"format", section.looksLike}});
      else
        add(Rule::SafeSection, section.ref,
            {arg("name", section.name),
             {"size", countText(section.extent.size, "byte")},
             {"entropy", entropyText(section.entropy)},
             {"looks", looks(section.looksLike)}});
    }
  }

  void addInsideFindings() {
    for (const InsideFile& one : m_report.inside)
      if (one.looksLike == "blob")
        add(Rule::SafeDeadBlob, one.ref, {hexArg("offset", one.at)});
      else
        add(Rule::SafeInside, one.ref, {{"format", one.looksLike}, hexArg("offset", one.at)});
  }

  void addTextFindings() {
    std::size_t paths = 0;
    const FoundText* first = nullptr;
    for (const FoundText& text : m_report.texts) {
      if (text.kind == FoundText::Kind::Path && ++paths == 1) first = &text;
      const std::string shown = escapedWithin(text.text, 120);
      if (text.kind == FoundText::Kind::Url) add(Rule::SafeUrl, text.ref, {{"text", shown}});
      if (text.kind == FoundText::Kind::Command) add(Rule::SafeCommand, text.ref, {{"text", shown}});
      if (text.kind == FoundText::Kind::Loader) add(Rule::SafeLoaderText, text.ref, {{"text", shown}});
    }
    if (first) add(Rule::SafePath, first->ref, {arg("count", paths), {"text", escapedWithin(first->text, 120)}});
    if (!m_report.identity.users.empty())
      add(Rule::SafeUser, Ref::file(), {{"names", listed(m_report.identity.users)}});
  }

  void addSignature(const Signature& signature) {
    const Ref ref = signature.path.empty() ? Ref::bytesAt(signature.extent.offset, signature.extent.size) : Ref::file();
    const std::string kind = signature.kind + " signature";
    if (!signature.problem.empty())
      add(Rule::SafeSignatureDamaged, ref, {{"kind", kind}, {"why", signature.problem}});
    else if (signature.matches && !*signature.matches)
      add(Rule::SafeSignatureVoid, ref, {{"kind", kind}});
  }

  const std::vector<library::PackagePtr>& m_packages;
  Report& m_report;
  std::map<std::size_t, std::size_t> m_counts;
  std::string m_code; ///< the digests of the code that the finding is about
};

} // namespace

Result<Done> addPackedCalls(const std::vector<library::PackagePtr>& packages, Report& report, Monitor& monitor) {
  requirements::Requirements needs;
  BLOBSCOPE_TRY(defined, requirements::addDefined(packages, needs, monitor));
  BLOBSCOPE_CHECK(requirements::addModules(packages, defined, needs, monitor));
  std::set<std::string> seen;
  constexpr std::size_t kCallsKept = 10'000;
  for (requirements::NeededFunction& one : needs.functions) {
    if (one.definedHere || report.packedCalls.size() >= kCallsKept || !seen.insert(one.name).second) continue;
    const std::string act(actOf(one.name));
    report.packedCalls.push_back({std::move(one.name), act, std::move(one.ref)});
  }
  return Done{};
}

Result<Done> addFindings(const std::vector<library::PackagePtr>& packages, Report& report, Monitor& monitor) {
  return Finder(packages, report).find(monitor);
}

} // namespace blobscope::safety
