#pragma once

#include "core/base/bytes.h"
#include "core/view/page.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::payloads {

/// A format of code or data inside modules, recognised by its content, never by what a module declares.
struct PayloadFormat {
  std::string_view content; ///< the word of sniff()
  /// Adds the pages for the bytes, except the bytes themselves. For damaged bytes it adds the pages of everything that
  /// could be read and one that says where reading stopped.
  void (*pages)(const Bytes& bytes, view::PageList& list);
  /// A few words that are more precise than the format's own: {"fatbin", "cubin sm_89"}. Null: the format's word alone.
  std::vector<std::string> (*words)(const Bytes& bytes) = nullptr;
};

/// The one table of formats.
std::span<const PayloadFormat* const> payloadFormats();

/// Adds the pages of bytes with a known format: code that is text as "Source", other text as "Text", the pages of its
/// PayloadFormat for everything else. `language` of code whose content does not show it, empty for other content.
void addPayloadPages(const Bytes& bytes, std::string_view language, view::PageList& list);

/// A few words for the content of the bytes; empty when it is not recognised.
std::vector<std::string> contentWords(const Bytes& bytes);

} // namespace blobscope::payloads
