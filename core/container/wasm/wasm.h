#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/carrier.h"
#include "core/container/image.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace blobscope::container {

/// Whether the bytes begin with "\0asm".
bool looksLikeWasm(std::string_view head);

/// Reads a WebAssembly module. Sources: WebAssembly core specification 3.0, binary format; tool conventions Linking.md
/// and DynamicLinking.md (the `linking`, `name` and `dylink.0` custom sections); llvm/llvm-project 19
/// lib/Object/WasmObjectFile.cpp.
///
/// Sections: one per section of the file, without its id and size words (a custom one without its name). An object
/// (kind Object: there is a `linking` section) has one more per data segment, of type "segment". Symbols of an object:
/// its symbol table; the values of data and functions count from the section that they name, which is the segment or
/// `code`. Symbols of a linked module (kind Module): exports, imports, and the globals with a name GOT.data.internal.X
/// in the `name` section. Data has its address in linear memory. Functions have the offset of their body in the file,
/// which is not an address in memory and therefore `absolute`. Segments: the active ones with a constant address.
/// FILE-HEADER when the magic or the version is not that of a module (components are not read); lesser damage is in
/// Image::diagnostics, and everything that can be read is returned. Cancelled.
Result<Image> readWasm(const Bytes& file, Monitor& monitor);

/// A contiguous part of linear memory as it is when the module starts.
struct WasmMemory {
  enum class Place {
    Address, ///< `base` is an address
    Global,  ///< `base` counts from a global that the loader sets (position-independent modules)
    Unknown  ///< passive segments, or those of a second memory: `base` is 0 and means nothing
  };
  uint64_t base = 0;
  Place place = Place::Address;
  uint32_t global = 0; ///< for Place::Global
  Bytes bytes;         ///< a slice of the file when it is one unchanged segment, else on the heap, without offset
};

/// Rebuilds linear memory: the active segments, copied in their order over zeros. Linkers omit runs of zeros, so a few
/// segments can make a large memory. Above 1 GiB, or what `budget` has left, the diagnostics say so (FILE-LIMIT) and
/// each segment is returned separately, like the passive ones. Empty parts are omitted. Error: Cancelled, and
/// FILE-HEADER when it is not a module.
Result<std::vector<WasmMemory>> rebuildMemory(const Bytes& file, const BudgetPtr& budget, Monitor& monitor,
                                              std::vector<Diagnostic>& diagnostics);

/// All carriers of a WebAssembly image. Linked modules have lost the symbol's name, so four ways are tried, in the
/// order of core/formats/blob.md 2.6: a global with the address, the registration call of a system library, the import
/// tree at the end of a stream of v0.7 – v0.21, and a stream of v0.22 or later. The results of the first two are
/// joined; the next way is tried only when nothing was found. Results of the last two must pass `decodes`; when the
/// name is lost, their symbol gets the spelling of their generation. Carrier::available: from the blob's header to the
/// end of its segment when one unchanged segment contains the blob, else to the end of the rebuilt memory. When zeros
/// at the end of memory were omitted, as many as the header needs are added, up to 1 MiB and to the size that the
/// memory section declares. Objects: findCarriers(). Cancelled.
Result<std::vector<Carrier>> findWasmCarriers(const Image& image, std::vector<Diagnostic>& diagnostics,
                                              const IsBlob& decodes, const BudgetPtr& budget, Monitor& monitor);

} // namespace blobscope::container
