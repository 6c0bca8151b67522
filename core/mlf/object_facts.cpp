#include "core/mlf/object_facts.h"

#include "core/base/limits.h"
#include "core/container/coff/coff.h"
#include "core/container/container.h"

#include <algorithm>
#include <cstring>

namespace blobscope::mlf {
namespace {

constexpr std::string_view kParameterPrefix = "__tvm_param__";
/// Wrapper for bitcode on Mach-O. Source: llvm/BitstreamReader.h, isBitcodeWrapper.
constexpr std::string_view kBitcode = "BC\xc0\xde", kBitcodeWrapper = "\xde\xc0\x17\x0b";

/// Returns whether the section's header says that the linker keeps one of several copies. Source: "PE Format",
/// learn.microsoft.com/windows/win32/debug/pe-format, IMAGE_SCN_LNK_COMDAT; winnt.h for /bigobj.
bool isComdat(const container::Image& image, uint32_t section) {
  constexpr uint64_t kHeader = 20, kBigHeader = 56, kSection = 40, kFlags = 36;
  constexpr uint32_t kComdat = 0x1000;
  const std::string_view text = image.file.view();
  const bool big = text.size() >= 4 && std::memcmp(text.data(), "\0\0\xff\xff", 4) == 0;
  const uint64_t at = (big ? kBigHeader : kHeader) + section * kSection + kFlags;
  uint32_t flags = 0;
  if (text.size() < sizeof flags || at > text.size() - sizeof flags) return false;
  std::memcpy(&flags, text.data() + at, sizeof flags);
  return flags & kComdat;
}

bool isFunction(const container::Image& image, const container::Symbol& symbol) {
  if (symbol.type == container::SymbolType::Function) return true;
  if (symbol.type != container::SymbolType::None && symbol.type != container::SymbolType::Other) return false;
  const container::Section* const section = image.findSectionOf(symbol);
  return section && section->executable;
}

void readSymbols(const container::Image& image, ObjectFacts& facts, Monitor& monitor) {
  uint64_t done = 0;
  for (const container::Symbol& symbol : image.symbols) {
    if (++done % 4096 == 0 && monitor.stopRequested()) return;
    if (!symbol.defined || symbol.absolute) continue;
    const std::string_view name = image.plainName(symbol);
    if (name.starts_with(kParameterPrefix) && facts.linkedParameters.size() < limits::kListItems)
      facts.linkedParameters.emplace_back(name.substr(kParameterPrefix.size()));
    const bool weak = symbol.binding == container::Binding::Weak;
    if ((symbol.binding != container::Binding::Global && !weak) || name.empty()) continue;
    if (facts.functions.size() + facts.data.size() >= limits::kListItems) return;
    const bool comdat = image.format == container::Format::Coff && isComdat(image, symbol.section);
    if (isFunction(image, symbol))
      facts.functions.push_back({std::string(name), weak || comdat});
    else
      facts.data.emplace_back(name);
  }
}

} // namespace

bool ObjectFacts::defines(std::string_view name) const {
  return std::any_of(functions.begin(), functions.end(), [&](const Function& f) { return f.name == name; }) ||
         std::find(data.begin(), data.end(), name) != data.end();
}

std::string ObjectFacts::text() const {
  return format + " for " + (arch.empty() ? "an unknown machine" : arch) + ", " + std::to_string(bits) + " bit, " +
         (bigEndian ? "big" : "little") + " endian";
}

ObjectFacts readObjectFacts(const Bytes& file, Monitor& monitor) {
  using container::Format;
  ObjectFacts facts;
  const auto other = [&](std::string why) {
    facts.kind = ObjectFacts::Kind::Other;
    facts.why = std::move(why);
    return facts;
  };
  const std::string_view head = file.view().substr(0, 512);
  if (head.empty()) return other("empty");
  if (head.starts_with(kBitcode) || head.starts_with(kBitcodeWrapper)) return other("LLVM bitcode");
  if (std::all_of(head.begin(), head.end(),
                  [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t'; }))
    return other(head.starts_with("!<arch>\n") || head.starts_with("!<thin>\n") ? "an archive" : "text");

  const auto kinds = container::containerKinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const container::ContainerKind& k) { return k.sniff(head); });
  if (kind == kinds.end()) return facts;
  if (kind->name == "ar" || kind->name == "archive" || kind->name == "universal") return other("an archive");
  if (kind->name == "wasm") return facts; // relocatable files cannot be told from modules
  Result<container::Image> image = kind->open(file, Budget::forFile(file.size()), monitor);
  if (!image) return other(image.error().message());
  switch (image->kind) {
  case container::Kind::Object: break;
  case container::Kind::Shared: return other("a shared library");
  case container::Kind::Executable: return other("an executable");
  case container::Kind::Archive: return other("an archive");
  default: return other("of an unexpected kind");
  }
  facts.kind = ObjectFacts::Kind::Object;
  facts.format = container::formatTitle(image->format);
  facts.arch = image->arch;
  facts.bits = image->bits;
  facts.bigEndian = image->bigEndian;
  facts.complete = image->diagnostics.empty();
  readSymbols(*image, facts, monitor);
  return facts;
}

} // namespace blobscope::mlf
