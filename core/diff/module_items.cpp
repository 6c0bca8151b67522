#include "core/diff/module_items.h"

#include "core/base/text.h"
#include "core/diff/kernel_code.h"
#include "core/diff/listing.h"
#include "core/library/node.h"
#include "core/modules/module_fields.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/sniff.h"
#include "core/payloads/tensor/tensor.h"

#include <algorithm>

namespace blobscope::diff {
namespace {

/// Limit for making listings of a module's functions: a body searches all its parts for each.
constexpr uint64_t kListingWork = uint64_t{1} << 26;
/// Bytes that all listings may have in addition to four times those of the module.
constexpr uint64_t kListingBytes = uint64_t{4} << 20;
/// Longest list of a FunctionInfo, in bytes, that is written out.
constexpr uint64_t kListBytes = 65'536;

Error cancelled() { return Error(DiagnosticId::Cancelled, {}); }

template <class F> void forEachChild(const FieldTree& tree, uint32_t row, F visit) {
  if (row >= tree.rows.size()) return;
  for (uint32_t child = row + 1; child < tree.rows[row].after && child < tree.rows.size();
       child = std::max(child + 1, tree.rows[child].after))
    visit(child);
}

/// Returns the values of a list, such as "handle, int32"; otherwise the value of the row.
std::string listOrValueText(const FieldTree& tree, uint32_t row) {
  const Field& field = tree.rows[row];
  if (field.type != FieldType::List) return tree.value(row);
  if (field.size > kListBytes)
    return groupedText(field.number) + " items #" +
           hexText(std::hash<std::string_view>{}(tree.bytes.slice(field.offset, field.size).view())).substr(2, 8);
  std::string out;
  forEachChild(tree, row, [&](uint32_t child) {
    std::string value = tree.value(child);
    if (tree.rows[child].type == FieldType::Group) {
      value.clear();
      forEachChild(tree, child, [&](uint32_t part) { value += (value.empty() ? "" : " ") + tree.value(part); });
    }
    out += (out.empty() ? "" : ", ") + value;
  });
  return out;
}

/// Adds what host code must know about a kernel: argument types, launch parameters. Generations store different fields,
/// so an empty list equals a missing one.
void addInfoFacts(const FieldTree& tree, uint32_t row, Item::Facts& facts) {
  for (const modules::InfoField& field : modules::infoFields(tree, row)) {
    std::string value = listOrValueText(tree, field.row);
    if (value.empty() || (field.zerosMeanNone && value.find_first_not_of("0, ") == std::string::npos)) continue;
    facts.emplace_back(field.label, std::move(value));
  }
}

/// Returns the text without what masks hide.
Bytes maskedText(const Bytes& text, Masks masks) {
  std::string out, line;
  std::vector<MaskedSpan> spans;
  std::string_view rest = text.view();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    maskLine(masks, rest.substr(0, end), line, spans);
    out += line;
    rest.remove_prefix(end);
  }
  return Bytes::copyOf(out);
}

class ItemReader {
public:
  ItemReader(const library::Module& module, const CompareOptions& options, const BudgetPtr& budget, Monitor& monitor)
      : m_module(module), m_body(*module.body), m_options(options), m_budget(budget), m_monitor(monitor) {}

  Result<ModuleItems> read() {
    m_items.tree = library::treeOf(m_module);
    BLOBSCOPE_CHECK(addKernels());
    for (const modules::PartGroup& group : m_body.parts()) {
      if (group.kind == PartKind::Function) BLOBSCOPE_CHECK(addFunctions(group));
      if (group.kind == PartKind::Const || group.kind == PartKind::Param) BLOBSCOPE_CHECK(addTensors(group));
    }
    std::sort(m_items.ownedRows.begin(), m_items.ownedRows.end());
    return std::move(m_items);
  }

private:
  const FieldTree& tree() const { return *m_items.tree; }

  void add(ItemGroup group) {
    if (!group.items.empty()) m_items.groups.push_back(std::move(group));
  }

