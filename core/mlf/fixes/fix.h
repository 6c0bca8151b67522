#pragma once

#include "core/check/report.h"
#include "core/edit/edit.h"
#include "core/mlf/file_facts.h"
#include "core/mlf/model.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

/// Quick fixes: edits that mend findings. A fix exists only where the archive itself determines what is right; code,
/// data and names are never invented. Source: core/formats/model-library-format.md 14.
namespace blobscope::mlf {

/// Bytes of a member that a fix replaces, in terms of the archive as it was checked.
struct Patch {
  const File* file = nullptr;
  uint64_t offset = 0, size = 0; ///< from the start of the member
  std::string bytes;
};

/// What mends a finding.
struct Fix {
  std::vector<edit::Edit> edits;
  std::vector<Patch> patches; ///< of several fixes, those of one member become one edit
  std::string sentence;       ///< "Set modules.net.memory.sids[3].size_bytes to 1024"
};

struct GraphMemo;

/// What fixes are computed from: an archive with its findings. Refers to all arguments.
class FixContext {
public:
  /// `issues`: all findings of the archive, without the path of an archive around it.
  FixContext(const Model& model, const FileFacts& facts, const std::vector<check::Issue>& issues, Monitor& monitor);

  const Model& model() const { return m_model; }
  const FileFacts& facts() const { return m_facts; }
  Monitor& monitor() const { return m_monitor; }
  const File* metadata() const { return m_metadata; }
  /// Returns the value in metadata.json, or null.
  const json::Value* inMetadata(std::string_view pointer) const;
  /// Returns whether there is a finding of that rule with that JSON pointer in the same file.
  bool hasIssue(std::string_view rule, std::string_view member, std::string_view pointer) const;
  bool hasIssue(std::string_view rule) const;
  /// Returns the module to which a pointer in the metadata belongs; null if there is none or it was not read.
  const ModuleFacts* moduleAt(std::string_view pointer) const;
  /// Returns the module with that graph, parameter or header file.
  const ModuleFacts* moduleOf(std::string_view path) const;
  /// Returns the target of edits of a member: the last one with that stored path.
  edit::Target memberTarget(std::string_view stored) const;
  /// Returns the target of edits of the archive itself.
  edit::Target archiveTarget() const;
  /// What fixes computed of whole graphs, for the fixes of other findings.
  GraphMemo& memo() const { return *m_memo; }

private:
  const Model& m_model;
  const FileFacts& m_facts;
  Monitor& m_monitor;
  const File* m_metadata;
  std::vector<std::string> m_around;                          ///< members around the archive
  std::unordered_map<std::string_view, std::size_t> m_copies; ///< number of members by stored path
  std::unordered_set<std::string> m_rules;                    ///< of the findings
  std::unordered_set<std::string> m_places;                   ///< rule, member and pointer of each finding
  std::shared_ptr<GraphMemo> m_memo;
};

/// Whether some findings of the rule have a fix.
bool hasFixes(std::string_view rule);
/// Whether findings of the rule at one place have the same fix, so that one of them needs to be asked for it.
bool isFixOfPlace(std::string_view rule);
/// Returns what mends the finding; nothing if the archive does not determine it. Archives that are damaged or too large
/// to be read whole have no fixes.
std::optional<Fix> fixOf(const FixContext& context, const check::Issue& issue);

} // namespace blobscope::mlf
