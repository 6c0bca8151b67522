#include "core/mlf/file_facts.h"

#include "core/mlf/reader.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace blobscope::mlf {
namespace {

using json::Value;

const Value* unsignedMember(const Value& object, std::string_view name) {
  const Value* const value = object.find(name);
  return value && value->type() == Value::Type::Unsigned ? value : nullptr;
}

void readTensors(const Value& object, const std::string& pointer, std::vector<ListedTensor>& out) {
  for (const auto& [name, value] : object.members()) {
    ListedTensor tensor;
    tensor.name = name;
    tensor.pointer = json::pointerStep(pointer, name);
    const Value* const size = unsignedMember(value, "size");
    const Value* const dtype = value.find("dtype");
    tensor.sound = size && dtype && dtype->isString();
    if (tensor.sound) {
      tensor.size = size->number();
      tensor.dtype = dtype->text();
    }
    out.push_back(std::move(tensor));
  }
}

void readMain(const Value& list, const std::string& pointer, ModuleMemory& memory) {
  bool known = true;
  for (std::size_t i = 0; i < list.items().size(); ++i) {
    const Value& entry = list.items()[i];
    const std::string at = json::pointerStep(pointer, i);
    const Value* const device = unsignedMember(entry, "device");
    if (device)
      memory.devices.push_back(device->number());
    else
      known = false;
    if (const Value* const size = unsignedMember(entry, "workspace_size_bytes"); size && i == 0)
      memory.workspace = size->number();
    if (const Value* const inputs = entry.find("inputs"); inputs && inputs->isObject()) {
      memory.listsInputs = true;
      readTensors(*inputs, at + "/inputs", memory.inputs);
    }
    if (const Value* const outputs = entry.find("outputs"); outputs && outputs->isObject()) {
      memory.listsOutputs = true;
      readTensors(*outputs, at + "/outputs", memory.outputs);
    }
  }
  if (!known) memory.devices.clear();
}

void readStorages(const Value& list, const std::string& pointer, ModuleMemory& memory) {
  memory.storages.emplace();
  std::unordered_set<uint64_t> seen;
  for (std::size_t i = 0; i < list.items().size(); ++i) {
    const Value* const id = unsignedMember(list.items()[i], "storage_id");
    const Value* const size = unsignedMember(list.items()[i], "size_bytes");
    const Value* const binding = list.items()[i].find("input_binding");
    if (!id || !size || (binding && !binding->isString()) || !seen.insert(id->number()).second) { // MLF-213
      memory.storages.reset();
      return;
    }
    memory.storages->push_back({json::pointerStep(pointer, i), id->number(), size->number(), binding});
  }
}

ModuleMemory readMemory(const ModelModule& module, unsigned version) {
  ModuleMemory out;
  const Value* const memory = module.memory();
  if (!memory || module.isOperator) return out;
  const std::string pointer = module.memoryPointer();
  if (version == 1) {
    if (memory->isArray()) readStorages(*memory, pointer, out);
    return out;
  }
  if (const Value* const sids = memory->find("sids"); sids && sids->isArray())
    readStorages(*sids, pointer + "/sids", out);
  const Value* const functions = memory->find("functions");
  if (!functions) return out;
  if (const Value* const main = functions->find("main"); main && main->isArray())
    readMain(*main, pointer + "/functions/main", out);
  const Value* const list = functions->find("operator_functions");
  if (!list || !list->isArray()) return out;
  out.functions.emplace();
  for (std::size_t i = 0; i < list->items().size(); ++i)
    if (const Value* const name = list->items()[i].find("function_name"); name && name->isString())
      out.functions->emplace_back(name->text(), json::pointerStep(pointer + "/functions/operator_functions", i));
  return out;
}

/// Returns "src" or "lib" for codegen/TARGET/src/NAME, otherwise an empty text.
std::string_view codeFolder(std::string_view path) {
  constexpr std::string_view kCodegen = "codegen/";
  if (!path.starts_with(kCodegen)) return {};
  const std::size_t name = path.rfind('/');
  const std::size_t folder = path.rfind('/', name - 1);
  const std::string_view word =
      folder < name && folder > kCodegen.size() ? path.substr(folder + 1, name - folder - 1) : std::string_view();
  return word == "src" || word == "lib" ? word : std::string_view();
}

bool isCPlusPlus(std::string_view path) { return path.ends_with(".cc") || path.ends_with(".cpp"); }

void readCode(const Model& model, FileFacts& facts, Monitor& monitor) {
  std::unordered_map<const File*, const ModelModule*> owners;
  for (const ModelModule& module : model.modules)
    for (const auto* files : {&module.sources, &module.objects})
      for (const File* const file : *files) owners[file] = &module;
  for (const File& file : model.files) {
    if (monitor.stopRequested()) return;
    const std::string_view folder = codeFolder(file.path);
    if (folder.empty()) continue;
    CodeFile code;
    code.file = &file;
    if (const auto owner = owners.find(&file); owner != owners.end()) code.owner = owner->second;
    // The extension determines the type; the folder only if the extension is unknown.
    const bool sourceName = file.path.ends_with(".c") || isCPlusPlus(file.path), objectName = file.path.ends_with(".o");
    if (sourceName || (folder == "src" && !objectName)) {
      code.fits = sourceName;
      code.source = scanC(file.bytes.view(), isCPlusPlus(file.path), monitor);
    } else {
      code.fits = objectName;
      code.object = readObjectFacts(file.bytes, monitor);
      if (code.object->kind != ObjectFacts::Kind::Object || !code.object->complete) facts.complete = false;
    }
    facts.code.push_back(std::move(code));
  }
}

} // namespace

