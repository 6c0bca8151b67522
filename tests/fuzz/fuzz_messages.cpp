#include "core/base/text.h"
#include "core/compile/c_code.h"
#include "core/compile/compile.h"
#include "core/compile/log.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace blobscope;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

/// One line of plain text.
bool isShown(const std::string& text) { return isUtf8(text) && text.find('\n') == std::string::npos; }

} // namespace

/// After the first byte: what a compiler printed, or flags, one per line. Messages are plain lines; places are in the
/// archive. A flag that is passed names no file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return 0;
  const unsigned kind = static_cast<unsigned char>(input[0]) % 3;
  input.remove_prefix(1);
  if (kind == 0) {
    const std::vector<compile::Message> messages = compile::parseLog(input);
    require(messages.size() <= 1'000);
    for (const compile::Message& message : messages)
      require(isShown(message.text) && (message.line > 0 || message.column == 0));
    return 0;
  }
  if (kind == 1) {
    const std::vector<compile::CMessage> messages = compile::parseCLog(input, "archive/");
    require(messages.size() <= 1'000);
    for (const compile::CMessage& message : messages) {
      require(isShown(message.text) && !message.path.starts_with('/'));
      require(("/" + message.path + "/").find("/../") == std::string::npos);
      require(message.path.empty() || input.find("archive/") != std::string_view::npos);
    }
    return 0;
  }
  std::vector<std::string> flags;
  while (!input.empty()) {
    const std::string_view line = input.substr(0, input.find('\n'));
    flags.emplace_back(line);
    input.remove_prefix(std::min(line.size() + 1, input.size()));
  }
  for (const std::string_view compiler : {"cc", "nvcc", "nvrtc", "ptxas", "nvjitlink", "clang", "opencl", "other"}) {
    const compile::SortedFlags sorted = compile::sortFlags(compiler, flags);
    require(sorted.passed.size() + sorted.leftOut.size() <= flags.size());
    for (const std::string& flag : sorted.passed)
      require(!flag.empty() && flag[0] != '@' && flag.find_first_of("/\\@`;|&\n") == std::string::npos);
  }
  return 0;
}
