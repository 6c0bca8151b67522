#include "core/library/native.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/library/device_images.h"
#include "core/library/host_code.h"
#include "core/syntax/disassembler.h"

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <utility>

namespace blobscope::library {
namespace {

using container::Image;
using container::Kind;
using container::Section;
using container::Symbol;
using container::SymbolType;
using host::Group;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::string_view kMetadataPrefix = "__tvm_ffi__metadata_";
constexpr std::string_view kDocPrefix = "__tvm_ffi__doc_";

/// Bytes of code that are read per getter. Real getters have some hundred bytes.
constexpr uint64_t kGetterBytes = 16'384;
/// The limit of work for all getters of a file: 64 for each decoded byte, 1 for each symbol or section that is checked.
constexpr uint64_t kDocCost = 400'000'000;

// --- read-only data

/// Bytes of the file that the loader maps read-only.
struct Range {
  Extent memory;
  uint64_t fileOffset;
};

/// Returns read-only data by address, from sections or, without sections, from segments. With older linkers the only
/// segment that is not writable contains the code too.
std::vector<Range> readOnlyData(const Image& image) {
  std::vector<Range> ranges;
  const Extent whole{0, image.file.size()};
  const auto add = [&](uint64_t address, Extent file) {
    if (file.size > 0 && whole.contains(file)) ranges.push_back({{address, file.size}, file.offset});
  };
  for (const Section& section : image.sections)
    if (section.allocated && !section.writable && !section.executable)
      add(section.address, {section.file.offset, std::min(section.file.size, section.size)});
  if (image.sections.empty()) {
    for (const bool executable : {false, true})
      if (ranges.empty())
        for (const auto& segment : image.segments)
          if (!segment.writable && segment.executable == executable) add(segment.address, segment.file);
  }
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const Range& a, const Range& b) { return a.memory.offset < b.memory.offset; });
  return ranges;
}

const Range* rangeAt(const std::vector<Range>& ranges, uint64_t address) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                      [](uint64_t value, const Range& range) { return value < range.memory.offset; });
  return after != ranges.begin() && (after - 1)->memory.contains(address) ? &*(after - 1) : nullptr;
}

// --- documentation

bool isDocText(std::string_view text) {
  if (text.size() > NativeFunction::kDocBytes || !isUtf8(text)) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7f : c == '\n' || c == '\r' || c == '\t' || c == '\f';
  });
}

/// Reads the texts of one file's getters.
class DocReader {
public:
  explicit DocReader(const Image& image) : m_image(image) {
    // The addresses in an object file are not known before it is linked.
    if (image.kind == Kind::Object) return;
    m_disassembler = syntax::makeDisassembler(image.arch, image.bits);
    if (m_disassembler) m_data = readOnlyData(image);
  }

  std::optional<Bytes> read(uint32_t getter, Monitor& monitor) {
    const Symbol& symbol = m_image.symbols[getter];
    if (!m_disassembler || !spend(m_image.sections.size() + m_image.segments.size()) ||
        (symbol.size == 0 && !spend(m_image.symbols.size())))
      return std::nullopt;
    const auto code = findHostCode(m_image, getter);
    if (!code || code->arch != m_image.arch) return std::nullopt;
    Bytes bytes = code->bytes.slice(0, kGetterBytes);
    if (!spend(bytes.size() * 64)) return std::nullopt;
    if (symbol.size == 0) bytes = firstRun(bytes, code->address, monitor);
    const auto place = syntax::firstReadOnlyLoad(
        *m_disassembler, bytes, code->address, [&](uint64_t address) { return rangeAt(m_data, address); }, monitor);
    if (!place) return std::nullopt;
    const Range& range = *rangeAt(m_data, *place);
    const uint64_t delta = *place - range.memory.offset;
    const Bytes text = m_image.file.slice(range.fileOffset + delta,
                                          std::min(range.memory.size - delta, NativeFunction::kDocBytes + 1));
    const std::size_t end = text.view().find('\0');
    if (end == std::string_view::npos || !isDocText(text.view().substr(0, end))) return std::nullopt;
    return text.slice(0, end);
  }

private:
  bool spend(uint64_t cost) {
    if (cost > m_left) return false;
    m_left -= cost;
    return true;
  }
  /// Returns the code up to the first instruction that leaves the function: code of other functions may follow when the
  /// size is unknown.
  Bytes firstRun(const Bytes& bytes, uint64_t address, Monitor& monitor) {
    const auto instructions = m_disassembler->disassemble(bytes, address, {}, monitor);
    if (!instructions) return {};
    constexpr std::array<std::string_view, 7> kLeaving = {"ret", "jmp", "int3", "ud2", "b ", "br ", "brk"};
    for (const auto& instruction : *instructions) {
      const bool leaves = std::any_of(kLeaving.begin(), kLeaving.end(),
                                      [&](std::string_view word) { return instruction.text.starts_with(word); });
      if (leaves || !instruction.known) return bytes.slice(0, instruction.address - address);
    }
    return bytes;
  }

