#include "core/library/classic_search.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/library/key_scan.h"
#include "core/modules/registry.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace blobscope::library {
namespace {

constexpr std::string_view kTree = "_import_tree";

/// The state of a failed frame, so that it is not tried again: record number, position, allowance, whether the tree was
/// found.
struct State {
  uint64_t record, position, allowance;
  bool treeSeen;
  friend bool operator==(const State&, const State&) = default;
};
struct StateHash {
  std::size_t operator()(const State& state) const {
    uint64_t hash = state.position * 0x9e3779b97f4a7c15;
    hash ^= (state.record * 0xc2b2ae3d27d4eb4f) ^ (state.allowance << 1) ^ (state.treeSeen ? 1 : 0);
    return static_cast<std::size_t>(hash ^ (hash >> 29));
  }
};

} // namespace

/// A record that is being tried, with the position in its alternatives.
struct ClassicSearch::Frame {
  State state;
  std::optional<Bytes> key;
  Record record;
  std::optional<StoredTree> tree;
  std::size_t layout = 0; ///< next layout to try
  int order = 0;          ///< next order of unknown ends to try
  std::size_t index = 0;  ///< next candidate of that order
};

ClassicSearch::ClassicSearch(const Bytes& blob, uint64_t start, uint64_t count, WireContext context,
                             std::shared_ptr<RecordPlaces> places, Budget& budget, Monitor& monitor)
    : m_blob(blob), m_start(start), m_count(count), m_context(context), m_budget(&budget), m_monitor(&monitor),
      m_places(std::move(places)) {}

std::optional<Bytes> ClassicSearch::keyAt(uint64_t position) const {
  Reader reader(m_blob.slice(position));
  Bytes key = reader.string("key");
  if (!reader.ok() || !isKeyText(key.view())) return std::nullopt;
  return key;
}

bool ClassicSearch::advanceKnown(Frame& frame) {
  const std::string_view key = frame.key->view();
  const uint64_t payload = frame.state.position + 8 + key.size();
  if (key == kTree) {
    if (frame.layout++ > 0 || frame.state.treeSeen) return false;
    Reader reader(m_blob.slice(payload));
    frame.tree = readImportTree(reader);
    if (!frame.tree) return false;
    frame.record =
        Record{Record::Kind::Tree, *frame.key, frame.state.position, payload, payload + reader.position(), nullptr};
    return true;
  }
  const modules::ModuleCodec* const codec = modules::findCodec(key);
  while (codec && frame.layout < codec->layouts.size()) {
    const modules::Layout& layout = codec->layouts[frame.layout++];
    Reader reader(m_blob.slice(payload));
    modules::BodyPtr body = layout.decode(reader, m_context);
    // A crafted file can contain many offsets at which decoding takes long, so that work counts too.
    if (m_searching) m_steps += reader.operations() / 8;
    if (!body) continue;
    frame.record =
        Record{Record::Kind::Module, *frame.key, frame.state.position, payload, payload + reader.position(), body};
    return true;
  }
  return false;
}

/// Ends of an unknown payload, in this order: the next record has the same key (a repeated vendor kind), a known key,
/// any other key; a string at the start of the payload is the last choice, since vendor payloads begin with one.
bool ClassicSearch::advanceUnknown(Frame& frame) {
  const std::string_view key = frame.key->view();
  if (frame.state.allowance == 0 || key == modules::kLibraryKey || key == kTree || key[0] == '_') return false;
  // Everything before the last record that decodes is accepted.
  if (frame.state.record + 1 < m_prefix.records.size()) return false;
  const uint64_t payload = frame.state.position + 8 + key.size();
  const bool last = frame.state.record + 1 == m_count;

  const auto endAt = [&](uint64_t end) {
    const bool known = modules::findCodec(key) != nullptr;
    frame.record = Record{Record::Kind::Module,
                          *frame.key,
                          frame.state.position,
                          payload,
                          end,
                          modules::opaqueBody(m_blob.slice(payload, end - payload)),
                          known ? Undecoded::Damaged : Undecoded::UnknownKind};
    return true;
  };
  if (last) {
    if (frame.order++ > 0) return false;
    return endAt(m_blob.size()); // a stream without a tree; otherwise the tree is the last record
  }
  const bool onlyDecodable = frame.state.allowance == 1;
  for (; frame.order < 5; ++frame.order, frame.index = 0) {
    const bool same = frame.order == 0, atStart = frame.order == 4;
    if (same && onlyDecodable) continue;
    if (frame.order >= 2 && frame.order <= 3 && onlyDecodable) continue;
    if (same || atStart) {
      const std::vector<RecordPlaces::Candidate>& candidates = m_places->all();
      const auto from = std::lower_bound(candidates.begin(), candidates.end(), payload,
                                         [](const RecordPlaces::Candidate& c, uint64_t p) { return c.position < p; });
      const auto first = static_cast<std::size_t>(from - candidates.begin());
      for (frame.index = std::max(frame.index, first); frame.index < candidates.size(); ++frame.index) {
        const RecordPlaces::Candidate& candidate = candidates[frame.index];
        if (atStart && candidate.position != payload) break;
        ++m_steps;
        if (atStart ? onlyDecodable && candidate.kind != RecordPlaces::Class::Decodable
                    : candidate.position == payload || keyAt(candidate.position)->view() != key)
          continue;
        ++frame.index;
        return endAt(candidate.position);
      }
      continue;
    }
    const std::vector<uint64_t>& positions = m_places->of(static_cast<RecordPlaces::Class>(frame.order - 1));
    if (frame.index == 0)
      frame.index =
          static_cast<std::size_t>(std::upper_bound(positions.begin(), positions.end(), payload) - positions.begin());
    if (frame.index < positions.size()) return endAt(positions[frame.index++]);
  }
  return false;
}

