#include "core/write/pe/plan.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write::pe {
namespace {

namespace coff = container::coff;
using container::numberAt;

/// Computes CheckSum as the system does: the one's-complement sum of all 16-bit words, plus the size of the file. The
/// field itself counts as 0, so the plan must write zeros there. Source: core/formats/containers.md 5.2 (6), where it
/// reproduced the values of GNU ld and lld.
Result<uint32_t> computeChecksum(const Plan& plan, const Bytes& input, Monitor& monitor) {
  constexpr uint64_t kStep = 1 << 20;
  OutputReader reader(plan, input);
  uint64_t sum = 0;
  for (uint64_t at = 0; at < reader.size(); at += kStep) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("computing the checksum", at, reader.size());
    const Bytes block = reader.read(at, kStep);
    const std::string_view text = block.view();
    uint64_t words = 0;
    std::size_t i = 0;
    for (; i + 1 < text.size(); i += 2)
      words += static_cast<unsigned char>(text[i]) | static_cast<unsigned>(static_cast<unsigned char>(text[i + 1]))
                                                         << 8;
    if (i < text.size()) words += static_cast<unsigned char>(text[i]);
    sum += words;
  }
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint32_t>(sum + reader.size());
}

} // namespace

void redirect(Rewrite& rewrite, const coff::SymbolTable& table, uint64_t at, uint32_t value, uint32_t section) {
  rewrite.set(at + 8, numberText(value, 4, false) + numberText(section, table.wide ? 4 : 2, false), "symbol");
}

bool isCarrier(const library::Package& package, std::string_view name) {
  if (package.image.underscores && name.starts_with('_')) name.remove_prefix(1);
  return container::matchCarrier(name).has_value();
}

Result<Plan> finish(const File& file, const std::function<Result<Plan>(std::string_view checksum)>& make,
                    Monitor& monitor) {
  const Extent certificate = file.directory(IMAGE_DIRECTORY_ENTRY_SECURITY);
  const bool isSigned = certificate.size > 0;
  const std::string none(4, '\0');
  auto plan = make(none);
  if (plan && file.checksum != 0) {
    auto checksum = computeChecksum(*plan, file.bytes, monitor);
    if (!checksum) return checksum.takeError();
    plan = make(numberText(*checksum, 4, false));
  }
  if (plan && isSigned) plan->consequences.push_back({DiagnosticId::PlanCertificate, {}, {}});
  return plan;
}

} // namespace blobscope::write::pe
