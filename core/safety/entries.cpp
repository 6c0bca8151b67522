#include "core/safety/entries.h"

#include "core/base/text.h"
#include "core/container/elf/file.h"
#include "core/container/macho/file.h"
#include "core/container/number_at.h"
#include "core/container/pe/file.h"
#include "core/container/wasm/wasm_module.h"

#include <algorithm>
#include <set>

namespace blobscope::safety {
namespace {

namespace elf = container::elf;
namespace macho = container::macho;
namespace pe = container::pe;
namespace wasm = container::wasm;
using container::Format;

constexpr uint32_t S_MOD_INIT_FUNC_POINTERS = 0x9, S_MOD_TERM_FUNC_POINTERS = 0xa, S_INIT_FUNC_OFFSETS = 0x16,
                   S_THREAD_LOCAL_INIT_FUNCTION_POINTERS = 0x15, LC_ROUTINES = 0x11;
constexpr std::size_t IMAGE_DIRECTORY_ENTRY_TLS = 9;

class Entries {
public:
  Entries(const AddressSpace& space, Monitor& monitor) : m_space(space), m_image(space.image()), m_monitor(monitor) {}

  Result<std::vector<EntryPoint>> read() {
    if (m_space.isObject())
      readObject();
    else if (m_image.format == Format::Elf)
      readElf();
    else if (m_image.format == Format::Pe)
      readPe();
    else if (m_image.format == Format::MachO)
      readMachO();
    if (m_image.format == Format::Wasm) BLOBSCOPE_CHECK(readWasm());
    return std::move(m_out);
  }

private:
  void add(Trigger trigger, std::string slot, const AddressSpace::Target& target) {
    if (m_out.size() < kEntryPoints)
      m_out.push_back({trigger, std::move(slot), target.address, std::string(target.import), {}});
  }
  void addArray(Trigger trigger, const std::string& name, uint64_t address, uint64_t size) {
    const unsigned word = m_image.bits == 64 ? 8 : 4;
    for (uint64_t i = 0; i < size / word && m_out.size() < kEntryPoints; ++i) {
      const auto target = m_space.pointerAt(address + i * word);
      std::string slot = name + "[" + std::to_string(i) + "]";
      // Loaders skip 0 and -1 in old arrays.
      const uint64_t none = word == 8 ? UINT64_MAX : UINT32_MAX;
      if (target && target->import.empty() && (target->address == 0 || target->address == none)) continue;
      if (target)
        add(trigger, std::move(slot), *target);
      else
        m_out.push_back({trigger, std::move(slot), 0, {}, "the file has no bytes for it"});
    }
  }

  void readElf() {
    auto header = elf::File::readHeader(m_image.file);
    if (!header) return;
    header->readTables();
    const auto valueOf = [&](uint64_t tag) {
      const elf::DynamicTag* const found = header->findTag(tag);
      return found ? found->value : 0;
    };
    for (const uint64_t resolver : m_space.resolvers()) add(Trigger::Ifunc, "IFUNC resolver", {resolver, {}});
    addArray(Trigger::Preinit, "DT_PREINIT_ARRAY", valueOf(elf::DT_PREINIT_ARRAY), valueOf(elf::DT_PREINIT_ARRAYSZ));
    if (valueOf(elf::DT_INIT)) add(Trigger::Init, "DT_INIT", {valueOf(elf::DT_INIT), {}});
    addArray(Trigger::Constructor, ".init_array", valueOf(elf::DT_INIT_ARRAY), valueOf(elf::DT_INIT_ARRAYSZ));
    // A section .ctors is run by the code of DT_INIT of old compilers.
    for (const container::Section& section : m_image.sections)
      if (section.name == ".ctors") addArray(Trigger::Constructor, ".ctors", section.address, section.size);
    addArray(Trigger::Destructor, ".fini_array", valueOf(elf::DT_FINI_ARRAY), valueOf(elf::DT_FINI_ARRAYSZ));
    if (valueOf(elf::DT_FINI)) add(Trigger::Destructor, "DT_FINI", {valueOf(elf::DT_FINI), {}});
    for (const container::Section& section : m_image.sections)
      if (section.name == ".dtors") addArray(Trigger::Destructor, ".dtors", section.address, section.size);
  }

