#include "core/container/pe/file.h"

#include <algorithm>

namespace blobscope::container::pe {

File File::read(const Bytes& bytes) {
  File file;
  file.bytes = bytes;
  const std::string_view text = file.text();
  file.headerAt = uint64_t{numberAt<uint32_t>(text, 0x3c)} + 4; // e_lfanew; the signature is there
  file.optionalAt = file.headerAt + coff::kFileHeader;
  const Extent whole{0, text.size()};
  const uint64_t header = file.headerAt, optional = file.optionalAt;
  file.machine = numberAt<uint16_t>(text, header);
  file.sectionCount = numberAt<uint16_t>(text, header + 2);
  file.symbols = {numberAt<uint32_t>(text, header + 8), numberAt<uint32_t>(text, header + 12), false};
  file.optionalSize = numberAt<uint16_t>(text, header + 16);
  file.flags = numberAt<uint16_t>(text, header + 18);
  file.magic = file.optionalSize < 2 ? uint16_t{0} : numberAt<uint16_t>(text, optional);
  file.is64 = file.magic == IMAGE_NT_OPTIONAL_HDR64_MAGIC;
  file.initializedSize = numberAt<uint32_t>(text, optional + 8);
  file.imageBase = file.is64 ? numberAt<uint64_t>(text, optional + 24) : numberAt<uint32_t>(text, optional + 28);
  file.sectionAlignment = numberAt<uint32_t>(text, optional + 32);
  file.fileAlignment = numberAt<uint32_t>(text, optional + 36);
  file.imageSize = numberAt<uint32_t>(text, optional + 56);
  file.headersSize = numberAt<uint32_t>(text, optional + 60);
  file.checksumAt = optional + 64;
  file.checksum = numberAt<uint32_t>(text, file.checksumAt);

  const uint64_t fixed = file.fixedSize();
  file.directoriesAt = optional + fixed;
  file.directoryCount = numberAt<uint32_t>(text, optional + fixed - 4);
  const uint64_t room = file.optionalSize < fixed ? 0 : (file.optionalSize - fixed) / 8;
  const uint64_t directories = std::min<uint64_t>({file.directoryCount, room, IMAGE_NUMBEROF_DIRECTORY_ENTRIES});
  for (uint64_t i = 0; i < directories && whole.contains(Extent{file.directoryAt(i), 8}); ++i)
    file.directories.push_back(
        {numberAt<uint32_t>(text, file.directoryAt(i)), numberAt<uint32_t>(text, file.directoryAt(i) + 4)});
  file.sectionsAt = optional + file.optionalSize;
  for (uint64_t i = 0; i < file.sectionCount; ++i) {
    const uint64_t at = file.sectionsAt + i * coff::kSectionHeader;
    if (!whole.contains(Extent{at, coff::kSectionHeader})) break;
    file.sections.push_back(coff::sectionAt(text, at));
  }
  return file;
}

Extent File::directory(std::size_t number) const {
  if (number >= directories.size() || directories[number].offset == 0) return {};
  return directories[number];
}

std::optional<uint64_t> File::offsetOf(uint64_t address, uint64_t size) const {
  for (const coff::SectionHeader& section : sections) {
    const Extent mapped{section.address, std::min(section.raw().size, section.memorySize())};
    if (!mapped.contains(Extent{address, size})) continue;
    const uint64_t offset = section.rawOffset + (address - section.address);
    return Extent{0, bytes.size()}.contains(Extent{offset, size}) ? std::optional(offset) : std::nullopt;
  }
  return std::nullopt;
}

} // namespace blobscope::container::pe
