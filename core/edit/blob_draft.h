#pragma once

#include "core/edit/apply.h"
#include "core/edit/module_draft.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::edit {

/// Returns the refusal as an error, or, with `force`, adds it to `warnings` as REP-FORCED.
Result<Done> refuse(Error error, bool force, std::vector<Diagnostic>& warnings);

/// Collects the edits of one blob.
class BlobDraft {
public:
  BlobDraft(library::PackagePtr package, std::size_t index);

  const library::Blob& opened() const { return *m_package->blobs[m_index]; }
  /// Whether refs with these members and this prefix name this blob.
  bool matches(const Ref& ref) const;

  void replaceAll(Bytes blob) { m_whole = std::move(blob); }
  /// Returns the module that a target names. Error: REF-NOT-FOUND.
  Result<ModuleDraft*> module(const Target& target);
  Result<Done> addModule(const AddModule& edit, Bytes payload);
  Result<Done> removeModule(const Target& target);
  Result<Done> renameModule(const Target& target, std::string_view key);
  Result<Done> relink(const Target& target, const std::vector<std::string>& imports);
  bool hasAdded(std::string_view id) const;

  /// Returns the blob with all edits. Refusals are errors or, with `force`, go to `warnings`.
  Result<EditedBlob> finish(bool force, std::vector<Diagnostic>& warnings, Monitor& monitor);

private:
  struct Entry {
    std::unique_ptr<ModuleDraft> draft;
    const library::Record* stored = nullptr; ///< null for an added module
    std::vector<std::size_t> imports;        ///< numbers of entries
    bool removed = false;
  };
  Result<std::size_t> find(const Target& target) const;
  Result<std::size_t> find(std::string_view name, const Ref& place) const;
  /// Returns the module that an edit names as parent or import: a ref or an id.
  Result<std::size_t> findNamed(std::string_view name, const Ref& place) const;
  /// The payloads of all remaining modules, in the order of the new stream.
  struct Payloads {
    std::vector<EditedModule> modules;
    std::vector<library::RecordBytes> records;
    std::vector<uint64_t> numbers;     ///< index in `modules`, by entry
    std::optional<std::size_t> opaque; ///< entry of a changed module whose end only its layout could determine
  };
  Result<Payloads> finishModules(bool force, std::vector<Diagnostic>& warnings, Monitor& monitor) const;
  Result<Done> finishModule(std::size_t number, bool force, std::vector<Diagnostic>& warnings, Payloads& out,
                            Monitor& monitor) const;
  /// Checks that the new classic stream, whose records have no length, is read as the modules that were written.
  Result<Done> checkEnds(const EditedBlob& edited, std::size_t opaque, bool force, std::vector<Diagnostic>& warnings,
                         Monitor& monitor) const;
  /// Checks for trees that loaders cannot use.
  Result<Done> checkTree(bool force, std::vector<Diagnostic>& warnings) const;
  std::vector<std::size_t> findCycle() const;
  std::string nameOf(std::size_t entry) const { return m_entries[entry].draft->name(); }

  library::PackagePtr m_package;
  std::size_t m_index;
  std::vector<Entry> m_entries; ///< as opened, then added ones
  std::optional<Bytes> m_whole;
  bool m_treeChanged = false;
};

} // namespace blobscope::edit
