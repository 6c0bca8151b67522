#include "core/base/temporary_name.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <limits>
#include <unistd.h>
#if defined(__APPLE__)
#include <sys/random.h>
#endif

namespace blobscope {
namespace {

constexpr std::string_view kPrefix = ".blobscope-";

/// When the process started, in ticks since the system started; 0 when the system does not say. Source:
/// proc_pid_stat(5), field 22; the second field may contain blanks and brackets.
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

/// FNV-1a, 64 bits.
uint64_t checkOf(std::string_view text) {
  uint64_t check = 0xcbf29ce484222325;
  for (const char c : text) check = (check ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return check;
}

std::string hex16(uint64_t number) {
  std::string digits(16, '0');
  for (auto at = digits.rbegin(); number != 0; number >>= 4) *at++ = "0123456789abcdef"[number & 15];
  return digits;
}

} // namespace

TemporaryName TemporaryName::make() {
  TemporaryName made;
  made.process = static_cast<uint64_t>(getpid());
  made.started = startOf(made.process);
  // Without random numbers names may only repeat, and a name that exists is not used.
  (void)!getentropy(&made.random, sizeof(made.random));
  return made;
}

std::string TemporaryName::text() const {
  const std::string text =
      std::string(kPrefix) + std::to_string(process) + "-" + std::to_string(started) + "-" + hex16(random);
  return text + "-" + hex16(checkOf(text));
}

std::optional<TemporaryName> TemporaryName::parse(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  TemporaryName out;
  const char* at = name.data() + kPrefix.size();
  const char* const end = name.data() + name.size();
  for (const auto& [number, base] :
       {std::pair(&out.process, 10), std::pair(&out.started, 10), std::pair(&out.random, 16)}) {
    const auto read = std::from_chars(at, end, *number, base);
    if (read.ec != std::errc() || read.ptr == end || *read.ptr != '-') return std::nullopt;
    at = read.ptr + 1;
  }
  // Checks the checksum, and that each number is written as text() writes it.
  if (out.text() != name) return std::nullopt;
  return out;
}

bool TemporaryName::isInUse() const {
  if (process == 0 || process > static_cast<uint64_t>(std::numeric_limits<pid_t>::max()))
    return true; // make() never returns such a name
  if (kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) return false;
  const uint64_t now = startOf(process);
  return started == 0 || now == 0 || now == started;
}

} // namespace blobscope
