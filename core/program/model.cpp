#include "core/program/model.h"

#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/program/graph.h"
#include "core/program/parameters.h"
#include "core/program/relax.h"
#include "core/program/relay.h"

#include <algorithm>
#include <string_view>
#include <system_error>

namespace blobscope::program {
namespace {

enum class Form { None, Graph, Aot, Relay, Relax };

/// Source: core/formats/module-kinds.md, the table of type keys.
Form formOf(std::string_view key) {
  if (key == "GraphExecutorFactory" || key == "GraphRuntimeFactory") return Form::Graph;
  if (key == "AotExecutorFactory") return Form::Aot;
  if (key == "VMExecutable") return Form::Relay;
  if (key == "relax.Executable" || key == "relax.VMExecutable") return Form::Relax;
  return Form::None;
}

const library::Module* findModel(const library::Package& package) {
  for (const auto& blob : package.blobs)
    for (const library::ModulePtr& module : blob->modules)
      if (formOf(module->key.view()) != Form::None) return module.get();
  return nullptr;
}

} // namespace

ModelFiles filesBeside(const std::filesystem::path& library) {
  std::string stem = pathText(library.stem());
  std::vector<std::pair<std::string, std::string>> names = {{stem + ".json", stem + ".params"}};
  for (const std::string_view end : {"_lib", "-lib", ".lib"})
    if (stem.ends_with(end)) {
      stem.resize(stem.size() - end.size());
      for (const char* const mark : {"_", "-"})
        names.emplace_back(stem + mark + "graph.json", stem + mark + "param.params");
      names.emplace_back(stem + ".json", stem + ".params");
    }
  ModelFiles out;
  for (const auto& [graph, parameters] : names) {
    std::error_code failure;
    const std::filesystem::path folder = library.parent_path();
    if (!std::filesystem::is_regular_file(folder / pathFrom(graph), failure)) continue;
    out.graph = folder / pathFrom(graph);
    if (std::filesystem::is_regular_file(folder / pathFrom(parameters), failure))
      out.parameters = folder / pathFrom(parameters);
    break;
  }
  return out;
}

bool isModel(std::string_view moduleKey) { return formOf(moduleKey) != Form::None; }

bool canLookAt(std::string_view moduleKey) {
  const Form form = formOf(moduleKey);
  return form == Form::Graph || form == Form::Relax;
}

Result<Model> modelOfModule(const library::PackagePtr& package, const library::Module& module,
                            const xref::Functions& functions, Monitor& monitor, const Parameters* params) {
  switch (formOf(module.key.view())) {
  case Form::Graph: return graphModel(*package, module, nullptr, monitor);
  case Form::Aot: return aotModel(package, module, functions, monitor);
  case Form::Relay: return relayModel(package, module, functions, params, monitor);
  case Form::Relax: return relaxModel(module, functions, monitor, true);
  case Form::None: break;
  }
  return Error(DiagnosticId::RunProgram, {{"reason", "the module has no graph and no bytecode"}});
}

bool mayHaveModel(const library::Package& package) { return findModel(package) != nullptr; }

Result<Model> modelOf(const library::PackagePtr& package, const xref::Functions& functions, const ModelFiles& files,
                      Monitor& monitor) {
  const auto refused = [](std::string reason) {
    return Error(DiagnosticId::RunProgram, {{"reason", std::move(reason)}});
  };
  std::optional<Parameters> parameters;
  if (!files.parameters.empty()) {
    BLOBSCOPE_TRY(read, readParametersAt(files.parameters, monitor));
    parameters = std::move(read);
  }
  if (!files.graph.empty()) {
    BLOBSCOPE_TRY(source, ByteSource::openFile(files.graph));
    return graphModel(*package, ByteSource::all(source), parameters.value_or(Parameters()), monitor);
  }
  const library::Module* const module = findModel(*package);
  if (!module)
    return refused("the library has no graph and no bytecode; if the graph is in a file of its own, name that file");
  const Form form = formOf(module->key.view());
  if (parameters && form == Form::Aot) return refused("an AOT executor takes no parameters from a file");
  const auto withWeights = [&](Result<Model> model) {
    if (model && parameters) model->weights = std::move(*parameters);
    return model;
  };
  switch (form) {
  case Form::Graph: return graphModel(*package, *module, parameters ? &*parameters : nullptr, monitor);
  case Form::Aot: return aotModel(package, *module, functions, monitor);
  case Form::Relay:
    return withWeights(relayModel(package, *module, functions, parameters ? &*parameters : nullptr, monitor));
  case Form::Relax: return withWeights(relaxModel(*module, functions, monitor));
  case Form::None: break;
  }
  return refused("its model is of an unknown kind");
}

} // namespace blobscope::program
