#include "core/requirements/requirements.h"
#include "core/syntax/disassembler.h"
#include "tests/core/requirements/linked_library.h"
#include "tests/core/requirements/needs.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#ifdef BLOBSCOPE_DISASM
#include "core/disasm/mc.h"
#endif

#include <functional>
#include <random>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using requirements::Requirements;
using requirements::StartUpCall;

namespace {

/// "ctor: gone", "ctor: perhaps gone", "dtor at the end: gone", one line each; without names of the C library.
std::string startUpText(const Requirements& needs) {
  std::string out;
  for (const StartUpCall& call : needs.startUp) {
    if (call.symbol == "getenv" || call.symbol == "abort" || call.symbol.starts_with("__cxa_")) continue;
    out += call.function +
           (call.when == StartUpCall::When::Ending       ? " at the end"
            : call.when == StartUpCall::When::Relocating ? (call.early ? " too early" : " as resolver")
                                                         : "") +
           ": " + (call.certain ? "" : "perhaps ") + call.symbol + "\n";
  }
  return out;
}

/// A library for which a constructor is made: `stub(NAME)` is the address of a stub that calls an undefined function.
class StartUpFile : public LinkedLibrary {
public:
  explicit StartUpFile(uint16_t of = kX86) {
    machine = of;
    function("__tvm_ffi_f", of == kX86 ? "\xc3"s : ByteBuilder().u32(0xd65f03c0).take());
  }
  uint64_t stub(const std::string& name, uint8_t info = 0x12) {
    undefined(name, info);
    const uint64_t word = wordOf(name, true), at = next();
    if (machine == kX86) return hidden(X86Code(at).jumpWord(word).take());
    // adrp x16, page; ldr x17, [x16, #offset]; add x16, x16, #offset; br x17
    const uint64_t pages = (word >> 12) - (at >> 12), offset = word & 0xfff;
    const auto adrp = static_cast<uint32_t>(0x90000010 | (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5);
    return hidden(ByteBuilder()
                      .u32(adrp)
                      .u32(static_cast<uint32_t>(0xf9400211 | offset / 8 << 10))
                      .u32(static_cast<uint32_t>(0x91000210 | offset << 10))
                      .u32(0xd61f0220)
                      .take());
  }
  Requirements needs() { return needsOf(build()); }
};

/// cmp qword [rip + …], 0
std::string compareWord(uint64_t at, uint64_t place) {
  return "\x48\x83\x3d"s + ByteBuilder().u32(static_cast<uint32_t>(place - (at + 8))).take() + "\0"s;
}
/// mov qword [rip + …], 1
constexpr uint64_t kSetSize = 11;
std::string setWord(uint64_t at, uint64_t place) {
  return "\x48\xc7\x05"s + ByteBuilder().u32(static_cast<uint32_t>(place - (at + kSetSize))).u32(1).take();
}

} // namespace

/// Code that the loader runs, and the functions of other libraries that it calls.
class TestRequirementsStartUp : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void init() {
#ifdef BLOBSCOPE_DISASM
    syntax::setDisassemblerFactory(disasm::makeDisassembler);
#else
    QSKIP("built without BLOBSCOPE_DISASM");
#endif
  }
  void cleanup() { syntax::setDisassemblerFactory(nullptr); }

