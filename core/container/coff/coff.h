#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <string>
#include <string_view>

namespace blobscope::container {

/// Whether the file begins with the header of a COFF object for a known machine, of a /bigobj object or of a member of
/// an import library. COFF has no magic, so sizes, offsets and the name of the first section must be plausible too.
bool looksLikeCoff(std::string_view head);

/// Reads COFF objects (.obj, .o), those of /bigobj included: sections and symbols. A member of an import library is an
/// image without sections and with one undefined symbol.
/// FILE-HEADER when the header cannot be used; every other damage is a diagnostic of the image (FILE-PART, FILE-NAMES,
/// FILE-LIMIT). Cancelled.
///
/// Source: "PE Format", learn.microsoft.com/windows/win32/debug/pe-format, sections "COFF File Header" and "Import
/// Library Format"; /bigobj: winnt.h, ANON_OBJECT_HEADER_BIGOBJ.
Result<Image> readCoff(const Bytes& file, Monitor& monitor);

/// Describes a member of an import library: "imports 'name' from 'library.dll'". The ordinal follows when the library
/// exports no name, or the library's own name when it differs. Empty when `member` is not such a member.
std::string importText(std::string_view member);

} // namespace blobscope::container
