#pragma once

#include "tests/support/archive_builder.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Archives in the Model Library Format, made from core/formats/model-library-format.md: valid ones of every version,
/// which tests then damage.
namespace blobscope::test {

/// A member of the tar, as stored.
struct MlfMember {
  std::string path, content;
  char type = '0';
  std::string link = {};
  unsigned mode = 0644;
  uint64_t uid = 0;
  std::string owner = "root";
  uint64_t changed = 1'659'355'200; ///< 2022-08-01 12:00:00 UTC, the date in the metadata
};

enum class MlfStyle { Graph, Aot, Operator };

/// An archive as an exporter of that version wrote it: one module, input `x`, parameter `p0` (graph only), one kernel,
/// one output, float32[1,4] each; `c` target, C runtime. Operator archives exist from version 4 on.
struct Mlf {
  std::vector<MlfMember> members;

  MlfMember* find(std::string_view path) {
    const auto found =
        std::find_if(members.begin(), members.end(), [&](const MlfMember& one) { return one.path == path; });
    return found != members.end() ? &*found : nullptr;
  }
  /// The content to change; `path` begins with "./". It is created when missing.
  std::string& at(std::string_view path) {
    if (!find(path)) members.push_back({std::string(path), {}});
    return find(path)->content;
  }
  std::string& metadata() { return at("./metadata.json"); }
  Mlf& add(std::string path, std::string content = "text\n") {
    at(path) = std::move(content);
    return *this;
  }
  Mlf& remove(std::string_view path) {
    std::erase_if(members, [&](const MlfMember& one) { return one.path == path; });
    return *this;
  }
  Mlf& rename(std::string_view from, std::string to) {
    if (MlfMember* const member = find(from)) member->path = std::move(to);
    return *this;
  }
  /// Replaces the first `from` in a member; fails when it is missing, so that a wrong test does not pass.
  Mlf& replace(std::string_view path, std::string_view from, std::string_view to) {
    std::string& text = at(path);
    const std::size_t place = text.find(from);
    if (place == std::string::npos)
      text = "the builder has no '" + std::string(from) + "'";
    else
      text.replace(place, from.size(), to);
    return *this;
  }
  Mlf& meta(std::string_view from, std::string_view to) { return replace("./metadata.json", from, to); }

  /// Members without the end marker.
  std::string body() const {
    std::string out;
    for (const MlfMember& member : members) {
      out += header(member) + member.content;
      out.resize((out.size() + 511) / 512 * 512, '\0');
    }
    return out;
  }
  std::string tar() const { return body() + std::string(1024, '\0'); }

  static std::string header(const MlfMember& member) {
    std::string header = padded(member.path, 100, '\0') + octal(member.mode, 7) + '\0' + octal(member.uid, 7) + '\0' +
                         octal(member.uid, 7) + '\0' + octal(member.content.size(), 11) + '\0' +
                         octal(member.changed, 11) + '\0' + std::string(8, ' ') + member.type +
                         padded(member.link, 100, '\0') +
                         std::string("ustar\0"
                                     "00",
                                     8) +
                         padded(member.owner, 32, '\0') + padded(member.owner, 32, '\0');
    header.resize(512, '\0');
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    header.replace(148, 8, octal(sum, 6) + '\0' + ' ');
    return header;
  }
};

inline std::string littleEndian(uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i, value >>= 8) out += static_cast<char>(value & 0xff);
  return out;
}

/// A float32[1,4] of zeros as the parameter file stores it.
inline std::string mlfTensor() {
  return littleEndian(0xDD5E40F096B4A13F, 8) + littleEndian(0, 8) + littleEndian(1, 4) + littleEndian(0, 4) +
         littleEndian(2, 4) + '\x02' + '\x20' + littleEndian(1, 2) + littleEndian(1, 8) + littleEndian(4, 8) +
         littleEndian(16, 8) + std::string(16, '\0');
}
/// A parameter file with such a tensor for each name.
inline std::string mlfParameters(const std::vector<std::string>& names) {
  std::string out = littleEndian(0xF7E58D4F05049CB7, 8) + littleEndian(0, 8) + littleEndian(names.size(), 8);
  for (const std::string& name : names) out += littleEndian(name.size(), 8) + name;
  out += littleEndian(names.size(), 8);
  for (std::size_t i = 0; i < names.size(); ++i) out += mlfTensor();
  return out;
}

