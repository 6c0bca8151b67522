#include "core/library/blob.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace blobscope::library {
namespace {

using container::Carrier;
using container::CarrierName;

constexpr uint64_t kHeader = 8;

Era eraOf(CarrierName carrier, const SplitStream& cut) {
  switch (carrier) {
  case CarrierName::DevMblob:
    if (cut.stream == Stream::Ffi) return Era::C0; // no exporter writes this; readers depend on the stream
    // Both generations write a count of 0; the later one is more likely.
    return cut.tree || cut.hasLibRecord || cut.records.empty() || cut.uncounted ? Era::B1 : Era::A;
  case CarrierName::FfiLibraryBin: return cut.stream == Stream::Ffi ? Era::C0 : Era::B2;
  case CarrierName::FfiLibraryBin2: break;
  }
  return cut.stream == Stream::Ffi ? Era::C1 : Era::B2;
}

/// Returns what the carrier's name says about the structures in the blob.
WireContext contextOf(CarrierName carrier) {
  const bool later = carrier != CarrierName::DevMblob;
  return {later, later};
}

/// Converts an offset in the blob to an offset in the file; returns it unchanged when the blob is not contiguous in the
/// file.
uint64_t placeOf(const Blob& blob, uint64_t offsetInBlob) { return blob.bytes.offset().value_or(0) + offsetInBlob; }

Ref refAt(const Blob& blob, uint64_t offsetInBlob) {
  return blob.bytes.offset() ? Ref::bytesAt(placeOf(blob, offsetInBlob)) : blob.ref();
}

Ref importsRef(const Blob& blob) {
  Ref ref = blob.ref();
  ref.kind = Ref::Kind::Imports;
  return ref;
}

// --- 1. The bytes of the blob.

/// The size of the bytes. `nbytes` is authoritative; a different symbol size is used when it leads to a complete stream
/// and `nbytes` does not.
struct Span {
  uint64_t size;
  uint64_t declared;
};

Span declaredSpan(const Carrier& carrier) {
  uint64_t declared = 0;
  if (carrier.available.size() >= kHeader) std::memcpy(&declared, carrier.available.data(), kHeader);
  const uint64_t available = carrier.available.size();
  const bool fits = available >= kHeader && declared <= available - kHeader;
  uint64_t size = fits ? declared + kHeader : available;
  if (!fits && carrier.symbolSize && *carrier.symbolSize >= kHeader) size = std::min(size, *carrier.symbolSize);
  return {size, declared};
}

// --- 2. Diagnostics.

class BlobChecker {
public:
  explicit BlobChecker(Blob& blob) : m_blob(blob) {}

  void check() {
    header();
    for (Diagnostic diagnostic : m_blob.cut.diagnostics) {
      if (diagnostic.place == Ref::file()) diagnostic.place = m_blob.ref();
      add(std::move(diagnostic));
    }
    count();
    records();
    tree();
    leftOver();
    carrierFits();
  }

private:
  void add(Diagnostic diagnostic) {
    if (m_blob.diagnostics.size() < limits::kDiagnostics)
      m_blob.diagnostics.push_back(std::move(diagnostic));
    else
      ++m_blob.moreDiagnostics;
  }
  void add(DiagnosticId id, Ref place, std::vector<Argument> arguments) {
    add(Diagnostic{id, std::move(place), std::move(arguments)});
  }

  void header() {
    const Carrier& carrier = m_blob.carrier;
    const uint64_t available = carrier.available.size();
    if (available < kHeader) {
      add(DiagnosticId::BlobHeader, refAt(m_blob, 0), {hexArg("at", placeOf(m_blob, 0)), arg("left", available)});
      return;
    }
    if (m_blob.declaredSize > available - kHeader)
      add(DiagnosticId::BlobTruncated, refAt(m_blob, 0),
          {arg("declared", m_blob.declaredSize), hexArg("at", placeOf(m_blob, 0)), arg("left", available - kHeader),
           arg("where",
               carrier.section.empty() ? "the mapped part of the file" : "section '" + carrier.section + "'")});
    else if (carrier.symbolSize && *carrier.symbolSize != m_blob.declaredSize + kHeader)
      add(DiagnosticId::BlobSymbolSize, refAt(m_blob, 0),
          {arg("declared", m_blob.declaredSize), hexArg("at", placeOf(m_blob, 0)), arg("symbol", *carrier.symbolSize),
           arg("used", m_blob.bytes.size())});
  }

