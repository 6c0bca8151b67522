#include "core/library/contents.h"

#include "core/base/limits.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/library/host_abi.h"
#include "core/payloads/params/params.h"
#include "core/view/page_id.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace blobscope::library {
namespace {

/// The longest list of functions that is shown completely.
constexpr std::size_t kListed = 2'000;
/// The number of nested folders that are shown.
constexpr std::size_t kFolders = 32;
/// The limit of rows for blobs. It leaves room for the kernels of the last module, one or two rows for each of
/// limits::kCarriers, host functions and sections.
constexpr std::size_t kBlobRows = limits::kTreeRows - 8 * kListed;

class Builder {
public:
  explicit Builder(const Package& package) : m_package(&package) {}

  std::vector<ContentsRow> build() {
    const uint32_t root = add(ContentsRow::kNoParent, RowKind::Library, here(Ref::file()), fileName());
    m_rows[root].size = m_package->bytes.size();
    addPackage(root);
    std::vector<FindingPlace> found;
    for (const Diagnostic& diagnostic : m_package->diagnostics)
      found.push_back({diagnostic.place, diagnostic.severity()});
    markSeverities(m_rows, found);
    return std::move(m_rows);
  }

private:
  Ref here(Ref ref) const { return m_package->ref(std::move(ref)); }

  /// Adds the content of the current package; for an archive, its members in their folders, each with its content.
  void addPackage(uint32_t parent) {
    for (const auto& blob : m_package->blobs) addBlob(parent, *blob);
    if (m_package->kind() == "params") addParams(parent);
    if (m_package->image.kind == container::Kind::Archive) {
      addMembers(parent);
      return;
    }
    if (!m_package->image.symbols.empty() || m_package->image.format != container::Format::Raw) addHost(parent);
    addSections(parent);
  }

  void addParams(uint32_t parent) {
    const auto params = payloads::readParams(m_package->bytes);
    if (!params) return; // the pages show the reason
    const auto& names = (*params)->names;
    if (names.empty() && !m_package->memberPath.empty()) return;
    const uint32_t group = add(parent, RowKind::Constants, here(Ref::file()), "Parameters", groupedText(names.size()));
    m_rows[group].page = view::page_id::kParameters;
    for (std::size_t i = 0; i < std::min(names.size(), kListed); ++i) {
      const payloads::Tensor& tensor = (*params)->tensors[i];
      const uint32_t row = add(group, RowKind::Constant, here(Ref::named(Ref::Kind::Param, names[i].view())),
                               escaped(names[i].view()), tensor.typeText() + " " + tensor.shapeText());
      m_rows[row].size = tensor.data.size();
    }
    if (names.size() > kListed) addMore(group, here(Ref::file()), view::page_id::kParameters, names.size() - kListed);
  }

  void addMembers(uint32_t parent) {
    const Package* const outer = m_package;
    std::unordered_map<std::string, uint32_t> folders;
    std::size_t listed = 0;
    for (const PackageMember& member : outer->members) {
      if (member.stored->type == container::Member::Type::Folder) continue; // the members in it create its row
      if (++listed > kListed || m_rows.size() >= limits::kTreeRows) {
        addMore(parent, here(Ref::file()), view::page_id::kMembers, outer->members.size() - listed + 1);
        break;
      }
      const Ref ref =
          member.package ? member.package->ref(Ref::file()) : here(Ref::named(Ref::Kind::Member, member.name));
      const std::string path =
          outer->image.format == container::Format::Universal ? std::string() : normalisedPath(member.name);
      const std::size_t slash = path.rfind('/');
      const uint32_t folder = slash == std::string::npos ? parent : folderRow(parent, path.substr(0, slash), folders);
      const uint32_t row =
          add(folder, RowKind::Member, ref,
              escaped(slash == std::string::npos ? (path.empty() ? member.name : path) : path.substr(slash + 1)),
              std::string(member.role));
      m_rows[row].size = member.stored->bytes.size();
      m_rows[row].moduleKey = member.role;
      for (uint32_t above = folder; above != parent; above = m_rows[above].parent)
        *m_rows[above].size += member.stored->bytes.size();
      if (!member.package) continue;
      m_package = member.package.get();
      addPackage(row);
      m_package = outer;
    }
  }

  /// Returns the row of the folder below `parent`; adds it and the folders around it on first use.
  uint32_t folderRow(uint32_t parent, const std::string& path, std::unordered_map<std::string, uint32_t>& folders) {
    uint32_t row = parent;
    for (std::size_t from = 0, end = 0, depth = 0; end < path.size() && depth < kFolders; from = end + 1, ++depth) {
      end = std::min(path.find('/', from), path.size());
      const auto [found, isNew] = folders.try_emplace(path.substr(0, end), 0);
      if (isNew) {
        found->second = add(row, RowKind::Folder, here(Ref::file()), escaped(path.substr(from, end - from)));
        m_rows[found->second].page = view::page_id::kMembers;
        m_rows[found->second].size = 0;
      }
      row = found->second;
    }
    return row;
  }

