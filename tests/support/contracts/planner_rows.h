#pragma once

#include "core/container/image.h"

#include <functional>
#include <string>
#include <vector>

/// Files with a blob, at least one for every planner.
namespace blobscope::test {

struct PlannerRow {
  std::string name;
  container::Format format;                             ///< of the file; its planner replaces the blob or the member
  std::function<std::string(const std::string&)> build; ///< the file around a blob
  std::string larger;                    ///< strategy for a larger blob, or the id with which it is refused
  std::vector<std::string> members = {}; ///< names down to the blob
  bool plain = false;                    ///< of a format with one planner, which overwrites what is there when it can
  bool reversible = false;               ///< after a larger blob the old one gives the old file
};

/// All rows, at least one for each format and each strategy.
const std::vector<PlannerRow>& plannerRows();

} // namespace blobscope::test