  uint64_t declaredModules() const {
    const SplitStream& cut = m_blob.cut;
    if (cut.stream == Stream::Ffi) return cut.tree && !cut.tree->indptr.empty() ? cut.tree->indptr.size() - 1 : 0;
    return cut.uncounted ? 1 : cut.count.value_or(0) - (cut.tree ? 1 : 0);
  }

  void count() {
    const uint64_t declared = declaredModules(), found = m_blob.modules.size();
    if (m_blob.cut.uncounted)
      add(DiagnosticId::BlobUncounted, m_blob.moduleRef(0), {hexArg("at", placeOf(m_blob, kHeader))});
    else if (found < declared)
      add(DiagnosticId::BlobCount, refAt(m_blob, kHeader),
          {arg("announced", declared), hexArg("at", placeOf(m_blob, kHeader)), arg("found", found)});
    if (m_blob.cut.stream == Stream::Classic && !m_blob.cut.count && m_blob.bytes.size() >= kHeader)
      add(DiagnosticId::BlobNoCount, refAt(m_blob, kHeader), {hexArg("at", placeOf(m_blob, kHeader))});
  }

  void records() {
    uint32_t index = 0, libs = 0;
    for (const Record& record : m_blob.cut.records) {
      if (record.kind == Record::Kind::Tree) continue;
      const Ref place = m_blob.moduleRef(index);
      const std::string reason = record.whyDamaged ? record.whyDamaged->message() : std::string();
      const Argument module = arg("module", index), kind = arg("kind", record.key.view());
      if (record.key.view() == modules::kLibraryKey) ++libs;
      switch (record.undecoded) {
      case Undecoded::No:
        format(record, index);
        newer(record, index);
        break;
      case Undecoded::UnknownKind:
        add(DiagnosticId::BlobUnknownKind, place, {kind, sizeArg("size", record.end - record.payloadStart)});
        break;
      case Undecoded::Damaged: {
        // The byte that does not fit, when the file contains the record unchanged.
        const auto at = record.whyDamaged ? record.whyDamaged->place().at : std::nullopt;
        add(DiagnosticId::BlobModule, at ? place.withBytes(*at) : place, {module, kind, {"reason", reason}});
        break;
      }
      case Undecoded::Region:
        add(DiagnosticId::BlobRegion, place,
            {module,
             kind,
             hexArg("at", placeOf(m_blob, record.payloadStart)),
             sizeArg("size", record.end - record.payloadStart),
             {"reason", reason.empty() ? reason : " (" + reason + ")"}});
        break;
      }
      if (record.guess) add(DiagnosticId::BlobGuess, place, {module, kind, hexArg("at", placeOf(m_blob, record.end))});
      ++index;
    }
    if (libs > 1 && m_blob.cut.stream == Stream::Classic)
      add(DiagnosticId::BlobTwoLibs, m_blob.ref(), {arg("count", libs)});
  }

  void newer(const Record& record, uint32_t index) {
    const Bytes tail = record.body->unknownTail();
    if (!tail.empty())
      add(DiagnosticId::BlobNewer, m_blob.moduleRef(index),
          {arg("module", index), arg("kind", record.key.view()), sizeArg("size", tail.size()),
           hexArg("at", placeOf(m_blob, record.end - tail.size()))});
  }

