#pragma once

#include <span>
#include <string_view>

namespace blobscope::run {

/// A file of resources/device-check, built into the program.
struct CheckResource {
  std::string_view file;
  std::span<const unsigned char> bytes;
};

std::span<const CheckResource> checkResources();

} // namespace blobscope::run
