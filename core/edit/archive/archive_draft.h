#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/edit/archive/json_text.h"
#include "core/edit/edit.h"
#include "core/library/package.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::edit {

/// A member of an archive after edits.
struct EditedMember {
  std::optional<std::size_t> origin; ///< index in Package::members; nothing for an added member
  std::string path;                  ///< as stored
  bool renamed = false;
  std::optional<Bytes> content; ///< the new content; nothing when it stays as opened
};

/// An archive after edits of its members. Edits inside its members, of modules and tensors, are not listed here.
struct EditedArchive {
  library::PackagePtr package;       ///< as opened
  std::vector<EditedMember> members; ///< all that remain, in the order in which they are stored
  std::vector<std::size_t> removed;  ///< indexes in Package::members, ascending
  bool uncompressed = false;         ///< SetArchive::Form
  bool endMarker = false;
  bool canonical = false;
  bool modes = false;
  bool owners = false;
};

/// Collects the edits of the members of one archive. The archive as opened does not change.
class ArchiveDraft {
public:
  /// `package` is an archive.
  explicit ArchiveDraft(library::PackagePtr package);
  const library::PackagePtr& package() const { return m_package; }

  // The refs name a member: Ref::Kind::Member. Errors of all: REF-NOT-FOUND; REP-TARGET when the member is no file;
  // REP-PATH for a path that cannot be used.
  Result<Done> replace(const Ref& ref, Bytes content);
  Result<Done> add(const Ref& ref, const std::optional<std::string>& after, Bytes content);
  Result<Done> remove(const Ref& ref);
  Result<Done> rename(const Ref& ref, const std::string& path);
  /// Errors: those of setJson().
  Result<Done> setJson(const Ref& ref, const std::string& pointer, const std::optional<json::Value>& value);
  /// Error: REP-ARCHIVE when the archive is not a tar.
  Result<Done> setForm(const Ref& ref, SetArchive::Form form);

  /// Returns the new content that edits give a member so far; nothing when it stays as opened. Error: REF-NOT-FOUND.
  Result<std::optional<Bytes>> newContent(const Ref& ref);

  /// Error: only Cancelled.
  Result<EditedArchive> finish(Monitor& monitor);

private:
  struct Item {
    EditedMember member;
    bool removed = false;
    std::string plain;             ///< the path, normalised
    std::optional<JsonDraft> json; ///< edits of its text that `member` does not have yet
  };
  /// Writes what setJson() changed to the content.
  static void takeJson(Item& item);
  const library::PackageMember* openedOf(const Item& item) const;
  /// Returns the index in m_items.
  Result<std::size_t> find(const Ref& ref) const;
  /// The same for a regular file. `what`: what cannot be done with anything else.
  Result<std::size_t> findFile(const Ref& ref, const std::string& what) const;
  /// Returns the path as the archive stores it. `self`: the item that gets the path, which may have it already.
  Result<std::string> storedPath(const std::string& path, std::optional<std::size_t> self) const;
  std::size_t placeFor(const std::string& path) const;

  library::PackagePtr m_package;
  std::vector<Item> m_items;
  bool m_dotted = false; ///< stored paths begin with "./"
  bool m_uncompressed = false, m_endMarker = false, m_lastCopies = false, m_canonical = false, m_modes = false,
       m_owners = false;
};

/// Returns the ref of a member as a member: "a.tar!" and "member:a.tar" name the same one. Nothing for other refs.
std::optional<Ref> asMember(const Ref& ref);

} // namespace blobscope::edit
