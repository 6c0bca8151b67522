#include "core/write/elf/plan.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <functional>

using namespace blobscope;
using namespace blobscope::container::elf;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

constexpr uint64_t kTableAt = 64, kEntry = 56, kText = 0x300;

/// The headers of a 64-bit ELF file. In file order: header, table of two segments up to 0xb0, bytes in no section,
/// .text at 0x300, .data in the second segment at 0x1000, section headers at 0x1400. No file can have most of what the
/// tests do to it, which is why it is not written and read back.
struct Headers {
  File file;
  container::Image image;
  std::string content = std::string(0x1800, 'x');
  std::string names = std::string(1, '\0');
  uint64_t namesAt = 0x1700;

  explicit Headers(uint64_t base = 0) {
    file.programsOffset = kTableAt;
    program(PT_LOAD, 0, 0xc00, base);
    program(PT_LOAD, 0x1000, 0x200, base + 0x1000);
    file.sections.push_back({});
    section(".text", SHT_PROGBITS, kText, 0x100);
    section(".data", SHT_PROGBITS, 0x1000, 0x100);
    file.sectionsOffset = 0x1400;
  }
  /// In front of the two segments when `first`.
  ProgramHeader& program(uint32_t type, uint64_t offset, uint64_t size, uint64_t distance = 0, bool first = false) {
    const ProgramHeader header{type, 4, offset, distance + offset, distance + offset, size, size, 4};
    return *file.programs.insert(first ? file.programs.begin() : file.programs.end(), header);
  }
  /// In the first segment, in memory too.
  SectionHeader& section(const std::string& name, uint32_t type, uint64_t offset, uint64_t size) {
    SectionHeader header;
    header.name = static_cast<uint32_t>(names.size());
    names += name + '\0';
    header.type = type;
    header.flags = SHF_ALLOC;
    header.offset = offset;
    header.address = file.programs[0].address + offset;
    header.size = size;
    header.align = 4;
    file.sections.push_back(header);
    return file.sections.back();
  }
  void put(uint64_t at, const std::string& text) { content.replace(at, text.size(), text); }
  uint64_t tableEnd() const { return kTableAt + file.programs.size() * kEntry; }
  void zeros(uint64_t size) { put(tableEnd(), std::string(size, '\0')); }
  void tag(uint64_t key, uint64_t value) { file.dynamic.push_back({key, value, 0}); }
  void symbol(std::string_view name, uint64_t value) {
    container::Symbol one;
    one.name = name;
    one.value = value;
    one.dynamic = one.defined = true;
    image.symbols.push_back(one);
  }
  /// A note with an owner of three letters and `size` bytes at `at`.
  void note(uint64_t at, uint32_t type, uint32_t size, const std::string& owner = "GNU") {
    put(at, file.encode(4, 4) + file.encode(size, 4) + file.encode(type, 4) + owner + '\0' + std::string(size, '\7'));
  }
  /// Names of the sections, after everything else in the file.
  void finish() {
    if (!file.sections.empty()) {
      SectionHeader& table = section(".shstrtab", SHT_STRTAB, namesAt, 0);
      table.flags = 0;
      table.size = names.size();
      put(table.offset, names);
      file.namesIndex = static_cast<uint16_t>(file.sections.size() - 1);
    }
    file.bytes = bytes(content);
  }
};
using HeadersChange = std::function<void(Headers&)>;

/// The slot in words, or the message of the error.
std::string slotOf(Headers headers) {
  headers.finish();
  NullMonitor monitor;
  library::Package package;
  package.image = headers.image;
  const library::Blob blob;
  const write::NewBlob replacement;
  const write::PlanOptions options;
  const write::PlanRequest request{package, blob, replacement, options, monitor};
  const write::elf::Site site{request, headers.file, 0, 0, 0, {}, {}};
  const auto slot = write::elf::findSlot(site);
  if (!slot) return slot.error().message();
  std::string out(write::strategyName(slot->strategy));
  out += ":";
  for (std::size_t i = 0; i < slot->programs.size(); ++i)
    out += " " + (i == slot->load ? "new"s : hexText(slot->programs[i].type));
  if (slot->tableMoves) out += "; the table moves";
  for (const auto& slid : slot->slid)
    out += "; " + std::string(headers.file.sectionName(headers.file.sections[slid.section])) + " to " +
           hexText(slid.offset);
  for (const std::size_t moved : slot->moved)
    out += "; " + std::string(headers.file.sectionName(headers.file.sections[moved])) + " to the new segment";
  if (slot->freedEnd > 0) out += "; free up to " + hexText(slot->freedEnd);
  return out;
}

