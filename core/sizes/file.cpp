#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/container/owned_ranges.h"
#include "core/container/wasm/wasm_module.h"
#include "core/library/node.h"
#include "core/library/section_use.h"
#include "core/payloads/params/params.h"
#include "core/sizes/node.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

namespace blobscope::sizes {
namespace {

using container::Format;
using container::OwnedRange;
using container::Section;
using container::Symbol;
using container::SymbolType;
using library::Package;
using library::SectionUse;

constexpr std::size_t kSymbolPlaces = 500'000; ///< functions and data that get bytes
constexpr uint64_t kNearData = 64;             // bytes from a symbol of data without a size to the next symbol

std::string fileName(const Package& package) { return escaped(pathText(pathFrom(package.path).filename())); }

/// Groups of sections with the same purpose, in the order of their first section.
enum class Part : uint8_t { HostCode, ReadOnly, Writable, Debug, Tables };
struct PartWords {
  std::string_view name;
  Kind kind;
};
constexpr std::array<PartWords, 5> kParts = {{{"Host code", Kind::HostCode},
                                              {"Read-only data", Kind::Constants},
                                              {"Writable data", Kind::Constants},
                                              {"Debug information", Kind::Tables},
                                              {"Symbols, tables, headers", Kind::Tables}}};

Part partOf(const Section& section) {
  switch (library::useOf(section)) {
  case SectionUse::HostCode: return Part::HostCode;
  case SectionUse::Data: return section.writable ? Part::Writable : Part::ReadOnly;
  case SectionUse::Debug: return Part::Debug;
  case SectionUse::Tables:
  case SectionUse::Device: break;
  }
  return Part::Tables;
}

/// A file that is no archive.
class FileParts {
public:
  FileParts(const Package& package, FreeRanges& own, Work& work)
      : m_package(package), m_image(package.image), m_own(own), m_work(work) {}

  std::vector<Node> take() {
    if (m_image.format == Format::CSource)
      return {Node::leaf("source text", Kind::HostCode, m_own.bytes(), std::nullopt,
                         m_package.blobs.empty() ? "" : "with the blob as an array of numbers")};
    for (const auto& blob : m_package.blobs) takeBlob(*blob);
    if (m_package.kind() == "params") takeParams();
    takeSymbols();
    takeSections();
    takeTables();
    for (std::size_t i = 0; i < kParts.size(); ++i) addPart(i);
    takeGaps();
    return std::move(m_out);
  }

private:
  void takeBlob(const library::Blob& blob) {
    FreeRanges own;
    if (const auto place = library::placeIn(m_package, blob.bytes); place && !blob.bytes.empty())
      own = m_own.take({*place, blob.bytes.size()});
    else if (m_image.format == Format::Wasm)
      own = takeSegments(blob);
    if (own.bytes() > 0) m_out.push_back(blobNode(blob, std::move(own), m_work));
  }

  /// The data segments that contain a blob of WebAssembly: linkers leave out long runs of zeros.
  FreeRanges takeSegments(const library::Blob& blob) {
    const auto module = container::wasm::readModule(m_image.file, m_work.monitor());
    FreeRanges own;
    if (!module) return own;
    struct Piece {
      uint64_t inBlob;
      Extent file;
    };
    std::vector<Piece> pieces;
    const uint64_t begin = blob.carrier.address, end = begin + blob.bytes.size();
    for (const container::wasm::DataSegment& segment : module->data) {
      if (!segment.active || !segment.address.known) continue;
      const uint64_t at = segment.address.number, first = std::max(begin, at);
      const uint64_t last = std::min(end, Extent{at, segment.bytes.size}.end());
      if (first >= last) continue;
      const Extent file{segment.bytes.offset + (first - at), last - first};
      const bool isSame = m_image.file.slice(file.offset, file.size) == blob.bytes.slice(first - begin, last - first);
      if (isSame) pieces.push_back({first - begin, file});
    }
    std::ranges::sort(pieces, {}, &Piece::inBlob);
    uint64_t next = 0;
    for (const Piece& piece : pieces) {
      if (m_work.stops()) break;
      if (piece.inBlob < next) continue; // segments that overlap
      own.append(m_own.take(piece.file), piece.inBlob);
      next = piece.inBlob + piece.file.size;
    }
    return own;
  }

