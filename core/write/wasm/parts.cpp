#include "core/base/limits.h"
#include "core/write/plan_parts.h"
#include "core/write/wasm/plan.h"

#include <algorithm>

namespace blobscope::write::wasm_parts {
namespace {

namespace wasm = container::wasm;

constexpr uint64_t kStep = 1 << 20;
/// The number of zeros from which a new segment after them pays off. Source: core/formats/containers.md 7 (3), where
/// splitting at 9 reproduced the result of Binaryen's memory packing (11,341 segments for its 11,339).
constexpr uint64_t kZeroRun = 9;

} // namespace

std::string lebLike(uint64_t value, uint64_t old, std::size_t width) {
  constexpr std::size_t kPadded = 5; // the width to which linkers pad
  return ulebText(value).size() > width || (width < kPadded && ulebText(old).size() == width) ? ulebText(value)
                                                                                              : ulebText(value, width);
}

std::string segmentText(uint64_t address, std::string_view bytes) {
  std::string out("\x00\x41", 2);
  out += addressText(address) + '\x0b' + ulebText(bytes.size());
  out += bytes;
  return out;
}

Result<bool> namesSegments(const wasm::Module& module, Monitor& monitor) {
  const wasm::SectionEntry* const code = module.find(wasm::Code);
  if (!code) return false;
  const std::string_view text = module.text();
  for (uint64_t at = code->content.offset; at < code->content.end(); ++at) {
    if (at % kStep == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const auto prefix = static_cast<uint8_t>(text[at]);
    if (prefix != 0xfc && prefix != 0xfb) continue;
    wasm::Cursor cursor(text, {at + 1, code->content.end() - at - 1});
    const uint64_t number = cursor.number();
    if (cursor.ok() && (prefix == 0xfc ? number == 8 || number == 9 : number == 9 || number == 18)) return true;
  }
  return false;
}

Result<std::vector<Extent>> splitAtZeros(std::string_view memory, uint64_t most, Monitor& monitor) {
  std::vector<Extent> runs;
  uint64_t at = 0, reported = 0;
  const auto nextByte = [&](uint64_t from) {
    const std::size_t next = memory.find_first_not_of('\0', from);
    return next == std::string_view::npos ? memory.size() : uint64_t{next};
  };
  for (at = nextByte(0); at < memory.size();) {
    uint64_t end = at, next = at;
    do {
      const std::size_t zero = memory.find('\0', next);
      end = zero == std::string_view::npos ? memory.size() : zero;
      next = nextByte(end);
      if (next - reported > kStep) {
        if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        monitor.progress("splitting the blob", reported = next, memory.size());
      }
    } while (next < memory.size() && next - end < kZeroRun);
    runs.push_back({at, end - at});
    at = next;
  }
  if (runs.size() <= most) return runs;
  if (most == 0) return std::vector<Extent>();
  // The longest gaps stay gaps; among equal ones, the first.
  std::vector<std::size_t> gaps(runs.size() - 1);
  for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] = i;
  const auto length = [&](std::size_t i) { return runs[i + 1].offset - runs[i].end(); };
  std::sort(gaps.begin(), gaps.end(),
            [&](std::size_t a, std::size_t b) { return length(a) != length(b) ? length(a) > length(b) : a < b; });
  gaps.resize(most - 1);
  std::sort(gaps.begin(), gaps.end());
  std::vector<Extent> joined;
  std::size_t first = 0;
  for (std::size_t i = 0; i <= gaps.size(); ++i) {
    const std::size_t last = i < gaps.size() ? gaps[i] : runs.size() - 1;
    joined.push_back({runs[first].offset, runs[last].end() - runs[first].offset});
    first = last + 1;
  }
  return joined;
}

std::optional<SectionPlace> placeAt(const wasm::Module& module, std::size_t index) {
  const wasm::SectionEntry& section = module.sections[index];
  SectionPlace place;
  place.start = index == 0 ? 8 : module.sections[index - 1].content.end();
  wasm::Cursor cursor(module.text(), {place.start, module.file.size() - place.start});
  cursor.byte();
  const uint64_t size = cursor.number();
  place.body = cursor.take(size);
  if (!cursor.ok() || section.cut || place.body.end() != section.content.end()) return std::nullopt;
  place.sizeWidth = static_cast<std::size_t>(place.body.offset - place.start - 1);
  place.content = section.content;
  return place;
}

std::optional<SectionPlace> placeOf(const wasm::Module& module, uint8_t id) {
  for (std::size_t i = 0; i < module.sections.size(); ++i)
    if (module.sections[i].id == id) return placeAt(module, i);
  return std::nullopt;
}

Result<Done> resizeSections(Rewrite& rewrite, const std::vector<SectionPlace>& places) {
  for (const SectionPlace& place : places) {
    const uint64_t size = rewrite.sizeOf(place.body);
    if (size > UINT32_MAX) return sizeError(size, UINT32_MAX);
    if (size != place.body.size)
      rewrite.replace(place.sizePlace(), lebLike(size, place.body.size, place.sizeWidth), "size of a section");
  }
  return Done{};
}

Result<Done> setSegmentCount(Rewrite& rewrite, const library::Package& package, const wasm::Module& module,
                             const SectionPlace& data, uint64_t count, std::vector<SectionPlace>& touched) {
  const uint64_t old = module.data.size();
  if (count == old) return Done{};
  wasm::Cursor cursor(module.text(), data.content);
  if (cursor.number() != old)
    return layoutError(package, "its data section declares another number of segments than it has");
  const Extent place{data.content.offset, cursor.position() - data.content.offset};
  rewrite.replace(place, lebLike(count, old, place.size), "number of data segments");
  const auto dataCount = placeOf(module, wasm::DataCount);
  if (!dataCount) return Done{};
  wasm::Cursor second(module.text(), dataCount->content);
  if (second.number() != old || !second.ok()) return layoutError(package, "its two numbers of data segments differ");
  const Extent secondPlace{dataCount->content.offset, second.position() - dataCount->content.offset};
  rewrite.replace(secondPlace, lebLike(count, old, secondPlace.size), "number of data segments");
  touched.push_back(*dataCount);
  return Done{};
}

} // namespace blobscope::write::wasm_parts
