#include "core/library/details.h"

#include "core/base/digest.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/library/host_abi.h"
#include "core/library/node_pages.h"
#include "core/library/target.h"
#include "core/modules/module_fields.h"
#include "core/view/page_id.h"

#include <algorithm>

namespace blobscope::library {
namespace {

/// The number of modules listed in a path; the Contents panel has the others.
constexpr std::size_t kPathSteps = 24;
/// The number of kernel arguments that are listed separately.
constexpr uint32_t kListed = 64;
/// The longest value of a part; the page shows the complete value.
constexpr std::size_t kFactBytes = 160;
/// Computing the digest of a larger file takes too long for a panel.
constexpr uint64_t kDigestBytes = 256 << 20;

bool isCode(std::string_view value) { return value.starts_with("0x"); }

view::DetailGroup groupOf(std::string title) { return {std::move(title), {}, {}, {}}; }

void add(view::DetailGroup& group, std::string label, std::string value, bool code = false) {
  const bool asCode = code || isCode(value);
  group.rows.push_back({std::move(label), std::move(value), asCode, {}, {}});
}

std::string placeText(const Bytes& bytes) {
  return bytes.offset() ? hexText(*bytes.offset()) + " + " + groupedText(bytes.size())
                        : countText(bytes.size(), "byte");
}

std::string capitalised(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 32);
  return out;
}

view::DetailStep stepOf(const Blob& blob, uint32_t index, uint32_t depth) {
  const Module& module = *blob.modules[index];
  return {module.key.empty() ? "unreadable record" : escaped(module.key.view()), blob.moduleRef(index),
          std::string(module.key.view()), depth};
}

/// Returns the import tree from its roots, each module once.
view::DetailGroup importTree(const Blob& blob) {
  view::DetailGroup group = groupOf("Import tree");
  struct Open {
    uint32_t index, depth;
  };
  std::vector<Open> open;
  std::vector<bool> seen(blob.modules.size(), false);
  const std::vector<uint32_t> roots = blob.roots();
  for (auto root = roots.rbegin(); root != roots.rend(); ++root) open.push_back({*root, 0});
  while (!open.empty() && group.path.size() < kPathSteps) {
    const Open now = open.back();
    open.pop_back();
    if (seen[now.index]) continue;
    seen[now.index] = true;
    group.path.push_back(stepOf(blob, now.index, now.depth));
    const auto& imports = blob.modules[now.index]->imports;
    for (auto child = imports.rbegin(); child != imports.rend(); ++child) open.push_back({*child, now.depth + 1});
  }
  if (group.path.size() < blob.modules.size())
    group.note = groupedText(blob.modules.size() - group.path.size()) + " more in Contents.";
  return group;
}

/// Returns the path from a root to the module, along the first importers.
view::DetailGroup importPath(const Blob& blob, uint32_t module) {
  std::vector<uint32_t> importer(blob.modules.size(), UINT32_MAX);
  for (const ModulePtr& parent : blob.modules)
    for (const uint32_t child : parent->imports)
      if (importer[child] == UINT32_MAX && child != parent->index) importer[child] = parent->index;
  std::vector<uint32_t> way = {module};
  while (way.size() < kPathSteps && importer[way.back()] != UINT32_MAX &&
         std::find(way.begin(), way.end(), importer[way.back()]) == way.end())
    way.push_back(importer[way.back()]);
  std::reverse(way.begin(), way.end());
  view::DetailGroup group = groupOf("Imported through");
  for (std::size_t i = 0; i < way.size(); ++i) group.path.push_back(stepOf(blob, way[i], static_cast<uint32_t>(i)));
  return group;
}

view::DetailGroup problemOf(const Diagnostic& diagnostic) {
  view::DetailGroup group = groupOf("Finding");
  add(group, "Rule", std::string(diagnostic.idText()), true);
  group.rows.push_back(
      {"Severity", std::string(severityName(diagnostic.severity())), false, {}, diagnostic.severity()});
  if (diagnostic.place.at) {
    add(group, "Byte", hexText(*diagnostic.place.at), true);
    group.rows.back().link = diagnostic.place;
  }
  group.note = diagnostic.message();
  return group;
}

class Maker {
public:
  Maker(const PackagePtr& package, const Ref& ref, const Target& target)
      : m_package(package), m_ref(ref), m_target(target) {}

