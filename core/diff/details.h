#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/align.h"
#include "core/diff/kernel_listing.h"
#include "core/diff/lines.h"
#include "core/diff/masks.h"
#include "core/diff/same_bytes.h"
#include "core/diff/tree.h"
#include "core/library/package.h"
#include "core/payloads/tensor/tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace blobscope::diff {

/// How two partners of different content differ.
struct PairDetail {
  std::string text;                                 ///< one line
  bool same = false;                                ///< they do not differ in anything that counts
  std::shared_ptr<const CodeChange> code = nullptr; ///< of kernels
};

/// Describes the differences of partners in words. The work for texts and machine code is limited for all pairs
/// together; after that limit only sizes are reported.
class Details {
public:
  /// `rawNumbers`: as in CompareOptions.
  Details(Masks masks, bool rawNumbers, const SameBytes& same, Monitor& monitor)
      : m_masks(masks), m_rawNumbers(rawNumbers), m_same(same), m_monitor(monitor) {}

  /// Returns the facts that differ, followed by the differences of the content. Error: Cancelled.
  Result<PairDetail> of(const Item& a, const Item& b);
  /// Compares number by number when shape and type are equal. Raises `largest`. Error: Cancelled.
  Result<PairDetail> ofTensors(const Item& a, const Item& b, const payloads::Tensor& x, const payloads::Tensor& y,
                               std::optional<double>& largest);
  /// Compares PTX or kernels: what their instructions do where PTX or SASS can be had, the classes of instructions, the
  /// resources. PTX that only numbers registers and labels in another way is the same. Error: Cancelled.
  Result<PairDetail> ofCode(const Item& a, const Item& b);
  /// Returns why machine code was compared as bytes only, as KernelListings::takeNote().
  std::string takeCodeNote() { return m_listings.takeNote(); }
  /// Compares the code of two host functions, whose symbols have the given numbers. If both do the same at different
  /// addresses, the text says so, and with `ignoreAddresses` they count as equal. Error: Cancelled.
  Result<PairDetail> ofHostCode(const Item& a, const Item& b, const library::PackagePtr& packageA, uint32_t symbolA,
                                const library::PackagePtr& packageB, uint32_t symbolB, bool ignoreAddresses);

private:
  /// The code of two items as text that can be compared line by line; empty texts if there is none. Error: Cancelled.
  Result<std::pair<view::TextPage, view::TextPage>> codeTexts(const Item& a, const Item& b);
  Result<LineDiff> linesOf(const Item& a, const Item& b);
  /// `lines`: the result of linesOf(), if it was already called.
  Result<std::string> textDetail(const Item& a, const Item& b, std::optional<LineDiff> lines);

  const Masks m_masks; ///< of listings; texts are already masked
  const bool m_rawNumbers;
  KernelListings m_listings;
  const SameBytes& m_same;
  Monitor& m_monitor;
  uint64_t m_textWork = 0, m_codeWork = 0;
};

/// Returns the labels whose values differ, cut to about `limit` bytes: "registers 96 → 168; stack 0 → 16".
std::string differingFacts(const Item::Facts& a, const Item::Facts& b, std::size_t limit);
/// "1.2e-4", "3".
std::string differenceText(double value);

} // namespace blobscope::diff
