#include "core/base/pattern_search.h"
#include "core/base/text.h"
#include "core/container/elf/file.h"
#include "core/container/macho/file.h"
#include "core/container/number_at.h"
#include "core/container/pe/file.h"
#include "core/safety/parts.h"

#include <algorithm>

namespace blobscope::safety {
namespace {

namespace elf = container::elf;
namespace macho = container::macho;
namespace pe = container::pe;
using container::Format;

constexpr uint32_t PT_INTERP = 3, PT_GNU_STACK = 0x6474e551, PT_GNU_RELRO = 0x6474e552,
                   MH_ALLOW_STACK_EXECUTION = 0x20000;
constexpr uint64_t DT_SYMBOLIC = 16, DT_TEXTREL = 22, DT_AUDIT = 0x6ffffefc, DT_DEPAUDIT = 0x6ffffefb,
                   DT_AUXILIARY = 0x7ffffffd, DT_FILTER = 0x7fffffff, DF_TEXTREL = 4;
constexpr uint16_t IMAGE_DLLCHARACTERISTICS_NX_COMPAT = 0x100;
constexpr std::size_t kListed = 1'024;

void readElfHeaders(const library::Package& package, const AddressSpace& space, Report& report) {
  const container::Image& image = package.image;
  auto header = elf::File::readHeader(image.file);
  if (!header || space.isObject()) return;
  header->readTables();
  Protection& out = report.protection;
  bool relro = false, stack = false, now = false;
  for (const elf::ProgramHeader& one : header->programs) {
    if (one.type == PT_GNU_STACK) {
      stack = true;
      if (one.flags & elf::PF_X) out.executableStack = true;
    }
    relro = relro || one.type == PT_GNU_RELRO;
  }
  // Without the header, the loader makes the stack executable on x86. Source: Linux binfmt_elf.c; glibc dl-load.c.
  if (!stack && !header->programs.empty() && (image.arch == "x86_64" || image.arch == "i386"))
    out.executableStack = true;
  const auto strings = header->findTag(elf::DT_STRTAB);
  const auto text = strings ? image.findBytesAt(strings->value) : std::nullopt;
  for (const elf::DynamicTag& tag : header->dynamic) {
    if (tag.tag == DT_TEXTREL || (tag.tag == elf::DT_FLAGS && tag.value & DF_TEXTREL)) out.textRelocations = true;
    now = now || tag.tag == elf::DT_BIND_NOW || (tag.tag == elf::DT_FLAGS && tag.value & elf::DF_BIND_NOW) ||
          (tag.tag == elf::DT_FLAGS_1 && tag.value & elf::DF_1_NOW);
    const std::string_view name = tag.tag == DT_AUDIT       ? "DT_AUDIT"
                                  : tag.tag == DT_DEPAUDIT  ? "DT_DEPAUDIT"
                                  : tag.tag == DT_AUXILIARY ? "DT_AUXILIARY"
                                  : tag.tag == DT_FILTER    ? "DT_FILTER"
                                                            : "";
    if (name.empty() || report.environment.size() >= kListed) continue;
    std::string_view value = text && tag.value < text->size() ? text->view().substr(tag.value, 4'096) : "";
    value = value.substr(0, value.find('\0'));
    report.environment.push_back(std::string(name) + " " + std::string(value));
  }
  out.textRelocations = out.textRelocations || space.hasTextRelocations();
  out.relro = !relro ? "none" : now ? "full" : "partial";
}

void readMachOHeaders(const library::Package& package, Report& report) {
  auto file = macho::File::readHeader(package.image.file);
  if (!file) return;
  (void)file->readCommands();
  if (file->flags & MH_ALLOW_STACK_EXECUTION) report.protection.executableStack = true;
  for (const macho::Command& command : file->commands) {
    if (command.id != macho::LC_DYLD_ENVIRONMENT || report.environment.size() >= kListed) continue;
    const std::string_view all = file->text().substr(command.place.offset, command.place.size);
    std::string_view value = all.substr(std::min<uint64_t>(file->u32(command.place.offset + 8), all.size()), 4'096);
    value = value.substr(0, value.find('\0'));
    report.environment.push_back("LC_DYLD_ENVIRONMENT " + std::string(value));
  }
}

} // namespace

Result<Done> addProtection(const library::Package& package, const AddressSpace& space, Report& report,
                           Monitor& monitor) {
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  const container::Image& image = package.image;
  for (const container::Segment& segment : image.segments)
    if (segment.writable && segment.executable) {
      if (report.protection.writableSegments.size() < kListed)
        report.protection.writableSegments.push_back(package.ref(Ref::bytesAt(segment.file.offset, segment.file.size)));
    }
  if (image.format == Format::Elf) readElfHeaders(package, space, report);
  if (image.format == Format::MachO) readMachOHeaders(package, report);
  if (image.format == Format::Pe) {
    const pe::File file = pe::File::read(image.file);
    const auto flags = container::numberAt<uint16_t>(file.text(), file.optionalAt + 70); // DllCharacteristics
    if (!(flags & IMAGE_DLLCHARACTERISTICS_NX_COMPAT)) report.protection.executableStack = true;
  }
  return Done{};
}

// --- instructions that call the kernel

namespace {

bool entersKernel(std::string_view instruction) {
  return instruction == "syscall" || instruction == "sysenter" || instruction == "int 0x80" ||
         instruction == "int 0x2e" || instruction.starts_with("svc ");
}

} // namespace

Result<Done> addSystemCalls(const library::Package& package, const AddressSpace& space, CodeReader& reader,
                            Report& report, Monitor& monitor) {
  constexpr std::size_t kKept = 256, kTried = 4'096;
  const container::Image& image = package.image;
  if (!reader.canRead()) return Done{};
  std::size_t tried = 0;
  for (const std::size_t i : codeSections(image)) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const container::Section& section = image.sections[i];
    const std::string_view code = image.file.slice(section.file.offset, section.file.size).view();
    const uint64_t base = space.isObject() ? AddressSpace::sectionAddress(i) : section.address;
    std::vector<uint64_t> places; // addresses of what may be such an instruction
    const auto test = [&](uint64_t at) {
      if (++tried <= kTried) places.push_back(base + at);
    };
    if (image.arch == "x86_64") {
      static const PatternSearch search({"\x0f\x05", "\x0f\x34", "\xcd\x80", "\xcd\x2e"});
      for (std::size_t at = search.find(code, 0); at != std::string_view::npos; at = search.find(code, at + 1))
        test(at);
    } else if (image.arch == "aarch64") {
      for (uint64_t at = 0; at + 4 <= code.size(); at += 4) {
        if (at % (uint64_t{1} << 20) == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        if ((container::numberAt<uint32_t>(code, at) & 0xffe0001f) == 0xd4000001) test(at);
      }
    }
    BLOBSCOPE_TRY(texts, reader.instructionsAt(places, monitor));
    for (const uint64_t address : places) {
      const auto found = texts.find(address);
      // Windows ends processes with int 0x29; it is no system call.
      if (found == texts.end() || !entersKernel(found->second) || report.systemCalls.size() >= kKept) continue;
      report.systemCalls.push_back(
          {address, found->second, package.ref(Ref::bytesAt(section.file.offset + (address - base)))});
    }
  }
  if (tried > kTried) report.notRead.push_back("Only the first possible system calls were examined.");
  return Done{};
}

} // namespace blobscope::safety
