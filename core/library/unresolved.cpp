#include "core/library/unresolved.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/host/text_runs.h"
#include "core/modules/calls.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <unordered_set>

namespace blobscope::library {
namespace {

/// Bytes of data that are searched for names; real libraries have up to 2 MB of such data.
constexpr uint64_t kTextBytes = 16u << 20;
constexpr uint64_t kStep = 1u << 20;
/// The longest name; real names have some 100 bytes.
constexpr std::size_t kNameBytes = 1'024;
constexpr std::string_view kKernelWord = "_kernel";

using NameSet = std::unordered_set<std::string>;

bool isNameByte(char c) { return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7f; }

/// Returns the extent of a blob in the file; in the preview of an edited file, that of the opened blob.
std::optional<Extent> placeOf(const Blob& blob, const container::Image& image) {
  const std::string_view file = image.file.view();
  const auto within = [&](const Bytes& bytes, uint64_t size) -> std::optional<Extent> {
    const std::less_equal<const char*> notAfter;
    const std::string_view view = bytes.view();
    if (!notAfter(file.data(), view.data()) || !notAfter(view.data() + view.size(), file.data() + file.size()))
      return std::nullopt;
    return Extent{static_cast<uint64_t>(view.data() - file.data()), std::min<uint64_t>(size, view.size())};
  };
  if (const auto place = within(blob.bytes, blob.bytes.size())) return place;
  auto stored = image.findBytesAt(blob.carrier.address);
  for (const container::Symbol& symbol : image.symbols) {
    if (stored) break;
    if (symbol.name == blob.carrier.symbol) stored = image.findBytesOf(symbol);
  }
  if (!stored || stored->size() < 8) return std::nullopt;
  uint64_t size = 0;
  std::memcpy(&size, stored->data(), 8);
  return within(*stored, Extent{8, size}.end());
}

/// Returns the data that can contain strings of the code: data that the loader maps, without code, symbol tables and
/// blobs.
std::vector<Extent> textData(const Package& package) {
  std::vector<Extent> blobs, out;
  for (const auto& blob : package.blobs)
    if (const auto place = placeOf(*blob, package.image)) blobs.push_back(*place);
  std::sort(blobs.begin(), blobs.end(), [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
  std::vector<Extent> sections;
  for (const container::Section& section : package.image.sections)
    if (section.allocated && !section.executable && section.file.size > 0 && section.type != "STRTAB")
      sections.push_back(section.file);
  std::sort(sections.begin(), sections.end(), [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
  uint64_t done = 0, total = 0; // sections of damaged files overlap; every byte is read once
  for (const Extent& section : sections) {
    uint64_t from = std::max(section.offset, done);
    const uint64_t end = std::min(section.end(), package.image.file.size());
    const auto add = [&](uint64_t to) {
      if (to <= from || total >= kTextBytes) return;
      out.push_back({from, std::min(to - from, kTextBytes - total)});
      total += out.back().size;
    };
    for (const Extent& blob : blobs) {
      if (blob.end() <= from || blob.offset >= end) continue;
      add(blob.offset);
      from = std::min(blob.end(), end);
    }
    add(end);
    done = std::max(done, end);
  }
  return out;
}

/// Calls `visit` for each complete string that contains `word`. In C source, for string literals.
template <class Visit>
Result<Done> forEachTextWith(const Package& package, std::string_view word, Visit&& visit, Monitor& monitor) {
  const auto& image = package.image;
  if (image.format == container::Format::CSource) {
    if (!package.blobs.empty()) return Done{}; // a file with the blob as an array, without host code
    return host::forEachText(
        image, host::TextPlaces::All, word.size(),
        [&](std::string_view text, bool) {
          if (text.size() <= kNameBytes && text.find(word) != std::string_view::npos) visit(text);
        },
        monitor);
  }
  for (const Extent& place : textData(package)) {
    const std::string_view data = image.file.view().substr(place.offset, place.size);
    for (std::size_t start = 0; start < data.size(); start += kStep) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const std::size_t end = std::min<std::size_t>(start + kStep, data.size());
      // A match that begins before `end` may extend past it.
      const std::string_view part = data.substr(0, std::min<std::size_t>(end + word.size() - 1, data.size()));
      for (std::size_t at = part.find(word, start); at != std::string_view::npos; at = part.find(word, at + 1)) {
        std::size_t from = at, to = at + word.size();
        while (from > 0 && at - from < kNameBytes && isNameByte(data[from - 1])) --from;
        while (to < data.size() && to - at < kNameBytes && isNameByte(data[to])) ++to;
        const bool whole = (from == 0 || data[from - 1] == '\0') && to < data.size() && data[to] == '\0';
        if (whole) visit(data.substr(from, to - from));
      }
    }
  }
  return Done{};
}

void addNames(const modules::Body& body, NameSet& out) {
  if (modules::isExecutable(body)) return; // other modules do not call its functions, and listing them is slow
  for (std::string& name : functionNames(body)) out.insert(std::move(name));
}

class Matcher {
public:
  Matcher(const PackagePtr& package, std::span<const LinkedModule> modules, Monitor& monitor)
      : m_modules(modules), m_monitor(monitor) {
    forEachPackage(package, [&](const PackagePtr& inner) {
      m_packages.push_back(inner);
      m_anyBlob = m_anyBlob || !inner->blobs.empty();
      m_anyHost = m_anyHost || !inner->host.functions.empty();
    });
    for (const LinkedModule& module : modules) {
      if (!module.prefix.empty()) m_prefixes.emplace(module.prefix);
      if (module.body) addNames(*module.body, m_defined);
    }
  }

  Result<std::vector<Unresolved>> match() {
    const bool known = std::all_of(m_modules.begin(), m_modules.end(),
                                   [](const LinkedModule& module) { return module.body && module.body->decoded(); });
    if (!known || !m_anyHost || !m_anyBlob) return std::vector<Unresolved>();
    // --- 1. Names that no module defines. ---
    BLOBSCOPE_CHECK(collectKernels());
    for (const LinkedModule& module : m_modules) collectLookups(module);
    if (m_open.empty()) return std::vector<Unresolved>();
    // --- 2. Names that no host function has. Host functions are visited once: there may be half a million. ---
    BLOBSCOPE_CHECK(resolve());
    std::vector<Unresolved> out;
    for (Open& one : m_open) {
      const bool calls = one.host.empty() || m_hosts.contains(one.host);
      const bool defined = m_hosts.contains(one.missing.name) ||
                           (!one.prefix.empty() && m_hosts.contains(one.prefix + one.missing.name));
      if (calls && !defined) out.push_back(std::move(one.missing));
    }
    return out;
  }

private:
  static constexpr std::size_t kShownBytes = 200;

  /// A name that no module defines.
  struct Open {
    Unresolved missing;
    std::string host;   ///< for a kernel: the name of the host function that would launch it
    std::string prefix; ///< of the system library whose host functions may define it
  };

  /// In a system library, names may begin with its prefix, in the file or in the lookup.
  bool isDefined(const std::string& name, std::string_view prefix) const {
    if (m_defined.contains(name) || (!prefix.empty() && m_defined.contains(std::string(prefix) + name))) return true;
    return std::any_of(m_prefixes.begin(), m_prefixes.end(), [&](const std::string& one) {
      return name.starts_with(one) && m_defined.contains(name.substr(one.size()));
    });
  }

  Result<Done> collectKernels() {
    NameSet seen;
    for (const PackagePtr& package : m_packages) {
      if (package->host.functions.empty()) continue;
      const auto visit = [&](std::string_view text) {
        const std::string host(hostNameOfKernel(text)), name(text);
        if (host.empty() || isDefined(name, {})) return;
        if (seen.size() >= limits::kDiagnostics || !seen.insert(name).second) return;
        m_open.push_back({{Unresolved::Kind::Kernel, name, package->ref(Ref::named(Ref::Kind::Host, host)),
                           "the host function '" + escapedWithin(host, kShownBytes) + "'"},
                          host,
                          {}});
      };
      BLOBSCOPE_CHECK(forEachTextWith(*package, kKernelWord, visit, m_monitor));
    }
    return Done{};
  }

  void collectLookups(const LinkedModule& module) {
    using From = modules::Lookup::Kind;
    for (modules::Lookup& lookup : modules::lookupsOf(*module.body)) {
      // Names with a dot belong to the runtime: "vm.builtin.reshape".
      const bool ofRuntime = lookup.name.find('.') != std::string::npos || lookup.name.starts_with("__tvm_");
      if ((lookup.kind == From::Optional && ofRuntime) || isDefined(lookup.name, module.prefix)) continue;
      if (m_open.size() >= kOpen) return;
      const std::string format(lookup.format);
      m_open.push_back({{lookup.kind == From::Compiled   ? Unresolved::Kind::Compiled
                         : lookup.kind == From::Required ? Unresolved::Kind::Packed
                                                         : Unresolved::Kind::Runtime,
                         std::move(lookup.name),
                         lookup.caller.empty() ? module.ref : module.ref.part(PartKind::Function, lookup.caller),
                         lookup.caller.empty()
                             ? "the " + format
                             : "the function '" + escapedWithin(lookup.caller, kShownBytes) + "' of the " + format},
                        {},
                        std::string(module.prefix)});
    }
  }

  /// Fills m_hosts with those host functions whose names are looked up.
  Result<Done> resolve() {
    std::unordered_set<std::string_view> wanted;
    NameSet prefixed;
    for (const Open& one : m_open) {
      wanted.insert(one.missing.name);
      if (!one.host.empty()) wanted.insert(one.host);
      if (!one.prefix.empty()) prefixed.insert(one.prefix + one.missing.name);
    }
    wanted.insert(prefixed.begin(), prefixed.end());
    uint64_t visited = 0;
    for (const PackagePtr& package : m_packages)
      for (const host::Function& function : package->host.functions) {
        if (visited++ % 4'096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        if (wanted.contains(function.name)) m_hosts.emplace(function.name);
      }
    return Done{};
  }

  /// The limit of names that are followed; a damaged table can list millions.
  static constexpr std::size_t kOpen = 100'000;
  std::vector<PackagePtr> m_packages;
  std::span<const LinkedModule> m_modules;
  Monitor& m_monitor;
  NameSet m_defined;  ///< names that modules define
  NameSet m_prefixes; ///< of system libraries
  NameSet m_hosts;
  bool m_anyBlob = false, m_anyHost = false;
  std::vector<Open> m_open;
};

} // namespace

std::string_view hostNameOfKernel(std::string_view kernel) {
  const std::size_t at = kernel.rfind(kKernelWord);
  if (at == std::string_view::npos) return {};
  std::string_view rest = kernel.substr(at + kKernelWord.size());
  if (rest.starts_with('_')) rest.remove_prefix(1);
  const bool number = std::all_of(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; });
  return number ? kernel.substr(0, at) : std::string_view();
}

std::vector<LinkedModule> linkedModules(const Blob& blob) {
  std::vector<LinkedModule> out;
  const std::vector<uint32_t> importers = blob.importerCounts();
  for (const ModulePtr& module : blob.modules)
    if (module->index == 0 || importers[module->index] > 0 || !blob.hasRootModule())
      out.push_back({blob.moduleRef(module->index), module->body.get(), blob.carrier.prefix});
  return out;
}

std::vector<LinkedModule> linkedModules(const PackagePtr& package) {
  std::vector<LinkedModule> out;
  forEachPackage(package, [&](const PackagePtr& inner) {
    for (const auto& blob : inner->blobs) {
      const std::vector<LinkedModule> linked = linkedModules(*blob);
      out.insert(out.end(), linked.begin(), linked.end());
    }
  });
  return out;
}

std::vector<Argument> Unresolved::arguments() const {
  switch (kind) {
  case Kind::Kernel:
    return {{"caller", callerText}, {"what", "launches the kernel"}, arg("name", name), {"effect", "the call fails"}};
  case Kind::Compiled:
    return {{"caller", callerText},
            {"what", "is compiled as"},
            arg("name", name),
            {"effect", "a runtime cannot set up the virtual machine"}};
  case Kind::Packed:
  case Kind::Runtime: break;
  }
  return {{"caller", callerText},
          {"what", "calls"},
          arg("name", name),
          {"effect", "a runtime cannot set up " + callerText}};
}

Result<std::vector<Unresolved>> findUnresolved(const PackagePtr& package, std::span<const LinkedModule> modules,
                                               Monitor& monitor) {
  return Matcher(package, modules, monitor).match();
}

Result<std::vector<Diagnostic>> callDiagnostics(const PackagePtr& package, Monitor& monitor) {
  BLOBSCOPE_TRY(unresolved, findUnresolved(package, linkedModules(package), monitor));
  std::vector<Diagnostic> out;
  for (const Unresolved& one : unresolved)
    if (one.certain()) out.push_back({DiagnosticId::BlobCall, one.caller, one.arguments()});
  return out;
}

Result<bool> hostCodeContains(const PackagePtr& package, std::string_view name, Monitor& monitor) {
  std::vector<PackagePtr> packages;
  forEachPackage(package, [&](const PackagePtr& inner) { packages.push_back(inner); });
  bool found = false;
  for (const PackagePtr& inner : packages) {
    if (name.empty() || found) break;
    BLOBSCOPE_CHECK(
        forEachTextWith(*inner, name, [&](std::string_view text) { found = found || text == name; }, monitor));
  }
  return found;
}

} // namespace blobscope::library
