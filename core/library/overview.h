#pragma once

#include "core/library/contents.h"
#include "core/library/package.h"

#include <cstdint>
#include <string>
#include <vector>

namespace blobscope::library {

/// What a newcomer wants to know of a file at once, in words.
struct Overview {
  /// A label and its value; `term` names the help page of a TVM word, empty for plain words.
  struct Fact {
    std::string label, value, term;
  };
  /// A part of the file, of an archive's members, or of a blob that was rebuilt; parts do not overlap.
  struct Part {
    std::string name, what;
    RowKind kind = RowKind::Section;
    std::string moduleKey;
    Ref ref;
    uint64_t bytes = 0;
  };
  std::string sentence; ///< what it is: "Relax VM library for x86_64 with a CUDA module."
  Severity worst = Severity::Note;
  bool ofTvm = true;       ///< false when nothing is damaged and nothing in the file comes from TVM
  std::string state;       ///< "Nothing is damaged." or what is
  std::string stateDetail; ///< one plain sentence behind it
  std::vector<Fact> facts;
  std::vector<Part> parts;           ///< as they are shown: modules in order, host code, the rest
  uint64_t partsTotal = 0;           ///< what the parts are shares of
  uint64_t owned = 0, blobBytes = 0; ///< coverage over all blobs
};

/// The overview of any file, for describe::overviewOf(), which adds what an archive says. Reads the whole blob to count
/// what fields own. Error: only Cancelled.
Result<Overview> fileOverview(const Package& package, Monitor& monitor);

} // namespace blobscope::library
