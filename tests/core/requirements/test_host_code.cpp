#include "core/requirements/requirements.h"

#include "tests/core/base/compare.h"
#include "tests/core/requirements/linked_library.h"
#include "tests/core/requirements/needs.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <functional>

using namespace blobscope;
using namespace blobscope::test;
using requirements::NeededFunction;
using requirements::Requirements;

namespace {

/// "SLOT=caller,caller", one line each.
std::string slotsText(const Requirements& needs) {
  std::string out;
  for (const requirements::Slot& slot : needs.slots) {
    out += slot.name + (slot.callersKnown ? "=" : "?");
    for (std::size_t i = 0; i < slot.callers.size(); ++i) out += (i == 0 ? "" : ",") + slot.callers[i];
    out += '\n';
  }
  return out;
}

/// "name<caller", one line each; "+" when the library defines the function.
std::string hostText(const Requirements& needs) {
  std::string out;
  for (const NeededFunction& one : needs.functions)
    if (one.place == NeededFunction::Place::Host)
      out += one.name + (one.definedHere ? "+" : "") + "<" + one.caller + " " + one.ref.toString() + "\n";
  return out;
}

const std::string kLookup = "__TVMFFIEnvModLookupFromImports", kCall = "__TVMFFIFunctionCall";

/// AArch64 instructions, little-endian.
std::string words(const std::vector<uint32_t>& list) {
  ByteBuilder out;
  for (const uint32_t word : list) out.u32(word);
  return out.take();
}
uint32_t adrp(uint32_t to, uint64_t at, uint64_t place) {
  const uint64_t pages = (place >> 12) - (at >> 12);
  return 0x90000000 | static_cast<uint32_t>(pages & 3) << 29 | static_cast<uint32_t>(pages >> 2 & 0x7ffff) << 5 | to;
}
uint32_t ldr(uint32_t to, uint32_t from, uint64_t place) {
  return 0xf9400000 | static_cast<uint32_t>((place & 0xfff) / 8) << 10 | from << 5 | to;
}
uint32_t addLow(uint32_t to, uint32_t from, uint64_t place) {
  return 0x91000000 | static_cast<uint32_t>(place & 0xfff) << 10 | from << 5 | to;
}
uint32_t branchLink(uint64_t at, uint64_t target) {
  return 0x94000000 | (static_cast<uint32_t>((target - at) >> 2) & 0x3ffffff);
}
constexpr uint32_t kBlrX8 = 0xd63f0100, kRet = 0xd65f03c0, kLoadX8AtX8 = 0xf9400108;

} // namespace

