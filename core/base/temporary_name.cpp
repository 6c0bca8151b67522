#include "core/base/temporary_name.h"

#include "core/base/temporary_name_system.h"

#include <charconv>
#include <utility>

namespace blobscope {
namespace {

constexpr std::string_view kPrefix = ".blobscope-";

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
  made.process = temporary_name::ownProcess();
  made.started = temporary_name::startOf(made.process);
  made.random = temporary_name::randomNumber();
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
  if (!temporary_name::mayRun(process)) return false;
  const uint64_t now = temporary_name::startOf(process);
  return started == 0 || now == 0 || now == started;
}

} // namespace blobscope
