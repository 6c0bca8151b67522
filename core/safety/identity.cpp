#include "core/base/digest.h"
#include "core/base/text.h"
#include "core/container/elf/file.h"
#include "core/container/macho/file.h"
#include "core/container/number_at.h"
#include "core/container/pe/file.h"
#include "core/safety/parts.h"

#include <algorithm>
#include <map>
#include <set>

namespace blobscope::safety {
namespace {

namespace elf = container::elf;
namespace macho = container::macho;
namespace pe = container::pe;
using container::Format;

constexpr std::size_t kNames = 64;    // compilers that are listed
constexpr uint64_t kComment = 65'536; // bytes of .comment that are read
constexpr uint32_t PT_NOTE_TYPE = 4;

void addName(std::vector<std::string>& list, std::string_view name) {
  if (name.empty() || list.size() >= kNames) return;
  std::string text(name.substr(0, 200));
  if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
}

std::string buildIdOf(const container::Image& image) {
  if (image.format == Format::Elf) {
    auto file = elf::File::readHeader(image.file);
    if (!file) return {};
    file->readTables();
    for (const elf::ProgramHeader& header : file->programs) {
      if (header.type != PT_NOTE_TYPE || !Extent{0, image.file.size()}.contains(header.file())) continue;
      const uint64_t align = header.align == 8 ? 8 : 4;
      uint64_t at = 0;
      while (const auto note = file->note(header.file(), at, align)) {
        at = note->next;
        if (!Extent{0, header.fileSize}.contains(note->content)) break;
        const std::string_view name = image.file.view().substr(header.offset + note->name.offset, note->name.size);
        if (note->type == elf::NT_GNU_BUILD_ID && name.starts_with("GNU"))
          return hexDigits(
              image.file.slice(header.offset + note->content.offset, std::min<uint64_t>(note->content.size, 64))
                  .view());
      }
    }
  }
  if (image.format == Format::MachO) {
    auto file = macho::File::readHeader(image.file);
    if (!file) return {};
    (void)file->readCommands();
    for (const macho::Command& command : file->commands)
      if (command.id == macho::LC_UUID) return hexDigits(image.file.slice(command.place.offset + 8, 16).view());
  }
  return {};
}

/// What compilers and linkers write about themselves.
void addCompilers(const container::Image& image, Identity& out) {
  for (const container::Section& section : image.sections) {
    if (section.name != ".comment" || section.file.size == 0) continue;
    std::string_view text = image.file.slice(section.file.offset, std::min(section.file.size, kComment)).view();
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\0'), text.size());
      addName(out.compilers, text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  if (image.format == Format::Pe) {
    const pe::File file = pe::File::read(image.file);
    const auto major = container::numberAt<uint8_t>(file.text(), file.optionalAt + 2),
               minor = container::numberAt<uint8_t>(file.text(), file.optionalAt + 3);
    addName(out.compilers, "linker " + std::to_string(major) + "." + std::to_string(minor));
    const auto seconds = container::numberAt<uint32_t>(file.text(), file.headerAt + 8); // TimeDateStamp
    if (seconds != 0 && seconds != UINT32_MAX) out.times.push_back("PE header: " + hexText(seconds));
  }
}

Result<std::string> codeDigest(const std::vector<library::PackagePtr>& packages, Monitor& monitor) {
  std::vector<Bytes> all;
  for (const library::PackagePtr& package : packages)
    for (const std::size_t index : codeSections(package->image)) {
      const Extent file = package->image.sections[index].file;
      all.push_back(package->image.file.slice(file.offset, file.size));
    }
  const bool none = std::ranges::all_of(all, [](const Bytes& one) { return one.empty(); });
  return none ? Result<std::string>(std::string()) : computeSha256(all, monitor);
}

} // namespace

std::vector<std::size_t> codeSections(const container::Image& image) {
  std::vector<std::size_t> out;
  std::map<uint64_t, uint64_t> taken; // begin and end
  for (std::size_t i = 0; i < image.sections.size(); ++i) {
    const container::Section& section = image.sections[i];
    if (!section.executable || section.file.size == 0) continue;
    const auto next = taken.lower_bound(section.file.offset);
    const bool overlaps = (next != taken.end() && next->first < section.file.end()) ||
                          (next != taken.begin() && std::prev(next)->second > section.file.offset);
    if (overlaps) continue;
    taken.emplace(section.file.offset, section.file.end());
    out.push_back(i);
  }
  return out;
}

Result<Done> addIdentity(const std::vector<library::PackagePtr>& packages, Identity& out, Monitor& monitor) {
  BLOBSCOPE_TRY(code, codeDigest(packages, monitor));
  out.code = std::move(code);
  for (const library::PackagePtr& package : packages) {
    if (out.buildId.empty()) out.buildId = buildIdOf(package->image);
    addCompilers(package->image, out);
    for (const auto& blob : package->blobs) {
      BLOBSCOPE_TRY(sha, computeSha256(blob->bytes, monitor));
      out.blobs.push_back({blob->ref(), std::move(sha), {}});
    }
  }
  return Done{};
}

} // namespace blobscope::safety
