#include "core/targets/shared_libraries.h"
#include "core/targets/system.h"
#include "tests/core/base/files.h"
#include "tests/core/requirements/linked_library.h"
#include "tests/core/targets/facts.h"
#include "tests/support/archive_builder.h"
#include "tests/support/test_main.h"

#include <QDir>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using targets::SharedLibraries;
using targets::SharedLibraryPtr;
using targets::System;

namespace {

/// "linux x86_64 glibc 2.36 3.4.30 1.3.13": what is known about a system.
std::string text(const System& system) {
  std::string out = system.os;
  for (const std::string& one : {system.cpu, targets::cLibraryText(system), system.glibcxx, system.cxxabi})
    if (!one.empty()) out += " " + one;
  return out;
}

/// A library with a name of its own that exports functions.
std::string exportingLibrary(const std::string& name, const std::vector<std::string>& functions,
                             const std::vector<std::pair<uint64_t, std::string>>& names = {}) {
  LinkedLibrary out;
  for (const std::string& function : functions) out.function(function, "\xc3");
  if (!name.empty()) out.names.emplace_back(14, name);
  out.names.insert(out.names.end(), names.begin(), names.end());
  return out.build();
}

std::shared_ptr<const SharedLibraries> given(const std::vector<std::filesystem::path>& paths) {
  NullMonitor monitor;
  auto out = SharedLibraries::read(paths, monitor);
  if (!out) qFatal("%s", out.error().message().c_str());
  return *out;
}

} // namespace

