#include "core/library/linking.h"
#include "core/library/open.h"
#include "core/library/overview.h"
#include "core/mlf/check.h"
#include "tests/core/base/files.h"
#include "tests/support/archive_builder.h"
#include "tests/support/coff_builder.h"
#include "tests/support/elf_yaml.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/wasm_builder.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

using namespace blobscope;
using namespace blobscope::test;
using library::LinkConflict;

namespace {

std::vector<std::string> splitAt(std::string_view text, std::string_view by) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(by), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + by.size(), text.size()));
  }
  return out;
}

/// An ELF object with the symbols of `text`: "f, weak g, local h, undefined i, common j, hidden k, unique l,
/// absolute:5 m, group:NAME n, startup". All of one group are in one section. `machine`: of the ELF header.
std::string objectWith(const std::string& text, const std::string& machine = "EM_X86_64",
                       const std::string& type = "REL") {
  std::string sections = "  - {Name: .text, Type: SHT_PROGBITS, Flags: [SHF_ALLOC, SHF_EXECINSTR], Size: 64}\n";
  std::string symbols;
  std::set<std::string> groups;
  for (const std::string& one : splitAt(text, ", ")) {
    if (one == "startup") {
      sections += "  - {Name: .init_array, Type: SHT_INIT_ARRAY, Flags: [SHF_ALLOC, SHF_WRITE], Size: 8}\n";
      continue;
    }
    const std::vector<std::string> words = splitAt(one, " ");
    const std::string name = words.back(), word = words.size() > 1 ? splitAt(words[0], ":")[0] : "";
    const std::string value = words.size() > 1 && splitAt(words[0], ":").size() > 1 ? splitAt(words[0], ":")[1] : "";
    std::string section = ", Section: .text, Type: STT_FUNC";
    if (word == "undefined") section = "";
    if (word == "common") section = ", Index: SHN_COMMON, Type: STT_OBJECT, Size: 4, Value: 4";
    if (word == "absolute") section = ", Index: SHN_ABS, Value: " + value;
    if (word == "group") section = ", Section: .text." + value + ", Type: STT_FUNC";
    if (word == "hidden") section += ", Other: [ STV_HIDDEN ]";
    const std::string binding = word == "weak"     ? "STB_WEAK"
                                : word == "local"  ? "STB_LOCAL"
                                : word == "unique" ? "STB_GNU_UNIQUE"
                                                   : "STB_GLOBAL";
    symbols += "  - {Name: '" + name + "', Binding: " + binding + section + "}\n";
    if (word == "group" && groups.insert(value).second) {
      symbols = "  - {Name: '" + value + "', Section: .text." + value + "}\n" + symbols; // the signature
      sections += "  - {Name: .text." + value +
                  ", Type: SHT_PROGBITS, Flags: [SHF_ALLOC, SHF_EXECINSTR, SHF_GROUP], Size: 16}\n";
      sections += "  - {Name: .group." + value + ", Type: SHT_GROUP, Link: .symtab, Info: " + value +
                  ", Members: [{SectionOrType: GRP_COMDAT}, {SectionOrType: .text." + value + "}]}\n";
    }
  }
  return elfOfYaml("--- !ELF\nFileHeader: {Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_" + type +
                   ", Machine: " + machine + "}\nSections:\n" + sections +
                   (type == "DYN" ? "DynamicSymbols:\n" : "Symbols:\n") + symbols);
}

std::string archiveOf(const std::vector<ArchiveFile>& members) {
  std::string out = "!<arch>\n";
  for (const ArchiveFile& member : members) out += arMember(member.path + "/", member.content);
  return out;
}

library::PackagePtr linkedFile(const std::string& file) {
  auto package = openBytes(file);
  if (!package) qFatal("%s", package.error().message().c_str());
  return *package;
}

