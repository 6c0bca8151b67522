#pragma once

#include "core/write/macho/file.h"

/// What the parts of the Mach-O planner hand one another; planMachO (plan.h) is the way in.
namespace blobscope::write::macho {

/// The blob in its file.
struct Site {
  const PlanRequest& request;
  const File& file;
  Extent room;          ///< of the old blob in the file
  uint64_t address = 0; ///< of the old blob in memory; in an object file as its sections count
};

/// The blob's own segment, right before __LINKEDIT, with nothing else in it. Nothing when it lies somewhere else.
const Segment* findOwnSegment(const Site& site);
/// The blob's own section, the last one of an object file. Nothing when it lies somewhere else.
const Section* findOwnSection(const Site& site);

/// The blob in a new segment of a library, or its own one with another size. Source: formats text rewriting.md 6.3.
/// REP-TYPE, REP-SHAPE, REP-SYM, REP-NOLOAD, REP-REF, REP-HDRPAD, REP-TRIE, REP-FIXUPS, REP-SIGNED, REP-4G; Cancelled.
Result<Plan> planImage(const Site& site);

/// The blob in a new section of an object file, or its own one with another size. Source: formats text rewriting.md 8.
/// REP-TYPE, REP-SHAPE, REP-SYM, REP-REL, REP-4G; Cancelled.
Result<Plan> planObject(const Site& site);

/// Stretches of a plan whose blob lies at `place` in the output; the old one stays as dead bytes unless it is resized.
void tellStretches(Plan& plan, const Site& site, Extent place, bool resized);

} // namespace blobscope::write::macho
