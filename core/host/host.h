#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The host functions and other symbols of a library that matter to TVM, found by the symbols alone; nothing is
/// executed.
namespace blobscope::host {

/// Calling convention of the host functions; not the era of the blob. Source: core/formats/host-abi.md 1.1.
enum class Abi { Classic, Ffi1, Ffi2, Ffi3, Ffi4, Ffi5 };
/// "classic", "ffi1" … "ffi5".
std::string_view abiName(Abi abi);
/// "TVM v0.2 – v0.20".
std::string_view abiReleases(Abi abi);

/// The role of a symbol in TVM. Source: core/formats/blob.md 2.4, 11.1.
enum class Group : uint8_t {
  Function,  ///< callable by name through the runtime
  Entry,     ///< name of the default function, or the function itself
  Slot,      ///< pointer that the loader fills with a runtime function
  Context,   ///< pointer that the loader fills with the module
  Carrier,   ///< labels a blob
  Metadata,  ///< getter of signatures, documentation, linked parameters
  Parameter, ///< linked parameter data
  Image,     ///< device image embedded without a blob
  Runtime,   ///< function of the runtime that the library needs
  Other
};
/// "function", "slot" …
std::string_view groupName(Group group);

struct Function {
  std::string_view name; ///< as requested from the runtime, without `__tvm_ffi_`
  uint32_t symbol = 0;   ///< index into Image::symbols
};

/// The symbols of an image grouped by role.
struct HostSymbols {
  std::optional<Abi> abi;          ///< nothing when no symbol points to TVM
  std::vector<Group> groups;       ///< one per symbol of the image
  std::vector<Function> functions; ///< in the order of the symbol table that decides
};

/// Groups the image's symbols. The loader's table decides; if there is none, the static table does. Error: only
/// Cancelled.
Result<HostSymbols> readHost(const container::Image& image, Monitor& monitor);

} // namespace blobscope::host