std::string conflictKind(LinkConflict::Kind kind) {
  constexpr std::array<const char*, 6> kNames = {"duplicate", "if taken", "unused", "shadowed", "prefix", "machine"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// "duplicate 0 1: f g; unused 0!a.o 0!b.o registers: h".
std::string conflictsOf(const std::vector<std::string>& files) {
  std::vector<library::PackagePtr> packages;
  for (const std::string& file : files) packages.push_back(linkedFile(file));
  NullMonitor monitor;
  const auto conflicts = library::computeLinkConflicts(packages, monitor);
  if (!conflicts) qFatal("%s", conflicts.error().message().c_str());
  std::string out;
  for (const LinkConflict& conflict : *conflicts) {
    out += (out.empty() ? "" : "; ") + conflictKind(conflict.kind);
    for (const LinkConflict::Place& place : conflict.places) {
      out += " " + std::to_string(place.file);
      for (const std::string& member : place.ref.members) out += "!" + member;
    }
    if (conflict.registers) out += " registers";
    out += ":";
    for (const std::string& name : conflict.names) out += " " + (name.empty() ? "''" : name);
    if (conflict.count != conflict.names.size()) out += " of " + std::to_string(conflict.count);
  }
  return out;
}

} // namespace

/// What keeps files from being linked into one program. tests/real/test_objects.py compares it with linkers.
class TestLinking : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void objects_data();
  void objects();
  void archives_data();
  void archives();
  void sharedLibraries();
  void systemLibraries();
  void machines();
  void otherFormats();
  void cSources();
  void manyNamesAreCut();
  void damagedGroups();
  void cancelled();
  void findingsOfFiles();
  void findingsOfFolders();
  void overviewNamesSystemLibraries();

private:
  /// "error FILE-DUPLICATE b.o: a.o and b.o both …", one line each, without notes.
  static std::string findings(const std::filesystem::path& path, const std::vector<std::filesystem::path>& with = {}) {
    NullMonitor monitor;
    const auto report = mlf::checkFile(path, monitor, {}, with);
    if (!report) return report.error().message();
    std::string out;
    for (const check::Issue& issue : report->issues)
      if (issue.severity != Severity::Note)
        out += std::string(severityName(issue.severity)) + " " + issue.rule +
               (issue.place.member.empty() ? "" : " " + issue.place.member) + ": " + issue.message + "\n";
    return out;
  }
};

constexpr const char* kStart = ", undefined TVMFFIEnvModRegisterSystemLibSymbol, startup";

void TestLinking::objects_data() {
  QTest::addColumn<std::string>("first");
  QTest::addColumn<std::string>("second");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, const std::string& first, const std::string& second,
                      const std::string& expected) { QTest::newRow(name) << first << second << expected; };
  row("different names", "f", "g", "");
  row("strong", "f, g, a", "g, f, b", "duplicate 0 1: f g");
  row("a reference", "f", "undefined f", "");
  row("weak and strong", "weak f", "f", "");
  row("weak twice", "weak f", "weak f", "");
  row("local", "local f", "f", "");
  row("hidden", "hidden f", "f", "duplicate 0 1: f");
  row("common twice", "common f", "common f", "");
  row("common and strong", "common f", "f", "");
  row("equal numbers", "absolute:5 f", "absolute:5 f", "");
  row("different numbers", "absolute:5 f", "absolute:6 f", "duplicate 0 1: f");
  row("a number and a place", "absolute:5 f", "f", "duplicate 0 1: f");
  row("unique", "unique f", "unique f", "duplicate 0 1: f");
  row("groups of one name", "group:s f", "group:s f", "");
  row("groups with different names", "group:s f", "group:t f", "duplicate 0 1: f");
  row("a group and no group", "group:s f", "f", "duplicate 0 1: f");
}

void TestLinking::objects() {
  QFETCH(std::string, first);
  QFETCH(std::string, second);
  QFETCH(std::string, expected);
  QCOMPARE(conflictsOf({objectWith(first), objectWith(second)}), expected);
  // The order of the files only changes the order of the places.
  QCOMPARE(conflictsOf({objectWith(second), objectWith(first)}), expected);
}

void TestLinking::archives_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, const std::string& file, const std::string& expected) {
    QTest::newRow(name) << file << expected;
  };
  row("tar: all members are linked", tarOf({{"a.o", objectWith("f")}, {"b.o", objectWith("f, g")}}),
      "duplicate 0!a.o 0!b.o: f");
  row("tar: of three members two",
      tarOf({{"a.o", objectWith("f")}, {"b.o", objectWith("g")}, {"c.o", objectWith("f, g")}}),
      "duplicate 0!a.o 0!c.o: f; duplicate 0!b.o 0!c.o: g");
  row("tar: three members", tarOf({{"a.o", objectWith("f")}, {"b.o", objectWith("f")}, {"c.o", objectWith("f")}}),
      "duplicate 0!a.o 0!b.o 0!c.o: f");
  row("the second one has other names", archiveOf({{"a.o", objectWith("f")}, {"b.o", objectWith("f, g")}}),
      "if taken 0!a.o 0!b.o: f");
  row("the second one is never taken", archiveOf({{"a.o", objectWith("f, g, h")}, {"b.o", objectWith("g, f")}}),
      "unused 0!a.o 0!b.o: f g");
  row("a weak name makes it taken", archiveOf({{"a.o", objectWith("f")}, {"b.o", objectWith("f, weak g")}}),
      "if taken 0!a.o 0!b.o: f");
  row("a weak name that both have", archiveOf({{"a.o", objectWith("f, weak g")}, {"b.o", objectWith("f, weak g")}}),
      "unused 0!a.o 0!b.o: f");
  row("start-up code",
      archiveOf({{"a.o", objectWith("f, undefined TVMFFIEnvModRegisterSystemLibSymbol, startup")},
                 {"b.o", objectWith("f, g")}}),
      "if taken 0!a.o 0!b.o registers: f");
}

