#include "core/base/text.h"
#include "core/container/container.h"
#include "core/payloads/cubin/cubin.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/sniff.h"
#include "core/sizes/node.h"
#include "core/syntax/code_structure.h"
#include "core/syntax/lexer.h"
#include "core/syntax/line_index.h"

#include <algorithm>
#include <map>

namespace blobscope::sizes {
namespace {

constexpr uint64_t kStructuredText = uint64_t{64} << 20; ///< larger texts are not searched for functions

std::optional<Ref> kernelRef(const CodeOwner& owner, std::string_view name) {
  if (!std::ranges::binary_search(owner.kernels, name)) return std::nullopt;
  return owner.module.part(PartKind::Kernel, name);
}

/// Sums of bytes by name, in the order in which the names came first.
class NamedSums {
public:
  void add(std::string_view name, uint64_t bytes) {
    const auto [found, isNew] = m_places.try_emplace(std::string(name), m_sums.size());
    if (isNew) m_sums.emplace_back(name, 0);
    m_sums[found->second].second += bytes;
  }
  const std::vector<std::pair<std::string, uint64_t>>& sums() const { return m_sums; }

private:
  std::map<std::string, std::size_t, std::less<>> m_places;
  std::vector<std::pair<std::string, uint64_t>> m_sums;
};

/// What belongs to no kernel, as one node.
Node tablesNode(const NamedSums& sums, uint64_t rest, const Work& work) {
  Node node = Node::leaf("sections, tables", Kind::Tables, rest);
  std::vector<Node> children;
  for (const auto& [name, bytes] : sums.sums()) {
    node.bytes += bytes;
    children.push_back(Node::leaf(name.empty() ? "section without a name" : escaped(name), Kind::Tables, bytes));
  }
  children.push_back(Node::leaf("headers, tables, padding", Kind::Tables, rest));
  addChildren(node, std::move(children), work);
  return node;
}

std::vector<Node> kernelNodes(const NamedSums& kernels, Node tables, const CodeOwner& owner) {
  std::vector<Node> out;
  for (const auto& [name, bytes] : kernels.sums())
    out.push_back(Node::leaf(escaped(name), Kind::Kernel, bytes, kernelRef(owner, name)));
  if (tables.bytes > 0) out.push_back(std::move(tables));
  return out;
}

/// Sections of a kernel have its name after that of the section: ".nv.info.softmax_kernel".
std::vector<Node> cubinNodes(const Bytes& code, FreeRanges own, const CodeOwner& owner, const Work& work) {
  const payloads::Cubin cubin = payloads::readCubin(code);
  std::vector<std::string_view> names;
  for (const payloads::CubinKernel& kernel : cubin.kernels) names.push_back(kernel.name.view());
  std::ranges::sort(names);
  const auto kernelOf = [&](std::string_view section) -> std::string_view {
    for (std::size_t dot = section.find('.', 1); dot != std::string_view::npos; dot = section.find('.', dot + 1))
      if (std::ranges::binary_search(names, section.substr(dot + 1))) return section.substr(dot + 1);
    return {};
  };
  std::vector<Extent> places;
  for (const payloads::CubinSection& section : cubin.sections) places.push_back(section.extent);
  const std::vector<uint64_t> taken = own.takeBytes(places);
  NamedSums kernels, others;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (taken[i] == 0) continue;
    const std::string_view section = cubin.sections[i].name.view(), kernel = kernelOf(section);
    kernel.empty() ? others.add(section, taken[i]) : kernels.add(kernel, taken[i]);
  }
  return kernelNodes(kernels, tablesNode(others, own.bytes(), work), owner);
}

/// The images of fat binaries. Only those that are not compressed have parts.
std::vector<Node> fatbinNodes(const Bytes& code, FreeRanges own, const CodeOwner& owner, Work& work) {
  const std::vector<payloads::FatbinEntry> entries = payloads::readFatbin(code).entries();
  std::vector<Extent> places;
  for (const payloads::FatbinEntry& entry : entries)
    places.push_back({entry.header.offset, entry.header.size + entry.payload.size()});
  std::vector<FreeRanges> taken = own.takeEach(places);
  std::vector<Node> out;
  for (std::size_t i = 0; i < entries.size() && !work.stops(); ++i) {
    const payloads::FatbinEntry& entry = entries[i];
    Node node = Node::leaf(entry.architecture(), Kind::Kernel, taken[i].bytes(), std::nullopt, entry.kindName());
    if (owner.hasImages) node.ref = owner.module.part(PartKind::Entry, std::to_string(i));
    if (entry.compression() != payloads::FatbinEntry::Compression::None) {
      node.note += ", compressed";
    } else if (node.bytes > 0) {
      FreeRanges inner = taken[i].take({entry.header.size, entry.payload.size()});
      std::vector<Node> parts = codeNodes(entry.payload, std::move(inner), owner, work);
      parts.push_back(Node::leaf("header of the image", Kind::Tables, taken[i].bytes()));
      addChildren(node, std::move(parts), work);
    }
    out.push_back(std::move(node));
  }
  out.push_back(Node::leaf("headers of the fat binary", Kind::Tables, own.bytes()));
  return out;
}

/// Code objects for other devices: functions by their symbols, then sections.
std::vector<Node> elfNodes(const Bytes& code, FreeRanges own, const CodeOwner& owner, Work& work) {
  const auto image = container::readImage(Bytes(code.owner(), code.span(), 0), work.monitor());
  if (!image) return {Node::leaf("code", Kind::Kernel, own.bytes())};
  std::vector<Extent> places;
  std::vector<std::string_view> names;
  for (const container::Symbol& symbol : image->symbols) {
    if (work.stops()) break;
    if (symbol.type != container::SymbolType::Function || symbol.size == 0) continue;
    const auto bytes = image->findBytesOf(symbol);
    if (!bytes || bytes->empty()) continue;
    places.push_back({bytes->offset().value_or(0), std::min(symbol.size, bytes->size())});
    names.push_back(symbol.name);
  }
  NamedSums kernels, others;
  const std::vector<uint64_t> functions = own.takeBytes(places);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (functions[i] > 0) kernels.add(names[i], functions[i]);
  places.clear();
  for (const container::Section& section : image->sections) places.push_back(section.file);
  const std::vector<uint64_t> sections = own.takeBytes(places);
  for (std::size_t i = 0; i < sections.size(); ++i)
    if (sections[i] > 0) others.add(image->sections[i].name, sections[i]);
  return kernelNodes(kernels, tablesNode(others, own.bytes(), work), owner);
}

std::vector<Node> textNodes(const Bytes& code, FreeRanges own, const CodeOwner& owner, std::string_view language,
                            Work& work) {
  const auto whole = [&] { return std::vector{Node::leaf("source", Kind::Kernel, own.bytes())}; };
  if (code.size() > kStructuredText) return whole();
  const auto structure = syntax::computeStructure(code, syntax::language(language), work.monitor());
  const auto lines = syntax::LineIndex::compute(code, work.monitor());
  if (!structure || !lines) return whole();
  std::vector<Extent> places;
  std::vector<const syntax::CodeFunction*> functions;
  for (const syntax::CodeFunction& function : (*structure)->functions) {
    if (!function.defined) continue;
    const uint64_t begin = (*lines)->lineStart(function.line);
    const uint64_t last = function.lastLine + 1;
    const uint64_t end = last < (*lines)->lineCount() ? (*lines)->lineStart(last) : code.size();
    places.push_back({begin, end - std::min(begin, end)});
    functions.push_back(&function);
  }
  const std::vector<uint64_t> taken = own.takeBytes(places);
  std::vector<Node> out;
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (taken[i] > 0)
      out.push_back(Node::leaf(escaped(functions[i]->name), Kind::Kernel, taken[i],
                               kernelRef(owner, functions[i]->name),
                               functions[i]->kernel ? "source" : "source of a function"));
  if (out.empty()) return whole();
  out.push_back(Node::leaf("source outside functions", Kind::Tables, own.bytes()));
  return out;
}

} // namespace

std::vector<Node> codeNodes(const Bytes& code, FreeRanges own, const CodeOwner& owner, Work& work) {
  if (own.bytes() == 0 || work.stops()) return {};
  const std::string_view content = payloads::sniff(code);
  if (content == "fatbin") return fatbinNodes(code, std::move(own), owner, work);
  if (content == "cubin") return cubinNodes(code, std::move(own), owner, work);
  if (content == "hsaco" || content == "hexagon-elf" || content == "elf")
    return elfNodes(code, std::move(own), owner, work);
  if (content == "ptx") return textNodes(code, std::move(own), owner, "ptx", work);
  if (content == "text" && !owner.language.empty()) return textNodes(code, std::move(own), owner, owner.language, work);
  return {Node::leaf("code", Kind::Kernel, own.bytes(), std::nullopt, std::string(content))};
}

} // namespace blobscope::sizes
