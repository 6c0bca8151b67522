#include "core/library/stream.h"

#include "core/base/limits.h"
#include "core/library/classic_search.h"
#include "core/library/key_scan.h"
#include "core/modules/registry.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>

namespace blobscope::library {
namespace {

constexpr uint64_t kStreamHeader = 8;
/// The shortest record: a key of one character without payload. (`_lib` takes 12 bytes.)
constexpr uint64_t kShortestRecord = 9;

uint64_t wordAt(const Bytes& bytes, uint64_t offset) {
  uint64_t word = 0;
  if (offset + 8 <= bytes.size()) std::memcpy(&word, bytes.data() + offset, 8);
  return word;
}

std::array<WireContext, 2> contextsFrom(WireContext likely) {
  WireContext other = likely;
  other.extraTags = !likely.extraTags;
  return {likely, other};
}

/// Returns the error of the layout that decoded the most bytes, for bytes that fit no layout.
std::optional<Error> explain(const modules::ModuleCodec* codec, const Bytes& payload, WireContext context) {
  if (!codec) return std::nullopt;
  auto body = modules::decodePayload(*codec, payload, {{context}});
  return body ? std::nullopt : std::optional(body.takeError());
}

Record opaqueRecord(const Bytes& blob, const Bytes& key, uint64_t start, uint64_t payloadStart, uint64_t end,
                    Undecoded why) {
  return Record{Record::Kind::Module,
                key,
                start,
                payloadStart,
                end,
                modules::opaqueBody(blob.slice(payloadStart, end - payloadStart)),
                why};
}

// --- classic

class ClassicCutter {
public:
  ClassicCutter(const Bytes& blob, WireContext likely, Budget& budget, Monitor& monitor)
      : m_blob(blob), m_contexts(contextsFrom(likely)), m_budget(budget), m_monitor(monitor) {}

  Result<SplitStream> cut() {
    m_out.stream = Stream::Classic;
    m_out.context = m_contexts[0];
    if (m_blob.size() < kStreamHeader + 8) { // too short for a count
      m_out.end = std::min<uint64_t>(m_blob.size(), kStreamHeader);
      return std::move(m_out);
    }
    const uint64_t count = wordAt(m_blob, kStreamHeader);
    m_out.count = count;
    m_out.end = kStreamHeader + 8;
    if (count == 0) return cutUncounted();

    // A count that exceeds the bytes is wrong, but the existing records are still worth showing.
    const uint64_t start = kStreamHeader + 8, possible = (m_blob.size() - start) / kShortestRecord;
    m_plausible = count <= possible && count <= limits::kModules;
    const auto places = std::make_shared<RecordPlaces>(m_blob, start, count, m_budget, m_monitor);
    for (const WireContext context : m_contexts)
      m_searches.emplace_back(m_blob, start, count, context, places, m_budget, m_monitor);
    BLOBSCOPE_TRY(found, search());
    for (const ClassicSearch& search : m_searches)
      if (search.capped())
        m_out.diagnostics.push_back({DiagnosticId::BlobSearchLimit, {}, {arg("steps", limits::kSearchSteps)}});
    if (!found) takePrefix();
    explainDamage();
    return std::move(m_out);
  }

private:
  using Accept = ClassicSearch::Accept;

  /// Makes the attempts in order of confidence. Returns true when one found all records.
  Result<bool> search() {
    BLOBSCOPE_TRY(whole, tryBoth(0, Accept::Whole));
    if (whole) {
      m_out.complete = true;
      return true;
    }
    if (!m_plausible) return false;
    // From here on, the form that decodes more is tried first.
    if (m_searches[1].prefix().end > m_searches[0].prefix().end) {
      std::swap(m_searches[0], m_searches[1]);
      std::swap(m_contexts[0], m_contexts[1]);
    }
    BLOBSCOPE_TRY(anchor, m_searches[0].hasAnchor());
    for (const Attempt attempt : anchor ? withAnchor() : withoutAnchor()) {
      BLOBSCOPE_TRY(found, tryBoth(attempt.allowance, attempt.accept));
      if (!found) continue;
      m_out.complete = attempt.accept == Accept::Whole;
      return true;
    }
    return false;
  }

