#include "core/container/wasm/wasm_module.h"

#include "core/base/limits.h"
#include "core/base/text.h"

#include <algorithm>

namespace blobscope::container::wasm {
namespace {

/// Maximum number of values on the stack of a constant expression; real ones need two.
constexpr std::size_t kStack = 64;

constexpr std::array<std::string_view, 14> kSectionNames = {"custom", "type",   "import",    "function", "table",
                                                            "memory", "global", "export",    "start",    "element",
                                                            "code",   "data",   "datacount", "tag"};

Error headerError(std::string reason) {
  return Error(DiagnosticId::FileHeader, {arg("format", "WebAssembly"), {"reason", std::move(reason)}});
}

std::string quoted(std::string_view name) { return "'" + escapedWithin(name, 64) + "'"; }

// --- Types and expressions.

/// A value or reference type; typed references (0x63, 0x64) carry a heap type.
uint8_t readType(Cursor& cursor) {
  const uint8_t type = cursor.byte();
  if (type == 0x63 || type == 0x64) cursor.signedNumber(64);
  return type;
}

struct Limits {
  bool is64 = false;
  uint64_t minimum = 0;
  uint32_t pageBits = 16;
};

Limits readLimits(Cursor& cursor) {
  const uint64_t flags = cursor.number();
  if (flags > 15) cursor.fail("the limits' flags are " + hexText(flags));
  Limits limits;
  limits.is64 = flags & 4;
  const unsigned bits = limits.is64 ? 64 : 32;
  limits.minimum = cursor.number(bits);
  if (flags & 1) cursor.number(bits);
  if (flags & 8) limits.pageBits = static_cast<uint32_t>(std::min<uint64_t>(cursor.number(), 16));
  return limits;
}

void keepMemory(Module& module, const Limits& limits) {
  if (module.memoryBytes) return; // C uses memory 0
  module.memory64 = limits.is64;
  module.memoryBytes = checkedMultiply(limits.minimum, uint64_t{1} << limits.pageBits).value_or(UINT64_MAX);
}

Constant combined(uint8_t opcode, const Constant& a, const Constant& b) {
  const bool narrow = opcode < 0x70;
  Constant sum;
  switch (opcode) {
  case 0x6a:
  case 0x7c:
    sum.known = a.known && b.known && !(a.global && b.global);
    sum.global = a.global ? a.global : b.global;
    sum.number = a.number + b.number;
    break;
  case 0x6b:
  case 0x7d:
    sum.known = a.known && b.known && !b.global;
    sum.global = a.global;
    sum.number = a.number - b.number;
    break;
  default: sum.known = a.known && b.known && !a.global && !b.global; sum.number = a.number * b.number;
  }
  if (narrow) sum.number &= UINT32_MAX;
  return sum;
}

/// Reads a constant expression up to and including its `end`. Values that are not integers are skipped.
Constant readConstant(Cursor& cursor, const Module& module) {
  std::vector<Constant> stack;
  while (cursor.ok()) {
    const uint64_t at = cursor.position();
    const uint8_t opcode = cursor.byte();
    if (!cursor.ok() || opcode == 0x0b) break;
    if (stack.size() == kStack) {
      cursor.fail("the constant expression at " + hexText(at) + " is too deep");
      break;
    }
    switch (opcode) {
    case 0x41: stack.push_back({true, {}, static_cast<uint32_t>(cursor.signedNumber(32))}); break;
    case 0x42: stack.push_back({true, {}, static_cast<uint64_t>(cursor.signedNumber(64))}); break;
    case 0x43: cursor.take(4), stack.emplace_back(); break;
    case 0x44: cursor.take(8), stack.emplace_back(); break;
    case 0xd0: cursor.signedNumber(64), stack.emplace_back(); break;
    case 0xd2: cursor.number(), stack.emplace_back(); break;
    case 0xfd:
      if (cursor.number() != 12)
        cursor.fail("the constant expression at " + hexText(at) + " has an unknown instruction");
      cursor.take(16), stack.emplace_back();
      break;
    case 0x23: {
      const auto global = static_cast<uint32_t>(cursor.number());
      const auto value = module.constantOf(global);
      stack.push_back(value ? Constant{true, {}, *value} : Constant{true, global, 0});
      break;
    }
    case 0x6a:
    case 0x6b:
    case 0x6c:
    case 0x7c:
    case 0x7d:
    case 0x7e: {
      if (stack.size() < 2) {
        cursor.fail("the constant expression at " + hexText(at) + " adds values that are missing");
        break;
      }
      const Constant b = stack.back();
      stack.pop_back();
      stack.back() = combined(opcode, stack.back(), b);
      break;
    }
    default: cursor.fail("the constant expression at " + hexText(at) + " has the instruction " + hexText(opcode));
    }
  }
  return cursor.ok() && stack.size() == 1 ? stack.back() : Constant{};
}

// --- The section table.

Result<Done> readSections(Module& module, Monitor& monitor) {
  Cursor cursor(module.text(), {8, module.file.size() - 8});
  while (!cursor.atEnd()) {
    if (module.sections.size() % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (module.sections.size() == limits::kSections) {
      noteLimit(module, "section table", limits::kSections + 1);
      break;
    }
    SectionEntry section;
    const uint64_t at = cursor.position();
    section.id = cursor.byte();
    const uint64_t size = cursor.number();
    if (!cursor.ok()) {
      module.note(DiagnosticId::FileTable,
                  {arg("table", "section header at " + hexText(at)), {"reason", cursor.reason()}});
      break;
    }
    const uint64_t start = cursor.position();
    section.content = cursor.takeUpTo(size);
    section.cut = section.content.size < size;
    if (section.id == Custom) {
      Cursor inner(module.text(), section.content);
      section.name = inner.name();
      if (inner.ok())
        section.content = {inner.position(), inner.left()};
      else
        module.note(DiagnosticId::FileTable,
                    {arg("table", "custom section at " + hexText(at)), {"reason", "its name: " + inner.reason()}});
    } else {
      section.name = section.id < kSectionNames.size() ? kSectionNames[section.id] : "unknown";
    }
    if (section.cut)
      module.note(DiagnosticId::FilePart, {{"what", "section " + quoted(section.name)},
                                           hexArg("at", start),
                                           arg("size", size),
                                           arg("file", module.file.size())});
    if (section.id == Custom && section.name == "linking") module.isObject = true;
    module.sections.push_back(section);
  }
  return Done{};
}

// --- Sections.

void readImport(Module& module, Cursor& cursor) {
  ImportEntry entry;
  entry.module = cursor.name();
  entry.field = cursor.name();
  const uint64_t at = cursor.position();
  const uint8_t kind = cursor.byte();
  Limits memory;
  GlobalEntry global;
  switch (kind) {
  case 0: cursor.number(); break;
  case 1: readType(cursor), readLimits(cursor); break;
  case 2: memory = readLimits(cursor); break;
  case 3: readType(cursor), global.isMutable = cursor.byte() & 1; break;
  case 4: cursor.byte(), cursor.number(); break;
  default: cursor.fail("kind " + std::to_string(kind) + " at " + hexText(at) + " does not exist");
  }
  if (!cursor.ok()) return;
  entry.kind = static_cast<Entity>(kind);
  if (entry.kind == Entity::Memory) keepMemory(module, memory);
  if (entry.kind == Entity::Global) module.globals.push_back(global);
  ++module.importCounts[kind];
  module.imports.push_back(entry);
}

void readGlobal(Module& module, Cursor& cursor) {
  GlobalEntry global;
  const uint8_t type = readType(cursor);
  global.isAddress = type == (module.memory64 ? 0x7e : 0x7f);
  global.isMutable = cursor.byte() & 1;
  global.value = readConstant(cursor, module);
  if (cursor.ok()) module.globals.push_back(global);
}

void readExport(Module& module, Cursor& cursor) {
  ExportEntry entry;
  entry.name = cursor.name();
  const uint64_t at = cursor.position();
  const uint8_t kind = cursor.byte();
  if (cursor.ok() && kind > 4) cursor.fail("kind " + std::to_string(kind) + " at " + hexText(at) + " does not exist");
  entry.kind = static_cast<Entity>(kind);
  entry.index = static_cast<uint32_t>(cursor.number());
  if (cursor.ok()) module.exports.push_back(entry);
}

void readData(Module& module, Cursor& cursor) {
  DataSegment segment;
  const uint64_t at = cursor.position();
  const uint64_t flags = cursor.number();
  if (cursor.ok() && flags > 2) cursor.fail("flags " + hexText(flags) + " at " + hexText(at) + " do not exist");
  segment.active = flags != 1;
  if (flags == 2) segment.memory = cursor.number();
  if (segment.active) segment.address = readConstant(cursor, module);
  const uint64_t size = cursor.number();
  if (!cursor.ok()) return;
  segment.bytes = cursor.takeUpTo(size);
  if (segment.bytes.size < size)
    cursor.fail("its " + sizeText(size) + " extend past the " + std::to_string(segment.bytes.size) + " bytes left");
  module.data.push_back(segment);
}

} // namespace

// --- Cursor.

void Cursor::fail(std::string reason) {
  if (ok()) m_reason = std::move(reason);
}

void Cursor::failAtEnd() { fail("it ends at " + hexText(m_end)); }

uint8_t Cursor::byte() {
  if (!ok()) return 0;
  if (left() == 0) {
    failAtEnd();
    return 0;
  }
  return static_cast<uint8_t>(m_file[m_position++]);
}

uint32_t Cursor::word() {
  uint32_t value = 0;
  for (unsigned shift = 0; shift < 32; shift += 8) value |= uint32_t{byte()} << shift;
  return value;
}

uint64_t Cursor::number(unsigned bits) {
  const uint64_t at = m_position;
  uint64_t value = 0;
  return ok() && check(readUleb(m_file.substr(0, m_end), m_position, value, bits), at, bits) ? value : 0;
}

int64_t Cursor::signedNumber(unsigned bits) {
  const uint64_t at = m_position;
  int64_t value = 0;
  return ok() && check(readSleb(m_file.substr(0, m_end), m_position, value, bits), at, bits) ? value : 0;
}

/// Whether the number that began at `at` could be read; records the failure otherwise.
bool Cursor::check(LebEnd end, uint64_t at, unsigned bits) {
  if (end == LebEnd::Cut) failAtEnd();
  if (end == LebEnd::TooLarge)
    fail("the number at " + hexText(at) + " has more than " + std::to_string(bits) + " bits");
  return end == LebEnd::Whole;
}

Extent Cursor::take(uint64_t size) {
  if (ok() && size > left())
    fail(std::to_string(size) + " bytes at " + hexText(m_position) + " extend past its end at " + hexText(m_end));
  return ok() ? takeUpTo(size) : Extent{m_position, 0};
}

Extent Cursor::takeUpTo(uint64_t size) {
  const Extent part{m_position, ok() ? std::min(size, left()) : 0};
  m_position += part.size;
  return part;
}

std::string_view Cursor::name() {
  const uint64_t size = number();
  const Extent part = take(size);
  return m_file.substr(part.offset, part.size);
}

// --- Module.

void Module::note(DiagnosticId id, std::vector<Argument> arguments) {
  if (diagnostics.size() < limits::kDiagnostics) diagnostics.push_back({id, Ref::file(), std::move(arguments)});
}

const SectionEntry* Module::find(uint8_t id, std::string_view customName) const {
  for (const SectionEntry& section : sections)
    if (section.id == id && (id != Custom || section.name == customName)) return &section;
  return nullptr;
}

std::optional<uint64_t> Module::constantOf(uint32_t global) const {
  if (global >= globals.size()) return std::nullopt;
  const Constant& value = globals[global].value;
  if (!value.known || value.global) return std::nullopt;
  return value.number;
}

uint64_t entryLimit() { return limits::kSymbols; }

void noteLimit(Module& module, const std::string& table, uint64_t count) {
  module.note(DiagnosticId::FileLimit, {{"what", "entries of the " + table},
                                        arg("count", count),
                                        arg("limit", table == "section table" ? limits::kSections : entryLimit())});
}

void noteDamage(Module& module, const std::string& table, uint64_t index, uint64_t count, const Cursor& cursor) {
  module.note(DiagnosticId::FileTable,
              {{"table", table},
               {"reason", "entry " + std::to_string(index) + " of " + std::to_string(count) + ": " + cursor.reason()}});
}

Result<Module> readModule(const Bytes& file, Monitor& monitor) {
  if (file.size() < 8)
    return headerError("the file ends at " + hexText(file.size()) + ", inside the 8 bytes of magic and version");
  Module module;
  module.file = file;
  Cursor head(module.text(), {0, 8});
  if (head.word() != 0x6d736100) return headerError("it begins with " + hexDigits(module.text().substr(0, 4)));
  if (const uint32_t version = head.word(); version != 1)
    return headerError(version >> 16
                           ? "version " + hexText(version) + " at 0x4 is that of a component; only modules are read"
                           : "version " + std::to_string(version) + " at 0x4 is not 1");

  // --- 1. The places of the sections. ---
  BLOBSCOPE_CHECK(readSections(module, monitor));

  // --- 2. Their entries, in the order in which later ones refer to earlier ones, whatever the order in the file. ---
  using Each = void (*)(Module&, Cursor&);
  struct Part {
    uint8_t id;
    const char* table;
    Each each;
  };
  constexpr Part kParts[] = {
      {Import, "import section", readImport},
      {Memory, "memory section",
       [](Module& m, Cursor& c) {
         const Limits limits = readLimits(c);
         if (c.ok()) keepMemory(m, limits);
       }},
      {Global, "global section", readGlobal},
      {Export, "export section", readExport},
      {Code, "code section",
       [](Module& m, Cursor& c) {
         const Extent body = c.take(c.number());
         if (c.ok()) m.bodies.push_back(body);
       }},
      {Data, "data section", readData},
  };
  for (const Part& part : kParts) {
    const SectionEntry* const section = module.find(part.id);
    if (!section) continue;
    Cursor cursor(module.text(), section->content);
    const uint64_t before = module.diagnostics.size();
    BLOBSCOPE_CHECK(
        readEntries(module, cursor, part.table, monitor, [&](Cursor& c, uint64_t) { part.each(module, c); }));
    if (part.id == Data) module.dataCut = section->cut || module.diagnostics.size() > before;
  }
  return module;
}

} // namespace blobscope::container::wasm
