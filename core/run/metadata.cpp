#include "core/run/metadata.h"

#include "core/base/json.h"
#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/library/native.h"
#include "core/process/process.h"
#include "core/protocol/runner_process.h"
#include "core/run/agreed.h"
#include "core/run/job_parts.h"
#include "core/run/plan.h"
#include "core/run/stubs.h"

#include <algorithm>

namespace blobscope::run {
namespace {

/// Limits: depth of a type, bytes of a signature.
constexpr int kDepth = 32;
constexpr std::size_t kSignatureBytes = 16'000;
/// No further processes are started for a library that kills its runner in every call.
constexpr std::size_t kDeaths = 200;

Error wrong(std::string reason) {
  return Error(DiagnosticId::RunProtocol, {{"reason", "metadata: " + std::move(reason)}});
}

const json::Value::Array* listOf(const json::Value& value, std::string_view name) {
  const json::Value* const found = value.find(name);
  return found ? found->array() : nullptr;
}

Result<Done> addType(std::string& out, const json::Value& value, int depth);

Result<Done> addList(std::string& out, const json::Value::Array& items, std::size_t first, int depth) {
  for (std::size_t i = first; i < items.size(); ++i) {
    if (i > first) out += ", ";
    BLOBSCOPE_CHECK(addType(out, items[i], depth + 1));
  }
  return Done{};
}

/// Appends "(arguments) -> result" of a function, if the schema contains them.
Result<Done> addFunction(std::string& out, const json::Value& value, int depth) {
  const json::Value* const named = value.find("named_args");
  const json::Value::Array* const results = named ? listOf(*named, "return") : nullptr;
  const json::Value::Array* const parameters = named ? listOf(*named, "params") : listOf(value, "args");
  if (!parameters || (named ? !results || results->size() != 1 : parameters->empty()))
    return wrong("a function without the types of its arguments and its result");
  out += '(';
  BLOBSCOPE_CHECK(addList(out, *parameters, named ? 0 : 1, depth));
  out += ") -> ";
  return addType(out, named ? results->front() : parameters->front(), depth + 1);
}

Result<Done> addType(std::string& out, const json::Value& value, int depth) {
  if (depth > kDepth || out.size() > kSignatureBytes) return wrong("a type that is nested too deep or too long");
  const json::Value* const type = value.find("type");
  const std::string* const name = type ? type->string() : nullptr;
  if (!name) return wrong("a type without a name");
  const bool hasArguments = value.find("args") || value.find("named_args");
  if (*name == "ffi.Function" && hasArguments) {
    out += '(';
    BLOBSCOPE_CHECK(addFunction(out, value, depth));
    out += ')';
    return Done{};
  }
  out += escapedWithin(*name, 200);
  const json::Value::Array* const arguments = listOf(value, "args");
  if (!arguments || arguments->empty()) return Done{};
  out += '<';
  BLOBSCOPE_CHECK(addList(out, *arguments, 0, depth));
  out += '>';
  return Done{};
}

class Reader {
public:
  Reader(const RunOptions& options, std::filesystem::path folder, Monitor& monitor)
      : m_options(options), m_folder(std::move(folder)), m_monitor(monitor) {}

  Result<std::vector<FunctionMetadata>> read(const library::Package& package,
                                             const std::vector<library::NativeFunction>& functions) {
    m_job = jobOf(protocol::Mode::Metadata, m_options);
    m_job.backend.clear();
    m_job.abi = host::abiName(*package.host.abi);
    m_job.library = "library.so";
    m_job.options.lazyBind = true;
    BLOBSCOPE_CHECK(writeFileNow(m_folder / m_job.library, package.bytes, m_monitor));
    if (const ForeignImports imports = foreignImports(package); canReplace(imports))
      BLOBSCOPE_CHECK(writeStubs(imports, m_folder, m_monitor));
    for (const library::NativeFunction& function : functions) {
      if (function.hasMetadata) add(function, "_metadata_", false);
      if (function.hasDoc()) add(function, "_doc_", true);
      m_out.emplace_back().name = function.name;
    }
    std::size_t first = 0;
    for (std::size_t deaths = 0; first < m_gets.size() && deaths <= kDeaths; ++deaths) {
      BLOBSCOPE_TRY(next, runFrom(first));
      first = next;
    }
    for (const Get& get : m_gets)
      if (!get.ended) fail(get, row(DiagnosticId::RunRunner).id, "the runner ended before this metadata was read");
    for (const Get& get : m_gets) finish(get);
    return std::move(m_out);
  }

private:
  struct Get {
    std::size_t function = 0;
    bool doc = false;
    bool ended = false;
    std::string text;
  };

  void add(const library::NativeFunction& function, const char* prefix, bool doc) {
    m_gets.push_back({m_out.size(), doc, false, {}});
    m_calls.emplace_back().function = prefix + std::string(function.name);
  }

  void fail(const Get& get, std::string_view code, const std::string& message) {
    FunctionMetadata& function = m_out[get.function];
    if (!function.fine()) return; // the first problem is the cause
    function.code = code;
    constexpr DiagnosticId kCrashes[] = {DiagnosticId::RunCrash, DiagnosticId::RunExit, DiagnosticId::RunProcesses,
                                         DiagnosticId::RunFileSize};
    const bool crashed = std::ranges::any_of(kCrashes, [&](DiagnosticId id) { return code == row(id).id; });
    function.status = code == row(DiagnosticId::RunTime).id ? Status::Timeout
                      : crashed                             ? Status::Crashed
                                                            : Status::Failed;
    function.message = message;
  }
  void fail(const Get& get, const Error& error) { fail(get, error.diagnostic().idText(), error.message()); }