  Result<view::Details> make(Monitor& monitor) {
    if (m_target.kernel) {
      kernel();
    } else if (m_target.part) {
      part();
    } else if (m_target.module && !m_target.fieldRow) {
      BLOBSCOPE_CHECK(overviewRows("Module"));
      module();
    } else if (m_target.fieldRow) {
      m_out = view::fieldDetails(*m_target.moduleTree, *m_target.fieldRow, m_target.blob->bytes.offset());
    } else if (m_target.blob) {
      BLOBSCOPE_CHECK(overviewRows("Blob"));
      m_out.push_back(importTree(*m_target.blob));
    } else if (m_ref.node() == m_package->ref(Ref::file())) {
      BLOBSCOPE_CHECK(file(monitor));
    } else {
      BLOBSCOPE_CHECK(overviewRows(m_target.section ? "Section" : m_target.member ? "Member" : "Symbol"));
    }
    problems();
    return std::move(m_out);
  }

private:
  Result<Done> file(Monitor& monitor) {
    view::DetailGroup group = groupOf("File");
    const std::filesystem::path path = pathFrom(m_package->path), folder = path.parent_path();
    add(group, "Name", escaped(pathText(path.filename())));
    add(group, "Folder", folder.empty() ? "." : shownPath(pathText(folder)));
    add(group, "Size", countText(m_package->bytes.size(), "byte"));
    if (m_package->bytes.size() <= kDigestBytes) {
      BLOBSCOPE_TRY(digest, computeSha256(m_package->bytes, monitor));
      add(group, "SHA-256", digest, true);
    }
    for (const auto& blob : m_package->blobs) {
      if (blob->bytes.offset()) {
        add(group, "Blob at", placeText(blob->bytes), true);
        continue;
      }
      const bool memory = m_package->image.format == container::Format::Wasm;
      add(group, "Blob", placeText(blob->bytes) + (memory ? ", rebuilt from data segments" : ", rebuilt"));
      if (memory)
        group.note = "The blob is rebuilt from the data segments of the file. They do not store runs of zeros, so the "
                     "blob can be larger than the file.";
    }
    m_out.push_back(std::move(group));
    for (const auto& blob : m_package->blobs) {
      if (!blob->modules.empty()) m_out.push_back(importTree(*blob));
      if (m_out.size() > 4) break;
    }
    if (m_package->image.kind == container::Kind::Archive) {
      view::DetailGroup members = groupOf("Members, " + groupedText(m_package->members.size()));
      for (const PackageMember& member : m_package->members) {
        if (members.rows.size() >= kPathSteps) break;
        if (member.stored->type == container::Member::Type::Folder) continue;
        add(members, std::string(member.role), escaped(member.name));
        members.rows.back().link = member.package ? member.package->ref(Ref::file())
                                                  : m_package->ref(Ref::named(Ref::Kind::Member, member.name));
      }
      m_out.push_back(std::move(members));
      return Done{};
    }
    view::DetailGroup host = groupOf("Host code");
    const bool unknown = !whyHostUnknown(*m_package).empty();
    add(host, "Functions", unknown ? "not known" : groupedText(m_package->host.functions.size()));
    if (unknown) add(host, "Host ABI", hostAbiText(*m_package));
    if (const auto abi = m_package->host.abi) {
      add(host, "Host ABI", std::string(host::abiName(*abi)));
      // Other compilers write the same ABI.
      if (!m_package->producer || m_package->producer->id == "tvm")
        add(host, "Generated by", std::string(host::abiReleases(*abi)));
    }
    add(host, "Symbols", groupedText(m_package->image.symbols.size()));
    m_out.push_back(std::move(host));
    return Done{};
  }

  /// Adds the rows of the node's first page, which the command line shows too.
  Result<Done> overviewRows(std::string title) {
    Ref inside = m_ref.node();
    inside.members.clear(); // m_package is the member
    BLOBSCOPE_TRY(pages, nodePages(m_package, inside));
    view::DetailGroup group = groupOf(std::move(title));
    for (const view::Page& page : pages) {
      const auto* const table = std::get_if<view::TablePage>(&page.content);
      if (page.name != view::page_id::kOverview || !table) continue;
      for (uint64_t row = 0; row < table->source->rowCount(); ++row) {
        std::string label = table->source->cell(row, 0);
        if (label == "error" || label == "warning" || label == "note") continue; // shown as problems below
        add(group, capitalised(label), table->source->cell(row, 1));
      }
    }
    m_out.push_back(std::move(group));
    return Done{};
  }