/// Systems by their names, from files, and the libraries of a process.
class TestSystem : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void systemsAreFoundByTheirNames_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("system");
    const auto row = [](const char* name, const char* system) {
      QTest::newRow(name) << QString(name) << QString(system);
    };
    row("debian12", "linux glibc 2.36 3.4.30 1.3.13");
    row("debian12-aarch64", "linux aarch64 glibc 2.36 3.4.30 1.3.13");
    row("ubuntu22.04", "linux glibc 2.35 3.4.30 1.3.13");
    row("ubuntu2204", "linux glibc 2.35 3.4.30 1.3.13");
    row("rhel8", "linux glibc 2.28 3.4.25 1.3.11");
    row("rocky8", "linux glibc 2.28 3.4.25 1.3.11");
    row("amazonlinux2023", "linux glibc 2.34 3.4.29 1.3.13");
    row("manylinux_2_28", "linux glibc 2.28 3.4.24 1.3.11");
    row("manylinux_2_28_x86_64", "linux x86_64 glibc 2.28 3.4.24 1.3.11");
    row("manylinux2014_aarch64", "linux aarch64 glibc 2.17 3.4.19 1.3.7");
    row("musllinux_1_2_x86_64", "linux x86_64 musl 1.2");
    row("alpine3.20", "linux musl 1.2.5 3.4.32 1.3.14");
    row("x86_64-linux-gnu2.28", "linux x86_64 glibc 2.28");
    row("x86_64-linux-gnu", "linux x86_64 glibc");
    row("aarch64-unknown-linux-musl", "linux aarch64 musl");
    row("armv7-linux-gnueabihf2.31", "linux arm glibc 2.31");
    row("android29", "android Android's C library");
    row("aarch64-linux-android29", "android aarch64 Android's C library");
    row("windows", "windows");
    row("x86_64-pc-windows-msvc", "windows x86_64");
    row("win_amd64", "windows x86_64");
    row("macos", "macos");
    row("aarch64-apple-darwin", "macos aarch64");
    row("linux_x86_64", "linux x86_64");
  }
  void systemsAreFoundByTheirNames() {
    QFETCH(QString, name);
    QFETCH(QString, system);
    const auto found = targets::parseSystem(builtInFacts(), name.toStdString());
    QVERIFY2(found, found ? "" : found.error().message().c_str());
    QCOMPARE(QString::fromStdString(text(**found)), system);
    QCOMPARE(QString::fromStdString((*found)->name), name);
    QVERIFY(!(*found)->here);
  }

  void unknownSystemsAreRefused() {
    for (const char* const name : {"", "linux9x", "debian", "x86_64", "x86_64-plan9", "gnu2.28"}) {
      const auto found = targets::parseSystem(builtInFacts(), name);
      QVERIFY2(!found, name);
      QVERIFY(found.error().id() == DiagnosticId::PreSystem);
      QVERIFY(found.error().message().find("examples: this, x86_64-linux-gnu2.28") != std::string::npos);
    }
  }

  void versionsAreComparedByNumbers() {
    QVERIFY(targets::compareVersions("2.9", "2.28") < 0);
    QVERIFY(targets::compareVersions("2.28", "2.28.0") == 0);
    QVERIFY(targets::compareVersions("3.4.30", "3.4.4") > 0);
    QVERIFY(targets::compareVersions("", "1") < 0);
  }

  void namesOfSystemLibraries() {
    const targets::FactsPtr facts = builtInFacts();
    for (const char* const name : {"memcpy", "expf", "qsort", "__stack_chk_fail", "environ", "__cxa_atexit", "strlcpy"})
      QVERIFY2(facts->isSystemName(name), name);
    for (const char* const name : {"__cudaRegisterFatBinary", "TVMFFIFunctionCall", "nothing_has_this"})
      QVERIFY2(!facts->isSystemName(name), name);
    QVERIFY(facts->isMuslName("memcpy") && !facts->isMuslName("__memcpy_chk"));
  }

  void namesThatALinkProvides_data() {
    QTest::addColumn<bool>("provided");
    for (const char* const name :
         {"__addsf3", "__muldf3", "__aeabi_fadd", "__aeabi_unwind_cpp_pr0", "__udivdi3", "_gp_disp", "_fltused",
          "__chkstk", "__extendhfsf2", "__fixsfdi", "__start_my_section"})
      QTest::newRow(name) << true;
    for (const char* const name : {"__cudaRegisterFatBinary", "my_function", "__addsf33", "aeabi_fadd", ""})
      QTest::newRow(*name ? name : "no name") << false;
  }
  void namesThatALinkProvides() {
    QFETCH(bool, provided);
    const std::string name = QTest::currentDataTag();
    QCOMPARE(!builtInFacts()->linkedBy(name == "no name" ? "" : name).empty(), provided);
  }

  void systemOfFiles() {
    const QTemporaryDir root;
    QDir(root.path()).mkpath("lib/x86_64-linux-gnu");
    QDir(root.path()).mkpath("proc");
    LinkedLibrary c;
    c.function("memcpy", "\xc3");
    // DT_VERDEF with two versions.
    const auto versions = [&](LinkedLibrary& file, const std::vector<std::string>& names) {
      for (const std::string& name : names) file.defined.push_back(name);
    };
    versions(c, {"libc.so.6", "GLIBC_2.2.5", "GLIBC_2.36", "GLIBC_2.9", "GLIBC_PRIVATE"});
    writeFile(in(root, "lib/x86_64-linux-gnu/libc.so.6"), c.build());
    LinkedLibrary cxx;
    cxx.function("__cxa_throw", "\xc3");
    versions(cxx, {"libstdc++.so.6", "GLIBCXX_3.4.30", "GLIBCXX_3.4.4", "CXXABI_1.3.13", "CXXABI_FLOAT128"});
    writeFile(in(root, "lib/x86_64-linux-gnu/libstdc++.so.6"), cxx.build());
    writeFile(in(root, "proc/cpuinfo"),
              "processor\t: 0\nflags\t\t: fpu cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3 avx avx2 "
              "bmi1 bmi2 f16c fma abm movbe xsave\n");
    const System found = targets::readSystem(root.path().toStdString(), "linux", "x86_64");
    QCOMPARE(text(found), "linux x86_64 glibc 2.36 3.4.30 1.3.13"s);
    QCOMPARE(found.cpuLevel, 3U);
    QVERIFY(found.here);
    const System none = targets::readSystem(root.path().toStdString(), "linux", "riscv64");
    QCOMPARE(text(none), "linux riscv64"s);
  }

  void givenLibraries() {
    const QTemporaryDir folder;
    QDir(folder.path()).mkpath("inner");
    writeFile(in(folder, "a.so"), exportingLibrary("libreal.so.1", {"f"}));
    writeFile(in(folder, "inner/b.so.2"), exportingLibrary("", {"g"}));
    writeFile(in(folder, "inner/note.txt"), "no library");
    writeFile(in(folder, "w-1.whl"),
              storedZip({{"pkg/libw.so", exportingLibrary("libw.so", {"w"})}, {"pkg/x.py", "x"}}));
    ElfBuilder object;
    object.type = 1;
    object.function("from_archive");
    writeFile(in(folder, "c.a"), arOf({{"c.o", object.build()}}));
    const auto all = given({folder.path().toStdString()});
    QCOMPARE(all->given().size(), std::size_t{4});
    QVERIFY(all->findGiven("libreal.so.1") && all->findGiven("a.so") && all->findGiven("b.so.2"));
    QVERIFY(all->findGiven("libw.so")->has("w"));
    QVERIFY(!all->findGiven("libother.so") && !all->findGiven("c.a"));
    QVERIFY(std::ranges::any_of(all->given(),
                                [](const SharedLibraryPtr& one) { return one->archive && one->has("from_archive"); }));
    NullMonitor monitor;
    const auto missing = SharedLibraries::read({in(folder, "none.so")}, monitor);
    QVERIFY(!missing && missing.error().id() == DiagnosticId::FileNotFound);
  }

  void librariesInRunPaths() {
    const QTemporaryDir folder;
    QDir(folder.path()).mkpath("sub");
    writeFile(in(folder, "sub/libq.so"), exportingLibrary("libq.so", {"q"}));
    writeFile(in(folder, "sub/text.so"), "not a library");
    const auto none = given({});
    const std::string path = (in(folder, "model.so")).string(), sub = (in(folder, "sub")).string();
    const auto beside = [&](const char* name, const std::string& runPath, const char* arch = "x86_64") {
      return none->findBeside(name, {path, {runPath}, arch}) != nullptr;
    };
    QVERIFY(beside("libq.so", "$ORIGIN/sub"));
    QVERIFY(beside("libq.so", "/nowhere:${ORIGIN}/sub"));
    QVERIFY(!beside("libq.so", "$ORIGIN/other"));
    QVERIFY(!beside("libq.so", "$ORIGIN/sub", "aarch64"));
    QVERIFY(!beside("text.so", "$ORIGIN/sub"));
    QVERIFY(!beside("libq.so", sub)); // only the machine itself has that folder
    QVERIFY(none->findHere("libq.so", {path, {sub}, "x86_64"}) != nullptr);
    QVERIFY(none->findHere("libnothing_has_this.so.9", {path, {}, "x86_64"}) == nullptr);
  }

  void whatALibraryOffers() {
    LinkedLibrary file;
    file.function("plain", "\xc3");
    file.undefined("late");
    file.undefined("data", 0x11);
    file.undefined("weak", 0x21);
    file.wordOf("late", true);
    file.wordOf("data");
    file.wordOf("weak");
    file.names = {{LinkedLibrary::kNeeded, "libdep.so"}, {15, "/opt/lib"}, {14, "libown.so"}};
    const QTemporaryDir folder;
    writeFile(in(folder, "x.so"), file.build());
    NullMonitor monitor;
    const auto read = targets::readSharedLibrary(in(folder, "x.so"), monitor);
    QVERIFY(read && *read);
    const targets::SharedLibrary& found = **read;
    QCOMPARE(found.name + " " + found.file + " " + found.format + " " + found.arch, "libown.so x.so elf x86_64"s);
    QCOMPARE(found.needed, std::vector<std::string>{"libdep.so"});
    QVERIFY(found.inheritsRunPaths);
    QCOMPARE(found.boundAtOnce, std::vector<std::string>{"data"});
    QVERIFY(found.has("plain") && found.has("plain", "ANY_1") && !found.has("late"));
  }
};

BLOBSCOPE_TEST(TestSystem);
#include "test_system.moc"
