#include "core/container/macho/universal.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/container/macho/macho.h"
#include "core/container/number_at.h"

#include <algorithm>

namespace blobscope::container {
namespace {

using macho::FatHeader;

/// This limit is not part of the format; lipo knows fewer architectures.
constexpr uint64_t kSlices = 64;

/// The reason why these bytes are not a universal file; empty when they are.
std::string invalidReason(std::string_view head, const FatHeader& header) {
  constexpr uint64_t kNeeded = FatHeader::kSize + 4;
  if (head.size() < kNeeded)
    return "the file ends at " + hexText(head.size()) + ", inside the " + std::to_string(kNeeded) + " first bytes";
  if (header.magic != macho::FAT_MAGIC && header.magic != macho::FAT_MAGIC_64)
    return "the magic number at 0x0 is " + hexText(header.magic);
  if (header.count == 0 || header.count > kSlices)
    return "it declares " + groupedText(header.count) + " slices at 0x4; 1 to " + std::to_string(kSlices) +
           " are possible";
  // In a class file the two bytes at 8 count constants and the next one is a tag that is never 0 (JVM specification,
  // 4.1 and 4.4), so these bytes cannot be a CPU type that LLVM knows.
  if (const uint32_t cpuType = header.arch(head, 0).cpuType; machoArch(cpuType).empty())
    return "the CPU type " + hexText(cpuType) + " at 0x8 is not known";
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

macho::FatHeader macho::FatHeader::read(std::string_view file) {
  return {static_cast<uint32_t>(numberAt(file, 0, 4, true)), numberAt(file, 4, 4, true)};
}

macho::FatArch macho::FatHeader::arch(std::string_view file, uint64_t index) const {
  const uint64_t at = kSize + index * archSize();
  const unsigned word = wordSize();
  return {at,
          static_cast<uint32_t>(numberAt(file, at, 4, true)),
          {numberAt(file, at + 8, word, true), numberAt(file, at + 8 + word, word, true)},
          numberAt(file, at + 8 + 2 * word, 4, true)};
}

bool looksLikeUniversal(std::string_view head) { return invalidReason(head, FatHeader::read(head)).empty(); }

Result<std::vector<Slice>> readUniversal(const Bytes& file, Monitor& monitor, std::vector<Diagnostic>& diagnostics) {
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  const std::string_view text = file.view();
  const FatHeader header = FatHeader::read(text);
  if (std::string reason = invalidReason(text, header); !reason.empty())
    return Error(DiagnosticId::FileHeader, {arg("format", "universal Mach-O"), arg("reason", reason)});
  const auto note = [&](DiagnosticId id, std::vector<Argument> arguments) {
    if (diagnostics.size() < limits::kDiagnostics) diagnostics.push_back({id, {}, std::move(arguments)});
  };

  const Extent table = header.table();
  if (table.end() > text.size())
    note(DiagnosticId::FilePart, {arg("what", "architecture table"), hexArg("at", table.offset),
                                  arg("size", table.size), arg("file", file.size())});
  const uint64_t count = std::min(header.count, (text.size() - FatHeader::kSize) / header.archSize());
  std::vector<Slice> slices;
  std::vector<Extent> places;
  for (uint64_t i = 0; i < count; ++i) {
    const auto [at, cpu, place, align] = header.arch(text, i);
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
    // No tool makes or loads such a slice, and opening it could recurse without end.
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