void TestLinking::archives() {
  QFETCH(std::string, file);
  QFETCH(std::string, expected);
  QCOMPARE(conflictsOf({file}), expected);
}

void TestLinking::sharedLibraries() {
  const std::string first = objectWith("f, weak w, g", "EM_X86_64", "DYN"),
                    second = objectWith("f, weak w", "EM_X86_64", "DYN");
  QCOMPARE(conflictsOf({first, second}), std::string("shadowed 0 1: f"));
  QCOMPARE(conflictsOf({second, objectWith("g")}), std::string());
  QCOMPARE(conflictsOf({second, objectWith("f")}), std::string("shadowed 1 0: f"));
}

void TestLinking::systemLibraries() {
  const std::string start = ", undefined TVMFFIEnvModRegisterSystemLibSymbol, startup";
  const auto exported = [&](const std::string& prefix, const std::string& function) {
    return tarOf(
        {{"lib0.o", objectWith("__tvm_ffi_" + function + ", weak " + prefix + "__tvm_ffi__library_ctx" + start)},
         {"devc.o", objectWith(prefix + "__tvm_ffi__library_bin" + start)}});
  };
  QCOMPARE(conflictsOf({exported("a_", "f"), exported("b_", "g")}), std::string());
  QCOMPARE(conflictsOf({exported("a_", "f"), exported("a_", "g")}),
           std::string("duplicate 0 1 registers: a___tvm_ffi__library_bin; prefix 0 1 registers: a_"));
  QCOMPARE(conflictsOf({exported("", "f"), exported("", "f")}),
           std::string("duplicate 0 1 registers: __tvm_ffi__library_bin __tvm_ffi_f; prefix 0 1 registers: ''"));
  // Without start-up code nothing registers them.
  QCOMPARE(
      conflictsOf({objectWith("f, weak a___tvm_ffi__library_ctx"), objectWith("g, weak a___tvm_ffi__library_ctx")}),
      std::string());
  NullMonitor monitor;
  const auto package = linkedFile(objectWith("weak a___tvm_module_ctx, b.__tvm_dev_mblob, undefined "
                                             "TVMBackendRegisterSystemLibSymbol, startup"));
  const auto found = library::computeSystemLibraries(*package, monitor);
  QVERIFY(found);
  QCOMPARE(found->size(), std::size_t{2});
  QCOMPARE(found->at(0).prefix, std::string("a_"));
  QVERIFY(!found->at(0).hasBlob && found->at(0).registers);
  QCOMPARE(found->at(0).ref.toString(), std::string("symbol:a___tvm_module_ctx"));
  QCOMPARE(found->at(1).prefix, std::string("b."));
  QVERIFY(found->at(1).hasBlob && found->at(1).registers);
}

void TestLinking::machines() {
  QCOMPARE(conflictsOf({objectWith("f"), objectWith("f", "EM_AARCH64")}),
           std::string("machine 0 1: ELF for x86_64 ELF for aarch64"));
  QCOMPARE(conflictsOf({objectWith("f"), objectWith("g"), objectWith("h", "EM_AARCH64")}),
           std::string("machine 0 2: ELF for x86_64 ELF for aarch64"));
  // Members of one archive may be for several machines; a linker takes those that fit.
  QCOMPARE(conflictsOf({archiveOf({{"a.o", objectWith("f")}, {"b.o", objectWith("f", "EM_AARCH64")}})}), std::string());
}

