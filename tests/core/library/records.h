#pragma once

#include "tests/support/builders.h"

#include <string>
#include <utility>
#include <vector>

/// Modules of a blob.
namespace blobscope::test {

inline const std::vector<Function> kTwo = {{"add_kernel"}, {"mul/kernel", {0x00014003}, {"threadIdx.x"}}};

inline Record libRecord() { return {"_lib", ""}; }
inline Record cudaRecord() { return {"cuda", code3("ptx", kTwo, ptxText(kTwo), Info::Three)}; }
inline Record openclRecord() { return {"opencl", code3("cl", kTwo, openclText(kTwo), Info::Three)}; }
/// Of a kind that has no codec.
inline Record vendorRecord(std::string key = "Vendor.Kind") {
  return {std::move(key), std::string("\x01\x02\x00\x03", 4)};
}

} // namespace blobscope::test
