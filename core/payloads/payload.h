#pragma once

#include "core/base/bytes.h"
#include "core/view/page.h"

#include <string>
#include <string_view>
#include <vector>

namespace blobscope::payloads {

/// One format of code or data that is met inside modules, told by its content, never by what a module declares.
struct PayloadFormat {
  std::string_view content; ///< the word of sniff()
  /// Adds what can be shown of the bytes besides the bytes themselves. Damaged bytes give the pages of what could be
  /// read and one that says where reading stopped.
  void (*pages)(const Bytes& bytes, view::PageList& list);
  /// A few words that say more than the format's own: {"fatbin", "cubin sm_89"}. Null: the format's word alone.
  std::vector<std::string> (*words)(const Bytes& bytes) = nullptr;
};

/// Adds the pages of bytes whose format is known: code that is text as "Source", other
/// text as "Text", of the rest what its folder tells. `language` of code whose content does not tell it, empty for what
/// is no code.
void addPayloadPages(const Bytes& bytes, std::string_view language, view::PageList& list);

/// What the bytes are, in a few words; empty when nothing is recognised.
std::vector<std::string> contentWords(const Bytes& bytes);

} // namespace blobscope::payloads
