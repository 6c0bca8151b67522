#pragma once

#include "core/base/field_tree.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/edit/edit.h"
#include "core/edit/splicer.h"
#include "core/library/package.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::edit {

/// What an edit meets in a module: bytes of a payload, found by a ref.
struct Place {
  Extent bytes;                                   ///< in the payload as opened
  std::optional<uint32_t> row;                    ///< of the field tree
  std::shared_ptr<const payloads::Tensor> tensor; ///< whose data the bytes are
};

/// A module while edits are collected for it. The payload as opened stays; changes become one new payload at the end.
class ModuleDraft {
public:
  /// `opened`: null for an added module. `context`: of the stream.
  ModuleDraft(std::string name, Bytes key, Bytes payload, modules::BodyPtr body, WireContext context);

  const std::string& name() const { return m_name; }
  const Bytes& key() const { return m_key; }
  void rename(Bytes key) { m_key = std::move(key); }
  /// Of the payload as opened.
  const FieldTree& tree() const { return *m_tree; }
  /// The items of lists that go when a kernel or function is removed; none when there is none of that name.
  std::vector<uint32_t> rowsOf(const Ref::Part& part) const;
  /// Whether any edit was meant for it.
  bool edited() const { return m_replaced || !m_splicer->empty() || isRenamed(); }

  /// All of the payload. What does not decode is REP-UNDECODED, told in `warnings` when `force`.
  void replacePayload(Bytes payload) { m_replaced = std::move(payload); }
  Result<Done> replacePart(const Ref::Part& part, const Ref& ref, Bytes content, Monitor& monitor);
  Result<Done> addPart(const Ref::Part& part, const Ref& ref, const std::optional<Bytes>& content,
                       const json::Value& info);
  Result<Done> removePart(const Ref::Part& part, const Ref& ref);
  Result<Done> renamePart(const Ref::Part& part, const Ref& ref, std::string_view name);
  Result<Done> setField(std::string_view path, const Ref& ref, const json::Value& value);
  /// REP-ENUM when the value, or one of a new kernel's `info`, is none that a release of TVM reads.
  std::optional<Error> unreadField(std::string_view path, const Ref& ref, const json::Value& value) const;
  std::optional<Error> unreadInfo(const Ref& ref, const json::Value& info) const;

  /// Payload and body after all edits. REP-CONFLICT, REP-LAYOUT; REP-UNDECODED.
  struct Outcome {
    Bytes payload;
    modules::BodyPtr body; ///< null when the payload fits no layout of the kind, or the kind is not known
    std::optional<Error> whyUndecoded;
    bool changed = false;
  };
  Result<Outcome> finish() const;
  /// Names of kernels that the payload lists and has no code for, though it has code for others.
  static std::vector<std::string> kernelsWithoutCode(const modules::Body& body);
  /// Names that more than one kernel has.
  static std::vector<std::string> repeatedKernels(const modules::Body& body);

private:
  /// REF-NOT-FOUND.
  Result<modules::NamedRows> findNamed(const Ref::Part& part, const Ref& ref) const;
  Result<Place> findPlace(const Ref::Part& part, const Ref& ref, Monitor& monitor) const;
  Result<Done> replaceEntry(std::size_t number, const Ref& ref, const std::optional<Bytes>& image);
  Result<Done> addEntry(const Ref& ref, const Bytes& image);
  Result<Done> addKernel(std::string_view name, const Ref& ref, const std::optional<Bytes>& code,
                         const json::Value& info);
  Result<Bytes> infoBytes(std::string_view name, const Ref& ref, const json::Value& info) const;
  /// Where `part` of the payload lies, nothing when it lies elsewhere (it was unpacked).
  std::optional<Extent> extentOf(const Bytes& part) const;
  std::string label(const Ref& ref) const { return ref.toString(); }
  bool isRenamed() const { return !(m_key == m_openedKey); }

  std::string m_name;
  Bytes m_key, m_openedKey, m_payload;
  modules::BodyPtr m_body;
  WireContext m_context;
  std::unique_ptr<const FieldTree> m_tree; ///< of the payload as opened
  std::unique_ptr<Splicer> m_splicer;
  std::optional<Bytes> m_replaced;
};

/// REP-TARGET.
Error cannotEdit(const Ref& ref, std::string reason);

} // namespace blobscope::edit
