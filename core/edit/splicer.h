#pragma once

#include "core/base/field_tree.h"
#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::edit {

/// Changes bytes of a structure that a field tree describes, and updates every count and length around them. All
/// offsets refer to the original structure, independent of earlier changes.
class Splicer {
public:
  /// `tree` tiles its bytes. It must outlive the splicer.
  explicit Splicer(const FieldTree& tree) : m_tree(tree) {}

  /// A little-endian number that counts the bytes of a splice and is not a length word of the tree.
  struct Counter {
    uint64_t offset;
    unsigned size; ///< in bytes
  };
  /// Replaces bytes within one leaf: its content or a part of it. `label` names the edit in messages. REP-VALUE when
  /// the leaf has no length word and the size differs, or the size is not a multiple of its word size. A later call for
  /// the same bytes replaces the earlier one.
  Result<Done> replace(Extent bytes, Bytes newBytes, std::string label, std::optional<Counter> counter = std::nullopt);
  /// Replaces bytes by as many others, also within content that an earlier call replaces without changing its size. The
  /// later of two calls decides about a byte that both change.
  void overwrite(Extent bytes, Bytes newBytes, std::string label);
  /// Adds bytes at the end of the content of a leaf, or within it.
  void insert(uint64_t offset, Bytes newBytes, std::string label, std::optional<Counter> counter = std::nullopt);
  /// Replaces a whole list, including its count.
  void replaceList(uint32_t row, Bytes newBytes, std::string label);
  /// Removes an item of a list; repeated calls for the same item have no effect.
  void removeItem(uint32_t row, std::string label);
  /// Adds an item at the end of a list.
  void addItem(uint32_t listRow, Bytes newBytes, std::string label);

  bool empty() const { return m_splices.empty() && m_patches.empty(); }
  /// Whether an edit changes bytes within `bytes`.
  bool changes(Extent bytes) const;
  /// Returns the bytes with all changes. REP-CONFLICT when two changes overlap; `module` names the structure in the
  /// message.
  Result<Bytes> apply(std::string_view module) const;

private:
  struct Splice {
    Extent bytes;
    Bytes newBytes;
    std::string label;
    std::vector<uint32_t> around = {}; ///< rows whose length includes it
    std::optional<Counter> counter = {};
    std::optional<uint32_t> list = {}; ///< row whose count it changes
    int64_t items = 0;                 ///< change of that count
    bool insertion = false;            ///< placed after other splices at the same offset
  };
  /// A number that counts bytes or items around splices, and its change.
  struct Number {
    unsigned size = 8; ///< in bytes
    int64_t delta = 0;
  };
  /// Adds a splice; replaces an earlier one of the same bytes.
  void add(Splice splice);
  /// Returns the rows that contain `bytes`, outermost first.
  std::vector<uint32_t> rowsAround(Extent bytes) const;
  /// Returns the lengths and counts that change, by offset. REP-CONFLICT when another edit replaces one of them.
  Result<std::map<uint64_t, Number>> numbersAround(std::string_view module) const;
  /// Returns the splices with the overwritten bytes, which are in a splice of the same size or are splices themselves.
  std::vector<Splice> withPatches() const;
  /// Returns all splices by offset, including those for `numbers`.
  std::vector<Splice> ordered(const std::map<uint64_t, Number>& numbers) const;

  const FieldTree& m_tree;
  std::vector<Splice> m_splices; ///< in the order of the calls
  std::vector<Splice> m_patches; ///< overwritten bytes; they do not overlap
};

} // namespace blobscope::edit
