#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/host/signature.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace blobscope::host {

/// Puts signatures together from the texts of single checks. First all texts, in file order, then signatures().
/// Source: core/formats/host-abi.md 2.2, 2.3, seen on libraries of 0.13 – 0.23. Texts of older releases do not name
/// their function where they tell shapes, so they give names and kinds only.
class Assertions {
public:
  /// Texts that are kept; the largest library seen has 1,800. What comes behind is left out.
  static constexpr std::size_t kTexts = 1'000'000;

  /// Keeps the text when it is one of a check. `text` must stay valid. Cheap for other texts.
  void addText(std::string_view text);
  bool empty() const { return m_facts.empty(); }

  /// The signatures of all functions that a text gives a number of arguments, in order of their first texts. `known`:
  /// names of the image's host functions. Cancelled.
  Result<std::vector<Signature>> signatures(const std::unordered_map<std::string_view, std::size_t>& known,
                                            Monitor& monitor) const;

  enum class What : uint8_t { Count, Kind, Rank, Type, Shape, Strides, Device, Data, Scalar };
  /// One text, cut but not yet attributed: `path` is "F", "F.X" or without a function "X".
  struct Fact {
    What what;
    uint32_t index = 0; ///< number of the argument or dimension, count, rank
    std::string_view path;
    std::string_view value;     ///< "float16", "pointer", the text of the constraint
    std::string_view condition; ///< of LLVM hosts what is asserted; empty in C hosts
  };

private:
  std::vector<Fact> m_facts;
};

} // namespace blobscope::host
