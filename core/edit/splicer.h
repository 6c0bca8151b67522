#pragma once

#include "core/base/field_tree.h"
#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace blobscope::edit {

/// Changes bytes of a structure that a field tree describes, and with them every count and length that stands around
/// them. All places are those of the structure as it was; nothing else moves its meaning, whatever was changed before.
class Splicer {
public:
  /// `tree` tiles its bytes. It must live as long as this.
  explicit Splicer(const FieldTree& tree) : m_tree(tree) {}

  /// Replaces bytes within one leaf: its content or a part of it. `label` names the edit in messages. REP-VALUE when the
  /// leaf has no length of its own and the size differs, or the size is no multiple of its words.
  Result<Done> replace(Extent bytes, Bytes fresh, std::string label);
  /// Replaces all of a list, its count included.
  void replaceList(uint32_t row, Bytes fresh, std::string label);
  /// Takes an item of a list out.
  void removeItem(uint32_t row, std::string label);
  /// Adds an item behind the last one of a list.
  void addItem(uint32_t listRow, Bytes fresh, std::string label);
  /// Adds `delta` to a little-endian number of `size` bytes that is no length word of the tree.
  void addToNumber(uint64_t offset, unsigned size, int64_t delta);

  bool empty() const { return m_splices.empty(); }
  /// The bytes with all changes. REP-CONFLICT when two of them overlap; `module` names the structure there.
  Result<Bytes> apply(std::string_view module) const;

private:
  struct Splice {
    Extent bytes;
    Bytes fresh;
    std::string label;
    std::vector<uint32_t> around; ///< rows whose lengths count it
  };
  void add(Extent bytes, Bytes fresh, std::string label);
  /// Rows that hold `bytes`, outermost first.
  std::vector<uint32_t> rowsAround(Extent bytes) const;

  const FieldTree& m_tree;
  std::vector<Splice> m_splices; ///< in the order in which they were asked for
  std::map<uint32_t, int64_t> m_counts; ///< by row of a list
  struct Number {
    unsigned size;
    int64_t delta;
  };
  std::map<uint64_t, Number> m_numbers; ///< by offset
};

} // namespace blobscope::edit