  /// Checks for a declared format that the bytes of the code contradict. Loaders of `cuda` check the bytes; others do
  /// not.
  void format(const Record& record, uint32_t index) {
    struct Known {
      std::string_view declared, content;
    };
    constexpr std::array kKnown = {Known{"ptx", "ptx"},     Known{"cubin", "cubin"},       Known{"fatbin", "fatbin"},
                                   Known{"cuda", "cuda"},   Known{"hsaco", "hsaco"},       Known{"cl", "opencl-c"},
                                   Known{"metal", "metal"}, Known{"metallib", "metallib"}, Known{"vulkan", "spirv"}};
    struct Content {
      std::string_view word, text;
    };
    // Formats that their first bytes identify with certainty.
    constexpr std::array kCertain = {Content{"ptx", "PTX"},
                                     Content{"cubin", "a cubin"},
                                     Content{"fatbin", "a fat binary"},
                                     Content{"hsaco", "an AMD code object (hsaco)"},
                                     Content{"metallib", "a Metal library (metallib)"},
                                     Content{"spirv", "SPIR-V"},
                                     Content{"hexagon-elf", "a Hexagon object"},
                                     Content{"elf", "an ELF file"},
                                     Content{"llvm-bitcode", "LLVM bitcode"}};
    const auto declared = record.body->format();
    if (!declared) return;
    const auto known =
        std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& one) { return one.declared == declared->view(); });
    if (known == kKnown.end()) return;
    for (const std::string& words : record.body->content()) {
      const std::string_view content = std::string_view(words).substr(0, words.find(' '));
      if (content == known->content) return; // the first word of a container is the container format, the images follow
      const auto certain =
          std::find_if(kCertain.begin(), kCertain.end(), [&](const Content& one) { return one.word == content; });
      if (certain == kCertain.end()) continue;
      add(DiagnosticId::BlobFormat, m_blob.moduleRef(index),
          {arg("module", index), arg("kind", record.key.view()), arg("declared", declared->view()),
           arg("content", certain->text)});
      return;
    }
  }

  void tree() {
    const Ref place = importsRef(m_blob);
    const SplitStream& cut = m_blob.cut;
    if (!cut.tree) {
      if (cut.hasLibRecord && !cut.uncounted) add(DiagnosticId::BlobNoTree, place, {});
      return;
    }
    const uint64_t modules = m_blob.modules.size();
    if (!cut.tree->fits(declaredModules()))
      add(DiagnosticId::BlobTree, place,
          {arg("reason", whyUnfit()),
           arg("shown", cut.tree->hasAscendingRows() ? "imports that exist are shown" : "no imports are shown")});

    std::vector<uint32_t> cycle = findCycle();
    if (!cycle.empty()) {
      std::string path;
      for (const uint32_t index : cycle) path += "m" + std::to_string(index) + " → ";
      add(DiagnosticId::BlobCycle, place, {{"path", path + "m" + std::to_string(cycle.front())}});
    }
    const std::vector<uint32_t> importers = m_blob.importerCounts();
    for (uint32_t index = 1; index < modules; ++index)
      if (importers[index] == 0)
        add(DiagnosticId::BlobOrphan, m_blob.moduleRef(index),
            {arg("module", index), arg("kind", m_blob.modules[index]->key.view())});
  }

  std::string whyUnfit() const {
    const ImportTree& tree = *m_blob.cut.tree;
    const uint64_t modules = declaredModules();
    if (tree.indptr.size() != modules + 1)
      return "indptr has " + std::to_string(tree.indptr.size()) + " entries for " + std::to_string(modules) +
             " modules, " + std::to_string(modules + 1) + " are needed";
    if (tree.indptr.front() != 0) return "indptr begins with " + std::to_string(tree.indptr.front()) + ", not 0";
    for (std::size_t i = 1; i < tree.indptr.size(); ++i)
      if (tree.indptr[i] < tree.indptr[i - 1])
        return "indptr[" + std::to_string(i) + "] = " + std::to_string(tree.indptr[i]) + " is less than the " +
               std::to_string(tree.indptr[i - 1]) + " before it";
    if (tree.indptr.back() != tree.child.size())
      return "indptr ends with " + std::to_string(tree.indptr.back()) + " for " + std::to_string(tree.child.size()) +
             " children";
    for (std::size_t i = 0; i < tree.child.size(); ++i)
      if (tree.child[i] >= modules)
        return "child[" + std::to_string(i) + "] = " + std::to_string(tree.child[i]) + ", but there are " +
               std::to_string(modules) + " modules";
    return {};
  }

  /// Returns the module numbers of the first cycle found; empty when the imports have no cycle.
  std::vector<uint32_t> findCycle() const {
    enum : uint8_t { New, Open, Closed };
    struct Step {
      uint32_t module;
      std::size_t next;
    };
    std::vector<uint8_t> state(m_blob.modules.size(), New);
    for (uint32_t start = 0; start < m_blob.modules.size(); ++start) {
      if (state[start] != New) continue;
      std::vector<Step> path = {{start, 0}};
      state[start] = Open;
      while (!path.empty()) {
        Step& step = path.back();
        const auto& imports = m_blob.modules[step.module]->imports;
        if (step.next == imports.size()) {
          state[step.module] = Closed;
          path.pop_back();
          continue;
        }
        const uint32_t child = imports[step.next++];
        if (state[child] == Open) {
          std::vector<uint32_t> cycle;
          for (const Step& on : path)
            if (!cycle.empty() || on.module == child) cycle.push_back(on.module);
          return cycle;
        }
        if (state[child] == New) {
          state[child] = Open;
          path.push_back({child, 0});
        }
      }
    }
    return {};
  }

  void leftOver() {
    const uint64_t end = m_blob.cut.end, size = m_blob.bytes.size();
    if (end < size && size > kHeader)
      add(DiagnosticId::BlobLeftOver, refAt(m_blob, end),
          {sizeArg("size", size - end), hexArg("at", placeOf(m_blob, end))});
  }

  void carrierFits() {
    const bool ffi = m_blob.cut.stream == Stream::Ffi;
    const CarrierName name = m_blob.carrier.name;
    if ((ffi && name == CarrierName::DevMblob) || (!ffi && name == CarrierName::FfiLibraryBin2))
      add(DiagnosticId::BlobCarrierStream, m_blob.ref(),
          {arg("carrier", container::carrierText(name)), arg("stream", streamName(m_blob.cut.stream))});
  }

  Blob& m_blob;
};