  void takeParams() {
    const auto params = payloads::readParams(m_package.bytes);
    if (!params) return;
    const payloads::Params& read = **params;
    std::vector<Extent> places;
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < std::min(read.names.size(), read.tensors.size()) && !m_work.stops(); ++i) {
      const auto place = library::placeIn(m_package, read.tensors[i].data);
      if (!place) continue;
      places.push_back({*place, read.tensors[i].data.size()});
      nodes.push_back(Node::leaf(escaped(read.names[i].view()), Kind::Constants, 0,
                                 m_package.ref(Ref::named(Ref::Kind::Param, read.names[i].view())),
                                 read.tensors[i].typeText() + " " + read.tensors[i].shapeText()));
    }
    const std::vector<uint64_t> taken = m_own.takeBytes(places);
    for (std::size_t i = 0; i < taken.size(); ++i) nodes[i].bytes = taken[i];
    Node all = Node::leaf("Parameters", Kind::Constants, 0, m_package.ref(Ref::file()));
    for (const uint64_t bytes : taken) all.bytes += bytes;
    addChildren(all, std::move(nodes), m_work);
    if (all.bytes > 0) m_out.push_back(std::move(all));
    m_out.push_back(Node::leaf("names, shapes, types", Kind::Tables, m_own.bytes(), m_package.ref(Ref::file())));
    m_own = {};
  }

  struct SymbolPlace {
    uint32_t symbol;
    const Section* section;
    Extent file;
  };

  bool isPlaced(uint32_t index) const {
    const Symbol& symbol = m_image.symbols[index];
    if (!symbol.defined || symbol.absolute || symbol.name.empty()) return false;
    const host::Group group = index < m_package.host.groups.size() ? m_package.host.groups[index] : host::Group::Other;
    if (group == host::Group::Carrier) return false;
    return symbol.type == SymbolType::Function || symbol.type == SymbolType::Object || group == host::Group::Function;
  }

  /// The values of symbols of WebAssembly count from their section.
  bool isRelative() const { return m_image.format == Format::Wasm; }
  const Section* sectionOf(const Symbol& symbol) const {
    if (!isRelative()) return m_image.findSectionOf(symbol);
    return symbol.section < m_image.sections.size() ? &m_image.sections[symbol.section] : nullptr;
  }
  std::optional<uint64_t> offsetOf(const Symbol& symbol, const Section& section) const {
    if (isRelative()) return checkedAdd(section.file.offset, symbol.value);
    const auto bytes = m_image.findBytesOf(symbol);
    return bytes && !bytes->empty() ? library::placeIn(m_package, *bytes) : std::nullopt;
  }

  /// Functions and named data. One without a size ends where the next one begins; so does data only if that is near,
  /// since texts and tables without symbols may follow it.
  std::vector<SymbolPlace> symbolPlaces() {
    std::vector<SymbolPlace> places;
    for (uint32_t i = 0; i < m_image.symbols.size() && places.size() < kSymbolPlaces && !m_work.stops(); ++i) {
      if (!isPlaced(i)) continue;
      const Symbol& symbol = m_image.symbols[i];
      const Section* const section = sectionOf(symbol);
      if (!section || library::useOf(*section) == SectionUse::Device) continue;
      const auto place = offsetOf(symbol, *section);
      if (place && section->file.contains(*place))
        places.push_back({i, section, {*place, std::min(symbol.size, section->file.end() - *place)}});
    }
    std::ranges::stable_sort(places, {}, [](const SymbolPlace& one) { return one.file.offset; });
    for (std::size_t i = 0, next = 0; i < places.size(); i = next) {
      for (next = i + 1; next < places.size() && places[next].file.offset == places[i].file.offset;) ++next;
      const uint64_t sectionEnd = places[i].section->file.end();
      const uint64_t end = next < places.size() ? std::min(places[next].file.offset, sectionEnd) : sectionEnd;
      for (std::size_t k = i; k < next; ++k) {
        if (places[k].file.size != 0) continue;
        const uint64_t distance = end - std::min(end, places[k].file.offset);
        if (partOf(*places[k].section) == Part::HostCode || distance <= kNearData) places[k].file.size = distance;
      }
    }
    return places;
  }

  Ref symbolRef(uint32_t index) const {
    const auto host = m_hostNames.find(index);
    return m_package.ref(host != m_hostNames.end() ? Ref::named(Ref::Kind::Host, host->second)
                                                   : Ref::named(Ref::Kind::Symbol, m_image.symbols[index].name));
  }

  void takeSymbols() {
    for (const host::Function& function : m_package.host.functions) m_hostNames.emplace(function.symbol, function.name);
    const std::vector<SymbolPlace> places = symbolPlaces();
    std::vector<Extent> extents;
    for (const SymbolPlace& place : places) extents.push_back(place.file);
    const std::vector<uint64_t> taken = m_own.takeBytes(extents);
    for (std::size_t i = 0; i < taken.size() && !m_work.stops(); ++i) {
      if (taken[i] == 0) continue;
      const uint32_t index = places[i].symbol;
      const auto host = m_hostNames.find(index);
      const std::string_view name = host != m_hostNames.end() ? host->second : m_image.symbols[index].name;
      const Part part = partOf(*places[i].section);
      m_hasNames[places[i].section] = true;
      add(part, Node::leaf(escaped(name), kParts[static_cast<std::size_t>(part)].kind, taken[i], symbolRef(index)));
    }
  }

