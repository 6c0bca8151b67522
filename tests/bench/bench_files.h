#pragma once

#include <cstdint>
#include <filesystem>

namespace blobscope::test {

/// Writes a library of `symbols` symbols whose blob ends with `noise` bytes of device code for `functions` kernels.
void writeLibrary(const std::filesystem::path& path, int symbols, int functions, uint64_t noise);

} // namespace blobscope::test