  void finish(const Get& get) {
    FunctionMetadata& function = m_out[get.function];
    if (get.doc) {
      function.doc = get.text;
    } else if (!get.text.empty()) {
      auto line = signatureLine(get.text);
      if (!line) return fail(get, line.error());
      function.json = get.text;
      function.signature = std::move(*line);
    } else {
      fail(get, row(DiagnosticId::RunProtocol).id, "the metadata is empty");
    }
  }

  Result<std::size_t> runFrom(std::size_t first) {
    protocol::Job job = m_job;
    job.calls.assign(m_calls.begin() + static_cast<std::ptrdiff_t>(first), m_calls.end());
    protocol::RunnerOptions runner;
    runner.runner = m_options.runner;
    runner.folder = m_folder;
    // Before each start: the code that ended the last runner could have changed its copy.
    BLOBSCOPE_CHECK(checkCopy(m_folder / job.library, m_options.agreed, m_monitor));
    std::optional<protocol::ErrorReported> general;
    BLOBSCOPE_TRY(end, protocol::runRunner(
                           job, runner, [&](const protocol::Event& event) { take(event, first, general); }, m_monitor));
    // Unless it ended in a call, the library was being loaded: no function is the cause.
    if (end.problem && (end.problem->id() == DiagnosticId::RunRunner || (first == 0 && !end.call)))
      return std::move(*end.problem);
    if (end.problem && end.call && *end.call < m_gets.size() - first) {
      Get& dead = m_gets[first + *end.call];
      fail(dead, *end.problem);
      dead.ended = true;
      return first + *end.call + 1;
    }
    // Before the first call: another process would fail in the same way.
    for (std::size_t i = first; i < m_gets.size(); ++i) {
      if (m_gets[i].ended) continue;
      if (end.problem)
        fail(m_gets[i], *end.problem);
      else if (general)
        fail(m_gets[i], general->id, general->message);
    }
    return m_gets.size();
  }

  void take(const protocol::Event& event, std::size_t first, std::optional<protocol::ErrorReported>& general) {
    const auto getOf = [&](uint64_t call) -> Get* {
      return call < m_gets.size() - first ? &m_gets[first + call] : nullptr;
    };
    if (const auto* const read = std::get_if<protocol::MetadataRead>(&event)) {
      Get* const get = getOf(read->call);
      if (get && get->text.size() + read->text.size() <= protocol::kMetadataBytes) get->text += read->text;
    } else if (const auto* const ended = std::get_if<protocol::CallEnded>(&event)) {
      Get* const get = getOf(ended->call);
      if (!get) return;
      get->ended = true;
      m_monitor.progress("reading metadata", first + ended->call + 1, m_gets.size());
    } else if (const auto* const error = std::get_if<protocol::ErrorReported>(&event)) {
      Get* const get = error->call ? getOf(*error->call) : nullptr;
      if (get)
        fail(*get, error->id, error->message);
      else if (!general)
        general = *error;
    }
  }

  const RunOptions& m_options;
  std::filesystem::path m_folder;
  Monitor& m_monitor;
  protocol::Job m_job;
  std::vector<protocol::JobCall> m_calls;
  std::vector<Get> m_gets; ///< one per call
  std::vector<FunctionMetadata> m_out;
};

} // namespace

Result<std::string> signatureLine(std::string_view json) {
  BLOBSCOPE_TRY(outer, json::parse(Bytes::copyOf(json)));
  const json::Value* const schema = outer.find("type_schema");
  const std::string* const text = schema ? schema->string() : nullptr;
  if (!text) return wrong("'type_schema' is missing");
  BLOBSCOPE_TRY(inner, json::parse(Bytes::copyOf(*text)));
  std::string out;
  BLOBSCOPE_CHECK(addFunction(out, inner, 0));
  return out;
}

std::map<std::string, std::string> signaturesOf(const std::vector<FunctionMetadata>& functions) {
  std::map<std::string, std::string> out;
  for (const FunctionMetadata& function : functions)
    if (!function.signature.empty()) out[function.name] = function.signature;
  return out;
}

Result<std::vector<FunctionMetadata>> readMetadata(const library::PackagePtr& package, const RunOptions& options,
                                                   Monitor& monitor) {
  BLOBSCOPE_TRY(agreed, AgreedLibrary::take(package, options.agreed, monitor));
  const library::Package& library = *agreed.package();
  std::vector<library::NativeFunction> functions = library::nativeFunctions(library);
  std::erase_if(functions, [&](const library::NativeFunction& one) {
    const bool asked = options.functions.empty() || std::find(options.functions.begin(), options.functions.end(),
                                                              one.name) != options.functions.end();
    return !asked || (!one.hasMetadata && !one.hasDoc());
  });
  if (functions.empty()) return Error(DiagnosticId::RunNoMetadata, {});
  BLOBSCOPE_CHECK(canLoad(library, Purpose::Dry));
  BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
  return Reader(options, folder.path(), monitor).read(library, functions);
}

} // namespace blobscope::run
