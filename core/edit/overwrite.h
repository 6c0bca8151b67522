#pragma once

#include "core/base/extent.h"
#include "core/base/field_tree.h"
#include "core/edit/apply.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

/// Overwritten bytes: an edit::Replace whose target has an offset. It changes bytes of a module's payload and keeps
/// their number. Bytes outside of payloads are not changed: a repack writes the structure of the blob itself and keeps
/// everything outside of the blob.
namespace blobscope::edit {

/// The most bytes that one edit of a typed change may have; a longer run becomes several edits.
inline constexpr uint64_t kOverwriteMerged = 4'096;

/// Bytes of a module's payload.
struct PayloadBytes {
  Ref module;
  Extent bytes; ///< from the start of the payload
};
/// Returns the `size` bytes at a ref with an offset, which names a module or the file (member). Errors: REF-NOT-FOUND;
/// REP-TARGET with the reason when no payload contains them or when the payload is not stored in one piece.
Result<PayloadBytes> findPayloadBytes(const library::Package& package, const Ref& ref, uint64_t size);

/// Calls `visit` for each row without rows below it that contains some of the bytes, in order, with the bytes of its
/// content: without a length word.
void forEachLeaf(const FieldTree& tree, Extent bytes, const std::function<void(uint32_t row, Extent content)>& visit);

/// Returns why the bytes cannot be overwritten: one of them is part of a length or a count, which decides where the
/// fields after it are. Nothing when they can.
std::optional<std::string> whyNotOverwritten(const FieldTree& tree, Extent bytes);

/// Returns the edit that overwrites bytes of a module of the preview: `offset` counts from the start of the payload as
/// shown. REP-TARGET when these bytes do not exist in the file as opened or an edit has moved them out of their field.
Result<Replace> overwriteShown(const library::PackagePtr& opened, const library::PackagePtr& preview,
                               const Applied& applied, std::span<const Edit> edits, const Ref& module, uint64_t offset,
                               const Bytes& content);

/// Joins two edits that overwrite bytes of the same module that overlap or are neighbours, where `later` decides.
/// Nothing when they do not, or when the result has more than kOverwriteMerged bytes.
std::optional<Replace> joinOverwrites(const Replace& earlier, const Replace& later);

/// Makes the offsets of overwritten bytes count from the start of the payload, and back: writing a file may move
/// modules. Edits whose module is not there, or not in one piece, are removed.
void toPayloadOffsets(const library::Package& package, std::vector<Edit>& edits);
void toFileOffsets(const library::Package& package, std::vector<Edit>& edits);

/// Returns the first bytes as text: "78 79", at most eight.
std::string shortHex(const Bytes& bytes);

/// Whether the edit overwrites bytes.
inline bool isOverwrite(const Replace& edit) { return edit.target.ref.at.has_value(); }

} // namespace blobscope::edit
