#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <string_view>

namespace blobscope::container {

/// Whether the file begins with the ELF magic.
bool looksLikeElf(std::string_view head);

/// Reads ELF of 32 and 64 bit in both byte orders: sections, loadable segments, the dynamic symbol table as the loader
/// finds it (PT_DYNAMIC → DT_SYMTAB, DT_STRTAB, DT_HASH or DT_GNU_HASH, so also without section headers), and .symtab.
/// FILE-HEADER when the ELF header cannot be used; every other damage is a diagnostic of the image.
Result<Image> readElf(const Bytes& file, Monitor& monitor);

} // namespace blobscope::container
