#include "core/write/pe/file.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write::pe {
namespace {

namespace coff = container::coff;
using container::numberAt;

/// CheckSum as the system computes it: the one's-complement sum of all 16-bit words and the size of the file, with the
/// field itself counted as 0. Source: formats text rewriting.md 5.2 (6), where it gave the values of GNU ld and lld.
Result<uint32_t> computeChecksum(const Plan& plan, const Bytes& input, uint64_t fieldAt, Monitor& monitor) {
  constexpr uint64_t kStep = 1 << 20;
  OutputReader reader(plan, input);
  uint64_t sum = 0;
  for (uint64_t at = 0; at < reader.size(); at += kStep) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("computing the checksum", at, reader.size());
    const Bytes block = reader.read(at, kStep);
    const std::string_view text = block.view();
    uint64_t words = 0;
    std::size_t i = 0;
    for (; i + 1 < text.size(); i += 2)
      words += static_cast<unsigned char>(text[i]) | static_cast<unsigned>(static_cast<unsigned char>(text[i + 1]))
                                                         << 8;
    if (i < text.size()) words += static_cast<unsigned char>(text[i]);
    sum += words;
  }
  // What the field holds now does not count.
  const Bytes field = reader.read(fieldAt, 4);
  for (uint64_t i = 0; i < field.size(); ++i)
    sum -= uint64_t{static_cast<unsigned char>(field.view()[i])} << 8 * ((fieldAt + i) & 1);
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint32_t>(sum + reader.size());
}

} // namespace

Section sectionAt(std::string_view text, uint64_t at) {
  Section section;
  section.at = at;
  if (at < text.size()) section.name = text.substr(at, 8);
  section.name = section.name.substr(0, section.name.find('\0'));
  section.virtualSize = numberAt<uint32_t>(text, at + 8);
  section.address = numberAt<uint32_t>(text, at + 12);
  section.rawSize = numberAt<uint32_t>(text, at + 16);
  section.rawOffset = numberAt<uint32_t>(text, at + 20);
  section.characteristics = numberAt<uint32_t>(text, at + 36);
  return section;
}

Extent File::directory(std::size_t number) const {
  if (number >= directories.size() || directories[number].offset == 0) return {};
  return directories[number];
}

std::optional<uint64_t> File::offsetOf(uint64_t address, uint64_t size) const {
  for (const Section& section : sections) {
    const Extent mapped{section.address, std::min(section.raw().size, section.memorySize())};
    if (!mapped.contains(Extent{address, size})) continue;
    const uint64_t offset = section.rawOffset + (address - section.address);
    return Extent{0, bytes.size()}.contains(Extent{offset, size}) ? std::optional(offset) : std::nullopt;
  }
  return std::nullopt;
}