  struct Attempt {
    uint64_t allowance;
    Accept accept;
  };
  /// A tree that fits proves the ends: first the fewest undecoded modules, then with bytes after the last record.
  static std::vector<Attempt> withAnchor() {
    std::vector<Attempt> attempts;
    for (uint64_t k = 1; k <= limits::kSearchAllowance; ++k) attempts.push_back({k, Accept::Whole});
    for (uint64_t k = 0; k <= limits::kSearchAllowance; ++k) attempts.push_back({k, Accept::LeftOver});
    attempts.push_back({0, Accept::UnfitTree});
    return attempts;
  }
  /// Without a tree, several undecoded modules cannot be distinguished from one, and decoding has priority over
  /// guesses.
  static std::vector<Attempt> withoutAnchor() {
    return {{0, Accept::LeftOver}, {1, Accept::Whole}, {0, Accept::UnfitTree}, {1, Accept::UnfitTree}};
  }

  Result<bool> tryBoth(uint64_t allowance, Accept accept) {
    for (std::size_t i = 0; i < m_searches.size(); ++i) {
      BLOBSCOPE_TRY(found, m_searches[i].find(allowance, accept));
      if (!found) continue;
      take(std::move(*found), m_contexts[i]);
      return true;
    }
    return false;
  }

  void take(ClassicSearch::Outcome outcome, WireContext context) {
    m_out.context = context;
    m_out.records = std::move(outcome.records);
    m_out.tree = outcome.tree ? std::optional(outcome.tree->values()) : std::nullopt;
    m_out.end = outcome.end;
  }

  /// Nothing fits: the records that decode from the start, and the rest as one region.
  void takePrefix() {
    const bool second = m_searches[1].prefix().end > m_searches[0].prefix().end;
    const ClassicSearch::Outcome& prefix = m_searches[second].prefix();
    take(prefix, m_contexts[second]);
    if (m_out.records.empty()) m_out.end = kStreamHeader + 8;
    if (m_out.end == m_blob.size()) return;
    Reader reader(m_blob.slice(m_out.end));
    const Bytes key = reader.string("key");
    // A damaged tree or `_lib` is not a module that extends to the end; its bytes stay trailing.
    const bool module = reader.ok() && isKeyText(key.view()) && key.view()[0] != '_' &&
                        m_out.records.size() < *m_out.count && m_out.records.size() < limits::kModules;
    if (!module) return;
    const uint64_t payload = m_out.end + reader.position();
    m_out.records.push_back(opaqueRecord(m_blob, key, m_out.end, payload, m_blob.size(), Undecoded::Region));
    m_out.end = m_blob.size();
  }

  /// v0.14 – v0.21 may write one record after a count of 0 (apache/tvm 8f60213cb5).
  Result<SplitStream> cutUncounted() {
    m_out.complete = m_blob.size() == m_out.end;
    if (m_out.complete) return std::move(m_out);
    const auto places = std::make_shared<RecordPlaces>(m_blob, m_out.end, 1, m_budget, m_monitor);
    for (const WireContext context : m_contexts) {
      ClassicSearch search(m_blob, m_out.end, 1, context, places, m_budget, m_monitor);
      BLOBSCOPE_TRY(found, search.find(0, Accept::Whole));
      if (!found) continue;
      take(std::move(*found), context);
      m_out.uncounted = true;
      m_out.complete = true;
      break;
    }
    return std::move(m_out);
  }

  void explainDamage() {
    for (Record& record : m_out.records) {
      if (record.undecoded != Undecoded::Damaged && record.undecoded != Undecoded::Region) continue;
      const modules::ModuleCodec* const codec = modules::findCodec(record.key.view());
      const Bytes payload = m_blob.slice(record.payloadStart, record.end - record.payloadStart);
      if (auto newer = codec && record.undecoded == Undecoded::Damaged && !record.guess
                           ? modules::decodeNewerPayload(*codec, payload, {{m_out.context}})
                           : nullptr) {
        record.body = std::move(newer);
        record.undecoded = Undecoded::No;
        continue;
      }
      record.whyDamaged = explain(codec, payload, m_out.context);
      if (codec && record.undecoded == Undecoded::Damaged)
        record.body = modules::damagedBody(payload, *codec, m_out.context);
    }
  }

  Bytes m_blob;
  std::array<WireContext, 2> m_contexts;
  Budget& m_budget;
  Monitor& m_monitor;
  std::vector<ClassicSearch> m_searches;
  bool m_plausible = true;
  SplitStream m_out;
};

// --- ffi

class FfiCutter {
public:
  FfiCutter(const Bytes& blob, WireContext likely, Monitor& monitor)
      : m_blob(blob), m_contexts(contextsFrom(likely)), m_monitor(monitor) {}

