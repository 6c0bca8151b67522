#pragma once

#include "tests/support/archive_builder.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
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
  std::string json = "./metadata.json"; ///< the file that set(), drop() … change

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

  // --- Changes of one JSON text: metadata.json, unless in() names another file ---
  // `path`: keys separated by '/'; each key is searched after the one before it, the first one from the start of the
  // text. When one is missing, the text becomes unreadable, so that a wrong test does not pass.

  /// Makes the following changes in this file of the archive.
  Mlf& in(std::string_view file) {
    json = file;
    return *this;
  }
  /// Replaces the value of a member.
  Mlf& set(std::string_view path, std::string_view value) {
    return change(path, [&](std::string& text, JsonMember at) { text.replace(at.value, at.end - at.value, value); });
  }
  /// Removes a member with its comma.
  Mlf& drop(std::string_view path) {
    return change(path, [](std::string& text, JsonMember at) {
      if (text[at.end] == ',') {
        at.end += text[at.end + 1] == ' ' ? 2 : 1;
      } else {
        const std::size_t before = text.find_last_not_of(" \n", at.key - 1);
        if (text[before] == ',') at.key = before;
      }
      text.erase(at.key, at.end - at.key);
    });
  }
  /// Renames the key of a member.
  Mlf& renameKey(std::string_view path, std::string_view key) {
    return change(path, [&](std::string& text, JsonMember at) {
      text.replace(at.key + 1, at.value - at.key - 4, key); // without "": and the blank
    });
  }
  /// Inserts members in front of another one: insertBefore("style", R"("more": 1)").
  Mlf& insertBefore(std::string_view path, std::string_view added) {
    return change(path, [&](std::string& text, JsonMember at) { text.insert(at.key, std::string(added) + ", "); });
  }
  /// Inserts members or elements at the start of the object or list that is the value of a member. The value must not
  /// be empty.
  Mlf& insertFirst(std::string_view path, std::string_view items) {
    return change(path,
                  [&](std::string& text, JsonMember at) { text.insert(at.value + 1, std::string(items) + ", "); });
  }

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

private:
  /// A member of a JSON object in a text: offsets of the quote of its key, of its value, and after its value.
  struct JsonMember {
    std::size_t key, value, end;
  };

  template <typename Change> Mlf& change(std::string_view path, const Change& change) {
    std::string& text = at(json);
    JsonMember member = {0, 0, 0};
    for (std::string_view rest = path; !rest.empty();) {
      const std::string key = "\"" + std::string(rest.substr(0, rest.find('/'))) + "\": ";
      rest.remove_prefix(std::min(rest.size(), key.size() - 3));
      member.key = text.find(key, member.value);
      if (member.key == std::string::npos) {
        text = "the builder has no '" + std::string(path) + "'";
        return *this;
      }
      member.value = member.key + key.size();
    }
    member.end = endOfValue(text, member.value);
    change(text, member);
    return *this;
  }
  /// The offset after the JSON value at `at`.
  static std::size_t endOfValue(std::string_view text, std::size_t at) {
    int depth = 0;
    bool quoted = false;
    for (; at < text.size(); ++at) {
      const char c = text[at];
      if (c == '"') quoted = !quoted; // no text of the builder contains an escaped quote
      if (quoted) continue;
      if (depth == 0 && (c == ',' || c == '}' || c == ']' || c == '\n')) break;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
    }
    return at;
  }
};

/// `text` with every placeholder replaced: expanded("${lib}.c", {{"lib", "default_lib0"}}).
inline std::string expanded(std::string text, const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [name, value] : values) {
    const std::string placeholder = "${" + name + "}";
    for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos; at += value.size())
      text.replace(at, placeholder.size(), value);
  }
  return text;
}

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
  return expanded(
      R"({
  "nodes": [
    {"op": "null", "name": "x", "inputs": []},
    {"op": "null", "name": "p0", "inputs": []},
    {"op": "tvm_op", "name": "${kernel}", "attrs": {${attributes}}, "inputs": [[0, 0, 0], [1, 0, 0]]}
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
})",
      {{"attributes", R"("num_outputs": "1", "num_inputs": "2", "flatten_data": "0", "func_name": "${kernel}")"},
       {"kernel", kernel}});
}

