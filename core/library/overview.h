#pragma once

#include "core/library/contents.h"
#include "core/library/package.h"

#include <cstdint>
#include <string>
#include <vector>

namespace blobscope::library {

/// What a new user wants to know about a file first, as text.
struct Overview {
  /// A label and its value; `term` names the help page of a TVM term; empty for common words.
  struct Fact {
    std::string label, value, term;
  };
  /// A part of the file, a member of an archive, or a part of a rebuilt blob; parts do not overlap.
  struct Part {
    std::string name, what;
    RowKind kind = RowKind::Section;
    std::string moduleKey;
    Ref ref;
    uint64_t bytes = 0;
  };
  std::string sentence; ///< what the file is: "Relax VM library for x86_64 with a CUDA module."
  Severity worst = Severity::Note;
  bool ofTvm = true;       ///< false when nothing is damaged and nothing in the file comes from TVM
  std::string state;       ///< "Nothing is damaged." or what is damaged
  std::string stateDetail; ///< one plain sentence after it
  std::vector<Fact> facts;
  std::vector<Part> parts;           ///< in the order in which they are shown: modules, host code, the rest
  uint64_t partsTotal = 0;           ///< the total of which the parts are shares
  uint64_t owned = 0, blobBytes = 0; ///< coverage over all blobs
};

/// Returns the overview of any file. For describe::overviewOf(), which adds facts about archives. Reads the whole blob
/// to count the bytes that fields own. Error: only Cancelled.
Result<Overview> fileOverview(const Package& package, Monitor& monitor);

} // namespace blobscope::library