/// Sections that follow the table at once, so that nothing is free: a note of a build id and .gnu.hash up to .text.
void addTables(Headers& headers) {
  headers.note(0xb0, NT_GNU_BUILD_ID, 20);
  headers.section(".note", SHT_NOTE, 0xb0, 36);
  headers.section(".gnu.hash", SHT_GNU_HASH, 0xd8, kText - 0xd8);
  headers.tag(DT_GNU_HASH, headers.file.programs[0].address + 0xd8);
}

} // namespace
Q_DECLARE_METATYPE(HeadersChange)

/// Each way to find room for one more program header, and each reason against it.
class TestElfProgramHeaders : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void unusedEntriesComeFirst_data() {
    QTest::addColumn<HeadersChange>("change");
    QTest::addColumn<std::string>("slot");
    const auto row = [](const char* name, const char* slot, const HeadersChange& change) {
      QTest::newRow(name) << change << std::string(slot);
    };
    row("after the last segment", "append-null: 0x1 0x1 new", [](Headers& headers) { headers.program(PT_NULL, 0, 0); });
    row("the last one of several", "append-null: 0x1 0x1 0x0 0x6474e551 new", [](Headers& headers) {
      headers.program(PT_NULL, 0, 0);
      headers.program(0x6474e551, 0, 0);
      headers.program(PT_NULL, 0, 0);
    });
    row("before the segments", "append-null: 0x1 0x1 new",
        [](Headers& headers) { headers.program(PT_NULL, 0, 0, 0, true); });
    row("before the last segment, with others after it", "append-null: 0x1 0x1 new 0x2", [](Headers& headers) {
      headers.program(PT_NULL, 0, 0, 0, true);
      headers.program(PT_DYNAMIC, 0x1000, 16);
    });
    row("also where the table could grow", "append-null: 0x1 0x1 new", [](Headers& headers) {
      headers.program(PT_NULL, 0, 0);
      headers.zeros(2 * kEntry);
    });
  }
  void unusedEntriesComeFirst() { compare(0); }

  void freeBytesAfterTheTableAreUsed_data() {
    QTest::addColumn<HeadersChange>("change");
    QTest::addColumn<std::string>("slot");
    const char *const spare = "append-spare: 0x1 0x1 new", *const other = "append-slide: 0x1 0x1 new; free up to 0x300";
    const auto row = [](const char* name, const std::string& slot, const HeadersChange& change) {
      QTest::newRow(name) << HeadersChange([=](Headers& headers) {
        headers.zeros(kEntry);
        change(headers);
      }) << slot;
    };
    row("zeros for one entry", spare, [](Headers&) {});
    row("the first byte is not a zero", other, [](Headers& headers) { headers.put(0xb0, "1"); });
    row("the last byte is not a zero", other, [](Headers& headers) { headers.put(0xb0 + kEntry - 1, "1"); });
    row("a section begins after them", "append-spare: 0x1 0x1 new",
        [](Headers& headers) { headers.section(".rodata", SHT_PROGBITS, 0xb0 + kEntry, 8); });
    row("a section begins in the last byte", "append-phdr: 0x1 0x1 new; the table moves",
        [](Headers& headers) { headers.section(".rodata", SHT_PROGBITS, 0xb0 + kEntry - 1, 8); });
    row("an empty section begins in them", spare,
        [](Headers& headers) { headers.section(".rodata", SHT_PROGBITS, 0xb8, 0); });
    row("a section without bytes begins in them", spare,
        [](Headers& headers) { headers.section(".bss", SHT_NOBITS, 0xb8, 8); });
    row("no section headers", "append-phdr: 0x1 0x1 new; the table moves",
        [](Headers& headers) { headers.file.sections.clear(); });
    row("the section headers are there", "append-phdr: 0x1 0x1 new; the table moves",
        [](Headers& headers) { headers.file.sectionsOffset = 0xb0; });
    row("a program header points to them", "append-phdr: 0x1 0x1 new 0x3; the table moves", [](Headers& headers) {
      headers.program(3, 0xe8, 8);
      headers.zeros(kEntry);
    });
    row("the program header of the table contains them", "append-spare: 0x1 0x1 0x6 new", [](Headers& headers) {
      headers.program(PT_PHDR, 64, 4 * kEntry);
      headers.zeros(kEntry);
    });
    row("an address of the dynamic part is in them", "append-phdr: 0x1 0x1 new; the table moves",
        [](Headers& headers) { headers.tag(DT_PLTGOT, 0xb0); });
    row("an address of the dynamic part is after them", spare,
        [](Headers& headers) { headers.tag(DT_PLTGOT, 0xb0 + kEntry); });
    row("a size of the dynamic part has such a value", spare, [](Headers& headers) { headers.tag(DT_STRSZ, 0xb0); });
    row("the segment ends before the last byte", "append-phdr: 0x1 0x1 new; the table moves",
        [](Headers& headers) { headers.file.programs[0].fileSize = 0xb0 + kEntry - 1; });
    row("the segment ends after the last byte", spare,
        [](Headers& headers) { headers.file.programs[0].fileSize = 0xb0 + kEntry; });
    row("the table is in no segment", "append-phdr: 0x1 0x1 new; the table moves",
        [](Headers& headers) { headers.file.programs[0].fileSize = 0xa0; });
  }
  void freeBytesAfterTheTableAreUsed() { compare(0); }

  void sectionsAfterTheTableMove_data() {
    QTest::addColumn<HeadersChange>("change");
    QTest::addColumn<std::string>("slot");
    const auto row = [](const char* name, const char* slot, const HeadersChange& change) {
      QTest::newRow(name) << change << std::string(slot);
    };
    row("bytes of no section, room for two entries", "append-slide: 0x1 0x1 new; free up to 0x300", [](Headers&) {});
    row("exactly two entries", "append-slide: 0x1 0x1 new; free up to 0x120",
        [](Headers& headers) { headers.section(".rodata", SHT_PROGBITS, 0x120, 8); });
    row("the segment ends after them", "append-slide: 0x1 0x1 new; free up to 0x120", [](Headers& headers) {
      headers.file.sections[1].offset = 0x800;
      headers.file.programs[0].fileSize = 0x120;
    });
    row("a table for symbols", "append-slide: 0x1 0x1 new; .gnu.hash to the new segment; free up to 0x300",
        [](Headers& headers) {
          headers.section(".gnu.hash", SHT_GNU_HASH, 0xb0, 0x40);
          headers.tag(DT_GNU_HASH, 0xb0);
        });
    row("each of the tables, in file order",
        "append-slide: 0x1 0x1 new; .dynsym to the new segment; .gnu.hash to the new segment; .hash to the new "
        "segment; free up to 0x300",
        [](Headers& headers) {
          headers.section(".hash", SHT_HASH, 0x110, 0x10);
          headers.section(".gnu.hash", SHT_GNU_HASH, 0x100, 0x10);
          headers.section(".dynsym", SHT_DYNSYM, 0xb0, 0x18);
          headers.tag(DT_HASH, 0x110);
          headers.tag(DT_GNU_HASH, 0x100);
          headers.tag(DT_SYMTAB, 0xb0);
        });
    row("a note moves by a few bytes",
        "append-slide: 0x1 0x1 new; .note to 0x120; .gnu.hash to the new segment; free up to 0x300", addTables);
    row("a note and its program header",
        "append-slide: 0x1 0x1 0x4 new; .note to 0x158; .gnu.hash to the new segment; free up to 0x300",
        [](Headers& headers) {
          headers.program(PT_NOTE, 0xe8, 36);
          headers.section(".note", SHT_NOTE, 0xe8, 36);
          headers.section(".gnu.hash", SHT_GNU_HASH, 0x110, kText - 0x110);
          headers.tag(DT_GNU_HASH, 0x110);
        });
    row("a note that is aligned to 16", "append-slide: 0x1 0x1 new; .a to 0x120; .b to 0x150; free up to 0x300",
        [](Headers& headers) {
          headers.section(".a", SHT_NOTE, 0xb0, 36);
          headers.section(".b", SHT_NOTE, 0xe0, 32).align = 16;
        });
    row("an alignment that no note has counts as 4",
        "append-slide: 0x1 0x1 new; .a to 0x120; .b to 0x144; free up to 0x300", [](Headers& headers) {
          headers.section(".a", SHT_NOTE, 0xb0, 36);
          headers.section(".b", SHT_NOTE, 0xe0, 32).align = 64;
        });
    row("a size of the dynamic part has such a value", "append-slide: 0x1 0x1 new; free up to 0x300",
        [](Headers& headers) { headers.tag(DT_STRSZ, 0xb8); });
    row("an address of the dynamic part is after them", "append-slide: 0x1 0x1 new; free up to 0x300",
        [](Headers& headers) { headers.tag(DT_STRTAB, kText); });
    row("symbols before and after them", "append-slide: 0x1 0x1 new; free up to 0x300", [](Headers& headers) {
      headers.symbol("before", 0xaf);
      headers.symbol("behind", kText);
    });
    row("symbols that are no place", "append-slide: 0x1 0x1 new; free up to 0x300", [](Headers& headers) {
      for (int i = 0; i < 4; ++i) headers.symbol("odd", 0xc0);
      headers.image.symbols[0].dynamic = false;
      headers.image.symbols[1].defined = false;
      headers.image.symbols[2].absolute = true;
      headers.image.symbols[3].type = container::SymbolType::Section;
    });
  }
  void sectionsAfterTheTableMove() { compare(0); }

  /// The table cannot move either, since the first segment is not aligned to pages.
  void reasonsAgainstMovingSections_data() {
    QTest::addColumn<HeadersChange>("change");
    QTest::addColumn<std::string>("slot");
    const auto row = [](const char* name, const std::string& reason, const HeadersChange& change) {
      QTest::newRow(name) << change
                          << "no room for another program header: " + reason +
                                 "; no entry contains only a build id; the first segment is not aligned to pages";
    };
    const auto followed = [&](const char* name, const HeadersChange& change) {
      row(name, "the table is followed by '.next'", change);
    };
    row("no segment contains the table", "the table is in no loaded part of the file",
        [](Headers& headers) { headers.file.programs[0].fileSize = 0xa0; });
    row("no section headers", "without section headers nothing after the table can be moved",
        [](Headers& headers) { headers.file.sections.clear(); });
    row("a section in the table", "the section '.rodata' overlaps the table",
        [](Headers& headers) { headers.section(".rodata", SHT_PROGBITS, 0xaf, 1); });
    row("names are escaped", "the section '.a\\n' overlaps the table",
        [](Headers& headers) { headers.section(".a\n", SHT_PROGBITS, 0xaf, 1); });
    row("long names are cut", "the section '" + std::string(61, 'n') + "…' overlaps the table",
        [](Headers& headers) { headers.section(std::string(80, 'n'), SHT_PROGBITS, 0xaf, 1); });
    row("overlapping sections", "sections after the table overlap", [](Headers& headers) {
      headers.section(".gnu.hash", SHT_GNU_HASH, 0xb0, 0x20);
      headers.section(".next", SHT_PROGBITS, 0xcf, 0x10);
      headers.tag(DT_GNU_HASH, headers.file.programs[0].address + 0xb0);
    });
    row("the segment ends too early", "there is no room after the table", [](Headers& headers) {
      headers.file.sections[1].offset = 0x800;
      headers.file.programs[0].fileSize = 0x11f;
    });
    row("nothing follows in a short segment", "there is no room after the table", [](Headers& headers) {
      headers.file.sections.resize(1);
      headers.section(".next", SHT_PROGBITS, 0, 1);
      headers.file.programs[0].fileSize = 0x11f;
    });
    row("the segment is longer than the file", "there is no room after the table", [](Headers& headers) {
      headers.file.sections[1].offset = 0x3000;
      headers.file.sections[2].offset = 0x3000;
      headers.file.programs[0].fileSize = 0x4000;
      headers.content.resize(0x1720);
      headers.names = std::string(1, '\0');
    });
    row("the section headers follow", "there is no room after the table",
        [](Headers& headers) { headers.file.sectionsOffset = 0x2ff; });
    followed("code follows", [](Headers& headers) { headers.section(".next", SHT_PROGBITS, 0x11f, 8); });
    followed("a note that is not loaded",
             [](Headers& headers) { headers.section(".next", SHT_NOTE, 0xb0, 36).flags = 0; });
    followed("a note across the end of the segment", [](Headers& headers) {
      headers.section(".next", SHT_NOTE, 0xb0, 36);
      headers.file.programs[0].fileSize = 0xb0 + 35;
    });
    followed("a note at another address",
             [](Headers& headers) { ++headers.section(".next", SHT_NOTE, 0xb0, 36).address; });
    followed("a table without a dynamic entry",
             [](Headers& headers) { headers.section(".next", SHT_GNU_HASH, 0xb0, 36); });
    followed("a table and the dynamic entry of another kind",
             [](Headers& headers) { headers.tag(DT_HASH, headers.section(".next", SHT_GNU_HASH, 0xb0, 36).address); });
    followed("a table and a dynamic entry elsewhere", [](Headers& headers) {
      headers.tag(DT_SYMTAB, headers.section(".next", SHT_DYNSYM, 0xb0, 36).address + 24);
    });
    row("a program header of something else", "a program header of type 0x3 points to what is after the table",
        [](Headers& headers) { headers.program(3, 0x200, 8); });
    row("a program header of notes in no section", "a program header of type 0x4 points to what is after the table",
        [](Headers& headers) { headers.program(PT_NOTE, 0x200, 36); });
    row("a program header of a note and more", "a program header of type 0x4 points to what is after the table",
        [](Headers& headers) {
          headers.section(".note", SHT_NOTE, 0xe8, 36);
          headers.program(PT_NOTE, 0xe8, 37);
        });
    row("a program header of notes that move apart", "a program header of type 0x4 points to what is after the table",
        [](Headers& headers) {
          headers.section(".a", SHT_NOTE, 0xe8, 36);
          headers.section(".b", SHT_NOTE, 0x10c, 36).align = 16;
          headers.program(PT_NOTE, 0xe8, 72);
        });
    row("a note for a stricter program header", "notes after the table would lose their alignment",
        [](Headers& headers) {
          headers.section(".a", SHT_NOTE, 0xe8, 36);
          headers.section(".b", SHT_NOTE, 0x110, 36);
          headers.program(PT_GNU_PROPERTY, 0x110, 36, headers.file.programs[0].address).align = 16;
        });
    row("an address of the dynamic part", "a dynamic entry points to what is after the table",
        [](Headers& headers) { headers.tag(DT_STRTAB, headers.file.programs[0].address + kText - 1); });
    row("an address of the dynamic part in a table that moves", "a dynamic entry points to what is after the table",
        [](Headers& headers) {
          const uint64_t at = headers.section(".gnu.hash", SHT_GNU_HASH, 0xb0, 0x40).address;
          headers.tag(DT_GNU_HASH, at);
          headers.tag(DT_STRTAB, at);
        });
    row("an exported symbol", "the symbol 'here' is after the table",
        [](Headers& headers) { headers.symbol("here", headers.file.programs[0].address + 0xb0); });
  }
  void reasonsAgainstMovingSections() { compare(8); }

  void entriesOfBuildIdsAreReused_data() {
    QTest::addColumn<HeadersChange>("change");
    QTest::addColumn<std::string>("slot");
    const auto row = [](const char* name, const char* slot, const HeadersChange& change) {
      QTest::newRow(name) << HeadersChange([=](Headers& headers) {
        headers.section(".init", SHT_PROGBITS, 0xb0, 8); // nothing after the table can move
        change(headers);
      }) << std::string(slot);
    };
    const char* const moves = "append-phdr: 0x1 0x1 new 0x4; the table moves";
    row("a build id", "append-note: 0x1 0x1 new", [](Headers& headers) {
      headers.note(0x500, NT_GNU_BUILD_ID, 20);
      headers.program(PT_NOTE, 0x500, 36);
    });
    row("before the segments", "append-note: 0x1 0x1 new 0x2", [](Headers& headers) {
      headers.note(0x500, NT_GNU_BUILD_ID, 20);
      headers.program(PT_NOTE, 0x500, 36, 0, true);
      headers.program(PT_DYNAMIC, 0x1000, 16);
    });
    row("the second entry of notes", "append-note: 0x1 0x1 new 0x4", [](Headers& headers) {
      headers.note(0x500, 1, 20);
      headers.note(0x600, NT_GNU_BUILD_ID, 20);
      headers.program(PT_NOTE, 0x500, 36);
      headers.program(PT_NOTE, 0x600, 36);
    });
    row("another note", moves, [](Headers& headers) {
      headers.note(0x500, 1, 20);
      headers.program(PT_NOTE, 0x500, 36);
    });
    row("the note of another owner", moves, [](Headers& headers) {
      headers.note(0x500, NT_GNU_BUILD_ID, 20, "Foo");
      headers.program(PT_NOTE, 0x500, 36);
    });
    row("a build id and another note", moves, [](Headers& headers) {
      headers.note(0x500, NT_GNU_BUILD_ID, 20);
      headers.note(0x524, 1, 20);
      headers.program(PT_NOTE, 0x500, 72);
    });
    row("no notes", moves, [](Headers& headers) { headers.program(PT_NOTE, 0x500, 0); });
    row("outside the file", moves, [](Headers& headers) { headers.program(PT_NOTE, 0x17f0, 36); });
    row("properties at the same place", "append-phdr: 0x1 0x1 new 0x4 0x6474e553; the table moves",
        [](Headers& headers) {
          headers.note(0x500, NT_GNU_BUILD_ID, 20);
          headers.program(PT_NOTE, 0x500, 36);
          headers.program(PT_GNU_PROPERTY, 0x500, 36);
        });
  }
  void entriesOfBuildIdsAreReused() { compare(0); }

  void theTableMoves_data() {
    QTest::addColumn<HeadersChange>("change");
    QTest::addColumn<std::string>("slot");
    constexpr uint64_t kMiB = 1 << 20, kSize = 0x1800;
    const auto row = [](const char* name, const std::string& slot, const HeadersChange& change) {
      QTest::newRow(name) << HeadersChange([=](Headers& headers) {
        headers.section(".init", SHT_PROGBITS, 0xb0, 8); // nothing after the table can move
        change(headers);
      }) << slot;
    };
    const auto refusedAfter = [&](const char* name, const std::string& first, const std::string& reason,
                                  const HeadersChange& change) {
      row(name, "no room for another program header: " + first + "; no entry contains only a build id; " + reason,
          change);
    };
    const auto refused = [&](const char* name, const std::string& reason, const HeadersChange& change) {
      refusedAfter(name, "the table is followed by '.init'", reason, change);
    };
    const char* const moves = "append-phdr: 0x1 0x1 new; the table moves";
    row("to the end", moves, [](Headers&) {});
    row("the new entry is after the last segment", "append-phdr: 0x1 0x1 new 0x2; the table moves",
        [](Headers& headers) { headers.program(PT_DYNAMIC, 0x1000, 16); });
    // The distance between the address and the place in the file is `base`, a number of pages.
    const auto based = [](uint64_t distance) {
      return [=](Headers& headers) {
        for (ProgramHeader& header : headers.file.programs) header.address += distance;
        for (SectionHeader& section : headers.file.sections) section.address += distance;
      };
    };
    row("with the first segment at a page", moves, based(0x400000));
    refused("with the first segment between pages", "the first segment is not aligned to pages", based(0x400800));
    // A third segment, before the others: the table ends where .init begins to overlap it.
    refusedAfter("the first segment has a lower address than offset", "the section '.init' overlaps the table",
                 "the address of the first segment is lower than its file offset",
                 [](Headers& headers) { headers.program(PT_LOAD, 0x1000, 0x10, static_cast<uint64_t>(-0x800), true); });
    refused("the last segment ends before the first one", "the last segment ends before the first one begins",
            [=](Headers& headers) {
              based(0x400000)(headers);
              headers.file.programs[1].address = 0x1000;
            });
    const auto ending = [](uint64_t end) {
      return [=](Headers& headers) { headers.file.programs[1].memorySize = end - headers.file.programs[1].address; };
    };
    row("memory in no section, up to the limit", moves, ending(kSize + kMiB));
    refused("memory in no section, one byte more",
            "moving the table to the end would pad the file with 1.0 MiB (1,048,577 bytes), more than the limit of 1.0 "
            "MiB (1,048,576 bytes) for memory that is in no section",
            ending(kSize + kMiB + 1));
    const auto withBss = [=](uint64_t end, uint64_t rest) {
      return [=](Headers& headers) {
        ending(end)(headers);
        headers.section(".bss", SHT_NOBITS, 0x1100, end - rest - 0x1100);
      };
    };
    row("memory of a section, up to the limit", moves, withBss(kSize + 1024 * kMiB, 0));
    refused("memory of a section, one byte more",
            "moving the table to the end would pad the file with 1.0 GiB (1,073,741,825 bytes), more than the limit of "
            "1.0 GiB (1,073,741,824 bytes)",
            withBss(kSize + 1024 * kMiB + 1, 0));
    row("less than a page after the section", moves, withBss(2 * kMiB, 65'535));
    refused("a page after the section",
            "moving the table to the end would pad the file with 2.0 MiB (2,091,008 bytes), more than the limit of 1.0 "
            "MiB (1,048,576 bytes) for memory that is in no section",
            withBss(2 * kMiB, 65'536));
    refused("the section is not loaded",
            "moving the table to the end would pad the file with 2.0 MiB (2,091,008 bytes), more than the limit of 1.0 "
            "MiB (1,048,576 bytes) for memory that is in no section",
            [=](Headers& headers) {
              withBss(2 * kMiB, 0)(headers);
              headers.file.sections.back().flags = 0;
            });
    refused("the section wraps around",
            "moving the table to the end would pad the file with 2.0 MiB (2,091,008 bytes), more than the limit of 1.0 "
            "MiB (1,048,576 bytes) for memory that is in no section",
            [=](Headers& headers) {
              withBss(2 * kMiB, 0)(headers);
              headers.file.sections.back().size = 2 * kMiB - headers.file.sections.back().address - 1;
              headers.file.sections.back().address += UINT64_MAX - 2 * kMiB;
            });
  }
  void theTableMoves() { compare(0); }

  /// 0xffff is no number of program headers. Source: gABI, PN_XNUM.
  void fullTablesDoNotGrow() {
    for (const std::size_t count : {0xfffdu, 0xfffeu}) {
      Headers headers;
      headers.content.assign(0x400000, 'x');
      headers.file.programs[0].fileSize = headers.file.programs[0].memorySize = 0x400000;
      headers.file.programs[1].address = 0x400000;
      headers.file.sections.resize(1);
      headers.section(".text", SHT_PROGBITS, 0x3f0000, 0x100);
      headers.file.sectionsOffset = 0x3ff000;
      headers.file.programs.resize(count, ProgramHeader{0x6474e551, 6, 0, 0, 0, 0, 0, 16});
      headers.namesAt = 0x3f8000;
      if (count == 0xfffd) {
        QVERIFY(slotOf(headers).starts_with("append-slide: 0x1 0x1 0x6474e551"));
      } else {
        QCOMPARE(slotOf(headers), "no room for another program header: no entry contains only a build id; the table is "
                                  "full"s);
      }
    }
  }

private:
  static void compare(uint64_t base) {
    QFETCH(HeadersChange, change);
    QFETCH(std::string, slot);
    Headers headers(base);
    change(headers);
    QCOMPARE(slotOf(headers), slot);
  }
};

BLOBSCOPE_TEST(TestElfProgramHeaders);
#include "test_elf_program_headers.moc"
