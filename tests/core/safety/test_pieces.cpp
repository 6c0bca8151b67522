#include "core/container/number_at.h"
#include "core/safety/code_reader.h"
#include "tests/core/base/compare.h"
#include "tests/core/safety/assessed.h"
#include "tests/support/macho_builder.h"
#include "tests/support/pe_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/wasm_builder.h"

#ifdef BLOBSCOPE_DISASM
#include "core/disasm/mc.h"
#endif

using namespace blobscope;
using namespace blobscope::test;
using safety::Piece;
using safety::Trigger;
using safety::Verdict;

namespace {

/// "constructor .init_array[0] acts: fopen(/tmp/x) getenv", one line each.
std::string piecesText(const safety::Report& report) {
  std::string out;
  for (const Piece& piece : report.pieces) {
    out += std::string(safety::triggerName(piece.trigger)) + " " + piece.slot + " " +
           std::string(safety::verdictName(piece.verdict)) + ":";
    for (const safety::Reached& one : piece.reaches)
      out += " " + one.name + (one.computed ? "*" : "") + (one.text.empty() ? "" : "(" + one.text + ")");
    if (!piece.systemCalls.empty()) out += " kernel";
    if (!piece.indirect.empty()) out += " indirect";
    out += '\n';
  }
  return out;
}

/// Code that writes the file at a constant path: fopen(path, mode).
std::string writesFile(LinkedLibrary& library, uint64_t fopen, std::string_view path) {
  const uint64_t name = library.text(path), mode = library.text("w");
  return X86Code(library.next()).address(X86Code::Rdi, name).address(X86Code::Rsi, mode).callWord(fopen).ret().take();
}

/// A DLL with a TLS directory, whose callback is the function at the start of .text.
std::string dllWithCallback() {
  PeBuilder pe;
  pe.function("first");
  ByteBuilder tls;
  const uint64_t section = pe.base + 0x4000; // after .text, .rdata, .edata
  tls.u64(0).u64(0).u64(section + 48).u64(section + 40).u64(0).u64(pe.base + 0x1000).u64(0).u64(0);
  pe.sections = {{".tls", 0xc0000040, tls.take()}};
  std::string file = pe.build();
  ByteBuilder directory;
  directory.u32(0x4000).u32(40);
  return file.replace(pe.places.at("directories") + 9 * 8, 8, directory.take());
}

} // namespace

