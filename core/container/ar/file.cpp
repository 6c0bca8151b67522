#include "core/container/ar/file.h"

namespace blobscope::container::ar {
namespace {

std::string_view trimmed(std::string_view name) {
  const std::size_t end = name.find_last_not_of(' ');
  return end == std::string_view::npos ? std::string_view() : name.substr(0, end + 1);
}

} // namespace

std::optional<uint64_t> parseDecimal(std::string_view field) {
  const std::string_view digits = trimmed(field);
  if (digits.empty()) return std::nullopt;
  uint64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9' || value > (UINT64_MAX - 9) / 10) return std::nullopt;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

std::optional<Header> readHeader(std::string_view archive, uint64_t at) {
  if (at > archive.size() || archive.size() - at < kHeaderSize) return std::nullopt;
  const std::string_view text = archive.substr(at, kHeaderSize);
  return Header{at, trimmed(text.substr(0, 16)), parseDecimal(text.substr(kSizeField, kSizeDigits)),
                text.ends_with("`\n")};
}

bool isSymbolTable(std::string_view name) { return name == "/" || name == "/SYM64/" || name.starts_with("__.SYMDEF"); }

std::optional<LongName> readLongName(std::string_view archive, const Header& header, uint64_t size) {
  if (!header.name.starts_with("#1/")) return LongName{};
  const uint64_t length = parseDecimal(header.name.substr(3)).value_or(UINT64_MAX);
  if (length > size) return std::nullopt;
  const std::string_view text = archive.substr(header.contentAt(), length);
  return LongName{length, text.substr(0, text.find('\0'))};
}

} // namespace blobscope::container::ar
