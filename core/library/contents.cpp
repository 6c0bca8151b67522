#include "core/library/contents.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/payloads/params/params.h"

#include <algorithm>
#include <array>

namespace blobscope::library {
namespace {

/// Longest list of functions that is drawn in full.
constexpr std::size_t kListed = 2'000;
/// Rows that blobs may have: a last module's kernels, a row or two for each of limits::kCarriers, host functions and
/// sections fit behind.
constexpr std::size_t kBlobRows = limits::kTreeRows - 8 * kListed;

class Builder {
public:
  explicit Builder(const Package& package) : m_package(&package) {}

  std::vector<ContentsRow> build() {
    const uint32_t root = add(ContentsRow::kNoParent, RowKind::Library, here(Ref::file()), fileName());
    m_rows[root].size = m_package->bytes.size();
    addPackage(root);
    addSeverities();
    return std::move(m_rows);
  }

private:
  Ref here(Ref ref) const { return m_package->ref(std::move(ref)); }

  /// What the present package holds; below an archive its members, each with what it holds.
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
    if (!params) return; // the pages say why
    const auto& names = (*params)->names;
    const uint32_t group = add(parent, RowKind::Constants, here(Ref::file()), "Parameters", groupedText(names.size()));
    m_rows[group].page = "Parameters";
    for (std::size_t i = 0; i < std::min(names.size(), kListed); ++i) {
      const payloads::Tensor& tensor = (*params)->tensors[i];
      const uint32_t row = add(group, RowKind::Constant, here(Ref::named(Ref::Kind::Param, names[i].view())), escaped(names[i].view()),
                               tensor.typeText() + " " + tensor.shapeText());
      m_rows[row].size = tensor.data.size();
    }
    if (names.size() > kListed) addMore(group, here(Ref::file()), "Parameters", names.size() - kListed);
  }

  void addMembers(uint32_t parent) {
    const Package* const outer = m_package;
    std::size_t listed = 0;
    for (const PackageMember& member : outer->members) {
      if (++listed > kListed || m_rows.size() >= limits::kTreeRows) {
        addMore(parent, here(Ref::file()), "Members", outer->members.size() - listed + 1);
        break;
      }
      const Ref ref = member.package ? member.package->ref(Ref::file()) : here(Ref::named(Ref::Kind::Member, member.name));
      const uint32_t row = add(parent, RowKind::Member, ref, escaped(member.name), std::string(member.role));
      m_rows[row].size = member.stored->bytes.size();
      if (!member.package) continue;
      m_package = member.package.get();
      addPackage(row);
      m_package = outer;
    }
  }

  std::string fileName() const {
    const std::size_t slash = m_package->path.find_last_of('/');
    return escaped(slash == std::string::npos ? m_package->path : m_package->path.substr(slash + 1));
  }

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

