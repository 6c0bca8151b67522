#pragma once

#include "core/base/bytes.h"
#include "core/write/plan.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::write {

/// Parts of a file that become others, also more or fewer bytes. What is not replaced is copied and lies elsewhere when
/// something before it grew.
class Rewrite {
public:
  /// `blob`: where the old blob lies in `input`, ascending.
  Rewrite(Bytes input, std::vector<Extent> blob) : m_input(std::move(input)), m_blob(std::move(blob)) {}

  /// As many bytes as before; nothing when the input holds them already.
  void set(uint64_t offset, std::string_view bytes, std::string why);
  /// Other bytes in the place of `old`, which may be empty: then they stand before what is there.
  void replace(Extent old, std::string_view bytes, std::string why);
  void zeros(Extent old, uint64_t count, std::string why);
  void remove(Extent old) { replace(old, {}, {}); }
  /// The new blob, or what holds it in another form.
  void blob(Extent old, const NewBlob& newBlob);
  void blob(Extent old, Bytes encoded, std::string why);

  /// Bytes that `old` has in the output, with what is put before or behind it at its borders.
  uint64_t sizeOf(Extent old) const;
  /// Sorts the parts. REP-SHAPE when two overlap or lie outside of the input.
  Result<Done> settle(const library::Package& package);
  /// Where a byte of the input lies in the output; call settle() before.
  uint64_t outputOf(uint64_t offset) const;
  void step(std::string what, uint64_t outputOffset, uint64_t size, std::string why);
  Plan plan(Strategy strategy) const;

private:
  struct Item {
    Extent old;
    bool isBlob = false;
    uint64_t zeroCount = 0;
    uint64_t size = 0; ///< in the output
    std::vector<Bytes> pieces;
    std::string why; ///< empty: pieces of the blob as it is
  };

  Bytes m_input;
  std::vector<Extent> m_blob;
  std::vector<Item> m_items;
  std::vector<Step> m_steps;
};

} // namespace blobscope::write
