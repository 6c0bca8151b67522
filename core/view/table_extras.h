#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/view/plot.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::view {

struct TablePage;
struct MemoryFit; // core/view/memory_fit.h

/// What a table of many similar things has in addition to its rows: groups, pictures, and a choice that its numbers
/// depend on.
struct TableExtras {
  /// A way to group the rows. Any thread may call `groupOf`; an empty group is "others".
  struct Grouping {
    std::string title; ///< "prefix"
    std::function<std::string(uint64_t row)> groupOf;
  };
  struct Option {
    std::string value, text;
  };

  std::vector<Grouping> groupings;
  std::optional<std::size_t> grouping;  ///< the first one to use; nothing: no groups
  std::string thing;                    ///< what a row is: "kernel"
  std::optional<std::size_t> sum;       ///< column that is added up in the heading of a group
  std::optional<std::size_t> sorted;    ///< column by which the rows are sorted at first, the largest first
  std::string summary, summaryNote;     ///< sentences about all rows, and about how the numbers are known
  std::string note;                     ///< what limits the numbers: "image is for sm_89: estimate"; may be empty
  std::string choiceTitle;              ///< "GPU"
  std::vector<Option> options;          ///< what can be chosen
  std::string choice;                   ///< the chosen value
  std::string choiceHint;               ///< what else can be entered than the options; empty: nothing else
  std::string setting;                  ///< name under which a window keeps the choice for other files; may be empty
  std::shared_ptr<const MemoryFit> fit; ///< bars above the table; may be null
  PlotPage plots;                       ///< about all rows
  /// Returns where a row is in the first of `plots`, with its name; null when there are none.
  std::function<std::optional<PlotPage::Point>(uint64_t row)> pointOf;
  /// Makes the plots about one row; null when there are none. Any thread may call it.
  std::function<PlotPage(uint64_t row)> plotsOf;
  /// Makes the page for another choice. Any thread may call it; null when nothing can be chosen.
  std::function<Result<TablePage>(const std::string& choice, Monitor& monitor)> choose;
};

} // namespace blobscope::view
