#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/host/signature.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace blobscope::host {

/// Builds signatures from the texts of single checks. First pass all texts in file order, then call signatures().
/// Source: core/formats/host-abi.md 2.2, 2.3, seen on libraries of 0.13 – 0.23. In older releases the texts about
/// shapes do not name their function, so that only names and kinds are known.
class Assertions {
public:
  /// Maximum number of texts that are kept; the largest library seen has 1,800. Later texts are ignored.
  static constexpr std::size_t kTexts = 1'000'000;

  /// Keeps the text when it is the text of a check. `text` must stay valid. Cheap for other texts.
  void addText(std::string_view text);
  bool empty() const { return m_facts.empty(); }

  /// The signatures of all functions whose number of arguments a text states, in the order of their first texts.
  /// `known`: names of the image's host functions. Cancelled.
  Result<std::vector<Signature>> signatures(const std::unordered_map<std::string_view, std::size_t>& known,
                                            Monitor& monitor) const;

  enum class What : uint8_t { Count, Kind, Rank, Type, Shape, Strides, Device, Data, Scalar };
  /// One text, parsed but not yet assigned to a function: `path` is "F", "F.X" or without a function "X".
  struct Fact {
    What what;
    uint32_t index = 0; ///< number of the argument or dimension, count, rank
    std::string_view path;
    std::string_view value;     ///< "float16", "pointer", the text of the constraint
    std::string_view condition; ///< the asserted condition in texts of LLVM hosts; empty in C hosts
  };

private:
  std::vector<Fact> m_facts;
};

} // namespace blobscope::host
