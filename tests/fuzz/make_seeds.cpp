#include "core/modules/registry.h"
#include "tests/core/requirements/linked_library.h"
#include "tests/support/archive_builder.h"
#include "tests/support/builders.h"
#include "tests/support/coff_builder.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/macho_builder.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/payload_builders.h"
#include "tests/support/pe_builder.h"
#include "tests/support/tensor_builders.h"
#include "tests/support/vm_builders.h"
#include "tests/support/wasm_builder.h"

#include <filesystem>
#include <fstream>

using namespace blobscope::test;

namespace {

/// A zlib stream of one stored block. Source: RFC 1950, RFC 1951 3.2.4.
std::string zlibOf(const std::string& content) {
  uint32_t a = 1, b = 0;
  for (const char c : content) a = (a + static_cast<unsigned char>(c)) % 65521, b = (b + a) % 65521;
  const auto size = static_cast<uint16_t>(content.size());
  std::string out = ByteBuilder().raw("\x78\x01\x01").u16(size).u16(static_cast<uint16_t>(~size)).raw(content).take();
  for (const uint32_t half : {b, a}) out += {static_cast<char>(half >> 8), static_cast<char>(half)};
  return out;
}

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

} // namespace

/// `make_fuzz_seeds FOLDER` writes the seeds of all entries: small, one of each kind.
int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::filesystem::path root = argv[1];
  const std::vector<Function> two = {{"add_kernel"}, {"mul_kernel"}};

  // --- diff: a library, changes of three bytes each, their number; read by fuzz_diff.cpp ---
  const auto changed = [&](const std::string& name, const std::string& file, const std::string& changes) {
    write(root / "diff" / name, file + changes + static_cast<char>(changes.size() / 3));
  };
  const std::string kernels = ByteBuilder()
                                  .u64(2)
                                  .str("add_kernel")
                                  .str("kernel void a() {}")
                                  .str("mul_kernel")
                                  .str("kernel void m() {}")
                                  .take();
  const std::string twoModules =
      elfWith("__tvm_ffi__library_bin",
              ffiBlob({{"_lib", ""},
                       {"cuda", code3("ptx", two, ptxText(two), Info::Four)},
                       {"metal", ByteBuilder().str("metal").raw(functionMap(two, Info::Four)).raw(kernels).take()}},
                      {{1, 2}, {}, {}}));
  changed("same", twoModules, "");
  for (const std::string_view word : {"add_kernel", "mul_kernel", "void m", "cuda", "metal"}) {
    const std::size_t at = twoModules.rfind(word);
    changed("change-" + std::string(word.substr(0, word.find(' '))), twoModules,
            {static_cast<char>(at & 0xff), static_cast<char>(at >> 8), 'x'});
  }
  changed("classic",
          elfWith("__tvm_dev_mblob", classicBlob({{"_lib", ""}, {"vulkan", vulkan(two, Info::Three, false)}},
                                                 std::vector<std::vector<uint64_t>>{{1}, {}})),
          std::string("\x00\x01\x02", 3));

  // --- modules: codec and layout, generation, payload; read by fuzz_modules.cpp ---
  const auto module = [&](const std::string& name, const std::string& key, std::size_t layout, char era,
                          const std::string& payload) {
    const auto codecs = blobscope::modules::codecs();
    std::size_t index = 0;
    while (index < codecs.size() && codecs[index] != blobscope::modules::findCodec(key)) ++index;
    write(root / "modules" / name, std::string({static_cast<char>(index + layout * codecs.size()), era}) + payload);
  };
  module("cuda-fi3", "cuda", 1, 0, code3("ptx", two, ptxText(two), Info::Three));
  module("cuda-fi4", "cuda", 1, 3, code3("ptx", two, ptxText(two), Info::Four));
  module("cuda-v1", "cuda", 0, 3, cudaModuleV1("ptx", two, ptxText(two)));
  module("opencl", "opencl", 0, 0, code3("cl", two, openclText(two), Info::Three));
  module("opencl-spirv", "opencl", 1, 0, openclSpirv(two, Info::Three));
  module("vulkan1", "vulkan", 0, 0, vulkan(two, Info::Three, false));
  module("vulkan2", "vulkan", 1, 3, vulkan(two, Info::Four, true));

  const std::string codes =
      ByteBuilder().u64(2).str("add_kernel").str("kernel void a() {}").str("mul_kernel").str("MTLB").take();
  module("metal2", "metal", 0, 0,
         ByteBuilder().str("0.1.0").raw(codes).raw(functionMap(two, Info::Three)).str("metal").take());
  module("metal-code3", "metal", 1, 0, code3("metal", two, "kernel void a() {}", Info::Three));
  module("metal3", "metal", 2, 3, ByteBuilder().str("metal").raw(functionMap(two, Info::Four)).raw(codes).take());
  module("webgpu", "webgpu", 0, 3, ByteBuilder().raw(functionMap(two, Info::Four)).raw(codes).take());
  module("hip", "hip", 0, 3,
         code3("hsaco", two,
               "\x7f"
               "ELF",
               Info::Four));
  module("hexagon", "hexagon", 0, 3,
         code3("so", two,
               "\x7f"
               "ELF",
               Info::Four));

  const std::vector<TensorText> tensors = {{kFloat32, {2, 3}, floats({1, 2, 3, 4, 5, 6})}, {kInt8, {}, "\x07"}};
  const std::string factory = aotFactory({"p0", "p1"}, tensors, "default");
  module("graph-factory", "GraphExecutorFactory", 0, 0, ByteBuilder().str(executorGraph()).raw(factory).take());
  module("aot-factory", "AotExecutorFactory", 0, 0, factory);
  module("const-loader", "const_loader", 0, 3, constants({"p0", "p1"}, tensors, {"f", "g"}, {{"p1", "p0"}, {}}));
  module("json-old", "tensorrt", 0, 0, jsonRuntime("main_0", runtimeGraph(false), {"w"}));
  module("json-new", "example_npu_json", 0, 3, jsonRuntime("main_0", runtimeGraph(true), {"w"}));
  module("relax-v022", "relax.VMExecutable", 0, 3, RelaxBuilder(kTags2025b).build());
  module("relax-v021", "relax.VMExecutable", 3, 3, RelaxBuilder(kTags2025a).sized());
  module("relax-classic", "relax.Executable", 4, 0, RelaxBuilder(kTagsClassic).sized());
  for (int generation = 0; generation < 5; ++generation)
    module("relay-" + std::to_string(generation), "VMExecutable", static_cast<std::size_t>(4 - generation), 0,
           RelayBuilder(generation).sized());
  cuda::CubinFile cubin;
  cubin.kernels = {{.name = "add_kernel", .shared = 64}, {.name = "mul_kernel", .code = std::string(64, 'x')}};
  const std::string fatbin =
      cuda::fatbin({{.payload = cubin.build()}, {.kind = 1, .sm = 80, .payload = ptxText(two), .options = "-O1 -v "}});
  module("cuda-fatbin", "cuda", 1, 0, code3("cubin", two, fatbin, Info::Three));

  // --- payloads ---
  const auto payload = [&](const std::string& name, const std::string& bytes) {
    write(root / "payloads" / name, bytes);
  };
  payload("fatbin", fatbin);
  payload("cubin", cubin.build());
  cubin.abi = 8;
  cubin.sm = 90;
  payload("cubin-8", cubin.build());
  payload("ptx", ptxText(two));
  payload("spirv", shader(0, 40).substr(12));
  payload("params", paramsFile({"p0", "p1"}, tensors));
  payload("npy", std::string("\x93NUMPY\1\0\x76\0", 10) +
                     "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" + std::string(59, ' ') + "\n" +
                     floats({1, 2, 3, 4, 5, 6}));
  payload("metallib", std::string("MTLB\1\x80\2\0\7\0\0\x81", 12) + std::string(100, '\0'));
  payload("bundle", bundle_builder::plain({{"host-x86_64-unknown-linux-gnu-", ""},
                                           {"hipv4-amdgcn-amd-amdhsa--gfx1030", "code"},
                                           {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", "code"}}));
  payload("bundle-packed", bundle_builder::packed(2, 1, std::string("\x28\xb5\x2f\xfd\x20\x05\x29\0\0hello", 14), 5));
  payload("bitcode", std::string("BC\xc0\xde\x35\x14\0\0\5\0\0\0", 12) + std::string(60, '\x62'));
  for (const auto& [name, machine] : {std::pair("hsaco", 224), std::pair("hexagon", 164), std::pair("elf", 62)}) {
    ElfBuilder code;
    code.machine = static_cast<uint16_t>(machine);
    code.function("add_kernel");
    payload(name, code.build());
  }

  // --- blobs: carrier, stream ---
  const Record lib{"_lib", ""}, device{"cuda", code3("ptx", two, ptxText(two), Info::Three)},
      device4{"cuda", code3("ptx", two, ptxText(two), Info::Four)}, vendor{"Vendor.Kind", "0123456789abcdef"};
  const auto blob = [&](const std::string& name, char carrier, const std::string& bytes) {
    write(root / "blob" / name, std::string(1, carrier) + bytes);
  };
  blob("era-a", 0, classicBlob({device}, std::nullopt));
  blob("era-b1", 0, classicBlob({lib, device}, {{{1}, {}}}));
  blob("era-b1-unknown", 0, classicBlob({vendor, lib, device}, {{{1}, {2}, {}}}));
  blob("era-b2", 1, classicBlob({lib, device4}, {{{1}, {}}}));
  blob("era-c1", 2, ffiBlob({vendor, lib, device4}, {{1}, {2}, {}}));
  blob("empty", 0, classicBlob({}, std::nullopt));

  // --- containers ---
  ElfBuilder elf;
  elf.function("run").undefined("TVMFuncCall");
  elf.data("__tvm_dev_mblob", classicBlob({lib, device}, {{{1}, {}}}));
  write(root / "container" / "elf64", elf.build());
  elf.is64 = false;
  elf.machine = 40;
  write(root / "container" / "elf32", elf.build());
  elf.bigEndian = true;
  elf.staticSymbols = true;
  write(root / "container" / "elf32-big", elf.build());
  elf.sectionHeaders = false;
  write(root / "container" / "elf32-no-sections", elf.build());
  ElfBuilder object;
  object.type = 1;
  object.data("own___tvm_ffi__library_bin", ffiBlob({lib, device4}, {{1}, {}}));
  write(root / "container" / "object", object.build());

  const std::string classic = classicBlob({lib, device}, {{{1}, {}}}), later = ffiBlob({lib, device4}, {{1}, {}});
  PeBuilder pe;
  pe.function("run")
      .data("__tvm_dev_mblob", classic)
      .forwarder("other", "a.b")
      .import("tvm.dll", {"TVMFuncCall", "#7"});
  write(root / "container" / "pe64", pe.build());
  CoffBuilder coff;
  coff.sections.push_back({.name = ".rdata", .content = later});
  coff.symbols.push_back({.name = "own___tvm_ffi__library_bin", .section = 1});
  write(root / "container" / "coff", coff.build());
  MachOBuilder macho;
  macho.function("_run").data("___tvm_ffi__library_bin", later).undefined("_TVMFuncCall");
  write(root / "container" / "macho64", macho.build());
  write(root / "container" / "universal", universalFile({{0x0100000c, macho.build()}, {0x01000007, "none"}}));
  macho.fileType = 1;
  macho.is64 = false;
  macho.cpuType = 12;
  write(root / "container" / "macho32-object", macho.build());
  write(root / "container" / "wasm", wasm::module({wasm::section(5, wasm::list({wasm::memory(1)})),
                                                   wasm::section(11, wasm::list({wasm::dataAt(1024, classic)}))}));
  write(
      root / "container" / "wasm-global",
      wasm::module({wasm::section(5, wasm::list({wasm::memory(1)})), wasm::section(6, wasm::list({wasm::global(1024)})),
                    wasm::section(7, wasm::list({wasm::exported("__tvm_ffi__library_bin", 3, 0)})),
                    wasm::section(11, wasm::list({wasm::dataAt(1024, later)}))}));
  write(root / "container" / "ar", "!<arch>\n" + arMember("//", "a-long-name.o/\n") + arMember("/0", object.build()) +
                                       arMember("#1/4", "text") + arMember("c.o/", coff.build()));
  write(root / "container" / "tar", tarOf({{"devc.o", object.build()}, {"lib0.c", "TVM_DLL int32_t run(void* a) {}"}}));
  write(root / "container" / "tar-gz", gzipOf(tarOf({{"devc.o", object.build()}})));
  write(root / "container" / "c-source", "const unsigned char __tvm_dev_mblob[8] = {0x10,0,0,0,0,0,0,0,1,};");
  write(root / "container" / "blob", later);

  // --- edits: library, then edits: blob, op, arguments of the op; read by fuzz_edits.cpp ---
  for (char number = 0; number < 8; ++number) {
    std::string choices(1, static_cast<char>(number | (number % 4 == 3 ? 0x80 : 0)));
    unsigned state = static_cast<unsigned>(number) + 1;
    for (int i = 0; i < 150; ++i) {
      state = state * 1103515245 + 12345;
      choices += std::string({static_cast<char>(state >> 16), '\0'});
    }
    write(root / "edits" / ("library-" + std::to_string(number)), choices);
  }

  // --- text ---
  // --- mlf: archive and member; a whole tar after 0xff; read by fuzz_mlf.cpp ---
  unsigned number = 0;
  for (const unsigned version : {1u, 2u, 5u, 6u, 7u})
    for (const MlfStyle style : {MlfStyle::Graph, MlfStyle::Aot}) {
      const Mlf mlf = cleanMlf(version, style);
      for (std::size_t member = 0; member < mlf.members.size(); ++member)
        if (mlf.members[member].type == '0' &&
            (version == 5 || version == 7 || mlf.members[member].path == "./metadata.json"))
          write(root / "mlf" / (std::to_string(number) + "-" + std::to_string(member)),
                std::string({static_cast<char>(number), static_cast<char>(member)}) + mlf.members[member].content);
      ++number;
    }
  write(root / "mlf" / "operator",
        std::string({static_cast<char>(number), '\0'}) + cleanMlf(7, MlfStyle::Operator).metadata());
  write(root / "mlf" / "tar", '\xff' + cleanMlf(7, MlfStyle::Graph).tar());
  write(root / "mlf" / "tar-gz", '\xff' + gzipOf(cleanMlf(4, MlfStyle::Graph).tar()));

  // --- preflight: a library, a runtime, or changes of a table; read by fuzz_preflight.cpp ---
  const auto preflight = [&](const std::string& name, char kind, const std::string& rest) {
    write(root / "preflight" / name, kind + rest);
  };
  const auto oneModule = [&](const Record& record) {
    return elfWith("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, record}, {{1}, {}}));
  };
  preflight("cuda", 0, oneModule({"cuda", code3("cubin", two, fatbin, Info::Four)}));
  preflight("vulkan", 0, oneModule({"vulkan", vulkan(two, Info::Four, true)}));
  preflight("relax", 0, oneModule({"relax.VMExecutable", RelaxBuilder(kTags2025b).build()}));
  preflight("relay", 0,
            elfWith("__tvm_dev_mblob", classicBlob({{"VMExecutable", RelayBuilder(4).sized()}}, std::nullopt)));
  LinkedLibrary host;
  const uint64_t slot = host.slot("__TVMFFIFunctionCall");
  host.undefined("TVMFFIErrorSetRaisedFromCStr");
  host.function("__tvm_ffi_add", ByteBuilder() // call *slot(%rip); ret
                                     .raw("\xff\x15")
                                     .u32(static_cast<uint32_t>(slot - host.next() - 6))
                                     .raw("\xc3")
                                     .take());
  preflight("host", 0, host.build());
  std::string names;
  for (const char* const name : {"device_api.cpu", "device_api.cuda", "vm.builtin.copy", "libcudart.so.13",
                                 "ffi.Module.load_from_bytes.cuda", "__tvm_ffi__library_bin"})
    names += name + std::string(1, '\0');
  preflight("runtime", 1, ElfBuilder().data("texts", names).function("TVMFFIFunctionCall").build());
  for (char table = 0; table < 5; ++table) {
    std::string changes(1, table);
    unsigned state = static_cast<unsigned>(table) + 7;
    for (int i = 0; i < 2; ++i) {
      state = state * 1103515245 + 12345;
      changes += {static_cast<char>(state >> 16), static_cast<char>(state >> 24 & 0x1f), 1, 2, '"', '}'};
    }
    preflight("table-" + std::to_string(table), 2, changes);
  }

  // --- program: a library, a graph, a program for the runner, or weights; read by fuzz_program.cpp ---
  const auto program = [&](const std::string& name, char kind, const std::string& rest) {
    write(root / "program" / name, kind + rest);
  };
  const auto executable = [](const std::string& key, const std::string& payload) {
    return elfWith("__tvm_dev_mblob", classicBlob({{key, payload}, {"_lib", ""}}, {{{1}, {}}}));
  };
  program("relax", 0, oneModule({"relax.VMExecutable", RelaxBuilder(kTags2025b).build()}));
  program("relay-4", 0, executable("VMExecutable", RelayBuilder(4).sized()));
  program("relay-2", 0, executable("VMExecutable", RelayBuilder(2).sized()));
  program("graph", 0,
          executable("GraphExecutorFactory",
                     ByteBuilder()
                         .str(executorGraph())
                         .raw(aotFactory({"p0"}, {{kFloat32, {4, 2}, std::string(32, '1')}}, "default"))
                         .take()));
  program("graph-json", 1, executorGraph());
  program("program", 2,
          R"seed({"data":"","constants":[{"kind":"shape","type":[0,64,1],"shape":[2,3],"offset":0,"host":false,"te)seed"
          R"seed(xt":"","int":0}],"callees":[{"kind":"builtin","name":"move","function":0}],"functions":[{"name":")seed"
          R"seed(main","registers":2,"parameters":1,"compiled":"","steps":[{"op":"call","target":1,"callee":0,"arg)seed"
          R"seed(uments":[{"kind":"reg","value":0}],"outputs":0,"node":""},{"op":"branch","target":1,"offset":1},{)seed"
          R"seed("op":"ret","target":1,"offset":0}]}]})seed");

  const std::string weights =
      R"seed({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"b":{"dtype":)seed"
      R"seed("BF16","shape":[],"data_offsets":[8,10]}})seed";
  program("safetensors", 3, ByteBuilder().str(weights).raw(std::string(10, '1')).take());
  program("params", 4, paramsFile({"w", "b"}, {{kFloat32, {1, 2}, std::string(8, '1')}, {kFloat16, {}, "12"}}));

  // --- protocol: one event, one job, or an error text of a host function ---
  write(root / "protocol" / "call", R"seed({"ev":"call","call":0,"function":"f","code":-1,"launches":3})seed");
  write(root / "protocol" / "crash",
        R"seed({"ev":"crash","signal":11,"addr":16,"library_offset":4660,"stage":"sync","call":0})seed");
  write(
      root / "protocol" / "device",
      R"seed({"ev":"device","kind":"cuda","index":0,"name":"NVIDIA H200","driver":"580","memory":151000000000,"cp)seed"
      R"seed(u":false,"facts":[{"label":"capability","value":"9.0"}],"limits":[{"name":"threads","value":1024}]})seed");
  write(root / "protocol" / "done", R"seed({"ev":"done","code":5})seed");
  write(
      root / "protocol" / "extent",
      R"seed(Assert fail: (1 == int32(arg0.shape[0])), Argument arg0.shape[0] has an unsatisfied constraint: ((n )seed"
      R"seed(+ 7) // 8 == int32(arg0.shape[0])))seed");
  write(root / "protocol" / "hello", R"seed({"ev":"hello","proto":1,"pid":1,"version":"0.1.0"})seed");
  write(
      root / "protocol" / "job",
      R"seed({"proto":1,"mode":"function","engine":"native","library":"lib.so","abi":"ffi4","calls":[{"function":)seed"
      R"seed("f","arguments":[{"kind":"tensor","name":"A","type":[2,32,1],"shape":[2,3],"device":2,"role":"inout")seed"
      R"seed(,"input":"in","fill":165,"output":"out"},{"kind":"int","value":-7},{"kind":"float","bits":4602678819)seed"
      R"seed(172646912}],"grid":[1,1,1],"block":[1,1,1],"cluster":[1,1,1],"dyn":0}],"modules":[{"kind":"vulkan",")seed"
      R"seed(format":"spirv","data":"","kernels":[{"name":"k","arguments":[[3,64,1],[0,32,1]],"tags":["blockIdx.x)seed"
      R"seed("],"extra_tags":[0,1],"launch_fields":[],"image":"k.spv","uniform_scalars":true}]}],"backend":"vulka)seed"
      R"seed(n","device":0,"driver_path":"","timed":false,"repeat":5,"limits":{"memory_bytes":4294967296,"address)seed"
      R"seed(_bytes":8589934592,"file_bytes":4294967296,"load_ms":20000,"build_ms":120000,"run_ms":30000,"launche)seed"
      R"seed(s":10000},"options":{"continue_unknown":false,"widen_half":false,"lazy_bind":false}})seed"
      "\n");
  write(root / "protocol" / "kind",
        R"seed(TypeError: Assert fail: A_type_index == 0 or A_type_index == 4, f: Expect arg[1] to be float)seed");
  write(
      root / "protocol" / "launch",
      R"seed({"ev":"launch","call":3,"kernel":"k","grid":[1,2,3],"block":[4,5,6],"cluster":[1,1,1],"dyn":128,"pro)seed"
      R"seed(grammatic":true,"cooperative":false,"args":[{"tensor":"A","value":16,"code":0,"bits":0},{"value":105)seed"
      R"seed(6964608,"code":2,"bits":32}]})seed");
  write(
      root / "protocol" / "sig",
      R"seed({"ev":"sig","call":1,"tries":20,"accepted":true,"literal":"f(A: Tensor([n], float32))","args":[{"nam)seed"
      R"seed(e":"A","kind":"tensor","dtype":"float32","rank_known":true,"shape":["7","n",""],"device":2}]})seed");
  write(root / "protocol" / "stage", R"seed({"ev":"stage","stage":"host-call","call":3})seed");
  write(
      root / "protocol" / "tensor",
      R"seed({"ev":"tensor","call":0,"name":"B","argument":1,"file":"out","bytes":64,"overrun_before":0,"overrun_)seed"
      R"seed(behind":4})seed");
  write(root / "protocol" / "time",
        R"seed({"ev":"time","call":0,"kernel":true,"name":"k","launch":0,"us":[1.500,0.000,2000.125]})seed");

  // --- bundles: plain, compressed in each form of the header, cut off ---
  const std::vector<bundle_builder::Code> codes3 = {{"host-x86_64-unknown-linux-gnu-", ""},
                                                    {"hipv4-amdgcn-amd-amdhsa--gfx1030", std::string(20, 'a')},
                                                    {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", "b"}};
  const std::string bundle = bundle_builder::plain(codes3);
  write(root / "bundles" / "plain", bundle);
  write(root / "bundles" / "table", bundle.substr(0, 200));
  for (const uint16_t version : {1, 2, 3})
    write(root / "bundles" / ("zlib-" + std::to_string(version)),
          bundle_builder::packed(version, 0, zlibOf(bundle), bundle.size()));
  write(root / "bundles" / "damaged", bundle_builder::packed(2, 1, "no stream", 100));

  // --- safety: a library of each format; with a constructor, with imports ---
  write(root / "safety" / "elf", twoModules);
  LinkedLibrary linked;
  linked.undefined("system");
  linked.function("setUp", std::string("\x48\x8d\x3d\x00\x00\x00\x00\xe8\x00\x00\x00\x00\xc3", 13));
  const uint64_t array = linked.wordOf("setUp");
  constexpr uint64_t kInitArray = 25, kInitArraySize = 27;
  linked.tags.insert(linked.tags.end(), {{kInitArray, array}, {kInitArraySize, 8}});
  write(root / "safety" / "constructor", linked.build());
  for (const char* const name : {"pe64", "macho64", "wasm", "object", "coff"}) {
    std::ifstream file(root / "container" / name, std::ios::binary);
    write(root / "safety" / name, std::string(std::istreambuf_iterator<char>(file), {}));
  }

  // --- runtimes: their kind, then the file or the files of an environment; read by fuzz_runtimes.cpp ---
  const auto runtime = [&](const std::string& name, char kind, const std::string& content) {
    write(root / "runtimes" / name, kind + content);
  };
  runtime(
      "bundle", 0,
      "function __Zx(){err(\"missing function: _Zx\");abort(-1)}var wasmImports={\"__cxa_throw\":___cxa_throw,"
      "fd_write:_fd_write,_Zx:__Zx};environment(t){const e={\"__cxa_thread_atexit\":()=>{},/* } */'grow':(i)=>{}};"
      "const n={TVMFFIWasmSafeCall:(a,b)=>{}};return Object.assign(e,t,n)}registerFunc(\"wasm.WebGPUDeviceAPI\",x)");
  runtime("wasm", 1, wasm::module({}));
  runtime("apk", 2, "PK\x05\x06" + std::string(18, '\0'));
  runtime("specifiers", 3, "0.1.12.post2+cu130\n<0.1.13,>=0.1.11,!=0.1.12.*,~=0.1,==1!2.0rc1.dev3");
  const std::string metadata = "Metadata-Version: 2.1\nName: apache-tvm\nVersion: 0.27.0.post1\n"
                               "Requires-Dist: apache-tvm-ffi<0.2,>=0.1.11\n\nText\n";
  runtime("environment", 4,
          "\xff\x02" + metadata + "\xff\x01Name: apache_tvm_ffi\nVersion: 0.3.0\n" + std::string("\xff\x03", 2) +
              "\xff\x04" + twoModules.substr(0, 400));

  // --- messages: what compilers print, and flags; read by fuzz_messages.cpp ---
  const auto message = [&](const std::string& name, char kind, const std::string& content) {
    write(root / "messages" / name, kind + content);
  };
  message("ptxas", 0, "ptxas k.ptx, line 28; error   : Unknown symbol '%rzz'\nptxas fatal   : aborted\n");
  message("nvcc", 0, "k.cu(3): error: \"b\" is undefined\n    a = b;\n        ^\n\n1 error detected.\n");
  message("clang", 0, "/tmp/x/k.cl:3:5: error: use of 'n'\n  n = 1;\n  ^\nerror: /tmp/a:b.cl:27:32: 'x'\n");
  message("naga", 0, "error: unknown 'n'\n  \u250c\u2500 k.wgsl:3:5\n");
  message("cc", 1,
          "archive/src/a.c: In function 'f':\narchive/src/a.c:3:5: error: expected ';'\n    3 |     x\n"
          "archive/src/../b:c.h:12: warning: unused\n/usr/include/x.h:7:1: note: here\ncc1: fatal error: no\n");
  message("flags", 2, "-O2\n-DNAME=1\n-o\nout\n-march=native\n-Xcompiler\n-fplugin=x\n@file\n--use_fast_math\n-I.\n");

  // --- graphs: the graph of an executor, parameters, an index of tensors, JSON; read by fuzz_graphs.cpp ---
  const auto graph = [&](const std::string& name, char kind, const std::string& content) {
    write(root / "graphs" / name, kind + content);
  };
  graph("graph", 0, executorGraph());
  graph("parameters", 1, paramsFile({"w", "b"}, {{kFloat32, {1, 2}, std::string(8, '1')}, {kFloat16, {}, "12"}}));
  graph("index", 2,
        R"({"metadata":{},"records":[{"dataPath":"params_shard_0.bin","format":"raw-shard","nbytes":64,"records":[)"
        R"({"name":"w","shape":[2,3],"dtype":"float32","format":"f32-to-bf16","nbytes":12,"byteOffset":0}]}]})");
  graph("json", 3, R"({"a": [1, -2.5e3, "x\u00e9", null, {"b": {}}], "c": true})");

  write(root / "text" / "ref", "my_lib.v1_:m12/kernel:a%2Fb@0x10+4");
  write(root / "text" / "member", "lib%200.o!symbol:x");
  write(root / "text" / "json", R"({"nodes": [{"op": "null", "inputs": [[0, 0, 0]]}], "x": -1.5e3, "y": "\u00e9"})");
  return 0;
}
