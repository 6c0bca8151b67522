#include "core/base/source.h"
#include "core/safety/parts.h"
#include "tests/core/base/compare.h"
#include "tests/core/safety/assessed.h"
#include "tests/support/pe_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/vm_builders.h"

#include <QFile>

#ifdef BLOBSCOPE_DISASM
#include "core/disasm/mc.h"
#endif

using namespace blobscope;
using namespace blobscope::test;

namespace {

using Change = std::function<void(LinkedLibrary&)>;

std::string libraryWith(const Change& change) {
  LinkedLibrary library;
  library.function("f", "\xc3");
  change(library);
  return library.build();
}
std::string importing(const std::string& name) {
  return libraryWith([&](LinkedLibrary& library) { library.undefined(name); });
}
std::string containing(const std::string& text) {
  return libraryWith([&](LinkedLibrary& library) { library.text(text); });
}
std::string tagged(uint64_t tag, const std::string& name) {
  return libraryWith([&](LinkedLibrary& library) { library.names.emplace_back(tag, name); });
}
std::string constructed(const std::string& code, const std::string& import = {}) {
  WithConstructor made;
  if (import.empty()) return made.build(code);
  const uint64_t word = made.import(import);
  return made.build(X86Code(made.library.next()).callWord(word).ret().take());
}

/// Bytes without a pattern: a linear congruential generator.
std::string noise(std::size_t size) {
  std::string out;
  for (uint32_t state = 1; out.size() < size; state = state * 1'664'525 + 1'013'904'223)
    out += static_cast<char>(state >> 24);
  return out;
}

std::string sample() {
  QFile file(QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-cpu.so"));
  return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

std::string signedDll(const std::string& certificate) {
  PeBuilder pe;
  pe.function("f");
  pe.certificate = certificate;
  return pe.build();
}

/// A certificate whose digest of the file is wrong: the identifier, [0] { SEQUENCE { SEQUENCE {}, DigestInfo } }.
std::string wrongCertificate() {
  const auto value = [](char tag, const std::string& content) {
    return std::string(1, tag) + static_cast<char>(content.size()) + content;
  };
  const std::string digest = value('\x30', value('\x30', "") + value('\x04', std::string(32, 'x')));
  const std::string data = value('\xa0', value('\x30', value('\x30', "") + digest));
  const std::string body = "\x06\x0a\x2b\x06\x01\x04\x01\x82\x37\x02\x01\x04" + data;
  return ByteBuilder().u32(static_cast<uint32_t>(8 + body.size())).u16(0x200).u16(2).raw(body).take();
}

std::string callingByName(const std::string& name) {
  RelaxBuilder vm(kTags2025b);
  vm.functions[0].name = name;
  return elfWith("__tvm_ffi__library_bin", ffiBlob({{"relax.VMExecutable", vm.build()}}, {{}}));
}

/// A resolver, a preinitialiser.
std::string withResolver() {
  return libraryWith([](LinkedLibrary& library) {
    const uint64_t at = library.hidden("\x90\xc3");
    library.symbols.push_back({"choose", at, 2, 0x1a});
  });
}
std::string withPreinit() {
  return libraryWith([](LinkedLibrary& library) { library.tags = {{32, library.wordOf("f")}, {33, 8}}; });
}
/// A section that the loader does not need and no linker writes.
std::string withOddSection() {
  std::string file = libraryWith([](LinkedLibrary& library) { library.staticSymbols = true; });
  const std::size_t at = file.rfind(".strtab");
  return file.replace(at, 7, ".extras");
}

/// A blob as an array of C.
std::string withOldDelayImport() {
  PeBuilder pe;
  pe.is64 = false;
  pe.machine = 0x14c;
  pe.base = 0x400000;
  pe.delayAttributes = 0; // addresses, as before Visual C++ 7
  return pe.function("f").import("late.dll", {"later"}, true).build();
}

std::string cSource() {
  const std::string blob = classicBlob({{"_lib", ""}}, std::nullopt);
  std::string text = "const unsigned char __tvm_dev_mblob[" + std::to_string(blob.size()) + "] = {\n";
  for (const char byte : blob) text += std::to_string(static_cast<unsigned char>(byte)) + ",";
  return text + "};\n";
}

} // namespace

/// One made file per finding; a file without the cause has no such finding.
class TestSafetyFindings : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() {
#ifdef BLOBSCOPE_DISASM
    syntax::setDisassemblerFactory(disasm::makeDisassembler);
#endif
    using namespace std::string_literals;
    const std::string dlopenWithRax = constructed({}, "dlopen");
    m_rows = {
#ifdef BLOBSCOPE_DISASM
        {"SAFE-LOAD-ACTS", constructed({}, "fopen")},
        {"SAFE-LOAD-CONTAINED", constructed("\x90\x90\xc3")},
        {"SAFE-LOAD-SYSCALL", constructed("\x0f\x05\xc3")},
        {"SAFE-COMPUTED-NAME", dlopenWithRax},
        {"SAFE-SYSCALL", libraryWith([](LinkedLibrary& library) { library.function("g", "\x0f\x05\xc3"); })},
#endif
        {"SAFE-LOAD-UNKNOWN", constructed("\xff\xd0\xc3")},
        {"SAFE-IFUNC", withResolver()},
        {"SAFE-TLS-CALLBACK", {}}, // test_pieces.cpp
        {"SAFE-PREINIT", withPreinit()},
        {"SAFE-PROCESS", importing("posix_spawn")},
        {"SAFE-ENVIRONMENT", importing("getenv")},
        {"SAFE-FILE", importing("fopen")},
        {"SAFE-NETWORK", importing("socket")},
        {"SAFE-DYNAMIC-CODE", importing("dlsym")},
        {"SAFE-MEMORY", importing("mprotect")},
        {"SAFE-THREADS", importing("pthread_create")},
        {"SAFE-OTHER-IMPORT", importing("some_vendor_function")},
        {"SAFE-DELAY-IMPORT", PeBuilder().function("f").import("late.dll", {"later"}, true).build()},
        {"SAFE-DELAY-IMPORT", withOldDelayImport()},
        {"SAFE-WRITABLE-CODE", libraryWith([](LinkedLibrary&) {})},
        {"SAFE-EXECUTABLE-STACK", libraryWith([](LinkedLibrary&) {})},
        {"SAFE-RELRO", libraryWith([](LinkedLibrary&) {})},
        {"SAFE-TEXT-RELOCATIONS", libraryWith([](LinkedLibrary& library) { library.tags = {{22, 0}}; })},
        {"SAFE-SEARCH-PATH", tagged(LinkedLibrary::kRunPath, "/tmp/libraries")},
        {"SAFE-LIBRARY-PATH", tagged(LinkedLibrary::kNeeded, "/opt/vendor/libx.so")},
        {"SAFE-LIBRARY", tagged(LinkedLibrary::kNeeded, "libvendor.so.1")},
        {"SAFE-LOADER-SETTING", tagged(0x6ffffefc, "libaudit.so")}, // DT_AUDIT
        {"SAFE-UNOWNED", sample() + noise(5'000)},
        {"SAFE-EMBEDDED", sample() + "PK\x03\x04" + noise(500)},
        {"SAFE-ZEROS", sample() + std::string(70'000, '\0')},
        {"SAFE-INSIDE", containing("\x7f"
                                   "ELF\x02\x01\x01"s +
                                   std::string(11, '\0') + "\x3e"s + std::string(60, '\0'))},
        {"SAFE-DEAD-BLOB", containing("\x0c\0\0\0\0\0\0\0_import_tree"s)},
        {"SAFE-SECTION", withOddSection()},
        {"SAFE-URL", containing("https://example.org/model")},
        {"SAFE-COMMAND", containing("/bin/sh -c true")},
        {"SAFE-LOADER-TEXT", containing("LD_PRELOAD")},
        {"SAFE-PATH", containing("/home/builder/src/model.cc")},
        {"SAFE-USER", containing("/home/builder/src/model.cc")},
        {"SAFE-PACKED", callingByName("runtime.SaveParams")},
        {"SAFE-SIGNATURE-VOID", signedDll(wrongCertificate())},
        {"SAFE-SIGNATURE-DAMAGED", signedDll(ByteBuilder().u32(64).u16(0x200).u16(2).raw(noise(56)).take())},
        {"SAFE-DAMAGED", sample().substr(0, sample().size() * 2 / 3)},
        {"SAFE-NOT-READ", cSource()},
    };
  }
  void cleanupTestCase() { syntax::setDisassemblerFactory(nullptr); }

  void findings() {
    const std::set<std::string> none = rulesOf(assessed(sample()));
    for (const auto& [rule, file] : m_rows) {
      if (file.empty()) continue;
      const std::set<std::string> found = rulesOf(assessed(file));
      std::string text;
      for (const std::string& one : found) text += one + " ";
      QVERIFY2(found.contains(rule), (rule + " is not among " + text).c_str());
      QVERIFY2(!none.contains(rule), (rule + " is found in the sample").c_str());
    }
  }

  /// A rule without a row here is not tested.
  void everyRuleHasAFile() {
#ifndef BLOBSCOPE_DISASM
    QSKIP("built without LLVM's disassemblers");
#endif
    std::set<std::string> rows, rules;
    for (const auto& [rule, file] : m_rows) rows.insert(rule);
    for (const check::RuleRow& row : check::rules())
      if (row.id.starts_with("SAFE-")) rules.insert(std::string(row.id));
    QCOMPARE(rows.size(), rules.size());
    QVERIFY(rows == rules);
  }

  /// Each finding has a sentence without places that nothing fills, and a place that other commands accept.
  void findingsAreComplete() {
    for (const auto& [rule, file] : m_rows) {
      if (file.empty()) continue;
      for (const check::Issue& issue : assessed(file).findings.issues) {
        QVERIFY2(!issue.message.empty() && issue.message.find('{') == std::string::npos, issue.message.c_str());
        if (issue.ref) QVERIFY2(Ref::parse(issue.refText()), issue.refText().c_str());
      }
    }
  }

  void unownedBytesAreDescribed() {
    const safety::Report report = assessed(sample() + noise(5'000));
    QCOMPARE(report.unowned.size(), std::size_t{1});
    QCOMPARE(report.unowned[0].extent.offset, uint64_t{sample().size()});
    QCOMPARE(report.unowned[0].extent.size, uint64_t{5'000});
    QVERIFY2(report.unowned[0].entropy > 7.8 && report.unowned[0].entropy < 8.0,
             safety::entropyText(report.unowned[0].entropy).c_str());
    QVERIFY(report.unowned[0].looksLike.empty());
    QCOMPARE(safety::entropyText(7.999), std::string("8.00"));
    QCOMPARE(safety::entropyText(0.5), std::string("0.50"));
  }

  /// The same code at another address is the same finding; other code is not.
  void fingerprintsAreThoseOfTheCode() {
#ifndef BLOBSCOPE_DISASM
    QSKIP("built without LLVM's disassemblers");
#endif
    const auto acts = [](std::size_t moved, const std::string& more) {
      WithConstructor made;
      made.library.hidden(std::string(moved, '\xc3'));
      const uint64_t word = made.import("fopen");
      const std::string file = made.build(X86Code(made.library.next()).callWord(word).raw(more).ret().take());
      for (const check::Issue& issue : assessed(file).findings.issues)
        if (issue.rule == "SAFE-LOAD-ACTS") return issue;
      qFatal("the constructor is not reported");
    };
    const check::Issue here = acts(16, {}), there = acts(64, {}), other = acts(16, "\x90\x31\xc0");
    QCOMPARE(here.fingerprint.size(), std::size_t{32});
    QVERIFY(here.message != there.message);
    QCOMPARE(here.fingerprint, there.fingerprint);
    QVERIFY(here.fingerprint != other.fingerprint);
  }

  /// A crafted file may name the same bytes thousands of times.
  void sectionsWithTheSameBytesAreReadOnce() {
    container::Image image;
    for (const Extent file :
         {Extent{100, 50}, Extent{100, 50}, Extent{120, 100}, Extent{0, 101}, Extent{150, 10}, Extent{0, 100}}) {
      container::Section section;
      section.executable = true;
      section.file = file;
      image.sections.push_back(section);
    }
    image.sections.emplace_back().file = {500, 10}; // data
    QCOMPARE(safety::codeSections(image), (std::vector<std::size_t>{0, 4, 5}));
  }

  void usersAreNamed() {
    const safety::Report report = assessed(containing("/home/builder/src/model.cc"));
    QCOMPARE(report.identity.users, std::vector<std::string>{"builder"});
  }

  void importsAreGrouped() {
    using safety::Group;
    const std::vector<std::pair<const char*, Group>> cases = {{"system", Group::Process},
                                                              {"execve", Group::Process},
                                                              {"fopen64", Group::File},
                                                              {"__open_2", Group::File},
                                                              {"connect", Group::Network},
                                                              {"dlopen", Group::DynamicCode},
                                                              {"GetProcAddress", Group::DynamicCode},
                                                              {"VirtualProtect", Group::Memory},
                                                              {"pthread_create", Group::Threads},
                                                              {"TVMFuncCall", Group::Tvm},
                                                              {"TVMFFIFunctionCall", Group::Tvm},
                                                              {"memcpy", Group::CLibrary},
                                                              {"vendor_call", Group::Other}};
    for (const auto& [name, group] : cases) {
      const safety::Report report = assessed(importing(name));
      QCOMPARE(report.imports.size(), std::size_t{1});
      QVERIFY2(report.imports[0].group == group, name);
    }
  }

private:
  std::vector<std::pair<std::string, std::string>> m_rows; ///< a rule, and a file with its cause
};

BLOBSCOPE_TEST(TestSafetyFindings);
#include "test_findings.moc"
