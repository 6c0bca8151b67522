#include "tests/support/contracts/codec_rows.h"

#include "core/payloads/sniff.h"
#include "tests/support/builders.h"
#include "tests/support/tensor_builders.h"
#include "tests/support/test_support.h"

namespace blobscope::test {
namespace {

const std::vector<Function> kTwo = {
    {"mul_kernel", {0x00014003, 0x00014003, 0x00012000}, {"blockIdx.x", "threadIdx.x", "tir.use_dyn_shared_memory"}},
    {"add_kernel", {0x00014003, 0x00041002}, {"threadIdx.y"}, "add_kernel"},
};

std::string formName(Info info) {
  return info == Info::Three ? "fi3" : info == Info::Four ? "fi4" : "fi second version";
}
WireContext contextOf(Info info) { return info == Info::Three ? kOlder : kNewer; }

/// The words of the shader that the builders make for the n-th kernel.
std::string shaderWords(uint32_t words) { return shader(0, words).substr(12); }

/// The kind of the content of an image, as named by the registry of payloads.
std::vector<std::string> sniffed(const std::string& image) {
  const std::string_view name = payloads::sniff(bytes(image));
  return name.empty() ? std::vector<std::string>() : std::vector<std::string>{std::string(name)};
}

/// Kinds that contain tensors, and those whose functions host code calls by name.
void addHostRows(std::vector<CodecRow>& rows) {
  const std::vector<std::string> names = {"p0", "p1"};
  const std::vector<TensorText> tensors = {{kFloat32, {2, 3}, floats({1, 2, 3, 4, 5, 6})}, {kInt8, {}, "\x07"}};
  const std::vector<std::string> params = {"param:p0 float32 [2, 3] at tensors[0]", "param:p1 int8 [] at tensors[1]"};
  const auto add = [&](std::string key, std::string layout, std::string what, std::string releases, std::string payload,
                       std::vector<std::string> pages, std::vector<std::string> parts,
                       std::vector<std::string> content = {}, std::optional<std::string> format = std::nullopt) {
    rows.push_back({std::move(key),
                    std::move(layout),
                    "",
                    std::move(what),
                    std::move(releases),
                    kOlder,
                    std::move(payload),
                    std::move(format),
                    std::move(content),
                    {},
                    {},
                    std::move(pages),
                    std::move(parts)});
  };
  const std::vector<std::string> graphPages = {"Factory table", "Graph graph", "Graph nodes table", "Parameters table",
                                               "Graph JSON text"};
  const std::string graph = ByteBuilder().str(executorGraph()).take();
  add("GraphRuntimeFactory", "graph_factory", "", "v0.7",
      ByteBuilder().str("{}").raw(aotFactory(names, tensors, "default")).take(), graphPages, params, {"json"});
  add("GraphExecutorFactory", "graph_factory", "", "v0.8 – v0.19", graph + aotFactory(names, tensors, "default"),
      graphPages, params, {"json"});
  add("GraphExecutorFactory", "graph_factory", "no parameters, broken graph", "v0.8 – v0.19",
      ByteBuilder().str("{\"nodes\": [").raw(aotFactory({}, {}, "m")).take(), graphPages, {}, {"json"});
  add("AotExecutorFactory", "aot_factory", "", "v0.9 – v0.19", aotFactory(names, tensors, "default"),
      {"Factory table", "Parameters table"}, params);
  for (const char* const key : {"metadata", "const_loader"}) {
    const std::string releases = std::string(key) == "metadata" ? "v0.7 – v0.8" : "v0.9 –";
    add(key, "consts", "", releases, constants(names, tensors, {"f", "g"}, {{"p1", "p0"}, {}}),
        {"Constants table", "Symbols table"}, params);
    add(key, "consts", "nothing in it", releases, std::string(32, '\0'), {"Constants table", "Symbols table"}, {});
  }
  rows.back().context = kNewer;
  add("metadata_module", "empty", "", "v0.9 – v0.19", "", {"About notice"}, {});
  for (const char* const key :
       {"json", "dnnl_json", "tensorrt", "msc_tensorrt", "cublas_json", "cudnn_json", "hipblas_json", "clml",
        "arm_compute_lib", "bnns_json", "nnapi", "verilator", "example_npu_json"}) {
    const bool plain = std::string(key) == "example_npu_json";
    const bool whole = plain || std::string(key) == "json"; // one of each form is enough for changing every byte
    add(key, "json", "", plain ? "v0.24 –" : "until v0.23",
        jsonRuntime("tvmgen_main_0", whole ? runtimeGraph(plain) : "{\"nodes\": []}", {"w"}),
        {"Subgraph table", "Graph graph", "Graph nodes table", "Weights table", "Graph JSON text"},
        {"function:tvmgen_main_0 at symbol"}, {"json"});
  }

  const std::vector<std::string> functions = {"function:add at func_names[0]", "function:mul at func_names[1]"};
  const std::string source = "int add(void);\n", library = "\x7f"
                                                           "ELF" +
                                                           std::string(40, '\1');
  add("c", "csource", "", "v0.14 –",
      ByteBuilder().str(source).str("c").raw(nameList({"add", "mul"})).raw(nameList({"w"})).take(),
      {"Functions table", "Source text", "Constants table"}, functions, {"c"}, "c");
  add("c", "csource", "CUDA host", "v0.27 –",
      ByteBuilder().str(source).str("cu").raw(nameList({"add", "mul"})).raw(nameList({})).take(),
      {"Functions table", "Source text"}, functions, {"cuda"}, "cu");
  add("static_library", "static_library", "", "v0.14 –",
      ByteBuilder().str(library).raw(nameList({"add", "mul"})).take(), {"Functions table", "Damage notice"}, functions,
      sniffed(library));

  const std::string nodes = "[{\"op\": 1}]", binary("\0\1\2", 3);
  const std::vector<std::string> engine = {"Engine table"}, engineNodes = {"Engine table", "Nodes JSON text"},
                                 symbol = {"function:f at symbol"};
  add("coreml", "coreml", "", "v0.7 –", ByteBuilder().str("f").str(binary).take(), engine, symbol);
  add("torch", "torch", "", "v0.9 – v0.19", ByteBuilder().str("f").str("PK\x03\x04").take(), engine, symbol);
  add("VitisAIRuntime", "vitis", "", "v0.8 – v0.19",
      ByteBuilder().str(binary).str("/build/dpu").str("f").raw(nameList({"w"})).take(),
      {"Engine table", "Constants table"}, symbol);
  add("mrvl_sim", "mrvl_sim1", "", "v0.16", ByteBuilder().str("f").str(nodes).take(), engineNodes, symbol);
  add("mrvl_sim", "mrvl_sim2", "", "v0.17 – v0.23", ByteBuilder().str("f").str(nodes).str(binary).take(), engineNodes,
      symbol);
  add("mrvl_hw", "mrvl_hw", "", "v0.19 – v0.23",
      ByteBuilder().str("f").str(nodes).str(binary).u32(1).u32(2).u32(4).take(), engineNodes, symbol);
  add("examplejson", "examplejson", "", "v0.6", ByteBuilder().str("x 2 + 3\n").take(), {"Graph text"}, {});
  for (const bool sizes : {false, true})
    add("ethos-n", sizes ? "ethosn2" : "ethosn1", "", sizes ? "v0.10 – v0.18" : "v0.7 – v0.9", ethosn(sizes),
        {"Networks table"}, {"function:ethos_main at networks[0]"});
}

std::vector<CodecRow> makeRows() {
  std::vector<CodecRow> rows;
  const std::vector<std::string> names = {"mul_kernel", "add_kernel"};
  const auto cuda = [&](Info info, std::string what, std::string releases, std::string format, std::string data,
                        std::vector<std::string> content) {
    CodecRow row{"cuda",
                 "code3",
                 formName(info),
                 std::move(what),
                 std::move(releases),
                 contextOf(info),
                 code3(format, kTwo, data, info),
                 format,
                 content,
                 names,
                 {},
                 {"Functions table"}};
    // The images are made here: each has a part that does not fit.
    std::vector<std::string> more;
    if (content == std::vector<std::string>{"ptx"}) more = {"Source text", "PTX table", "Entries table"};
    if (content == std::vector<std::string>{"cuda"}) more = {"Source text"};
    if (content == std::vector<std::string>{"fatbin"}) more = {"Images table", "Damage notice"};
    if (content == std::vector<std::string>{"cubin"})
      more = {"Image table", "Kernels table", "Sections table", "Symbols table", "Damage notice", "SASS text"};
    row.pages.insert(row.pages.end(), more.begin(), more.end());
    rows.push_back(std::move(row));
  };
  const std::string fatbin = std::string("\x50\xed\x55\xba\x01\x00\x10\x00", 8) + std::string(24, '\x07');
  const std::string cubin =
      std::string("\x7f\x45\x4c\x46\x02\x01\x01\x33\x07\0\0\0\0\0\0\0\x02\0\xbe\0", 20) + std::string(30, '\x01');
  const std::string source = "extern \"C\" __global__ void add_kernel(float* a) { a[0] = 1.0f; }\n";
  cuda(Info::Three, "ptx", "v0.2 – v0.20", "ptx", ptxText(kTwo), {"ptx"});
  cuda(Info::Three, "a fatbin declared cubin", "v0.2 – v0.20", "cubin", fatbin, {"fatbin"});
  cuda(Info::Three, "cubin", "v0.2 – v0.20", "cubin", cubin, {"cubin"});
  cuda(Info::Three, "ptx of target nvptx, first byte a line feed", "v0.2 – v0.20", "ptx", "\n" + ptxText(kTwo),
       {"ptx"});
  cuda(Info::Three, "no data", "v0.2 – v0.20", "ptx", "", {});
  cuda(Info::Four, "ptx", "v0.21 –", "ptx", ptxText(kTwo), {"ptx"});
  cuda(Info::Four, "a fatbin declared cubin", "v0.21 –", "cubin", fatbin, {"fatbin"});
  cuda(Info::Four, "source", "v0.24 –", "cuda", source, {"cuda"});
  cuda(Info::Second, "ptx", "after v0.27", "ptx", ptxText(kTwo), {"ptx"});
  rows.push_back({"cuda",
                  "code3",
                  "fi3",
                  "no functions",
                  "v0.2 – v0.20",
                  kOlder,
                  code3("ptx", {}, "", Info::Three),
                  "ptx",
                  {},
                  {},
                  {},
                  {"Functions table"}});
  rows.push_back({"cuda",
                  "code3+config",
                  "fi second version",
                  "source with compiler options",
                  "tirx 0.1.0a4",
                  kNewer,
                  code3("cuda", kTwo, source, Info::Second) +
                      ByteBuilder().str("{\"cuda\":{\"arch\":\"sm_75\",\"compiler\":\"nvrtc\"}}").take(),
                  "cuda",
                  {"cuda"},
                  names,
                  {},
                  {"Functions table", "Source text", "Compiler options text"}});
  rows.push_back({"cuda",
                  "cuda.module.v1",
                  "fi second version",
                  "fatbin",
                  "after v0.27",
                  kNewer,
                  cudaModuleV1("fatbin", kTwo, fatbin),
                  "fatbin",
                  {"fatbin"},
                  names,
                  {},
                  {"Functions table", "Images table", "Damage notice", "Stored source 1: cuda text",
                   "Stored source 2: cuda.compile_log text"}});
  rows.push_back({"cuda",
                  "cuda.module.v1",
                  "fi second version",
                  "ptx",
                  "after v0.27",
                  kNewer,
                  cudaModuleV1("ptx", kTwo, ptxText(kTwo)),
                  "ptx",
                  {"ptx"},
                  names,
                  {},
                  {"Functions table", "Source text", "PTX table", "Entries table", "Stored source 1: cuda text",
                   "Stored source 2: cuda.compile_log text"}});

  const std::string text = openclText({kTwo[1], kTwo[0]}); // sections in another order than the functions
  const std::size_t second = text.rfind("// Function:");
  const std::vector<std::string> sections = {text.substr(second), text.substr(0, second)};
  for (const Info info : {Info::Three, Info::Four, Info::Second}) {
    const std::string releases = info == Info::Three ? "v0.8 – v0.20" : info == Info::Four ? "v0.21 –" : "after v0.27";
    rows.push_back({"opencl",
                    "code3",
                    formName(info),
                    "one section per kernel",
                    releases,
                    contextOf(info),
                    code3("cl", kTwo, text, info),
                    "cl",
                    {"opencl-c"},
                    names,
                    sections,
                    {"Functions table", "Source text"}});
  }
  rows.push_back({"opencl",
                  "code3",
                  "fi3",
                  "one program",
                  "v0.2 – v0.7",
                  kOlder,
                  code3("cl", kTwo, "__kernel void add_kernel(__global float* a) {}\n", Info::Three),
                  "cl",
                  {"opencl-c"},
                  names,
                  {},
                  {"Functions table", "Source text"}});
  rows.push_back({"opencl",
                  "code3",
                  "fi3",
                  "program binary",
                  "v0.2 – v0.20",
                  kOlder,
                  code3("clbin", kTwo, std::string("\x01\x02\x03\x00", 4), Info::Three),
                  "clbin",
                  {},
                  names,
                  {},
                  {"Functions table"}});
  const std::vector<std::string> spirv = {shaderWords(6), shaderWords(6)};
  rows.push_back({"opencl",
                  "spirv",
                  "fi3",
                  "",
                  "v0.13 – v0.20",
                  kOlder,
                  openclSpirv(kTwo, Info::Three),
                  std::nullopt,
                  {"spirv"},
                  names,
                  spirv,
                  {"Functions table"}});
  rows.push_back({"opencl",
                  "spirv",
                  "fi4",
                  "",
                  "v0.21 – v0.23",
                  kNewer,
                  openclSpirv(kTwo, Info::Four),
                  std::nullopt,
                  {"spirv"},
                  names,
                  spirv,
                  {"Functions table"}});

  // smap: kernel name to its separate code, in another order than the functions.
  const std::vector<std::string> msl = {"kernel void mul_kernel() {}\n", "kernel void add_kernel() {}\n"};
  const auto codeMap = [&](const std::string& mul, const std::string& add) {
    return ByteBuilder().u64(2).str("add_kernel").str(add).str("mul_kernel").str(mul).take();
  };
  const std::string library = std::string("MTLB\x01\0\x02\0", 8) + std::string(24, '\x05');
  for (const Info info : {Info::Three, Info::Four}) {
    const std::string releases = info == Info::Three ? "v0.13 – v0.20" : "v0.21 – v0.23";
    rows.push_back(
        {"metal",
         "metal2",
         formName(info),
         "source",
         releases,
         contextOf(info),
         ByteBuilder().str("0.1.0").raw(codeMap(msl[0], msl[1])).raw(functionMap(kTwo, info)).str("metal").take(),
         "metal",
         {"metal"},
         names,
         msl,
         {"Functions table"}});
    rows.push_back(
        {"webgpu",
         "webgpu",
         formName(info),
         "",
         info == Info::Three ? "v0.12 – v0.20" : "v0.21 –",
         contextOf(info),
         ByteBuilder().raw(functionMap(kTwo, info)).raw(codeMap("@compute fn mul() {}", "@compute fn add() {}")).take(),
         std::nullopt,
         {"wgsl"},
         names,
         {"@compute fn mul() {}", "@compute fn add() {}"},
         {"Functions table"}});
  }
  rows.push_back({"metal",
                  "metal2",
                  "fi3",
                  "libraries",
                  "v0.13 – v0.20",
                  kOlder,
                  ByteBuilder()
                      .str("0.1.0")
                      .raw(codeMap(library, library))
                      .raw(functionMap(kTwo, Info::Three))
                      .str("metallib")
                      .take(),
                  "metallib",
                  {"metallib"},
                  names,
                  {library, library},
                  {"Functions table"}});
  rows.push_back({"metal",
                  "metal3",
                  "fi4",
                  "source",
                  "v0.24 –",
                  kNewer,
                  ByteBuilder().str("metal").raw(functionMap(kTwo, Info::Four)).raw(codeMap(msl[0], msl[1])).take(),
                  "metal",
                  {"metal"},
                  names,
                  msl,
                  {"Functions table"}});
  rows.push_back({"metal",
                  "code3",
                  "fi3",
                  "one text",
                  "v0.2 – v0.12",
                  kOlder,
                  code3("metal", kTwo, msl[0] + msl[1], Info::Three),
                  "metal",
                  {"metal"},
                  names,
                  {},
                  {"Functions table", "Source text"}});
  const std::string amd = std::string("\x7f"
                                      "ELF\x02\x01\x01\x40\x04\0\0\0\0\0\0\0\x03\0\xe0\0",
                                      20) +
                          std::string(30, '\x02');
  for (const char* const key : {"hip", "hsaco"})
    rows.push_back({key,
                    "code3",
                    "fi4",
                    "",
                    "v0.21 –",
                    kNewer,
                    code3("hsaco", kTwo, amd, Info::Four),
                    "hsaco",
                    sniffed(amd),
                    names,
                    {},
                    {"Functions table", "Damage notice"}});
  for (const char* const key : {"hexagon", "hex", "nki", "asc"})
    rows.push_back({key,
                    "code3",
                    "fi4",
                    "",
                    "v0.21 –",
                    kNewer,
                    code3("so", kTwo, std::string("\0\1\2", 3), Info::Four),
                    "so",
                    {},
                    names,
                    {},
                    {"Functions table"}});

  const std::vector<std::string> words = {shaderWords(5), shaderWords(6)};
  const auto vulkanRow = [&](const char* layout, Info info, std::string releases, bool sized) {
    rows.push_back({"vulkan",
                    layout,
                    formName(info),
                    "",
                    std::move(releases),
                    contextOf(info),
                    vulkan(kTwo, info, sized),
                    "vulkan",
                    {"spirv"},
                    names,
                    words,
                    {"Functions table"}});
  };
  vulkanRow("vulkan1", Info::Three, "v0.3 – v0.20", false);
  vulkanRow("vulkan1", Info::Four, "v0.21 – v0.23", false);
  vulkanRow("vulkan2", Info::Four, "v0.24 –", true);
  vulkanRow("vulkan2", Info::Second, "after v0.27", true);

  rows.push_back({"opengl",
                  "code3",
                  "fi3",
                  "",
                  "v0.2 – v0.6",
                  kOlder,
                  code3("gl", kTwo, "{\"shaders\": {}}", Info::Three),
                  "gl",
                  {"json"},
                  names,
                  {},
                  {"Functions table", "Source text"}});
  for (const char* const key : {"sdaccel", "aocl", "aocl_sw_emu"})
    rows.push_back({key,
                    "code3",
                    "fi3",
                    "",
                    "v0.4 – v0.19",
                    kOlder,
                    code3("xclbin", kTwo, std::string("xclbin2\0\1", 9), Info::Three),
                    "xclbin",
                    {},
                    names,
                    {},
                    {"Functions table"}});
  addHostRows(rows);
  addVmRows(rows);

  rows.push_back({"_lib", "none", "", "", "v0.7 –", kOlder, "", std::nullopt, {}, {}, {}, {"About notice"}});
  return rows;
}

} // namespace

const std::vector<CodecRow>& codecRows() {
  static const std::vector<CodecRow> all = makeRows();
  return all;
}

} // namespace blobscope::test
