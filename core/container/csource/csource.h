#pragma once

#include "core/container/carrier.h"
#include "core/container/container.h"

namespace blobscope::container {

/// Whether the text is C source for TVM: a line "// tvm target: …" or "// tilelang target: …" at the beginning, an
/// array named like a carrier, a function with TVM_DLL in front, or the definition of a function `__tvm_ffi_NAME`. The
/// name of the file does not matter. Cancelled: a file may be gigabytes of text.
Result<bool> looksLikeCSource(std::string_view text, Monitor& monitor);
/// The functions that the text defines for TVM, as symbols without a section or address. Source: core/formats/blob.md
/// 2.3 (apache/tvm src/target/source/codegen_c_host.cc, src/target/codegen.cc PackImportsToC); tilelang 0.1.15
/// src/backend/common/codegen/codegen_c_host.cc, CodeGenCHost::Init and PrintFuncPrefix.
Result<Image> readCSource(const Bytes& file, Monitor& monitor);
/// The arrays named like carriers; their items as bytes, on the heap. An array that is not a list of bytes is reported.
/// The items are charged to `budget` (FILE-LIMIT). An array inside the items of another one is not a carrier.
Result<std::vector<Carrier>> findSourceCarriers(const Image& image, const BudgetPtr& budget,
                                                std::vector<Diagnostic>& diagnostics, Monitor& monitor);

} // namespace blobscope::container
