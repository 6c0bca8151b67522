#pragma once

#include "core/base/wire.h"

#include <optional>
#include <string>
#include <vector>

/// One payload of every kind, layout and FunctionInfo form ever stored, as input for the rules that every codec
/// follows.
namespace blobscope::test {

inline constexpr WireContext kOlder = {false, false}, kNewer = {true, true};

/// One key, layout and FunctionInfo form of core/formats/module-kinds.md 1, with a payload of two kernels unless stated
/// otherwise.
struct CodecRow {
  std::string key;
  std::string layout;
  std::string form; ///< of the FunctionInfo, "" when the layout has none
  std::string what; ///< distinguishes it from other rows of that form
  std::string releases;
  WireContext context;
  std::string payload;
  std::optional<std::string> format;
  std::vector<std::string> content;
  std::vector<std::string> kernels;
  std::vector<std::string> code;       ///< one per kernel, or none
  std::vector<std::string> pages;      ///< "name kind"
  std::vector<std::string> parts = {}; ///< "kind:name at path", "kind:name detail at path"

  std::string name() const {
    std::string out = key + " / " + layout;
    for (const std::string& word : {form, what, releases})
      if (!word.empty()) out += " / " + word;
    return out;
  }
};

/// All rows, in the order of the table of codecs.
const std::vector<CodecRow>& codecRows();
/// Adds those of the virtual machines.
void addVmRows(std::vector<CodecRow>& rows);

} // namespace blobscope::test
