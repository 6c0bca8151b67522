#pragma once

#include "core/diff/lines.h"
#include "core/view/page.h"

#include <string>

namespace blobscope::diff {

/// Compares two listings of virtual machines (pages with marks) line by line, by what the instructions do, whatever
/// numbers they have: constants by what they hold, registers and jump targets by what corresponds to them. A register
/// of one function corresponds to one register of the other; so does a tensor that the other listing has not, since its
/// values are compared as a constant. Which ones is decided by the lines that are the same otherwise; lines that
/// contradict that are different. `masks` hide other words of the lines. Error: only Cancelled.
Result<LineDiff> compareListings(const view::TextPage& a, const view::TextPage& b, Masks masks, Monitor& monitor,
                                 uint64_t cost = kSequenceCost);

/// A listing in which every constant stands by what it holds, every register by the position of its first mention in
/// its function, and every jump by its distance: two functions that do the same have the same text. Error: only
/// Cancelled.
Result<std::string> canonicalListing(const view::TextPage& listing, Monitor& monitor);

} // namespace blobscope::diff
