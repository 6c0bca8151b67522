// Which functions of host code need which device images.
#include "core/container/elf/file.h"
#include "core/container/number_at.h"
#include "core/requirements/code_graph.h"
#include "core/requirements/parts.h"

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace blobscope::requirements {
namespace {

using container::Format;
using container::Image;
using container::numberAt;
using container::Symbol;
using container::SymbolType;
using Loaded = library::DeviceImage::Loaded;

/// The limit of functions that are visited to find the callers of kernels; a crafted file could have billions of pairs.
constexpr uint64_t kVisited = 20'000'000;
/// Bytes of code between the two addresses that a registration passes: of the name and of the stub. Source:
/// core/formats/cuda-binaries.md 9.3.
constexpr uint64_t kBefore = 48, kAfter = 64;
constexpr std::size_t kFunctions = 20'000; ///< maximum of exported functions in one file

/// Finds the users of the images of one file.
class UserFinder {
public:
  UserFinder(const library::Package& package, uint32_t number, const LoaderFacts& facts, Requirements& out,
             Monitor& monitor)
      : m_package(package), m_image(package.image), m_number(number), m_facts(facts), m_out(out), m_monitor(monitor) {}

  Result<Done> add() {
    collectImages();
    if (m_images.empty() && m_kernels.empty()) return Done{};
    BLOBSCOPE_CHECK(collectFunctions());
    if (m_functions.empty()) return Done{};
    // --- 1. What code may refer to: images that it loads, stubs or handles of kernels, words with their addresses. ---
    BLOBSCOPE_CHECK(collectStubs());
    BLOBSCOPE_CHECK(findRegistrations());
    addPlaces();
    BLOBSCOPE_CHECK(addSlots());
    // --- 2. The functions that do, and those that call them. ---
    BLOBSCOPE_TRY(graph, CodeGraph::read(m_image, m_wanted, m_monitor));
    if (!graph.isReadable()) return Done{};
    return addUses(graph);
  }

private:
  struct Kernel {
    std::string name;
    std::vector<uint64_t> stubs; ///< addresses of functions or handles
    uint32_t word = 0;           ///< number in m_wanted
  };

  bool mustStop() { return m_done++ % 4'096 == 0 && m_monitor.stopRequested(); }

  void collectImages() {
    std::unordered_set<uint32_t> registered;
    for (uint32_t i = 0; i < m_out.images.size(); ++i) {
      const HostImage& image = m_out.images[i];
      if (image.package != m_number || image.loaded == Loaded::Never) continue;
      if (image.loaded == Loaded::StartUp)
        registered.insert(i);
      else if (const auto address = addressOf(image.extent.offset))
        m_images.emplace_back(i, *address);
    }
    for (const DeviceCode& code : m_out.code) {
      if (!code.image || !registered.contains(*code.image)) continue;
      for (const std::string& kernel : code.kernels)
        if (m_byName.size() < kEntries && m_byName.emplace(kernel, m_kernels.size()).second)
          m_kernels.push_back({kernel, {}, 0});
    }
  }

  std::optional<uint64_t> addressOf(uint64_t offset) const {
    for (const container::Segment& segment : m_image.segments)
      if (segment.file.contains(offset)) return segment.address + (offset - segment.file.offset);
    return std::nullopt;
  }

  /// The functions that a user can call.
  Result<Done> collectFunctions() {
    for (const host::Function& function : m_package.host.functions) addFunction(function.name, function.symbol);
    if (!m_functions.empty()) return Done{};
    for (uint32_t i = 0; i < m_image.symbols.size(); ++i) {
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      const Symbol& symbol = m_image.symbols[i];
      const std::string_view name = m_image.plainName(symbol);
      // Start files of the C compiler; kernels have stubs with their names.
      const bool own = name != "_init" && name != "_fini" && name.find("__device_stub__") == std::string_view::npos;
      if (symbol.dynamic && symbol.defined && symbol.type == SymbolType::Function && own &&
          !m_byName.contains(std::string(name.substr(0, kNameBytes))))
        addFunction(name, i);
    }
    return Done{};
  }
  void addFunction(std::string_view name, uint32_t symbol) {
    if (m_functions.size() >= kFunctions || m_out.imageFunctions.size() >= kEntries) return;
    m_functions.emplace(m_image.symbols[symbol].value, static_cast<uint32_t>(m_out.imageFunctions.size()));
    m_out.imageFunctions.push_back(nameOf(name));
  }

  /// The host function that nvcc names like the kernel, or the handle of hipcc.
  Result<Done> collectStubs() {
    if (m_kernels.empty()) return Done{};
    for (const Symbol& symbol : m_image.symbols) {
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      if (!symbol.defined || symbol.absolute || symbol.name.size() > kNameBytes) continue;
      if (symbol.type != SymbolType::Function && symbol.type != SymbolType::Object) continue;
      const auto found = m_byName.find(std::string(m_image.plainName(symbol)));
      if (found != m_byName.end()) addStub(found->second, symbol.value);
    }
    return Done{};
  }
  void addStub(std::size_t kernel, uint64_t address) {
    auto& stubs = m_kernels[kernel].stubs;
    if (stubs.size() < 1'000 && std::ranges::find(stubs, address) == stubs.end()) stubs.push_back(address);
  }

  /// Stripped files: the registration of a kernel passes the address of its name, and of its stub or handle.
  Result<Done> findRegistrations() {
    const bool all = std::ranges::none_of(m_kernels, [](const Kernel& kernel) { return kernel.stubs.empty(); });
    if (all || m_image.kind == container::Kind::Object || m_image.bigEndian || !canScan(m_image.arch)) return Done{};
    struct Pending {
      uint64_t at;
      std::size_t kernel;
      std::optional<CodeReference> nearest;
    };
    std::deque<CodeReference> before;
    std::deque<Pending> pending;
    const auto distance = [](uint64_t a, uint64_t b) { return a > b ? a - b : b - a; };
    const auto finish = [&](const Pending& one) {
      if (one.nearest) addStub(one.kernel, one.nearest->target);
    };
    const auto visit = [&](const CodeReference& one) {
      if (one.kind != CodeReference::Kind::Name && one.kind != CodeReference::Kind::Address &&
          one.kind != CodeReference::Kind::Read)
        return;
      while (!pending.empty() && one.at - pending.front().at > kAfter) {
        finish(pending.front());
        pending.pop_front();
      }
      while (!before.empty() && one.at - before.front().at > kBefore) before.pop_front();
      CodeReference target = one;
      if (one.kind == CodeReference::Kind::Read) {
        const auto pointer = pointerAt(one.target);
        if (!pointer) return;
        target.target = *pointer;
      } else if (const auto kernel = kernelNamedAt(one.target)) {
        Pending next{one.at, *kernel, {}};
        for (const CodeReference& other : before)
          if (!next.nearest || distance(other.at, one.at) < distance(next.nearest->at, one.at)) next.nearest = other;
        if (pending.size() < 64) pending.push_back(next);
        return;
      } else if (one.kind != CodeReference::Kind::Name) {
        return; // the stub is the second argument
      }
      for (Pending& open : pending)
        if (!open.nearest || distance(one.at, open.at) < distance(open.nearest->at, open.at)) open.nearest = target;
      before.push_back(target);
      if (before.size() > 64) before.pop_front();
    };
    for (const container::Section& section : m_image.sections) {
      if (!section.allocated || !section.executable) continue;
      const Bytes code = m_image.file.slice(section.file.offset, std::min(section.file.size, section.size));
      BLOBSCOPE_CHECK(scanCode(m_image.arch, m_image.format == Format::Pe, code, section.address, visit, m_monitor));
      for (const Pending& open : pending) finish(open);
      pending.clear(), before.clear();
    }
    return Done{};
  }

  /// The kernel whose name is the text at an address of data.
  std::optional<std::size_t> kernelNamedAt(uint64_t address) const {
    const auto bytes = m_image.findBytesAt(address);
    if (!bytes || bytes->empty()) return std::nullopt;
    const std::string_view text = bytes->view().substr(0, kNameBytes);
    const std::size_t end = text.find('\0');
    if (end == 0 || end == std::string_view::npos) return std::nullopt;
    const auto found = m_byName.find(std::string(text.substr(0, end)));
    return found == m_byName.end() ? std::nullopt : std::optional(found->second);
  }

  /// The address in a word that the loader fills, or that the linker has filled.
  std::optional<uint64_t> pointerAt(uint64_t address) const {
    if (const auto found = m_facts.elf.places.find(address); found != m_facts.elf.places.end()) {
      const Symbol& symbol = m_image.symbols[found->second.symbol];
      return symbol.defined ? std::optional(symbol.value) : std::nullopt;
    }
    const auto bytes = m_image.findBytesAt(address);
    if (!bytes || bytes->size() < 8) return std::nullopt;
    const auto value = numberAt<uint64_t>(bytes->view(), 0);
    return value == 0 ? std::nullopt : std::optional(value);
  }

  void addPlaces() {
    for (const auto& [image, address] : m_images) m_wanted.places.emplace(address, m_wanted.count++);
    for (Kernel& kernel : m_kernels) {
      kernel.word = m_wanted.count++;
      for (const uint64_t stub : kernel.stubs) m_wanted.places.emplace(stub, kernel.word);
    }
    for (const auto& [address, place] : m_facts.elf.places) {
      const Symbol& symbol = m_image.symbols[place.symbol];
      if (!symbol.defined || symbol.absolute) continue;
      if (symbol.type == SymbolType::Function) m_wanted.pointers.emplace(address, symbol.value);
      if (const auto found = m_wanted.places.find(symbol.value); found != m_wanted.places.end())
        m_wanted.places.emplace(address, found->second);
    }
    // The large code model counts addresses from the global offset table, whose name is local.
    std::unordered_set<uint64_t> bases;
    for (const container::Section& section : m_image.sections)
      if (section.name == ".got" || section.name == ".got.plt") bases.insert(section.address);
    for (const Symbol& symbol : m_image.symbols)
      if (symbol.name == "_GLOBAL_OFFSET_TABLE_" && symbol.defined) bases.insert(symbol.value);
    m_wanted.bases.assign(bases.begin(), bases.end());
    std::ranges::sort(m_wanted.bases);
    m_wanted.bases.push_back(0); // constants that are addresses
  }

  /// Words of the data that point to an image or a stub, and the objects around them: tables of kernels.
  Result<Done> addSlots() {
    std::unordered_map<uint64_t, uint32_t> slots;
    BLOBSCOPE_CHECK(addRelativeSlots(slots));
    if (slots.empty()) return Done{};
    std::vector<std::pair<uint64_t, uint32_t>> sorted(slots.begin(), slots.end());
    std::ranges::sort(sorted);
    for (const auto& [address, word] : sorted) m_wanted.places.emplace(address, word);
    uint64_t added = 0;
    for (const Symbol& symbol : m_image.symbols) {
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      if (!symbol.defined || symbol.absolute || symbol.type != SymbolType::Object || symbol.size == 0) continue;
      // One object has one number here, so a table counts for its first kernel only; each has its own slot.
      const auto first = std::ranges::lower_bound(sorted, symbol.value, {}, &std::pair<uint64_t, uint32_t>::first);
      if (first == sorted.end() || first->first - symbol.value >= symbol.size || added >= kEntries) continue;
      m_wanted.places.emplace(symbol.value, first->second);
      ++added;
    }
    return Done{};
  }

  /// Source: System V ABI, chapter 4, "Relocation": entries without a symbol add the load address.
  Result<Done> addRelativeSlots(std::unordered_map<uint64_t, uint32_t>& slots) {
    if (m_image.format != Format::Elf || m_image.bits != 64 || m_image.bigEndian) return Done{};
    auto file = container::elf::File::readHeader(m_image.file);
    if (!file) return Done{};
    file->readTables();
    const auto* const table = file->findTag(container::elf::DT_RELA);
    const auto* const size = file->findTag(container::elf::DT_RELASZ);
    const auto bytes = table && size ? m_image.findBytesAt(table->value) : std::nullopt;
    if (!bytes) return Done{};
    constexpr uint64_t kEntry = 24;
    const std::string_view entries = bytes->slice(0, size->value).view();
    for (uint64_t at = 0; at + kEntry <= entries.size() && slots.size() < kEntries; at += kEntry) {
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      if (numberAt<uint64_t>(entries, at + 8) >> 32 != 0) continue; // it has a symbol
      const auto found = m_wanted.places.find(numberAt<uint64_t>(entries, at + 16));
      if (found != m_wanted.places.end()) slots.emplace(numberAt<uint64_t>(entries, at), found->second);
    }
    return Done{};
  }

  Result<Done> addUses(const CodeGraph& graph) {
    for (std::size_t i = 0; i < m_images.size(); ++i)
      BLOBSCOPE_CHECK(addUse(graph, graph.usersOf(static_cast<uint32_t>(i)), m_images[i].first, {}));
    for (const Kernel& kernel : m_kernels) {
      std::vector<uint32_t> users = graph.usersOf(kernel.word);
      for (const uint64_t stub : kernel.stubs)
        if (const auto function = graph.findFunction(stub)) users.push_back(*function);
      BLOBSCOPE_CHECK(addUse(graph, users, std::nullopt, kernel.name));
    }
    return Done{};
  }

  Result<Done> addUse(const CodeGraph& graph, const std::vector<uint32_t>& users, std::optional<uint32_t> image,
                      const std::string& kernel) {
    if (users.empty() || m_visited > kVisited) return Done{};
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    m_monitor.progress("looking for the users of device images", m_visited, 0);
    const std::vector<uint64_t> callers = graph.callersOf(users);
    m_visited += callers.size();
    for (const uint64_t address : callers) {
      const auto [first, last] = m_functions.equal_range(address);
      for (auto one = first; one != last; ++one)
        if (m_out.imageUses.size() < kEntries) m_out.imageUses.push_back({one->second, image, kernel, m_number});
    }
    return Done{};
  }

  const library::Package& m_package;
  const Image& m_image;
  const uint32_t m_number;
  const LoaderFacts& m_facts;
  Requirements& m_out;
  Monitor& m_monitor;
  std::vector<std::pair<uint32_t, uint64_t>> m_images;     ///< that code loads: number and address
  std::vector<Kernel> m_kernels;                           ///< of registered images
  std::unordered_map<std::string, std::size_t> m_byName;   ///< the same by name
  std::unordered_multimap<uint64_t, uint32_t> m_functions; ///< address → number in Requirements::imageFunctions
  CodeGraph::Wanted m_wanted;
  uint64_t m_done = 0, m_visited = 0;
};

} // namespace

Result<Done> addImageUses(const Packages& packages, const std::vector<LoaderFacts>& facts, Requirements& out,
                          Monitor& monitor) {
  for (std::size_t i = 0; i < packages.size(); ++i) {
    const auto number = static_cast<uint32_t>(i);
    const bool any = std::ranges::any_of(out.images, [&](const HostImage& image) { return image.package == number; });
    if (any) BLOBSCOPE_CHECK(UserFinder(*packages[i], number, facts[i], out, monitor).add());
  }
  return Done{};
}

} // namespace blobscope::requirements
