#include "core/base/text.h"
#include "core/library/node.h"
#include "core/modules/calls.h"
#include "core/payloads/sniff.h"
#include "core/sizes/node.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace blobscope::sizes {
namespace {

/// Where bytes lie in others that contain them.
std::optional<Extent> placeInside(const Bytes& whole, const Bytes& part) {
  const std::less<> before;
  if (part.empty() || before(part.data(), whole.data()) || !before(part.data(), whole.data() + whole.size()))
    return std::nullopt;
  return Extent{static_cast<uint64_t>(part.data() - whole.data()), part.size()};
}

Kind kindOf(const modules::Body& body, bool hasKernels) {
  if (hasKernels) return Kind::Kernel;
  if (modules::isExecutable(body) || modules::hasGraph(body)) return Kind::Vm;
  const std::vector<modules::PartGroup> parts = body.parts();
  const bool constants = std::ranges::any_of(parts, [](const modules::PartGroup& group) {
    return group.kind == PartKind::Const || group.kind == PartKind::Param;
  });
  if (constants) return Kind::Constants;
  if (body.layout() == "csource" || body.layout() == "static_library") return Kind::HostCode;
  return Kind::Tables;
}

class ModuleParts {
public:
  ModuleParts(const library::Blob& blob, const library::Module& module, FreeRanges& own, Work& work)
      : m_module(module), m_ref(blob.moduleRef(module.index)), m_own(own), m_work(work),
        m_tree(library::treeOf(module)), m_kernels(module.body->kernels()) {}

  std::vector<Node> take(Kind kind) {
    takeCode(true);
    takeKernels();
    takeConstants();
    if (!m_hasOwnCode) takeCode(false);
    takeFields(kind);
    return std::move(m_out);
  }
  bool hasKernels() const { return !m_kernels.empty(); }

private:
  /// Kernels with code of their own.
  void takeKernels() {
    std::vector<Extent> places;
    std::vector<const modules::Kernel*> kernels;
    for (const modules::Kernel& kernel : m_kernels) {
      const auto place = kernel.code ? placeInside(m_module.payload, *kernel.code) : std::nullopt;
      if (!place) continue;
      places.push_back(*place);
      kernels.push_back(&kernel);
    }
    m_hasOwnCode = !places.empty();
    const std::vector<uint64_t> taken = m_own.takeBytes(places);
    for (std::size_t i = 0; i < taken.size() && !m_work.stops(); ++i)
      m_out.push_back(Node::leaf(escaped(kernels[i]->name.view()), Kind::Kernel, taken[i],
                                 m_ref.part(PartKind::Kernel, kernels[i]->name.view())));
  }

  /// Constants, parameters, and images that are fields of their own.
  void takeConstants() {
    std::vector<Extent> places;
    std::vector<Node> nodes;
    for (const modules::PartGroup& group : m_module.body->parts()) {
      if (group.kind != PartKind::Const && group.kind != PartKind::Param) continue;
      for (const modules::Part& part : group.parts) {
        if (m_work.stops()) return;
        if (!part.fieldRow || *part.fieldRow >= m_tree->rows.size()) continue;
        const Field& field = m_tree->rows[*part.fieldRow];
        places.push_back({field.offset, field.size});
        const std::string name = group.kind == PartKind::Const ? "constant " + escaped(part.name) : escaped(part.name);
        nodes.push_back(Node::leaf(name, Kind::Constants, 0, m_ref.part(group.kind, part.name), part.detail));
      }
    }
    const std::vector<uint64_t> taken = m_own.takeBytes(places);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      nodes[i].bytes = taken[i];
      m_out.push_back(std::move(nodes[i]));
    }
  }

  /// Code that all kernels share: images of machine code, or source.
  void takeCode(bool images) {
    if (m_kernels.empty()) return;
    const Field* largest = nullptr;
    uint32_t row = 0;
    for (uint32_t i = 0; i < m_tree->rows.size(); ++i) {
      const Field& field = m_tree->rows[i];
      if (field.role != FieldRole::Payload || (largest && field.size <= largest->size)) continue;
      largest = &field;
      row = i;
    }
    if (!largest) return;
    const Bytes content = m_tree->content(row);
    const auto place = placeInside(m_tree->bytes, content);
    const std::string_view format = payloads::sniff(content);
    const bool isImage = !format.empty() && format != "spirv" && !payloads::isText(format);
    if (!place || isImage != images) return;
    CodeOwner owner{m_ref, {}, m_module.body->language(), false};
    for (const modules::Kernel& kernel : m_kernels) owner.kernels.push_back(kernel.name.view());
    std::ranges::sort(owner.kernels);
    for (const modules::PartGroup& group : m_module.body->parts())
      owner.hasImages = owner.hasImages || group.kind == PartKind::Entry;
    for (Node& node : codeNodes(content, m_own.take(*place), owner, m_work)) m_out.push_back(std::move(node));
  }