// --- 3. Modules.

void makeModules(Blob& blob) {
  const SplitStream& cut = blob.cut;
  const auto modules =
      static_cast<uint64_t>(std::count_if(cut.records.begin(), cut.records.end(),
                                          [](const Record& record) { return record.kind == Record::Kind::Module; }));
  // Rows that do not ascend share children: a few kilobytes would produce billions of imports.
  const bool ascending = cut.tree && cut.tree->hasAscendingRows();
  for (const Record& record : cut.records) {
    if (record.kind == Record::Kind::Tree) continue;
    auto module = std::make_shared<Module>();
    module->index = static_cast<uint32_t>(blob.modules.size());
    module->key = record.key;
    module->record = {record.start, record.end - record.start};
    module->payload = blob.bytes.slice(record.payloadStart, record.end - record.payloadStart);
    module->payloadOffset = record.payloadStart;
    module->body = record.body;
    module->undecoded = record.undecoded;
    module->guess = record.guess;
    if (ascending && module->index + 1 < cut.tree->indptr.size()) {
      const uint64_t from = cut.tree->indptr[module->index], to = cut.tree->indptr[module->index + 1];
      for (uint64_t i = from; i < to && i < cut.tree->child.size(); ++i)
        if (cut.tree->child[i] < modules) module->imports.push_back(static_cast<uint32_t>(cut.tree->child[i]));
    }
    blob.modules.push_back(std::move(module));
  }
}

Bytes wordsOf(const std::vector<uint64_t>& words) {
  return Bytes::copyOf({reinterpret_cast<const char*>(words.data()), words.size() * 8});
}

void encodeTree(const ImportTree& tree, Writer& writer) {
  for (const std::vector<uint64_t>* vector : {&tree.indptr, &tree.child}) {
    writer.number<uint64_t>(vector->size());
    writer.raw(wordsOf(*vector));
  }
}

void describeTree(const ImportTree& tree, FieldTreeBuilder& builder) {
  const auto vector = [&](std::string_view name, const std::vector<uint64_t>& values) {
    builder.open(name, FieldType::List, FieldRole::Length, 8, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      builder.nextIndex(static_cast<uint32_t>(i));
      builder.leaf("", FieldType::U64, FieldRole::Number, 8, values[i]);
    }
    builder.close();
  };
  vector("indptr", tree.indptr);
  vector("child", tree.child);
}

} // namespace

