#pragma once

#include "core/base/field_tree.h"
#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::edit {

/// Changes bytes of a structure that a field tree describes, and with them every count and length that stands around
/// them. All places are those of the structure as it was; nothing else moves its meaning, whatever was changed before.
class Splicer {
public:
  /// `tree` tiles its bytes. It must live as long as this.
  explicit Splicer(const FieldTree& tree) : m_tree(tree) {}

  /// A little-endian number that counts the bytes of a splice and is no length word of the tree.
  struct Counter {
    uint64_t offset;
    unsigned size; ///< bytes
  };
  /// Replaces bytes within one leaf: its content or a part of it. `label` names the edit in messages. REP-VALUE when
  /// the leaf has no length of its own and the size differs, or the size is no multiple of its words. The same place
  /// once more: the later call is what is wanted.
  Result<Done> replace(Extent bytes, Bytes newBytes, std::string label, std::optional<Counter> counter = std::nullopt);
  /// Adds bytes at the end of the content of a leaf, or within it.
  void insert(uint64_t offset, Bytes newBytes, std::string label, std::optional<Counter> counter = std::nullopt);
  /// Replaces all of a list, its count included.
  void replaceList(uint32_t row, Bytes newBytes, std::string label);
  /// Takes an item of a list out, once however often it is asked for.
  void removeItem(uint32_t row, std::string label);
  /// Adds an item behind the last one of a list.
  void addItem(uint32_t listRow, Bytes newBytes, std::string label);

  bool empty() const { return m_splices.empty(); }
  /// The bytes with all changes. REP-CONFLICT when two of them overlap; `module` names the structure there.
  Result<Bytes> apply(std::string_view module) const;

private:
  struct Splice {
    Extent bytes;
    Bytes newBytes;
    std::string label;
    std::vector<uint32_t> around = {}; ///< rows whose lengths count it
    std::optional<Counter> counter = {};
    std::optional<uint32_t> list = {}; ///< row whose count it changes
    int64_t items = 0;                 ///< by how much
    bool insertion = false;            ///< comes behind what else stands at its place
  };
  /// A number that counts bytes or items around splices, and how much it changes.
  struct Number {
    unsigned size = 8; ///< bytes
    int64_t delta = 0;
  };
  /// Puts it in, in the place of an earlier one of the same bytes.
  void add(Splice splice);
  /// Rows that hold `bytes`, outermost first.
  std::vector<uint32_t> rowsAround(Extent bytes) const;
  /// The lengths and counts that change, by offset. REP-CONFLICT when one of them is replaced.
  Result<std::map<uint64_t, Number>> numbersAround(std::string_view module) const;
  /// All splices in the order of the bytes, those of the numbers with them.
  std::vector<Splice> ordered(const std::map<uint64_t, Number>& numbers) const;

  const FieldTree& m_tree;
  std::vector<Splice> m_splices; ///< in the order in which they were asked for
};

} // namespace blobscope::edit
