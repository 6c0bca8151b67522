#pragma once

#include "core/library/stream.h"

#include <memory>
#include <unordered_map>

namespace blobscope::library {

/// Where records of a classic stream may begin, whatever they are decoded as: found once for both FunctionInfo forms.
class RecordPlaces {
public:
  enum class Class : uint8_t { Decodable, Upstream, Other };
  struct Candidate {
    uint64_t position;
    Class kind;
  };

  RecordPlaces(const Bytes& blob, uint64_t start, uint64_t count, Budget& budget, Monitor& monitor)
      : m_blob(blob), m_start(start), m_count(count), m_budget(budget), m_monitor(monitor) {}

  /// Whether an `_import_tree` whose vectors fit stands anywhere. Without it a search for ends is guesswork.
  Result<bool> hasAnchor();
  /// Whether the stream can be one without a tree: no `_import_tree` stands anywhere. Known after hasAnchor().
  bool canBeFlat() const { return !m_treeKey; }
  /// Finds the places at or behind `from`.
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
/// A record whose key has a codec ends where decoding ends. Where no codec fits, the end has to be found from what
/// follows; the parse with the fewest undecoded modules wins, as core/formats/blob.md 6.1 describes. The search
/// is capped by limits::kSearchCandidates, kSearchSteps and kSearchAllowance, and charged to a budget.
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
    Whole,     ///< everything consumed, the tree fits; without any tree record only known kinds (flat streams)
    LeftOver,  ///< bytes behind the last record are allowed
    UnfitTree, ///< and the tree may be wrong or missing
  };

  /// Finds a parse with at most `allowance` undecoded modules; empty if there is none or a limit was reached.
  Result<std::optional<Outcome>> find(uint64_t allowance, Accept accept);
  /// The longest run of decodable records met by find(0, …) so far. It is the start of every other parse.
  const Outcome& prefix() const { return m_prefix; }
  Result<bool> hasAnchor() { return m_places->hasAnchor(); }
  /// Whether limits ended a search that might have gone on.
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
  bool m_searching = false; ///< with an allowance, when costs count
  uint64_t m_steps = 0, m_paidSteps = 0, m_rounds = 0;
  std::unordered_map<uint64_t, bool> m_treeFits; ///< by the place of its record
  Outcome m_prefix;
};

} // namespace blobscope::library