/// Names that depend on the version.
struct MlfNames {
  std::string lib, kernel, main, graph, listing;
  MlfNames(unsigned version, MlfStyle style, const std::string& model) {
    lib = version <= 2 || style == MlfStyle::Operator ? "lib" : model + "_lib";
    kernel = version <= 2 ? "fused_add" : "tvmgen_" + model + "_fused_add";
    main = version <= 2   ? "tvm__run_func"
           : version <= 5 ? "tvmgen_" + model + "_run_model"
                          : "tvmgen_" + model + "___tvm_main__";
    graph = version <= 4   ? "./runtime-config/graph/graph.json"
            : version <= 6 ? "./executor-config/graph/graph.json"
                           : "./executor-config/graph/" + model + ".graph";
    listing = version <= 3 ? "./relay.txt" : version <= 6 ? "./src/relay.txt" : "./src/" + model + ".relay";
  }
};

inline std::string mlfGraph(const std::string& kernel) {
  return R"({
  "nodes": [
    {"op": "null", "name": "x", "inputs": []},
    {"op": "null", "name": "p0", "inputs": []},
    {"op": "tvm_op", "name": ")" +
         kernel + R"(", "attrs": {"num_outputs": "1", "num_inputs": "2", "flatten_data": "0", "func_name": ")" +
         kernel + R"("}, "inputs": [[0, 0, 0], [1, 0, 0]]}
  ],
  "arg_nodes": [0, 1],
  "heads": [[2, 0, 0]],
  "attrs": {
    "dltype": ["list_str", ["float32", "float32", "float32"]],
    "device_index": ["list_int", [1, 1, 1]],
    "storage_id": ["list_int", [0, 1, 2]],
    "shape": ["list_shape", [[1, 4], [1, 4], [1, 4]]]
  },
  "node_row_ptr": [0, 1, 2, 3]
})";
}

inline std::string mlfTarget() { return "c -keys=cpu "; }

/// The source of a packed kernel, followed by `more`.
inline std::string mlfKernel(const std::string& name, const std::string& more = {}) {
  const std::string head = "TVM_DLL int32_t " + name +
                           "(void* args, int32_t* arg_type_ids, int32_t num_args, void* out_ret_value, int32_t* "
                           "out_ret_tcode, void* resource_handle)";
  return "// tvm target: " + mlfTarget() +
         "\n#define TVM_EXPORTS\n#include \"tvm/runtime/c_runtime_api.h\"\n#ifdef __cplusplus\nextern \"C\"\n#endif\n" +
         head + ";\n#ifdef __cplusplus\nextern \"C\"\n#endif\n" + head + " {\n  return 0;\n}\n" + more;
}

/// The function registry of the C runtime with a system library.
inline std::string mlfRegistry(unsigned version, const std::vector<std::string>& names) {
  std::string prototypes, list,
      text = version <= 5 ? "\\00" + std::to_string(names.size()) : "\\00" + std::to_string(names.size()) + "\\000";
  for (const std::string& name : names) {
    prototypes += "TVM_DLL int32_t " + name +
                  "(TVMValue* args, int* type_code, int num_args, TVMValue* out_value, int* out_type_code, void* "
                  "resource_handle);\n";
    list += "    (TVMBackendPackedCFunc)" + name + ",\n";
    text += name + "\\000";
  }
  return "#include <tvm/runtime/crt/module.h>\n" + prototypes + "static TVMBackendPackedCFunc _tvm_func_array[] = {\n" +
         list + "};\nstatic const TVMFuncRegistry _tvm_func_registry = {\n    \"" + text +
         "\",    _tvm_func_array,\n};\nstatic const TVMModule _tvm_system_lib = {\n    &_tvm_func_registry,\n};\n"
         "const TVMModule* TVMSystemLibEntryPoint(void) {\n    return &_tvm_system_lib;\n}\n;";
}