/// Code that runs when a file is loaded, in each container, made byte by byte. Nothing of it is executed.
class TestSafetyPieces : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void init() {
#ifndef BLOBSCOPE_DISASM
    QSKIP("built without LLVM's disassemblers");
#else
    syntax::setDisassemblerFactory(disasm::makeDisassembler);
#endif
  }
  void cleanup() { syntax::setDisassemblerFactory(nullptr); }

  void constructorThatWritesAFile() {
    WithConstructor made;
    const uint64_t fopen = made.import("fopen");
    const std::string code = writesFile(made.library, fopen, "/tmp/written");
    const safety::Report report = assessed(made.build(code));
    QCOMPARE(piecesText(report), std::string("constructor .init_array[0] acts: fopen(/tmp/written)\n"));
    QCOMPARE(report.pieces[0].symbol, std::string("setUp"));
    QVERIFY(rulesOf(report).contains("SAFE-LOAD-ACTS"));
    QCOMPARE(report.sentence(),
             std::string("Loading this file runs 1 piece of code. It is not known, and it can use files."));
  }

  /// The first sentence says what the list says: code for the GPU's runtime, and code that runs at unloading.
  void sentenceAgreesWithTheList() {
    safety::Report report;
    const auto add = [&](safety::Trigger trigger, safety::Verdict verdict, std::vector<std::string> names) {
      safety::Piece& piece = report.pieces.emplace_back();
      piece.trigger = trigger;
      piece.verdict = verdict;
      for (std::string& name : names) piece.reaches.emplace_back().name = std::move(name);
    };
    add(safety::Trigger::Constructor, safety::Verdict::Contained, {"__cudaRegisterFatBinary"});
    add(safety::Trigger::Destructor, safety::Verdict::Unknown, {});
    add(safety::Trigger::Destructor, safety::Verdict::Known, {});
    QCOMPARE(report.sentence(), std::string("Loading this file runs 1 piece of code. It is not known, but it uses only "
                                            "TVM, the GPU's runtime, and the C and C++ libraries. Unloading it runs 1 "
                                            "piece of code that is not known. Nothing unexpected was found."));
    report.pieces[0].reaches[0].name = "foreign_function";
    QVERIFY(report.sentence().find("TVM and the C and C++ libraries, and others that the list names.") !=
            std::string::npos);
  }

  /// The way to an import leads through functions without names; each is in the path.
  void hiddenFunctionIsFollowed() {
    WithConstructor made;
    const uint64_t fopen = made.import("fopen");
    const std::string inner = writesFile(made.library, fopen, "/tmp/written");
    const uint64_t hidden = made.library.hidden(inner);
    const uint64_t setUp = made.library.next();
    const std::string code = X86Code(setUp).call(hidden).ret().take();
    const safety::Report report = assessed(made.build(code));
    QCOMPARE(piecesText(report), std::string("constructor .init_array[0] acts: fopen(/tmp/written)\n"));
    QCOMPARE(report.pieces[0].reaches[0].path, (std::vector<uint64_t>{setUp, hidden}));
    QCOMPARE(report.pieces[0].depth, uint64_t{2});
  }

  /// The name of a library is computed, or read from memory that changes.
  void computedNameOfALibrary() {
    WithConstructor made;
    const uint64_t dlopen = made.import("dlopen");
    const std::string code =
        X86Code(made.library.next()).move(X86Code::Rdi, X86Code::Rax).callWord(dlopen).ret().take();
    const safety::Report report = assessed(made.build(code));
    QCOMPARE(piecesText(report), std::string("constructor .init_array[0] acts: dlopen*\n"));
    QVERIFY(rulesOf(report).contains("SAFE-COMPUTED-NAME"));
    WithConstructor constant;
    const uint64_t open = constant.import("dlopen");
    const uint64_t name = constant.library.text("libx.so");
    const std::string plain = X86Code(constant.library.next()).address(X86Code::Rdi, name).callWord(open).ret().take();
    const safety::Report other = assessed(constant.build(plain));
    QCOMPARE(piecesText(other), std::string("constructor .init_array[0] acts: dlopen(libx.so)\n"));
    QVERIFY(!rulesOf(other).contains("SAFE-COMPUTED-NAME"));
  }

  void systemCall() {
    WithConstructor made;
    const safety::Report report = assessed(made.build("\x0f\x05\xc3"));
    QCOMPARE(piecesText(report), std::string("constructor .init_array[0] acts: kernel\n"));
    QVERIFY(rulesOf(report).contains("SAFE-LOAD-SYSCALL"));
    // The bytes of the instruction inside another one are none: mov eax, 0x050f.
    WithConstructor inside;
    const safety::Report other = assessed(inside.build(std::string("\xb8\x0f\x05\0\0\xc3", 6)));
    QCOMPARE(piecesText(other), std::string("constructor .init_array[0] contained:\n"));
    QVERIFY(other.systemCalls.empty());
  }

  /// Bytes of a system call inside 1,500 other instructions, and a real one after them.
  void manyBytesOfSystemCalls() {
    std::string code;
    for (int i = 0; i < 1'500; ++i) code += "\xb8\x0f\x05\x90\x90"; // mov eax, 0x9090050f
    WithConstructor made;
    const safety::Report report = assessed(made.build(code + "\x0f\x05\xc3"));
    QCOMPARE(report.systemCalls.size(), std::size_t{1});
    QCOMPARE(report.systemCalls[0].text, std::string("syscall"));
    QCOMPARE(report.systemCalls[0].address, report.pieces[0].address + code.size());
  }

  /// Each form of an instruction that calls the kernel.
  void systemCallsWithPrefixes() {
    using namespace std::string_literals;
    for (const std::string& code : {"\x0f\x05"s, "\x48\x0f\x05"s, "\x66\x48\x0f\x05"s, "\xf3\x0f\x05"s,
                                    "\xd5\x00\x0f\x05"s, "\xd5\x80\x05"s, "\x0f\x34"s, "\xcd\x80"s, "\x2e\xcd\x80"s}) {
      WithConstructor made;
      const safety::Report report = assessed(made.build(code + "\xc3"));
      QVERIFY2(piecesText(report).starts_with("constructor .init_array[0] acts: kernel"), hexDigits(code).c_str());
    }
  }

  /// An import that a register keeps over many instructions, and through a copy.
  void importsInRegistersAreFollowed() {
    using namespace std::string_literals;
    const std::string many(100, '\x90');
    for (const std::string& middle : {""s, many, "\x49\x89\xdc\x4c\x89\xe3"s /* mov r12, rbx; mov rbx, r12 */}) {
      WithConstructor made;
      const uint64_t word = made.import("system");
      const auto distance = static_cast<uint32_t>(word - (made.library.next() + 7));
      std::string load = "\x48\x8b\x1d"; // mov rbx, [rip + distance]
      for (int i = 0; i < 4; ++i) load += static_cast<char>(distance >> (8 * i));
      const safety::Report report = assessed(made.build(load + middle + "\xff\xd3\xc3"));
      QCOMPARE(piecesText(report), "constructor .init_array[0] acts: system\n"s);
      // After xor ebx, ebx the target is unknown.
      WithConstructor changed;
      (void)changed.import("system");
      const safety::Report other = assessed(changed.build(load + middle + "\x31\xdb\xff\xd3\xc3"));
      QCOMPARE(piecesText(other), "constructor .init_array[0] unknown: indirect\n"s);
    }
  }

  /// Code that makes a register look like an import, and calls something else.
  void registersAreNotTrusted() {
    using namespace std::string_literals;
    const auto relative = [](uint64_t target, uint64_t end) {
      std::string out;
      for (int i = 0; i < 4; ++i) out += static_cast<char>((target - end) >> (8 * i));
      return out;
    };
    const auto textWith = [&](const auto& codeOf) {
      WithConstructor made;
      const uint64_t word = made.import("free");
      const uint64_t helper = made.library.hidden("\x48\x8d\x1d\0\0\0\0\xc3"s); // lea rbx, [rip]; ret
      return piecesText(assessed(made.build(codeOf(made.library.next(), word, helper))));
    };
    const std::string unknown = "constructor .init_array[0] unknown: indirect\n";
    // je L; mov rax, [rip + free]; L: call rax: the jump brings another value.
    QCOMPARE(textWith([&](uint64_t at, uint64_t word, uint64_t) {
               return "\x74\x07\x48\x8b\x05"s + relative(word, at + 9) + "\xff\xd0\xc3";
             }),
             unknown);
    // The same with a jump back from behind the call.
    QCOMPARE(textWith([&](uint64_t at, uint64_t word, uint64_t) {
               return "\x48\x8b\x05"s + relative(word, at + 7) + "\xff\xd0\x75\xfc\xc3";
             }),
             unknown);
    // cmovne rax, [rip + free]; call rax
    QCOMPARE(textWith([&](uint64_t at, uint64_t word, uint64_t) {
               return "\x48\x0f\x45\x05"s + relative(word, at + 8) + "\xff\xd0\xc3";
             }),
             unknown);
    // mov rax, [rip + free]; mov ax, bx; call rax
    QCOMPARE(textWith([&](uint64_t at, uint64_t word, uint64_t) {
               return "\x48\x8b\x05"s + relative(word, at + 7) + "\x66\x89\xd8\xff\xd0\xc3";
             }),
             unknown);
    // mov rbx, [rip + free]; call helper; call rbx: the helper changes a register that it should keep.
    QCOMPARE(textWith([&](uint64_t at, uint64_t word, uint64_t helper) {
               return "\x48\x8b\x1d"s + relative(word, at + 7) + "\xe8" + relative(helper, at + 12) + "\xff\xd3\xc3";
             }),
             unknown);
    // The same without the helper is a call of the import.
    QCOMPARE(textWith([&](uint64_t at, uint64_t word, uint64_t) {
               return "\x48\x8b\x1d"s + relative(word, at + 7) + "\xff\xd3\xc3";
             }),
             "constructor .init_array[0] contained: free\n"s);
  }

  /// Small code that leads to much: reading it ends, and says so.
  void followingIsBounded() {
    // 300 functions, each followed by the same megabyte that is no code.
    WithConstructor made;
    const std::string noCode(std::size_t{1} << 20, '\x06');
    std::string calls;
    const uint64_t at = made.library.next();
    for (int i = 0; i < 300; ++i) {
      const auto distance = static_cast<uint32_t>(5 * 300 + 1 + 2 * i - 5 * (i + 1));
      calls += '\xe8';
      for (int k = 0; k < 4; ++k) calls += static_cast<char>(distance >> (8 * k));
    }
    calls += '\xc3';
    for (int i = 0; i < 300; ++i) calls += "\xff\xe0"; // jmp rax
    const safety::Report report = assessed(made.build(calls + noCode));
    QCOMPARE(report.pieces.size(), std::size_t{1});
    QCOMPARE(report.pieces[0].address, at);
    QVERIFY(report.pieces[0].instructions < safety::CodeReader::kAllInstructions);
    QVERIFY2(report.pieces[0].verdict == Verdict::Unknown, piecesText(report).c_str());
  }

  void unknownTargetOfACall() {
    WithConstructor made;
    const safety::Report report = assessed(made.build(X86Code(made.library.next()).callRax().ret().take()));
    QCOMPARE(piecesText(report), std::string("constructor .init_array[0] unknown: indirect\n"));
    QVERIFY(rulesOf(report).contains("SAFE-LOAD-UNKNOWN"));
  }

  void codeThatIsNoInstruction() {
    WithConstructor made;
    const safety::Report report = assessed(made.build("\x90\x06\xc3")); // push es does not exist in 64-bit code
    QCOMPARE(report.pieces.size(), std::size_t{1});
    QCOMPARE(report.pieces[0].verdict, Verdict::Unknown);
    QVERIFY(!report.pieces[0].incomplete.empty());
  }

  void resolversRunFirst() {
    WithConstructor made;
    const uint64_t system = made.import("system");
    const uint64_t command = made.library.text("touch /tmp/written");
    const uint64_t at = made.library.next();
    const std::string resolver = X86Code(at).address(X86Code::Rdi, command).callWord(system).ret().take();
    made.library.hidden(resolver);
    made.library.symbols.push_back({"choose", at, resolver.size(), 0x1a}); // STT_GNU_IFUNC
    const safety::Report report = assessed(made.build("\xc3"));
    QCOMPARE(piecesText(report), std::string("ifunc IFUNC resolver acts: system(touch /tmp/written)\n"
                                             "constructor .init_array[0] contained:\n"));
    QVERIFY(rulesOf(report).contains("SAFE-IFUNC"));
  }

  void orderOfElf() {
    WithConstructor made;
    constexpr uint64_t kInit = 12, kFini = 13, kPreinit = 32, kPreinitSize = 33;
    const uint64_t one = made.library.function("one", "\xc3"), two = made.library.function("two", "\x90\xc3");
    const uint64_t early = made.library.wordOf("two");
    made.library.tags = {{kInit, one}, {kFini, one}, {kPreinit, early}, {kPreinitSize, 8}};
    QCOMPARE(piecesText(assessed(made.build("\x90\x90\xc3"))),
             std::string("preinit DT_PREINIT_ARRAY[0] contained:\ninit DT_INIT contained:\n"
                         "constructor .init_array[0] contained:\ndestructor DT_FINI contained:\n"));
    Q_UNUSED(two)
  }

  void callbackOfADll() {
    const safety::Report report = assessed(dllWithCallback());
    QVERIFY2(piecesText(report).starts_with("tls-callback TLS callback 0 contained:\n"), piecesText(report).c_str());
    QVERIFY(rulesOf(report).contains("SAFE-TLS-CALLBACK"));
  }

  void initialiserOfMachO() {
    MachOBuilder made;
    made.cpuType = 0x01000007; // x86-64
    made.add("_setUp", MachOBuilder::Text, "\x0f\x05\xc3");
    made.add("_list", MachOBuilder::Data, std::string(8, '\0'));
    std::string file = made.build();
    ByteBuilder pointer;
    pointer.u64(made.base + made.offsetOf("__text"));
    file.replace(made.offsetOf("__data"), 8, pointer.take());
    file[made.offsetOf("__DATA,__data") + 64] = 9; // S_MOD_INIT_FUNC_POINTERS
    const safety::Report report = assessed(file);
    QCOMPARE(piecesText(report), std::string("constructor __DATA,__data[0] acts: kernel\n"));
  }

  void startOfWebAssembly() {
    using namespace wasm;
    const auto moduleWith = [](const std::string& body) {
      return module({section(1, list({std::string("\x60\0\0", 3)})), section(2, list({importFunction("path_open")})),
                     section(3, list({leb(0)})), section(8, leb(1)), section(10, list({str(leb(0) + body + kEnd)}))});
    };
    const safety::Report quiet = assessed(moduleWith(""));
    QCOMPARE(piecesText(quiet), std::string("entry start function contained:\n"));
    const safety::Report calls = assessed(moduleWith(call(0)));
    QVERIFY2(piecesText(calls).find("path_open") != std::string::npos, piecesText(calls).c_str());
  }

  /// The start-up code of GCC, byte by byte, is known; with one instruction more it is not.
  void startUpCodeIsRecognised() {
    // _fini of crti.o: sub rsp, 8; add rsp, 8; ret
    const std::string code("\x48\x83\xec\x08\x48\x83\xc4\x08\xc3", 9);
    WithConstructor made;
    QCOMPARE(piecesText(assessed(made.build(code))), std::string("constructor .init_array[0] known:\n"));
    WithConstructor more;
    QCOMPARE(piecesText(assessed(more.build("\x50" + code))), std::string("constructor .init_array[0] contained:\n"));
  }

  void samplesAreKnown() {
    NullMonitor monitor;
    for (const char* name : {"sample-cpu.so", "sample-cuda-a.so", "sample-opencl.so"}) {
      const auto package =
          library::open(std::filesystem::path(BLOBSCOPE_SOURCE_DIR) / "resources/sample" / name, monitor);
      QVERIFY2(package, name);
      const auto report = safety::assess(*package, monitor);
      QVERIFY2(report, name);
      QVERIFY2(!report->hasFindings(), (std::string(name) + ": " + report->sentence()).c_str());
      for (const Piece& piece : report->pieces) QCOMPARE(piece.verdict, Verdict::Known);
      QVERIFY(report->pieces.size() >= 2);
    }
  }

  /// Exports of every release have no finding above note.
  void corpusIsClean() {
    const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
    const QDir folder((set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus") : set) +
                      QStringLiteral("/libraries"));
    const QStringList names = folder.entryList({QStringLiteral("tvm-*")}, QDir::Files);
    if (names.isEmpty()) QSKIP(qPrintable(QStringLiteral("corpus absent: ") + folder.path()));
    NullMonitor monitor;
    for (const QString& name : names) {
      const auto package = library::open(std::filesystem::path(folder.filePath(name).toStdString()), monitor);
      QVERIFY2(package, qPrintable(name));
      const auto report = safety::assess(*package, monitor);
      QVERIFY2(report && !report->hasFindings(), qPrintable(name));
    }
  }

  /// Every stop ends the work with Cancelled.
  void stops() {
    WithConstructor made;
    const uint64_t fopen = made.import("fopen");
    const std::string code = writesFile(made.library, fopen, "/tmp/written");
    const auto package = openBytes(made.build(code));
    QVERIFY(package);
    bool finished = false;
    for (int looks = 0; looks < 1'000 && !finished; ++looks) {
      StopAfter monitor(looks);
      const auto report = safety::assess(*package, monitor);
      finished = report.hasValue();
      if (!finished) QCOMPARE(report.error().code(), ErrorCode::Cancelled);
    }
    QVERIFY(finished);
  }

  /// A file that is cut off or changed at any byte is read without a crash.
  void damagedFiles() {
    WithConstructor made;
    const uint64_t fopen = made.import("fopen");
    const std::string code = writesFile(made.library, fopen, "/tmp/written");
    NullMonitor monitor;
    for (const std::string& file : {made.build(code), dllWithCallback()}) {
      for (std::size_t at = 0; at < file.size(); at += at < 1'024 ? 7 : 97) {
        std::string changed = file;
        changed[at] = static_cast<char>(~changed[at]);
        for (const std::string& one : {changed, file.substr(0, at)})
          if (const auto package = openBytes(one)) QVERIFY(safety::assess(*package, monitor));
      }
    }
  }
};

BLOBSCOPE_TEST(TestSafetyPieces);
#include "test_pieces.moc"
