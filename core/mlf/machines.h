#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What target strings say about machine code. Source: formats text model-library-format.md 6.5.
namespace blobscope::mlf {

/// The words of a target string: split at spaces, quotes and backslashes keep them together and go away.
std::vector<std::string> targetWords(std::string_view target);

/// LLVM's names of the machines that objects of this target may be for; empty when the target does not tell. From the
/// architecture of -mtriple, else -mcpu, else -march. LLVM's names say class and byte order too ("mipsel").
std::vector<std::string> machinesOf(std::string_view target);

} // namespace blobscope::mlf