/// "memory" of the metadata.
inline std::string mlfMemory(unsigned version, MlfStyle style, const MlfNames& names) {
  if (style == MlfStyle::Operator) {
    const std::string end = R"(, "shape": [1, 4], "dtype": "float32", "input_binding": )";
    return R"({"add_op": [{"size_bytes": 16)" + end + R"("A_1"}, {"size_bytes": 16)" + end + R"("B_1"}]})";
  }
  const std::string sids = R"([
      {"storage_id": 0, "size_bytes": 16, "input_binding": "x"},
      {"storage_id": 1, "size_bytes": 16, "input_binding": "p0"},
      {"storage_id": 2, "size_bytes": 16}
    ])";
  if (version == 1) return style == MlfStyle::Graph ? sids : "[]";
  std::string main = std::string(R"({"device": 1, "workspace_size_bytes": 64, "constants_size_bytes": )") +
                     (style == MlfStyle::Graph ? "16" : "0") + R"(, "io_size_bytes": 32)";
  if (version == 7)
    main += R"(, "inputs": {"x": {"size": 16, "dtype": "float32"}}, "outputs": {"output": {"size": 16, )"
            R"("dtype": "float32"}})";
  return "{\n    " + (style == MlfStyle::Graph ? "\"sids\": " + sids + ",\n    " : "") +
         "\"functions\": {\n      \"main\": [" + main + "}],\n      \"operator_functions\": [{\"function_name\": \"" +
         names.kernel + "\", \"workspace\": [{\"device\": 1, \"workspace_size_bytes\": 32}]}]\n    }\n  }";
}

/// The object of one module, without the line of its last bracket.
inline std::string mlfModule(unsigned version, MlfStyle style, const std::string& model, bool runtime,
                             bool withVersion) {
  const MlfNames names(version, style, model);
  const std::string executor = style == MlfStyle::Graph ? "\"graph\"" : style == MlfStyle::Aot ? "\"aot\"" : "";
  std::string out = "{\n  ";
  if (withVersion) out += "\"version\": " + std::to_string(version) + ",\n  ";
  out += "\"model_name\": \"" + model + "\",\n  \"export_datetime\": \"2022-08-01 12:00:00Z\",\n  ";
  out +=
      version <= 5 ? "\"target\": {\"1\": \"" + mlfTarget() + "\"},\n  " : "\"target\": [\"" + mlfTarget() + "\"],\n  ";
  out += (version <= 4 ? "\"runtimes\": [" : "\"executors\": [") + executor + "],\n  ";
  if (version >= 4)
    out += std::string("\"style\": \"") + (style == MlfStyle::Operator ? "operator" : "full-model") + "\",\n  ";
  if (runtime)
    out += R"("external_dependencies": [{"short_name": "tvm_standalone_crt", "url": "./runtime", )"
           R"("url_type": "mlf_path", "version_spec": "0.12.0"}],)"
           "\n  ";
  return out + "\"memory\": " + mlfMemory(version, style, names) + "\n}";
}

/// Folders before their content, sorted as by the exporter.
inline void mlfArrange(Mlf& mlf) {
  std::vector<std::string> folders = {"./"};
  for (const MlfMember& member : mlf.members)
    for (std::size_t at = member.path.find('/', 2); at != std::string::npos; at = member.path.find('/', at + 1))
      folders.push_back(member.path.substr(0, at + 1));
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  for (const std::string& folder : folders) {
    MlfMember made{folder, {}, '5'};
    made.mode = folder == "./" ? 0700 : 0755;
    mlf.members.push_back(std::move(made));
  }
  std::sort(mlf.members.begin(), mlf.members.end(),
            [](const MlfMember& a, const MlfMember& b) { return a.path < b.path; });
}

