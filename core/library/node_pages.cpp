#include "core/library/node_pages.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/library/host_abi.h"
#include "core/library/host_code.h"
#include "core/library/import_graph.h"
#include "core/library/native.h"
#include "core/library/section_use.h"
#include "core/library/target.h"
#include "core/modules/common/json_graph.h"
#include "core/payloads/json/json_fields.h"
#include "core/payloads/params/params.h"
#include "core/payloads/payload.h"
#include "core/payloads/sniff.h"
#include "core/view/page_id.h"

#include <algorithm>
#include <array>

namespace blobscope::library {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string placeText(const Bytes& bytes) {
  return bytes.offset() ? hexText(*bytes.offset()) + " + " + groupedText(bytes.size())
                        : countText(bytes.size(), "byte") + ", not contiguous in the file";
}

std::string joinedWords(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string importsText(const Blob& blob, const Module& module) {
  std::vector<std::string> words;
  for (const uint32_t child : module.imports)
    words.push_back("m" + std::to_string(child) + " " + escaped(blob.modules[child]->key.view()));
  return words.empty() ? "–" : joinedWords(words);
}

std::string stateText(const Module& module) {
  switch (module.undecoded) {
  case Undecoded::No:
    return module.body->unknownTail().empty() ? "decoded"
                                              : "decoded, except the last bytes, which a newer version wrote";
  case Undecoded::UnknownKind: return "no decoder for this kind";
  case Undecoded::Damaged: return "damaged";
  case Undecoded::Region: break;
  }
  return "undecoded region";
}

// --- tables over many symbols

class SymbolTable final : public view::TableSource {
public:
  /// `rows`: indexes into Image::symbols.
  SymbolTable(PackagePtr package, std::vector<uint32_t> rows)
      : m_package(std::move(package)), m_rows(std::move(rows)) {}
  std::vector<view::Column> columns() const override {
    return {{"name"}, {"group"}, {"type"}, {"binding"}, {"value", true}, {"size", true, true}, {"section"}, {"table"}};
  }
  uint64_t rowCount() const override { return m_rows.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    const container::Symbol& symbol = m_package->image.symbols[m_rows[row]];
    const auto& sections = m_package->image.sections;
    switch (column) {
    case 0: return escaped(symbol.name);
    case 1: return std::string(host::groupName(m_package->host.groups[m_rows[row]]));
    case 2: return std::string(container::symbolTypeName(symbol.type));
    case 3: return std::string(container::bindingName(symbol.binding));
    case 4: return hexText(symbol.value);
    case 5: return std::to_string(symbol.size);
    case 6:
      if (!symbol.defined) return "undefined";
      if (symbol.absolute) return "absolute";
      return symbol.section < sections.size() ? escaped(sections[symbol.section].name) : std::string();
    default: return symbol.dynamic ? "dynamic" : "static";
    }
  }
  std::optional<Ref> target(uint64_t row, const Ref&) const override {
    const std::string_view stored = m_package->image.symbols[m_rows[row]].name;
    if (m_package->host.groups[m_rows[row]] != host::Group::Function)
      return m_package->ref(Ref::named(Ref::Kind::Symbol, stored));
    // The ref of a function has the name by which the runtime looks it up.
    constexpr std::string_view kPrefix = "__tvm_ffi_";
    std::string_view name = m_package->image.plainName(m_package->image.symbols[m_rows[row]]);
    if (m_package->host.abi && *m_package->host.abi >= host::Abi::Ffi2 && name.starts_with(kPrefix))
      name.remove_prefix(kPrefix.size());
    return m_package->ref(Ref::named(Ref::Kind::Host, name));
  }

private:
  PackagePtr m_package;
  std::vector<uint32_t> m_rows;
};

/// Returns the nodes that own bytes of the file, outer nodes before inner ones.
std::vector<view::Span> placesOf(const Package& package) {
  using Owner = view::Span::Owner;
  constexpr std::array<Owner, 5> kOwners = {Owner::HostCode, Owner::Data, Owner::Data, Owner::Tables, Owner::Data};
  std::vector<view::Span> places;
  const uint64_t base = package.bytes.offset().value_or(0);
  for (const container::Section& section : package.image.sections)
    if (section.file.size > 0)
      places.push_back({escaped(section.name),
                        section.file,
                        false,
                        kOwners[static_cast<std::size_t>(useOf(section))],
                        {},
                        package.ref(Ref::named(Ref::Kind::Section, section.name))});
  for (const auto& blob : package.blobs) {
    if (!blob->bytes.offset()) continue;
    places.push_back({"blob", {*blob->bytes.offset() - base, blob->bytes.size()}, false, Owner::Blob, {}, blob->ref()});
    for (const ModulePtr& module : blob->modules)
      if (module->payload.offset() && !module->payload.empty())
        places.push_back({escaped(module->key.view()),
                          {*module->payload.offset() - base, module->payload.size()},
                          false,
                          Owner::Module,
                          std::string(module->key.view()),
                          blob->moduleRef(module->index)});
  }
  // The bytes of an inner node are removed from the node around it. Sections can overlap in damaged files.
  std::stable_sort(places.begin(), places.end(), [](const view::Span& a, const view::Span& b) {
    return a.extent.offset != b.extent.offset ? a.extent.offset < b.extent.offset : a.extent.size > b.extent.size;
  });
  return places;
}

/// Returns modules, the rest of the blobs, sections and the bytes between them, in file order.
std::vector<view::Span> fileSpans(const Package& package) {
  const std::vector<view::Span> places = placesOf(package);
  std::vector<view::Span> spans;
  uint64_t end = 0;
  const auto push = [&](view::Span span, uint64_t to) {
    to = std::min(to, package.bytes.size());
    if (to <= end) return;
    span.extent = {end, to - end};
    if (!spans.empty() && spans.back().name == span.name && spans.back().ref == span.ref)
      spans.back().extent.size = to - spans.back().extent.offset;
    else
      spans.push_back(std::move(span));
    end = to;
  };
  const view::Span between = {"headers, tables, padding", {}, false, view::Span::Owner::Tables};
  std::vector<const view::Span*> open;
  const auto closeUntil = [&](uint64_t offset) {
    while (!open.empty() && open.back()->extent.end() <= offset) {
      push(*open.back(), open.back()->extent.end());
      open.pop_back();
    }
  };
  for (const view::Span& place : places) {
    closeUntil(place.extent.offset);
    push(open.empty() ? between : *open.back(), place.extent.offset);
    open.push_back(&place);
  }
  closeUntil(UINT64_MAX);
  push(between, package.bytes.size());
  return spans;
}

// --- pages

class PageMaker {
public:
  PageMaker(PackagePtr package, const Ref& ref, const Target& target)
      : m_package(std::move(package)), m_ref(ref), m_target(target) {}

  view::PageList make(const Node& node) {
    if (m_ref.at) {
      // Hex shows text and JSON well enough, together with the bytes around them.
      const std::string_view word = payloads::sniff(*node.bytes);
      if (!word.empty() && word != "text" && word != "json") payloads::addPayloadPages(*node.bytes, "", m_pages);
      hex(*node.bytes, nullptr);
    } else if (m_target.member) {
      member(node);
    } else if (m_target.symbol) {
      symbol(node);
    } else if (m_target.section) {
      section(node);
    } else if (m_target.fieldRow || m_target.part) {
      part(node);
    } else if (m_target.module) {
      module();
    } else if (m_ref.kind == Ref::Kind::Imports) {
      imports(node);
    } else if (m_target.blob) {
      blob();
    } else {
      file();
    }
    return std::move(m_pages);
  }

private:
  void hex(const Bytes& bytes, std::shared_ptr<const FieldTree> fields) {
    std::vector<view::Span> spans;
    if (fields) spans = view::spansOf(*fields);
    m_pages.push_back({view::page_id::kHex, view::HexPage{bytes, std::move(fields), std::move(spans)}});
  }
  void fields(std::shared_ptr<const FieldTree> tree) {
    m_pages.push_back({view::page_id::kFields, view::FieldsPage{std::move(tree)}});
  }

  void file() {
    const container::Image& image = m_package->image;
    if (m_package->kind() == "params") return params();
    Rows rows = {{"file", escaped(m_package->path)},
                 {"size", sizeText(m_package->bytes.size())},
                 {"container", containerText(image)},
                 {"architecture", image.arch.empty() ? "none" : image.arch}};
    if (image.kind == container::Kind::Archive) return archive(std::move(rows));
    if (m_package->producer)
      rows.push_back({"producer", std::string(m_package->producer->title) + ": " + m_package->producer->sign});
    rows.push_back({"host ABI", hostAbiText(*m_package)});
    rows.push_back({"host functions", whyHostUnknown(*m_package).empty()
                                          ? std::to_string(m_package->host.functions.size())
                                          : "not known"});
    addNativeFacts(*m_package, rows);
    rows.push_back({"symbols", groupedText(image.symbols.size())});
    for (const auto& blob : m_package->blobs)
      rows.push_back({"blob", blob->ref().shown() + ": " + countText(blob->modules.size(), "module") + ", era " +
                                  std::string(eraName(blob->era)) + ", " + sizeText(blob->bytes.size())});
    rows.push_back({"findings", std::to_string(m_package->diagnostics.size())});
    m_pages.push_back(view::factsPage(view::page_id::kOverview, std::move(rows)));
    problems();
    addNativePages(m_package, m_pages);
    m_pages.push_back(symbolsPage(m_package, Symbols::All));
    if (image.format == container::Format::CSource)
      m_pages.push_back({"Source", view::TextPage{m_package->bytes, "c"}});
    if (!image.sections.empty()) sections();
    m_pages.push_back({view::page_id::kHex, view::HexPage{m_package->bytes, nullptr, fileSpans(*m_package)}});
  }

  /// Adds the pages of a params file; a damaged one is shown as bytes with the reason.
  void params() {
    const auto read = payloads::readParams(m_package->bytes);
    Rows rows = {
        {"file", escaped(m_package->path)}, {"size", sizeText(m_package->bytes.size())}, {"container", "params file"}};
    rows.push_back(read ? std::vector<std::string>{"tensors", groupedText((*read)->tensors.size())}
                        : std::vector<std::string>{"error", read.error().message()});
    m_pages.push_back(view::factsPage(view::page_id::kOverview, std::move(rows)));
    problems();
    if (!read) return hex(m_package->bytes, nullptr);
    payloads::addParamsPages(**read, m_pages);
    const auto tree = std::make_shared<const FieldTree>(payloads::describeParams(**read, m_package->bytes));
    fields(tree);
    hex(m_package->bytes, tree);
  }

  static std::string containerText(const container::Image& image) {
    std::string text =
        std::string(container::formatName(image.format)) + " " + std::string(container::kindName(image.kind));
    if (!image.compression.empty()) text += ", " + image.compression;
    if (image.bits > 0 && image.kind != container::Kind::Archive)
      text += ", " + std::to_string(image.bits) + " bit, " + (image.bigEndian ? "big" : "little") + " endian";
    return text;
  }

  void archive(Rows rows) {
    rows.push_back({"members", groupedText(m_package->members.size())});
    rows.push_back({"findings", std::to_string(m_package->diagnostics.size())});
    m_pages.push_back(view::factsPage(view::page_id::kOverview, std::move(rows)));
    problems();
    Rows members;
    std::vector<Ref> refs;
    for (const PackageMember& member : m_package->members) {
      const Package* const opened = member.package.get();
      refs.push_back(opened ? opened->ref(Ref::file()) : m_package->ref(Ref::named(Ref::Kind::Member, member.name)));
      std::string holds = member.stored->note;
      if (opened)
        for (const auto& blob : opened->blobs) holds += (holds.empty() ? "" : ", ") + escaped(blob->carrier.symbol);
      members.push_back({escaped(member.name), std::string(member.role), std::to_string(member.stored->bytes.size()),
                         opened ? std::string(container::formatName(opened->image.format)) : "–",
                         opened ? opened->image.arch : "", holds});
    }
    m_pages.push_back(view::tablePage(
        view::page_id::kMembers, {{"path"}, {"role"}, {"bytes", true, true}, {"format"}, {"architecture"}, {"content"}},
        std::move(members), std::move(refs)));
    hex(m_package->bytes, nullptr);
  }

  void member(const Node& node) {
    const PackageMember& member = *m_target.member;
    Rows rows = {{"path", escaped(member.stored->path)},
                 {"role", std::string(member.role)},
                 {"size", sizeText(member.stored->bytes.size())}};
    if (!member.stored->note.empty()) rows.push_back({"note", member.stored->note});
    view::Page overview = view::factsPage(view::page_id::kOverview, std::move(rows));
    // A text member shows its text first, because it has few other facts.
    if (node.bytes) payloads::addPayloadPages(*node.bytes, languageOf(member), m_pages);
    const bool text = !m_pages.empty() && std::holds_alternative<view::TextPage>(m_pages.front().content);
    m_pages.insert(text ? m_pages.end() : m_pages.begin(), std::move(overview));
    if (!node.bytes) return;
    if (member.role == "graph") {
      view::PageList graph;
      modules::addGraphPage(graph, *node.bytes, modules::GraphForm::Executor);
      m_pages.insert(m_pages.end() - 1, std::move(graph.front()));
    }
    if (payloads::sniff(*node.bytes) == "json")
      m_pages.insert(m_pages.end() - 1, payloads::jsonFieldsPage(view::page_id::kFields, *node.bytes));
    hex(*node.bytes, nullptr);
  }
  /// Returns the language of a text member.
  static std::string_view languageOf(const PackageMember& member) {
    if (member.role == "relay") return "relay";
    for (const std::string_view extension : {".c", ".h", ".cc", ".cpp", ".hpp", ".cu", ".cuh"})
      if (member.stored->path.ends_with(extension)) return "c";
    return {};
  }

  void problems() {
    Rows findings;
    std::vector<Ref> places;
    for (const Diagnostic& diagnostic : m_package->diagnostics) {
      places.push_back(diagnostic.place);
      findings.push_back({std::string(severityName(diagnostic.severity())), std::string(diagnostic.idText()),
                          diagnostic.message(), diagnostic.place.shown()});
    }
    m_pages.push_back(view::tablePage(view::page_id::kProblems, {{"severity"}, {"id"}, {"message"}, {"place"}},
                                      std::move(findings), std::move(places)));
  }

  void sections() {
    const container::Image& image = m_package->image;
    Rows sections;
    std::vector<Ref> sectionRefs;
    for (const container::Section& section : image.sections) {
      sectionRefs.push_back(m_package->ref(Ref::named(Ref::Kind::Section, section.name)));
      sections.push_back({escaped(section.name), std::string(section.type), hexText(section.address),
                          section.file.size > 0 ? hexText(section.file.offset) : "–", std::to_string(section.size),
                          std::string(section.allocated ? "A" : "") + (section.writable ? "W" : "") +
                              (section.executable ? "X" : "")});
    }
    m_pages.push_back(
        view::tablePage(view::page_id::kSections,
                        {{"name"}, {"type"}, {"address", true}, {"offset", true}, {"size", true, true}, {"flags"}},
                        std::move(sections), std::move(sectionRefs)));
  }

  void blob() {
    const Blob& blob = *m_target.blob;
    Rows rows = {{"carrier", escaped(blob.carrier.symbol)},
                 {"era", std::string(eraName(blob.era)) + " (" + std::string(eraReleases(blob.era)) + ")"},
                 {"stream", std::string(streamName(blob.cut.stream))},
                 {"place", placeText(blob.bytes)},
                 {"modules", std::to_string(blob.modules.size())}};
    m_pages.push_back(view::factsPage(view::page_id::kOverview, std::move(rows)));
    Rows modules;
    std::vector<Ref> moduleRefs;
    for (const ModulePtr& module : blob.modules) {
      moduleRefs.push_back(blob.moduleRef(module->index));
      modules.push_back({"m" + std::to_string(module->index), escaped(module->key.view()),
                         std::to_string(module->payload.size()), stateText(*module),
                         joinedWords(module->body->content()), importsText(blob, *module)});
    }
    m_pages.push_back(
        view::tablePage(view::page_id::kModules,
                        {{"module"}, {"kind"}, {"payload bytes", true, true}, {"state"}, {"content"}, {"imports"}},
                        std::move(modules), moduleRefs));
    m_pages.push_back({view::page_id::kGraph, importGraph(blob)});
    const auto tree = std::make_shared<const FieldTree>(describeBlob(blob));
    fields(tree);
    hex(blob.bytes, tree);
  }

  void imports(const Node& node) {
    const Blob& blob = *m_target.blob;
    const std::vector<uint32_t> importers = blob.importerCounts();
    Rows rows;
    std::vector<Ref> moduleRefs;
    for (const ModulePtr& module : blob.modules) {
      moduleRefs.push_back(blob.moduleRef(module->index));
      rows.push_back({"m" + std::to_string(module->index), escaped(module->key.view()), importsText(blob, *module),
                      std::to_string(importers[module->index])});
    }
    m_pages.push_back(view::tablePage("Imports", {{"module"}, {"kind"}, {"imports"}, {"imported by", true}},
                                      std::move(rows), std::move(moduleRefs)));
    m_pages.push_back({view::page_id::kGraph, importGraph(blob)});
    if (node.bytes) hex(*node.bytes, nullptr);
  }

  void module() {
    const Blob& blob = *m_target.blob;
    const Module& module = *m_target.module;
    Rows rows = {{"kind", escaped(module.key.view())},
                 {"state", stateText(module) + (module.guess ? ", its end is a guess" : "")},
                 {"layout", module.isLibrary() ? "none: it is the library itself" : std::string(module.body->layout())},
                 {"payload", module.payload.empty() ? "none" : placeText(module.payload)},
                 {"imports", importsText(blob, module)}};
    if (const auto format = module.body->format()) rows.push_back({"declared format", escaped(format->view())});
    const auto content = module.body->content();
    if (!content.empty()) rows.push_back({"content", joinedWords(content)});
    for (auto& [label, value] : module.body->facts()) rows.push_back({std::move(label), std::move(value)});
    const auto kernels = module.body->kernels();
    if (!kernels.empty()) rows.push_back({"functions", std::to_string(kernels.size())});
    for (const Diagnostic& diagnostic : blob.diagnostics)
      if (diagnostic.place.node() == blob.moduleRef(module.index))
        rows.push_back({std::string(severityName(diagnostic.severity())), diagnostic.message()});
    m_pages.push_back(view::factsPage(view::page_id::kOverview, std::move(rows)));
    module.body->pages(m_pages);
    if (module.payload.empty()) return;
    const auto tree = treeOf(module);
    fields(tree);
    hex(module.payload, tree);
    for (const Diagnostic& diagnostic : blob.diagnostics)
      if (diagnostic.id == DiagnosticId::BlobModule && diagnostic.place.node() == blob.moduleRef(module.index) &&
          diagnostic.place.at)
        std::get<view::HexPage>(m_pages.back().content).damage = damageAt(module, *diagnostic.place.at);
  }
  /// Returns the extent of the field at that offset of the file: a length word, or the remaining bytes of it.
  static std::optional<Extent> damageAt(const Module& module, uint64_t at) {
    constexpr uint64_t kLengthWord = 8;
    const uint64_t start = module.payload.offset().value_or(0);
    if (at < start || at - start >= module.payload.size()) return std::nullopt;
    return Extent{at - start, std::min(kLengthWord, module.payload.size() - (at - start))};
  }

  /// Adds the pages of a kernel or a field: the rows below it, then its bytes.
  void part(const Node& node) {
    if (m_target.part) {
      for (const view::Page& page : m_target.part->pages) m_pages.push_back(page);
      if (m_target.fieldRow) fields(treeBelow(*m_target.fieldRow));
      if (node.bytes) hex(*node.bytes, nullptr);
      if (m_pages.empty())
        m_pages.push_back({view::page_id::kOverview, view::NoticePage{"The file stores nothing else about it."}});
      return;
    }
    if (m_target.kernel) m_target.module->body->kernelPages(*m_target.kernel, m_pages);
    const bool code = m_target.kernel && node.bytes;
    if (code) payloads::addPayloadPages(*node.bytes, m_target.module->body->language(), m_pages);
    fields(treeBelow(*m_target.fieldRow));
    if (!code && node.bytes) payloads::addPayloadPages(*node.bytes, "", m_pages);
    if (node.bytes) hex(*node.bytes, nullptr);
  }

  /// Returns a row of the module's fields and the rows below it, as a separate tree.
  std::shared_ptr<const FieldTree> treeBelow(uint32_t row) const {
    const FieldTree& whole = *m_target.moduleTree;
    auto tree = std::make_shared<FieldTree>();
    const Field& top = whole.rows[row];
    tree->bytes = whole.bytes.slice(top.offset, top.size);
    for (uint32_t i = row; i < top.after; ++i) {
      Field field = whole.rows[i];
      field.offset -= top.offset;
      field.after -= row;
      field.depth = static_cast<uint16_t>(field.depth - top.depth);
      tree->rows.push_back(field);
    }
    return tree;
  }

  void content(const Bytes& bytes) {
    payloads::addPayloadPages(bytes, "", m_pages);
    hex(bytes, nullptr);
  }

  void symbol(const Node& node) {
    const auto index = static_cast<uint32_t>(m_target.symbol - m_package->image.symbols.data());
    const SymbolTable cells(m_package, {index});
    Rows rows;
    const auto columns = cells.columns();
    for (std::size_t i = 0; i < columns.size(); ++i)
      rows.push_back(
          {columns[i].title, columns[i].title == "size" ? sizeText(m_target.symbol->size) : cells.cell(0, i)});
    view::PageList more;
    addFunctionFacts(*m_package, index, rows, more);
    m_pages.push_back(view::factsPage(view::page_id::kOverview, std::move(rows)));
    for (view::Page& page : more) m_pages.push_back(std::move(page));
    if (m_target.symbol->defined && m_target.symbol->type == container::SymbolType::Function)
      m_pages.push_back(hostCodePage(std::shared_ptr<const container::Image>(m_package, &m_package->image), index));
    if (node.bytes) content(*node.bytes);
  }

  void section(const Node& node) {
    const container::Section& section = *m_target.section;
    m_pages.push_back(view::factsPage(view::page_id::kOverview, {{"name", escaped(section.name)},
                                                                 {"type", std::string(section.type)},
                                                                 {"address", hexText(section.address)},
                                                                 {"size", sizeText(section.size)}}));
    if (node.bytes) content(*node.bytes);
  }

  PackagePtr m_package;
  const Ref& m_ref;
  const Target& m_target;
  view::PageList m_pages;
};

} // namespace

view::Page symbolsPage(const PackagePtr& package, Symbols which) {
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < package->image.symbols.size(); ++i)
    if (which == Symbols::All || package->host.groups[i] != host::Group::Other) rows.push_back(i);
  return {view::page_id::kSymbols, view::TablePage{std::make_shared<SymbolTable>(package, std::move(rows))}};
}

Result<view::PageList> nodePages(const PackagePtr& package, const Ref& ref, Monitor& monitor) {
  longWork("library::nodePages");
  BLOBSCOPE_TRY(target, findTarget(*package, ref, monitor));
  const PackagePtr inner(package, target.package); // the outer package keeps the inner one
  BLOBSCOPE_TRY(node, nodeOf(*inner, ref, target));
  return PageMaker(inner, ref, target).make(node);
}

Result<view::PageList> nodePages(const PackagePtr& package, const Ref& ref) {
  NullMonitor monitor;
  return nodePages(package, ref, monitor);
}

} // namespace blobscope::library