  void constructorsCallFunctions_data() {
    QTest::addColumn<std::function<std::string(StartUpFile&)>>("body");
    QTest::addColumn<QString>("calls");
    const auto row = [](const char* name, const char* calls, std::function<std::string(StartUpFile&)> body) {
      QTest::newRow(name) << std::move(body) << QString(calls);
    };
    row("a call", "ctor: gone\n", [](StartUpFile& file) {
      const uint64_t gone = file.stub("gone");
      return X86Code(file.next()).call(gone).ret().take();
    });
    row("a tail call", "ctor: gone\n", [](StartUpFile& file) {
      const uint64_t gone = file.stub("gone");
      return X86Code(file.next()).jump(gone).take();
    });
    row("through another function", "ctor: gone\n", [](StartUpFile& file) {
      const uint64_t gone = file.stub("gone");
      const uint64_t inner = file.hidden(X86Code(file.next()).call(gone).ret().take());
      return X86Code(file.next()).call(inner).ret().take();
    });
    row("an address in a register", "ctor: gone\n", [](StartUpFile& file) {
      const uint64_t gone = file.stub("gone");
      return X86Code(file.next()).address(X86Code::Rax, gone).callRax().ret().take();
    });
    row("a call after an unknown condition", "ctor: perhaps gone\n", [](StartUpFile& file) {
      const uint64_t gone = file.stub("gone"), other = file.stub("getenv");
      // test eax, eax; je over the call
      return X86Code(file.next()).call(other).raw("\x85\xc0\x74\x05").call(gone).ret().take();
    });
    row("a call on both paths", "ctor: gone\n", [](StartUpFile& file) {
      const uint64_t gone = file.stub("gone"), other = file.stub("getenv");
      return X86Code(file.next()).call(other).raw("\x85\xc0\x74\x06").call(gone).ret().call(gone).ret().take();
    });
    row("a call where the other path ends the process", "ctor: gone\n", [](StartUpFile& file) {
      const uint64_t gone = file.stub("gone"), other = file.stub("getenv"), end = file.stub("abort");
      return X86Code(file.next()).call(other).raw("\x85\xc0\x74\x05").call(end).call(gone).ret().take();
    });
    row("a variable that is 0", "ctor: gone\n", [](StartUpFile& file) {
      const uint64_t gone = file.stub("gone"), variable = file.variable(), at = file.next();
      return X86Code(at).raw(compareWord(at, variable) + "\x75\x05").call(gone).ret().take();
    });
    row("a variable that the code sets before", "", [](StartUpFile& file) {
      const uint64_t gone = file.stub("gone"), variable = file.variable(), at = file.next();
      return X86Code(at)
          .raw(setWord(at, variable))
          .raw(compareWord(at + kSetSize, variable) + "\x75\x05")
          .call(gone)
          .ret()
          .take();
    });
    row("a loop", "ctor: gone\n", [](StartUpFile& file) {
      const uint64_t gone = file.stub("gone"), other = file.stub("getenv");
      // call other; test eax, eax; jne back
      return X86Code(file.next()).call(other).raw("\x85\xc0\x75\xf7").call(gone).ret().take();
    });
    row("recursion", "ctor: gone\n", [](StartUpFile& file) {
      const uint64_t gone = file.stub("gone");
      return X86Code(file.next()).call(gone).call(file.next()).ret().take();
    });
    // Compilers without optimisation: f(1, 0xffff) { if (a == 1 && b == 0xffff) gone(); }
    row("arguments on the stack", "ctor: gone\n", [](StartUpFile& file) {
      const uint64_t gone = file.stub("gone"), inner = file.next();
      const std::string begin = "\x55\x48\x89\xe5\x48\x83\xec\x10\x89\x7d\xfc\x89\x75\xf8\x83\x7d\xfc\x01\x75\x0e"
                                "\x81\x7d\xf8\xff\xff\x00\x00\x75\x05"s;
      file.hidden(X86Code(inner).raw(begin).call(gone).raw("\xc9").ret().take());
      return X86Code(file.next()).raw("\xbe\xff\xff\0\0\xbf\x01\0\0\0"s).call(inner).ret().take();
    });
    row("a static variable of a function", "ctor: gone\n", [](StartUpFile& file) {
      const uint64_t gone = file.stub("gone"), acquire = file.stub("__cxa_guard_acquire"), guard = file.variable();
      // lea rdi, guard; call acquire; test eax, eax; je over the call
      return X86Code(file.next())
          .address(X86Code::Rdi, guard)
          .call(acquire)
          .raw("\x85\xc0\x74\x05")
          .call(gone)
          .ret()
          .take();
    });
    row("a weak function", "", [](StartUpFile& file) {
      const uint64_t weak = file.stub("gone", 0x22);
      file.undefined("other");
      file.wordOf("other", true);
      return X86Code(file.next()).call(weak).ret().take();
    });
    row("another pointer", "", [](StartUpFile& file) {
      file.stub("gone");
      return X86Code(file.next()).callAtRax().ret().take();
    });
  }
  void constructorsCallFunctions() {
    using Body = std::function<std::string(StartUpFile&)>;
    QFETCH(Body, body);
    QFETCH(QString, calls);
    StartUpFile file;
    const std::string code = body(file);
    file.array(StartUpFile::kInitArray, {file.function("ctor", code)});
    const Requirements needs = file.needs();
    QCOMPARE(QString::fromStdString(startUpText(needs)), calls);
    QCOMPARE(needs.startUpUnknown, ""s);
    QCOMPARE(needs.badStart + needs.badEnd, ""s);
  }