    // A row and the module it shows; children are added when it is taken off, so siblings stay in order.
    struct Open {
      uint32_t row;
      uint32_t module;
    };
    const auto addModule = [&](uint32_t below, uint32_t index) {
      const Module& module = *blob.modules[index];
      listed[index] = true;
      const uint32_t added = add(below, RowKind::Module, blob.moduleRef(index),
                                 module.key.empty() ? "unreadable record" : escaped(module.key.view()),
                                 "m" + std::to_string(index));
      m_rows[added].moduleKey = module.key.view();
      m_rows[added].shared = importers[index] > 1;
      if (module.key.view() != "_lib") m_rows[added].size = module.payload.size();
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
        // Below a second parent a shared module is shown, but not unfolded again: circles and diamonds end here.
        if (!first) continue;
        std::vector<Open> children;
        for (const uint32_t child : blob.modules[now.module]->imports) {
          if (isFull()) break; // few bytes can name very many imports
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
    if (hidden > 0) addMore(row, blob.ref(), "Modules", hidden);
  }

  void addKernels(uint32_t parent, const Blob& blob, const Module& module) {
    const auto kernels = module.body->kernels();
    if (kernels.empty()) return;
    const Ref ref = blob.moduleRef(module.index);
    const uint32_t group = add(parent, RowKind::Kernels, ref, "Kernels", groupedText(kernels.size()));
    if (const auto announced = module.body->announcedKernels(); announced && *announced != kernels.size())
      m_rows[group].detail += " of " + groupedText(*announced);
    m_rows[group].page = module.body->decoded() ? "Functions" : "Fields";
    for (std::size_t i = 0; i < std::min(kernels.size(), kListed); ++i) {
      const uint32_t row =
          add(group, RowKind::Kernel, ref.part("kernel", kernels[i].name.view()), escaped(kernels[i].name.view()));
      if (kernels[i].code) m_rows[row].size = kernels[i].code->size();
    }
    if (kernels.size() > kListed) addMore(group, ref, "Functions", kernels.size() - kListed);
  }

  void addParts(uint32_t parent, const Blob& blob, const Module& module) {
    struct Kind {
      std::string_view word;
      RowKind group, part;
    };
    constexpr std::array kKinds = {Kind{"function", RowKind::Functions, RowKind::Function},
                                   Kind{"const", RowKind::Constants, RowKind::Constant},
                                   Kind{"param", RowKind::Constants, RowKind::Constant},
                                   Kind{"entry", RowKind::Images, RowKind::Image}};
    const Ref ref = blob.moduleRef(module.index);
    for (const modules::PartGroup& group : module.body->parts()) {
      const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& known) { return known.word == group.kind; });
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
    const uint32_t host = add(parent, RowKind::HostCode, here(Ref::file()), "Host functions", groupedText(functions.size()));
    m_rows[host].page = "Host";
    for (std::size_t i = 0; i < std::min(functions.size(), kListed); ++i) {
      const uint32_t row = add(host, RowKind::HostFunction, here(Ref::named(Ref::Kind::Host, functions[i].name)),
                               escaped(functions[i].name));
      const uint64_t size = m_package->image.symbols[functions[i].symbol].size;
      if (size > 0) m_rows[row].size = size;
    }
    if (functions.size() > kListed) addMore(host, here(Ref::file()), "Host", functions.size() - kListed);
    const uint32_t symbols = add(parent, RowKind::Symbols, here(Ref::file()), "Symbols", groupedText(m_package->image.symbols.size()));
    m_rows[symbols].page = "Symbols";
  }

  void addSections(uint32_t parent) {
    const auto& sections = m_package->image.sections;
    if (sections.empty()) return;
    const uint32_t group = add(parent, RowKind::Sections, here(Ref::file()), "Sections", groupedText(sections.size()));
    m_rows[group].page = "Sections";
    std::size_t named = 0; // the null section has no name
    for (const container::Section& section : sections) {
      if (section.name.empty() || ++named > kListed) continue;
      const uint32_t row =
          add(group, RowKind::Section, here(Ref::named(Ref::Kind::Section, section.name)), escaped(section.name));
      m_rows[row].size = section.size;
    }
    if (named > kListed) addMore(group, here(Ref::file()), "Sections", named - kListed);
  }

  /// A finding belongs to the row its place names and to all rows above it; one without such a row to the library.
  void addSeverities() {
    const auto worsen = [&](uint32_t row, Severity severity) {
      for (uint32_t at = row; at != ContentsRow::kNoParent; at = m_rows[at].parent)
        if (!m_rows[at].worst || severity < *m_rows[at].worst) m_rows[at].worst = severity;
    };
    for (const Diagnostic& diagnostic : m_package->diagnostics) {
      if (diagnostic.severity() == Severity::Note) continue;
      const Ref place = diagnostic.place.node();
      bool found = false;
      for (uint32_t row = 0; row < m_rows.size(); ++row)
        if (m_rows[row].page.empty() && m_rows[row].ref == place) {
          worsen(row, diagnostic.severity());
          found = true;
        }
      if (!found) worsen(0, diagnostic.severity());
    }
  }

  const Package* m_package; ///< whose rows are being added
  std::vector<ContentsRow> m_rows;
};

} // namespace

std::vector<ContentsRow> contentsOf(const Package& package) {
  longWork("library::contentsOf");
  return Builder(package).build();
}

} // namespace blobscope::library
