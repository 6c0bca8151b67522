#include "core/library/host_abi.h"

#include "core/library/damage.h"

namespace blobscope::library {

std::string_view whyHostUnknown(const Package& package) {
  if (package.host.abi) return {};
  if (isContainerDamaged(package)) return "because the file is damaged";
  // The exports of a file that contains a whole runtime are those of the runtime; it registers its host functions
  // itself.
  if (package.image.format == container::Format::Wasm && !package.blobs.empty())
    return "because this WebAssembly file does not export its host functions";
  return {};
}

std::string hostAbiText(const Package& package) {
  if (const auto abi = package.host.abi)
    return std::string(host::abiName(*abi)) + " (as written by " + std::string(host::abiReleases(*abi)) + ")";
  const std::string_view why = whyHostUnknown(package);
  return why.empty() ? "none: no symbols of TVM were found" : "not known, " + std::string(why);
}

} // namespace blobscope::library
