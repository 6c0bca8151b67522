#include "tests/support/contracts/planner_rows.h"

#include "tests/core/write/archive_files.h"
#include "tests/core/write/elf_image.h"
#include "tests/core/write/object_image.h"
#include "tests/core/write/plan_files.h"
#include "tests/core/write/wasm_files.h"
#include "tests/support/builders.h"

namespace blobscope::test {
namespace {

using container::Format;

/// Formats that one planner writes.
void addPlain(std::vector<PlannerRow>& rows) {
  using namespace plan_files;
  const auto add = [&](const char* name, Format format, std::function<std::string(const std::string&)> build,
                       const char* larger, bool reversible = false) {
    rows.push_back({name, format, std::move(build), larger, {}, true, reversible});
  };
  add("PE", Format::Pe, [](const std::string& blob) { return peFile(blob, true); }, "append-section");
  add("PE of 32 bit", Format::Pe, [](const std::string& blob) { return peFile(blob, false); }, "append-section");
  add(
      "Mach-O", Format::MachO, [](const std::string& blob) { return machoFile(blob, true, false, false); },
      "REP-SHAPE");
  add(
      "Mach-O of 32 bit", Format::MachO, [](const std::string& blob) { return machoFile(blob, false, false, false); },
      "REP-TYPE");
  add(
      "Mach-O, big-endian", Format::MachO, [](const std::string& blob) { return machoFile(blob, false, true, false); },
      "REP-TYPE");
  add(
      "Mach-O object", Format::MachO, [](const std::string& blob) { return machoFile(blob, true, false, true); },
      "append-section");
  add("COFF", Format::Coff, [](const std::string& blob) { return coffFile(blob, false); }, "append-section");
  add("COFF, big", Format::Coff, [](const std::string& blob) { return coffFile(blob, true); }, "append-section");
  add(
      "wasm", Format::Wasm,
      [](const std::string& blob) { return linked({wasm::dataAt(kBase, "1234" + blob + "5678")}, {}, kBase + 4); },
      "REP-STACKFIRST");
  add("wasm object", Format::Wasm, wasmObject, "append-segment");
  add(
      "wasm in many segments", Format::Wasm,
      [](const std::string& blob) { return linked(packed("1234" + blob + "5678", kBase), {}, kBase + 4); },
      "REP-STACKFIRST");
  add("C source", Format::CSource, sourceFile, "resize", true);
  add("raw", Format::Raw, [](const std::string& blob) { return blob; }, "resize", true);
}

/// ELF: each way to grow, in both classes; objects.
void addElf(std::vector<PlannerRow>& rows) {
  const auto add = [&](const std::string& name, const char* larger, const std::function<void(ElfImage&)>& change) {
    for (const bool is64 : {true, false})
      rows.push_back({name + (is64 ? "" : ", 32 bit"), Format::Elf,
                      [=](const std::string& blob) {
                        ElfImage image;
                        image.is64 = is64;
                        image.machine = is64 ? 62 : 40;
                        image.blob = blob;
                        change(image);
                        return image.build();
                      },
                      larger});
  };
  add("ELF, empty program header", "append-null", [](ElfImage& image) { image.nullEntry = true; });
  add("ELF, free bytes behind the program headers", "append-spare", [](ElfImage& image) { image.gap = 64; });
  add("ELF", "append-slide", [](ElfImage&) {});
  add("ELF, build id", "append-note", [](ElfImage& image) { image.interpreter = image.buildId = true; });
  add("ELF, interpreter", "append-phdr", [](ElfImage& image) { image.interpreter = true; });
  for (const bool is64 : {true, false})
    rows.push_back({is64 ? "ELF object" : "ELF object, 32 bit", Format::Elf,
                    [=](const std::string& blob) {
                      object_files::ObjectImage image;
                      if (is64) image = object_files::usual();
                      image.is64 = is64;
                      if (!is64) image.machine = 40;
                      image.blob = blob;
                      return image.build();
                    },
                    is64 ? "resize" : "append-section"});
}

/// WebAssembly that can grow.
void addWasm(std::vector<PlannerRow>& rows) {
  rows.push_back({"wasm with a constructor", Format::Wasm,
                  [](const std::string& blob) { return wasm_files::Linked().build(blob); }, "append-memory"});
  rows.push_back({"wasm object with relocations", Format::Wasm,
                  [](const std::string& blob) { return wasm_files::Object().build(blob); }, "resize"});
}

/// Archives around C source, which takes any size, and a universal file.
void addArchives(std::vector<PlannerRow>& rows) {
  for (const archive_files::Archive& archive : archive_files::archives()) {
    const std::string& name = archive.name;
    const Format format =
        name.starts_with("ar,") ? Format::Ar
        : name == "gzip"        ? Format::Raw
        : name.starts_with("zip, ") || name == "zip" || name.starts_with("zip with") || name == "tar in zip"
            ? Format::Zip
            : Format::Tar;
    rows.push_back({name, format,
                    [build = archive.build](const std::string& blob) { return build(archive_files::sourceOf(blob)); },
                    "resize", archive.members, false, !archive.packed});
  }
  for (const bool is64 : {false, true})
    rows.push_back({is64 ? "universal, 64 bit" : "universal",
                    Format::Universal,
                    [=](const std::string& blob) {
                      return universalFile({{0x01000007, archive_files::machoOf(blobOf(700, 'o'), 0x01000007)},
                                            {0x0100000c, archive_files::machoOf(blob, 0x0100000c)}},
                                           is64);
                    },
                    "REP-SHAPE",
                    {"aarch64"}});
}

std::vector<PlannerRow> makeRows() {
  std::vector<PlannerRow> rows;
  addPlain(rows);
  addElf(rows);
  addWasm(rows);
  addArchives(rows);
  return rows;
}

} // namespace

const std::vector<PlannerRow>& plannerRows() {
  static const std::vector<PlannerRow> rows = makeRows();
  return rows;
}

} // namespace blobscope::test
