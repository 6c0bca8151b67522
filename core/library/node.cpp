#include "core/library/node.h"

#include "core/base/text.h"
#include "core/payloads/sniff.h"

#include <algorithm>

namespace blobscope::library {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Error notFound(const Ref& ref, std::string_view reason) {
  return Error(DiagnosticId::RefNotFound, {arg("ref", ref.toString()), {"reason", std::string(reason)}}, ref);
}

view::Page facts(std::string name, Rows rows) {
  std::vector<view::Column> columns = {{"fact"}, {"value"}};
  return {std::move(name), view::TablePage{std::make_shared<view::FixedTable>(std::move(columns), std::move(rows))}};
}

view::Page table(std::string name, std::vector<view::Column> columns, Rows rows) {
  return {std::move(name), view::TablePage{std::make_shared<view::FixedTable>(std::move(columns), std::move(rows))}};
}

std::string placeText(const Bytes& bytes) {
  return bytes.offset() ? hexText(*bytes.offset()) + " + " + groupedText(bytes.size())
                        : groupedText(bytes.size()) + " bytes, not contiguous in the file";
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
  return joinedWords(words);
}

std::string stateText(const Module& module) {
  switch (module.undecoded) {
  case Undecoded::No: return "decoded";
  case Undecoded::UnknownKind: return "no decoder for this kind";
  case Undecoded::Damaged: return "damaged";
  case Undecoded::Region: break;
  }
  return "undecoded region";
}

// --- tables over many symbols -----------------------------------------------------------------------------------------

class SymbolTable final : public view::TableSource {
public:
  /// `rows`: indexes into Image::symbols.
  SymbolTable(PackagePtr package, std::vector<uint32_t> rows)
      : m_package(std::move(package)), m_rows(std::move(rows)) {}
  std::vector<view::Column> columns() const override {
    return {{"name"}, {"group"}, {"type"}, {"binding"}, {"value", true}, {"size", true}, {"section"}, {"table"}};
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

private:
  PackagePtr m_package;
  std::vector<uint32_t> m_rows;
};

view::Page symbolsPage(const PackagePtr& package, std::string name, bool onlyHost) {
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < package->image.symbols.size(); ++i)
    if (!onlyHost || package->host.groups[i] != host::Group::Other) rows.push_back(i);
  return {std::move(name), view::TablePage{std::make_shared<SymbolTable>(package, std::move(rows))}};
}

// --- what a ref names -------------------------------------------------------------------------------------------------

/// The parts of a package that a ref resolves to; null where it names none.
struct Target {
  const Blob* blob = nullptr;
  const Module* module = nullptr;
  std::optional<modules::Kernel> kernel;
  std::shared_ptr<const FieldTree> moduleTree; ///< of the module, when a part was looked up in it
  std::optional<uint32_t> fieldRow;
  const container::Symbol* symbol = nullptr;
  const container::Section* section = nullptr;
};

std::shared_ptr<const FieldTree> treeOf(const Module& module) {
  return std::make_shared<const FieldTree>(modules::describeBody(*module.body, module.payload));
}

Result<Target> findInModule(const Ref& ref, Target target) {
  if (ref.parts.size() > 1) return notFound(ref, "a module has one level of parts");
  const Ref::Part& part = ref.parts.front();
  target.moduleTree = treeOf(*target.module);
  if (part.kind == "kernel") {
    for (modules::Kernel& kernel : target.module->body->kernels()) {
      if (kernel.name.view() != part.name) continue;
      target.kernel = std::move(kernel);
      target.fieldRow = target.kernel->fieldRow;
      return target;
    }
    return notFound(ref, "the module has no kernel of that name");
  }
  if (part.kind == "field") {
    target.fieldRow = target.moduleTree->find(part.name);
    if (target.fieldRow) return target;
    return notFound(ref, "the module has no field of that path");
  }
  return notFound(ref, "a module of kind '" + escaped(target.module->key.view()) + "' has no parts of the kind '" +
                           part.kind + "'");
}

Result<Target> findTarget(const Package& package, const Ref& ref) {
  Target target;
  if (!ref.members.empty()) return notFound(ref, "the file is no archive and has no members");
  switch (ref.kind) {
  case Ref::Kind::File: return target;
  case Ref::Kind::Blob:
  case Ref::Kind::Imports:
  case Ref::Kind::Module:
    for (const auto& blob : package.blobs)
      if (blob->refPrefix == ref.prefix || (package.blobs.size() == 1 && blob->carrier.prefix == ref.prefix))
        target.blob = blob.get();
    if (!target.blob)
      return notFound(ref, package.blobs.empty() ? "the file holds no blob"
                                                 : "no blob has the prefix '" + escaped(ref.prefix) + "'");
    if (ref.kind != Ref::Kind::Module) return target;
    if (ref.module >= target.blob->modules.size())
      return notFound(ref, "the blob has " + std::to_string(target.blob->modules.size()) + " modules, counted from 0");
    target.module = target.blob->modules[ref.module].get();
    if (ref.parts.empty()) return target;
    return findInModule(ref, std::move(target));
  case Ref::Kind::Host:
    for (const host::Function& function : package.host.functions)
      if (function.name == ref.name) target.symbol = &package.image.symbols[function.symbol];
    if (target.symbol) return target;
    return notFound(ref, "the library has no host function of that name");
  case Ref::Kind::Symbol:
    for (const container::Symbol& symbol : package.image.symbols)
      if (!target.symbol && symbol.name == ref.name) target.symbol = &symbol;
    if (target.symbol) return target;
    return notFound(ref, "no symbol has that name");
  case Ref::Kind::Section:
    for (const container::Section& section : package.image.sections)
      if (!target.section && section.name == ref.name) target.section = &section;
    if (target.section) return target;
    return notFound(ref, "no section has that name");
  case Ref::Kind::Member: break;
  }
  return notFound(ref, "the file is no archive and has no members");
}

// --- pages ------------------------------------------------------------------------------------------------------------

class PageMaker {
public:
  PageMaker(PackagePtr package, const Ref& ref, const Target& target)
      : m_package(std::move(package)), m_ref(ref), m_target(target) {}