  /// What is left, by the topmost fields.
  void takeFields(Kind kind) {
    uint32_t first = 0;
    auto end = static_cast<uint32_t>(m_tree->rows.size());
    // A module that is one group is described by the fields in it.
    while (first < end && m_tree->rows[first].after == end && first + 1 < end) ++first;
    std::vector<Extent> places;
    std::vector<Node> nodes;
    for (uint32_t row = first; row < end; row = m_tree->rows[row].after) {
      if (m_work.stops()) return;
      const Field& field = m_tree->rows[row];
      const bool unknown = field.role == FieldRole::Unknown;
      places.push_back({field.offset, field.size});
      nodes.push_back(Node::leaf(field.name.empty() ? "field " + std::to_string(nodes.size()) : escaped(field.name),
                                 unknown ? Kind::Unnamed : kind, 0, m_ref.part(PartKind::Field, m_tree->path(row))));
    }
    const std::vector<uint64_t> taken = m_own.takeBytes(places);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      nodes[i].bytes = taken[i];
      // Lengths and names around kernels and constants.
      if (taken[i] < places[i].size && nodes[i].kind != Kind::Unnamed) nodes[i].kind = Kind::Tables;
      m_out.push_back(std::move(nodes[i]));
    }
    m_out.push_back(Node::leaf("not decoded", Kind::Unnamed, m_own.bytes()));
  }

  const library::Module& m_module;
  Ref m_ref;
  FreeRanges& m_own;
  Work& m_work;
  std::shared_ptr<const FieldTree> m_tree;
  std::vector<modules::Kernel> m_kernels;
  bool m_hasOwnCode = false;
  std::vector<Node> m_out;
};

} // namespace

void addChildren(Node& parent, std::vector<Node> children, const Work& work) {
  const std::size_t most = work.mostChildren();
  std::erase_if(children, [](const Node& node) { return node.bytes == 0; });
  std::ranges::stable_sort(children, [](const Node& a, const Node& b) { return a.bytes > b.bytes; });
  if (children.size() > most) {
    Node rest = Node::leaf("", children[most].kind, 0);
    for (std::size_t i = most; i < children.size(); ++i) {
      rest.bytes += children[i].bytes;
      rest.merged += std::max<uint64_t>(children[i].merged, 1);
      if (children[i].kind != rest.kind) rest.kind = Kind::Tables;
    }
    rest.name = groupedText(rest.merged) + " more";
    children.resize(most);
    children.push_back(std::move(rest));
    std::ranges::stable_sort(children, [](const Node& a, const Node& b) { return a.bytes > b.bytes; });
  }
  parent.children = std::move(children);
}

Node moduleNode(const library::Blob& blob, const library::Module& module, FreeRanges own, Work& work) {
  Node node = Node::leaf(module.key.empty() ? "unreadable record" : escaped(module.key.view()), Kind::Unnamed,
                         own.bytes(), blob.moduleRef(module.index), "m" + std::to_string(module.index));
  if (node.bytes == 0 || work.stops()) return node;
  if (module.undecoded != library::Undecoded::No) {
    node.note += module.undecoded == library::Undecoded::UnknownKind ? ", no decoder for this kind" : ", damaged";
    return node;
  }
  ModuleParts parts(blob, module, own, work);
  node.kind = kindOf(*module.body, parts.hasKernels());
  std::vector<Node> children = parts.take(node.kind);
  if (work.takeNodes(children.size())) addChildren(node, std::move(children), work);
  return node;
}

Node blobNode(const library::Blob& blob, FreeRanges own, Work& work) {
  Node node = Node::leaf("Blob", Kind::Container, own.bytes(), blob.ref(), escaped(blob.carrier.symbol));
  std::vector<Extent> places;
  for (const library::ModulePtr& module : blob.modules)
    places.push_back({module->payloadOffset, module->payload.size()});
  std::vector<FreeRanges> taken = own.takeEach(places);
  std::vector<Node> children;
  if (!work.takeNodes(taken.size())) return node;
  for (std::size_t i = 0; i < taken.size() && !work.stops(); ++i)
    children.push_back(moduleNode(blob, *blob.modules[i], std::move(taken[i]), work));
  children.push_back(Node::leaf("header, keys, import tree", Kind::Tables, own.bytes(), blob.ref()));
  addChildren(node, std::move(children), work);
  return node;
}

} // namespace blobscope::sizes