  void module() {
    if (m_target.blob->modules.size() > 1) m_out.push_back(importPath(*m_target.blob, m_target.module->index));
  }

  void kernel() {
    const modules::Kernel& kernel = *m_target.kernel;
    view::DetailGroup group = groupOf("Kernel");
    add(group, "Name", escaped(kernel.name.view()));
    const auto content = m_target.module->body->content();
    std::string words;
    for (const std::string& word : content) words += (words.empty() ? "" : ", ") + word;
    if (!words.empty()) add(group, "Code", words);
    if (kernel.code) add(group, "Code at", placeText(*kernel.code), true);
    m_out.push_back(std::move(group));
    for (const auto& [label, title, one] : {std::tuple("launch", "Launch parameters", "launch parameter"),
                                            std::tuple("arguments", "Arguments", "argument")})
      for (const modules::InfoField& field : modules::infoFields(*m_target.moduleTree, *m_target.fieldRow))
        if (field.label == label) list(field.row, title, one);
    view::DetailGroup path = importPath(*m_target.blob, m_target.module->index);
    path.title = "Part of";
    path.path.push_back({escaped(kernel.name.view()), m_ref.node(), {}, static_cast<uint32_t>(path.path.size())});
    m_out.push_back(std::move(path));
  }

  /// Adds the facts that the pages of the part show.
  void part() {
    const Ref::Part name =
        m_ref.kind == Ref::Kind::Param ? Ref::Part{PartKind::Param, m_ref.name} : m_ref.parts.front();
    view::DetailGroup group =
        groupOf(capitalised(std::string(name.kind == PartKind::Entry ? partWord(name.kind) : partText(name.kind))));
    add(group, "Name", escaped(name.name));
    if (m_target.part->bytes) {
      add(group, "Bytes", groupedText(m_target.part->bytes->size()));
      if (m_target.part->bytes->offset()) add(group, "Place", placeText(*m_target.part->bytes), true);
    }
    m_out.push_back(std::move(group));
    for (const view::Page& page : m_target.part->pages) {
      const auto* const table = std::get_if<view::TablePage>(&page.content);
      if (!table || !table->facts) continue;
      view::DetailGroup facts = groupOf(page.name);
      for (uint64_t row = 0; row < std::min<uint64_t>(table->source->rowCount(), kListed); ++row)
        add(facts, capitalised(table->source->cell(row, 0)), shortened(table->source->cell(row, 1), kFactBytes));
      m_out.push_back(std::move(facts));
    }
    if (!m_target.module) return;
    view::DetailGroup path = importPath(*m_target.blob, m_target.module->index);
    path.title = "Part of";
    m_out.push_back(std::move(path));
  }

  /// Adds the items of the list with that name below the kernel's row.
  void list(uint32_t row, const std::string& title, const std::string& one) {
    const FieldTree& tree = *m_target.moduleTree;
    const uint64_t count = tree.rows[row].number;
    view::DetailGroup group = groupOf(count == 0 ? title : title + ", " + groupedText(count));
    for (uint32_t item = row + 1; item < tree.rows[row].after && tree.rows[item].index < kListed;
         item = tree.rows[item].after)
      add(group, std::to_string(tree.rows[item].index), tree.value(item), true);
    if (count == 0) group.note = "No " + one + ".";
    if (count > kListed) group.note = groupedText(count - kListed) + " more in Fields.";
    m_out.push_back(std::move(group));
  }

  void problems() {
    constexpr std::size_t kShown = 3;
    std::size_t shown = 0;
    for (const Diagnostic& diagnostic : m_package->diagnostics) {
      if (m_ref.node() == m_package->ref(Ref::file()) || diagnostic.place.node() != m_ref.node() || shown == kShown)
        continue;
      m_out.insert(m_out.begin() + static_cast<std::ptrdiff_t>(shown), problemOf(diagnostic));
      ++shown;
    }
  }

  const PackagePtr& m_package;
  const Ref& m_ref;
  const Target& m_target;
  view::Details m_out;
};

} // namespace

Result<view::Details> nodeDetails(const PackagePtr& package, const Ref& ref, Monitor& monitor) {
  longWork("library::nodeDetails");
  BLOBSCOPE_TRY(target, findTarget(*package, ref, monitor));
  const PackagePtr inner(package, target.package); // the outer package keeps the inner one
  return Maker(inner, ref, target).make(monitor);
}

} // namespace blobscope::library