  void takeSections() {
    std::vector<Extent> places;
    for (const Section& section : m_image.sections) places.push_back(section.file);
    std::vector<FreeRanges> taken = m_own.takeEach(places);
    for (std::size_t i = 0; i < taken.size() && !m_work.stops(); ++i) {
      if (taken[i].bytes() == 0) continue;
      const Section& section = m_image.sections[i];
      const Part part = partOf(section);
      const std::string name = section.name.empty() ? "section without a name" : escaped(section.name);
      Node node = Node::leaf(name, kParts[static_cast<std::size_t>(part)].kind, taken[i].bytes());
      if (!section.name.empty()) node.ref = m_package.ref(Ref::named(Ref::Kind::Section, section.name));
      if (library::useOf(section) == SectionUse::Device) {
        node.kind = Kind::Kernel;
        node.note = "device code in the host object";
        const Bytes code = m_image.file.slice(section.file.offset, section.file.size);
        addChildren(node, codeNodes(code, std::move(taken[i]), {*node.ref, {}, {}, false}, m_work), m_work);
        for (Node& child : node.children) child.ref = node.ref;
        m_out.push_back(std::move(node));
        continue;
      }
      if (part == Part::HostCode && m_hasNames.contains(&section)) {
        node.name += ", without a symbol";
        node.kind = Kind::Unnamed;
      }
      add(part, std::move(node));
    }
  }

  /// Headers and tables that are no sections, and segments of files without sections.
  void takeTables() {
    const auto ranges = container::ownedRangesOf(m_image, m_work.monitor());
    if (!ranges) return;
    std::map<std::string, uint64_t, std::less<>> sums;
    for (const OwnedRange::By by : {OwnedRange::By::Table, OwnedRange::By::Segment}) {
      std::vector<Extent> places;
      std::vector<const OwnedRange*> owners;
      for (const OwnedRange& range : *ranges) {
        if (range.by != by) continue;
        places.push_back(range.extent);
        owners.push_back(&range);
      }
      const std::vector<uint64_t> taken = m_own.takeBytes(places);
      for (std::size_t i = 0; i < taken.size(); ++i) sums[owners[i]->name] += taken[i];
    }
    for (const auto& [name, bytes] : sums) {
      std::string_view words = name;
      for (const std::string_view article : {"the ", "a "})
        if (words.starts_with(article)) words.remove_prefix(article.size());
      if (bytes > 0) add(Part::Tables, Node::leaf(escaped(words), Kind::Tables, bytes, m_package.ref(Ref::file())));
    }
  }

  /// What nothing names.
  void takeGaps() {
    struct Gaps {
      std::string_view name, note;
      uint64_t bytes, count;
      Extent first;
    };
    std::array<Gaps, 2> gaps = {{{"no name", "not described by the headers", 0, 0, {}},
                                 {"padding", "zeros, or instructions that do nothing", 0, 0, {}}}};
    for (const Extent range : m_own.ranges()) {
      if (m_work.stops()) return;
      Gaps& gap = gaps[container::isFilling(m_package.bytes.slice(range.offset, range.size).view()) ? 1 : 0];
      if (gap.count++ == 0) gap.first = range;
      gap.bytes += range.size;
    }
    for (const Gaps& gap : gaps)
      m_out.push_back(Node::leaf(std::string(gap.name), Kind::Unnamed, gap.bytes,
                                 m_package.ref(Ref::bytesAt(gap.first.offset, gap.first.size)),
                                 countText(gap.count, "range") + ", " + std::string(gap.note)));
  }

  void add(Part part, Node node) {
    if (m_work.takeNodes(1))
      m_parts[static_cast<std::size_t>(part)].push_back(std::move(node));
    else
      m_more[static_cast<std::size_t>(part)].push_back(node.bytes);
  }
  void addPart(std::size_t part) {
    std::vector<Node>& nodes = m_parts[part];
    if (!m_more[part].empty()) {
      Node rest = Node::leaf(groupedText(m_more[part].size()) + " more", kParts[part].kind, 0);
      rest.merged = m_more[part].size();
      for (const uint64_t bytes : m_more[part]) rest.bytes += bytes;
      nodes.push_back(std::move(rest));
    }
    if (nodes.empty()) return;
    Node group = Node::leaf(std::string(kParts[part].name), kParts[part].kind, 0, m_package.ref(Ref::file()));
    for (const Node& node : nodes) group.bytes += node.bytes;
    const bool isSection = nodes.front().ref && nodes.front().ref->kind == Ref::Kind::Section;
    if (nodes.size() == 1 && isSection && nodes.front().kind == group.kind) {
      group.note = nodes.front().name;
      group.ref = nodes.front().ref;
    } else {
      addChildren(group, std::move(nodes), m_work);
    }
    m_out.push_back(std::move(group));
  }

