#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::container {

/// Whether bytes are a whole blob: header and a stream that decodes to its end. Passed in as a function, because the
/// code that decodes blobs is in a higher layer.
using IsBlob = std::function<bool(const Bytes& bytes)>;

/// The three spellings of the symbol that labels a blob. Source: core/formats/blob.md 2.1 (apache/tvm
/// c89cd59a87, b40b6fa52d, e1700e1a22).
enum class CarrierName { DevMblob, FfiLibraryBin, FfiLibraryBin2 };
/// "__tvm_dev_mblob", "__tvm_ffi_library_bin", "__tvm_ffi__library_bin".
std::string_view carrierText(CarrierName name);

/// A symbol that labels a blob.
struct Carrier {
  CarrierName name = CarrierName::DevMblob;
  std::string prefix; ///< of a system library, usually empty; any bytes
  std::string symbol; ///< as stored
  uint64_t address = 0;
  Bytes available;                    ///< from the symbol to the end of the section that contains it
  std::optional<uint64_t> symbolSize; ///< when the format has one
  std::string section;                ///< for messages, empty when no section contains it
};

struct CarrierMatch {
  CarrierName name;
  std::string_view prefix;
};
/// The carrier whose name is a suffix of `symbol`; the rest of the symbol is the prefix.
std::optional<CarrierMatch> matchCarrier(std::string_view symbol);
/// Whether a symbol whose name ends like a carrier's is a function of that name instead: `__tvm_ffi_library_bin` is the
/// function `library_bin` when it is code. Only the exact name `__tvm_ffi__library_bin` is read as a blob in any case.
/// Source: seen with 0.27, whose runtime calls the function; apache/tvm-ffi v0.1.15 src/ffi/extra/library_module.cc.
bool isFunctionName(SymbolType type, std::string_view symbol);

/// All carriers of an image, in the order of the symbol table, each address once. A symbol with the name of a carrier
/// that cannot contain a blob (a function, or a symbol without bytes in the file) is reported in `diagnostics`.
/// Cancelled.
Result<std::vector<Carrier>> findCarriers(const Image& image, std::vector<Diagnostic>& diagnostics, Monitor& monitor);

} // namespace blobscope::container