std::string_view eraName(Era era) {
  constexpr std::array<std::string_view, 5> kNames = {"A", "B1", "B2", "C0", "C1"};
  return kNames[static_cast<std::size_t>(era)];
}

std::string_view eraReleases(Era era) {
  constexpr std::array<std::string_view, 5> kNames = {"TVM v0.2 – v0.6", "TVM v0.7 – v0.20", "TVM v0.21",
                                                      "TVM development builds of August and September 2025",
                                                      "TVM v0.22 and later"};
  return kNames[static_cast<std::size_t>(era)];
}

std::vector<uint32_t> Blob::importerCounts() const {
  std::vector<uint32_t> counts(modules.size(), 0);
  for (const ModulePtr& module : modules)
    for (const uint32_t child : module->imports) ++counts[child];
  return counts;
}

std::vector<uint32_t> Blob::roots() const {
  std::vector<uint32_t> out;
  const std::vector<uint32_t> importers = importerCounts();
  for (uint32_t index = 0; index < modules.size(); ++index)
    if (importers[index] == 0 || (index == 0 && hasRootModule())) out.push_back(index);
  return out;
}

namespace {

/// Whether the stream was split completely and no record of a known kind is damaged.
bool isClean(const SplitStream& cut) {
  return cut.complete && std::none_of(cut.records.begin(), cut.records.end(), [](const Record& record) {
           return record.undecoded == Undecoded::Damaged || record.undecoded == Undecoded::Region;
         });
}

} // namespace

std::vector<std::string> functionNames(const modules::Body& body) {
  std::vector<std::string> names;
  for (const modules::Kernel& kernel : body.kernels()) names.emplace_back(kernel.name.view());
  for (const modules::PartGroup& group : body.parts())
    if (group.kind == PartKind::Function)
      for (const modules::Part& part : group.parts) names.push_back(part.name);
  return names;
}

std::string lengthMismatch(uint64_t declared, uint64_t size) {
  if (size < kHeader) return "the header takes 8 bytes, but the blob has only " + countText(size, "byte");
  return "the header declares " + countText(declared, "byte") + ", but is followed by " +
         countText(size - kHeader, "byte");
}

Result<Blob> openBlob(const Carrier& carrier, std::string refPrefix, Monitor& monitor,
                      std::vector<std::string> memberPath) {
  const BudgetPtr budget = Budget::forFile(carrier.available.size());
  return openBlob(carrier, std::move(refPrefix), *budget, monitor, std::move(memberPath));
}

Result<Blob> openBlob(const Carrier& carrier, std::string refPrefix, Budget& budget, Monitor& monitor,
                      std::vector<std::string> memberPath) {
  const WireContext likely = contextOf(carrier.name);
  Blob blob;
  blob.carrier = carrier;
  blob.refPrefix = std::move(refPrefix);
  blob.memberPath = std::move(memberPath);
  const Span span = declaredSpan(carrier);
  blob.declaredSize = span.declared;
  blob.bytes = carrier.available.slice(0, span.size);
  SplitStream cut;
  if (budget.takeWork(blob.bytes.size())) {
    BLOBSCOPE_TRY(decoded, splitStream(blob.bytes, likely, budget, monitor));
    cut = std::move(decoded);
  } else { // thousands of symbols can label the same megabytes
    cut.end = std::min<uint64_t>(blob.bytes.size(), kHeader);
    cut.diagnostics.push_back(budget.workExceeded("of blobs to decode", blob.bytes.size()));
  }

  const bool otherSize = carrier.symbolSize && *carrier.symbolSize != span.size && *carrier.symbolSize > kHeader &&
                         *carrier.symbolSize <= carrier.available.size();
  if (!isClean(cut) && otherSize && budget.takeWork(*carrier.symbolSize)) {
    const Bytes bytes = carrier.available.slice(0, *carrier.symbolSize);
    BLOBSCOPE_TRY(second, splitStream(bytes, likely, budget, monitor));
    if (isClean(second)) {
      blob.bytes = bytes;
      cut = std::move(second);
    }
  }
  blob.cut = std::move(cut);
  blob.era = eraOf(carrier.name, blob.cut);
  makeModules(blob);
  BlobChecker(blob).check();
  for (Diagnostic& diagnostic : blob.diagnostics) diagnostic.place.members = blob.memberPath;
  return blob;
}

