#include "core/library/damage.h"

#include "core/base/text.h"

#include <algorithm>

namespace blobscope::library {

bool isDamage(const Diagnostic& diagnostic) {
  const DiagnosticRow& found = row(diagnostic.id);
  return found.severity == Severity::Error && (found.code == ErrorCode::Format || found.code == ErrorCode::Truncated) &&
         diagnostic.id != DiagnosticId::BlobCall; // all bytes are there, but they do not belong together
}

const Diagnostic* containerDamage(const Package& package) {
  const auto first = std::ranges::find_if(
      package.diagnostics, [](const Diagnostic& one) { return isDamage(one) && one.idText().starts_with("FILE-"); });
  return first == package.diagnostics.end() ? nullptr : &*first;
}

bool isContainerDamaged(const Package& package) { return containerDamage(package) != nullptr; }

std::string damageText(const Package& package) {
  const auto& all = package.diagnostics;
  const auto first = std::find_if(all.begin(), all.end(), isDamage);
  if (first == all.end()) return {};
  const auto count = static_cast<uint64_t>(std::count_if(first, all.end(), isDamage));
  return countText(count, "error") + (count > 1 ? ", the first: " : ": ") + first->message();
}

} // namespace blobscope::library