  Result<Done> addKernels() {
    ItemGroup group{Topic::Kernel, PartKind::Kernel, {}, {}};
    group.rules.ordered = false; // stored in the order of a hash map
    ItemGroup images{Topic::Image, PartKind::Entry, {}, {}};
    images.rules.similar = false;
    const auto kernels = m_body.kernels();
    const auto shared = modules::sharedImage(tree());
    ImageKernels found;
    if (shared) {
      BLOBSCOPE_TRY(read, readImageKernels(*shared, m_body.language(), m_budget, m_monitor));
      m_items.limit = read.limit;
      found = std::move(read);
    }
    // Machine code may look like text.
    const std::string_view format = shared ? payloads::sniff(*shared) : std::string_view();
    const bool machineCode = shared && !payloads::isText(format);
    bool cut = false;
    for (const modules::Kernel& kernel : kernels) {
      if (m_monitor.stopRequested()) return cancelled();
      Item item;
      item.name = kernel.name.view();
      item.index = static_cast<uint32_t>(group.items.size());
      addInfoFacts(tree(), kernel.fieldRow, item.facts);
      if (kernel.fieldRow > 0) m_items.ownedRows.push_back(kernel.fieldRow);
      if (kernel.code) item.content = *kernel.code;
      if (const auto own = found.kernels.find(item.name); own != found.kernels.end()) {
        if (!kernel.code) item.content = own->second.code;
        item.facts.insert(item.facts.end(), own->second.facts.begin(), own->second.facts.end());
        item.language = own->second.language;
        item.cubin = own->second.cubin;
        item.numbers = own->second.numbers;
      }
      if (!item.content.empty() && !machineCode) setNaming(item);
      cut = cut || !item.content.empty();
      group.items.push_back(std::move(item));
    }
    m_items.sharedCode = shared && !kernels.empty() && !cut;
    images.items = std::move(found.images);
    add(std::move(group));
    add(std::move(images));
    return Done{};
  }

  void setNaming(Item& item) const {
    const std::string_view content = payloads::sniff(item.content);
    if (content == "spirv") item.naming = Item::Naming::Spirv;
    // PTX of a single kernel may lack the header that identifies it.
    const bool text = payloads::isText(content) || item.content.view().starts_with('{');
    if (!text) return;
    item.naming = Item::Naming::Text;
    if (!m_options.masks.empty()) item.content = maskedText(item.content, m_options.masks);
  }

  Result<Done> addFunctions(const modules::PartGroup& list) {
    ItemGroup group{Topic::VmFunction, PartKind::Function, {}, {}};
    group.rules.ordered = false;
    const uint64_t each = tree().rows.size() / 4 + 1;
    // Functions of a damaged executable may share instructions; a listing takes about as many bytes as its words.
    const uint64_t mostBytes = kListingBytes + 4 * tree().bytes.size();
    uint64_t work = 0, listed = 0;
    for (std::size_t i = 0; i < list.parts.size(); ++i) {
      if (m_monitor.stopRequested()) return cancelled();
      const modules::Part& part = list.parts[i];
      Item item;
      item.name = part.name;
      item.index = static_cast<uint32_t>(i);
      if (!part.detail.empty()) item.facts.emplace_back("kind", part.detail);
      if (part.fieldRow) m_items.ownedRows.push_back(*part.fieldRow);
      work += each;
      if (work < kListingWork && listed < mostBytes) {
        BLOBSCOPE_CHECK(addListing(list, i, item));
        listed += item.content.size();
      } else if (part.fieldRow) {
        item.content = tree().bytes.slice(tree().rows[*part.fieldRow].offset, tree().rows[*part.fieldRow].size);
      }
      group.items.push_back(std::move(item));
    }
    add(std::move(group));
    return Done{};
  }

