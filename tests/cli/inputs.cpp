#include "tests/cli/inputs.h"

#include "tests/support/builders.h"
#include "tests/support/cuda_builders.h"

#include <QDir>
#include <QFile>

namespace blobscope::test {
namespace {

using State = Input::State;

const QString kSamples = QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample/");
using Imports = std::vector<std::vector<uint64_t>>;

const std::vector<Function> kTwo = {{"add_kernel"}, {"mul_kernel"}};
const Record kLib = {"_lib", ""};

Record ptxModule(Info form, const std::vector<Function>& functions = kTwo) {
  return {"cuda", code3("ptx", functions, ptxText(functions), form)};
}

/// Machine code for these architectures, and PTX for the last one.
Record fatBinary(const std::vector<uint32_t>& architectures) {
  std::vector<cuda::Image> images;
  for (const uint32_t sm : architectures)
    images.push_back(
        {.sm = sm,
         .payload = cuda::CubinFile{.abi = 8, .sm = sm, .kernels = {{"add_kernel"}, {"mul_kernel"}}}.build()});
  images.push_back({.kind = 1, .sm = architectures.back(), .payload = ptxText(kTwo), .major = 8, .minor = 0});
  return {"cuda", code3("fatbin", kTwo, cuda::fatbin(images), Info::Four)};
}

/// A host of v0.7 – v0.20 with two functions and the slots that the runtime fills.
ElfBuilder classicHost() {
  ElfBuilder elf;
  elf.function("add").function("mul");
  elf.data("__TVMFuncCall", std::string(8, '\0')).data("__tvm_module_ctx", std::string(8, '\0'));
  elf.undefined("TVMBackendGetFuncFromEnv");
  return elf;
}

/// A host of v0.26 and later.
ElfBuilder ffiHost() {
  ElfBuilder elf;
  elf.function("__tvm_ffi_add").function("__tvm_ffi_mul");
  elf.data("__tvm_ffi__library_ctx", std::string(8, '\0'));
  elf.data("__TVMFFIEnvModLookupFromImports", std::string(8, '\0'));
  elf.undefined("TVMFFIErrorSetRaisedFromCStrParts");
  return elf;
}

ElfBuilder classicParts(const std::string& blob) {
  return classicHost().data("__tvm_dev_mblob", blob).data("behind", std::string(24, '\x55'));
}

std::string classicLibrary(const std::string& blob) { return classicParts(blob).build(); }

std::string ffiLibrary(const std::string& blob) {
  return ffiHost().data("__tvm_ffi__library_bin", blob).data("behind", std::string(24, '\x55')).build();
}

/// `bytes` with a different length word before the first occurrence of `text`.
std::string withLengthOf(const std::string& text, std::string bytes, uint64_t length) {
  const std::size_t at = bytes.find(text);
  return patched(std::move(bytes), at - 8, length);
}

std::vector<Input> make() {
  const Record vendor = {"Vendor.Kind", "sixteen bytes ok"};
  const std::vector<Function> odd = {{"na\xffme"}, {"two\nlines"}, {"grün"}, {"a/b:c@d"}};
  std::vector<Function> many;
  for (const std::string& name : kernelNames(20)) many.push_back({name});

  std::vector<Input> all;
  const auto add = [&](const char* name, State state, std::string bytes) {
    all.push_back({QString::fromLatin1(name), state, std::move(bytes)});
  };

  // --- every generation ---
  add("era-a.so", State::Good, classicLibrary(classicBlob({ptxModule(Info::Three)}, std::nullopt)));
  add("b1.so", State::Good, classicLibrary(b1Blob()));
  add("b2.so", State::Good,
      classicHost()
          .data("__TVMFFIFunctionCall", std::string(8, '\0'))
          .data("__tvm_ffi_library_bin", classicBlob({kLib, ptxModule(Info::Four)}, Imports{{1}, {}}))
          .build());
  add("c1.so", State::Good, ffiLibrary(ffiBlob({kLib, ptxModule(Info::Four)}, {{1}, {}})));
  add("next.so", State::Good,
      ffiLibrary(ffiBlob({kLib, {"cuda", cudaModuleV1("ptx", kTwo, ptxText(kTwo))}}, {{1}, {}})));

  // --- kinds and trees ---
  add("opencl-vulkan.so", State::Good,
      ffiLibrary(ffiBlob({kLib,
                          {"opencl", code3("cl", kTwo, openclText(kTwo), Info::Four)},
                          {"vulkan", vulkan(kTwo, Info::Four, true)}},
                         {{1, 2}, {}, {}})));
  add("fatbin.so", State::Good, ffiLibrary(ffiBlob({kLib, fatBinary({80, 90}), fatBinary({90})}, {{1, 2}, {}, {}})));
  add("vendor.so", State::Good, ffiLibrary(ffiBlob({vendor, kLib, ptxModule(Info::Four)}, {{1}, {2}, {}})));
  add("vendor-classic.so", State::Good,
      classicLibrary(classicBlob({vendor, kLib, ptxModule(Info::Three)}, Imports{{1}, {2}, {}})));
  add("shared-child.so", State::Good,
      ffiLibrary(ffiBlob({kLib, vendor, {"Other.Kind", "eight by"}, ptxModule(Info::Four)}, {{1, 2}, {3}, {3}, {}})));
  add("many.so", State::Good, classicLibrary(classicBlob({kLib, ptxModule(Info::Three, many)}, Imports{{1}, {}})));
  add("odd-names.so", State::Good,
      ffiHost()
          .function("__tvm_ffi_\xfe\xff")
          .function("__tvm_ffi_new\nline")
          .data("__tvm_ffi__library_bin", ffiBlob({kLib, ptxModule(Info::Four, odd)}, {{1}, {}}))
          .build());
  add("two-blobs.so", State::Good,
      ffiHost()
          .data("left___tvm_ffi__library_bin", ffiBlob({kLib, ptxModule(Info::Four)}, {{1}, {}}))
          .data("right___tvm_ffi__library_bin", ffiBlob({kLib, vendor}, {{1}, {}}))
          .build());

  // Only the prefixed carrier shows that a system library comes from TVM.
  add("prefix-only.so", State::Good, ElfBuilder().function("run").data("own___tvm_dev_mblob", b1Blob()).build());

  // --- containers ---
  ElfBuilder big = classicHost();
  big.is64 = false;
  big.bigEndian = true;
  big.machine = 8; // EM_MIPS
  add("mips32.so", State::Good, big.data("__tvm_dev_mblob", b1Blob()).build());
  ElfBuilder bare = classicHost();
  bare.sectionHeaders = false;
  add("no-sections.so", State::Good, bare.data("__tvm_dev_mblob", b1Blob()).build());
  ElfBuilder object = classicHost();
  object.type = 1;
  add("object.o", State::Good, object.data("__tvm_dev_mblob", b1Blob()).build());
  add("host-only.so", State::Good, classicHost().build());
  ElfBuilder plain;
  add("not-tvm.so", State::Good,
      plain.function("compress").function("deflate").undefined("malloc").data("table", "0123456789").build());

  // --- damage ---
  const std::string good = ffiLibrary(ffiBlob({kLib, ptxModule(Info::Four)}, {{1}, {}}));
  add("damaged.so", State::Damaged, withLengthOf("mul_kernel", good, 0x0bad0000000a));
  const std::string b1 = classicLibrary(b1Blob());
  add("damaged-classic.so", State::Damaged, withLengthOf("mul_kernel", b1, 0x0bad0000000a));
  add("bad-count.so", State::Damaged, patched(b1, b1BlobOffset() + 8, 400));
  add("bad-length.so", State::Damaged, patched(b1, b1BlobOffset(), 0x7fffffffffffffff));
  add("bad-child.so", State::Damaged, ffiLibrary(ffiBlob({kLib, ptxModule(Info::Four)}, {{7}, {}})));
  add("circle.so", State::Damaged, ffiLibrary(ffiBlob({kLib, vendor, ptxModule(Info::Four)}, {{1}, {2}, {1}})));
  add("cut.so", State::Damaged, b1.substr(0, b1.size() - 300));
  // Cut before its symbol table.
  add("truncated.so", State::Damaged, readFile(kSamples + QStringLiteral("sample-cuda-a.so")).substr(0, 30'000));

  // --- no libraries ---
  add("cut-early.so", State::Unreadable, b1.substr(0, 40));
  add("not-a-library.txt", State::Unreadable, "This is a text.\n");
  add("Some.class", State::Unreadable, "\xca\xfe\xba\xbe");
  add("empty.so", State::Unreadable, "");
  return all;
}

} // namespace

std::string cudaPayload() { return ptxModule(Info::Three).payload; }

std::string b1Blob() { return classicBlob({kLib, ptxModule(Info::Three)}, Imports{{1}, {}}); }

uint64_t b1BlobOffset() { return classicParts(b1Blob()).offsetOf("__tvm_dev_mblob"); }

std::vector<std::string> kernelNames(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("kernel_" + std::to_string(i));
  return names;
}

const std::vector<Input>& inputs() {
  static const std::vector<Input> all = make();
  return all;
}

const Input& input(const QString& name) {
  for (const Input& candidate : inputs())
    if (candidate.name == name) return candidate;
  qFatal("no input %s", qPrintable(name));
}

bool writeFile(const QString& path, const std::string& bytes) {
  QFile file(path);
  return file.open(QIODevice::WriteOnly | QIODevice::Truncate) &&
         file.write(bytes.data(), static_cast<qint64>(bytes.size())) == static_cast<qint64>(bytes.size());
}

std::string readFile(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

bool writeEndlessFile(const QString& path) {
  std::string bytes = input(QStringLiteral("b1.so")).bytes;
  for (int i = 0; i < 20'000; ++i) bytes += "a line of text that strings shows, one of very many\n";
  QFile file(path);
  return writeFile(path, bytes) && file.open(QIODevice::ReadWrite) && file.resize(qint64{64} << 30);
}

std::unique_ptr<QTemporaryDir> inputFolder() {
  auto folder = std::make_unique<QTemporaryDir>();
  if (!folder->isValid() || !QDir(folder->path()).mkdir(QStringLiteral("folder"))) return nullptr;
  for (const Input& one : inputs())
    if (!writeFile(folder->filePath(one.name), one.bytes)) return nullptr;
  const std::string archive = readFile(kSamples + QStringLiteral("sample-mlf.tar"));
  if (!writeFile(folder->filePath(QStringLiteral("model.tar")), archive)) return nullptr;
  return folder;
}

} // namespace blobscope::test
