#include "core/xref/functions.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/host/signatures.h"
#include "core/host/tilelang_checks.h"
#include "core/library/host_code.h"
#include "core/library/node.h"
#include "core/library/unresolved.h"
#include "core/modules/calls.h"
#include "core/xref/name_loads.h"
#include "core/xref/vm_signature.h"

#include <algorithm>
#include <unordered_map>

namespace blobscope::xref {
namespace {

using library::Package;
using library::PackagePtr;

/// The longest name that is kept; names in a file can have any length.
constexpr std::size_t kNameBytes = 4'096;
/// The limit of kernels with the same name: one per device of a library. More come from damage.
constexpr std::size_t kSameName = 64;

/// The limit of kernels per host function; the largest number seen is 3.
constexpr std::size_t kLaunches = 4'096;

/// Indexes by name and by package; those of the requested package have priority.
class NameIndex {
public:
  void add(std::string_view name, std::size_t package, uint32_t index) {
    auto& list = m_entries[std::string(name)];
    if (list.size() < kSameName) list.push_back({package, index});
  }
  /// Returns the indexes in `package`, or all indexes if it has none.
  std::vector<uint32_t> find(std::string_view name, std::size_t package) const {
    std::vector<uint32_t> own, all;
    const auto found = m_entries.find(std::string(name));
    if (found == m_entries.end()) return own;
    for (const Entry& entry : found->second) {
      all.push_back(entry.index);
      if (entry.package == package) own.push_back(entry.index);
    }
    return own.empty() ? all : own;
  }

private:
  struct Entry {
    std::size_t package;
    uint32_t index;
  };
  std::unordered_map<std::string, std::vector<Entry>> m_entries;
};

class Maker {
public:
  Maker(const PackagePtr& package, Monitor& monitor) : m_monitor(monitor) {
    library::forEachPackage(package, [&](const PackagePtr& inner) { m_packages.push_back(inner); });
  }

  Result<Functions> make() {
    // --- 1. Functions and kernels. ---
    // Host functions of all members first: in an archive, the blob may be before the code that it calls.
    for (std::size_t p = 0; p < m_packages.size(); ++p) BLOBSCOPE_CHECK(addHosts(p));
    for (std::size_t p = 0; p < m_packages.size(); ++p) {
      for (const auto& blob : m_packages[p]->blobs)
        for (const library::ModulePtr& module : blob->modules) {
          if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
          addKernels(p, *blob, *module);
          BLOBSCOPE_CHECK(addCallers(p, *blob, *module));
        }
    }
    // --- 2. Calls. ---
    BLOBSCOPE_CHECK(linkCallers());
    BLOBSCOPE_CHECK(linkByCode());
    BLOBSCOPE_CHECK(linkByName());
    return std::move(m_out);
  }

private:
  Result<Done> addHosts(std::size_t p) {
    const Package& package = *m_packages[p];
    BLOBSCOPE_TRY(signatures, host::computeSignatures(package.image, package.host, m_monitor));
    BLOBSCOPE_CHECK(readExtents(package, signatures));
    m_firstHost.push_back(m_out.hosts.size());
    for (std::size_t i = 0; i < signatures.size(); ++i) {
      HostFunction function;
      function.signature = std::move(signatures[i]);
      function.ref = package.ref(Ref::file());
      if (i < package.host.functions.size()) {
        const host::Function& stored = package.host.functions[i];
        function.symbol = package.image.symbols[stored.symbol].name;
        function.ref = package.ref(Ref::named(Ref::Kind::Host, stored.name));
        function.bytes = codeOf(package, stored.symbol);
      }
      m_hosts.add(function.signature.function, p, static_cast<uint32_t>(m_out.hosts.size()));
      m_out.hosts.push_back(std::move(function));
    }
    return Done{};
  }

  /// Reads extents that only the machine code states: TileLang's checks compare them with numbers.
  Result<Done> readExtents(const Package& package, std::vector<host::Signature>& signatures) {
    struct Place {
      std::size_t function, parameter, dimension;
    };
    constexpr std::size_t kPlaces = 100'000;
    std::unordered_map<std::string, Place> open;
    std::vector<uint32_t> symbols;
    for (std::size_t f = 0; f < package.host.functions.size() && open.size() < kPlaces; ++f) {
      const std::size_t before = open.size();
      for (std::size_t p = 0; p < signatures[f].parameters.size(); ++p) {
        const host::Parameter& parameter = signatures[f].parameters[p];
        for (std::size_t d = 0; d < parameter.shape.size() && parameter.checks != 0; ++d)
          if ((parameter.checks >> d & 1) != 0 && parameter.shape[d].text.empty())
            open.try_emplace(host::shapeCheckText(signatures[f], p, d), Place{f, p, d});
      }
      if (open.size() > before) symbols.push_back(package.host.functions[f].symbol);
    }
    if (open.empty()) return Done{};
    const auto isWanted = [&](std::string_view text) { return open.contains(std::string(text)); };
    const auto visit = [&](std::string_view text, uint64_t number) {
      const Place& place = open.at(std::string(text));
      host::Dimension& dimension = signatures[place.function].parameters[place.parameter].shape[place.dimension];
      if (dimension.text.empty()) dimension = host::dimensionOf(std::to_string(number));
    };
    BLOBSCOPE_CHECK(forEachCheckedNumber(package.image, symbols, isWanted, visit, m_monitor));
    for (host::Signature& signature : signatures) host::nameSharedDimensions(signature);
    return Done{};
  }