void TestLinking::otherFormats() {
  // COFF: external, in a COMDAT section, weak, common.
  const auto coff = [](uint32_t characteristics, uint8_t storage, int32_t section, uint32_t value) {
    CoffBuilder out;
    out.sections = {{".text", characteristics, "code"}};
    out.symbols = {{"f", value, section, 0x20, storage}};
    return out.build();
  };
  constexpr uint32_t kCode = 0x60000020, kComdat = kCode | 0x1000;
  const std::string strong = coff(kCode, 2, 1, 0), comdat = coff(kComdat, 2, 1, 0), common = coff(kCode, 2, 0, 8),
                    local = coff(kCode, 3, 1, 0);
  QCOMPARE(conflictsOf({strong, strong}), std::string("duplicate 0 1: f"));
  QCOMPARE(conflictsOf({comdat, comdat}), std::string());
  QCOMPARE(conflictsOf({comdat, strong}), std::string("duplicate 0 1: f"));
  QCOMPARE(conflictsOf({common, strong}), std::string());
  QCOMPARE(conflictsOf({local, strong}), std::string());
  // WebAssembly: flags of the symbol table.
  const auto wasmObject = [](uint32_t flags) {
    return wasm::module(
        {wasm::section(1, wasm::list({std::string("\x60\0\0", 3)})), wasm::section(3, wasm::list({wasm::leb(0)})),
         wasm::section(10, wasm::list({wasm::body("")})),
         wasm::custom("linking", wasm::leb(2) + wasm::section(8, wasm::list({wasm::functionSymbol("f", flags, 0)})))});
  };
  QCOMPARE(conflictsOf({wasmObject(0), wasmObject(0)}), std::string("duplicate 0 1: f"));
  QCOMPARE(conflictsOf({wasmObject(4), wasmObject(0)}), std::string("duplicate 0 1: f")); // hidden
  QCOMPARE(conflictsOf({wasmObject(1), wasmObject(0)}), std::string());
  QCOMPARE(conflictsOf({wasmObject(2), wasmObject(0)}), std::string());
}

void TestLinking::cSources() {
  const auto source = [](const std::string& name) {
    return "// tvm target: c\n#include \"tvm/runtime/c_runtime_api.h\"\nvoid* __tvm_module_ctx = NULL;\n"
           "#ifdef __cplusplus\nextern \"C\"\n#endif\nTVM_DLL int32_t " +
           name + "(void* args) {\n  return 0;\n}\n";
  };
  QCOMPARE(conflictsOf({tarOf({{"lib0.c", source("f")}}), tarOf({{"lib0.c", source("f")}})}),
           std::string("duplicate 0 1: __tvm_module_ctx f"));
  QCOMPARE(conflictsOf({tarOf({{"lib0.c", source("g")}}), objectWith("g")}), std::string("duplicate 0 1: g"));
}

void TestLinking::manyNamesAreCut() {
  std::string names;
  for (int i = 0; i < 25'000; ++i) names += (i ? ", f" : "f") + std::to_string(100'000 + i);
  const std::string file = objectWith(names);
  const std::vector<library::PackagePtr> files = {linkedFile(file), linkedFile(file)};
  NullMonitor monitor;
  const auto found = library::computeLinkConflicts(files, monitor);
  QVERIFY(found && found->size() == 1);
  QCOMPARE(found->at(0).count, uint64_t{25'000});
  QCOMPARE(found->at(0).names.size(), LinkConflict::kNames);
  QCOMPARE(found->at(0).names.front(), std::string("f100000"));
  QCOMPARE(found->at(0).names.back(), std::string("f109999"));
}

/// Any byte of a group can be wrong; the comparison ends and reports something sensible.
void TestLinking::damagedGroups() {
  const std::string whole = objectWith("group:s f, g"), other = objectWith("f");
  const auto offsets = sectionOffsets(whole);
  for (const uint64_t start : {offsets.at(".group.s"), offsets.at("sections")})
    for (uint64_t at = start; at < std::min<uint64_t>(whole.size(), start + 448); ++at) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x7f);
      const auto package = openBytes(damaged);
      if (!package) continue;
      const std::vector<library::PackagePtr> files = {*package, linkedFile(other)};
      NullMonitor monitor;
      QVERIFY(library::computeLinkConflicts(files, monitor));
    }
}

