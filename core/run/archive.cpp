#include "core/run/archive.h"

#include "core/base/digest.h"
#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/compile/c_code.h"
#include "core/library/open.h"
#include "core/mlf/archive.h"
#include "core/mlf/c_source.h"
#include "core/run/agreed.h"

#include <algorithm>

namespace blobscope::run {
namespace {

constexpr std::string_view kEntry = "tvmgen_blobscope_run"; ///< of the node that stands for the whole model
constexpr std::string_view kGlue = "blobscope.c";

Error refused(std::string why) { return {DiagnosticId::RunArchive, {{"why", std::move(why)}}}; }

/// An input or output of the AOT executor.
struct Buffer {
  std::string name; ///< of the field in the struct of the header
  std::string type; ///< "float32"
  uint64_t count = 0;
};

/// What can be written into C code as it is.
bool isPlainName(std::string_view text, std::string_view more = {}) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           more.find(c) != std::string_view::npos;
  });
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

uint64_t bytesOf(std::string_view type) {
  const std::size_t digits = type.find_first_of("0123456789");
  const auto bits = digits == std::string_view::npos ? std::optional<uint64_t>(type == "bool" ? 8 : 0)
                                                     : parseNumber(type.substr(digits));
  return bits ? (*bits + 7) / 8 : 0;
}

/// The type that the metadata states for an input or output; bytes when it states none.
std::string typeOf(const mlf::ModelModule& module, std::string_view list, std::string_view name) {
  const json::Value* value = module.memory();
  for (const std::string_view key : {std::string_view("functions"), std::string_view("main")})
    value = value ? value->find(key) : nullptr;
  const json::Value::Array* const mains = value ? value->array() : nullptr;
  if (mains && !mains->empty())
    if (const json::Value* const all = mains->front().find(list))
      if (const json::Value* const one = all->find(name))
        if (const json::Value* const type = one->find("dtype"))
          if (type->string() && bytesOf(*type->string()) > 0) return *type->string();
  return "uint8";
}

/// Builds the parts of the library from the files of a module.
class ArchiveBuilder {
public:
  ArchiveBuilder(const mlf::Model& model, const mlf::ModelModule& module, Monitor& monitor)
      : m_model(model), m_module(module), m_monitor(monitor) {}

  Result<ArchiveLibrary> build() {
    BLOBSCOPE_TRY(glue, glueText());
    BLOBSCOPE_TRY(library, compile(glue));
    BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
    const std::filesystem::path path = folder.path() / "model.so";
    BLOBSCOPE_CHECK(writeFileNow(path, library, m_monitor));
    // program::filesBeside() finds the others by their names.
    BLOBSCOPE_CHECK(writeFileNow(folder.path() / "model.json",
                                 m_module.graph ? m_module.graph->bytes : Bytes::copyOf(m_graph), m_monitor));
    if (m_module.parameters && m_module.graph)
      BLOBSCOPE_CHECK(writeFileNow(folder.path() / "model.params", m_module.parameters->bytes, m_monitor));
    BLOBSCOPE_TRY(package, library::openPrivate(path, m_monitor));
    BLOBSCOPE_TRY(sha256, computeSha256(package->bytes, m_monitor));
    return ArchiveLibrary{std::move(folder), std::move(package), {std::move(sha256), pathText(path)}};
  }

private:
  Result<Bytes> compile(const std::string& glue) {
    compile::CRequest request = codeOf(m_model, {&m_module, 1});
    for (const mlf::File* const object : m_module.objects) request.objects.push_back({object->path, object->bytes});
    if (request.sources.empty() && request.objects.empty())
      return refused("the module '" + escaped(m_module.name) + "' has neither C code nor objects");
    request.sources.push_back({std::string(kGlue), Bytes::copyOf(glue)});
    request.link = true;
    BLOBSCOPE_TRY(result, compile::compileC(request, m_monitor));
    if (result.library) return *result.library;
    for (const compile::CMessage& message : result.messages)
      if (message.severity == Severity::Error)
        return refused("its code does not compile: " + escaped(message.path) +
                       (message.line > 0 ? ":" + std::to_string(message.line) : "") + ": " + message.text);
    return refused("its code does not compile");
  }

