#include "core/base/writer.h"
#include "core/payloads/cubin/cubin.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/ptx/ptx.h"
#include "core/payloads/sniff.h"

#include <charconv>
#include <cstring>

namespace blobscope::payloads {
namespace {

constexpr uint64_t kEntryHeader = 64;

Error refuse(std::string reason) {
  return Error(DiagnosticId::FileHeader, {arg("format", "image's"), {"reason", std::move(reason)}});
}

/// What an entry states about its image.
struct Facts {
  uint16_t kind = 0, major = 0, minor = 0;
  uint32_t sm = 0;
  uint64_t flags = 0;
};

/// "sm_90a", "sm_100f".
bool readArchitecture(std::string_view text, Facts& facts) {
  constexpr std::string_view kPrefix = "sm_";
  if (!text.starts_with(kPrefix)) return false;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data() + kPrefix.size(), end, facts.sm);
  if (failure != std::errc{}) return false;
  const std::string_view suffix(stop, static_cast<std::size_t>(end - stop));
  if (suffix == "a") facts.flags |= FatbinEntry::kArchSpecific;
  if (suffix == "f") facts.flags |= FatbinEntry::kFamily;
  return suffix.empty() || suffix == "a" || suffix == "f";
}

Result<Facts> factsOf(const Bytes& image) {
  Facts facts;
  const std::string_view content = sniff(image);
  if (content == "ptx") {
    const Ptx ptx = readPtx(image);
    facts.kind = FatbinEntry::kPtx;
    const char* const end = ptx.version.data() + ptx.version.size();
    const auto [dot, failure] = std::from_chars(ptx.version.data(), end, facts.major);
    if (failure != std::errc{} || dot == end || std::from_chars(dot + 1, end, facts.minor).ec != std::errc{})
      return refuse("the PTX has no version");
    if (!readArchitecture(ptx.target, facts)) return refuse("the PTX has no target like sm_90");
    return facts;
  }
  if (content == "cubin") {
    const Cubin cubin = readCubin(image);
    if (!cubin.sm || !readArchitecture(cubin.architecture(), facts))
      return refuse("the architecture of the cubin is not known");
    facts.kind = FatbinEntry::kCubin;
    facts.major = 1;
    facts.minor = cubin.abi >= 8 ? 8 : 7;
    return facts;
  }
  return refuse("it is neither PTX nor a cubin");
}

} // namespace

Result<Bytes> packFatbin(const std::vector<Bytes>& images) {
  constexpr uint16_t kVersion = 1;
  Writer entries;
  for (const Bytes& image : images) {
    BLOBSCOPE_TRY(entry, packEntry(image, {}));
    entries.raw(entry);
  }
  const Bytes content = joined(entries.takePieces());
  Writer writer;
  writer.number(Fatbin::kMagic);
  writer.number(kVersion);
  writer.number(Fatbin::kContainerHeader);
  writer.number(uint64_t{content.size()});
  writer.raw(content);
  return joined(writer.takePieces());
}

Result<Bytes> packEntry(const Bytes& image, const Bytes& header) {
  BLOBSCOPE_TRY(facts, factsOf(image));
  // PTX is text that ends with a NUL, so it is padded with at least one zero.
  const uint64_t stored = image.size() + (facts.kind == FatbinEntry::kPtx ? 1 : 0);
  const uint64_t padded = (stored + 7) / 8 * 8;
  std::string head = header.size() >= kEntryHeader ? std::string(header.view()) : std::string(kEntryHeader, '\0');
  const auto put = [&](std::size_t at, auto value) { std::memcpy(head.data() + at, &value, sizeof value); };
  uint64_t flags = 0x11; // 64 bit, Linux
  if (header.size() >= kEntryHeader) {
    std::memcpy(&flags, head.data() + 0x28, 8);
    flags &= ~(FatbinEntry::kLz4 | FatbinEntry::kZstandard | FatbinEntry::kArchSpecific | FatbinEntry::kFamily);
  } else {
    put(0x02, uint16_t{0x0101});
    put(0x04, static_cast<uint32_t>(kEntryHeader));
  }
  put(0x00, facts.kind);
  put(0x08, padded);
  put(0x10, uint32_t{0}); // not compressed
  put(0x18, facts.minor);
  put(0x1A, facts.major);
  put(0x1C, facts.sm);
  put(0x28, flags | facts.flags);
  put(0x38, uint64_t{0});
  Writer writer;
  writer.raw(Bytes::copyOf(head));
  writer.raw(image);
  writer.raw(Bytes::copyOf(std::string(padded - image.size(), '\0')));
  return joined(writer.takePieces());
}

} // namespace blobscope::payloads