std::vector<std::string> aotMainNames(unsigned version, const std::vector<std::string>& names) {
  if (version <= 2) return {"tvm__run_func"};
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (version <= 5) out.push_back("tvmgen_" + name + "_run_model");
    if (version >= 5) out.push_back("tvmgen_" + name + "___tvm_main__");
  }
  return out;
}

std::string storagesPointer(const ModelModule& module, unsigned version) {
  return module.memoryPointer() + (version == 1 ? "" : "/sids");
}

FileFacts readFileFacts(const Model& model, Monitor& monitor) {
  FileFacts facts;
  facts.model = &model;
  readCode(model, facts, monitor);
  for (const CodeFile& code : facts.code) {
    if (code.source)
      for (const CFunction& function : code.source->definitions) facts.defined.insert(function.name);
    if (!code.object) continue;
    for (const ObjectFacts::Function& function : code.object->functions) facts.defined.insert(function.name);
    facts.defined.insert(code.object->data.begin(), code.object->data.end());
  }
  if (facts.code.empty()) facts.complete = false; // MLF-301 reports that there is no code
  Findings ignored;                               // reported by the other checks
  std::unordered_set<const File*> read;
  for (const ModelModule& module : model.modules) {
    if (monitor.stopRequested()) break;
    ModuleFacts one;
    one.module = &module;
    one.memory = readMemory(module, model.version);
    if (module.graph && read.insert(module.graph).second)
      one.graph = readGraph(*module.graph, one.graphFindings, monitor);
    if (module.parameters && read.insert(module.parameters).second)
      one.parameters = readParameters(*module.parameters, {}, ignored, monitor);
    if (module.header && read.insert(module.header).second)
      one.header = scanC(module.header->bytes.view(), false, monitor);
    one.names = symbolNames(module.name);
    facts.modules.push_back(std::move(one));
  }
  for (const CodeFile& code : facts.code) {
    const auto index = code.owner ? static_cast<std::size_t>(code.owner - model.modules.data()) : facts.modules.size();
    if (index < facts.modules.size()) facts.modules[index].code.push_back(&code);
  }
  return facts;
}

bool ModuleFacts::breaksC() const {
  // A name that is invalid for files (MLF-118) is handled elsewhere.
  return sanitized(module->name) != module->name && module->name.find_first_of("/\\") == std::string::npos &&
         std::any_of(code.begin(), code.end(), [](const CodeFile* one) { return one->source.has_value(); });
}

std::string sanitized(std::string_view name) {
  std::string out(name);
  for (char& c : out)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) c = '_';
  return out;
}

std::string upperCase(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::vector<std::string> symbolNames(std::string_view model) {
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  };
  const auto lower = [](std::string text) {
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
  };
  add(std::string(model));
  add(sanitized(model));
  add(lower(std::string(model)));
  add(lower(sanitized(model)));
  return names;
}

} // namespace blobscope::mlf
