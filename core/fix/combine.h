#pragma once

#include "core/mlf/fixes/fix.h"

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace blobscope::fix {

/// Collects fixes that were computed from the same state of an archive, as long as none of them touches what another
/// one changes.
class Batch {
public:
  /// Returns false, and takes nothing of the fix, if it does not go together with those that are in the batch.
  bool add(const mlf::Fix& fix);
  bool isEmpty() const { return m_edits.empty() && m_patches.empty(); }
  /// Returns the edits in an order in which no edit moves the place of a later one.
  std::vector<edit::Edit> take(const mlf::FixContext& context);

private:
  std::vector<edit::Edit> m_edits;
  std::vector<mlf::Patch> m_patches;
};

/// A list of edits that grows by the edits of each round. Each round sees the archive as the earlier ones leave it, but
/// all edits of a list name the archive as opened.
class EditsInRounds {
public:
  /// `pending`: edits that were there before the first round; they are not changed.
  explicit EditsInRounds(std::span<const edit::Edit> pending);

  /// Appends the edits of a round in terms of the archive as opened. Edits that cannot be expressed so, such as a
  /// second new name for a pending rename, are left out.
  void append(std::vector<edit::Edit> round);
  /// Of several members with the path `stored`, only the last one is left, which was called `name` when the file was
  /// opened.
  void keepOnly(const std::string& stored, const std::string& name) { m_names[stored] = name; }
  /// Returns all edits, those that were pending first.
  const std::vector<edit::Edit>& all() const { return m_edits; }
  /// Returns the edits of all rounds.
  std::vector<edit::Edit> added() const {
    return {m_edits.begin() + static_cast<std::ptrdiff_t>(m_pending), m_edits.end()};
  }

private:
  void appendOne(edit::Edit edit);
  std::string originalName(const std::string& name) const;

  std::vector<edit::Edit> m_edits;
  std::size_t m_pending;
  std::unordered_map<std::string, std::string> m_names; ///< name now → name in the file as opened
};

} // namespace blobscope::fix
