#pragma once

#include <cstdint>
#include <filesystem>

namespace blobscope::test {

/// Writes a library of `symbols` symbols whose blob ends with `noise` bytes of device code for `functions` kernels.
void writeLibrary(const std::filesystem::path& path, int symbols, int functions, uint64_t noise);

/// Writes a tar of `objects` objects of `symbols` symbols each, as TVM packs them; together they have `size` bytes.
void writeArchive(const std::filesystem::path& path, int objects, int symbols, uint64_t size);

} // namespace blobscope::test
