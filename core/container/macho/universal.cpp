#include "core/container/macho/universal.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/container/macho/macho.h"
#include "core/container/number_at.h"

#include <algorithm>

namespace blobscope::container {
namespace {

// Apple mach-o/fat.h: fat_header, fat_arch, fat_arch_64, always big-endian. The cap is ours: lipo knows fewer
// architectures than that.
constexpr uint32_t kMagic = 0xcafebabe, kMagic64 = 0xcafebabf;
constexpr uint64_t kHeaderSize = 8, kSlices = 64;

struct Header {
  bool is64 = false;
  uint64_t count = 0;
  uint64_t entrySize() const { return is64 ? 32 : 20; }
};

uint64_t word(std::string_view bytes, uint64_t offset, unsigned size = 4) {
  return numberAt(bytes, offset, size, true);
}

/// Why these bytes are no universal file's, or nothing.
std::string whyNot(std::string_view head, Header& header) {
  if (head.size() < kHeaderSize + 4)
    return "the file ends at " + hexText(head.size()) + ", inside the " + std::to_string(kHeaderSize + 4) +
           " first bytes";
  const uint64_t magic = word(head, 0);
  if (magic != kMagic && magic != kMagic64) return "the magic number at 0x0 is " + hexText(magic);
  header.is64 = magic == kMagic64;
  header.count = word(head, 4);
  if (header.count == 0 || header.count > kSlices)
    return "it announces " + groupedText(header.count) + " slices at 0x4; 1 to " + std::to_string(kSlices) +
           " are possible";
  // In a class file the two bytes at 8 count constants and the next one is a tag that is never 0 (JVM specification,
  // 4.1 and 4.4), so no CPU type that is known to LLVM can stand there.
  if (machoArch(static_cast<uint32_t>(word(head, 8))).empty())
    return "the CPU type " + hexText(word(head, 8)) + " at 0x8 is not known";
  return {};
}

std::string uniqueName(std::string name, const std::vector<Slice>& slices) {
  const auto taken = [&](const std::string& text) {
    return std::any_of(slices.begin(), slices.end(), [&](const Slice& slice) { return slice.arch == text; });
  };
  if (!taken(name)) return name;
  for (int number = 2;; ++number)
    if (std::string text = name + "-" + std::to_string(number); !taken(text)) return text;
}

} // namespace

bool looksLikeUniversal(std::string_view head) {
  Header header;
  return whyNot(head, header).empty();
}

Result<std::vector<Slice>> readUniversal(const Bytes& file, Monitor& monitor, std::vector<Diagnostic>& diagnostics) {
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  const std::string_view text = file.view();
  Header header;
  if (std::string reason = whyNot(text, header); !reason.empty())
    return Error(DiagnosticId::FileHeader, {arg("format", "universal Mach-O"), arg("reason", reason)});
  const auto note = [&](DiagnosticId id, std::vector<Argument> arguments) {
    if (diagnostics.size() < limits::kDiagnostics) diagnostics.push_back({id, {}, std::move(arguments)});
  };

  const Extent table{kHeaderSize, header.count * header.entrySize()};
  if (table.end() > text.size())
    note(DiagnosticId::FilePart, {arg("what", "architecture table"), hexArg("at", table.offset),
                                  arg("size", table.size), arg("file", file.size())});
  const uint64_t count = std::min(header.count, (text.size() - kHeaderSize) / header.entrySize());
  std::vector<Slice> slices;
  std::vector<Extent> places;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = kHeaderSize + i * header.entrySize();
    const auto cpu = static_cast<uint32_t>(word(text, at));
    const Extent place = header.is64 ? Extent{word(text, at + 8, 8), word(text, at + 16, 8)}
                                     : Extent{word(text, at + 8), word(text, at + 12)};
    std::string name(machoArch(cpu));
    if (name.empty()) name = "cpu-" + hexText(cpu);
    name = uniqueName(std::move(name), slices);
    const std::string what = "slice '" + name + "'";
    if (place.offset < table.end()) {
      note(DiagnosticId::FileTable,
           {arg("table", what),
            arg("reason", "it begins at " + hexText(place.offset) + ", inside the header of the universal file")});
      continue;
    }
    if (!Extent{0, file.size()}.contains(place))
      note(DiagnosticId::FilePart,
           {arg("what", what), hexArg("at", place.offset), arg("size", place.size), arg("file", file.size())});
    Slice slice{std::move(name), file.slice(place.offset, place.size)};
    if (slice.bytes.empty()) {
      if (place.size == 0) note(DiagnosticId::FileTable, {arg("table", what), arg("reason", "it is empty")});
      continue;
    }
    // No tool makes or loads one; opening it could go round in circles.
    if (looksLikeUniversal(slice.bytes.view())) {
      note(DiagnosticId::FileTable, {arg("table", what), arg("reason", "it is a universal file itself")});
      continue;
    }
    for (std::size_t other = 0; other < places.size(); ++other)
      if (place.offset < places[other].end() && places[other].offset < place.end()) {
        note(DiagnosticId::FileTable,
             {arg("table", "architecture table"),
              arg("reason", what + " at " + hexText(place.offset) + " overlaps slice '" + slices[other].arch + "'")});
        break;
      }
    places.push_back(place);
    slices.push_back(std::move(slice));
  }
  return slices;
}

} // namespace blobscope::container