  /// Source that makes the library one with TVM's calling convention, and gives the AOT executor a packed function.
  Result<std::string> glueText() {
    std::string out = "#include <tvm/runtime/c_runtime_api.h>\n__attribute__((weak)) void* __tvm_module_ctx;\n";
    if (m_module.graph) return out;
    if (!m_module.header)
      return refused("the module '" + escaped(m_module.name) + "' has neither a graph nor the header of a C interface");
    const mlf::CSource header = mlf::scanC(m_module.header->bytes.view(), false, m_monitor);
    const auto run = std::ranges::find_if(header.declarations, [](const mlf::CFunction& one) {
      return one.name.starts_with("tvmgen_") && one.name.ends_with("_run");
    });
    if (run == header.declarations.end()) return refused("the header of its interface declares no function …_run");
    const std::string prefix(run->name.substr(0, run->name.size() - 4));
    const std::string file = m_module.header->path.substr(m_module.header->path.rfind('/') + 1);
    if (!isPlainName(prefix) || !isPlainName(file, ".-"))
      return refused("the names '" + escaped(prefix) + "' and '" + escaped(file) + "' cannot be used in C");
    if (header.findStruct(prefix + "_devices") || header.findStruct(prefix + "_workspace_pools"))
      return refused("its function '" + escaped(run->name) + "' needs devices or memory pools of the application");
    BLOBSCOPE_TRY(inputs, buffersOf(header, prefix, "inputs"));
    BLOBSCOPE_TRY(outputs, buffersOf(header, prefix, "outputs"));
    out += "#include <" + file + ">\n" + "int " + std::string(kEntry) +
           "(TVMValue* args, int* codes, int count, TVMValue* result, int* code) {\n" + "  struct " + prefix +
           "_inputs in = {0};\n  struct " + prefix + "_outputs out = {0};\n";
    std::size_t number = 0;
    for (const auto& [name, list] : {std::pair("in", &inputs), std::pair("out", &outputs)})
      for (const Buffer& buffer : *list)
        out += std::string("  ") + name + "." + buffer.name + " = ((DLTensor*)args[" + std::to_string(number++) +
               "].v_handle)->data;\n";
    out += "  (void)codes; (void)result; (void)code;\n  return count == " + std::to_string(number) + " ? " +
           std::string(run->name) + "(&in, &out) : -1;\n}\n";
    m_graph = graphText(inputs, outputs);
    return out;
  }

  Result<std::vector<Buffer>> buffersOf(const mlf::CSource& header, const std::string& prefix, std::string_view list) {
    const mlf::CStruct* const found = header.findStruct(prefix + "_" + std::string(list));
    if (!found || found->fields.empty())
      return refused("the header of its interface declares no struct " + escaped(prefix) + "_" + std::string(list));
    std::vector<Buffer> out;
    for (const std::string_view field : found->fields) {
      if (!isPlainName(field)) return refused("the field '" + escaped(field) + "' cannot be used in C");
      Buffer buffer{std::string(field), typeOf(m_module, list, field), 0};
      const std::string macro = upper(prefix) + "_" + upper(field) + "_SIZE";
      const auto size = std::ranges::find(header.macros, std::string_view(macro), &mlf::CMacro::name);
      const auto number = size == header.macros.end() ? std::nullopt : size->number();
      const auto bytes = number ? parseNumber(*number) : std::nullopt;
      if (!bytes || *bytes == 0 || *bytes % bytesOf(buffer.type) != 0)
        return refused("the header of its interface does not state the size of '" + escaped(field) +
                       "': " + escaped(macro));
      buffer.count = *bytes / bytesOf(buffer.type);
      out.push_back(std::move(buffer));
    }
    return out;
  }

  /// A graph with one node, which calls the whole model. Shapes are flat: the header has only sizes.
  static std::string graphText(const std::vector<Buffer>& inputs, const std::vector<Buffer>& outputs) {
    std::string out;
    json::Writer writer([&](std::string_view piece) { out += piece; });
    const auto node = [&](std::string_view op, std::string_view name) {
      writer.beginObject();
      writer.member("op", op);
      writer.member("name", name);
    };
    const auto numbers = [&](std::string_view key, uint64_t count) {
      writer.key(key).beginArray();
      for (uint64_t i = 0; i < count; ++i) writer.value(i);
      writer.endArray();
    };
    const auto reference = [&](uint64_t number, uint64_t output) {
      writer.beginArray();
      for (const uint64_t one : {number, output, uint64_t{0}}) writer.value(one);
      writer.endArray();
    };
    const auto list = [&](std::string_view key, std::string_view kind, const auto& write) {
      writer.key(key).beginArray();
      writer.value(kind);
      writer.beginArray();
      for (const auto* const buffers : {&inputs, &outputs})
        for (const Buffer& buffer : *buffers) write(buffer);
      writer.endArray();
      writer.endArray();
    };
    writer.beginObject();
    writer.key("nodes").beginArray();
    for (const Buffer& input : inputs) {
      node("null", input.name);
      writer.key("inputs").beginArray();
      writer.endArray();
      writer.endObject();
    }
    node("tvm_op", "model");
    writer.key("attrs").beginObject();
    writer.member("func_name", kEntry);
    writer.member("num_inputs", std::to_string(inputs.size()));
    writer.member("num_outputs", std::to_string(outputs.size()));
    writer.member("flatten_data", "0");
    writer.endObject();
    writer.key("inputs").beginArray();
    for (uint64_t i = 0; i < inputs.size(); ++i) reference(i, 0);
    writer.endArray();
    writer.endObject();
    writer.endArray();
    numbers("arg_nodes", inputs.size());
    writer.key("heads").beginArray();
    for (uint64_t i = 0; i < outputs.size(); ++i) reference(inputs.size(), i);
    writer.endArray();
    writer.key("node_row_ptr").beginArray();
    for (uint64_t i = 0; i <= inputs.size(); ++i) writer.value(i);
    writer.value(uint64_t{inputs.size() + outputs.size()});
    writer.endArray();
    writer.key("attrs").beginObject();
    list("dltype", "list_str", [&](const Buffer& buffer) { writer.value(buffer.type); });
    uint64_t storage = 0;
    list("storage_id", "list_int", [&](const Buffer&) { writer.value(storage++); });
    list("shape", "list_shape", [&](const Buffer& buffer) {
      writer.beginArray();
      writer.value(buffer.count);
      writer.endArray();
    });
    writer.endObject();
    writer.endObject();
    writer.finish();
    return out;
  }

