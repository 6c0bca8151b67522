#include "tests/core/edit/fixtures.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

std::string ptxModule(Info form, const std::string& data) { return code3("ptx", kAddMul, data, form); }

std::string npy(const std::string& descr, const std::string& shape, const std::string& data) {
  const std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  return std::string("\x93NUMPY\1\0\x76\0", 10) + header + std::string(0x75 - header.size(), ' ') + "\n" + data;
}

// One edit each, as text with single quotes. `value` and `info` are JSON, contents are bytes.
std::string replaceBy(const std::string& ref, const std::string& content) {
  return "{'op': 'replace', 'ref': '" + ref + "', 'hex': '" + hexDigits(content) + "'}";
}
std::string addBy(const std::string& ref, const std::string& content, const std::string& info = {}) {
  return "{'op': 'add', 'ref': '" + ref + "', 'hex': '" + hexDigits(content) + "'" +
         (info.empty() ? "" : ", 'info': " + info) + "}";
}
/// Adds a part without content.
std::string addEdit(const std::string& ref, const std::string& info = {}) {
  return "{'op': 'add', 'ref': '" + ref + "'" + (info.empty() ? "" : ", 'info': " + info) + "}";
}
std::string removeEdit(const std::string& ref) { return "{'op': 'remove', 'ref': '" + ref + "'}"; }
std::string renameEdit(const std::string& ref, const std::string& name) {
  return "{'op': 'rename', 'ref': '" + ref + "', 'name': '" + name + "'}";
}
std::string setEdit(const std::string& ref, const std::string& value) {
  return "{'op': 'set', 'ref': '" + ref + "', 'value': " + value + "}";
}

/// Several edits, in this order.
std::string list(const std::vector<std::string>& edits) {
  std::string out;
  for (const std::string& edit : edits) out += (out.empty() ? "" : ", ") + edit;
  return out;
}

RelaxBuilder relax() {
  RelaxBuilder builder(kTags2025b);
  return builder;
}

/// The ids of the warnings about the edits.
std::vector<std::string> warningsOf(const Edited& edited) {
  std::vector<std::string> ids;
  for (const Diagnostic& one : edited.applied.warnings) ids.emplace_back(one.idText());
  return ids;
}

/// SPIR-V of `words` words.
std::string spirv(uint32_t words) { return shader(0, words).substr(12); }

} // namespace