/// Made machine code: which functions call through slots, and which names they look up.
class TestRequirementsHostCode : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void slotsAreReachedThroughTheOffsetTable() {
    LinkedLibrary library;
    library.slot(kLookup);
    library.slot(kCall);
    library.slot("__TVMBackendParallelLaunch");
    const uint64_t lookup = library.wordOf(kLookup), call = library.wordOf(kCall);
    // A helper without a symbol, which two functions call; one of them by a jump at its end.
    const uint64_t helper = library.hidden(X86Code(library.next()).read(X86Code::Rax, call).callAtRax().ret().take());
    library.function("__tvm_ffi_add",
                     X86Code(library.next()).read(X86Code::Rax, lookup).callAtRax().call(helper).ret().take());
    library.function("__tvm_ffi_jumps", X86Code(library.next()).raw("\x90").jump(helper).take());
    // Passes the helper as a pointer.
    library.function("__tvm_ffi_points", X86Code(library.next()).address(X86Code::Rdi, helper).ret().take());
    library.function("__tvm_ffi_plain", X86Code(library.next()).ret().take());
    for (const bool staticSymbols : {false, true}) {
      library.staticSymbols = staticSymbols;
      QCOMPARE(slotsText(needsOf(library.build())), "__TVMFFIEnvModLookupFromImports=add\n"
                                                    "__TVMFFIFunctionCall=add,jumps,points\n"
                                                    "__TVMBackendParallelLaunch=\n");
    }
  }

  void slotsAreReachedDirectly() {
    LinkedLibrary library;
    const uint64_t slot = library.slot(kCall);
    library.function("__tvm_ffi_add", X86Code(library.next()).callWord(slot).ret().take());
    library.function("__tvm_ffi_other", X86Code(library.next()).callWord(slot + 8).ret().take());
    QCOMPARE(slotsText(needsOf(library.build())), "__TVMFFIFunctionCall=add\n");
  }

  void callersOfUnknownCodeAreNotKnown() {
    LinkedLibrary library;
    library.machine = 243; // RISC-V
    library.slot(kCall);
    library.function("__tvm_ffi_add", "code");
    QCOMPARE(slotsText(needsOf(library.build())), "__TVMFFIFunctionCall?\n");
  }

  void namesAreSecondArgumentsOfLookups() {
    LinkedLibrary library;
    library.slot(kLookup);
    library.slot(kCall);
    const uint64_t lookup = library.wordOf(kLookup), call = library.wordOf(kCall);
    const uint64_t first = library.text("add_kernel"), second = library.text("own.packed"),
                   message = library.text("Assert fail: n == 4"), other = library.text("float32");
    library.function("__tvm_ffi_add", X86Code(library.next())
                                          .read(X86Code::Rax, lookup)
                                          .address(X86Code::Rdi, other) // first argument
                                          .address(X86Code::Rsi, first)
                                          .callAtRax()
                                          .ret()
                                          .take());
    library.function("__tvm_ffi_moves", X86Code(library.next()) // compiled without optimisation
                                            .read(X86Code::Rax, lookup)
                                            .address(X86Code::Rcx, second)
                                            .move(X86Code::Rsi, X86Code::Rcx)
                                            .callAtRax()
                                            .ret()
                                            .take());
    library.function("__tvm_ffi_fails", X86Code(library.next()) // a message, and a call that is not a lookup
                                            .read(X86Code::Rax, lookup)
                                            .address(X86Code::Rsi, message)
                                            .callAtRax()
                                            .ret()
                                            .take());
    library.function(
        "__tvm_ffi_calls",
        X86Code(library.next()).read(X86Code::Rax, call).address(X86Code::Rsi, other).callAtRax().ret().take());
    QCOMPARE(hostText(needsOf(library.build())), "add_kernel<add host:add\nown.packed<moves host:moves\n");
  }

  void namesArePassedThroughStubs() {
    LinkedLibrary library;
    library.undefined("TVMBackendGetFuncFromEnv");
    library.undefined("TVMFuncCall");
    const uint64_t lookup = library.wordOf("TVMBackendGetFuncFromEnv", true),
                   call = library.wordOf("TVMFuncCall", true);
    const uint64_t name = library.text("add_kernel"), other = library.text("other");
    const uint64_t lookupStub = library.hidden(X86Code(library.next()).jumpWord(lookup).take());
    const uint64_t callStub = library.hidden(X86Code(library.next()).jumpWord(call).take());
    library.function("__tvm_ffi_add",
                     X86Code(library.next()).address(X86Code::Rsi, name).call(lookupStub).ret().take());
    library.function("__tvm_ffi_no", X86Code(library.next()).address(X86Code::Rsi, other).call(callStub).ret().take());
    const Requirements needs = needsOf(library.build());
    QCOMPARE(hostText(needs), "add_kernel<add host:add\n");
    QCOMPARE(slotsText(needs), "");
  }

  void handlesHaveNames() {
    LinkedLibrary library;
    library.slot(kLookup);
    const uint64_t handle = library.slot(".tvm_func.own.packed");
    library.slot(".tvm_func.add");
    library.function("__tvm_ffi_add", X86Code(library.next()).read(X86Code::Rax, handle).ret().take());
    // A handle that no function reads still shows the name.
    QCOMPARE(hostText(needsOf(library.build())), "own.packed<add host:add\nadd+< \n");
  }

  void aarch64IsRead() {
    LinkedLibrary library;
    library.machine = LinkedLibrary::kArm64;
    library.slot(kLookup);
    library.slot(kCall);
    const uint64_t lookup = library.wordOf(kLookup), call = library.wordOf(kCall);
    const uint64_t name = library.text("add_kernel");
    uint64_t at = library.next();
    const uint64_t helper = library.hidden(words({adrp(8, at, call), ldr(8, 8, call), kLoadX8AtX8, kBlrX8, kRet}));
    at = library.next();
    library.function("__tvm_ffi_add", words({adrp(8, at, lookup), ldr(8, 8, lookup), kLoadX8AtX8, adrp(1, at, name),
                                             addLow(1, 1, name), kBlrX8, branchLink(at + 24, helper), kRet}));
    at = library.next();
    library.function("__tvm_ffi_plain", words({kRet}));
    const Requirements needs = needsOf(library.build());
    QCOMPARE(needs.architecture, "aarch64");
    QCOMPARE(slotsText(needs), "__TVMFFIEnvModLookupFromImports=add\n__TVMFFIFunctionCall=add\n");
    QCOMPARE(hostText(needs), "add_kernel<add host:add\n");
  }

  void sourcesShowNames() {
    NullMonitor monitor;
    const std::string text =
        "#include \"tvm/runtime/c_runtime_api.h\"\n#ifdef __cplusplus\nextern \"C\"\n#endif\n"
        "TVM_DLL int32_t add(void* args);\n"
        "static void* f_packed = NULL;\n"
        "int32_t add(void* args) {\n"
        "  if (TVMBackendGetFuncFromEnv(__tvm_module_ctx, \"add_kernel0\", &f_packed) != 0) return -1;\n"
        "  if (TVMBackendGetFuncFromEnv(__tvm_module_ctx, name, &f_packed) != 0) return \"no\";\n"
        "}\n";
    const auto package = library::open(source(text), "lib0.c", monitor);
    QVERIFY(package);
    const auto needs = requirements::requirementsOf(*package, monitor);
    QVERIFY(needs);
    QCOMPARE(hostText(*needs), "add_kernel0< \n");
  }
};

BLOBSCOPE_TEST(TestRequirementsHostCode);
#include "test_host_code.moc"