bool ClassicSearch::advance(Frame& frame) {
  if (!frame.key) return false;
  return advanceKnown(frame) || advanceUnknown(frame);
}

Result<Done> RecordPlaces::collect(uint64_t from) {
  if (m_collectedFrom && from >= *m_collectedFrom) return Done{};
  m_collectedFrom = from;
  m_candidates.clear();
  for (auto& positions : m_byClass) positions.clear();
  return scanKeys(m_blob, from, m_monitor, [&](uint64_t position, std::string_view key) {
    Class kind = Class::Other;
    if (key == kTree || modules::findCodec(key))
      kind = Class::Decodable;
    else if (modules::isUpstreamKey(key))
      kind = Class::Upstream;
    auto& positions = m_byClass[static_cast<int>(kind)];
    if (positions.size() >= limits::kSearchCandidates) {
      m_capped = true;
      return true;
    }
    positions.push_back(position);
    m_candidates.push_back({position, kind});
    return true;
  });
}

Result<bool> RecordPlaces::hasAnchor() {
  if (m_anchor) return *m_anchor;
  // In a well-formed blob the tree ends at the end of the blob, so the last step is searched first.
  constexpr uint64_t kStep = 1 << 20;
  std::string pattern(8, '\0');
  pattern[0] = static_cast<char>(kTree.size());
  pattern += kTree;
  const std::string_view all = m_blob.view();
  m_anchor = false;
  for (uint64_t end = all.size(); end > m_start && !*m_anchor;) {
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    m_monitor.progress("looking for the import tree", all.size() - end, all.size());
    const uint64_t begin = end - m_start > kStep ? end - kStep : m_start;
    const std::string_view part = all.substr(begin, end - begin + pattern.size() - 1);
    for (std::size_t at = findBytes(part, pattern, 0); at != std::string_view::npos && !*m_anchor;
         at = findBytes(part, pattern, at + 1)) {
      m_treeKey = true;
      Reader reader(m_blob.slice(begin + at + pattern.size()));
      const auto tree = readImportTree(reader);
      // The trees of a crafted file can all claim the same megabytes.
      m_anchor = tree && tree->hasRowsFor(m_count - 1) && m_budget.takeWork(tree->size()) && tree->fits(m_count - 1);
    }
    end = begin;
  }
  return *m_anchor;
}

bool ClassicSearch::treeFits(const Frame& frame) {
  const auto [known, isNew] = m_treeFits.try_emplace(frame.record.start, false);
  if (isNew && frame.tree->hasRowsFor(m_count - 1) && m_budget->takeWork(frame.tree->size()))
    known->second = frame.tree->fits(m_count - 1);
  return known->second;
}

