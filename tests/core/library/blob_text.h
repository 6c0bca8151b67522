#pragma once

#include "core/base/writer.h"
#include "core/library/blob.h"
#include "core/library/verify.h"
#include "tests/core/modules/tree_check.h"
#include "tests/support/test_support.h"

#include <QString>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Blobs as text, and the conditions that hold for every opened blob.
namespace blobscope::test {

/// The place of a blob in a file that does not exist.
struct Placed {
  container::CarrierName carrier = container::CarrierName::DevMblob;
  std::optional<uint64_t> symbolSize = std::nullopt;
  std::string section = ".rodata";
  uint64_t place = 0x1000; ///< of its first byte
};

/// The bytes from the carrier symbol to the end of the section.
inline container::Carrier carrierOf(std::string_view available, const Placed& placed = {}) {
  const auto heap = source(available);
  container::Carrier carrier;
  carrier.name = placed.carrier;
  carrier.symbol = container::carrierText(placed.carrier);
  carrier.address = placed.place;
  carrier.available = Bytes(heap, heap->view(), placed.place);
  carrier.symbolSize = placed.symbolSize;
  carrier.section = placed.section;
  return carrier;
}

inline library::Blob openMade(std::string_view available, const Placed& placed = {}) {
  NullMonitor monitor;
  auto blob = library::openBlob(carrierOf(available, placed), {}, monitor);
  if (!blob) qFatal("opening a blob failed: %s", blob.error().message().c_str());
  return std::move(*blob);
}

/// "B1: relax.Executable? > 1 | _lib > 2 | cuda": the era, then each module with a mark if it is not decoded (`?` no
/// codec, `!` damaged, `#` region, `~` its end is a guess) and its imports. "B1 part:" when the stream is incomplete.
inline std::string textOf(const library::Blob& blob) {
  std::string out(library::eraName(blob.era));
  out += blob.cut.complete ? ":" : " part:";
  for (const library::ModulePtr& module : blob.modules) {
    out += module->index > 0 ? " | " : " ";
    out += escaped(module->key.view());
    constexpr std::string_view kMarks = " ?!#";
    const char mark = kMarks[static_cast<std::size_t>(module->undecoded)];
    if (mark != ' ') out += mark;
    if (module->guess) out += '~';
    if (!module->imports.empty()) out += " >";
    for (const uint32_t child : module->imports) out += " " + std::to_string(child);
  }
  return out;
}

/// One line per finding: "BLOB-TREE imports: the import tree does not …".
inline std::string findingsOf(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!out.empty()) out += "\n";
    out += std::string(diagnostic.idText()) + " " + diagnostic.place.toString() + ": " + diagnostic.message();
  }
  return out;
}

inline bool hasFinding(const std::vector<Diagnostic>& diagnostics, DiagnosticId id) {
  for (const Diagnostic& diagnostic : diagnostics)
    if (diagnostic.id == id) return true;
  return false;
}

inline std::string encodedBlob(const library::Blob& blob) {
  Writer writer;
  library::encodeBlob(blob, writer);
  return std::string(joined(writer.takePieces()).view());
}

/// The time that opening takes, the better of two runs.
inline int64_t openNs(std::string_view available, const Placed& placed = {}) {
  const container::Carrier carrier = carrierOf(available, placed);
  NullMonitor monitor;
  int64_t best = INT64_MAX;
  for (int i = 0; i < 2; ++i) {
    const int64_t before = threadNs();
    if (!library::openBlob(carrier, {}, monitor)) qFatal("opening a blob failed");
    best = std::min(best, threadNs() - before);
  }
  return best;
}

/// Says which guarantee of Blob is broken, whatever the bytes are; empty when none is.
inline QString whyUnsound(const library::Blob& blob) {
  // --- 1. The bytes round-trip, and each byte has an owner. ---
  const QString different = whereDifferent(encodedBlob(blob), blob.bytes.view());
  if (!different.isEmpty()) return QStringLiteral("encoded again it ") + different;
  uint64_t unknown = 0;
  const QString gaps = whyNotTiled(library::describeBlob(blob), blob.bytes.size(), &unknown);
  if (!gaps.isEmpty()) return gaps;
  NullMonitor monitor;
  const auto verified = library::computeVerification(blob, monitor);
  if (!verified || !verified->identical || verified->differsAt) return QStringLiteral("not verified as identical");
  if (verified->size != blob.bytes.size() || verified->owned + verified->unknown != verified->size ||
      verified->unknown != unknown)
    return QStringLiteral("%1 owned + %2 unknown is not %3 bytes")
        .arg(verified->owned)
        .arg(verified->unknown)
        .arg(verified->size);

  // --- 2. Records follow one another, and there are no more than announced. ---
  const library::SplitStream& cut = blob.cut;
  uint64_t modules = 0;
  for (std::size_t i = 0; i < cut.records.size(); ++i) {
    const library::Record& record = cut.records[i];
    if (i > 0 && record.start != cut.records[i - 1].end) return QStringLiteral("record %1 leaves a gap").arg(i);
    if (record.start > record.payloadStart || record.payloadStart > record.end)
      return QStringLiteral("record %1 has no order").arg(i);
    if (record.kind == library::Record::Kind::Module) ++modules;
  }
  if (!cut.records.empty() && cut.records.back().end != cut.end)
    return QStringLiteral("the end is not the last record's");
  if (cut.end > blob.bytes.size()) return QStringLiteral("the end lies behind the bytes");
  if (modules != blob.modules.size()) return QStringLiteral("not one module per record");
  if (cut.stream == library::Stream::Classic) {
    const uint64_t announced = cut.uncounted ? 1 : cut.count.value_or(0);
    if (cut.records.size() > announced) return QStringLiteral("more records than announced");
  } else {
    const uint64_t announced = cut.tree && !cut.tree->indptr.empty() ? cut.tree->indptr.size() - 1 : 0;
    if (modules > announced) return QStringLiteral("more modules than announced");
  }
  if (cut.complete && (cut.end != blob.bytes.size() || (cut.tree && !cut.tree->fits(modules))))
    return QStringLiteral("called complete, but is not");

  // --- 3. Modules. ---
  for (uint32_t i = 0; i < blob.modules.size(); ++i) {
    const library::Module& module = *blob.modules[i];
    if (module.index != i || !module.body) return QStringLiteral("module %1 is not made").arg(i);
    if ((module.undecoded == library::Undecoded::No) != module.body->decoded())
      return QStringLiteral("module %1 is and is not decoded").arg(i);
    if (module.payloadOffset + module.payload.size() != module.record.end())
      return QStringLiteral("the payload of module %1 does not end with its record").arg(i);
    for (const uint32_t child : module.imports)
      if (child >= blob.modules.size()) return QStringLiteral("module %1 imports one that is not there").arg(i);
  }
  if (blob.importerCounts().size() != blob.modules.size()) return QStringLiteral("importers do not match the modules");

  // --- 4. Findings are whole sentences, and an incomplete blob has one. ---
  for (const Diagnostic& diagnostic : blob.diagnostics) {
    const std::string message = diagnostic.message();
    if (message.find('{') != std::string::npos || message.empty())
      return QStringLiteral("a placeholder is left: ") + shown(message);
  }
  if (!cut.complete && blob.diagnostics.empty()) return QStringLiteral("not complete, and no finding says so");
  return {};
}

} // namespace blobscope::test
