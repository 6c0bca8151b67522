#pragma once

#include "app/runner/backends/backend.h"

#include <map>
#include <string_view>

namespace blobscope::runner {

/// What lies in front of and behind a tensor, and what it is filled with: core/formats/host-abi.md 4.
constexpr uint64_t kRedZoneBytes = 4096;
constexpr std::byte kRedZoneByte{0xCB};

/// Bytes of a red zone that are not what it was filled with.
uint64_t overwritten(std::span<const std::byte> zone);

/// Numbers for buffers that have no address: disjoint ranges, each at least as long as its buffer, aligned like memory,
/// in a part of the address space where nothing is mapped by any system that is known, so that host code that looks
/// behind one faults at once.
class HandleSpace {
public:
  /// The first number of a new range; nothing when the space is used up.
  std::optional<uint64_t> take(uint64_t bytes);

private:
  static constexpr uint64_t kFirst = uint64_t{1} << 45, kEnd = uint64_t{1} << 46, kAlignment = 256, kGap = 65'536;
  uint64_t m_next = kFirst;
};

/// Which of several records a number lies in: handle → record with a member `bytes`.
template <class Record> class Records {
public:
  Record& add(uint64_t handle, Record record) {
    return m_records.insert_or_assign(handle, std::move(record)).first->second;
  }
  /// The record whose range begins there, null when there is none.
  Record* at(uint64_t handle) {
    const auto found = m_records.find(handle);
    return found == m_records.end() ? nullptr : &found->second;
  }
  /// The record whose range holds the number, its end excluded (an empty one holds its first), and the offset in it.
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

/// RUN-ARGUMENT for the argument of that index, from 0.
Error argumentError(std::string_view kernel, std::size_t index, const std::string& reason);
/// RUN-MEMORY: a buffer of so many bytes, and how many there are.
Error memoryError(uint64_t bytes, uint64_t limit);
/// RUN-LIMIT in words that fit its sentence: "NAME is VALUE, more than the LIMIT of DEVICE".
Error limitError(const std::string& what, const std::string& value, const std::string& limit, std::string_view device);
/// RUN-LIMIT for the first of three extents that is larger than its limit; nothing when all fit.
std::optional<Error> extentError(std::string_view what, const std::array<uint64_t, 3>& extents,
                                 const std::array<uint64_t, 3>& limits, std::string_view device);
/// x × y × z, UINT64_MAX when it does not fit.
uint64_t productOf(const std::array<uint64_t, 3>& extents);
/// "256 x 1 x 1".
std::string extentsText(const std::array<uint64_t, 3>& extents);
/// A compiler's log on one line from its first error on, its lines separated by " | ", cut to 2,000 bytes. The whole
/// log when no line of it names an error.
std::string logLine(std::string_view log);
/// A compiler's log as it is, printable and cut to 16 KiB, without empty lines at its end.
std::string logText(std::string_view log);
/// "a, b and c" without repeats; at most 12 of them.
std::string listText(const std::vector<std::string>& words);

/// RUN-ARGUMENT when a launch does not bring one argument per parameter.
Result<Done> checkArguments(std::string_view kernel, const std::vector<KernelParameter>& parameters,
                            const Launch& launch);

} // namespace blobscope::runner