  void readPe() {
    const pe::File file = pe::File::read(m_image.file);
    const auto word = static_cast<unsigned>(file.is64 ? 8 : 4);
    const Extent tls = file.directory(IMAGE_DIRECTORY_ENTRY_TLS);
    if (const auto table = m_image.findBytesAt(file.imageBase + tls.offset); table && tls.offset != 0) {
      const uint64_t callbacks = container::numberAt(table->view(), 3 * uint64_t{word}, word, false);
      for (uint64_t i = 0; callbacks != 0 && m_out.size() < kEntryPoints; ++i) {
        const auto target = m_space.pointerAt(callbacks + i * word);
        if (!target || (target->address == 0 && target->import.empty())) break;
        add(Trigger::TlsCallback, "TLS callback " + std::to_string(i), *target);
      }
    }
    const uint64_t entry = container::numberAt<uint32_t>(file.text(), file.optionalAt + 16); // AddressOfEntryPoint
    if (entry != 0) add(Trigger::Entry, "entry point", {file.imageBase + entry, {}});
    readGnuLists(word);
    // The run-time calls the functions in this section; the linker of Visual C++ merges it into others.
    for (const container::Section& section : m_image.sections)
      if (section.name == ".CRT") addArray(Trigger::GlobalInitializer, ".CRT", section.address, section.file.size);
    std::set<uint64_t> seen;
    std::erase_if(m_out, [&](const EntryPoint& one) {
      return one.address != 0 && !seen.insert(one.address).second && one.trigger == Trigger::GlobalInitializer;
    });
  }

  /// The list of constructors of MinGW's run-time: -1, functions, 0. Source: mingw-w64 crt/gccmain.c.
  void readGnuLists(unsigned word) {
    uint64_t left = m_image.file.size(); // steps; lists of a crafted file may overlap
    for (const container::Section& section : m_image.sections) {
      if (!section.allocated || section.file.size < 2 * word) continue;
      const std::string_view text = m_image.file.slice(section.file.offset, section.file.size).view();
      const std::string pattern(word, '\xff');
      for (std::size_t at = findBytes(text, pattern, 0); at != std::string_view::npos && m_out.size() < kEntryPoints;
           at = findBytes(text, pattern, at + 1)) {
        if (m_monitor.stopRequested()) return;
        if ((section.address + at) % word != 0) continue;
        uint64_t count = 0;
        while (left > 0 && m_space.isCode(container::numberAt(text, at + (count + 1) * word, word, false))) {
          ++count;
          --left;
        }
        if (count == 0 || container::numberAt(text, at + (count + 1) * word, word, false) != 0) continue;
        addArray(Trigger::Constructor, "list of functions at " + hexText(section.address + at),
                 section.address + at + word, count * word);
        at += count * word;
      }
    }
  }

  void readMachO() {
    auto file = macho::File::readHeader(m_image.file);
    if (!file) return;
    (void)file->readCommands();
    const uint64_t base = m_image.segments.empty() ? 0 : m_image.segments.front().address;
    for (const macho::Command& command : file->commands)
      if (command.id == macho::LC_ROUTINES_64 || command.id == LC_ROUTINES)
        add(Trigger::Init, "LC_ROUTINES", {file->number(command.place.offset + 8, file->wordSize()), {}});
    for (const macho::Section& section : file->sections) {
      const std::string name = std::string(section.segment) + "," + std::string(section.name);
      switch (section.type()) {
      case S_MOD_INIT_FUNC_POINTERS: addArray(Trigger::Constructor, name, section.address, section.size); break;
      case S_THREAD_LOCAL_INIT_FUNCTION_POINTERS:
        addArray(Trigger::TlsCallback, name, section.address, section.size);
        break;
      case S_MOD_TERM_FUNC_POINTERS: addArray(Trigger::Destructor, name, section.address, section.size); break;
      case S_INIT_FUNC_OFFSETS:
        for (uint64_t i = 0; i < section.size / 4 && m_out.size() < kEntryPoints; ++i)
          add(Trigger::Constructor, name + "[" + std::to_string(i) + "]",
              {base + file->number(section.offset + 4 * i), {}});
        break;
      default: break;
      }
    }
  }

