#include "core/base/entropy.h"
#include "core/base/pattern_search.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/container/number_at.h"
#include "core/container/owned_ranges.h"
#include "core/payloads/sniff.h"
#include "core/safety/parts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace blobscope::safety {
namespace {

using container::Format;

constexpr std::size_t kRanges = 1'024;
constexpr std::size_t kLongestPattern = 20;         // of those that addInside() searches
constexpr uint64_t kMeasured = uint64_t{256} << 10; // bytes whose entropy is measured
constexpr uint64_t kPadding = 65'536;               // the largest gap of zeros that aligns something: 64 KiB pages

bool isUsual(const container::Section& section) {
  const std::string_view name = section.name;
  if (section.allocated || name.empty()) return section.allocated;
  return name.starts_with(".debug") || name.starts_with(".zdebug") || name.starts_with(".note") ||
         name.starts_with(".comment") || name.starts_with(".gnu") || name.starts_with(".rel") ||
         name.starts_with(".llvm") || name.starts_with(".stab") || name.starts_with(".ARM") ||
         name.starts_with(".riscv") || name == ".symtab" || name == ".strtab" || name == ".shstrtab" ||
         name == ".symtab_shndx" || name == ".group" || name.starts_with(".SUNW") || name == ".annobin.notes" ||
         name.starts_with(".deplibs") || name.starts_with(".nv") || name.starts_with("__nv");
}

Result<Done> addSections(const library::Package& package, Report& report) {
  const container::Image& image = package.image;
  // Other formats have no sections that the loader ignores, or these have fixed names.
  if (image.format != Format::Elf) return Done{};
  for (std::size_t i = 1; i < image.sections.size() && report.sections.size() < kRanges; ++i) {
    const container::Section& section = image.sections[i];
    if (section.file.size == 0 || isUsual(section)) continue;
    const Bytes bytes = image.file.slice(section.file.offset, section.file.size);
    report.sections.push_back({std::string(section.name.substr(0, 256)), section.file, entropyOf(bytes.view()),
                               std::string(formatOf(bytes)),
                               package.ref(Ref::bytesAt(section.file.offset, section.file.size))});
  }
  return Done{};
}

/// The machine of an ELF file that begins here; nothing when none does.
std::optional<uint16_t> elfMachineAt(std::string_view text) {
  if (text.size() < 64 || text[4] < 1 || text[4] > 2 || text[5] < 1 || text[5] > 2 || text[6] != 1) return std::nullopt;
  return container::numberAt<uint16_t>(text, 18);
}
bool isPeAt(std::string_view text) {
  if (text.size() < 64) return false;
  const uint64_t at = container::numberAt<uint32_t>(text, 60);
  return at < 4'096 && text.substr(std::min<std::size_t>(at, text.size()), 4) == std::string_view("PE\0\0", 4);
}
/// A local header with a version and a method that exist. Source: PKWARE APPNOTE 4.3.7.
bool isZipAt(std::string_view text) {
  return text.size() > 30 && text[4] <= 63 && text[5] == 0 && (text[8] == 0 || text[8] == 8) && text[9] == 0;
}

/// Where the blobs are in the file: ascending, without overlaps.
std::vector<Extent> blobsOf(const library::Package& package) {
  std::vector<Extent> all, out;
  for (const auto& blob : package.blobs)
    if (const auto begin = blob->bytes.offset())
      all.push_back({*begin - package.bytes.offset().value_or(0), blob->bytes.size()});
  std::ranges::sort(all, {}, &Extent::offset);
  for (const Extent& one : all)
    if (out.empty() || one.offset > out.back().end())
      out.push_back(one);
    else
      out.back().size = std::max(out.back().end(), one.end()) - out.back().offset;
  return out;
}

/// Programs and archives in the data of a file, and blobs that no carrier labels, as a save that appends leaves them.
Result<Done> addInside(const library::Package& package, Report& report, Monitor& monitor) {
  using namespace std::string_view_literals;
  const std::string_view all = package.image.file.view();
  const auto isReported = [&](uint64_t at) {
    return std::ranges::any_of(report.unowned, [&](const auto& range) { return range.extent.contains(at); }) ||
           std::ranges::any_of(report.sections, [&](const auto& one) { return one.extent.contains(at); });
  };
  const std::vector<Extent> blobs = blobsOf(package);
  // The bytes of a blob that is not contiguous in the file cannot be told from a dead one.
  const bool blobsAreKnown =
      std::ranges::all_of(package.blobs, [](const auto& blob) { return blob->bytes.offset().has_value(); });
  const auto formatAt = [&](std::string_view text) -> std::string_view {
    constexpr uint16_t kDevices[] = {190, 224, 164}; // CUDA, AMD GPUs, Hexagon
    switch (text.front()) {
    case 'M': return isPeAt(text) ? "pe" : "";
    case 'P': return isZipAt(text) ? "zip" : "";
    case '\x0c': return blobsAreKnown ? "blob" : "";
    default: break;
    }
    const auto machine = elfMachineAt(text);
    return !machine || std::ranges::find(kDevices, *machine) != std::end(kDevices) ? "" : "elf";
  };
  // Every stream with more than one module has the list of imports, as a text with its length in 8 bytes.
  static const PatternSearch search({"\x7f"
                                     "ELF"sv,
                                     "MZ"sv, "PK\x03\x04"sv, "\x0c\0\0\0\0\0\0\0_import_tree"sv});
  // What is inside of a blob belongs to it.
  constexpr uint64_t kStep = uint64_t{1} << 20;
  PassedBytes passed(package.image.file);
  uint64_t begin = 1;
  for (std::size_t next = 0; next <= blobs.size(); ++next) {
    const uint64_t end = next < blobs.size() ? std::min<uint64_t>(blobs[next].offset, all.size()) : all.size();
    for (; begin < end; begin = std::min(begin + kStep, end)) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      // A text may end within the blob or the next step, but not begin there.
      const uint64_t stop = std::min(begin + kStep, end);
      const std::string_view part = all.substr(0, std::min<uint64_t>(stop + kLongestPattern - 1, all.size()));
      for (std::size_t at = search.find(part, begin); at < stop && report.inside.size() < kRanges;
           at = search.find(part, at + 1)) {
        const std::string_view format = formatAt(all.substr(at));
        if (!format.empty() && !isReported(at))
          report.inside.push_back({std::string(format), at, package.ref(Ref::bytesAt(at))});
      }
      passed.passTo(begin);
    }
    if (next < blobs.size()) begin = std::max<uint64_t>(begin, blobs[next].end());
  }
  return Done{};
}

} // namespace

