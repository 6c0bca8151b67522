#include "core/mlf/export_time.h"

#include <algorithm>
#include <chrono>

namespace blobscope::mlf {
namespace {

constexpr std::size_t kWithoutZone = 19; ///< "YYYY-MM-DD HH:MM:SS"

bool areDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

int numberAt(std::string_view text, std::size_t at, std::size_t size) {
  int value = 0;
  for (const char c : text.substr(at, size)) value = value * 10 + (c - '0');
  return value;
}

/// Returns the seconds of an offset such as "+02:00" or "-0730".
std::optional<int64_t> offsetIn(std::string_view text) {
  const bool east = text.starts_with('+');
  if (!east && !text.starts_with('-')) return std::nullopt;
  std::string digits(text.substr(1));
  if (digits.size() == 5 && digits[2] == ':') digits.erase(2, 1);
  if (digits.size() != 4 || !areDigits(digits)) return std::nullopt;
  const int hours = numberAt(digits, 0, 2), minutes = numberAt(digits, 2, 2);
  if (hours > 14 || minutes > 59) return std::nullopt;
  const int64_t seconds = hours * 3'600 + minutes * 60;
  return east ? seconds : -seconds;
}

} // namespace

std::optional<int64_t> parseExportTime(std::string_view text) {
  if (text.size() != kWithoutZone + 1) return std::nullopt;
  for (const auto& [at, size] :
       {std::pair{0, 4}, std::pair{5, 2}, std::pair{8, 2}, std::pair{11, 2}, std::pair{14, 2}, std::pair{17, 2}})
    if (!areDigits(text.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(size)))) return std::nullopt;
  if (text[4] != '-' || text[7] != '-' || text[10] != ' ' || text[13] != ':' || text[16] != ':' || text[19] != 'Z')
    return std::nullopt;
  const int hour = numberAt(text, 11, 2), minute = numberAt(text, 14, 2), second = numberAt(text, 17, 2);
  const std::chrono::year_month_day date{std::chrono::year(numberAt(text, 0, 4)),
                                         std::chrono::month(static_cast<unsigned>(numberAt(text, 5, 2))),
                                         std::chrono::day(static_cast<unsigned>(numberAt(text, 8, 2)))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return int64_t{std::chrono::sys_days(date).time_since_epoch().count()} * 86'400 + hour * 3'600 + minute * 60 + second;
}

std::optional<int64_t> parseSimilarTime(std::string_view text) {
  if (text.size() < kWithoutZone) return std::nullopt;
  std::string plain = std::string(text.substr(0, kWithoutZone)) + "Z";
  if (plain[10] == 'T') plain[10] = ' ';
  const std::optional<int64_t> seconds = parseExportTime(plain);
  std::string_view rest = text.substr(kWithoutZone);
  if (rest.starts_with('.')) {
    const std::size_t end = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
    if (end == 1) return std::nullopt;
    rest.remove_prefix(end);
  }
  if (!seconds || rest.empty() || rest == "Z") return seconds;
  const std::optional<int64_t> offset = offsetIn(rest);
  return offset ? std::optional(*seconds - *offset) : std::nullopt;
}

std::optional<std::string> exportTimeText(int64_t seconds) {
  const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const int year = static_cast<int>(date.year());
  if (year < 1'000 || year > 9'999) return std::nullopt;
  const auto two = [](int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  const int64_t second = (time - day).count();
  return std::to_string(year) + "-" + two(unsigned{date.month()}) + "-" + two(unsigned{date.day()}) + " " +
         two(second / 3'600) + ":" + two(second / 60 % 60) + ":" + two(second % 60) + "Z";
}

std::optional<int64_t> metadataStamp(const Container& container) {
  const auto& entries = container.entries;
  const auto entry =
      std::find_if(entries.rbegin(), entries.rend(), [](const TarEntry& one) { return one.path == "metadata.json"; });
  if (entry == entries.rend() || !entry->changed || *entry->changed <= 0 || *entry->changed > int64_t{1} << 40)
    return std::nullopt;
  return entry->changed;
}

} // namespace blobscope::mlf