  view::PageList make(const Node& node) {
    if (m_ref.at) {
      hex(*node.bytes, nullptr);
    } else if (m_target.symbol) {
      symbol(node);
    } else if (m_target.section) {
      section(node);
    } else if (m_target.fieldRow) {
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
    m_pages.push_back({"Hex", view::HexPage{bytes, std::move(fields)}});
  }
  void fields(std::shared_ptr<const FieldTree> tree) { m_pages.push_back({"Fields", view::FieldsPage{std::move(tree)}}); }

  void file() {
    const container::Image& image = m_package->image;
    Rows rows = {{"file", escaped(m_package->path)},
                 {"size", sizeText(m_package->bytes.size())},
                 {"container", std::string(container::formatName(image.format)) + " " +
                                   std::string(container::kindName(image.kind)) + ", " + std::to_string(image.bits) +
                                   " bit, " + (image.bigEndian ? "big" : "little") + " endian"},
                 {"architecture", image.arch.empty() ? "unknown" : image.arch}};
    const auto abi = m_package->host.abi;
    rows.push_back({"host ABI", abi ? std::string(host::abiName(*abi)) + " (" + std::string(host::abiReleases(*abi)) + ")"
                                    : "none: no symbol points to TVM"});
    rows.push_back({"host functions", std::to_string(m_package->host.functions.size())});
    rows.push_back({"symbols", groupedText(image.symbols.size())});
    for (const auto& blob : m_package->blobs)
      rows.push_back({"blob", blob->ref().toString() + ": " + std::to_string(blob->modules.size()) + " modules, era " +
                                  std::string(eraName(blob->era)) + ", " + sizeText(blob->bytes.size())});
    rows.push_back({"findings", std::to_string(m_package->diagnostics.size())});
    m_pages.push_back(facts("Overview", std::move(rows)));

    Rows findings;
    for (const Diagnostic& diagnostic : m_package->diagnostics)
      findings.push_back({std::string(severityName(diagnostic.severity())), std::string(diagnostic.idText()),
                          diagnostic.message(), diagnostic.place.toString()});
    m_pages.push_back(table("Problems", {{"severity"}, {"id"}, {"message"}, {"place"}}, std::move(findings)));
    m_pages.push_back(symbolsPage(m_package, "Host", true));
    m_pages.push_back(symbolsPage(m_package, "Symbols", false));

    Rows sections;
    for (const container::Section& section : image.sections)
      sections.push_back({escaped(section.name), std::string(section.type), hexText(section.address),
                          section.file.size > 0 ? hexText(section.file.offset) : "–", std::to_string(section.size),
                          std::string(section.allocated ? "A" : "") + (section.writable ? "W" : "") +
                              (section.executable ? "X" : "")});
    m_pages.push_back(table("Sections",
                            {{"name"}, {"type"}, {"address", true}, {"offset", true}, {"size", true}, {"flags"}},
                            std::move(sections)));
    hex(m_package->bytes, nullptr);
  }

  void blob() {
    const Blob& blob = *m_target.blob;
    Rows rows = {{"carrier", escaped(blob.carrier.symbol)},
                 {"era", std::string(eraName(blob.era)) + " (" + std::string(eraReleases(blob.era)) + ")"},
                 {"stream", std::string(streamName(blob.cut.stream))},
                 {"place", placeText(blob.bytes)},
                 {"modules", std::to_string(blob.modules.size())}};
    m_pages.push_back(facts("Overview", std::move(rows)));
    Rows modules;
    for (const ModulePtr& module : blob.modules)
      modules.push_back({"m" + std::to_string(module->index), escaped(module->key.view()),
                         std::to_string(module->payload.size()), stateText(*module),
                         joinedWords(module->body->content()), importsText(blob, *module)});
    m_pages.push_back(table("Modules",
                            {{"module"}, {"kind"}, {"payload bytes", true}, {"state"}, {"content"}, {"imports"}},
                            std::move(modules)));
    const auto tree = std::make_shared<const FieldTree>(describeBlob(blob));
    fields(tree);
    hex(blob.bytes, tree);
  }

  void imports(const Node& node) {
    const Blob& blob = *m_target.blob;
    const std::vector<uint32_t> importers = blob.importerCounts();
    Rows rows;
    for (const ModulePtr& module : blob.modules)
      rows.push_back({"m" + std::to_string(module->index), escaped(module->key.view()), importsText(blob, *module),
                      std::to_string(importers[module->index])});
    m_pages.push_back(table("Imports", {{"module"}, {"kind"}, {"imports"}, {"imported by", true}}, std::move(rows)));
    if (node.bytes) hex(*node.bytes, nullptr);
  }

  void module() {
    const Blob& blob = *m_target.blob;
    const Module& module = *m_target.module;
    Rows rows = {{"kind", escaped(module.key.view())},
                 {"state", stateText(module) + (module.guess ? ", its end is a guess" : "")},
                 {"layout", std::string(module.body->layout())},
                 {"payload", placeText(module.payload)},
                 {"imports", importsText(blob, module)}};
    if (const auto format = module.body->format()) rows.push_back({"declared format", escaped(format->view())});
    const auto content = module.body->content();
    if (!content.empty()) rows.push_back({"content", joinedWords(content)});
    const auto kernels = module.body->kernels();
    if (!kernels.empty()) rows.push_back({"functions", std::to_string(kernels.size())});
    m_pages.push_back(facts("Overview", std::move(rows)));
    for (const Diagnostic& diagnostic : blob.diagnostics)
      if (diagnostic.place == blob.moduleRef(module.index))
        m_pages.push_back({"Notice", view::NoticePage{diagnostic.message()}});
    module.body->pages(m_pages);
    if (module.payload.empty()) return;
    const auto tree = treeOf(module);
    fields(tree);
    hex(module.payload, tree);
  }

  /// A kernel or a field: the rows below it, then its bytes.
  void part(const Node& node) {
    const FieldTree& whole = *m_target.moduleTree;
    const uint32_t row = *m_target.fieldRow;
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
    const bool code = m_target.kernel && node.bytes;
    if (code) content(*node.bytes);
    fields(tree);
    if (!code && node.bytes) content(*node.bytes);
  }

  void content(const Bytes& bytes) {
    if (payloads::isText(payloads::sniff(bytes))) m_pages.push_back({"Text", view::TextPage{bytes, ""}});
    hex(bytes, nullptr);
  }

  void symbol(const Node& node) {
    const auto index = static_cast<uint32_t>(m_target.symbol - m_package->image.symbols.data());
    const SymbolTable cells(m_package, {index});
    Rows rows;
    const auto columns = cells.columns();
    for (std::size_t i = 0; i < columns.size(); ++i) rows.push_back({columns[i].title, cells.cell(0, i)});
    m_pages.push_back(facts("Overview", std::move(rows)));
    if (node.bytes) content(*node.bytes);
  }

  void section(const Node& node) {
    const container::Section& section = *m_target.section;
    m_pages.push_back(facts("Overview", {{"name", escaped(section.name)},
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

Result<Node> nodeOf(const Package& package, const Ref& ref, const Target& target) {
  Node node;
  node.ref = ref;
  if (target.symbol) {
    node.title = "symbol '" + escaped(target.symbol->name) + "'";
    const auto bytes = package.image.findBytesOf(*target.symbol);
    if (!bytes)
      node.whyNoBytes = target.symbol->defined ? "the file holds no bytes for it" : "it is undefined here";
    else if (target.symbol->size == 0)
      node.whyNoBytes = "the symbol table gives it no size; name a range as @OFFSET+SIZE";
    else
      node.bytes = bytes->slice(0, target.symbol->size);
  } else if (target.section) {
    node.title = "section '" + escaped(target.section->name) + "'";
    if (target.section->file.size > 0)
      node.bytes = package.bytes.slice(target.section->file.offset, target.section->file.size);
    else
      node.whyNoBytes = "it occupies no bytes of the file";
  } else if (target.kernel) {
    node.title = "kernel '" + escaped(target.kernel->name.view()) + "'";
    node.bytes = target.kernel->code;
    node.whyNoBytes = "all kernels of the module share one image, which is its field 'data'";
  } else if (target.fieldRow) {
    node.title = "field '" + target.moduleTree->path(*target.fieldRow) + "'";
    node.bytes = target.moduleTree->content(*target.fieldRow);
  } else if (target.module) {
    node.title = "module " + std::to_string(target.module->index) + " '" + escaped(target.module->key.view()) + "'";
    if (target.module->key.view() == "_lib")
      node.whyNoBytes = "it stands for the library itself";
    else
      node.bytes = target.module->payload;
  } else if (ref.kind == Ref::Kind::Imports) {
    node.title = "import tree";
    for (const Record& record : target.blob->cut.records)
      if (record.kind == Record::Kind::Tree)
        node.bytes = target.blob->bytes.slice(record.payloadStart, record.end - record.payloadStart);
    if (target.blob->cut.stream == Stream::Ffi && target.blob->cut.tree) {
      const ImportTree& tree = *target.blob->cut.tree;
      node.bytes = target.blob->bytes.slice(8, 16 + 8 * (tree.indptr.size() + tree.child.size()));
    }
    node.whyNoBytes = "the stream has none";
  } else if (target.blob) {
    node.title = "blob at '" + escaped(target.blob->carrier.symbol) + "'";
    node.bytes = target.blob->bytes;
  } else {
    node.title = "file '" + escaped(package.path) + "'";
    node.bytes = package.bytes;
  }
  if (ref.at) {
    const uint64_t size = package.bytes.size();
    if (*ref.at >= size || (ref.size && *ref.size > size - *ref.at))
      return notFound(ref, "the file ends at " + hexText(size));
    node.title = "bytes at " + hexText(*ref.at);
    node.bytes = package.bytes.slice(*ref.at, ref.size.value_or(UINT64_MAX));
  }
  if (node.bytes) node.whyNoBytes.clear();
  return node;
}

} // namespace

Result<Node> findNode(const Package& package, const Ref& ref) {
  BLOBSCOPE_TRY(target, findTarget(package, ref));
  return nodeOf(package, ref, target);
}

Result<view::PageList> pagesOf(const PackagePtr& package, const Ref& ref) {
  BLOBSCOPE_TRY(target, findTarget(*package, ref));
  BLOBSCOPE_TRY(node, nodeOf(*package, ref, target));
  return PageMaker(package, ref, target).make(node);
}

Locator::Locator(const Package& package) {
  const uint64_t base = package.bytes.offset().value_or(0);
  const auto add = [&](const Bytes& bytes, Ref ref) {
    if (!bytes.empty() && bytes.offset()) m_ranges.push_back({{*bytes.offset() - base, bytes.size()}, std::move(ref), 0});
  };
  for (const container::Section& section : package.image.sections)
    if (section.file.size > 0)
      m_ranges.push_back({section.file, Ref::named(Ref::Kind::Section, section.name), 0});
  for (const auto& blob : package.blobs) {
    add(blob->bytes, blob->ref());
    for (const ModulePtr& module : blob->modules) {
      const Ref ref = blob->moduleRef(module->index);
      add(module->payload, ref);
      for (const modules::Kernel& kernel : module->body->kernels())
        if (kernel.code) add(*kernel.code, ref.part("kernel", kernel.name.view()));
    }
  }
  std::stable_sort(m_ranges.begin(), m_ranges.end(), [](const Range& a, const Range& b) {
    return a.extent.offset != b.extent.offset ? a.extent.offset < b.extent.offset : a.extent.size > b.extent.size;
  });
  // What is around a range is the nearest one before it that reaches over its first byte.
  for (std::size_t i = 0; i < m_ranges.size(); ++i) {
    m_ranges[i].parent = i;
    for (std::size_t around = i == 0 ? i : i - 1; around < i; around = m_ranges[around].parent) {
      if (m_ranges[around].extent.contains(m_ranges[i].extent.offset)) m_ranges[i].parent = around;
      if (m_ranges[i].parent != i || m_ranges[around].parent == around) break;
    }
  }
}

Ref Locator::at(uint64_t offset) const {
  const auto behind = std::upper_bound(m_ranges.begin(), m_ranges.end(), offset,
                                       [](uint64_t at, const Range& range) { return at < range.extent.offset; });
  if (behind == m_ranges.begin()) return Ref::file();
  for (auto index = static_cast<std::size_t>(behind - m_ranges.begin()) - 1;;) {
    const Range& range = m_ranges[index];
    if (range.extent.contains(offset)) return range.ref;
    if (range.parent == index) return Ref::file();
    index = range.parent;
  }
}

} // namespace blobscope::library
