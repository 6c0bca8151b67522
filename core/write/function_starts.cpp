#include "core/write/function_starts.h"

#include "core/container/number_at.h"

#include <algorithm>

namespace blobscope::write {
namespace {

/// The limit of starts that are kept; code after them is checked without starts.
constexpr std::size_t kStarts = 4'000'000;

void addFrameTable(const container::Image& image, std::vector<uint64_t>& starts) {
  for (const container::Section& section : image.sections) {
    if (section.name != ".eh_frame_hdr" || section.file.end() > image.file.size()) continue;
    const std::string_view table = image.file.view().substr(section.file.offset, section.file.size);
    // Version 1; the pointer to .eh_frame of 4 bytes, the count as udata4, pairs of datarel sdata4.
    constexpr std::string_view kUsual{"\x01\x1b\x03\x3b", 4};
    if (table.size() < 12 || !table.starts_with(kUsual) || image.bigEndian) continue;
    const uint64_t count = std::min<uint64_t>(container::numberAt<uint32_t>(table, 8), (table.size() - 12) / 8);
    for (uint64_t i = 0; i < count && starts.size() < kStarts; ++i)
      starts.push_back(section.address +
                       static_cast<uint64_t>(int64_t{container::numberAt<int32_t>(table, 12 + 8 * i)}));
  }
}

} // namespace

Result<std::vector<uint64_t>> functionStarts(const container::Image& image, Monitor& monitor) {
  std::vector<uint64_t> starts;
  uint64_t visited = 0;
  for (const container::Symbol& symbol : image.symbols) {
    if (visited++ % 4'096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (symbol.defined && !symbol.absolute && symbol.type == container::SymbolType::Function && starts.size() < kStarts)
      starts.push_back(symbol.value);
  }
  addFrameTable(image, starts);
  sortStarts(starts);
  return starts;
}

void addExceptionTable(std::string_view table, uint64_t imageBase, std::vector<uint64_t>& starts) {
  constexpr uint64_t kEntry = 12;
  for (uint64_t at = 0; at + kEntry <= table.size() && starts.size() < kStarts; at += kEntry)
    if (const uint32_t begin = container::numberAt<uint32_t>(table, at); begin != 0)
      starts.push_back(imageBase + begin);
}

void addFunctionStarts(std::string_view table, uint64_t textAddress, std::vector<uint64_t>& starts) {
  uint64_t address = textAddress, distance = 0;
  unsigned shift = 0;
  for (const char c : table) {
    const auto byte = static_cast<unsigned char>(c);
    if (shift < 64) distance |= uint64_t{byte & 0x7fu} << shift;
    shift += 7;
    if (byte & 0x80) continue;
    if (distance == 0 || starts.size() >= kStarts) return;
    address += distance;
    starts.push_back(address);
    distance = 0;
    shift = 0;
  }
}

void sortStarts(std::vector<uint64_t>& starts) {
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
}

} // namespace blobscope::write
