#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <string_view>

namespace blobscope::container {

/// Whether the file begins like a program for DOS or Windows. In many files the PE signature is after `head`, so only
/// readPe() can be certain.
bool looksLikePe(std::string_view head);

/// Reads PE images (.dll, .exe) of 32 and 64 bit: sections, what the loader maps, exports and imports, and the COFF
/// symbol table if the file still has one. Addresses are those of the preferred image base.
///
/// Exports are defined symbols. They have no type: in an executable section they are treated as functions, except for
/// the names of carriers. An export without a name is called "#7" after its ordinal; a forwarder is an undefined symbol
/// of type Other. Imports are undefined symbols of type None. The certificate and the debug directory are sections
/// "(certificate)" and "(debug)" after those of the file, not allocated.
///
/// FILE-HEADER when there is no PE signature or no optional header; every other damage is a diagnostic of the image
/// (FILE-TABLE, FILE-PART, FILE-NAMES, FILE-LIMIT). BLOB-CARRIER-TYPE when a carrier is a forwarder. Cancelled.
///
/// Source: "PE Format", learn.microsoft.com/windows/win32/debug/pe-format; delay imports also delayimp.h.
Result<Image> readPe(const Bytes& file, Monitor& monitor);

} // namespace blobscope::container