  Result<SplitStream> cut() {
    m_out.stream = Stream::Ffi;
    m_out.context = m_contexts[0];
    m_out.end = kStreamHeader;
    Reader reader(m_blob);
    reader.seek(kStreamHeader);
    reader.enter("import tree");
    const auto tree = readImportTree(reader);
    if (!tree) {
      m_out.diagnostics.push_back(reader.error().diagnostic());
      return std::move(m_out);
    }
    m_out.tree = tree->values();
    m_out.end = reader.position();
    const uint64_t modules = m_out.tree->indptr.empty() ? 0 : m_out.tree->indptr.size() - 1;
    for (uint64_t i = 0; i < modules; ++i) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      m_monitor.progress("decoding modules", i, modules);
      const uint64_t start = m_out.end, after = modules - i - 1;
      std::optional<Record> uncertain;
      if (readRecord(start)) {
        const Record& read = m_out.records.back();
        const bool exact = read.undecoded == Undecoded::No && read.body->unknownTail().empty();
        if (exact || recordsFrom(m_out.end) == after) continue;
        // The record does not decode and the records after it do not fit: its length may be damaged.
        uncertain = std::move(m_out.records.back());
        m_out.records.pop_back();
        m_out.end = start;
      }
      BLOBSCOPE_TRY(more, skipDamaged(after));
      if (more) continue;
      if (!uncertain) break;
      if (m_out.records.size() > i) m_out.records.pop_back();
      m_out.end = uncertain->end;
      m_out.records.push_back(std::move(*uncertain));
    }
    m_out.complete = m_out.end == m_blob.size() && m_out.records.size() == modules && m_out.tree->fits(modules);
    return std::move(m_out);
  }

private:
  /// Key and extent of the record at `position`.
  struct Cut {
    Bytes key;
    uint64_t payload, end;
  };
  std::optional<Cut> cutAt(uint64_t position) const {
    Reader reader(m_blob.slice(position));
    const Bytes key = reader.string("key");
    if (!reader.ok() || key.empty() || key.size() > 4096) return std::nullopt;
    if (key.view() == modules::kLibraryKey) return Cut{key, position + reader.position(), position + reader.position()};
    const Bytes value = reader.string("value");
    if (!reader.ok()) return std::nullopt;
    return Cut{key, position + reader.position() - value.size(), position + reader.position()};
  }

  bool readRecord(uint64_t position) {
    const auto cut = cutAt(position);
    if (!cut) return false;
    const Bytes payload = m_blob.slice(cut->payload, cut->end - cut->payload);
    const modules::ModuleCodec* const codec = modules::findCodec(cut->key.view());
    if (codec)
      if (auto body = modules::decodePayload(*codec, payload, m_contexts)) {
        m_out.records.push_back(
            Record{Record::Kind::Module, cut->key, position, cut->payload, cut->end, std::move(*body)});
        m_out.end = cut->end;
        return true;
      }
    if (auto newer = codec ? modules::decodeNewerPayload(*codec, payload, m_contexts) : nullptr) {
      m_out.records.push_back(
          Record{Record::Kind::Module, cut->key, position, cut->payload, cut->end, std::move(newer)});
      m_out.end = cut->end;
      return true;
    }
    Record record = opaqueRecord(m_blob, cut->key, position, cut->payload, cut->end,
                                 codec ? Undecoded::Damaged : Undecoded::UnknownKind);
    record.whyDamaged = explain(codec, payload, m_contexts[0]);
    if (codec) record.body = modules::damagedBody(payload, *codec, m_contexts[0]);
    m_out.records.push_back(std::move(record));
    m_out.end = cut->end;
    return true;
  }

  /// Returns the number of records from `position` to the end of the blob; nothing when they do not end there. Results
  /// are cached, so that a crafted file whose records skip past each other does not take quadratic time.
  std::optional<uint64_t> recordsFrom(uint64_t position) {
    std::vector<uint64_t> path;
    std::optional<uint64_t> count;
    while (true) {
      if (position == m_blob.size()) {
        count = 0;
        break;
      }
      if (const auto known = m_recordsFrom.find(position); known != m_recordsFrom.end()) {
        count = known->second;
        break;
      }
      path.push_back(position);
      const auto cut = cutAt(position);
      if (!cut) break;
      position = cut->end;
    }
    for (auto place = path.rbegin(); place != path.rend(); ++place) {
      if (count) ++*count;
      m_recordsFrom.emplace(*place, count);
    }
    return count;
  }

