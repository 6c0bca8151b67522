#include "core/container/container.h"

#include "core/container/ar/ar.h"
#include "core/container/archive/archive.h"
#include "core/container/blob_scan.h"
#include "core/container/coff/coff.h"
#include "core/container/csource/csource.h"
#include "core/container/elf/elf.h"
#include "core/container/macho/macho.h"
#include "core/container/macho/universal.h"
#include "core/container/pe/pe.h"
#include "core/container/raw.h"
#include "core/container/wasm/wasm.h"

#include "core/base/source.h"
#include "core/base/text.h"

#include <array>

namespace blobscope::container {
namespace {

/// A reader whose only allocations are its tables. In a file on disk they are a small part of it; in an unpacked file
/// they are charged to the budget.
template <Result<Image> (*read)(const Bytes&, Monitor&)>
Result<Image> plain(const Bytes& file, const BudgetPtr& budget, Monitor& monitor) {
  auto image = read(file, monitor);
  if (!image || !file.owner() || !file.owner()->budget()) return image;
  image->charge = std::make_shared<Charge>(budget);
  const uint64_t tables = image->symbols.size() * sizeof(Symbol) + image->sections.size() * sizeof(Section);
  if (!image->charge->add(tables)) {
    image->diagnostics.push_back(budget->memoryExceeded("of symbols and sections", tables, Ref::file()));
    std::vector<Symbol>().swap(image->symbols);
  }
  return image;
}

/// Reads a universal file as an archive of its slices.
Result<Image> readSlices(const Bytes& file, Monitor& monitor) {
  Image image;
  image.file = file;
  image.format = Format::Universal;
  image.kind = Kind::Archive;
  BLOBSCOPE_TRY(slices, readUniversal(file, monitor, image.diagnostics));
  for (Slice& slice : slices) {
    // A slice is a separate file: its offsets count from its first byte.
    const Bytes bytes(slice.bytes.owner(), slice.bytes.span(), 0);
    image.members.push_back({slice.arch, Member::Type::Slice, bytes, {}});
  }
  return image;
}

constexpr ContainerKind kKinds[] = {
    {"elf", looksLikeElf, plain<readElf>},       {"pe", looksLikePe, plain<readPe>},
    {"macho", looksLikeMachO, plain<readMachO>}, {"universal", looksLikeUniversal, plain<readSlices>},
    {"wasm", looksLikeWasm, plain<readWasm>},    {"ar", looksLikeAr, readAr},
    {"archive", looksLikeArchive, readArchive},  {"coff", looksLikeCoff, plain<readCoff>},
};

struct Appearance {
  std::string_view magic;
  uint64_t offset;
  std::string_view words;
};

/// Contents that people try to open and that are worth naming when no format of the table matches.
constexpr Appearance kAppearances[] = {
    {{"\xca\xfe\xba\xbe", 4}, 0, "a Java class, or a universal Mach-O file without slices"},
    {{"\x50\xed\x55\xba", 4}, 0, "a bare CUDA fat binary"},
    {{"\x03\x02\x23\x07", 4}, 0, "a bare SPIR-V module"},
};

std::string appearance(std::string_view head) {
  for (const Appearance& known : kAppearances)
    if (head.size() >= known.offset + known.magic.size() &&
        head.substr(known.offset, known.magic.size()) == known.magic)
      return std::string(known.words);
  // The head may end inside a character.
  bool text = false;
  for (std::size_t cut = 0; cut < 4 && cut < head.size(); ++cut)
    text = text || isUtf8(head.substr(0, head.size() - (head.size() < 512 ? 0 : cut)));
  for (const char c : head)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') text = false;
  if (text) return "text";
  return "data that begins with " + hexDigits(head.substr(0, 8));
}

} // namespace

std::span<const ContainerKind> containerKinds() { return kKinds; }

Result<Image> readImage(const Bytes& file, Monitor& monitor) {
  return readImage(file, Budget::forFile(file.size()), monitor);
}

Result<Image> readImage(const Bytes& file, const BudgetPtr& budget, Monitor& monitor) {
  const std::string_view head = file.view().substr(0, 512);
  for (const ContainerKind& kind : kKinds)
    if (kind.sniff(head)) return kind.open(file, budget, monitor);
  if (looksLikeBlob(file) || looksLikeParams(head)) return readRaw(file, monitor);
  if (auto leftover = leftoverOf(file))
    return Error(DiagnosticId::FileLeftover, {{"what", std::move(leftover->what)}, {"fix", std::move(leftover->fix)}});
  BLOBSCOPE_TRY(isSource, looksLikeCSource(file.view(), monitor));
  if (isSource) return plain<readCSource>(file, budget, monitor);
  return Error(DiagnosticId::FileKind, {arg("what", appearance(head))});
}

Result<std::vector<Carrier>> carriersOf(const Image& image, const IsBlob& isBlob, const BudgetPtr& budget,
                                        std::vector<Diagnostic>& diagnostics, Monitor& monitor) {
  switch (image.format) {
  case Format::CSource: return findSourceCarriers(image, budget, diagnostics, monitor);
  case Format::Raw: return looksLikeBlob(image.file) ? findRawCarriers(image) : std::vector<Carrier>();
  case Format::Wasm: return findWasmCarriers(image, diagnostics, isBlob, budget, monitor);
  default: break;
  }
  BLOBSCOPE_TRY(carriers, findCarriers(image, diagnostics, monitor));
  // A stripped program that was linked with its models has no symbol for them.
  if (carriers.empty() && image.kind == Kind::Executable)
    return scanForBlobs(image, isBlob, *budget, diagnostics, monitor);
  return carriers;
}

} // namespace blobscope::container
