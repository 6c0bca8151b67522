#pragma once

#include "core/base/monitor.h"
#include "core/base/ref.h"
#include "core/base/result.h"
#include "core/view/page.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::view {

/// The memory that a function of a model needs, instruction by instruction, for chosen sizes. Nothing is run. All
/// texts are escaped; all amounts are in bytes.
struct PlanPage {
  /// A size that the user can choose.
  struct Symbol {
    std::string name, note;       ///< "seq_len"; "extent 1 of inputs"
    std::optional<int64_t> value; ///< nothing: not known, since the library computes it
    int64_t least = 1, most = 1;  ///< of the slider; the box takes any number
    bool planned = false;         ///< `most` is the largest one for which the storages are large enough
  };
  enum class Kind : uint8_t { Weights, Constants, Arguments, Cache, InUse, Reserved };
  /// A part of the memory at the peak.
  struct Part {
    Kind kind = Kind::Weights;
    std::string name, note;
    std::optional<uint64_t> bytes; ///< nothing: not known; `note` says on what it depends
  };
  /// Amounts from an instruction on, until the next step.
  struct Step {
    uint64_t instruction = 0, reserved = 0, inUse = 0;
  };
  /// A tensor in a storage.
  struct Use {
    uint64_t first = 0, last = 0; ///< instructions
    uint64_t bytes = 0;           ///< 0 when it is not known
  };
  struct Storage {
    std::string name;              ///< "storage 0"
    std::string holds;             ///< the function that writes its largest tensor
    std::string size;              ///< as the bytecode states it: "n × 4,096 × 2"
    std::optional<uint64_t> bytes; ///< nothing: not known; `size` says on what it depends
    bool isDerived = false;        ///< the size is that of its largest tensor; the bytecode does not state it
    bool isCache = false;          ///< of a KV cache
    uint64_t first = 0, last = 0;  ///< instructions between which it exists
    std::vector<Use> uses;
  };
  struct Choice {
    std::string function; ///< empty: the first one of `functions`
    std::map<std::string, int64_t, std::less<>> sizes;
  };
  /// The word in --json: "weights", "in-use".
  static std::string_view kindName(Kind kind);

  std::vector<std::string> functions; ///< that can be chosen
  std::string function;               ///< that this page is about
  std::optional<Ref> ref;             ///< of the function
  std::vector<Symbol> symbols;
  std::vector<Part> parts;
  std::vector<Step> steps;       ///< in ascending order; the first one is at 0
  std::vector<Storage> storages; ///< largest first
  uint64_t instructions = 0;
  uint64_t tensors = 0;  ///< in the storages
  uint64_t peak = 0;     ///< of what is known, with all parts
  uint64_t peakAt = 0;   ///< the first instruction with the peak
  uint64_t reserved = 0; ///< by the storages at the peak
  uint64_t total = 0;    ///< of all storages
  uint64_t mostInUse = 0, mostInUseAt = 0;
  bool complete = true;           ///< every size is known
  std::vector<std::string> notes; ///< sentences
  /// Makes the page for another choice. Any thread may call it; never null.
  std::function<Result<std::shared_ptr<const PlanPage>>(const Choice& choice, Monitor& monitor)> choose;
};

/// The amounts, sizes and storages as rows.
TablePage planTable(const PlanPagePtr& page);

} // namespace blobscope::view
