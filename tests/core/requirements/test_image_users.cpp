#include "core/requirements/requirements.h"

#include "tests/core/base/compare.h"
#include "tests/core/requirements/linked_library.h"
#include "tests/core/requirements/needs.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/payload_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using requirements::Requirements;
using Loaded = library::DeviceImage::Loaded;

namespace {

/// PTX with that kernel, in a fat binary.
std::string image(const std::string& kernel, uint32_t sm = 80) {
  const std::string code = ".version 8.0\n.target sm_" + std::to_string(sm) + "\n.address_size 64\n.visible .entry " +
                           kernel + "()\n{\nret;\n}\n";
  cuda::Image entry = cuda::image(sm, code, 1);
  entry.major = 8, entry.minor = 0;
  return cuda::fatbin({entry});
}

std::string record(uint64_t address) { return ByteBuilder().u32(0x466243B1).u32(1).u64(address).u64(0).take(); }

/// "add: image 0; mul: kernel k", functions in order.
std::string usesText(const Requirements& needs) {
  std::string out;
  for (std::size_t i = 0; i < needs.imageFunctions.size(); ++i) {
    out += (i == 0 ? "" : "; ") + needs.imageFunctions[i] + ":";
    for (const requirements::ImageUse& use : needs.imageUses)
      if (use.function == i) out += use.image ? " image " + std::to_string(*use.image) : " kernel " + use.kernel;
  }
  return out;
}

} // namespace

/// Made machine code: which functions need which device images.
class TestImageUsers : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void imagesAndTheirCodeAreListed() {
    LinkedLibrary library;
    const uint64_t one = library.text(image("add"));
    library.function("__tvm_ffi_add", X86Code(library.next()).ret().take());
    const Requirements needs = needsOf(library.build());
    QCOMPARE(needs.images.size(), std::size_t{1});
    QVERIFY(needs.images[0].loaded == Loaded::ByCode && !needs.images[0].named);
    QCOMPARE(needs.images[0].extent.offset, one);
    QCOMPARE(needs.code.size(), std::size_t{1});
    QVERIFY(needs.code[0].image == 0u && needs.code[0].kernelsKnown && needs.code[0].version == 80);
    QCOMPARE(joined(needs.code[0].kernels), "add"s);
    QCOMPARE(needs.code[0].moduleKey + " " + needs.code[0].target, "cuda sm_80"s);
    QCOMPARE(needs.kernels.size(), std::size_t{1});
  }

  /// Ordinary libraries of CUDA and HIP count, too.
  void librariesWithoutTvmAreRead() {
    LinkedLibrary library;
    const uint64_t one = library.text(image("add"));
    library.text(bundle_builder::packed(7, 1, "x", 1)); // not a bundle
    library.function("run", X86Code(library.next()).address(X86Code::Rdi, one).ret().take());
    library.function("idle", X86Code(library.next()).ret().take());
    const Requirements needs = needsOf(library.build());
    QVERIFY(!needs.ofTvm);
    QCOMPARE(usesText(needs), "run: image 0; idle:"s);
  }

  void codeThatLoadsImages() {
    LinkedLibrary library;
    const uint64_t one = library.text(image("k")), two = library.text(image("k", 90));
    const uint64_t helper = library.hidden(X86Code(library.next()).address(X86Code::Rsi, two).ret().take());
    library.function("__tvm_ffi_add", X86Code(library.next()).address(X86Code::Rdi, one).ret().take());
    library.function("__tvm_ffi_mul", X86Code(library.next()).call(helper).ret().take());
    library.function("__tvm_ffi_near", X86Code(library.next()).address(X86Code::Rdi, one + 8).ret().take());
    QCOMPARE(usesText(needsOf(library.build())), "add: image 0; mul: image 1; near:"s);
  }

  /// The large code model of x86-64 counts addresses from the global offset table, also those of functions.
  void codeOfTheLargeCodeModel() {
    const auto constant = [](uint64_t value) { return ByteBuilder().raw("\x48\xb8").u64(value).take(); };
    LinkedLibrary library;
    const uint64_t one = library.text(image("k")), table = LinkedLibrary::kWords;
    library.symbols.push_back({"_GLOBAL_OFFSET_TABLE_", table, 0, 0x10, 3});
    const uint64_t load = library.function("load", X86Code(library.next()).raw(constant(one - table)).ret().take());
    const uint64_t word = library.wordOf("load");
    library.function("__tvm_ffi_add", X86Code(library.next()).raw(constant(word - table)).callAtRax().ret().take());
    library.function("__tvm_ffi_mul", X86Code(library.next()).raw(constant(load - table)).callAtRax().ret().take());
    library.function("__tvm_ffi_no", X86Code(library.next()).raw(constant(load - table + 1)).callAtRax().ret().take());
    QCOMPARE(usesText(needsOf(library.build())), "add: image 0; mul: image 0; no:"s);
  }

  /// nvcc names the host function of a kernel like the kernel; hipcc does so with a variable.
  void kernelsThatAreRegistered() {
    LinkedLibrary library;
    const uint64_t one = library.text(image("add_kernel")), two = library.text(image("mul_kernel"));
    library.text(record(one) + record(two));
    const uint64_t stub = library.function("add_kernel", X86Code(library.next()).ret().take());
    const uint64_t handle = library.slot("mul_kernel");
    const uint64_t word = library.wordOf("add_kernel");
    library.function("__tvm_ffi_add", X86Code(library.next()).call(stub).ret().take());
    library.function("__tvm_ffi_got", X86Code(library.next()).read(X86Code::Rdi, word).ret().take());
    library.function("__tvm_ffi_mul", X86Code(library.next()).address(X86Code::Rdi, handle).ret().take());
    const Requirements needs = needsOf(library.build());
    QVERIFY(needs.images.size() == 2 && needs.images[1].loaded == Loaded::StartUp);
    QCOMPARE(usesText(needs), "add: kernel add_kernel; got: kernel add_kernel; mul: kernel mul_kernel"s);
  }

  /// Stripped files: start-up code passes the name of a kernel and the address of its stub.
  void kernelsWithoutSymbols() {
    LinkedLibrary library;
    const uint64_t one = library.text(image("add_kernel")), name = library.text("add_kernel"),
                   other = library.text("add");
    library.text(record(one));
    const uint64_t stub = library.hidden(X86Code(library.next()).raw("\x90").ret().take());
    const uint64_t unused = library.hidden(X86Code(library.next()).raw("\x90").ret().take());
    library.hidden(X86Code(library.next())
                       .address(X86Code::Rdx, name)
                       .move(X86Code::Rcx, X86Code::Rdx)
                       .address(X86Code::Rsi, stub)
                       .call(unused)
                       .ret()
                       .take());
    library.function("__tvm_ffi_add", X86Code(library.next()).call(stub).ret().take());
    library.function("__tvm_ffi_text", X86Code(library.next()).address(X86Code::Rsi, other).ret().take());
    QCOMPARE(usesText(needsOf(library.build())), "add: kernel add_kernel; text:"s);
  }

  void unreadableCodeHasNoUses() {
    LinkedLibrary library;
    library.machine = 243; // RISC-V
    library.text(image("k"));
    library.function("__tvm_ffi_add", "code");
    QCOMPARE(usesText(needsOf(library.build())), "add:"s);
  }
};

BLOBSCOPE_TEST(TestImageUsers);
#include "test_image_users.moc"