  const Image& m_image;
  std::unique_ptr<syntax::Disassembler> m_disassembler;
  std::vector<Range> m_data;
  uint64_t m_left = kDocCost;
};

/// Whether the symbol is a getter of signatures or documentation; host::readHost distinguishes it from a function whose
/// own name has the same prefix.
bool isGetter(const Package& package, uint32_t index) {
  const Symbol& symbol = package.image.symbols[index];
  return index < package.host.groups.size() && package.host.groups[index] == Group::Metadata &&
         symbol.type == SymbolType::Function;
}

bool hasPrefixedNames(const Package& package) { return package.host.abi && *package.host.abi >= host::Abi::Ffi2; }

// --- pages

std::string_view firstLine(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t')) line.remove_suffix(1);
    const std::size_t first = line.find_first_not_of(" \t\f\r");
    if (first != std::string_view::npos) return line.substr(first);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

/// Returns the page "Embedded images", one row per image.
view::Page imagesPage(const Package& package, const DeviceImages& images) {
  constexpr std::size_t kCellBytes = 200;
  Rows rows;
  std::vector<Ref> targets;
  for (const DeviceImage& image : images) {
    std::string words(image.kindName()), place = "not found: only its size is recorded";
    for (const ImageEntry& entry : image.entries) {
      const std::string word = (entry.kind == image.kindName() ? "" : entry.kind) +
                               (entry.kind == image.kindName() || entry.arch.empty() ? "" : " ") + entry.arch;
      if (words.size() + word.size() > kCellBytes) {
        words += ", …";
        break;
      }
      if (!word.empty()) words += (entry.kind == image.kindName() ? " " : ", ") + escaped(word);
    }
    if (image.placed()) {
      place = hexText(image.extent.offset) + (image.section.empty() ? "" : " in " + escaped(image.section));
      targets.push_back(package.ref(Ref::bytesAt(image.extent.offset, image.extent.size)));
    } else {
      targets.push_back(package.ref(Ref::named(Ref::Kind::Symbol, image.symbol)));
    }
    rows.push_back({image.name.empty() ? "–" : escaped(image.name), place, std::to_string(image.extent.size),
                    image.placed() ? words : "–", image.placed() ? std::string(image.loadedText()) : "–"});
  }
  return view::tablePage("Embedded images", {{"name"}, {"place"}, {"bytes", true, true}, {"content"}, {"loaded"}},
                         std::move(rows), std::move(targets));
}

} // namespace

std::string docLine(const NativeFunction& function) {
  constexpr std::size_t kLineBytes = 200;
  if (!function.hasDoc()) return "–";
  if (function.doc) return function.doc->empty() ? "empty" : escapedWithin(firstLine(function.doc->view()), kLineBytes);
  return syntax::hasDisassemblerFactory() ? "present; its text was not found in the code"
                                          : "present; this build has no disassembler to find its text";
}

namespace {

/// Symbols of the getters, by the names of their functions.
struct Getters {
  std::unordered_map<std::string_view, uint32_t> metadata, docs;
};

Getters gettersOf(const Package& package) {
  Getters out;
  if (!hasPrefixedNames(package)) return out;
  for (uint32_t i = 0; i < package.image.symbols.size(); ++i) {
    if (!isGetter(package, i)) continue;
    const std::string_view name = package.image.plainName(package.image.symbols[i]);
    if (name.starts_with(kMetadataPrefix)) out.metadata.emplace(name.substr(kMetadataPrefix.size()), i);
    if (name.starts_with(kDocPrefix)) out.docs.emplace(name.substr(kDocPrefix.size()), i);
  }
  return out;
}

} // namespace

bool hasMetadata(const Package& package) {
  const Getters getters = gettersOf(package);
  return !getters.metadata.empty() && std::ranges::any_of(package.host.functions, [&](const host::Function& function) {
    return getters.metadata.contains(function.name);
  });
}

std::vector<NativeFunction> nativeFunctions(const Package& package) {
  std::vector<NativeFunction> functions;
  if (!hasPrefixedNames(package)) return functions;
  const Getters getters = gettersOf(package);
  functions.reserve(package.host.functions.size());
  for (const host::Function& stored : package.host.functions) {
    NativeFunction function;
    function.name = stored.name;
    function.symbol = stored.symbol;
    function.hasMetadata = getters.metadata.contains(stored.name);
    if (const auto found = getters.docs.find(stored.name); found != getters.docs.end())
      function.docGetter = found->second;
    functions.push_back(std::move(function));
  }
  return functions;
}

Result<Done> computeDocs(const Package& package, std::vector<NativeFunction>& functions, Monitor& monitor) {
  longWork("library::computeDocs");
  std::optional<DocReader> reader;
  uint64_t done = 0;
  for (NativeFunction& function : functions) {
    if (!function.docGetter) continue;
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("reading documentation", done++, 0);
    if (!reader) reader.emplace(package.image);
    function.doc = reader->read(*function.docGetter, monitor);
  }
  return Done{};
}

