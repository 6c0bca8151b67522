#pragma once

#include "core/library/stream.h"

namespace blobscope::library {

/// Parses `count` records of a classic stream that begin at `start`, whose records have no lengths.
///
/// A record whose key has a codec ends where decoding ends. Where no codec fits, the end has to be found from what
/// follows; the parse with the fewest undecoded modules wins, as formats text library-blob.md 6 lays down. The search
/// is capped by limits::kSearchCandidates, kSearchSteps and kSearchAllowance.
class ClassicSearch {
public:
  /// `blob`: header included; offsets count from its start.
  ClassicSearch(const Bytes& blob, uint64_t start, uint64_t count, WireContext context, Monitor& monitor);

  struct Outcome {
    std::vector<Record> records;
    std::optional<ImportTree> tree;
    uint64_t end = 0;
  };
  enum class Accept {
    Whole,       ///< everything consumed, the tree fits; without any tree record only known kinds (flat streams)
    LeftOver,    ///< bytes behind the last record are allowed
    UnfitTree,   ///< and the tree may be wrong or missing
  };

  /// A parse with exactly `allowance` undecoded modules at the most; nothing when there is none or a cap was met.
  Result<std::optional<Outcome>> find(uint64_t allowance, Accept accept);
  /// The longest run of decodable records met by find(0, …) so far. It is the start of every other parse.
  const Outcome& prefix() const { return m_prefix; }
  /// Whether `_import_tree` with vectors that fit stands anywhere. Without it a search for ends is guesswork.
  Result<bool> hasAnchor();
  /// Whether limits ended a search that might have gone on.
  bool capped() const { return m_capped; }

private:
  enum class Class : uint8_t { Decodable, Upstream, Other };
  struct Candidate {
    uint64_t position;
    Class kind;
  };
  struct Frame;

  Result<Done> collectCandidates(uint64_t from);
  bool advance(Frame& frame);
  bool advanceKnown(Frame& frame);
  bool advanceUnknown(Frame& frame);
  std::optional<Bytes> keyAt(uint64_t position) const;
  std::optional<ImportTree> treeAt(uint64_t position, uint64_t& end) const;
  bool accepts(const std::vector<Frame>& stack, uint64_t end, Accept accept, Outcome& outcome) const;
  Outcome outcomeOf(const std::vector<Frame>& stack, uint64_t end) const;

  Bytes m_blob;
  uint64_t m_start;
  uint64_t m_count;
  WireContext m_context;
  Monitor* m_monitor;
  std::vector<Candidate> m_candidates; ///< by position
  std::vector<uint64_t> m_byClass[3];  ///< positions, ascending
  bool m_collected = false;
  uint64_t m_collectedFrom = 0;
  std::optional<bool> m_anchor;
  bool m_flatAllowed = true;
  bool m_capped = false;
  uint64_t m_steps = 0;
  Outcome m_prefix;
};

} // namespace blobscope::library