/// The files of one module.
inline void addMlfFiles(Mlf& mlf, unsigned version, MlfStyle style, const std::string& model) {
  const MlfNames names(version, style, model);
  const std::string source = "./codegen/host/src/" + names.lib;
  if (style == MlfStyle::Operator) {
    mlf.add(source + "0.c", mlfKernel("add_op"));
    mlf.add("./src/tir-1.txt", "# from tvm.script import tir as T\n");
    return;
  }
  mlf.add(names.listing, "def @main(%x: Tensor[(1, 4), float32]) {\n  add(%x, meta[relay.Constant][0])\n}\n");
  mlf.add("./parameters/" + model + ".params",
          mlfParameters(style == MlfStyle::Graph ? std::vector<std::string>{"p0"} : std::vector<std::string>{}));
  if (style == MlfStyle::Graph) {
    mlf.add(names.graph, mlfGraph(names.kernel));
    mlf.add(source + "0.c", mlfRegistry(version, {names.kernel}));
    mlf.add(source + "1.c", mlfKernel(names.kernel));
    return;
  }
  const std::string mainHead = "TVM_DLL int32_t " + names.main + "(void* x_buffer_var, void* output_buffer_var)";
  mlf.add(source + "1.c",
          mlfKernel(names.kernel, mainHead + " {\n  return " + names.kernel + "(0, 0, 0, 0, 0, 0);\n}\n"));
  if (version < 5) {
    mlf.add(source + "0.c", "#include \"tvm/runtime/crt/internal/aot_executor/aot_executor.h\"\n" + mainHead + ";\n");
    return;
  }
  std::string upper = model;
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  const std::string prefix = "tvmgen_" + model, macro = "TVMGEN_" + upper;
  const std::string run =
      "int32_t " + prefix + "_run(struct " + prefix + "_inputs* inputs, struct " + prefix + "_outputs* outputs)";
  mlf.add(source + "0.c",
          "#include \"tvm/runtime/c_runtime_api.h\"\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n#include <" + prefix +
              ".h>\n" + mainHead + ";\n" + run + " {\n  return " + names.main +
              "(inputs->x, outputs->output);\n}\n#ifdef __cplusplus\n}\n#endif\n;");
  mlf.add("./codegen/host/include/" + prefix + ".h",
          "#ifndef " + macro + "_H_\n#define " + macro + "_H_\n#include <stdint.h>\n\n" +
              (version == 7 ? "/*!\n * \\brief Input tensor x size (in bytes) for TVM module \"" + model +
                                  "\" \n */\n#define " + macro + "_X_SIZE 16\n#define " + macro + "_OUTPUT_SIZE 16\n"
                            : std::string()) +
              "struct " + prefix + "_inputs {\n  void* x;\n};\n\nstruct " + prefix +
              "_outputs {\n  void* output;\n};\n\n" + run + ";\n\n#define " + macro + "_WORKSPACE_SIZE 64\n#endif // " +
              macro + "_H_\n");
}

inline bool mlfHasRuntime(unsigned version, MlfStyle style) { return version == 7 && style == MlfStyle::Aot; }
inline void addMlfRuntime(Mlf& mlf) {
  mlf.add("./runtime/CMakeLists.txt")
      .add("./runtime/include/tvm/runtime/c_runtime_api.h")
      .add("./templates/crt_config.h.template");
}

/// A clean archive: no rule has a finding.
inline Mlf cleanMlf(unsigned version, MlfStyle style, const std::string& model = "default") {
  Mlf mlf;
  addMlfFiles(mlf, version, style, model);
  const bool runtime = mlfHasRuntime(version, style);
  if (runtime) addMlfRuntime(mlf);
  const bool wrapped = version == 7 && style != MlfStyle::Operator;
  const std::string module = mlfModule(version, style, model, runtime, !wrapped);
  mlf.metadata() = wrapped ? "{\n\"modules\": {\"" + model + "\": " + module + "},\n\"version\": 7\n}" : module;
  mlfArrange(mlf);
  return mlf;
}

/// A clean archive of version 7 with two modules that can be linked together: `a` with the graph executor, `b` with
/// AOT.
inline Mlf cleanMlfOfTwo(const std::string& a = "net", const std::string& b = "net_lib0") {
  Mlf mlf;
  addMlfFiles(mlf, 7, MlfStyle::Graph, a);
  addMlfFiles(mlf, 7, MlfStyle::Aot, b);
  addMlfRuntime(mlf);
  mlf.metadata() = "{\n\"modules\": {\"" + a + "\": " + mlfModule(7, MlfStyle::Graph, a, true, false) + ",\n\"" + b +
                   "\": " + mlfModule(7, MlfStyle::Aot, b, true, false) + "},\n\"version\": 7\n}";
  mlfArrange(mlf);
  return mlf;
}

/// Every clean archive that the format allows, one for each version and style.
struct MlfVariant {
  unsigned version;
  MlfStyle style;
  std::string title() const {
    return "v" + std::to_string(version) +
           (style == MlfStyle::Graph ? " graph"
            : style == MlfStyle::Aot ? " aot"
                                     : " operator");
  }
};
inline std::vector<MlfVariant> mlfVariants() {
  std::vector<MlfVariant> all;
  for (unsigned version = 1; version <= 7; ++version)
    for (const MlfStyle style : {MlfStyle::Graph, MlfStyle::Aot, MlfStyle::Operator})
      if (style != MlfStyle::Operator || version >= 4) all.push_back({version, style});
  return all;
}

} // namespace blobscope::test
