#pragma once

#include "core/base/field_tree.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/edit/edit.h"
#include "core/edit/splicer.h"
#include "core/edit/tensor_draft.h"
#include "core/library/package.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace blobscope::edit {

/// The bytes of a payload that a ref names.
struct Place {
  Extent bytes;                                   ///< in the payload as opened
  std::optional<uint32_t> row;                    ///< row of the field tree
  std::shared_ptr<const payloads::Tensor> tensor; ///< the tensor whose data the bytes are
};

/// A listed kernel that a call may not find.
struct KernelProblem {
  std::string kernel;
  std::string_view problem; ///< ends the sentence of REP-KERNEL-CODE
};

/// Collects the edits of one module. The payload as opened does not change; finish() builds one new payload from all
/// edits.
class ModuleDraft {
public:
  /// `opened`: null for an added module. `context`: of the stream.
  ModuleDraft(std::string name, Bytes key, Bytes payload, modules::BodyPtr body, WireContext context);

  const std::string& name() const { return m_name; }
  const Bytes& key() const { return m_key; }
  void rename(Bytes key) { m_key = std::move(key); }
  /// The field tree of the payload as opened.
  const FieldTree& tree() const { return *m_tree; }
  /// Returns the list items that the removal of a kernel or function removes; none when no kernel or function has that
  /// name.
  std::vector<uint32_t> rowsOf(const Ref::Part& part) const;
  /// Whether there are edits of this module.
  bool edited() const { return m_replaced || !m_splicer->empty() || !m_tensors.empty() || isRenamed(); }

  /// Replaces the whole payload. A payload that does not decode is REP-UNDECODED, or a warning with `force`.
  void replacePayload(Bytes payload) { m_replaced = std::move(payload); }
  Result<Done> replacePart(const Ref::Part& part, const Ref& ref, Bytes content, Monitor& monitor);
  /// Overwrites bytes of the payload, as many as `content` has. Errors: REP-TARGET, REP-JSON.
  Result<Done> overwrite(uint64_t offset, const Ref& ref, const Bytes& content);
  Result<Done> addPart(const Ref::Part& part, const Ref& ref, const std::optional<Bytes>& content,
                       const json::Value& info);
  Result<Done> removePart(const Ref::Part& part, const Ref& ref);
  Result<Done> renamePart(const Ref::Part& part, const Ref& ref, std::string_view name);
  Result<Done> setField(std::string_view path, const Ref& ref, const json::Value& value);
  /// Sets a value of a tensor. REP-TARGET for a part that is not a tensor and for an index outside its shape, REP-VALUE
  /// for a value that its type does not have.
  Result<Done> setValue(const Ref::Part& part, const Ref& ref, std::span<const uint64_t> index, std::string_view value,
                        Monitor& monitor);
  /// Returns REP-ENUM when no release of TVM accepts the value, or a value in the `info` of a new kernel.
  std::optional<Error> unreadField(std::string_view path, const Ref& ref, const json::Value& value) const;
  /// The same for a field whose bytes overwrite() changes.
  std::optional<Error> unreadBytes(uint64_t offset, const Ref& ref, const Bytes& content) const;
  std::optional<Error> unreadInfo(const Ref& ref, const json::Value& info) const;

  /// Payload and body after all edits. Errors of finish(): REP-CONFLICT, REP-LAYOUT; `whyUndecoded` is REP-UNDECODED.
  struct Outcome {
    Bytes payload;
    modules::BodyPtr body; ///< null when the payload fits no layout of the kind, or the kind is not known
    std::optional<Error> whyUndecoded;
    bool changed = false;
  };
  /// Also renames the kernels in the code that they share, where no other edit changes that code.
  Result<Outcome> finish();
  /// Returns the names of listed kernels that the code in `after` does not define because of the edits, and of those
  /// that were renamed in code that cannot be checked. `before`: the module as opened; null for an added one.
  std::vector<KernelProblem> kernelsLosingCode(const modules::Body* before, const modules::Body& after,
                                               Monitor& monitor) const;
  /// Returns the names that more than one kernel has.
  static std::vector<std::string> repeatedKernels(const modules::Body& body);

private:
  /// Error: REF-NOT-FOUND.
  Result<modules::NamedRows> findNamed(const Ref::Part& part, const Ref& ref) const;
  Result<Place> findPlace(const Ref::Part& part, const Ref& ref, Monitor& monitor) const;
  Result<Done> replaceEntry(std::size_t number, const Ref& ref, const std::optional<Bytes>& image);
  Result<Done> addEntry(const Ref& ref, const Bytes& image);
  Result<Done> addKernel(std::string_view name, const Ref& ref, const std::optional<Bytes>& code,
                         const json::Value& info);
  Result<Bytes> infoBytes(std::string_view name, const Ref& ref, const json::Value& info) const;
  /// Returns the extent of `part` in the payload; nothing when it is not in the payload (it was unpacked).
  std::optional<Extent> extentOf(const Bytes& part) const;
  /// Adds the changes of values to the splicer.
  Result<Done> spliceValues();
  /// Adds the changes of names in the code that kernels share.
  Result<Done> renameInCode();
  /// Whether an edit changes the code that all kernels share.
  bool changesCode() const;
  std::string label(const Ref& ref) const { return ref.toString(); }
  bool isRenamed() const { return !(m_key == m_openedKey); }

  std::string m_name;
  Bytes m_key, m_openedKey, m_payload;
  modules::BodyPtr m_body;
  WireContext m_context;
  std::unique_ptr<const FieldTree> m_tree; ///< of the payload as opened
  std::unique_ptr<Splicer> m_splicer;
  modules::KernelRenames m_renames; ///< only names that differ
  std::optional<Bytes> m_replaced;
  /// A tensor with new values.
  struct EditedTensor {
    Place place;
    TensorDraft values;
    std::string label;
  };
  TensorDraft& tensorAt(const Ref::Part& part, Place place, std::string label);
  std::map<std::pair<PartKind, std::string>, EditedTensor> m_tensors;
};

/// Returns the error REP-TARGET.
Error cannotEdit(const Ref& ref, std::string reason);

} // namespace blobscope::edit