  /// Sections of object files that become arrays of functions, or run, when the file is linked.
  void readObject() {
    const unsigned word = m_image.bits == 64 ? 8 : 4;
    for (std::size_t i = 0; i < m_image.sections.size(); ++i) {
      const container::Section& section = m_image.sections[i];
      const std::string_view name = section.name;
      const bool init = name.starts_with(".init_array") || name.starts_with(".ctors") || name == "__mod_init_func" ||
                        name.starts_with(".CRT$X") || name.starts_with(".preinit_array");
      const bool fini = name.starts_with(".fini_array") || name.starts_with(".dtors") || name == "__mod_term_func";
      if (!init && !fini) continue;
      const Trigger trigger = fini                                 ? Trigger::Destructor
                              : name.starts_with(".preinit_array") ? Trigger::Preinit
                              : name.starts_with(".CRT$XL")        ? Trigger::TlsCallback
                              : name.starts_with(".CRT$X")         ? Trigger::GlobalInitializer
                                                                   : Trigger::Constructor;
      for (uint64_t at = 0; at + word <= section.file.size && m_out.size() < kEntryPoints; at += word) {
        const auto target = m_space.pointerAt(AddressSpace::sectionAddress(i) + at);
        std::string slot = std::string(name) + "[" + std::to_string(at / word) + "]";
        if (target)
          add(trigger, std::move(slot), *target);
        else
          m_out.push_back({trigger, std::move(slot), 0, {}, "its relocation is not read"});
      }
    }
  }

  Result<Done> readWasm() {
    auto module = wasm::readModule(m_image.file, m_monitor);
    if (!module) return module.error().code() == ErrorCode::Cancelled ? Result<Done>(module.takeError()) : Done{};
    if (const wasm::SectionEntry* const start = module->find(wasm::Start)) {
      wasm::Cursor cursor(module->text(), start->content);
      addWasm(*module, Trigger::Entry, "start function", cursor.number());
    }
    for (const wasm::ExportEntry& entry : module->exports)
      if (entry.kind == wasm::Entity::Function &&
          (entry.name == "_initialize" || entry.name == "__wasm_call_ctors" || entry.name == "_start"))
        addWasm(*module, Trigger::Constructor, "export " + std::string(entry.name), entry.index);
    return Done{};
  }
  /// The address of a function of WebAssembly is the offset of its body in the file.
  void addWasm(const wasm::Module& module, Trigger trigger, std::string slot, uint64_t index) {
    const uint64_t imports = module.importCount(wasm::Entity::Function);
    if (index >= imports && index - imports < module.bodies.size()) {
      add(trigger, std::move(slot), {module.bodies[index - imports].offset, {}});
      return;
    }
    uint64_t at = 0;
    for (const wasm::ImportEntry& entry : module.imports)
      if (entry.kind == wasm::Entity::Function && at++ == index)
        return add(trigger, std::move(slot), {0, std::string(entry.field.substr(0, 4'096))});
    m_out.push_back({trigger, std::move(slot), 0, {}, "there is no function " + std::to_string(index)});
  }

  const AddressSpace& m_space;
  const container::Image& m_image;
  Monitor& m_monitor;
  std::vector<EntryPoint> m_out;
};

} // namespace

Result<std::vector<EntryPoint>> entryPointsOf(const AddressSpace& space, Monitor& monitor) {
  return Entries(space, monitor).read();
}

std::vector<EntryPoint> entriesInTable(const AddressSpace& space, Trigger trigger, std::string_view name,
                                       uint64_t begin, uint64_t end) {
  std::vector<EntryPoint> out;
  const unsigned word = space.image().bits == 64 ? 8 : 4;
  for (uint64_t at = begin; at + word <= end && out.size() < kEntryPoints; at += word) {
    const auto target = space.pointerAt(at);
    if (!target) break;
    if (target->address == 0 && target->import.empty()) continue;
    out.push_back({trigger,
                   std::string(name) + "[" + std::to_string((at - begin) / word) + "]",
                   target->address,
                   std::string(target->import),
                   {}});
  }
  return out;
}

} // namespace blobscope::safety