std::string registrationWords(const Package& package) {
  // apache/tvm-ffi v0.1.0 – v0.1.15 include/tvm/ffi/c_api.h. Every class requests its type index, with or without
  // fields.
  struct Word {
    std::string_view symbol, word;
  };
  constexpr std::array<Word, 7> kWords = {{{"TVMFFITypeGetOrAllocIndex", "classes"},
                                           {"TVMFFITypeRegisterField", "fields"},
                                           {"TVMFFITypeRegisterMethod", "methods"},
                                           {"TVMFFITypeRegisterMetadata", "metadata of classes"},
                                           {"TVMFFITypeRegisterAttr", "attributes of classes"},
                                           {"TVMFFIFunctionSetGlobalFromMethodInfo", "global functions"},
                                           {"TVMFFIFunctionSetGlobal", "global functions"}}};
  std::array<bool, kWords.size()> needed{};
  for (const Symbol& symbol : package.image.symbols) {
    if (symbol.defined) continue;
    const std::string_view name = package.image.plainName(symbol);
    if (!name.starts_with("TVMFFI")) continue;
    for (std::size_t i = 0; i < kWords.size(); ++i) needed[i] |= name == kWords[i].symbol;
  }
  needed[6] &= !needed[5];
  std::string words;
  for (std::size_t i = 0; i < kWords.size(); ++i)
    if (needed[i]) words += (words.empty() ? "" : ", ") + std::string(kWords[i].word);
  return words;
}

void addNativeFacts(const Package& package, Rows& rows) {
  const std::vector<NativeFunction> functions = nativeFunctions(package);
  const auto count = std::count_if(functions.begin(), functions.end(),
                                   [](const NativeFunction& function) { return function.hasMetadata; });
  if (count > 0)
    rows.push_back({"signatures", "metadata of " + groupedText(static_cast<uint64_t>(count)) + " of " +
                                      groupedText(functions.size()) +
                                      " functions; Run → Read signatures… runs the code that returns it"});
  const std::string words = registrationWords(package);
  if (!words.empty())
    rows.push_back(
        {"registers", words + ", when it is loaded; only its code knows which ones" +
                          (functions.empty() ? "; the page 'Registered names' has the texts that may be names" : "")});
}

namespace {

/// Adds the texts that may be names of what a library registers when it is loaded.
void addRegisteredNames(const PackagePtr& package, view::PageList& list) {
  if (registrationWords(*package).empty() || !nativeFunctions(*package).empty()) return;
  const auto make = [package](Monitor& monitor) -> Result<view::Page> {
    BLOBSCOPE_TRY(names, computeRegisteredNames(package->image, monitor));
    Rows rows;
    std::vector<Ref> targets;
    for (const std::string_view name : names) {
      rows.push_back({escaped(name), "a text; registered by start-up code, not certain"});
      const auto at = static_cast<uint64_t>(name.data() - package->image.file.view().data());
      targets.push_back(package->ref(Ref::bytesAt(at, name.size())));
    }
    return view::tablePage("Registered names", {{"name"}, {"from"}}, std::move(rows), std::move(targets));
  };
  list.push_back({"Registered names", view::DeferredPage{"table", make}});
}

} // namespace

void addNativePages(const PackagePtr& package, view::PageList& list, Monitor& monitor) {
  addRegisteredNames(package, list);
  auto found = computeDeviceImages(*package, monitor);
  if (!found || found->empty()) return;
  const auto images = std::make_shared<const DeviceImages>(std::move(*found));
  const auto make = [package, images](Monitor&) -> Result<view::Page> { return imagesPage(*package, *images); };
  list.push_back({"Embedded images", view::DeferredPage{"table", make}});
}

void addFunctionFacts(const Package& package, uint32_t symbol, Rows& rows, view::PageList& pages) {
  if (!hasPrefixedNames(package)) return;
  const auto& stored = package.host.functions;
  const auto own = std::find_if(stored.begin(), stored.end(),
                                [&](const host::Function& function) { return function.symbol == symbol; });
  if (own == stored.end()) return;
  std::vector<NativeFunction> function(1);
  for (uint32_t i = 0; i < package.image.symbols.size(); ++i) {
    const std::string_view name = package.image.plainName(package.image.symbols[i]);
    if (!name.ends_with(own->name) || !isGetter(package, i)) continue;
    const std::string_view prefix = name.substr(0, name.size() - own->name.size());
    if (prefix == kMetadataPrefix) function[0].hasMetadata = true;
    if (prefix == kDocPrefix && !function[0].docGetter) function[0].docGetter = i;
  }
  if (function[0].hasMetadata)
    rows.push_back({"metadata", "present; Run → Read signatures… runs the code that returns it"});
  if (!function[0].hasDoc()) return;
  NullMonitor monitor;
  (void)computeDocs(package, function, monitor); // it cannot be cancelled
  rows.push_back({"documentation", docLine(function[0])});
  if (function[0].doc && !function[0].doc->empty())
    pages.push_back({"Documentation", view::TextPage{*function[0].doc, ""}});
}

} // namespace blobscope::library