inline std::string mlfTarget() { return "c -keys=cpu "; }

/// The source of a packed kernel, followed by `more`.
inline std::string mlfKernel(const std::string& name, const std::string& more = {}) {
  return expanded(R"(// tvm target: ${target}
#define TVM_EXPORTS
#include "tvm/runtime/c_runtime_api.h"
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t ${name}(${parameters});
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t ${name}(${parameters}) {
  return 0;
}
)",
                  {{"target", mlfTarget()},
                   {"name", name},
                   {"parameters", "void* args, int32_t* arg_type_ids, int32_t num_args, void* out_ret_value, "
                                  "int32_t* out_ret_tcode, void* resource_handle"}}) +
         more;
}

/// The function registry of the C runtime with a system library.
inline std::string mlfRegistry(unsigned version, const std::vector<std::string>& names) {
  std::string prototypes, functions, list;
  for (const std::string& name : names) {
    prototypes += "TVM_DLL int32_t " + name +
                  "(TVMValue* args, int* type_code, int num_args, TVMValue* out_value, int* out_type_code, "
                  "void* resource_handle);\n";
    functions += "    (TVMBackendPackedCFunc)" + name + ",\n";
    list += name + R"(\000)";
  }
  return expanded(R"(#include <tvm/runtime/crt/module.h>
${prototypes}static TVMBackendPackedCFunc _tvm_func_array[] = {
${functions}};
static const TVMFuncRegistry _tvm_func_registry = {
    "\00${count}${end of count}${list}",    _tvm_func_array,
};
static const TVMModule _tvm_system_lib = {
    &_tvm_func_registry,
};
const TVMModule* TVMSystemLibEntryPoint(void) {
    return &_tvm_system_lib;
}
;)",
                  {{"prototypes", prototypes},
                   {"functions", functions},
                   {"count", std::to_string(names.size())},
                   {"end of count", version <= 5 ? "" : R"(\000)"}, // the count has one byte, from version 6 on two
                   {"list", list}});
}

/// "memory" of the metadata.
inline std::string mlfMemory(unsigned version, MlfStyle style, const MlfNames& names) {
  if (style == MlfStyle::Operator)
    return R"({"add_op": [{"size_bytes": 16, "shape": [1, 4], "dtype": "float32", "input_binding": "A_1"}, )"
           R"({"size_bytes": 16, "shape": [1, 4], "dtype": "float32", "input_binding": "B_1"}]})";
  const std::string sids = R"([
      {"storage_id": 0, "size_bytes": 16, "input_binding": "x"},
      {"storage_id": 1, "size_bytes": 16, "input_binding": "p0"},
      {"storage_id": 2, "size_bytes": 16}
    ])";
  if (version == 1) return style == MlfStyle::Graph ? sids : "[]";
  std::string main =
      expanded(R"("device": 1, "workspace_size_bytes": 64, "constants_size_bytes": ${constants}, "io_size_bytes": 32)",
               {{"constants", style == MlfStyle::Graph ? "16" : "0"}});
  if (version == 7)
    main += R"(, "inputs": {"x": {"size": 16, "dtype": "float32"}})"
            R"(, "outputs": {"output": {"size": 16, "dtype": "float32"}})";
  return expanded(R"({
    ${sids}"functions": {
      "main": [{${main}}],
      "operator_functions": [{"function_name": "${kernel}", "workspace": [${workspace}]}]
    }
  })",
                  {{"sids", style == MlfStyle::Graph ? R"("sids": )" + sids + ",\n    " : ""},
                   {"main", main},
                   {"kernel", names.kernel},
                   {"workspace", R"({"device": 1, "workspace_size_bytes": 32})"}});
}

