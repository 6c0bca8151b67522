#pragma once

#include "core/base/bytes.h"
#include "core/write/plan.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::write {

/// Replaces parts of a file by more or fewer bytes. The rest is copied and moves when bytes before it grow or shrink.
class Rewrite {
public:
  /// `blob`: the ranges of the old blob in `input`, ascending.
  Rewrite(Bytes input, std::vector<Extent> blob) : m_input(std::move(input)), m_blob(std::move(blob)) {}

  /// Replaces bytes by the same number of bytes; does nothing when the input already has them.
  void set(uint64_t offset, std::string_view bytes, std::string why);
  /// Replaces the range `old` by `bytes`; when `old` is empty, inserts them before its offset.
  void replace(Extent old, std::string_view bytes, std::string why);
  void zeros(Extent old, uint64_t count, std::string why);
  void remove(Extent old) { replace(old, {}, {}); }
  /// Replaces a range by the new blob, or by an encoded form of it.
  void blob(Extent old, const NewBlob& newBlob);
  void blob(Extent old, Bytes encoded, std::string why);

  /// Returns the size of `old` in the output, including insertions at both of its ends.
  uint64_t sizeOf(Extent old) const;
  /// Sorts the parts. REP-SHAPE when two overlap or one is outside of the input.
  Result<Done> settle(const library::Package& package);
  /// Returns the output offset of a byte of the input. Call settle() first.
  uint64_t outputOf(uint64_t offset) const;
  void step(std::string what, uint64_t outputOffset, uint64_t size, std::string why);
  Plan plan(Strategy strategy) const;

private:
  struct Item {
    Extent old;
    bool isBlob = false;
    uint64_t zeroCount = 0;
    uint64_t size = 0; ///< size in the output
    std::vector<Bytes> pieces;
    std::string why; ///< empty for pieces of the unencoded blob
  };

  Bytes m_input;
  std::vector<Extent> m_blob;
  std::vector<Item> m_items;
  std::vector<Step> m_steps;
};

} // namespace blobscope::write
