#include "core/requirements/import_facts.h"

#include "core/container/macho/file.h"
#include "core/container/number_at.h"
#include "core/container/pe/file.h"
#include "core/container/pe/imports.h"
#include "core/container/wasm/wasm_module.h"

#include <algorithm>

namespace blobscope::requirements {
namespace {

namespace macho = container::macho;
namespace pe = container::pe;
namespace wasm = container::wasm;
using container::Format;
using container::Image;

constexpr std::size_t kLibraries = 4'096;   // maximum of libraries
constexpr std::size_t kImports = 1'000'000; // maximum of imported symbols whose library is kept
constexpr std::size_t kNameBytes = 4'096;   // maximum length of a name

/// The text up to NUL, cut to kNameBytes.
std::string nameAt(std::string_view text, uint64_t at) {
  if (at >= text.size()) return {};
  const std::string_view rest = text.substr(at, kNameBytes);
  return std::string(rest.substr(0, rest.find('\0')));
}

/// The first problem with a part of the file that the loader maps; `parts` begin the names of such parts.
std::string damageOf(const Image& image, std::initializer_list<std::string_view> parts) {
  for (const Diagnostic& diagnostic : image.diagnostics) {
    if (diagnostic.id != DiagnosticId::FilePart) continue;
    for (const Argument& argument : diagnostic.arguments)
      if (argument.name == "what" && std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
            return argument.value.starts_with(part);
          }))
        return diagnostic.message();
  }
  return {};
}

class Facts {
public:
  Facts(const Image& image, Monitor& monitor) : m_image(image), m_monitor(monitor) {}