  const Package& m_package;
  const container::Image& m_image;
  FreeRanges& m_own;
  Work& m_work;
  std::unordered_map<uint32_t, std::string_view> m_hostNames; ///< by symbol
  std::map<const Section*, bool> m_hasNames;                  ///< sections with functions or data that have names
  std::array<std::vector<Node>, kParts.size()> m_parts;
  std::array<std::vector<uint64_t>, kParts.size()> m_more; ///< bytes of nodes for which there is no room
  std::vector<Node> m_out;
};

Kind kindOfMember(std::string_view role) {
  if (role == "parameters" || role == "params") return Kind::Constants;
  return role.find("source") != std::string_view::npos || role == "header" ? Kind::HostCode : Kind::Tables;
}

std::vector<Node> memberNodes(const Package& package, FreeRanges own, bool inFile, Work& work) {
  std::vector<Extent> places;
  uint64_t next = 0;
  for (const library::PackageMember& member : package.members) {
    const Bytes& bytes = member.stored->bytes;
    // Unpacked members have no place in the file: they lie one after the other.
    const auto place = inFile ? library::placeIn(package, bytes) : std::optional(next);
    places.push_back(place && !bytes.empty() ? Extent{*place, bytes.size()} : Extent{});
    next += bytes.size();
  }
  std::vector<FreeRanges> taken = own.takeEach(places);
  const bool isUniversal = package.image.format == Format::Universal;
  std::vector<std::pair<std::string, Node>> files;
  for (std::size_t i = 0; i < taken.size() && !work.stops(); ++i) {
    const library::PackageMember& member = package.members[i];
    if (taken[i].bytes() == 0) continue;
    const std::size_t slash = isUniversal ? std::string::npos : member.name.rfind('/');
    const std::string name = escaped(slash == std::string::npos ? member.name : member.name.substr(slash + 1));
    Node node = Node::leaf(name, kindOfMember(member.role), taken[i].bytes(),
                           package.ref(Ref::named(Ref::Kind::Member, member.name)), std::string(member.role));
    if (member.package) {
      node = fileNode(*member.package, std::move(taken[i]), work);
      node.name = name;
      node.note = member.role;
    }
    files.emplace_back(isUniversal ? std::string() : member.name, std::move(node));
  }
  std::vector<Node> out = nodesInFolders(std::move(files), package.ref(Ref::file()), work);
  out.push_back(Node::leaf("headers, padding", Kind::Tables, own.bytes(), package.ref(Ref::file()),
                           package.image.format == Format::Tar ? "of the archive, up to 512 bytes each" : ""));
  return out;
}

/// Whether all members are parts of the file as they are.
bool areMembersStored(const Package& package) {
  return std::ranges::all_of(package.members, [&](const library::PackageMember& member) {
    return member.stored->bytes.empty() || library::placeIn(package, member.stored->bytes);
  });
}

} // namespace

Node fileNode(const Package& package, FreeRanges own, Work& work) {
  Node node = Node::leaf(fileName(package), Kind::Container, own.bytes(), package.ref(Ref::file()));
  if (own.bytes() == 0 || work.stops()) return node;
  const bool isArchive = package.image.kind == container::Kind::Archive;
  if (isArchive && !areMembersStored(package)) {
    node.note = "compressed";
    return node;
  }
  std::vector<Node> children =
      isArchive ? memberNodes(package, std::move(own), true, work) : FileParts(package, own, work).take();
  if (work.takeNodes(children.size())) addChildren(node, std::move(children), work);
  return node;
}

Node wholeFileNode(const Package& package, Work& work) {
  if (package.image.kind != container::Kind::Archive || areMembersStored(package))
    return fileNode(package, FreeRanges(package.bytes.size()), work);
  uint64_t members = 0;
  for (const library::PackageMember& member : package.members) members += member.stored->bytes.size();
  FreeRanges own(std::max(package.image.unpackedSize, members));
  Node node = Node::leaf(fileName(package), Kind::Container, own.bytes(), package.ref(Ref::file()), "unpacked");
  addChildren(node, memberNodes(package, std::move(own), false, work), work);
  return node;
}

} // namespace blobscope::sizes