  /// Adds a function's listing, in which no number depends on the parts before it.
  Result<Done> addListing(const modules::PartGroup& list, std::size_t index, Item& item) {
    auto content = m_body.part(list.kind, index, m_monitor);
    if (!content) {
      if (content.error().code() == ErrorCode::Cancelled) return content.takeError();
      return Done{};
    }
    for (const view::Page& page : content->pages) {
      auto now = view::resolvePage(page, m_monitor);
      if (!now) {
        if (now.error().code() == ErrorCode::Cancelled) return now.takeError();
        continue;
      }
      if (const auto* const text = std::get_if<view::TextPage>(&now->content); text && item.content.empty()) {
        item.content = text->text;
        if (text->marks && !m_options.rawNumbers) {
          BLOBSCOPE_TRY(canonical, canonicalListing(*text, m_monitor));
          item.content = Bytes::copyOf(canonical);
          item.listing = std::make_shared<const view::TextPage>(*text);
        }
        if (!m_options.masks.empty()) item.content = maskedText(item.content, m_options.masks);
        item.naming = Item::Naming::Text;
      }
      const auto* const table = std::get_if<view::TablePage>(&now->content);
      if (!table || !table->facts || table->source->columns().size() < 2) continue;
      for (uint64_t row = 0; row < std::min<uint64_t>(table->source->rowCount(), 1'000); ++row)
        if (const std::string label = table->source->cell(row, 0); label != "instructions" && label != "kind")
          item.facts.emplace_back(label, table->source->cell(row, 1));
    }
    return Done{};
  }

  Result<Done> addTensors(const modules::PartGroup& list) {
    const bool numbered = list.kind == PartKind::Const;
    ItemGroup tensors{Topic::Tensor, list.kind, {}, {}}, others{Topic::Constant, list.kind, {}, {}};
    for (ItemGroup* group : {&tensors, &others}) {
      group->rules.byContent = numbered;
      group->rules.ordered = false;
    }
    // Nothing shows which number or shape replaced which; weights of one type keep their order.
    tensors.rules.similar = numbered;
    others.rules.similar = false;
    for (std::size_t i = 0; i < list.parts.size(); ++i) {
      if (i % 1'024 == 0 && m_monitor.stopRequested()) return cancelled();
      const modules::Part& part = list.parts[i];
      Item item;
      item.name = part.name;
      item.index = static_cast<uint32_t>(i);
      const bool tensor = topicOf(list, part) == Topic::Tensor;
      if (tensor) item.facts.emplace_back("type", part.detail);
      if (!tensor && numbered) item.facts.emplace_back("kind", kindWord(part.detail));
      if (!tensor) item.shown = part.detail;
      if (part.fieldRow) {
        m_items.ownedRows.push_back(*part.fieldRow);
        item.content = modules::constantBytes(tree(), *part.fieldRow, tensor);
      }
      (tensor ? tensors : others).items.push_back(std::move(item));
    }
    add(std::move(tensors));
    add(std::move(others));
    return Done{};
  }

  /// Returns what constants of one kind have in common, from the words before their values.
  static std::string kindWord(std::string_view detail) {
    if (detail.starts_with('"')) return "text";
    if (detail.starts_with('[')) return "shape";
    return detail.empty() || detail[0] == '-' || (detail[0] >= '0' && detail[0] <= '9') ? "number" : "value";
  }

  const library::Module& m_module;
  const modules::Body& m_body;
  const CompareOptions& m_options;
  const BudgetPtr& m_budget;
  Monitor& m_monitor;
  ModuleItems m_items;
};

} // namespace

const ItemGroup* ModuleItems::find(Topic topic) const {
  for (const ItemGroup& group : groups)
    if (group.topic == topic) return &group;
  return nullptr;
}

Result<ModuleItems> readModuleItems(const library::Module& module, const CompareOptions& options,
                                    const BudgetPtr& budget, Monitor& monitor) {
  return ItemReader(module, options, budget, monitor).read();
}

std::optional<Topic> topicOf(const modules::PartGroup& group, const modules::Part& part) {
  if (group.kind == PartKind::Function) return Topic::VmFunction;
  if (group.kind == PartKind::Entry) return Topic::Image;
  if (group.kind == PartKind::Param) return Topic::Tensor;
  if (group.kind != PartKind::Const) return std::nullopt;
  // Constants of a virtual machine are tensors, texts, shapes, numbers: "float16[768, 2304]", "\"main\"", "[1, 2]".
  const std::string_view detail = part.detail;
  const bool tensor =
      !detail.empty() && detail[0] >= 'a' && detail[0] <= 'z' && detail.find('[') != std::string_view::npos;
  return tensor ? Topic::Tensor : Topic::Constant;
}

std::array<uint64_t, kTopics> countModuleItems(const library::Module& module) {
  std::array<uint64_t, kTopics> counts{};
  counts[static_cast<std::size_t>(Topic::Kernel)] = module.body->kernels().size();
  for (const modules::PartGroup& group : module.body->parts())
    for (const modules::Part& part : group.parts)
      if (const auto topic = topicOf(group, part)) ++counts[static_cast<std::size_t>(*topic)];
  return counts;
}

std::vector<FieldRow> fieldRowsOf(const ModuleItems& items, std::size_t limit, bool& complete) {
  const FieldTree& tree = *items.tree;
  std::vector<FieldRow> out;
  complete = true;
  // Instructions were compared as listings, since they contain numbers of constants and functions.
  const bool listed = items.find(Topic::VmFunction) != nullptr;
  // Kernels are named a second time next to their code.
  const bool named = items.find(Topic::Kernel) != nullptr;
  // Rows with their paths from the root down; rows of items are skipped with everything below them.
  std::vector<std::pair<uint32_t, std::string>> above; // index after the last row below, path
  auto owned = items.ownedRows.begin();
  for (uint32_t row = 0; row < tree.rows.size();) {
    const Field& field = tree.rows[row];
    while (owned != items.ownedRows.end() && *owned < row) ++owned;
    if (owned != items.ownedRows.end() && *owned == row) {
      row = std::max(row + 1, field.after);
      continue;
    }
    while (!above.empty() && above.back().first <= row) above.pop_back();
    std::string path = tree.pathBelow(above.empty() ? std::string_view() : std::string_view(above.back().second), row);
    if ((listed && modules::isInListing(field)) || (named && modules::isListedName(field))) {
      row = std::max(row + 1, field.after);
      continue;
    }
    if (field.after > row + 1) {
      above.emplace_back(field.after, std::move(path));
    } else if (field.type != FieldType::List && field.type != FieldType::Items && field.type != FieldType::Group) {
      if (out.size() == limit) {
        complete = false;
        break;
      }
      const bool large = field.type == FieldType::Data || field.type == FieldType::Words ||
                         field.type == FieldType::Words64 || field.type == FieldType::Unknown;
      out.push_back({std::move(path), row, large});
    }
    ++row;
  }
  return out;
}

} // namespace blobscope::diff