bool ClassicSearch::accepts(const std::vector<Frame>& stack, uint64_t end, Accept accept, Outcome& outcome) {
  const bool unknown = stack.front().state.allowance > 0;
  if ((accept == Accept::Whole || (accept == Accept::UnfitTree && unknown)) && end != m_blob.size()) return false;
  const Frame* tree = nullptr;
  bool lib = false;
  for (const Frame& frame : stack) {
    if (frame.record.kind == Record::Kind::Tree) tree = &frame;
    if (frame.record.key.view() == modules::kLibraryKey) lib = true;
  }
  if (accept != Accept::UnfitTree) {
    if (tree && !treeFits(*tree)) return false;
    if (!tree && (lib || (unknown && !m_places->canBeFlat()))) return false;
  } else if (unknown && !tree) {
    return false;
  }
  outcome = outcomeOf(stack, end);
  return true;
}

ClassicSearch::Outcome ClassicSearch::outcomeOf(const std::vector<Frame>& stack, uint64_t end) const {
  Outcome outcome;
  outcome.end = end;
  for (const Frame& frame : stack) {
    outcome.records.push_back(frame.record);
    if (frame.record.kind == Record::Kind::Tree) outcome.tree = frame.tree;
  }
  // Two different undecoded kinds next to each other: nothing proves where the first one ends. A repeated kind proves
  // it.
  for (std::size_t i = 0; i + 1 < outcome.records.size(); ++i) {
    Record& record = outcome.records[i];
    const Record& next = outcome.records[i + 1];
    record.guess = record.undecoded != Undecoded::No && next.undecoded != Undecoded::No && !(record.key == next.key);
  }
  return outcome;
}

/// Counts a step. Returns false when the search has to end. Error: only Cancelled.
Result<bool> ClassicSearch::payStep() {
  if (++m_steps > limits::kSearchSteps) {
    m_capped = true;
    return false;
  }
  if (++m_rounds % 256 != 0) return true;
  if (m_monitor->stopRequested()) return Error(DiagnosticId::Cancelled, {});
  if (m_budget->takeWork((m_steps - std::exchange(m_paidSteps, m_steps)) * limits::kStepCost)) return true;
  m_capped = true;
  return false;
}

/// Keeps the path when it is longer than the earlier ones.
void ClassicSearch::keepPrefix(const std::vector<Frame>& stack) {
  const uint64_t depth = stack.size();
  if (depth <= m_prefix.records.size()) return;
  // The path changes from some record on; the records before it are unchanged.
  m_prefix.records.resize(depth - 1);
  for (std::size_t i = depth - 1; i-- > 0;) {
    const Record& known = m_prefix.records[i];
    if (known.body == stack[i].record.body && known.end == stack[i].record.end) break;
    m_prefix.records[i] = stack[i].record;
  }
  const Record& record = stack.back().record;
  m_prefix.records.push_back(record);
  m_prefix.end = record.end;
  if (record.kind == Record::Kind::Tree) m_prefix.tree = stack.back().tree;
}

Result<std::optional<ClassicSearch::Outcome>> ClassicSearch::find(uint64_t allowance, Accept accept) {
  m_searching = allowance > 0;
  if (m_searching) {
    BLOBSCOPE_TRY(anchor, hasAnchor());
    // Without a fitting tree only a flat stream can be complete: other streams need no search.
    if (accept == Accept::Whole && !anchor && !m_places->canBeFlat()) return std::optional<Outcome>();
    BLOBSCOPE_CHECK(m_places->collect(m_prefix.records.empty() ? m_start : m_prefix.records.back().start));
  }
  std::unordered_set<State, StateHash> failed;
  std::vector<Frame> stack;
  const auto push = [&](State state) {
    Frame frame;
    frame.state = state;
    frame.key = keyAt(state.position);
    stack.push_back(std::move(frame));
  };
  push({0, m_start, allowance, false});
  while (!stack.empty()) {
    BLOBSCOPE_TRY(more, payStep());
    if (!more) return std::optional<Outcome>();
    Frame& top = stack.back();
    if (!advance(top)) {
      failed.insert(top.state);
      stack.pop_back();
      continue;
    }
    const Record& record = top.record;
    if (allowance == 0) keepPrefix(stack);
    State next = top.state;
    ++next.record;
    next.position = record.end;
    if (record.undecoded != Undecoded::No) --next.allowance;
    if (record.kind == Record::Kind::Tree) next.treeSeen = true;
    if (next.record == m_count) {
      Outcome outcome;
      if (accepts(stack, next.position, accept, outcome)) return std::optional(std::move(outcome));
      continue;
    }
    if (next.record >= limits::kModules) {
      m_capped = true;
      continue;
    }
    if (!failed.contains(next)) push(next);
  }
  return std::optional<Outcome>();
}

} // namespace blobscope::library
