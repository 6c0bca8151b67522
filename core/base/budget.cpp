#include "core/base/budget.h"

#include "core/base/limits.h"
#include "core/base/text.h"

#include <algorithm>
#include <string>

namespace blobscope {
namespace {

uint64_t scaled(uint64_t base, uint64_t bytes, uint64_t ratio) {
  return bytes > (UINT64_MAX - base) / ratio ? UINT64_MAX : base + bytes * ratio;
}

Diagnostic exceeded(uint64_t reached, std::string_view what, uint64_t limit, Ref place) {
  return {DiagnosticId::FileLimit,
          std::move(place),
          {{"count", sizeText(reached)}, arg("what", what), {"limit", Budget::limitText(limit)}}};
}

uint64_t sum(uint64_t a, uint64_t b) { return b > UINT64_MAX - a ? UINT64_MAX : a + b; }

} // namespace

Result<uint64_t> Budget::parseMemory(std::string_view text) {
  constexpr uint64_t kLeast = 64 << 10;
  const auto memory = parseSize(text);
  if (memory && *memory >= kLeast) return *memory;
  const std::size_t unit = text.find_first_not_of("0123456789.,");
  std::string why = "is not a size such as 4G";
  if (memory)
    why = "is too small; the smallest limit is " + sizeText(kLeast);
  else if (unit > 0 && parseSize("1" + std::string(text.substr(std::min(unit, text.size())))))
    why = "is too large; choose a size such as 4G";
  return Error(DiagnosticId::Usage, {{"what", "'" + escaped(text) + "' " + why}});
}

uint64_t Budget::memoryFor(uint64_t fileBytes) {
  return std::min(scaled(limits::kBudgetBase, fileBytes, limits::kBudgetRatio), limits::kBudgetMemory);
}

std::shared_ptr<Budget> Budget::forFile(uint64_t fileBytes, std::optional<uint64_t> memoryBytes) {
  const uint64_t memory = memoryBytes.value_or(memoryFor(fileBytes));
  const uint64_t work = std::max(scaled(limits::kBudgetBase, fileBytes, limits::kBudgetRatio), memory);
  return std::make_shared<Budget>(memory, work);
}

std::string Budget::limitText(uint64_t bytes) { return sizeText(bytes) + " for this file; --memory SIZE allows more"; }

Diagnostic Budget::memoryExceeded(std::string_view what, uint64_t more, Ref place) const {
  return exceeded(sum(memory(), more), what, m_memoryLimit, std::move(place));
}

Diagnostic Budget::workExceeded(std::string_view what, uint64_t more, Ref place) const {
  return exceeded(sum(work(), more), what, m_workLimit, std::move(place));
}

} // namespace blobscope