  /// Skips the record at m_out.end, whose length is damaged. The records after it store their own lengths, so the next
  /// one begins where exactly `after` records fill the rest. Returns false when there is no such offset.
  Result<bool> skipDamaged(uint64_t after) {
    const uint64_t start = m_out.end;
    Reader reader(m_blob.slice(start));
    Bytes key = reader.string("key");
    if (!reader.ok() || !isKeyText(key.view())) key = {};
    const uint64_t payload = key.empty() ? start : start + reader.position();
    std::optional<uint64_t> next;
    // Each scan reads the whole rest of the blob, so the number of scans without a result is limited.
    constexpr int kFruitlessScans = 16;
    if (after > 0 && m_fruitlessScans < kFruitlessScans) {
      BLOBSCOPE_CHECK(scanKeys(m_blob, payload, m_monitor, [&](uint64_t position, std::string_view) {
        if (recordsFrom(position) != after) return true;
        next = position;
        return false;
      }));
    }
    if (!next) ++m_fruitlessScans;
    if (!next && start == m_blob.size()) return false;
    const uint64_t end = next.value_or(m_blob.size());
    Record record = opaqueRecord(m_blob, key, start, payload, end, Undecoded::Region);
    if (reader.ok()) (void)reader.string("value");
    if (!reader.ok()) record.whyDamaged = reader.error();
    m_out.records.push_back(std::move(record));
    m_out.end = end;
    return next.has_value();
  }

  Bytes m_blob;
  std::array<WireContext, 2> m_contexts;
  Monitor& m_monitor;
  std::unordered_map<uint64_t, std::optional<uint64_t>> m_recordsFrom;
  int m_fruitlessScans = 0;
  SplitStream m_out;
};

} // namespace

std::string_view streamName(Stream stream) { return stream == Stream::Ffi ? "ffi" : "classic"; }

namespace {

/// ImportTree::fits() for `rows` values of indptr and `children` of child, wherever they are.
template <class Row, class Child>
bool treeFits(uint64_t modules, uint64_t rows, const Row& rowAt, uint64_t children, const Child& childAt) {
  if (rows == 0 || rows != modules + 1 || rowAt(0) != 0 || rowAt(modules) != children) return false;
  for (uint64_t i = 1; i < rows; ++i)
    if (rowAt(i) < rowAt(i - 1)) return false;
  for (uint64_t i = 0; i < children; ++i)
    if (childAt(i) >= modules) return false;
  return true;
}

} // namespace

bool ImportTree::fits(uint64_t modules) const {
  return treeFits(
      modules, indptr.size(), [&](uint64_t i) { return indptr[i]; }, child.size(),
      [&](uint64_t i) { return child[i]; });
}

bool ImportTree::hasAscendingRows() const {
  return std::is_sorted(indptr.begin(), indptr.end()) && (indptr.empty() || indptr.back() <= child.size());
}

bool StoredTree::fits(uint64_t modules) const {
  return treeFits(
      modules, indptr.size() / 8, [&](uint64_t i) { return wordAt(indptr, 8 * i); }, child.size() / 8,
      [&](uint64_t i) { return wordAt(child, 8 * i); });
}

ImportTree StoredTree::values() const {
  const auto words = [](const Bytes& bytes) {
    std::vector<uint64_t> out(bytes.size() / 8);
    if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  };
  return {words(indptr), words(child)};
}

std::optional<StoredTree> readImportTree(Reader& reader) {
  StoredTree tree;
  tree.indptr = reader.array("indptr", 8, limits::kModules + 1);
  tree.child = reader.array("child", 8, limits::kImportEdges);
  if (!reader.ok()) return std::nullopt;
  return tree;
}

Result<SplitStream> splitStream(const Bytes& blob, WireContext likely, Monitor& monitor) {
  const BudgetPtr budget = Budget::forFile(blob.size());
  return splitStream(blob, likely, *budget, monitor);
}

Result<SplitStream> splitStream(const Bytes& blob, WireContext likely, Budget& budget, Monitor& monitor) {
  // The word after the first payload word is indptr[0], always 0, in an ffi stream, and the length of the first key,
  // never 0, in a classic one (core/formats/blob.md 3.1).
  const bool ffi = blob.size() >= kStreamHeader + 16 && wordAt(blob, kStreamHeader + 8) == 0;
  Result<SplitStream> cut =
      ffi ? FfiCutter(blob, likely, monitor).cut() : ClassicCutter(blob, likely, budget, monitor).cut();
  if (!cut) return cut;
  for (const Record& record : cut->records)
    if (record.key.view() == modules::kLibraryKey) cut->hasLibRecord = true;
  return cut;
}

} // namespace blobscope::library