/// The object of one module, without the line of its last bracket.
inline std::string mlfModule(unsigned version, MlfStyle style, const std::string& model, bool runtime,
                             bool withVersion) {
  std::string out = "{\n";
  const auto member = [&](const std::string& key, const std::string& value) {
    out += "  \"" + key + "\": " + value + ",\n";
  };
  const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
  if (withVersion) member("version", std::to_string(version));
  member("model_name", quoted(model));
  member("export_datetime", R"("2022-08-01 12:00:00Z")");
  member("target", version <= 5 ? R"({"1": )" + quoted(mlfTarget()) + "}" : "[" + quoted(mlfTarget()) + "]");
  member(version <= 4 ? "runtimes" : "executors", style == MlfStyle::Graph ? R"(["graph"])"
                                                  : style == MlfStyle::Aot ? R"(["aot"])"
                                                                           : "[]");
  if (version >= 4) member("style", quoted(style == MlfStyle::Operator ? "operator" : "full-model"));
  if (runtime)
    member("external_dependencies",
           R"([{"short_name": "tvm_standalone_crt", "url": "./runtime", "url_type": "mlf_path", )"
           R"("version_spec": "0.12.0"}])");
  return out + R"(  "memory": )" + mlfMemory(version, style, MlfNames(version, style, model)) + "\n}";
}

/// The metadata of version 7 from the objects of its modules.
inline std::string mlfModules(const std::vector<std::pair<std::string, std::string>>& modules) {
  std::string list;
  for (const auto& [name, module] : modules) list += (list.empty() ? "\"" : ",\n\"") + name + "\": " + module;
  return "{\n\"modules\": {" + list + "},\n\"version\": 7\n}";
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
  std::string upper = model;
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  const std::string prefix = "tvmgen_" + model;
  const auto text = [&](const std::string& pattern) {
    return expanded(pattern,
                    {{"main", names.main + "(void* x_buffer_var, void* output_buffer_var)"},
                     {"main name", names.main},
                     {"run", "${prefix}_run(struct ${prefix}_inputs* inputs, struct ${prefix}_outputs* outputs)"},
                     {"kernel", names.kernel},
                     {"model", model},
                     {"blank", " "},
                     {"prefix", prefix},
                     {"PREFIX", "TVMGEN_" + upper}});
  };
  mlf.add(source + "1.c", mlfKernel(names.kernel, text(R"(TVM_DLL int32_t ${main} {
  return ${kernel}(0, 0, 0, 0, 0, 0);
}
)")));
  if (version < 5) {
    mlf.add(source + "0.c", text(R"(#include "tvm/runtime/crt/internal/aot_executor/aot_executor.h"
TVM_DLL int32_t ${main};
)"));
    return;
  }
  mlf.add(source + "0.c", text(R"(#include "tvm/runtime/c_runtime_api.h"
#ifdef __cplusplus
extern "C" {
#endif
#include <${prefix}.h>
TVM_DLL int32_t ${main};
int32_t ${run} {
  return ${main name}(inputs->x, outputs->output);
}
#ifdef __cplusplus
}
#endif
;)"));
  const std::string sizes = version == 7 ? R"(/*!
 * \brief Input tensor x size (in bytes) for TVM module "${model}"${blank}
 */
#define ${PREFIX}_X_SIZE 16
#define ${PREFIX}_OUTPUT_SIZE 16
)"
                                         : "";
  mlf.add("./codegen/host/include/" + prefix + ".h", text(R"(#ifndef ${PREFIX}_H_
#define ${PREFIX}_H_
#include <stdint.h>

)" + sizes + R"(struct ${prefix}_inputs {
  void* x;
};

struct ${prefix}_outputs {
  void* output;
};

int32_t ${run};

#define ${PREFIX}_WORKSPACE_SIZE 64
#endif // ${PREFIX}_H_
)"));
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
  mlf.metadata() = wrapped ? mlfModules({{model, module}}) : module;
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
  mlf.metadata() = mlfModules(
      {{a, mlfModule(7, MlfStyle::Graph, a, true, false)}, {b, mlfModule(7, MlfStyle::Aot, b, true, false)}});
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