  /// Every function that the loader runs, in its order; a variable that one of them sets is known in the next.
  void loaderRunsFunctionsInOrder() {
    StartUpFile file;
    const uint64_t first = file.stub("first"), second = file.stub("second"), last = file.stub("last"),
                   never = file.stub("never"), variable = file.variable();
    const uint64_t init = file.function("init", X86Code(file.next()).call(first).ret().take());
    const uint64_t at = file.next();
    const uint64_t sets = file.function("sets", X86Code(at).raw(setWord(at, variable)).call(second).ret().take());
    const uint64_t tests = file.next();
    file.function("tests", X86Code(tests).raw(compareWord(tests, variable) + "\x75\x05").call(never).ret().take());
    const uint64_t dtor = file.function("dtor", X86Code(file.next()).call(last).ret().take());
    file.array(StartUpFile::kInitArray, {sets, tests});
    file.array(StartUpFile::kFiniArray, {dtor});
    file.tags.emplace_back(StartUpFile::kInit, init);
    QCOMPARE(startUpText(file.needs()), "init: first\nsets: second\ndtor at the end: last\n"s);
  }

  void resolversRunWhileTheFileIsRelocated_data() {
    QTest::addColumn<bool>("late");
    QTest::addColumn<QString>("calls");
    QTest::newRow("after calls are prepared") << true << "pick as resolver: gone\n";
    QTest::newRow("before") << false << "pick too early: gone\n";
  }
  void resolversRunWhileTheFileIsRelocated() {
    QFETCH(bool, late);
    QFETCH(QString, calls);
    StartUpFile file;
    const uint64_t gone = file.stub("gone");
    file.resolved(file.function("pick", X86Code(file.next()).call(gone).ret().take()), late);
    QCOMPARE(QString::fromStdString(startUpText(file.needs())), calls);
  }

  void codeOfAArch64() {
    StartUpFile file(LinkedLibrary::kArm64);
    const uint64_t gone = file.stub("gone"), other = file.stub("getenv"), at = file.next();
    const auto branch = [](uint64_t from, uint64_t to) {
      return 0x94000000 | (static_cast<uint32_t>(to - from) >> 2 & 0x3ffffff);
    };
    // stp x29, x30, [sp, #-16]!; mov w0, #1; str w0, [sp, #12]; ldr w1, [sp, #12]; cmp w1, #1; b.ne +8; bl gone;
    // bl getenv; cbz x0, +8; bl gone2; ldp x29, x30, [sp], #16; ret
    file.undefined("gone2");
    const std::string body = ByteBuilder()
                                 .u32(0xa9bf7bfd)
                                 .u32(0x52800020)
                                 .u32(0xb9000fe0)
                                 .u32(0xb9400fe1)
                                 .u32(0x7100043f)
                                 .u32(0x54000041)
                                 .u32(branch(at + 24, gone))
                                 .u32(branch(at + 28, other))
                                 .u32(0xb4000040)
                                 .u32(branch(at + 36, gone))
                                 .u32(0xa8c17bfd)
                                 .u32(0xd65f03c0)
                                 .take();
    file.array(StartUpFile::kInitArray, {file.function("ctor", body)});
    QCOMPARE(startUpText(file.needs()), "ctor: gone\n"s);
  }

