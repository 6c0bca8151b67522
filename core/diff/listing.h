#pragma once

#include "core/diff/lines.h"
#include "core/view/page.h"

#include <string>

namespace blobscope::diff {

/// Compares two listings of virtual machines (pages with marks) line by line by what the instructions do, independent
/// of their numbers: constants by their values, registers and jump targets by the ones that correspond to them. A
/// register of one function corresponds to one register of the other. The same is true of a tensor that the other
/// listing does not have, since its values are compared as a constant. The lines that are otherwise equal decide which
/// ones correspond; lines that contradict this are different. `masks` hide other words of the lines. Error: only
/// Cancelled.
Result<LineDiff> compareListings(const view::TextPage& a, const view::TextPage& b, Masks masks, Monitor& monitor,
                                 uint64_t cost = kSequenceCost);

/// Returns a listing in which each constant is replaced by its value, each register by the position where it first
/// occurs in its function, and each jump by its distance: two functions that do the same have the same text. Error:
/// only Cancelled.
Result<std::string> canonicalListing(const view::TextPage& listing, Monitor& monitor);

} // namespace blobscope::diff