double entropyOf(std::string_view bytes) {
  return std::round(blobscope::entropyOf(bytes.substr(0, kMeasured)) * 100) / 100;
}

std::string_view formatOf(const Bytes& bytes) {
  struct Magic {
    std::string_view begin, name;
  };
  using namespace std::string_view_literals;
  constexpr Magic kMagics[] = {{"PK\x03\x04"sv, "zip"},
                               {"\x1f\x8b\x08"sv, "gzip"},
                               {"\x28\xb5\x2f\xfd"sv, "zstd"},
                               {"\xfd\x37zXZ\0"sv, "xz"},
                               {"BZh"sv, "bzip2"},
                               {"7z\xbc\xaf\x27\x1c"sv, "7z"},
                               {"MZ"sv, "pe"},
                               {"\xcf\xfa\xed\xfe"sv, "macho"},
                               {"\xca\xfe\xba\xbe"sv, "universal"},
                               {"\0asm"sv, "wasm"},
                               {"!<arch>\n"sv, "ar"},
                               {"#!"sv, "script"},
                               {"%PDF"sv, "pdf"},
                               {"\x89PNG"sv, "png"},
                               {"-----BEGIN"sv, "pem"}};
  std::string_view head = bytes.view().substr(0, 4'096);
  // Files are appended at aligned places, after zeros.
  const std::size_t begin = std::min(head.find_first_not_of('\0'), head.size());
  for (const std::size_t skip : {std::size_t{0}, begin})
    for (const Magic& magic : kMagics)
      if (head.substr(std::min(skip, head.size())).starts_with(magic.begin)) return magic.name;
  if (head.size() > 262 && head.substr(257).starts_with("ustar")) return "tar";
  return payloads::sniff(bytes.slice(begin == head.size() ? 0 : begin));
}

Result<Done> addUnowned(const library::Package& package, Report& report, Monitor& monitor) {
  const container::Image& image = package.image;
  BLOBSCOPE_TRY(owners, container::ownedRangesOf(image, monitor));
  for (const auto& blob : package.blobs)
    if (blob->bytes.offset() && !blob->bytes.empty())
      owners.push_back({{*blob->bytes.offset() - package.bytes.offset().value_or(0), blob->bytes.size()}, "the blob"});
  std::ranges::stable_sort(owners, {}, [](const container::OwnedRange& one) { return one.extent.offset; });
  const auto gap = [&](uint64_t begin, uint64_t end, const std::string& before, const std::string& after) {
    if (begin >= end) return;
    const Bytes bytes = image.file.slice(begin, end - begin);
    const bool zeros = container::isFilling(bytes.view());
    // Sections of PE files and pages are aligned; a piece of a gap is named after what is around it.
    if (zeros && bytes.size() < kPadding) return;
    report.unownedBytes += bytes.size();
    if (report.unowned.size() >= kRanges) return;
    UnownedRange range;
    range.extent = {begin, end - begin};
    range.zeros = zeros;
    range.entropy = entropyOf(bytes.view());
    range.looksLike = zeros ? "" : formatOf(bytes);
    range.where = after.empty() ? "after " + before : "between " + before + " and " + after;
    range.ref = package.ref(Ref::bytesAt(begin, end - begin));
    report.unowned.push_back(std::move(range));
  };
  uint64_t end = 0;
  std::string last = "the start of the file";
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (i % 4'096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const container::OwnedRange& one = owners[i];
    gap(end, one.extent.offset, last, one.name.empty() ? "a section" : escapedWithin(one.name, 60));
    if (one.extent.end() > end) {
      end = std::min(one.extent.end(), image.file.size());
      last = one.name.empty() ? "a section without a name" : escapedWithin(one.name, 60);
    }
  }
  gap(end, image.file.size(), last, {});
  BLOBSCOPE_CHECK(addSections(package, report));
  return addInside(package, report, monitor);
}

} // namespace blobscope::safety
