#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/align.h"
#include "core/diff/lines.h"
#include "core/diff/masks.h"
#include "core/diff/same_bytes.h"
#include "core/library/package.h"
#include "core/payloads/tensor/tensor.h"

#include <cstdint>
#include <optional>
#include <string>

namespace blobscope::diff {

/// What two partners of different content differ in.
struct PairDetail {
  std::string text;  ///< one line
  bool same = false; ///< they differ in nothing that counts
};

/// Words for partners. The work for texts and machine code is bounded over all pairs; what comes behind is told by
/// sizes.
class Details {
public:
  Details(Masks masks, const SameBytes& same, Monitor& monitor) : m_masks(masks), m_same(same), m_monitor(monitor) {}

  /// Facts that differ, then what of the content does. Cancelled.
  Result<PairDetail> of(const Item& a, const Item& b);
  /// Number by number when shape and type are the same. Raises `largest`. Cancelled.
  Result<PairDetail> ofTensors(const Item& a, const Item& b, const payloads::Tensor& x, const payloads::Tensor& y,
                               std::optional<double>& largest);
  /// Code of two host functions; the numbers are those of their symbols. When both do the same wherever they lie, this
  /// is told, and is no difference with `ignoreAddresses`. Cancelled.
  Result<PairDetail> ofHostCode(const Item& a, const Item& b, const library::PackagePtr& packageA, uint32_t symbolA,
                                const library::PackagePtr& packageB, uint32_t symbolB, bool ignoreAddresses);

private:
  Result<LineDiff> linesOf(const Item& a, const Item& b);
  /// `lines`: what linesOf() gave, when it was asked already.
  Result<std::string> textDetail(const Item& a, const Item& b, std::optional<LineDiff> lines);

  const Masks m_masks; ///< of listings; texts come masked
  const SameBytes& m_same;
  Monitor& m_monitor;
  uint64_t m_textWork = 0, m_codeWork = 0;
};

/// The labels whose values differ: "registers 96 → 168; stack 0 → 16", about `limit` bytes.
std::string differingFacts(const Item::Facts& a, const Item::Facts& b, std::size_t limit);
/// "1.2e-4", "3".
std::string differenceText(double value);

} // namespace blobscope::diff
