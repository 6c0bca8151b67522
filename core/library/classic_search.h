#pragma once

#include "core/library/stream.h"

#include <memory>
#include <unordered_map>

namespace blobscope::library {

/// The offsets at which records of a classic stream may begin. They do not depend on the FunctionInfo form, so one
/// search serves both forms.
class RecordPlaces {
public:
  enum class Class : uint8_t { Decodable, Upstream, Other };
  struct Candidate {
    uint64_t position;
    Class kind;
  };

  RecordPlaces(const Bytes& blob, uint64_t start, uint64_t count, Budget& budget, Monitor& monitor)
      : m_blob(blob), m_start(start), m_count(count), m_budget(budget), m_monitor(monitor) {}

  /// Whether the blob contains an `_import_tree` whose vectors fit. Without one, the ends of records can only be
  /// guessed.
  Result<bool> hasAnchor();
  /// Whether the stream can be a flat one: it contains no `_import_tree`. Known after hasAnchor().
  bool canBeFlat() const { return !m_treeKey; }
  /// Finds the offsets at or after `from`.
  Result<Done> collect(uint64_t from);
  const std::vector<Candidate>& all() const { return m_candidates; }
  const std::vector<uint64_t>& of(Class kind) const { return m_byClass[static_cast<int>(kind)]; }
  bool capped() const { return m_capped; }

private:
  Bytes m_blob;
  uint64_t m_start, m_count;
  Budget& m_budget;
  Monitor& m_monitor;
  std::vector<Candidate> m_candidates; ///< by position
  std::vector<uint64_t> m_byClass[3];  ///< positions, ascending
  std::optional<uint64_t> m_collectedFrom;
  std::optional<bool> m_anchor;
  bool m_treeKey = false;
  bool m_capped = false;
};

/// Parses `count` records of a classic stream that begin at `start`, whose records have no lengths.
///
/// A record whose key has a codec ends where decoding ends. Where no codec fits, the end has to be derived from the
/// bytes that follow; the parse with the fewest undecoded modules wins, as core/formats/blob.md 6.1 describes. The
/// search is limited by limits::kSearchCandidates, kSearchSteps and kSearchAllowance, and charged to a budget.
class ClassicSearch {
public:
  /// `blob`: header included; offsets count from its start.
  ClassicSearch(const Bytes& blob, uint64_t start, uint64_t count, WireContext context,
                std::shared_ptr<RecordPlaces> places, Budget& budget, Monitor& monitor);

  struct Outcome {
    std::vector<Record> records;
    std::optional<StoredTree> tree;
    uint64_t end = 0;
  };
  enum class Accept {
    Whole,     ///< all bytes consumed and the tree fits; without a tree record, only known kinds (flat streams)
    LeftOver,  ///< bytes after the last record are allowed
    UnfitTree, ///< like LeftOver, and the tree may be wrong or missing
  };

  /// Returns a parse with at most `allowance` undecoded modules; nothing if there is none or a limit was reached.
  Result<std::optional<Outcome>> find(uint64_t allowance, Accept accept);
  /// The longest sequence of decodable records that find(0, …) has found so far. Every other parse starts with it.
  const Outcome& prefix() const { return m_prefix; }
  Result<bool> hasAnchor() { return m_places->hasAnchor(); }
  /// Whether limits ended a search early.
  bool capped() const { return m_capped || m_places->capped(); }

private:
  struct Frame;

  bool advance(Frame& frame);
  bool advanceKnown(Frame& frame);
  bool advanceUnknown(Frame& frame);
  std::optional<Bytes> keyAt(uint64_t position) const;
  Result<bool> payStep();
  void keepPrefix(const std::vector<Frame>& stack);
  bool treeFits(const Frame& frame);
  bool accepts(const std::vector<Frame>& stack, uint64_t end, Accept accept, Outcome& outcome);
  Outcome outcomeOf(const std::vector<Frame>& stack, uint64_t end) const;

  Bytes m_blob;
  uint64_t m_start;
  uint64_t m_count;
  WireContext m_context;
  Budget* m_budget;
  Monitor* m_monitor;
  std::shared_ptr<RecordPlaces> m_places;
  bool m_capped = false;
  bool m_searching = false; ///< true while searching with an allowance; only then steps are counted
  uint64_t m_steps = 0, m_paidSteps = 0, m_rounds = 0;
  std::unordered_map<uint64_t, bool> m_treeFits; ///< by the offset of the tree record
  Outcome m_prefix;
};

} // namespace blobscope::library