  Result<ImportFacts> read() {
    switch (m_image.format) {
    case Format::Pe: BLOBSCOPE_CHECK(readPe()); break;
    case Format::MachO: BLOBSCOPE_CHECK(readMachO()); break;
    case Format::Wasm: BLOBSCOPE_CHECK(readWasm()); break;
    default: break;
    }
    return std::move(m_out);
  }

private:
  std::optional<std::size_t> libraryNumber(const std::string& name) {
    const auto found = m_numbers.find(name);
    if (found != m_numbers.end()) return found->second;
    if (m_out.libraries.size() >= kLibraries) return std::nullopt;
    m_numbers.emplace(name, m_out.libraries.size());
    m_out.libraries.push_back(name);
    return m_out.libraries.size() - 1;
  }
  void add(std::string symbol, std::optional<std::size_t> library) {
    if (library && m_out.libraryOf.size() < kImports) m_out.libraryOf.try_emplace(std::move(symbol), *library);
  }
  /// Checks the monitor every 4,096 items of any kind.
  bool mustStop() {
    if (m_items++ % 4'096 != 0) return false;
    m_monitor.progress("reading imports", m_items, 0);
    return m_monitor.stopRequested();
  }

  // --- PE
  std::string_view atRva(const pe::File& file, uint64_t rva) const {
    const auto bytes = m_image.findBytesAt(file.imageBase + rva);
    return bytes ? bytes->view() : std::string_view();
  }

  Result<Done> readPe() {
    m_out.bindsAtOnce = true;
    m_out.damage = damageOf(m_image, {"section '", "section table", "optional header"});
    if (m_image.kind != container::Kind::Shared) m_out.damage = "the file is a program, not a library";
    const pe::File file = pe::File::read(m_image.file);
    const Extent directory = file.directory(pe::IMAGE_DIRECTORY_ENTRY_IMPORT);
    if (directory.offset == 0) return Done{};
    const std::string_view table = atRva(file, directory.offset);
    uint64_t left = m_image.file.size() / 4; // each import has a word; tables of a crafted file may overlap
    for (uint64_t i = 0; const auto entry = pe::importLibraryAt(file, table, i, false); ++i) {
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      const auto library = libraryNumber(nameAt(atRva(file, entry->name), 0));
      const std::string_view words = atRva(file, entry->lookup);
      for (uint64_t k = 0; left > 0; ++k, --left) {
        if (mustStop()) return Error(DiagnosticId::Cancelled, {});
        const auto import = pe::importAt(file, *entry, words, k);
        if (!import) break;
        if (import->ordinal) continue;
        if (std::string name = nameAt(atRva(file, import->name), 0); !name.empty()) add(std::move(name), library);
      }
    }
    return Done{};
  }

  // --- Mach-O
  Result<Done> readMachO() {
    m_out.damage = damageOf(m_image, {"segment", "the segment", "load command table"});
    if (m_image.kind != container::Kind::Shared && m_image.kind != container::Kind::Object)
      m_out.damage = "the file is not a dynamic library";
    auto file = macho::File::readHeader(m_image.file);
    if (!file) return Done{};
    (void)file->readCommands(); // commands that cannot be read are in the diagnostics of the image
    std::vector<std::optional<std::size_t>> ordinals; // in the order of the load commands
    for (const macho::Command& command : file->commands) {
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      const std::string_view text = file->text().substr(command.place.offset, command.place.size);
      const bool library = command.id == macho::LC_LOAD_DYLIB || command.id == macho::LC_LOAD_WEAK_DYLIB ||
                           command.id == macho::LC_REEXPORT_DYLIB || command.id == macho::LC_LAZY_LOAD_DYLIB ||
                           command.id == macho::LC_LOAD_UPWARD_DYLIB;
      if (library) ordinals.push_back(libraryNumber(nameAt(text, file->u32(command.place.offset + 8))));
      if (command.id == macho::LC_RPATH && m_out.runPaths.size() < kLibraries)
        m_out.runPaths.push_back(nameAt(text, file->u32(command.place.offset + 8)));
      if (command.id == macho::LC_DYLD_CHAINED_FIXUPS) m_out.bindsAtOnce = true;
      if (command.id == macho::LC_DYSYMTAB) BLOBSCOPE_CHECK(readPlaces(*file, command));
    }
    return readMachOSymbols(*file, ordinals);
  }

  /// The indirect symbol table of LC_DYSYMTAB has one entry per pointer of some sections, whose field reserved1 is the
  /// number of the first one.
  Result<Done> readPlaces(const macho::File& file, const macho::Command& command) {
    constexpr uint32_t kNonLazyPointers = 6, kLazyPointers = 7; // S_NON_LAZY_SYMBOL_POINTERS, S_LAZY_SYMBOL_POINTERS
    const uint64_t offset = file.u32(command.place.offset + 56), count = file.u32(command.place.offset + 60);
    const Bytes table = m_image.file.slice(offset, 4 * count);
    const macho::Table* const symbols = file.findTable(macho::Role::Symbols);
    const macho::Table* const strings = file.findTable(macho::Role::Strings);
    if (!symbols || !strings) return Done{};
    const Bytes names = m_image.file.slice(strings->file.offset, strings->file.size);
    for (const macho::Section& section : file.sections) {
      if (section.type() != kNonLazyPointers && section.type() != kLazyPointers) continue;
      const uint64_t first = file.u32(section.header + (file.is64 ? 68 : 60)), word = file.wordSize();
      const uint64_t pointers = std::min(section.size / word, table.size() / 4 - std::min(first, table.size() / 4));
      for (uint64_t i = 0; i < pointers; ++i) {
        if (mustStop()) return Error(DiagnosticId::Cancelled, {});
        const uint64_t index = file.number(offset + 4 * (first + i));
        const uint64_t place = index * file.symbolSize();
        if (place >= symbols->file.size || m_out.places.size() >= kImports) continue; // also the marks of local symbols
        m_out.places.try_emplace(section.address + i * word,
                                 nameAt(names.view(), file.symbol(symbols->file.offset + place).name));
      }
    }
    return Done{};
  }

  /// The upper byte of n_desc of an undefined symbol is the number of its library, from 1.
  Result<Done> readMachOSymbols(const macho::File& file, const std::vector<std::optional<std::size_t>>& ordinals) {
    constexpr uint32_t kTwoLevel = 0x80; // MH_TWOLEVEL
    const macho::Table* const symbols = file.findTable(macho::Role::Symbols);
    const macho::Table* const strings = file.findTable(macho::Role::Strings);
    if (!symbols || !strings || !(file.flags & kTwoLevel)) return Done{};
    const Bytes names = m_image.file.slice(strings->file.offset, strings->file.size);
    const uint64_t size = file.symbolSize(),
                   count = m_image.file.slice(symbols->file.offset, symbols->file.size).size() / size;
    for (uint64_t i = 0; i < count; ++i) {
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      const macho::Symbol symbol = file.symbol(symbols->file.offset + i * size);

      const bool undefined = (symbol.type & macho::N_TYPE) == macho::N_UNDF && symbol.type & macho::N_EXT &&
                             !(symbol.type & macho::N_STAB);
      const std::size_t ordinal = symbol.description >> 8;
      if (undefined && ordinal >= 1 && ordinal <= ordinals.size())
        add(nameAt(names.view(), symbol.name), ordinals[ordinal - 1]);
    }
    return Done{};
  }

  // --- WebAssembly
  Result<Done> readWasm() {
    auto module = wasm::readModule(m_image.file, m_monitor);
    if (!module && module.error().code() == ErrorCode::Cancelled) return module.takeError();
    if (!module) {
      m_out.damage = module.error().message();
      return Done{};
    }
    m_out.bindsAtOnce = true;
    for (const wasm::SectionEntry& section : module->sections)
      if (section.cut) m_out.damage = "the file ends inside the section '" + std::string(section.name) + "'";
    for (uint64_t i = 0; i < module->imports.size(); ++i) {
      const wasm::ImportEntry& entry = module->imports[i];
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      const auto library = libraryNumber(std::string(entry.module.substr(0, kNameBytes)));
      const std::string name(entry.field.substr(0, kNameBytes));
      if (m_out.importNumbers.size() < kImports) m_out.importNumbers.try_emplace(name, i);
      add(name, library);
    }
    readFeatures(*module);
    return Done{};
  }

  void readFeatures(const wasm::Module& module) {
    constexpr std::size_t kFeatures = 100;
    constexpr uint8_t kUsed = '+', kRequired = '=';
    const wasm::SectionEntry* const section = module.find(wasm::Custom, "target_features");
    if (!section) return;
    wasm::Cursor cursor(module.text(), section->content);
    const uint64_t count = cursor.number();
    for (uint64_t i = 0; i < count && i < kFeatures; ++i) {
      const uint8_t prefix = cursor.byte();
      const std::string_view name = cursor.name();
      if (!cursor.ok()) return;
      if (prefix == kUsed || prefix == kRequired) m_out.features.emplace_back(name.substr(0, kNameBytes));
    }
  }

  const Image& m_image;
  Monitor& m_monitor;
  uint64_t m_items = 0;
  std::unordered_map<std::string, std::size_t> m_numbers;
  ImportFacts m_out;
};

} // namespace

Result<ImportFacts> readImportFacts(const Image& image, Monitor& monitor) { return Facts(image, monitor).read(); }

} // namespace blobscope::requirements