void encodeStream(const Blob& blob, std::optional<uint64_t> count, const std::optional<ImportTree>& tree,
                  const std::vector<RecordBytes>& records, Writer& writer) {
  const SplitStream& cut = blob.cut;
  if (count) writer.number(*count);
  if (cut.stream == Stream::Ffi && tree) encodeTree(*tree, writer);
  for (const RecordBytes& record : records) {
    const bool region = record.stored && record.stored->undecoded == Undecoded::Region;
    if (region) {
      // A region can begin inside a record whose length is damaged: these bytes stay unchanged.
      writer.raw(blob.bytes.slice(record.stored->start, record.stored->payloadStart - record.stored->start));
    } else {
      writer.string(record.key);
    }
    if (record.stored && record.stored->kind == Record::Kind::Tree) {
      encodeTree(*tree, writer);
      continue;
    }
    if (cut.stream == Stream::Ffi && record.key.view() != modules::kLibraryKey && !region) {
      uint64_t size = 0;
      for (const Bytes& piece : record.payload) size += piece.size();
      writer.number(size);
    }
    for (const Bytes& piece : record.payload) writer.raw(piece);
  }
  writer.raw(blob.bytes.slice(cut.end));
}

void encodeBlob(const Blob& blob, Writer& writer) {
  longWork("library::encodeBlob");
  if (blob.bytes.size() < kHeader) return writer.raw(blob.bytes);
  std::vector<RecordBytes> records;
  uint32_t index = 0;
  for (const Record& record : blob.cut.records) {
    RecordBytes& out = records.emplace_back(RecordBytes{&record, record.key, {}});
    if (record.kind == Record::Kind::Tree) continue;
    Writer payload;
    blob.modules[index++]->body->encode(payload);
    out.payload = payload.takePieces();
  }
  writer.number(blob.declaredSize);
  encodeStream(blob, blob.cut.count, blob.cut.tree, records, writer);
}

FieldTree describeBlob(const Blob& blob) {
  longWork("library::describeBlob");
  const SplitStream& cut = blob.cut;
  FieldTreeBuilder builder;
  if (blob.bytes.size() < kHeader) {
    if (!blob.bytes.empty())
      builder.leaf("bytes", FieldType::Unknown, FieldRole::Unknown, blob.bytes.size(), blob.bytes.size());
    return builder.take(blob.bytes);
  }
  builder.leaf("nbytes", FieldType::U64, FieldRole::Length, 8, blob.declaredSize);
  if (cut.count) builder.leaf("count", FieldType::U64, FieldRole::Length, 8, *cut.count);
  if (cut.stream == Stream::Ffi && cut.tree) describeTree(*cut.tree, builder);
  uint32_t index = 0;
  builder.open("records", FieldType::Group, FieldRole::Structure, 0, cut.records.size());
  for (std::size_t i = 0; i < cut.records.size(); ++i) {
    const Record& record = cut.records[i];
    builder.nextIndex(static_cast<uint32_t>(i));
    builder.open("", FieldType::Group, FieldRole::Structure, 0, 0);
    if (record.undecoded == Undecoded::Region && record.key.empty()) {
      // the head of the record could not be read
    } else {
      builder.leaf("key", FieldType::String, FieldRole::TypeKey, 8 + record.key.size(), record.key.size());
    }
    if (record.kind == Record::Kind::Tree) {
      describeTree(*cut.tree, builder);
    } else {
      const uint64_t head = record.payloadStart - builder.position();
      if (head > 0) builder.leaf("length", FieldType::U64, FieldRole::Length, head, record.end - record.payloadStart);
      builder.open("payload", FieldType::Group, FieldRole::Structure, 0, 0);
      blob.modules[index++]->body->describe(builder);
      builder.close();
    }
    builder.close();
  }
  builder.close();
  if (cut.end < blob.bytes.size())
    builder.leaf("left over", FieldType::Unknown, FieldRole::Unknown, blob.bytes.size() - cut.end,
                 blob.bytes.size() - cut.end);
  return builder.take(blob.bytes);
}

} // namespace blobscope::library