  const mlf::Model& m_model;
  const mlf::ModelModule& m_module;
  Monitor& m_monitor;
  std::string m_graph; ///< of the AOT executor
};

} // namespace

compile::CRequest codeOf(const mlf::Model& model, std::span<const mlf::ModelModule> modules) {
  compile::CRequest out{.sources = {}, .headers = {}, .folders = {}};
  for (const mlf::ModelModule& module : modules)
    for (const mlf::File* const source : module.sources)
      if (source->path.ends_with(".c")) out.sources.push_back({source->path, source->bytes});
  for (const mlf::File& file : model.files)
    if (file.path.ends_with(".h")) out.headers.push_back({file.path, file.bytes});
  for (const char* const folder : {"codegen/host/include", "runtime/include"})
    if (model.hasFolder(folder)) out.folders.emplace_back(folder);
  return out;
}

bool isArchive(const library::Package& package) { return package.kind() == "mlf"; }

namespace {

Result<ArchiveLibrary> build(const library::PackagePtr& archive, std::string_view module, Monitor& monitor) {
  BLOBSCOPE_TRY(read, mlf::readArchive(archive, monitor));
  if (!read || read->model.modules.empty()) return refused("it has no module of the Model Library Format");
  const mlf::ModelModule* chosen = nullptr;
  std::string names;
  for (const mlf::ModelModule& one : read->model.modules) {
    names += (names.empty() ? "'" : ", '") + escaped(one.name) + "'";
    if (!chosen && (module.empty() || one.name == module)) chosen = &one;
  }
  if (!chosen) return refused("it has no module '" + escaped(module) + "', only " + names);
  if (chosen->isOperator) return refused("it contains one operator, not a model");
  return ArchiveBuilder(read->model, *chosen, monitor).build();
}

} // namespace

Result<ArchiveLibrary> buildArchive(const library::PackagePtr& archive, const Agreed& agreed, std::string_view module,
                                    Monitor& monitor) {
  BLOBSCOPE_TRY(taken, AgreedLibrary::take(archive, agreed, monitor));
  BLOBSCOPE_TRY(built, build(taken.package(), module, monitor));
  BLOBSCOPE_CHECK(taken.checkDisk());
  return std::move(built);
}

Result<std::filesystem::path> buildArchiveIn(const library::PackagePtr& archive, const std::filesystem::path& target,
                                             Monitor& monitor) {
  BLOBSCOPE_TRY(built, build(archive, {}, monitor));
  const auto failed = [&](std::string reason) {
    return Error(DiagnosticId::FileWrite, {{"path", shownPath(pathText(target))}, {"reason", std::move(reason)}});
  };
  std::error_code failure;
  if (std::filesystem::exists(target, failure)) return failed("it exists already");
  std::filesystem::create_directory(target, failure);
  if (failure) return failed(failure.message());
  for (const char* const name : {"model.so", "model.json", "model.params"}) {
    const std::filesystem::path from = built.folder.path() / name;
    if (!std::filesystem::exists(from, failure)) continue; // an AOT executor has no parameters
    std::filesystem::copy_file(from, target / name, failure);
    if (!failure) continue;
    const std::string reason = failure.message();
    std::filesystem::remove_all(target, failure);
    return failed(reason);
  }
  return target / "model.so";
}

} // namespace blobscope::run
