#pragma once

#include <string>
#include <string_view>

/// LLVM's reading of an ar archive, in words: "a.o 3, b.o 10; f in a.o, g in b.o", or its error message.
namespace blobscope::test {
std::string archiveByLlvm(std::string_view archive);
} // namespace blobscope::test