  static std::optional<Ref> codeOf(const Package& package, uint32_t symbol) {
    if (!canFindCode(package.image, symbol, package.host.functions.size())) return std::nullopt;
    const auto code = library::findHostCode(package.image, symbol);
    const auto place = code ? library::placeIn(package, code->bytes) : std::nullopt;
    return place ? std::optional(package.ref(Ref::bytesAt(*place, code->bytes.size()))) : std::nullopt;
  }

  void addKernels(std::size_t p, const library::Blob& blob, const library::Module& module) {
    const std::vector<modules::Kernel> kernels = module.body->kernels();
    if (kernels.empty()) return;
    const uint32_t first = static_cast<uint32_t>(m_out.kernels.size());
    const Ref moduleRef = blob.moduleRef(module.index);
    for (const modules::Kernel& stored : kernels) {
      Kernel kernel;
      kernel.name = stored.name.view().substr(0, kNameBytes);
      kernel.ref = moduleRef.part(PartKind::Kernel, stored.name.view());
      kernel.moduleKey = module.key.view();
      if (stored.code && !stored.code->empty())
        if (const auto place = library::placeIn(*m_packages[p], *stored.code))
          kernel.bytes = m_packages[p]->ref(Ref::bytesAt(*place, stored.code->size()));
      const auto index = static_cast<uint32_t>(m_out.kernels.size());
      m_kernels.add(kernel.name, p, index);
      m_kernelPackages.push_back(p);
      m_out.kernels.push_back(std::move(kernel));
    }
    if (const auto table = module.body->kernelTable()) addFacts(*table, moduleRef, first);
  }

  /// Adds what the module's format records about each kernel.
  void addFacts(const modules::KernelTable& table, const Ref& moduleRef, uint32_t first) {
    const std::vector<view::Column> columns = table.source->columns();
    const uint64_t count = std::min<uint64_t>(table.source->rowCount(), m_out.kernels.size() - first);
    for (uint64_t row = 0; row < count; ++row) {
      Kernel& kernel = m_out.kernels[first + row];
      if (table.source->target(row, moduleRef) != kernel.ref) continue;
      for (std::size_t c = 1; c < columns.size(); ++c) {
        std::string cell = table.source->cell(row, c);
        if (c == table.arguments) {
          kernel.arguments = std::move(cell);
        } else if (c == table.launch) {
          kernel.launch = std::move(cell);
        } else if (!cell.empty() && cell != "–") {
          kernel.resources += (kernel.resources.empty() ? "" : ", ") + columns[c].title + " " + cell;
        }
      }
    }
  }

