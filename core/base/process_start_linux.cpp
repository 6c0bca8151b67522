#include "core/base/temporary_name_system.h"

#include <array>
#include <charconv>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace blobscope::temporary_name {

// In ticks since the system started. Source: proc_pid_stat(5), field 22; the second field may contain blanks and
// brackets.
uint64_t startOf(uint64_t process) {
  const int file = open(("/proc/" + std::to_string(process) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 4096> buffer{};
  const ssize_t size = read(file, buffer.data(), buffer.size());
  close(file);
  if (size <= 0) return 0;
  std::string_view text(buffer.data(), static_cast<std::size_t>(size));
  const std::size_t name = text.rfind(')');
  if (name == std::string_view::npos) return 0;
  text.remove_prefix(name + 1);
  for (int field = 2; field < 22; ++field) { // a blank begins each field
    const std::size_t blank = text.find(' ');
    if (blank == std::string_view::npos) return 0;
    text.remove_prefix(blank + 1);
  }
  uint64_t started = 0;
  std::from_chars(text.data(), text.data() + text.size(), started);
  return started;
}

} // namespace blobscope::temporary_name