  void otherProcessorsAreNotRead() {
    StartUpFile file;
    file.machine = 243; // RISC-V
    file.undefined("gone");
    file.wordOf("gone", true);
    file.tags = {{StartUpFile::kInitArray, file.variable()}, {StartUpFile::kInitArray + 2, 16}};
    file.variable();
    QCOMPARE(file.needs().startUpUnknown, "its start-up code cannot be read: it is for riscv64"s);
  }

  void addressesOutsideOfCode_data() {
    QTest::addColumn<std::function<void(StartUpFile&)>>("change");
    QTest::addColumn<QString>("start");
    QTest::addColumn<QString>("end");
    const auto row = [](const char* name, const char* start, const char* end,
                        std::function<void(StartUpFile&)> change) {
      QTest::newRow(name) << std::move(change) << QString(start) << QString(end);
    };
    row("DT_INIT", "DT_INIT is 0x9999000, which is not in executable code", "",
        [](StartUpFile& file) { file.tags.emplace_back(StartUpFile::kInit, 0x9999000); });
    row("DT_INIT that is 0", "DT_INIT is 0x0, which is not in executable code", "", [](StartUpFile& file) {
      file.firstLoad = 0x1000;
      file.tags.emplace_back(StartUpFile::kInit, 0);
    });
    row("DT_FINI", "", "DT_FINI is 0x9999000, which is not in executable code",
        [](StartUpFile& file) { file.tags.emplace_back(StartUpFile::kFini, 0x9999000); });
    row("an entry", "DT_INIT_ARRAY[1] is 0x9999000, which is not in executable code", "",
        [](StartUpFile& file) { file.array(StartUpFile::kInitArray, {LinkedLibrary::kText, 0x9999000}); });
    row("an entry without relocation", "DT_INIT_ARRAY[0] is 0x0, which is not in executable code", "",
        [](StartUpFile& file) {
          file.tags.emplace_back(StartUpFile::kInitArray, file.variable());
          file.tags.emplace_back(StartUpFile::kInitArray + 2, 8);
        });
    row("an array outside of the file", "DT_INIT_ARRAY is 0x99990000, which is not in executable code", "",
        [](StartUpFile& file) {
          file.tags.emplace_back(StartUpFile::kInitArray, 0x99990000);
          file.tags.emplace_back(StartUpFile::kInitArray + 2, 8);
        });
    row("code", "", "", [](StartUpFile& file) {
      file.array(StartUpFile::kInitArray, {LinkedLibrary::kText});
      file.tags.emplace_back(StartUpFile::kInit, LinkedLibrary::kText);
    });
  }
  void addressesOutsideOfCode() {
    using Change = std::function<void(StartUpFile&)>;
    QFETCH(Change, change);
    QFETCH(QString, start);
    QFETCH(QString, end);
    StartUpFile file;
    change(file);
    const Requirements needs = file.needs();
    QCOMPARE(QString::fromStdString(needs.badStart), start);
    QCOMPARE(QString::fromStdString(needs.badEnd), end);
    NullMonitor monitor;
    const auto package = openBytes(file.build());
    QVERIFY(package);
    const auto found = requirements::findBadEntries((*package)->image, monitor);
    QVERIFY(found);
    QCOMPARE(found->size(), std::size_t{start.isEmpty() && end.isEmpty() ? 0U : 1U});
  }

  /// Any bytes as code: the reading ends, and nothing is certain that no byte says.
  void anyBytesAsCode() {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
      StartUpFile file(round % 2 == 0 ? LinkedLibrary::kX86 : LinkedLibrary::kArm64);
      const uint64_t gone = file.stub("gone");
      std::string body;
      for (int i = 0; i < 400; ++i) body += static_cast<char>(random());
      if (file.machine == LinkedLibrary::kX86) body += X86Code(file.next() + body.size()).call(gone).ret().take();
      file.array(StartUpFile::kInitArray, {file.function("ctor", body), file.hidden("\xeb\xfe")});
      const Requirements needs = file.needs();
      QVERIFY(needs.startUp.size() <= 2);
    }
  }
};

BLOBSCOPE_TEST(TestRequirementsStartUp);
#include "test_start_up.moc"
