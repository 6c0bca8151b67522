#pragma once

#include "core/base/json.h"
#include "core/view/page.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::view {

/// Whether what is needed fits into what there is: an answer, and a bar with a limit for each kind of memory. All texts
/// are escaped.
struct MemoryFit {
  struct Part {
    std::string name;   ///< parts with the same name have the same colour
    std::string source; ///< where the number comes from: "metadata.json"
    uint64_t bytes = 0;
  };
  struct Group {
    std::string title; ///< "RAM"
    std::vector<Part> parts;
    std::optional<uint64_t> limit = {}; ///< bytes; nothing: none is known
    std::string note;                   ///< a sentence; may be empty
    uint64_t bytes() const;             ///< of the parts; saturates
  };
  std::string sentence, detail;
  ChecklistPage::State state = ChecklistPage::State::Unknown;
  std::vector<Group> groups;
};

/// "1,024 bytes left of 320 KiB", "12 bytes more than 2 KiB"; empty without a limit.
std::string leftText(const MemoryFit::Group& group);
/// Writes the answer and the parts as lines.
void renderFit(const MemoryFit& fit, const std::function<void(std::string_view)>& sink);
/// Writes the member "fit".
void renderFit(const MemoryFit& fit, json::Writer& writer);
/// The bars with their limits as a picture for htmlHead() or svgDocument().
std::string fitSvg(const MemoryFit& fit);

} // namespace blobscope::view
