#pragma once

#include "app/runner/backends/backend.h"

#include <map>
#include <string_view>

namespace blobscope::runner {

/// The zones before and after a tensor, and the byte that fills them: core/formats/host-abi.md 4.
constexpr uint64_t kRedZoneBytes = 4096;
constexpr std::byte kRedZoneByte{0xCB};

/// Returns the number of bytes of a red zone that no longer have the fill value.
uint64_t overwritten(std::span<const std::byte> zone);

/// Numbers for buffers without an address: disjoint ranges, each at least as long as its buffer, aligned like memory,
/// in a part of the address space in which no known system maps anything, so that host code that dereferences one
/// faults immediately.
class HandleSpace {
public:
  /// Returns the first number of a new range; nothing if the space is used up.
  std::optional<uint64_t> take(uint64_t bytes);

private:
  static constexpr uint64_t kFirst = uint64_t{1} << 45, kEnd = uint64_t{1} << 46, kAlignment = 256, kGap = 65'536;
  uint64_t m_next = kFirst;
};

/// Finds the record that a number belongs to: handle → record with a member `bytes`.
template <class Record> class Records {
public:
  Record& add(uint64_t handle, Record record) {
    return m_records.insert_or_assign(handle, std::move(record)).first->second;
  }
  /// Returns the record whose range begins there, or null.
  Record* at(uint64_t handle) {
    const auto found = m_records.find(handle);
    return found == m_records.end() ? nullptr : &found->second;
  }
  /// Returns the record whose range contains the number, end excluded (an empty range contains its first number), and
  /// the offset in it.
  std::pair<Record*, uint64_t> holding(uint64_t number) {
    auto found = m_records.upper_bound(number);
    if (found == m_records.begin()) return {nullptr, 0};
    --found;
    const uint64_t offset = number - found->first;
    if (offset != 0 && offset >= found->second.bytes) return {nullptr, 0};
    return {&found->second, offset};
  }
  void remove(uint64_t handle) { m_records.erase(handle); }
  auto begin() { return m_records.begin(); }
  auto end() { return m_records.end(); }

private:
  std::map<uint64_t, Record> m_records;
};

/// Returns RUN-ARGUMENT for the argument with that index, from 0.
Error argumentError(std::string_view kernel, std::size_t index, const std::string& reason);
/// Returns RUN-MEMORY: the requested bytes of a buffer, and the available bytes.
Error memoryError(uint64_t bytes, uint64_t limit);
/// Returns RUN-LIMIT with words that fit its sentence: "NAME is VALUE, but DEVICE supports at most LIMIT".
Error limitError(const std::string& what, const std::string& value, const std::string& limit, std::string_view device);
/// Returns RUN-LIMIT for the first of three extents that exceeds its limit; nothing if all fit.
std::optional<Error> extentError(std::string_view what, const std::array<uint64_t, 3>& extents,
                                 const std::array<uint64_t, 3>& limits, std::string_view device);
/// Returns x × y × z; UINT64_MAX if it does not fit.
uint64_t productOf(const std::array<uint64_t, 3>& extents);
/// Returns "256 x 1 x 1".
std::string extentsText(const std::array<uint64_t, 3>& extents);
/// Returns a compiler's log as one line from its first error on, with its lines separated by " | ", cut to 2,000 bytes.
/// Returns the whole log if no line contains an error.
std::string logLine(std::string_view log);
/// Returns a compiler's log with its line breaks, printable and cut to 16 KiB, without empty lines at its end.
std::string logText(std::string_view log);
/// Returns "a, b and c" without repeats; at most 12 of them.
std::string listText(const std::vector<std::string>& words);

/// Returns RUN-ARGUMENT if the number of a launch's arguments differs from the number of parameters.
Result<Done> checkArguments(std::string_view kernel, const std::vector<KernelParameter>& parameters,
                            const Launch& launch);

} // namespace blobscope::runner