/// The effect of edits on the bytes of one module, by kind.
class TestApplyEdits : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void editsChangeThePayload_data() {
    QTest::addColumn<std::string>("found");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const std::string& found, const std::string& expected) {
      QTest::newRow(name) << found << expected;
    };
    const std::string info = "{'arg_types': ['handle', 'int32'], 'launch_param_tags': ['blockIdx.x', 'threadIdx.x']}";
    std::vector<Function> three = kAddMul;
    three.push_back({"neu"});
    auto codes = kCodes;

    // The second version of FunctionInfo: the new kernel has neither launch fields nor attributes.
    const auto secondWithNew = [](std::string payload) {
      const std::string map = functionMap(kAddMul, Info::Second);
      std::string more = patched(map, 0, 3) + ByteBuilder()
                                                  .str("neu")
                                                  .str("__tvm_function_info_v2__")
                                                  .str("")
                                                  .u64(2)
                                                  .u32(0x00014003)
                                                  .u32(0x00012000)
                                                  .take();
      more += nameList({"blockIdx.x", "threadIdx.x"}) + ByteBuilder().u64(2).u32(0).u32(0).u64(0).u64(0).take();
      return payload.replace(payload.find(map), map.size(), more);
    };

    // --- cuda and other kinds with one image ---
    const std::string ptx = oneModule("cuda", ptxModule(Info::Four, ptxText(kAddMul)));
    row("payload", payloadAfter(ptx, replaceBy("m1", ptxModule(Info::Four, "// other\n.version 8.0\n"))),
        ptxModule(Info::Four, "// other\n.version 8.0\n"));
    row("field that is data", payloadAfter(ptx, replaceBy("m1/field:data", "// new")), ptxModule(Info::Four, "// new"));
    row("field that is text", payloadAfter(ptx, setEdit("m1/field:fmt", "'cubin'")),
        code3("cubin", kAddMul, ptxText(kAddMul), Info::Four));
    // Data of a newer exporter follows the fields.
    const std::string newer = oneModule("cuda", ptxModule(Info::Four, ptxText(kAddMul)) + "\x03newer");
    row("field of a module that is newer than known", payloadAfter(newer, replaceBy("m1/field:data", "// new")),
        ptxModule(Info::Four, "// new") + "\x03newer");
    row("kernel of a module that is newer than known renamed",
        payloadAfter(newer, renameEdit("m1/kernel:add", "a longer name")),
        code3("ptx", {{"a longer name"}, {"mul"}}, ptxText(kAddMul), Info::Four) + "\x03newer");
    row("types of arguments", payloadAfter(ptx, setEdit("m1/field:fmap[1].info.arg_types", "['float16x4', 'bool']")),
        code3("ptx", {{"add"}, {"mul", {0x00041002, 0x00010101}}}, ptxText(kAddMul), Info::Four));
    row("one type", payloadAfter(ptx, setEdit("m1/field:fmap[1].info.arg_types[1]", "'int64'")),
        code3("ptx", {{"add"}, {"mul", {0x00014003, 0x00014000}}}, ptxText(kAddMul), Info::Four));
    row("launch tags", payloadAfter(ptx, setEdit("m1/field:fmap[0].info.launch_param_tags", "[]")),
        code3("ptx", {{"add", {0x00014003, 0x00012000}, {}}, {"mul"}}, ptxText(kAddMul), Info::Four));
    row("one launch tag", payloadAfter(ptx, setEdit("m1/field:fmap[0].info.launch_param_tags[1]", "'vthread'")),
        code3("ptx", {{"add", {0x00014003, 0x00012000}, {"blockIdx.x", "vthread"}}, {"mul"}}, ptxText(kAddMul),
              Info::Four));
    row("kernel renamed", payloadAfter(ptx, renameEdit("m1/kernel:add", "a longer name")),
        code3("ptx", {{"a longer name"}, {"mul"}}, ptxText(kAddMul), Info::Four));
    row("kernel renamed with the name in its record",
        payloadAfter(oneModule("cuda", code3("ptx", {{"add", {}, {}, "add"}}, "", Info::Four)),
                     renameEdit("m1/kernel:add", "sum")),
        code3("ptx", {{"sum", {}, {}, "sum"}}, "", Info::Four));
    row("kernels swap names",
        payloadAfter(ptx, list({renameEdit("m1/kernel:add", "mul"), renameEdit("m1/kernel:mul", "add")})),
        code3("ptx", {{"mul"}, {"add"}}, ptxText({{"mul"}, {"add"}}), Info::Four));
    row("kernel renamed in its PTX", payloadAfter(ptx, renameEdit("m1/kernel:add", "a_sum")),
        code3("ptx", {{"a_sum"}, {"mul"}}, ptxText({{"a_sum"}, {"mul"}}), Info::Four));
    row("kernel of an older layout renamed in its PTX",
        payloadAfter(oneModule("cuda", ptxModule(Info::Three, ptxText(kAddMul)), Info::Three),
                     renameEdit("m1/kernel:add", "a_sum")),
        code3("ptx", {{"a_sum"}, {"mul"}}, ptxText({{"a_sum"}, {"mul"}}), Info::Three));
    row("kernel renamed, its PTX replaced",
        payloadAfter(ptx, list({renameEdit("m1/kernel:add", "a_sum"),
                                replaceBy("m1/field:data", "// .entry add\n.version 8.0\n")})),
        code3("ptx", {{"a_sum"}, {"mul"}}, "// .entry add\n.version 8.0\n", Info::Four));
    row("kernel removed", payloadAfter(ptx, removeEdit("m1/kernel:add")),
        code3("ptx", {{"mul"}}, ptxText(kAddMul), Info::Four));
    row("kernel removed twice", payloadAfter(ptx, list({removeEdit("m1/kernel:add"), removeEdit("m1/kernel:add")})),
        code3("ptx", {{"mul"}}, ptxText(kAddMul), Info::Four));
    row("both kernels removed", payloadAfter(ptx, list({removeEdit("m1/kernel:mul"), removeEdit("m1/kernel:add")})),
        code3("ptx", {}, ptxText(kAddMul), Info::Four));
    for (const Info form : {Info::Three, Info::Four, Info::Second}) {
      const auto name = std::array{"kernel added, three fields", "kernel added, four fields",
                                   "kernel added, second version"}[static_cast<std::size_t>(form)];
      row(name,
          payloadAfter(oneModule("cuda", ptxModule(form, ptxText(kAddMul)), form), addEdit("m1/kernel:neu", info)),
          form == Info::Second ? secondWithNew(ptxModule(form, ptxText(kAddMul)))
                               : code3("ptx", three, ptxText(kAddMul), form));
    }
    row("kernel added to a list without any",
        payloadAfter(oneModule("cuda", code3("ptx", {}, "", Info::Four)), addEdit("m1/kernel:neu", info)),
        code3("ptx", {{"neu"}}, "", Info::Four));
    row("kernel added without facts", payloadAfter(ptx, addEdit("m1/kernel:neu")),
        code3("ptx", {{"add"}, {"mul"}, {"neu", {}, {}}}, ptxText(kAddMul), Info::Four));
    row("cuda.module.v1, kernel removed and data set",
        payloadAfter(oneModule("cuda", cudaModuleV1("ptx", kAddMul, ptxText(kAddMul))),
                     list({removeEdit("m1/kernel:add"), replaceBy("m1/field:data", "// x")})),
        cudaModuleV1("ptx", {{"mul"}}, "// x"));
    row("cuda.module.v1, kernel added",
        payloadAfter(oneModule("cuda", cudaModuleV1("ptx", kAddMul, ptxText(kAddMul))), addEdit("m1/kernel:neu", info)),
        secondWithNew(cudaModuleV1("ptx", kAddMul, ptxText(kAddMul))));

    // --- kinds in which each kernel has separate code ---
    const std::string metal = oneModule("metal", metal3(kCodes, kAddMul)),
                      older = oneModule("metal", metal2(kCodes, kAddMul), Info::Three);
    row("metal3, code replaced", payloadAfter(metal, replaceBy("m1/kernel:add", "kernel void longer() {}")),
        metal3({{"add", "kernel void longer() {}"}, kCodes[1]}, kAddMul));
    row("metal3, code replaced twice",
        payloadAfter(metal, list({replaceBy("m1/kernel:add", "one"), replaceBy("m1/kernel:add", "the other")})),
        metal3({{"add", "the other"}, kCodes[1]}, kAddMul));
    row("metal3, kernel renamed", payloadAfter(metal, renameEdit("m1/kernel:mul", "m")),
        metal3({kCodes[0], {"m", kCodes[1].second}}, {{"add"}, {"m"}}));
    row("metal3, kernel removed", payloadAfter(metal, removeEdit("m1/kernel:add")), metal3({kCodes[1]}, {{"mul"}}));
    codes.emplace_back("neu", "kernel void neu() {}");
    row("metal3, kernel added", payloadAfter(metal, addBy("m1/kernel:neu", codes[2].second, info)),
        metal3(codes, three));
    row("metal2, kernel added", payloadAfter(older, addBy("m1/kernel:neu", codes[2].second, info)),
        metal2(codes, three));
    row("metal2, kernel removed, another one renamed and replaced",
        payloadAfter(older, list({removeEdit("m1/kernel:add"), renameEdit("m1/kernel:mul", "m"),
                                  replaceBy("m1/kernel:mul", "c")})),
        metal2({{"m", "c"}}, {{"m"}}));
    row("webgpu, kernel added",
        payloadAfter(oneModule("webgpu", webgpu(kCodes, kAddMul)), addBy("m1/kernel:neu", codes[2].second, info)),
        webgpu(codes, three));
    row("webgpu, empty code",
        payloadAfter(oneModule("webgpu", webgpu(kCodes, kAddMul)), replaceBy("m1/kernel:add", "")),
        webgpu({{"add", ""}, kCodes[1]}, kAddMul));
    for (const bool sized : {false, true}) {
      const Info form = sized ? Info::Four : Info::Three;
      const std::string file = oneModule("vulkan", vulkan(kAddMul, form, sized), form);
      // In the builder the n-th kernel has 5 + n words.
      row(sized ? "vulkan2, shader replaced" : "vulkan1, shader replaced",
          payloadAfter(file, list({replaceBy("m1/kernel:mul", spirv(6)), replaceBy("m1/kernel:add", spirv(5))})),
          vulkan(kAddMul, form, sized));
      row(sized ? "vulkan2, longer shader" : "vulkan1, longer shader",
          std::to_string(payloadAfter(file, replaceBy("m1/kernel:mul", spirv(9))).size()),
          std::to_string(vulkan(kAddMul, form, sized).size() + 12));
    }
    const std::string marked = openclText(kAddMul);
    const std::size_t second = marked.rfind("// Function:");
    const std::string opencl = oneModule("opencl", code3("cl", kAddMul, marked, Info::Four));
    row("opencl, section replaced with its marker",
        payloadAfter(opencl, replaceBy("m1/kernel:mul", "// Function: mul\n__kernel void mul() {}\n")),
        code3("cl", kAddMul, marked.substr(0, second) + "// Function: mul\n__kernel void mul() {}\n", Info::Four));
    row("opencl, section replaced without it",
        payloadAfter(opencl, replaceBy("m1/kernel:mul", "__kernel void mul() {}\n")),
        code3("cl", kAddMul, marked.substr(0, second) + "// Function: mul\n__kernel void mul() {}\n", Info::Four));

    // --- fat binaries ---
    cuda::CubinFile cubin;
    cubin.kernels = {{.name = "add"}, {.name = "mul"}};
    const std::string machine = cubin.build(), text = ptxText(kAddMul);
    const cuda::Image first = {.payload = machine},
                      last = {.kind = 1, .sm = 80, .payload = text, .major = 7, .minor = 8};
    const auto fat = [](const std::vector<cuda::Image>& images) {
      return code3("cubin", kAddMul, cuda::fatbin(images), Info::Four);
    };
    const std::string two = oneModule("cuda", fat({first, last}));
    row("image removed", payloadAfter(two, removeEdit("m1/entry:0")), fat({last}));
    row("image removed twice", payloadAfter(two, list({removeEdit("m1/entry:0"), removeEdit("m1/entry:0")})),
        fat({last}));
    row("all images removed", payloadAfter(two, list({removeEdit("m1/entry:1"), removeEdit("m1/entry:0")})), fat({}));
    row("image replaced by another one", payloadAfter(two, replaceBy("m1/entry:0", text)),
        fat({{.kind = 1, .sm = 80, .payload = text, .major = 8, .minor = 0}, last}));
    row("image replaced twice",
        payloadAfter(
            two, list({replaceBy("m1/entry:0", machine + std::string(16, '\0')), replaceBy("m1/entry:0", machine)})),
        fat({first, last}));
    row("image added", payloadAfter(two, addBy("m1/entry:2", machine)), fat({first, last, first}));
    row("image added and removed",
        payloadAfter(two, list({addBy("m1/entry:2", machine), removeEdit("m1/entry:0"), removeEdit("m1/entry:1")})),
        fat({first}));
    row("image of another container",
        payloadAfter(
            oneModule("cuda", code3("cubin", kAddMul, cuda::fatbin({first}) + cuda::fatbin({last}), Info::Four)),
            removeEdit("m1/entry:1")),
        code3("cubin", kAddMul, cuda::fatbin({first}) + cuda::fatbin({}), Info::Four));

    // --- tensors ---
    const std::vector<std::string> names = {"p0", "p1"};
    const auto params = [&](const std::string& data, const std::string& small = "\x07") {
      return constants(names, {{kFloat32, {2, 3}, data}, {kInt8, {}, small}}, {"f", "g"}, {{"p1", "p0"}, {}});
    };
    const std::string ones = floats({1, 2, 3, 4, 5, 6}), twos = floats({6, 5, 4, 3, 2, 1});
    const std::string loader = oneModule("const_loader", params(ones));
    row("tensor by its bytes", payloadAfter(loader, replaceBy("m1/param:p0", twos)), params(twos));
    row("tensor by a NumPy file", payloadAfter(loader, replaceBy("m1/param:p0", npy("<f4", "2, 3", twos))),
        params(twos));
    row("tensor without dimensions", payloadAfter(loader, replaceBy("m1/param:p1", npy("|i1", "", "\x09"))),
        params(ones, "\x09"));
    row("two tensors", payloadAfter(loader, list({replaceBy("m1/param:p1", "\x0a"), replaceBy("m1/param:p0", twos)})),
        params(twos, "\x0a"));
    const auto value = [](const std::string& ref, const std::string& index, const std::string& text) {
      return "{'op': 'set', 'ref': '" + ref + "', 'index': [" + index + "], 'value': '" + text + "'}";
    };
    row("a value", payloadAfter(loader, value("m1/param:p0", "1, 0", "-2.5")), params(floats({1, 2, 3, -2.5, 5, 6})));
    row("several values",
        payloadAfter(loader, list({value("m1/param:p0", "1, 2", "9"), value("m1/param:p1", "", "-1"),
                                   value("m1/param:p0", "0, 0", "7"), value("m1/param:p0", "0, 1", "8")})),
        params(floats({7, 8, 3, 4, 5, 9}), "\xff"));
    row("a value twice",
        payloadAfter(loader, list({value("m1/param:p0", "0, 0", "7"), value("m1/param:p0", "0, 0", "8")})),
        params(floats({8, 2, 3, 4, 5, 6})));
    row("a value of a replaced tensor",
        payloadAfter(loader, list({replaceBy("m1/param:p0", twos), value("m1/param:p0", "0, 0", "8")})),
        params(floats({8, 5, 4, 3, 2, 1})));
    row("a tensor that is replaced after a value",
        payloadAfter(loader, list({value("m1/param:p0", "0, 0", "8"), replaceBy("m1/param:p0", twos)})), params(twos));
    const auto packed = [&](const std::string& data) {
      return constants(names, {{uint32_t{17 | 4 << 8 | 1 << 16}, {4}, data}, {kInt8, {}, "\x07"}}, {"f"}, {{}});
    };
    row("packed values share bytes",
        payloadAfter(
            oneModule("const_loader", packed("\x21\x43zz")),
            list({value("m1/param:p0", "1", "-1"), value("m1/param:p0", "0", "6"), value("m1/param:p0", "2", "-2")})),
        packed("\x7a\xc3zz"));
    const std::string graph = executorGraph();
    row("parameter of a graph",
        payloadAfter(
            oneModule("GraphExecutorFactory",
                      ByteBuilder().str(graph).raw(aotFactory({"p0"}, {{kFloat32, {2, 3}, ones}}, "default")).take(),
                      Info::Three),
            replaceBy("m1/param:p0", twos)),
        ByteBuilder().str(graph).raw(aotFactory({"p0"}, {{kFloat32, {2, 3}, twos}}, "default")).take());
    row("JSON of a graph",
        payloadAfter(oneModule("GraphExecutorFactory",
                               ByteBuilder().str(graph).raw(aotFactory({}, {}, "default")).take(), Info::Three),
                     setEdit("m1/field:graph_json", "'[1]'")),
        ByteBuilder().str("[1]").raw(aotFactory({}, {}, "default")).take());

    // --- virtual machines ---
    const std::string vm = oneModule("relax.VMExecutable", relax().build());
    RelaxBuilder changed = relax();
    changed.functions[1].name = "prefill";
    row("Relax function renamed", payloadAfter(vm, renameEdit("m1/function:main", "prefill")), changed.build());
    changed = relax();
    changed.constants[3] = ByteBuilder().u32(kTags2025b.tensor).raw(tensorBytes({kFloat32, {2, 3}, twos})).take();
    row("Relax constant replaced", payloadAfter(vm, replaceBy("m1/const:3", twos)), changed.build());
    row("Relax constant replaced by a NumPy file", payloadAfter(vm, replaceBy("m1/const:3", npy("<f4", "2, 3", twos))),
        changed.build());
    changed = relax();
    changed.constants[0] = ByteBuilder().u32(kTags2025b.string).str("a text of another length").take();
    row("Relax text replaced", payloadAfter(vm, replaceBy("m1/const:0", "a text of another length")), changed.build());
    changed = relax();
    changed.functions[1].parameters = {"x", "y", "z"};
    row("names of parameters", payloadAfter(vm, setEdit("m1/field:functions[1].param_names", "['x', 'y', 'z']")),
        changed.build());
    RelaxBuilder sized(kTagsClassic);
    RelaxBuilder renamed = sized;
    renamed.functions[2].name = "t";
    row("function in an executable with a length",
        payloadAfter(oneModule("relax.Executable", sized.sized(), Info::Three),
                     renameEdit("m1/function:tir_main", "t")),
        renamed.sized());
    for (int generation = 0; generation < 5; ++generation) {
      const RelayBuilder relay(generation);
      std::string expected = relay.build();
      for (std::size_t at = expected.find(ByteBuilder().str("main").take()); at != std::string::npos;
           at = expected.find(ByteBuilder().str("main").take(), at + 1))
        expected.replace(at, 12, ByteBuilder().str("longer").take());
      QTest::addRow("Relay function renamed, generation %d", generation)
          << payloadAfter(oneModule("VMExecutable", relay.sized(), Info::Three),
                          renameEdit("m1/function:main", "longer"))
          << ByteBuilder().str(expected).take();
    }

    // --- kinds that name host functions ---
    const auto source = [](const std::vector<std::string>& functions) {
      return ByteBuilder().str("int add(void);\n").str("c").raw(nameList(functions)).raw(nameList({"w"})).take();
    };
    const std::string c = oneModule("c", source({"add", "mul"}));
    row("host function renamed", payloadAfter(c, renameEdit("m1/function:mul", "m")), source({"add", "m"}));
    row("host function removed", payloadAfter(c, removeEdit("m1/function:add")), source({"mul"}));
    row("list of host functions", payloadAfter(c, setEdit("m1/field:func_names", "['a', 'b', 'c']")),
        source({"a", "b", "c"}));
    row("symbol renamed",
        payloadAfter(oneModule("tensorrt", jsonRuntime("main_0", R"({"nodes": []})", {"w"}), Info::Three),
                     renameEdit("m1/function:main_0", "other")),
        jsonRuntime("other", R"({"nodes": []})", {"w"}));
    row("unknown kind", payloadAfter(oneModule("vendor.npu", "sixteen bytes ok"), replaceBy("m1", "other bytes")),
        "other bytes");
  }
  void editsChangeThePayload() {
    QFETCH(std::string, found);
    QFETCH(std::string, expected);
    QCOMPARE(found, expected);
  }

  void impossibleEditsAreRefused_data() {
    QTest::addColumn<std::string>("file");
    QTest::addColumn<std::string>("edits");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const std::string& file, const std::string& edits,
                        const std::string& expected) { QTest::newRow(name) << file << edits << expected; };
    /// `ref`: the place that the message names.
    const auto notFound = [&](const char* name, const std::string& file, const std::string& edits,
                              const std::string& ref, const std::string& reason) {
      row(name, file, edits, "REF-NOT-FOUND: edit 1: '" + ref + "' does not exist in this file: " + reason);
    };
    const auto notEditable = [&](const char* name, const std::string& file, const std::string& edits,
                                 const std::string& ref, const std::string& reason) {
      row(name, file, edits, "REP-TARGET: edit 1: cannot edit '" + ref + "': " + reason);
    };
    const std::string ptx = oneModule("cuda", ptxModule(Info::Four, ptxText(kAddMul))),
                      metal = oneModule("metal", metal3(kCodes, kAddMul));
    const std::string vm = oneModule("relax.VMExecutable", relax().build());
    const std::string loader =
        oneModule("const_loader", constants({"p0"}, {{kFloat32, {2, 3}, floats({1, 2, 3, 4, 5, 6})}}, {}, {}));
    const std::string graph =
        oneModule("GraphExecutorFactory", ByteBuilder().str(executorGraph()).raw(aotFactory({}, {}, "default")).take(),
                  Info::Three);

    // --- names that do not exist ---
    notFound("no module", ptx, removeEdit("m7"), "m7",
             "the blob has 2 modules, counted from 0, and no added module has that id");
    notFound("no blob of that prefix", ptx, removeEdit("left_:m1"), "left_:m1", "no blob has the prefix 'left_'");
    row("unknown member", ptx, removeEdit("a.o!m1"), "REF-NOT-FOUND: edit 1: ");
    notFound("no kernel", ptx, removeEdit("m1/kernel:sub"), "m1/kernel:sub",
             "the module has no kernel or function with that name");
    notFound("unknown kernel to replace", metal, replaceBy("m1/kernel:sub", "x"), "m1/kernel:sub",
             "the module has no kernel with that name");
    notFound("unknown field", ptx, setEdit("m1/field:nothing", "1"), "m1/field:nothing",
             "the module has no field with that path");
    row("unknown item", ptx, setEdit("m1/field:fmap[7].key", "'x'"), "REF-NOT-FOUND: ");
    row("no such word", vm, setEdit("m1/field:instruction_words[999]", "1"), "REF-NOT-FOUND: ");
    notFound("no constant", vm, replaceBy("m1/const:99", "x"), "m1/const:99", "the module has no const with that name");
    row("a name from an earlier edit", ptx, list({renameEdit("m1/kernel:add", "sum"), removeEdit("m1/kernel:sum")}),
        "REF-NOT-FOUND: edit 2: 'm1/kernel:sum' does not exist in this file: ");
    row("a file that does not exist", ptx, "{'op': 'replace', 'ref': 'm1', 'file': '/nowhere/at/all'}", "FILE-");

    // --- places to which the edit does not apply ---
    row("the file itself", ptx, removeEdit(""), "REP-TARGET: edit 1: cannot edit the file: ");
    notEditable("a symbol", ptx, replaceBy("symbol:add", "x"), "symbol:add",
                "this edit applies only to modules and their parts");
    notEditable("bytes of a part", ptx, replaceBy("m1/kernel:add@4+1", "x"), "m1/kernel:add@0x4+1",
                "name the module and an offset in the file, as in m1@0x1000, or only the offset");
    notEditable("a name of bytes", ptx, renameEdit("m1@4+2", "x"), "m1@0x4+2",
                "name the field or part that contains these bytes");
    notEditable("two levels of parts", ptx, replaceBy("m1/entry:0/kernel:add", "x"), "m1/entry:0/kernel:add",
                "a part of a module has no parts itself");
    notEditable("code of a kernel in a shared image", ptx, replaceBy("m1/kernel:add", "x"), "m1/kernel:add",
                "all kernels of the module share its field 'data'; replace that");
    notEditable("a list by bytes", ptx, replaceBy("m1/field:fmap", "x"), "m1/field:fmap",
                "it contains no text or data; set its value");
    row("removing a field", ptx, removeEdit("m1/field:fmt"), "REP-TARGET: ");
    row("renaming a constant", vm, renameEdit("m1/const:0", "x"), "REP-TARGET: ");
    row("removing a constant", vm, removeEdit("m1/const:0"), "REP-TARGET: ");
    notEditable("removing a function of a virtual machine", vm, removeEdit("m1/function:main"), "m1/function:main",
                "the bytecode calls functions by their numbers");
    row("removing a function of Relay", oneModule("VMExecutable", RelayBuilder(4).sized(), Info::Three),
        removeEdit("m1/function:main"), "REP-TARGET: ");
    notEditable("removing the only function", oneModule("tensorrt", jsonRuntime("main_0", "{}", {}), Info::Three),
                removeEdit("m1/function:main_0"), "m1/function:main_0", "the module defines only this function");
    row("a part of _lib", ptx, setEdit("m0/field:fmt", "'x'"), "REF-NOT-FOUND: ");
    row("a payload for _lib", ptx, replaceBy("m0", "x"),
        "REP-UNDECODED: the new bytes of module m0 match no layout of '_lib': ");
    notEditable("an image of no fat binary", ptx, removeEdit("m1/entry:0"), "m1/entry:0",
                "the module's code is not a fat binary");
    notEditable("not a number", ptx, removeEdit("m1/entry:x"), "m1/entry:x", "images are numbered from 0");

    // --- added kernels ---
    notEditable("a kernel with that name is there", ptx, addEdit("m1/kernel:add"), "m1/kernel:add",
                "the module already has a kernel with that name");
    row("two kernels of one name are added", ptx, list({addEdit("m1/kernel:x"), addEdit("m1/kernel:x")}),
        "REP-TARGET: cannot edit 'm1': two of its kernels would have the name 'x'");
    row("renamed to the name of another kernel", ptx, renameEdit("m1/kernel:add", "mul"),
        "REP-TARGET: cannot edit 'm1': two of its kernels would have the name 'mul'");
    notEditable("a kernel without code where each has its own", metal, addEdit("m1/kernel:x"), "m1/kernel:x",
                "each kernel of the module has separate code; name a file");
    notEditable("a kernel with code where all share one image", ptx, addBy("m1/kernel:x", "code"), "m1/kernel:x",
                "all kernels of the module share its field 'data'; replace that and add the kernel without a file");
    notEditable("a kernel where there are none", vm, addEdit("m1/kernel:x"), "m1/kernel:x",
                "the module lists no kernels");
    notEditable("a module as a part", ptx, addEdit("m1"), "m1", "name the kernel to add: m1/kernel:NAME");
    notEditable("a constant", vm, addBy("m1/const:9", "x"), "m1/const:9",
                "kernels and images can be added to a module");
    notEditable("an image without bytes", ptx, addEdit("m1/entry:1"), "m1/entry:1", "an image needs a file");
    notEditable("info that is not an object", ptx, addEdit("m1/kernel:x", "7"), "m1/kernel:x",
                R"("info" must be an object)");
    notEditable("info with an unknown type", ptx, addEdit("m1/kernel:x", "{'arg_types': ['flaot']}"), "m1/kernel:x",
                R"("arg_types" of "info": no type is called 'flaot')");
    notEditable("info with an unknown member", ptx, addEdit("m1/kernel:x", "{'colour': ['red']}"), "m1/kernel:x",
                R"("colour" of "info": known members are)");
    notEditable("info with a text for a list", ptx, addEdit("m1/kernel:x", "{'arg_types': 'int32'}"), "m1/kernel:x",
                R"("arg_types" of "info": a list is needed)");
    notEditable("SPIR-V that is not whole words", oneModule("vulkan", vulkan(kAddMul, Info::Four, true)),
                addBy("m1/kernel:x", "123"), "m1/kernel:x",
                "SPIR-V consists of 4-byte words; size of the file in bytes: 3");
    row("a shader that is not whole words", oneModule("vulkan", vulkan(kAddMul, Info::Four, true)),
        replaceBy("m1/kernel:add", "123"),
        "REP-VALUE: edit 1: cannot set 'm1/kernel:add' to 3 bytes: it consists of words of 4 bytes");

    // --- values ---
    row("value outside the shape", loader, "{'op': 'set', 'ref': 'm1/param:p0', 'index': [2, 0], 'value': 1}",
        "REP-TARGET: edit 1: cannot edit 'm1/param:p0': the tensor of shape [2, 3] has no value at that index");
    row("value with too few indexes", loader, "{'op': 'set', 'ref': 'm1/param:p0', 'index': [1], 'value': 1}",
        "REP-TARGET: ");
    row("value that is no number", loader, "{'op': 'set', 'ref': 'm1/param:p0', 'index': [1, 1], 'value': 'x'}",
        "REP-VALUE: edit 1: cannot set 'm1/param:p0' to x: a number is needed");
    row("value of a text", vm, "{'op': 'set', 'ref': 'm1/const:0', 'index': [0], 'value': 1}",
        "REP-TARGET: edit 1: cannot edit 'm1/const:0': it is not a tensor");
    row("value of a module", vm, "{'op': 'set', 'ref': 'm1', 'index': [0], 'value': 1}",
        "REP-TARGET: edit 1: cannot edit 'm1': name the tensor");
    row("value and its field", loader,
        list({"{'op': 'set', 'ref': 'm1/param:p0', 'index': [0, 0], 'value': 1}",
              replaceBy("m1/field:tensors[0].data", std::string(24, 'x'))}),
        "REP-CONFLICT: ");
    row("tensor of another size", loader, replaceBy("m1/param:p0", "1234"),
        "REP-TENSOR: edit 1: 'm1/param:p0' is float32 [2, 3] of 24 bytes, but the new tensor is 4 bytes");
    row("tensor of another shape", loader, replaceBy("m1/param:p0", npy("<f4", "3, 2", std::string(24, '\0'))),
        "REP-TENSOR: edit 1: 'm1/param:p0' is float32 [2, 3], but the new tensor is float32 [3, 2]");
    row("tensor of another type", loader, replaceBy("m1/param:p0", npy("<i4", "2, 3", std::string(24, '\0'))),
        "REP-TENSOR: edit 1: 'm1/param:p0' is float32 [2, 3], but the new tensor is int32 [2, 3]");
    row("broken NumPy file", loader, replaceBy("m1/param:p0", "\x93NUMPY\1"), "");
    row("broken JSON by value", graph, setEdit("m1/field:graph_json", "'{'"),
        "REP-JSON: edit 1: cannot replace the JSON text of 'm1/field:graph_json': invalid JSON: ");
    row("broken JSON by file", graph, replaceBy("m1/field:graph_json", "[1,"),
        "REP-JSON: edit 1: cannot replace the JSON text of 'm1/field:graph_json': invalid JSON: ");
    row("a number too large", vm, setEdit("m1/field:functions[1].register_file_size", "18446744073709551615"), "RE");
    row("not an image", oneModule("cuda", code3("cubin", kAddMul, cuda::fatbin({{.payload = "x"}}), Info::Four)),
        replaceBy("m1/entry:0", "text"), "FILE-HEADER: edit 1: ");
    notFound("an image that does not exist",
             oneModule("cuda", code3("cubin", kAddMul, cuda::fatbin({{.payload = "x"}}), Info::Four)),
             removeEdit("m1/entry:1"), "m1/entry:1", "the fat binary has 1 image, counted from 0");

    // --- edits that conflict ---
    notEditable("renamed to nothing", ptx, renameEdit("m1/kernel:add", ""), "m1/kernel:add", "the new name is empty");
    row("renamed twice", ptx, list({renameEdit("m1/kernel:add", "a"), renameEdit("m1/kernel:add", "b")}),
        "REP-TARGET: edit 2: cannot edit 'm1/kernel:add': edit 1 renames it");
    row("renamed and removed", ptx, list({renameEdit("m1/kernel:add", "a"), removeEdit("m1/kernel:add")}),
        "REP-TARGET: edit 2: cannot edit 'm1/kernel:add': edit 1 renames it");
    row("removed and renamed", ptx, list({removeEdit("m1/kernel:add"), renameEdit("m1/kernel:add", "a")}),
        "REP-TARGET: edit 2: cannot edit 'm1/kernel:add': edit 1 removes it");
    row("payload and field", ptx, list({replaceBy("m1", ptxModule(Info::Four, "")), setEdit("m1/field:fmt", "'x'")}),
        "REP-CONFLICT: two edits change the same bytes of module m1: its whole payload and something in it");
    row("kernel replaced and removed", metal, list({replaceBy("m1/kernel:add", "x"), removeEdit("m1/kernel:add")}),
        "REP-CONFLICT: two edits change the same bytes of module m1: m1/kernel:add and another edit of m1/kernel:add");
    row("field of a removed kernel", ptx, list({removeEdit("m1/kernel:add"), setEdit("m1/field:fmap[0].key", "'x'")}),
        "REP-CONFLICT: two edits change the same bytes of module m1: m1/kernel:add and m1/field:fmap[0].key");
    row("a list and an item of it", ptx,
        list({setEdit("m1/field:fmap[0].info.arg_types", "[]"),
              setEdit("m1/field:fmap[0].info.arg_types[0]", "'int8'")}),
        "REP-CONFLICT: ");

    // --- results that loaders would reject ---
    row("payload that fits no layout", ptx, replaceBy("m1", "nonsense"),
        "REP-UNDECODED: the new bytes of module m1 match no layout of 'cuda': ");
    row("a count that does not fit", loader, setEdit("m1/field:tensors[0].ndim", "9"), "RE");
    row("a kind that the payload does not fit", ptx, renameEdit("m1", "vulkan"),
        "REP-UNDECODED: the new bytes of module m1 match no layout of 'vulkan': ");
  }
  void impossibleEditsAreRefused() {
    QFETCH(std::string, file);
    QFETCH(std::string, edits);
    QFETCH(std::string, expected);
    const auto edited = applyTo(opened(file), edits);
    QVERIFY2(!edited, "it was done");
    const std::string found = std::string(edited.error().diagnostic().idText()) + ": " + edited.error().message();
    QVERIFY2(found.starts_with(expected), found.c_str());
  }

  /// Forced edits are applied and reported.
  void forcedEditsWarn_data() {
    QTest::addColumn<std::string>("file");
    QTest::addColumn<std::string>("edits");
    QTest::addColumn<std::string>("told");
    const std::string ptx = oneModule("cuda", ptxModule(Info::Four, ptxText(kAddMul)));
    QTest::newRow("payload that fits no layout")
        << ptx << replaceBy("m1", "nonsense") << "the new bytes of module m1 match no layout of 'cuda'"s;
    QTest::newRow("a kind that the payload does not fit")
        << ptx << renameEdit("m1", "vulkan") << "match no layout of 'vulkan'"s;
    QTest::newRow("two kernels of one name")
        << ptx << renameEdit("m1/kernel:add", "mul") << "two of its kernels would have the name 'mul'"s;
  }
  void forcedEditsWarn() {
    QFETCH(std::string, file);
    QFETCH(std::string, edits);
    QFETCH(std::string, told);
    const auto edited = applyTo(opened(file), edits, true);
    QVERIFY2(edited, edited ? "" : edited.error().message().c_str());
    QCOMPARE(edited->applied.warnings.size(), std::size_t{1});
    const std::string message = edited->applied.warnings.front().message();
    QVERIFY2(edited->applied.warnings.front().id == DiagnosticId::PlanForced && message.find(told) != std::string::npos,
             message.c_str());
    QCOMPARE(problemsOf(*edited), std::string());
  }

  /// A kernel that is listed without code is reported once, and only when an edit caused it.
  void editThatLeavesAKernelWithoutCodeWarns() {
    const std::string file = oneModule("metal", metal3(kCodes, kAddMul));
    const auto told = [](const Result<Edited>& edited) {
      return edited ? edited->applied.warnings.size() : std::size_t{99};
    };
    const std::vector<std::pair<std::string, std::string>> nameless = {{"add", "a"}, {"mul", "m"}};
    QCOMPARE(told(applyTo(opened(oneModule("metal", metal3(nameless, kAddMul))), renameEdit("m1/kernel:add", "x"))),
             std::size_t{0});
    const auto lost = applyTo(opened(file), setEdit("m1/field:smap[0].key", "'other'"));
    QCOMPARE(told(lost), std::size_t{1});
    QCOMPARE(lost->applied.warnings.front().message(),
             "module m1 lists the kernel 'add', but its code does not define it; calling it will fail"s);
    QCOMPARE(
        told(applyTo(opened(oneModule("metal", metal3({nameless[0]}, kAddMul))), renameEdit("m1/kernel:add", "x"))),
        std::size_t{0});
  }

  /// Only whole words that mean the kernel change in the code.
  void renamedKernelIsRenamedInItsText_data() {
    QTest::addColumn<std::string>("format");
    QTest::addColumn<std::string>("code");
    QTest::addColumn<std::string>("name");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* title, const char* format, const std::string& code, const char* name,
                        const std::string& expected) {
      QTest::newRow(title) << std::string(format) << code << std::string(name) << expected;
    };
    const auto ptx = [](const std::string& name) {
      return ".version 8.0 // add\n.target sm_80\n.extern .func addition;\n.visible .entry " + name +
             "(\n.param .u64 add_param_0)\n{\n/* add */ add.u32 %r1, %r2, 1;\nmov.u64 %rd1, " + name +
             ";\nld.param.u64 %rd2, [add_param_0];\n$add: bra $add;\n.pragma \"add\";\nret;\n}\n";
    };
    row("PTX", "ptx", ptx("add"), "sum$_2", ptx("sum$_2"));
    row("PTX, a name that PTX does not accept", "ptx", ptx("add"), "2sum", ptx("add"));
    row("PTX, a name in other bytes", "ptx", ptx("add"), "s\xc3\xbcm", ptx("add"));
    row("PTX, a name that is already used", "ptx", ptx("add"), "addition", ptx("add"));
    row("PTX, the name of an instruction that is used", "ptx", ptx("add"), "ret", ptx("add"));
    const auto source = [](const std::string& name, const std::string& more = {}) {
      return "#include <cuda.h>\nextern \"C\" __global__ void " + name +
             "(float* a); // add\nextern \"C\" __global__ void __launch_bounds__(64) " + name +
             "(float* a) {\n  a[0] = add_one(a[1]); printf(\"add\");\n}\n" + more;
    };
    row("CUDA C++", "cuda", source("add"), "sum", source("sum"));
    row("CUDA C++, a keyword", "cuda", source("add"), "float", source("add"));
    row("CUDA C++, a name that is already used", "cuda", source("add"), "add_one", source("add"));
    for (const char* const name : {"main", "printf", "__syncthreads", "s\xc3\xbcm"})
      QTest::addRow("CUDA C++, a name that cannot be used: %s", name)
          << "cuda"s << source("add") << std::string(name) << source("add");
    const std::string digits = "__device__ int one = 1'000;\n", launch = "void run() { add<<<1'0, 1>>>(0); }\n";
    row("CUDA C++ with separated digits", "cuda", digits + source("add"), "sum", digits + source("sum"));
    row("CUDA C++ with a launch", "cuda", source("add", launch), "sum", source("add", launch));
    row("CUDA C++ with a comment before the parenthesis", "cuda", "__global__ void add /* a */ (int) {}", "sum",
        "__global__ void sum /* a */ (int) {}");
    row("CUDA C++ with a kernel declared by a macro", "cuda", "#define K __global__\nK void add(int) {}", "sum",
        "#define K __global__\nK void add(int) {}");
    row("CUDA C++ with a longer name in UTF-8", "cuda", source("add", "int add\xc3\xa9;"), "sum",
        source("sum", "int add\xc3\xa9;"));
    row("PTX and a NUL", "ptx", ptx("add") + std::string(1, '\0'), "sum", ptx("sum") + std::string(1, '\0'));
    row("PTX after a byte order mark", "ptx", "\xef\xbb\xbf" + ptx("add"), "sum", "\xef\xbb\xbf" + ptx("sum"));
    for (const char* const more : {"struct S { int add; };\n", "#define add(x) x\n",
                                   "__device__ void f() { add(1); }\n", "const char* s = R\"(add)\";\n"})
      QTest::addRow("CUDA C++, another use of the name: %s", more)
          << "cuda"s << source("add", more) << "sum"s << source("add", more);
  }
  void renamedKernelIsRenamedInItsText() {
    QFETCH(std::string, format);
    QFETCH(std::string, code);
    QFETCH(std::string, name);
    QFETCH(std::string, expected);
    const auto edited = applyTo(opened(oneModule("cuda", code3(format, {{"add"}}, code, Info::Four))),
                                renameEdit("m1/kernel:add", name));
    QVERIFY2(edited, edited ? "" : edited.error().message().c_str());
    QCOMPARE(problemsOf(*edited), std::string());
    const std::string payload(edited->after->blobs.front()->modules[1]->payload.view());
    QCOMPARE(payload, code3(format, {{name}}, expected, Info::Four));
    // A launch finds the kernel by its name in the code.
    QCOMPARE(warningsOf(*edited), std::vector<std::string>(expected == code ? 1 : 0, "REP-KERNEL-CODE"));
  }

  /// The name of a kernel in machine code is not changed, so that a launch would not find it.
  void renamedKernelThatKeepsItsNameInTheCodeWarns_data() {
    QTest::addColumn<std::string>("payload");
    const auto cubin = [](std::vector<std::string> names) {
      cuda::CubinFile file;
      for (std::string& name : names) {
        cuda::CubinKernel kernel;
        kernel.name = std::move(name);
        kernel.code = std::string(128, 'c');
        file.kernels.push_back(kernel);
      }
      return file.build();
    };
    const std::string text = ptxText({{"add"}});
    QTest::newRow("cubin with one kernel") << code3("cubin", {{"add"}}, cubin({"add"}), Info::Four);
    QTest::newRow("cubin with two kernels") << code3("cubin", kAddMul, cubin({"add", "mul"}), Info::Four);
    QTest::newRow("fat binary") << code3("fatbin", {{"add"}}, cuda::fatbin({{.payload = cubin({"add"})}}), Info::Four);
    QTest::newRow("PTX in a fat binary") << code3("fatbin", {{"add"}}, cuda::fatbin({{.kind = 1, .payload = text}}),
                                                  Info::Four);
  }
  void renamedKernelThatKeepsItsNameInTheCodeWarns() {
    QFETCH(std::string, payload);
    const auto package = opened(oneModule("cuda", payload));
    const auto edited = applyTo(package, renameEdit("m1/kernel:add", "sum"));
    QVERIFY2(edited, edited ? "" : edited.error().message().c_str());
    QCOMPARE(warningsOf(*edited), std::vector<std::string>{"REP-KERNEL-CODE"});
    QCOMPARE(edited->applied.warnings.front().message(),
             "module m1 lists the kernel 'sum', but its code does not define it; calling it will fail"s);
    const auto kept = applyTo(package, renameEdit("m1/kernel:add", "add"));
    QVERIFY(kept && kept->applied.warnings.empty());
  }

  /// Vulkan and Metal look the kernel up by its name in its own code, too.
  void renamedKernelWithSeparateCodeWarns_data() {
    QTest::addColumn<std::string>("code");
    QTest::addColumn<bool>("warns");
    QTest::newRow("source with the old name") << "kernel void add(device float* a) {}"s << true;
    QTest::newRow("binary code with the old name") << std::string("\x05\x00\x00\x00"
                                                                  "add\0\x01",
                                                                  9)
                                                   << true;
    QTest::newRow("code with a longer name") << "kernel void add_1(device float* a) {}"s << false;
    QTest::newRow("code that has both names") << "kernel void sum() { add(); }"s << false;
    QTest::newRow("code without names") << "fn main() {}"s << false;
  }
  void renamedKernelWithSeparateCodeWarns() {
    QFETCH(std::string, code);
    QFETCH(bool, warns);
    const auto edited =
        applyTo(opened(oneModule("metal", metal3({{"add", code}}, {{"add"}}))), renameEdit("m1/kernel:add", "sum"));
    QVERIFY2(edited, edited ? "" : edited.error().message().c_str());
    QCOMPARE(warningsOf(*edited), std::vector<std::string>(warns ? 1 : 0, "REP-KERNEL-CODE"));
  }

  /// The reason says what is known: the name is missing, the old name is used, or nothing.
  void reasonForAKernelWithoutCodeIsGiven_data() {
    QTest::addColumn<std::string>("key");
    QTest::addColumn<std::string>("payload");
    QTest::addColumn<std::string>("reason");
    QTest::newRow("machine code") << "cuda"s << code3("ptx", {{"add"}}, "\x01\x02", Info::Four)
                                  << "its code could not be checked and may still use the old name"s;
    QTest::newRow("not a name for PTX") << "cuda"s << code3("ptx", {{"add"}}, ptxText({{"sum-"}, {"add"}}), Info::Four)
                                        << "its code does not define it; calling it will fail"s;
    QTest::newRow("separate code") << "metal"s << metal3({{"add", "kernel void add() {}"}}, {{"add"}})
                                   << "its code still uses the old name; calling it will probably fail"s;
  }
  void reasonForAKernelWithoutCodeIsGiven() {
    QFETCH(std::string, key);
    QFETCH(std::string, payload);
    QFETCH(std::string, reason);
    const auto edited = applyTo(opened(oneModule(key, payload)), renameEdit("m1/kernel:add", "a-b"));
    QVERIFY2(edited, edited ? "" : edited.error().message().c_str());
    QCOMPARE(edited->applied.warnings.size(), std::size_t{1});
    QCOMPARE(edited->applied.warnings.front().message(), "module m1 lists the kernel 'a-b', but " + reason);
  }

  /// A kernel that never had code is not reported when it is renamed; a new name that the code defines is not either.
  void renamedKernelThatTheCodeDefinesOrNeverDefinedDoesNotWarn() {
    const std::string rename = renameEdit("m1/kernel:add", "sum");
    for (const char* const kernel : {"sum", "mul"}) {
      const auto edited =
          applyTo(opened(oneModule("cuda", code3("ptx", {{"add"}}, ptxText({{kernel}}), Info::Four))), rename);
      QVERIFY2(edited && edited->applied.warnings.empty(), kernel);
    }
  }

  /// In OpenCL C the runtime finds kernels by the names in comments, which stay.
  void renamedOnlyKernelOfOpenclWarns() {
    const auto edited = applyTo(opened(oneModule("opencl", code3("cl", {{"add"}}, openclText({{"add"}}), Info::Four))),
                                renameEdit("m1/kernel:add", "sum"));
    QVERIFY(edited);
    QCOMPARE(warningsOf(*edited), std::vector<std::string>{"REP-KERNEL-CODE"});
  }

  /// The order of independent edits does not matter.
  void independentEditsCommute() {
    const std::string file = ffiLibrary({{"_lib", ""},
                                         {"metal", metal3(kCodes, kAddMul)},
                                         {"cuda", ptxModule(Info::Four, "// x")},
                                         {"vendor", "bytes"}},
                                        {{1, 2}, {3}, {3}, {}});
    std::vector<std::string> edits = {renameEdit("m1/kernel:add", "x"), replaceBy("m1/kernel:mul", "other"),
                                      removeEdit("m2/kernel:add"),      setEdit("m2/field:fmt", "'cuda'"),
                                      renameEdit("m3", "seller"),       "{'op': 'relink', 'ref': 'm1', 'imports': []}"};
    std::string expected;
    for (int i = 0; i < 60; ++i) {
      const auto edited = applyTo(opened(file), list(edits));
      QVERIFY2(edited, edited ? "" : edited.error().message().c_str());
      QCOMPARE(problemsOf(*edited), std::string());
      const std::string made = bytesOf(edited->applied.blobs.front());
      if (expected.empty()) expected = made;
      QCOMPARE(made, expected);
      std::next_permutation(edits.begin(), edits.end());
    }
  }

  void applyingCanBeCancelled() {
    const auto package = opened(oneModule("metal", metal3(kCodes, kAddMul)));
    const auto edits = editsOf(list({replaceBy("m1/kernel:add", "x"), replaceBy("m1/kernel:mul", "y")}));
    for (int looks = 0;; ++looks) {
      StopAfter stop(looks);
      const auto made = edit::apply(package, edits, {}, stop);
      if (made) {
        QVERIFY(looks > 2);
        return;
      }
      QVERIFY(made.error().code() == ErrorCode::Cancelled);
    }
  }
};

BLOBSCOPE_TEST(TestApplyEdits);
#include "test_apply.moc"