void TestLinking::cancelled() {
  std::string names;
  for (int i = 0; i < 5'000; ++i) names += (i ? ", f" : "f") + std::to_string(i);
  const std::vector<library::PackagePtr> files = {linkedFile(objectWith(names)), linkedFile(objectWith(names))};
  StopAfter monitor(0);
  const auto found = library::computeLinkConflicts(files, monitor);
  QVERIFY(!found);
  QCOMPARE(found.error().code(), ErrorCode::Cancelled);
}

void TestLinking::findingsOfFiles() {
  const QTemporaryDir folder;
  const auto a = in(folder, "a.o"), b = in(folder, "b.o"), c = in(folder, "c.o"), all = in(folder, "all.a"),
             other = in(folder, "other.a"), arm = in(folder, "arm.o");
  writeFile(a, objectWith("__tvm_ffi_f, g"));
  writeFile(b, objectWith("__tvm_ffi_f, h"));
  writeFile(c, objectWith("__tvm_ffi_x"));
  writeFile(arm, objectWith("__tvm_ffi_y", "EM_AARCH64"));
  writeFile(all, archiveOf({{"a.o", objectWith("__tvm_ffi_f, g")}, {"b.o", objectWith("__tvm_ffi_f, h")}}));
  writeFile(other, archiveOf({{"c.o", objectWith("__tvm_ffi_x")}}));
  QCOMPARE(findings(a, {c}), std::string());
  QCOMPARE(findings(a, {b}), std::string("error FILE-DUPLICATE: a.o and b.o both define 1 name: __tvm_ffi_f; a linker "
                                         "reports a duplicate symbol\n"));
  QCOMPARE(findings(a, {c, b}), findings(a, {b}));
  QCOMPARE(findings(all), std::string("error FILE-DUPLICATE b.o: a.o and b.o both define 1 name: __tvm_ffi_f; a linker "
                                      "reports a duplicate symbol when it needs members of both, or takes whole "
                                      "archives (--whole-archive, -all_load, /WHOLEARCHIVE)\n"));
  // Of two archives, a linker may take only one member.
  QCOMPARE(findings(other, {c}),
           std::string("warning FILE-SHADOWED: other.a and c.o both define 1 name: __tvm_ffi_x; a linker reports a "
                       "duplicate symbol when it needs members of both, or takes whole archives (--whole-archive, "
                       "-all_load, /WHOLEARCHIVE)\n"));
  QCOMPARE(findings(a, {arm}), std::string("error FILE-MACHINES: a.o is ELF for x86_64, and arm.o is ELF for aarch64; "
                                           "they cannot be in one program\n"));
  QVERIFY(findings(a, {in(folder, "none.o")}).find("none.o") != std::string::npos);
  NullMonitor monitor;
  const auto report = mlf::checkFile(a, monitor, {}, {b});
  QVERIFY(report && report->issues.front().names == std::vector<std::string>{"__tvm_ffi_f"});
}

void TestLinking::findingsOfFolders() {
  const QTemporaryDir folder;
  const std::filesystem::path inner = in(folder, "inner");
  std::filesystem::create_directory(inner);
  const auto exported = [](const std::string& function) {
    return tarOf({{"lib0.o", objectWith("__tvm_ffi_" + function + ", weak my___tvm_ffi__library_ctx" + kStart)}});
  };
  writeFile(inner / "a.tar", exported("f"));
  writeFile(inner / "b.tar", exported("g"));
  writeFile(inner / "c.o", objectWith("__tvm_ffi_g"));
  writeFile(inner / "arm.o", objectWith("__tvm_ffi_g", "EM_AARCH64"));
  writeFile(inner / "text.txt", "nothing that is linked");
  const std::string expected =
      "error FILE-DUPLICATE: b.tar and c.o both define 1 name: __tvm_ffi_g; a linker reports a duplicate symbol\n"
      "error BLOB-PREFIX: a.tar and b.tar both register the system library 'my_'; system_lib(\"my_\") finds only one "
      "of them\n";
  QCOMPARE(findings(inner), expected);
  writeFile(in(folder, "d.o"), objectWith("__tvm_ffi_f"));
  QCOMPARE(findings(in(folder, "d.o"), {inner / "b.tar"}), std::string());
  QVERIFY(findings(in(folder, "d.o"), {inner}).find("d.o and a.tar both define 1 name: __tvm_ffi_f") !=
          std::string::npos);
}

void TestLinking::overviewNamesSystemLibraries() {
  const auto factOf = [](const std::string& file) {
    NullMonitor monitor;
    const auto overview = library::fileOverview(*linkedFile(file), monitor);
    if (overview)
      for (const library::Overview::Fact& fact : overview->facts)
        if (fact.label == "System library") return fact.value;
    return std::string();
  };
  QCOMPARE(factOf(objectWith("__tvm_ffi_f")), std::string());
  QCOMPARE(factOf(objectWith("__tvm_ffi_f, weak __tvm_ffi__library_ctx")), std::string());
  QCOMPARE(factOf(objectWith(std::string("weak my___tvm_ffi__library_ctx") + kStart)),
           std::string("'my_', registers itself when the program starts: call system_lib(\"my_\")"));
  QCOMPARE(factOf(objectWith(std::string("weak __tvm_ffi__library_ctx") + kStart)),
           std::string("without a prefix, registers itself when the program starts: call system_lib()"));
  QCOMPARE(factOf(objectWith("my___tvm_ffi__library_bin")), std::string("'my_', not registered by code of the file"));
}

BLOBSCOPE_TEST(TestLinking);

#include "test_linking.moc"