  std::string fileName() const { return escaped(pathText(pathFrom(m_package->path).filename())); }

  uint32_t add(uint32_t parent, RowKind kind, Ref ref, std::string name, std::string detail = {}) {
    ContentsRow row;
    row.parent = parent;
    row.kind = kind;
    row.ref = std::move(ref);
    row.name = std::move(name);
    row.detail = std::move(detail);
    m_rows.push_back(std::move(row));
    return static_cast<uint32_t>(m_rows.size() - 1);
  }

  void addBlob(uint32_t parent, const Blob& blob) {
    const uint32_t row = add(parent, RowKind::Blob, blob.ref(), "Blob", escaped(blob.carrier.symbol));
    m_rows[row].size = blob.bytes.size();
    const std::vector<uint32_t> importers = blob.importerCounts();
    std::vector<bool> shown(blob.modules.size(), false), listed(blob.modules.size(), false);
    const auto isFull = [&] { return m_rows.size() >= kBlobRows; };

    // A row and its module. Children are added when the entry is removed from the stack, so siblings stay in order.
    struct Open {
      uint32_t row;
      uint32_t module;
    };
    const auto addModule = [&](uint32_t below, uint32_t index) {
      const Module& module = *blob.modules[index];
      listed[index] = true;
      const uint32_t added =
          add(below, RowKind::Module, blob.moduleRef(index),
              module.key.empty() ? "unreadable record" : escaped(module.key.view()), "m" + std::to_string(index));
      m_rows[added].moduleKey = module.key.view();
      m_rows[added].shared = importers[index] > 1;
      if (!module.isLibrary()) m_rows[added].size = module.payload.size();
      return added;
    };
    const auto walk = [&](uint32_t start) {
      std::vector<Open> open = {{addModule(row, start), start}};
      while (!open.empty() && !isFull()) {
        const Open now = open.back();
        open.pop_back();
        if (!shown[now.module]) {
          addKernels(now.row, blob, *blob.modules[now.module]);
          addParts(now.row, blob, *blob.modules[now.module]);
        }
        const bool first = !shown[now.module];
        shown[now.module] = true;
        // Below a second parent a shared module is shown without its children: cycles and diamonds end here.
        if (!first) continue;
        std::vector<Open> children;
        for (const uint32_t child : blob.modules[now.module]->imports) {
          if (isFull()) break; // a few bytes can declare a great number of imports
          children.push_back({addModule(now.row, child), child});
        }
        open.insert(open.end(), children.rbegin(), children.rend());
      }
    };
    for (const uint32_t root : blob.roots())
      if (!isFull()) walk(root);
    for (uint32_t index = 0; index < blob.modules.size() && !isFull(); ++index)
      if (!shown[index]) walk(index);
    const auto hidden = static_cast<std::size_t>(std::count(listed.begin(), listed.end(), false));
    if (hidden > 0) addMore(row, blob.ref(), view::page_id::kModules, hidden);
  }

  void addKernels(uint32_t parent, const Blob& blob, const Module& module) {
    const auto kernels = module.body->kernels();
    if (kernels.empty()) return;
    const Ref ref = blob.moduleRef(module.index);
    const uint32_t group = add(parent, RowKind::Kernels, ref, "Kernels", groupedText(kernels.size()));
    if (const auto declared = module.body->declaredKernels(); declared && *declared != kernels.size())
      m_rows[group].detail += " of " + groupedText(*declared);
    m_rows[group].page = module.body->decoded() ? view::page_id::kFunctions : view::page_id::kFields;
    for (std::size_t i = 0; i < std::min(kernels.size(), kListed); ++i) {
      const uint32_t row = add(group, RowKind::Kernel, ref.part(PartKind::Kernel, kernels[i].name.view()),
                               escaped(kernels[i].name.view()));
      if (kernels[i].code) m_rows[row].size = kernels[i].code->size();
    }
    if (kernels.size() > kListed) addMore(group, ref, view::page_id::kFunctions, kernels.size() - kListed);
  }

