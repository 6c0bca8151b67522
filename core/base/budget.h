#pragma once

#include "core/base/result.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace blobscope {

/// The limits on what reading one file may cost, summed over its members and everything that is unpacked from it: a few
/// bytes of a crafted file can request gigabytes or hours. One object is created when a file is opened and passed to
/// everything that reads it. Any number of threads may use it.
///
/// `memory` counts bytes on the heap while they are in use, `work` counts bytes that are processed in addition to
/// reading the file once. Both limits grow with the file, so that real files stay far below them.
class Budget {
public:
  Budget(uint64_t memoryBytes, uint64_t workBytes) : m_memoryLimit(memoryBytes), m_workLimit(workBytes) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  /// The limits for a file of `fileBytes`: see limits::kBudgetBase. `memoryBytes` replaces the computed memory limit.
  static std::shared_ptr<Budget> forFile(uint64_t fileBytes, std::optional<uint64_t> memoryBytes = {});
  /// Reads a memory limit that a person chose, such as "4 GiB". The error says that it is not a size, too small to open
  /// any file, or too large.
  static Result<uint64_t> parseMemory(std::string_view text);
  /// The computed memory limit for a file of `fileBytes`.
  static uint64_t memoryFor(uint64_t fileBytes);

  /// Returns false, and takes nothing, when the limit would be exceeded.
  bool takeMemory(uint64_t bytes) { return take(m_memory, m_memoryLimit, bytes); }
  void returnMemory(uint64_t bytes) { m_memory.fetch_sub(bytes); }
  bool takeWork(uint64_t bytes) { return take(m_work, m_workLimit, bytes); }

  uint64_t memory() const { return m_memory.load(); }
  uint64_t memoryLimit() const { return m_memoryLimit; }
  uint64_t work() const { return m_work.load(); }
  uint64_t workLimit() const { return m_workLimit; }

  /// A limit for a message, with the option that raises it: "704 MiB (…) for this file; --memory SIZE allows more".
  static std::string limitText(uint64_t bytes);
  /// FILE-LIMIT: `more` bytes beyond what is in use now. `what` follows a size in the message: "of unpacked members".
  Diagnostic memoryExceeded(std::string_view what, uint64_t more, Ref place = {}) const;
  /// FILE-LIMIT for work. `what` follows a size in the message: "of blobs to decode".
  Diagnostic workExceeded(std::string_view what, uint64_t more, Ref place = {}) const;

private:
  static bool take(std::atomic<uint64_t>& used, uint64_t limit, uint64_t bytes) {
    uint64_t now = used.load();
    do {
      if (bytes > limit - now) return false; // `now` never exceeds the limit
    } while (!used.compare_exchange_weak(now, now + bytes));
    return true;
  }

  const uint64_t m_memoryLimit, m_workLimit;
  std::atomic<uint64_t> m_memory = 0, m_work = 0;
};

using BudgetPtr = std::shared_ptr<Budget>;

/// Memory taken from a budget, returned when this object ends.
class Charge {
public:
  Charge() = default;
  explicit Charge(BudgetPtr budget) : m_budget(std::move(budget)) {}
  Charge(Charge&& other) noexcept : m_budget(std::move(other.m_budget)), m_bytes(std::exchange(other.m_bytes, 0)) {}
  Charge& operator=(Charge&& other) noexcept {
    std::swap(m_budget, other.m_budget);
    std::swap(m_bytes, other.m_bytes);
    return *this;
  }
  ~Charge() {
    if (m_budget) m_budget->returnMemory(m_bytes);
  }

  /// Takes more. Returns false, and takes nothing, when the limit would be exceeded.
  bool add(uint64_t bytes) {
    if (m_budget && !m_budget->takeMemory(bytes)) return false;
    m_bytes += bytes;
    return true;
  }
  uint64_t bytes() const { return m_bytes; }
  const Budget* budget() const { return m_budget.get(); }

private:
  BudgetPtr m_budget;
  uint64_t m_bytes = 0;
};

} // namespace blobscope
