#include "core/mlf/fixes/fix.h"

#include "core/mlf/fixes/graph_facts.h"
#include "core/mlf/fixes/maker.h"

#include <algorithm>

namespace blobscope::mlf {
namespace {

/// Returns how findings of the rule are mended; null if none can be.
const FixRow* fixRow(std::string_view rule) {
  static const std::unordered_map<std::string_view, const FixRow*> kFixes = [] {
    std::unordered_map<std::string_view, const FixRow*> out;
    for (const auto rows : {containerFixes(), metadataFixes(), targetFixes(), memoryFixes(), layoutFixes(),
                            parameterFixes(), graphFixes(), fileFixes()})
      for (const FixRow& one : rows) out.try_emplace(check::row(one.rule).id, &one);
    return out;
  }();
  const auto found = kFixes.find(rule);
  return found == kFixes.end() ? nullptr : found->second;
}

std::string placeKey(std::string_view rule, std::string_view member, std::string_view pointer) {
  std::string out(rule);
  out += '\0';
  out += member;
  out += '\0';
  return out += pointer;
}

} // namespace

FixContext::FixContext(const Model& model, const FileFacts& facts, const std::vector<check::Issue>& issues,
                       Monitor& monitor)
    : m_model(model), m_facts(facts), m_monitor(monitor), m_metadata(model.find("metadata.json")),
      m_memo(std::make_shared<GraphMemo>()) {
  for (const check::Issue& issue : issues) {
    m_rules.insert(issue.rule);
    m_places.insert(placeKey(issue.rule, issue.place.member, issue.place.pointer));
  }
  for (std::string_view rest = model.container.inner; !rest.empty();) {
    const std::string_view step = rest.substr(0, rest.find('!'));
    m_around.emplace_back(step);
    rest.remove_prefix(std::min(step.size() + 1, rest.size()));
  }
  for (const TarEntry& entry : model.container.entries) ++m_copies[entry.stored];
}

const json::Value* FixContext::inMetadata(std::string_view pointer) const {
  return m_model.metadata ? valueAt(m_model.metadata->root, pointer) : nullptr;
}

bool FixContext::hasIssue(std::string_view rule, std::string_view member, std::string_view pointer) const {
  return m_places.contains(placeKey(rule, member, pointer));
}
bool FixContext::hasIssue(std::string_view rule) const { return m_rules.contains(std::string(rule)); }

const ModuleFacts* FixContext::moduleAt(std::string_view pointer) const {
  for (const ModuleFacts& facts : m_facts.modules) {
    const std::string& start = facts.module->pointer;
    if (pointer.starts_with(start) && (pointer.size() == start.size() || pointer[start.size()] == '/')) return &facts;
  }
  return nullptr;
}

const ModuleFacts* FixContext::moduleOf(std::string_view path) const {
  for (const ModuleFacts& facts : m_facts.modules)
    for (const File* const file : {facts.module->graph, facts.module->parameters, facts.module->header})
      if (file && file->path == path) return &facts;
  return nullptr;
}

edit::Target FixContext::memberTarget(std::string_view stored) const {
  const auto copies = m_copies.find(stored);
  std::string name(stored);
  if (copies != m_copies.end() && copies->second > 1) name += "-" + std::to_string(copies->second);
  edit::Target target{Ref::named(Ref::Kind::Member, name), {}};
  target.ref.members = m_around;
  return target;
}

edit::Target FixContext::archiveTarget() const {
  edit::Target target;
  target.ref.members = m_around;
  return target;
}

bool hasFixes(std::string_view rule) { return fixRow(rule) != nullptr; }

bool isFixOfPlace(std::string_view rule) {
  const FixRow* const row = fixRow(rule);
  return row && row->ofPlace;
}

std::optional<Fix> fixOf(const FixContext& context, const check::Issue& issue) {
  const Container& container = context.model().container;
  if (container.damage || !container.exceeded.empty() || container.kind == ArchiveKind::NotTar) return std::nullopt;
  const FixRow* const row = fixRow(issue.rule);
  return row ? row->make(context, issue) : std::nullopt;
}

} // namespace blobscope::mlf