  void addParts(uint32_t parent, const Blob& blob, const Module& module) {
    struct Kind {
      PartKind kind;
      RowKind group, part;
    };
    constexpr std::array kKinds = {Kind{PartKind::Function, RowKind::Functions, RowKind::Function},
                                   Kind{PartKind::Const, RowKind::Constants, RowKind::Constant},
                                   Kind{PartKind::Param, RowKind::Constants, RowKind::Constant},
                                   Kind{PartKind::Entry, RowKind::Images, RowKind::Image}};
    const Ref ref = blob.moduleRef(module.index);
    for (const modules::PartGroup& group : module.body->parts()) {
      const auto kind =
          std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& known) { return known.kind == group.kind; });
      if (kind == kKinds.end() || m_rows.size() >= kBlobRows) continue;
      const uint32_t above = add(parent, kind->group, ref, std::string(group.title), groupedText(group.parts.size()));
      m_rows[above].page = group.page;
      for (std::size_t i = 0; i < std::min(group.parts.size(), kListed); ++i) {
        const modules::Part& part = group.parts[i];
        const uint32_t row = add(above, kind->part, ref.part(group.kind, part.name), escaped(part.name), part.detail);
        m_rows[row].size = part.size;
      }
      if (group.parts.size() > kListed) addMore(above, ref, std::string(group.page), group.parts.size() - kListed);
    }
  }

  void addMore(uint32_t parent, const Ref& ref, std::string page, std::size_t count) {
    const uint32_t row = add(parent, RowKind::More, ref, groupedText(count) + " more in the table");
    m_rows[row].page = std::move(page);
  }

  void addHost(uint32_t parent) {
    const auto& functions = m_package->host.functions;
    // A member shows only what it has; the file itself also shows that it has none.
    const bool member = !m_package->memberPath.empty();
    if (!member || !functions.empty()) addHostFunctions(parent);
    if (member && m_package->image.symbols.empty()) return;
    const uint32_t symbols =
        add(parent, RowKind::Symbols, here(Ref::file()), "Symbols", groupedText(m_package->image.symbols.size()));
    m_rows[symbols].page = view::page_id::kSymbols;
  }

  void addHostFunctions(uint32_t parent) {
    const auto& functions = m_package->host.functions;
    const uint32_t host =
        add(parent, RowKind::HostCode, here(Ref::file()), "Host functions",
            functions.empty() && !whyHostUnknown(*m_package).empty() ? "?" : groupedText(functions.size()));
    m_rows[host].page = view::page_id::kFunctions;
    for (std::size_t i = 0; i < std::min(functions.size(), kListed); ++i) {
      const uint32_t row = add(host, RowKind::HostFunction, here(Ref::named(Ref::Kind::Host, functions[i].name)),
                               escaped(functions[i].name));
      const uint64_t size = m_package->image.symbols[functions[i].symbol].size;
      if (size > 0) m_rows[row].size = size;
    }
    if (functions.size() > kListed)
      addMore(host, here(Ref::file()), view::page_id::kFunctions, functions.size() - kListed);
  }

  void addSections(uint32_t parent) {
    const auto& sections = m_package->image.sections;
    if (sections.empty()) return;
    const uint32_t group = add(parent, RowKind::Sections, here(Ref::file()), "Sections", groupedText(sections.size()));
    m_rows[group].page = view::page_id::kSections;
    std::size_t named = 0; // the null section has no name
    for (const container::Section& section : sections) {
      if (section.name.empty() || ++named > kListed) continue;
      const uint32_t row =
          add(group, RowKind::Section, here(Ref::named(Ref::Kind::Section, section.name)), escaped(section.name));
      m_rows[row].size = section.size;
    }
    if (named > kListed) addMore(group, here(Ref::file()), view::page_id::kSections, named - kListed);
  }

  const Package* m_package; ///< the package whose rows are being added
  std::vector<ContentsRow> m_rows;
};

} // namespace

void markSeverities(std::vector<ContentsRow>& rows, const std::vector<FindingPlace>& found) {
  // A node can have several rows.
  std::unordered_multimap<std::string, uint32_t> byPlace;
  for (uint32_t row = 0; row < rows.size(); ++row)
    if (rows[row].page.empty()) byPlace.emplace(rows[row].ref.toString(), row);
  const auto worsen = [&](uint32_t row, Severity severity) {
    for (uint32_t at = row; at != ContentsRow::kNoParent; at = rows[at].parent)
      if (!rows[at].worst || severity < *rows[at].worst) rows[at].worst = severity;
  };
  for (const FindingPlace& one : found) {
    if (one.severity == Severity::Note || rows.empty()) continue;
    const auto [first, last] = byPlace.equal_range(one.place.node().toString());
    if (first == last) worsen(0, one.severity);
    for (auto at = first; at != last; ++at) worsen(at->second, one.severity);
  }
}

std::vector<ContentsRow> contentsOf(const Package& package) {
  longWork("library::contentsOf");
  return Builder(package).build();
}

} // namespace blobscope::library