  Result<Done> addCallers(std::size_t p, const library::Blob& blob, const library::Module& module) {
    BLOBSCOPE_TRY(calls, modules::computeCalls(*module.body, m_monitor));
    const Ref moduleRef = blob.moduleRef(module.index);
    const std::size_t first = m_out.callers.size();
    std::unordered_map<std::string_view, uint32_t> own;
    uint64_t looks = 0;
    const auto stop = [&] { return looks++ % 1'024 == 0 && m_monitor.stopRequested(); };
    for (std::size_t i = 0; i < calls.callers.size(); ++i) {
      if (stop()) return Error(DiagnosticId::Cancelled, {});
      modules::Caller& stored = calls.callers[i];
      Caller caller;
      caller.ref = stored.name.empty() ? moduleRef : moduleRef.part(PartKind::Function, stored.name);
      caller.kind = stored.kind;
      caller.signature = signatureOf(stored);
      caller.result = std::move(stored.result);
      caller.name = stored.name.empty() ? std::string(stored.kind) : stored.name;
      own.try_emplace(stored.name, static_cast<uint32_t>(first + i));
      m_out.callers.push_back(std::move(caller));
    }
    for (std::size_t i = 0; i < calls.callers.size(); ++i) {
      const modules::Caller& stored = calls.callers[i];
      Caller& caller = m_out.callers[first + i];
      if (stored.kind == "VM-TIR") caller.compiledAs = hostOf("__vmtir__" + stored.name, p, blob);
      if (stop()) return Error(DiagnosticId::Cancelled, {});
      for (const modules::Call& call : stored.calls) {
        if (stop()) return Error(DiagnosticId::Cancelled, {});
        Caller::Call made{call.name, call.times, {}, {}};
        if (call.to == modules::Call::To::Packed) {
          made.host = hostOf(call.name, p, blob);
        } else if (const auto found = own.find(call.name); found != own.end()) {
          made.caller = found->second;
        }
        caller.calls.push_back(std::move(made));
      }
    }
    for (const modules::GraphArguments& arguments : calls.arguments) {
      const auto index = hostOf(arguments.function, p, blob);
      if (!index) continue;
      host::Signature& signature = m_out.hosts[*index].signature;
      // Texts state more than a graph, which has no names of parameters.
      if (!signature.complete() && !arguments.arguments.empty()) signature = signatureOf(arguments);
    }
    return Done{};
  }

  /// Returns the host function for a name as the runtime looks it up; in a system library, after its prefix.
  std::optional<uint32_t> hostOf(std::string_view name, std::size_t p, const library::Blob& blob) const {
    std::vector<uint32_t> found = m_hosts.find(name, p);
    if (found.empty() && !blob.carrier.prefix.empty()) found = m_hosts.find(blob.carrier.prefix + std::string(name), p);
    return found.empty() ? std::nullopt : std::optional(found.front());
  }

  Result<Done> linkCallers() {
    for (uint32_t c = 0; c < m_out.callers.size(); ++c) {
      if (c % 1'024 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      for (Caller::Call& call : m_out.callers[c].calls) {
        if (call.host) m_out.hosts[*call.host].calledBy.push_back(c);
        if (call.caller) m_out.callers[*call.caller].calledBy.push_back(c);
      }
      if (const auto host = m_out.callers[c].compiledAs) m_out.hosts[*host].calledBy.push_back(c);
    }
    for (HostFunction& function : m_out.hosts)
      function.calledBy.erase(std::unique(function.calledBy.begin(), function.calledBy.end()), function.calledBy.end());
    return Done{};
  }

  void link(uint32_t host, uint32_t kernel, Basis basis) {
    auto& launches = m_out.hosts[host].launches;
    if (launches.size() >= kLaunches) return;
    if (std::any_of(launches.begin(), launches.end(), [&](const Link& known) { return known.index == kernel; })) return;
    launches.push_back({kernel, basis});
    m_out.kernels[kernel].launchedBy.push_back({host, basis});
  }

  Result<Done> linkByCode() {
    if (m_out.kernels.empty()) return Done{};
    for (std::size_t p = 0; p < m_packages.size(); ++p) {
      const Package& package = *m_packages[p];
      std::vector<uint32_t> symbols;
      for (const host::Function& function : package.host.functions) symbols.push_back(function.symbol);
      const auto seen = [&](std::size_t function, std::string_view name) {
        for (const uint32_t kernel : m_kernels.find(name, p))
          link(static_cast<uint32_t>(m_firstHost[p] + function), kernel, Basis::Code);
      };
      BLOBSCOPE_CHECK(forEachNameLoad(package.image, symbols, seen, m_monitor));
    }
    return Done{};
  }

  Result<Done> linkByName() {
    for (uint32_t k = 0; k < m_out.kernels.size(); ++k) {
      if (k % 1'024 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const Kernel& kernel = m_out.kernels[k];
      if (!kernel.launchedBy.empty()) continue;
      for (const std::string_view name : {std::string_view(kernel.name), library::hostNameOfKernel(kernel.name)}) {
        if (name.empty() || !m_out.kernels[k].launchedBy.empty()) continue;
        for (const uint32_t host : m_hosts.find(name, m_kernelPackages[k])) link(host, k, Basis::Name);
      }
    }
    return Done{};
  }

  Monitor& m_monitor;
  std::vector<PackagePtr> m_packages;
  Functions m_out;
  std::vector<std::size_t> m_firstHost; ///< per package
  std::vector<std::size_t> m_kernelPackages;
  NameIndex m_hosts, m_kernels;
};

template <class T> std::optional<uint32_t> findIn(const std::vector<T>& list, const Ref& ref) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const T& item) { return item.ref == ref; });
  return found == list.end() ? std::nullopt : std::optional(static_cast<uint32_t>(found - list.begin()));
}

} // namespace

std::string_view basisText(Basis basis) { return basis == Basis::Code ? "found in its code" : "by name"; }

std::optional<uint32_t> Functions::findHost(const Ref& ref) const {
  if (ref.at) return std::nullopt;
  if (ref.kind == Ref::Kind::Host) return findIn(hosts, ref);
  if (ref.kind != Ref::Kind::Symbol) return std::nullopt;
  for (uint32_t i = 0; i < hosts.size(); ++i)
    if (!hosts[i].symbol.empty() && hosts[i].symbol == ref.name && hosts[i].ref.members == ref.members) return i;
  return std::nullopt;
}
std::optional<uint32_t> Functions::findKernel(const Ref& ref) const {
  return ref.kind == Ref::Kind::Module ? findIn(kernels, ref) : std::nullopt;
}
std::optional<uint32_t> Functions::findCaller(const Ref& ref) const {
  return ref.kind == Ref::Kind::Module ? findIn(callers, ref) : std::nullopt;
}

Result<Functions> computeFunctions(const PackagePtr& package, Monitor& monitor) {
  longWork("xref::computeFunctions");
  return Maker(package, monitor).make();
}

} // namespace blobscope::xref