Result<File> readFile(const library::Package& package) {
  File file;
  file.bytes = package.bytes;
  const std::string_view text = file.text();
  file.headerAt = uint64_t{numberAt<uint32_t>(text, 0x3c)} + 4;
  file.optionalAt = file.headerAt + coff::kFileHeader;
  const Extent whole{0, text.size()};
  if (!whole.contains(Extent{file.optionalAt, 68})) return layoutError(package, "the optional header is cut off");
  const uint64_t header = file.headerAt, optional = file.optionalAt;
  file.machine = numberAt<uint16_t>(text, header);
  const uint64_t count = numberAt<uint16_t>(text, header + 2), optionalSize = numberAt<uint16_t>(text, header + 16);
  file.symbols = {numberAt<uint32_t>(text, header + 8), numberAt<uint32_t>(text, header + 12), false};
  file.flags = numberAt<uint16_t>(text, header + 18);
  file.is64 = numberAt<uint16_t>(text, optional) == 0x20b;
  file.initializedSize = numberAt<uint32_t>(text, optional + 8);
  file.imageBase = file.is64 ? numberAt<uint64_t>(text, optional + 24) : numberAt<uint32_t>(text, optional + 28);
  file.sectionAlignment = numberAt<uint32_t>(text, optional + 32);
  file.fileAlignment = numberAt<uint32_t>(text, optional + 36);
  file.imageSize = numberAt<uint32_t>(text, optional + 56);
  file.headersSize = numberAt<uint32_t>(text, optional + 60);
  file.checksumAt = optional + 64;
  file.checksum = numberAt<uint32_t>(text, file.checksumAt);

  const uint64_t fixed = file.is64 ? 112 : 96;
  file.directoriesAt = optional + fixed;
  const uint64_t room = optionalSize < fixed ? 0 : (optionalSize - fixed) / 8;
  const uint64_t directories = std::min<uint64_t>({numberAt<uint32_t>(text, optional + fixed - 4), room, 16});
  for (uint64_t i = 0; i < directories && whole.contains(Extent{file.directoryAt(i), 8}); ++i)
    file.directories.push_back(
        {numberAt<uint32_t>(text, file.directoryAt(i)), numberAt<uint32_t>(text, file.directoryAt(i) + 4)});
  file.sectionsAt = optional + optionalSize;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = file.sectionsAt + i * coff::kSectionHeader;
    if (!whole.contains(Extent{at, coff::kSectionHeader})) break;
    file.sections.push_back(sectionAt(text, at));
  }
  return file;
}

Result<Done> forEachRecord(const Bytes& file, const coff::SymbolTable& table, Monitor& monitor,
                           const std::function<void(const Record&)>& each) {
  const std::string_view text = file.view(), strings = coff::stringTable(file, table);
  const uint64_t size = table.recordSize();
  if (table.offset == 0) return Done{};
  coff::NameCutter names(file.size());
  for (uint64_t i = 0, seen = 0; i < std::min(table.count, limits::kSymbols); ++i, ++seen) {
    if (seen % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    Record record;
    record.index = i;
    record.at = table.offset + i * size;
    if (!Extent{0, text.size()}.contains(Extent{record.at, size})) break;
    record.name = text.substr(record.at, 8);
    if (numberAt<uint32_t>(record.name, 0) == 0)
      record.name = strings.substr(std::min<uint64_t>(numberAt<uint32_t>(record.name, 4), strings.size()));
    record.name = names.cut(record.name);
    record.value = numberAt<uint32_t>(text, record.at + 8);
    record.section = table.wide ? numberAt<int32_t>(text, record.at + 12) : numberAt<uint16_t>(text, record.at + 12);
    const uint64_t tail = record.at + (table.wide ? 16 : 14);
    record.type = numberAt<uint16_t>(text, tail);
    record.storage = numberAt<uint8_t>(text, tail + 2);
    record.auxiliary = numberAt<uint8_t>(text, tail + 3);
    i += record.auxiliary;
    each(record);
  }
  return Done{};
}

void redirect(Rewrite& rewrite, const coff::SymbolTable& table, uint64_t at, uint32_t value, uint32_t section) {
  rewrite.set(at + 8, numberText(value, 4, false) + numberText(section, table.wide ? 4 : 2, false), "symbol");
}

bool isCarrier(const library::Package& package, std::string_view name) {
  if (package.image.underscores && name.starts_with('_')) name.remove_prefix(1);
  return container::matchCarrier(name).has_value();
}

Result<Plan> finish(const File& file, const std::function<Result<Plan>(std::string_view checksum)>& make,
                    Monitor& monitor) {
  const Extent certificate = file.directory(kCertificate);
  const bool isSigned = certificate.size > 0;
  const std::string none(4, '\0');
  auto plan = make(none);
  if (plan && file.checksum != 0) {
    // The field is where it was: nothing before it grows.
    auto checksum = computeChecksum(*plan, file.bytes, file.checksumAt, monitor);
    if (!checksum) return checksum.takeError();
    plan = make(numberText(*checksum, 4, false));
  }
  if (plan && isSigned) plan->consequences.push_back({DiagnosticId::PlanCertificate, {}, {}});
  return plan;
}

} // namespace blobscope::write::pe
